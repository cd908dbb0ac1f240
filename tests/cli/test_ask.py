"""Questions about pairs of documents: what is shown, what is kept, and what comes of it."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path
from select import select

import pytest
from rich.cells import cell_len

from comraf.cli.talk import Lines
from tests.cli.talking import Pressed, comraf, ended, refuses, rows, typed

PRODUCTS = ("kettle", "shoes", "tent")


def arguments(reviews: Path, out: Path, *more: object) -> list[str]:
    """The command, on the reviews."""
    asked = ["ask", reviews, "--id", "key", "-k", 3, "--effort", "quick", "--out", out, *more]
    return [str(part) for part in asked]


def answers(out: Path) -> list[bool | None]:
    """What the journal has."""
    lines = (out / "answers.jsonl").read_text().splitlines()
    return [json.loads(line)["same"] for line in lines[1:]]


@pytest.fixture(scope="module")
def truth(reviews: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every review is about, as a file of labels."""
    path = tmp_path_factory.mktemp("truth") / "truth.csv"
    path.write_text("".join(f"r{i},{PRODUCTS[i % 3]}\n" for i in range(90)))
    return path


@pytest.mark.parametrize(
    ("method", "learner"),
    [("mdc", "explore"), ("hmrf", "minmax"), ("hmrf", "npu"), ("hmrf", "random")],
)
def test_labels_answer(
    reviews: Path, truth: Path, tmp_path: Path, method: str, learner: str
) -> None:
    """A file answers; groups, links and the report are in the folder, and all links are kept."""
    out = tmp_path / "out"
    more = ("--answers-from", truth, "--method", method, "--learner", learner)
    more += ("--side-clusters", "words=7") if method == "mdc" else ()
    answer = comraf(*arguments(reviews, out, *more, "--questions", 15))
    assert answer.exit_code == 0, answer.output
    assert "15 answers: " in answer.stdout
    assert "90 rows (csv) in 3 groups by words" in answer.stdout
    cluster = {line["item"]: line["cluster"] for line in rows(out / "clusters.csv")}
    assert len({(name, int(item[1:]) % 3) for item, name in cluster.items()}) == 3
    same = different = 0
    for name, together in (("must-link.csv", True), ("cannot-link.csv", False)):
        links = rows(out / name) if (out / name).exists() else []
        for link in links:
            pair = link["id1"], link["id2"]
            assert (int(pair[0][1:]) % 3 == int(pair[1][1:]) % 3) is together
            assert (cluster[pair[0]] == cluster[pair[1]]) is together
        same, different = same + together * len(links), different + (not together) * len(links)
    assert different == answers(out).count(False)
    assert same >= answers(out).count(True)
    document = json.loads((out / "result.json").read_text())
    assert document["parameters"]["method"] == method
    if method == "mdc":
        assert len(document["sides"]["words"]["clusters"]) == 7
    assert document["known"]["cannot_link"][0]["kept"] == different
    assert "<html" in (out / "report.html").read_text()
    if learner == "minmax":
        for command in (("explain", out, "r3"), ("taxonomy", out, "--sizes", "2,3")):
            assert comraf(*command).exit_code == 0


def test_organize_takes_the_links(reviews: Path, truth: Path, tmp_path: Path) -> None:
    """The files of links say to organize what the answers say here: the groups are the same."""
    wrong = tmp_path / "wrong.csv"  # against all words, so that links matter
    wrong.write_text("".join(f"r{i},{PRODUCTS[i // 7 % 3]}\n" for i in range(90)))
    here, there = tmp_path / "here", tmp_path / "there"
    comraf(*arguments(reviews, here, "--answers-from", wrong, "--questions", 30, "-q"))
    answer = comraf(
        *("organize", reviews, "--id", "key", "-k", 3, "--effort", "quick", "--out", there),
        *("--must-link", here / "must-link.csv", "--cannot-link", here / "cannot-link.csv"),
    )
    assert answer.exit_code == 0, answer.output
    groups = [[line["cluster"] for line in rows(out / "clusters.csv")] for out in (here, there)]
    assert groups[0] == groups[1]
    names = [line["name"] for line in rows(here / "clusters.csv")]
    assert len(set(zip(names, PRODUCTS * 30, strict=True))) > 3


