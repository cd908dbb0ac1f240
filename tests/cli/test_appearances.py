"""``comraf appearances``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.talking import comraf, refused, rows
from tests.workflows.appearances.sailing import write_circle


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of four names in their folders, with the truth in the manifest, and a broken one."""
    root = write_circle(tmp_path_factory.mktemp("web"))
    (root / "ann-lee" / "broken.html").write_bytes(b"\x00\x01\x02" * 100)
    return root


def test_the_published_way_and_merges(web: Path, tmp_path: Path) -> None:
    """Other methods, a share, names, a flat background; merges as a table and a picture."""
    names = tmp_path / "names.txt"
    names.write_text("Ann Lee\nBob Ray\nCid Orr\n")
    answer = comraf(
        "appearances", web, "--names", names, "--method", "links+comraf", "--published",
        "--share", "1/4", "--background", "flat", "--out", tmp_path / "out", "--quiet",
    )  # fmt: skip
    assert answer.exit_code == 0, answer.output
    assert answer.stdout == ""
    pages = rows(tmp_path / "out" / "pages.csv")
    assert sum(line["in_core"] == "yes" for line in pages) == 23  # a quarter of 90
    merges = rows(tmp_path / "out" / "merges.csv")
    assert [int(line["clusters"]) for line in merges] == sorted(
        (int(line["clusters"]) for line in merges), reverse=True
    )
    assert (tmp_path / "out" / "merges.svg").read_text().startswith("<svg")


def test_own_frequencies_and_truth(web: Path, tmp_path: Path) -> None:
    """A file of frequencies is a background, a file of truth goes before the manifest's."""
    counts = tmp_path / "words.csv"
    counts.write_text("word,count\npeople,900\nyear,800\nsail,1\n")
    truth = tmp_path / "truth.csv"
    truth.write_text("page,truth\n" + "".join(f"ann-lee/{i}.html,no\n" for i in range(30)))
    answer = comraf(
        "appearances", web, "-n", 50, "--method", "links", "--background", counts,
        "--truth", truth, "--out", tmp_path / "out",
    )  # fmt: skip
    assert answer.exit_code == 0, answer.output
    line = next(line for line in rows(tmp_path / "out" / "names.csv") if line["name"] == "ann lee")
    assert line["about_circle"] == "0"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-n", "0"], "-n 0"),
        (["-n", "120"], "fewer than all"),
        (["-n", "5", "--share", "1/2"], "give one of them"),
        (["--share", "1/0"], "--share 1/0"),
        (["--share", "2"], "such as 1/3"),
        (["--background", "nothing.csv"], "--background nothing.csv"),
        (["--language", "qqq"], "--language qqq"),
        (["--background", "wordfreq:qqq"], "--language qqq"),
        (["--seed", "-1"], "--seed"),
        (["--popular", "nothing.txt"], "nothing.txt"),
        (["--truth", "nothing.csv"], "nothing.csv"),
        (["--method", "magic"], "magic"),
    ],
)
def test_bad_options_are_refused(
    web: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    """Each in one sentence, and nothing is written."""
    assert message in refused("appearances", web, "--out", tmp_path / "out", *options)
    assert not (tmp_path / "out").exists()


def test_one_name_is_not_enough(web: Path, tmp_path: Path) -> None:
    """A circle has at least two names; a folder without subfolders has none."""
    names = tmp_path / "names.txt"
    names.write_text("Ann Lee\n")
    out = tmp_path / "out"
    assert "at least two names" in refused("appearances", web, "--names", names, "--out", out)
    assert "subfolder for each name" in refused("appearances", web / "ann-lee", "--out", out)
