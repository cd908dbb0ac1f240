"""The immutable result of one run of inference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError
from comraf.progress import TracePoint

__all__ = ["EdgeInformation", "Result"]

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

    @property
    def edge_information(self) -> list[float]:
        """Information of each edge, in the order of the graph's edges."""
        return [edge.information for edge in self.edges]

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
