"""What a run found: immutable, self-describing."""

from comraf.results.result import EdgeInformation, Result

__all__ = ["EdgeInformation", "Result"]
