"""Top-down: each cluster cut at random into two halves."""

from __future__ import annotations

import numpy as np

from comraf.objectives import Labels

__all__ = ["halve"]


def halve(labels: Labels, k: int, rng: np.random.Generator, most: int) -> tuple[Labels, int]:
    """Split every cluster of two or more into random halves, up to ``most`` clusters.

    Where only some can be split, the largest are. Old clusters keep their numbers and new
    ones follow.

    Examples
    --------
    >>> labels, k = halve(np.zeros(4, dtype=np.int32), 1, np.random.default_rng(0), 2)
    >>> k, np.bincount(labels).tolist()
    (2, [2, 2])
    """
    sizes = np.bincount(labels, minlength=k)
    splittable = np.flatnonzero(sizes >= 2)
    room = max(0, most - k)
    chosen = splittable[np.argsort(-sizes[splittable], kind="stable")][:room]
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
