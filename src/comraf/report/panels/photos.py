"""Groups of photos: which ones to show, and the colours and textures that tell them apart."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.collection.sides import photo_sides
from comraf.collection.vision.words import colour_word, is_colour, texture_word, without_number
from comraf.errors import ReadError
from comraf.report.counting import Floats, View, worths
from comraf.report.data import Group, Picture, Region, ReportData, Swatch
from comraf.report.panels.panel import GroupPanel, Values
from comraf.report.panels.telling import has_words
from comraf.report.periods import day_of
from comraf.report.photo_names import photo_names
from comraf.report.snippets import beginnings
from comraf.report.style import sheet
from comraf.report.titles import value_titles
from comraf.results.contributions import best_columns, row_stretches

if TYPE_CHECKING:
    from comraf.collection.collection import Collection as Texts
    from comraf.report.answer import Answer

__all__ = [
    "LOOKS",
    "PICTURES",
    "choose",
    "looks",
    "pictures",
    "regions",
    "seen_sides",
    "swatches",
    "typical",
]

# All photos of a page together, as they stand in it (base64 takes four bytes for three).
_MOST_BYTES = 3_300_000
_MOST_EACH = 18
_LEAST_EACH = 12
_MOST_PAGE = 600
_SMALL = 112
_DOUBTFUL = 3
_MOST_CELLS = 20_000_000  # of groups by values, for a table that is dense for a moment
_MOST_SWATCHES = 8
_MOST_REGIONS = 6
_MORE = 1.15  # times as much as in all: less is nothing that anybody would see
_JPEG = b"\xff\xd8\xff"
_LARGEST = 200_000
_LONGEST = 400
ON_CARD, _ON_STRIP = 6, 6

_FIGURE = """\
{% macro about(picture) -%}
<b dir="auto">{{ (picture.name if picture.name|length <= 60 else "…" ~ picture.name[-59:])|plain(80)
  }}</b> {% set dot = joiner(" · ") %}
{%- if picture.caption %}{{ dot() }}<span>{{ picture.caption|user(240) }}</span>{% endif %}
{%- if picture.date is not none %}{{ dot() }}<span>{{ when(picture.date) }}</span>{% endif %}
{%- if picture.truth is not none %}{{ dot() }}<span>class {{ picture.truth|user(40) }}</span>
{%- endif %}
{%- if picture.rival is not none %}{{ dot() }}<span>almost as well in {{
  group_link(picture.rival) }}</span>{% endif %}
{%- endmacro %}
{% macro mosaic(pictures, more="") -%}
<div class="mosaic{{ more }}">{% for picture in pictures %}
<figure tabindex="-1"><img src="data:image/jpeg;base64,{{ base64(picture.jpeg) }}" alt="{{
  (picture.caption or picture.name)|plain(300) }}" loading="lazy" decoding="async">
<figcaption>{{ about(picture) }}</figcaption></figure>
{% endfor %}</div>
{%- endmacro %}
"""

# The group's colours side by side.
_STRIP = """\
{% if colours %}<span class="strip" aria-hidden="true">
{%- for item in colours[:on_strip] %}<i style="--s:{{ item.colour }}"></i>{% endfor %}</span>
{%- endif %}
"""

# Regions stand where a group has no words.
_LINE = (
    """\
{% if regions and not worded %}<small class="words">{{
  listed(regions[:3]|map(attribute="look")|list, 60) }}</small>{% endif %}
