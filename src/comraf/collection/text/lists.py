"""Lists of words that are data: files of sections in ``comraf/data``."""

from __future__ import annotations

from importlib.resources import files


def read_lists(name: str) -> dict[str, str]:
    """The sections of a file by their names; lines that begin with ``#`` are remarks.

    Examples
    --------
    >>> read_lists("people.txt")["suffixes"].split()[:3]
    ['bsc', 'cpa', 'dds']
    """
    text = files("comraf").joinpath("data", name).read_text(encoding="utf-8")
    lines = (line for line in text.split("\n") if not line.startswith("#"))
    sections = "\n".join(lines).split("\n[")[1:]
    return {part.partition("]")[0]: part.partition("]")[2].strip() for part in sections}
