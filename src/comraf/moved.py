"""Modules that have moved: their old names still import, with a warning that says the new ones."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import Any

__all__ = ["MOVED", "follow"]

_VISION = "comraf.collection.vision"
#: Where what was in a module is now.
MOVED: dict[str, str] = {
    "comraf.cli.edited": "comraf.workflows.answer",
    "comraf.collection.photos": f"{_VISION}.stored",
    "comraf.images.blobs": f"{_VISION}.blobs",
    "comraf.images.cache": f"{_VISION}.cache",
    "comraf.images.colours": f"{_VISION}.colours",
    "comraf.images.decode": f"{_VISION}.decode",
    "comraf.images.features": f"{_VISION}.features",
    "comraf.images.kinds": f"{_VISION}.kinds",
    "comraf.report.build": "comraf.report.answer",
    "comraf.results.saved": "comraf.results.result",
    "comraf.results.telling": "comraf.results.contributions",
}


class _Follower(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes a module of the old name that has what the new one has."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in MOVED:
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        old, new = module.__name__, MOVED[module.__name__]
        warnings.warn(f"{old} is {new} now; import that", FutureWarning, stacklevel=2)
        there = importlib.import_module(new)

        def found(name: str) -> Any:
            return getattr(there, name)

        module.__dict__["__getattr__"] = found


def follow() -> None:
    """Let the old names be imported; asked only about what is found nowhere else."""
    if not any(isinstance(one, _Follower) for one in sys.meta_path):
        sys.meta_path.append(_Follower())
