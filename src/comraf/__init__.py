"""Organise a collection by all of its sides at once.

A collection has sides: documents, their words, the people who wrote them, their
subjects. comraf clusters them together, so that each side's clusters are the others'
features. `comraf.organize` takes a mailbox, a table of texts or a folder, `comraf.MDC` tables
that share their rows, and `comraf.Graph` with `comraf.Comraf` any other shape.

Nothing heavy is imported until one of the names below is first used.

Examples
--------
>>> import comraf
>>> sorted(set(comraf.__all__) & {"MDC", "SequentialIB", "Comraf"})
['Comraf', 'MDC', 'SequentialIB']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from comraf._version import __version__
from comraf.moved import follow

__all__ = [
    "ITCC",
    "MDC",
    "AgglomerativeIB",
    "Answer",
    "CliquewiseMDC",
    "Comraf",
    "ComrafStar",
    "Edge",
    "Graph",
    "InformationBottleneck",
    "NeighbourTable",
    "Node",
    "Organizer",
    "SequentialIB",
    "StarSeries",
    "TiedTable",
    "__version__",
    "active",
    "checks",
    "errors",
    "feature_table",
    "feature_tables",
    "kmeans",
    "metrics",
    "neighbour_table",
    "neighbours_among",
    "oneclass",
    "open_answer",
    "open_project",
    "organize",
    "photo_graph",
    "read",
    "select",
    "session",
    "star_series",
    "workflows",
    "write_answer",
]

# Where each public name lives. A type checker reads the imports below instead;
# a test holds the two equal.
_HOMES = {
    "MDC": "comraf.estimators",
    "SequentialIB": "comraf.estimators",
    "AgglomerativeIB": "comraf.estimators",
    "InformationBottleneck": "comraf.estimators",
    "ITCC": "comraf.estimators",
    "CliquewiseMDC": "comraf.estimators",
    "Comraf": "comraf.estimators",
    "ComrafStar": "comraf.estimators",
    "StarSeries": "comraf.estimators",
    "Organizer": "comraf.estimators",
    "Graph": "comraf.graph",
    "Node": "comraf.graph",
    "Edge": "comraf.graph",
    "NeighbourTable": "comraf.graph",
    "TiedTable": "comraf.graph",
    "neighbour_table": "comraf.graph",
    "feature_table": "comraf.graph",
    "feature_tables": "comraf.graph",
    "photo_graph": "comraf.graph",
    "star_series": "comraf.graph",
    "neighbours_among": "comraf.graph",
    "read": "comraf.collection",
    "organize": "comraf.workflows.organize",
    "Answer": "comraf.workflows.answer",
    "open_answer": "comraf.workflows.answer",
    "write_answer": "comraf.workflows.answer",
    "open_project": "comraf.workflows.project",
}
_SUBMODULES = frozenset(
    {
        "active",
        "checks",
        "errors",
        "kmeans",
        "metrics",
        "oneclass",
        "select",
        "session",
        "workflows",
    }
)

if TYPE_CHECKING:
    from comraf import (
        active,
        checks,
        errors,
        kmeans,
        metrics,
        oneclass,
        select,
        session,
        workflows,
    )
    from comraf.collection import read
    from comraf.estimators import (
        ITCC,
        MDC,
        AgglomerativeIB,
        CliquewiseMDC,
        Comraf,
        ComrafStar,
        InformationBottleneck,
        Organizer,
        SequentialIB,
        StarSeries,
    )
    from comraf.graph import (
        Edge,
        Graph,
        NeighbourTable,
        Node,
        TiedTable,
        feature_table,
        feature_tables,
        neighbour_table,
        neighbours_among,
        photo_graph,
        star_series,
    )
    from comraf.workflows.answer import Answer, open_answer, write_answer
    from comraf.workflows.organize import organize
    from comraf.workflows.project import open_project
else:

    def __getattr__(name: str) -> object:
        """Import a public name when it is first asked for (PEP 562)."""
        from importlib import import_module

        if name in _SUBMODULES:
            return import_module(f"{__name__}.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value  # the next look-up does not come here again
        return value

    def __dir__() -> list[str]:
        """List the public names, those not imported yet included."""
        return sorted(set(globals()) | set(__all__))


follow()
