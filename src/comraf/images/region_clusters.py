"""Blobs that Comraf itself makes of regions, by their colours and texture (thesis, 7.4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.vision.blobs import Codebook, mean_and_scale
from comraf.collection.vision.counting import (
    COUNT_WIDTHS,
    REGION_COLOURS,
    Photos,
    region_rows,
)
from comraf.collection.vision.features import PhotoFeatures
from comraf.collection.vision.regions import N_FILTERS, N_REGIONS
from comraf.errors import InputError

if TYPE_CHECKING:
    from comraf.results.placement import SideCounts

__all__ = ["RegionClusters"]

_MOST_REGIONS = 10_000  # that Comraf clusters itself; more are slower and no better
_WEIGHTING = "root_rows"


class RegionClusters(Codebook):
    """Blobs found by Comraf*: clusters of regions that keep what these tell of their looks.

    A codebook as k-means makes one, but regions go where the objective gains most, by their
    colours (64) and their texture. Clusters split top-down, as in the thesis.

    Parameters
    ----------
    centers, mean, scale
        As in `Codebook`: what the regions of each cluster look like on the average.
    counts : mapping of str to array of int, clusters x values
        Of "colours" and "texture", whichever had any: what the regions of each cluster have.
    weights, units : mapping of str to float
        What each of these weighs, and the fixed-point units of its counts.

    Examples
    --------
    >>> rows = np.zeros((8, 76), np.int64)
    >>> rows[:4, 3], rows[4:, 9] = 50, 50
    >>> blobs = RegionClusters.learn_from(rows, np.repeat([[0.0], [1.0]], 4, axis=0), 2)
    >>> found = blobs.assign(rows)
    >>> len(blobs), len(set(found[:4].tolist())), len(set(found.tolist()))
    (2, 1, 2)
    """

    def __init__(
        self,
        centers: NDArray[Any],
        mean: NDArray[Any],
        scale: NDArray[Any],
        counts: Mapping[str, NDArray[Any]],
        weights: Mapping[str, float],
        units: Mapping[str, float],
    ) -> None:
        self.counts = {name: np.asarray(part, dtype=np.int64) for name, part in counts.items()}
        self.weights = {name: float(weights[name]) for name in self.counts}
        self.units = {name: float(units[name]) for name in self.counts}
        for name, part in self.counts.items():
            wanted = (len(centers), COUNT_WIDTHS.get(name, 0))
            if part.shape != wanted or (part < 0).any():
                raise InputError(f"the counts of {name!r} are {part.shape}, expected {wanted}")
        factors = [*self.weights.values(), *self.units.values()]
        if not self.counts or not np.isfinite(factors).all() or min(factors) <= 0:
            raise InputError("clusters of regions have counts, with weights and units above 0")
        super().__init__(centers, mean, scale)

    def _parts(self) -> list[bytes]:
        return [*super()._parts(), *(part.tobytes() for part in self.counts.values())]

    @classmethod
    def learn_from(
        cls, rows: NDArray[Any], features: NDArray[Any], n_blobs: int, *, seed: int = 0
    ) -> RegionClusters:
        """Cluster regions.

        Parameters
        ----------
        rows : array of int, regions x (64 + 12)
            As `region_rows` gives them.
        features : array, regions x features
            What centres are averages of.
        n_blobs : int
            At most: no more than there are regions.
        seed : int, default 0
        """
        from comraf.graph import Edge, Graph, Node, edge_weights
        from comraf.inference import Control, Problem, options_for, run_mdc
        from comraf.results.placement import counts_by_side

        tables = {name: part for name, part in _split(rows).items() if part.nnz}
        if not tables or n_blobs < 1:
            raise InputError(f"n_blobs={n_blobs} and {len(rows)} regions: nothing to cluster")
        weights = edge_weights(tables, "information", _WEIGHTING)
        graph = Graph(
            [
                Node("regions", n_clusters=min(n_blobs, len(rows)), direction="top-down"),
                *(Node(name, observed="singletons") for name in tables),
            ],
            [
                Edge("regions", name, part, weight=weights[name], weighting=_WEIGHTING)
                for name, part in tables.items()
            ],
        )
        problem = Problem(graph)
        seeds = np.random.SeedSequence(seed)
        outcome = run_mdc(problem, options_for("paper"), seeds, 1, Control())
        if outcome.interrupted:  # half-made blobs are no use to whoever asked for a collection
            raise KeyboardInterrupt
        labels = problem.expand(outcome.state)
        sizes = dict(zip(problem.names, outcome.state.n_clusters, strict=True))
        sides, _ = counts_by_side(graph, labels, sizes, "regions")
        return cls(
            *_averages(features, labels["regions"], sizes["regions"]),
            {name: side.joint.T for name, side in sides.items()},
            {name: side.weight for name, side in sides.items()},
            {name: side.units for name, side in sides.items()},
        )

    @classmethod
    def of_photos(
        cls, photos: Photos | Sequence[PhotoFeatures], n_blobs: int, seed: int
    ) -> RegionClusters:
        """Cluster some regions, drawn from all photos alike."""
        n = N_REGIONS * len(photos)
        taken = np.ones(n, dtype=bool)
        if n > _MOST_REGIONS:
            taken[:] = False
            # as many of them as there are blobs at the least, however many these are
            most = min(n, max(_MOST_REGIONS, 2 * n_blobs))
            taken[np.random.default_rng(seed).choice(n, most, replace=False)] = True
        rows, features = [], []
        for one, take in zip(photos, taken.reshape(-1, N_REGIONS), strict=True):
            if take.any():
                rows.append(region_rows(one)[take])
                features.append(one.features[take])
        return cls.learn_from(np.concatenate(rows), np.concatenate(features), n_blobs, seed=seed)

    def rows_of(self, photo: PhotoFeatures) -> NDArray[Any]:
        """Pixels over 64 colours, and texture, of each region."""
        return region_rows(photo)

    def assign(self, features: NDArray[Any]) -> NDArray[np.int64]:
        """Return the blob of each region: where the objective would gain most by it."""
        from comraf.results.scorer import Scorer

        placed = Scorer(self._sides()).place(_split(features))
        return placed.labels.astype(np.int64)

    def _sides(self) -> dict[str, SideCounts]:
        from comraf.results.placement import SideCounts

        return {
            name: SideCounts(
                np.arange(part.shape[1], dtype=np.int32),
                np.ascontiguousarray(part.T),
                self.weights[name],
                _WEIGHTING,
                self.units[name],
            )
            for name, part in self.counts.items()
        }


def _split(rows: NDArray[Any]) -> dict[str, sp.csr_array]:
    """Tables of colours and texture, which stand beside each other in the rows."""
    given = np.asarray(rows)
    if given.ndim != 2 or given.shape[1] != sum(COUNT_WIDTHS.values()):
        raise InputError(
            f"regions come as rows of {REGION_COLOURS} colours and {N_FILTERS} energies, not "
            f"{given.shape}"
        )
    return {
        "colours": sp.csr_array(given[:, :REGION_COLOURS]),
        "texture": sp.csr_array(given[:, REGION_COLOURS:]),
    }


def _averages(
    features: NDArray[Any], labels: NDArray[Any], k: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Centres of clusters in features as a codebook has them, with their mean and scale."""
    raw = np.asarray(features, dtype=np.float64)
    mean, scale = mean_and_scale(raw)
    points = (raw - mean) / scale
    sums = np.stack([np.bincount(labels, column, k) for column in points.T], axis=1)
    counts = np.bincount(labels, minlength=k)
    return sums / np.maximum(counts, 1)[:, None], mean, scale
