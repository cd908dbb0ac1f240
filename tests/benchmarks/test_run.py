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

from benchmarks.methods import METHODS, Method
from benchmarks.run import Cell, _why, main, measure_cell, plan
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


def test_fresh_starts_over(data: Path, tmp_path: Path) -> None:
    """The old results are kept under another name and play no part."""
    path = tmp_path / "r.jsonl"
    path.write_text('{"old": true}\n')
    # A time-out is the quickest result there is.
    arguments = command(data, tmp_path, "--fresh", "--methods", "nmf", "--timeout", "0.01")
    assert main(arguments) == 0
    assert len(ResultStore(path).records()) == 1
    assert "old" in (tmp_path / "r.jsonl.old").read_text()


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


def test_a_missing_peer_is_told(
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A package that is not installed leaves a row that says so; the run goes on."""
    absent = Method("Absent", METHODS["nmf"].fit, "no-such-package-at-all", ("raw",))
    monkeypatch.setitem(METHODS, "absent", absent)
    arguments = command(data, tmp_path, "--methods", "absent", "nmf", "--timeout", "0.01")
    assert main([*arguments, "--markdown"]) == 0
    out = capsys.readouterr().out
    assert "| Absent | raw | 0 | not installed |" in out
    assert "| NMF on tf-idf | raw | 0 | timed out |" in out


def test_a_killed_worker_is_explained() -> None:
    """A signal is named, another end shows the last line of its complaint."""
    assert _why(-9, "") == "ended by signal 9 (out of memory?)"
    assert _why(3, "first\nlast\n") == "exit code 3: last"
    assert _why(3, "") == "exit code 3: no message"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--datasets", "30ng"), "unknown dataset"),
        (("--methods", "magic"), "unknown method"),
        (("--weightings", "tfidf"), "unknown weighting"),
        (("--base", "magic"), "unknown method"),
        (("--data", "/nonexistent-folder"), "not a folder"),
    ],
)
def test_bad_arguments_are_one_sentence(
    more: tuple[str, ...],
    message: str,
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2, one line, nothing measured."""
    assert main(command(data, tmp_path, *more)) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert ResultStore(tmp_path / "r.jsonl").records() == []


def test_no_data_folder_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --data and COMRAF_DATA the command says how to give it."""
    monkeypatch.delenv("COMRAF_DATA", raising=False)
    assert main(["--datasets", "cora", "--out", str(tmp_path / "r.jsonl")]) == 2
    assert "COMRAF_DATA" in capsys.readouterr().err


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
