"""From a collection and what was found in it to everything a report shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf._version import __version__
from comraf.collection.kinds import kind_of
from comraf.errors import InputError
from comraf.report.counting import Floats, View, group_counts
from comraf.report.data import ReportData, Score
from comraf.report.panels import PANELS
from comraf.report.panels.photos import seen_sides, typical
from comraf.report.panels.samples import typical_documents
from comraf.report.panels.sides import by_value
from comraf.report.panels.telling import telling_views
from comraf.report.shown import shown_values
from comraf.report.veil import Veil, kind_of_side
from comraf.results.scorer import Placed, Scored, fit_scorer

if TYPE_CHECKING:
    from comraf.graph import Graph
    from comraf.results import Result

__all__ = ["Answer", "CollectionLike", "report_data"]


class CollectionLike(Protocol):
    """What a report needs to know of a collection."""

    @property
    def kind(self) -> str:
        """What it was read from: "mail", "csv" ..."""
        ...

    @property
    def titles(self) -> Sequence[str]:
        """Titles or subjects; empty where there is none."""
        ...

    @property
    def dates(self) -> Any:
        """An array of NumPy's moments, or a sequence of datetimes and None."""
        ...

    @property
    def truth(self) -> Sequence[str | None] | None:
        """Known classes, or None where none is known."""
        ...

    @property
    def sides(self) -> Mapping[str, Any]:
        """Sides by name, each with ``values`` and perhaps a ``kind``."""
        ...

    @property
    def tables(self) -> Mapping[str, sp.csr_array]:
        """Documents by the values of each side."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What was decided or left out while reading."""
        ...

    @property
    def skipped(self) -> Sequence[Any]:
        """What could not be read, each with ``source`` and ``reason``."""
        ...

    def __len__(self) -> int:
        """Number of documents."""
        ...

    def text(self, item: int, /) -> str:
        """The text of one document."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer:
    """What was found, as panels gather from it.

    Attributes
    ----------
    collection, graph, result
        What was read, what was solved, and what was found.
    documents : str
        The node whose clusters are the groups.
    labels : array of int
        The group of each document.
    n_groups : int
    views : list of View
        Documents by every other side: those of the graph first.
    photos : tuple of str
        Sides that are seen rather than read, of a collection of photos; empty for others.
    veil : Veil
        By what names values may be shown. In a report without text it is drawn.
    truth : list of str or None, optional
        The known class of each document.
    kind : str
        What a document is called.
    names, confidence, scores, known, notes, wanted, n_telling, n_samples, n_points, n_items
        As given to `report_data`.
    """

    collection: CollectionLike
    graph: Graph
    result: Result
    documents: str
    labels: npt.NDArray[np.int32]
    n_groups: int
    views: list[View]
    photos: tuple[str, ...]
    veil: Veil
    truth: Sequence[str | None] | None
    kind: str
    names: Sequence[str] | None
    confidence: Floats | None
    scores: Sequence[Score] | None
    known: Sequence[str]
    notes: Sequence[str]
    wanted: Collection[str]
    n_telling: int
    n_samples: int
    n_points: int
    n_items: int

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
        if not self.photos:
            return typical_documents(self)
        say = [float(view.solved and view.kind != "dates") for view in self.views]
        return typical(self.views, self.labels, self.n_groups, say)

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
    collection: CollectionLike,
    graph: Graph,
    result: Result,
    *,
    names: Sequence[str] | None = None,
    confidence: npt.ArrayLike | None = None,
    title: str | None = None,
    source: str = "",
    made: datetime | None = None,
    warnings: Sequence[str] = (),
    notes: Sequence[str] = (),
    known: Sequence[str] = (),
    scores: Sequence[Score] | None = None,
    include_text: bool = True,
    documents: str = "documents",
    wanted: Collection[str] = (),
    n_telling: int = 12,
    n_samples: int = 6,
    n_points: int = 2000,
    n_items: int = 100_000,
) -> ReportData:
    """Gather what `comraf.report.render` draws.

    Large tables stay sparse; only a stretch of rows at a time is ever dense. Equal input gives
    an equal answer.

    Parameters
    ----------
    collection
        A `comraf.collection.collection.Collection`, or anything that has its attributes.
    graph, result
        What was solved, and what was found.
    names : sequence of str, optional
        A name for each group; otherwise its most telling words.
    confidence : array of float, optional
        How sure each document's group is, 0 to 1.
    title, source : str, optional
        Heading of the page (otherwise made from ``source``), and where the documents are from.
    made : datetime, optional
        The moment to print on the page.
    warnings : sequence of str
        Shown before anything else.
    notes : sequence of str
        Shown at the end, after those of the collection.
    known : sequence of str
        What was known before the search, and how far the groups keep to it.
    scores : sequence of Score, optional
        Agreement with the known classes; otherwise one-to-one accuracy, purity, NMI and ARI,
        where classes are known.
    include_text : bool
        False leaves out whatever was written in or about single documents, and replaces the
        names of people; see `comraf.report.veil`.
    documents : str
        The node whose clusters are the groups.
    wanted : collection of str
        Sides that somebody asked for: they have their place, as those of the graph do, also
        where they took no part.
    n_telling, n_samples, n_points, n_items : int
        At most so many telling values for each side of a group, sample documents for each
        group, dots on the map, documents in the lists of all groups together (the most typical
        ones of each group, in proportion, where there are more).

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
    labels = _labels_of(result, documents, len(collection))
    k = result.n_clusters[documents]
    certain = None if confidence is None else np.asarray(confidence, dtype=np.float64)
    if certain is not None and certain.shape != labels.shape:
        raise InputError(
            f"confidence has shape {certain.shape}, expected ({len(labels)},): one number for "
            "each document"
        )
    if names is not None and len(names) != k:
        raise InputError(f"{len(names)} names are given for {k} groups; give one for each")
    photos = seen_sides(collection)
    views = _views(collection, graph, result, documents, labels, k, photos)
    truth = None if collection.truth is None else [_known(value) for value in collection.truth]
    if truth is not None and not include_text:
        truth = _numbered(truth)
    answer = Answer(
        collection=collection,
        graph=graph,
        result=result,
        documents=documents,
        labels=labels,
        n_groups=k,
        views=views,
        photos=photos,
        veil=_veil(collection, graph, views, photos, include_text),
        truth=truth,
        kind=kind_of(collection.kind).noun,
        names=names,
        confidence=certain,
        scores=scores,
        known=known,
        notes=notes,
        wanted=wanted,
        n_telling=n_telling,
        n_samples=n_samples,
        n_points=n_points,
        n_items=n_items,
    )
    gathered: dict[str, Any] = {}
    for panel in PANELS:
        gathered |= panel.gather(answer)
    more = {
        name: gathered.pop(name) for name in set(gathered) - {f.name for f in fields(ReportData)}
    }
    return ReportData(
        title=_title(title, source, include_text),
        n_documents=len(collection),
        source=source if include_text else "",
        made=made,
        version=__version__,
        kind=answer.kind,
        warnings=tuple(str(line) for line in warnings),
        text_shown=include_text,
        more=more,
        **gathered,
    )


