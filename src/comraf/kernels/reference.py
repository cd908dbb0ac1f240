"""The kernels in plain NumPy: slow, short, and the truth the compiled twins are held to.

Signatures and side effects are those of `comraf.kernels.compiled`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from comraf.kernels.plan import Counts, FloatArray, IntArray, Plan

__all__ = [
    "aggregate",
    "count",
    "gains",
    "merge_costs",
    "nearest",
    "phi",
    "scores",
    "shuffle",
    "sweep",
    "value",
]

_TOLERANCE = 1e-9
_MASK = (1 << 64) - 1


def phi(t: npt.ArrayLike) -> FloatArray:
    """``t * log(t)``, 0 at 0.

    Examples
    --------
    >>> phi([0, 1]).tolist()
    [0.0, 0.0]
    """
    t = np.asarray(t, dtype=np.float64)
    return t * np.log(np.where(t > 0, t, 1.0))


def next_uniform(state: npt.NDArray[np.uint64]) -> float:
    """One draw from (0, 1) by splitmix64; advances ``state[0]``."""
    z = (int(state[0]) + 0x9E3779B97F4A7C15) & _MASK
    state[0] = z
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    z ^= z >> 31
    return ((z >> 11) + 0.5) / 9007199254740992.0


def aggregate(
    indptr: IntArray,
    indices: npt.NDArray[np.int32],
    data: IntArray,
    labels: npt.NDArray[np.int32],
    k: int,
) -> tuple[IntArray, npt.NDArray[np.int32], IntArray]:
    """Rows of a CSR table with its columns put together by ``labels``, plus the row sums."""
    out_indptr = [0]
    out_indices: list[int] = []
    out_data: list[int] = []
    for i in range(len(indptr) - 1):
        row = slice(indptr[i], indptr[i + 1])
        sums: dict[int, int] = {}  # keeps the order in which clusters are met
        for c, v in zip(labels[indices[row]].tolist(), data[row].tolist(), strict=True):
            sums[c] = sums.get(c, 0) + v
        if sums:
            sums[k] = sum(sums.values())
        out_indices.extend(sums.keys())
        out_data.extend(sums.values())
        out_indptr.append(len(out_indices))
    return (
        np.array(out_indptr, dtype=np.int64),
        np.array(out_indices, dtype=np.int32),
        np.array(out_data, dtype=np.int64),
    )


def count(plan: Plan, labels: npt.NDArray[np.int32], k: int) -> IntArray:
    """Counts of every column in every cluster, (columns, k)."""
    counts = np.zeros((plan.n_columns, k), dtype=np.int64)
    rows = np.repeat(labels, np.diff(plan.indptr))
    np.add.at(counts, (plan.indices, rows), plan.data)
    return counts


def _put(plan: Plan, state: Counts, i: int, c: int, sign: int) -> None:
    row = slice(plan.indptr[i], plan.indptr[i + 1])
    columns = plan.indices[row]
    state.counts[columns, c] += sign * plan.data[row]
    state.cell_max[columns] = np.maximum(state.cell_max[columns], state.counts[columns, c])


def gains(plan: Plan, state: Counts, i: int) -> FloatArray:
    """Gain of putting ``i``, which is in no cluster now, into each cluster."""
    row = slice(plan.indptr[i], plan.indptr[i + 1])
    columns = plan.indices[row]
    before = state.counts[columns]
    step = phi(before + plan.data[row][:, None]) - phi(before)
    out = plan.coef[columns] @ step
    pairs = slice(plan.pair_indptr[i], plan.pair_indptr[i + 1])
    np.add.at(out, state.labels[plan.pair_indices[pairs]], plan.pair_weights[pairs])
    if len(plan.unary):
        out = out + plan.unary[i]
    return np.asarray(out, dtype=np.float64)


def _move(plan: Plan, state: Counts, i: int, a: int, b: int) -> None:
    state.labels[i] = b
    state.sizes[a] -= 1
    state.sizes[b] += 1


def sweep(
    plan: Plan,
    state: Counts,
    order: IntArray,
    start: int,
    stop: int,
    temperature: float,
    random: npt.NDArray[np.uint64],
) -> tuple[int, float]:
    """Offer elements ``order[start:stop]`` their best cluster, one after the other."""
    moved, gained = 0, 0.0
    for i in order[start:stop]:
        a = b = int(state.labels[i])
        if state.sizes[a] == 1:
            continue
        _put(plan, state, i, a, -1)
        out = gains(plan, state, i)
        if temperature > 0:
            uniform = np.array([next_uniform(random) for _ in out])
            b = int(np.argmax(out - temperature * plan.mass[i] * np.log(-np.log(uniform))))
        else:
            handicap = np.full(len(out), _TOLERANCE * plan.mass[i])
            handicap[a] = 0.0
            best = int(np.argmax(out - handicap))
            if out[best] > out[a] + _TOLERANCE * plan.mass[i]:
                b = best
        _put(plan, state, i, b, 1)
        if b != a:
            _move(plan, state, i, a, b)
            moved += 1
            gained += float(out[b] - out[a])
    return moved, gained


def shuffle(
    plan: Plan,
    state: Counts,
    elements: IntArray,
    n_trials: int,
    random: npt.NDArray[np.uint64],
) -> tuple[int, float]:
    """Try random (element, cluster) pairs; move where that raises the objective."""
    moved, gained = 0, 0.0
    for _ in range(n_trials):
        i = int(elements[int(next_uniform(random) * len(elements))])
        b = int(next_uniform(random) * len(state.sizes))
        a = int(state.labels[i])
        if a == b or state.sizes[a] == 1:
            continue
        _put(plan, state, i, a, -1)
        out = gains(plan, state, i)
        gain = float(out[b] - out[a])
        better = gain > _TOLERANCE * plan.mass[i]
        _put(plan, state, i, b if better else a, 1)
        if better:
            _move(plan, state, i, a, b)
            moved += 1
            gained += gain
    return moved, gained


def value(counts: IntArray, coef: FloatArray) -> float:
    """``sum coef[col] * phi(counts[col, c])``: the part of the objective that can change."""
    return float(coef @ phi(counts).sum(axis=1))


def merge_costs(plan: Plan, counts: IntArray, i: int, per_mass: bool) -> FloatArray:
    """Cost of merging cluster ``i`` with each cluster: lost objective, or JS divergence."""
    out = np.zeros(counts.shape[1])
    for (first, mass_col), total in zip(plan.segments, plan.totals, strict=True):
        if counts[mass_col, i] == 0:
            continue
        block = counts[first : mass_col + 1]
        coef = plan.coef[first : mass_col + 1]
        own = block[:, [i]]
        lost = np.maximum(0.0, coef @ (phi(own) + phi(block) - phi(own + block)))
        if per_mass:
            lost = np.where(block[-1] > 0, lost * total / (own[-1] + block[-1]), 0.0)
        out += lost
    return out


def nearest(plan: Plan, counts: IntArray, per_mass: bool) -> tuple[IntArray, FloatArray]:
    """Closest peer of each cluster and the cost of merging with it."""
    costs = np.full((counts.shape[1],) * 2, np.inf)
    for i in range(len(costs) - 1):  # each pair once, from its lower number, as the twin does
        costs[i, i + 1 :] = costs[i + 1 :, i] = merge_costs(plan, counts, i, per_mass)[i + 1 :]
    peers = []
    for i, row in enumerate(costs):
        equal = np.flatnonzero(row == row.min())
        peers.append(min(equal, key=lambda j: _tie_breaker(min(i, int(j)), max(i, int(j)))))
    return np.array(peers, dtype=np.int64), costs.min(axis=1)


def _tie_breaker(i: int, j: int) -> int:
    """A number for the pair i < j that looks random: equal costs are decided by it."""
    z = (i << 32) ^ j
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def scores(plan: Plan, state: Counts, own: bool) -> FloatArray:
    """Gain of every element in every cluster, each left out of its own one if ``own``."""
    out = np.empty((plan.n_elements, state.counts.shape[1]))
    for i in range(plan.n_elements):
        if own:
            _put(plan, state, i, int(state.labels[i]), -1)
        out[i] = gains(plan, state, i)
        if own:
            _put(plan, state, i, int(state.labels[i]), 1)
    return out
