"""Collections of Basu's thesis, ready to cluster, and the halves and links drawn from them.

Text is prepared as in its section 2.5: bodies of messages without headers and signatures, stop
words dropped, ``f log2(N / df)``, then words in fewer than 5 or in more than 95% of the documents
dropped, rows of unit length. A finished table is one ``.npz`` file of the cache, found by its name
alone: a machine that has the cache needs neither the raw collections nor their readers.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.harness import check, load_npz, raw_folder, save_npz, sparse_from, sparse_parts
from comraf.errors import InputError, ReadError

__all__ = [
    "DATASETS",
    "NEWS",
    "Table",
    "blobs",
    "body_text",
    "draw_pairs",
    "halves",
    "load",
    "neighbours",
    "prepare",
    "tfidf",
]

Codes = npt.NDArray[np.int64]
Pairs = npt.NDArray[np.int64]

# Part of every file's name: another recipe makes other tables.
_RECIPE = 1

#: Newsgroups of the sets of three (3.5.1).
NEWS = {
    "different": ("alt.atheism", "rec.sport.baseball", "sci.space"),
    "related": ("talk.politics.misc", "talk.politics.guns", "talk.politics.mideast"),
    "similar": ("comp.graphics", "comp.os.ms-windows.misc", "comp.windows.x"),
}

#: Every table, and what the thesis calls it.
DATASETS = {
    "iris": "Iris",
    "digits-389": "Digits-389",
    "letters-ijl": "Letters-IJL",
    **{f"3news-{name}-100": f"3-News-{name.title()}-100" for name in NEWS},
    **{f"3news-{name}-1000": f"3-News-{name.title()}-1000" for name in NEWS},
    "classic3-subset": "Classic3-subset",
    "20news-100": "20-Newsgroups-100",
    "20news-1000": "20-Newsgroups-1000",
}

_LEAST_DOCUMENTS = 5
_MOST_DOCUMENTS = 0.95
# The draws of the samples: fixed, so that every machine has the same tables.
_DRAW = 2005
_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class Table:
    """Rows to cluster, with the truth.

    Attributes
    ----------
    name : str
        A name of ``DATASETS``.
    rows : array or csr_matrix, (n, d)
        Measurements, or weights of words.
    truth : array of int, (n,)
        Class of each row.

    Examples
    --------
    >>> table = Table("tiny", np.array([[0.0], [1.0]]), np.array([0, 1]))
    >>> table.k, len(table.fingerprint())
    (2, 16)
    """

    name: str
    rows: Any
    truth: Codes

    @property
    def k(self) -> int:
        """Number of classes."""
        return int(np.unique(self.truth).size)

    @property
    def text(self) -> bool:
        """Whether rows are sparse weights of words."""
        return bool(sp.issparse(self.rows))

    def fingerprint(self) -> str:
        """Sixteen hex digits that change when the rows or the truth do."""
        parts = [self.truth, np.asarray(self.rows.shape, dtype=np.int64)]
        if self.text:
            # Weights differ in their last digits from machine to machine.
            data = np.round(self.rows.data, 6)
            parts += [self.rows.indptr.astype(np.int64), self.rows.indices.astype(np.int64), data]
        else:
            parts.append(np.round(self.rows, 6))
        digest = hashlib.sha256()
        for part in parts:
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()[:16]

    def save(self, path: Path) -> None:
        """Write an ``.npz`` file; a file half-written is never seen under `path`."""
        rows = sparse_parts(self.rows) if self.text else {"rows": self.rows}
        save_npz(path, name=np.asarray(self.name), truth=self.truth, **rows)

    @classmethod
    def load(cls, path: Path) -> Table:
        """Read what :meth:`save` wrote."""
        with load_npz(path) as arrays:
            dense = "rows" in arrays
            rows = arrays["rows"] if dense else sparse_from(arrays, kind=sp.csr_matrix)
            return cls(str(arrays["name"]), rows, arrays["truth"])


def prepare(name: str, data: Path | None, cache: Path) -> Path:
    """Make sure the table of `name` is in the cache; return its file.

    Parameters
    ----------
    name : str
        A name of ``DATASETS``.
    data : Path or None
        Folder of the raw collections; not looked at if the table is in the cache.
    cache : Path
        Folder of finished tables; made if it is missing.
    """
    check("dataset", name, DATASETS)
    path = _cached(cache, name)
    if path.is_file():
        return path
    if name == "iris":
        _iris().save(path)
        return path
    data = raw_folder(f"the table of {name}", data, cache)
    if name in ("digits-389", "letters-ijl"):
        _characters(name, data).save(path)
    elif name == "classic3-subset":
        _classic(data).save(path)
    else:
        _news(name, data, cache).save(path)
    return path


def load(name: str, data: Path | None, cache: Path) -> Table:
    """Return the table of `name`, from the cache if it is there."""
    return Table.load(prepare(name, data, cache))


def _cached(cache: Path, name: str) -> Path:
    return cache / f"basu-{name}-{_RECIPE}.npz"


def _iris() -> Table:
    from sklearn.datasets import load_iris

    rows, truth = load_iris(return_X_y=True)
    return Table("iris", np.ascontiguousarray(rows, dtype=np.float64), truth.astype(np.int64))


def _characters(name: str, data: Path) -> Table:
    """Three digits or letters, a tenth of them drawn."""
    digits = name == "digits-389"
    path = data / "uci" / ("pendigits.csv" if digits else "letter-recognition.data")
    wanted = "389" if digits else "IJL"
    rows, truth = [], []
    try:
        with path.open(newline="") as lines:
            for line in list(csv.reader(lines))[1:]:
                # pendigits: a row number first and the class last; letters: the class first
                label, values = (line[-1], line[1:-1]) if digits else (line[0], line[1:])
                if label in wanted:
                    rows.append([float(value) for value in values])
                    truth.append(wanted.index(label))
    except (OSError, ValueError, IndexError) as error:
        raise ReadError(f"can't read {str(path)!r} ({error}); check --data") from error
    rng = np.random.default_rng(_DRAW)
    # not of each class a tenth: a tenth of all, as the thesis says
    chosen = np.sort(rng.choice(len(rows), size=round(len(rows) / 10), replace=False))
    return Table(name, np.array(rows)[chosen], np.array(truth, dtype=np.int64)[chosen])


def body_text(raw: bytes) -> str:
    r"""Body of one message without headers, the subject among them, and signature.

    Examples
    --------
    >>> body_text(b"Subject: Moon\nFrom: me\n\nHello\nworld\n-- \nJohn Doe, NASA\n")
    'Hello\nworld'
    """
    from benchmarks.datasets.text import drop_blobs

    text = raw.decode("latin-1").replace("\r\n", "\n")
    _, _, body = text.partition("\n\n")
    return drop_blobs(_SIGNATURE.split(body, maxsplit=1)[0]).strip()


# Two dashes and nothing else in a line; the blank after them is often lost.
_SIGNATURE = re.compile(r"^--[ \t]*$", re.MULTILINE)


def tfidf(counts: Any) -> tuple[sp.csr_matrix, Codes]:
    """Weights of section 2.5, and the rows that have any.

    Examples
    --------
    Of three words in 20 documents, one is in too few of them and one in too many.

    >>> counts = np.zeros((20, 3), dtype=int)
    >>> counts[:4, 0] = counts[:10, 1] = counts[:, 2] = 1
    >>> rows, kept = tfidf(counts)
    >>> rows.shape, kept.tolist() == list(range(10)), float(rows[0, 0])
    ((10, 1), True, 1.0)
    """
    from sklearn.preprocessing import normalize

    table = sp.csr_matrix(counts, dtype=np.float64)
    table.eliminate_zeros()
    n = table.shape[0]
    df = np.bincount(table.indices, minlength=table.shape[1])
    columns = np.flatnonzero((df >= _LEAST_DOCUMENTS) & (df <= _MOST_DOCUMENTS * n))
    weights = table[:, columns] @ sp.diags(np.log2(n / df[columns]))
    weights = sp.csr_matrix(weights)
    kept = np.flatnonzero(np.diff(weights.indptr) > 0)
    weights = sp.csr_matrix(normalize(weights[kept]))
    weights.sort_indices()
    return weights, kept


def _news(name: str, data: Path, cache: Path) -> Table:
    messages = _messages(data, cache)
    size = int(name.rsplit("-", 1)[1])
    rows = np.arange(len(messages.truth))
    if size == 100:
        # The sets of three are cut from the one set of a hundred of each group.
        rng = np.random.default_rng(_DRAW)
        members = [np.flatnonzero(messages.truth == c) for c in range(len(messages.class_names))]
        rows = np.concatenate(
            [np.sort(rng.choice(m, size=min(size, len(m)), replace=False)) for m in members]
        )
    if name.startswith("3news"):
        groups = NEWS[name.split("-")[1]]
        missing = sorted(set(groups) - set(messages.class_names))
        if missing:
            raise InputError(f"the archive has no group {', '.join(missing)}; {name} needs it")
        wanted = [messages.class_names.index(group) for group in groups]
        rows = rows[np.isin(messages.truth[rows], wanted)]
    return _weighted(name, messages.counts[rows], messages.truth[rows])


def _weighted(name: str, counts: Any, truth: Codes) -> Table:
    weights, kept = tfidf(counts)
    _, codes = np.unique(truth[kept], return_inverse=True)
    return Table(name, weights, codes.astype(np.int64))


def _messages(data: Path, cache: Path) -> Any:
    """Counts of all words in the bodies of all messages, cached."""
    from benchmarks.datasets.base import Dataset
    from benchmarks.datasets.newsgroups import newsgroups

    path = _cached(cache, "20news-words")
    if path.is_file():
        return Dataset.load(path)
    table = newsgroups(data, body_text, "20news-words")
    table.save(path)
    return table


def _classic(data: Path) -> Table:
    """100 of Cranfield, 100 of Medline, 200 of CISI: classes of unequal size."""
    from benchmarks.datasets.classic import smart_bodies
    from benchmarks.datasets.text import count_words

    rng = np.random.default_rng(_DRAW)
    texts, truth = [], []
    for code, (file, size) in enumerate(
        {"cran.all.1400.gz": 100, "MED.ALL.gz": 100, "CISI.ALL.gz": 200}.items()
    ):
        bodies = [body for _, body in smart_bodies(data / "classic" / file)]
        chosen = rng.choice(len(bodies), size=min(size, len(bodies)), replace=False)
        texts += [bodies[i] for i in sorted(chosen.tolist())]
        truth += [code] * len(chosen)
    return _weighted("classic3-subset", count_words(texts)[0], np.array(truth, dtype=np.int64))


def halves(n: int, folds: int, seed: int) -> list[tuple[Codes, Codes]]:
    """Rows that may be told about and rows that are scored, once for each fold.

    Examples
    --------
    >>> parts = halves(5, 2, seed=0)
    >>> [(len(told), len(scored)) for told, scored in parts]
    [(2, 3), (3, 2)]
    """
    if not 2 <= folds <= n:
        raise InputError(f"{folds} folds of {n:,} rows; give from 2 to {n:,}")
    order = np.random.default_rng([seed, 11]).permutation(n)
    parts = np.array_split(order, folds)
    return [(np.setdiff1d(order, part), np.sort(part)) for part in parts]


def draw_pairs(rows: Codes, number: int, seed: Sequence[int]) -> Pairs:
    """Different random pairs of `rows`; more of them begin with the fewer of the same seed.

    Examples
    --------
    >>> rows = np.arange(10, 40)
    >>> few, many = (draw_pairs(rows, m, [0]) for m in (5, 50))
    >>> bool((few == many[:5]).all()), len(np.unique(many, axis=0))
    (True, 50)
    """
    n = len(rows)
    most = n * (n - 1) // 2
    if not 0 <= number <= most:
        raise InputError(f"{number:,} links of {n:,} rows; from 0 to {most:,} can be drawn")
    rng = np.random.default_rng([*seed, 12])
    if most <= 16 * _BLOCK:
        i, j = np.triu_indices(n, k=1)
        chosen = rng.permutation(most)[:number]
        return np.column_stack([rows[i[chosen]], rows[j[chosen]]]).astype(np.int64)
    pairs = np.empty((0, 2), dtype=np.int64)
    while len(pairs) < number:
        # Blocks of one size: what is drawn first does not depend on how much is wanted.
        more = np.sort(rng.integers(0, n, (_BLOCK, 2)), axis=1)
        pairs = np.concatenate([pairs, more[more[:, 0] < more[:, 1]]])
        _, first = np.unique(pairs, axis=0, return_index=True)
        pairs = pairs[np.sort(first)]
    return rows[pairs[:number]].astype(np.int64)


def blobs(n: int = 2000, d: int = 100, k: int = 10, seed: int = 0) -> tuple[Any, Codes]:
    """Dense rows of classes that overlap a little.

    Examples
    --------
    >>> rows, truth = blobs(20, 3, 2)
    >>> rows.shape, len(np.unique(truth))
    ((20, 3), 2)
    """
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n) % k)
    return rng.normal(size=(k, d))[truth] * 0.6 + rng.normal(size=(n, d)), truth.astype(np.int64)


def neighbours(rows: Any, number: int = 10, block: int = 1000) -> sp.csr_array:
    """Symmetric graph of the nearest rows by cosine, made block by block.

    Examples
    --------
    >>> graph = neighbours(sp.csr_array(np.eye(3)[[0, 0, 1, 1, 2]]), number=1)
    >>> graph.toarray().astype(int)[0].tolist()
    [0, 1, 0, 0, 0]
    """
    table = sp.csr_array(rows)
    n = table.shape[0]
    turned = sp.csc_array(table.T)
    places, values = [], []
    for start in range(0, n, block):
        near = (table[start : start + block] @ turned).toarray()
        own = np.arange(len(near))
        near[own, start + own] = 0
        best = np.argpartition(-near, number - 1, axis=1)[:, :number]
        i, j = np.repeat(own, number) + start, best.ravel()
        places.append(np.stack([i, j]))
        values.append(near[i - start, j])
    i, j = np.concatenate(places, axis=1)
    graph = sp.csr_array((np.concatenate(values), (i, j)), shape=(n, n))
    graph = sp.csr_array(graph.maximum(graph.T))
    graph.eliminate_zeros()
    return graph
