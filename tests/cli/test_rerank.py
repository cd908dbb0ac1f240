"""``comraf rerank``: ranked lists with their core first."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from comraf.workflows.cores import METHODS, read_background
from comraf.workflows.rerank import read_ranked
from tests.cli.talking import comraf, ended, refused, rows

TOPIC = "harbour anchor rudder hull keel mast sail deck".split()
OTHER = "oven flour yeast violin chord drum ledger invoice audit goal referee pitch comet".split()
COMMON = "people time water house year day world hand".split()


def result(i: int) -> tuple[str, str]:
    """Title and snippet: every third is about ships, the others about one thing each."""
    if i % 3 == 0:
        words = [TOPIC[(i + j) % 8] for j in range(5)]
    else:
        words = [OTHER[i % 13], OTHER[i % 13] + "s", f"rare{i}"]
    return f"Result {i}", " ".join([*words, COMMON[i % 8], COMMON[(i + 3) % 8]])


@pytest.fixture(scope="session")
def hits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list of sixty results, with columns that mean nothing to us."""
    path = tmp_path_factory.mktemp("hits") / "hits.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["position", "url", "title", "snippet", "price"])
        for i in range(60):
            writer.writerow([60 - i, f"https://a.test/{i}", *result(i), f"-{i},5"])
    return path


