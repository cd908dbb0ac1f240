"""Merging, splitting, moving and renaming: functions from a result to a new one.

The result given is never changed. Objective and edges of the new one are computed afresh; ids
stay with the clusters that live on, and new clusters get numbers that none ever had (see
`comraf.results.Result`). Clusters keep their order: where one goes, those behind it move
up, and new ones come last. What was said about the clusters of the old partition is dropped
where it no longer holds: stability of the node, and levels no finer than what there is now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError
from comraf.graph.model import Graph
from comraf.results.hierarchy import Hierarchy
from comraf.results.result import Result
from comraf.results.solved import Solved, check_hidden

__all__ = ["merge", "move", "rename", "split"]


def merge(
    graph: Graph, result: Result, node: str, clusters: Sequence[int], *, name: str | None = None
) -> Result:
    """Make one cluster of several.

    Parameters
    ----------
    graph : Graph
        What was clustered.
    result : Result
    node : str
        A hidden node.
    clusters : sequence of int
        Ids of two or more clusters. The first lives on, with its id and its place; the ids of
        the others are never used again.
    name : str, optional
        Name of what comes out; otherwise that of the first.

    Examples
    --------
    >>> import comraf
    >>> nodes = [comraf.Node("d", n_clusters=3), comraf.Node("w", observed="singletons")]
    >>> graph = comraf.Graph(nodes, [comraf.Edge("d", "w", np.diag([4, 3, 2]))])
    >>> result = comraf.Comraf(graph, random_state=0).fit().result_
    >>> fewer = merge(graph, result, "d", [2, 0], name="both")
    >>> fewer.ids["d"].tolist(), fewer.labels["d"].tolist(), fewer.name("d", 1)
    ([1, 2], [1, 0, 1], 'both')
    """
    check_hidden(graph, node)
    if not isinstance(clusters, Iterable):
        raise InputError(f"clusters={clusters!r}; give the ids of two or more to merge")
    places = [result.label(node, cluster) for cluster in clusters]
    if len(set(places)) < 2:
        raise InputError(
            "{given}; give the ids of two or more to merge", "clusters", list(clusters)
        )
    labels = result.labels[node].astype(np.int64)
    labels[np.isin(labels, places[1:])] = places[0]
    made = _edited(graph, result, node, labels, [])
    return made if name is None else rename(made, node, clusters[0], name)


def split(
    graph: Graph,
    result: Result,
    node: str,
    cluster: int,
    parts: int | npt.ArrayLike = 2,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
) -> Result:
    """Make several clusters of one.

    Parameters
    ----------
    graph, result, node
        As in `merge`.
    cluster : int
        Its id.
    parts : int or array of int
        A number: divide it as the tree of `comraf.results.hierarchy.hierarchy` does. Or
        for each of its values, in their order, the number of its part. The heaviest part keeps
        the id (of parts that are given: the one numbered lowest), the others get new ones.
    names : sequence of str, optional
        A name for each part.
    seed : int
        As in `comraf.results.hierarchy.hierarchy`.

    Examples
    --------
    >>> import comraf
    >>> nodes = [comraf.Node("d", n_clusters=2), comraf.Node("w", observed="singletons")]
    >>> graph = comraf.Graph(nodes, [comraf.Edge("d", "w", np.diag([4, 3, 2]))])
    >>> result = comraf.Comraf(graph, random_state=0).fit().result_
    >>> largest = int(result.ids["d"][result.sizes("d").argmax()])
    >>> more = split(graph, result, "d", largest)
    >>> more.ids["d"].tolist(), more.objective > result.objective
    ([0, 1, 2], True)
    """
    check_hidden(graph, node)
    place = result.label(node, cluster)
    inside = np.flatnonzero(result.labels[node] == place)
    if isinstance(parts, (int, np.integer)) and not isinstance(parts, bool):
        if parts < 2:
            raise InputError(f"parts={parts}; give 2 or more")
        tree = Hierarchy(Solved(graph, result), node, seed)
        given: npt.NDArray[np.integer] = tree.divide(place, int(parts))[inside]
    else:
        given = np.asarray(parts)
        if given.shape != inside.shape or given.dtype.kind not in "iu":
            raise InputError(
                f"parts has shape {given.shape} and holds {given.dtype}; give a number of parts, "
                f"or a whole number for each of the {len(inside)} values of the cluster"
            )
        given = np.unique(given, return_inverse=True)[1]
    n_parts = int(given.max(initial=0)) + 1
    if n_parts < 2:
        raise InputError("all values are in the same part: nothing is split")
    if names is not None and len(names) != n_parts:
        raise InputError(f"{len(names)} names for {n_parts} parts; give one for each")
    k = result.n_clusters[node]
    labels = result.labels[node].astype(np.int64)
    labels[inside] = np.where(given == 0, place, k + given - 1)
    made = _edited(graph, result, node, labels, list(range(k, k + n_parts - 1)))
    if names is not None:
        first = result.next_ids[node]
        for number, name in zip([cluster, *range(first, first + n_parts - 1)], names, strict=True):
            made = rename(made, node, number, name)
    return made


def move(
    graph: Graph, result: Result, node: str, values: Iterable[int], to: int | None = None
) -> Result:
    """Put some values into another cluster, or into a new one.

    Parameters
    ----------
    graph, result, node
        As in `merge`.
    values : iterable of int
        Numbers of the values.
    to : int or None
        Id of the cluster they go to; None makes a new one. A cluster that is left without any
        values is gone, and its id with it.

    Examples
    --------
    >>> import comraf
    >>> nodes = [comraf.Node("d", n_clusters=2), comraf.Node("w", observed="singletons")]
    >>> graph = comraf.Graph(nodes, [comraf.Edge("d", "w", np.diag([4, 3, 2]))])
    >>> result = comraf.Comraf(graph, random_state=0).fit().result_
    >>> move(graph, result, "d", [2]).ids["d"].tolist()[-1]
    2
    """
    check_hidden(graph, node)
    given = np.asarray(list(values) if isinstance(values, Iterable) else [])
    n, k = len(result.labels[node]), result.n_clusters[node]
    chosen = np.unique(given)
    if not len(chosen) or chosen.dtype.kind not in "iu" or chosen[0] < 0 or chosen[-1] >= n:
        raise InputError(
            f"values={_first_of(chosen)}; give numbers of values of {node!r}, from 0 to {n - 1}"
        )
    labels = result.labels[node].astype(np.int64)
    labels[chosen] = k if to is None else result.label(node, to)
    return _edited(graph, result, node, labels, [k] if to is None else [])


def rename(result: Result, node: str, cluster: int, name: str) -> Result:
    """Give a cluster a name; "" takes it away.

    Examples
    --------
    >>> result = Result({"d": np.array([0, 1])}, {"d": 2}, 0.0, ())
    >>> rename(result, "d", 1, "ships").name("d", 1)
    'ships'
    """
    place = result.label(node, cluster)
    if not isinstance(name, str):
        raise InputError(f"name={name!r}; give a string")
    names = list(result.names.get(node, [""] * result.n_clusters[node]))
    names[place] = name
    return replace(result, names={**result.names, node: tuple(names)})


def _edited(
    graph: Graph,
    result: Result,
    node: str,
    labels: npt.NDArray[np.int64],
    fresh: Sequence[int],
) -> Result:
    """The result with new labels, which may have gaps; ``fresh`` are those of new clusters."""
    kept, compact = np.unique(labels, return_inverse=True)
    first = result.next_ids[node]
    ids = np.concatenate([result.ids[node], first + np.arange(len(fresh))])[kept]
    made = Solved(graph, result).with_partition(node, compact.astype(np.int32), len(kept))
    names = dict(made.names)
    if node in result.names:
        given = [*result.names[node], *([""] * len(fresh))]
        names[node] = tuple(given[label] for label in kept.tolist())
    levels = dict(made.levels)
    finer = [level for level in result.levels.get(node, ()) if len(np.unique(level)) > len(kept)]
    if finer:
        levels[node] = (*finer, made.labels[node])
    return replace(
        made,
        ids={**made.ids, node: ids},
        next_ids={**made.next_ids, node: first + len(fresh)},
        names=names,
        levels=levels,
    )


def _first_of(numbers: npt.NDArray[np.int64]) -> str:
    return str(numbers[:8].tolist()) + ("..." if len(numbers) > 8 else "")
