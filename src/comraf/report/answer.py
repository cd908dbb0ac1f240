"""From a collection and what was found in it to everything a report shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf._version import __version__
from comraf.collection.kinds import kind_of
from comraf.errors import InputError
from comraf.report.counting import Floats, View
from comraf.report.data import ReportData, Score
from comraf.report.panels import PANELS
from comraf.report.panels.photos import seen_sides, typical
from comraf.report.panels.samples import typical_documents
from comraf.report.panels.sides import by_value
from comraf.report.panels.telling import telling_views
from comraf.report.privacy import ValueNames, kind_of_side
from comraf.report.titles import value_titles
from comraf.results.contributions import group_counts
from comraf.results.scorer import Placed, Scored, fit_scorer

if TYPE_CHECKING:
    from comraf.collection.collection import Collection as Texts
    from comraf.graph import Graph
    from comraf.results import Result

__all__ = ["Answer", "report_data"]


@dataclass(frozen=True, eq=False)
class Answer:
    """What was found, as panels gather from it.

    Parameters
    ----------
    collection
        A `comraf.collection.collection.Collection`, or anything that has its ``kind``,
        ``titles``, ``dates``, ``truth``, ``sides``, ``tables``, ``notes``, ``skipped``, length
        and ``text``.
    graph, result
        What was solved, and what was found.
    names : sequence of str, optional
        A name for each group; otherwise its most telling words.
    confidence : array of float, optional
        How sure each document's group is, 0 to 1.
    scores : sequence of Score, optional
        Agreement with the known classes; otherwise one-to-one accuracy, purity, NMI and ARI,
        where classes are known.
    known : sequence of str
        What was known before the search, and how far the groups keep to it.
    notes : sequence of str
        Shown at the end, after those of the collection.
    wanted : collection of str
        Sides that somebody asked for: they have their place, as those of the graph do, also
        where they took no part.
    audit : sequence of tuples
        Sides, the verdict on each, how it changes what is told of the main one, and the share
        of documents that have it.
    numbers : mapping, optional
        The ``best`` number of groups, good ones (``plateaus``), and a ``curve`` of numbers and what
        share of the most each foretells.
    include_text : bool
        False leaves out whatever was written in or about single documents, and replaces the
        names of people; see `comraf.report.privacy`.
    documents : str
        The node whose clusters are the groups.
    n_telling, n_samples, n_points, n_items : int
        At most so many telling values for each side of a group, sample documents for each
        group, dots on the map, documents in the lists of all groups together (the most typical
        ones of each group, in proportion, where there are more).
    """

    collection: Texts
    graph: Graph
    result: Result
    names: Sequence[str] | None = None
    confidence: Floats | None = None
    scores: Sequence[Score] | None = None
    known: Sequence[str] = ()
    notes: Sequence[str] = ()
    wanted: Collection[str] = ()
    audit: Sequence[tuple[str, str, float, float]] = ()
    numbers: Mapping[str, Any] | None = None
    include_text: bool = True
    documents: str = "documents"
    n_telling: int = 12
    n_samples: int = 6
    n_points: int = 2000
    n_items: int = 100_000

    def __post_init__(self) -> None:
        n = len(self.labels)
        if self.confidence is not None:
            sure = np.asarray(self.confidence, dtype=np.float64)
            if sure.shape != (n,):
                raise InputError(
                    f"confidence has shape {sure.shape}, expected ({n},): one number for each "
                    "document"
                )
            object.__setattr__(self, "confidence", sure)
        if self.names is not None and len(self.names) != self.n_groups:
            raise InputError(
                f"{len(self.names)} names are given for {self.n_groups} groups; give one for each"
            )

    @cached_property
    def labels(self) -> npt.NDArray[np.int32]:
        """The group of each document."""
        if self.documents not in self.result.labels:
            raise InputError(
                "the result has no node {documents!r}; its nodes are {allowed}",
                documents=self.documents,
                allowed=list(self.result.labels),
            )
        labels = self.result.labels[self.documents]
        if len(labels) != len(self.collection):
            raise InputError(
                f"the result has {len(labels)} {self.documents}, the collection "
                f"{len(self.collection)}; a report needs the collection that was clustered"
            )
        return labels

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return self.result.n_clusters[self.documents]

    @property
    def kind(self) -> str:
        """What a document is called."""
        return kind_of(self.collection.kind).noun

    @cached_property
    def truth(self) -> list[str | None] | None:
        """The known class of each document; in a report without text its number."""
        if self.collection.truth is None:
            return None
        truth = [_known(value) for value in self.collection.truth]
        return truth if self.include_text else _numbered(truth)

    @cached_property
    def photos(self) -> tuple[str, ...]:
        """Sides that are seen rather than read; empty where there are none."""
        return seen_sides(self.collection)

    @cached_property
    def views(self) -> list[View]:
        """Documents by every other side: those of the graph first, in its order."""
        tables: dict[str, sp.csr_array] = {}
        weights: dict[str, float] = {}
        for _, edge in self.graph.edges_of(self.documents):
            other = edge.other(self.documents)
            weights.setdefault(other, float(edge.weight))
            counts = edge.counts if edge.a == self.documents else sp.csr_array(edge.counts.T)
            tables.setdefault(other, counts)
        counted = self.collection.tables
        for name in (*self.graph.index, *counted):
            if name in counted:
                table = sp.csr_array(counted[name])
                # The collection's counts rather than the graph's, which may be weighted.
                if table.shape == (len(self.labels), self.graph.sizes.get(name)):
                    tables[name] = table
                tables.setdefault(name, table)
        return [
            self._view(name, table, weights.get(name, 1.0))
            for name, table in tables.items()
            if name != self.documents and table.nnz
        ]

    def _view(self, name: str, table: sp.csr_array, weight: float) -> View:
        clusters, n_clusters = self.result.labels.get(name), self.result.n_clusters.get(name, 0)
        # Every value by itself, or all in one, is no clustering to speak of.
        if clusters is not None and not 1 < n_clusters < len(clusters):
            clusters = None
        kind = kind_of_side(name, self.collection.sides.get(name))
        return View(
            name,
            table,
            group_counts(table, self.labels, self.n_groups),
            clusters,
            int(n_clusters) if clusters is not None else 0,
            # An edge of weight 0 takes no part, and its side says nothing of the fit.
            weight,
            "looks" if name in self.photos else kind,
            name in self.graph.index,
        )

    @cached_property
    def value_names(self) -> ValueNames:
        """By what names values may be shown. A report without text hides some."""
        sides = self.collection.sides
        values: dict[str, Sequence[str]] = {name: side.values for name, side in sides.items()}
        if self.include_text:
            values = value_titles(self.collection)
        for node in self.graph.nodes:
            if node.values is not None:
                values.setdefault(node.name, node.values)
        kinds = {name: kind_of_side(name, sides.get(name)) for name in values}
        if not self.include_text:
            # "fine" and "blob" are what textures and blobs are called: nobody's name
            values = {name: names for name, names in values.items() if name not in self.photos}
        names = ValueNames(values, kinds, private=not self.include_text, sides=sides)
        for view in self.views:
            names.rank(view.name, view.mass)
        return names

    @cached_property
    def scored(self) -> Scored:
        """The documents' scores in every group, each left out of its own."""
        return fit_scorer(self.graph, self.result, self.documents)[1]

    @cached_property
    def placed(self) -> Placed:
        """How clearly every document is in its group, and which other group is the next best."""
        return self.scored.place()

    @cached_property
    def members(self) -> list[npt.NDArray[np.int64]]:
        """The documents of each group."""
        return [np.flatnonzero(self.labels == c) for c in range(self.n_groups)]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many documents each group has."""
        return np.bincount(self.labels, minlength=self.n_groups)

    @cached_property
    def telling_views(self) -> list[tuple[View, sp.csr_array]]:
        """Sides that are told of in every group, with what each of their values is worth."""
        return telling_views(self)

    @cached_property
    def typical(self) -> Floats:
        """How typical each document is of its group."""
        return typical(self) if self.photos else typical_documents(self)

    @cached_property
    def described(self) -> list[View]:
        """Sides that were clustered, made the groups or were asked for.

        Of one that was not clustered each value stands by itself.
        """
        found = []
        for view in self.views:
            read = view.kind != "looks" and view.name != "neighbours"
            if view.labels is not None:
                found.append(view)
            elif read and (view.name in self.wanted or (view.solved and view.kind != "dates")):
                found.append(by_value(view))
        return found


def report_data(
    collection: Any,
    graph: Graph,
    result: Result,
    *,
    title: str | None = None,
    source: str = "",
    made: datetime | None = None,
    warnings: Sequence[str] = (),
    **more: Any,
) -> ReportData:
    """Gather what `comraf.report.render` draws.

    Large tables stay sparse; only a stretch of rows at a time is ever dense. Equal input gives
    an equal answer.

    Parameters
    ----------
    collection, graph, result
        As in `Answer`.
    title, source : str, optional
        Heading of the page (otherwise made from ``source``), and where the documents are from.
    made : datetime, optional
        The moment to print on the page.
    warnings : sequence of str
        Shown before anything else.
    **more
        Other parameters of `Answer`.

    Returns
    -------
    ReportData

    Examples
    --------
    >>> from types import SimpleNamespace as Record
    >>> import comraf
    >>> table = sp.csr_array([[3, 1, 0], [2, 2, 0], [0, 1, 4], [0, 0, 3]])
    >>> class Shelf:
    ...     titles, dates, truth = ["a", "b", "c", "d"], [None] * 4, None
    ...     kind, notes, skipped = "folder", (), ()
    ...     sides = {"words": Record(values=("sea", "ship", "leaf"))}
    ...     tables = {"words": table}
    ...     def __len__(self): return 4
    ...     def text(self, index): return "some text"
    >>> nodes = [comraf.Node("documents", n_clusters=2), comraf.Node("words", direction="top-down")]
    >>> graph = comraf.Graph(nodes, [comraf.Edge("documents", "words", table)])
    >>> result = comraf.Comraf(graph, random_state=0).fit().result_
    >>> data = report_data(Shelf(), graph, result, source="shelf")
    >>> [(group.name, group.size) for group in data.groups]
    [('sea, ship', 2), ('leaf', 2)]
    """
    answer = Answer(collection, graph, result, **more)
    gathered: dict[str, Any] = {}
    for panel in PANELS:
        gathered |= panel.gather(answer)
    known = {field.name for field in fields(ReportData)}
    others = {name: gathered.pop(name) for name in set(gathered) - known}
    shown = answer.include_text
    return ReportData(
        title=_title(title, source, shown),
        n_documents=len(collection),
        source=source if shown else "",
        made=made,
        version=__version__,
        kind=answer.kind,
        warnings=tuple(str(line) for line in warnings),
        text_shown=shown,
        more=others,
        **gathered,
    )


def _known(value: Any) -> str | None:
    # NaN is the only value that differs from itself.
    return None if value is None or value != value or value == "" else str(value)


def _title(title: str | None, source: str, include_text: bool) -> str:
    if include_text and title:
        return title
    if include_text and source:
        return PurePath(source).name or source
    return "A collection"


def _numbered(truth: Sequence[str | None]) -> list[str | None]:
    """Classes by number instead of name, the largest first."""
    ranked = Counter(value for value in truth if value is not None).most_common()
    numbers = {name: f"class {i}" for i, (name, _) in enumerate(ranked, 1)}
    return [None if value is None else numbers[value] for value in truth]
