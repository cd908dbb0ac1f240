"""The map of documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.report.affinity import Fitter
from comraf.report.data import DocumentMap, MapPoint
from comraf.report.layout import drawn_towards, pick_rows, spread, stacked
from comraf.report.scales import dot_size

__all__ = ["make_map"]

_WIDTH = 1000.0
_LONGEST = 90  # characters of a title beside a dot


def make_map(
    fitter: Fitter,
    labels: npt.NDArray[np.integer],
    titles: Sequence[str] | None,
    most: int,
    words: sp.csr_array | None = None,
) -> DocumentMap | None:
    """Documents in the plane; None where there is one group only, or hardly a document.

    Parameters
    ----------
    fitter : Fitter
        Knows how well documents fit groups.
    labels : array of int
    titles : sequence of str or None
        What a dot says when pointed at.
    most : int
        At most about so many dots.
    words : sparse array, optional
        Documents by words. Of documents with nearly the same words one has a dot, which is
        larger: a thousand copies of a form letter must not take the room of all others.

    Examples
    --------
    >>> from comraf.report.counting import View, group_counts
    >>> table, labels = sp.csr_array([[4, 0], [3, 1], [0, 5]]), np.array([0, 0, 1])
    >>> view = View("words", table, group_counts(table, labels, 2), None, 0)
    >>> chart = make_map(Fitter([view], 2), labels, ["a", "b", "c"], 100)
    >>> [point.title for point in chart.points], len(chart.labels)
    (['a', 'b', 'c'], 2)
    """
    n_groups = fitter.n_groups
    if n_groups < 2 or len(labels) < 3 or most < 1:
        return None
    rows = pick_rows(labels, n_groups, most)
    copies = np.ones(len(rows), dtype=np.int64)
    if words is not None:
        first = stacked(words[rows], labels[rows])
        copies = np.bincount(first, minlength=len(rows))[np.unique(first)]
        rows = rows[np.unique(first)]
    here = labels[rows]
    _, places = drawn_towards(fitter.scores(rows), here, n_groups)
    extent = np.ptp(places, axis=0)
    if not extent.max() > 0:
        return None
    if extent[1] > extent[0]:
        places = places[:, ::-1]
    # Few dots can be large, many have to be small; the plot follows the same rule.
    gap = min(14.0, 0.36 * np.sqrt(0.6 * _WIDTH**2 / len(rows)))
    sizes = np.array([dot_size(n) for n in copies.tolist()])
    places = spread(places * (_WIDTH / extent.max()), gap, sizes)
    low, extent = places.min(axis=0), np.ptp(places, axis=0)
    width = float(extent[0])
    aspect = float(np.clip(extent[1] / width, 0.45, 0.64))
    height = aspect * width
    # Stretched to the paper where it is nearly a line; distances are a manner of speaking here.
    x = (places[:, 0] - low[0]) / width
    y = (places[:, 1] - low[1]) / max(float(extent[1]), 1e-9)
    if extent[1] < 0.1 * height:
        y = 0.5 + (places[:, 1] - places[:, 1].mean()) / height
    points = []
    for row, group, px, py, n in zip(
        rows.tolist(), here.tolist(), x.tolist(), y.tolist(), copies.tolist(), strict=True
    ):
        title = "" if titles is None else str(titles[row] or "")[:_LONGEST]
        points.append(MapPoint(round(px, 4), round(py, 4), group, title, n))
    labelled = []
    for c in range(n_groups):
        inside = here == c
        if inside.any():
            middle = float(np.median(x[inside])), float(np.median(y[inside]))
            labelled.append(MapPoint(round(middle[0], 4), round(middle[1], 4), c))
    return DocumentMap(tuple(points), tuple(labelled), len(labels), round(aspect, 3))
