"""What can be seen in photos, as tables of counts: colours, texture, regions and blobs.

Decoding needs Pillow (the extra ``images``); everything after that is NumPy and SciPy.
Nothing is loaded until one of the names below is first used.

Examples
--------
>>> from comraf.images import Palette
>>> Palette(8).names[0], len(Palette(8).names)
('#404040', 8)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

_HOMES = {
    "PHOTO_WEIGHTS": "comraf.images.tables",
    "Codebook": "comraf.collection.vision.blobs",
    "FeatureCache": "comraf.collection.vision.cache",
    "Looks": "comraf.images.looks",
    "Palette": "comraf.collection.vision.colours",
    "Photo": "comraf.collection.vision.decode",
    "PhotoFeatures": "comraf.collection.vision.features",
    "PhotoTables": "comraf.images.tables",
    "RegionClusters": "comraf.images.region_clusters",
    "blob_table": "comraf.collection.vision.counting",
    "open_photo": "comraf.collection.vision.decode",
    "photo_features": "comraf.collection.vision.features",
    "photo_format": "comraf.collection.vision.kinds",
    "photo_tables": "comraf.images.tables",
    "photo_vectors": "comraf.images.looks",
}

if TYPE_CHECKING:
    from comraf.collection.vision.blobs import Codebook
    from comraf.collection.vision.cache import FeatureCache
    from comraf.collection.vision.colours import Palette
    from comraf.collection.vision.decode import Photo, open_photo
    from comraf.collection.vision.features import PhotoFeatures, photo_features
    from comraf.collection.vision.kinds import photo_format
    from comraf.images.looks import Looks, photo_vectors
    from comraf.images.region_clusters import RegionClusters
    from comraf.images.tables import PHOTO_WEIGHTS, PhotoTables, blob_table, photo_tables


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'comraf.images' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
