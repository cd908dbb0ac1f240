"""What several partitions of one side agree on: a Comraf over them, and how stable it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.inference.levels import Level, Walk
from comraf.inference.merging import match, merge_pairs
from comraf.inference.moves import Tick, counts_of, improve, no_offers, plan_value
from comraf.inference.problem import Problem
from comraf.inference.search import EXHAUSTIVE_SEARCHES
from comraf.inference.team import ALONE, Team
from comraf.kernels.plan import Plan
from comraf.objectives import Labels, MutualInformation, Objective, State

__all__ = ["agreement_plan", "merge_down", "stability"]


def _compact(labels: Labels) -> tuple[Labels, int]:
    """Labels numbered without gaps, and how many there are."""
    values, compact = np.unique(labels, return_inverse=True)
    return compact.astype(np.int32), len(values)


def agreement_plan(problem: Problem, node: int, state: State, given: Sequence[Labels]) -> Plan:
    """The plan of a node whose only neighbour is what several runs made of it.

    Preferences of pairs and single elements of the problem's stay in force, and so does what
    was said about the node's values.
    """
    parts = [_compact(labels) for labels in given]
    offsets = np.concatenate([[0], np.cumsum([k for _, k in parts])]).astype(np.int64)
    columns = np.stack([part + offsets[i] for i, (part, _) in enumerate(parts)], axis=1).ravel()
    n, n_columns = len(given[0]), int(offsets[-1])
    indptr = np.arange(n + 1, dtype=np.int64) * len(parts)
    table = sp.csr_array((np.ones(len(columns), np.int64), columns, indptr), shape=(n, n_columns))
    other = len(problem.names)
    term = MutualInformation(node, other, table)
    kept = [
        t
        for t in problem.objective.terms
        if (t in problem.said or t not in problem.edges) and t.touches(node)
    ]
    singles = np.arange(n_columns, dtype=np.int32)
    wider = State((*state.labels, singles), (*state.n_clusters, n_columns))
    return Objective([term, *kept]).plan(node, wider)


def merge_down(
    plan: Plan,
    start: Labels,
    k: int,
    rng: np.random.Generator,
    passes: float,
    tick: Tick,
    team: Team = ALONE,
) -> tuple[float, Labels, list[Level]]:
    """From one run's clusters to ``k``: merge the closest, correct, and so on.

    Returns the value reached, the labels, and some of the partitions on the way.
    """
    labels, now = _compact(start)
    counts = counts_of(plan, labels, now)
    offers = no_offers(plan)
    improve(plan, counts, rng, tick, passes=passes, offers=offers, team=team)
    walk = Walk(now, k)
    at_once = max(1, -(-(now - k) // EXHAUSTIVE_SEARCHES))
    while now > k:
        pairs = match(plan, counts, min(at_once, now - k, now // 2), "loss", tick)
        labels, now = merge_pairs(counts.labels, now, pairs)
        counts = counts_of(plan, labels, now)
        improve(plan, counts, rng, tick, passes=min(1.0, passes), offers=offers, team=team)
        walk.note(counts.labels, now)
    improve(plan, counts, rng, tick, passes=5 * passes, team=team)
    return plan_value(plan, counts), counts.labels, walk.levels


def stability(given: Sequence[Labels], labels: Labels) -> npt.NDArray[np.float64]:
    """How far the runs agree that each value is where it is, 0 to 1.

    For each run: the share of the value's cluster there that is with it now; the mean of
    these over the runs.

    Examples
    --------
    >>> runs = [np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])]
    >>> stability(runs, np.array([0, 0, 1, 1])).round(2).tolist()
    [0.83, 0.83, 0.67, 1.0]
    """
    k = int(labels.max()) + 1 if len(labels) else 1
    total = np.zeros(len(labels))
    for part in given:
        joint = np.bincount(part.astype(np.int64) * k + labels, minlength=(int(part.max()) + 1) * k)
        table = joint.reshape(-1, k)
        total += table[part, labels] / table.sum(axis=1)[part]
    return total / len(given)
