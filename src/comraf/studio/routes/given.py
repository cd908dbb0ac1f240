"""What requests give, checked: numbers are whole numbers, lists are lists of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from comraf.errors import InputError

__all__ = ["flag", "number", "numbers", "text", "version"]

_LARGEST = 2**53


def number(given: Mapping[str, Any], name: str, default: int | None = None) -> int:
    """A whole number, 0 or more.

    Examples
    --------
    >>> number({"start": "50"}, "start"), number({}, "start", 0)
    (50, 0)
    """
    value = given.get(name, default)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 16:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST:
        raise InputError(f"{name}: give a whole number")
    return value


def numbers(given: Mapping[str, Any], name: str) -> list[int]:
    """A list of whole numbers."""
    value = given.get(name)
    if not isinstance(value, list):
        raise InputError(f"{name}: give a list of whole numbers")
    return [number({name: one}, name) for one in value]


def text(given: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """A text."""
    value = given.get(name, default)
    if not isinstance(value, str):
        raise InputError(f"{name}: give a text")
    return value


def flag(given: Mapping[str, Any], name: str, default: bool) -> bool:
    """Yes or no."""
    value = given.get(name, default)
    if not isinstance(value, bool):
        raise InputError(f"{name}: give true or false")
    return value


def version(given: Mapping[str, Any]) -> int:
    """The version that the person looked at, which every change must name."""
    return number(given, "at")
