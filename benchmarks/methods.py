"""The methods that are measured: ours and the peers, one registry.

A method is a function (counts, k, seed, weighting) -> labels. All of its work is
timed, weighting and tf-idf included; every method works with one thread.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from benchmarks.harness import check

__all__ = ["METHODS", "WEIGHTINGS", "Labels", "Method", "lsa", "weigh"]

Labels = npt.NDArray[np.int64]
_Fit = Callable[[csr_matrix, int, int, str], Labels]

WEIGHTINGS = ("raw", "binary", "log", "equal_rows", "root_rows")
_COUNTS = ("raw", "binary", "log")
# tf-idf takes the logarithm of counts by itself and makes all rows the same length.
_TFIDF = ("raw", "binary")

LSA_DIMENSIONS = 100
LDA_ITERATIONS = 1000


@dataclass(frozen=True)
class Method:
    """One row of the tables.

    Attributes
    ----------
    title : str
        How tables name it.
    fit : callable
        (counts, k, seed, weighting) -> labels.
    package : str
        Distribution that does the work, as ``pip`` names it.
    weightings : tuple of str
        Those that make sense for it.
    settings : dict
        What was chosen; kept with every result.
    """

    title: str
    fit: _Fit
    package: str
    weightings: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)

    def installed(self) -> str | None:
        """Version of the package, None if it is not installed.

        Examples
        --------
        >>> METHODS["kmeans-tfidf"].installed() is None
        False
        """
        if self.package == "comraf":
            return _our_version()
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


@functools.cache
def _our_version() -> str:
    # While we work the number stays and the code changes: results of older code must
    # not pass for those of newer code.
    comraf = importlib.import_module("comraf")
    home = Path(str(comraf.__file__)).parent
    digest = hashlib.sha256()
    for room in ("kernels", "graph", "objectives", "supervision", "inference", "estimators"):
        for module in sorted((home / room).glob("**/*.py")):
            digest.update(module.read_bytes())
    return f"{comraf.__version__}+{digest.hexdigest()[:8]}"


def weigh(counts: csr_matrix, weighting: str) -> csr_matrix:
    """Weigh a table for a peer with comraf's own weighting.

    Examples
    --------
    >>> weigh(csr_matrix([[3, 1], [0, 5]]), "binary").toarray().tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    >>> weigh(csr_matrix([[3, 1], [0, 5]]), "equal_rows").toarray().tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    from comraf.graph.tables import as_csr
    from comraf.graph.tables import weigh as our_weigh

    # csr_matrix of doubles: sib takes neither arrays nor whole numbers.
    table = our_weigh(as_csr(counts), check("weighting", weighting, WEIGHTINGS))
    return csr_matrix(table, dtype=np.float64)


def _ours(name: str, **chosen: Any) -> _Fit:
    def fit(counts: csr_matrix, k: int, seed: int, weighting: str) -> Labels:
        model = getattr(importlib.import_module("comraf"), name)
        found = model(k, weighting=weighting, random_state=seed, **chosen).fit(counts)
        return _as_labels(found.labels_)

    return fit


def _sib(n_init: int, *, uniform_prior: bool) -> _Fit:
    def fit(counts: csr_matrix, k: int, seed: int, weighting: str) -> Labels:
        sib = importlib.import_module("sib")
        model = sib.SIB(
            n_clusters=k, n_init=n_init, n_jobs=1, random_state=seed, uniform_prior=uniform_prior
        )
        return _as_labels(model.fit(weigh(counts, weighting)).labels_)

    return fit


def _tfidf(counts: csr_matrix, weighting: str) -> csr_matrix:
    from sklearn.feature_extraction.text import TfidfTransformer

    # Logarithmic term frequencies: all three methods did better with them on similar3.
    transformer = TfidfTransformer(sublinear_tf=True)
    return csr_matrix(transformer.fit_transform(weigh(counts, weighting)))


def _kmeans_tfidf(counts: csr_matrix, k: int, seed: int, weighting: str) -> Labels:
    from sklearn.cluster import KMeans

    table = _tfidf(counts, weighting)
    return _as_labels(KMeans(k, n_init=10, random_state=seed).fit_predict(table))


