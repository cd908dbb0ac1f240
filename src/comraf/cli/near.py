"""Neighbours of embeddings on the command line: from files or a model to a side."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.errors import InputError, MissingExtraError, ReadError

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.graph import NeighbourTable

__all__ = [
    "FOLDER",
    "EmbeddingModelOption",
    "EmbeddingsOption",
    "Near",
    "NeighboursOption",
    "read_embeddings",
    "read_neighbours",
    "save_neighbours",
]

EmbeddingsOption = Annotated[
    Path | None,
    typer.Option(
        "--embeddings",
        metavar="FILE",
        help="Embeddings of the documents: their nearest neighbours become a side. A .npy matrix "
        "with rows in the order of the documents; or .npz, .parquet or .jsonl with the "
        "documents' names (id) and vectors (embedding).",
        show_default=False,
    ),
]
EmbeddingModelOption = Annotated[
    Path | None,
    typer.Option(
        "--embedding-model",
        metavar="FOLDER",
        help="Make the embeddings with a sentence model (of the BERT kind, such as MiniLM) that "
        "lies in this folder. Nothing is downloaded.",
        show_default=False,
    ),
]
NeighboursOption = Annotated[
    int | None,
    typer.Option(
        "--neighbours",
        min=1,
        metavar="N",
        help="Neighbours of each document, by --embeddings or --embedding-model. Default: 15.",
        show_default=False,
    ),
]

#: Where an answer keeps its neighbours.
FOLDER = "neighbours"
_TABLE = "table.npz"
_DEFAULT = 15
_IDS = ("id", "ids", "item", "items", "name", "key")
_VECTORS = ("embedding", "embeddings", "vector", "vectors")


@dataclass(frozen=True)
class Near:
    """What was asked for about neighbours."""

    embeddings: Path | None = None
    model: Path | None = None
    n_neighbors: int | None = None

    def __bool__(self) -> bool:
        return self.embeddings is not None or self.model is not None

    def check(self) -> Near:
        """Refuse what can't be meant, before anything is read."""
        if self.embeddings is not None and self.model is not None:
            raise InputError(
                "--embeddings has the vectors and --embedding-model makes them; give one of them"
            )
        if self.n_neighbors is not None and not self:
            raise InputError(
                "--neighbours is about embeddings; give these with --embeddings FILE or "
                "--embedding-model FOLDER"
            )
        if self.embeddings is not None and not self.embeddings.is_file():
            raise ReadError(f"--embeddings {self.embeddings}: there is no such file")
        if self.model is not None and not self.model.is_dir():
            raise ReadError(
                f"--embedding-model {self.model}: there is no such folder; nothing is downloaded"
            )
        return self

    def join(self, collection: Collection, say: Callable[[str], None]) -> Collection:
        """The collection with its neighbours, if they were asked for."""
        if not self:
            return collection
        from comraf.collection.neighbours import with_neighbours
        from comraf.graph import neighbour_table

        if self.embeddings is not None:
            say("reading embeddings")
            vectors = read_embeddings(self.embeddings, collection)
        else:
            from comraf.collection.embedding import open_model

            model = open_model(self.model or "")
            say("making embeddings")
            n = len(collection)
            vectors = model.embed(
                _contents(collection),
                listener=lambda share: say(f"making embeddings: {round(share * n):,} of {n:,}"),
            )
        say("looking for neighbours")
        table = neighbour_table(vectors, self.n_neighbors or _DEFAULT)
        return with_neighbours(collection, table)


def _contents(collection: Collection) -> Any:
    texts = collection.texts(range(len(collection)))
    for title, text in zip(collection.titles, texts, strict=True):
        yield text if not title or text.startswith(title) else f"{title}\n\n{text}"


