"""Ctrl-C at every moment: one line, exit code 130, and nothing lost that was found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from comraf.cli.interrupts import DeferredInterrupt

START = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
def press():
    signal.raise_signal(signal.SIGINT)
"""
RUN = """
from comraf.cli import main
main()
"""


def program(before: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command line in which something presses Ctrl-C at a chosen moment."""
    return subprocess.run(
        [sys.executable, "-c", START + before + RUN, *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A small table."""
    np.save(tmp_path / "table.npy", np.array([[4, 3, 0, 0]] * 6 + [[0, 0, 5, 2]] * 4))
    return tmp_path / "table.npy"


LOADING = """
class Early:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            press()
sys.meta_path.insert(0, Early())
"""
PARSING = """
from comraf.cli.program import Program
Program.make_context = lambda *_, **__: press()
"""


@pytest.mark.parametrize(
    "before",
    [
        LOADING.format(module="typer"),
        LOADING.format(module="comraf.cli.organize"),
        LOADING.format(module="comraf.workflows.cluster"),
        LOADING.format(module="scipy.sparse"),
        PARSING,
    ],
)
def test_before_anything_was_done(before: str, table: Path, tmp_path: Path) -> None:
    """While commands are loaded, options are read, or libraries are loaded: never in silence."""
    answer = program(before, "cluster", table, "-k", 2, "--out", tmp_path / "out")
    assert answer.returncode == 130, answer.stderr
    assert answer.stderr == "comraf: stopped: nothing was written\n"
    assert not (tmp_path / "out").exists()


WRITING = """
from comraf.results import files
really = files.write_folder
def slowly(*arguments, **options):
    for _ in range({times}):
        press()
    return really(*arguments, **options)
files.write_folder = slowly
"""


def test_once_while_writing_waits(table: Path, tmp_path: Path) -> None:
    """The search is over: its answer is written, and the exit code tells what happened."""
    out = tmp_path / "out"
    answer = program(WRITING.format(times=1), "cluster", table, "-k", 2, "--out", out)
    assert answer.returncode == 130
    assert answer.stderr.splitlines() == [
        "comraf: finishing: the answer is being written; Ctrl-C again leaves without it",
        f"comraf: stopped: the answer was kept in {out}",
    ]
    assert len((out / "rows.csv").read_text().splitlines()) == 11


def test_twice_while_writing_does_not(table: Path, tmp_path: Path) -> None:
    """Who presses again means it: nothing is left behind."""
    answer = program(WRITING.format(times=2), "cluster", table, "-k", 2, "--out", tmp_path / "out")
    assert answer.returncode == 130
    assert answer.stderr.splitlines()[1:] == ["comraf: stopped: nothing was written"]
    assert [path.name for path in tmp_path.iterdir()] == ["table.npy"]


def test_while_showing_what_was_written(table: Path, tmp_path: Path) -> None:
    """After the files are there it would be wrong to say that nothing was written."""
    showing = "from comraf.cli import cluster\ncluster.show = lambda *_: press()\n"
    out = tmp_path / "out"
    answer = program(showing, "cluster", table, "-k", 2, "--out", out)
    assert answer.returncode == 130
    assert answer.stderr == f"comraf: stopped: {out} was written before\n"
    assert (out / "result.json").is_file()


CHECKING = """
from comraf.estimators import MDC
def stopped(self, *arguments, **options):
    press()
MDC.fit = stopped
"""


def test_while_it_is_asked_whether_there_is_anything(mailbox: Path, tmp_path: Path) -> None:
    """The groups were found before: they are written, without an answer to that question."""
    out = tmp_path / "out"
    answer = program(CHECKING, "organize", mailbox, "-k", 4, "--out", out)
    assert answer.returncode == 130, answer.stderr
    assert answer.stderr == f"comraf: stopped: the groups were kept in {out}\n"
    assert "4 groups" in answer.stdout
    assert json.loads((out / "result.json").read_text())["structure"]["found"] is None
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_patience_leaves_other_handlers_alone() -> None:
    """Where Ctrl-C is ignored or handled by somebody else, it stays so."""
    import signal

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with DeferredInterrupt():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
