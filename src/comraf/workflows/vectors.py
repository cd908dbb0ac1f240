"""Embeddings of documents from files: matrices in order, or vectors with the documents' names."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from comraf.collection.readers.limits import Budget
from comraf.errors import InputError, Message, ReadError, Setting

if TYPE_CHECKING:
    from comraf.collection.collection import Collection

__all__ = ["ENDINGS", "read_cells", "read_embeddings"]

#: Endings of the files that hold embeddings.
ENDINGS = (".npy", ".npz", ".parquet", ".jsonl", ".ndjson")
_IDS = ("id", "ids", "item", "items", "name", "key")
_VECTORS = ("embedding", "embeddings", "vector", "vectors")
_SHOWN = 40
_MOST_NAMED = 20
# Rows that are taken at a time.
_ROWS = 4096

Floats = npt.NDArray[np.float32]
# Names of rows, None in a file without any, and a vector for each, None where there is none.
_Chunk = tuple[Sequence[Any] | None, Sequence[Any] | Floats]


class _Filling:
    """A matrix with a row for each document, filled as vectors come along."""

    def __init__(self, option: Setting, places: Mapping[str, int], n: int) -> None:
        self.option = option
        self.places = places
        self.matrix = np.zeros((n, 0), np.float32)
        self.there = np.zeros(n, bool)
        self.first: object = None  # name that the file begins with
        self.taken = 0  # rows of the file until now

    def add(self, ids: Sequence[Any], vectors: Sequence[Any] | Floats) -> None:
        """Take the vectors of documents that are wanted."""
        for name, vector in zip(map(_name, ids), vectors, strict=True):
            if self.first is None:
                self.first = name
            self.taken += 1
            at = self.places.get(name)
            if at is not None and vector is not None:
                self._put(at, name, _numbers(vector, _at(self.option, repr(name))))

    def _put(self, at: int, name: str, row: Floats) -> None:
        if not self.matrix.shape[1]:
            from comraf.graph.tables import check_fits

            check_fits(4.0 * len(self.there) * len(row), self.option, "give fewer dimensions")
            self.matrix = np.zeros((len(self.there), len(row)), np.float32)
        if len(row) != self.matrix.shape[1]:
            raise InputError(
                "{file}: {name!r} has {n} numbers, those before it {width}",
                file=self.option,
                name=name,
                n=len(row),
                width=self.matrix.shape[1],
            )
        if self.there[at] and not np.array_equal(self.matrix[at], row):
            raise InputError(
                "{file}: {name!r} is there twice, with different vectors; leave one of them out",
                file=self.option,
                name=name,
            )
        self.matrix[at] = row
        self.there[at] = True


def _at(option: Setting | Message, place: object) -> Message:
    """A place in a file, as messages name it."""
    return Message("{file}: {place}", {"file": option, "place": place})


def read_embeddings(path: Path, collection: Collection) -> Floats:
    """One vector for each document of a collection, from a file; zeros where there is none."""
    option = Setting("embeddings", path)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            "{file}: embeddings are read from {endings:,} files; save them as one of these, or, "
            "where the documents are a table that has them, name its column",
            file=option,
            endings=ENDINGS[:-1],
        )
    n = len(collection)
    filling = _Filling(option, {name: i for i, name in enumerate(collection.ids)}, n)
    in_order: list[Any] = []
    try:
        for ids, vectors in _chunks(path, option):
            if ids is None:
                in_order.append(vectors)
            else:
                filling.add(ids, vectors)
    except (OSError, ValueError, EOFError, RecursionError) as error:
        if isinstance(error, (InputError, ReadError)):
            raise
        raise ReadError("{file}: can't be read ({error})", file=option, error=error) from error
    if in_order:
        return _in_order(in_order, option, collection)
    if not filling.taken:
        raise InputError("{file}: is empty", file=option)
    if not filling.there.any():
        raise InputError(
            "{file}: has a vector for none of the {n:,} documents; the first name there is "
            "{first!r}, theirs {own!r}",
            file=option,
            n=n,
            first=filling.first,
            own=collection.ids[0],
        )
    return filling.matrix


def read_cells(cells: Iterable[tuple[str, object]], column: str, collection: Collection) -> Floats:
    """Vectors of a column of the documents' own table; a document goes by where its row stands."""
    option = Setting("embeddings", column)
    places = {source: i for i, source in enumerate(collection.sources)}
    filling = _Filling(option, places, len(collection))
    for source, cell in cells:
        if source in places:
            filling.add([source], [_unpacked(cell, _at(option, source))])
    if not filling.there.any():
        text = "{file}: the column has no vector for any of the documents read"
        raise InputError(text, file=option)
    return filling.matrix


