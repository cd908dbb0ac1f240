"""The methods that are told a part of the truth: ours and the peers, one registry.

A method is a function (counts, k, seed, given, options) -> :class:`Answer`. All of its work is
timed, features included. Peers work with one thread and have the texts of all documents, told
or not: idf and LSA are made of the whole table.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from benchmarks import methods
from benchmarks.labelled_data import Codes, Given

__all__ = [
    "BASE",
    "METHODS",
    "Answer",
    "Method",
    "Options",
    "chosen",
    "constrained_kmeans",
]

#: The method whose fit is not told anything: CPU ratios are to it.
BASE = "unsupervised"
# Options that say what to make of labels and links: nothing to do without them.
_OF_LABELS = ("label_weight", "link_weight")

LSA_DIMENSIONS = 100
# Chosen by the truth, in the peers' favour, one value for all collections: the best compromise
# on 100each-9 and on seed 99 of 20ng, similar3, beck-s and farmer-d, at a share of 0.1.
SVM_C = 1.0
LOGISTIC_C = 10.0
BAYES_ALPHA = 0.1
NEIGHBOURS = 20
SPREADING_ALPHA = 0.8
KMEANS_STEPS = 100


@dataclass(frozen=True)
class Options:
    """What our methods are fitted with; peers don't look at it."""

    estimator: str = "MDC"
    chosen: Mapping[str, Any] = field(default_factory=dict)
    jobs: int = 1


@dataclass(frozen=True)
class Answer:
    """A cluster for each item and, where the method names one, its class (-1: none)."""

    clusters: Codes
    classes: Codes | None = None


_Fit = Callable[[csr_matrix, int, int, Given, Options], Answer]


@dataclass(frozen=True)
class Method:
    """One row of the tables.

    Attributes
    ----------
    title : str
        How tables name it.
    fit : callable
        (counts, k, seed, given, options) -> Answer.
    ours : bool
        Whether comraf does the work.
    links : bool
        Whether links can be told, too.
    settings : dict
        What was chosen; kept with every result.
    """

    title: str
    fit: _Fit
    ours: bool = False
    links: bool = False
    settings: dict[str, Any] = field(default_factory=dict)

    def version(self) -> str | None:
        """Version of what does the work; ours changes with its code."""
        return methods.METHODS["mdc" if self.ours else "kmeans-lsa"].installed()


def chosen(name: str, options: Options) -> dict[str, Any]:
    """Options that a method of ours is made with.

    Examples
    --------
    >>> options = Options(chosen={"effort": "quick", "label_weight": 2.0})
    >>> chosen("unsupervised", options)
    {'effort': 'quick'}
    """
    without = _OF_LABELS if name == BASE else ()
    return {option: value for option, value in options.chosen.items() if option not in without}


def _ours(labels_as: str | None) -> _Fit:
    def fit(counts: csr_matrix, k: int, seed: int, given: Given, options: Options) -> Answer:
        estimator = getattr(importlib.import_module("comraf"), options.estimator)
        told: dict[str, Any] = {}
        made_with = chosen(labels_as or BASE, options)
        if labels_as is not None:
            made_with["labels_as"] = labels_as
        if labels_as is not None and given.by_links:
            told = {"must_link": given.must, "cannot_link": given.cannot}
        elif labels_as is not None:
            told = {"labels": given.codes}
        model = estimator(k, n_jobs=options.jobs, random_state=seed, **made_with)
        model.fit(counts, **told)
        clusters = np.asarray(model.labels_, dtype=np.int64)
        if "labels" not in told:
            return Answer(clusters)
        named = [-1 if name is None else int(name) for name in model.cluster_classes_]
        return Answer(clusters, np.asarray(named, dtype=np.int64)[clusters])

    return fit


def _features(counts: csr_matrix) -> csr_matrix:
    """log-tf-idf, rows of length one."""
    from sklearn.feature_extraction.text import TfidfTransformer

    return csr_matrix(TfidfTransformer(sublinear_tf=True).fit_transform(counts.astype(np.float64)))


