"""From a collection with several sides to groups: the default graphs, and one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from comraf.errors import InputError
from comraf.estimators._callbacks import CallbackSupportMixin
from comraf.estimators._growing import update_fit
from comraf.estimators._placing import known_by, new_tables, place_new, sides_of, warn_unseen
from comraf.estimators._run import Verbose, run
from comraf.estimators.mdc import MDC
from comraf.graph import Edge, Graph, Node, edge_weights
from comraf.inference import MDCOptions, options_for, run_mdc
from comraf.results import Result
from comraf.results.confidence import confidence
from comraf.results.placement import Placed, SideCounts, place

__all__ = ["DOCUMENTS", "GRAPHS", "Organizer", "Structure", "default_k", "make_graph", "structure"]

#: Name of the node of items in every graph made from a collection.
DOCUMENTS = "documents"

#: Shapes of graph by name: ``tree`` joins every side to the documents (thesis, figure 4.3);
#: ``loopy`` also joins words to every other side (the 2005 paper: all pairs but
#: people-subjects).
GRAPHS = ("tree", "loopy")

# Structure is looked for in so many items at most: enough to see it, quick on any size.
_SAMPLE = 1500
# Mailboxes reach 3 times the objective of shuffled tables, noise 0.9 to 1.1 times.
_CLEAR = 1.2


class Sided(Protocol):
    """What is asked of a collection: items x values tables by the name of the side."""

    @property
    def tables(self) -> Mapping[str, sp.csr_array]:
        """Counts of every side."""
        ...

    def __len__(self) -> int: ...


def default_k(n: int) -> int:
    """Number of groups when none is asked for: the root of n/2, from 2 to 40.

    A rule of thumb, no more: few enough groups to be read, more for more items.

    Examples
    --------
    >>> default_k(400), default_k(20_000)
    (14, 40)
    """
    return int(min(max(2, round((n / 2) ** 0.5)), 40, max(1, n)))


def make_graph(
    tables: Mapping[str, sp.csr_array],
    n_clusters: int,
    *,
    shape: str = "tree",
    weighting: str = "root_rows",
    rule: str = "root_mass",
    side_clusters: Mapping[str, int] | None = None,
) -> Graph:
    """Documents bottom-up, every other side top-down, edges brought to one scale.

    Examples
    --------
    >>> words, people = sp.csr_array(np.eye(4)), sp.csr_array(np.ones((4, 2)))
    >>> make_graph({"words": words, "people": people}, 2)
    Graph(documents[4], words[4], people[2]; documents-words, documents-people)
    """
    if shape not in GRAPHS:
        raise InputError(f"graph={shape!r} is unknown; choose one of {list(GRAPHS)}")
    if not tables:
        raise InputError("the collection has no sides to cluster by; give at least one table")
    joined: dict[tuple[str, str], sp.csr_array] = {
        (DOCUMENTS, name): table for name, table in tables.items()
    }
    if shape == "loopy" and "words" in tables:
        for name, table in tables.items():
            if name != "words":
                joined["words", name] = _through_documents(tables["words"], table)
    weights = edge_weights({f"{a}\0{b}": t for (a, b), t in joined.items()}, rule, weighting)
    wanted = side_clusters or {}
    nodes = [Node(DOCUMENTS, n_clusters=n_clusters)]
    nodes += [Node(name, n_clusters=wanted.get(name), direction="top-down") for name in tables]
    edges = [
        Edge(a, b, table, weight=weights[f"{a}\0{b}"], weighting=weighting)
        for (a, b), table in joined.items()
    ]
    return Graph(nodes, edges)


def _through_documents(left: sp.csr_array, right: sp.csr_array) -> sp.csr_array:
    """Values x values: how often they meet in a document, each document counted once.

    Rows of ``left`` are scaled to mass 1, so that the table has the mass of ``right`` and a
    long document does not outweigh the others.
    """
    sums = np.asarray(left.sum(axis=1), dtype=np.float64)
    scaled = sp.csr_array(left, dtype=np.float64, copy=True)
    scaled.data /= np.repeat(np.where(sums > 0, sums, 1.0), np.diff(scaled.indptr))
    return sp.csr_array(scaled.T @ sp.csr_array(right, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class Structure:
    """Whether there is anything to find: the objective beside that of shuffled tables."""

    objective: float
    shuffled: float

    @property
    def ratio(self) -> float:
        """How many times the objective of the real tables is that of shuffled ones."""
        if self.shuffled > 0:
            return self.objective / self.shuffled
        return float("inf") if self.objective > 0 else 1.0

    @property
    def found(self) -> bool:
        """Whether the ratio is clearly above 1."""
        return self.objective > 0 and self.ratio > _CLEAR


def structure(
    tables: Mapping[str, sp.csr_array],
    n_clusters: int,
    *,
    weighting: str = "root_rows",
    seed: int = 0,
) -> Structure:
    """Compare the objective with that of tables whose entries were dealt out anew.

    Both are fitted alike, on a sample of at most 1,500 items. Shuffling keeps the lengths
    of the items and the frequencies of the values and destroys all else.

    Examples
    --------
    >>> noise = sp.csr_array(np.random.default_rng(0).poisson(1.0, (80, 60)))
    >>> structure({"words": noise}, 4).found
    False
    """
    rng = np.random.default_rng(seed)
    n = next(iter(tables.values())).shape[0]
    sample = np.sort(rng.permutation(n)[:_SAMPLE])
    real = {name: sp.csr_array(table)[sample] for name, table in tables.items()}
    dealt = {name: _dealt(table, rng) for name, table in real.items()}
    filled = int(np.min([(np.diff(t.indptr) > 0).sum() for t in (*real.values(),)]))
    k = max(1, min(n_clusters, filled))
    values = [
        MDC(k, effort="quick", weighting=weighting, random_state=seed).fit(part).objective_
        for part in (real, dealt)
    ]
    return Structure(*values)


def _dealt(table: sp.csr_array, rng: np.random.Generator) -> sp.csr_array:
    """The same row and column sums, every single count dealt out at random."""
    counts = np.maximum(1, np.rint(table.data)).astype(np.int64)
    rows = np.repeat(np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)), counts)
    columns = rng.permutation(np.repeat(table.indices, counts))
    return sp.csr_array((np.ones(len(rows), np.int64), (rows, columns)), shape=table.shape)


class Organizer(CallbackSupportMixin, BaseEstimator):
    """Cluster a collection's documents by all of their sides at once.

    Parameters
    ----------
    n_clusters : int or None
        Groups of documents; None takes :func:`default_k`.
    by : sequence of str or None
        Sides to use, all by default.
    graph : {"tree", "loopy"} or Graph
        Shape of the graph, or a graph of one's own (with a node "documents"), which then
        says everything about clusters, weights and weighting itself.
    weighting : {"root_rows", "raw", "binary", "log", "equal_rows"}
    edge_weights : str
        Rule that brings the edges to one scale.
    effort, n_runs, n_restarts, moves, passes, balance, n_jobs, random_state, time_limit, \