def _in_order(parts: list[Any], option: Setting, collection: Collection) -> Floats:
    from comraf.graph import as_embeddings

    # a row of zeros: no neighbours, and nobody's
    if isinstance(parts[0], list):
        rows = [row for part in parts for row in part]
        width = len(next((row for row in rows if row is not None), ()))
        parts = [[np.zeros(width, np.float32) if row is None else row for row in rows]]
    matrix = as_embeddings(parts[0], option)
    n = len(collection)
    if len(matrix) == n:
        return matrix
    lost = [
        f"{count:,} {what}"
        for count, what in (
            (collection.n_skipped, "skipped"),
            (collection.duplicates, "second copies dropped"),
        )
        if count
    ]
    why = f" ({', '.join(lost)})" if lost else ""
    raise InputError(
        "{file}: has {rows:,} rows, but {n:,} documents were read{why}; give a .npz file with the "
        "arrays 'id' and 'embedding', and rows are matched by name",
        file=option,
        rows=len(matrix),
        n=n,
        why=why,
    )


def _name(given: Any) -> str:
    """A document's name, as collections write it."""
    if isinstance(given, bytes):
        return given.decode("utf-8", "replace")
    if isinstance(given, (float, np.floating)) and math.isfinite(given) and given == int(given):
        return str(int(given))  # whole numbers among which one was missing
    return str(given)


def _numbers(vector: Any, where: Message) -> Floats:
    try:
        with np.errstate(over="ignore"):
            row = np.asarray(vector, np.float32)
    except (TypeError, ValueError) as error:
        text = "{where} has no list of numbers ({error})"
        raise InputError(text, where=where, error=error) from None
    if row.ndim != 1 or not len(row):
        text = "{where} has no list of numbers, but something of shape {shape}"
        raise InputError(text, where=where, shape=str(row.shape))
    if not np.isfinite(row).all():
        raise InputError(
            "{where} has a number that is not finite in single precision; leave the vector out if "
            "there is none",
            where=where,
        )
    return row


def _unpacked(cell: Any, where: Message) -> Any:
    """The numbers of a cell; text has them as JSON. None where it is empty."""
    if isinstance(cell, str):
        if not cell.strip():
            return None
        text = cell
        try:
            cell = json.loads(text)
        except (ValueError, RecursionError):
            raise InputError(
                "{where} holds {text!r}, which is no list of numbers such as [0.1, -0.2]",
                where=where,
                text=text[:_SHOWN],
            ) from None
    if isinstance(cell, Mapping):  # as Semantic Scholar has it: {"model": ..., "vector": [...]}
        cell = next((cell[name] for name in _VECTORS if name in cell), cell)
    if cell is None:
        return None
    if not hasattr(cell, "__len__") or isinstance(cell, (Mapping, bytes, str)):
        kind = type(cell).__name__
        raise InputError("{where} holds a {kind}, no list of numbers", where=where, kind=kind)
    return cell


def _chunks(path: Path, option: Setting) -> Iterator[_Chunk]:
    """Names, where the file has them, and vectors, a part of the file at a time."""
    ending = path.suffix.lower()
    if ending == ".parquet":
        return _parquet(path, option)
    if ending in (".jsonl", ".ndjson"):
        return _lines(path, option)
    if ending == ".npz":
        return _arrays(path, option)
    return iter([(None, path)])  # type: ignore[list-item]  # read where it is checked


