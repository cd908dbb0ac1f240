"""Linear programming in the E-step: the relaxation of appendix A.2, rounded several times.

Shares of each group in each cluster stand for its label, and shares of links for their being
broken. Must-links give a relaxation that rounding loses little of (Kleinberg and Tardos);
cannot-links a loose one: with shares of a half in each of two clusters nothing seems broken. So
many roundings are drawn, and the best one is taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linprog

from comraf.graph.tables import check_fits
from comraf.kmeans.field import Field

__all__ = ["roundings", "shares"]


def shares(field: Field, costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve the relaxation: the share of each group in each cluster, (n_groups, k).

    Groups without links are all in their nearest cluster.

    Examples
    --------
    >>> from comraf.supervision import read_knowledge
    >>> from comraf.kmeans.field import read_field
    >>> known = read_knowledge(3, must_link=[(0, 1, 5.0), (1, 2, 5.0)])
    >>> costs = np.array([[0.0, 3.0], [0.0, 0.1], [4.0, 0.0]])
    >>> shares(read_field(known, 1.0, inferred=False), costs).round(6).argmax(axis=1).tolist()
    [1, 1, 1]
    """
    n, k = costs.shape
    out = np.zeros((n, k))
    out[np.arange(n), costs.argmin(axis=1)] = 1.0
    pulls = sp.triu(field.pulls, k=1).tocoo()
    hard = sp.triu(field.forbidden, k=1).tocoo()
    ends = np.column_stack([pulls.row, pulls.col]).astype(np.int64)
    pull = pulls.data
    shut = np.column_stack([hard.row, hard.col]).astype(np.int64)
    bound, place = np.unique(np.concatenate([ends, shut]), return_inverse=True)
    if not len(bound) or k < 2:
        return out
    place = place.reshape(-1, 2)
    ends, shut = place[: len(ends)], place[len(ends) :]
    many = (len(ends) + len(shut)) * k
    check_fits(1500.0 * many, f"a linear program of {many:,} pairs", "take inference='icm'")
    together, apart = pull > 0, pull < 0
    first = len(bound) * k
    cost, limits = [costs[bound].ravel()], []
    rows: list[list[tuple[NDArray[np.int64], int]]] = []
    for pairs, weight, must in (
        (ends[together], pull[together] / 2, True),
        (ends[apart], -pull[apart], False),
    ):
        size = len(pairs) * k
        a, b, z = _columns(pairs, k, first)
        cost.append(np.repeat(weight, k))
        first += size
        if must:  # (A.5), (A.6)
            rows += [(a, 1), (b, -1), (z, -1)], [(b, 1), (a, -1), (z, -1)]
            limits += [np.zeros(size), np.zeros(size)]
        else:  # (A.8); (A.7) never binds where broken links cost something
            rows += ([(a, 1), (b, 1), (z, -1)],)
            limits += [np.ones(size)]
    a, b, _ = _columns(shut, k, first)
    rows.append([(a, 1), (b, 1)])
    limits.append(np.ones(len(shut) * k))
    each = sp.csr_array(np.repeat(np.eye(1), k, axis=1))
    whole = sp.hstack(
        [
            sp.kron(sp.eye_array(len(bound)), each),
            sp.csr_array((len(bound), first - len(bound) * k)),
        ]
    ).tocsr()
    solved = linprog(
        np.concatenate(cost),
        A_ub=sp.vstack([_block(part, first) for part in rows]).tocsr(),
        b_ub=np.concatenate(limits),
        A_eq=whole,
        b_eq=np.ones(len(bound)),
        bounds=(0, None),
        method="highs",
    )
    if solved.x is not None:  # without an answer the caller keeps what it has
        out[bound] = np.clip(solved.x[: len(bound) * k].reshape(-1, k), 0.0, 1.0)
    return out


def _columns(
    pairs: NDArray[np.int64], k: int, first: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Columns of both ends of each pair and of the pair itself, for each cluster."""
    clusters = np.arange(k)
    a = (pairs[:, :1] * k + clusters).ravel()
    b = (pairs[:, 1:] * k + clusters).ravel()
    return a, b, first + np.arange(len(pairs) * k)


def _block(parts: list[Any], width: int) -> sp.csr_array:
    """Rows that have one entry in each of some columns."""
    size = len(parts[0][0])
    row = np.tile(np.arange(size), len(parts))
    col = np.concatenate([columns for columns, _ in parts])
    data = np.concatenate([np.full(size, float(sign)) for _, sign in parts])
    return sp.csr_array((data, (row, col)), shape=(size, width))


def roundings(
    share: NDArray[np.float64], rng: np.random.Generator, many: int = 20
) -> list[NDArray[np.int32]]:
    """Labels drawn by shares; the first are the largest shares themselves.

    A cluster and a threshold are drawn, all groups without a label whose share reaches it get
    the cluster, and so on until all have one: groups of equal shares stay together.

    Examples
    --------
    >>> share = np.array([[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]])
    >>> drawn = roundings(share, np.random.default_rng(0), many=8)
    >>> all(labels[0] == labels[1] and labels[2] == 1 for labels in drawn)
    True
    """
    k = share.shape[1]
    found = [share.argmax(axis=1).astype(np.int32)]
    split = np.flatnonzero(share.max(axis=1) < 1 - 1e-9)
    if not len(split):
        return found
    for _ in range(many - 1):
        labels = found[0].copy()
        left = split
        while len(left):
            h, threshold = int(rng.integers(k)), rng.random()
            takes = share[left, h] > threshold
            labels[left[takes]] = h
            left = left[~takes]
        found.append(labels)
    return found
