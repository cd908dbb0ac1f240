"""What was repaired in single items, told as a few lines about all of them."""

from __future__ import annotations

import re

__all__ = ["Remarks"]

_MOST = 20
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d[\d,.]*")


class Remarks:
    """Counts remarks; those that differ only in their numbers are one.

    Examples
    --------
    >>> remarks = Remarks()
    >>> for line in (3, 7):
    ...     remarks.add(f"line {line} is not UTF-8")
    >>> remarks.told()
    ['2 items: line 3 is not UTF-8']
    """

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[int, str]] = {}

    def add(self, remark: str) -> None:
        """Count one."""
        kind = _NUMBERS.sub("#", remark)
        if kind in self._kinds:
            count, first = self._kinds[kind]
            self._kinds[kind] = (count + 1, first)
        elif len(self._kinds) < _MOST:
            self._kinds[kind] = (1, remark)

    def told(self) -> list[str]:
        """Return them for people, the commonest first."""
        several = sorted(self._kinds.values(), key=lambda entry: -entry[0])
        return [f"{count} item{'s' if count > 1 else ''}: {first}" for count, first in several]
