"""Folders for work in progress, and those that were left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from comraf.cli.scratch import scratch_folder, sweep
from tests.cli.talking import comraf

DAY = 24 * 60 * 60
# Works in a folder until it is killed.
WORKER = """
import sys, time
from pathlib import Path
from comraf.cli.scratch import scratch_folder
with scratch_folder(Path(sys.argv[1])) as work:
    (work / "collection").mkdir()
    (work / "collection" / "items").write_text("private")
    print("ready", flush=True)
    time.sleep(600)
"""


def hidden(folder: Path) -> list[str]:
    """Names of hidden files and folders."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def age(path: Path, seconds: float) -> None:
    """Make a file or a folder with all in it look old."""
    then = time.time() - seconds
    for each in [*path.rglob("*"), path]:
        os.utime(each, (then, then))


def test_a_folder_goes_with_the_work(tmp_path: Path) -> None:
    """Gone at the end, and after an exception; readable by nobody else meanwhile."""
    with scratch_folder(tmp_path) as work:
        assert os.name != "posix" or work.stat().st_mode & 0o077 == 0
    assert hidden(tmp_path) == []
    with pytest.raises(ZeroDivisionError), scratch_folder(tmp_path):
        raise ZeroDivisionError
    assert hidden(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="there is no lock that goes with its process")
def test_a_killed_run_is_cleaned_up_and_a_running_one_is_not(tmp_path: Path) -> None:
    """While the process lives its folder stays; once it was killed, the next command clears it."""
    table, out = tmp_path / "table.npy", tmp_path / "out"
    np.save(table, np.eye(6, dtype=int))
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        assert comraf("cluster", table, "-k", 2, "-q", "--out", out).exit_code == 0
        assert len(hidden(tmp_path)) == 1
        worker.send_signal(signal.SIGKILL)
        worker.wait(60)
    assert len(hidden(tmp_path)) == 1
    assert comraf("cluster", table, "-k", 2, "-q", "--force", "--out", out).exit_code == 0
    assert hidden(tmp_path) == []
    assert (out / "result.json").is_file()


@pytest.mark.parametrize(
    "name",
    [
        ".comraf-abcd_123",  # what older versions made
        ".comraf-0123456789abcdef.new",
        ".comraf-0123456789abcdef.probe",
        ".comraf-0123456789abcdef.work",  # without a lock in it
        ".out.0123456789abcdef.partial",
    ],
)
def test_what_is_nobodys_goes_after_a_day(name: str, tmp_path: Path) -> None:
    """Where no process can be asked, only age tells; a day is enough, an hour is not."""
    left = tmp_path / name
    left.mkdir()
    (left / "collection").mkdir()
    (left / "collection" / "file").write_text("x")
    age(left, DAY / 24)
    assert sweep(tmp_path / "out") == 0
    age(left, 2 * DAY)
    os.utime(left / "collection" / "file")  # something in it is fresh
    assert sweep(tmp_path / "out") == 0
    age(left, 2 * DAY)
    assert sweep(tmp_path / "out") == 1
    assert not left.exists()


def test_nothing_else_is_touched(tmp_path: Path) -> None:
    """Other people's files, similar names, links and answers stay, however old they are."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter.txt").write_text("dear")
    kept = [
        *(".comraf", ".comraf-settings", ".comraf-ABCDEFGH", ".comraf-0123456789abcdef.older"),
        *(".other.0123456789abcdef.partial", "comraf-abcd1234", ".comraf-abcd1234.txt"),
        *(".config", "out-2", ".outx.0123456789abcdef.partial"),
    ]
    for name in kept:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
        age(tmp_path / name, 40 * DAY)
    link = tmp_path / ".comraf-abcd1234"
    link.symlink_to(mine, target_is_directory=True)
    assert sweep(tmp_path / "out") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*kept, "mine", link.name])
    assert (mine / "letter.txt").read_text() == "dear"


def test_a_place_that_is_not_there(tmp_path: Path) -> None:
    """The nearest folder above is looked at; nowhere is no error."""
    left = tmp_path / ".comraf-abcd1234"
    left.mkdir()
    age(left, 2 * DAY)
    assert sweep(tmp_path / "a" / "b" / "out") == 1
    assert not (tmp_path / "a").exists()


@pytest.mark.skipif(os.name != "posix", reason="needs locks")
def test_two_runs_into_one_folder(tmp_path: Path) -> None:
    """One has its answer there; the other one is refused, and says why."""
    table = tmp_path / "table.csv"
    table.write_text("row,column,count\nx,a,5\ny,a,4\ny,b,1\nz,b,6\n")
    command = [sys.executable, "-m", "comraf", "cluster", str(table), "-k", "2", "--quiet"]
    runs = [
        subprocess.Popen([*command, "--out", str(tmp_path / "out")], stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    told = [run.communicate(timeout=120)[1].decode() for run in runs]
    assert sorted(run.returncode for run in runs) == [0, 2], told
    assert re.search("another run of comraf is writing|not empty", "".join(told))
    assert (tmp_path / "out" / "result.json").is_file()
    assert sorted(os.listdir(tmp_path)) == ["out", "table.csv"]


def test_an_answer_that_was_hidden_is_not_written_over(tmp_path: Path) -> None:
    """It comes back before a run looks whether the folder is free."""
    table = tmp_path / "table.csv"
    table.write_text("row,column,count\nx,a,5\ny,a,4\ny,b,1\nz,b,6\n")
    asked = ("cluster", table, "-k", 2, "--quiet", "--out", tmp_path / "out")
    assert comraf(*asked).exit_code == 0
    (tmp_path / "out").rename(tmp_path / ".out.0123456789abcdef.older")
    answer = comraf(*asked, "--seed", 1)
    assert answer.exit_code == 2
    assert "not empty" in answer.stderr
    assert (tmp_path / "out" / "result.json").is_file()
