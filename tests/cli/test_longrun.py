"""Long searches on the command line: limits, checkpoints, kills, logs, progress."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import comraf.cli.bar as bars
from comraf.cli.bar import Bar, in_time, in_words
from comraf.inference import checkpoint
from comraf.progress import Event
from tests.cli.talking import comraf, ended, refused, rows

# Saves after every step, to a slow disk, so that most kills hit one that is being written.
PROGRAM = """
import os, time
import comraf.inference.checkpoint as storage
storage.SHARE, really = 1e9, os.fsync
def slowly(descriptor):
    time.sleep(0.02)
    really(descriptor)
os.fsync = slowly
from comraf.cli import main
main()
"""


def noisy(n: int = 900, m: int = 200, seed: int = 0) -> np.ndarray:
    """A table in which groups are hard to find: runs take a second or two."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n)[:, None] % 5 == np.arange(m)[None, :] % 5
    return rng.poisson(np.where(topic, 0.9, 0.4))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that takes a moment."""
    path = tmp_path_factory.mktemp("table") / "table.npz"
    sp.save_npz(path, sp.csr_matrix(noisy()))
    return path


@pytest.fixture(scope="module")
def whole(table: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Its labels, from a search that nobody disturbed."""
    out = tmp_path_factory.mktemp("whole") / "out"
    assert comraf("cluster", table, "-k", 5, "--out", out, "-q").exit_code == 0
    return labels(out)


def labels(out: Path) -> dict[str, str]:
    """The CSV files of an answer."""
    return {file.name: file.read_text() for file in sorted(out.glob("*.csv"))}


def start(*arguments: object) -> subprocess.Popen[str]:
    """The command line in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killed_and_resumed(table: Path, whole: dict[str, str], tmp_path: Path) -> None:
    """Killed twice, with two threads and with one: the labels of a search left alone."""
    out, place = tmp_path / "out", tmp_path / "half"
    asked = ["cluster", table, "-k", 5, "--out", out, "-q", "--checkpoint", place]
    rng = np.random.default_rng(1)
    progress = []
    for number in range(2):
        process = start(*asked, "-j", 2 - number % 2, *(["--resume"] if number else []))
        before = len(list(place.glob("*/part.json")))
        until = time.monotonic() + 60
        # a part more than before, so that every kill comes later than the one before it
        while time.monotonic() < until and process.poll() is None:
            if len(list(place.glob("*/part.json"))) > before:
                break
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 0.1))
        process.send_signal(signal.SIGKILL)
        _, said = process.communicate()
        assert "fault" not in said, said
        progress.append(len(list(place.glob("*/part.json"))))
        if (out / "result.json").is_file():  # it was quicker
            break
    assert progress[0] > 0
    if not (out / "result.json").is_file():
        answer = comraf(*asked, "-j", 1, "--resume")
        assert answer.exit_code == 0, answer.output
        assert answer.stderr == ""
    assert labels(out) == whole
    assert not place.exists()


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
def test_ctrl_c_and_resumed(
    table: Path,
    whole: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 130, an answer, the checkpoint stays and is told of; then the whole answer."""
    place, really, pressed = tmp_path / "half", os.fsync, []
    asked = ["cluster", table, "-k", 5, "-q", "-j", 2, "--checkpoint", place]

    def press(descriptor: int) -> None:
        really(descriptor)
        if not pressed and list(place.glob("run-*/part.json")):
            pressed.append(descriptor)
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "SHARE", 1e9)
        patch.setattr(os, "fsync", press)
        assert ended(*asked, "--passes", 2, "--out", tmp_path / "early") == 130
    assert capsys.readouterr().err == (
        f"comraf: stopped: the best answer until then was kept in {tmp_path / 'early'}; --resume "
        f"goes on from the checkpoint in {place}\n"
    )
    assert {line["cluster"] for line in rows(tmp_path / "early" / "rows.csv")} == set("01234")
    answer = comraf(*asked, "--out", tmp_path / "late", "--resume")
    assert answer.exit_code == 0, answer.output
    assert labels(tmp_path / "late") == whole
    assert not place.exists()


