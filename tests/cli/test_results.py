"""``comraf explain``, ``compare`` and ``taxonomy``: questions about what organize wrote."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from comraf.cli.files import write_csv
from comraf.store import claimed
from tests.cli.talking import comraf, refused, rows


@pytest.mark.parametrize("asked", [("explain", "17"), ("evaluate",), ("assign", "--side", "words")])
def test_an_answer_whose_writer_was_killed_is_made_whole(
    asked: tuple[str, ...], organized: Path, tmp_path: Path
) -> None:
    """Whoever asks about it first moves what was ready into its place."""
    ready = tmp_path / "out" / ".comraf.0123456789abcdef.ready"
    shutil.copytree(organized, ready)
    (ready / "plan.json").write_text('{"own": [], "stale": [5, "../x"]}')
    command, *more = asked
    if command == "assign":
        more = [str(organized.parent / "Mail"), *more]
    answer = comraf(command, tmp_path / "out", *more)
    assert answer.exit_code == 0, answer.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        path.name for path in organized.iterdir()
    )


def test_a_loopy_graph_and_one_of_the_users_own(mailbox: Path, tmp_path: Path) -> None:
    """The graph is made again as it was solved, whatever its shape."""
    spec = tmp_path / "graph.yaml"
    spec.write_text(
        "format: comraf-graph\nversion: 1\nnodes:\n  - {name: documents, clusters: 5}\n"
        "  - {name: words, direction: top-down}\n  - {name: people, observed: singletons}\n"
        "edges:\n  - {between: [documents, words], table: words, weighting: log}\n"
        "  - {between: [documents, people], table: people, weight: 0.4}\n"
    )
    for graph in ("loopy", str(spec)):
        out = tmp_path / Path(graph).stem
        made = comraf("organize", mailbox, "--graph", graph, "-q", "--out", out)
        assert made.exit_code == 0, made.output
        for arguments in (("explain", out, "0"), ("taxonomy", out, "--sizes", "2,15")):
            answer = comraf(*arguments)
            assert answer.exit_code == 0, answer.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "nowhere", "1"], "nothing of this name"),
        (["explain", "OUT", "no such thing"], "is none of the"),
        (["explain", "OUT", "@"], "may be any of"),
        (["explain", "OUT", "9" * 5000], "is none of the"),
        (["taxonomy", "OUT", "--sizes", "9" * 5000], "--sizes 999"),
        (["topics", "OUT", "-n", "9" * 5000], "-n 999"),
        (["topics", "OUT", "--by", "9" * 5000], "--by 999"),
        (["explain", "OUT", "1", "--side", "colours"], "choose one of documents, words"),
        (["taxonomy", "OUT", "--sizes", "2,x"], "such as 4,20,80"),
        (["taxonomy", "OUT", "--sizes", "0"], "such as 4,20,80"),
        (["taxonomy", "OUT", "--sizes", "99999"], "99999 clusters"),
        (["compare", "OUT", "OUT", "--side", "colours"], "no side of this name"),
        (["compare", "OUT", "OUT", "--force"], "--force is about the file"),
    ],
)
def test_questions_that_make_no_sense(arguments: list[str], message: str, organized: Path) -> None:
    """One sentence that says what would do."""
    given = [str(organized) if part == "OUT" else part for part in arguments]
    assert message in refused(*given)


def test_who_may_be_meant_is_told_by_titles(organized: Path) -> None:
    """Numbers that can be typed, with titles that can be read, not the ids of messages."""
    known = rows(organized / "clusters.csv")
    word = max(
        (part for line in known for part in line["title"].lower().split() if len(part) > 4),
        key=lambda part: sum(part in line["title"].lower() for line in known),
    )
    sentence = refused("explain", organized, word)
    first = next(i for i, line in enumerate(known) if word in line["title"].lower())
    assert f": {first} ({known[first]['title']})" in sentence
    assert "@" not in sentence
    assert sentence.rstrip().endswith("give the number of one")


def test_answers_that_are_not_whole(organized: Path, tmp_path: Path) -> None:
    """Without groups, without documents, with other documents, with damaged files."""
    bare = tmp_path / "bare"
    bare.mkdir()
    assert "holds no answer" in refused("explain", bare, "1")
    copy = tmp_path / "copy"
    shutil.copytree(organized, copy)
    shutil.rmtree(copy / "collection")
    assert "documents of this answer are not there" in refused("explain", copy, "1")
    shutil.copytree(organized / "collection", copy / "collection")
    document = json.loads((copy / "result.json").read_text())
    document["edges"][0]["weighting"] = "binary"
    (copy / "result.json").write_text(json.dumps(document))
    assert "not made of the documents in it" in refused("taxonomy", copy, "--sizes", "2")
    document["edges"][0]["weighting"] = "nonsense"
    (copy / "result.json").write_text(json.dumps(document))
    assert "can't be made again" in refused("taxonomy", copy, "--sizes", "2")
    (copy / "result.json").write_text("{")
    assert "result.json: is damaged" in refused("explain", copy, "1")
    (copy / "clustering" / "clustering.json").write_text("{}")
    assert "not a comraf clustering" in refused("compare", copy, organized)
    shutil.rmtree(copy / "clustering")
    assert "without --no-text" in refused("compare", organized, copy)


def test_a_file_that_came_meanwhile_is_kept(tmp_path: Path) -> None:
    """Nothing was there when the work began, so nothing may be replaced at its end."""
    out = tmp_path / "out.csv"
    out.write_text("mine")
    with pytest.warns(UserWarning, match=r"kept as out\.csv\.before-comraf"):
        write_csv(out, ["item"], [["a"]], force=False)
    assert (tmp_path / "out.csv.before-comraf").read_text() == "mine"
    assert out.read_text() == "item\na\n"


def test_two_runs_into_one_file(organized: Path, tmp_path: Path) -> None:
    """The second one is told, rather than take the place of the first one's answer."""
    out = tmp_path / "out.csv"
    with claimed(out):
        code = "from comraf.cli import main; main()"
        given = ["taxonomy", str(organized), "--sizes", "2", "--out", str(out)]
        run = subprocess.run(
            [sys.executable, "-c", code, *given], capture_output=True, text=True, timeout=60
        )
    assert (run.returncode, out.exists()) == (2, False)
    assert "another run of comraf is writing to it" in run.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_devices_are_not_replaced(organized: Path, tmp_path: Path) -> None:
    """With --force /dev/null would become a file, for whoever may write there."""
    out = tmp_path / "out.csv"
    os.mkfifo(out)
    given = ["taxonomy", organized, "--sizes", "2", "--out", out, "--force"]
    assert "neither a file nor a folder" in refused(*given)
    assert "exists and is not empty" in refused("sample", "mail", out)
    assert out.is_fifo()
