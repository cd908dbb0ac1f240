"""How to search: effort, seeds, processes, a time limit, checkpoints; the same in all workflows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from comraf.errors import (
    InputError,
    InterruptedWarning,
    NoticeWarning,
    Setting,
    TimeLimitWarning,
)
from comraf.inference.methods import METHODS
from comraf.weightings import WEIGHTINGS
from comraf.workflows.options import Option, amounts_from

__all__ = [
    "DAMPING_SCALING",
    "SEED",
    "WRITTEN",
    "Effort",
    "Jobs",
    "LongRun",
    "MergeCost",
    "MethodName",
    "Restarts",
    "Runs",
    "Schedule",
    "Search",
    "Searching",
    "Seed",
    "SideClusters",
    "SideWeights",
    "Sizes",
    "Spread",
    "Watch",
    "Weighting",
    "WeightingName",
]

if TYPE_CHECKING:
    MethodName = str
    WeightingName = str
else:
    MethodName, WeightingName = Literal[tuple(METHODS)], Literal[WEIGHTINGS]
"""The name of an inference method, and that of a weighting."""
Effort = Literal["quick", "default", "thorough", "paper"]
Schedule = Literal["thesis", "round_robin", "double", "weighted", "reverse", "bottom_up"]
MergeCost = Literal["loss", "js"]
Sizes = Literal["auto", "even", "free"]
Runs = Annotated[int | None, Option("--runs", metavar="N", least=1, most=1000)]
Restarts = Annotated[int | None, Option("--restarts", metavar="N", least=1)]

#: Weights and numbers of clusters by side.
SideWeights = Annotated[
    Mapping[str, float] | None, Option("--weight", metavar="SIDE=X", read=amounts_from("weight"))
]
SideClusters = Annotated[
    Mapping[str, int] | None,
    Option("--side-clusters", metavar="SIDE=N", read=amounts_from("side_clusters", int)),
]
#: How a weighting is typed.
DAMPING_SCALING = Option(metavar="DAMPING+SCALING")
Weighting = Annotated[WeightingName, DAMPING_SCALING]
#: How a seed is typed.
SEED = Option("--seed", metavar="N", least=0, most=2**32 - 1)
#: What parameters of the search are called in ``result.json``.
WRITTEN = {
    "effort": "effort",
    "restarts": "n_restarts",
    "schedule": "schedule",
    "seed": "random_state",
    "jobs": "n_jobs",
    "runs": "n_runs",
    "merge_cost": "merge_cost",
    "balance": "balance",
    "sizes": "sizes",
}


@dataclass(frozen=True, kw_only=True)
class Seed:
    """Where chance begins.

    Parameters
    ----------
    random_state : int
        The same seed gives the same groups.
    """

    random_state: Annotated[int, SEED] = 0


@dataclass(frozen=True, kw_only=True)
class Jobs:
    """Work side by side.

    Parameters
    ----------
    n_jobs : int
        Processes that read and tries side by side; -1: all cores. The answer does not depend on it.
    """

    n_jobs: Annotated[int, Option("--jobs", "-j", metavar="N")] = 1

    def check_jobs(self) -> None:
        """Refuse a number of processes that can't be."""
        if self.n_jobs == 0:
            text = "{given} is not possible; give 1 or more, or -1 for all cores"
            raise InputError(text, "n_jobs", self.n_jobs)


@dataclass(frozen=True, kw_only=True)
class Searching(Jobs, Seed):
    """What a search may try, and what is done with its options, whatever their defaults.

    Parameters
    ----------
    n_runs : int
        Independent runs that agree on the groups. Default: as `effort` says.
    n_restarts : int
        Tries for every step, or starts of a flat method (10 unless told); the best one is kept.
        Default: 1.
    balance : bool
        Split clusters smaller than the average less often (2005).
    sizes : {"auto", "even", "free"}
        How large groups may come out: of about one size, as the objective likes them (even); as
        large as what they are made of has it (free); or as these two compare (auto). Default: auto.
    """

    n_runs: Runs = None
    n_restarts: Restarts = None
    balance: bool = False
    sizes: Sizes | None = "auto"

    def search_parameters(self) -> dict[str, Any]:
        """What estimators are to be told about the search."""
        names = ("method", "effort", "n_runs", "n_restarts", "merge_cost", "balance", "schedule")
        more = ("sizes", "n_jobs", "random_state")
        return {name: getattr(self, name) for name in (*names, *more)}

    def written(self) -> dict[str, Any]:
        """The parameters of the search that its method heeds, as ``result.json`` has them."""
        method = METHODS[getattr(self, "method", "mdc")]
        every = {name: getattr(self, own) for name, own in WRITTEN.items()}
        every |= {name: getattr(self, name, None) or usual for name, usual in _USUAL.items()}
        every |= {name: getattr(self, name) for name in _OF_TABLES if hasattr(self, name)}
        if every["restarts"] is None:
            every["restarts"] = method.defaults.get("n_restarts")
        looked = [name for name in every if WRITTEN.get(name, name) in method.takes]
        if method.name == "mdc":
            return {name: every[name] for name in (*WRITTEN, *_USUAL)}
        return {name: every[name] for name in ("method", *sorted(looked), "seed", "jobs")}


