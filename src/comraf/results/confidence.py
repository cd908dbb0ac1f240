"""How sure a result is of each value, and whether that can be trusted.

Scores alone are far too sure: the words of a document are no independent witnesses. Three
things bring confidence near the truth without knowing it. Scores are taken per unit of mass
and sharpened by the fourth root of the number of neighbours only; where several runs were made,
one temperature is chosen so that confidence says what share of the runs agrees; and the mean
with each value's own stability is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.model import Graph
from comraf.results.explain import Explainer
from comraf.results.placement import SideCounts, shares
from comraf.results.result import Result

__all__ = ["Reliability", "confidence", "placing_sharpness", "reliability", "temperature"]

Floats = npt.NDArray[np.float64]

# Between the square root (too sure of long documents) and none at all (of short ones).
_POWER = 0.25
_BOUNDS = (1.0 / 32.0, 32.0)
_SAMPLE = 5000


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
    explainer = Explainer(graph, result, "clusters")
    known = explainer.n_neighbours(node) > 0
    if result.n_clusters[node] < 2:
        return known.astype(np.float64)
    stability, labels = result.stability.get(node), result.labels[node]
    # Without other runs to ask, the scores as they are: of the right size on what was measured.
    heat = 1.0 if stability is None else temperature(explainer, node, stability)
    sure = np.zeros(len(labels))
    for start, scores in _per_mass(explainer, node):
        here = slice(start, start + len(scores))
        sure[here] = _share(scores * heat, labels[here])
    if stability is not None:
        sure = (sure + stability) / 2.0
    return np.where(known, np.clip(sure, 0.0, 1.0), 0.0)


def temperature(explainer: Explainer, node: str, stability: Floats) -> float:
    """What scores must be multiplied by to say how far runs agree (by least cross-entropy).

    Examples
    --------
    >>> import comraf
    >>> words = [[9, 8, 0, 0], [7, 9, 0, 1], [0, 1, 9, 8], [1, 1, 1, 1]]
    >>> nodes = [comraf.Node("d", n_clusters=2), comraf.Node("w", observed="singletons")]
    >>> graph = comraf.Graph(nodes, [comraf.Edge("d", "w", words)])
    >>> result = comraf.Comraf(graph, random_state=0).fit().result_
    >>> surer = temperature(Explainer(graph, result), "d", np.array([0.9, 0.9, 0.9, 0.9]))
    >>> surer > temperature(Explainer(graph, result), "d", np.array([0.6, 0.6, 0.6, 0.6]))
    True
    """
    from scipy.optimize import minimize_scalar

    known = np.flatnonzero(explainer.n_neighbours(node) > 0)
    # a sample is enough for one number
    chosen = known[:: max(1, len(known) // _SAMPLE)]
    scores = np.concatenate(
        [
            part[chosen[(chosen >= start) & (chosen < start + len(part))] - start]
            for start, part in _per_mass(explainer, node)
        ]
    )
    labels, wanted = explainer.result.labels[node][chosen], stability[chosen]

    def cost(log_heat: float) -> float:
        share = np.clip(_share(scores * np.exp(log_heat), labels), 1e-9, 1 - 1e-9)
        return float(-np.mean(wanted * np.log(share) + (1 - wanted) * np.log1p(-share)))

    found = minimize_scalar(cost, bounds=np.log(_BOUNDS), method="bounded")
    return float(np.exp(found.x))


def placing_sharpness(
    sides: Mapping[str, SideCounts],
    counts: Mapping[str, sp.csr_array],
    labels: npt.NDArray[np.int32],
    sure: Floats,
) -> float:
    """What makes placing as sure of the fit's own items, each left out, as the fit is of them.

    Placing sharpens by the root of the number of values an item has, which suits words. A photo
    has hundreds of colours that its pixels did not choose one by one: with no more than the root
    new photos would seem far surer than those of the fit.

    Parameters
    ----------
    sides, counts : mappings
        What the fit knows, and the counts of its items.
    labels : array of int
        Clusters of these items.
    sure : array of float
        How sure the fit is of each, from `confidence`.

    Returns
    -------
    float
        ``sharpness`` for `comraf.results.placement.place`, with which the mean confidence of
        the items is that of ``sure``; 1 where nothing tells (one cluster, no counts).

    Examples
    --------
    >>> from comraf.results.placement import place, side_counts
    >>> table = sp.csr_array(np.array([[9, 1], [8, 2], [1, 9], [3, 7]]))
    >>> labels = np.array([0, 0, 1, 1], np.int32)
    >>> sides = {"w": side_counts(table, labels, np.array([0, 1], np.int32), (2, 2))}
    >>> sharpness = placing_sharpness(sides, {"w": table}, labels, np.full(4, 0.6))
    >>> round(float(place(sides, {"w": table}, labels, sharpness=sharpness).confidence.mean()), 3)
    0.6
    """
    known = np.flatnonzero(sure > 0)
    chosen = known[:: max(1, len(known) // _SAMPLE)]
    logs = np.log(np.maximum(shares(sides, counts, labels)[chosen], np.finfo(np.float64).tiny))
    if len(chosen) == 0 or logs.shape[1] < 2:
        return 1.0
    wanted, low, high = float(sure[chosen].mean()), *np.log(_BOUNDS)
    # The mean share rises with the sharpness unless most items would rather be elsewhere.
    for _ in range(40):
        middle = (low + high) / 2
        if float(_share(logs * np.exp(middle), labels[chosen]).mean()) < wanted:
            low = middle
        else:
            high = middle
    return float(np.exp((low + high) / 2))


def _per_mass(explainer: Explainer, node: str) -> Iterator[tuple[int, Floats]]:
    """Scores per unit of mass, sharpened by the number of neighbours, stretch by stretch."""
    neighbours, mass = explainer.n_neighbours(node), explainer.masses(node)
    sharp = neighbours**_POWER / np.where(mass > 0, mass, 1.0)
    for start, stop, scores in explainer.scores(node):
        scores *= sharp[start:stop, None]
        yield start, scores


def _share(scores: Floats, labels: npt.NDArray[np.int32]) -> Floats:
    """The own cluster's share under a softmax of the scores."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Floats = powers[np.arange(len(labels)), labels] / powers.sum(axis=1)
    return shares
