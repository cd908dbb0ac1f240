"""Ctrl-C at every moment: one line, exit code 130, and nothing lost that was found."""

from __future__ import annotations

import importlib
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comraf.cli.interrupts import DeferredInterrupt
from comraf.estimators import MDC
from comraf.results import files
from tests.cli.talking import ended

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


@pytest.fixture
def stopped(capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """Run the command line, in which something presses Ctrl-C: the lines that it says then."""

    def run(*arguments: object) -> list[str]:
        assert ended(*arguments) == 130
        return capsys.readouterr().err.splitlines()

    return run


def press(*_: object, **__: object) -> None:
    """Ctrl-C."""
    signal.raise_signal(signal.SIGINT)


def test_once_while_writing_waits_and_twice_does_not(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: Callable[..., list[str]]
) -> None:
    """What was found is written, and the exit code tells; who presses again means it."""
    really, out = files.write_folder, tmp_path / "out"

    def slowly(*arguments: Any, **options: Any) -> Any:
        for _ in range(times):
            press()
        return really(*arguments, **options)

    monkeypatch.setattr(files, "write_folder", slowly)
    times = 2
    told = stopped("cluster", table, "-k", 2, "--out", out)
    assert told[1:] == ["comraf: stopped: nothing was written"]
    assert [path.name for path in tmp_path.iterdir()] == ["table.npy"]
    times = 1
    assert stopped("cluster", table, "-k", 2, "--out", out) == [
        "comraf: finishing: the answer is being written; Ctrl-C again leaves without it",
        f"comraf: stopped: the answer was kept in {out}",
    ]
    assert len((out / "rows.csv").read_text().splitlines()) == 11


def test_while_showing_what_was_written(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: Callable[..., list[str]]
) -> None:
    """After the files are there it would be wrong to say that nothing was written."""
    monkeypatch.setattr(importlib.import_module("comraf.cli.cluster"), "show", press)
    out = tmp_path / "out"
    told = stopped("cluster", table, "-k", 2, "--out", out)
    assert told == [f"comraf: stopped: {out} was written before"]
    assert (out / "result.json").is_file()


def test_while_it_is_asked_whether_there_is_anything(
    reviews: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stopped: Callable[..., list[str]],
) -> None:
    """The groups were found before: they are written, without an answer to that question."""
    monkeypatch.setattr(MDC, "fit", press)
    out = tmp_path / "out"
    told = stopped("organize", reviews, "-k", 3, "--effort", "quick", "--out", out)
    assert told == [f"comraf: stopped: the groups were kept in {out}"]
    document = json.loads((out / "result.json").read_text())
    assert len(document["groups"]) == 3
    assert document["structure"]["found"] is None
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_patience_leaves_other_handlers_alone() -> None:
    """Where Ctrl-C is ignored or handled by somebody else, it stays so."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with DeferredInterrupt():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
