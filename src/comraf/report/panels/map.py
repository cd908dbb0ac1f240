"""The map of documents: dots in the colours of their groups, a number on each group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.report.data import DocumentMap, MapPoint, ReportData
from comraf.report.layout import first_copies, pick_rows, place_documents, spread
from comraf.report.marks import hollow, mark_path, marker, outline
from comraf.report.markup import plain
from comraf.report.panels.panel import Panel
from comraf.report.scales import dot_size
from comraf.report.titles import item_titles
from comraf.results.scorer import Scored

if TYPE_CHECKING:
    from comraf.report.answer import Answer

__all__ = ["PANEL", "make_map", "move_apart"]

_WIDTH = 1000.0
_MARGIN = 22.0
_LONGEST = 90  # characters of a title beside a dot
# A hundred names would be longer than the map.
_FEW = 40
# Room for the number of a group, and how often numbers in each other's way step aside.
_DIGIT, _LINE, _TURNS = 12.0, 20.0, 40

# Links cannot be nested or grouped by keyboard users one dot at a time: one per group. With many
# groups numbers do under the map; the table above has the names.
_TEMPLATE = """\
{% macro mark(dot) -%}
{% if dot.path %}<path d="{{ dot.path }}"
{%- elif dot.size %}<text x="{{ dot.x }}" y="{{ dot.y }}" font-size="{{ dot.size }}"
{%- else %}<circle cx="{{ dot.x }}" cy="{{ dot.y }}" r="{{ dot.radius }}"
{%- endif %}
{%- if dot.title or dot.size %}>{% if dot.title %}<title>{{ dot.title }}</title>{% endif %}
{{- dot.number if dot.size else "" }}</{{ "path" if dot.path else "text" if dot.size
  else "circle" }}>
{%- else %}/>{% endif %}
{%- endmacro %}
<h2>Map of {{ many }}</h2>
<p class="about">A dot is one of the {{ many }}, drawn towards the groups that it resembles: in the
 middle of a cloud are typical ones, between two clouds those that could belong to either. Only
 nearness means something, not left or right, up or down.
{%- if n_copies %} {{ n_copies|commas }} larger dots stand for several with nearly the same words.
{%- endif %}
{%- if n_shown < data.map.n_documents %} Shown: {{ n_shown|commas }} of {{
  data.map.n_documents|commas }}.{% endif %}</p>
