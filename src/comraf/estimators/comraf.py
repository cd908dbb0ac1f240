"""Comraf: MDC inference on any graph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from comraf.errors import InputError
from comraf.estimators._callbacks import CallbackSupportMixin
from comraf.estimators._knowledge import classes_of_clusters, knowledge_about
from comraf.estimators._parameters import KnowledgeParameters, MDCParameters
from comraf.estimators._placing import new_tables, place_new, scorer_of
from comraf.estimators._updating import update_fit
from comraf.graph import Graph
from comraf.inference import run_mdc
from comraf.objectives import Term
from comraf.results import Result
from comraf.results.scorer import Placed

__all__ = ["Comraf", "OnGraph"]


class OnGraph(ABC):
    """For estimators of a whole graph, whose new values go by node."""

    graph: Graph

    def _check_graph(self) -> None:
        if not isinstance(self.graph, Graph):
            raise InputError(f"graph is {type(self.graph).__name__}; give a comraf.Graph")

    @abstractmethod
    def place(
        self, node: str, tables: Any, *, columns: Mapping[str, Sequence[str]] | None = None
    ) -> Placed:
        """Clusters of new values of a hidden node, with all that is known about the choice."""

    def predict(
        self, node: str, tables: Any, *, columns: Mapping[str, Sequence[str]] | None = None
    ) -> npt.NDArray[np.int32]:
        """Cluster of each new value of a hidden node; see `place`.

        Examples
        --------
        >>> from comraf import Edge, Graph, Node
        >>> graph = Graph(
        ...     [Node("documents", n_clusters=2), Node("words", observed="singletons")],
        ...     [Edge("documents", "words", [[5, 4, 0], [4, 6, 1], [0, 1, 6], [1, 0, 5]])],
        ... )
        >>> model = Comraf(graph, random_state=0).fit()
        >>> bool(model.predict("documents", [[0, 0, 3]])[0] == model.labels_["documents"][2])
        True
        """
        return np.array(self.place(node, tables, columns=columns).labels)


@dataclass(eq=False, repr=False, kw_only=True)
class Comraf(MDCParameters, KnowledgeParameters, OnGraph, CallbackSupportMixin, BaseEstimator):
    """Find the most likely partitions of all hidden nodes of a Comraf graph.

    Parameters
    ----------
    graph : Graph
        Nodes, edges, numbers of clusters, what is observed.
    terms : sequence of Term
        Terms of your own that join the objective; see `comraf.objectives.Term`. They know
        nodes by their place in the graph (``graph.index``) and values by their number in a
        search (`comraf.Graph.places`).
    schedule : str or sequence of Step
        Order of splits and merges, as in `comraf.MDC`; the schedules ``reverse`` and
        ``bottom_up`` are said by the nodes' directions here.

    Attributes
    ----------
    labels_ : dict of str to array of int
        Cluster of every value of every node, by the node's name.
    cluster_classes_ : dict of str to tuple
        For a node with labels, the class that prevails in each cluster, or None.
    cluster_support_ : dict of str to tuple of pairs of int
        Labelled values of the commonest class of each cluster, and all labelled ones in it.
    objective_ : float
        Sum over edges of weight times mutual information, in nats, and of ``terms``.
    result_ : Result
        Everything the run found.
    graph_ : Graph
        The graph that was solved; after `update` it has more values than ``graph``.

    Examples
    --------
    >>> from comraf import Edge, Graph, Node
    >>> words = [[5, 4, 0], [4, 6, 1], [0, 1, 6], [1, 0, 5]]
    >>> people = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> graph = Graph(
    ...     [
    ...         Node("documents", n_clusters=2),
    ...         Node("words", n_clusters=2, direction="top-down"),
    ...         Node("people", observed="singletons"),
    ...     ],
    ...     [Edge("documents", "words", words), Edge("documents", "people", people)],
    ... )
    >>> labels = Comraf(graph, random_state=0).fit().labels_["documents"]
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    graph: Graph = field(kw_only=False)
    terms: Sequence[Term] = ()

    def fit(
        self,
        X: Any = None,
        y: Any = None,
        *,
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
        transfer: Any = None,
    ) -> Self:
        """Run inference on the graph; ``X`` and ``y`` are ignored, the data is in the graph.

        Parameters
        ----------
        X, y : ignored
        labels, must_link, cannot_link : mapping of str to what `comraf.MDC.fit` takes
            What is known about the values of a node, by the node's name; without a name it is
            about the first hidden node. Values are named as the node names them, or by number.
        transfer : WordKnowledge, or mapping of str to it
            Groups of a node's values that were learned elsewhere, matched by the values' names.
        """
        self._check_graph()
        if not isinstance(self.terms, Sequence) or isinstance(self.terms, str):
            raise InputError("{given}; give a list of terms", "terms", self.terms)
        options = self._options()
        self._known = knowledge_about(
            self.graph,
            next((node.name for node in self.graph.nodes if node.hidden), ""),
            labels=labels,
            must_link=must_link,
            cannot_link=cannot_link,
            transfer=transfer,
            **self._how_known(),
        )
        result = self._solve(self.graph, run_mdc, options, self._known, terms=self.terms)
        self.graph_ = self.graph
        self._set_result(result)
        return self

    def _set_result(self, result: Result) -> None:
        self.result_ = result
        self.labels_: dict[str, npt.NDArray[np.int32]] = {
            name: np.array(labels) for name, labels in result.labels.items()
        }
        self.objective_ = result.objective
        found = {
            name: classes_of_clusters(known, self.labels_[name], result.n_clusters[name])
            for name, known in self._known.items()
        }
        self.cluster_classes_ = {name: classes for name, (classes, _) in found.items()}
        self.cluster_support_ = {name: support for name, (_, support) in found.items()}

    def place(
        self, node: str, tables: Any, *, columns: Mapping[str, Sequence[str]] | None = None
    ) -> Placed:
        """Clusters of new values of a hidden node, with all that is known about the choice.

        Parameters
        ----------
        node : str
            Any hidden node: documents, words, people.
        tables : mapping of str to table, or a table if the node has one neighbour
            New values x the values of each neighbour, in the order the graph has them, or as
            DataFrames whose columns are matched to the names of the neighbour's values. Some
            may be missing. Several edges to one neighbour are ``words``, ``words (2)``.
        columns : mapping of str to sequence of str, optional
            Names of the tables' columns where the tables have none; matched in the same way.

        Examples
        --------
        >>> from comraf import Edge, Graph, Node
        >>> words = [[5, 4, 0], [4, 6, 1], [0, 1, 6], [1, 0, 5]]
        >>> graph = Graph(
        ...     [Node("documents", n_clusters=2), Node("words", direction="top-down")],
        ...     [Edge("documents", "words", words)],
        ... )
        >>> model = Comraf(graph, random_state=0).fit()
        >>> word = model.place("words", [[6, 5, 0, 1]])  # counts in the four documents
        >>> bool(word.labels[0] == model.labels_["words"][0])
        True
        """
        check_is_fitted(self, "graph_")
        return place_new(scorer_of(self, node), tables, self._values(), columns)

    def update(
        self,
        node: str,
        tables: Any,
        *,
        columns: Mapping[str, Sequence[str]] | None = None,
        names: Sequence[str] | None = None,
        free: str = "all",
        passes: float = 2.0,
    ) -> Self:
        """Take new values of a hidden node into the fit and search on; clusters keep their ids.

        Parameters
        ----------
        node, tables, columns : as in `place`
        names : sequence of str, optional
            Names of the new values; needed where the node's values have names.
        free : {"all", "new"}
            Which values may move: all of all hidden nodes, or the new ones alone.
        passes : float
            Length of the search, in looks at every value.

        Examples
        --------
        >>> from comraf import Edge, Graph, Node
        >>> graph = Graph(
        ...     [Node("documents", n_clusters=2), Node("words", observed="singletons")],
        ...     [Edge("documents", "words", [[5, 4, 0], [4, 6, 1], [0, 1, 6], [1, 0, 5]])],
        ... )
        >>> model = Comraf(graph, random_state=0).fit()
        >>> len(model.update("documents", [[0, 0, 3]]).labels_["documents"])
        5
        """
        check_is_fitted(self, "graph_")
        if self.terms:
            raise InputError(
                "terms know the values of the fit and no others, so that none can be added; "
                "fit again on a larger graph"
            )
        sides = scorer_of(self, node).sides
        aligned, _ = new_tables(sides, tables, self._values(), columns)
        self.graph_, result = update_fit(
            self, node, sides, aligned, names=names, free=free, passes=passes
        )
        self._set_result(result)
        return self

    def _values(self) -> dict[str, Sequence[str] | None]:
        return {node.name: node.values for node in self.graph_.nodes}
