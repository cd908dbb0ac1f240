"""``outliers``: what does not belong to a folder, a mailbox or a table of texts, and why."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from comraf.errors import InputError
from comraf.progress import Listener, say, unheard
from comraf.workflows.answer import collection_in, source_name
from comraf.workflows.cores import (
    AUTO,
    Documents,
    Method,
    Size,
    check_share,
    core_size,
    few_known,
    read_background,
    size_from,
)
from comraf.workflows.naming import counted, html_table, noun_of, path_name
from comraf.workflows.options import Option, names_from, takes
from comraf.workflows.organize import OrganizeOptions, read_documents, wanted_sides

if TYPE_CHECKING:
    from comraf.collection.collection import Collection

__all__ = ["FAR", "NO_TOPIC", "NO_WORDS", "Outliers", "OutliersOptions", "distances", "outliers"]

NO_WORDS = "no words"
NO_TOPIC = "no topical word"
#: Deviations below the median from which a document is taken to be foreign.
FAR = 1.75
_COLUMNS = ("rank", "item", "title", "date", "source", "score", "far", "reason", "foreign_words")
# Foreign words that are told.
_MOST = 8
# Of a normal distribution, the median deviation is this much smaller than the standard one.
_NORMAL = 1.4826
# The words that say what a collection is about, as far as anybody would name them.
_TOPICAL = 100
_SHARE = 0.05
# Outliers that a line names.
_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class Number:
    """How many don't belong, and to what.

    Parameters
    ----------
    n_outliers : int or "auto"
        How many don't belong, or auto.
    share : float
        Share of the documents that don't belong. Default: 0.05.
    by : sequence of str
        For occc: the sides to go by, separated by commas: words,people. Default: words.
    """

    n_outliers: Annotated[Size, Option("-n", "--number", metavar="N", read=size_from)] = None
    share: Annotated[float | None, Option(metavar="X")] = None
    by: Annotated[Sequence[str] | None, Option(metavar="SIDES", read=names_from)] = None


@dataclass(frozen=True, kw_only=True)
class OutliersOptions(Documents, Number):
    """Options of `outliers`.

    Parameters
    ----------
    method : {"rest", "maxkl", "minentropy", "lof", "ltb", "occc", ...}
        rest goes by words that the others don't use, and was the best where measured; maxkl and
        minentropy by words in all; lof by near neighbours; ltb and occc are for small cores;
        centroid, svm, ib, distortion and random are there to compare.
    random_state : int
        The same seed gives the same list.
    """

    method: Method = "rest"

    def check(self, path: Any) -> None:
        """Refuse what can't be meant, before anything is read."""
        check_share(self.share, "n_outliers", self.n_outliers)
        core_size(self.n_outliers, parameter="n_outliers")
        self.check_documents(path)
        if self.by is not None and self.method != "occc":
            text = "{p[by]} is for the method occc; {method} goes by words alone"
            raise InputError(text, "by", self.by, method=self.method)


class _AllWords(OrganizeOptions):
    """How documents are read: words of one alone are foreign in it, those of all tell the rest."""

    @property
    def sides(self) -> dict[str, Any]:
        return {"words": {"min_documents": 1, "max_share": 1.0}}