"""
    + _STRIP
)

_CARD = _FIGURE + "{% if typical %}{{ mosaic(typical[:on_card]) }}{% endif %}" + _STRIP

# A photo can be clicked but is no stop of the Tab key, since there may be hundreds: what is said
# of each stands in a list as well, which opens by the keyboard. The first ``beyond`` are shown
# elsewhere.
_FULL = (
    _FIGURE
    + """\
{{ mosaic(typical[beyond:]) }}
{% if typical|length < group.size %}
<p class="shown">{{ typical|length|commas }} of {{ group.size|count_of(data.kind) }} shown, the
 most typical first</p>
{% endif %}
{% set elsewhere = many ~ " that another group fits almost as well" %}
<details class="listed"><summary>names{{ " and captions" if captioned else "" }}
{%- if doubtful %}, and {{ doubtful|length }} {{ elsewhere }}{% endif %}</summary>
<ol>{% for picture in typical %}<li>{{ about(picture) }}</li>{% endfor %}</ol>
{% if doubtful %}
<h4>{{ elsewhere }}</h4>
{{ mosaic(doubtful, " rest") }}
<ol>{% for picture in doubtful %}<li>{{ about(picture) }}</li>{% endfor %}</ol>
{% endif %}
</details>
"""
)

_ABOUT = """\
 Of colours it is said which share of the group's
 pixels they are, and of all pixels; of regions, which share of them look like that (a blob is a
 kind of region).
