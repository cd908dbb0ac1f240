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
    "Codebook": "comraf.images.blobs",
    "FeatureCache": "comraf.images.cache",
    "Looks": "comraf.images.looks",
    "Palette": "comraf.images.colours",
    "Photo": "comraf.images.decode",
    "PhotoFeatures": "comraf.images.features",
    "PhotoTables": "comraf.images.tables",
    "RegionClusters": "comraf.images.region_clusters",
    "blob_table": "comraf.images.tables",
    "open_photo": "comraf.images.decode",
    "photo_features": "comraf.images.features",
    "photo_format": "comraf.images.kinds",
    "photo_tables": "comraf.images.tables",
    "photo_vectors": "comraf.images.looks",
}

if TYPE_CHECKING:
    from comraf.images.blobs import Codebook
    from comraf.images.cache import FeatureCache
    from comraf.images.colours import Palette
    from comraf.images.decode import Photo, open_photo
    from comraf.images.features import PhotoFeatures, photo_features
    from comraf.images.kinds import photo_format
    from comraf.images.looks import Looks, photo_vectors
    from comraf.images.region_clusters import RegionClusters
    from comraf.images.tables import PHOTO_WEIGHTS, PhotoTables, blob_table, photo_tables


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'comraf.images' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
