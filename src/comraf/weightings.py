"""How counts enter: entries are damped, and rows are scaled after that; one word for both."""

from __future__ import annotations

from typing import Any

from comraf.errors import InputError

__all__ = ["DAMPINGS", "SCALINGS", "SHORT", "WEIGHTINGS", "parts_of"]

#: What becomes of entries: they stay, or the logarithm, the root, or that they are there.
DAMPINGS = ("raw", "log", "root", "presence")
#: What becomes of rows after that: they stay, or have the root of their mass, or all the same.
SCALINGS = ("none", "root", "equal")
#: Short names. A damping alone leaves rows as they are.
SHORT = {
    **{damping: f"{damping}+none" for damping in DAMPINGS},
    "root_rows": "raw+root",
    "equal_rows": "raw+equal",
    "binary": "presence+none",
}
#: All names.
WEIGHTINGS: tuple[str, ...] = (*SHORT, *(f"{d}+{s}" for s in SCALINGS for d in DAMPINGS))


def parts_of(weighting: Any) -> tuple[str, str]:
    """How a weighting damps entries, and how it scales rows after that.

    Examples
    --------
    >>> parts_of("root_rows"), parts_of("log+equal"), parts_of("binary")
    (('raw', 'root'), ('log', 'equal'), ('presence', 'none'))
    """
    if not isinstance(weighting, str) or weighting not in WEIGHTINGS:
        raise InputError(parameter="weighting", given=weighting, allowed=WEIGHTINGS)
    damping, _, scaling = SHORT.get(weighting, weighting).partition("+")
    return damping, scaling
