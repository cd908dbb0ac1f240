"""Neighbours of embeddings on the command line: from files or a model to a side."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.errors import InputError, MissingExtraError, ReadError

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.collection.readers.tabular import TabularReader
    from comraf.graph import NeighbourTable

__all__ = [
    "FOLDER",
    "CopyOption",
    "EmbeddingModelOption",
    "EmbeddingsOption",
    "Near",
    "NeighboursOption",
    "SecondCopy",
    "known_neighbours",
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
        "with rows in the order of the documents; .npz, .parquet or .jsonl with the "
        "documents' names (id) and vectors (embedding); or the column of a table that has them.",
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


class SecondCopy(StrEnum):
    """What the documents are that others are near to."""

    observed = "observed"
    tied = "tied"


CopyOption = Annotated[
    SecondCopy | None,
    typer.Option(
        "--neighbours-copy",
        help="observed: documents belong together that have the same neighbours (default); tied: "
        "whose neighbours are in the same groups.",
        show_default=False,
    ),
]

#: Where an answer keeps its neighbours.
FOLDER = "neighbours"
_TABLE = "table.npz"
_VECTORS_FILE = "vectors.npy"
_ABOUT = "about.json"
_DEFAULT = 15
_MOST_NAMED = 20
_SHOWN = 40
_IDS = ("id", "ids", "item", "items", "name", "key")
_VECTORS = ("embedding", "embeddings", "vector", "vectors")


@dataclass(frozen=True)
class Near:
    """What was asked for about neighbours."""

    embeddings: Path | None = None
    model: Path | None = None
    n_neighbors: int | None = None
    copy: SecondCopy | None = None

    def __bool__(self) -> bool:
        return self.embeddings is not None or self.model is not None

    def check(self, path: Path | None = None) -> Near:
        """Refuse what can't be meant, before anything is read from ``path``."""
        if self.embeddings is not None and self.model is not None:
            raise InputError(
                "--embeddings has the vectors and --embedding-model makes them; give one of them"
            )
        for option, given in (
            ("--neighbours", self.n_neighbors),
            ("--neighbours-copy", self.copy),
        ):
            if given is not None and not self:
                raise InputError(
                    f"{option} is about embeddings; give these with --embeddings FILE or "
                    "--embedding-model FOLDER"
                )
        if self.embeddings is not None and not self.embeddings.is_file():
            if path is None or path.suffix.lower() not in _tables():
                raise ReadError(f"--embeddings {self.embeddings}: there is no such file")
            names = _reader(path, {}).names
            if str(self.embeddings) not in names:
                raise ReadError(
                    f"--embeddings {self.embeddings}: there is no such file, and no such column "
                    f"of {path.name}: {', '.join(names[:_MOST_NAMED])}"
                )
        if self.model is not None and not self.model.is_dir():
            raise ReadError(
                f"--embedding-model {self.model}: there is no such folder; nothing is downloaded"
            )
        return self

    def join(
        self, collection: Collection, say: Callable[[str], None], path: Path | None = None
    ) -> Collection:
        """The collection, read from ``path``, with its neighbours, if they were asked for."""
        if not self:
            return collection
        from comraf.collection.neighbours import with_neighbours
        from comraf.graph import neighbour_table

        vectors = self.vectors(collection, say, path)
        say("looking for neighbours")
        table = neighbour_table(
            vectors,
            self.n_neighbors or _DEFAULT,
            copy=(self.copy or SecondCopy.observed).value,
        )
        return with_neighbours(collection, table, vectors)

    def among(
        self,
        collection: Collection,
        folder: Path,
        say: Callable[[str], None],
        path: Path | None = None,
    ) -> Any:
        """New documents x the documents of an answer: which of these each is near to."""
        from comraf.graph import neighbours_among

        known, about = known_neighbours(folder)
        if known is None:
            raise ReadError(
                f"{folder}: the embeddings of its documents are not kept there, so new documents "
                "have no neighbours; leave --embeddings and --embedding-model out, or give MODEL "
                "as organize wrote it"
            )
        vectors = self.vectors(collection, say, path)
        say("looking for neighbours")
        return neighbours_among(vectors, known, about.get("n_neighbors", _DEFAULT))

    def vectors(
        self, collection: Collection, say: Callable[[str], None], path: Path | None = None
    ) -> Any:
        """One vector for each document of a collection, read or made."""
        if self.embeddings is not None:
            say("reading embeddings")
            if not self.embeddings.is_file() and path is not None:
                return _of_table(path, str(self.embeddings), collection)
            return read_embeddings(self.embeddings, collection)
        from comraf.collection.embedding import open_model

        model = open_model(self.model or "")
        say("making embeddings")
        n = len(collection)
        return model.embed(
            _contents(collection),
            listener=lambda share: say(f"making embeddings: {round(share * n):,} of {n:,}"),
        )


