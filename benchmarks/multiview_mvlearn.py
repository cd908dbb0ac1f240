"""mvlearn's own multi-view k-means, repaired, where the package is there.

mvlearn 0.5 pins libraries of 2020, so that ``pip install --no-deps mvlearn`` is the way to have
it, and importing all of it fails: only the module of k-means is loaded here. Two faults are
mended: first centres are chosen by distances along the wrong axis (k-means++ of scikit-learn
stands in), and of several starts the one with the largest loss is kept. It takes exactly two
views, so every pair of views is a row of its own.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
import types
import warnings
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["PREFIX", "available", "mvlearn_kmeans", "pairs"]

PREFIX = "mvlearn KMeans (mended): "
_STARTS = 10


@functools.cache
def available() -> bool:
    """Whether mvlearn is installed."""
    return importlib.util.find_spec("mvlearn") is not None


def pairs(views: Sequence[str]) -> list[str]:
    """Rows of the table: all pairs of views.

    Examples
    --------
    >>> pairs(["words", "people"])
    ['mvlearn KMeans (mended): words & people']
    """
    return [f"{PREFIX}{a} & {b}" for a, b in combinations(views, 2)]


@functools.cache
def _original() -> Any:
    """The class of mvlearn, without the parts of the package that no longer import."""
    spec = importlib.util.find_spec("mvlearn")
    if spec is None or spec.origin is None:
        raise ImportError("mvlearn is not installed; pip install --no-deps mvlearn")
    root = Path(spec.origin).parent
    for name in ("mvlearn", "mvlearn.cluster", "mvlearn.utils"):
        if name not in sys.modules:
            package = types.ModuleType(name)
            package.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
            sys.modules[name] = package
    return importlib.import_module("mvlearn.cluster.mv_kmeans").MultiviewKMeans


def mvlearn_kmeans(two_views: Sequence[Any], k: int, seed: int) -> Any:
    """Labels by mvlearn's k-means of two views, with its faults mended."""
    from sklearn.cluster import kmeans_plusplus

    original = _original()
    draws = np.random.RandomState(seed)

    class Mended(original):  # type: ignore[misc, valid-type]
        """The same, without its two faults."""

        def _init_centroids(self, Xs: Any) -> list[Any]:
            _, chosen = kmeans_plusplus(Xs[1], self.n_clusters, random_state=draws)
            return [view[chosen] for view in Xs]

        def _one_init(self, Xs: Any) -> tuple[float, Any]:
            loss, centres = super()._one_init(Xs)
            return -loss, centres  # the largest is kept

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Mended(n_clusters=k, random_state=seed, n_init=_STARTS)
        return np.asarray(model.fit_predict([np.asarray(view) for view in two_views]))
