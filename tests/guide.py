"""The examples of CONTRIBUTING.md, as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

GUIDE = Path(__file__).parents[1] / "CONTRIBUTING.md"
_BLOCKS = [
    block.partition("\n")
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
]
#: The files that parts of one's own need: text by path.
FILES = {first[2:]: code for first, _, code in _BLOCKS if re.match(r"# (src|tests)/", first)}
#: The line of each registry, by its name.
LINES = {first[5:]: code for first, _, code in _BLOCKS if first.startswith("# in ")}


def places(registry: str, package: str) -> dict[str, str]:
    """A line of a registry of files, for files that are in another package."""
    name, place = re.fullmatch(r'"(\w+)": f"\{\w+\}(.+)",', LINES[registry].strip()).groups()
    return {name: f"{package}{place}"}


def run_test(path: str, *given: object) -> None:
    """Call the only test of a file of tests."""
    names: dict[str, object] = {"__name__": path}
    exec(FILES[path], names)  # noqa: S102 - our own text
    (test,) = (one for name, one in names.items() if name.startswith("test_"))
    test(*given)
