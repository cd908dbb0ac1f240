"""Loopy belief propagation in the E-step (max-product, as costs: min-sum).

Each group tells those it has links with how dear each of their clusters would be to it, all at
once, again and again. On a forest of links the answer is exact; on other graphs messages may
circle, so they are damped, stopped after some rounds, and the caller takes the answer only if it
is better than what it has.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comraf.graph.tables import check_fits
from comraf.kmeans.field import Field

__all__ = ["propagate"]


def propagate(
    field: Field,
    costs: NDArray[np.float64],
    *,
    rounds: int = 100,
    damping: float = 0.5,
    tol: float = 1e-6,
) -> NDArray[np.int32]:
    """Labels of groups by belief propagation.

    Parameters
    ----------
    field : Field
    costs : numpy.ndarray of float, shape (n_groups, k)
        Summed distance of each group's items to each centre.
    rounds : int
        Most rounds of messages.
    damping : float
        Part of an old message that stays in the new one, below 1.
    tol : float
        Messages that change less than this part of the largest cost stand still.

    Returns
    -------
    numpy.ndarray of int32, shape (n_groups,)
        Pairs that must be apart may be together: messages that have not settled promise nothing.

    Examples
    --------
    >>> from comraf.supervision import read_knowledge
    >>> from comraf.kmeans.field import read_field
    >>> known = read_knowledge(3, must_link=[(0, 1, 5.0), (1, 2, 5.0)])
    >>> costs = np.array([[0.0, 3.0], [0.0, 0.1], [4.0, 0.0]])
    >>> propagate(read_field(known, 1.0, inferred=False), costs).tolist()
    [1, 1, 1]
    """
    k = costs.shape[1]
    beliefs = costs.copy()
    pulls = field.pulls.tocoo()
    hard = field.forbidden.tocoo()
    source = np.concatenate([pulls.row, hard.row]).astype(np.int64)
    target = np.concatenate([pulls.col, hard.col]).astype(np.int64)
    pull = np.concatenate([pulls.data, np.full(len(hard.row), -np.inf)])
    m = len(source)
    if not m or k < 2:
        return np.asarray(beliefs.argmin(axis=1), dtype=np.int32)
    check_fits(8.0 * 6 * m * k, f"messages of {m:,} links", "take inference='icm'")
    # each link is there in both directions: where the other one stands
    back = np.empty(m, dtype=np.int64)
    back[np.lexsort((target, source))] = np.lexsort((source, target))
    messages = np.zeros((m, k))
    largest = max(float(costs.max()), 1e-300)
    places = np.arange(m)
    for _ in range(rounds):
        view = beliefs[source] - messages[back]
        first = view.argmin(axis=1)
        least = view[places, first]
        view[places, first] = np.inf
        second = view.min(axis=1)
        view[places, first] = least
        others = np.repeat(least[:, None], k, axis=1)  # cheapest with the sender elsewhere
        others[places, first] = second
        new = np.minimum(others, view - pull[:, None])
        new -= new.min(axis=1)[:, None]
        new = damping * messages + (1 - damping) * new
        change = float(np.abs(new - messages).max())
        messages = new
        beliefs = costs.copy()
        np.add.at(beliefs, target, messages)
        if change <= tol * largest:
            break
    return np.asarray(beliefs.argmin(axis=1), dtype=np.int32)
