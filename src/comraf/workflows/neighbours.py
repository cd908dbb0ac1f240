"""Neighbours as a side: by embeddings from files or a model, or by how photos look."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from comraf.collection.sides import NEIGHBOURS
from comraf.errors import ComrafWarning, InputError, Note, Parameter, ReadError, Setting
from comraf.workflows.naming import noun_of
from comraf.workflows.options import Option

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.graph import NeighbourTable
    from comraf.images import Looks

__all__ = [
    "FEWEST_PHOTOS",
    "FOLDER",
    "MOST_PHOTOS",
    "Embeddings",
    "NeighbourRequest",
    "Neighbours",
    "known_looks",
    "known_neighbours",
    "neighbour_weight",
    "read_neighbours",
    "save_neighbours",
]


@dataclass(frozen=True, kw_only=True)
class Embeddings:
    """Where the embeddings of documents come from.

    Parameters
    ----------
    embeddings : path-like
        Embeddings of the documents: their nearest neighbours become a side. A .npy matrix with rows
        in the order of the documents; .npz, .parquet or .jsonl with the documents' names (id) and
        vectors (embedding); or the column of a table that has them.
    embedding_model : path-like
        Make the embeddings with a sentence model (of the BERT kind, such as MiniLM) that lies in
        this folder. Nothing is downloaded.
    """

    embeddings: Annotated[Path | None, Option(metavar="FILE")] = None
    embedding_model: Annotated[Path | None, Option(metavar="FOLDER")] = None


@dataclass(frozen=True, kw_only=True)
class Neighbours(Embeddings):
    """Which documents, or photos, are near each other.

    Parameters
    ----------
    neighbours : int
        Neighbours of each document, by `embeddings` or `embedding_model`; of photos, by how they
        look. Default: 15.
    neighbours_copy : {"observed", "tied"}
        observed: documents belong together that have the same neighbours (default); tied: whose
        neighbours are in the same groups.
    """

    neighbours: Annotated[int | None, Option(metavar="N", least=1)] = None
    neighbours_copy: Literal["observed", "tied"] | None = None


#: Where an answer keeps its neighbours.
FOLDER = "neighbours"
_TABLE = "table.npz"
_VECTORS_FILE = "vectors.npy"
_ABOUT = "about.json"
_DEFAULT = 15
_MOST_NAMED = 20
# Photos, and how many of them have neighbours unless told otherwise: of fewer most would be
# near to all; of more, time grows with their square, and 50,000 need a gigabyte more.
FEWEST_PHOTOS, MOST_PHOTOS = 30, 20_000


@dataclass(frozen=True)
class NeighbourRequest:
    """What was asked for about neighbours."""

    embeddings: Path | None = None
    model: Path | None = None
    n_neighbors: int | None = None
    copy: str | None = None

    @classmethod
    def of(cls, options: Embeddings) -> NeighbourRequest:
        """What options say about neighbours."""
        given, model = options.embeddings, options.embedding_model
        return cls(
            None if given is None else Path(given),
            None if model is None else Path(model),
            getattr(options, "neighbours", None),
            getattr(options, "neighbours_copy", None),
        )

    def __bool__(self) -> bool:
        return self.embeddings is not None or self.model is not None

    def check(self, path: Path | None = None, by: Sequence[str] | None = None) -> NeighbourRequest:
        """Refuse what can't be meant, before anything is read from ``path``."""
        named = self._named()
        if self:
            named = [Parameter("embeddings" if self.model is None else "embedding_model")]
        if named and by is not None and NEIGHBOURS not in by:
            raise InputError(
                "{name} {does} the side {side}, which {given} doesn't use; add it, {more}, or "
                "leave {name} out",
                "by",
                by,
                name=named[0],
                does="makes" if self else "is about",
                side=NEIGHBOURS,
                more=Setting("by", [*by, NEIGHBOURS]),
            )
        # a folder may have photos
        if named and not self and (path is None or not path.is_dir()):
            raise _about_embeddings(named[0])
        if self.embeddings is not None and self.model is not None:
            raise InputError(
                "{p[embeddings]} has the vectors and {p[embedding_model]} makes them; give one of "
                "them",
                "embeddings",
                self.embeddings,
            )
        if self.embeddings is not None and not self.embeddings.is_file():
            from comraf.collection.readers.tabular import FORMATS, TabularReader

            if path is None or path.suffix.lower() not in chain(*FORMATS.values()):
                raise ReadError("{given}: there is no such file", "embeddings", self.embeddings)
            names = TabularReader(path).names
            if str(self.embeddings) not in names:
                raise ReadError(
                    "{given}: there is no such file, and no such column of {name}: {names:,}",
                    "embeddings",
                    self.embeddings,
                    name=path.name,
                    names=names[:_MOST_NAMED],
                )
        if self.model is not None and not self.model.is_dir():
            text = "{given}: there is no such folder; nothing is downloaded"
            raise ReadError(text, "embedding_model", self.model)
        return self

    def _named(self) -> list[Parameter]:
        """What was said about how neighbours are found."""
        given = {"neighbours": self.n_neighbors, "neighbours_copy": self.copy}
        return [Parameter(name) for name, value in given.items() if value is not None]

    def join(
        self,
        collection: Collection,
        say: Callable[[str], None],
        path: Path | None = None,
        by: Sequence[str] | None = None,
    ) -> Collection:
        """The collection, read from ``path``, with its neighbours.

        By embeddings, if they were asked for; photos have some by how they look, unless ``by``
        names other sides.
        """
        if not self:
            return self._by_looks(collection, say, by)
        from comraf.collection.sides.neighbours import with_neighbours
        from comraf.graph import neighbour_table

        vectors = self.vectors(collection, say, path)
        notes = [*self._without_column(collection.notes), *_lacking(vectors)]
        notes += self._too_many(collection)
        say("looking for neighbours")
        table = neighbour_table(vectors, self.n_neighbors or _DEFAULT, copy=self.copy or "observed")
        return with_neighbours(collection, table, vectors, notes)

    def _by_looks(
        self, collection: Collection, say: Callable[[str], None], by: Sequence[str] | None
    ) -> Collection:
        """Photos with those that look alike; all else as it is."""
        said, photos = self._named(), collection.photos
        if photos is None:
            if said:
                raise _about_embeddings(said[0])
            return collection
        if by is not None and NEIGHBOURS not in by:
            return collection
        asked = bool(said) or by is not None
        n = len(collection)
        if not asked and not FEWEST_PHOTOS <= n <= MOST_PHOTOS:
            if n > MOST_PHOTOS:
                warnings.warn(
                    ComrafWarning(
                        "which of {n:,} photos look alike takes long to find out, and was left "
                        "out; {given} finds it all the same",
                        "neighbours",
                        _DEFAULT,
                        n=n,
                    ),
                    stacklevel=2,
                )
            return collection
        from comraf.collection.sides.neighbours import with_neighbours
        from comraf.images import PHOTO_WEIGHTS, photo_vectors

        doing = "looking for photos that look alike"
        say(doing)
        looks = photo_vectors(photos, self.n_neighbors or _DEFAULT)
        if (looks.vectors == looks.vectors[0]).all():
            if asked:
                raise InputError("all photos look the same, so none is nearer than others")
            return collection
        table = looks.table(
            copy=self.copy or "observed",
            listener=lambda share: say(f"{doing}: {round(share * n):,} of {n:,}"),
        )
        notes = [*collection.notes, *self._too_many(collection)]
        return with_neighbours(collection, table, looks, notes, PHOTO_WEIGHTS[NEIGHBOURS])

    def _too_many(self, collection: Collection) -> list[str]:
        """A word on more neighbours than there are."""
        most = len(collection) - 1
        if self.n_neighbors is None or not self.n_neighbors > most >= 1:
            return []
        text = (
            "{given} is more than there are: each {noun} has {most:,}, all the "
            "others, which tells none apart; ask for fewer"
        )
        given = Setting("neighbours", self.n_neighbors)
        noun = noun_of(collection)
        about = {"given": given, "n": self.n_neighbors, "noun": noun, "most": most}
        return [Note(text, "many_neighbours", **about)]

    def _without_column(self, notes: Sequence[str]) -> list[str]:
        """A collection's notes: the column of the embeddings is not left out."""
        from comraf.collection.readers.tabular_columns import COLUMNS_LEFT_OUT, columns_left_out

        if self.embeddings is None or self.embeddings.is_file():
            return list(notes)
        out: list[str] = []
        for note in notes:
            if isinstance(note, Note) and note.code == COLUMNS_LEFT_OUT:
                names = note.values.get("names", ())
                left = [name for name in names if name != str(self.embeddings)]
                out += [columns_left_out(left, note.values.get("why", ""))] if left else []
            else:
                out.append(note)
        return out

    def among(
        self,
        collection: Collection,
        folder: Path,
        say: Callable[[str], None],
        path: Path | None = None,
    ) -> Any:
        """New documents x the documents of an answer: which of these each is near to."""
        from comraf.graph import neighbours_among

        if known_looks(folder) is not None:
            raise InputError(
                "{folder}: photos were found to be near by how they look, and so are new ones; "
                "leave {p[embeddings]} and {p[embedding_model]} out",
                folder=folder,
            )
        known, about = known_neighbours(folder)
        if known is None:
            raise ReadError(
                "{folder}: the embeddings of its documents are not kept there, so new documents "
                "have no neighbours; leave {p[embeddings]} and {p[embedding_model]} out, or give "
                "{p[model]} as organize wrote it",
                folder=folder,
            )
        vectors = self.vectors(collection, say, path)
        for note in _lacking(vectors):
            warnings.warn(note, ComrafWarning, stacklevel=2)
        say("looking for neighbours")
        return neighbours_among(vectors, known, about.get("n_neighbors", _DEFAULT))

    def vectors(
        self, collection: Collection, say: Callable[[str], None], path: Path | None = None
    ) -> Any:
        """One vector for each document of a collection, read or made."""
        if self.embeddings is not None:
            from comraf.collection.readers.tabular import TabularReader
            from comraf.workflows.vectors import read_cells, read_embeddings

            say("reading embeddings")
            if not self.embeddings.is_file() and path is not None:
                column = str(self.embeddings)
                return read_cells(TabularReader(path).cells(column), column, collection)
            return read_embeddings(self.embeddings, collection)
        from comraf.collection.embedding import open_model

        model = open_model(self.model or "")
        say("making embeddings")
        n = len(collection)
        return model.embed(
            _contents(collection),
            listener=lambda share: say(f"making embeddings: {round(share * n):,} of {n:,}"),
        )


