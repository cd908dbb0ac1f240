"""Agglomerative information bottleneck: the whole tree of mergers of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from comraf.errors import InputError
from comraf.estimators._knowledge import closure_of, has_pairs
from comraf.estimators.base import ROWS, TableClusterer
from comraf.graph import Graph
from comraf.inference import AgglomerativeOptions, Control, Outcome, Problem, run_agglomerative
from comraf.results import Result
from comraf.supervision import Knowledge

__all__ = ["AgglomerativeIB"]


@dataclass(eq=False, repr=False, kw_only=True)
class AgglomerativeIB(TableClusterer):
    """Rows merged pair by pair, always the pair that loses least information on the columns.

    Slonim and Tishby's method (1999), exactly: each merger is the cheapest of all pairs. It
    is deterministic, and one fit has a clustering of every size, each nested in the next. What
    was merged stays merged, so its clusters are worse than those of methods that correct.

    The cost is nearly the square of the number of rows: 2,500 documents take 2 seconds, 10,000
    take 13, 20,000 three quarters of a minute. More than 50,000 rows are refused unless they
    are gathered first (``coarse``).

    Parameters
    ----------
    n_clusters : int
        Clusters of rows in ``labels_``; `cut` gives any other number.
    coarse : int or None
        Gather the rows around this many random ones among them first, at linear cost; the
        tree then begins with these groups. None begins with single rows.
    random_state : int, RandomState, Generator or None
        For ``coarse`` only; without it there is no chance in the method.

    Attributes
    ----------
    children_ : array of int, (n_leaves_ - 1, 2)
        The two clusters of each merger, numbered as in scikit-learn and SciPy: first the
        leaves, then ``n_leaves_ + t`` for what merger ``t`` made. Shorter if the fit was
        stopped early.
    heights_ : array of float, (n_leaves_ - 1,)
        Information that each merger lost, in nats (times the tables' weights).
    leaves_ : array of int, (n_rows,)
        Leaf of each row; -1 for rows without counts, which are not in the tree. If there are
        none and ``coarse`` is None, leaf ``i`` is row ``i``.
    n_leaves_ : int
        Leaves of the tree.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
    >>> model = AgglomerativeIB(n_clusters=2).fit(X)
    >>> model.labels_.tolist()
    [1, 1, 0, 0]
    >>> model.children_.tolist()
    [[2, 3], [0, 1], [4, 5]]
    >>> model.cut(3).tolist()
    [2, 1, 0, 0]
    """

    coarse: int | None = None

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: npt.ArrayLike | None = None,
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Merge the rows of ``X``; see `comraf.MDC.fit` for what each may be."""
        given = {"labels": labels, "must_link": must_link, "cannot_link": cannot_link}
        return self._fit(X, sample_weight, **given)

    def _options(self) -> AgglomerativeOptions:
        return AgglomerativeOptions(coarse=self.coarse)

    def _knowledge(self, graph: Graph, **given: Any) -> dict[str, Knowledge]:
        known = super()._knowledge(graph, **given)
        if self.labels_as == "seeds" or any(has_pairs(k) for k in known.values()):
            raise InputError(
                "AgglomerativeIB merges and never moves: it takes must-links that hold and "
                "{given}; use MDC or InformationBottleneck for all else",
                "labels_as",
                "intrinsic",
            )
        return known

    def _method(
        self,
        problem: Problem,
        options: AgglomerativeOptions,
        seed: np.random.SeedSequence,
        n_jobs: int,
        control: Control,
    ) -> Outcome:
        outcome, self._tree = run_agglomerative(problem, options, seed, control)
        return outcome

    def _set_fit(self, result: Result, graph: Graph) -> None:
        super()._set_fit(result, graph)
        occupied = graph.occupied(ROWS)
        # rows that must be together are one leaf, those without counts among them too
        group = closure_of(self._row_knowledge).group
        filled = np.unique(group[occupied])
        self._place = np.where(np.isin(group, filled), np.searchsorted(filled, group), -1)
        # copies: what a user does to them must not reach the tree that is cut
        self.children_ = self._tree.children.copy()
        self.heights_ = self._tree.heights.copy()
        self.n_leaves_ = self._tree.n_leaves
        self.leaves_ = np.full(len(occupied), -1, dtype=np.int32)
        self.leaves_[self._place >= 0] = self._tree.leaves[self._place[self._place >= 0]]

    def cut(self, k: int) -> npt.NDArray[np.int32]:
        """Labels of the rows when ``k`` clusters are left, by decreasing mass.

        Parameters
        ----------
        k : int
            From 1 to ``n_leaves_``.

        Examples
        --------
        >>> model = AgglomerativeIB(2).fit([[9, 1], [8, 2], [1, 9]])
        >>> model.cut(1).tolist(), model.cut(3).tolist()
        ([0, 0, 0], [0, 1, 2])
        """
        check_is_fitted(self, "children_")
        labels = np.zeros(len(self.leaves_), dtype=np.int32)
        labels[self._place >= 0] = self._tree.cut(k)[self._place[self._place >= 0]]
        return labels
