"""All collections whose classes are known, each with the sides that it has.

What trials of sides, weights, sizes and numbers of groups run on. Text is read by comraf's own
readers as ``comraf organize`` reads it; tables and views are taken as they come. A name with a
size behind it, such as ``20ng:2000``, is so many items drawn at random. Items without a class
are clustered like all others and not scored.
"""

from __future__ import annotations

import json
import tarfile
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.datasets.newsgroups import DIFFERENT, SIMILAR
from benchmarks.harness import (
    load_npz,
    raw_folder,
    save_npz,
    sparse_from,
    sparse_parts,
)
from benchmarks.multiview import SETS, load_views
from comraf.errors import InputError, ReadError

__all__ = ["NAMES", "Every", "check_name", "load", "prepare"]

Ints = npt.NDArray[np.int64]

# A change of what the tables are made of makes new ones.
_VERSION = 1
_TOPICS = 10  # of Reuters
_PAGES = ("course", "faculty", "project", "student")  # the usual four of WebKB
_MOVIES, _REVIEWS = 40, 30
_SMALLEST = 3  # a class of a sample must have so many items
_QUERIES = 44
_DRAWS = 2


@dataclass(frozen=True, eq=False)
class Every:
    """A collection: its tables by side, and the truth.

    Attributes
    ----------
    name : str
    tables : mapping of str to table
        Items x values. A view that was measured is an array of features.
    truth : array of int
        Class of each item, -1 where it is unknown.
    usual : tuple of str
        Sides that make the groups unless others are asked for.
    observed : tuple of str
        Sides whose values are not clustered.
    weights : mapping of str to float
        What sides weigh that were seen in photos.
    """

    name: str
    tables: Mapping[str, Any] = field(repr=False)
    truth: Ints = field(repr=False)
    usual: tuple[str, ...]
    observed: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def n_classes(self) -> int:
        """Classes that some item has."""
        return len(np.unique(self.truth[self.truth >= 0]))

    def ready(self, sides: Iterable[str] | None = None) -> SimpleNamespace:
        """What `comraf.Organizer` takes: tables of some sides, by default the usual ones.

        Views that were measured become tables as `comraf.feature_tables` makes them.
        """
        from comraf import feature_tables

        chosen = {side: self.tables[side] for side in (self.usual if sides is None else sides)}
        dense = {side: table for side, table in chosen.items() if not sp.issparse(table)}
        made = feature_tables(dense) if dense else {}
        tables = {side: table for side, table in chosen.items() if side not in dense} | made
        facts: dict[str, dict[str, Any]] = {side: {"observed": True} for side in self.observed}
        facts |= {side: {"weight": weight} for side, weight in self.weights.items()}
        sides = {side: SimpleNamespace(facts=facts.get(side, {})) for side in tables}
        return SimpleNamespace(tables=tables, sides=sides)

    def cut(self, name: str, rows: Ints) -> Every:
        """Some of the items; values too few of them have are left out, and so are small classes."""
        tables = {}
        for side, table in self.tables.items():
            part = table[rows]
            if sp.issparse(part):
                seen = np.bincount(part.indices, minlength=part.shape[1])
                kept = part[:, np.flatnonzero(seen >= (3 if side == "words" else 2))]
                if kept.nnz:
                    tables[side] = sp.csr_array(kept)
            else:
                tables[side] = part
        truth = self.truth[rows]
        sizes = np.bincount(truth[truth >= 0], minlength=1)
        truth = np.where((truth >= 0) & (sizes[truth] >= _SMALLEST), truth, -1)
        usual = tuple(side for side in self.usual if side in tables)
        return Every(name, tables, truth, usual, self.observed, self.weights)


#: Tables by side, classes, the usual sides, those observed.
Built = tuple[Mapping[str, Any], Iterable[Any], Iterable[str], Iterable[str]]


def check_name(name: str) -> str:
    """Return the name if there is such a collection, else say what there is.

    Examples
    --------
    >>> check_name("tdt2:2000")
    'tdt2:2000'
    """
    whole, colon, size = name.partition(":")
    if whole not in NAMES or (colon and not (size.isdecimal() and int(size) > 0)):
        raise InputError(
            f"unknown collection {name!r}; choose from {', '.join(NAMES)}, with :N for a sample"
        )
    return name


