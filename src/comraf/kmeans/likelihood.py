"""How well clusters describe rows: likelihoods, their parameters, and bits to write all down."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import gammaln, ive

from comraf.errors import InputError
from comraf.kmeans.distances import Distance, metric_for
from comraf.kmeans.rows import Floats, floats, parts, row_sums

__all__ = ["Fit", "describe"]

_TINY = 1e-300
# A variance below this part of that of all rows is taken for it: rows that lie on their centres
# would have an infinite likelihood.
_LEAST = 1e-10


@dataclass(frozen=True)
class Fit:
    """A clustering as a model of the rows.

    Attributes
    ----------
    model : str
        What a cluster is taken for.
    log_likelihood : float
        Of rows and their clusters, in nats, less the price of broken links, which distances of
        the same size cost, too; constants that no clustering changes may be left out.
    n_parameters : int
        Free numbers of the model.
    bic : float
        −2 log likelihood + parameters · log n; less is better.
    bits : float
        Length of a description in bits. Of rows of real numbers only differences mean something:
        how finely rows are written down is the same for all clusterings.
    """

    model: str
    log_likelihood: float
    n_parameters: int
    bic: float
    bits: float


def describe(X: Any, model: Any) -> Fit:
    """Describe rows by a fitted clusterer.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame
        The rows it was fitted on.
    model : clusterer
        With ``labels_``, or ``memberships_`` and ``loss_``.

    Examples
    --------
    >>> from comraf.kmeans import KMeans
    >>> X = np.array([[0.0], [0.2], [5.0], [5.2]])
    >>> one, two = (describe(X, KMeans(k, random_state=0).fit(X)) for k in (1, 2))
    >>> two.model, two.n_parameters, two.bic < one.bic, two.bits < one.bits
    ('spherical Gaussians', 4, True, True)
    """
    kernel = getattr(model, "kernel", "linear")
    if kernel != "linear":
        raise InputError(
            f"kernel={kernel!r} has no likelihood of rows; take criterion='labels' or 'links'"
        )
    if not sp.issparse(X) and not hasattr(X, "shape"):
        X = np.asarray(X)
    rows = floats(X)
    metric = metric_for(getattr(model, "metric", "euclidean"))
    price = float(getattr(model, "penalty_", 0.0))
    if hasattr(model, "memberships_"):
        return _overlapping(rows, metric, model, price)
    labels = np.asarray(model.labels_, dtype=np.int64)
    if hasattr(model, "metrics_"):
        return _learned(rows, labels, model, price)
    return _disjoint(rows, metric, labels, price)


def _disjoint(rows: Any, metric: Distance, labels: NDArray[np.int64], price: float) -> Fit:
    """Clusters with centres."""
    n, d = rows.shape
    used, labels = np.unique(labels, return_inverse=True)
    k = len(used)
    prepared = metric.prepare(rows)
    centers = metric.centers(prepared, labels, k)
    sizes = np.bincount(labels, minlength=k).astype(np.float64)
    name = metric.name
    entries = k * d
    shared = 0
    if name == "euclidean":
        what = "spherical Gaussians"
        error = float(metric.own(prepared, labels, centers).sum())
        fit, shared = _gaussian(error, n, d, k, _spread(prepared, metric), price), 1
    elif name == "cosine":
        what = "von Mises–Fisher distributions"
        mean = 1 - float(metric.own(prepared, labels, centers).mean())
        fit, shared = n * _fisher(mean, d, price / n), 1
        entries = k * (d - 1)
    elif name == "kl":
        what = "multinomials of rows as counts"
        logs = np.log(np.maximum(centers, _TINY))
        mass = row_sums(rows)
        fit = float(mass @ _own_products(prepared, logs, labels)) - price * float(mass.mean())
        entries = k * (d - 1)
    elif name == "itakura-saito":
        what = "exponential distributions"
        fit = float(_own_products(prepared, -1 / centers, labels).sum()) - price
        fit -= float(sizes @ np.log(centers).sum(axis=1))
    else:
        raise InputError(
            f"metric={name!r} has no likelihood of rows; take criterion='labels' or 'links', or "
            "one of the metrics 'euclidean', 'cosine', 'kl', 'itakura-saito'"
        )
    fit += float(sizes @ np.log(sizes / n))
    columns = np.full(k, d, dtype=np.float64)
    if sp.issparse(rows):
        member = sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n))
        columns = np.diff(sp.csr_array(member @ abs(rows)).indptr).astype(np.float64)
    extra = _centres(columns, d, sizes) + (k - 1 + shared) / 2 * math.log(n)
    return _fit(what, fit, entries + k - 1 + shared, n, k, extra)


def _learned(rows: Any, labels: NDArray[np.int64], model: Any, price: float) -> Fit:
    """Gaussians with the learned metrics as inverse covariances, diagonal or full."""
    n, d = rows.shape
    A = np.asarray(model.metrics_, dtype=np.float64)
    centers = np.asarray(model.cluster_centers_, dtype=np.float64)
    full, one = A.ndim == 3, bool(getattr(model, "shared", False))
    fit = -0.5 * price
    sizes = np.bincount(labels, minlength=len(centers)).astype(np.float64)
    for h in np.flatnonzero(sizes).tolist():
        metric = A[h]
        inside = rows[np.flatnonzero(labels == h)]
        if sp.issparse(inside) and not full:
            weighted = centers[h] * metric
            squares = inside.multiply(inside) @ metric - 2 * (inside @ weighted)
            squares = np.asarray(squares) + weighted @ centers[h]
            size = float(np.log(metric).sum())
        else:
            gap = (inside.toarray() if sp.issparse(inside) else inside) - centers[h]
            squares = np.einsum("ij,ij->i", gap @ metric if full else gap * metric, gap)
            size = float(np.linalg.slogdet(metric)[1] if full else np.log(metric).sum())
        fit -= 0.5 * float(squares.sum()) - 0.5 * sizes[h] * (size - d * math.log(2 * math.pi))
        fit += sizes[h] * math.log(sizes[h] / n)
    k = int(np.count_nonzero(sizes))
    each = d * (d + 1) // 2 if full else d
    n_metric = each if one else each * k
    extra = _centres(np.full(k, float(d)), d, sizes[sizes > 0])
    extra += (k - 1 + n_metric) / 2 * math.log(n)
    return _fit("Gaussians with learned metrics", fit, k * d + k - 1 + n_metric, n, k, extra)


def _overlapping(rows: Any, metric: Distance, model: Any, price: float) -> Fit:
    """Sums of components, with noise around them."""
    members = np.asarray(model.memberships_)
    n, k = members.shape
    d = rows.shape[1]
    shared = 0
    if metric.name in ("euclidean", "cosine"):
        what = "sums of components with spherical noise"
        plain = metric_for("euclidean")
        fit = _gaussian(model.loss_, n, d, k, _spread(metric.prepare(rows), plain), price)
        shared = 1
    else:  # what is left out depends on the rows alone
        what = "Poisson" if metric.name == "kl" else "exponential"
        what += " distributions around sums of components"
        fit = -float(model.loss_) - price
    chance = np.clip(members.mean(axis=0), 1e-12, 1 - 1e-12)
    fit += n * float(chance @ np.log(chance) + (1 - chance) @ np.log1p(-chance))
    sizes = np.maximum(members.sum(axis=0), 1).astype(np.float64)
    extra = _centres(np.full(k, float(d)), d, sizes) + (k + shared) / 2 * math.log(n)
    return _fit(what, fit, k * d + k + shared, n, k, extra)


def _fit(what: str, fit: float, n_parameters: int, n: int, k: int, extra: float) -> Fit:
    bits = (extra - fit) / math.log(2) + _whole(k)
    return Fit(what, fit, n_parameters, n_parameters * math.log(n) - 2 * fit, bits)


def _centres(columns: Floats, d: int, sizes: Floats) -> float:
    """Nats to name the columns that centres have, and to write these entries."""
    # An entry is written as finely as the items of its cluster can tell.
    names = gammaln(d + 1) - gammaln(columns + 1) - gammaln(d - columns + 1)
    return float((names + columns / 2 * np.log(sizes)).sum())


def _whole(k: int) -> float:
    """Bits of a whole number of any size (Rissanen)."""
    bits, left = math.log2(2.865064), math.log2(k) if k > 1 else 0.0
    while left > 0:
        bits += left
        left = math.log2(left) if left > 1 else 0.0
    return bits


def _spread(rows: Any, metric: Distance) -> float:
    """Squared error of all rows around their mean."""
    everyone = np.zeros(rows.shape[0], dtype=np.int64)
    return float(metric.own(rows, everyone, metric.centers(rows, everyone, 1)).sum())


def _gaussian(error: float, n: int, d: int, k: int, spread: float, price: float) -> float:
    """Log likelihood of n rows by Gaussians of one variance, which is told from the errors."""
    free = d * max(n - k, 1)
    variance = max(error / free, _LEAST * spread / (n * d), _TINY)
    return -0.5 * n * d * math.log(2 * math.pi * variance) - (error + price) / (2 * variance)


def _fisher(mean: float, d: int, price: float) -> float:
    """Log likelihood of one row by von Mises–Fisher, given the mean cosine to the centres."""
    # The concentration is that of Banerjee et al. (2005), r (d − r²) / (1 − r²).
    r = min(max(mean, 1e-9), 1 - _LEAST)
    kappa = r * (d - r * r) / (1 - r * r)
    order = d / 2 - 1
    return (
        order * math.log(kappa)
        - d / 2 * math.log(2 * math.pi)
        - _bessel(order, kappa)
        + kappa * (mean - price)
    )


def _bessel(order: float, x: float) -> float:
    """Logarithm of the modified Bessel function of the first kind.

    For high orders the direct one is 0 or infinite; there the uniform expansion is exact to
    many digits.

    Examples
    --------
    >>> abs(_bessel(30.0, 12.0) - math.log(ive(30.0, 12.0)) - 12.0) < 1e-5
    True
    """
    if order < 20:
        return math.log(max(float(ive(order, x)), _TINY)) + x
    z = x / order
    root = math.hypot(1, z)
    p = 1 / root
    bent = root + math.log(z / (1 + root))
    first = (3 * p - 5 * p**3) / 24
    second = (81 * p**2 - 462 * p**4 + 385 * p**6) / 1152
    series = 1 + first / order + second / order**2
    return order * bent - 0.5 * math.log(2 * math.pi * order * root) + math.log(series)


def _own_products(rows: Any, centers: Floats, labels: NDArray[np.int64]) -> Floats:
    """Product of each row with the centre of its own cluster."""
    out = np.empty(rows.shape[0])
    for part in parts(rows.shape[0], len(centers)):
        found = np.asarray(rows[part] @ centers.T)
        out[part] = found[np.arange(len(found)), labels[part]]
    return out
