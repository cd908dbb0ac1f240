"""Archives of papers as sparse tables: words and citations of Cora, CiteSeer and their like.

A NumPy ``.npz`` file with ``attr_*`` (documents x words) and ``adj_*`` (documents x documents) in
CSR form (``data``, ``indices``, ``indptr``, ``shape``), and possibly ``labels``, ``class_names``,
``node_names``, ``attr_names``. Sizes are checked before anything is taken; pickled objects are
never opened.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.collection.items import Item, Skip, Unit, digest_of, distinct
from comraf.collection.kinds import Kind
from comraf.collection.readers.charsets import clean_line
from comraf.collection.readers.files import FileReader
from comraf.collection.readers.limits import Budget, most_unpacked
from comraf.collection.tables.arrays import open_npz
from comraf.errors import ComrafError, InputError, ReadError
from comraf.parameters import check_choice

# The same arrays go by several names.
_WORDS = ("attr_", "attr_matrix.", "attr_matrix_", "attrs_")
_LINKS = ("adj_", "adj_matrix.", "adj_matrix_")
_PARTS = ("data", "indices", "indptr", "shape")
_NODES = ("node_names", "node_ids", "names", "titles", "idx_to_node")
_TERMS = ("attr_names", "attribute_names", "words", "vocabulary", "idx_to_attr")
_CLASSES = ("class_names", "idx_to_class")
_NO_WORD = re.compile(r"[\W_]+")
_SPOKEN = {ord("+"): "plus", ord("#"): "sharp", ord("&"): "and", ord("%"): "percent"}
# A count is told by saying the word as often; a count beyond this says nothing more.
_MOST_TIMES = 100
# Words and characters of one document that are kept.
_MOST_WORDS = 1_000_000
MAX_TEXT = 8 << 20


def is_csr(path: str | os.PathLike[str]) -> bool:
    """Tell by the names of its arrays whether a file is such an archive.

    Examples
    --------
    >>> is_csr("nowhere.npz")
    False
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.removesuffix(".npy") for name in archive.namelist()}
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return False
    return _prefix(names, _WORDS) is not None or _prefix(names, _LINKS) is not None


def _prefix(names: set[str], prefixes: tuple[str, ...]) -> str | None:
    return next((p for p in prefixes if all(p + part in names for part in _PARTS)), None)


