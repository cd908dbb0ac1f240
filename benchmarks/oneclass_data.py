"""Collections with a core that is known: newsgroups, search results, streams of news.

A finished table is one ``.npz`` file of the cache, found by its name alone, with its words and
their general frequencies: a machine that has the cache needs neither the raw collections, nor
their readers, nor a list of word frequencies.
"""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.harness import check, load_npz, raw_folder, save_npz, sparse_from, sparse_parts
from comraf.errors import InputError, ReadError

__all__ = [
    "TASKS",
    "Pile",
    "Source",
    "Trial",
    "count_texts",
    "prepare",
    "source_at",
    "trials",
]

Ints = npt.NDArray[np.int64]

# Part of every file's name: another recipe makes other tables.
_RECIPE = 1
#: Documents of a newsgroup's core, and of the others around it.
CORE, REST = 200, 400
#: Blocks of a stream whose stories are in order of time.
BLOCKS = 26
# A block or a list of results with a smaller core says little.
_LEAST_CORE = 10
_LEAST_BLOCK = 100
# The core's share where a block of newsgroups is thinned: twenty groups are nearly of one size.
_THINNED = 0.3

#: Every task: the table it is cut from, and what it is.
TASKS = {
    "newsgroups": ("20ng", f"one newsgroup's {CORE} messages among {CORE + REST}"),
    "ambient": ("ambient", "the largest subtopic of an ambiguous query's 100 results"),
    "news": ("news-t", f"the largest story of each of {BLOCKS} blocks of news titles"),
    "tweets": ("tweets-t", f"the largest story of each of {BLOCKS} blocks of tweets"),
    "dates": (
        "20ng",
        f"the largest newsgroup of each of {BLOCKS} blocks in order of date, others thinned so "
        "that it is 30%",
    ),
    "weeks": ("20ng", "the largest newsgroup of each week"),
    "days": ("20ng", "the largest newsgroup of each day"),
}

_DATE = re.compile(r"^date:(.*)$", re.IGNORECASE | re.MULTILINE)
_STREAMS = {"news-t": "data/News-T", "tweets-t": "data/Tweets-T"}


_ARRAYS = ("words", "background", "truth", "place", "names")


