"""``comraf evaluate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.talking import comraf, refused


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("item,group\na,1\n", "no column 'cluster'"),
        ("item,cluster,truth\na,1,\n", "no item has a known class"),
        ("item,cluster,truth\na,1,x\na,2,y\n", "there twice"),
        ("", "no column 'item'"),
    ],
)
def test_evaluate_refuses_what_it_cannot_score(tmp_path: Path, content: str, message: str) -> None:
    """Missing columns, unknown classes and repeated items are named."""
    (tmp_path / "c.csv").write_text(content)
    answer = comraf("evaluate", tmp_path / "c.csv")
    assert answer.exit_code == 2
    assert message in answer.stderr


def test_evaluate_with_classes_from_another_file(tmp_path: Path) -> None:
    """Truth by item from a second file; items without a class are counted."""
    (tmp_path / "c.csv").write_text("item,cluster\na,1\nb,1\nc,2\nd,2\n")
    (tmp_path / "t.csv").write_text("item,truth\na,x\nb,x\nc,y\n")
    answer = comraf("evaluate", tmp_path / "c.csv", "--truth", tmp_path / "t.csv", "--json")
    scores = json.loads(answer.stdout)
    assert (scores["micro_accuracy"], scores["items_without_class"]) == (1.0, 1)


def test_no_classes_at_all(reviewed: Path, tmp_path: Path) -> None:
    """An answer without known classes: where they can come from is told."""
    sentence = refused("evaluate", reviewed)
    assert "no column 'truth'" in sentence
    assert "--truth FILE (a CSV file with the columns item and truth)" in sentence
    assert "organize PATH --truth folders" in sentence
    assert "holds no clusters.csv" in refused("evaluate", tmp_path)


@pytest.mark.parametrize(
    ("n_known", "n", "warns"), [(19, 30, True), (20, 30, False), (49, 1000, True)]
)
def test_few_known_classes_are_a_warning(n_known: int, n: int, warns: bool, tmp_path: Path) -> None:
    """Under twenty items, or under one in twenty: the scores are given, with a warning."""
    lines = [f"i{i},{i % 2},{'xy'[i % 2] if i < n_known else ''}\n" for i in range(n)]
    (tmp_path / "c.csv").write_text("item,cluster,truth\n" + "".join(lines))
    answer = comraf("evaluate", tmp_path / "c.csv")
    assert answer.exit_code == 0
    assert "micro accuracy" in answer.stdout
    assert (f"only {n_known} of {n:,} items have a known class" in answer.stderr) == warns


def test_one_class_is_nothing_to_score_against(tmp_path: Path) -> None:
    """With a single class every grouping scores the same, and that is said."""
    (tmp_path / "c.csv").write_text(
        "item,cluster,truth\n" + "".join(f"i{i},{i % 3},x\n" for i in range(40))
    )
    answer = comraf("evaluate", tmp_path / "c.csv")
    assert answer.exit_code == 0
    assert "only one known class" in answer.stderr
