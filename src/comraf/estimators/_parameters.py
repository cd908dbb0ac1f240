"""Parameters that estimators share: each with its default, what it means, and what reads it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from comraf.docstrings import DocumentedOnce
from comraf.estimators._run import Verbose, run
from comraf.graph import Graph
from comraf.inference import MDCOptions, Outcome, Step, options_for
from comraf.inference.executor import Executor
from comraf.objectives import Term
from comraf.results import Result
from comraf.supervision import Knowledge

__all__ = [
    "FitParameters",
    "KnowledgeParameters",
    "MDCParameters",
    "ParallelParameters",
    "SearchParameters",
]


@dataclass(eq=False, repr=False, kw_only=True)
class FitParameters(DocumentedOnce):
    """What every fit takes.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        Seed: with the same one the result is the same.
    time_limit : float or None
        Seconds after which the best state until then is returned, marked as interrupted.
    verbose : int or callable
        1 prints a line for each step; a callable gets `comraf.progress.Event`.
    """

    random_state: Any = None
    time_limit: float | None = None
    verbose: Verbose = 0

    def _solve(
        self,
        graph: Graph,
        method: Callable[..., Outcome],
        options: Any,
        known: Mapping[str, Knowledge],
        ties: Mapping[str, str] | None = None,
        terms: Sequence[Term] = (),
    ) -> Result:
        """What an inference method with its options finds on a graph, given what is known."""
        return run(
            graph,
            lambda problem, seed, n_jobs, control: method(problem, options, seed, n_jobs, control),
            n_jobs=getattr(self, "n_jobs", 1),
            random_state=self.random_state,
            verbose=self.verbose,
            time_limit=self.time_limit,
            checkpoint=getattr(self, "checkpoint", None),
            estimator=self,
            known=known,
            ties=ties,
            terms=terms,
            engine=getattr(self, "engine", "threads"),
            scheduler=getattr(self, "scheduler", None),
        )


@dataclass(eq=False, repr=False, kw_only=True)
class ParallelParameters(FitParameters):
    """What fits take that run in threads.

    Parameters
    ----------
    n_jobs : int or None
        Threads for runs and restarts; -1 for all cores. The result does not depend on it.
    """

    n_jobs: int | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class KnowledgeParameters(DocumentedOnce):
    """How labels and links count.

    Parameters
    ----------
    labels_as : {"intrinsic", "constrained", "seeds"}
        What ``labels`` of ``fit`` are taken for: an observed node of the graph, which may be
        overruled; constraints, items of a class together and those of two classes apart; or
        clusters that the search starts from and may leave.
    label_weight : float
        Factor of the weights of an observed node of labels.
    link_weight : float
        Weight of the links that have none of their own, in nats of an average row; infinite:
        they hold.
    """

    labels_as: str = "intrinsic"
    label_weight: float = 1.0
    link_weight: float = math.inf

    def _how_known(self) -> dict[str, Any]:
        """These parameters, as those take them who read labels and links."""
        return {name: getattr(self, name) for name in KnowledgeParameters.__annotations__}


@dataclass(eq=False, repr=False, kw_only=True)
class SearchParameters(ParallelParameters):
    """How a search along a hierarchy goes.

    Parameters
    ----------
    effort : {"default", "quick", "thorough", "paper"}
        What the search may cost. ``default`` makes 8 runs and lets them agree, ``quick`` a
        single one; many rows are gathered into 1,024 clusters before they merge, and polished
        against single columns in the end. ``thorough`` makes 16 runs that start from 4,096
        clusters. ``paper`` is one run from singletons
        with nothing after it, near to MDC as published but not yet it: the papers make ten
        restarts of each step, merge by ``merge_cost="js"``, take raw counts and let word
        clusters grow; here these are ``n_restarts=1``, ``"loss"``, ``root_rows`` and a limited
        number, unless told. A later version will make it as published.
    n_restarts : int
        Tries at every step of a run from different seeds, the best objective kept.
    moves : {"sequential", "shuffled", "annealed"}
        Local search: each value in random order to its best cluster; random pairs of
        value and cluster, about as many in a pass as there are values; or draws that cool
        down and end in a local optimum.
    passes : float
        Length of each local search, in sweeps over all values. Fractions sweep a random part
        of the values: 0.25 to 4 were tried in the thesis, and from 1 on little is gained.
    merge_cost : {"loss", "js"}
        What makes two clusters close: the objective lost by merging them, or the
        Jensen-Shannon divergence (the same loss per unit of mass).
    checkpoint : path-like or None
        Folder in which the run keeps what it has reached, and from which it goes on if it was
        stopped; removed when the work has ended well.
    engine : {"threads", "dask"} or Executor
        Where several runs are made: in threads, or in processes, here or on other machines, by
        Dask (``pip install "comraf[scale]"``). The result does not depend on it.
    scheduler : str or None
        Address of the Dask scheduler, such as ``tcp://10.0.0.1:8786``; None starts ``n_jobs``
        processes on this machine and ends them afterwards.
    """

    effort: str = "default"
    n_restarts: int = 1
    moves: str = "sequential"
    passes: float = 2.0
    merge_cost: str = "loss"
    checkpoint: str | os.PathLike[str] | None = None
    engine: str | Executor = "threads"
    scheduler: str | None = None

    def _options(self, **chosen: Any) -> MDCOptions:
        """Options of the search; those that are ``chosen`` come from other parameters."""
        return options_for(
            self.effort,
            n_restarts=self.n_restarts,
            moves=self.moves,
            passes=self.passes,
            merge_cost=self.merge_cost,
            **chosen,
        )


@dataclass(eq=False, repr=False, kw_only=True)
class MDCParameters(SearchParameters):
    """How MDC takes its steps.

    Parameters
    ----------
    n_runs : int or None
        Independent runs that agree; None takes the effort's number.
    schedule : str or sequence of Step
        Order of splits and merges. ``thesis``: four column splits first, then in turn;
        ``round_robin``: in turn from the start; ``double``: two splits for each merge;
        ``weighted``: each side's own number of steps, spread evenly. ``reverse`` splits the
        rows and merges the columns, ``bottom_up`` merges both (dear where both are large);
        these two take turns as in ``thesis``.
    balance : bool
        Split clusters smaller than the average less often, as in 2005.
    sizes : {"auto", "even", "free"}
        How large clusters may come out. ``even``: as the objective has it, which likes clusters
        of about one size. ``free``: twice as many clusters are found, and those that are made
        of the same join, however many rows that makes (`comraf.inference.linkage`). ``auto``
        makes both and takes the free ones where the even ones tell little more for their
        number; with ``effort="paper"`` they are even.
    """

    n_runs: int | None = None
    schedule: str | Sequence[Step] = "thesis"
    balance: bool = False
    sizes: str = "auto"

    def _options(self, **chosen: Any) -> MDCOptions:
        """Options of MDC; a schedule that is ``chosen`` stands for the parameter."""
        own = {
            "n_runs": self.n_runs,
            "schedule": self.schedule,
            "balance": self.balance,
            "sizes": self.sizes,
        }
        return super()._options(**{**own, **chosen})
