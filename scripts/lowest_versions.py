"""Print the lowest version of each package that pyproject.toml allows, for ``pip install -c``."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

_LOWEST = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?>=([0-9.]+)")


def main() -> None:
    """Read the dependencies, and the extras that are named on the command line."""
    project = tomllib.loads(
        Path(__file__).parent.parent.joinpath("pyproject.toml").read_text("utf-8")
    )["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(line for name in sys.argv[1:] for line in extras[name])]
    for line in wanted:
        if found := _LOWEST.match(line):
            print(f"{found[1]}=={found[2]}")


if __name__ == "__main__":
    main()