def _about_embeddings(name: Parameter) -> InputError:
    return InputError(
        "{name} is about embeddings (or photos); give these with {vectors} or {model}",
        name=name,
        vectors=Setting("embeddings"),
        model=Setting("embedding_model"),
    )


def _lacking(vectors: Any) -> list[str]:
    """A word on documents that have no vector."""
    lost = int((~vectors.any(axis=1)).sum())
    if not lost:
        return []
    have = "has" if lost == 1 else "have"
    return [f"{lost:,} of {len(vectors):,} documents {have} no embedding, and so no neighbours"]


def _contents(collection: Collection) -> Any:
    texts = collection.texts(range(len(collection)))
    for title, text in zip(collection.titles, texts, strict=True):
        yield text if not title or text.startswith(title) else f"{title}\n\n{text}"


def save_neighbours(
    table: Any, folder: Path, vectors: Any = None, weight: float | None = None
) -> None:
    """Write a table of neighbours into a folder, with the embeddings that place new documents.

    These have unit length and half precision: enough to tell who is near. Looks of photos are
    written with their scale.
    """
    import numpy as np
    import scipy.sparse as sp

    from comraf.graph import TiedTable
    from comraf.images import Looks

    folder.mkdir(parents=True, exist_ok=True)
    sp.save_npz(folder / _TABLE, sp.csr_array(table))
    most = int(np.diff(sp.csr_array(table).indptr).max(initial=1))
    copy = "tied" if isinstance(table, TiedTable) else "observed"
    about: dict[str, Any] = {"copy": copy, "n_neighbors": most}
    if weight is not None:
        about["weight"] = weight
    if isinstance(vectors, Looks):
        about |= {"mean": vectors.mean.tolist(), "scale": vectors.scale.tolist()}
        vectors = vectors.vectors
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


def known_looks(folder: Path) -> Looks | None:
    """How an answer's photos look, for those that are new; None where they are not kept."""
    import numpy as np

    from comraf.images import Looks

    known, about = known_neighbours(folder)
    if known is None or "scale" not in about:
        return None
    try:
        mean, scale = (np.asarray(about.get(key), np.float32) for key in ("mean", "scale"))
        return Looks(known, mean, scale, about["n_neighbors"])
    except (TypeError, ValueError) as error:
        raise ReadError(f"{folder / FOLDER / _ABOUT}: is damaged: {error}") from error


def neighbour_weight(folder: Path) -> float | None:
    """What the neighbours of an answer weigh beside what else was measured, if they were."""
    weight = _about(folder).get("weight")
    if weight is None:
        return None
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < 1e6:
        raise ReadError(f"{folder / FOLDER / _ABOUT}: is damaged")
    return float(weight)


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