def test_a_time_limit_ends_well(table: Path, tmp_path: Path) -> None:
    """Exit code 0, all clusters asked for, a sentence, and the result says what happened."""
    out = tmp_path / "out"
    answer = comraf("cluster", table, "-k", 5, "--out", out, "--time-limit", 0.2, "-q")
    assert answer.exit_code == 0, answer.output
    assert answer.stderr == (
        "comraf: warning: the time limit was reached; the best answer until then was kept in "
        f"{out}\n"
    )
    assert json.loads((out / "result.json").read_text())["interrupted"] is True
    assert {line["cluster"] for line in rows(out / "rows.csv")} == set("01234")


def test_a_time_limit_and_a_checkpoint(table: Path, whole: dict[str, str], tmp_path: Path) -> None:
    """Cut short it stays, and is told of; resumed without a limit the whole answer comes out."""
    place = tmp_path / "half"
    asked = ["cluster", table, "-k", 5, "-q", "--checkpoint", place]
    answer = comraf(*asked, "--out", tmp_path / "early", "--time-limit", 0.4)
    assert answer.exit_code == 0
    assert f"; --resume goes on from the checkpoint in {place}" in answer.stderr
    assert labels(tmp_path / "early") != whole
    answer = comraf(*asked, "--out", tmp_path / "late", "--resume")
    assert answer.exit_code == 0, answer.output
    assert labels(tmp_path / "late") == whole
    assert not place.exists()


def test_organize_has_them_too(mailbox: Path, tmp_path: Path) -> None:
    """A mailbox: cut short, refused with another number of groups, resumed, and the same."""
    place, log = tmp_path / "half", tmp_path / "log.jsonl"
    asked = ["organize", mailbox, "-q", "--checkpoint", place, "--log", log]
    plain = comraf("organize", mailbox, "-q", "-k", 6, "--out", tmp_path / "plain")
    assert plain.exit_code == 0
    answer = comraf(*asked, "-k", 6, "--out", tmp_path / "early", "--time-limit", 0.05)
    assert answer.exit_code == 0, answer.output
    assert "the time limit was reached; the best groups until then were kept" in answer.stderr
    said = refused(*asked, "-k", 7, "--out", tmp_path / "other", "--resume")
    assert "-k 6 then, -k 7 now" in said
    answer = comraf(*asked, "-k", 6, "--out", tmp_path / "late", "--resume")
    assert answer.exit_code == 0, answer.output
    assert labels(tmp_path / "late") == labels(tmp_path / "plain")
    assert not place.exists()
    tasks = {json.loads(line).get("task") for line in log.read_text().splitlines()}
    assert {"MDC"} < tasks


def test_what_cannot_be_meant_is_refused(table: Path, tmp_path: Path) -> None:
    """Each in one sentence, before anything is read."""
    asked = ["cluster", table, "-k", 5]
    place = tmp_path / "half"
    assert "name its folder" in refused(*asked, "--resume")
    assert "more than 0" in refused(*asked, "--time-limit", 0)
    assert "the log can't be written" in refused(*asked, "--log", tmp_path / "no" / "log")
    (tmp_path / "file").write_text("mine")
    assert "is a file" in refused(*asked, "--checkpoint", tmp_path / "file")
    comraf(*asked, "-q", "--checkpoint", place, "--time-limit", 0.3)
    assert "add --resume to go on from it" in refused(*asked, "--checkpoint", place)
    again = [*asked, "--checkpoint", place, "--resume"]
    assert "--seed was another one" in refused(*again, "--seed", 3)
    assert "--effort or --runs was another one" in refused(*again, "--effort", "quick")
    assert "--passes 2 then, --passes 1 now" in refused(*again, "--passes", 1)
    assert "the table of rows and columns" in refused(*again, "--weighting", "log")
    part = next(place.glob("run-*/arrays*"), place / "arrays.safetensors")
    part.write_bytes(b"\0" * 100)
    assert f"remove the folder {place} to begin anew" in refused(*again)


