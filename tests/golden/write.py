"""Write the golden files anew: ``python -m tests.golden.write [estimators]``.

The estimators' cases are run a second time on numbers that differ in their tenth digit; those
that don't find the same are named, and nothing is written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from tests.golden import estimators, sets
from tests.golden.comparing import EXPECTED, differences, dump


def write_estimators() -> None:
    """What every case of an estimator finds."""
    found = {name: estimators.run(name) for name in estimators.CASES}
    with sets.shaken():
        again = {name: estimators.run(name) for name in estimators.CASES}
    unstable = {name: differences(again[name], found[name]) for name in found}
    for name, lines in unstable.items():
        if lines:
            print(f"unstable: {name}", *lines[:8], sep="\n  ")  # noqa: T201
    if any(unstable.values()):
        sys.exit("nothing was written")
    for kind in sorted({name.split(",")[0] for name in found}):
        mine = {name: each for name, each in found.items() if name.split(",")[0] == kind}
        path = EXPECTED / "estimators" / f"{kind}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dump(mine), encoding="utf-8")


PARTS: dict[str, Callable[[], None]] = {"estimators": write_estimators}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
