"""Where documents go on the map.

Groups are set out by how different they are (metric scaling by majorisation); a document is
then drawn towards the groups it resembles, and dots that would cover each other are moved
apart. Everything is computed from small dense arrays and is the same on every run.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.report.counting import Floats

__all__ = ["arrange", "first_copies", "pick_rows", "place_documents", "spread"]

_TYPICAL = 0.82  # what a typical document gives to its own group
_ROUNDS = 90
_FEWEST = 5  # different words
_ALIKE = 0.85  # cosine of the words of near-copies: a form letter with other figures in it


def pick_rows(labels: npt.NDArray[np.integer], n_groups: int, most: int) -> npt.NDArray[np.int64]:
    """At most about ``most`` rows, each group in proportion but with a few at least.

    Examples
    --------
    >>> pick_rows(np.array([0] * 96 + [1] * 4), 2, 10).tolist()
    [0, 10, 21, 31, 42, 52, 63, 73, 84, 95, 96, 97, 98, 99]
    """
    n = len(labels)
    if n <= most:
        return np.arange(n)
    picked = []
    for c in range(n_groups):
        rows = np.flatnonzero(labels == c)
        share = max(min(4, len(rows)), round(most * len(rows) / n))
        # Evenly over the group's own order: collections often come sorted by date or folder.
        picked.append(rows[np.linspace(0, len(rows) - 1, min(share, len(rows))).astype(np.int64)])
    return np.sort(np.concatenate(picked))


def first_copies(table: sp.csr_array, labels: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """For each row the first one of its group with nearly the same words; often itself.

    Rows of a few words are their own: many say the same in so few.

    Examples
    --------
    >>> table = sp.csr_array([[3, 1, 1, 1, 1, 0], [2, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 9]])
    >>> first_copies(table, np.array([0, 0, 0])).tolist()
    [0, 0, 2]
    """
    counts = sp.csr_array(table, dtype=np.float64).sqrt()
    length = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)))
    unit = sp.csr_array(counts.multiply(1.0 / np.maximum(length, 1e-12)[:, None]))
    first = np.arange(len(labels))
    for c in np.unique(labels):
        rows = np.flatnonzero((labels == c) & (np.diff(counts.indptr) >= _FEWEST))
        near = np.asarray((unit[rows] @ unit[rows].T).toarray()) >= _ALIKE
        free = np.ones(len(rows), dtype=bool)
        for i in range(len(rows)):
            if free[i]:
                alike = near[i] & free
                first[rows[alike]] = rows[i]
                free &= ~alike
    return first


def arrange(distances: Floats) -> Floats:
    """Points in the plane whose distances are near to the ones given.

    Examples
    --------
    >>> places = arrange(np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]]))
    >>> round(float(np.linalg.norm(places[1] - places[2])), 3)
    5.0
    """
    k = len(distances)
    if k < 2:
        return np.zeros((k, 2))
    centre = np.eye(k) - 1.0 / k
    values, vectors = np.linalg.eigh(-0.5 * centre @ distances**2 @ centre)
    places = np.zeros((k, 2))
    for axis in range(min(2, k - 1)):
        vector = vectors[:, -1 - axis]
        # An eigenvector has no sign of its own; its largest entry shall be positive.
        vector = vector * (1.0 if vector[np.argmax(np.abs(vector))] > 0 else -1.0)
        places[:, axis] = vector * math.sqrt(max(float(values[-1 - axis]), 0.0))
    if k == 2:
        return places
    positive = distances[distances > 0]
    floor = float(positive.min()) if len(positive) else 1.0
    weights = 1.0 / np.maximum(distances, floor)
    np.fill_diagonal(weights, 0.0)
    laplacian = -weights
    np.fill_diagonal(laplacian, weights.sum(axis=1))
    inverse = np.linalg.pinv(laplacian)
    for _ in range(200):
        apart = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=-1))
        pull = -weights * distances / np.maximum(apart, 1e-9)
        np.fill_diagonal(pull, 0.0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        places = inverse @ (pull @ places)
    return places


def place_documents(
    scores: Floats, labels: npt.NDArray[np.integer], n_groups: int
) -> tuple[Floats, Floats]:
    """Places of groups and of documents, before dots are moved apart.

    Parameters
    ----------
    scores : array of shape (documents, groups)
        How well each document fits each group.
    labels : array of int
    n_groups : int

    Returns
    -------
    groups, documents : arrays of two columns

    Examples
    --------
    >>> scores = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 0.9]])
    >>> groups, documents = place_documents(scores, np.array([0, 1, 0]), 2)
    >>> bool(abs(documents[2, 0]) < abs(documents[0, 0]))
    True
    """
    sizes = np.bincount(labels, minlength=n_groups)
    mean = np.zeros((n_groups, n_groups))
    np.add.at(mean, labels, scores)
    mean /= np.maximum(sizes, 1)[:, None]
    own = np.diag(mean)
    distances = np.sqrt(np.maximum(own[:, None] + own[None] - mean - mean.T, 0.0))
    np.fill_diagonal(distances, 0.0)
    groups = arrange(distances)
    if n_groups == 1:
        return groups, np.zeros((len(labels), 2))
    # How sharply fits become shares is a matter of taste: so that the median document lies
    # close to its group but leans visibly to others.
    low, high = 1e-3, 1e4
    rows = np.arange(len(labels))
    shares = np.zeros_like(scores)
    for _ in range(40):
        sharpness = math.sqrt(low * high)
        shares = np.exp(sharpness * (scores - scores.max(axis=1, keepdims=True)))
        shares /= shares.sum(axis=1, keepdims=True)
        if float(np.median(shares[rows, labels])) < _TYPICAL:
            low = sharpness
        else:
            high = sharpness
    return groups, shares @ groups


def spread(places: Floats, gap: float, sizes: Floats | None = None) -> Floats:
    """Move dots apart until they hardly cover each other; ``sizes`` of dots are 1 or more.

    Examples
    --------
    >>> moved = spread(np.zeros((5, 2)), 1.0)
    >>> bool(np.ptp(moved) > 0.5)
    True
    """
    from scipy.spatial import cKDTree

    places = places.copy()
    reach = np.full(len(places), gap / 2) if sizes is None else gap / 2 * sizes
    for _ in range(_ROUNDS):
        pairs = cKDTree(places).query_pairs(2 * float(reach.max()), output_type="ndarray")
        apart = np.sqrt(((places[pairs[:, 0]] - places[pairs[:, 1]]) ** 2).sum(axis=1))
        pairs = pairs[apart < reach[pairs[:, 0]] + reach[pairs[:, 1]]]
        if len(pairs) == 0:
            break
        # The tree gives pairs in an order of its own; sums of floats depend on it.
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        push = places[pairs[:, 0]] - places[pairs[:, 1]]
        length = np.sqrt((push**2).sum(axis=1))
        same = length < 1e-9
        angle = 2.399963 * pairs[same, 1]  # the golden angle: no two leave the same way
        push[same] = np.column_stack([np.cos(angle), np.sin(angle)])
        wanted = reach[pairs[:, 0]] + reach[pairs[:, 1]]
        step = (wanted - length) / 4.0 / np.where(same, 1.0, length)
        np.add.at(places, pairs[:, 0], push * step[:, None])
        np.add.at(places, pairs[:, 1], -push * step[:, None])
    return places
