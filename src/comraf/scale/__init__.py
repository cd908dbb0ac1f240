"""Work over the processes and machines of a Dask cluster."""

from __future__ import annotations

from comraf.scale.runs import DaskRuns

__all__ = ["DaskRuns"]