@dataclass(frozen=True, eq=False)
class Source:
    """A whole collection.

    Attributes
    ----------
    counts : csr_matrix of shape (n, m)
        Documents by words.
    words : ndarray of str
        What the columns are.
    background : ndarray of float
        General frequency of each word; 0 for words never seen.
    truth : ndarray of int
        Class of each document; -1 where it has none.
    place : ndarray of int
        Where in the collection: the day, the query, or the place in the stream; -1 unknown.
    names : ndarray of str
        What the classes are.
    """

    counts: Any
    words: npt.NDArray[np.str_]
    background: npt.NDArray[np.float64]
    truth: Ints
    place: Ints
    names: npt.NDArray[np.str_]

    def fingerprint(self) -> str:
        """Sixteen hex digits that change when anything of it does."""
        digest = hashlib.sha256()
        X = self.counts
        for part in (X.indptr, X.indices, X.data, self.truth, self.place):
            digest.update(np.ascontiguousarray(part, dtype=np.int64).tobytes())
        digest.update(np.ascontiguousarray(self.background).tobytes())
        digest.update("\n".join(self.words.tolist()).encode())
        return digest.hexdigest()[:16]

    def save(self, path: Path) -> None:
        """Write an ``.npz`` file; a file half-written is never seen under `path`."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        save_npz(path, **sparse_parts(self.counts), **arrays)

    @classmethod
    def load(cls, path: Path) -> Source:
        """Read what :meth:`save` wrote."""
        with load_npz(path) as arrays:
            counts = sparse_from(arrays, kind=sp.csr_matrix)
            return cls(counts, *(arrays[name] for name in _ARRAYS))


@dataclass(frozen=True)
class Trial:
    """One thing to find: a name, and the rows and the core that make it."""

    name: str
    rows: tuple[int, ...]
    core: int

    def fingerprint(self) -> str:
        """Eight hex digits that change when it is cut in another way.

        Examples
        --------
        >>> Trial("a", (1, 2), 0).fingerprint() == Trial("a", (2, 1), 0).fingerprint()
        False
        """
        text = f"{self.core}:{','.join(map(str, self.rows))}"
        return hashlib.sha256(text.encode()).hexdigest()[:8]


@dataclass(frozen=True, eq=False)
class Pile:
    """Documents of one trial, words that none of them has left out.

    Attributes
    ----------
    counts : csr_matrix
        Documents by words.
    words, background : ndarray
        Of the columns.
    truth : ndarray of bool
        Whether a document is in the core.
    classes : ndarray of int
        Class of each document; -1 where it has none.
    """

    counts: Any
    words: npt.NDArray[np.str_]
    background: npt.NDArray[np.float64]
    truth: npt.NDArray[np.bool_]
    classes: Ints

    @classmethod
    def cut(cls, source: Source, trial: Trial) -> Pile:
        """Documents of a trial, in its order."""
        rows = np.asarray(trial.rows, dtype=np.int64)
        X = source.counts[rows]
        keep = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
        return cls(
            X[:, keep].tocsr(),
            source.words[keep],
            source.background[keep],
            source.truth[rows] == trial.core,
            source.truth[rows],
        )


@lru_cache(maxsize=4)
def source_at(path: str) -> Source:
    """The table of a file, read once in each process."""
    return Source.load(Path(path))


def prepare(task: str, data: Path | None, cache: Path) -> Path:
    """Make sure that a task's table is in the cache; return its file.

    Parameters
    ----------
    task : str
        A name of ``TASKS``.
    data : Path or None
        Folder of the raw collections; not looked at if the table is in the cache.
    cache : Path
        Folder of finished tables; made if it is missing.
    """
    table = TASKS[check("task", task, TASKS, "stream")][0]
    path = cache / f"oneclass-{table}-{_RECIPE}.npz"
    if path.is_file():
        return path
    data = raw_folder(f"the table {table}", data, cache)
    try:
        source = _newsgroups(data, cache) if table == "20ng" else _READERS[table](data)
    except (OSError, EOFError, KeyError, ValueError, tarfile.TarError, zlib.error) as error:
        if isinstance(error, ReadError | InputError):
            raise
        raise ReadError(f"the raw files of {table} in {str(data)!r} can't be read ({error})") from (
            error
        )
    source.save(path)
    return path


def trials(task: str, source: Source, draws: int) -> list[Trial]:
    """All trials of a task.

    Parameters
    ----------
    task : str
        A name of ``TASKS``.
    source : Source
        Its table.
    draws : int
        Samples of each newsgroup; nothing to the others.

    Examples
    --------
    >>> place = np.repeat([1, 2], 12)
    >>> source = Source(sp.csr_matrix((24, 1)), np.array(["a"]), np.ones(1),
    ...                 np.array([0] * 11 + [1] * 12 + [0]), place, np.array(["x", "y"]))
    >>> [(t.name, len(t.rows), t.core) for t in trials("ambient", source, 1)]
    [('1', 12, 0), ('2', 12, 1)]
    """
    if task == "newsgroups":
        return [_sample(source, group, d) for group in _groups(source) for d in range(draws)]
    if task in ("news", "tweets", "dates"):
        order = np.argsort(source.place, kind="stable")
        order = order[source.place[order] > 0]
        parts = enumerate(np.array_split(order, BLOCKS), start=1)
        blocks = [(f"{number:02d}", rows) for number, rows in parts]
        least = 1
    else:
        place = source.place
        if task == "weeks":  # day 1 of the calendar is a Monday
            place = np.where(place > 0, (place - 1) // 7 * 7 + 1, -1)
        blocks = [
            (_block_name(task, int(p)), np.flatnonzero(place == p))
            for p in np.unique(place[place > 0])
        ]
        least = 1 if task == "ambient" else _LEAST_BLOCK
    found = []
    for name, rows in blocks:
        sizes = Counter(source.truth[rows][source.truth[rows] >= 0].tolist())
        if len(rows) < least or not sizes:
            continue
        core, size = max(sizes.items(), key=lambda item: (item[1], -item[0]))
        if task == "dates":
            rows = _thinned(source, rows, core, int(name))
        if _LEAST_CORE <= size < len(rows):
            found.append(Trial(name, tuple(rows.tolist()), core))
    return found


def _thinned(source: Source, rows: Ints, core: int, seed: int) -> Ints:
    """All of the core and so many others, in their order, that the core has its share."""
    inside = source.truth[rows] == core
    others = np.flatnonzero(~inside)
    many = min(round(int(inside.sum()) * (1 / _THINNED - 1)), len(others))
    kept = np.random.default_rng(seed).choice(others, many, replace=False)
    chosen = np.sort(np.concatenate([np.flatnonzero(inside), kept]))
    return np.asarray(rows[chosen], dtype=np.int64)


def _block_name(task: str, place: int) -> str:
    from datetime import date

    return str(place) if task == "ambient" else date.fromordinal(place).isoformat()


def _groups(source: Source) -> list[int]:
    return np.flatnonzero(np.bincount(source.truth, minlength=len(source.names)) >= CORE).tolist()


def _sample(source: Source, group: int, draw: int) -> Trial:
    rng = np.random.default_rng([group, draw])
    inside = rng.choice(np.flatnonzero(source.truth == group), CORE, replace=False)
    others = np.flatnonzero(source.truth != group)
    if len(others) < REST:
        raise InputError(f"there are {len(others)} messages of other groups; {REST} are needed")
    outside = rng.choice(others, REST, replace=False)
    rows = rng.permutation(np.concatenate([inside, outside]))
    return Trial(f"{source.names[group]} {draw}", tuple(rows.tolist()), group)


def count_texts(texts: Sequence[str]) -> tuple[Any, list[str]]:
    """Count the words of each text: no stop words, numbers or single letters.

    Examples
    --------
    >>> counts, words = count_texts(["The cat's tale", "a cat of 9 tales"])
    >>> words, counts.toarray().tolist()
    (['cat', 'tale', 'tales'], [[1, 1, 0], [1, 0, 1]])
    """
    from comraf.collection.text.stopwords import stop_words
    from comraf.collection.text.words import tokenise

    stop = stop_words(("en",))
    columns: dict[str, int] = {}
    ends, indices, data = [0], [], []
    for text in texts:
        for word, number in Counter(w.removesuffix("'s") for w in tokenise(text)).items():
            if len(word) < 2 or word.isdigit() or word in stop:
                continue
            indices.append(columns.setdefault(word, len(columns)))
            data.append(number)
        ends.append(len(indices))
    shape = (len(texts), len(columns))
    table = sp.csr_matrix((np.array(data, dtype=np.int32), indices, ends), shape=shape)
    return table, list(columns)


def _finish(counts: Any, words: Sequence[str], truth: Any, place: Any, names: Any) -> Source:
    from comraf.oneclass import WordFrequencies

    return Source(
        sp.csr_matrix(counts),
        np.asarray(words, dtype=np.str_),
        WordFrequencies("en").frequencies(words),
        np.asarray(truth, dtype=np.int64),
        np.asarray(place, dtype=np.int64),
        np.asarray(names, dtype=np.str_),
    )


def _newsgroups(data: Path, cache: Path) -> Source:
    """All messages that have words, with the day of each."""
    from benchmarks.datasets import load
    from benchmarks.datasets.newsgroups import iter_messages

    table = load("20ng", data, cache)
    days = {name: day_of(raw) for _, name, raw in iter_messages(data)}
    place = [days[name] for name in table.row_names]
    return _finish(table.counts, table.column_names, table.truth, place, table.class_names)


def day_of(raw: bytes) -> int:
    r"""Day on which a message was sent, counted from the year 1; -1 where it does not say.

    Examples
    --------
    >>> day_of(b"Date: Mon, 19 Apr 1993 10:00:00 GMT\n\nHello"), day_of(b"Subject: x\n\nHello")
    (727672, -1)
    """
    from email.utils import parsedate_to_datetime

    head = raw.decode("latin-1").replace("\r\n", "\n").partition("\n\n")[0]
    found = _DATE.search(head)
    try:
        return parsedate_to_datetime(found.group(1).strip()).toordinal() if found else -1
    except (ValueError, TypeError, IndexError):
        return -1


def _ambient(data: Path) -> Source:
    """Titles and snippets by query, in the order of the search engine."""
    folder = data / "search-results"
    texts: dict[str, str] = {}
    for line in _lines(folder / "results.txt"):
        fields = line.split("\t")
        if len(fields) >= 3:
            texts[fields[0]] = " ".join(fields[2:4])
    topics: dict[str, set[str]] = {}
    for line in _lines(folder / "STRel.txt"):
        fields = line.split("\t")
        if len(fields) == 2:
            topics.setdefault(fields[0], set()).add(fields[1])
    # A result may be about several subtopics: it is put to the largest.
    best: dict[str, str] = {}
    for topic in sorted(topics, key=lambda t: (len(topics[t]), t)):
        best |= dict.fromkeys(topics[topic], topic)
    names = sorted(topics)
    codes = {name: code for code, name in enumerate(names)}
    ids = sorted(texts, key=lambda i: tuple(map(int, i.split("."))))
    counts, words = count_texts([texts[i] for i in ids])
    truth = [codes[best[i]] if i in best else -1 for i in ids]
    return _finish(counts, words, truth, [int(i.split(".")[0]) for i in ids], names)


def _lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    return [line.rstrip("\r") for line in text.split("\n")[1:]]


def _stream(data: Path, member: str) -> Source:
    with tarfile.open(data / "news-stream" / "mstream_data.tar.gz") as archive:
        stream = archive.extractfile(member)
        if stream is None:
            raise ReadError(f"the archive of news streams has no file {member}")
        items = [json.loads(line) for line in stream.read().decode().split("\n") if line.strip()]
    names, truth = np.unique([str(item["clusterNo"]) for item in items], return_inverse=True)
    counts, words = count_texts([item["textCleaned"] for item in items])
    return _finish(counts, words, truth, np.arange(1, len(items) + 1), names)


_READERS: dict[str, Callable[[Path], Source]] = {
    "ambient": _ambient,
    "news-t": lambda data: _stream(data, _STREAMS["news-t"]),
    "tweets-t": lambda data: _stream(data, _STREAMS["tweets-t"]),
}
