"""The groups of a report: what tells them apart, and documents to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.collection.kinds import kind_of
from comraf.errors import ReadError
from comraf.report import build_photos as photographs
from comraf.report.affinity import Fit
from comraf.report.counting import Floats, View, worths
from comraf.report.data import (
    ClassShare,
    Group,
    Picture,
    Region,
    Sample,
    Swatch,
    Telling,
    Weighted,
)
from comraf.report.periods import day_of
from comraf.report.photo_names import photo_names
from comraf.report.shown import item_titles, shown_values
from comraf.report.snippets import MOST_READ, bare_title, snippet
from comraf.report.veil import Veil
from comraf.results.telling import best_columns

if TYPE_CHECKING:
    from comraf.report.build import CollectionLike

__all__ = ["make_groups", "tellings"]

_MOST_SIDES = 4  # unless more of them made the groups or were asked for
_MOST_PEOPLE = 4
_MOST_CLASSES = 6
_LONGEST = 400  # characters of a title that are kept; the page may show fewer
# With very many groups each one gets fewer documents, so that the page stays small.
_MOST_SAMPLES = 720


def tellings(view: View, worth: sp.csr_array, veil: Veil, n_best: int) -> list[Telling]:
    """What tells each group apart on one side, for every group.

    Examples
    --------
    >>> counts = sp.csr_array([[4.0, 0.0], [1.0, 3.0]])
    >>> view = View("words", counts, counts, None, 0, kind="words")
    >>> found = tellings(view, worths(counts), Veil({"words": ["sea", "leaf"]}, {}, drawn=False), 5)
    >>> [telling.values[0].value for telling in found]
    ['sea', 'leaf']
    """
    # More than are wanted, since some may have to be left out.
    found = best_columns(worth, n_best * (4 if veil.drawn else 1))
    rows = []
    for best in found:
        shown = ((veil.name(view.name, column), worth) for column, worth in best)
        named = [Weighted(name, worth) for name, worth in shown if name is not None]
        rows.append(Telling(view.name, tuple(named[:n_best]), view.kind))
    return rows


def make_groups(
    collection: CollectionLike,
    views: Sequence[View],
    labels: npt.NDArray[np.integer],
    n_groups: int,
    fit: Fit,
    veil: Veil,
    *,
    names: Sequence[str] | None,
    confidence: Floats | None,
    truth: Sequence[str | None] | None,
    n_telling: int,
    n_samples: int,
    n_items: int = 0,
    wanted: Collection[str] = (),
) -> tuple[Group, ...]:
    """Every group with all that is shown of it.

    Parameters are those of `comraf.report.report_data` and what it has found out by then.

    Examples
    --------
    >>> from types import SimpleNamespace as Record
    >>> from comraf.report.counting import group_counts
    >>> table, labels = sp.csr_array([[4, 0], [3, 1], [0, 5]]), np.array([0, 0, 1])
    >>> view = View("words", table, group_counts(table, labels, 2), None, 0, kind="words")
    >>> shelf = Record(titles="abc", dates=[None] * 3, text=lambda row: "the sea")
    >>> groups = make_groups(
    ...     shelf, [view], labels, 2, Fit(np.ones(3), 1 - labels, np.ones(3)),
    ...     Veil({"words": ["sea", "leaf"]}, {}, drawn=False),
    ...     names=None, confidence=None, truth=None, n_telling=5, n_samples=2,
    ... )
    >>> [(group.name, group.size, group.samples[0].title) for group in groups]
    [('sea', 2, 'a'), ('leaf', 1, 'c')]
    """
    sizes = np.bincount(labels, minlength=n_groups)
    # Dates have a place of their own in the report.
    seen = photographs.seen_sides(collection)
    # A group of photos is a mosaic: names of some that are near each other add nothing.
    besides = {*seen, "neighbours"} if seen else set()
    shown = [view for view in views if view.kind != "dates" and view.name not in besides]
    first = [v for v in shown if v.solved or v.kind == "words" or v.name in wanted]
    first += [view for view in shown if view not in first][: max(0, _MOST_SIDES - len(first))]
    shown = sorted(first, key=lambda view: view.kind != "words")
    worth = [worths(view.by_group) for view in shown]
    by_side = [tellings(v, w, veil, n_telling) for v, w in zip(shown, worth, strict=True)]
    near = _neighbours(labels, fit, n_groups)
    each = max(2, min(n_samples, _MOST_SAMPLES // max(1, n_groups)))
    people = next((view for view in views if view.kind == "people"), None)
    members = [np.flatnonzero(labels == c) for c in range(n_groups)]
    titles = item_titles(collection)
    chosen: list[list[tuple[int, bool]]] = [[] for _ in members]
    visible = _Visible(collection, views, labels, sizes, fit, confidence, truth, veil, seen)
    ordered = [rows[:0] for rows in members]  # the most typical first
    if not veil.drawn:
        for c, rows in enumerate(members):
            typical = visible.likely[rows] if seen else _typical(shown, worth, rows, c)
            ordered[c] = rows[np.argsort(-typical, kind="stable")]
            if not seen:
                chosen[c] = _choose(collection, ordered[c], fit, confidence, each)
    texts = _texts(collection, sorted({row for picked in chosen for row, _ in picked}))
    coloured = photo_names(
        [
            {"colours": _worths_of(found)} if _made_by_looks(views) else {}
            for found in visible.swatches
        ]
    )
    sources = _whereabouts(collection, len(labels))
    groups = []
    for c, rows in enumerate(members):
        telling = tuple(side[c] for side in by_side if side[c].values)
        words = {w.value.casefold() for t in telling if t.kind == "words" for w in t.values}
        samples = tuple(
            replace(
                _sample(collection, row, titles, people, veil, confidence, truth),
                snippet=snippet(texts[row], words, title=str(collection.titles[row] or "")),
                sure=sure,
                rival=None if sure else int(fit.rival[row]),
            )
            for row, sure in chosen[c]
        )
        room = len(rows) if n_items >= len(labels) else n_items * len(rows) // len(labels)
        items = tuple(
            replace(
                _sample(collection, row, titles, people, veil, confidence, truth),
                source=sources[row][-_LONGEST:] if sources else "",
            )
            for row in ordered[c][:room].tolist()
        )
        groups.append(
            Group(
                number=c,
                name=_name(c, names, telling, veil, coloured[c]),
                size=int(sizes[c]),
                share=float(sizes[c]) / max(1, len(labels)),
                telling=telling,
                samples=samples,
                near=near[c],
                confidence=_mean(confidence, rows),
                truth=_composition(truth, rows),
                pictures=visible.pictures[c],
                swatches=visible.swatches[c],
                looks=visible.looks[c],
                regions=visible.regions[c],
                items=items,
            )
        )
    return tuple(groups)


class _Visible:
    """What is shown of groups of photos; nothing for all others."""

    def __init__(
        self,
        collection: CollectionLike,
        views: Sequence[View],
        labels: npt.NDArray[np.integer],
        sizes: npt.NDArray[np.integer],
        fit: Fit,
        confidence: Floats | None,
        truth: Sequence[str | None] | None,
        veil: Veil,
        seen: Sequence[str],
    ) -> None:
        k = len(sizes)
        self.swatches: list[tuple[Swatch, ...]] = [() for _ in range(k)]
        self.looks: list[tuple[str, ...]] = [() for _ in range(k)]
        self.regions: list[tuple[Region, ...]] = [() for _ in range(k)]
        self.pictures: list[tuple[Picture, ...]] = [() for _ in range(k)]
        self.likely: Floats = np.zeros(0)
        if not seen:
            return
        for view in views:
            # colours and textures are the same for everybody: there is nothing to veil
            if view.name == "colours":
                values = [str(value) for value in collection.sides["colours"].values]
                self.swatches = photographs.swatches(view, values)
            elif view.name == "texture":
                values = [str(value) for value in collection.sides["texture"].values]
                self.looks = photographs.looks(view, values, sizes)
            elif view.name == "blobs":
                self.regions = photographs.regions(view, shown_values(collection)["blobs"])
        if veil.drawn:
            return
        say = [float(view.solved and view.kind != "dates") for view in views]
        self.likely = photographs.typical(views, labels, k, say)
        doubt = fit.margin if confidence is None else confidence
        rows = (np.flatnonzero(labels == c) for c in range(k))
        chosen = [photographs.choose(mine, self.likely, doubt, k) for mine in rows]
        self.pictures = photographs.pictures(collection, chosen, fit.rival, truth)


def _name(
    c: int,
    names: Sequence[str] | None,
    telling: Sequence[Telling],
    veil: Veil,
    coloured: str = "",
) -> str:
    # Names that were given may hold people: a report without text makes its own.
    if names is not None and not veil.drawn and str(names[c]).strip():
        return str(names[c])
    for only_words in (True, False):
        for side in telling:
            if only_words == (side.kind == "words"):
                return ", ".join(w.value for w in side.values[:3])
        if coloured:
            return coloured
    return f"group {c}"


def _made_by_looks(views: Sequence[View]) -> bool:
    """Whether what photos look like made the groups: other ones are not called by it."""
    looks = ("colours", "texture", "blobs", "neighbours")
    return any(view.solved and view.name in looks for view in views)


def _worths_of(found: Sequence[Swatch]) -> list[tuple[str, float]]:
    """Colours of a group with what they tell of it."""
    return [
        (swatch.colour, swatch.share * float(np.log(max(swatch.share / swatch.overall, 1.0))))
        for swatch in found
        if swatch.overall > 0
    ]


def _mean(confidence: Floats | None, rows: npt.NDArray[np.int64]) -> float | None:
    if confidence is None or len(rows) == 0:
        return None
    return float(confidence[rows].mean())


def _composition(
    truth: Sequence[str | None] | None, rows: npt.NDArray[np.int64]
) -> tuple[ClassShare, ...]:
    if truth is None:
        return ()
    classes = Counter(name for row in rows.tolist() if (name := truth[row]) is not None)
    ranked = sorted(classes.items(), key=lambda item: (-item[1], item[0]))
    kept = [ClassShare(name, n) for name, n in ranked[:_MOST_CLASSES]]
    rest = sum(n for _, n in ranked[_MOST_CLASSES:])
    if rest:
        kept.append(ClassShare(f"{len(ranked) - _MOST_CLASSES} more", rest))
    return tuple(kept)


def _neighbours(
    labels: npt.NDArray[np.integer], fit: Fit, n_groups: int, most: int = 3
) -> list[tuple[int, ...]]:
    """For each group, those that most of its documents would go to next."""
    if n_groups < 3:
        return [()] * n_groups
    votes = np.zeros((n_groups, n_groups), dtype=np.int64)
    np.add.at(votes, (labels, fit.rival), 1)
    near = []
    for c in range(n_groups):
        order = np.argsort(-votes[c], kind="stable")[:most]
        # A handful of stray documents makes no neighbour.
        enough = 0.15 * votes[c].sum()
        near.append(tuple(int(d) for d in order if d != c and votes[c, d] > enough))
    return near


def _typical(
    views: Sequence[View], worth: Sequence[sp.csr_array], rows: npt.NDArray[np.int64], c: int
) -> Floats:
    """How much of what tells the group is in each of its documents, for their length.

    Fit is not the measure here: it is greatest for what is rare elsewhere, however little of
    the group shares it.
    """
    total = np.zeros(len(rows))
    for view, weights in zip(views, worth, strict=True):
        part = slice(weights.indptr[c], weights.indptr[c + 1])
        if part.start == part.stop or not len(rows):
            continue
        value = np.zeros(view.table.shape[1])
        # Words are most of what a reader sees; a side that took no part has no say.
        say = 0.0 if not view.solved else 1.0 if view.kind == "words" else 0.5
        value[weights.indices[part]] = say * weights.data[part] / weights.data[part].sum()
        counts = view.table[rows]
        present = sp.csr_array(
            (np.ones(len(counts.data)), counts.indices, counts.indptr), shape=counts.shape
        )
        length = np.diff(counts.indptr)
        total += (present @ value) / (length + max(1.0, float(length.mean()))) ** 0.75
    return total


def _choose(
    collection: CollectionLike,
    rows: npt.NDArray[np.int64],
    fit: Fit,
    confidence: Floats | None,
    most: int,
) -> list[tuple[int, bool]]:
    """Typical documents, no two of one thread if it can be helped, then the least sure ones.

    ``rows`` has the most typical first.
    """
    # of a group that holds all, none could have gone elsewhere
    doubtful = 2 if len(rows) >= 12 and most >= 4 and len(rows) < len(fit.own) else 0
    typical: list[int] = []
    seen: set[str] = set()
    order = rows.tolist()
    for row in order[: 20 * most]:
        title = bare_title(str(collection.titles[row] or ""))
        if title and title in seen:
            continue
        seen.add(title)
        typical.append(row)
        if len(typical) == most - doubtful:
            break
    for row in order:
        if len(typical) >= min(len(rows), most - doubtful):
            break
        if row not in typical:
            typical.append(row)
    chosen = [(row, True) for row in typical]
    if doubtful:
        doubt = fit.margin if confidence is None else confidence
        least = rows[np.lexsort((fit.margin[rows], doubt[rows]))].tolist()
        # A document without any counts fits everywhere alike: nothing to learn from it.
        unsure = [row for row in least if row not in typical and fit.own[row] != 0.0]
        chosen += [(row, False) for row in unsure[:doubtful]]
    return chosen


def _whereabouts(collection: CollectionLike, n: int) -> list[str]:
    """Where each document was read from, after its id unless that is a message's."""
    sources = [str(source) for source in getattr(collection, "sources", ())]
    ids = getattr(collection, "ids", ())
    if len(sources) == len(ids) == n and not kind_of(collection.kind).messages:
        return [a if a == b else f"{a} · {b}" for a, b in zip(ids, sources, strict=True)]
    return sources if len(sources) == n else []


