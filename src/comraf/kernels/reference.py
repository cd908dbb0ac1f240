"""The kernels in plain NumPy: slow, short, and the truth the compiled twins are held to.

Signatures and side effects are those of `comraf.kernels.compiled`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from comraf.kernels.plan import CountArray, Counts, FloatArray, IntArray, Plan

__all__ = [
    "aggregate",
    "anneal",
    "count",
    "gains",
    "merge_costs",
    "nearest",
    "phi",
    "propose",
    "scores",
    "screen",
    "shuffle",
    "sweep",
    "typical",
    "value",
]

_TOLERANCE = 1e-9
NEAR, CLEAR = 0.1, 0.2
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


def typical(plan: Plan) -> IntArray:
    """The mean of each column's counts, rounded to a whole number of 1 or more."""
    sums, entries = np.zeros(plan.n_columns), np.zeros(plan.n_columns)
    np.add.at(sums, plan.indices, plan.data)
    np.add.at(entries, plan.indices, 1)
    return np.maximum(1, np.floor(sums / np.maximum(entries, 1) + 0.5)).astype(np.int64)


def screen(plan: Plan, counts: CountArray, usual: IntArray) -> npt.NDArray[np.float32]:
    """What a unit of each column is worth in each cluster, if counts were the typical ones."""
    u = usual[:, None]
    cells = plan.coef[:, None] * (phi(counts + u) - phi(counts)) / u
    return np.asarray(cells, dtype=np.float32)


def _row(plan: Plan, i: int) -> tuple[npt.NDArray[np.int32], IntArray]:
    """Columns and counts of one element."""
    part = slice(plan.indptr[i], plan.indptr[i + 1])
    return plan.indices[part], plan.data[part].astype(np.int64)


def _wishes(plan: Plan, state: Counts, i: int) -> FloatArray:
    """What pairs and unary scores say of ``i`` in each cluster."""
    out = np.zeros(state.counts.shape[1])
    pairs = slice(plan.pair_indptr[i], plan.pair_indptr[i + 1])
    np.add.at(out, state.labels[plan.pair_indices[pairs]], plan.pair_weights[pairs])
    return out + plan.unary[i] if len(plan.unary) else out


def gains(plan: Plan, state: Counts, i: int) -> FloatArray:
    """Gain of putting ``i`` into each cluster; it is left out of its own one, if it has one."""
    columns, v = _row(plan, i)
    before = state.counts[columns].astype(np.int64)
    if state.labels[i] >= 0:
        before[:, state.labels[i]] -= v
    step = phi(before + v[:, None]) - phi(before)
    return np.asarray(plan.coef[columns] @ step + _wishes(plan, state, i))


def _screened(plan: Plan, state: Counts, i: int) -> FloatArray:
    """About what putting ``i`` into each cluster gains, but for what is equal for all."""
    columns, v = _row(plan, i)
    out = np.zeros(state.counts.shape[1], np.float32)
    for col, count in zip(columns, v.astype(np.float32), strict=True):
        out += count * state.screen[col]
    approx = out.astype(np.float64)
    # what the element itself adds where it is; the screen rises about as log(t + u/2) does
    a = state.labels[i]
    t = state.counts[columns, a].astype(np.float64)
    step = 2 * v / (2 * t - v + state.typical[columns]) * (1 + 0.39 * (v / t) ** 2)
    approx[a] -= float((plan.coef[columns] * v * step).sum())
    return approx + _wishes(plan, state, i)


def propose(plan: Plan, state: Counts, i: int, exact: bool) -> tuple[int, float]:
    """The best other cluster for ``i``, and what moving there gains.

    Where the state has a screen, the three clusters that are best by it are looked at exactly,
    the second and third only if they come near; with ``exact``, and without a screen, all are.
    """
    own = int(state.labels[i])
    true = gains(plan, state, i)
    others = np.arange(len(true)) != own
    if exact or not len(state.screen):
        best = int(np.argmax(np.where(others, true, -np.inf)))
        return best, float(true[best] - true[own])
    approx = _screened(plan, state, i)
    by_screen = [c for c in np.argsort(-approx, kind="stable").tolist() if c != own][:3]
    first = by_screen[0]
    if approx[first] < approx[own] - CLEAR * plan.mass[i]:
        return first, float(approx[first] - approx[own])
    lacking = true[first] - approx[first]
    near = max(true[own], true[first]) - NEAR * plan.mass[i] - lacking
    looked_at = [first] + [c for c in by_screen[1:] if approx[c] >= near]
    best = looked_at[int(np.argmax(true[looked_at]))]
    return best, float(true[best] - true[own])


def _move(plan: Plan, state: Counts, i: int, b: int) -> None:
    """Put element ``i`` into cluster ``b``."""
    columns, v = _row(plan, i)
    a = int(state.labels[i])
    state.counts[columns, a] -= v
    state.counts[columns, b] += v
    state.labels[i] = b
    state.sizes[a] -= 1
    state.sizes[b] += 1
    if len(state.screen):
        state.screen[:] = screen(plan, state.counts, state.typical)


def sweep(
    plan: Plan,
    state: Counts,
    order: IntArray,
    start: int,
    stop: int,
    batch: int,
    exact: bool,
) -> tuple[int, float]:
    """Offer elements ``order[start:stop]`` their best cluster, ``batch`` of them at a time."""
    moved, gained = 0, 0.0
    for first in range(start, stop, batch):
        some = order[first : min(stop, first + batch)].tolist()
        free = [i for i in some if state.sizes[state.labels[i]] > 1]
        offers = {i: propose(plan, state, i, exact) for i in free}
        changed: set[int] = set()
        for i, (b, gain) in offers.items():
            least, a = _TOLERANCE * plan.mass[i], int(state.labels[i])
            if gain > least and changed & {a, b}:
                true = gains(plan, state, i)
                gain = float(true[b] - true[a]) if state.sizes[a] > 1 else -np.inf
            if gain > least:
                _move(plan, state, i, b)
                changed |= {a, b}
                moved += 1
                gained += gain
    return moved, gained


def anneal(
    plan: Plan,
    state: Counts,
    order: IntArray,
    start: int,
    stop: int,
    temperature: float,
    random: npt.NDArray[np.uint64],
) -> tuple[int, float]:
    """Put elements ``order[start:stop]`` where a draw says, one after the other."""
    moved, gained = 0, 0.0
    for i in order[start:stop].tolist():
        a = int(state.labels[i])
        if state.sizes[a] == 1:
            continue
        out = gains(plan, state, i)
        uniform = np.array([next_uniform(random) for _ in out])
        b = int(np.argmax(out - temperature * plan.mass[i] * np.log(-np.log(uniform))))
        if b != a:
            _move(plan, state, i, b)
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
        out = gains(plan, state, i)
        gain = float(out[b] - out[a])
        if gain > _TOLERANCE * plan.mass[i]:
            _move(plan, state, i, b)
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


def scores(plan: Plan, state: Counts) -> FloatArray:
    """Gain of every element in every cluster, each left out of its own one."""
    return np.array([gains(plan, state, i) for i in range(plan.n_elements)])
