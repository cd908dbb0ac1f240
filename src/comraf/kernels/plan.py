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

__all__ = ["PHI_CAP", "Counts", "Plan", "phi_table"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: Largest count whose phi comes from the table (32 MB of doubles); beyond it, ``log``.
PHI_CAP = 1 << 22


class Plan(NamedTuple):
    """Everything a sweep reads about one node; nothing in it changes during a sweep.

    ``segments[e]`` is ``(first column, one past the last cell column)`` of edge ``e``; the
    edge's mass column is ``segments[e, 1]`` itself. ``totals[e]`` is the sum of all of the
    edge's counts, so that ``loss * total / count`` is a loss per unit of mass.
    """

    indptr: IntArray
    indices: npt.NDArray[np.int32]
    data: IntArray
    coef: FloatArray
    segments: IntArray
    totals: FloatArray
    mass: FloatArray  # per element: sum of coef * count over cell columns
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

    ``cell_max[col]`` bounds ``counts[col, :]`` from above; it tells when phi may be read
    from the table without a check in the inner loop.
    """

    counts: IntArray  # (columns, k)
    cell_max: IntArray
    sizes: IntArray
    labels: npt.NDArray[np.int32]


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
