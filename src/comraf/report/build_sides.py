"""The other sides of a report: their clusters, clustered tables, who appears with whom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from comraf.report.counting import View, log_lift
from comraf.report.data import HeatMap, PeopleMatrix, Side, SideCluster, Weighted
from comraf.report.veil import Veil

__all__ = ["by_value", "make_heat_map", "make_people", "make_side"]

_MOST_CLUSTERS = 60
_MOST_VALUES = 400  # that are looked at, of a side without clusters
_MOST_COLUMNS = 40
_MOST_MEMBERS = 14
_MOST_PEOPLE = 44
_LONGEST_HEAD = 24


def by_value(view: View) -> View:
    """A side that was not clustered, each of its commonest values as a cluster of its own.

    Examples
    --------
    >>> counts = sp.csr_array([[4.0, 0.0, 1.0], [0.0, 3.0, 1.0]])
    >>> by_value(View("tags", counts, counts, None, 0)).clusters.tolist()
    [0, 1, 2]
    """
    mass = np.asarray(view.by_group.sum(axis=0), dtype=np.float64)
    n = min(_MOST_VALUES, len(mass))
    labels = np.full(len(mass), n, dtype=np.int32)
    labels[np.argsort(-mass, kind="stable")[:n]] = np.arange(n)
    return replace(view, labels=labels, n_clusters=n + 1, single=True)


def make_side(view: View, veil: Veil) -> Side:
    """A side's clusters, those with most counts first.

    Examples
    --------
    >>> counts = sp.csr_array([[4.0, 0.0, 1.0], [0.0, 3.0, 1.0]])
    >>> view = View("words", counts, counts, np.array([0, 1, 0]), 2)
    >>> side = make_side(view, Veil({"words": ["sea", "leaf", "sun"]}, {}, drawn=False))
    >>> [member.value for member in side.clusters[0].members], side.clusters[1].groups
    (['sea', 'sun'], (0.0, 1.0))
    """
    mass = np.asarray(view.by_group.sum(axis=0), dtype=np.float64)
    joint = view.joint
    of_cluster = joint.sum(axis=0)
    sizes = np.bincount(view.clusters, minlength=view.n_clusters)
    order = np.argsort(-of_cluster, kind="stable")
    order = order[(of_cluster[order] > 0) & (order < view.n_clusters - view.single)]
    clusters = []
    for c in order[:_MOST_CLUSTERS].tolist():
        values = np.flatnonzero(view.clusters == c)
        clusters.append(
            SideCluster(
                number=c,
                size=int(sizes[c]),
                share=float(of_cluster[c] / of_cluster.sum()),
                members=_members(view.name, values, mass, veil),
                groups=tuple((joint[:, c] / of_cluster[c]).tolist()),
            )
        )
    n_all = int((mass > 0).sum()) if view.single else len(order)
    return Side(view.name, len(view.clusters), n_all, tuple(clusters), view.kind, not view.single)


def _members(
    side: str, values: np.ndarray, mass: np.ndarray, veil: Veil, most: int = _MOST_MEMBERS
) -> tuple[Weighted, ...]:
    ranked = values[np.argsort(-mass[values], kind="stable")]
    kept: list[Weighted] = []
    for value in ranked[: 6 * most].tolist():
        name = veil.name(side, value)
        if name is not None and mass[value] > 0:
            kept.append(Weighted(name, float(mass[value])))
        if len(kept) == most:
            break
    return tuple(kept)


def make_heat_map(view: View, veil: Veil, information: float) -> HeatMap:
    """A clustered table: which clusters of a side are over- and under-used by which groups.

    Columns are ordered by the group that uses them most, so that the table falls into blocks.

    Examples
    --------
    >>> counts = sp.csr_array([[9.0, 0.0], [0.0, 9.0]])
    >>> view = View("words", counts, counts, np.array([1, 0]), 2)
    >>> heat = make_heat_map(view, Veil({"words": ["sea", "leaf"]}, {}, drawn=False), 0.69)
    >>> heat.columns, heat.cells[0][0] > 0 > heat.cells[0][1]
    (((1, 'sea'), (0, 'leaf')), True)
    """
    joint = view.joint
    mean = float(view.by_group.sum()) / max(1, int(view.table.nnz))
    lift = log_lift(joint, max(mean, 1e-12))
    of_cluster = joint.sum(axis=0)
    # What a column adds to the information: those that add least are left out first.
    with np.errstate(divide="ignore", invalid="ignore"):
        share = joint / joint.sum()
        expected = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
        worth = np.where(share > 0, share * np.log(share / expected), 0.0).sum(axis=0)
    kept = np.argsort(-worth[: view.n_clusters - view.single], kind="stable")[:_MOST_COLUMNS]
    kept = kept[of_cluster[kept] > 0]
    # Within a block the clearest column comes first.
    kept = kept[np.lexsort((kept, -lift[:, kept].max(axis=0), lift[:, kept].argmax(axis=0)))]
    mass = np.asarray(view.by_group.sum(axis=0), dtype=np.float64)
    columns = []
    for c in kept.tolist():
        members = _members(view.name, np.flatnonzero(view.clusters == c), mass, veil, 2)
        both = ", ".join(member.value for member in members)
        columns.append((c, both if len(both) <= _LONGEST_HEAD or not members else members[0].value))
    return HeatMap(
        view.name,
        tuple(columns),
        tuple(tuple(round(cell, 3) for cell in row) for row in lift[:, kept].tolist()),
        int((mass > 0).sum()) if view.single else int((of_cluster > 0).sum()),
        information,
        not view.single,
    )


def _alike(view: View, clusters: np.ndarray) -> list[int]:
    """Clusters in an order in which neighbours belong to the same groups of documents."""
    if len(clusters) < 3:
        return [int(c) for c in clusters]
    from scipy.cluster.hierarchy import leaves_list, linkage

    joint = view.joint[:, clusters]
    profiles = np.sqrt(joint / np.maximum(joint.sum(axis=0), 1e-300)).T
    tree = linkage(profiles, method="average", optimal_ordering=True)
    return [int(clusters[leaf]) for leaf in leaves_list(tree)]


def make_people(view: View, veil: Veil) -> PeopleMatrix | None:
    """The people of most documents, by cluster, and how many documents name each two of them.

    None where there are fewer than three.

    Examples
    --------
    >>> table = sp.csr_array([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    >>> view = View("people", table, table, np.array([0, 0, 1]), 2)
    >>> make_people(view, Veil({"people": ["Ada", "Bo", "Cy"]}, {}, drawn=False)).cells
    ((2, 2, 0), (2, 2, 0), (0, 0, 1))
    """
    present = sp.csr_array(
        (np.ones(len(view.table.data), dtype=np.int64), view.table.indices, view.table.indptr),
        shape=view.table.shape,
    )
    in_documents = np.asarray(present.sum(axis=0))
    people = np.argsort(-in_documents, kind="stable")[:_MOST_PEOPLE]
    people = people[in_documents[people] > 0]
    if len(people) < 3:
        return None
    place = {c: i for i, c in enumerate(_alike(view, np.unique(view.clusters[people])))}
    order = sorted(
        people.tolist(), key=lambda p: (place[int(view.clusters[p])], -int(in_documents[p]), p)
    )
    part = present[:, order]
    together = np.asarray((part.T @ part).toarray())
    lifts = _lifts(together)
    return PeopleMatrix(
        view.name,
        tuple(str(veil.name(view.name, person)) for person in order),
        tuple(int(view.clusters[person]) for person in order),
        tuple(tuple(row) for row in together.tolist()),
        tuple(tuple(round(lift, 3) for lift in row) for row in lifts.tolist()),
    )


def _lifts(together: np.ndarray) -> np.ndarray:
    """log2 of how often two are named together over how often they would be by chance.

    Chance knows how often each is named together with any of the others, so that those who are
    on every list of recipients are no closer to each other than expected.
    """
    pairs = together * (1.0 - np.eye(len(together)))
    sums = pairs.sum(axis=1)
    weights = np.sqrt(np.maximum(sums, 1e-12))
    for _ in range(200):  # sums of the rows without the diagonal, which nobody shares
        rest = np.maximum(weights.sum() - weights, 1e-12)
        weights = np.sqrt(weights * sums / rest)
    # one document more on either side: a single one proves nothing
    return np.log2((pairs + 1.0) / (np.outer(weights, weights) + 1.0))
