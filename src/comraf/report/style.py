"""The page's style: a sheet for the layout, and colours made here."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from comraf.report.marks import HUES, mark_rules
from comraf.report.scales import STEPS

__all__ = ["mixed", "sheet", "stylesheet"]

# Over and under the expected, from faint to strong: blue and sand, apart for every kind of
# colour vision and, by lightness, in grey. Absence is common, so sand stays quiet.
_OVER = ("#dde8f5", "#a8c7e6", "#5b93cb", "#1a55a0"), ("#212f45", "#2c4d7a", "#427fc2", "#93c3f7")
_UNDER = ("#faf4ea", "#f7ecdb", "#f3e3c9", "#eed8b4"), ("#24221f", "#2d2822", "#382f24", "#453825")
# From nothing to all.
_NONE, _ALL = ("#f1eee6", "#20242b"), ("#123f7a", "#b5d7ff")


def mixed(start: str, end: str, share: float) -> str:
    """A colour between two others.

    Examples
    --------
    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    channels = (
        round(int(start[i : i + 2], 16) * (1 - share) + int(end[i : i + 2], 16) * share)
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)


@cache
def sheet(name: str) -> str:
    """The rules of a sheet beside this file."""
    return files("comraf.report").joinpath(name).read_text(encoding="utf-8")


@cache
def stylesheet() -> str:
    """All rules but those of single groups.

    Examples
    --------
    >>> "prefers-color-scheme: dark" in stylesheet()
    True
    """
    light, dark = _colours(0), _colours(1)
    return (
        f"{sheet('style.css')}:root{{{light}}}\n"
        f"@media screen and (prefers-color-scheme: dark){{:root{{{dark}}}}}\n"
        + "".join(f".c{i}{{--c:var(--c{i})}}" for i in range(len(HUES)))
        + ".cn{--c:var(--soft)}"
        + "".join(f".o{i}{{fill:var(--o{i})}}" for i in range(1, STEPS + 1))
        + "".join(f".u{i}{{fill:var(--u{i})}}" for i in range(1, STEPS + 1))
        + "".join(f".s{i}{{fill:var(--s{i})}}" for i in range(9))
        + ".z{fill:var(--z)}\n"
        + mark_rules()
    )


def _colours(theme: int) -> str:
    named = {f"c{i}": pair[theme] for i, pair in enumerate(HUES)}
    named["z"] = ("#f4f4f1", "#1f2227")[theme]
    for i in range(STEPS):
        named[f"o{i + 1}"] = _OVER[theme][i]
        named[f"u{i + 1}"] = _UNDER[theme][i]
    for i in range(9):
        named[f"s{i}"] = mixed(_NONE[theme], _ALL[theme], i / 8)
    return ";".join(f"--{name}:{colour}" for name, colour in named.items())