@pytest.fixture(scope="session")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of general frequencies."""
    path = tmp_path_factory.mktemp("usual") / "usual.tsv"
    lines = [f"{word}\t{10_000 if word in COMMON else 10}" for word in (*TOPIC, *OTHER, *COMMON)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_core_first_and_order_kept(hits: Path, usual: Path, tmp_path: Path) -> None:
    """Ships come first in their order, then the rest in theirs; all columns are there."""
    out = tmp_path / "new.csv"
    answer = comraf("rerank", hits, "-n", 20, "--background", usual, "--out", out)
    assert answer.exit_code == 0, answer.output
    found = rows(out)
    ships = [f"Result {i}" for i in range(60) if i % 3 == 0]
    others = [f"Result {i}" for i in range(60) if i % 3]
    assert [row["title"] for row in found] == ships + others
    assert [row["core"] for row in found] == ["1"] * 20 + ["0"] * 40
    assert [int(row["new_rank"]) for row in found] == list(range(1, 61))
    assert [int(row["old_rank"]) for row in found[:3]] == [1, 4, 7]
    assert set(found[0]) >= {"position", "url", "title", "snippet", "price"}
    assert found[1]["url"] == "https://a.test/3"
    assert found[1]["price"] == "'-3,5"  # no spreadsheet takes it for a formula
    line = next(text for text in answer.stdout.splitlines() if text.startswith("Words of"))
    assert set(line.partition(": ")[2].split(", ")) >= set(TOPIC)


def test_by_rank(hits: Path, usual: Path, tmp_path: Path) -> None:
    """With --rank the column says what the order is; cells of JSON lines are as they were."""
    out = tmp_path / "new.jsonl"
    given = ["--background", usual, "--rank", "position", "--out", out, "--quiet"]
    answer = comraf("rerank", hits, "-n", 20, *given)
    assert (answer.exit_code, answer.stdout) == (0, "")
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["position"] for row in found[:2]] == ["3", "6"]
    assert found[0]["price"] == "-57,5"
    assert (found[0]["old_rank"], found[0]["core"]) == (3, 1)


def test_without_a_number_nothing_is_written(hits: Path, usual: Path, tmp_path: Path) -> None:
    """Sizes are shown with scores, -n is asked for, and there is no file but the picture."""
    out, plot = tmp_path / "new.csv", tmp_path / "sizes.svg"
    given = ["--background", usual, "--method", "maxkl", "--out", out, "--plot", plot]
    answer = comraf("rerank", hits, *given)
    assert answer.exit_code == 2
    assert "stability" in answer.stdout
    assert "best" in answer.stdout
    assert "give -n " in answer.stderr
    assert answer.stderr.count("error: how large the core is has to be said") == 1
    assert not out.exists()
    assert ElementTree.fromstring(plot.read_text(encoding="utf-8")).tag.endswith("svg")  # noqa: S314


def test_auto_says_what_it_takes(hits: Path, usual: Path) -> None:
    """-n auto takes a size near the true one, and says so."""
    given = ["-n", "auto", "--background", usual, "--method", "maxkl"]
    answer = comraf("rerank", hits, *given)
    assert answer.exit_code == 0, answer.output
    assert "Taken, as -n auto asked" in answer.stdout
    found = json.loads(comraf("rerank", hits, *given, "--json").stdout)
    assert found["suggested"] is True
    assert 15 <= found["core"] <= 24
    assert {row["size"] for row in found["sizes"]} >= {found["core"]}
    assert len(found["results"]) == 60


def test_json_lines_and_columns_by_name(tmp_path: Path) -> None:
    """Numbers and nothing at all in cells; our columns don't take the place of the list's."""
    path = tmp_path / "hits.jsonl"
    lines = [
        json.dumps({"core": i, "name": result(i)[0], "summary": result(i)[1], "more": None})
        for i in range(30)
    ]
    lines[4] = json.dumps({"core": 4, "name": "", "summary": None})
    path.write_text("\n".join([*lines, "no JSON"]), encoding="utf-8")
    given = ["--title", "name", "--background", "flat", "--json"]
    answer = comraf("rerank", path, "-n", 10, *given)
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)["results"]
    assert len(found) == 30
    assert {row["core"] for row in found} == set(range(30))
    assert sum(row["core_"] for row in found) == 10
    assert not next(row["core_"] for row in found if row["core"] == 4)
    assert "1 rows can't be read" in answer.stderr
    assert "words are those of name, summary" in answer.stderr


def test_rank_nought_and_numbers_that_json_does_not_know(tmp_path: Path) -> None:
    """Ranks may count from 0, and NaN in a list does not make the answer unreadable."""
    path = tmp_path / "hits.jsonl"
    lines = [
        {"at": 29 - i, "title": result(i)[0], "text": result(i)[1], "x": [math.nan, 1.0, math.inf]}
        for i in range(30)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    out = tmp_path / "new.jsonl"
    given = ["--rank", "at", "--background", "flat", "--json", "--out", out]
    answer = comraf("rerank", path, "-n", 10, *given)
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout, parse_constant=pytest.fail)["results"]
    assert {row["old_rank"] - 1: row["at"] for row in found} == {i: i for i in range(30)}
    assert found[0]["x"] == [None, 1.0, None]
    written = out.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line, parse_constant=pytest.fail) for line in written] == found


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["-n", "0"], "-n 0 is not possible; give 1 or more"),
        (["-n", "60"], "give from 1 to 59"),
        (["-n", "many"], "no whole number"),
        (["-n", "5", "--rank", "title"], "which is no number"),
        (["-n", "5", "--text", "body"], "there is no such column"),
        (["-n", "5", "--kind", "mbox"], "no kind of list"),
        (["-n", "5", "--out", "list.xls"], "must end in .csv"),
        (["-n", "5", "--plot", "sizes.svg"], "--plot"),
        (["-n", "5", "--background", "nowhere.csv"], "there is no such file"),
    ],
)
def test_refused(hits: Path, given: list[str], said: str) -> None:
    """What can't be done is said in one sentence."""
    chosen = [] if "--background" in given else ["--background", "flat"]
    assert said in refused("rerank", hits, *given, *chosen)


def test_files_are_not_replaced(hits: Path, tmp_path: Path) -> None:
    """A file that is there stays, unless --force says otherwise."""
    out = tmp_path / "new.csv"
    out.write_text("mine")
    given = ["rerank", hits, "-n", 20, "--background", "flat", "--out", out, "--quiet"]
    assert "--force" in refused(*given)
    assert out.read_text() == "mine"
    assert comraf(*given, "--force").exit_code == 0
    assert len(rows(out)) == 60


def test_bad_lists(tmp_path: Path) -> None:
    """A folder, a file that is not there, one of two rows."""
    assert "folder" in refused("rerank", tmp_path, "-n", 1, "--background", "flat")
    assert "nothing at" in refused("rerank", tmp_path / "a.csv", "-n", 1, "--background", "flat")
    short = tmp_path / "short.csv"
    short.write_text("title,text\na,b\nc,d\n")
    assert "at least 3" in refused("rerank", short, "-n", 1, "--background", "flat")