def _veil(
    collection: CollectionLike,
    graph: Graph,
    views: Sequence[View],
    photos: Collection[str],
    include_text: bool,
) -> Veil:
    """By what names values may be shown."""
    values: dict[str, Sequence[str]] = {
        name: side.values for name, side in collection.sides.items()
    }
    if include_text:
        values = shown_values(collection)
    for node in graph.nodes:
        if node.values is not None:
            values.setdefault(node.name, node.values)
    kinds = {name: kind_of_side(name, collection.sides.get(name)) for name in values}
    if not include_text:
        # "fine" and "blob" are what textures and blobs are called: nobody's name
        values = {name: names for name, names in values.items() if name not in photos}
    veil = Veil(values, kinds, drawn=not include_text, sides=collection.sides)
    for view in views:
        veil.rank(view.name, np.asarray(view.by_group.sum(axis=0)))
    return veil


def _labels_of(result: Result, documents: str, n: int) -> npt.NDArray[np.int32]:
    if documents not in result.labels:
        raise InputError(
            "the result has no node {documents!r}; its nodes are {allowed}",
            documents=documents,
            allowed=list(result.labels),
        )
    labels = result.labels[documents]
    if len(labels) != n:
        raise InputError(
            f"the result has {len(labels)} {documents}, the collection {n}; a report needs the "
            "collection that was clustered"
        )
    return labels


def _views(
    collection: CollectionLike,
    graph: Graph,
    result: Result,
    documents: str,
    labels: npt.NDArray[np.int32],
    k: int,
    photos: Collection[str],
) -> list[View]:
    """Documents by every other side: those of the graph first, in its order."""
    tables: dict[str, sp.csr_array] = {}
    weights: dict[str, float] = {}
    for edge in graph.edges:
        if documents not in (edge.a, edge.b):
            continue
        other = edge.b if edge.a == documents else edge.a
        weights.setdefault(other, float(edge.weight))
        counts = edge.counts if edge.a == documents else sp.csr_array(edge.counts.T)
        tables.setdefault(other, counts)
    for node in graph.nodes:
        # The collection's counts rather than the graph's, which may be weighted.
        table = collection.tables.get(node.name)
        if table is not None and table.shape == (len(labels), graph.sizes[node.name]):
            tables[node.name] = sp.csr_array(table)
    for name, table in collection.tables.items():
        tables.setdefault(name, sp.csr_array(table))
    views = []
    for name, table in tables.items():
        if name == documents or table.nnz == 0:
            continue
        kinds, n_clusters = result.labels.get(name), result.n_clusters.get(name, 0)
        # Every value by itself, or all in one, is no clustering to speak of.
        if kinds is not None and not 1 < n_clusters < len(kinds):
            kinds = None
        views.append(
            View(
                name,
                table,
                group_counts(table, labels, k),
                kinds,
                int(n_clusters) if kinds is not None else 0,
                # An edge of weight 0 takes no part, and its side says nothing of the fit.
                weights.get(name, 1.0),
                "looks" if name in photos else kind_of_side(name, collection.sides.get(name)),
                name in graph.index,
            )
        )
    return views


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
