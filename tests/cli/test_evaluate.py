"""``comraf evaluate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.talking import comraf, refused, rows


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


def test_other_ids_are_shown_with_those_wanted(tmp_path: Path) -> None:
    """Where no item fits, one of each file says how they differ."""
    (tmp_path / "c.csv").write_text("item,cluster\nx.txt:1,1\nx.txt:2,2\n")
    (tmp_path / "t.csv").write_text("item,truth\n1,x\n2,y\n")
    sentence = refused("evaluate", tmp_path / "c.csv", "--truth", tmp_path / "t.csv")
    assert "its first item is '1', where c.csv has such as 'x.txt:1'" in sentence


def test_people_can_be_scored(organized: Path, tmp_path: Path) -> None:
    """The file of another side and classes of its values are as good as documents."""
    people = rows(organized / "people.csv")
    name = next(iter(people[0]))
    (tmp_path / "t.csv").write_text(
        f"{name},truth\n" + "".join(f'"{line[name]}",{line["cluster"]}\n' for line in people)
    )
    answer = comraf("evaluate", organized / "people.csv", "--truth", tmp_path / "t.csv", "--json")
    assert answer.exit_code == 0, answer.output
    scores = json.loads(answer.stdout)
    assert (scores["items"], scores["one_to_one_accuracy"]) == (len(people), 1.0)


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
    assert "purity" in answer.stdout
    assert (f"only {n_known} of {n:,} items have a known class" in answer.stderr) == warns


def test_one_class_is_nothing_to_score_against(tmp_path: Path) -> None:
    """With a single class every grouping scores the same, and that is said."""
    (tmp_path / "c.csv").write_text(
        "item,cluster,truth\n" + "".join(f"i{i},{i % 3},x\n" for i in range(40))
    )
    answer = comraf("evaluate", tmp_path / "c.csv")
    assert answer.exit_code == 0
    assert "only one known class" in answer.stderr


def test_a_wide_table_is_shown_in_parts(tmp_path: Path) -> None:
    """More groups than fit in a line, and more than are shown: no column is lost unsaid."""
    lines = [f"i{i},{i % 60},{'ab'[i % 2]}" for i in range(600)]
    (tmp_path / "c.csv").write_text("item,cluster,truth\n" + "\n".join(lines))
    shown = comraf("evaluate", tmp_path / "c.csv").stdout
    heads = " ".join(line for line in shown.splitlines() if line.startswith("  class"))
    assert heads.replace("class", "").split() == [str(i) for i in range(40)]
    assert "The first 40 of each are shown; --out FILE writes all." in shown