def _texts(collection: CollectionLike, rows: Sequence[int]) -> dict[int, str]:
    """Beginnings of texts, read in the order they lie in; empty where they can't be read."""
    texts: dict[int, str] = {}
    if kind_of(collection.kind).counted:  # words in the order of a table's columns say nothing
        return dict.fromkeys(rows, "")
    for row in rows:
        try:
            texts[row] = str(collection.text(row) or "")[:MOST_READ]
        except ReadError:
            # The text may have been deleted since; all else is still known.
            texts[row] = ""
    return texts


def _sample(
    collection: CollectionLike,
    row: int,
    titles: Sequence[str],
    people: View | None,
    veil: Veil,
    confidence: Floats | None,
    truth: Sequence[str | None] | None,
) -> Sample:
    named: list[str] = []
    more = 0
    if people is not None:
        part = slice(people.table.indptr[row], people.table.indptr[row + 1])
        columns = people.table.indices[part][people.table.data[part] > 0].tolist()
        named = [str(veil.name(people.name, column)) for column in columns[:_MOST_PEOPLE]]
        more = len(columns) - len(named)
    return Sample(
        title=str(titles[row] or "")[:_LONGEST],
        date=day_of(collection.dates[row]),
        people=tuple(named),
        more_people=more,
        confidence=None if confidence is None else float(confidence[row]),
        truth=None if truth is None else truth[row],
    )