class CsrReader(FileReader):
    r"""Words and citations of papers in a ``.npz`` archive of CSR tables.

    A document's text is its words, by their names, or as ``word12`` where the archive has
    none. Its side ``citations`` holds the documents that it is linked to. Its class is the
    truth, for scoring only.

    Parameters
    ----------
    path : path-like
        The file.
    links : {"both", "cited", "citing"}
        Which documents count as a document's citations: those that it cites, those that cite
        it, or both. In a small collection most papers that are cited lie outside, and both
        together say most.
    truth : {"labels", ""}
        "" leaves the classes out.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "papers.npz")
    ...     words, links = sp.csr_array([[1, 0], [1, 2]]), sp.csr_array([[0, 1], [0, 0]])
    ...     parts = {"attr": words, "adj": links}
    ...     arrays = {f"{n}_{p}": getattr(t, p) for n, t in parts.items()
    ...               for p in ("data", "indices", "indptr", "shape")}
    ...     np.savez(file, labels=[0, 1], class_names=["pumps", "valves"], **arrays)
    ...     reader = CsrReader(file)
    ...     items = [item for unit in reader.scan() for item in reader.read(unit)]
    >>> [(item.text, item.truth) for item in items], items[0].values
    ([('word0', 'pumps'), ('word0 word1 word1', 'valves')], {'citations': ('1',)})
    """

    kind = "csr"

    def __init__(
        self, path: str | os.PathLike[str], *, links: str = "both", truth: str = "labels"
    ) -> None:
        check_choice("links", links, ("both", "cited", "citing"))
        if truth:
            check_choice("truth", truth, ("labels",))
        super().__init__(path)
        self.links = links
        self.truth = truth
        if not is_csr(self.path):
            raise ReadError(
                f"{self.root!r} is no archive of CSR tables: it needs the arrays attr_data, "
                "attr_indices, attr_indptr, attr_shape (words) or the same with adj_ (citations)."
            )

    def scan(self) -> list[Unit]:
        """The file is read as one; opening it here shows damage before the work starts."""
        self.renew()
        archive = _Archive(self.path)
        self.notes += archive.notes
        return self.whole()

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the documents."""
        name = self.source(unit)
        try:
            archive = _Archive(self.path)
        except ComrafError as error:
            yield Skip(name, str(error)[:300])
            return
        cited = archive.cited(self.links)
        names = archive.names
        left = most_unpacked(os.path.getsize(self.path))
        for row in range(archive.n):
            source = f"{name}:{row}"
            text = archive.text(row)
            left -= len(text)
            if left < 0:
                yield Skip(source, "its texts are far longer than the file: the rest is left out")
                return
            values: dict[str, tuple[str, ...]] = {}
            if cited is not None:
                others = cited.indices[cited.indptr[row] : cited.indptr[row + 1]]
                if linked := tuple(names[i] for i in others if i != row):
                    values["citations"] = linked
            if not text and not values:
                yield Skip(source, "no words and no citations")
                continue
            yield Item(
                id=names[row],
                text=text,
                source=source,
                values=values,
                truth=archive.truth(row) if self.truth else None,
                # papers of equal words are no copies of each other
                digest=digest_of(names[row], text),
            )


class _Archive:
    """The tables and names of one file, checked."""

    def __init__(self, path: Any) -> None:
        self.notes: list[str] = []
        with open_npz(path, Budget(str(path))) as found:
            known = set(found.members)
            tables: dict[str, sp.csr_array | None] = {}
            for what, prefixes in (("words", _WORDS), ("links", _LINKS)):
                prefix = _prefix(known, prefixes)
                tables[what] = None if prefix is None else found.csr(prefix)
            self.words, self.links = tables["words"], tables["links"]
            self.n = next(t.shape[0] for t in tables.values() if t is not None)
            arrays: dict[str, npt.NDArray[Any]] = {}
            for name in (*_NODES, *_TERMS, *_CLASSES, "labels"):
                if name in known:
                    try:
                        arrays[name] = found.strings(name)
                    except InputError as error:
                        self.notes.append(f"{name} is left out: {error}")
        self._check(str(path))
        self.names = distinct(self._strings(arrays, _NODES, self.n) or map(str, range(self.n)))
        n_words = 0 if self.words is None else self.words.shape[1]
        terms = self._strings(arrays, _TERMS, n_words)
        if terms is None and n_words:
            self.notes.append("the archive has no word strings: words are called word0, word1 ...")
        self._terms = [f"word{i}" for i in range(n_words)] if terms is None else _as_words(terms)
        self._labels = arrays.get("labels")
        if self._labels is not None and self._labels.shape != (self.n,):
            self.notes.append("labels are left out: there is not one for each document")
            self._labels = None
        self._classes = self._strings(arrays, _CLASSES, None)
        if self.words is not None and self.words.nnz and self.words.dtype.kind == "f":
            self.notes.append("words have weights that are no counts: each word counts once")

    def _check(self, path: str) -> None:
        links = self.links
        if links is not None and links.shape != (self.n, self.n):
            raise ReadError(
                f"{path}: citations of shape {links.shape}, but there are {self.n} documents"
            )
        if self.words is not None and self.words.shape[0] != self.n:
            raise ReadError(f"{path}: words of {self.words.shape[0]} documents, {self.n} expected")

    def _strings(
        self, arrays: Mapping[str, npt.NDArray[Any]], names: tuple[str, ...], n: int | None
    ) -> list[str] | None:
        for name in names:
            found = arrays.get(name)
            if found is None or found.ndim != 1:
                continue
            if n is not None and len(found) != n:
                self.notes.append(f"{name} is left out: {len(found)} names for {n}")
                continue
            return [clean_line(_string(value))[:300] for value in found.tolist()]
        return None

    def text(self, row: int) -> str:
        """The words of a document, each as often as it is counted."""
        if self.words is None:
            return ""
        begin, end = self.words.indptr[row], self.words.indptr[row + 1]
        ids = self.words.indices[begin:end].tolist()
        if self.words.dtype.kind == "f":
            return " ".join(self._terms[i] for i in ids)[:MAX_TEXT]
        counts = np.minimum(self.words.data[begin:end], _MOST_TIMES).tolist()
        said = (self._terms[i] for i, times in zip(ids, counts, strict=True) for _ in range(times))
        return " ".join(islice(said, _MOST_WORDS))[:MAX_TEXT]

    def cited(self, links: str) -> sp.csr_array | None:
        """Which documents belong to each as its citations."""
        if self.links is None:
            return None
        there = sp.csr_array(self.links != 0)
        if links == "cited":
            return there
        back = sp.csr_array(there.T)
        return back if links == "citing" else sp.csr_array(there + back)

    def truth(self, row: int) -> str | None:
        """The name of a document's class."""
        if self._labels is None:
            return None
        label = self._labels[row]
        if self._labels.dtype.kind in "iu":
            number = int(label)
            if number < 0:
                return None
            if self._classes is not None and number < len(self._classes):
                return self._classes[number] or str(number)
            return str(number)
        return clean_line(_string(label.item()))[:300] or None


def _string(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _as_words(terms: list[str]) -> list[str]:
    """Terms as words that stay whole and apart when a text is cut into words: c++ and c."""
    spelled = [_NO_WORD.sub("", term.translate(_SPOKEN)) for term in terms]
    # of several that would be one word, the term that is that word keeps it
    owners: dict[str, int] = {}
    for i, (word, term) in enumerate(zip(spelled, terms, strict=True)):
        key = word.casefold()
        if key not in owners or (word == term and spelled[owners[key]] != terms[owners[key]]):
            owners[key] = i
    return [
        word if word and owners[word.casefold()] == i else f"{word}word{i}"
        for i, word in enumerate(spelled)
    ]


CSR = Kind(
    "csr",
    "archives of counts",
    CsrReader,
    noun="record",
    recognise=lambda look: not look.folder and look.ending == ".npz" and is_csr(look.path),
    binary=True,
    many=True,
    zipped=True,
    counted=True,
)
