"""``comraf sample``."""

from __future__ import annotations

import mailbox
from pathlib import Path

import pytest

from comraf.images.sample import SCENE_NAMES
from tests.cli.talking import comraf


def test_photos_are_made_and_organised(tmp_path: Path) -> None:
    """What the command says to do next works, and finds most of the scenes."""
    pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")
    made = comraf("sample", "photos", tmp_path / "Photos", "-n", 72, "--folders")
    assert made.exit_code == 0, made.output
    assert "comraf organize" in made.stdout
    assert "--truth folders" in made.stdout
    assert {path.name for path in (tmp_path / "Photos").iterdir()} == {*SCENE_NAMES, "captions.tsv"}
    answer = comraf(
        *("organize", tmp_path / "Photos", "-k", 9, "--effort", "quick"),
        *("--truth", "folders", "--out", tmp_path / "out"),
    )
    assert answer.exit_code == 0, answer.output
    assert (tmp_path / "out" / "report.html").is_file()


def test_mail_is_made(tmp_path: Path) -> None:
    """Mail is one mbox file, or a maildir with a folder for each topic."""
    assert comraf("sample", "mail", tmp_path / "m.mbox", "-n", 12, "-q").output == ""
    assert len(mailbox.mbox(tmp_path / "m.mbox")) == 12
    assert comraf("sample", "mail", tmp_path / "Mail", "-n", 30, "--folders").exit_code == 0
    assert mailbox.Maildir(tmp_path / "Mail").list_folders()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A folder that holds something is refused, and stays as it is."""
    (tmp_path / "mine.txt").write_text("mine")
    for kind in ("photos", "mail"):
        answer = comraf("sample", kind, tmp_path, "-n", 2)
        assert answer.exit_code == 2
        assert "folder" in answer.output or "empty" in answer.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_bad_words(tmp_path: Path) -> None:
    """An unknown kind or no number of photos is refused."""
    assert comraf("sample", "songs", tmp_path / "a").exit_code == 2
    assert comraf("sample", "photos", tmp_path / "a", "-n", 0).exit_code == 2
    assert not (tmp_path / "a").exists()
