"""``comraf topics``: a dated stream goes in; topics, articles and a timeline come out."""

from __future__ import annotations

import csv
import json
import sys
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.cli.talking import comraf, refused, rows

STORIES = {
    "flood": "flood river dam rescue boats rain levee",
    "vote": "election ballot candidate senate campaign poll winner",
    "cup": "striker goal penalty keeper stadium coach final",
}
NOISE = """garden kettle violin pepper bicycle museum carpet lantern walnut ribbon candle anchor
biscuit compass feather harbour jacket ladder marble needle orchard pencil quilt saddle teapot
umbrella velvet window yarn zipper button copper drawer engine fabric glove hammer island""".split()


def write_stream(path: Path, weeks: list[str], per_week: int = 40) -> Path:
    """A CSV of short articles; a third of each week's are about its story."""
    rng = np.random.default_rng(3)
    start = date(2024, 1, 1)  # a Monday
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["key", "published", "headline", "body"])
        for week, story in enumerate(weeks):
            for i in range(per_week):
                words = list(rng.choice(NOISE, 6))
                if i < per_week // 3:
                    words += list(rng.choice(STORIES[story].split(), 5, replace=False))
                day = start + timedelta(days=7 * week + i % 7)
                text = " ".join(words)
                writer.writerow([f"{story}{week}-{i}", day.isoformat(), f"About {text}", text])
    return path


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five weeks of news."""
    folder = tmp_path_factory.mktemp("news")
    return write_stream(folder / "news.csv", ["flood", "flood", "vote", "cup", "flood"])


OPTIONS = ("--date", "published", "--title", "headline", "--text", "body", "--id", "key")


@pytest.fixture(scope="module")
def answer(news: Path) -> Path:
    """The topics of the five weeks."""
    out = news.parent / "out"
    said = comraf("topics", news, *OPTIONS, "-n", 13, "--background", "flat", "--out", out)
    assert said.exit_code == 0, said.output
    assert "5 weeks with a topic, 3 stories" in said.stdout
    assert "A core is 13 documents" in said.stdout
    assert "returns (2024-01-08)" in said.stdout
    return out


def test_weeks_have_their_story_and_stories_are_followed(answer: Path) -> None:
    """The line of each week: its days, what changed, its words."""
    lines = rows(answer / "topics.csv")
    assert [line["block"] for line in lines] == [
        "2024-01-01",
        "2024-01-08",
        "2024-01-15",
        "2024-01-22",
        "2024-01-29",
    ]
    assert [line["change"] for line in lines] == ["first", "goes on", "new", "new", "returns"]
    assert [line["story"] for line in lines] == ["0", "0", "1", "2", "0"]
    assert lines[4]["after"] == "2024-01-08"
    assert lines[0]["last"] == "2024-01-07"
    for line, story in zip(lines, ["flood", "flood", "vote", "cup", "flood"], strict=True):
        assert set(line["words"].split()[:5]) <= set(STORIES[story].split())


def test_printed_json_and_the_other_method(news: Path, tmp_path: Path) -> None:
    """--json prints one object and nothing else; OCCC finds the same stories."""
    said = comraf(
        *("topics", news, *OPTIONS, "--method", "occc", "--share", "0.33", "--background", "flat"),
        *("--out", tmp_path / "out", "--json"),
    )
    found = json.loads(said.stdout)
    assert [topic["story"] for topic in found["topics"]] == [0, 0, 1, 2, 0]
    assert [topic["core"] for topic in found["topics"]] == [13] * 5


def test_auto_says_the_score_of_each_size(tmp_path: Path) -> None:
    """A size that was not given comes with its score, in the table and in the files."""
    out = tmp_path / "out"
    week = write_stream(tmp_path / "week.csv", ["cup"], 24)
    said = comraf(
        *("topics", week, *OPTIONS, "-n", "auto", "--method", "occc"),
        *("--background", "flat", "--out", out),
    )
    assert said.exit_code == 0, said.output
    assert "score" in said.stdout
    assert "separation times stability" in said.stdout
    assert 0 <= float(rows(out / "topics.csv")[0]["size_score"]) <= 1
    assert "separation" in (out / "topics.html").read_text(encoding="utf-8")


def test_the_default_size_is_said(news: Path, tmp_path: Path) -> None:
    """Nobody gets 30% without being told."""
    said = comraf(
        *("topics", news, *OPTIONS, "--background", "flat", "--method", "occc"),
        *("--out", tmp_path / "out"),
    )
    assert "A core is 30% of a week (-n or --share choose, -n auto finds one)." in said.stdout


def test_undated_documents_are_said_and_left_out(tmp_path: Path) -> None:
    """Two lines without a date are left out; without any date there are no weeks."""
    path = write_stream(tmp_path / "a.csv", ["flood", "vote"])
    lines = path.read_text(encoding="utf-8").splitlines()
    for i in (1, 50):
        fields = lines[i].split(",")
        lines[i] = ",".join([fields[0], "", *fields[2:]])
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = comraf(
        *("topics", path, *OPTIONS, "--background", "flat", "-n", 10, "--method", "occc"),
        *("--out", tmp_path / "out"),
    )
    assert said.exit_code == 0
    assert "2 of 80 documents have no date and are left out" in said.stderr
    undated = tmp_path / "b.csv"
    pairs = (f"{i},{NOISE[i % 7]} {NOISE[i % 11]} {NOISE[i % 5]} of the day" for i in range(60))
    text = "key,body\n" + "\n".join(pairs) + "\n"
    undated.write_text(text, encoding="utf-8")
    no_week = refused("topics", undated, "--text", "body", "--background", "flat")
    assert "none of the 60 documents has a date" in no_week
    assert "--date" in no_week
    assert "--by 200" in no_week
    blocks = comraf(
        *("topics", undated, "--text", "body", "--by", "30-documents", "--background", "flat"),
        *("--method", "occc", "--out", tmp_path / "blocks"),
    )
    assert blocks.exit_code == 0, blocks.output
    assert "in the order given" in blocks.stderr
    assert "2 blocks with a topic" in blocks.stdout


def test_small_blocks_are_said_and_skipped(news: Path, tmp_path: Path) -> None:
    """Blocks under --least are left out by name; if all are, that is an error."""
    said = refused(
        *("topics", news, *OPTIONS, "--by", "day", "--background", "flat"),
        *("--out", tmp_path / "out"),
    )
    assert "no day of 35 has the 20 documents of --least: the largest, 2024-" in said
    assert "--by" in said
    assert not (tmp_path / "out").exists()
    path = write_stream(tmp_path / "c.csv", ["flood", "vote"])
    late = "late,2024-03-04,About river,river flood dam garden kettle violin\n"
    path.write_text(path.read_text(encoding="utf-8") + late, encoding="utf-8")
    kept = comraf(
        *("topics", path, *OPTIONS, "-n", 10, "--background", "flat", "--method", "occc"),
        *("--out", tmp_path / "some"),
    )
    assert kept.exit_code == 0
    assert "left out 2024-03-04: 1 document; 20 are needed" in kept.stdout


def test_a_mailbox_is_a_stream(mailbox: Path, tmp_path: Path) -> None:
    """Messages have dates of their own."""
    said = comraf(
        *("topics", mailbox, "--by", "month", "--background", "flat", "--method", "occc"),
        *("--least", 5, "--out", tmp_path / "out", "--quiet"),
    )
    assert said.exit_code == 0, said.output
    assert said.stdout == ""
    assert len(rows(tmp_path / "out" / "topics.csv")) >= 2


def test_a_core_that_is_larger_than_any_block(news: Path, tmp_path: Path) -> None:
    """The largest block is named, and what -n could be."""
    given = ("-n", 5000, "--background", "flat", "--out", tmp_path / "out")
    said = refused("topics", news, *OPTIONS, *given)
    assert "large enough for -n 5000: the largest, 2024-" in said
    assert "has 40 documents, so give -n at most 39" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--by", "fortnight"), "day, week, month"),
        (("--by", "0"), "--by 0"),
        (("-n", "0"), "-n 0"),
        (("-n", "few"), "-n few"),
        (("--share", "1.5"), "--share 1.5"),
        (("-n", "5", "--share", "0.2"), "give one of them"),
        (("--background", "wordfreq:xx"), "xx"),
        (("--background", "nowhere.csv"), "no such file"),
    ],
)
def test_what_can_t_be_is_refused_before_reading(
    news: Path, arguments: tuple[str, ...], words: str
) -> None:
    """One sentence that names what was given."""
    assert words in refused("topics", news, *OPTIONS, *arguments)


@pytest.mark.parametrize("command", ["topics", "outliers", "rerank", "appearances"])
def test_a_missing_file_is_said_first(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever mistyped a name need not install anything to hear of it."""
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    out = ("--out", tmp_path / "out") if command == "appearances" else ()
    assert "nothing at" in refused(command, tmp_path / "nowhere.csv", *out)


def test_documents_without_titles_show_their_first_words(tmp_path: Path) -> None:
    """A table with one column of text has no titles to show."""
    lines = [f"2024-01-0{1 + i % 7},pump number {i} leaks oil and rust" for i in range(30)]
    (tmp_path / "notes.csv").write_text("date,text\n" + "\n".join(lines) + "\n")
    answer = comraf(
        "topics", tmp_path / "notes.csv", "-n", 5, "--background", "flat", "--out", tmp_path / "out"
    )
    assert answer.exit_code == 0, answer.output
    assert "leaks oil and rust" in (tmp_path / "out" / "topics.html").read_text()
