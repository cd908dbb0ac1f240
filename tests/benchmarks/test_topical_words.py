"""The table of the bound against what is measured."""

from __future__ import annotations

import pytest

from benchmarks.topical_words import CONSTANTS, main, measured


def test_accuracy_rises_with_the_constant() -> None:
    """More samples find more, and all of them from the constant 2 on."""
    found = list(measured(600, 0.2, 0.2, 0.01, 5, 0, 10_000))
    assert [constant for constant, _ in found] == [None, *CONSTANTS]
    accuracy = [simulation.accuracy for _, simulation in found[1:]]
    assert accuracy[0] < accuracy[2] < 1.0
    assert {value for c, value in zip(CONSTANTS, accuracy, strict=True) if c >= 2} == {1.0}


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each constant, with its number of samples."""
    assert main(["--words", "200", "--runs", "2", "--samples", "5000"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 + 1 + len(CONSTANTS)
    assert "| 16 |" in lines[-1]