def _lsa(counts: csr_matrix, seed: int) -> npt.NDArray[np.float64]:
    """The same in a hundred dimensions."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    table = _features(counts)
    size = max(1, min(LSA_DIMENSIONS, min(table.shape) - 1))
    found: npt.NDArray[np.float64] = normalize(
        TruncatedSVD(size, random_state=seed).fit_transform(table)
    )
    return found


def _classifier(make: Callable[[int], Any]) -> _Fit:
    def fit(counts: csr_matrix, k: int, seed: int, given: Given, options: Options) -> Answer:
        table, told = _features(counts), given.codes >= 0
        model = make(seed).fit(table[told], given.codes[told])
        return _both(model.predict(table))

    return fit


def _svm(seed: int) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(C=SVM_C, random_state=seed)


def _naive_bayes(seed: int) -> Any:
    from sklearn.naive_bayes import MultinomialNB

    # On the mailboxes, with many small folders, the largest swallow the others under a prior.
    return MultinomialNB(alpha=BAYES_ALPHA, fit_prior=False)


def _logistic(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=LOGISTIC_C, max_iter=1000, random_state=seed)


def _label_spreading(
    counts: csr_matrix, k: int, seed: int, given: Given, options: Options
) -> Answer:
    from sklearn.semi_supervised import LabelSpreading

    points = _lsa(counts, seed)
    model = LabelSpreading(
        kernel="knn",
        n_neighbors=min(NEIGHBOURS, len(points) - 1),
        alpha=SPREADING_ALPHA,
        max_iter=200,
    )
    return _both(model.fit(points, given.codes).transduction_)


def _kmeans_lsa(counts: csr_matrix, k: int, seed: int, given: Given, options: Options) -> Answer:
    return _both(constrained_kmeans(_lsa(counts, seed), k, seed, given.codes))


def _kmeans_cosine(counts: csr_matrix, k: int, seed: int, given: Given, options: Options) -> Answer:
    return _both(constrained_kmeans(_features(counts), k, seed, given.codes))


def constrained_kmeans(points: Any, k: int, seed: int, codes: Codes) -> Codes:
    """Spherical ConstrainedKMeans (Basu): labelled items start the clusters and stay in them.

    Parameters
    ----------
    points : array or sparse, (n, d)
        Rows of length one.
    k : int
        Clusters; those beyond the classes told start at random items.
    seed : int
        Of these items.
    codes : array of int, (n,)
        Class of each item, -1 if untold.

    Returns
    -------
    array of int
        The class of each item; clusters without a class are numbered after the classes.

    Examples
    --------
    >>> points = np.array([[1.0, 0], [0.96, 0.28], [0, 1], [0.6, 0.8], [0.9, 0.436]])
    >>> constrained_kmeans(points, 2, 0, np.array([4, -1, 7, -1, 7])).tolist()
    [4, 4, 7, 7, 7]
    """
    from comraf.kmeans import ConstrainedKMeans

    model = ConstrainedKMeans(k, metric="cosine", max_iter=KMEANS_STEPS, random_state=seed)
    labels = model.fit(points, labels=[None if code < 0 else int(code) for code in codes]).labels_
    fresh = iter(range(int(codes.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1 + k))
    names = [next(fresh) if known is None else known for known in model.classes_]
    found: Codes = np.array(names, dtype=np.int64)[labels]
    return found


def _both(classes: Any) -> Answer:
    found = np.asarray(classes, dtype=np.int64)
    return Answer(found, found)


_LOG_TFIDF = {"features": "log-tf-idf, unit rows"}
_LSA = {"features": f"log-tf-idf, {LSA_DIMENSIONS}-dim LSA, unit rows"}

METHODS: dict[str, Method] = {
    "intrinsic": Method("comraf, intrinsic", _ours("intrinsic"), ours=True),
    "constrained": Method("comraf, constrained", _ours("constrained"), ours=True, links=True),
    "seeds": Method("comraf, seeds", _ours("seeds"), ours=True),
    BASE: Method("comraf, unsupervised", _ours(None), ours=True, links=True),
    "svm": Method("linear SVM", _classifier(_svm), settings={"C": SVM_C, **_LOG_TFIDF}),
    "naive-bayes": Method(
        "multinomial naive Bayes",
        _classifier(_naive_bayes),
        settings={"alpha": BAYES_ALPHA, "fit_prior": False, **_LOG_TFIDF},
    ),
    "logistic": Method(
        "logistic regression",
        _classifier(_logistic),
        settings={"C": LOGISTIC_C, **_LOG_TFIDF},
    ),
    "label-spreading": Method(
        "label spreading on LSA",
        _label_spreading,
        settings={"n_neighbors": NEIGHBOURS, "alpha": SPREADING_ALPHA, **_LSA},
    ),
    "constrained-kmeans": Method(
        "spherical ConstrainedKMeans on LSA",
        _kmeans_lsa,
        settings={"steps": KMEANS_STEPS, **_LSA},
    ),
    "constrained-kmeans-cosine": Method(
        "spherical ConstrainedKMeans on log-tf-idf",
        _kmeans_cosine,
        settings={"steps": KMEANS_STEPS, **_LOG_TFIDF},
    ),
}
