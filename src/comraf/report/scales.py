"""From numbers to colours, ticks and words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date

__all__ = [
    "STEPS",
    "binned",
    "count_of",
    "day",
    "dot_size",
    "lightness",
    "listing",
    "percent",
    "plural",
    "ticks",
]

#: Steps of the colour scale on either side of "as expected".
STEPS = 4


def binned(value: float, step: float = 1.0) -> int:
    """A signed step of the colour scale, 0 being nothing special.

    Examples
    --------
    >>> [binned(v) for v in (-9.0, -0.2, 0.6, 2.4)]
    [-4, 0, 1, 2]
    """
    if not math.isfinite(value):
        return 0
    return max(-STEPS, min(STEPS, round(value / step)))


def lightness(share: float) -> int:
    """A step from 0 (none) to 8 (all) of the one-sided scale; anything at all is at least 1.

    Examples
    --------
    >>> [lightness(v) for v in (0.0, 0.001, 0.25, 1.0)]
    [0, 1, 4, 8]
    """
    if not share > 0:
        return 0
    # The square root lets small shares be seen beside large ones.
    return max(1, min(8, round(8 * math.sqrt(min(1.0, share)))))


def dot_size(copies: int) -> float:
    """How many times as wide the dot of several copies is as that of one.

    Examples
    --------
    >>> dot_size(1), dot_size(8), dot_size(1024)
    (1.0, 1.75, 3.5)
    """
    return 1.0 + 0.25 * math.log2(max(1, copies))


def percent(share: float) -> str:
    """A share in words.

    Examples
    --------
    >>> percent(0.314), percent(0.042), percent(0.0004), percent(0.0)
    ('31%', '4.2%', '<0.1%', '0%')
    """
    if share <= 0:
        return "0%"
    if share < 0.001:
        return "<0.1%"
    return f"{share:.1%}" if share < 0.0995 else f"{share:.0%}"


def count_of(number: int, what: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> count_of(1, "message"), count_of(1200, "message")
    ('1 message', '1,200 messages')
    """
    return f"{number:,} {what if number == 1 else plural(what)}"


def listing(texts: Sequence[str]) -> str:
    """Several names in a sentence.

    Examples
    --------
    >>> listing(["sea"]), listing(["sea", "ship", "leaf"])
    ('sea', 'sea, ship and leaf')
    """
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def plural(what: str) -> str:
    """More than one of it.

    Examples
    --------
    >>> plural("message"), plural("entry"), plural("day")
    ('messages', 'entries', 'days')
    """
    if what.endswith("y") and what[-2:-1] not in tuple("aeiou"):
        return what[:-1] + "ies"
    return what + "s"


def day(when: date | None, *, year: bool = True) -> str:
    """A day as people write it.

    Examples
    --------
    >>> day(date(2026, 3, 9)), day(date(2026, 3, 9), year=False)
    ('9 Mar 2026', '9 Mar')
    """
    if when is None:
        return ""
    # Not strftime: names of months would follow the locale, and the page is in English.
    month = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[when.month - 1]
    return f"{when.day} {month} {when.year}" if year else f"{when.day} {month}"


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers between two values.

    Examples
    --------
    >>> ticks(0.0, 3.1)
    [0.0, 1.0, 2.0, 3.0]
    """
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    rough = (high - low) / max(1, about)
    if not 1e-300 < rough < 1e300:
        return [low]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]
