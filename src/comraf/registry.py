"""Parts by name, each loaded from its own file when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

__all__ = ["Registry", "load"]

_T = TypeVar("_T")


def load(place: str) -> Any:
    """A part by its place, ``"package.module:NAME"``.

    Examples
    --------
    >>> load("math:tau") > 6
    True
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class Registry(Mapping[str, _T], Generic[_T]):
    """Parts by name; each is loaded from its file when it is first asked for.

    Parameters
    ----------
    places : dict of str to str
        For each name where its part is defined: ``"package.module:NAME"``.

    Examples
    --------
    >>> Registry({"tau": "math:tau"})["tau"] > 6
    True
    """

    def __init__(self, places: dict[str, str]) -> None:
        self.places = places

    def __getitem__(self, name: str) -> _T:
        found: _T = load(self.places[name])
        return found

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __repr__(self) -> str:
        return f"<{', '.join(self.places)}>"
