"""How sure a result is of each value, and whether that can be trusted.

How confidence is made says `comraf.results.scorer`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError
from comraf.graph.model import Graph
from comraf.results.explain import Explainer
from comraf.results.result import Result

__all__ = ["Reliability", "confidence", "reliability"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Reliability:
    """How often values are right, by how sure one was of them: from the least sure on.

    Attributes
    ----------
    n : tuple of int
        Number of values in each bin.
    confidence : tuple of float
        Their mean confidence.
    accuracy : tuple of float
        Share of them that is right.
    """

    n: tuple[int, ...]
    confidence: tuple[float, ...]
    accuracy: tuple[float, ...]

    @property
    def error(self) -> float:
        """Mean distance of confidence and accuracy (expected calibration error)."""
        gaps = np.abs(np.subtract(self.confidence, self.accuracy))
        return float(np.average(gaps, weights=self.n))

    @property
    def deepest_fall(self) -> float:
        """The most that accuracy falls from one bin to the next; 0 where it only rises."""
        return float(max(0.0, -np.diff(self.accuracy).min(initial=0.0)))


def reliability(confidence: npt.ArrayLike, right: npt.ArrayLike, n_bins: int = 10) -> Reliability:
    """Accuracy by deciles of confidence (or other equal parts).

    Parameters
    ----------
    confidence : array of float
        How sure one is of each value.
    right : array of bool
        Whether it is right.
    n_bins : int
        Parts of equal size; fewer where there are fewer values.

    Examples
    --------
    >>> table = reliability([0.2, 0.9, 0.3, 0.8], [False, True, True, True], n_bins=2)
    >>> table.accuracy, round(table.error, 2)
    ((0.5, 1.0), 0.2)
    """
    sure = np.asarray(confidence, dtype=np.float64)
    good = np.asarray(right, dtype=np.float64)
    if sure.ndim != 1 or sure.shape != good.shape or not len(sure):
        raise InputError(
            f"confidence has shape {sure.shape} and right {good.shape}; give one number of each "
            "for every value"
        )
    if not ((sure >= 0) & (sure <= 1)).all() or n_bins < 1:
        raise InputError(
            f"confidence must be from 0 to 1 and n_bins at least 1, got n_bins={n_bins}"
        )
    parts = np.array_split(np.argsort(sure, kind="stable"), min(n_bins, len(sure)))
    return Reliability(
        tuple(len(part) for part in parts),
        tuple(float(sure[part].mean()) for part in parts),
        tuple(float(good[part].mean()) for part in parts),
    )


def confidence(graph: Graph, result: Result, node: str) -> Floats:
    """How sure the result is of the cluster of each value of a node, from 0 to 1.

    Checked against known classes (``python -m benchmarks.explaining``): accuracy rises with
    it and, where several runs were made, is about as high as it says. A single run has nobody
    to ask how sure to be: its confidence orders values, and may be too low or too high in all.
    A value without any counts has confidence 0; where there is one cluster only, all others
    have 1.

    Examples
    --------
    >>> import comraf
    >>> words = [[9, 8, 0, 0], [7, 9, 0, 1], [0, 1, 9, 8], [1, 1, 1, 1]]
    >>> nodes = [comraf.Node("d", n_clusters=2), comraf.Node("w", observed="singletons")]
    >>> graph = comraf.Graph(nodes, [comraf.Edge("d", "w", words)])
    >>> result = comraf.Comraf(graph, random_state=0).fit().result_
    >>> sure = confidence(graph, result, "d")
    >>> bool(sure[0] > sure[3])
    True
    """
    return Explainer(graph, result).placed(node).confidence
