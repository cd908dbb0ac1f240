"""Tables of neighbours whose second copy is tied to the rows: around inference, and after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from comraf.errors import InputError
from comraf.graph import Graph, TiedTable
from comraf.inference import Control, Outcome, Problem
from comraf.inference.tying import Tie, tied_outcome
from comraf.results import Result
from comraf.results.solved import Solved
from comraf.supervision import Prepared

__all__ = ["Infer", "refuse_ties", "retied", "tied_graph", "ties_of", "tying"]

Infer = Callable[[Problem, np.random.SeedSequence, int, Control], Outcome]


def ties_of(tables: Mapping[str, Any], node: str) -> dict[str, str]:
    """Names of the tables whose columns are to have the clusters of ``node``, the rows.

    Examples
    --------
    >>> ties_of({"words": [[1]], "near": TiedTable([[0, 1], [1, 0]])}, "rows")
    {'near': 'rows'}
    """
    return {name: node for name, table in tables.items() if isinstance(table, TiedTable)}


def refuse_ties(tables: Mapping[str, Any], who: str) -> None:
    """Refuse tied tables where nothing ties them.

    Examples
    --------
    >>> refuse_ties({"words": [[1]]}, "ITCC")
    """
    for name in ties_of(tables, ""):
        raise InputError(
            f"{who} can't tie the columns of {name!r} to the rows; MDC and Organizer can, or make "
            "the table with copy='observed'"
        )


def tying(prepared: Prepared, infer: Infer, ties: Mapping[str, str]) -> Infer:
    """A method of inference that ties copies to what it has found with them observed."""

    def tied(
        problem: Problem, seed: np.random.SeedSequence, n_jobs: int, control: Control
    ) -> Outcome:
        outcome = infer(problem, seed, n_jobs, control)
        for name in dict.fromkeys(ties.values()):
            copies = [problem.graph.index[copy] for copy, of in ties.items() if of == name]
            closure = prepared.closures.get(name)
            tie = Tie(
                problem.graph.index[name],
                copies,
                None if closure is None else np.asarray(closure.group, dtype=np.int64),
            )
            outcome = tied_outcome(problem, outcome, tie, seed, control)
        return outcome

    return tied


def retied(graph: Graph, result: Result, ties: Mapping[str, str]) -> Result:
    """A result whose copies have the very labels of what they are copies of.

    Links that hold, and documents of which nothing is known, may have moved after the search.
    """
    if not ties:
        return result
    labels, k = dict(result.labels), dict(result.n_clusters)
    for copy, of in ties.items():
        labels[copy], k[copy] = np.array(labels[of]), k[of]
    tied = replace(result, labels=labels, n_clusters=k)
    edges = Solved(graph, tied).edges()
    value = float(sum(edge.weight * edge.information for edge in edges))
    return replace(tied, edges=edges, objective=value)


def tied_graph(graph: Graph, result: Result, ties: Mapping[str, str]) -> Graph:
    """The graph with the copies observed in the clusters they have in a result."""
    if not ties:
        return graph
    nodes = [
        replace(node, observed=np.array(result.labels[node.name])) if node.name in ties else node
        for node in graph.nodes
    ]
    return Graph(nodes, list(graph.edges))
