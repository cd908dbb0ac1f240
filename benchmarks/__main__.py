"""The scripts and what each measures; with arguments, those of ``python -m benchmarks.run``."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from benchmarks.run import command


def scripts() -> dict[str, str]:
    """First line of the docstring of every script that can be run.

    Examples
    --------
    >>> scripts()["papers"]
    'Clustering scientific papers by what they say and whom they cite (thesis, 4.8 and table 4.7).'
    """
    found = {}
    for file in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        text = file.read_text(encoding="utf-8")
        if 'if __name__ == "__main__":' in text and file.stem not in ("fit_here", "worker"):
            found[file.stem] = (ast.get_docstring(ast.parse(text)) or "").splitlines()[0]
    return found


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit(command())
    for name, about in scripts().items():
        print(f"python -m benchmarks.{name}\n    {about}")
