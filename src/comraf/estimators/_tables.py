"""From what users hand to ``fit`` to the edges of a star graph around the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from comraf.errors import InputError
from comraf.estimators._callbacks import CallbackSupportMixin
from comraf.estimators._columns import said_weights, side_weights
from comraf.estimators._growing import update_fit
from comraf.estimators._knowing import classes_of_clusters, knowledge_about, support_of_clusters
from comraf.estimators._placing import (
    column_names,
    naming_columns,
    new_tables,
    row_names,
    said_names,
    same_rows,
    warn_unseen,
)
from comraf.estimators._run import Verbose, run
from comraf.estimators._tying import refuse_ties
from comraf.graph import Edge, Graph
from comraf.graph.tables import as_csr
from comraf.inference import Outcome
from comraf.results import Result
from comraf.results.placement import SideCounts, align
from comraf.results.scorer import Placed, Scorer, fit_scorer
from comraf.supervision import Knowledge
from comraf.supervision.frames import in_order, texts_of

__all__ = ["ROWS", "RowPlacer", "TableClusterer"]

#: Name of the node of rows in the graphs that the estimators build.
ROWS = "rows"
_COLUMNS = "columns"
# Any sparse format as it is (converting would sum small integers in their own type), and
# NaN too: the graph refuses it and says where it stands.
_CHECKS: dict[str, Any] = {
    "accept_sparse": True,
    "dtype": "numeric",
    "ensure_all_finite": False,
}


class TableClusterer(CallbackSupportMixin, ClusterMixin, BaseEstimator):
    """Base of the estimators that cluster the rows of one or several tables."""

    result_: Result
    graph_: Graph
    sides_: Mapping[str, SideCounts]
    scorer_: Scorer
    # parameters that every one of them has
    n_jobs: int | None
    random_state: Any
    verbose: Verbose
    time_limit: float | None
    labels_as: str
    label_weight: float
    link_weight: float
    table_columns_: dict[str, tuple[str, ...] | None]
    # whether the columns of a TiedTable get the rows' clusters
    _can_tie = False
    _said: dict[str, float]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _tables(self, X: Any) -> dict[str, Any]:
        """Checked tables by name; sets the attributes scikit-learn expects of ``fit``."""
        self._rows = None
        # what tables say they weigh; a single one has nothing to be weighed against
        self._said = said_weights(X) if isinstance(X, Mapping) and len(X) > 1 else {}
        if not isinstance(X, Mapping) or issparse(X):  # dok_array is a dict, too
            self._rows = row_names(X)
            if hasattr(self, "table_columns_"):  # of an earlier fit on several tables
                del self.table_columns_
            with naming_columns(X):
                only = {_COLUMNS: validate_data(self, X, **_CHECKS)}
            if not self._can_tie:
                refuse_ties(only, type(self).__name__)
            return only
        if not X:
            raise InputError("X is an empty mapping; give at least one table, as {'words': table}")
        tables: dict[str, Any] = {}
        names: dict[str, tuple[str, ...] | None] = {}
        said = said_names(X)
        for name, table in same_rows(X).items():
            if not isinstance(name, str) or not name or name == ROWS:
                raise InputError(
                    f"{name!r} can't name a table; use a string such as 'words' (but not {ROWS!r}, "
                    "which is the side that all tables share)"
                )
            names[name] = column_names(table) or said.get(name)
            if self._rows is None:
                self._rows = row_names(table)
            with naming_columns(table):
                tables[name] = check_array(table, input_name=name, **_CHECKS)
        if not self._can_tie:
            refuse_ties(tables, type(self).__name__)
        rows = {name: table.shape[0] for name, table in tables.items()}
        if len(set(rows.values())) > 1:
            raise InputError(f"the tables must share their rows, but have {rows} of them")
        if hasattr(self, "feature_names_in_"):  # of an earlier fit on a single table
            del self.feature_names_in_
        self.table_columns_ = names
        self.n_features_in_ = sum(table.shape[1] for table in tables.values())
        return tables

    def _edges(
        self,
        tables: Mapping[str, Any],
        weighting: str,
        edge_weights: Mapping[str, float] | str,
        sample_weight: npt.ArrayLike | None,
    ) -> list[Edge]:
        joined = {(ROWS, name): table for name, table in tables.items()}
        weights = side_weights(joined, edge_weights, weighting, self._said, sample_weight)
        return [
            Edge(
                ROWS,
                name,
                table,
                weight=weights[ROWS, name],
                weighting=weighting,
                row_weights=sample_weight,
            )
            for name, table in tables.items()
        ]

    def _knowledge(
        self,
        graph: Graph,
        labels: Any,
        must_link: Any,
        cannot_link: Any,
        transfer: Any = None,
    ) -> dict[str, Knowledge]:
        """What is known about rows and columns, read and checked."""
        columns = self._column_names()
        rows = getattr(self, "_rows", None)
        first = next((node.name for node in graph.nodes if node.hidden), "")
        return knowledge_about(
            graph,
            ROWS if ROWS in graph.index else first,
            labels=in_order(labels, rows),
            must_link=must_link,
            cannot_link=cannot_link,
            transfer=transfer,
            names={ROWS: texts_of(rows), **columns},
            labels_as=self.labels_as,
            label_weight=self.label_weight,
            link_weight=self.link_weight,
        )

    def _solved(
        self,
        graph: Graph,
        method: Callable[..., Outcome],
        options: Any,
        known: Mapping[str, Knowledge],
        ties: Mapping[str, str] | None = None,
    ) -> Result:
        """What an inference method with its options finds on a graph, given what is known."""
        self._learn(known)
        return run(
            graph,
            lambda problem, seed, n_jobs, control: method(problem, options, seed, n_jobs, control),
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            verbose=self.verbose,
            time_limit=self.time_limit,
            checkpoint=getattr(self, "checkpoint", None),  # of those that run MDC
            estimator=self,
            known=known,
            ties=ties,
        )

    def _column_names(self) -> dict[str, tuple[str, ...] | None]:
        """Names of the columns of each table, where the fit had them."""
        columns = dict(getattr(self, "table_columns_", None) or {})
        if not columns and hasattr(self, "feature_names_in_"):
            columns = {_COLUMNS: tuple(str(name) for name in self.feature_names_in_)}
        return columns

    def _learn(self, known: Mapping[str, Knowledge]) -> None:
        """Set what is left of the labels after a fit: their names, and the rows' codes."""
        rows = known.get(ROWS, next(iter(known.values()), None))
        self.classes_: tuple[Any, ...] = rows.labels.classes if rows else ()
        self._row_knowledge = rows

    def _keep(self, result: Result, graph: Graph) -> None:
        """Set what a fit leaves behind."""
        self._adopt(result)
        self.graph_ = graph

    def _adopt(self, result: Result) -> None:
        named = {
            name: columns
            for name, columns in self._column_names().items()
            if columns is not None and name in result.labels
        }
        self.result_ = result = replace(result, values={**named, **result.values})
        self.labels_: npt.NDArray[np.int32] = np.array(result.labels[ROWS])
        self.modality_labels_ = {name: np.array(labels) for name, labels in result.labels.items()}
        self.objective_ = result.objective
        self.n_iter_ = max(1, result.trace[-1].step if result.trace else 1)
        self.cluster_classes_: tuple[Any, ...] = classes_of_clusters(
            self._row_knowledge, self.labels_, result.n_clusters[ROWS]
        )
        self.cluster_support_ = support_of_clusters(
            self._row_knowledge, self.labels_, result.n_clusters[ROWS]
        )

    def fit_predict(self, X: Any, y: Any = None, **params: Any) -> npt.NDArray[np.int32]:
        """Cluster and return the labels of the rows; parameters are those of ``fit``."""
        return np.asarray(self.fit(X, y, **params).labels_)


