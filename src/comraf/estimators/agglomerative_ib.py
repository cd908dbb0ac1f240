"""Agglomerative information bottleneck: the whole tree of mergers of the rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from comraf.errors import InputError
from comraf.estimators._knowing import closure_of, has_pairs
from comraf.estimators._run import Verbose, run
from comraf.estimators._tables import ROWS, TableClusterer
from comraf.graph import Graph, Node
from comraf.inference import AgglomerativeOptions, Control, Outcome, Problem, run_agglomerative

__all__ = ["AgglomerativeIB"]


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
    weighting : {"root_rows", "raw", "binary", "log", "equal_rows"}
        How counts enter.
    edge_weights : str or mapping of str to float
        As in `comraf.MDC`.
    labels_as, label_weight, link_weight
        As in `comraf.MDC`.
    random_state : int, RandomState, Generator or None
        For ``coarse`` only; without it there is no chance in the method.
    time_limit, verbose
        As in `comraf.MDC`.

    Attributes
    ----------
    labels_ : array of int, (n_rows,)
        Cluster of each row; 0 has the largest mass. Rows without counts are in 0.
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
    modality_labels_, objective_, n_iter_, result_, graph_
        As in `comraf.MDC`; columns are singletons.

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

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        coarse: int | None = None,
        weighting: str = "root_rows",
        edge_weights: Mapping[str, float] | str = "root_mass",
        labels_as: str = "intrinsic",
        label_weight: float = 1.0,
        link_weight: float = math.inf,
        random_state: Any = None,
        time_limit: float | None = None,
        verbose: Verbose = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.coarse = coarse
        self.weighting = weighting
        self.edge_weights = edge_weights
        self.labels_as = labels_as
        self.label_weight = label_weight
        self.link_weight = link_weight
        self.random_state = random_state
        self.time_limit = time_limit
        self.verbose = verbose

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
        """Merge the rows of ``X``; see `comraf.MDC.fit` for what ``X`` may be."""
        options = AgglomerativeOptions(coarse=self.coarse)
        tables = self._tables(X)
        graph = Graph(
            [
                Node(ROWS, n_clusters=self.n_clusters),
                *(Node(name, observed="singletons") for name in tables),
            ],
            self._edges(tables, self.weighting, self.edge_weights, sample_weight),
        )

        def infer(
            problem: Problem, seed: np.random.SeedSequence, n_jobs: int, control: Control
        ) -> Outcome:
            outcome, self._tree = run_agglomerative(problem, options, seed, control)
            return outcome

        known = self._knowledge(graph, labels, must_link, cannot_link)
        if self.labels_as == "seeds" or any(has_pairs(k) for k in known.values()):
            raise InputError(
                "AgglomerativeIB merges and never moves: it takes must-links that hold and "
                "{given}; use MDC or InformationBottleneck for all else",
                "labels_as",
                "intrinsic",
            )
        self._learn(known)
        result = run(
            graph,
            infer,
            n_jobs=1,
            random_state=self.random_state,
            verbose=self.verbose,
            time_limit=self.time_limit,
            estimator=self,
            known=known,
        )
        self._keep(result, graph)
        occupied = graph.occupied(ROWS)
        # rows that must be together are one leaf, those without counts among them too
        group = closure_of(known[ROWS]).group
        filled = np.unique(group[occupied])
        self._place = np.where(np.isin(group, filled), np.searchsorted(filled, group), -1)
        # copies: what a user does to them must not reach the tree that is cut
        self.children_ = self._tree.children.copy()
        self.heights_ = self._tree.heights.copy()
        self.n_leaves_ = self._tree.n_leaves
        self.leaves_ = np.full(len(occupied), -1, dtype=np.int32)
        self.leaves_[self._place >= 0] = self._tree.leaves[self._place[self._place >= 0]]
        return self

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