@dataclass(frozen=True, kw_only=True)
class Search(Searching):
    """What the search for groups may cost, and how it goes.

    Parameters
    ----------
    method : str
        How groups are found: mdc clusters the items with the values of their sides along a
        hierarchy, itcc and cliquewise flat; ib, sequential and agglomerative cluster the items
        alone. Options that a method does not look at are refused.
    effort : {"quick", "default", "thorough", "paper"}
        What the search may cost: quick makes one run, default lets 8 agree, thorough many more;
        paper one run from single values, near to the method as published.
    schedule : {"thesis", "round_robin", "double", "weighted", "reverse", "bottom_up"}
        In which order the sides are split and merged: thesis, round_robin, double or weighted;
        reverse splits the items and merges all other sides, bottom_up merges all, which is dear
        where they are large.
    merge_cost : {"loss", "js"}
        What makes two clusters close: the objective lost by merging them (loss), or their
        Jensen-Shannon divergence (js).
    """

    method: MethodName = "mdc"
    effort: Effort = "default"
    schedule: Schedule = "thesis"
    merge_cost: MergeCost = "loss"

    def check_method(self) -> None:
        """Refuse options that the method does not look at, before anything is read."""
        method = METHODS[self.method]
        heeded = {name for one in METHODS.values() for name in one.takes}  # others are for all
        for field in fields(Search):
            if field.name in heeded:
                method.check(field.name, getattr(self, field.name) != field.default)
        method.check("checkpoint", getattr(self, "checkpoint", None))


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Where several runs are made.

    Parameters
    ----------
    engine : {"threads", "dask"}
        What makes several runs side by side: threads of one process, or processes, here or on other
        machines, by Dask (comraf[scale]). The answer does not depend on it.
    scheduler : str
        Address of the Dask scheduler, such as tcp://10.0.0.1:8786. Default: as many processes on
        this machine as `n_jobs` says, for the time of the search.
    """

    engine: Literal["threads", "dask"] = "threads"
    scheduler: Annotated[str | None, Option(metavar="ADDRESS")] = None

    def check_spread(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        METHODS[getattr(self, "method", "mdc")].check("engine", self.engine != "threads")
        from comraf.inference.executor import executing

        with executing(self.engine, self.scheduler) as executor:
            if executor is not None:
                executor.check()

    def spread_parameters(self) -> dict[str, Any]:
        """What estimators are to be told of it."""
        return {"engine": self.engine, "scheduler": self.scheduler}


# What only tables are clustered with otherwise, and what only methods of tables have.
_USUAL = {"moves": "sequential", "passes": 2.0, "method": "mdc"}
_OF_TABLES = ("direction", "updates", "coarse")


@dataclass(frozen=True, kw_only=True)
class LongRun:
    """How long the search may take, and what is kept of it on the way.

    Parameters
    ----------
    time_limit : float
        End the search after this many seconds and keep the best until then, as Ctrl-C does but
        with exit code 0. Reading and writing come on top.
    checkpoint : path-like
        Keep what the search has reached in this folder, new or empty, so that `resume` can go on
        from it. It is removed once the answer is there.
    resume : bool
        Go on from the checkpoint in the folder of `checkpoint`, if there is one: the answer is that
        of a search that was never interrupted.

    Examples
    --------
    >>> LongRun(time_limit=60.0).long_parameters()
    {'time_limit': 60.0}
    """

    time_limit: Annotated[float | None, Option(metavar="SECONDS")] = None
    checkpoint: Annotated[Path | None, Option(metavar="FOLDER")] = None
    resume: bool = False

    def check_long(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        if self.time_limit is not None and not 0 < self.time_limit < math.inf:
            text = "{given} is not possible; give seconds, more than 0"
            raise InputError(text, "time_limit", self.time_limit)
        if self.resume and self.checkpoint is None:
            text = "{given} goes on from a checkpoint; name its folder: {p[checkpoint]}"
            raise InputError(text, "resume", True)
        if self.checkpoint is None:
            return
        from comraf.inference.checkpoint import is_checkpoint

        there = is_checkpoint(self.checkpoint)
        if there and not self.resume:
            raise InputError(
                "{folder} holds the checkpoint of an earlier search; add {resume} to go on from "
                "it, or remove the folder to begin anew",
                folder=self.checkpoint,
                resume=Setting("resume", True),
            )
        if self.resume and not there:
            warnings.warn(
                f"there is no checkpoint in {self.checkpoint}: the search begins anew",
                NoticeWarning,
                stacklevel=2,
            )

    def long_parameters(self) -> dict[str, Any]:
        """What estimators are to be told about the length of the search."""
        told: dict[str, Any] = {}
        if self.time_limit is not None:
            told["time_limit"] = self.time_limit
        if self.checkpoint is not None:
            from comraf.inference.checkpoint import Kept

            # It goes when the answer is written, and not before.
            told["checkpoint"] = Kept(self.checkpoint)
        return told

    def is_over(self) -> None:
        """The answer is written: the checkpoint has done its work."""
        if self.checkpoint is not None:
            from comraf.inference.checkpoint import remove_checkpoint

            remove_checkpoint(self.checkpoint)


@dataclass
class Watch:
    """What is seen while a search runs."""

    out_of_time: bool = False

    @contextmanager
    def over(self) -> Iterator[None]:
        """Keep the warnings about early ends to oneself: the command says that itself.

        Examples
        --------
        >>> watch = Watch()
        >>> with watch.over():
        ...     warnings.warn("the time is up", TimeLimitWarning)
        >>> watch.out_of_time
        True
        """
        with warnings.catch_warnings():
            warnings.simplefilter("always", InterruptedWarning)
            others = warnings.showwarning

            def show(
                message: Warning | str, category: type[Warning], *where: Any, **more: Any
            ) -> None:
                if issubclass(category, InterruptedWarning):
                    self.out_of_time |= issubclass(category, TimeLimitWarning)
                else:
                    others(message, category, *where, **more)

            warnings.showwarning = show
            yield
