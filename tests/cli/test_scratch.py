"""Places that commands write to: one run at a time, and what killed ones left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.talking import comraf

# Works in a folder until it is killed.
WORKER = """
import sys, time
from pathlib import Path
from comraf.store import scratch_folder
with scratch_folder(Path(sys.argv[1])) as work:
    (work / "collection").mkdir()
    (work / "collection" / "items").write_text("private")
    print("ready", flush=True)
    time.sleep(600)
"""


def hidden(folder: Path) -> list[str]:
    """Names of hidden files and folders."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


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
