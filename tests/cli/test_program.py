"""How the command line behaves as a program of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer.main
from typer.testing import CliRunner

import comraf
from comraf.cli import app

COMMAND = [sys.executable, "-c", "from comraf.cli import main; main()"]


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a program."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        env=os.environ | environment,
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A small table."""
    np.save(tmp_path / "table.npy", np.array([[4, 3, 0, 0]] * 6 + [[0, 0, 5, 2]] * 4))
    return tmp_path / "table.npy"


def commands() -> dict[str, object]:
    """Every command by name, the program itself included."""
    program = typer.main.get_command(app)
    found: dict[str, object] = {"comraf": program}
    found.update(program.commands)  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("name", commands())
def test_every_option_has_help(name: str) -> None:
    """An option or argument without a help text fails."""
    command = commands()[name]
    assert command.help  # type: ignore[attr-defined]
    parameters = command.params  # type: ignore[attr-defined]
    assert parameters
    for parameter in parameters:
        assert getattr(parameter, "help", None), f"{name}: {parameter.name} has no help text"


@pytest.mark.parametrize("name", sorted(commands().keys() - {"comraf"}))
def test_help_has_examples(name: str) -> None:
    """The help of a command shows how to use it, every option in its place."""
    answer = CliRunner().invoke(app, [name, "--help"])
    assert answer.exit_code == 0
    assert f"\n    comraf {name} " in answer.stdout
    for parameter in commands()[name].params:  # type: ignore[attr-defined]
        for option in parameter.opts:
            assert option in answer.stdout or option == parameter.name


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"]])
def test_help(arguments: list[str]) -> None:
    """Without arguments, and when asked, the program says what it can do."""
    answer = CliRunner().invoke(app, arguments)
    assert answer.exit_code == 0
    assert "comraf demo" in answer.stdout


def test_version() -> None:
    """--version is one line."""
    assert run("--version").stdout == f"comraf {comraf.__version__}\n"


def test_no_traceback() -> None:
    """Bad input is one sentence; with COMRAF_DEBUG=1 the traceback comes with it."""
    plain = run("inspect", "nowhere")
    assert plain.returncode == 2
    assert "Traceback" not in plain.stderr
    assert plain.stderr.count("\n") == 1
    debug = run("inspect", "nowhere", COMRAF_DEBUG="1")
    assert debug.returncode == 2
    assert "Traceback" in debug.stderr
    assert debug.stderr.splitlines()[-1] == plain.stderr.strip()


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A table of one text."""
    path = tmp_path / "日本.csv"
    path.write_text("title,text\nä,the old ship sailed\n", encoding="utf-8")
    return path


def test_names_that_the_terminal_cant_show(texts: Path) -> None:
    """Output to an ASCII terminal does not fail."""
    answer = run("inspect", texts, PYTHONIOENCODING="ascii")
    assert answer.returncode == 0, answer.stderr
    assert "1 row" in answer.stdout


def test_broken_pipe_is_quiet(texts: Path) -> None:
    """A reader that leaves early is no error worth a word."""
    with subprocess.Popen(
        [*COMMAND, "inspect", str(texts)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(120) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_full_disk_on_standard_output(texts: Path) -> None:
    """Output that can't be written is an error, not silence."""
    with Path("/dev/full").open("w") as full:
        answer = subprocess.run(
            [*COMMAND, "inspect", str(texts)],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
        )
    assert answer.returncode == 2
    assert "standard output: No space left" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_fault_of_our_own(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception that nobody foresaw is told as such, without a traceback."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("comraf.workflows.cluster._read_table", fail)
    answer = CliRunner().invoke(app, ["cluster", str(table), "-k", "2"])
    assert answer.exit_code == 1
    assert "fault of comraf's" in answer.stderr
    assert "ZeroDivisionError: oops" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_warnings_of_libraries_are_one_line(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No path and no line of source: a warning is a sentence like any other."""
    import warnings

    from comraf.errors import ComrafWarning
    from comraf.workflows import cluster as work

    real = work.solve

    def warned(*arguments: object, **options: object) -> object:
        many = ComrafWarning("{given} is more than there are cores", "n_jobs", 4)
        warnings.warn(many, stacklevel=1)
        return real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(work, "solve", warned)
    answer = CliRunner().invoke(app, ["cluster", str(table), "-k", "2"])
    assert answer.exit_code == 0, answer.output
    assert answer.stderr == "comraf: warning: --jobs 4 is more than there are cores\n"


def test_memory_that_runs_out(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that runs out despite all estimates is exit code 2."""

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("comraf.workflows.cluster._read_table", fail)
    answer = CliRunner().invoke(app, ["cluster", str(table), "-k", "2"])
    assert answer.exit_code == 2
    assert "memory is not enough" in answer.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that closes streams")
@pytest.mark.parametrize("closed", [">&-", "<&- 2>&-"])
def test_closed_streams(closed: str, tmp_path: Path) -> None:
    """What would be told goes nowhere; the work is done all the same."""
    command = f"{sys.executable} -m comraf sample mail {tmp_path / 'out.mbox'} -n 9 {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.mbox").read_bytes().startswith(b"From ")
