"""The immutable result of one run of inference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.progress import TracePoint

__all__ = ["EdgeInformation", "Result"]


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

    Clusters of hidden nodes run from 0 to k - 1 by decreasing mass; values without any
    counts are in cluster 0. ``objective`` is the sum of weight times information over
    ``edges``. If ``interrupted``, the run was stopped early and brought to the numbers of
    clusters wanted in haste. Where several runs were made (``n_runs``), ``stability`` says of
    each value of the sides they agreed on how far they do, from 0 to 1.
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

    def __post_init__(self) -> None:
        labels = {}
        for name, array in self.labels.items():
            fixed = np.array(array, dtype=np.int32)
            fixed.flags.writeable = False
            labels[name] = fixed
        object.__setattr__(self, "labels", MappingProxyType(labels))
        object.__setattr__(self, "n_clusters", MappingProxyType(dict(self.n_clusters)))
        stability = {}
        for name, values in self.stability.items():
            votes = np.array(values, dtype=np.float64)
            votes.flags.writeable = False
            stability[name] = votes
        object.__setattr__(self, "stability", MappingProxyType(stability))

    def __reduce__(self) -> tuple[Any, ...]:
        # read-only views don't copy or pickle by themselves; their content does
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in ("labels", "n_clusters", "stability"):
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
        return np.bincount(self.labels[node], minlength=self.n_clusters[node]).astype(np.int64)
