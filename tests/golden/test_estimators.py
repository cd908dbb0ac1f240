"""Every estimator finds for a seed what it found when the golden files were written."""

from __future__ import annotations

import pytest

from tests.golden.comparing import EXPECTED, expected, hold
from tests.golden.estimators import CASES, public, run


@pytest.mark.parametrize("name", CASES)
def test_answers_stay(name: str) -> None:
    """Labels, objective, core or questions of a case are what the file says."""
    kind = name.split(",")[0]
    hold(run(name), expected(f"estimators/{kind}.json").get(name), name)


def test_every_estimator_has_a_case() -> None:
    """A new estimator needs a case here, and every case that was written is still run."""
    there = {name.split(",")[0] for name in CASES}
    assert public() <= there, "add a case to tests/golden/estimators.py, then write it"
    written = {
        name
        for path in EXPECTED.glob("estimators/*.json")
        for name in expected(f"estimators/{path.name}")
    }
    assert written == set(CASES)
