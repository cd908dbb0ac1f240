"""Values that are typed: what is understood, what is kept, and what comes of it."""

from __future__ import annotations

import csv
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from comraf.workflows.interactive import LOG, VALUES, interactive
from tests.cli.talking import Pressed, ended, refuses, rows, typed

SAID = "add 0 boil, lid\nadd 1 heel sole\nadd 2 rain\nname 2 in the rain\n"


def command(reviews: Path, out: Path, *more: object) -> list[str]:
    """The command, on the reviews."""
    asked = ["interactive", reviews, "--id", "key", "-k", 3, "--effort", "quick", "--out", out]
    return [str(part) for part in (*asked, *more)]


def test_it_goes_on(reviews: Path, tmp_path: Path) -> None:
    """In pieces, with undoing in between, it ends as in one go; all products have their group."""
    one, two = tmp_path / "one", tmp_path / "two"
    answer = typed(SAID + "step\ndone\n", *command(reviews, one))
    assert answer.exit_code == 0, answer.output
    assert "90 of 90 rows (100.0%) have any of" in answer.stdout
    cluster = {line["item"]: line["cluster"] for line in rows(one / "clusters.csv")}
    assert len({(name, int(item[1:]) % 3) for item, name in cluster.items()}) == 3
    assert {line["name"] for line in rows(one / "clusters.csv")} > {"in the rain"}
    typed(SAID, *command(reviews, two))  # the pipe ends: as done
    assert (two / "clusters.csv").is_file()
    answer = typed("step\ndelete boil\nundo\nundo\nredo\nq\n", *command(reviews, two))
    assert answer.exit_code == 0, answer.output
    assert "Going on. " in answer.stdout
    for name in (VALUES, "clusters.csv", "words.csv"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
    third = tmp_path / "three"  # the values of one as a file
    answer = typed("", *command(reviews, third, "--values-from", one / VALUES))
    assert answer.exit_code == 0, answer.output
    assert rows(third / "clusters.csv")[0]["cluster"] == rows(one / "clusters.csv")[0]["cluster"]
    assert {line["from"] for line in rows(third / VALUES)} == {"said"}


def test_what_is_typed(reviews: Path, tmp_path: Path) -> None:
    """Beginnings and other words for a verb; slips are answered and cost nothing."""
    lines = (
        "zip,un,add 3 lid,add lid,add 0,add 0 hels,delete,find,sug words,sug people,?,fi SOL,"
        "fi zzz,redo,undo,step,move 1 sole,rename 1 Shoes,put shoes heel,gr,q,add 0 rain,q"
    )
    answer = typed(lines.replace(",", "\n"), *command(reviews, tmp_path / "out"))
    assert answer.exit_code == 0, answer.output
    said = answer.stdout
    for told in (
        "There is no 'zip' here",
        "There is no 'un' here",  # undo or uncovered
        "Say which group first, by its number from 0 to 2 or its name.",
        "No row has 'hels' among its words; did you mean 'heel'?\n",
        "Say which values, parted by commas.",
        "Say what to find: find TEXT.",
        "'people' is none of the sides here, which are words.\n",
        "words: sole (30)\n",
        "No value outside the groups has 'zzz' in it.",
        "Nothing was taken back.",
        "There is nothing to take back.",
        "No group has any value yet; name some first.",
        "1 Shoes: sole, heel\n",
        "> q\nThe values of one group tell nothing apart; name some of another.\n",
    ):
        assert told in said, told
    assert said.count("by its number from 0 to 2") == 2
    assert [line["name"] for line in rows(tmp_path / "out" / VALUES)] == ["rain", "sole", "heel"]


def test_bad_input(reviews: Path, tmp_path: Path) -> None:
    """Told before anything is written."""
    out = tmp_path / "out"
    assert "there is nobody to ask" in refuses("", *command(reviews, out))
    few = ["interactive", str(reviews), "--id", "key", "--out", str(out)]
    assert "say how many groups there are to be: -k" in refuses("q\n", *few)
    assert "-k 91 is more than the 90 rows" in refuses("q\n", *command(reviews, out, "-k", 91))
    assert "no side 'smell'" in refuses("q\n", *command(reviews, out, "--by", "smell"))
    values = tmp_path / "values.csv"
    values.write_text("sole,a\nrain,b\nlid,c\nboil,d\n")
    more = command(reviews, out, "--values-from", values)
    assert f"-k 3 is fewer than the 4 groups of {'--values-from'}" in refuses("", *more)
    assert not out.exists()
    assert "not empty" in refuses("q\n", *command(reviews, tmp_path))
    typed("add 0 sole\nadd 1 rain\n", *command(reviews, out))
    before = (out / LOG).read_bytes()
    assert "-k 2, but" in refuses("q\n", *command(reviews, out, "-k", 2))
    changed = tmp_path / "changed.csv"
    changed.write_text("\n".join(reviews.read_text().splitlines()[:-1]))
    assert "about other documents" in refuses("q\n", *command(changed, out))
    assert (out / LOG).read_bytes() == before


def test_a_file_may_name_what_is_not_there(reviews: Path, tmp_path: Path) -> None:
    """It is left out, and said so."""
    values = tmp_path / "values.csv"
    values.write_text("sole,a\nrain,b\nzeppelin,b\n")
    few = ["interactive", str(reviews), "--id", "key", "--values-from", str(values)]
    answer = typed("", *few, "--effort", "quick", "--out", tmp_path / "out")
    assert answer.exit_code == 0, answer.output
    assert "no row has 'zeppelin'; left out" in answer.stderr
    assert "60 rows" not in answer.stdout


def test_the_terminal_is_safe(tmp_path: Path) -> None:
    """No control codes of documents, titles or values."""
    with (tmp_path / "few.csv").open("w", newline="", encoding="utf-8") as stream:
        lines = csv.writer(stream)
        lines.writerow(["key", "title", "text", "tags"])
        for i in range(8):
            odd = f"\x1b[2J\u202e\x07{('red apple tree', 'blue whale sea')[i % 2]} " * 9
            lines.writerow([f"=k,{i}", "\x1b]0;title\x07", odd, f"\x1b[3{i % 2}mtag{i % 2}"])
    few = ["interactive", tmp_path / "few.csv", "--id", "key", "--title", "title", "--text", "text"]
    more = ["--lists", "tags", "--by", "words,tags", "-k", 2, "--out", tmp_path / "out"]
    said = (
        "suggest\nfind tag\nadd 0 \x1b[2Jx\nname 0 \x1b[2J\nadd 0 apple\nadd 1 tree\nunc\ngr\nq\n"
    )
    answer = typed(said, *few, *more)
    assert answer.exit_code == 0, answer.output
    assert "tag1" in answer.stdout
    assert "blue whale" in answer.stdout
    assert not set(answer.stdout) & set("\x1b\x07\u202e")


def test_a_kill_loses_nothing(reviews: Path, tmp_path: Path) -> None:
    """SIGKILL while it waits for a line: everything that was answered is there."""
    out = tmp_path / "out"
    program = subprocess.Popen(
        [sys.executable, "-m", "comraf", *command(reviews, out)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(SAID + "delete lid\n?\n")
    program.stdin.flush()
    for line in program.stdout:
        if "write the groups" in line:  # the last line of help
            break
    program.send_signal(signal.SIGKILL)
    program.wait()
    with interactive(reviews, out, id="key") as mine:
        assert {value for _, value in mine.criterion.group_of} == {"boil", "heel", "sole", "rain"}
        assert mine.criterion.deleted == {("words", "lid")}
        assert mine.criterion.name(2) == "in the rain"


def test_ctrl_c_keeps_what_was_said(
    reviews: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Between two lines it leaves at once, and says where all is."""
    out = tmp_path / "out"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Pressed(b"add 0 lid\n")))
    assert ended(*command(reviews, out)) == 130
    said = f"what was said is kept in {out / LOG}; the same command goes on"
    assert said in capsys.readouterr().err
    assert not (out / "clusters.csv").exists()
