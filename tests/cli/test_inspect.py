"""``comraf inspect``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.talking import comraf, refused


def test_inspect_tells_what_is_there(organized: Path, mailbox: Path) -> None:
    """Documents, groups, model and collection are each described."""
    assert "mbox, 240 messages" in comraf("inspect", mailbox).stdout
    assert "telling words" in comraf("inspect", organized).stdout
    assert "A model of 8 groups" in comraf("inspect", organized / "model").stdout
    assert "A collection of" in comraf("inspect", organized / "collection").stdout


def test_documents_are_counted_as_what_they_are(reviews: Path, tmp_path: Path) -> None:
    """Rows, files, posts; one of them is not several."""
    assert "csv, 90 rows." in comraf("inspect", reviews).stdout
    one = tmp_path / "one.csv"
    one.write_text("title,body\na,some longer words to read here\nb,too,many,cells\n")
    assert "csv, 1 row, 1 more that can't be read." in comraf("inspect", one).stdout
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Pumps leak.")
    assert "text, 1 file." in comraf("inspect", tmp_path / "texts").stdout


def test_guesses_are_told_as_options(reviews: Path) -> None:
    """What was guessed about columns can be typed as it stands there."""
    said = comraf("inspect", reviews).stdout
    assert "--title title --text review --values product,buyer" in said


def test_an_answer_without_text(mailbox: Path, tmp_path: Path) -> None:
    """The short answer of --no-text is described too, by the sizes of its groups."""
    out = tmp_path / "out"
    assert comraf("organize", mailbox, "-k", 3, "--no-text", "-q", "--out", out).exit_code == 0
    answer = comraf("inspect", out)
    assert answer.exit_code == 0, answer.output
    assert "3 groups without names (--no-text), of " in answer.stdout


@pytest.mark.parametrize("file", ["result.json", "model.json", "collection.json"])
@pytest.mark.parametrize("content", [b'{"format": ', b"\xff\xfe\x00", b"[1, 2", b""])
def test_a_damaged_file_is_named(file: str, content: bytes, tmp_path: Path) -> None:
    """Not in the words of a parser: which file it is, and the way out."""
    (tmp_path / file).write_bytes(content)
    sentence = refused("inspect", tmp_path)
    assert file in sentence
    assert "damaged" in sentence
    assert "comraf organize" in sentence