def test_it_goes_on(reviews: Path, tmp_path: Path) -> None:
    """In pieces, with undoing in between, it asks what it asks in one go."""
    one, two = tmp_path / "one", tmp_path / "two"
    first = typed("d\nd\ns\nd\n?\nd\n\n", *arguments(reviews, one, "--questions", 6))
    assert "That was the last question." in first.stdout
    typed("d\nd\n", *arguments(reviews, two, "--questions", 6))  # the pipe ends: as q
    assert answers(two) == [False, False]
    assert (two / "clusters.csv").is_file()
    answer = typed("s\ns\nu\nd\n?\ns\nu\nd\n", *arguments(reviews, two, "--questions", 6))
    assert "Going on. 2 answers: 0 same, 2 different" in answer.stdout
    assert "Question 3 of 6" in answer.stdout
    assert "Question 2 of 6" not in answer.stdout
    journals = [(out / "answers.jsonl").read_text() for out in (one, two)]
    assert journals[0] == journals[1]
    assert rows(one / "clusters.csv") == rows(two / "clusters.csv")
    # nothing is left to ask: groups are made anew all the same
    answer = typed("", *arguments(reviews, two, "--questions", 6))
    assert answer.exit_code == 0, answer.output
    assert "All 6 questions have been answered; --questions 12 asks more." in answer.stdout
    assert "All 90 rows are in the same groups as before." in answer.stdout


def test_the_last_answer_can_be_taken_back(reviews: Path, tmp_path: Path) -> None:
    """All answers can be taken back, the last one too; links without answers are gone then."""
    out = tmp_path / "out"
    answer = typed("s\nu\nd\n\n", *arguments(reviews, out, "--questions", 1))
    assert answer.exit_code == 0, answer.output
    assert answers(out) == [False]
    assert not (out / "must-link.csv").exists()
    assert (out / "cannot-link.csv").exists()
    answer = typed("u\nu\nq\n", *arguments(reviews, out, "--questions", 2))
    assert "There is no answer to take back." in answer.stdout
    assert answers(out) == []
    assert not (out / "cannot-link.csv").exists()


