"""The graph of images and their regions (thesis, figure 7.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.model import Edge, Graph, Node
from comraf.graph.scaling import BESIDE_COUNTS, mutual_information
from comraf.parameters import check_int
from comraf.weightings import parts_of

__all__ = ["BESIDE_COUNTS", "BLOBS_AN_IMAGE", "PHOTO_EDGES", "PHOTO_WEIGHTS", "photo_graph"]

#: What the sides of photos weigh beside each other. Blobs tell colours, too, and where; colours
#: of all pixels at the same weight would say it again, louder; so would neighbours, which photos
#: have by all of this at once (benchmarks.images).
PHOTO_WEIGHTS = {"colours": 0.3, "texture": 1.0, "blobs": 1.0, "neighbours": 0.15}

#: Blobs there are at most, for each image: more of them would be in next to no two images.
BLOBS_AN_IMAGE = 2

#: Edges by the names that weights go by: which two nodes they join.
PHOTO_EDGES: dict[str, tuple[str, str]] = {
    "images_regions": ("images", "regions"),
    "images_words": ("images", "words"),
    "images_colours": ("images", "colours"),
    "images_texture": ("images", "texture"),
    "regions_colours": ("regions", "colours"),
    "regions_texture": ("regions", "texture"),
}
# Information between regions and images is two orders of magnitude above that between regions
# and colours or texture, each region being in one image (thesis 7.4.2).
_THESIS = {"regions_colours": 100.0, "regions_texture": 100.0}
_RULES = ("balanced", "thesis", "equal")
# How far what regions look like must outweigh which images they are in. With less than about
# three, regions just follow the images, whatever clusters these happen to be in: that, too,
# makes the information between the two as large as it can be.
_LOOKS = 10.0


def photo_graph(
    images_regions: Any,
    *,
    n_clusters: int,
    n_blobs: int = 2000,
    images_words: Any = None,
    images_colours: Any = None,
    images_texture: Any = None,
    regions_colours: Any = None,
    regions_texture: Any = None,
    weights: Mapping[str, float] | str = "balanced",
    weighting: str = "root_rows",
    name: str = "images",
) -> Graph:
    """Images and their regions, both hidden, with words, colours and texture observed.

    `comraf.Comraf` clusters images and regions at once; `comraf.StarSeries`
    makes blobs of the regions first, then groups of the images.

    Parameters
    ----------
    images_regions : array of int, or table
        The image that each region is in; or images x regions.
    n_clusters : int
        Clusters of images, which merge.
    n_blobs : int
        Clusters of regions, which split; at most two for each image: more of them would be in
        next to no two images.
    images_words, images_colours, images_texture, regions_colours, regions_texture : tables
        Any of these may be left out, but regions need one of theirs: a region is in a single
        image, which by itself tells no two regions of different images apart. Colours of
        images and of regions may be of different palettes; they are then two nodes. Tables of
        as many columns are taken to have the same ones.
    weights : {"balanced", "thesis", "equal"} or mapping of str to float
        Weights of the edges by the names above, 1 for those not named. ``thesis`` has 100 for
        colours and texture of regions. ``balanced`` has for these what makes their information
        ten times the most that regions could tell of clusters of images, whatever the palette;
        images weigh their colours, texture and words beside their regions as ``comraf
        organize`` does beside blobs. Captions that tell little are loud then: name weights.
    weighting : one of `comraf.graph.WEIGHTINGS`
        How counts enter, but for regions in images.
    name : str
        What the node of images is called.

    Examples
    --------
    >>> graph = photo_graph(
    ...     [0, 0, 1, 1],
    ...     n_clusters=2,
    ...     n_blobs=2,
    ...     images_colours=[[5, 1], [0, 6]],
    ...     regions_colours=[[3, 0], [2, 1], [0, 3], [0, 3]],
    ...     weights="thesis",
    ... )
    >>> graph
    Graph(images[2], regions[4], colours[2] observed; images-regions, images-colours, \
regions-colours)
    >>> [edge.weight for edge in graph.edges]
    [1.0, 1.0, 100.0]
    """
    check_int("n_clusters", n_clusters)
    check_int("n_blobs", n_blobs)
    parts_of(weighting)
    tables = {
        "images_regions": _within(images_regions),
        "images_words": images_words,
        "images_colours": images_colours,
        "images_texture": images_texture,
        "regions_colours": regions_colours,
        "regions_texture": regions_texture,
    }
    tables = {name: table for name, table in tables.items() if table is not None}
    if not {"regions_colours", "regions_texture"} & set(tables):
        raise InputError(
            "nothing is known of the regions but the image each is in, which tells no two of "
            "different images apart; give regions_colours or regions_texture"
        )
    factors = _weights(tables, weights, weighting, n_clusters)
    n_images, n_regions = tables["images_regions"].shape
    most = min(n_blobs, BLOBS_AN_IMAGE * n_images, n_regions)
    nodes = {
        "images": Node(name, n_clusters=n_clusters),
        "regions": Node("regions", n_clusters=most, direction="top-down"),
    }
    edges = []
    for edge, table in tables.items():
        a, b = PHOTO_EDGES[edge]
        if edge.startswith("regions_") and _differ(tables.get(f"images_{b}"), table):
            b = f"region {b}"
        nodes.setdefault(b, Node(b, observed="singletons"))
        how = "raw" if edge == "images_regions" else weighting
        edges.append(Edge(nodes[a].name, b, table, weight=factors[edge], weighting=how))
    return Graph(list(nodes.values()), edges)


def _within(images_regions: Any) -> sp.csr_array:
    """Images x regions, from a table or from the image of each region."""
    if sp.issparse(images_regions):
        return sp.csr_array(images_regions)
    array = np.asarray(images_regions)
    if array.ndim == 2:
        return sp.csr_array(array)
    if array.ndim != 1 or array.dtype.kind not in "iu" or not len(array) or array.min() < 0:
        raise InputError(
            f"images_regions has shape {array.shape} and holds {array.dtype}; give the number "
            "(0 or more) of the image that each region is in, or a table of images x regions"
        )
    n = len(array)
    shape = (int(array.max()) + 1, n)
    return sp.csr_array((np.ones(n, np.int64), (array, np.arange(n))), shape=shape)


def _differ(one: Any, other: Any) -> bool:
    """Whether two tables have different numbers of columns, and so different columns."""
    return one is not None and np.shape(one)[1] != np.shape(other)[1]


def _weights(
    tables: Mapping[str, Any], weights: Mapping[str, float] | str, weighting: str, k: int
) -> dict[str, float]:
    plain = dict.fromkeys(tables, 1.0)
    if not isinstance(weights, str):
        unknown = set(weights) - set(tables)
        if unknown:
            raise InputError(
                "weights name {name!r}, which is not there; the tables are {allowed}",
                name=sorted(unknown)[0],
                allowed=list(tables),
            )
        return plain | dict(weights)
    if weights not in _RULES:
        raise InputError(
            "{given} are unknown; choose one of {allowed}, or give weights by the names of tables",
            "weights",
            weights,
            allowed=_RULES,
        )
    if weights == "equal":
        return plain
    if weights == "thesis":
        return plain | {name: w for name, w in _THESIS.items() if name in tables}
    return plain | _balanced(tables, weighting, k)


def _balanced(tables: Mapping[str, Any], weighting: str, k: int) -> dict[str, float]:
    """Weights by which regions are clustered by their looks, images by all they have."""
    # ``log(k)`` is the most that k clusters of images can tell of anything; what regions have to do
    # with their colours is measured.
    # by masses, thousands of pixels would drown the few words of a caption
    out = {f"images_{name}": weight for name, weight in PHOTO_WEIGHTS.items()}
    out["images_words"] = PHOTO_WEIGHTS["blobs"] / BESIDE_COUNTS
    out = {name: weight for name, weight in out.items() if name in tables}
    for name, table in tables.items():
        if name.startswith("regions_"):
            counts = Edge("regions", "columns", table, weighting=weighting).counts
            known = mutual_information(counts)
            out[name] = float(_LOOKS * np.log(max(2, k)) / known) if known > 1e-9 else 1.0
    return out