"""

_LISTS = """\
{% macro shares(item) -%}
<small>{{ item.share|percent }} here, {{ item.overall|percent }} in all</small>
{%- endmacro %}
{% if colours %}
<div><h4>colours</h4><ol class="swatches">
{% for item in colours %}<li><i style="--s:{{ item.colour }}" aria-hidden="true"></i><span>{{
  item.word }}</span>{{ shares(item) }}</li>
{% endfor %}</ol></div>
{% endif %}
{% if regions %}
<div><h4>regions</h4><ol class="regions">
{% for item in regions %}<li>{{ item.look|user(60) }}{{ shares(item) }}</li>
{% endfor %}</ol></div>
{% endif %}
{% if texture %}
<div><h4>texture</h4><ul class="looks">
{% for look in texture %}<li>{{ look|user(60) }}</li>
{% endfor %}</ul></div>
{% endif %}
"""


def seen_sides(collection: Texts) -> tuple[str, ...]:
    """Sides that are seen and not read; none if the collection has no photos.

    Examples
    --------
    >>> from types import SimpleNamespace as Record
    >>> seen_sides(Record(photos=None, sides={"colours": None}))
    ()
    """
    if getattr(collection, "photos", None) is None:
        return ()
    return tuple(name for name in photo_sides() if name in collection.sides)


def _line_shows(data: ReportData) -> list[str]:
    """What stands beside the names of groups of photos."""
    regions = any(group.more.get("regions") and not has_words(group) for group in data.groups)
    colours = any(map(_colours, data.groups))
    return [*(["regions"] if regions else []), *(["colours"] if colours else [])]


def _colours(group: Group) -> list[Swatch]:
    return [item for item in group.more.get("swatches", ()) if is_colour(item.colour)]


def _rules(groups: Sequence[Group]) -> str:
    return sheet("photos.css") if any(map(PICTURES.needs, groups)) else ""


def _gather_pictures(answer: Answer, groups: Sequence[Values]) -> list[Values]:
    """The photos of each group that are shown."""
    if not answer.photos or not answer.include_text:
        return [{} for _ in groups]
    doubt = answer.placed.margin if answer.confidence is None else answer.confidence
    chosen = [choose(rows, answer.typical, doubt, len(groups)) for rows in answer.members]
    shown = pictures(answer.collection, chosen, answer.placed.runner_up, answer.truth)
    return [{"pictures": found, "samples": ()} for found in shown]


# Sides, and what is gathered of each for every group.
_FIELDS = {"colours": "swatches", "texture": "looks", "blobs": "regions"}


def _gather_looks(answer: Answer, groups: Sequence[Values]) -> list[Values]:
    """Colours, regions and textures of each group, and a name made of its colours."""
    if not answer.photos:
        return [{} for _ in groups]
    found: list[Values] = [{} for _ in groups]
    for view in answer.views:
        if view.kind != "looks":
            continue
        # colours and textures are the same for everybody: there is nothing to hide
        values = [str(value) for value in answer.collection.sides[view.name].values]
        made: Sequence[object] = ()
        if view.name == "colours":
            made = swatches(view, values)
        elif view.name == "texture":
            made = looks(view, values, answer.sizes)
        elif view.name == "blobs":
            made = regions(view, value_titles(answer.collection)["blobs"])
        for group, value in zip(found, made, strict=False):
            group[_FIELDS[view.name]] = value
    # groups that were made by something else are not called by what they look like
    if any(view.solved and view.name in (*photo_sides(), "neighbours") for view in answer.views):
        telling = [{"colours": _worths_of(group.get("swatches", ()))} for group in found]
        for group, name, before in zip(found, photo_names(telling), groups, strict=True):
            if name and not any(side.kind == "words" for side in before["telling"]):
                group["name"] = name
    return found


def _worths_of(found: Sequence[Swatch]) -> list[tuple[str, float]]:
    """Colours of a group with what they tell of it."""
    return [
        (swatch.colour, swatch.share * float(np.log(max(swatch.share / swatch.overall, 1.0))))
        for swatch in found
        if swatch.overall > 0
    ]


def typical(answer: Answer) -> Floats:
    """How typical each photo is of its group: what it shows, in the measure of the group.

    On each side that is the mean of log p(value | group) / p(value) over all of the photo, not
    only over which values it has, since a single pixel of a colour says nothing. Sides are
    brought to one scale within each group.
    """
    labels = answer.labels
    total = np.zeros(len(labels))
    for view in answer.views:
        taken = view.solved and view.kind != "dates"
        if not taken or answer.n_groups * view.table.shape[1] > _MOST_CELLS:
            continue
        # half a unit of every value, so that what a group does not have is not forbidden
        counts = np.asarray(view.by_group.toarray(), dtype=np.float64)
        overall = counts.sum(axis=0) / max(counts.sum(), 1e-300)
        sums = counts.sum(axis=1, keepdims=True)
        prior = 0.005 * np.maximum(sums, 1.0)
        inside = (counts + prior * overall) / (sums + prior)
        with np.errstate(divide="ignore", invalid="ignore"):
            lift = np.where(overall > 0, np.log(inside / overall), 0.0)
        score = np.zeros(len(labels))
        for start, part in row_stretches(view.table):
            here = labels[start : start + part.shape[0]]
            lengths = np.asarray(part.sum(axis=1))
            rows = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
            worth = part.data * lift[here[rows], part.indices]
            found = np.bincount(rows, worth, part.shape[0]) / np.maximum(lengths, 1e-300)
            score[start : start + part.shape[0]] = found
        for rows in filter(len, answer.members):
            mine = score[rows]
            total[rows] += (mine - mine.mean()) / (float(mine.std()) or 1.0)
    return total


def choose(
    rows: npt.NDArray[np.int64], typicality: Floats, doubt: Floats, n_groups: int
) -> list[tuple[int, bool]]:
    """Photos of a group to show: typical ones, then those that nearly went elsewhere.

    Examples
    --------
    >>> rows = np.arange(30)
    >>> chosen = choose(rows, -rows.astype(float), rows.astype(float), 3)
    >>> len(chosen), chosen[0], chosen[-1]
    (21, (0, True), (20, False))
    """
    most = max(2, min(_MOST_EACH, max(_LEAST_EACH, _MOST_PAGE // max(1, n_groups))))
    # where there is but one group, there is no elsewhere
    doubtful = _DOUBTFUL if len(rows) >= 2 * _LEAST_EACH and n_groups > 1 else 0
    order = rows[np.argsort(-typicality[rows], kind="stable")]
    chosen = [(int(row), True) for row in order[:most]]
    rest = order[most:]
    unsure = rest[np.argsort(doubt[rest], kind="stable")][:doubtful]
    return chosen + [(int(row), False) for row in unsure]


def pictures(
    collection: Texts,
    chosen: Sequence[Sequence[tuple[int, bool]]],
    rival: npt.NDArray[np.integer],
    truth: Sequence[str | None] | None,
) -> list[tuple[Picture, ...]]:
    """The chosen photos of every group, fewer or smaller ones where the page would grow large."""
    photos: Any = getattr(collection, "photos", None)
    if photos is None:
        return [() for _ in chosen]
    rows = sorted({row for group in chosen for row, _ in group})
    small = {row: jpeg for row in rows if (jpeg := thumbnail(photos, row))}
    if _page_bytes(small.values()) > _MOST_BYTES:
        small = {row: _smaller(jpeg) for row, jpeg in small.items()}
    # one photo for each group, then the next for each: none is left with an empty mosaic
    room = _MOST_BYTES
    kept: list[list[tuple[int, bool]]] = [[] for _ in chosen]
    for rank in range(max(map(len, chosen), default=0)):
        for c, group in enumerate(chosen):
            if rank < len(group) and (file := small.get(group[rank][0])):
                room -= _page_bytes([file])
                if room >= 0:
                    kept[c].append(group[rank])
    ids = getattr(collection, "ids", collection.titles)
    shown = sorted(row for group in kept for row, _ in group)
    texts = beginnings(collection, shown, _LONGEST)
    return [
        tuple(
            Picture(
                small[row],
                str(ids[row])[-_LONGEST:],
                texts[row],
                day_of(collection.dates[row]),
                None if truth is None else truth[row],
                sure,
                None if sure else int(rival[row]),
            )
            for row, sure in group
        )
        for group in kept
    ]


def _page_bytes(files: Any) -> int:
    return sum(4 * (len(file) + 2) // 3 for file in files)


def thumbnail(photos: Any, row: int) -> bytes:
    """The small picture of a photo; empty where it can't be read or is no JPEG file."""
    try:
        jpeg = bytes(photos[row].thumbnail)
    except ReadError:
        return b""  # all else is still known
    # it goes into the page as a JPEG file, so it had better be one
    return jpeg if jpeg.startswith(_JPEG) and len(jpeg) <= _LARGEST else b""


