"""What a run found: immutable, self-describing; explained, compared, edited, kept.

Results come at once; what works on them is imported when it is first used, since some of it
brings the compiled kernels along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from comraf.registry import later
from comraf.results.result import EdgeInformation, Result, load_result, save_result

__all__ = [
    "EdgeInformation",
    "Explainer",
    "Hierarchy",
    "Result",
    "characteristic",
    "keep_ids",
    "load_result",
    "merge",
    "move",
    "reliability",
    "rename",
    "save_result",
    "split",
    "taxonomy",
]

# Where each name lives. Functions that are called like their module stay there: compare,
# confidence, hierarchy.
_HOMES = {
    "Explainer": "explain",
    "Hierarchy": "hierarchy",
    "characteristic": "explain",
    "keep_ids": "compare",
    "merge": "edit",
    "move": "edit",
    "reliability": "confidence",
    "rename": "edit",
    "split": "edit",
    "taxonomy": "hierarchy",
}

if TYPE_CHECKING:
    from comraf.results.compare import keep_ids
    from comraf.results.confidence import reliability
    from comraf.results.edit import merge, move, rename, split
    from comraf.results.explain import Explainer, characteristic
    from comraf.results.hierarchy import Hierarchy, taxonomy
else:
    __getattr__, __dir__ = later(__name__, _HOMES)
