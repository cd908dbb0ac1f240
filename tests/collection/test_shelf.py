from __future__ import annotations

import os
from pathlib import Path

import pytest

from comraf.collection.shelf import FolderShelf, MemoryShelf, check_target, staged, writing
from comraf.errors import ReadError, WriteError


def test_a_finished_folder_appears_whole(tmp_path: Path) -> None:
    """Nothing is at the target before all is written, and nothing beside it after."""
    target = tmp_path / "deep" / "mail"
    with staged(target) as shelf:
        shelf.write("a", b"1")
        assert not target.exists()
    assert (target / "a").read_bytes() == b"1"
    assert [place.name for place in target.parent.iterdir()] == ["mail"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_failure_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    """Half-written folders, and folders made for them, go away."""

    def fail() -> None:
        with staged(tmp_path / "deep" / "mail") as shelf:
            shelf.write("a", b"1")
            raise error

    with pytest.raises(error):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    """An older collection stays until the new one is whole."""
    target = tmp_path / "mail"
    target.mkdir()
    (target / "old").write_bytes(b"1")
    with pytest.raises(ValueError, match="no"), staged(target, replace=True):
        raise ValueError("no")
    assert [place.name for place in tmp_path.rglob("*")] == ["mail", "old"]
    with staged(target, replace=True) as shelf:
        shelf.write("new", b"2")
    assert sorted(place.name for place in tmp_path.rglob("*")) == ["mail", "new"]


def test_text_of_mail_is_private(tmp_path: Path) -> None:
    """Other users of the machine can't read a new collection."""
    with staged(tmp_path / "mail") as shelf:
        shelf.write("a", b"1")
    if os.name == "posix":
        assert (tmp_path / "mail").stat().st_mode & 0o077 == 0


def test_targets_are_checked(tmp_path: Path) -> None:
    """A file, a full folder and a senseless name are refused in words."""
    (tmp_path / "file").write_text("x")
    full = tmp_path / "full"
    full.mkdir()
    (full / "x").write_text("x")
    with pytest.raises(WriteError, match="is a file"):
        check_target(tmp_path / "file")
    with pytest.raises(WriteError, match="not empty"):
        check_target(full)
    with pytest.raises(WriteError, match="name of a folder"):
        check_target("a\0b")
    assert check_target(tmp_path / "new").name == "new"


def test_a_place_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    """The failure to make a folder is an error of ours."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(WriteError), staged(tmp_path / "file" / "mail"):
        pass
    assert (tmp_path / "file").read_text() == "x"


def test_missing_files_are_named(tmp_path: Path) -> None:
    """A collection that lost a file says which."""
    with pytest.raises(ReadError, match=r"items\.parquet"):
        FolderShelf(tmp_path).source("items.parquet")


def test_memory_keeps_what_is_written() -> None:
    """Streams and whole files come back as they went in."""
    shelf = MemoryShelf()
    shelf.sink("stream").write(b"ab")
    shelf.write("whole", b"cd")
    assert shelf.read("stream") == b"ab"
    assert shelf.source("whole").read() == b"cd"
    assert shelf.names() == ["stream", "whole"]


def test_other_errors_pass_through_writing() -> None:
    """Only failures to write are turned into write errors."""
    with pytest.raises(ZeroDivisionError), writing("x"):
        raise ZeroDivisionError
