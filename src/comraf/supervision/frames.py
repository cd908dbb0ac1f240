"""Names that items have in data frames, and labels in the order of a frame's rows."""

from __future__ import annotations

from typing import Any

__all__ = ["in_order", "texts_of"]


def in_order(labels: Any, rows: Any) -> Any:
    """Labels with an index of the same rows, or of some of them, in the order of the rows.

    Parameters
    ----------
    labels : Series or anything else
        Only a Series is put in order.
    rows : Index or None
        Of the frame that the labels are about.
    """
    index: Any = getattr(labels, "index", None)
    if rows is None or not hasattr(index, "equals") or not hasattr(labels, "reindex"):
        return labels
    if index.equals(rows) or not (index.is_unique and rows.is_unique):
        return labels
    return labels if len(index.difference(rows)) else labels.reindex(rows)


def texts_of(rows: Any) -> tuple[str, ...] | None:
    """Names of rows, if these are texts, each once: numbers of rows are their places, always."""
    if rows is None or not rows.is_unique:
        return None
    names = rows.tolist()
    return tuple(names) if all(isinstance(name, str) for name in names) else None