@dataclass(frozen=True, eq=False)
class Outliers:
    """What does not belong.

    Attributes
    ----------
    path : path-like or data frame
        What was looked at.
    options : OutliersOptions
        What was asked for.
    records : list of dict
        The documents that are least like the rest, the strangest first.
    n_documents, n_far : int
        All documents, and those that are far from the rest.
    words : tuple of str
        What the rest is about.
    n_skipped, n_copies : int
        What could not be read, and second copies that were dropped.
    skipped : tuple of (str, str)
        What could not be read, and why, as far as it was kept.
    warnings, notes : tuple of str
        What may be wrong with the list, and what one should know of it.
    noun : str
        What a document is called.
    """

    path: Any
    options: OutliersOptions
    records: list[dict[str, Any]]
    n_documents: int
    n_far: int
    words: tuple[str, ...]
    n_skipped: int = 0
    n_copies: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    noun: str = "document"

    def __repr__(self) -> str:
        whole = f"{counted(self.n_documents, self.noun)} of {source_name(self.path)}"
        first = ", ".join(repr(one["title"] or one["item"]) for one in self.records[:_SHOWN])
        return f"Outliers({len(self.records):,} of {whole}, the strangest first: {first})"

    def _repr_html_(self) -> str:
        shown = ("far", "reason", "item", "title")
        return html_table(repr(self), shown, ([one[n] for n in shown] for one in self.records))

    def to_dict(self) -> dict[str, Any]:
        """The list as plain data."""
        return {
            "source": path_name(self.path),
            "method": self.options.method,
            "background": self.options.background,
            "documents": self.n_documents,
            "skipped": self.n_skipped,
            "second_copies": self.n_copies,
            "number": len(self.records),
            "suggested": self.options.n_outliers == AUTO,
            "far": self.n_far,
            "words": list(self.words[:20]),
            "notes": [*self.notes, *self.warnings],
            "outliers": self.records,
        }

    def to_csv(self) -> str:
        """The list as a CSV file."""
        from comraf.results.files import csv_lines

        lines = ([*record.values()] for record in self.records)
        shown = ([*cells, " ".join(words)] for *cells, words in lines)
        return "".join(csv_lines([_COLUMNS, *shown]))


@takes(OutliersOptions)
def outliers(
    path: Any,
    *,
    options: OutliersOptions,
    listener: Listener = unheard,
    beside: Path | None = None,
) -> Outliers:
    """Say what does not belong to a folder, a mailbox or a table of texts.

    Parameters
    ----------
    path : path-like or data frame
        What ``comraf organize`` takes.
    listener : callable, optional
        Called with every event of the work.
    beside : path-like, optional
        Folder on whose disk the collection is kept meanwhile; by default that of temporary files.
    options
        All others as for ``comraf outliers``; see `OutliersOptions`.

    Returns
    -------
    Outliers

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("one", "two", "three"):
    ...         _ = Path(folder, f"{name}.txt").write_text("old ship in the harbour at sea")
    ...     _ = Path(folder, "four.txt").write_text("hot tea from a cup")
    ...     found = outliers(folder, n_outliers=1, background="flat")
    >>> found.records[0]["item"], found.records[0]["foreign_words"]
    ('four.txt', ['cup', 'hot', 'tea'])
    """
    path = Path(path) if isinstance(path, (str, os.PathLike)) else path
    options.check(path)
    general = read_background(options.background)
    read_before = collection_in(path) is not None
    by = (options.by,) if isinstance(options.by, str) else options.by
    reading = options.reading(OrganizeOptions if read_before else _AllWords, by=by)
    with ExitStack() as stack:
        collection = read_documents(path, reading, stack, listener, beside)
        counts, words = _words(collection)
        tables: Any = counts
        names: Any = words
        background = general
        if by is not None:
            wanted = wanted_sides(reading, collection)
            tables = {side: collection.tables[side] for side in wanted}
            names = {side: collection.sides[side].values for side in wanted}
            background = {"words": general} if "words" in tables else None
        n = len(collection)
        number = core_size(options.n_outliers, n, "n_outliers")

        def fitted(number: int) -> Any:
            return options.estimator(background, n - number).fit(tables, words=names)

        if number is None:
            share = _SHARE if options.share is None else options.share
            number = min(max(round(share * n), 1), n - 1)
            if options.n_outliers == AUTO:
                # A method may need to know the number: it starts from the usual one.
                far = distances(fitted(number).scores_)
                number = min(max(int((far >= FAR).sum()), 1), n - 1)
        say(listener, "looking for what does not belong")
        model = fitted(number)
        found = model.topical_words_
        parts = found.values() if isinstance(found, dict) else [found]
        about = tuple(str(word) for part in parts for word in part)
        far = distances(model.scores_)
        strange = strays(model.ranking_, counts, words, general, number, about)
        records = [
            _record(collection, place, row, model.scores_[row], far[row], reason, foreign)
            for place, (row, reason, foreign) in enumerate(strange, 1)
        ]
        return Outliers(
            path,
            options,
            records,
            n,
            int((far >= FAR).sum()),
            about,
            collection.n_skipped,
            collection.duplicates,
            tuple((skip.source, skip.reason) for skip in collection.skipped),
            few_known(general, words, options.background),
            ("rare words were left out when it was read, and they tell most here",)
            if read_before
            else (),
            noun_of(collection),
        )


