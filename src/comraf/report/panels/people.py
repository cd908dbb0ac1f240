"""Who clusters with whom: people by the groups they take part in, and by each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from comraf.report.counting import View, present
from comraf.report.data import PeopleMatrix, ReportData, Side
from comraf.report.drawing import SHADES, matrix, shade
from comraf.report.markup import plain
from comraf.report.panels.panel import Panel
from comraf.report.panels.sides import cluster_rows
from comraf.report.privacy import ValueNames
from comraf.report.scales import plural

if TYPE_CHECKING:
    from comraf.report.answer import Answer

__all__ = ["PANEL", "make_people"]

_MOST_PEOPLE = 44

_TEMPLATE = """\
<h2>Who clusters with whom</h2>
<p class="about">
{%- if clustered %}People are clustered by the groups they take part in, not by who writes to whom:
 two of one cluster appear in the same kind of {{ many }}.
{%- else %}The people in most {{ many }}, and the groups that these are in.{% endif %}</p>
{% for name, rows in sides %}
{% if sides|length > 1 %}<h3>{{ name|user(40) }}</h3>{% endif %}
{{ clusters(rows) }}
{% endfor %}
{% if data.people is not none %}
{% call fold("Who is named together with whom") %}
<figure><figcaption class="soft">The {{ data.people.names|length }} people in most {{ many }},
 ordered by cluster; frames are the clusters found. Blue: two are named together more often than
 expected of people who are named together with others as often as they are; sand: less often. So a
 list of recipients that has everybody colours nothing.</figcaption>
{{ heat_key(shades) }}
{% call(i) matrix(table) %}{{ clip(data.people.names[i], 60) }}{% endcall %}
</figure>
{%- endcall %}
{% endif %}
"""


def _alike(view: View, clusters: np.ndarray) -> list[int]:
    """Clusters in an order in which neighbours belong to the same groups of documents."""
    if len(clusters) < 3:
        return [int(c) for c in clusters]
    from scipy.cluster.hierarchy import leaves_list, linkage

    joint = view.joint[:, clusters]
    profiles = np.sqrt(joint / np.maximum(joint.sum(axis=0), 1e-300)).T
    tree = linkage(profiles, method="average", optimal_ordering=True)
    return [int(clusters[leaf]) for leaf in leaves_list(tree)]


def make_people(view: View, names: ValueNames) -> PeopleMatrix | None:
    """The people of most documents, by cluster, and how many documents name each two of them.

    None where there are fewer than three.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> table = sp.csr_array([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    >>> view = View("people", table, table, np.array([0, 0, 1]), 2)
    >>> make_people(view, ValueNames({"people": ["Ada", "Bo", "Cy"]}, {}, private=False)).cells
    ((2, 2, 0), (2, 2, 0), (0, 0, 1))
    """
    named = present(view.table)
    in_documents = np.asarray(named.sum(axis=0))
    people = np.argsort(-in_documents, kind="stable")[:_MOST_PEOPLE]
    people = people[in_documents[people] > 0]
    if len(people) < 3:
        return None
    place = {c: i for i, c in enumerate(_alike(view, np.unique(view.clusters[people])))}
    order = sorted(
        people.tolist(), key=lambda p: (place[int(view.clusters[p])], -int(in_documents[p]), p)
    )
    part = named[:, order]
    together = np.asarray((part.T @ part).toarray())
    lifts = _lifts(together)
    return PeopleMatrix(
        view.name,
        tuple(str(names.name(view.name, person)) for person in order),
        tuple(int(view.clusters[person]) for person in order),
        tuple(tuple(row) for row in together.tolist()),
        tuple(tuple(round(lift, 3) for lift in row) for row in lifts.tolist()),
    )


def _lifts(together: np.ndarray) -> np.ndarray:
    """log2 of how often two are named together over how often they would be by chance."""
    # Chance knows how often each is named together with any of the others, so that those who are on
    # every list of recipients are no closer to each other than expected.
    pairs = together * (1.0 - np.eye(len(together)))
    sums = pairs.sum(axis=1)
    weights = np.sqrt(np.maximum(sums, 1e-12))
    for _ in range(200):  # sums of the rows without the diagonal, which nobody shares
        rest = np.maximum(weights.sum() - weights, 1e-12)
        weights = np.sqrt(weights * sums / rest)
    # one document more on either side: a single one proves nothing
    return np.log2((pairs + 1.0) / (np.outer(weights, weights) + 1.0))


def _people_sides(data: ReportData) -> list[Side]:
    return [side for side in data.sides if side.kind == "people" and side.clusters]


def _show(data: ReportData) -> dict[str, Any]:
    sides = _people_sides(data)
    return {
        "clustered": any(side.clustered for side in sides),
        "sides": [(side.name, cluster_rows(side, data)) for side in sides],
        "shades": SHADES,
        "table": None if data.people is None else _table(data.people, plural(data.kind)),
    }


def _table(people: PeopleMatrix, many: str) -> dict[str, Any]:
    """Who is named together more often than expected; clusters are framed on the diagonal."""
    names = [plain(name, 60) for name in people.names]
    lifts = people.lifts or [[0.0] * len(names)] * len(names)
    fills = [
        [
            "" if i == j or (not people.cells[i][j] and lift > -0.5) else shade(lift)
            for j, lift in enumerate(row)
        ]
        for i, row in enumerate(lifts)
    ]

    def describe(i: int, j: int) -> str:
        shared = f"{people.cells[i][j]:,} {many} shared"
        return f"{names[i]} and {names[j]}: {shared}, {2.0 ** lifts[i][j]:.1f} times the expected"

    return matrix(
        _heads(people.clusters),
        fills,
        f"{len(names)} people by people: more or fewer shared {many} than expected, "
        "clusters framed",
        describe=describe,
        blocks=_blocks(people.clusters),
        cell=16,
    )


def _heads(clusters: tuple[int, ...]) -> list[str]:
    """The table is symmetric and its rows are named: clusters are enough above the columns."""
    return [
        f"cluster {cluster}" if i == 0 or clusters[i - 1] != cluster else ""
        for i, cluster in enumerate(clusters)
    ]


def _blocks(clusters: tuple[int, ...]) -> list[tuple[int, int]]:
    blocks = []
    start = 0
    for i in range(1, len(clusters) + 1):
        if i == len(clusters) or clusters[i] != clusters[start]:
            if i - start > 1:
                blocks.append((start, i - 1))
            start = i
    return blocks


def _gather(answer: Answer) -> dict[str, Any]:
    views = [view for view in answer.views if view.labels is not None and view.kind == "people"]
    return {"people": make_people(views[0], answer.value_names) if views else None}


PANEL = Panel(
    name="people",
    short="People",
    template=_TEMPLATE,
    needs=_people_sides,
    gather=_gather,
    show=_show,
)
