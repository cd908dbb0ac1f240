"""Readers, one file a format; `read_table` finds the right one for a table."""

from __future__ import annotations

from comraf.collection.readers.tables import FORMATS, NamedTable, read_table

__all__ = ["FORMATS", "NamedTable", "read_table"]
