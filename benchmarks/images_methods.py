"""How photos are clustered in the benchmark of images: a row of its tables is one of these.

``kmeans colours+blobs`` is k-means on features, ``star colours+blobs`` Comraf* on tables,
``organize words+colours`` what ``comraf organize`` does (words are clustered too), ``two-step``
and ``general`` are the graph of images and regions (thesis, figure 7.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.images_data import PhotoSet, load, tables_of
from comraf import Comraf, ComrafStar, StarSeries
from comraf.errors import InputError
from comraf.estimators.organizer import Organizer
from comraf.images import PHOTO_WEIGHTS, PhotoTables, photo_vectors

__all__ = ["KINDS", "K_BLOBS", "SIDES", "Way", "labels_of"]

#: What is clustered by: tables; k-means also by "regions", the features of all regions, where
#: Comraf has the photos nearest by them.
SIDES = ("words", "colours", "texture", "blobs", "neighbours")
#: Blobs made by k-means, where "blobs" are Comraf's own.
K_BLOBS = "k-blobs"
KINDS = ("kmeans", "star", "organize", "two-step", "general")


@dataclass(frozen=True, slots=True)
class Way:
    """How tables are made and solved; two runs that differ here are two results."""

    colours: int = 256
    space: str = "rgb"
    blobs: int = 2000
    region_blobs: int = 2000  # clusters of regions, of two-step and general
    weighting: str = "root_rows"
    edge_weights: str = "photos"  # what comraf organize has; or a rule
    effort: str = "default"
    direction: str = "bottom-up"
    neighbors: int = 15
    seen: float = 0.4  # weight of each side of the pixels where words weigh 1


def labels_of(
    row: str, path: str, without: str, k: int, seed: int, way: Way, words: Any = None
) -> npt.NDArray[np.int64]:
    """Cluster the photos of a set as a row says.

    Parameters
    ----------
    row : str
        Kind, and for the first three kinds the sides, joined by +.
    path, without : str
        File of the set, and the class that is left out.
    k, seed : int
    way : Way
    words : csr_array, optional
        Photos x words, for sets with captions.
    """
    kind, _, asked = row.partition(" ")
    if kind not in KINDS:
        raise InputError(f"{row!r} is no row; one begins with one of {list(KINDS)}")
    photos = load(path, without)
    sides = asked.split("+")
    made = tables_of(
        path,
        without,
        colours=way.colours,
        space=way.space,
        blobs=way.blobs,
        blobs_by="kmeans" if K_BLOBS in sides else "comraf",
        regions=kind in ("two-step", "general"),
        seed=seed,
    )
    if words is not None:
        made = made | {"words": words}
    if kind in ("two-step", "general"):
        return _graph(kind, made, k, seed, way)
    tables = dict(made.tables)
    sides = ["blobs" if side == K_BLOBS else side for side in sides]
    if kind == "kmeans":
        return _kmeans([_dense(side, photos, tables) for side in sides], k, seed)
    if "neighbours" in sides:
        tables["neighbours"] = photo_vectors(photos.photos, way.neighbors).table()
    missing = [side for side in sides if side not in tables]
    if missing:
        raise InputError(f"there is no side {missing[0]!r} here; the sides are {list(tables)}")
    chosen = {side: tables[side] for side in sides}
    settings: dict[str, Any] = {
        "weighting": way.weighting,
        "edge_weights": _weights(sides, way),
        "effort": way.effort,
        "random_state": seed,
    }
    if kind == "star":
        model = ComrafStar(k, direction=way.direction, **settings).fit(chosen)
        return np.asarray(model.labels_)
    facts = {
        side: SimpleNamespace(
            facts={"observed": True, "weight": PHOTO_WEIGHTS[side]} if side != "words" else {}
        )
        for side in chosen
    }
    settings["edge_weights"] = "root_mass" if way.edge_weights == "photos" else way.edge_weights
    fitted = Organizer(k, by=list(chosen), **settings).fit(
        SimpleNamespace(tables=chosen, sides=facts)
    )
    return np.asarray(fitted.labels_)


def _weights(sides: Sequence[str], way: Way) -> dict[str, float] | str:
    """What sides weigh: a few words of a caption say more than thousands of pixels.

    Rules by masses are no use here, because pixels are not seen independently of each other.
    """
    if way.edge_weights != "photos" or len(sides) == 1:
        return "equal" if len(sides) == 1 else way.edge_weights
    beside = way.seen if "words" in sides else 1.0
    return {side: 1.0 if side == "words" else beside * PHOTO_WEIGHTS[side] for side in sides}


def _graph(kind: str, made: PhotoTables, k: int, seed: int, way: Way) -> npt.NDArray[np.int64]:
    graph = made.graph(k, n_blobs=way.region_blobs, weighting=way.weighting)
    if kind == "two-step":
        series = StarSeries(graph, "images", effort=way.effort, random_state=seed).fit()
        return np.asarray(series.labels_["images"])
    # one run: a general graph of all regions takes as long as all else together
    return np.asarray(Comraf(graph, effort="quick", random_state=seed).fit().labels_["images"])


def _dense(side: str, photos: PhotoSet, tables: Any) -> npt.NDArray[np.float64]:
    """Features of a side as k-means wants them, standardised."""
    if side == "regions":
        return _standardised(photos.features().reshape(len(photos.photos), -1))
    if side not in tables:
        raise InputError(f"there is no side {side!r} here; the sides are {[*tables, 'regions']}")
    counts = np.asarray(tables[side].toarray(), dtype=np.float64)
    if side != "texture":  # energies mean something by themselves, counts by their shares
        # roots of shares: distances of histograms as they should be (Hellinger's)
        counts = np.sqrt(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0))
        return np.asarray(counts / max(float(np.sqrt(counts.var(axis=0).sum())), 1e-12))
    return _standardised(counts)


def _standardised(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    deviation = points.std(axis=0)
    changes = deviation > 1e-12
    return np.asarray((points[:, changes] - points[:, changes].mean(axis=0)) / deviation[changes])


def _kmeans(blocks: list[npt.NDArray[np.float64]], k: int, seed: int) -> npt.NDArray[np.int64]:
    from sklearn.cluster import KMeans

    # each side varies as much as the others: no side drowns another by its number of columns
    even = [block / np.sqrt(block.var(axis=0).sum()) for block in blocks]
    model = KMeans(k, n_init=10, random_state=seed).fit(np.hstack(even))
    return np.asarray(model.labels_)
