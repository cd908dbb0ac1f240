"""Cannot-links that must hold, where a search left some of them broken."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.supervision.colouring import colour

__all__ = ["broken_pairs", "repair"]

Scores = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def broken_pairs(labels: NDArray[np.int32], cannot: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pairs that are together though they must not be.

    Examples
    --------
    >>> broken_pairs(np.array([0, 0, 1]), np.array([[0, 1], [1, 2]])).tolist()
    [[0, 1]]
    """
    return np.asarray(cannot[labels[cannot[:, 0]] == labels[cannot[:, 1]]])


def repair(
    labels: NDArray[np.int32],
    cannot: NDArray[np.int64],
    k: int,
    scores: Scores,
    names: Callable[[int], str] | None = None,
) -> NDArray[np.int32]:
    """Labels in which no pair is together that must not be, changed as little as that takes.

    One of each broken pair goes to the cluster that suits it best among those without anything
    it must be apart from. Where there is none, the groups that hang together with the pair by
    cannot-links, and no others, are arranged anew by a colouring, its colours matched to the
    clusters so that they fit best. A cluster that lost all it had gets what suits it best.

    Parameters
    ----------
    labels : array of int, (n_groups,)
    cannot : array of int, (p, 2)
    k : int
    scores : callable
        What each of some groups gains in each cluster, (groups, k).
    names : callable, optional
        What a group is called in messages.

    Raises
    ------
    ConflictError
        If k clusters can't keep them apart.

    Examples
    --------
    >>> even = lambda groups: np.zeros((len(groups), 2))
    >>> repair(np.array([0, 0, 1], np.int32), np.array([[0, 1]]), 2, even).tolist()
    [1, 0, 1]
    """
    wrong = broken_pairs(labels, cannot)
    if not len(wrong):
        return labels
    had = np.unique(labels)
    labels = labels.copy()
    apart: dict[int, list[int]] = {}
    for a, b in cannot.tolist():
        apart.setdefault(a, []).append(b)
        apart.setdefault(b, []).append(a)
    ends = np.unique(wrong)
    gain = dict(zip(ends.tolist(), scores(ends), strict=True))
    stuck: list[int] = []
    for a, b in wrong.tolist():
        if labels[a] != labels[b]:
            continue  # one of them has moved meanwhile
        best: tuple[float, int, int] | None = None
        for group in (a, b):
            allowed = np.setdiff1d(np.arange(k), labels[apart[group]])
            if not len(allowed):
                continue
            to = int(allowed[gain[group][allowed].argmax()])
            lost = float(gain[group][labels[group]] - gain[group][to])
            if best is None or lost < best[0]:
                best = (lost, group, to)
        if best is None:
            stuck.append(a)
        else:
            labels[best[1]] = best[2]
    if stuck:
        _arrange(labels, cannot, k, scores, stuck, names)
    _refill(labels, apart, had, scores)
    return labels


def _arrange(
    labels: NDArray[np.int32],
    cannot: NDArray[np.int64],
    k: int,
    scores: Scores,
    stuck: list[int],
    names: Callable[[int], str] | None,
) -> None:
    """Colour, in place, what hangs together with each stuck group."""
    from scipy.optimize import linear_sum_assignment  # which few need, and all would wait for

    n = len(labels)
    links = sp.coo_array((np.ones(len(cannot)), (cannot[:, 0], cannot[:, 1])), shape=(n, n))
    _, part = sp.csgraph.connected_components(links, directed=False)
    for number in np.unique(part[stuck]).tolist():
        members = np.flatnonzero(part == number)
        inside = cannot[part[cannot[:, 0]] == number]
        if not len(broken_pairs(labels, inside)):
            continue  # mended by a move after it got stuck
        colours = colour(n, inside, k, names=names)[members]
        fit = np.zeros((k, k))
        np.add.at(fit, colours, scores(members))
        _, cluster = linear_sum_assignment(fit, maximize=True)
        labels[members] = cluster[colours]


def _refill(
    labels: NDArray[np.int32], apart: dict[int, list[int]], had: NDArray[np.int32], scores: Scores
) -> None:
    """Give, in place, each cluster that lost all it had the group that suits it best."""
    for empty in np.setdiff1d(had, labels).tolist():
        # nothing there, so nothing to be apart from: any group of a larger cluster may go
        crowded = np.flatnonzero(np.bincount(labels, minlength=empty + 1)[labels] > 1)
        if len(crowded):
            labels[crowded[scores(crowded)[:, empty].argmax()]] = empty
