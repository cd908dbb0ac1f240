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
from comraf.results.groups import Groups, checked_name
from comraf.results.hierarchy import Hierarchy
from comraf.results.result import Result
from comraf.results.solved import Solved, check_hidden

__all__ = ["grouped", "merge", "move", "rename", "split"]


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
    for cluster in clusters:
        result.label(node, cluster)
    return grouped(graph, result, node, _groups(result, node).merge(clusters, name)[0])


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
        parts = tree.divide(place, int(parts))[inside]
    groups, _ = _groups(result, node).split(cluster, parts)
    made = grouped(graph, result, node, groups)
    if names is None:
        return made
    first = result.next_ids[node]
    ids = [cluster, *range(first, groups.next_id)]
    if len(names) != len(ids):
        raise InputError(f"{len(names)} names for {len(ids)} parts; give one for each")
    for number, name in zip(ids, names, strict=True):
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
    groups = _groups(result, node)
    if to is not None:
        result.label(node, to)
    return grouped(graph, result, node, groups.move(values, to)[0])


def rename(result: Result, node: str, cluster: int, name: str) -> Result:
    """Give a cluster a name; "" takes it away.

    Examples
    --------
    >>> result = Result({"d": np.array([0, 1])}, {"d": 2}, 0.0, ())
    >>> rename(result, "d", 1, "ships").name("d", 1)
    'ships'
    """
    place = result.label(node, cluster)
    names = list(result.names.get(node, [""] * result.n_clusters[node]))
    names[place] = checked_name(name)
    return replace(result, names={**result.names, node: tuple(names)})


def _groups(result: Result, node: str) -> Groups:
    """The clusters of a node by their ids."""
    ids = tuple(result.ids[node].tolist())
    names = dict(zip(ids, result.names.get(node, ()), strict=False))
    return Groups(result.cluster_ids(node), ids, result.next_ids[node], names)


def grouped(
    graph: Graph, result: Result, node: str, groups: Groups, solved: Solved | None = None
) -> Result:
    """The result with other groups of a node, such as those of a session.

    ``solved`` is the graph with the result, where that is at hand.

    Examples
    --------
    >>> import comraf
    >>> nodes = [comraf.Node("d", n_clusters=2), comraf.Node("w", observed="singletons")]
    >>> graph = comraf.Graph(nodes, [comraf.Edge("d", "w", np.diag([4, 3, 2]))])
    >>> result = comraf.Comraf(graph, random_state=0).fit().result_
    >>> one = grouped(graph, result, "d", Groups.start([7, 7, 8], {8: "last"}))
    >>> one.ids["d"].tolist(), one.name("d", 1)
    ([7, 8], 'last')
    """
    ids = np.asarray(groups.order, dtype=np.int64)
    sorter = np.argsort(ids)
    labels = sorter[np.searchsorted(ids, groups.of, sorter=sorter)].astype(np.int32)
    solved = solved or Solved(graph, result)
    made = solved.with_partition(node, labels, len(ids))
    names = dict(made.names)
    if node in result.names or groups.names:
        names[node] = tuple(groups.names.get(group, "") for group in groups.order)
    levels = dict(made.levels)
    finer = [level for level in result.levels.get(node, ()) if len(np.unique(level)) > len(ids)]
    if finer:
        levels[node] = (*finer, made.labels[node])
    return replace(
        made,
        ids={**made.ids, node: ids},
        next_ids={**made.next_ids, node: groups.next_id},
        names=names,
        levels=levels,
    )
