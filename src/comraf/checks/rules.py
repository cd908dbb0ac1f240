"""How a rule is held: an error that names it and says by how much it was broken."""

from __future__ import annotations

from typing import Any

from comraf.errors import RuleError

__all__ = ["hold"]


def hold(kept: Any, rule: str, found: str) -> None:
    """Raise `comraf.errors.RuleError` unless a rule is kept.

    Examples
    --------
    >>> hold(1 + 1 == 3, "one and one is three", "they are 2")
    Traceback (most recent call last):
    ...
    comraf.errors.RuleError: one and one is three: they are 2
    """
    if not kept:
        raise RuleError("{rule}: {found}", rule=rule, found=found)