checkpoint, verbose
        As in :class:`comraf.MDC`.

    Attributes
    ----------
    graph_ : Graph
    result_ : Result
    placed_ : Placed
        Group, runner-up and confidence of every document.
    sides_ : dict of str to SideCounts
        What is needed to place new documents.
    values_ : dict of str to tuple of str
        Names of the sides' values, where the collection has them.

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

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        by: Sequence[str] | None = None,
        graph: str | Graph = "tree",
        weighting: str = "root_rows",
        edge_weights: str = "root_mass",
        effort: str = "default",
        n_runs: int | None = None,
        n_restarts: int = 1,
        moves: str = "sequential",
        passes: float = 2.0,
        balance: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        time_limit: float | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        verbose: Verbose = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.by = by
        self.graph = graph
        self.weighting = weighting
        self.edge_weights = edge_weights
        self.effort = effort
        self.n_runs = n_runs
        self.n_restarts = n_restarts
        self.moves = moves
        self.passes = passes
        self.balance = balance
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.verbose = verbose

    def fit(self, collection: Sided, y: Any = None) -> Self:
        """Organise a collection."""
        tables = self._chosen(collection.tables)
        options = self._options()
        if isinstance(self.graph, Graph):
            self.graph_ = self.graph
            if self.n_clusters is not None:
                raise InputError(
                    f"n_clusters={self.n_clusters} was given, but the graph says the number itself"
                )
            if DOCUMENTS not in self.graph_.index:
                raise InputError(
                    f"the graph has no node {DOCUMENTS!r}; its nodes are {list(self.graph_.index)}"
                )
        else:
            n = next(iter(tables.values())).shape[0] if tables else 0
            self.graph_ = make_graph(
                tables,
                default_k(n) if self.n_clusters is None else self.n_clusters,
                shape=self.graph,
                weighting=self.weighting,
                rule=self.edge_weights,
            )
        result: Result = run(
            self.graph_,
            lambda problem, seed, n_jobs, control: run_mdc(problem, options, seed, n_jobs, control),
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            verbose=self.verbose,
            time_limit=self.time_limit,
            checkpoint=self.checkpoint,
            estimator=self,
        )
        self.values_ = _names(collection)
        self._adopt(result)
        return self

    def _options(self) -> MDCOptions:
        return options_for(
            self.effort,
            n_runs=self.n_runs,
            n_restarts=self.n_restarts,
            moves=self.moves,
            passes=self.passes,
            balance=self.balance,
        )

    def _adopt(self, result: Result) -> None:
        self.result_ = result
        self.labels_: npt.NDArray[np.int32] = np.array(result.labels[DOCUMENTS])
        known, counts = known_by(self.graph_, result, DOCUMENTS)
        self.sides_: dict[str, SideCounts] = known
        # fitted items are placed by the very counts of the fit
        plain = {
            name: replace(side, weighting="raw", units=1.0, factors=None)
            for name, side in known.items()
        }
        placed = place(plain, counts, own=self.labels_)
        if not result.interrupted:  # who pressed Ctrl-C does not want to wait for this
            # the fit knows more than the counts: how far its runs agreed
            sure = confidence(self.graph_, result, DOCUMENTS)
            placed = replace(placed, confidence=sure)
        self.placed_: Placed = placed

    def place(self, new: Any, *, node: str = DOCUMENTS) -> Placed:
        """Clusters of new documents, or new values of another side, and how sure that is.

        Parameters
        ----------
        new : collection, or mapping of str to table
            New documents: a collection, or their tables by side. Values are matched by name
            where both collections know names, and those never seen are left out and counted;
            otherwise columns must be those of the fit. New values of another side: their
            tables, as in :meth:`comraf.Comraf.place`, such as people x documents.
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
        sides, tables, columns = self._new(new, node)
        return place_new(sides, tables, self.values_, columns)

    def predict(self, new: Any, *, node: str = DOCUMENTS) -> npt.NDArray[np.int32]:
        """Cluster of each new document, or new value of another side; see :meth:`place`.

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

        ``new`` and ``node`` as in :meth:`place`, ``names``, ``free`` and ``passes`` as in
        :meth:`comraf.Comraf.update`. In ``labels_`` and ``placed_`` the new documents come
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
        sides, tables, columns = self._new(new, node)
        aligned, unseen = new_tables(sides, tables, self.values_, columns)
        warn_unseen(unseen, aligned)
        updated = update_fit(self, node, sides, aligned, names=names, free=free, passes=passes)
        self.graph_ = updated.graph
        if node in self.values_:
            known = self.values_.pop(node)
            if names is not None:
                self.values_[node] = (*known, *names)
        self._adopt(updated.result)
        return self

    def _new(
        self, new: Any, node: str
    ) -> tuple[dict[str, SideCounts], Any, dict[str, Sequence[str] | None]]:
        check_is_fitted(self, "graph_")
        sides = sides_of(self.graph_, self.result_, node)
        if isinstance(new, Mapping) or not hasattr(new, "tables"):
            return sides, new, {}
        tables = {name: table for name, table in new.tables.items() if name in sides}
        if not tables:
            raise InputError(
                f"the collection has the sides {sorted(new.tables)}, but the fit knows "
                f"{list(sides)}"
            )
        return sides, tables, dict(_names(new))

    def _chosen(self, tables: Mapping[str, sp.csr_array]) -> dict[str, sp.csr_array]:
        if self.by is None:
            # a side without any counts says nothing; asked for by name it is refused later
            return {name: table for name, table in tables.items() if table.nnz}
        missing = [name for name in self.by if name not in tables]
        if missing:
            raise InputError(f"the collection has no side {missing[0]!r}; it has {sorted(tables)}")
        return {name: tables[name] for name in self.by}


def _names(collection: Any) -> dict[str, Sequence[str]]:
    """Names of every side's values, if the collection has them."""
    sides = getattr(collection, "sides", None)
    if not isinstance(sides, Mapping):
        return {}
    return {name: tuple(side.values) for name, side in sides.items() if hasattr(side, "values")}
