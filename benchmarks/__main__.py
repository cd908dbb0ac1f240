"""``python -m benchmarks`` is ``python -m benchmarks.run``."""

from __future__ import annotations

import sys

from benchmarks.run import command

if __name__ == "__main__":
    sys.exit(command())