<div>
<div class="map{{ '' if few else ' many' }}"><svg viewBox="{{ box }}" role="group">
<title>Map of {{ n_shown|commas }} {{ many }} in {{ layers|length }} groups</title>
{% for number, said, dots in layers %}
<a href="#g{{ number }}" aria-label="{{ said }}"><title>{{ said }}</title>
<g class="dots d{{ number }} {{ number|look }}">{% for dot in dots %}{{ mark(dot) }}{% endfor %}</g>
</a>
{% endfor %}
{% for number, x, y in tags %}
<text x="{{ x }}" y="{{ y }}" class="tag" aria-hidden="true">{{ number }}</text>
{% endfor %}
</svg></div>
<fieldset class="picks"><legend class="unseen">Single out a group</legend>
{%- macro pick(ident, title, checked=false) -%}
<label{% if title %} title="{{ title }}"{% endif %}><input type="radio" name="pick" id="{{ ident }}"
 class="unseen"{{ " checked" if checked else "" }}>{{ caller() }}</label>
{%- endmacro %}
{%- call pick("pick", "", true) %}all groups{% endcall %}
{%- for group in picks %}
{%- call pick("pick" ~ group.number, group.name|plain(80)) %}{{ swatch(group.number) }}
{%- if few %} {{ group.name|user(40) }}{% endif %}{% endcall %}
{%- endfor -%}
</fieldset>
</div>
"""


def _gather(answer: Answer) -> dict[str, Any]:
    titles = None if not answer.include_text else item_titles(answer.collection)
    words = [view.table for view in answer.views if view.kind == "words" and view.solved]
    # photos with the same caption are no copies
    near = None if answer.photos or not words else words[0]
    return {"map": make_map(answer.scored, answer.labels, titles, answer.n_points, near)}


def make_map(
    scored: Scored,
    labels: npt.NDArray[np.integer],
    titles: Sequence[str] | None,
    most: int,
    words: sp.csr_array | None = None,
) -> DocumentMap | None:
    """Documents in the plane; None where there is one group only, or hardly a document.

    Parameters
    ----------
    scored : Scored
        The documents' scores in every group.
    labels : array of int
    titles : sequence of str or None
        What a dot says when pointed at.
    most : int
        At most about so many dots.
    words : sparse array, optional
        Documents by words. Of documents with nearly the same words one has a dot, which is
        larger: a thousand copies of a form letter must not take the room of all others.

    Examples
    --------
    >>> from comraf.results.placement import side_counts
    >>> table, labels = sp.csr_array([[4, 0], [3, 1], [0, 5]]), np.array([0, 0, 1], np.int32)
    >>> known = side_counts(table, labels, np.arange(2, dtype=np.int32), (2, 2))
    >>> scored = Scored({"words": known}, {"words": table}, labels)
    >>> chart = make_map(scored, labels, ["a", "b", "c"], 100)
    >>> [point.title for point in chart.points], len(chart.labels)
    (['a', 'b', 'c'], 2)
    """
    n_groups = scored.k
    if n_groups < 2 or len(labels) < 3 or most < 1:
        return None
    rows = pick_rows(labels, n_groups, most)
    copies = np.ones(len(rows), dtype=np.int64)
    if words is not None:
        first = first_copies(words[rows], labels[rows])
        copies = np.bincount(first, minlength=len(rows))[np.unique(first)]
        rows = rows[np.unique(first)]
    here = labels[rows]
    _, places = place_documents(scored.heats_of(rows), here, n_groups)
    extent = np.ptp(places, axis=0)
    if not extent.max() > 0:
        return None
    if extent[1] > extent[0]:
        places = places[:, ::-1]
    # Few dots can be large, many have to be small; the plot follows the same rule.
    gap = min(14.0, 0.36 * np.sqrt(0.6 * _WIDTH**2 / len(rows)))
    sizes = np.array([dot_size(n) for n in copies.tolist()])
    places = spread(places * (_WIDTH / extent.max()), gap, sizes)
    low, extent = places.min(axis=0), np.ptp(places, axis=0)
    width = float(extent[0])
    aspect = float(np.clip(extent[1] / width, 0.45, 0.64))
    height = aspect * width
    # Stretched to the paper where it is nearly a line; distances are a manner of speaking here.
    x = (places[:, 0] - low[0]) / width
    y = (places[:, 1] - low[1]) / max(float(extent[1]), 1e-9)
    if extent[1] < 0.1 * height:
        y = 0.5 + (places[:, 1] - places[:, 1].mean()) / height
    points = []
    for row, group, px, py, n in zip(
        rows.tolist(), here.tolist(), x.tolist(), y.tolist(), copies.tolist(), strict=True
    ):
        title = "" if titles is None else str(titles[row] or "")[:_LONGEST]
        points.append(MapPoint(round(px, 4), round(py, 4), group, title, n))
    labelled = []
    for c in range(n_groups):
        inside = here == c
        if inside.any():
            middle = float(np.median(x[inside])), float(np.median(y[inside]))
            labelled.append(MapPoint(round(middle[0], 4), round(middle[1], 4), c))
    return DocumentMap(tuple(points), tuple(labelled), len(labels), round(aspect, 3))


def move_apart(
    places: Sequence[tuple[float, float]], digits: Sequence[int]
) -> list[tuple[float, float]]:
    """Places of numbers, moved a little where they would be written over each other.

    Parameters
    ----------
    places : sequence of (float, float)
        Where their middles are wanted.
    digits : sequence of int
        How long each of them is.

    Examples
    --------
    >>> move_apart([(10.0, 10.0), (10.0, 12.0)], [1, 1])
    [(2.0, 10.0), (18.0, 12.0)]
    """
    out = [list(place) for place in places]
    order = sorted(range(len(out)), key=lambda i: (out[i][1], out[i][0]))
    for _ in range(_TURNS):
        moved = False
        for n, i in enumerate(order):
            for j in order[n + 1 :]:
                wide = _DIGIT * (digits[i] + digits[j]) / 2 + 4
                dx, dy = out[j][0] - out[i][0], out[j][1] - out[i][1]
                if abs(dx) >= wide or abs(dy) >= _LINE:
                    continue
                moved = True
                # Along the axis on which less is missing; half a step each.
                axis, miss, way = (
                    (0, wide - abs(dx), 1 if dx >= 0 else -1)
                    if wide - abs(dx) < _LINE - abs(dy)
                    else (1, _LINE - abs(dy), 1 if dy >= 0 else -1)
                )
                out[i][axis] -= way * miss / 2
                out[j][axis] += way * miss / 2
        if not moved:
            break
    return [(x, y) for x, y in out]


def _show(data: ReportData) -> dict[str, Any]:
    chart = data.map
    if chart is None:
        return {}
    # The same rule as the layout's: dots just touch where they are dense.
    radius = min(5.5, 0.14 * math.sqrt(0.6 * _WIDTH**2 / max(1, len(chart.points))))
    height = _WIDTH * chart.aspect
    by_group: dict[int, list[dict[str, Any]]] = {}
    for point in chart.points:
        by_group.setdefault(point.group, []).append(_dot(point, radius, height))
    names = {
        group.number: f"group {group.number}: {plain(group.name, 60)}" for group in data.groups
    }
    places = move_apart(
        [_place(point, height) for point in chart.labels],
        [len(str(point.group)) for point in chart.labels],
    )
    return {
        "box": f"0 0 {_WIDTH + 2 * _MARGIN:g} {height + 2 * _MARGIN:.0f}",
        "few": len(by_group) <= _FEW,
        "layers": [
            (number, names.get(number, f"group {number}"), dots)
            for number, dots in sorted(by_group.items())
        ],
        "n_copies": sum(point.copies > 1 for point in chart.points),
        "n_shown": sum(point.copies for point in chart.points),
        "picks": [group for group in data.groups if group.number in by_group],
        "tags": [
            (point.group, x, y + 6) for point, (x, y) in zip(chart.labels, places, strict=True)
        ],
    }


def _place(point: MapPoint, height: float) -> tuple[float, float]:
    return _MARGIN + point.x * _WIDTH, _MARGIN + point.y * height


def _dot(point: MapPoint, radius: float, height: float) -> dict[str, Any]:
    """A circle, a path or, where no look is left for the group, its number."""
    more = f" and {point.copies - 1:,} more nearly like it" if point.copies > 1 else ""
    radius *= dot_size(point.copies)
    x, y = _place(point, height)
    mark = marker(point.group)
    dot: dict[str, Any] = {
        "title": f"{plain(point.title, 90)}{more} (group {point.group})" if point.title else "",
        "number": point.group,
        "path": "",
        "size": 0,
        "x": x,
        "y": y,
    }
    if mark is None:
        dot["size"] = max(9.0, 2.6 * radius)
        dot["y"] = y + 0.36 * dot["size"]
        return dot
    dot["radius"] = radius * (0.85 if hollow(mark) else 1.0)
    if outline(mark) is not None:
        dot["path"] = mark_path(mark, x, y, 1.25 * dot["radius"])
    return dot


def _rules(data: ReportData) -> str:
    """Rules that fade all groups but the one chosen under the map."""
    numbers = [group.number for group in data.groups]
    return "".join(f"#map:has(#pick{n}:checked) .dots:not(.d{n}){{opacity:.1}}" for n in numbers)


PANEL = Panel(
    name="map",
    short="Map",
    template=_TEMPLATE,
    needs=lambda data: data.map is not None and data.map.points,
    gather=_gather,
    show=_show,
    rules=_rules,
)
