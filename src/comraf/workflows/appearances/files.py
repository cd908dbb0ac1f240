"""What is found about appearances as files: pages, names, words, links, merges."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from comraf.metrics import PrecisionRecallF, one_class_precision_recall_f
from comraf.results.files import RESULT_FILE, csv_lines
from comraf.workflows.appearances.evidence import telling
from comraf.workflows.appearances.methods import Appearances, Level

__all__ = [
    "Counted",
    "files_of",
    "merges_csv",
    "merges_svg",
    "names_in",
    "score_of",
    "telling_links",
    "telling_words",
]

_MOST = 1000
# Of the drawing, and the margin around it.
_WIDE, _HIGH, _EDGE = 420, 320, 46


@dataclass(frozen=True)
class Counted:
    """A word or a place, and how many pages have it.

    Attributes
    ----------
    value : str
    inside, outside : int
        Pages of the core and of the rest.
    names : int
        Names whose pages in the core have it.
    """

    value: str
    inside: int
    outside: int
    names: int


def _counted(found: Appearances, table: Any, values: tuple[str, ...], most: int) -> list[Counted]:
    core = found.in_core
    columns, inside, outside = telling(table, core)
    names = found.evidence.names
    columns = columns[:most]
    spread: dict[int, set[str]] = {int(j): set() for j in columns}
    for i in found.core.tolist():
        for j in table.indices[table.indptr[i] : table.indptr[i + 1]].tolist():
            if j in spread:
                spread[j].add(names[i])
    return [
        Counted(values[j], int(inside[j]), int(outside[j]), len(spread[j]))
        for j in columns.tolist()
    ]


def telling_words(found: Appearances, most: int = _MOST) -> list[Counted]:
    """Words that pages of the core have far more often than the rest."""
    return _counted(found, found.evidence.words.counts, found.evidence.words.words, most)


def telling_links(found: Appearances, most: int = _MOST) -> list[Counted]:
    """Places that at least two pages of the core share, and the rest has far less often."""
    counted = _counted(found, found.evidence.links.table, found.evidence.links.places, most)
    return [place for place in counted if place.inside > 1]


def names_in(found: Appearances) -> dict[str, tuple[int, int]]:
    """For each name the number of its pages, and of those in the core."""
    counts: dict[str, tuple[int, int]] = {}
    for name, taken in zip(found.evidence.names, found.in_core.tolist(), strict=True):
        pages, core = counts.get(name, (0, 0))
        counts[name] = pages + 1, core + taken
    return counts


def score_of(found: Appearances) -> PrecisionRecallF | None:
    """Precision, recall and F of the core, where the truth is known.

    Examples
    --------
    >>> from comraf.appearances import Page, find_appearances
    >>> place = ("http://sail.org/club",)
    >>> pages = [Page("a", "Ann", "sea race", links=place, truth=True),
    ...          Page("b", "Bob", "sea race", links=place, truth=True),
    ...          Page("c", "Bob", "bread", truth=False)]
    >>> score_of(find_appearances(pages, method="links", n_core=2)).f
    1.0
    """
    truth = found.evidence.truth
    return None if truth is None else one_class_precision_recall_f(truth, found.core)


def files_of(
    found: Appearances, *, source: str = "", asked: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """The files of an answer by name, ready for `comraf.results.files.write_folder`.

    Examples
    --------
    >>> from comraf.appearances import Page, find_appearances
    >>> place = ("http://sail.org/club",)
    >>> pages = [Page("a", "Ann", "sea race", links=place),
    ...          Page("b", "Bob", "sea race", links=place), Page("c", "Bob", "bread")]
    >>> files = files_of(find_appearances(pages, method="links", n_core=2))
    >>> sorted(files)
    ['links.csv', 'names.csv', 'pages.csv', 'result.json', 'words.csv']
    >>> files["names.csv"].split()
    ['name,pages,in_core', 'Ann,1,1', 'Bob,2,1']
    """
    files = {
        "pages.csv": _pages_csv(found),
        "names.csv": _names_csv(found),
        "words.csv": _counted_csv("word", telling_words(found)),
        "links.csv": _counted_csv("place", telling_links(found)),
    }
    if found.levels:
        files["merges.csv"] = merges_csv(found.levels)
        if found.evidence.truth is not None:
            files["merges.svg"] = merges_svg(found.levels, f"Merges of {found.method}")
    score = score_of(found)
    answer = {
        "format": "comraf-appearances",
        "version": 1,
        "source": source,
        "method": found.method,
        "parameters": dict(asked or {}),
        "pages": len(found.ranking),
        "core": len(found.core),
        "popular_hosts": found.evidence.links.popular,
        "score": None if score is None else score._asdict(),
        "notes": [*found.evidence.links.notes, *found.notes, *filter(None, [found.disagreement])],
        "files": [RESULT_FILE, *files],
        "folders": [],
    }
    return {**files, RESULT_FILE: json.dumps(answer, indent=1, ensure_ascii=False) + "\n"}


def _csv(rows: Iterable[Sequence[object]]) -> str:
    return "".join(csv_lines(rows))


def _yes(value: bool | np.bool_ | None) -> str:
    return "" if value is None else ("yes" if value else "no")


def _pages_csv(found: Appearances) -> str:
    known = found.evidence.truth is not None
    core = found.in_core
    rows: list[list[object]] = [
        ["rank", "page", "name", "in_core", "score", "url", "title", *(["truth"] if known else [])]
    ]
    for rank, i in enumerate(found.ranking.tolist(), 1):
        page = found.evidence.pages[i]
        # not a text: a negative score is no formula
        row: list[object] = [rank, page.id, page.name, _yes(core[i]), round(found.scores[i], 6)]
        rows.append([*row, page.url, page.title, *([_yes(page.truth)] if known else [])])
    return _csv(rows)


def _names_csv(found: Appearances) -> str:
    truth = found.evidence.truth
    rows: list[list[object]] = [["name", "pages", "in_core"]]
    counts = names_in(found)
    if truth is not None:
        rows[0] += ["about_circle", "rightly_in_core"]
    for name, (pages, core) in counts.items():
        row: list[object] = [name, pages, core]
        if truth is not None:
            own = [i for i, other in enumerate(found.evidence.names) if other == name and truth[i]]
            row += [len(own), int(found.in_core[own].sum())]
        rows.append(row)
    return _csv(rows)


def _counted_csv(what: str, counted: list[Counted]) -> str:
    heading: list[object] = [what, "pages_in_core", "pages_outside", "names_in_core"]
    return _csv([heading, *([one.value, one.inside, one.outside, one.names] for one in counted)])


def merges_csv(levels: Sequence[Level]) -> str:
    r"""A line for each level.

    Examples
    --------
    >>> merges_csv([Level(2, np.array([True, False]), 1.0, 0.5, 2 / 3)])
    'clusters,size,precision,recall,f\n2,1,1.0000,0.5000,0.6667\n'
    """
    lines: list[list[object]] = [["clusters", "size", "precision", "recall", "f"]]
    for level in levels:
        scores = (level.precision, level.recall, level.f)
        shown = ("" if score is None else f"{score:.4f}" for score in scores)
        lines.append([level.n_clusters, level.size, *shown])
    return _csv(lines)


def merges_svg(levels: Sequence[Level], title: str = "") -> str:
    """Precision over recall, a point for each level with its number of clusters.

    Examples
    --------
    >>> picture = merges_svg([Level(2, np.array([True, False]), 1.0, 0.5, 2 / 3)], "Merges <1>")
    >>> picture.startswith("<svg"), "Merges &lt;1&gt;" in picture
    (True, True)
    """
    wide, high = _WIDE - 2 * _EDGE, _HIGH - 2 * _EDGE

    def x(recall: float) -> float:
        return _EDGE + recall * wide

    def y(precision: float) -> float:
        return _HIGH - _EDGE - precision * high

    known = [
        (level.recall, level.precision, level.n_clusters)
        for level in levels
        if level.recall is not None and level.precision is not None
    ]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" '
        f'height="{_HIGH}" role="img" font-family="sans-serif" font-size="11">',
        f"<title>{escape(title or 'Precision and recall along the merges')}</title>",
        f'<rect width="{_WIDE}" height="{_HIGH}" fill="#fff"/>',
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts += [
            f'<path d="M{x(0):.1f} {y(tick):.1f}H{x(1):.1f}M{x(tick):.1f} {y(0):.1f}V{y(1):.1f}" '
            'stroke="#e2e5ea" fill="none"/>',
            f'<text x="{_EDGE - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.0%}</text>',
            f'<text x="{x(tick):.1f}" y="{y(0) + 15:.1f}" text-anchor="middle">{tick:.0%}</text>',
        ]
    line = " ".join(f"{x(recall):.1f},{y(precision):.1f}" for recall, precision, _ in known)
    parts.append(f'<polyline points="{line}" fill="none" stroke="#1f6fb4" stroke-width="1.5"/>')
    for recall, precision, n in known:
        at = f'cx="{x(recall):.1f}" cy="{y(precision):.1f}"'
        parts.append(f'<circle {at} r="3" fill="#1f6fb4"><title>{n} clusters</title></circle>')
        parts.append(f'<text x="{x(recall) + 5:.1f}" y="{y(precision) - 5:.1f}">{n}</text>')
    middle = _EDGE + high / 2
    parts += [
        f'<text x="{_EDGE + wide / 2}" y="{_HIGH - 8}" text-anchor="middle">recall</text>',
        f'<text x="12" y="{middle}" text-anchor="middle" transform="rotate(-90 12 {middle})">'
        "precision</text>",
        f'<text x="{_EDGE}" y="20" font-weight="bold">{escape(title)}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
