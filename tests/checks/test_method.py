"""Every inference method passes the check of methods, and one that breaks a rule does not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from comraf.checks import check_method
from comraf.errors import RuleError
from comraf.inference import (
    METHODS,
    Method,
    run_sequential,
)
from comraf.progress import Reporter


@pytest.mark.parametrize("method", METHODS)
def test_methods_keep_the_rules(method: str) -> None:
    """On items with two sides, stopped anywhere."""
    check_method(method, stops=(1, 2, 3, 5, 8, 20, 80))


@dataclass
class Mistake:
    """What a method does wrong."""

    what: str = ""


def run(problem, options, seed, n_jobs, control):
    """A good search whose outcome is spoilt."""
    good = METHODS["sequential"].made({"n_restarts": 2})
    if options.what == "silent":
        control.reporter = Reporter()
    outcome = run_sequential(problem, good, seed, n_jobs, control)
    state, k = outcome.state, outcome.state.n_clusters[0]
    labels = state.labels[0].copy()
    spoilt: dict[str, Any] = {
        "objective": {"objective": outcome.objective + 0.1},
        "empty": {"state": state.replace(0, np.minimum(labels, k - 2), k)},
        "fewer": {"state": state.replace(0, np.minimum(labels, k - 2), k - 1)},
        "numbers": {"state": state.replace(0, k - 1 - labels, k)},
        "observed": {"state": state.replace(1, state.labels[1][::-1], state.n_clusters[1])},
        "stopped": {"interrupted": True},
        "never": {"interrupted": False},
        "part": {"interrupted": control.stopped},
        "traceless": {"trace": ()},
    }
    if options.what == "part" and control.stopped:
        return replace(outcome, state=state.replace(0, 0 * labels, 1), interrupted=True)
    if options.what == "threads" and n_jobs > 1:
        other = np.roll(labels, 1)
        state = problem.canonical(state.replace(0, other, k))
        return replace(outcome, state=state, objective=problem.objective.value(state))
    return replace(outcome, **spoilt.get(options.what, {}))


@pytest.mark.parametrize(
    ("mistake", "rule"),
    [
        ("objective", r"the objective that is reported is that of the state: it reports 0\.\d"),
        ("empty", "none of them empty: 'items' was to have 3; its labels are"),
        ("fewer", "'items' was to have 3; its labels are .*, of 2 clusters"),
        ("numbers", r"numbered by their mass \(return problem.canonical\(state\)\)"),
        ("observed", "observed nodes stay as they are: words differ at"),
        ("stopped", "only a search that was stopped says so"),
        ("never", "a search that was stopped says so: it did not after Ctrl-C at event 1"),
        ("part", "a search that is stopped gives a whole answer: .*'items' was to have 3 after"),
        ("threads", "with one thread and with two: clusters of 'items' differ at"),
        ("traceless", "an outcome has a trace of its steps: it is empty"),
        ("silent", "progress goes to `control`.*: there was none"),
    ],
)
def test_a_method_that_breaks_a_rule_is_told(mistake: str, rule: str) -> None:
    """In a sentence that says how."""
    method = Method("own", run, Mistake, sides=False)
    check_method(method)
    with pytest.raises(RuleError, match=rule):
        check_method(method, options=Mistake(mistake))


def test_a_line_in_methods_has_the_name_of_its_method(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else ``--method`` and what the method says of itself differ."""
    monkeypatch.setitem(METHODS.places, "sequel", METHODS.places["sequential"])
    with pytest.raises(RuleError, match="the line is 'sequel', the method 'sequential'"):
        check_method("sequel")
