"""What users know about items, as ``fit`` takes it: labels, must-links and cannot-links."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.graph import Graph
from comraf.supervision import (
    Closure,
    Knowledge,
    WordKnowledge,
    by_side,
    close,
    prevailing,
    read_knowledge,
)

__all__ = [
    "classes_of_clusters",
    "closure_of",
    "has_pairs",
    "knowledge_about",
    "read_sides",
]


def knowledge_about(
    graph: Graph,
    main: str,
    *,
    labels: Any,
    must_link: Any,
    cannot_link: Any,
    transfer: Any = None,
    names: Mapping[str, Sequence[str] | None] | None = None,
    **how: Any,
) -> dict[str, Knowledge]:
    """Knowledge about each side of a graph; what has no name of a side is about ``main``.

    What is transferred without a name is about the side with most entries beside ``main``.
    ``names`` are names of values that the graph does not know; ``how`` are the parameters
    ``labels_as``, ``label_weight`` and ``link_weight``.
    """
    sides = [node.name for node in graph.nodes]
    fullest = graph.fullest(main) or _neighbour(graph, main)
    given = {
        "labels": by_side(labels, sides, main, "labels"),
        "must_link": by_side(must_link, sides, main, "must_link"),
        "cannot_link": by_side(cannot_link, sides, main, "cannot_link"),
        "transfer": by_side(transfer, sides, fullest, "transfer"),
    }
    names = names or {}
    for side, moved in given["transfer"].items():
        values = names.get(side)
        if values is not None and isinstance(moved, WordKnowledge) and moved.names is not None:
            given["transfer"][side] = moved.for_columns(values)
    own = {node.name: node.values for node in graph.nodes if node.values is not None}
    return read_sides(given, graph.sizes, {**names, **own}, main, how)


def read_sides(
    given: Mapping[str, Mapping[str, Any]],
    sizes: Mapping[str, int],
    names: Mapping[str, Sequence[Hashable] | None],
    main: str,
    how: Mapping[str, Any],
) -> dict[str, Knowledge]:
    """Read labels, links and groups of each side; ``given`` has them by kind and by side."""
    known = {}
    # the main side is read even if nothing is said of it: parameters are checked by that
    for side in dict.fromkeys([main, *(name for part in given.values() for name in part)]):
        ids = names.get(side)
        if ids is not None and len(set(ids)) < len(ids):
            ids = None  # names that repeat say nothing
        about: dict[str, Any] = {what: part.get(side) for what, part in given.items()}
        known[side] = read_knowledge(sizes[side], ids, **about, **how)
    return known


def _neighbour(graph: Graph, main: str) -> str:
    ends = [(edge.a, edge.b) for edge in graph.edges if main in (edge.a, edge.b)]
    return next((b if a == main else a for a, b in ends), main)


def classes_of_clusters(
    known: Knowledge, labels: npt.NDArray[np.int32], k: int
) -> tuple[tuple[Any, ...], tuple[tuple[int, int], ...]]:
    """The class that prevails in each cluster, None where none does; and what supports it.

    That are the labelled items of its commonest class, and all labelled ones in it.
    """
    codes, classes = known.labels.codes, known.labels.classes
    if not known.labels.n_known or len(labels) < len(codes):
        return (None,) * k, ((0, 0),) * k
    labels = labels[: len(codes)]
    found = prevailing(known, labels, k)
    table = np.zeros((k, len(classes)), dtype=np.int64)
    np.add.at(table, (labels[codes >= 0], codes[codes >= 0]), 1)
    return (
        tuple(None if code is None else classes[code] for code in found),
        tuple((int(row.max()), int(row.sum())) for row in table),
    )


def closure_of(known: Knowledge) -> Closure:
    """What must be together and apart, as the search has it."""
    codes = known.labels.codes if known.labels_as == "constrained" else None
    return close(len(known.labels.codes), known.must, known.cannot, codes)


def has_pairs(known: Knowledge) -> bool:
    """Whether a search has to look at pairs: all links but must-links that hold."""
    apart = known.labels_as == "constrained" and len(known.labels.classes) > 1
    return bool(apart or len(known.cannot) or len(known.must.soft))
