"""Parts by name, each loaded from its own file when it is first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

__all__ = ["Registry", "later", "load"]

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


def later(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` (PEP 562) of a package whose names are imported when used.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to str
        The module within the package that has each name, or is meant by it.

    Examples
    --------
    >>> get, names = later("json", {"JSONDecoder": "decoder", "decoder": "decoder"})
    >>> get("JSONDecoder") is get("decoder").JSONDecoder, "JSONDecoder" in names()
    (True, True)
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(f"{package}.{homes[name]}")
        return home if homes[name] == name else getattr(home, name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, names


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
