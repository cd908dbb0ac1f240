"""The benchmark of explanations and confidence, on a small prepared table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import explaining
from benchmarks.datasets import Dataset


def test_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Evidence words matter more than others, and every decile has its numbers."""
    rng = np.random.default_rng(0)
    topic = np.arange(90) % 3
    rate = np.where(topic[:, None] == (np.arange(45) % 3)[None, :], 2.0, 0.4)
    table = Dataset.build(
        "tiny",
        rng.poisson(rate),
        [f"class {t}" for t in topic],
        [f"d{i}" for i in range(90)],
        [f"w{i}" for i in range(45)],
        ["none"],
    )
    monkeypatch.setattr(explaining, "load", lambda name, data, cache: table)
    arguments = ["--data", str(tmp_path), "--datasets", "tiny", "--documents", "30", "--top", "3"]
    assert explaining.main(arguments) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| tiny")]
    cells = [cell.strip() for cell in lines[0].split("|")[1:-1]]
    assert cells[:3] == ["tiny", "0", "30"]
    counted, text, others = (float(cell.rstrip("%")) for cell in cells[3:])
    assert counted >= 95
    assert text >= 95
    assert counted > others
    assert lines[1].count(":") == 10
