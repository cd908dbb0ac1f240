"""What was decided, skipped and left out, and what the words of the page mean."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from comraf.report.data import ClassShare, Skipped
from comraf.report.panels.panel import Panel

if TYPE_CHECKING:
    from comraf.report.answer import Answer

__all__ = ["PANEL"]

_MOST_NOTES = 40

_TEMPLATE = """\
<h2>Notes</h2>
{% if data.notes %}
<div><h3 class="label">while reading</h3>
<ul class="plain">
{% for line in data.notes[:most] %}<li dir="auto">{{ line|plain(400) }}</li>
{% endfor %}</ul></div>
{% endif %}
{% if data.skipped is not none and data.skipped.total %}
<div class="side"><h3 class="label">{{ data.skipped.total|count_of("item") }} skipped</h3>
{% if data.skipped.reasons %}
<ul class="plain">
{% for reason in data.skipped.reasons %}<li><span class="num">{{ reason.count|commas }} × </span>
{{- reason.name|user(200) }}</li>
{% endfor %}</ul>
{% endif %}
{% if data.skipped.examples %}
<details><summary>which</summary><ul class="plain">
{% for where, why in data.skipped.examples %}<li>{{ where|user(160) }}<span class="soft"> – </span>
{{- why|user(200) }}</li>
{% endfor %}</ul></details>
{% endif %}
</div>
{% endif %}
<div class="side"><h3 class="label">words of this page</h3>
<dl>
<dt>telling</dt>
<dd>A value tells a group by p(v,g) log p(v,g) / p(v)p(g): often in the group's {{ many }}, and more
 often than elsewhere.</dd>
<dt>typical</dt>
<dd>{{ many|capitalize }} whose words and other values speak most for their group; the most typical
 come first in a group's list.</dd>
<dt>nat</dt>
<dd>The unit of information here; 0.69 nats are one bit.</dd>
{% if data.groups|rejectattr("confidence", "none")|list %}
<dt>confidence</dt>
<dd>How sure the group of each {{ data.kind }} is, 0 to 100%.</dd>
{% endif %}
{% if not data.text_shown %}
<dt>without text</dt>
<dd>Texts, titles, sources and ids are left out. People and other names are replaced by their rank,
 classes by numbers. Single telling words are kept, except those that are part of a known name or
 address, or look like a number.</dd>
{% endif %}
</dl></div>
"""


def _gather(answer: Answer) -> dict[str, Any]:
    notes = () if not answer.include_text else (*answer.collection.notes, *answer.notes)
    return {"notes": tuple(map(str, notes)), "skipped": _skipped(answer)}


def _skipped(answer: Answer) -> Skipped | None:
    skipped = answer.collection.skipped
    total = max(len(skipped), int(getattr(answer.collection, "n_skipped", 0)))
    if not total:
        return None
    if not answer.include_text:
        return Skipped(total)
    reasons = Counter(str(item.reason) for item in skipped)
    return Skipped(
        total,
        tuple(ClassShare(name, n) for name, n in reasons.most_common(12)),
        tuple((str(item.source), str(item.reason)) for item in skipped[:20]),
    )


PANEL = Panel(
    name="notes",
    short="Notes",
    template=_TEMPLATE,
    gather=_gather,
    show=lambda data: {"most": _MOST_NOTES},
)
