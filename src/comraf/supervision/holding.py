"""Cannot-links that must hold, where a search left some of them broken."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from comraf.supervision.colouring import colour

__all__ = ["broken", "hold"]


def broken(labels: NDArray[np.int32], cannot: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pairs that are together though they must not be.

    Examples
    --------
    >>> broken(np.array([0, 0, 1]), np.array([[0, 1], [1, 2]])).tolist()
    [[0, 1]]
    """
    return np.asarray(cannot[labels[cannot[:, 0]] == labels[cannot[:, 1]]])


def hold(
    labels: NDArray[np.int32],
    cannot: NDArray[np.int64],
    k: int,
    scores: Callable[[NDArray[np.int64]], NDArray[np.float64]],
) -> NDArray[np.int32]:
    """Labels in which no pair is together that must not be, changed as little as that takes.

    One of each broken pair goes to the cluster that suits it best among those without anything
    it must be apart from. Where there is none, all bound groups are arranged anew by a
    colouring, its colours matched to the clusters so that they fit best.

    Parameters
    ----------
    labels : array of int, (n_groups,)
    cannot : array of int, (p, 2)
    k : int
    scores : callable
        What each of some groups gains in each cluster, (groups, k).

    Raises
    ------
    ConflictError
        If k clusters can't keep them apart.

    Examples
    --------
    >>> even = lambda groups: np.zeros((len(groups), 2))
    >>> hold(np.array([0, 0, 1], np.int32), np.array([[0, 1]]), 2, even).tolist()
    [1, 0, 1]
    """
    wrong = broken(labels, cannot)
    if not len(wrong):
        return labels
    labels = labels.copy()
    near: dict[int, list[int]] = {}
    for a, b in cannot.tolist():
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    sizes = np.bincount(labels, minlength=k)
    ends = np.unique(wrong)
    gain = dict(zip(ends.tolist(), scores(ends), strict=True))
    for a, b in wrong.tolist():
        if labels[a] != labels[b]:
            continue  # one of them has moved meanwhile
        best: tuple[float, int, int] | None = None
        for group in (a, b):
            allowed = np.setdiff1d(np.arange(k), labels[near[group]])
            if sizes[labels[group]] < 2 or not len(allowed):
                continue
            to = int(allowed[gain[group][allowed].argmax()])
            lost = float(gain[group][labels[group]] - gain[group][to])
            if best is None or lost < best[0]:
                best = (lost, group, to)
        if best is None:
            return _anew(labels, cannot, k, scores)
        _, group, to = best
        sizes[labels[group]] -= 1
        sizes[to] += 1
        labels[group] = to
    return labels


def _anew(
    labels: NDArray[np.int32],
    cannot: NDArray[np.int64],
    k: int,
    scores: Callable[[NDArray[np.int64]], NDArray[np.float64]],
) -> NDArray[np.int32]:
    """Bound groups by a colouring of them; a cluster that loses all it had gets a free one."""
    bound = np.unique(cannot)
    colours = colour(len(labels), cannot, k)[bound]
    fit = np.zeros((k, k))
    np.add.at(fit, colours, scores(bound))
    _, cluster = linear_sum_assignment(fit, maximize=True)
    labels = labels.copy()
    labels[bound] = cluster[colours]
    free = np.setdiff1d(np.arange(len(labels)), bound)
    for empty in np.setdiff1d(np.arange(k), labels).tolist():
        crowded = free[np.bincount(labels, minlength=k)[labels[free]] > 1]
        if len(crowded):
            labels[crowded[scores(crowded)[:, empty].argmax()]] = empty
    return labels
