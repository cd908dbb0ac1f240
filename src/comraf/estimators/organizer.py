"""From a collection with several sides to groups, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from comraf.errors import InputError
from comraf.estimators._callbacks import CallbackSupportMixin
from comraf.estimators._graphs import (
    DOCUMENTS,
    GRAPHS,
    default_k,
    default_sides,
    directed,
    make_graph,
    measured_sides,
    observed_sides,
    steps_of,
)
from comraf.estimators._knowledge import classes_of_clusters, read_sides
from comraf.estimators._parameters import (
    KnowledgeParameters,
    MDCParameters,
    SearchParameters,
)
from comraf.estimators._placing import (
    new_tables,
    place_new,
    said_names,
    scorer_of,
)
from comraf.estimators._tying import tied_graph, ties_of
from comraf.estimators._updating import update_fit
from comraf.graph import Graph
from comraf.inference.methods import Method, method_of
from comraf.results import Result
from comraf.results.placement import SideCounts
from comraf.results.scorer import Placed, Scorer, fit_scorer
from comraf.supervision import Knowledge, WordKnowledge, by_side

__all__ = ["DOCUMENTS", "GRAPHS", "Organizer", "default_k", "make_graph"]


# Parameters that not all methods look at.
_OF_SEARCH = {*SearchParameters.__annotations__, *MDCParameters.__annotations__}


class Sided(Protocol):
    """What is asked of a collection: items x values tables by the name of the side."""

    @property
    def tables(self) -> Mapping[str, sp.csr_array]:
        """Counts of every side."""
        ...

    def __len__(self) -> int: ...


@dataclass(eq=False, repr=False, kw_only=True)
class Organizer(MDCParameters, KnowledgeParameters, CallbackSupportMixin, BaseEstimator):
    """Cluster a collection's documents by all of their sides at once.

    Parameters
    ----------
    n_clusters : int or None
        Groups of documents; None takes `default_k`, or as many as there are classes
        among the labels where these are more.
    by : sequence of str or None
        Sides to use; None takes what ``comraf organize`` takes: words, people, subjects and
        what else was counted, but not organisations, months and columns of one value a
        document, which only describe the groups. Tables that come without sides are all taken.
    graph : {"tree", "loopy"} or Graph
        Shape of the graph, or a graph of one's own (with a node "documents"), which then
        says everything about clusters, weights and weighting itself.
    weighting : one of `comraf.graph.WEIGHTINGS`
        How counts enter, as in `comraf.MDC`.
    edge_weights : {"root_mass", "equal", "mass", "information"} or mapping of str to float
        Rule that brings the edges to one scale, or weights by the names of sides, 1 for those
        not named.
    weight : mapping of str to float or None
        Weights of single sides in place of those that the rule gives them.
    observe : sequence of str or None
        Sides whose values stand as they are, each by itself, while the others' values are
        clustered together with the documents. None observes those that the collection says
        are better not clustered (citations, single parts of speech); ``()`` clusters all.
    side_clusters : mapping of str to int, or None
        Clusters of sides by their names; those of others go by their sizes.
    method : str or Method
        How to search: the name of one of `comraf.inference.METHODS`, or a method of your own.
        Those that cluster the items alone observe all sides. What a method does not look at is
        refused.
    n_restarts : int or None
        Tries at every step of a run from different seeds, or starts of a flat method, the best
        objective kept; None takes the method's number, 1 for MDC.

    Attributes
    ----------
    graph_ : Graph
        The graph that was solved.
    result_ : Result
        Everything the run found.
    labels_ : array of int
        Group of each document; 0 has the largest mass.
    placed_ : Placed
        Group, runner-up and confidence of every document.
    sides_ : dict of str to SideCounts
        What is needed to place new documents.
    scorer_ : Scorer
        Places new documents, by ``sides_``.
    values_ : dict of str to tuple of str
        Names of the sides' values, where the collection has them.
    classes_ : tuple
        Classes of the documents' labels.
    cluster_classes_ : tuple
        The class that prevails among the labelled documents of each group, or None where none
        does or too few documents are labelled.
    cluster_support_ : tuple of pairs of int
        Labelled documents of the commonest class of each group, and all labelled ones in it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from comraf.collection.sample import sample_tables
    >>> tables = sample_tables(n_messages=120).by_name()
    >>> mailbox = SimpleNamespace(tables=tables, __len__=lambda: 120)
    >>> organizer = Organizer(4, by=["words", "people"], random_state=0).fit(mailbox)
    >>> organizer.result_.n_clusters["documents"]
    4
    """

    n_clusters: int | None = field(default=None, kw_only=False)
    by: Sequence[str] | None = None
    graph: str | Graph = "tree"
    weighting: str = "root_rows"
    edge_weights: Mapping[str, float] | str = "root_mass"
    weight: Mapping[str, float] | None = None
    observe: Sequence[str] | None = None
    side_clusters: Mapping[str, int] | None = None
    method: str | Method = "mdc"
    n_restarts: int | None = None  # type: ignore[assignment]  # 1 is MDC's

    def fit(
        self,
        collection: Sided,
        y: Any = None,
        *,
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
        transfer: Any = None,
        start: Any = None,
    ) -> Self:
        """Organise a collection.

        Parameters
        ----------
        collection : collection
        y : ignored
        labels : mapping or array-like, optional
            Classes of some documents, by their ids or numbers; or a class for each document,
            -1 or None where it is unknown. A mapping by the names of sides (``"documents"``,
            ``"words"``, ``"people"``) has labels of several sides, whose values go by their
            names.
        must_link, cannot_link : array-like, optional
            Pairs of documents that belong together, and that don't: (a, b) or (a, b, weight),
            by ids or numbers. A mapping by the names of sides has links of several sides.
        transfer : WordKnowledge, or mapping of str to it, optional
            Groups of words that were learned on another collection; of another side if a
            mapping says so. Values are matched by name.
        start : array of int, optional
            Group in which the search puts each document first, -1 where that is open: a search
            that begins at groups that are there changes less of them.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> from comraf.collection.sample import sample_tables
        >>> sample = sample_tables(n_messages=120)
        >>> mailbox = SimpleNamespace(tables=sample.by_name())
        >>> some = {i: sample.truth[i] for i in range(0, 120, 4)}
        >>> organizer = Organizer(8, random_state=0).fit(mailbox, labels=some)
        >>> set(organizer.cluster_classes_) - {None} <= set(organizer.classes_)
        True
        """
        if not isinstance(getattr(collection, "tables", None), Mapping):
            raise InputError(
                f"a {type(collection).__name__} is no collection; make one of a path or a data "
                "frame of texts with comraf.collection.build.build_collection("
                "comraf.collection.detect.open_reader(...)), or cluster tables of counts with "
                "comraf.MDC"
            )
        for name, table in collection.tables.items():
            if not sp.issparse(table):
                raise InputError(
                    f"the table {name!r} is {type(table).__name__}; a collection's tables are "
                    "sparse: give scipy.sparse.csr_array(table)"
                )
        tables = self._chosen(collection)
        method = method_of(self.method)
        if hasattr(labels, "index") and hasattr(labels, "to_dict"):  # a Series has its own ids
            ids = getattr(collection, "ids", None)
            if ids is not None and set(labels.index) <= set(ids):
                labels = labels.to_dict()
        about = {
            "labels": labels,
            "must_link": must_link,
            "cannot_link": cannot_link,
            "transfer": transfer,
            "start": start,
        }
        if isinstance(self.graph, Graph):
            graph = self.graph
            if self.n_clusters is not None:
                raise InputError(
                    "{given} was given, but the graph says the number itself",
                    "n_clusters",
                    self.n_clusters,
                    code="graph_number",
                )
            if DOCUMENTS not in graph.index:
                raise InputError(
                    "the graph has no node {node!r}; its nodes are {allowed}",
                    node=DOCUMENTS,
                    allowed=list(graph.index),
                )
            sizes = {node.name: graph.sizes[node.name] for node in graph.nodes}
            known = self._knowledge(collection, sizes, about)
        else:
            n = next(iter(tables.values())).shape[0] if tables else 0
            sizes = {DOCUMENTS: n} | {name: table.shape[1] for name, table in tables.items()}
            known = self._knowledge(collection, sizes, about)
            k = self.n_clusters
            if k is None:  # a rule of thumb gives way to what is known
                k = max(default_k(n), int(np.count_nonzero(known[DOCUMENTS].labels.sizes)))
            graph = make_graph(
                tables,
                k,
                shape=self.graph,
                weighting=self.weighting,
                rule=self.edge_weights,
                weight=self.weight,
                side_clusters=self._side_clusters(tables),
                observed=observed_sides(collection, self.observe) if method.sides else tables,
                measured=measured_sides(collection),
            )
            graph = directed(graph, self.schedule)[0]
        ties = {} if isinstance(self.graph, Graph) else ties_of(tables, DOCUMENTS)
        result = self._solve(graph, method.run, self._options(), known, ties)
        self.graph_ = tied_graph(graph, result, ties)
        self.values_ = _names(collection)
        self.classes_: tuple[Any, ...] = known[DOCUMENTS].labels.classes
        self._known = known[DOCUMENTS]
        self._set_result(result)
        return self

    def _knowledge(
        self, collection: Sided, sizes: Mapping[str, int], about: Mapping[str, Any]
    ) -> dict[str, Knowledge]:
        """What is known about documents and values, whom the collection names."""
        every = list(dict.fromkeys([*sizes, *collection.tables]))
        main = {"transfer": "words" if "words" in sizes else every[-1]}
        given = {
            what: by_side(v, every, main.get(what, DOCUMENTS), what) for what, v in about.items()
        }
        for what, part in given.items():
            for side in part:
                if side not in sizes:
                    raise InputError(
                        "{what} are given for {side!r}, which is not clustered here; sides "
                        "that are: {allowed}",
                        what=what,
                        side=side,
                        allowed=list(sizes),
                    )
        names: dict[str, Any] = {DOCUMENTS: getattr(collection, "ids", None), **_names(collection)}
        own = self.graph.nodes if isinstance(self.graph, Graph) else ()
        names |= {node.name: node.values for node in own if node.values is not None}
        for side, moved in given["transfer"].items():
            if isinstance(moved, WordKnowledge) and names.get(side) is not None:
                given["transfer"][side] = moved.for_columns(names[side])
        return read_sides(given, sizes, names, DOCUMENTS, self._how_known())

    def _side_clusters(self, tables: Mapping[str, Any]) -> dict[str, int]:
        """Clusters of sides, as far as they were asked for."""
        wanted = dict(self.side_clusters or {})
        for name in wanted.keys() - tables.keys():
            raise InputError(parameter="side_clusters", given=name, allowed=sorted(tables))
        return wanted

    def _options(self, **chosen: Any) -> Any:
        """Options of the method; parameters that it does not look at are refused."""
        method, asked = method_of(self.method), dict(chosen)
        for one in fields(self):
            if one.name in _OF_SEARCH:
                asked[one.name] = value = getattr(self, one.name)
                method.check(one.name, value is not one.default and value != one.default)
        if not isinstance(self.graph, Graph):  # whose nodes say which way they go
            asked["schedule"] = steps_of(self.schedule)
            asked["polished"] = None if asked["schedule"] is self.schedule else (0,)
        return method.made(asked)

    def _set_result(self, result: Result) -> None:
        named = {
            name: tuple(values)
            for name, values in self.values_.items()
            if len(values) == len(result.labels.get(name, ()))
        }
        self.result_ = result = replace(result, values={**named, **result.values})
        self.labels_: npt.NDArray[np.int32] = np.array(result.labels[DOCUMENTS])
        self.cluster_classes_, self.cluster_support_ = classes_of_clusters(
            self._known, self.labels_, result.n_clusters[DOCUMENTS]
        )
        self.scorer_, items = fit_scorer(self.graph_, result, DOCUMENTS)
        self.sides_: Mapping[str, SideCounts] = self.scorer_.sides
        self.placed_: Placed = items.place()

    def place(self, new: Any, *, node: str = DOCUMENTS) -> Placed:
        """Clusters of new documents, or new values of another side, and how sure that is.

        Parameters
        ----------
        new : collection, or mapping of str to table
            New documents: a collection, or their tables by side. Values are matched by name
            where both collections know names, and those never seen are left out and counted;
            otherwise columns must be those of the fit. New values of another side: their
            tables, as in `comraf.Comraf.place`, such as people x documents.
        node : str
            The side the new items belong to.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> from comraf.collection.sample import sample_tables
        >>> tables = sample_tables(n_messages=120).by_name()
        >>> mailbox = SimpleNamespace(tables=tables)
        >>> organizer = Organizer(4, by=["words"], random_state=0).fit(mailbox)
        >>> placed = organizer.place({"words": tables["words"][:5]})
        >>> bool((placed.labels == organizer.labels_[:5]).all())
        True
        """
        scorer, tables, columns = self._new(new, node)
        return place_new(scorer, tables, self.values_, columns)

    def predict(self, new: Any, *, node: str = DOCUMENTS) -> npt.NDArray[np.int32]:
        """Cluster of each new document, or new value of another side; see `place`.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> from comraf.collection.sample import sample_tables
        >>> tables = sample_tables(n_messages=120).by_name()
        >>> organizer = Organizer(4, random_state=0).fit(SimpleNamespace(tables=tables))
        >>> people = tables["people"].T.tocsr()
        >>> organizer.predict({"documents": people[:3]}, node="people").shape
        (3,)
        """
        return np.array(self.place(new, node=node).labels)

    def update(
        self,
        new: Any,
        *,
        node: str = DOCUMENTS,
        names: Sequence[str] | None = None,
        free: str = "all",
        passes: float = 2.0,
    ) -> Self:
        """Take new documents (or values) into the fit and search on; groups keep their ids.

        ``new`` and ``node`` as in `place`, ``names``, ``free`` and ``passes`` as in
        `comraf.Comraf.update`. In ``labels_`` and ``placed_`` the new documents come
        after the old ones.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> from comraf.collection.sample import sample_tables
        >>> tables = sample_tables(n_messages=120).by_name()
        >>> n = tables["words"].shape[0]
        >>> first = {name: table[:100] for name, table in tables.items()}
        >>> organizer = Organizer(4, random_state=0).fit(SimpleNamespace(tables=first))
        >>> organizer = organizer.update({name: table[100:] for name, table in tables.items()})
        >>> len(organizer.labels_) == n
        True
        """
        scorer, tables, columns = self._new(new, node)
        sides = scorer.sides
        aligned, _ = new_tables(sides, tables, self.values_, columns)
        self.graph_, result = update_fit(
            self, node, sides, aligned, names=names, free=free, passes=passes
        )
        if node in self.values_:
            known = self.values_.pop(node)
            if names is not None:
                self.values_[node] = (*known, *names)
        self._set_result(result)
        return self

    def _new(self, new: Any, node: str) -> tuple[Scorer, Any, dict[str, Sequence[str] | None]]:
        check_is_fitted(self, "graph_")
        scorer = self.scorer_ if node == DOCUMENTS else scorer_of(self, node)
        sides = scorer.sides
        if isinstance(new, Mapping) or not hasattr(new, "tables"):
            return scorer, new, {}
        tables = {name: table for name, table in new.tables.items() if name in sides}
        if not tables:
            raise InputError(
                "the collection has the sides {found}, but the fit knows {allowed}",
                found=sorted(new.tables),
                allowed=list(sides),
            )
        names: dict[str, Sequence[str] | None] = {
            name: values for name, values in _names(new).items() if name in tables
        }
        return scorer, tables, names

    def _chosen(self, collection: Sided) -> dict[str, sp.csr_array]:
        tables = collection.tables
        if self.by is None:
            # a side without any counts says nothing; asked for by name it is refused later
            usual = {name: tables[name] for name in default_sides(collection)}
            if tables and not usual:
                raise InputError(
                    "the sides {allowed} make no groups by default; name those that shall, "
                    "as in {given}",
                    "by",
                    sorted(tables)[:1],
                    allowed=sorted(tables),
                )
            return usual
        if isinstance(self.by, str) or not isinstance(self.by, Iterable):
            raise InputError(
                "{given}; give a list of sides, such as {some}",
                "by",
                self.by,
                some=sorted(tables)[:1],
            )
        missing = [name for name in self.by if name not in tables]
        if missing:
            raise InputError(
                "the collection has no side {side!r}; it has {allowed}",
                side=missing[0],
                allowed=sorted(tables),
            )
        return {name: tables[name] for name in self.by}


def _names(collection: Any) -> dict[str, Sequence[str]]:
    """Names of every side's values, if the collection has them."""
    sides = getattr(collection, "sides", None)
    if not isinstance(sides, Mapping):
        return dict(said_names(collection))
    return {name: tuple(side.values) for name, side in sides.items() if hasattr(side, "values")}