def _smaller(jpeg: bytes) -> bytes:
    """The same picture with fewer pixels; as it is where Pillow is not there or can't read it."""
    try:
        from PIL import Image

        with Image.open(io.BytesIO(jpeg), formats=("JPEG",)) as image:
            if max(image.size) > 1024:
                return b""
            image.thumbnail((_SMALL, _SMALL))
            file = io.BytesIO()
            image.save(file, "JPEG", quality=70, optimize=True)
    except ImportError:
        return jpeg
    except (OSError, ValueError, SyntaxError):
        return b""
    found = file.getvalue()
    return found if len(found) < len(jpeg) else jpeg


def swatches(view: View, values: Sequence[str]) -> list[tuple[Swatch, ...]]:
    """Colours that tell each group apart, best first; those with one word are one.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> counts = sp.csr_array([[9.0, 1.0], [0.0, 10.0]])
    >>> found = swatches(View("colours", counts, counts, None, 0), ["#ffffff", "#000000"])
    >>> found[0][0].word, found[0][0].share, found[0][0].overall
    ('white', 0.9, 0.45)
    """
    words = [colour_word(value) if is_colour(value) else "" for value in values]
    best = _telling_words(view, words, _MOST_SWATCHES)
    # of the colours with one word, the group's own is shown
    shades = best_columns(worths(view.by_group), len(values))
    made = []
    for found, own in zip(best, shades, strict=True):
        shade: dict[str, str] = {}
        for column, _ in own:
            shade.setdefault(words[column], values[column])
        made.append(
            tuple(
                Swatch(shade[word], word, share, overall)
                for word, share, overall in found
                if word in shade
            )
        )
    return made


def regions(view: View, names: Sequence[str]) -> list[tuple[Region, ...]]:
    """What the regions of each group look like more often than others, in words.

    Parameters
    ----------
    view : View
        Of blobs.
    names : sequence of str
        What they look like (see `comraf.collection.vision.words.blob_names`).

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> counts = sp.csr_array([[4.0, 5.0, 1.0], [0.0, 0.0, 10.0]])
    >>> names = ["smooth blue (1)", "smooth blue (2)", "grey with strong texture"]
    >>> regions(View("blobs", counts, counts, None, 0), names)[0]
    (Region(look='smooth blue', share=0.9, overall=0.45),)
    """
    found = _telling_words(view, [without_number(name) for name in names], _MOST_REGIONS)
    return [tuple(Region(*one) for one in best) for best in found]


