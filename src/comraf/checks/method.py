"""What every inference method keeps to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from comraf.checks.rules import hold, same
from comraf.errors import RuleError
from comraf.graph import Edge, Graph, Node
from comraf.inference import Control, Method, Outcome, Problem
from comraf.inference.methods import method_of
from comraf.objectives import State
from comraf.progress import Event, Listener, Reporter

__all__ = ["check_method"]

_CLOSE = 1e-9


def check_method(
    method: str | Method,
    graph: Graph | None = None,
    *,
    options: Any = None,
    random_state: int = 0,
    stops: Iterable[int] = (1, 2, 5, 20),
) -> None:
    """Hold an inference method to what searches are used by.

    1. Every hidden node has the clusters that were asked for, none of them empty, numbered by
       their mass; observed nodes stay as they are.
    2. The objective that it reports is that of its state.
    3. The same seed gives the same answer, with one thread and with two.
    4. Its outcome has a trace; its progress never falls and ends at 1.
    5. After Ctrl-C or a time limit it gives back a whole state, and says that it was stopped.

    Parameters
    ----------
    method : str or Method
        A name in `comraf.inference.METHODS`, or a method of your own.
    graph : Graph, optional
        What is clustered; by default 40 items with words and people.
    options : optional
        Options of the method; its defaults if None.
    random_state : int
    stops : iterable of int
        At which of the events that it tells Ctrl-C is pressed.

    Raises
    ------
    RuleError
        The rule that is broken, and by what.

    Examples
    --------
    >>> check_method("sequential")
    """
    name, method, own_graph = method, method_of(method), graph is not None
    hold(
        name in (method, method.name),
        "a method has the name of its line in METHODS",
        f"the line is {name!r}, the method {method.name!r}",
    )
    graph = _graph(method, random_state) if graph is None else graph
    options = method.made({}) if options is None else options

    def run(
        listener: Listener | None = None, n_jobs: int = 1, stop: int = 0, **limits: Any
    ) -> Outcome:
        control = Control(**limits)
        if stop:
            listener = _interrupt(stop, control if n_jobs > 1 else None)
        control.reporter = Reporter(listener, hertz=float("inf"))  # every event is told
        seed = np.random.SeedSequence(random_state)
        outcome = method.run(Problem(graph), options, seed, n_jobs, control)
        hold(
            isinstance(outcome, Outcome),
            "a method returns an Outcome",
            f"it is {type(outcome).__name__}",
        )
        return outcome

    events: list[Event] = []
    whole = run(events.append)
    problem = Problem(graph)
    _check_outcome(problem, whole)
    hold(
        not whole.interrupted, "only a search that was stopped says so", "this one was not stopped"
    )
    hold(whole.trace or own_graph, "an outcome has a trace of its steps", "it is empty")
    if whole.trace:  # else there was nothing to do in the caller's graph
        _check_progress([event.done for event in events])
    other = run(n_jobs=2)
    for node, name in enumerate(problem.names):
        same(
            other.state.labels[node],
            whole.state.labels[node],
            "the same seed gives the same answer with one thread and with two",
            f"clusters of {name!r}",
        )
    for stop in [stop for stop in stops if stop < len(events)]:
        for n_jobs in (1, 2):
            _check_stopped(problem, run(n_jobs=n_jobs, stop=stop), f"Ctrl-C at event {stop}")
    _check_stopped(problem, run(time_limit=1e-9), "a time limit that had passed")


def _graph(method: Method, seed: int) -> Graph:
    """Items in three groups that are hard to tell apart, with words and people."""
    rng = np.random.default_rng(seed)
    truth, tables = np.arange(40) % 3, {}
    for name, m in (("words", 24), ("people", 9)):
        rate = np.where(truth[:, None] == np.arange(m) % 3, 2.0, 0.6)
        tables[name] = rng.poisson(rate) + np.eye(40, m, dtype=int)
    sides: dict[str, Any] = {"n_clusters": 4} if method.sides else {"observed": "singletons"}
    return Graph(
        [Node("items", n_clusters=3), *(Node(name, **sides) for name in tables)],
        [Edge("items", name, table) for name, table in tables.items()],
    )


def _check_outcome(problem: Problem, outcome: Outcome, when: str = "") -> None:
    """Rules 1 and 2."""
    state, told = outcome.state, f" after {when}" if when else ""
    for node, name in enumerate(problem.names):
        if node not in problem.hidden:
            same(
                state.labels[node],
                problem.observed_labels(node)[0],
                "observed nodes stay as they are",
                name,
            )
            continue
        k = problem.graph.nodes[node].n_clusters or state.n_clusters[node]
        found = np.unique(state.labels[node])
        hold(
            state.n_clusters[node] == k and np.array_equal(found, np.arange(k)),
            "every hidden node has the clusters that were asked for, none of them empty",
            f"{name!r} was to have {k}{told}; its labels are {found.tolist()[:20]}, of "
            f"{state.n_clusters[node]} clusters",
        )
    _check_mass(problem, state)
    true = problem.objective.value(state)
    hold(
        abs(outcome.objective - true) <= _CLOSE * max(1.0, abs(true)),
        "the objective that is reported is that of the state",
        f"it reports {outcome.objective:.9g}{told}, and the state has {true:.9g}",
    )


def _check_mass(problem: Problem, state: State) -> None:
    for node in problem.hidden:
        same(
            problem.canonical(state).labels[node],
            state.labels[node],
            "clusters are numbered by their mass (return problem.canonical(state))",
            f"clusters of {problem.names[node]!r}",
        )


def _check_progress(done: list[float]) -> None:
    """Rule 4."""
    rule = "progress goes to `control`, never falls and ends at 1"
    hold(done, rule, "there was none")
    falls = [(a, b) for a, b in pairwise(done) if b < a]
    hold(not falls, rule, f"it fell from {falls[0][0]} to {falls[0][1]}" if falls else "")
    hold(abs(done[-1] - 1) <= _CLOSE, rule, f"it ended at {done[-1]:.6g}")


def _check_stopped(problem: Problem, outcome: Outcome, when: str) -> None:
    """Rule 5."""
    try:
        _check_outcome(problem, outcome, when)
    except RuleError as error:
        raise RuleError("a search that is stopped gives a whole answer: {it}", it=error) from error
    hold(outcome.interrupted, "a search that was stopped says so", f"it did not after {when}")


def _interrupt(stop: int, control: Control | None) -> Listener:
    """A listener that presses Ctrl-C at an event, as threads hear of it where there are some."""
    told: list[Event] = []

    def listen(event: Event) -> None:
        told.append(event)
        if len(told) == stop:
            if control is None:
                raise KeyboardInterrupt
            control.stop()

    return listen