def test_bad_input(reviews: Path, truth: Path, tmp_path: Path) -> None:
    """Nobody to ask, nothing to ask, a folder of others: told before anything is written."""
    out = tmp_path / "out"
    sentence = refuses("", *arguments(reviews, out))
    assert "standard input is no terminal and has no answers" in sentence
    assert "--answers-from" in sentence
    assert "-k 91 is more than the 90 rows" in refuses("s\n", *arguments(reviews, out, "-k", 91))
    assert "no side 'smell'" in refuses("s\n", *arguments(reviews, out, "--by", "smell"))
    assert "0 or more" in refuses("s\n", *arguments(reviews, out, "--link-weight", -1))
    unknown = tmp_path / "unknown.csv"
    unknown.write_text("nobody,kettle\n")
    sentence = refuses("", *arguments(reviews, out, "--answers-from", unknown))
    assert "'nobody' (line 1)" in sentence
    assert not out.exists()
    assert "not empty" in refuses("s\n", *arguments(reviews, tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["unknown.csv"]


def test_other_documents(reviews: Path, truth: Path, tmp_path: Path) -> None:
    """Answers about documents that have changed are not mixed with new ones; both ways on work."""
    out, changed = tmp_path / "out", tmp_path / "changed.csv"
    comraf(*arguments(reviews, out, "--answers-from", truth, "--questions", 4))
    changed.write_text("\n".join(reviews.read_text().splitlines()[:-1]))
    before = (out / "answers.jsonl").read_bytes()
    sentence = refuses("d\n", *arguments(changed, out))
    assert "has answers about other rows than are there now" in sentence
    assert f"comraf ask {out} -k N --out {out}" in sentence
    assert (out / "answers.jsonl").read_bytes() == before
    answer = typed("d\nq\n", "ask", str(out), "-k", "3", "--out", str(out))
    assert answer.exit_code == 0, answer.output
    assert len(answers(out)) == 5
    assert len(rows(out / "clusters.csv")) == 90


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Six short texts, with what a terminal must not be sent."""
    with (tmp_path / "few.csv").open("w", newline="", encoding="utf-8") as stream:
        lines = csv.writer(stream)
        lines.writerow(["key", "title", "text"])
        for i in range(6):
            words = ("red apple tree", "blue whale sea")[i % 2]
            odd = f"\x1b[2J\u202e\x07{words} \N{CJK UNIFIED IDEOGRAPH-6D77}" * 30
            lines.writerow([f"=k,{i}", f"\x1b]0;title\x07 {words}", f"{odd}\n{words} " + "x" * 300])
    return tmp_path / "few.csv"


def test_the_terminal_is_safe(few: Path, tmp_path: Path) -> None:
    """No control codes, and no line of a document beyond 80 columns, wide letters included."""
    out = tmp_path / "out"
    command = ("ask", few, "--id", "key", "--title", "title", "--text", "text", "-k", 2)
    answer = typed("d\ns\nq\n", *map(str, (*command, "--out", out, "--effort", "quick")))
    assert answer.exit_code == 0, answer.output
    shown = answer.stdout.partition("rows (csv")[0]
    assert not set(shown) & set("\x1b\x07\u202e")
    lines = [line for line in shown.splitlines() if line.startswith("  ")]
    assert len(lines) > 8
    assert max(map(cell_len, lines)) <= 80
    # ids with commas stay whole, and signs of formulas are made safe for spreadsheets
    assert rows(out / "cannot-link.csv")[0]["id1"].startswith("'=k,")
    again = ("organize", few, "--id", "key", "--title", "title", "--text", "text", "-k", 2)
    links = ("--cannot-link", out / "cannot-link.csv", "--out", tmp_path / "again", "-q")
    assert comraf(*map(str, (*again, *links, "--effort", "quick"))).exit_code == 0


def test_more_groups_than_asked_for(few: Path, tmp_path: Path) -> None:
    """All different, and only two groups: answers stay, and a larger -k goes on from them."""
    out = tmp_path / "out"
    command = [str(part) for part in ("ask", few, "--id", "key", "--text", "text", "--out", out)]
    command += ["--learner", "random", "--effort", "quick", "--questions", "15"]
    sentence = refuses("d\n" * 15, *command, "-k", "2")
    assert "2 clusters can't keep apart" in sentence
    assert "a larger -k than 2, or with --link-weight" in sentence
    assert answers(out) == [False] * 15
    assert not (out / "result.json").exists()
    answer = typed("", *command, "-k", "2", "--link-weight", "0.001")
    assert answer.exit_code == 0, answer.output
    answer = typed("", *command, "-k", "6")
    assert "15 cannot-links between rows are kept." in answer.stdout


def test_lines_end_whatever_happens() -> None:
    """A stream that is closed, or not there, has no more lines."""

    class Gone:
        def isatty(self) -> bool:
            return True

        def readline(self) -> bytes:
            raise OSError(errno.EIO, "the terminal has gone")

    assert Lines(Gone()).next() is None
    lines = Lines(type("Odd", (Gone,), {"readline": lambda _: b"\xff\xfe\n"})())
    assert lines.next() == "\ufffd\ufffd"


CHILD = """
import fcntl, signal, termios
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from comraf.cli import main
main()
"""


class Terminal:
    """A program on a terminal of 80 columns."""

    def __init__(self, command: list[str]) -> None:
        import fcntl
        import pty
        import termios

        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        self.program = subprocess.Popen(
            [sys.executable, "-c", CHILD, *command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.seen = ""

    def until(self, text: str) -> str:
        """Everything up to a text, or to the end of the program; the rest stays to be read."""
        while text not in self.seen:
            assert select([self.master], [], [], 60)[0], f"nothing came after {self.seen!r}"
            try:
                part = os.read(self.master, 4096)
            except OSError:  # the program has ended
                part = b""
            if not part:
                break
            self.seen += part.decode("utf-8", "replace")
        before, found, self.seen = self.seen.partition(text)
        return before + found

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.master, text.encode())


@pytest.mark.skipif(os.name != "posix", reason="terminals are another thing elsewhere")
def test_on_a_terminal(reviews: Path, tmp_path: Path) -> None:
    """Ctrl-C and a closed window: every answer is kept, and it goes on from there."""
    out = tmp_path / "out"
    command = arguments(reviews, out)
    terminal = Terminal(command)
    assert "Question 1 of 20" in terminal.until("Same group?")
    terminal.type("d\n")
    terminal.until("Question 2 of 20")
    terminal.until("Same group?")
    terminal.type("\x03")
    assert f"1 answer is kept in {out}" in " ".join(terminal.until("goes on").split())
    assert terminal.program.wait(30) == 130
    os.close(terminal.master)
    assert answers(out) == [False]
    assert len(rows(out / "cannot-link.csv")) == 1

    terminal = Terminal(command)
    assert "Question 2 of 20" in terminal.until("Same group?")
    terminal.type("?\n")
    terminal.until("Question 3 of 20")
    os.close(terminal.master)
    assert terminal.program.wait(30) == -signal.SIGHUP
    assert answers(out) == [False, None]
    assert "Going on. 2 answers: 0 same, 1 different, 1 don't know" in typed("q\n", *command).stdout
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_stopped_before_any_answer(
    reviews: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ctrl-C at the first question leaves nothing behind."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Pressed(b"x\n")))
    assert ended(*arguments(reviews, tmp_path / "out")) == 130
    said = capsys.readouterr()
    assert "Question 1 of 20" in said.out
    assert said.err == "comraf: stopped: nothing was answered and nothing was written\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("method", ["mdc", "hmrf"])
def test_rows_of_a_table(tmp_path: Path, method: str) -> None:
    """A table of counts: rows are shown by their columns, and cluster takes the links."""
    lines = [f"d{i},w{(i % 2) * 5 + j},{1 + (i * j) % 3}" for i in range(12) for j in range(5)]
    data, out = tmp_path / "counts.csv", tmp_path / "out"
    data.write_text("\n".join(["row,column,count", *lines]) + "\n")
    command = ["ask", data, "--format", "csv", "-k", 2, "--method", method, "--out", out]
    answer = typed("s\nr\ns\nd\nq\n", *map(str, command))
    assert answer.exit_code == 0, answer.output
    assert re.search(r"\n  d\d+\n  w\d \(\d\), w\d \(\d\)", answer.stdout)
    assert "3 answers: 2 same, 1 different" in answer.stdout
    assert re.search(
        r"rows (is|are) in (another group than|the same groups as) before", answer.stdout
    )
    cluster = {line["row"]: line["cluster"] for line in rows(out / "rows.csv")}
    for name, together in (("must-link.csv", True), ("cannot-link.csv", False)):
        for link in rows(out / name):
            assert (cluster[link["id1"]] == cluster[link["id2"]]) is together
    document = json.loads((out / "result.json").read_text())
    assert document["method"] == {"mdc": "MDC", "hmrf": "HMRFKMeans"}[method]
    answer = comraf("cluster", data, "-k", 2, "--must-link", out / "must-link.csv")
    assert "must-links between rows are kept" in answer.stdout


def test_options_of_the_other_kind(reviews: Path, tmp_path: Path) -> None:
    """What is about documents is refused for a table, and the other way round."""
    out = tmp_path / "out"
    sentence = refuses("s\n", *arguments(reviews, out, "--format", "csv"))
    assert "--id is about documents; leave it out here" in sentence
    sentence = refuses("s\n", *arguments(reviews, out, "--row-names", reviews))
    assert "--row-names is about a table of counts (--format says" in sentence
    sentence = refuses("s\n", *arguments(reviews, out, "--weight", "smell=2"))
    assert "--weight smell is unknown; choose one of" in sentence
    sentence = refuses("s\n", *arguments(reviews, out, "--method", "hmrf", "--weight", "words=2"))
    assert "--weight has no meaning for --method hmrf" in sentence
    assert not out.exists()


def test_as_many_groups_as_answers_tell_apart(reviews: Path, truth: Path, tmp_path: Path) -> None:
    """Without -k the questions find the three products, and three groups are made."""
    out = tmp_path / "out"
    command = ["ask", reviews, "--id", "key", "--out", out, "--answers-from", truth]
    answer = comraf(*command, "--questions", 12, "--effort", "quick")
    assert answer.exit_code == 0, answer.output
    assert "in 3 groups by words" in answer.stdout


def test_what_is_known_is_not_asked(reviews: Path, truth: Path, tmp_path: Path) -> None:
    """Links of files cost no question, count in the groups and are kept with the answers."""
    together, apart = tmp_path / "together.csv", tmp_path / "apart.csv"
    together.write_text("".join(f"r{i},r{i + 3}\n" for i in range(87)))
    apart.write_text("r0,r1\nr1,r2\nr0,r2\n")
    links = ("--must-link", together, "--cannot-link", apart)
    out = tmp_path / "out"
    answer = comraf(*arguments(reviews, out, "--answers-from", truth, *links))
    assert answer.exit_code == 0, answer.output
    assert "0 answers: 0 same, 0 different; 90 links known before" in answer.stdout
    assert len(rows(out / "must-link.csv")) == 87
    group = {line["item"]: line["cluster"] for line in rows(out / "clusters.csv")}
    assert all(group[f"r{i}"] == group[f"r{i % 3}"] for i in range(90))
    apart.write_text("r0,r3\n")
    assert "r0" in refuses(
        "", *arguments(reviews, tmp_path / "no", "--answers-from", truth, *links)
    )


def test_noise_and_outliers_change_the_questions(
    reviews: Path, truth: Path, tmp_path: Path
) -> None:
    """Both reach the learner; other learners and impossible shares refuse them."""
    asked_about = []
    for name, more in (("plain", []), ("noise", ["--noise", 0.2]), ("far", ["--outliers", 0.5])):
        out = tmp_path / name
        command = arguments(reviews, out, "--answers-from", truth, "--questions", 12, *more)
        answer = comraf(*command)
        assert answer.exit_code == 0
        # every answer is told of: as links, and with noise those that are not (yet) believed
        told = re.search(r"12 answers: ([^;.]*)", " ".join(answer.stdout.split()))
        assert told is not None
        assert sum(map(int, re.findall(r"\d+", told[1]))) == 12
        lines = (out / "answers.jsonl").read_text().splitlines()[1:]
        asked_about.append([(json.loads(line)["a"], json.loads(line)["b"]) for line in lines])
    assert asked_about[0] != asked_about[1]
    assert asked_about[0] != asked_about[2]
    out = tmp_path / "no"
    assert "--noise 0.5 is not possible" in refuses("s\n", *arguments(reviews, out, "--noise", 0.5))
    assert "for the learners explore and minmax" in refuses(
        "s\n", *arguments(reviews, out, "--noise", 0.1, "--learner", "npu")
    )


def test_links_of_ones_own_in_the_folder_stay(reviews: Path, truth: Path, tmp_path: Path) -> None:
    """A folder that was not asked in before may hold links of the user's under the same names."""
    out = tmp_path / "out"
    out.mkdir()
    for name in ("must-link.csv", "cannot-link.csv"):
        (out / name).write_text("mine")
    answer = comraf(
        *arguments(reviews, out, "--answers-from", truth, "--questions", 4, "--force", "-q")
    )
    assert answer.exit_code == 0, answer.output
    for name in ("must-link.csv", "cannot-link.csv"):
        assert (out / f"{name}.before-comraf").read_text() == "mine"
    assert "must-link.csv was not comraf's; it is kept as" in answer.stderr
