from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.genres import main
from benchmarks.store import ResultStore


def test_rows_are_measured_once_and_shown(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every row and seed is stored; the same command again measures nothing."""
    out = tmp_path / "genres.jsonl"
    command = ["--data", str(data), "--out", str(out), "--runs", "2", "--effort", "quick"]
    command += ["--rows", "words", "pos1", "words+pos+style"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "| words + POS bigrams + style |" in shown
    assert len(ResultStore(out).records()) == 6
    words = [r["micro"] for r in ResultStore(out).records() if r["row"] == "words"]
    assert words == [1.0, 1.0]  # one word tells the two genres apart
    assert main([*command[2:]]) == 0  # without data: nothing is missing
    assert capsys.readouterr().out == shown
