"""The words of --method and its options, held equal to the engine's."""

from __future__ import annotations

from typing import get_args

import pytest

import comraf
from comraf.cli.choices import Direction, Method, Updates
from comraf.cli.methods import WAYS, MethodSearch, check_options
from comraf.graph.model import Direction as EngineDirection
from comraf.inference import UPDATES


def test_choices_are_the_engines() -> None:
    """Every method has its way, every way its estimator of the same name."""
    assert [method.value for method in Method] == ["mdc", *WAYS]
    assert [update.value for update in Updates] == list(UPDATES)
    assert [direction.value for direction in Direction] == list(get_args(EngineDirection))
    assert all(way.title in comraf.__all__ for way in WAYS.values())


@pytest.mark.parametrize("name", WAYS)
def test_defaults_are_those_of_the_estimators(name: str) -> None:
    """Without options a method searches as its estimator does by default."""
    way = WAYS[name]
    parameters = getattr(comraf, way.title)().get_params()
    search = MethodSearch(**way.defaults, method=name)
    spelled = {"restarts": "n_restarts", "columns_k": "column_clusters"}
    for option in way.takes - {"columns_k", "checkpoint", "resume"}:
        assert getattr(search, option) == parameters[spelled.get(option, option)], option


def test_every_option_belongs_to_some_method() -> None:
    """Whatever a method takes is refused by one that does not, and by name."""
    for name, way in WAYS.items():
        check_options(name, way.takes)
    with pytest.raises(comraf.errors.InputError, match=r"--coarse.*it is for agglomerative$"):
        check_options("ib", ["coarse"])