def test_a_checkpoint_outlives_an_answer_that_could_not_be_written(
    table: Path, whole: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search was long and the disk full: after making room, nothing is searched again."""
    from comraf.errors import WriteError
    from comraf.results import files

    def full(*_: object, **__: object) -> None:
        raise WriteError("the disk is full")

    out, place, log = tmp_path / "out", tmp_path / "half", tmp_path / "log.jsonl"
    asked = ["cluster", table, "-k", 5, "-q", "--out", out, "--checkpoint", place, "--log", log]
    with monkeypatch.context() as patch:
        patch.setattr(files, "write_folder", full)
        assert "the disk is full" in refused(*asked)
    log.unlink()
    assert comraf(*asked, "--resume").exit_code == 0
    assert labels(out) == whole
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert not [event for event in events if event.get("step") and event.get("restart")]


def test_a_log_tells_everything(table: Path, tmp_path: Path) -> None:
    """Node, clusters, run, objective, share and time, also when nothing is shown."""
    log = tmp_path / "log.jsonl"
    assert comraf("cluster", table, "-k", 5, "-q", "--log", log).exit_code == 0
    events = [json.loads(line) for line in log.read_text().splitlines()]
    steps = [event for event in events if event.get("restart") == event.get("n_restarts") == 1]
    assert {event["node"] for event in steps} == {"rows", "columns"}
    assert {event["run"] for event in steps} == set(range(1, 9))
    for event in steps:
        assert event["time"].endswith("+00:00")
        assert event["n_clusters"] >= 1
        assert event["objective"] >= 0
        assert 0 <= event["done"] <= 1
    shares = [event["done"] for event in events if event.get("task") == "MDC"]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_pipe_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """Not a bar, not every event, and nothing of a task that is short."""
    clock = [100.0]
    monkeypatch.setattr(bars.time, "monotonic", lambda: clock[0])
    with Bar() as bar:
        for number in range(400):
            bar(Event("MDC", number / 400, node="words", n_clusters=8, seconds_left=90.0))
            clock[0] += 0.5
        bar(Event("writing", 0.1))
        clock[0] += 5
        bar(Event("writing", 0.9))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == ("comraf: progress: 5% · words: 8 clusters · about 1 min 30 s left")
    assert len(lines) == 4
    with Bar(quiet=True) as bar:
        bar(Event("MDC", 0.1))
        clock[0] += 100
        bar(Event("MDC", 0.2))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("width", [24, 40, 59, 80])
def test_words_fit_the_window(width: int) -> None:
    """However long a name is, a line is as wide as it may be and says the run first."""
    event = Event(
        "MDC", 0.5, node="x" * 90, n_clusters=123_456, restart=11, n_restarts=12,
        objective=123.456789, run=10, n_runs=16, message="polishing",
    )  # fmt: skip
    line = in_words(event, width)
    assert len(line) <= width
    assert re.match(r"(run )?10(/| of )16", line)


def test_times_in_words() -> None:
    """Never more than two units, and never zero."""
    for seconds in (0, 1, 59.6, 60, 3599, 3600, 86_399, 10**7):
        words = in_time(seconds)
        assert re.fullmatch(r"[1-9]\d* (s|min|h|days)( \d+ (s|min))?", words), words


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of its own")
def test_a_real_terminal_shows_one_line_that_fits(table: Path) -> None:
    """Eighty columns: node, clusters, run and objective, and nothing is left behind."""
    import pty

    leader, follower = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "CI")}
    asked = ["cluster", str(table), "-k", "5", "--passes", "4"]
    process = subprocess.Popen(
        [sys.executable, "-c", "from comraf.cli import main; main()", *asked],
        stdout=subprocess.DEVNULL,
        stderr=follower,
        env=environment | {"TERM": "xterm-256color"},
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(leader)
    assert process.wait(120) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode("utf-8"))
    frames = [frame for frame in re.split(r"[\r\n]+", text) if "%" in frame]
    assert max(map(len, frames)) <= 80
    assert any(
        re.search(r"run \d/8 · (rows|columns): \d+ clusters · obj\. 0\.\d", f) for f in frames
    )
    assert shown.endswith(b"\x1b[2K") or text.rstrip("\r\n").split("\n")[-1].strip() == ""
