"""Documents of a group: some to look at, and the list of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from comraf.collection.kinds import kind_of
from comraf.report.counting import Floats, View, present
from comraf.report.data import Group, ReportData, Sample
from comraf.report.markup import plain
from comraf.report.panels.panel import GroupPanel, Values
from comraf.report.periods import day_of
from comraf.report.scales import plural
from comraf.report.snippets import MOST_READ, bare_title, beginnings, snippet
from comraf.report.titles import item_titles
from comraf.results.scorer import Placed

if TYPE_CHECKING:
    from comraf.collection.collection import Collection as Texts
    from comraf.report.answer import Answer

__all__ = ["PANEL", "choose_samples", "typical_documents"]

_MOST_PEOPLE = 4
_LONGEST = 400  # characters of a title that are kept; the page may show fewer
# With very many groups each one gets fewer documents, so that the page stays small.
_MOST_SAMPLES = 720

_CARD = """\
{% set first = group.samples[:2]|selectattr("sure")|list %}
{% if first %}
<ul class="titles">
{% for sample in first %}<li>{{ clip(sample.title or "(no title)", 160) }}
{%- if sample.date %}{{ when(sample.date) }}{% endif %}</li>
{% endfor %}</ul>
{% endif %}
"""

_FULL = """\
<div class="samples{{ '' if dated else ' undated' }}">
{% for heading, samples in parts if samples %}
<h4>{{ heading }}</h4>
<ul>{% for sample in samples %}{{ sample_line(sample, words, dated) }}{% endfor %}</ul>
{% endfor %}
</div>
"""


def typical_documents(answer: Answer) -> Floats:
    """How much of what tells its group is in each document, for its length.

    The score is not the measure here: it is greatest for what is rare elsewhere, however little of
    the group shares it.
    """
    total = np.zeros(len(answer.labels))
    for c, rows in enumerate(answer.members):
        for view, weights in answer.telling_views:
            part = slice(weights.indptr[c], weights.indptr[c + 1])
            if part.start == part.stop or not len(rows):
                continue
            value = np.zeros(view.table.shape[1])
            # Words are most of what a reader sees; a side that took no part has no say.
            say = 0.0 if not view.solved else 1.0 if view.kind == "words" else 0.5
            value[weights.indices[part]] = say * weights.data[part] / weights.data[part].sum()
            counts = view.table[rows]
            length = np.diff(counts.indptr)
            total[rows] += (present(counts) @ value) / (
                length + max(1.0, float(length.mean()))
            ) ** 0.75
    return total


def choose_samples(
    titles: Sequence[str],
    rows: npt.NDArray[np.int64],
    placed: Placed,
    confidence: Floats | None,
    most: int,
) -> list[tuple[int, bool]]:
    """Typical documents, no two of one thread if it can be helped, then the least sure ones.

    ``rows`` has the most typical first.
    """
    # of a group that holds all, none could have gone elsewhere
    doubtful = 2 if len(rows) >= 12 and most >= 4 and len(rows) < len(placed.known) else 0
    typical: list[int] = []
    seen: set[str] = set()
    order = rows.tolist()
    for row in order[: 20 * most]:
        title = bare_title(str(titles[row] or ""))
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
        doubt = placed.margin if confidence is None else confidence
        least = rows[np.lexsort((placed.margin[rows], doubt[rows]))].tolist()
        # A document without any counts fits everywhere alike: nothing to learn from it.
        unsure = [row for row in least if row not in typical and placed.known[row] > 0]
        chosen += [(row, False) for row in unsure[:doubtful]]
    return chosen


def _gather(answer: Answer, groups: Sequence[Values]) -> list[Values]:
    """Samples and the list of each group, the most typical first; none without text."""
    if not answer.include_text:
        return [{} for _ in groups]
    collection, n = answer.collection, len(answer.labels)
    each = max(2, min(answer.n_samples, _MOST_SAMPLES // max(1, len(groups))))
    people = next((view for view in answer.views if view.kind == "people"), None)
    titles, sources = item_titles(collection), _whereabouts(collection, n)
    ordered = [rows[np.argsort(-answer.typical[rows], kind="stable")] for rows in answer.members]
    chosen = [
        # where another panel has chosen what to show, that says more
        []
        if "samples" in group
        else choose_samples(collection.titles, rows, answer.placed, answer.confidence, each)
        for rows, group in zip(ordered, groups, strict=True)
    ]
    shown = sorted({row for picked in chosen for row, _ in picked})
    # words in the order of the table's columns say nothing more
    unread = kind_of(collection.kind).counted
    texts = dict.fromkeys(shown, "") if unread else beginnings(collection, shown, MOST_READ)
    found: list[Values] = []
    for rows, picked, group in zip(ordered, chosen, groups, strict=True):
        telling = group["telling"]
        words = {w.value.casefold() for t in telling if t.kind == "words" for w in t.values}
        samples = tuple(
            replace(
                _sample(answer, row, titles, people),
                snippet=snippet(texts[row], words, title=str(collection.titles[row] or "")),
                sure=sure,
                rival=None if sure else int(answer.placed.runner_up[row]),
            )
            for row, sure in picked
        )
        room = len(rows) if answer.n_items >= n else answer.n_items * len(rows) // n
        items = tuple(
            replace(
                _sample(answer, row, titles, people),
                source=sources[row][-_LONGEST:] if sources else "",
            )
            for row in rows[:room].tolist()
        )
        found.append({"samples": samples, "items": items})
    return found


def _whereabouts(collection: Texts, n: int) -> list[str]:
    """Where each document was read from, after its id unless that is a message's."""
    sources = [str(source) for source in getattr(collection, "sources", ())]
    ids = getattr(collection, "ids", ())
    if len(sources) == len(ids) == n and not kind_of(collection.kind).messages:
        return [a if a == b else f"{a} · {b}" for a, b in zip(ids, sources, strict=True)]
    return sources if len(sources) == n else []


def _sample(answer: Answer, row: int, titles: Sequence[str], people: View | None) -> Sample:
    """What is said of one document."""
    named: list[str] = []
    more = 0
    if people is not None:
        part = slice(people.table.indptr[row], people.table.indptr[row + 1])
        columns = people.table.indices[part][people.table.data[part] > 0].tolist()
        named = [
            str(answer.value_names.name(people.name, column)) for column in columns[:_MOST_PEOPLE]
        ]
        more = len(columns) - len(named)
    return Sample(
        title=str(titles[row] or "")[:_LONGEST],
        date=day_of(answer.collection.dates[row]),
        people=tuple(named),
        more_people=more,
        confidence=None if answer.confidence is None else float(answer.confidence[row]),
        truth=None if answer.truth is None else answer.truth[row],
    )


def _show(group: Group, data: ReportData) -> dict[str, Any]:
    many = plural(data.kind)
    return {
        "dated": data.first is not None,
        "words": {
            plain(item.value, 80).casefold()
            for side in group.telling
            if side.kind == "words"
            for item in side.values
        },
        "parts": [
            (f"typical {many}", [sample for sample in group.samples if sample.sure]),
            (
                f"{many} that another group fits almost as well",
                [sample for sample in group.samples if not sample.sure],
            ),
        ],
    }


PANEL = GroupPanel(
    name="samples",
    needs=lambda group: group.samples,
    gather=_gather,
    show=_show,
    card=_CARD,
    full=_FULL,
)
