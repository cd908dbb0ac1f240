"""Parquet files of (row, column, count) triplets; needs pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from comraf.collection.readers.limits import Budget, check_groups, texts_of
from comraf.collection.tables.counts import Raw, check_values
from comraf.collection.tables.triplets import Columns, Triplets, find_columns
from comraf.errors import ComrafError, InputError, ReadError

_BATCH = 2**17


def read_parquet(path: Path, budget: Budget) -> Raw:
    """Read triplets from a Parquet file, batch by batch.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow, pyarrow.parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.parquet")
    ...     table = pyarrow.table({"row": ["d1", "d2"], "column": ["sea", "sea"], "count": [2, 1]})
    ...     pyarrow.parquet.write_table(table, file)
    ...     read_parquet(file, Budget("a.parquet")).matrix.toarray().tolist()
    [[2], [1]]
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            largest = check_groups(file, path.stat().st_size, budget.source)
            budget.check(2 * largest, "a part of the file")
            texts, schema = texts_of(file), file.schema_arrow
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            return _read(file, schema, pa, budget)
    except ComrafError:
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, MemoryError) as error:
        # Arrow checks little of what a damaged file says before it uses it.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ReadError(f"{path}: is not a whole Parquet file: {reason}") from error


def _read(file: Any, schema: Any, pa: Any, budget: Budget) -> Raw:
    source = budget.source
    names = list(schema.names)
    if len(set(names)) < len(names):
        raise InputError(f"{source}: two columns have the same name: {names[:10]}")
    wanted = find_columns(names, source)
    if wanted is None:
        if len(names) not in (2, 3):
            raise InputError(
                f"{source}: has the columns {names[:10]}; expected row, column and count (or two "
                "or three columns in this order)"
            )
        wanted = Columns(0, 1, 2 if len(names) == 3 else None, len(names))
    places = [wanted.row, wanted.column, *([] if wanted.amount is None else [wanted.amount])]
    _check_types(schema, places, pa, source)
    triplets = Triplets(budget)
    before = 0
    for batch in file.iter_batches(batch_size=_BATCH, columns=[names[place] for place in places]):
        columns = [batch.column(names[place]) for place in places]
        for column, place in zip(columns, places, strict=True):
            if column.null_count:
                at = before + column.is_null().to_pylist().index(True)
                raise InputError(f"{source}: {names[place]!r} is missing in entry {at} (from 0)")
        rows = triplets.rows.numbers_in(columns[0])
        where = triplets.columns.numbers_in(columns[1])
        for known, place in ((triplets.rows, 0), (triplets.columns, 1)):
            if "" in known:
                at = before + next(i for i, v in enumerate(columns[place]) if v.as_py() == "")
                raise InputError(
                    f"{source}: {names[places[place]]!r} is empty in entry {at} (from 0)"
                )
        counts = None
        if wanted.amount is not None:
            counts = columns[2].cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
            bad = check_values(counts)
            if bad is not None:
                raise InputError(
                    f"{source}: the count in entry {before + bad} (from 0), row "
                    f"{columns[0][bad].as_py()!r}, column {columns[1][bad].as_py()!r}, is "
                    f"{counts[bad]:g}; counts must be finite numbers of 0 or more"
                )
        triplets.add(rows, where, counts)
        before += len(batch)
    return triplets.table()


def _check_types(schema: Any, places: list[int], pa: Any, source: str) -> None:
    for part, place in enumerate(places):
        field = schema.field(place)
        kind = field.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        number = pa.types.is_integer(kind) or pa.types.is_boolean(kind)
        if part < 2:
            good = pa.types.is_string(kind) or pa.types.is_large_string(kind) or number
            expected = "text or whole numbers"
        else:
            good = number or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
            good = good and not pa.types.is_dictionary(field.type)
            expected = "numbers"
        if not good:
            raise InputError(f"{source}: {field.name!r} holds {field.type}; expected {expected}")
