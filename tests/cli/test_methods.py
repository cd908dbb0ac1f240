"""The words of --method and its options, held equal to the engine's."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp

import comraf
from comraf.cli.choices import Direction, Method, Updates
from comraf.cli.longrun import LongRun, Watch
from comraf.cli.methods import WAYS, MethodSearch, check_options, load_table, solve_by
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
    spelled = {"restarts": "n_restarts", "runs": "n_runs", "columns_k": "column_clusters"}
    for option in way.takes - {"columns_k", "checkpoint", "resume"}:
        assert getattr(search, option) == parameters[spelled.get(option, option)], option


def test_every_option_belongs_to_some_method() -> None:
    """Whatever a method takes is refused by one that does not, and by name."""
    for name, way in WAYS.items():
        check_options(name, way.takes)
    with pytest.raises(comraf.errors.InputError, match=r"--coarse.*it is for agglomerative$"):
        check_options("ib", ["coarse"])


@pytest.mark.parametrize(
    ("name", "direction"), [*((name, "bottom-up") for name in WAYS), ("ib", "top-down")]
)
def test_answers_are_those_of_the_estimators(name: str, direction: str, tmp_path: Path) -> None:
    """The command finds the labels that the estimator finds on the same table with that seed."""
    rng = np.random.default_rng(1)
    table = rng.poisson(
        np.where(np.arange(50)[:, None] % 3 == np.arange(30)[None, :] % 3, 1.5, 0.3)
    )
    sp.save_npz(tmp_path / "table.npz", sp.csr_matrix(table))
    way = WAYS[name]
    search = MethodSearch(**(dict(way.defaults) | {"seed": 3}), method=name, direction=direction)
    columns = {"columns_k": 3} if way.columns else {}
    run = load_table(tmp_path / "table.npz", search, k=3, **columns)
    found = solve_by(run.graph, search, lambda event: None, LongRun(), Watch())
    more = {"column_clusters": 3} if way.columns else {}
    if "direction" in way.takes:
        more["direction"] = direction
    model = getattr(comraf, way.title)(3, random_state=3, **more).fit(table)
    np.testing.assert_array_equal(found.labels["rows"], model.labels_)
