"""Data frames of pandas, polars and others that narwhals knows, one document a row."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Unpack

from comraf.collection.items import Item, Skip, Unit
from comraf.collection.kinds import Kind
from comraf.collection.readers.files import Notes
from comraf.collection.readers.tabular import SAMPLE, row_item
from comraf.collection.readers.tabular_columns import ColumnOptions, choose_columns
from comraf.errors import InputError

_ROWS = 5000


def is_frame(thing: object) -> bool:
    """Tell whether something is a data frame, without importing any such library.

    Examples
    --------
    >>> is_frame("mail")
    False
    """
    marks = ("__dataframe__", "__narwhals_dataframe__", "__narwhals_lazyframe__", "collect_schema")
    if any(hasattr(thing, mark) for mark in marks):
        return True
    return hasattr(thing, "columns") and hasattr(thing, "shape")


class FrameReader(Notes):
    """A data frame in memory. The options are those of `.tabular.TabularReader`.

    Parameters
    ----------
    frame : DataFrame
        Of pandas, polars, pyarrow or any other library that narwhals knows. Lazy frames
        are collected.
    text, title, id, date, people, lists, values, truth, guess
        What the columns are, as for files.
    name : str, default="frame"
        Stands in the items' sources.

    Examples
    --------
    >>> import pandas as pd
    >>> reader = FrameReader(pd.DataFrame({"body": ["The pump leaks.", "It is old."]}))
    >>> [item.text for unit in reader.scan() for item in reader.read(unit)]
    ['The pump leaks.', 'It is old.']
    """

    kind = "frame"
    # sending the frame to another process would cost more than reading it here
    parallel = False

    def __init__(
        self,
        frame: Any,
        *,
        name: str = "frame",
        **columns: Unpack[ColumnOptions],
    ) -> None:
        import narwhals as nw

        try:
            native = nw.from_native(frame)
            if isinstance(native, nw.LazyFrame):
                native = native.collect()
        except TypeError:
            raise InputError(
                f"Expected a data frame of pandas, polars or pyarrow, got {type(frame).__name__}."
            ) from None
        except (ValueError, nw.exceptions.NarwhalsError) as error:
            reason = " ".join(str(error).split())[:300]
            raise InputError(f"The data frame can't be read: {reason}") from error
        if len(native) == 0:
            raise InputError("The data frame has no rows.")
        super().__init__()
        # private, so that what it shows of its rows is no part of the reader's description
        self._frame = native
        self.name = name
        self.columns, notes = choose_columns(
            [str(column) for column in native.columns],
            [_by_name(row) for row in native.head(SAMPLE).iter_rows(named=True)],
            **columns,
        )
        self.notes += notes
        # nothing tells cheaply whether a frame in memory has changed
        self._mark = uuid.uuid4().hex

    def scan(self) -> list[Unit]:
        """List stretches of rows."""
        self.renew()
        size = len(self._frame)
        return [
            Unit(self.name, start, min(size, start + _ROWS), self._mark, start + 1)
            for start in range(0, size, _ROWS)
        ]

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the documents of a stretch of rows."""
        stop = len(self._frame) if unit.stop is None else unit.stop
        rows = self._frame[unit.start : stop].iter_rows(named=True)
        for number, row in enumerate(rows, unit.start + 1):
            yield row_item(_by_name(row), self.columns, f"{self.name}:{number}")


def _by_name(row: Mapping[Any, object]) -> dict[str, object]:
    return {str(name): value for name, value in row.items()}


FRAME = Kind("frame", "data frames", FrameReader, noun="row", family="table", in_memory=True)
