"""Batch steps of co-clustering: every element to the prototype it fits best.

Where a sweep moves one element at a time, a batch step holds the counts of all clusters
still. The score of element ``i`` in cluster ``c`` is ``sum_j v_j * w[col_j, c]`` with
``w = coef * log N``: what is left of the gain of a move when the element is small beside
the cluster, and, up to a constant, minus its Kullback-Leibler divergence from the cluster's
prototype (Dhillon, Mallela and Modha 2003).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from comraf.kernels.jit import jit
from comraf.kernels.plan import CountArray, FloatArray, Plan

__all__ = ["assign", "assign_reference", "prototypes", "self_scores"]

# As in a sweep: what a move pays less than this per unit of mass is rounding.
TOLERANCE = 1e-9


def prototypes(plan: Plan, counts: CountArray) -> FloatArray:
    """``coef * log N`` for every column and cluster, minus infinity where a cell is empty.

    Mass columns of clusters without counts are 0: their cells say all there is to say. So are
    the columns of edges without weight.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.zeros(0)
    >>> plan = Plan(none, none, none, np.array([0.5, -0.5]), np.array([[0, 1]]), *[none] * 6)
    >>> prototypes(plan, np.array([[1, 0], [1, 0]])).tolist()
    [[0.0, -inf], [-0.0, -0.0]]
    """
    with np.errstate(divide="ignore"):
        logs = np.log(counts.astype(np.float64))
    masses = plan.segments[:, 1]
    logs[masses] = np.where(np.isfinite(logs[masses]), logs[masses], 0.0)
    logs[plan.coef == 0.0] = 0.0
    return np.ascontiguousarray(logs * plan.coef[:, None])


def self_scores(plan: Plan) -> FloatArray:
    """Score of each element in a cluster that holds nothing else: the best it could have.

    Examples
    --------
    >>> import numpy as np
    >>> arrays = np.array([0, 2]), np.array([0, 1]), np.array([3, 3]), np.array([0.5, -0.5])
    >>> self_scores(Plan(*arrays, np.array([[0, 1]]), *[np.zeros(0)] * 6)).tolist()
    [0.0]
    """
    values = plan.data.astype(np.float64)
    terms = plan.coef[plan.indices] * values * np.log(np.maximum(values, 1.0))
    sums = np.concatenate([np.zeros(1), np.cumsum(terms)])
    return np.asarray(sums[plan.indptr[1:]] - sums[plan.indptr[:-1]])


@jit
def assign(indptr, indices, data, mass, weights, start, stop, labels, scores):  # type: ignore[no-untyped-def]
    """Best cluster of elements ``start:stop``, in place, and the score it has there.

    ``labels`` come in as they were: an element stays where another cluster is no better.
    Returns the number of elements that moved.
    """
    k = weights.shape[1]
    out = np.empty(k)
    moved = 0
    for i in range(start, stop):
        out[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            v = np.float64(data[p])
            row = weights[indices[p]]
            for c in range(k):
                out[c] += v * row[c]
        a = labels[i]
        b = a
        best = out[a] + TOLERANCE * mass[i]
        for c in range(k):
            if out[c] > best:
                best = out[c]
                b = c
        scores[i] = out[b]
        if b != a:
            labels[i] = b
            moved += 1
    return moved


def assign_reference(
    plan: Plan, weights: FloatArray, labels: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], FloatArray]:
    """Plain NumPy twin of `assign` over all elements: (labels, scores).

    Examples
    --------
    >>> import numpy as np
    >>> arrays = np.array([0, 1, 2]), np.array([0, 1]), np.array([1, 1]), np.ones(2)
    >>> plan = Plan(*arrays, np.zeros((0, 2)), np.zeros(0), np.ones(2), *[np.zeros(0)] * 4)
    >>> assign_reference(plan, np.array([[0.0, -1.0], [-1.0, 0.0]]), np.zeros(2, np.int32))[0]
    array([0, 1], dtype=int32)
    """
    new = labels.copy()
    scores = np.zeros(plan.n_elements)
    for i in range(plan.n_elements):
        row = slice(plan.indptr[i], plan.indptr[i + 1])
        out = np.zeros(weights.shape[1])
        for column, v in zip(plan.indices[row], plan.data[row], strict=True):
            out += float(v) * weights[column]
        handicap = np.full(len(out), TOLERANCE * plan.mass[i])
        handicap[labels[i]] = 0.0
        best = int(np.argmax(out - handicap))
        if out[best] > out[labels[i]] + TOLERANCE * plan.mass[i]:
            new[i] = best
        scores[i] = out[new[i]]
    return new, scores