def _telling_words(
    view: View, words: Sequence[str], most: int
) -> list[list[tuple[str, float, float]]]:
    """Of values that have words: those that tell each group apart, with shares here and in all."""
    known = sorted(set(words) - {""})
    place = {word: i for i, word in enumerate(known)}
    columns = [i for i, word in enumerate(words) if word]
    joined = sp.csr_array(
        (np.ones(len(columns)), (columns, [place[words[i]] for i in columns])),
        shape=(len(words), len(known)),
    )
    counts = sp.csr_array(view.by_group @ joined)
    overall = np.asarray(counts.sum(axis=0), dtype=np.float64)
    overall /= max(float(view.by_group.sum()), 1e-300)
    sums = np.asarray(view.by_group.sum(axis=1), dtype=np.float64)
    out = []
    for c, best in enumerate(best_columns(worths(counts), most)):
        row = np.asarray(counts[[c]].toarray())[0] / max(float(sums[c]), 1e-300)
        shares = [(known[i], float(row[i]), float(overall[i])) for i, _ in best]
        # of one group alone nothing could be told if it had to be more than in all
        out.append([one for one in shares if one[1] >= _MORE * one[2] or counts.shape[0] == 1])
    return out


def looks(
    view: View, values: Sequence[str], sizes: npt.NDArray[np.integer]
) -> list[tuple[str, ...]]:
    """The texture of each group in a few words.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> counts = sp.csr_array([[9.0, 1.0], [1.0, 1.0]])
    >>> looks(View("texture", counts, counts, None, 0), ["fine 0°", "fine 90°"], np.array([1, 1]))
    [('rich in detail', 'fine upright lines'), ('smooth', 'fine level lines')]
    """
    counts = view.by_group
    telling = best_columns(worths(counts), 2)
    mass = np.asarray(counts.sum(axis=1), dtype=np.float64)
    usual = float(mass.sum()) / max(1, int(sizes.sum()))
    made = []
    for c in range(counts.shape[0]):
        words = []
        if usual > 0 and sizes[c]:
            ratio = mass[c] / sizes[c] / usual
            words += ["smooth"] if ratio < 0.67 else ["rich in detail"] if ratio > 1.4 else []
        words += [texture_word(values[column]) for column, _ in telling[c]]
        made.append(tuple(dict.fromkeys(words)))
    return made


def _show(group: Group, data: ReportData) -> dict[str, Any]:
    pictures = group.more.get("pictures", ())
    return {
        "pictures": pictures,
        "regions": group.more.get("regions", ()),
        "texture": group.more.get("looks", ()),
        "base64": lambda jpeg: b64encode(jpeg).decode("ascii"),
        "captioned": any(picture.caption for picture in pictures),
        "colours": _colours(group),
        "doubtful": [picture for picture in pictures if not picture.sure],
        "on_card": ON_CARD,
        "on_strip": _ON_STRIP,
        "typical": [picture for picture in pictures if picture.sure],
        "worded": has_words(group),
    }


PICTURES = GroupPanel(
    name="pictures",
    needs=lambda group: group.more.get("pictures") or group.more.get("swatches"),
    gather=_gather_pictures,
    show=_show,
    card=_CARD,
    full="{% if pictures %}" + _FULL + "{% endif %}",
    rules=_rules,
)
LOOKS = GroupPanel(
    name="looks",
    needs=lambda group: any(group.more.get(name) for name in ("swatches", "regions", "looks")),
    line_shows=_line_shows,
    gather=_gather_looks,
    show=_show,
    line=_LINE,
    lists=_LISTS,
    about=_ABOUT,
)
