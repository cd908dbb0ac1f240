"""What every front door does around inference: seeds, listeners, warnings, results."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.errors import FaintWarning, InputError, InterruptedWarning, TimeLimitWarning
from comraf.estimators._callbacks import FitTasks, both, has_callbacks
from comraf.estimators._tying import Infer, retied, tying
from comraf.graph import Graph
from comraf.graph.scaling import mutual_information
from comraf.inference import Control, Outcome, Problem
from comraf.inference.checkpoint import Checkpoint, Kept
from comraf.inference.control import effective_jobs
from comraf.inference.executor import Executor, executing
from comraf.objectives import Term
from comraf.parameters import check_random
from comraf.progress import Listener, PrintListener, told_of_compiling, unheard
from comraf.results import Result
from comraf.results.solved import edge_information
from comraf.supervision import Knowledge, Prepared

__all__ = ["Verbose", "run", "to_user"]

Verbose = int | bool | Listener

# Part of another's weight, and of all it could tell, below which a table can't change anything.
_FAINT = 0.01
# Part of what a table could tell, below which it alone makes the clusters.
_DROWNED = 0.1


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """Seeds from whatever scikit-learn accepts as ``random_state``."""
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(0, 2**32, size=4).tolist())
    words = check_random(random_state).randint(0, 2**31 - 1, size=4, dtype=np.int64)
    return np.random.SeedSequence(words.tolist())


def listener_for(verbose: Verbose) -> Listener | None:
    """Silence for 0, printed steps for 1, the caller's own listener for a callable."""
    if callable(verbose):
        return verbose
    if verbose is None or not isinstance(verbose, (int, np.integer)):
        raise InputError(
            f"verbose={verbose!r}; give 0, 1, or a callable that takes progress events"
        )
    return PrintListener() if verbose else None


def run(
    graph: Graph,
    infer: Infer,
    *,
    n_jobs: int | None,
    random_state: Any,
    verbose: Verbose,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | Kept | None = None,
    estimator: Any = None,
    known: Mapping[str, Knowledge] | None = None,
    ties: Mapping[str, str] | None = None,
    terms: Sequence[Term] = (),
    engine: str | Executor = "threads",
    scheduler: str | None = None,
) -> Result:
    """Run an inference method on a graph and wrap up what it found.

    Parameters
    ----------
    graph : Graph
    infer : callable
        The method.
    n_jobs, random_state, verbose
        As every estimator has them.
    time_limit : float, optional
        Seconds after which the best state until then is returned, marked as interrupted.
    checkpoint : path-like or Kept, optional
        Folder in which the method keeps what it has reached, and from which it goes on. It is
        removed when the work has ended well.
    estimator : estimator, optional
        Whose fit this is, for scikit-learn's callbacks.
    known : mapping of str to Knowledge, optional
        What is known about sides of the graph, by their names.
    ties : mapping of str to str, optional
        Observed sides that are to have the clusters of a hidden one, by both names.
    terms : sequence of Term
        The user's own terms of the objective.
    engine, scheduler
        Where several runs are made, see `comraf.inference.executor`.
    """
    _warn_of_faint(graph)
    prepared = Prepared(graph, known or {}, terms)
    if ties:
        infer = tying(prepared, infer, ties)
    tasks = FitTasks(estimator) if has_callbacks(estimator) else None
    listener = both(listener_for(verbose), tasks)

    def work() -> Result:
        with executing(engine, scheduler) as executor:
            return _run(
                prepared,
                infer,
                n_jobs,
                random_state,
                listener,
                time_limit,
                checkpoint,
                tasks,
                executor,
            )

    result = work() if tasks is None else tasks.within(work)
    return retied(graph, result, ties or {})


