"""The immutable result of one run of inference, and how it is kept.

A result on disk is a folder with ``clustering.json`` and a file of arrays (see
`comraf.results.archive`). Whatever is read is checked: types, shapes and bounds of arrays,
numbers of names, that labels name clusters that are there and ids are given once. What does not
fit is refused with one `comraf.errors.ReadError` that says why.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError
from comraf.progress import TracePoint
from comraf.results.archive import (
    Migrate,
    entries,
    flag,
    nothing_left,
    number,
    read_archive,
    reading,
    strings,
    take_array,
    text,
    whole,
    write_archive,
)

__all__ = ["EdgeInformation", "Result", "load_result", "save_result"]

KIND = "clustering"
VERSION = 1
# A version that can be read, and what makes the next one of it.
_VERSIONS: Mapping[int, Migrate | None] = {1: None}

_Arrays = dict[str, npt.NDArray[Any]]
# A label is a 32-bit number; nothing that is counted here is larger.
_MOST = 2**31 - 1
_MOST_LEVELS = 1000

_MAPPINGS = ("labels", "n_clusters", "stability", "levels", "ids", "next_ids", "names", "values")


@dataclass(frozen=True, slots=True)
class EdgeInformation:
    """Mutual information (in nats) between the partitions at the two ends of an edge."""

    a: str
    b: str
    weight: float
    information: float


@dataclass(frozen=True, eq=False)
class Result:
    """Partitions of every node, the objective they reach, and how it was reached.

    Clusters of hidden nodes run from 0 to k - 1, in a fresh result by decreasing mass; values
    without any counts are in cluster 0. ``objective`` is the sum of weight times information
    over ``edges``. If ``interrupted``, the run was stopped early and brought to the numbers of
    clusters wanted in haste. Where several runs were made (``n_runs``), ``stability`` says of
    each value of the sides they agreed on how far they do, from 0 to 1.

    **Labels and ids.** A label is a place: it says which row of a table of clusters is meant,
    and it changes when clusters come or go. An id is an identity: ``ids[node][label]`` is
    the cluster's number for life. A fresh result has ids equal to its labels. Whatever makes a
    result out of another one (merging, splitting, moving, fitting on) keeps the id of every
    cluster that lives on, gives new clusters numbers from ``next_ids[node]`` upwards, and
    never hands out a number that any cluster ever had.

    Attributes
    ----------
    labels : mapping of str to array of int32
        Cluster of each value of a node.
    n_clusters : mapping of str to int
    objective : float
    edges : tuple of EdgeInformation
        In the order of the graph's edges.
    trace : tuple of TracePoint
        The objective after every step of the run.
    interrupted : bool
    seconds : float
    stability : mapping of str to array of float
    n_runs : int
    levels : mapping of str to tuple of arrays of int32
        Partitions of a node that were walked through, finest first, the last one the final;
        see `comraf.results.hierarchy.hierarchy`.
    ids : mapping of str to array of int64
        For each label the cluster's id.
    next_ids : mapping of str to int
        The lowest number that no cluster of the node ever had.
    names : mapping of str to tuple of str
        For each label the cluster's name, "" where it has none; only of nodes with named
        clusters.
    values : mapping of str to tuple of str
        Names of a node's values, where they are known.
    """

    labels: Mapping[str, npt.NDArray[np.int32]]
    n_clusters: Mapping[str, int]
    objective: float
    edges: tuple[EdgeInformation, ...]
    trace: tuple[TracePoint, ...] = ()
    interrupted: bool = False
    seconds: float = 0.0
    stability: Mapping[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    n_runs: int = 1
    levels: Mapping[str, tuple[npt.NDArray[np.int32], ...]] = field(default_factory=dict)
    ids: Mapping[str, npt.NDArray[np.int64]] = field(default_factory=dict)
    next_ids: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        sides = ", ".join(f"{name} {k}" for name, k in self.n_clusters.items())
        reached = f"objective {self.objective:.6g}; clusters: {sides}; {len(self.trace)} steps"
        return f"Result({reached}{', interrupted' if self.interrupted else ''})"

    def __post_init__(self) -> None:
        labels = {name: _fixed(array, np.int32) for name, array in self.labels.items()}
        stability = {name: _fixed(array, np.float64) for name, array in self.stability.items()}
        levels = {
            name: tuple(_fixed(level, np.int32) for level in walked)
            for name, walked in self.levels.items()
            if len(walked)
        }
        ids = {
            name: _fixed(self.ids.get(name, np.arange(k)), np.int64)
            for name, k in self.n_clusters.items()
        }
        next_ids = {
            name: int(self.next_ids.get(name, numbers.max(initial=-1) + 1))
            for name, numbers in ids.items()
        }
        for name, made in {
            "labels": labels,
            "n_clusters": {name: int(k) for name, k in self.n_clusters.items()},
            "stability": stability,
            "levels": levels,
            "ids": ids,
            "next_ids": next_ids,
            "names": {name: tuple(given) for name, given in self.names.items()},
            "values": {name: tuple(given) for name, given in self.values.items()},
        }.items():
            object.__setattr__(self, name, MappingProxyType(made))
        self._check()

    def _check(self) -> None:
        """Refuse what does not fit together."""
        if set(self.labels) != set(self.n_clusters):
            raise InputError(
                "labels are of the nodes {labels}, numbers of clusters of {numbers}",
                labels=sorted(self.labels),
                numbers=sorted(self.n_clusters),
            )
        for part in ("stability", "levels", "ids", "next_ids", "names", "values"):
            unknown = set(getattr(self, part)) - set(self.labels)
            if unknown:
                raise InputError(f"{part} name {min(unknown)!r}, which is not a node")
        for node, labels in self.labels.items():
            k, n = self.n_clusters[node], len(labels)
            if labels.ndim != 1 or (n and (labels.min() < 0 or labels.max() >= k)):
                raise InputError(f"labels of {node!r} must be numbers from 0 to {k - 1}")
            ids = self.ids[node]
            if ids.shape != (k,) or len(np.unique(ids)) < k:
                raise InputError(f"ids of {node!r} must be {k} numbers, no two alike")
            if k and not 0 <= ids.min() <= ids.max() < self.next_ids[node]:
                raise InputError(
                    f"ids of {node!r} run from {ids.min()} to {ids.max()}, expected 0 to below "
                    f"{self.next_ids[node]}"
                )
            if len(self.names.get(node, ids)) != k:
                raise InputError(f"{len(self.names[node])} names for {k} clusters of {node!r}")
            for length in (
                len(self.stability.get(node, labels)),
                len(self.values.get(node, labels)),
            ):
                if length != n:
                    raise InputError(f"{length} entries for the {n} values of {node!r}")
            if any(level.shape != (n,) for level in self.levels.get(node, ())):
                raise InputError(f"a level of {node!r} does not have {n} labels")

    def __reduce__(self) -> tuple[Any, ...]:
        # read-only views don't copy or pickle by themselves; their content does
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in _MAPPINGS:
            values[name] = dict(values[name])
        return type(self), tuple(values.values())

    def sizes(self, node: str) -> npt.NDArray[np.int64]:
        """Number of values in each cluster of a node.

        Examples
        --------
        >>> Result({"d": np.array([0, 1, 0])}, {"d": 2}, 0.0, ()).sizes("d").tolist()
        [2, 1]
        """
        self._check_node(node)
        return np.bincount(self.labels[node], minlength=self.n_clusters[node]).astype(np.int64)

    def label(self, node: str, cluster: int) -> int:
        """The present label of the cluster with an id.

        Examples
        --------
        >>> result = Result({"d": np.array([0, 1])}, {"d": 2}, 0.0, (), ids={"d": [4, 7]})
        >>> result.label("d", 7)
        1
        """
        self._check_node(node)
        found = np.flatnonzero(self.ids[node] == cluster)
        if not len(found):
            ids = _shortened(self.ids[node].tolist())
            raise InputError(f"{node!r} has no cluster {cluster!r}; its ids are {ids}")
        return int(found[0])

    def cluster_ids(self, node: str) -> npt.NDArray[np.int64]:
        """The id of each value's cluster.

        Examples
        --------
        >>> result = Result({"d": np.array([0, 1, 0])}, {"d": 2}, 0.0, (), ids={"d": [4, 7]})
        >>> result.cluster_ids("d").tolist()
        [4, 7, 4]
        """
        self._check_node(node)
        return np.asarray(self.ids[node][self.labels[node]])

    def name(self, node: str, label: int) -> str:
        """Name of the cluster with a label: its own, or its id.

        Examples
        --------
        >>> result = Result({"d": np.array([0, 1])}, {"d": 2}, 0.0, (), names={"d": ["sea", ""]})
        >>> result.name("d", 1)
        'cluster 1'
        """
        self._check_node(node)
        if not 0 <= label < self.n_clusters[node]:
            raise InputError(
                f"{node!r} has no label {label!r}; they run from 0 to {self.n_clusters[node] - 1}"
            )
        given = self.names.get(node)
        return (given[label] if given else "") or f"cluster {self.ids[node][label]}"

    def _check_node(self, node: str) -> None:
        if node not in self.labels:
            raise InputError(
                "the result has no node {node!r}; its nodes are {allowed}",
                node=node,
                allowed=list(self.labels),
            )


def _fixed(array: npt.ArrayLike, dtype: type[np.generic]) -> Any:
    """An array nobody can write to: the given one if it is such, else a copy."""
    if isinstance(array, np.ndarray) and array.dtype == dtype and array.base is None:
        if not array.flags.writeable:
            return array
    elif isinstance(array, np.ndarray) and array.dtype.kind not in "iufb":
        raise InputError(f"labels and numbers are expected, got an array of {array.dtype}")
    fixed = np.array(array, dtype=dtype)
    fixed.flags.writeable = False
    return fixed


def _shortened(numbers: Sequence[object]) -> str:
    """The first of many numbers."""
    shown = ", ".join(map(str, numbers[:12]))
    return shown + (f" ... ({len(numbers)} in all)" if len(numbers) > 12 else "")


def save_result(result: Result, folder: str | os.PathLike[str]) -> None:
    """Write a result into a folder of its own (made if it is not there), all of it or nothing.

    Examples
    --------
    >>> import tempfile
    >>> result = Result({"d": np.array([0, 1, 0])}, {"d": 2}, 0.5, (), names={"d": ["a", "b"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_result(result, folder)
    ...     load_result(folder).name("d", 1)
    'b'
    """
    if not isinstance(result, Result):
        raise InputError(f"result is {type(result).__name__}; give what a fit has as result_")
    arrays: _Arrays = {}
    nodes = []
    for i, (name, labels) in enumerate(result.labels.items()):
        walked = result.levels.get(name, ())
        arrays[f"{i}.labels"] = labels
        arrays[f"{i}.ids"] = result.ids[name]
        if name in result.stability:
            arrays[f"{i}.stability"] = result.stability[name]
        for j, level in enumerate(walked):
            arrays[f"{i}.level.{j}"] = level
        nodes.append(
            {
                "name": name,
                "n_clusters": result.n_clusters[name],
                "next_id": result.next_ids[name],
                "stability": name in result.stability,
                "levels": len(walked),
                "names": list(result.names[name]) if name in result.names else None,
                "values": list(result.values[name]) if name in result.values else None,
            }
        )
    document = {
        "nodes": nodes,
        "objective": float(result.objective),
        "edges": [asdict(edge) for edge in result.edges],
        "trace": [asdict(point) for point in result.trace],
        "interrupted": bool(result.interrupted),
        "seconds": float(result.seconds),
        "n_runs": int(result.n_runs),
    }
    write_archive(folder, kind=KIND, version=VERSION, document=document, arrays=arrays)


def load_result(folder: str | os.PathLike[str]) -> Result:
    """Read a result back, refusing what is damaged, foreign or from a newer comraf.

    Raises
    ------
    ReadError
        It can't be read; the message says what is wrong with it.

    Examples
    --------
    >>> load_result("nowhere")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: nowhere holds no clustering (clustering.json is not there); give a \
folder that save_result wrote
    """
    document, arrays = read_archive(
        folder, kind=KIND, versions=_VERSIONS, hint="give a folder that save_result wrote"
    )
    with reading(folder, KIND):
        return _result(document, arrays)


def _result(document: dict[str, Any], arrays: _Arrays) -> Result:
    parts: dict[str, dict[str, Any]] = {
        part: {}
        for part in ("labels", "n_clusters", "ids", "next_ids", "stability", "levels", "names")
    }
    values: dict[str, tuple[str, ...]] = {}
    for i, entry in enumerate(entries(document["nodes"], "nodes")):
        name = text(entry["name"], f"the name of node {i}")
        if name in parts["labels"]:
            raise ValueError(f"two nodes are called {name[:80]!r}")
        k = whole(entry["n_clusters"], f"the number of clusters of {name!r}", 0, _MOST)
        labels = take_array(arrays, f"{i}.labels", dtype=np.int32, shape=(None,), low=0, high=k - 1)
        n = len(labels)
        next_id = whole(entry["next_id"], f"the next id of {name!r}", k)
        parts["labels"][name], parts["n_clusters"][name] = labels, k
        parts["next_ids"][name] = next_id
        parts["ids"][name] = take_array(
            arrays, f"{i}.ids", dtype=np.int64, shape=(k,), low=0, high=next_id - 1
        )
        if flag(entry["stability"], "stability"):
            parts["stability"][name] = take_array(
                arrays, f"{i}.stability", dtype=np.float64, shape=(n,), low=0.0, high=1.0 + 1e-9
            )
        n_levels = whole(entry["levels"], f"the number of levels of {name!r}", 0, _MOST_LEVELS)
        parts["levels"][name] = tuple(
            take_array(
                arrays, f"{i}.level.{j}", dtype=np.int32, shape=(n,), low=0, high=max(0, n - 1)
            )
            for j in range(n_levels)
        )
        if entry["names"] is not None:
            parts["names"][name] = strings(entry["names"], f"names of clusters of {name!r}", k)
        if entry["values"] is not None:
            values[name] = strings(entry["values"], f"names of values of {name!r}", n)
    nothing_left(arrays)
    return Result(
        objective=number(document["objective"], "the objective"),
        edges=tuple(_edge(edge, parts["labels"]) for edge in entries(document["edges"], "edges")),
        trace=tuple(
            TracePoint(**_checked(point, _POINT, "the trace"))
            for point in entries(document["trace"], "trace")
        ),
        interrupted=flag(document["interrupted"], "interrupted"),
        seconds=number(document["seconds"], "seconds", 0.0),
        n_runs=whole(document["n_runs"], "the number of runs"),
        values=values,
        **parts,
    )


# How each field of an edge and of a point of the trace is checked.
_EDGE = {
    "a": text,
    "b": text,
    "weight": partial(number, low=0),
    "information": partial(number, low=0),
}
_POINT = {"step": whole, "node": text, "action": text, "n_clusters": whole, "objective": number}


def _checked(entry: Mapping[str, Any], checks: Mapping[str, Any], where: str) -> dict[str, Any]:
    return {name: check(entry[name], f"the {name} of {where}") for name, check in checks.items()}


def _edge(entry: Mapping[str, Any], nodes: Collection[str]) -> EdgeInformation:
    edge = EdgeInformation(**_checked(entry, _EDGE, "an edge"))
    for end in (edge.a, edge.b):
        if end not in nodes:
            raise ValueError(f"an edge ends at {end[:80]!r}, which is not a node")
    return edge