def _words(collection: Collection) -> tuple[Any, list[str]]:
    if "words" not in collection.tables:
        raise InputError("the documents have no words, which is what they are compared by")
    if len(collection) < 3:
        raise InputError(f"{len(collection)} documents were read; there must be at least 3")
    return collection.tables["words"], list(collection.sides["words"].values)


def _record(
    collection: Collection,
    place: int,
    row: int,
    score: float,
    distance: float,
    reason: str,
    foreign: list[str],
) -> dict[str, Any]:
    """What is told of a document that does not belong."""
    import numpy as np

    date = collection.dates[row]
    known = (collection.ids[row], collection.titles[row], "" if np.isnat(date) else str(date))
    scores = (round(float(score), 6), round(float(distance), 2))
    cells = (place, *known, collection.sources[row], *scores, reason, foreign)
    return dict(zip(_COLUMNS, cells, strict=True))


def distances(scores: Any) -> Any:
    """How far below the median each score is, in deviations that strangers can't widen.

    The deviation is the median one, as of a normal distribution; the standard deviation where
    more than half of the scores are the same; all distances are 0 where all scores are.

    Examples
    --------
    >>> distances([5.0, 4.0, 6.0, -10.0]).round(1).tolist()
    [-0.3, 0.3, -1.0, 9.8]
    """
    import numpy as np

    values = np.asarray(scores, dtype=np.float64)
    middle = np.median(values)
    width = _NORMAL * np.median(np.abs(values - middle)) or values.std()
    return (middle - values) / width if width > 0 else np.zeros(len(values))


def strays(
    ranking: Sequence[int],
    counts: Any,
    words: Sequence[str],
    background: Any,
    number: int,
    about: Sequence[str],
) -> Iterator[tuple[int, str, list[str]]]:
    """The last of a ranking, the strangest first: row, reason, foreign words that say most.

    A word is foreign in a document where the others use it no more than is usual in general.
    Of these, the ones that are rare in general and frequent in the document say most.

    Parameters
    ----------
    ranking : sequence of int
        Rows, those that belong most first.
    counts : csr_array
        Words of the documents.
    words : sequence of str
        Names of its columns.
    background : Background
        How frequent they are in general.
    number : int
        How many documents don't belong.
    about : sequence
        What the rest is about.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from comraf.oneclass import flat_background
    >>> X = sp.csr_array(np.array([[1, 1, 0], [1, 1, 0], [1, 1, 0], [0, 0, 2]]))
    >>> list(strays([0, 1, 2, 3], X, ["sea", "ship", "tea"], flat_background, 1, ["sea"]))
    [(3, 'no topical word', ['tea'])]
    """
    import numpy as np

    from comraf.oneclass.background import background_shares

    spread = np.bincount(counts.indices, minlength=counts.shape[1])
    used = np.flatnonzero(spread)
    general = np.ones(counts.shape[1])
    if len(used):
        shares, unseen = background_shares(background, len(used), [words[j] for j in used.tolist()])
        smooth = np.where(shares > 0, shares, unseen)
        general[used] = smooth / smooth.sum()
    ratio = np.maximum(spread - 1, 0) / np.maximum(spread.sum() * general, 1e-300)
    topical = set(about[:_TOPICAL])
    for row in map(int, ranking[::-1][:number]):
        part = slice(counts.indptr[row], counts.indptr[row + 1])
        mine, often = counts.indices[part], counts.data[part]
        foreign = ratio[mine] <= 1
        says = often * -np.log(general[mine])
        best = mine[foreign][np.argsort(-says[foreign], kind="stable")][:_MOST]
        if not len(mine):
            reason = NO_WORDS
        elif topical and not topical & {words[j] for j in mine.tolist()}:
            reason = NO_TOPIC
        else:
            reason = f"{foreign.mean():.0%} foreign words"
        yield row, reason, [words[j] for j in best.tolist()]