def prepare(name: str, data: Path | None, cache: Path) -> Path:
    """The file of a whole collection's tables in the cache, made if it is missing."""
    whole = _SOURCE.get(name.partition(":")[0], name.partition(":")[0])
    path = cache / f"every-{whole}-{_VERSION}.npz"
    if path.is_file():
        return path
    folder = raw_folder(f"the collection {whole}", data, cache)
    try:
        tables, truth, usual, observed = _READERS[whole](folder, cache)
    except (OSError, EOFError, KeyError, ValueError, tarfile.TarError, zlib.error) as error:
        if isinstance(error, ReadError | InputError):
            raise
        raise ReadError(f"the raw files of {whole} in {str(folder)!r}: {error}") from error
    arrays: dict[str, Any] = {
        "truth": np.asarray([str(one) for one in truth], dtype=np.str_),
        "usual": np.asarray([*usual], dtype=np.str_),
        "observed": np.asarray([*observed], dtype=np.str_),
        "sides": np.asarray([*tables], dtype=np.str_),
        "weights": np.asarray([getattr(tables, "weights", {}).get(s, np.nan) for s in tables]),
    }
    for side, table in tables.items():
        if sp.issparse(table):
            arrays |= sparse_parts(sp.csr_array(table), f"{side}.")
        else:
            arrays[f"{side}.dense"] = np.asarray(table)
    save_npz(path, **arrays)
    return path


def load(name: str, data: Path | None, cache: Path) -> Every:
    """A collection, or a sample of it."""
    check_name(name)
    with load_npz(prepare(name, data, cache)) as arrays:
        tables = {
            side: arrays[f"{side}.dense"]
            if f"{side}.dense" in arrays.files
            else sparse_from(arrays, f"{side}.")
            for side in arrays["sides"].tolist()
        }
        classes = arrays["truth"]
        usual, observed = (tuple(arrays[part].tolist()) for part in ("usual", "observed"))
        said = dict(zip(tables, arrays["weights"].tolist(), strict=True))
    whole, _, size = name.partition(":")
    weights = {side: weight for side, weight in said.items() if weight == weight}  # no nan
    # in ambient, what is about none of the subtopics of its query has the query's number alone
    known = np.where(np.char.endswith(classes, "."), "", classes)
    found = Every(whole, tables, _codes(known), usual, observed, weights)
    if whole in _SOURCE:
        found = found.cut(name, _rows_of(whole, classes))
    if size and int(size) < len(found):
        drawn = np.random.default_rng(0).choice(len(found), int(size), replace=False)
        found = found.cut(name, np.sort(drawn))
    return found


def _codes(classes: npt.NDArray[np.str_]) -> Ints:
    """Numbers of classes; "" is none."""
    names, codes = np.unique(classes, return_inverse=True)
    return np.where(classes == "", -1, codes - int("" in names)).astype(np.int64)


def _rows_of(name: str, classes: npt.NDArray[np.str_]) -> Ints:
    """Items of a collection that is cut from another one."""
    if name in _GROUPS:
        return np.flatnonzero(np.isin(classes, _GROUPS[name]))
    what, _, number = name.rpartition("-")
    if what == "ambient":  # the classes are called after their queries
        queries = np.array([one.partition(".")[0] for one in classes.tolist()])
        return np.flatnonzero(queries == number)
    rng = np.random.default_rng(int(number))
    drawn = [
        rng.choice(np.flatnonzero(classes == one), 100, replace=False) for one in np.unique(classes)
    ]
    return np.sort(np.concatenate(drawn))


# -- by comraf's own readers ---------------------------------------------------------------


def _read(root: Path, **asked: Any) -> Built:
    """A collection read as ``comraf organize`` reads it."""
    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader
    from comraf.collection.options import SideOptions
    from comraf.estimators._graphs import default_sides, observed_sides

    options = asked.pop("options", None) or SideOptions(duplicates="keep")
    collection = build_collection(open_reader(root, **asked), options=options)
    observed = observed_sides(collection, None)
    return collection.tables, collection.truth, default_sides(collection), sorted(observed)


