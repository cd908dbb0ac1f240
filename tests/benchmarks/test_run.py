"""The main command, from raw data to a table."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.run import Cell, main, measure_cell, plan
from benchmarks.store import ResultStore

ROOT = Path(__file__).resolve().parents[2]


def command(data: Path, folder: Path, *more: str) -> list[str]:
    """Arguments of a run that takes seconds."""
    return [
        *("--data", str(data), "--cache", str(folder / "cache"), "--out", str(folder / "r.jsonl")),
        *("--datasets", "cora", "--methods", "nmf", "kmeans-lsa", "--seeds", "0"),
        *("--base", "nmf", *more),
    ]


def test_cells_are_interleaved() -> None:
    """All methods of a seed come before the next seed; senseless weightings are left out."""
    order = list(plan(["cora", "brown"], ["lda", "sib-n1"], ["raw", "log"], [0, 1]))
    assert [cell.seed for cell in order] == [0] * 6 + [1] * 6
    assert [(cell.dataset, cell.method, cell.weighting) for cell in order[:3]] == [
        ("cora", "lda", "raw"),
        ("cora", "sib-n1", "raw"),
        ("cora", "sib-n1", "log"),
    ]


@pytest.mark.slow
def test_run_resume_and_print(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run measures every cell once; again, only what is missing."""
    store = ResultStore(tmp_path / "r.jsonl")
    assert main(command(data, tmp_path, "--markdown")) == 0
    printed = capsys.readouterr()
    assert "| KMeans on 100-dim LSA n10 | raw | 1 |" in printed.out
    assert "papers/cora.npz" in printed.out
    first = store.records()
    assert [(r["method"], r["seed"]) for r in first] == [("nmf", 0), ("kmeans-lsa", 0)]
    assert all(r["status"] == "ok" and r["k"] == 3 for r in first)

    assert main(command(data, tmp_path)) == 0
    assert "measured before" in capsys.readouterr().err
    assert store.records() == first

    # The end of the file is lost, as after a crash: that cell alone is measured again.
    store.path.write_bytes(store.path.read_bytes()[:-30])
    assert main(command(data, tmp_path)) == 0
    assert [r["method"] for r in store.records()] == ["nmf", "kmeans-lsa"]
    assert capsys.readouterr().err.count("measured before") == 1

    assert main(command(data, tmp_path, "--table-only", "--markdown")) == 0
    assert capsys.readouterr().out.count("| raw | 1 |") == 2

    # The base of the ratios need not be shown.
    assert main(command(data, tmp_path, "--table-only", "--methods", "kmeans-lsa")) == 0
    alone = capsys.readouterr().out
    assert "×" in alone.split("KMeans on 100-dim LSA n10")[1]
    assert "│ NMF on tf-idf" not in alone


def test_a_timeout_is_a_result(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run goes on, tells it, does not try again unless asked to."""
    arguments = command(data, tmp_path, "--methods", "nmf", "--timeout", "0.01")
    assert main(arguments) == 0
    assert "timed out" in capsys.readouterr().out
    assert main(arguments) == 0
    (record,) = ResultStore(tmp_path / "r.jsonl").records()
    assert record["status"] == "timed out"
    assert main([*arguments, "--timeout", "100", "--retry"]) == 0
    assert ResultStore(tmp_path / "r.jsonl").records()[-1]["status"] == "ok"


def test_a_failure_is_a_result(tmp_path: Path) -> None:
    """What goes wrong in the worker comes back as text."""
    result = measure_cell(Cell("cora", "nmf", "raw", 0), tmp_path / "missing.npz", 60)
    assert result["status"] == "failed"
    assert result["error"].startswith("ReadError: ")
    assert "missing.npz" in result["error"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
@pytest.mark.slow
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_being_stopped_keeps_what_was_measured(
    way: signal.Signals, data: Path, tmp_path: Path
) -> None:
    """Stopped in the middle: exit code 130, whole lines, a table of what there is."""
    out = tmp_path / "r.jsonl"
    seeds = [str(seed) for seed in range(200)]
    arguments = command(data, tmp_path, "--methods", "nmf", "--seeds", *seeds)
    paths = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        deadline = time.monotonic() + 60
        while (not out.exists() or not out.read_bytes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(way)
        printed, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert "NMF on tf-idf" in printed
    assert "goes on from there" in told
    lines = out.read_text().splitlines()
    assert 1 <= len(lines) < 200
    assert all(json.loads(line)["status"] == "ok" for line in lines)
