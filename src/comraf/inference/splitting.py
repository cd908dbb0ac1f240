"""Top-down: each cluster cut at random into two halves."""

from __future__ import annotations

import numpy as np

from comraf.objectives import Labels

__all__ = ["halve"]


def halve(
    labels: Labels, k: int, rng: np.random.Generator, most: int, *, balance: bool = False
) -> tuple[Labels, int]:
    """Split clusters of two or more into random halves until there are ``most`` of them.

    Where only some need to be split, the largest are; where splitting each once is not
    enough (there are singletons), the halves are split again. Old clusters keep their
    numbers and new ones follow. Only a node with fewer values than ``most`` stays below it.
    With ``balance`` a cluster smaller than the average is split the less likely the smaller
    it is, and larger ones are split again instead (2005 paper, section 5).

    Examples
    --------
    >>> labels, k = halve(np.zeros(4, dtype=np.int32), 1, np.random.default_rng(0), 2)
    >>> k, np.bincount(labels).tolist()
    (2, [2, 2])
    """
    while k < min(most, len(labels)):
        labels, k = _halve_once(labels, k, rng, most, balance)
    return labels, k


def _halve_once(
    labels: Labels, k: int, rng: np.random.Generator, most: int, balance: bool
) -> tuple[Labels, int]:
    sizes = np.bincount(labels, minlength=k)
    wanted = sizes >= 2
    if balance:  # the largest one is always at or above the average: there is progress
        wanted &= rng.random(k) * sizes.mean() <= sizes
    splittable = np.flatnonzero(wanted)
    chosen = splittable[np.argsort(-sizes[splittable], kind="stable")][: most - k]
    new_number = np.full(k, -1, dtype=np.int64)
    new_number[np.sort(chosen)] = k + np.arange(len(chosen))
    # Members of each cluster in random order; the second half of each takes the new number.
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rank = np.arange(len(labels)) - starts[labels[order]]
    owner = labels[order]
    moves = (new_number[owner] >= 0) & (rank >= (sizes[owner] + 1) // 2)
    out = labels.copy()
    out[order[moves]] = new_number[owner[moves]].astype(np.int32)
    return out, k + len(chosen)