class RowPlacer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TableClusterer):
    """A `TableClusterer` that kept its graph, and places new rows by it."""

    feature_names_in_: Any

    def _keep(self, result: Result, graph: Graph) -> None:
        """Set what a fit leaves behind, and what places new rows."""
        try:
            super()._keep(result, graph)
            self._keep_scorer()
        except KeyboardInterrupt:  # the search is over: what is left takes a moment
            super()._keep(replace(result, interrupted=True), graph)
            self._keep_scorer()

    def _keep_scorer(self) -> None:
        self.scorer_, _ = fit_scorer(self.graph_, self.result_, ROWS)
        self.sides_ = self.scorer_.sides

    @property
    def _n_features_out(self) -> int:
        return int(self.result_.n_clusters[ROWS])

    def place(self, X: Any) -> Placed:
        """Clusters of new rows with all that is known about the choice.

        Parameters
        ----------
        X : array-like, sparse, DataFrame, or mapping of str to these
            As in ``fit``; of several tables some may be missing. Columns of DataFrames are
            matched by name where ``fit`` had names too: columns the fit has not seen are
            left out and counted, columns that are missing count as 0.

        Returns
        -------
        Placed
            Labels, runners-up, confidence, margins, and what was left out.

        Examples
        --------
        >>> from comraf import MDC
        >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
        >>> model = MDC(n_clusters=2, random_state=0).fit(X)
        >>> bool(model.place([[3, 2, 0, 0]]).confidence[0] > 0.6)
        True
        """
        tables, unseen = self._new_tables(X)
        return replace(self.scorer_.place(tables), unseen=unseen)

    def predict(self, X: Any) -> npt.NDArray[np.int32]:
        """Cluster of each new row; see `place` for what ``X`` may be.

        A row of the fit gets the cluster it has there, unless it could be moved to the
        objective's gain (a fit that was stopped early) or had a weight of its own.

        Examples
        --------
        >>> from comraf import MDC
        >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
        >>> model = MDC(n_clusters=2, random_state=0).fit(X)
        >>> bool((model.predict(X) == model.labels_).all())
        True
        """
        return np.array(self.place(X).labels)

    def transform(self, X: Any) -> Any:
        """Share of each row in each cluster: rows that add up to 1, the largest is the label's.

        Shares say how clearly a cluster beats the others and are no probabilities. A row of
        which the fit knows nothing has the same share in all.

        Examples
        --------
        >>> from comraf import MDC
        >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
        >>> model = MDC(n_clusters=2, random_state=0).fit(X)
        >>> bool((model.transform(X).argmax(axis=1) == model.labels_).all())
        True
        """
        from sklearn.utils._set_output import _get_output_config

        tables, _ = self._new_tables(X)
        out = self.scorer_.shares(tables)
        if isinstance(X, Mapping) and not issparse(X):
            # scikit-learn finds the index of a DataFrame, but not of DataFrames in a mapping
            rows = [index for table in X.values() if (index := row_names(table)) is not None]
            if rows and _get_output_config("transform", self)["dense"] == "pandas":
                import pandas as pd

                return pd.DataFrame(out, index=rows[0])
        return out

    def update(self, X: Any, *, free: str = "all", passes: float = 2.0) -> Self:
        """Take new rows into the fit and search on; clusters keep their numbers.

        New rows are placed, as in `predict`, and added to the graph. Then local search
        goes on from there. ``labels_`` has the old rows first, the new ones after them.

        Parameters
        ----------
        X : as in `place`
        free : {"all", "new"}
            Which rows may move: all, and the columns with them, or the new ones alone. With
            ``"new"`` every old label stays.
        passes : float
            Length of the search, in looks at every row.

        Examples
        --------
        >>> from comraf import MDC
        >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
        >>> model = MDC(n_clusters=2, random_state=0).fit(X)
        >>> model.update([[0, 1, 9, 7]]).labels_.shape
        (5,)
        """
        tables, _ = self._new_tables(X)
        updated = update_fit(self, ROWS, self.sides_, tables, free=free, passes=passes)
        self._keep(updated.result, updated.graph)
        return self

    def _new_tables(self, X: Any) -> tuple[dict[str, sp.csr_array], dict[str, float]]:
        check_is_fitted(self, "graph_")
        single = not hasattr(self, "table_columns_")
        if not single:
            tables, unseen = new_tables(self.sides_, X, self.table_columns_)
        elif isinstance(X, Mapping) and not issparse(X):
            raise InputError(
                "the fit was on a single table, but new rows come as a mapping of "
                "{allowed}; give the table itself",
                allowed=sorted(X),
            )
        else:
            names, known = column_names(X), getattr(self, "feature_names_in_", None)
            unseen = {}
            if names is None or known is None or len(set(known)) < len(known):
                table = as_csr(validate_data(self, X, reset=False, **_CHECKS), "X")
            else:
                table = as_csr(check_array(X, input_name="X", **_CHECKS), "X")
                table, left_out = align(table, names, known)
                unseen = {_COLUMNS: left_out} if left_out else {}
            tables = {_COLUMNS: table}
        warn_unseen(unseen, tables)
        return tables, unseen
