"""Estimators of the rows of tables: what they take, read, leave, and make of new rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

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
from comraf.estimators._graphs import column_nodes, said_weights, side_weights
from comraf.estimators._knowledge import classes_of_clusters, knowledge_about
from comraf.estimators._parameters import FitParameters, KnowledgeParameters, ParallelParameters
from comraf.estimators._placing import (
    column_names,
    naming_columns,
    new_tables,
    row_names,
    said_names,
    same_rows,
    warn_unseen,
)
from comraf.estimators._tying import refuse_ties, tied_graph, ties_of
from comraf.estimators._updating import update_fit
from comraf.graph import Edge, Graph, Node
from comraf.graph.tables import as_csr
from comraf.inference import Outcome
from comraf.results import Result
from comraf.results.placement import SideCounts, align
from comraf.results.scorer import Placed, Scorer, fit_scorer
from comraf.supervision import Knowledge
from comraf.supervision.frames import in_order, texts_of

__all__ = ["ROWS", "CoClusterer", "RowPlacer", "TableClusterer"]

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


@dataclass(eq=False, repr=False, kw_only=True)
class TableClusterer(
    KnowledgeParameters, FitParameters, CallbackSupportMixin, ClusterMixin, BaseEstimator
):
    """Base of the estimators that cluster the rows of one or several tables.

    Parameters
    ----------
    n_clusters : int
        Clusters of rows.
    weighting : one of `comraf.graph.WEIGHTINGS`
        How counts enter, as ``"damping+scaling"``: entries as they are (``raw``), as
        log2(1 + count) (``log``), as roots (``root``) or as presence, and then rows as they are
        (``none``), with the root of their mass (``root``) or all with the same (``equal``).
        ``"root_rows"`` is ``"raw+root"``, and ``"log"`` is ``"log+none"``.
    edge_weights : {"root_mass", "equal", "mass", "information"} or mapping of str to float
        Weight of each table's mutual information in the objective: by a rule (see
        `comraf.graph.edge_weights`), or by table name, 1 for those not named. A
        single table has weight 1 under every rule. Tables that say what they weigh, as those
        of `comraf.images.photo_tables` do, keep that under rules by mass and where they
        are not named, and weigh 0.4 of it beside tables that don't.

    Attributes
    ----------
    labels_ : array of int, (n_rows,)
        Cluster of each row; 0 has the largest mass. Rows without counts are in 0.
    modality_labels_ : dict
        Labels of ``"rows"`` and of each table's columns by its name (``"columns"`` when
        ``X`` was a single table). Columns that are not clustered are singletons.
    objective_ : float
        Sum over tables of weight times mutual information, in nats.
    n_iter_ : int
        Steps made.
    result_ : Result
        Everything the run found.
    graph_ : Graph
        The graph that was solved: ``"rows"`` joined to each table's columns.
    classes_ : tuple
        Names of the classes that the labels had.
    cluster_classes_ : tuple
        The class that more than half of the labelled rows of each cluster have, or None where
        there is none or too few rows are labelled.
    cluster_support_ : tuple of pairs of int
        Labelled rows of the commonest class of each cluster, and all labelled ones in it.
    n_features_in_ : int
        Columns, of all tables together.
    feature_names_in_ : array of str
        Names of the columns, if ``X`` was a DataFrame with strings for names.
    table_columns_ : dict of str to tuple of str or None
        The same for each table, if ``X`` was a mapping.
    """

    n_clusters: int = field(default=8, kw_only=False)
    weighting: str = "root_rows"
    edge_weights: Mapping[str, float] | str = "root_mass"

    #: The inference method: it takes a problem, options, seeds, a number of threads and a control.
    _method: ClassVar[Callable[..., Outcome]]
    # whether the columns of a TiedTable get the rows' clusters
    _can_tie: ClassVar[bool] = False

    def _fit(self, X: Any, sample_weight: npt.ArrayLike | None, **given: Any) -> Self:
        """Make a graph of the tables, solve it, and set what a fit leaves."""
        options = self._options()
        graph = self._graph(X, sample_weight)
        known = self._knowledge(graph, **given)
        rows = known[_main(graph)]
        self.classes_: tuple[Any, ...] = rows.labels.classes
        self._row_knowledge = rows
        ties = self._ties if self._can_tie else {}
        result = self._solve(graph, self._method, options, known, ties)
        self._set_fit(result, tied_graph(graph, result, ties))
        return self

    def _options(self) -> Any:
        """Options of the inference method, checked."""
        raise NotImplementedError

    def _graph(self, X: Any, sample_weight: npt.ArrayLike | None) -> Graph:
        """Rows in the middle, and the columns of every table around them."""
        tables = self._tables(X)
        nodes = [self._row_node(), *self._column_nodes(tables)]
        return Graph(nodes, self._edges(tables, sample_weight))

    def _row_node(self) -> Node:
        return Node(ROWS, n_clusters=self.n_clusters)

    def _column_nodes(self, tables: Mapping[str, Any]) -> list[Node]:
        """Columns as they stand; `CoClusterer` clusters them."""
        return [Node(name, observed="singletons") for name in tables]

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
            self._set_ties(only)
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
        self._set_ties(tables)
        rows = {name: table.shape[0] for name, table in tables.items()}
        if len(set(rows.values())) > 1:
            raise InputError(f"the tables must share their rows, but have {rows} of them")
        if hasattr(self, "feature_names_in_"):  # of an earlier fit on a single table
            del self.feature_names_in_
        self.table_columns_: dict[str, tuple[str, ...] | None] = names
        self.n_features_in_ = sum(table.shape[1] for table in tables.values())
        return tables

    def _set_ties(self, tables: Mapping[str, Any]) -> None:
        if not self._can_tie:
            refuse_ties(tables, type(self).__name__)
        self._ties = ties_of(tables, ROWS)

    def _edges(self, tables: Mapping[str, Any], sample_weight: npt.ArrayLike | None) -> list[Edge]:
        joined = {(ROWS, name): table for name, table in tables.items()}
        rule = self._edge_rule(tables)
        weights = side_weights(joined, rule, self.weighting, self._said, sample_weight)
        return [
            Edge(
                ROWS,
                name,
                table,
                weight=weights[ROWS, name],
                weighting=self.weighting,
                row_weights=sample_weight,
            )
            for name, table in tables.items()
        ]

    def _edge_rule(self, tables: Mapping[str, Any]) -> Mapping[str, float] | str:
        return self.edge_weights

    def _knowledge(self, graph: Graph, *, labels: Any, **given: Any) -> dict[str, Knowledge]:
        """What is known about rows and columns, read and checked."""
        rows = getattr(self, "_rows", None)
        return knowledge_about(
            graph,
            _main(graph),
            labels=in_order(labels, rows),
            names={ROWS: texts_of(rows), **self._column_names()},
            **given,
            **self._how_known(),
        )

    def _column_names(self) -> dict[str, tuple[str, ...] | None]:
        """Names of the columns of each table, where the fit had them."""
        columns = dict(getattr(self, "table_columns_", None) or {})
        if not columns and hasattr(self, "feature_names_in_"):
            columns = {_COLUMNS: tuple(str(name) for name in self.feature_names_in_)}
        return columns

    def _set_fit(self, result: Result, graph: Graph) -> None:
        """Set what a fit leaves behind."""
        named = {
            name: columns
            for name, columns in self._column_names().items()
            if columns is not None and name in result.labels
        }
        self.graph_ = graph
        self.result_ = result = replace(result, values={**named, **result.values})
        main = _main(graph)
        self.labels_: npt.NDArray[np.int32] = np.array(result.labels[main])
        self.modality_labels_ = {name: np.array(labels) for name, labels in result.labels.items()}
        self.objective_ = result.objective
        self.n_iter_ = max(1, result.trace[-1].step if result.trace else 1)
        self.cluster_classes_, self.cluster_support_ = classes_of_clusters(
            self._row_knowledge, self.labels_, result.n_clusters[main]
        )

    def fit_predict(self, X: Any, y: Any = None, **params: Any) -> npt.NDArray[np.int32]:
        """Cluster and return the labels of the rows; parameters are those of ``fit``."""
        return np.asarray(self.fit(X, y, **params).labels_)


def _main(graph: Graph) -> str:
    """The node whose clusters are wanted: the rows, or the first hidden node of other graphs."""
    if ROWS in graph.index:
        return ROWS
    return next((node.name for node in graph.nodes if node.hidden), "")


@dataclass(eq=False, repr=False, kw_only=True)
class RowPlacer(
    ParallelParameters, ClassNamePrefixFeaturesOutMixin, TransformerMixin, TableClusterer
):
    """A `TableClusterer` that places new rows by what it has found.

    Attributes
    ----------
    sides_ : dict of str to SideCounts
        What new rows are placed by.
    scorer_ : Scorer
        Places new rows, by ``sides_``.
    """

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: npt.ArrayLike | None = None,
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
        transfer: Any = None,
    ) -> Self:
        """Cluster the rows of ``X``, and the columns where the method clusters them too.

        Parameters
        ----------
        X : array-like, sparse, DataFrame, or mapping of str to these
            Non-negative counts, rows x columns; or several such tables with the same rows.
            The columns of a `comraf.NeighbourTable` are the rows again: they are
            observed, each by itself, or get the clusters of the rows where it is tied.
        y : ignored
        sample_weight : array-like, optional
            One factor of 0 or more for each row.
        labels : array-like or mapping, optional
            A class for each row, -1 or None where it is unknown; or classes by row number. A
            mapping by the names of sides (``"rows"``, and those of the tables) has labels of
            several sides.
        must_link, cannot_link : array-like, optional
            Pairs of rows that belong together, and that don't: (a, b) or (a, b, weight). A
            mapping by the names of sides has links of several sides.
        transfer : WordKnowledge, or mapping of str to it, optional
            Groups of columns learned on another collection; of the table with most entries, or
            by the names of tables. Columns are matched by name if the tables are DataFrames.
        """
        return self._fit(
            X,
            sample_weight,
            labels=labels,
            must_link=must_link,
            cannot_link=cannot_link,
            transfer=transfer,
        )

    def _set_fit(self, result: Result, graph: Graph) -> None:
        """Set what a fit leaves behind, and what places new rows."""
        try:
            super()._set_fit(result, graph)
            self._set_scorer()
        except KeyboardInterrupt:  # the search is over: what is left takes a moment
            super()._set_fit(replace(result, interrupted=True), graph)
            self._set_scorer()

    def _set_scorer(self) -> None:
        self.scorer_: Scorer = fit_scorer(self.graph_, self.result_, ROWS)[0]
        self.sides_: Mapping[str, SideCounts] = self.scorer_.sides

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
        graph, result = update_fit(self, ROWS, self.sides_, tables, free=free, passes=passes)
        self._set_fit(result, graph)
        return self

    def _new_tables(self, X: Any) -> tuple[dict[str, sp.csr_array], dict[str, float]]:
        check_is_fitted(self, "graph_")
        if hasattr(self, "table_columns_"):
            return new_tables(self.sides_, X, self.table_columns_)
        if isinstance(X, Mapping) and not issparse(X):
            raise InputError(
                "the fit was on a single table, but new rows come as a mapping of "
                "{allowed}; give the table itself",
                allowed=sorted(X),
            )
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


@dataclass(eq=False, repr=False, kw_only=True)
class CoClusterer(RowPlacer):
    """A `RowPlacer` that clusters the columns of its tables with the rows.

    Parameters
    ----------
    column_clusters : int, mapping of str to int, or None
        Clusters of columns (for all tables, or by table name); None takes as many as
        the schedule of `comraf.MDC` gives.
    """

    column_clusters: int | Mapping[str, int] | None = None

    def _column_nodes(self, tables: Mapping[str, Any]) -> list[Node]:
        return column_nodes(tables, self.column_clusters)
