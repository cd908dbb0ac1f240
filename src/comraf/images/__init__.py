"""What can be seen in photos, as tables of counts: colours, texture, regions and blobs.

Decoding needs Pillow (the extra ``images``), which is loaded when a photo is opened; everything
after that is NumPy and SciPy. What is seen in one photo is counted in `comraf.collection.vision`;
here are the steps that need a graph and a search: tables with their weights, neighbours, and blobs
that Comraf makes.

Examples
--------
>>> from comraf.images import Palette
>>> Palette(8).names[0], len(Palette(8).names)
('#404040', 8)
"""

from __future__ import annotations

from comraf.collection.vision.blobs import Codebook
from comraf.collection.vision.cache import FeatureCache
from comraf.collection.vision.colours import Palette
from comraf.collection.vision.decode import Photo, open_photo
from comraf.collection.vision.features import PhotoFeatures, photo_features
from comraf.collection.vision.kinds import photo_format
from comraf.images.looks import Looks, photo_vectors
from comraf.images.region_clusters import RegionClusters
from comraf.images.tables import PHOTO_WEIGHTS, PhotoTables, blob_table, photo_tables

__all__ = [
    "PHOTO_WEIGHTS",
    "Codebook",
    "FeatureCache",
    "Looks",
    "Palette",
    "Photo",
    "PhotoFeatures",
    "PhotoTables",
    "RegionClusters",
    "blob_table",
    "open_photo",
    "photo_features",
    "photo_format",
    "photo_tables",
    "photo_vectors",
]
