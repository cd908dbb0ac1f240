"""``comraf demo``."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from comraf.cli import app


def test_demo(tmp_path: Path) -> None:
    """The demo shows groups of messages by all sides, close to the truth, and where to go next."""
    start = time.process_time()
    answer = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "out")])
    assert answer.exit_code == 0, answer.output
    assert time.process_time() - start < 60
    assert "telling words" in answer.stdout
    sizes = [int(size) for size in re.findall(r"(?m)^ *(\d+)  \w+ \d+%", answer.stdout)]
    assert len(sizes) == 8
    assert sizes == sorted(sizes, reverse=True)
    assert "comraf organize PATH" in " ".join(answer.stdout.split())
    accuracy, alone = re.findall(r"(\d+)%", answer.stdout)[-2:]
    assert int(accuracy) >= 90
    assert int(alone) > 50
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *("messages.csv", "words.csv", "people.csv", "subjects.csv"),
        *("result.json", "graph.svg"),
    }
    document = json.loads((tmp_path / "out" / "result.json").read_text())
    assert len(document["sides"]["messages"]["clusters"]) == 8


def test_quiet() -> None:
    """--quiet prints nothing."""
    answer = CliRunner().invoke(app, ["demo", "--quiet"])
    assert (answer.exit_code, answer.output) == (0, "")


@pytest.mark.parametrize("arguments", [["--seed", "-1"], ["--force"], ["extra"]])
def test_bad_options(arguments: list[str]) -> None:
    """Bad options are exit code 2 and one sentence."""
    answer = CliRunner().invoke(app, ["demo", *arguments])
    assert answer.exit_code == 2
    assert answer.stderr.startswith("comraf: error: ")
    assert answer.stderr.count("\n") == 1


def test_full_folder(tmp_path: Path) -> None:
    """A full folder needs --force."""
    (tmp_path / "mine.txt").write_text("mine")
    answer = CliRunner().invoke(app, ["demo", "--out", str(tmp_path)])
    assert answer.exit_code == 2
    assert "not empty" in answer.stderr
