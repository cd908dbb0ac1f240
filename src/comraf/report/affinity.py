"""How well each document fits each group: who is typical, who nearly went elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.report.counting import STRETCH, Floats, View, membership

__all__ = ["Fit", "Fitter"]

# A side that was not clustered is known by its commonest values alone.
_MOST_COLUMNS = 20_000
# Share of the typical group's counts that is lent to every group, spread as in the whole.
_LENT = 0.01


@dataclass(frozen=True, eq=False)
class Fit:
    """For each document: its fit to its own group, the best other group, the distance to it."""

    own: Floats
    rival: npt.NDArray[np.int64]
    margin: Floats


@dataclass(frozen=True, eq=False)
class _Part:
    """One table with the log-ratios of its columns (or of their clusters)."""

    table: sp.csr_array
    project: sp.csr_array
    ratios: Floats
    weight: float
    shrink: float


class Fitter:
    """Scores documents against groups by the log-ratios of what they contain.

    The score of a document for a group is the mean, over its counts, of log p(value | group)
    / p(value), where a value stands for its cluster if its side was clustered; short documents
    are drawn towards 0, and tables add up with the weights of their edges.

    Examples
    --------
    >>> from comraf.report.counting import group_counts
    >>> table = sp.csr_array([[4, 0], [3, 1], [0, 5]])
    >>> labels = np.array([0, 0, 1])
    >>> view = View("words", table, group_counts(table, labels, 2), None, 0)
    >>> Fitter([view], 2).scores(np.arange(3)).argmax(axis=1).tolist()
    [0, 0, 1]
    """

    def __init__(self, views: Sequence[View], n_groups: int) -> None:
        self.n_groups = n_groups
        self._parts = [_part(view) for view in views if view.by_group.nnz]

    def scores(self, rows: npt.NDArray[np.integer]) -> Floats:
        """Documents by groups."""
        total = np.zeros((len(rows), self.n_groups))
        for part in self._parts:
            counts = sp.csr_array(part.table[rows], dtype=np.float64)
            mass = np.asarray(counts.sum(axis=1), dtype=np.float64)
            found = np.asarray((counts @ part.project) @ part.ratios.T)
            total += part.weight * found / (mass + part.shrink)[:, None]
        return total

    def fit(self, labels: npt.NDArray[np.integer]) -> Fit:
        """How every document fits where it is."""
        n = len(labels)
        own, margin = np.zeros(n), np.zeros(n)
        rival = np.zeros(n, dtype=np.int64)
        for start in range(0, n, STRETCH):
            rows = np.arange(start, min(n, start + STRETCH))
            scores = self.scores(rows)
            here = np.arange(len(rows))
            own[rows] = scores[here, labels[rows]]
            if self.n_groups > 1:
                scores[here, labels[rows]] = -np.inf
                rival[rows] = scores.argmax(axis=1)
                margin[rows] = own[rows] - scores.max(axis=1)
        return Fit(own, rival, margin)


def _part(view: View) -> _Part:
    if view.labels is not None:
        project = membership(view.labels, view.n_clusters)
    else:
        mass = np.asarray(view.by_group.sum(axis=0), dtype=np.float64)
        commonest = np.sort(np.argsort(-mass, kind="stable")[:_MOST_COLUMNS])
        n = len(commonest)
        shape = (len(mass), n)
        project = sp.csr_array((np.ones(n), (commonest, np.arange(n))), shape=shape)
    joint = np.asarray((view.by_group @ project).toarray(), dtype=np.float64)
    of_group = joint.sum(axis=1, keepdims=True)
    of_column = joint.sum(axis=0, keepdims=True) / max(joint.sum(), 1e-300)
    lent = max(1.0, _LENT * float(np.median(of_group)))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log((joint + lent * of_column) / ((of_group + lent) * of_column))
    ratios[:, of_column[0] <= 0] = 0.0
    lengths = np.diff(view.table.indptr)
    mean = float(view.by_group.sum()) / max(1, int((lengths > 0).sum()))
    return _Part(view.table, project, ratios, view.weight, 0.5 * mean)
