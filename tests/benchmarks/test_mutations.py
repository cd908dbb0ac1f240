"""Mutations are drawn by a seed, can be read, and leave annotations alone."""

from __future__ import annotations

import ast

import pytest

pytest.importorskip("cosmic_ray", reason="cosmic-ray is not installed: see the extra `bench`")

from benchmarks.mutations import PACKAGE, choose_tests, draw


def test_the_same_seed_draws_the_same_mutations() -> None:
    """Each is one line of a module, changed and still Python; another seed draws others."""
    drawn = draw(8, 3, ["graph/scaling"])
    assert draw(8, 3, ["graph/scaling"]) == drawn
    assert draw(8, 4, ["graph/scaling"]) != drawn
    for mutation in drawn:
        before = (PACKAGE / f"{mutation['module']}.py").read_text("utf-8").splitlines()
        assert before[mutation["line"] - 1].strip() == mutation["old"] != mutation["new"]
        ast.parse(mutation["code"])


def test_choose_tests_a_module_come_before_others() -> None:
    """Lines that no test is seen to run are tried with all tests of the room."""
    contexts = {
        "graph/scaling": {
            7: ["tests/cli/test_a.py::test_x|run", "tests/graph/test_scaling.py::y|run"]
        },
        "graph/tables": {1: ["tests/graph/test_tables.py::test_z|run"]},
    }
    seen = choose_tests({"module": "graph/scaling", "line": 7}, contexts)
    assert seen == ["tests/graph/test_scaling.py::y", "tests/cli/test_a.py::test_x"]
    new = ["tests/graph/test_scaling.py::test_new", "tests/cli/test_b.py::test_other"]
    assert choose_tests({"module": "graph/scaling", "line": 7}, contexts, new) == [*seen, new[0]]
    unseen = choose_tests({"module": "graph/other", "line": 2}, contexts)
    assert set(unseen) == {*seen, "tests/graph/test_tables.py::test_z"}
