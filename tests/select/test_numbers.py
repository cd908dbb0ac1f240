"""How many groups there are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import comraf
from comraf.errors import code_of
from comraf.select import how_many
from comraf.select.numbers import _chosen


def planted(k: int, n: int = 400) -> np.ndarray:
    """Counts of stories with words of their own."""
    own = np.repeat(np.eye(k), 30, axis=1)[np.arange(n) % k]
    return np.random.default_rng(k).poisson(0.05 + 1.2 * own)


@pytest.mark.parametrize("k", [4, 8, 14])
def test_planted_numbers_are_found(k: int) -> None:
    """Stories with words of their own, from few to many."""
    found = how_many({"words": planted(k)})
    assert found is not None
    assert found.best == k


def test_the_order_of_items_and_of_sides_is_nothing() -> None:
    """The side with most counts is asked, wherever it stands."""
    words, tags = planted(6), np.random.default_rng(0).poisson(0.1, (400, 30))
    one, other = how_many({"words": words, "tags": tags}), how_many({"tags": tags, "words": words})
    assert one == other
    assert one is not None
    assert abs(one.best - 6) <= 1


def test_a_curve_is_cut_where_more_adds_little() -> None:
    """Not at its end where that is flat, and at its end where it climbs all the way."""
    flat = _chosen(np.array([0.3, 0.6, 0.9, *np.linspace(0.95, 1.0, 40)]))
    climbing = _chosen(np.linspace(0.0, 1.0, 40))
    assert flat is not None
    assert flat.best < 8
    assert flat.plateaus[0] < flat.best
    assert climbing is not None
    assert climbing.best > 35
    assert _chosen(np.array([-1.0, -0.5])) is None


def test_few_items_have_no_number() -> None:
    """Below 200 nothing is said."""
    assert how_many({"words": planted(4, n=190)}) is None


def test_organize_takes_it_unless_a_number_is_asked_for(tmp_path: Path) -> None:
    """The note names the other good numbers; with a number nobody asks."""
    lines = ["text"]
    for row in planted(5, n=300):
        counted = np.repeat(np.arange(len(row)), row)
        lines.append(" ".join(f"{chr(97 + c % 26)}{chr(97 + c // 26)}x" for c in counted))
    (tmp_path / "texts.csv").write_text("\n".join(lines))
    answer = comraf.organize(tmp_path / "texts.csv", effort="quick")
    assert answer.numbers is not None
    assert len(answer.clusters["documents"]) == answer.numbers.best
    assert [code_of(hint) for hint in answer.hints].count("numbers") == 1
    asked = comraf.organize(tmp_path / "texts.csv", 3, effort="quick")
    assert asked.numbers is None
    assert len(asked.clusters["documents"]) == 3
