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
from comraf.registry import later

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
    "MDC": "estimators",
    "SequentialIB": "estimators",
    "AgglomerativeIB": "estimators",
    "InformationBottleneck": "estimators",
    "ITCC": "estimators",
    "CliquewiseMDC": "estimators",
    "Comraf": "estimators",
    "ComrafStar": "estimators",
    "StarSeries": "estimators",
    "Organizer": "estimators",
    "Graph": "graph",
    "Node": "graph",
    "Edge": "graph",
    "NeighbourTable": "graph",
    "TiedTable": "graph",
    "neighbour_table": "graph",
    "feature_table": "graph",
    "feature_tables": "graph",
    "photo_graph": "graph",
    "star_series": "graph",
    "neighbours_among": "graph",
    "read": "collection",
    "organize": "workflows.organize",
    "Answer": "workflows.answer",
    "open_answer": "workflows.answer",
    "write_answer": "workflows.answer",
    "open_project": "workflows.project",
    "active": "active",
    "checks": "checks",
    "errors": "errors",
    "kmeans": "kmeans",
    "metrics": "metrics",
    "oneclass": "oneclass",
    "select": "select",
    "session": "session",
    "workflows": "workflows",
}

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
    __getattr__, __dir__ = later(__name__, _HOMES)

follow()