def test_a_language_that_does_not_fit(tmp_path: Path) -> None:
    """Where hardly a word is known to the background, that is said."""
    pytest.importorskip("wordfreq")
    path = tmp_path / "made-up.csv"
    lines = [f"t{i},zzqa{i % 4} qqxv{i % 3} kkwz{i} vvqx{i % 5}" for i in range(20)]
    path.write_text("title,text\n" + "\n".join(lines), encoding="utf-8")
    answer = comraf("rerank", path, "-n", 5)
    assert answer.exit_code == 0
    assert "wordfreq:en knows only" in answer.stderr


def test_a_reader_that_leaves_early_loses_no_file(
    hits: Path, usual: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are written before anything is printed."""
    out, plot = tmp_path / "new.csv", tmp_path / "sizes.svg"
    given = ["-n", "auto", "--method", "maxkl", "--background", usual, "--out", out, "--plot", plot]
    theirs, ours = os.pipe()
    os.close(theirs)
    with open(ours, "w", encoding="utf-8") as gone:
        monkeypatch.setattr(sys, "stdout", gone)
        assert ended("rerank", hits, *given) == 1
    assert len(rows(out)) == 60
    assert plot.exists()


def test_results_that_are_all_alike(tmp_path: Path) -> None:
    """Where nothing differs, that is what is said, and not that no size is stable."""
    path = tmp_path / "same.csv"
    path.write_text("title,text\n" + "Sea,old ship in the harbour\n" * 20, encoding="utf-8")
    answer = comraf("rerank", path, "--background", "flat")
    assert answer.exit_code == 2
    assert "All documents score alike" in " ".join(answer.stdout.split())
    assert "stable" not in answer.stdout.replace("stability", "")
    assert "best score" not in answer.stderr


@pytest.mark.parametrize("command", ["rerank", "appearances"])
def test_languages_that_need_another_package(
    hits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """What is missing is named, with the ways out of a command line."""
    pytest.importorskip("wordfreq")
    for name in ("MeCab", "jieba"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "wordfreq.mecab", raising=False)
    (tmp_path / "ann").mkdir()
    own = ["-n", 5] if command == "rerank" else ["--out", tmp_path / "out"]
    place = hits if command == "rerank" else tmp_path
    said = refused(command, place, *own, "--background", "wordfreq:ja")
    assert "MeCab" in said
    assert "wordfreq[cjk]" in said
    assert "--background" in said


@pytest.mark.parametrize(
    ("options", "kind", "parameters"),
    [
        (["--effort", "paper"], "LTB", {"effort": "paper"}),
        (["--method", "occc", "--effort", "paper"], "OCCC", {"effort": "paper"}),
        (["--effort", "paper", "--pi", "0.02"], "LTB", {"effort": "paper", "pi": 0.02}),
        (["--effort", "paper", "--pi", "p_w"], "LTB", {"effort": "paper", "pi": "p_w"}),
        *(
            (["--method", name], kind, {})
            for name, kind in METHODS.items()
            if name not in ("ltb", "occc")
        ),
    ],
)
def test_every_one_class_method_is_reachable(
    hits: Path, usual: Path, options: list[str], kind: str, parameters: dict[str, object]
) -> None:
    """What the command line scores is what the estimator scores with the same parameters."""
    from comraf import oneclass

    answer = comraf("rerank", hits, "-n", 20, "--background", usual, "--json", *options)
    assert answer.exit_code == 0, answer.output
    ranked = read_ranked(hits)
    background = read_background(str(usual))
    model = getattr(oneclass, kind)(20, background=background, random_state=0, **parameters)
    model.fit(ranked.counts, words=ranked.words)
    results = json.loads(answer.stdout)["results"]
    found = {result["old_rank"]: result["core_score"] for result in results}
    for i, score in enumerate(model.scores_, start=1):
        assert found[i] == pytest.approx(score, abs=1e-6)


def test_options_of_other_methods_are_refused(hits: Path) -> None:
    """Nobody is left to believe that an option did something."""
    assert "--pi is for the method ltb" in refused(
        "rerank", hits, "-n", 9, "--method", "occc", "--pi", "0.3"
    )
    assert "--effort is for" in refused(
        "rerank", hits, "-n", 9, "--method", "svm", "--effort", "paper"
    )
    assert "--pi 2 is not possible" in refused("rerank", hits, "-n", 9, "--pi", "2")
