"""From a collection and what was found in it to everything a report shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf._version import __version__
from comraf.collection.kinds import kind_of
from comraf.errors import InputError
from comraf.report.affinity import Fitter
from comraf.report.build_groups import make_groups
from comraf.report.build_map import make_map
from comraf.report.build_photos import seen_sides
from comraf.report.build_sides import by_value, make_heat_map, make_people, make_side
from comraf.report.counting import View, group_counts
from comraf.report.data import (
    ClassShare,
    Model,
    ModelEdge,
    ModelNode,
    ReportData,
    Score,
    Skipped,
    TraceStep,
    TruthTable,
)
from comraf.report.periods import make_timeline
from comraf.report.scales import plural
from comraf.report.shown import item_titles, shown_values
from comraf.report.veil import Veil, kind_of_side

if TYPE_CHECKING:
    from comraf.graph import Graph
    from comraf.results import Result

__all__ = ["CollectionLike", "report_data"]

_MOST_CLASSES = 40
_MOST_STEPS = 600


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
    views = _views(collection, graph, result, documents, labels, k)
    values: dict[str, Sequence[str]] = {
        name: side.values for name, side in collection.sides.items()
    }
    if include_text:
        values = shown_values(collection)
    for node in graph.nodes:
        if node.values is not None:
            values.setdefault(node.name, node.values)
    kinds = {name: kind_of_side(name, collection.sides.get(name)) for name in values}
    hidden = values
    if not include_text:
        # "fine" and "blob" are what textures and blobs are called: nobody's name
        seen = seen_sides(collection)
        hidden = {name: names_ for name, names_ in values.items() if name not in seen}
    veil = Veil(hidden, kinds, drawn=not include_text, sides=collection.sides)
    for view in views:
        veil.rank(view.name, np.asarray(view.by_group.sum(axis=0)))
    fitter = Fitter([view for view in views if view.solved], k)
    fit = fitter.fit(labels)
    truth = None if collection.truth is None else [_known(value) for value in collection.truth]
    if truth is not None and not include_text:
        truth = _numbered(truth)
    timeline, first, last = make_timeline(collection.dates, labels, k)
    groups = make_groups(
        collection,
        views,
        labels,
        k,
        fit,
        veil,
        names=names,
        confidence=certain,
        truth=truth,
        n_telling=n_telling,
        n_samples=n_samples,
        n_items=n_items,
        wanted=wanted,
    )
    kind = kind_of(collection.kind).noun
    clustered = [view for view in views if view.labels is not None]
    besides = {*seen_sides(collection), "neighbours"}
    # what was not clustered (each value by itself) but made the groups, or was asked for
    described = [
        by_value(view) if view.labels is None else view
        for view in views
        if view.labels is not None
        or (view.name in wanted and view.name not in besides)
        or (view.solved and view.kind != "dates" and view.name not in besides)
    ]
    information = {frozenset((edge.a, edge.b)): edge.information for edge in reversed(result.edges)}
    return ReportData(
        title=_title(title, source, include_text),
        n_documents=len(collection),
        groups=groups,
        model=_model(graph, result),
        source=source if include_text else "",
        made=made,
        version=__version__,
        kind=kind,
        sides=tuple(make_side(view, veil) for view in described),
        heat_maps=tuple(
            make_heat_map(view, veil, information.get(frozenset((documents, view.name)), 0.0))
            for view in described
            if k > 1
        ),
        objective=float(result.objective),
        seconds=float(result.seconds),
        trace=_trace(result),
        first=first,
        last=last,
        timeline=timeline,
        map=make_map(
            fitter,
            labels,
            item_titles(collection) if include_text else None,
            n_points,
            # photos with the same caption are no copies
            None if kind == "photo" else _words(views),
        ),
        people=next((make_people(v, veil) for v in clustered if v.kind == "people"), None),
        truth=None if truth is None else _truth_table(truth, labels, k),
        scores=_scores(truth, labels, kind) if scores is None else tuple(scores),
        warnings=tuple(str(line) for line in warnings),
        known=tuple(str(line) for line in known),
        notes=tuple(str(line) for line in (*collection.notes, *notes)) if include_text else (),
        skipped=_skipped(collection, include_text),
        text_shown=include_text,
        interrupted=bool(result.interrupted),
    )


def _labels_of(result: Result, documents: str, n: int) -> npt.NDArray[np.int32]:
    if documents not in result.labels:
        raise InputError(
            f"the result has no node {documents!r}; its nodes are {list(result.labels)}"
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
                kind_of_side(name, collection.sides.get(name)),
                name in graph.index,
            )
        )
    return views


def _words(views: Sequence[View]) -> sp.csr_array | None:
    """Documents by the words that took part."""
    return next((view.table for view in views if view.kind == "words" and view.solved), None)


def _known(value: Any) -> str | None:
    # NaN is the only value that differs from itself.
    return None if value is None or value != value or value == "" else str(value)


def _title(title: str | None, source: str, include_text: bool) -> str:
    if include_text and title:
        return title
    if include_text and source:
        return PurePath(source).name or source
    return "A collection"


def _model(graph: Graph, result: Result) -> Model:
    nodes = tuple(
        ModelNode(
            node.name,
            graph.sizes[node.name],
            int(result.n_clusters.get(node.name, graph.sizes[node.name])),
            node.direction,
            node.hidden,
        )
        for node in graph.nodes
    )
    edges = tuple(
        ModelEdge(e.a, e.b, float(e.weight), float(found.information), int(e.counts.nnz))
        for e, found in zip(graph.edges, result.edges, strict=True)
    )
    return Model(nodes, edges)


def _trace(result: Result) -> tuple[TraceStep, ...]:
    points = result.trace
    step = max(1, -(-len(points) // _MOST_STEPS))
    kept = [*points[:-1:step], points[-1]] if points else []
    return tuple(
        TraceStep(p.step, p.node, p.action, int(p.n_clusters), float(p.objective)) for p in kept
    )


def _numbered(truth: Sequence[str | None]) -> list[str | None]:
    """Classes by number instead of name, the largest first."""
    ranked = Counter(value for value in truth if value is not None).most_common()
    numbers = {name: f"class {i}" for i, (name, _) in enumerate(ranked, 1)}
    return [None if value is None else numbers[value] for value in truth]


def _truth_table(
    truth: Sequence[str | None], labels: npt.NDArray[np.integer], k: int
) -> TruthTable | None:
    sizes = Counter(value for value in truth if value is not None)
    if not sizes:
        return None
    ranked = sorted(sizes, key=lambda name: (-sizes[name], name))
    place = {name: i for i, name in enumerate(ranked[:_MOST_CLASSES])}
    cells = np.zeros((len(place), k), dtype=np.int64)
    for value, group in zip(truth, labels.tolist(), strict=True):
        if value in place:
            cells[place[value], group] += 1
    return TruthTable(
        tuple(place),
        tuple(tuple(row) for row in cells.tolist()),
        len(sizes),
        sum(value is None for value in truth),
    )


def _scores(
    truth: Sequence[str | None] | None, labels: npt.NDArray[np.integer], kind: str
) -> tuple[Score, ...]:
    if truth is None or len({value for value in truth if value is not None}) < 2:
        return ()
    from comraf.metrics import explained_scores

    return tuple(Score(*told) for told in explained_scores(truth, labels, plural(kind)))


def _skipped(collection: CollectionLike, include_text: bool) -> Skipped | None:
    skipped = collection.skipped
    total = max(len(skipped), int(getattr(collection, "n_skipped", 0)))
    if not total:
        return None
    if not include_text:
        return Skipped(total)
    reasons = Counter(str(item.reason) for item in skipped)
    return Skipped(
        total,
        tuple(ClassShare(name, n) for name, n in reasons.most_common(12)),
        tuple((str(item.source), str(item.reason)) for item in skipped[:20]),
    )