def read_embeddings(path: Path, collection: Collection) -> Any:
    """One vector for each document of a collection, from a file."""
    from comraf.graph import as_embeddings

    option = f"--embeddings {path}"
    ids, vectors = _parts(path)
    n = len(collection)
    if ids is None:
        matrix = as_embeddings(vectors, option)
        if len(matrix) != n:
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
                f"{option} has {len(matrix):,} rows, but {n:,} documents were read{why}; give a "
                ".npz file with the arrays 'ids' and 'embeddings', and rows are matched by name"
            )
        return matrix
    import numpy as np

    if len(ids) != len(vectors):
        raise InputError(f"{option} has {len(ids):,} names for {len(vectors):,} vectors")
    rows = {str(name): row for row, name in enumerate(ids)}
    at = np.array([rows.get(name, -1) for name in collection.ids])
    if not (at >= 0).any():
        raise InputError(
            f"{option} names none of the {n:,} documents; its first is {str(ids[0])!r}, theirs "
            f"{collection.ids[0]!r}"
            if len(ids)
            else f"{option} is empty"
        )
    known = as_embeddings(vectors, option)
    # a row of zeros: no neighbours, and nobody's
    return np.where((at >= 0)[:, None], known[at], np.float32(0))


def _parts(path: Path) -> tuple[Sequence[Any] | None, Any]:
    """Names, where the file has them, and vectors."""
    ending = path.suffix.lower()
    try:
        if ending == ".parquet":
            return _of_columns(path, _parquet(path))
        if ending in (".jsonl", ".ndjson"):
            return _of_columns(path, _lines(path))
        if ending == ".npz":
            return _of_columns(path, _arrays(path))
    except (OSError, ValueError, EOFError, RecursionError) as error:
        if isinstance(error, (InputError, ReadError)):
            raise
        raise ReadError(f"--embeddings {path}: can't be read ({error})") from error
    return None, path


def _of_columns(path: Path, columns: dict[str, Any]) -> tuple[Sequence[Any] | None, Any]:
    named = {name.lower(): name for name in columns}
    vectors = next((named[name] for name in _VECTORS if name in named), None)
    if vectors is None:
        raise InputError(
            f"--embeddings {path}: none of its columns {list(columns)} is called 'embedding'"
        )
    ids = next((named[name] for name in _IDS if name in named), None)
    return None if ids is None else list(columns[ids]), columns[vectors]


def _arrays(path: Path) -> dict[str, Any]:
    import zipfile

    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as arrays:
            wanted = [name for name in arrays.files if name.lower() in (*_IDS, *_VECTORS)]
            return {name: arrays[name] for name in wanted}
    except zipfile.BadZipFile as error:
        raise ReadError(f"--embeddings {path}: can't be read ({error})") from error


def _parquet(path: Path) -> dict[str, Any]:
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError('Parquet files need pip install "comraf[parquet]"') from error
    names = pq.read_schema(path).names
    wanted = [name for name in names if name.lower() in (*_IDS, *_VECTORS)]
    table = pq.read_table(path, columns=wanted)
    return {name: table.column(name).to_pylist() for name in wanted}


def _lines(path: Path) -> dict[str, Any]:
    columns: dict[str, list[Any]] = {}
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InputError(f"--embeddings {path}: row {number} is no object with names")
        for name, value in row.items():
            if name.lower() in (*_IDS, *_VECTORS):
                columns.setdefault(name, []).append(value)
    if any(len(column) != len(rows) for column in columns.values()):
        raise InputError(f"--embeddings {path}: some rows lack their id or embedding")
    return columns


def save_neighbours(table: Any, folder: Path) -> None:
    """Write a table of neighbours into a folder."""
    import scipy.sparse as sp

    folder.mkdir(parents=True, exist_ok=True)
    sp.save_npz(folder / _TABLE, sp.csr_array(table))


def read_neighbours(folder: Path) -> NeighbourTable | None:
    """The neighbours that an answer was made by; None where there are none."""
    import scipy.sparse as sp

    from comraf.graph import NeighbourTable, as_csr

    path = folder / FOLDER / _TABLE
    if not path.is_file():
        return None
    import zipfile

    try:
        return NeighbourTable(as_csr(sp.load_npz(path), "the table of neighbours"))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ReadError(f"{path}: the neighbours can't be read ({error})") from error
