"""What the user has, as tables of counts: files of many formats become one collection.

Examples
--------
>>> import pathlib, tempfile
>>> from comraf import collection
>>> with tempfile.TemporaryDirectory() as folder:
...     for name, text in (("a", "The old pump leaks."), ("b", "A new pump costs money.")):
...         _ = pathlib.Path(folder, f"{name}.txt").write_text(text)
...     pumps = collection.read(folder)
>>> pumps
<Collection of 2 items (text): 6 words>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from comraf.registry import later

_HOMES = {
    "KINDS": "kinds",
    "SIDES": "sides",
    "Collection": "collection",
    "Kind": "kinds",
    "SideKind": "sides",
    "SideOptions": "options",
    "open_collection": "store",
    "open_reader": "detect",
    "read": "build",
    "read_table": "tables",
    "update": "build",
}

__all__ = [
    "KINDS",
    "SIDES",
    "Collection",
    "Kind",
    "SideKind",
    "SideOptions",
    "open_collection",
    "open_reader",
    "read",
    "read_table",
    "update",
]

if TYPE_CHECKING:
    from comraf.collection.build import read, update
    from comraf.collection.collection import Collection
    from comraf.collection.detect import open_reader
    from comraf.collection.kinds import KINDS, Kind
    from comraf.collection.options import SideOptions
    from comraf.collection.sides import SIDES, SideKind
    from comraf.collection.store import open_collection
    from comraf.collection.tables import read_table
else:
    __getattr__, __dir__ = later(__name__, _HOMES)
