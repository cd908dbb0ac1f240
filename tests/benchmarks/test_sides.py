"""The benchmarks of sides and of reading, on small generated mail."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from benchmarks import reading, sides
from comraf.collection.sample import iter_messages


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder whose one archive is a mailbox in the layout of Enron's."""
    (tmp_path / "enron").mkdir()
    with tarfile.open(tmp_path / "enron" / "beck-s.tar.gz", "w:gz") as packed:
        for i, made in enumerate(iter_messages(120, 0)):
            content = made.message.as_bytes()
            entry = tarfile.TarInfo(f"beck-s/{made.topic}/{i}")
            entry.size = len(content)
            packed.addfile(entry, io.BytesIO(content))
    return tmp_path


def test_sides(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every graph gets a row, people are scored by their hosts, and nothing is measured twice."""
    arguments = ["--data", str(data), "--collections", "beck-s", "--runs", "2", "--peers"]
    arguments += ["--effort", "quick"]
    arguments += ["--out", str(tmp_path / "r.jsonl")]
    assert sides.main(arguments) == 0
    shown = capsys.readouterr().out
    for row in (*sides.GRAPHS, *sides.CLIQUEWISE):
        assert f"| {row} |" in shown
    assert "±" in shown
    assert "largest host" in shown
    lines = (tmp_path / "r.jsonl").read_text().splitlines()
    assert sides.main(arguments) == 0
    assert (tmp_path / "r.jsonl").read_text().splitlines() == lines
    default = [json.loads(line) for line in lines if "the default" in line]
    assert all(record["micro"] > 0.6 for record in default)


def test_reading(capsys: pytest.CaptureFixture[str]) -> None:
    """A generated mailbox is read in a process of its own, and the line has its numbers."""
    assert reading.main(["--generated", "60", "--jobs", "1"]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("| 60 generated messages | ")
    assert float(line.split("|")[-2]) > 10