def lsa(counts: Any, seed: int, weighting: str = "raw") -> npt.NDArray[np.float64]:
    """Rows of length one in 100 dimensions of LSA, fewer where the table is small.

    Examples
    --------
    >>> lsa([[3, 0, 1], [2, 0, 0], [0, 4, 1]], 0).shape
    (3, 2)
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    table = _tfidf(counts, weighting)
    n_components = min(LSA_DIMENSIONS, min(table.shape) - 1)
    return np.asarray(normalize(TruncatedSVD(n_components, random_state=seed).fit_transform(table)))


def _kmeans_lsa(counts: csr_matrix, k: int, seed: int, weighting: str) -> Labels:
    from sklearn.cluster import KMeans

    points = lsa(counts, seed, weighting)
    return _as_labels(KMeans(k, n_init=10, random_state=seed).fit_predict(points))


def _nmf(counts: csr_matrix, k: int, seed: int, weighting: str) -> Labels:
    from sklearn.decomposition import NMF

    loads = NMF(k, max_iter=200, random_state=seed).fit_transform(_tfidf(counts, weighting))
    return _as_labels(np.argmax(loads, axis=1))


def _lda(counts: csr_matrix, k: int, seed: int, weighting: str) -> Labels:
    tomotopy = importlib.import_module("tomotopy")
    model = tomotopy.LDAModel(k=k, seed=seed)
    words = np.arange(counts.shape[1]).astype(np.str_).astype(object)
    table = weigh(counts, weighting)
    times = table.data.astype(np.int64)
    filled = np.flatnonzero(np.diff(table.indptr))
    for row in filled:
        cells = slice(table.indptr[row], table.indptr[row + 1])
        model.add_doc(np.repeat(words[table.indices[cells]], times[cells]).tolist())
    model.train(LDA_ITERATIONS, workers=1)
    labels = np.zeros(counts.shape[0], dtype=np.int64)
    labels[filled] = [np.argmax(document.get_topic_dist()) for document in model.docs]
    return labels


def _as_labels(labels: Any) -> Labels:
    return np.asarray(labels, dtype=np.int64)


def _our(title: str, name: str, settings: dict[str, Any] | None = None, **chosen: Any) -> Method:
    """One of ours; `settings` are those worth keeping beside what was chosen."""
    kept = {**(settings or {}), **chosen}
    return Method(f"comraf {title}", _ours(name, **chosen), "comraf", WEIGHTINGS, kept)


def _their_sib(title: str, n_init: int, *, uniform_prior: bool = True) -> Method:
    return Method(
        f"sib-clustering {title}",
        _sib(n_init, uniform_prior=uniform_prior),
        "sib-clustering",
        _COUNTS,
        {"n_init": n_init, "uniform_prior": uniform_prior},
    )


def _by_tfidf(title: str, fit: _Fit, **settings: Any) -> Method:
    return Method(title, fit, "scikit-learn", _TFIDF, {**settings, "sublinear_tf": True})


_TEN = {"n_restarts": 10}

METHODS: dict[str, Method] = {
    "mdc": _our("MDC", "MDC", {"effort": "default"}),
    **{
        f"mdc-{effort}": _our(f"MDC, {effort}", "MDC", effort=effort)
        for effort in ("quick", "thorough", "paper")
    },
    "mdc-js": _our("MDC, paper, merging by JS", "MDC", effort="paper", merge_cost="js"),
    "sequential-ib": _our("SequentialIB n10", "SequentialIB", n_restarts=10),
    "itcc": _our("ITCC n10, batch", "ITCC", _TEN),
    "itcc-sequential": _our("ITCC n10, sequential", "ITCC", _TEN, updates="sequential"),
    "itcc-random": _our("ITCC n10, batch, random start", "ITCC", _TEN, first_passes=0),
    "agglomerative-ib": _our("AgglomerativeIB", "AgglomerativeIB"),
    "ib": _our(
        "InformationBottleneck, bottom-up",
        "InformationBottleneck",
        {"effort": "quick", "direction": "bottom-up"},
    ),
    "ib-top-down": _our(
        "InformationBottleneck, top-down",
        "InformationBottleneck",
        {"effort": "quick"},
        direction="top-down",
    ),
    "cliquewise": _our("CliquewiseMDC n10", "CliquewiseMDC", _TEN),
    # sib's default gives every document the same mass whatever the counts, so its raw
    # counts are our equal rows; -mass gives a document the mass of its counts, as ours do.
    "sib-n10": _their_sib("n10", 10),
    "sib-n1": _their_sib("n1", 1),
    "sib-n10-mass": _their_sib("n10, rows by mass", 10, uniform_prior=False),
    "kmeans-lsa": _by_tfidf(
        "KMeans on 100-dim LSA n10", _kmeans_lsa, n_init=10, dimensions=LSA_DIMENSIONS
    ),
    "kmeans-tfidf": _by_tfidf("KMeans on tf-idf n10", _kmeans_tfidf, n_init=10),
    "nmf": _by_tfidf("NMF on tf-idf", _nmf, max_iter=200),
    # Topic models count words: only whole numbers make sense.
    "lda": Method(
        "LDA (tomotopy)", _lda, "tomotopy", ("raw", "binary"), {"iterations": LDA_ITERATIONS}
    ),
}