def _columns(names: Iterable[str], where: Setting | Message, what: str) -> tuple[str | None, str]:
    """Which column, or array, has the names, and which the vectors."""
    named = {name.lower(): name for name in names}
    ids = next((named[name] for name in _IDS if name in named), None)
    vectors = next((named[name] for name in _VECTORS if name in named), None)
    if vectors is None:
        if len(named) == 1 and ids is None:
            return None, next(iter(named.values()))
        shown = ", ".join(map(repr, list(named.values())[:_MOST_NAMED])) or "none"
        raise InputError(
            "{where}: no {what} is called 'embedding' (there: {shown}); call the vectors "
            "'embedding' and the documents' names 'id'",
            where=where,
            what=what,
            shown=shown,
        )
    return ids, vectors


def _arrays(path: Path, option: Setting) -> Iterator[_Chunk]:
    from comraf.collection.tables.arrays import open_npz

    with open_npz(path, Budget(str(path))) as arrays:
        wanted, vectors = _columns(arrays.members, option, "array")
        names = None if wanted is None else arrays.strings(wanted)
        matrix = arrays.matrix(vectors)
    if names is not None and len(names) != len(matrix):
        text = "{file}: has {names:,} names for {vectors:,} vectors"
        raise InputError(text, file=option, names=len(names), vectors=len(matrix))
    yield None if names is None else names.tolist(), matrix


def _parquet(path: Path, option: Setting) -> Iterator[_Chunk]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    budget = Budget(str(path))
    try:
        with pq.ParquetFile(path) as file:
            ids, vectors = _columns(file.schema_arrow.names, option, "column")
            meta = file.metadata
            for group in range(meta.num_row_groups):
                size = max(0, meta.row_group(group).total_byte_size)
                budget.check(2.0 * size, f"row group {group} of the file")
            wanted = [vectors] if ids is None else [ids, vectors]
            before = 0
            for batch in file.iter_batches(batch_size=_ROWS, columns=wanted):
                names = None if ids is None else batch.column(ids).to_pylist()
                yield names, _of_arrow(batch.column(vectors), option, before)
                before += len(batch)
    except pa.ArrowException as error:
        raise ReadError("{file}: can't be read ({error})", file=option, error=error) from error


def _of_arrow(column: Any, option: Setting, before: int) -> list[Any]:
    """Vectors of a batch; lists of numbers never become objects one by one."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_struct(kind):
        inner = [field.name for field in kind]
        part = next((name for name in _VECTORS if name in inner), None)
        if part is not None:
            return _of_arrow(column.field(part), option, before)
    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    if any(is_list(kind) for is_list in lists) and (
        pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type)
    ):
        numbers = column.flatten().to_numpy(zero_copy_only=False)
        there = ~column.is_null().to_numpy(zero_copy_only=False)
        lengths = np.where(there, column.value_lengths().fill_null(0).to_numpy(False), 0)
        ends = np.cumsum(lengths)
        return [
            numbers[end - length : end] if known else None
            for end, length, known in zip(ends, lengths, there, strict=True)
        ]
    return [
        _unpacked(cell, _at(option, f"row {before + row}"))
        for row, cell in enumerate(column.to_pylist(), 1)
    ]


def _lines(path: Path, option: Setting) -> Iterator[_Chunk]:
    wanted: tuple[str | None, str] | None = None
    names: list[Any] = []
    vectors: list[Any] = []
    # some programs begin a file with a mark of its byte order
    with open(path, encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            where = _at(option, f"row {number}")
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                text = "{where} is no JSON ({error})"
                raise ReadError(text, where=where, error=error) from None
            if not isinstance(row, dict):
                raise InputError("{where} is no object with names", where=where)
            if wanted is None:
                wanted = _columns(row, where, "field")
            ids, column = wanted
            if column not in row or (ids is not None and ids not in row):
                lost = column if column not in row else ids
                text = "{where} has no {lost!r}; the rows before it have one"
                raise InputError(text, where=where, lost=lost)
            names.append(None if ids is None else row[ids])
            vector = _unpacked(row[column], where)
            vectors.append(None if vector is None else _numbers(vector, where))
            if len(vectors) == _ROWS:
                yield (None if ids is None else names), vectors
                names, vectors = [], []
    if vectors:
        yield (None if wanted is None or wanted[0] is None else names), vectors
