"""What the terms of an objective hand to a sweep: data, not callbacks.

For the node whose elements move, the gain of putting element ``i`` into cluster ``c`` is::

    gain[c] = sum_j coef[col_j] * (phi(N[col_j, c] + v_j) - phi(N[col_j, c]))
            + sum_pairs weight_ij * [label_j == c]
            + unary[i, c]

with ``phi(t) = t log t`` and the counts ``N`` taken without ``i``. Columns are the clusters
of all neighbouring nodes, side by side, then one column more for each edge: the element's
mass on that edge, with a negative coefficient. Every term of every objective has to fit in
here; then every inference method can climb it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["PHI_CAP", "Counts", "Plan", "integers_for", "phi_table"]

IntArray = npt.NDArray[np.int64]
#: Counts: of 32 bits where their sum fits in, else of 64.
CountArray = npt.NDArray[np.integer]
FloatArray = npt.NDArray[np.float64]

#: Largest count whose phi comes from the table, which stays in the cache; beyond it, ``log``.
PHI_CAP = 1 << 16


class Plan(NamedTuple):
    """Everything a sweep reads about one node; nothing in it changes during a sweep.

    ``segments[e]`` is ``(first column, one past the last cell column)`` of edge ``e``; the
    edge's mass column is ``segments[e, 1]`` itself. ``totals[e]`` is the sum of all of the
    edge's counts, so that ``loss * total / count`` is a loss per unit of mass.
    """

    indptr: IntArray
    indices: npt.NDArray[np.int32]
    data: CountArray
    coef: FloatArray
    segments: IntArray
    totals: FloatArray
    mass: FloatArray  # per element: sum of |coef| * count over cell columns
    pair_indptr: IntArray
    pair_indices: npt.NDArray[np.int32]
    pair_weights: FloatArray
    unary: FloatArray  # (n, k), or (0, 0) when there is none

    @property
    def n_elements(self) -> int:
        """Number of elements of the node."""
        return len(self.indptr) - 1

    @property
    def n_columns(self) -> int:
        """Number of columns, mass columns included."""
        return len(self.coef)


class Counts(NamedTuple):
    """What a sweep changes: counts of every cluster, their sizes, and the labels.

    ``screen[col, c]`` is what a unit of a column is worth in a cluster, taken for counts of the
    size ``typical[col]``: by it a sweep chooses the clusters that it looks at exactly. It has
    no rows where all are looked at.
    """

    counts: CountArray  # (columns, k)
    sizes: IntArray
    labels: npt.NDArray[np.int32]
    screen: npt.NDArray[np.float32]
    typical: IntArray


def integers_for(total: float) -> type[np.int32] | type[np.int64]:
    """The smallest type for counts with this sum.

    Examples
    --------
    >>> integers_for(3e9).__name__
    'int64'
    """
    return np.int32 if total < 2**31 else np.int64


_table: FloatArray = np.zeros(2)


def phi_table(largest: int) -> FloatArray:
    """Table of ``t * log(t)`` for ``t = 0 .. min(largest, PHI_CAP)``.

    One table serves the process and only ever grows; a caller keeps the array it got, so
    growing it in another thread disturbs nobody.

    Examples
    --------
    >>> bool(abs(phi_table(8)[2] - 2 * 0.6931471805599453) < 1e-12)
    True
    """
    global _table
    need = min(int(largest), PHI_CAP) + 1
    if need > len(_table):
        t = np.arange(max(need, min(2 * len(_table), PHI_CAP + 1)), dtype=np.float64)
        t[1:] *= np.log(t[1:])
        _table = t
        return t  # not the global: another thread may just have put a shorter one there
    return _table
