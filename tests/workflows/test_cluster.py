"""Methods of cluster: their defaults and answers are those of the estimators."""

from __future__ import annotations

import pytest

import comraf
from comraf.errors import InputError
from comraf.inference import METHODS
from comraf.workflows.cluster import ClusterOptions

# Methods that an estimator of tables has.
ESTIMATED = [name for name, method in METHODS.items() if method.estimator]
# What a command says of a search, and an estimator has under the same name.
_ASKED = {
    *("effort", "n_runs", "n_restarts", "schedule", "merge_cost", "balance", "moves", "passes"),
    *("direction", "updates", "coarse"),
}


@pytest.mark.parametrize("name", ESTIMATED)
def test_defaults_are_those_of_the_estimators(name: str) -> None:
    """Without options a method searches as its estimator does by default."""
    parameters = getattr(comraf, METHODS[name].title)().get_params()
    options = ClusterOptions(method=name).resolved()
    for option in METHODS[name].takes:
        if option in _ASKED:
            assert getattr(options, option) == parameters[option], option


@pytest.mark.parametrize("name", METHODS)
def test_what_a_method_does_not_look_at_is_refused(name: str) -> None:
    """Options belong to methods; the message says to which."""
    given = {"coarse": 5, "updates": "batch", "direction": "top-down", "moves": "shuffled"}
    for option, value in given.items():
        options = ClusterOptions(method=name, **{option: value})
        if option in METHODS[name].takes:
            assert getattr(options.resolved(), option) == value
            continue
        with pytest.raises(InputError, match=rf"{option} .* method='{name}'; it is for"):
            options.resolved()