def _tables() -> tuple[str, ...]:
    from comraf.collection.readers.tabular import FORMATS

    return tuple(ending for endings in FORMATS.values() for ending in endings)


def _reader(path: Path, options: dict[str, Any]) -> TabularReader:
    from comraf.collection.readers.tabular import TabularReader

    return TabularReader(path, **options)


def _of_table(path: Path, column: str, collection: Collection) -> Any:
    """A column of the documents' own table; a document goes by where its row stands."""
    import numpy as np

    from comraf.graph import as_embeddings

    option = f"--embeddings {column}"
    wanted = {source: i for i, source in enumerate(collection.sources)}
    found: dict[int, Any] = {}
    for source, cell in _reader(path, {}).cells(column):
        if source in wanted and (vector := _vector(cell, option, source)) is not None:
            found[wanted[source]] = vector
    if not found:
        raise InputError(f"{option}: the column has no vector for any of the documents read")
    known = as_embeddings(list(found.values()), option)
    # a row of zeros: no neighbours, and nobody's
    out = np.zeros((len(collection), known.shape[1]), np.float32)
    out[list(found)] = known
    return out


def _vector(cell: object, option: str, source: str) -> Any:
    """The numbers of a cell; a cell of text has them as JSON. None where it is empty."""
    if isinstance(cell, str):
        if not cell.strip():
            return None
        text = cell
        try:
            cell = json.loads(text)
        except (ValueError, RecursionError):
            raise InputError(
                f"{option}: {source} holds {text[:_SHOWN]!r}, which is no list of numbers such as "
                "[0.1, -0.2]"
            ) from None
    if cell is None:
        return None
    if not hasattr(cell, "__len__") or isinstance(cell, (dict, bytes)):
        raise InputError(f"{option}: {source} holds a {type(cell).__name__}, no list of numbers")
    return cell


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


def save_neighbours(table: Any, folder: Path, vectors: Any = None) -> None:
    """Write a table of neighbours into a folder, with the embeddings that place new documents.

    These have unit length and half precision: enough to tell who is near.
    """
    import numpy as np
    import scipy.sparse as sp

    from comraf.graph import TiedTable

    folder.mkdir(parents=True, exist_ok=True)
    sp.save_npz(folder / _TABLE, sp.csr_array(table))
    most = int(np.diff(sp.csr_array(table).indptr).max(initial=1))
    about = {"copy": "tied" if isinstance(table, TiedTable) else "observed", "n_neighbors": most}
    (folder / _ABOUT).write_text(json.dumps(about) + "\n", encoding="utf-8")
    if vectors is not None:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = vectors / np.where(lengths > 0, lengths, 1)
        np.save(folder / _VECTORS_FILE, unit.astype(np.float16), allow_pickle=False)


def read_neighbours(folder: Path) -> NeighbourTable | None:
    """The neighbours that an answer was made by; None where there are none."""
    import zipfile

    import scipy.sparse as sp

    from comraf.graph import NeighbourTable, TiedTable, as_csr

    path = folder / FOLDER / _TABLE
    if not path.is_file():
        return None
    kind = TiedTable if _about(folder).get("copy") == "tied" else NeighbourTable
    try:
        return kind(as_csr(sp.load_npz(path), "the table of neighbours"))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ReadError(f"{path}: the neighbours can't be read ({error})") from error


def known_neighbours(folder: Path) -> tuple[Any, dict[str, Any]]:
    """Embeddings of an answer's documents, None where they are not kept, and how it used them."""
    from comraf.graph import as_embeddings

    path = folder / FOLDER / _VECTORS_FILE
    return (as_embeddings(path) if path.is_file() else None), _about(folder)


def _about(folder: Path) -> dict[str, Any]:
    path = folder / FOLDER / _ABOUT
    if not path.is_file():  # made before copies could be tied
        return {}
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ReadError(f"{path}: can't be read ({error})") from error
    most = about.get("n_neighbors") if isinstance(about, dict) else None
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise ReadError(f"{path}: is damaged")
    return dict(about)