def _archive(path: Path, chosen: Mapping[str, str] | None = None, **asked: Any) -> Built:
    """Files of an archive, some of them under other names, read as a folder."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        with tarfile.open(path) as packed:
            if chosen is None:
                packed.extractall(root, filter="data")
                (root,) = root.iterdir()
            else:
                for member in packed:
                    stream = packed.extractfile(member) if member.name in chosen else None
                    if stream is not None:
                        target = root / chosen[member.name]
                        target.parent.mkdir(parents=True, exist_ok=True)
                        target.write_bytes(stream.read())
        return _read(root, **asked)


def _newsgroups(data: Path, cache: Path) -> Built:
    return _archive(data / "newsgroups/20_newsgroups.tar.gz", kind="news", truth="folders")


def _mailbox(name: str, file: str) -> Callable[[Path, Path], Built]:
    return lambda data, cache: _archive(data / "enron" / file, kind="mail", truth="folders")


def _reuters(data: Path, cache: Path) -> Built:
    """Stories with a single topic, of the ten largest topics."""
    path = data / "reuters/apte115.tar.xz"
    with tarfile.open(path) as packed:
        names = [PurePosixPath(member.name) for member in packed if member.isfile()]
    topics = defaultdict(set)
    for name in names:
        topics[name.name].add(name.parts[2])
    single = {story: next(iter(found)) for story, found in topics.items() if len(found) == 1}
    largest = [topic for topic, _ in Counter(single.values()).most_common(_TOPICS)]
    chosen = {
        str(name): f"{name.parts[2]}/{name.name}"
        for name in names
        if single.get(name.name) in largest
    }
    return _archive(path, chosen, kind="text", truth="folders:1")


def _webkb(data: Path, cache: Path) -> Built:
    """Pages of the usual four classes, with where they link to; the university is unused."""
    path = data / "webkb/webkb.tar.xz"
    chosen = {}
    with tarfile.open(path) as packed:
        for number, member in enumerate(packed):
            parts = PurePosixPath(member.name).parts
            if member.isfile() and parts[1] in _PAGES:
                chosen[member.name] = f"{parts[1]}/{number}.html"
    return _archive(path, chosen, kind="text", truth="folders:1")


def _classic(data: Path, cache: Path) -> Built:
    with tempfile.TemporaryDirectory() as place:
        import gzip

        for file in sorted((data / "classic").glob("*.gz")):
            Path(place, f"{file.name.partition('.')[0]}.all").write_bytes(
                gzip.decompress(file.read_bytes())
            )
        return _read(Path(place), kind="smart", truth="files")


def _brown(data: Path, cache: Path) -> Built:
    from comraf.collection.options import PosOptions, SideOptions, StyleOptions

    options = SideOptions(pos=PosOptions(orders=(2,)), style=StyleOptions(True))
    return _read(data / "brown/brown.zip", kind="tagged", truth="genres", options=options)


def _imdb(data: Path, cache: Path) -> Built:
    """Reviews of the films that most are about; the film is the class."""
    path = data / "reviews/aclImdb_labelled.tar.gz"
    with tarfile.open(path) as packed:
        films: dict[str, str] = {}
        names = []
        for member in packed:
            stream = packed.extractfile(member)
            parts = PurePosixPath(member.name).parts
            if stream is None:
                continue
            if parts[-1].startswith("urls_"):
                kind = parts[-1].removeprefix("urls_").removesuffix(".txt")
                for number, line in enumerate(stream.read().decode().split()):
                    films[f"{parts[1]}/{kind}/{number}"] = line.split("/")[4]
            elif len(parts) == 4:
                names.append(member.name)
    film_of = {}
    for name in sorted(names):
        part, polarity, file = PurePosixPath(name).parts[1:]
        film_of[name] = films[f"{part}/{polarity}/{file.partition('_')[0]}"]
    counted = Counter(film_of.values())
    largest = sorted(counted, key=lambda film: (-counted[film], film))[:_MOVIES]
    many: Counter[str] = Counter()
    chosen = {}
    for name, film in film_of.items():
        many[film] += 1
        if film in largest and many[film] <= _REVIEWS:
            chosen[name] = f"{film}/{many[film]}.txt"
    return _archive(path, chosen, kind="text", truth="folders:1")


# -- tables as they come -------------------------------------------------------------------


def _texts(texts: list[str]) -> dict[str, Any]:
    """Words of short texts, in two texts or more."""
    from benchmarks.oneclass_data import count_texts

    counts = count_texts(texts)[0]
    seen = np.bincount(counts.indices, minlength=counts.shape[1])
    return {"words": sp.csr_array(counts[:, np.flatnonzero(seen > 1)])}


def _stream(member: str) -> Callable[[Path, Path], Built]:
    def read(data: Path, cache: Path) -> Built:
        with tarfile.open(data / "news-stream/mstream_data.tar.gz") as packed:
            stream = packed.extractfile(f"data/{member}")
            if stream is None:
                raise ReadError(f"the archive of news streams has no file data/{member}")
            items = [json.loads(line) for line in stream.read().decode().splitlines() if line]
        truth = [item["clusterNo"] for item in items]
        return _texts([item["textCleaned"] for item in items]), truth, ["words"], []

    return read


def _ambient(data: Path, cache: Path) -> Built:
    """Titles and snippets of all queries; the class is the subtopic, the largest of several."""
    folder = data / "search-results"

    def lines(name: str) -> list[list[str]]:
        text = (folder / name).read_text(encoding="utf-8", errors="replace")
        return [line.rstrip("\r").split("\t") for line in text.split("\n")[1:] if line]

    texts = {row[0]: " ".join(row[2:4]) for row in lines("results.txt") if len(row) > 2}
    topics = defaultdict(set)
    for row in lines("STRel.txt"):
        topics[row[0]].add(row[1])
    best: dict[str, str] = {}
    for topic in sorted(topics, key=lambda one: (len(topics[one]), one)):
        best |= dict.fromkeys(topics[topic], topic)
    # one that is about none of the subtopics has no class, but it still belongs to its query
    truth = [best.get(one, f"{one.partition('.')[0]}.") for one in texts]
    return _texts(list(texts.values())), truth, ["words"], []


def _tdt2(data: Path, cache: Path) -> Built:
    from scipy.io import loadmat

    table = sp.csc_array(loadmat(data / "events/TDT2.mat")["fea"])
    truth = table[:, [-2]].toarray().ravel().astype(np.int64)
    days = np.unique(table[:, [-1]].toarray().ravel().astype(np.int64), return_inverse=True)[1]
    words = sp.csr_array(table[:, :-2])
    seen = np.bincount(words.indices, minlength=words.shape[1])
    n = len(truth)
    dates = sp.csr_array((np.ones(n, np.int64), days, np.arange(n + 1)))
    tables = {"words": sp.csr_array(words[:, np.flatnonzero(seen > 2)]), "dates": dates}
    return tables, truth, ["words"], []


def _weights(start: str) -> Callable[[Path, Path], Built]:
    def read(data: Path, cache: Path) -> Built:
        from scipy.io import loadmat

        (path,) = (data / "text-tables").glob(f"{start}_*.mat")
        inside = loadmat(path)
        table = sp.csr_array(inside["X"])
        seen = np.bincount(table.indices, minlength=table.shape[1])
        words = sp.csr_array(table[:, np.flatnonzero(seen > 2)])
        return {"words": words}, inside["y"].ravel(), ["words"], []

    return read


def _citing(name: str) -> Callable[[Path, Path], Built]:
    def read(data: Path, cache: Path) -> Built:
        from benchmarks import papers_data

        papers = papers_data.load(name, str(papers_data.prepare(name, data, cache)))
        tables = {side: papers.tables[side] for side in ("words", "citations")}
        return tables, papers.single, ["words", "citations"], ["citations"]

    return read


def _aaai(data: Path, cache: Path) -> Built:
    """Papers with a single group are scored; topics are called after groups and left out."""
    from benchmarks import papers_data

    name = papers_data.AAAI
    papers = papers_data.load(name, str(papers_data.prepare(name, data, cache)))
    tables = {side: table for side, table in papers.tables.items() if side != "topics"}
    truth = ["" if one < 0 else one for one in papers.single.tolist()]
    return tables, truth, list(tables), []


def _views(name: str) -> Callable[[Path, Path], Built]:
    def read(data: Path, cache: Path) -> Built:
        views, truth = load_views(name, data, cache)
        return _sparse_ones(views), truth, list(views), []

    return read


def _sparse_ones(views: Mapping[str, Any]) -> dict[str, Any]:
    """Views that are mostly zero and never negative as tables, the others as they are."""
    few = {side: np.count_nonzero(view) <= 0.25 * view.size for side, view in views.items()}
    return {
        side: sp.csr_array(view) if few[side] and view.min() >= 0 else view
        for side, view in views.items()
    }


def _corel(data: Path, cache: Path) -> Built:
    from benchmarks import images_data
    from comraf.images import photo_tables

    photos = images_data.load(str(images_data.prepare("corel", data, cache)))
    made = photo_tables(photos.photos)
    return made, photos.classes.tolist(), list(made), []


_GROUPS: dict[str, tuple[str, ...]] = {"similar3": SIMILAR, "different3": DIFFERENT}
#: Collections that are cut from another one.
_SOURCE: dict[str, str] = {
    **dict.fromkeys(_GROUPS, "20ng"),
    **{f"100each-{draw}": "20ng" for draw in range(_DRAWS)},
    **{f"ambient-{number}": "ambient" for number in range(1, _QUERIES + 1)},
}
_READERS: dict[str, Callable[[Path, Path], Built]] = {
    "20ng": _newsgroups,
    "beck-s": _mailbox("beck-s", "beck-s.tar.gz"),
    "farmer-d": _mailbox("farmer-d", "farmer-d.tar.gz"),
    "kitchen-l": _mailbox("kitchen-l", "kitchen-l.PARTIAL.tar.gz"),
    "tdt2": _tdt2,
    "reuters": _reuters,
    "webkb": _webkb,
    **{name: _weights(name) for name in ("k1b", "wap", "hitech", "tr31")},
    "news": _stream("News"),
    "tweets": _stream("Tweets"),
    "classic": _classic,
    **{name: _citing(name) for name in ("cora", "citeseer")},
    "aaai": _aaai,
    "brown": _brown,
    "ambient": _ambient,
    "imdb": _imdb,
    **{name: _views(name) for name in SETS},
    "corel": _corel,
}
NAMES = (*_READERS, *_SOURCE)
