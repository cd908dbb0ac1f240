"""How MDC searches: every choice in one place, and the efforts by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from comraf.errors import InputError
from comraf.inference.ending import SIZES
from comraf.inference.merging import MERGE_COSTS
from comraf.inference.moves import MOVES
from comraf.inference.schedule import Step
from comraf.parameters import check_int, check_number

__all__ = ["EFFORTS", "KEPT", "MDCOptions", "options_for"]

# Sides of many values start from this many clusters of values gathered around random ones:
# on 20 Newsgroups as good in a consensus as starting from singletons, at half of the cost.
_COARSE = 1024


#: What several runs come to: what they agree on, or the best of them.
KEPT = ("agreement", "best")


@dataclass(frozen=True, slots=True)
class MDCOptions:
    """How MDC searches; see `comraf.MDC` for the meaning of each.

    ``coarse`` is the number of clusters into which a bottom-up side of many values is
    gathered first; None starts from singletons whatever that costs. Clusters beyond those
    wanted (``n_runs`` > 1) are ``spare`` times as many. Polished are the nodes ``polished``,
    by default the bottom-up ones with a number of clusters. What the runs agree on is reached
    from ``starts``: so many of the runs' partitions, and so many that belong to no run. With
    ``keep="best"`` they agree on nothing: each goes to the numbers wanted, and the one with
    the largest objective stands. ``sizes`` says how polished nodes end: see
    `comraf.inference.ending`.
    """

    n_restarts: int = 1
    schedule: str | Sequence[Step] = "thesis"
    moves: str = "sequential"
    passes: float = 2.0
    merge_cost: str = "loss"
    n_runs: int = 1
    polish: bool = False
    coarse: int | None = None
    spare: float = 2.0
    balance: bool = False
    polished: tuple[int, ...] | None = None
    starts: tuple[int, int] = (4, 2)
    keep: str = "agreement"
    sizes: str = "even"

    def __post_init__(self) -> None:
        check_int("n_restarts", self.n_restarts)
        check_int("n_runs", self.n_runs)
        check_number("passes", self.passes)
        if self.coarse is not None:
            check_int("coarse", self.coarse, least=2)
        if check_number("spare", self.spare) < 1:
            raise InputError(f"spare={self.spare}; it must be 1 or more")
        if self.keep not in KEPT:
            raise InputError(parameter="keep", given=self.keep, allowed=KEPT)
        if self.sizes not in SIZES:
            raise InputError(parameter="sizes", given=self.sizes, allowed=SIZES)
        if self.moves not in MOVES:
            raise InputError(parameter="moves", given=self.moves, allowed=MOVES)
        if self.merge_cost not in MERGE_COSTS:
            raise InputError(parameter="merge_cost", given=self.merge_cost, allowed=MERGE_COSTS)


#: Efforts by name: what a fit may cost. ``paper`` is one run from singletons, with one restart
#: and mergers by loss, so not yet MDC as published; the others gather many values first and
#: polish, and differ in their runs.
EFFORTS: dict[str, MDCOptions] = {
    "paper": MDCOptions(),
    "quick": MDCOptions(polish=True, coarse=_COARSE),
    "default": MDCOptions(n_runs=8, polish=True, coarse=_COARSE),
    "thorough": MDCOptions(n_runs=16, polish=True, coarse=4 * _COARSE, starts=(16, 4)),
}


def options_for(effort: str, n_runs: int | None = None, **chosen: Any) -> MDCOptions:
    """Options of an effort, with others chosen; ``n_runs`` stays the effort's if it is None.

    Examples
    --------
    >>> options_for("quick", passes=1.0).passes
    1.0
    """
    if not isinstance(effort, str) or effort not in EFFORTS:
        raise InputError(parameter="effort", given=effort, allowed=EFFORTS)
    if n_runs is not None:
        chosen["n_runs"] = n_runs
    return replace(EFFORTS[effort], **chosen)