def _run(
    prepared: Prepared,
    infer: Infer,
    n_jobs: int | None,
    random_state: Any,
    listener: Listener | None,
    time_limit: float | None,
    checkpoint: str | os.PathLike[str] | Kept | None,
    tasks: FitTasks | None,
    executor: Executor | None,
) -> Result:
    started = time.perf_counter()
    saved = None if checkpoint is None else Checkpoint(checkpoint)
    control = Control(listener, time_limit=time_limit, checkpoint=saved, executor=executor)
    if tasks is not None:
        tasks.stop = control.stop
    seed = seed_sequence(random_state)
    if saved is not None and random_state is None and (before := saved.seed()) is not None:
        seed = np.random.SeedSequence(before)
    problem = prepared.problem()
    jobs = effective_jobs(n_jobs)
    try:
        with control.helped(jobs), told_of_compiling(listener or unheard):
            outcome = infer(problem, seed, jobs, control)
        outcome = prepared.repair(problem, outcome)
    except BaseException:
        if saved is not None:
            saved.close()
        raise

    def finished(outcome: Outcome) -> Result:
        result = prepared.restore(_wrapped(prepared.graph, problem, outcome))
        if saved is not None:
            if result.interrupted:
                saved.close()
            else:
                saved.end()
        if result.interrupted:
            limit = time_limit if control.out_of_time else None
            warn_of_stop(limit, None if saved is None else saved.folder)
        return replace(result, seconds=time.perf_counter() - started)

    try:
        return finished(outcome)
    except KeyboardInterrupt:  # the work is done: what is left takes a moment
        return finished(replace(outcome, interrupted=True))


def _wrapped(graph: Graph, problem: Problem, outcome: Outcome) -> Result:
    return Result(
        labels=problem.expand(outcome.state),
        n_clusters=dict(zip(problem.names, outcome.state.n_clusters, strict=True)),
        objective=outcome.objective,
        edges=edge_information(graph, problem.edges, outcome.state),
        trace=outcome.trace,
        interrupted=outcome.interrupted,
        stability=problem.expand_stability(outcome.stability),
        n_runs=outcome.n_runs,
        levels=_levels(problem, outcome),
        values={n.name: tuple(n.values) for n in graph.nodes if n.values is not None},
    )


def _levels(problem: Problem, outcome: Outcome) -> dict[str, tuple[npt.NDArray[np.int32], ...]]:
    """Levels of every value; those without counts in cluster 0, as in the labels."""
    out = {}
    for node, levels in outcome.levels.items():
        occupied = problem.occupied[node]
        whole = []
        for level in levels:
            labels = np.zeros(len(occupied), dtype=np.int32)
            labels[occupied] = level
            whole.append(labels)
        out[problem.names[node]] = tuple(whole)
    return out


def _warn_of_faint(graph: Graph) -> None:
    """Tell of tables that have next to nothing of what others of the same hidden side have."""
    for node in graph.nodes:
        mine = [e for e in graph.edges if node.hidden and node.name in (e.a, e.b) and e.counts.nnz]
        heaviest = max((edge.weight for edge in mine), default=0.0)
        light = [edge for edge in mine if 0 < edge.weight < _FAINT * heaviest]
        if len(mine) < 2 or not (light or heaviest > 1):  # no rule gives more than 1
            continue
        told = {edge: edge.weight * mutual_information(edge.counts) for edge in mine}
        first = max(told, key=lambda edge: told[edge])
        others = sum(told.values()) - told[first]
        if first.weight > 1 and 0 < others < _DROWNED * told[first]:
            warnings.warn(
                f"the table of {first.a} and {first.b} drowns the others: at weight "
                f"{first.weight:.2g} all of them together could tell {others / told[first]:.1%} of "
                "what it can; give it less weight",
                FaintWarning,
                stacklevel=to_user(),
            )
            continue
        for edge in light:
            if told[edge] < _FAINT * told[first]:
                warnings.warn(
                    f"the table of {edge.a} and {edge.b} weighs next to nothing: at weight "
                    f"{edge.weight:.2g} it could tell {told[edge] / told[first]:.2%} of what that "
                    f"of {first.a} and {first.b} can; give it more weight by edge weights, or "
                    "leave it out",
                    FaintWarning,
                    stacklevel=to_user(),
                )


def to_user() -> int:
    """How many frames up, for ``warnings.warn``, the code is that called comraf."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("comraf."):
        level, frame = level + 1, frame.f_back
    return level


def warn_of_stop(time_limit: float | None, checkpoint: Path | None) -> None:
    """Tell that a fit was stopped: by its time limit, if one is given, or by a person."""
    why, kind = "stopped early", InterruptedWarning
    if time_limit is not None:
        why = f"the time limit of {time_limit:g} seconds was reached"
        kind = TimeLimitWarning
    message = (
        f"{why}: the result is the best state found until then, brought to the numbers of "
        "clusters wanted in haste"
    )
    if checkpoint is not None:
        message += f"; the checkpoint {checkpoint} stays, and the same fit goes on from it"
    warnings.warn(message, kind, stacklevel=to_user())
