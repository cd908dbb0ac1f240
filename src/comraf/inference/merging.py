"""Bottom-up: clusters joined with their closest peers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.inference.gathering import closest
from comraf.inference.moves import Tick, slices, table_for
from comraf.kernels import compiled
from comraf.kernels.plan import Counts, FloatArray, IntArray, Plan
from comraf.objectives import FIRM, Labels

__all__ = ["MERGE_COSTS", "join", "join_heaviest", "match", "merge_pairs"]

MERGE_COSTS = ("js", "loss")


def match(plan: Plan, state: Counts, n_pairs: int, cost: str, tick: Tick) -> IntArray:
    """The ``n_pairs`` disjoint pairs of clusters to merge, closest first, as (n_pairs, 2).

    Each round finds every free cluster's closest free peer and takes pairs in order of
    cost while both are free; the rest meet in the next round. A matching, not chains: a
    cluster is in one pair at most. Memory is linear in the number of clusters.

    There are fewer pairs where others would join what must not be together, but always one:
    what is wrong with that one is up to the search that follows.
    """
    k = len(state.sizes)
    if not 0 <= 2 * n_pairs <= k:
        raise ValueError(f"{n_pairs} disjoint pairs can't be made of {k} clusters")
    free = np.arange(k)
    pairs: list[tuple[int, int]] = []
    spent = 0.0
    phi = table_for(plan)
    pull = _pull(plan, state.labels, k)
    while len(pairs) < n_pairs:
        counts = state.counts if len(free) == k else np.ascontiguousarray(state.counts[:, free])
        pulls = _arrays(pull if len(free) == k else pull[free][:, free])
        cell_max = counts.max(axis=1)
        peer = np.full(len(free), -1, dtype=np.int64)
        price = np.full(len(free), np.inf)
        tie = np.full(len(free), np.iinfo(np.uint64).max, dtype=np.uint64)
        cells = 0.5 * len(free) * np.count_nonzero(counts) / max(1, len(free))
        for start, stop in slices(len(free), cells):
            compiled.nearest(
                plan, counts, cell_max, pulls, start, stop, cost == "js", phi, peer, price, tie
            )
            part = 0.5 * (stop - start) / max(1, k) * len(free) / max(1, k)
            spent += part
            tick(min(part, max(0.0, 1.0 - spent)))
        taken = np.zeros(len(free), dtype=bool)
        for i in np.argsort(price, kind="stable"):
            j = peer[i]
            if pairs and price[i] > FIRM / 2 and pull[free[i], free[j]] < -FIRM / 2:
                break
            if not (taken[i] or taken[j]) and len(pairs) < n_pairs:
                taken[i] = taken[j] = True
                pairs.append((int(free[min(i, j)]), int(free[max(i, j)])))
        if not taken.any():
            break
        free = free[~taken]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _pull(plan: Plan, labels: Labels, k: int) -> sp.csr_array:
    """Weights of the preferences of pairs between any two clusters."""
    n = plan.n_elements
    member = sp.csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, k))
    pairs = sp.csr_array((plan.pair_weights, plan.pair_indices, plan.pair_indptr), shape=(n, n))
    return sp.csr_array(member.T @ pairs @ member)


def _arrays(pull: sp.csr_array) -> tuple[IntArray, npt.NDArray[np.int32], FloatArray]:
    return pull.indptr.astype(np.int64), pull.indices.astype(np.int32), pull.data.astype(np.float64)


def merge_pairs(labels: Labels, k: int, pairs: IntArray) -> tuple[Labels, int]:
    """Labels after each pair became one cluster, numbered without gaps.

    Examples
    --------
    >>> merge_pairs(np.array([0, 1, 2], dtype=np.int32), 3, np.array([[0, 2]]))
    (array([0, 1, 0], dtype=int32), 2)
    """
    new = join(k, pairs)
    return new[labels], k - len(pairs)


def join(k: int, pairs: IntArray) -> npt.NDArray[np.int32]:
    """New number of each of ``k`` clusters once the pairs are merged."""
    target = np.arange(k)
    target[pairs[:, 1]] = pairs[:, 0]
    keeps = target == np.arange(k)
    compact = np.cumsum(keeps) - 1
    return compact[target].astype(np.int32)


def join_heaviest(plan: Plan, labels: Labels, k: int, wanted: int) -> Labels:
    """Labels with the ``wanted`` heaviest clusters kept, all other elements put where they fit.

    Much coarser than merging peers, but its cost is linear in the number of elements.
    """
    mass = np.bincount(labels, weights=plan.mass, minlength=k)
    kept = np.full(k, -1, dtype=np.int64)
    kept[np.sort(np.argsort(-mass, kind="stable")[:wanted])] = np.arange(wanted)
    new = kept[labels]
    seeds = np.flatnonzero(new >= 0)
    counts = np.zeros((plan.n_columns, wanted), dtype=np.int64)
    spans = np.diff(plan.indptr)
    inside = np.repeat(new >= 0, spans)
    np.add.at(
        counts, (plan.indices[inside], np.repeat(new[seeds], spans[seeds])), plan.data[inside]
    )
    return np.where(new < 0, closest(plan, counts, lambda part: None), new).astype(np.int32)
