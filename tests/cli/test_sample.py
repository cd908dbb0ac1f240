"""``comraf sample``."""

from __future__ import annotations

from pathlib import Path

from tests.cli.talking import comraf


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
