from __future__ import annotations

from pathlib import Path

import pytest

from comraf.collection.files import FolderFiles, MemoryFiles
from comraf.errors import ReadError, WriteError
from comraf.store import reason_of, writing


def test_missing_files_are_named(tmp_path: Path) -> None:
    """A collection that lost a file says which."""
    with pytest.raises(ReadError, match=r"items\.parquet"):
        FolderFiles(tmp_path).source("items.parquet")


def test_memory_keeps_what_is_written() -> None:
    """Streams and whole files come back as they went in."""
    shelf = MemoryFiles()
    shelf.sink("stream").write(b"ab")
    shelf.write("whole", b"cd")
    assert shelf.read("stream") == b"ab"
    assert shelf.source("whole").read() == b"cd"
    assert shelf.names() == ["stream", "whole"]


def test_other_errors_pass_through_writing() -> None:
    """Only failures to write are turned into write errors."""
    with pytest.raises(ZeroDivisionError), writing("x"):
        raise ZeroDivisionError


def test_a_full_disk_is_told_in_the_words_of_the_system() -> None:
    """Libraries put the number of the error into a message of their own."""
    hidden = OSError("Error writing bytes to file. Detail: [errno 28] No space left on device")
    assert reason_of(hidden) == reason_of(OSError(28, "whatever")) == "No space left on device"
    with (
        pytest.raises(WriteError, match=r"out: can't be written: No space.*free some space"),
        writing("out"),
    ):
        raise hidden
    with pytest.raises(WriteError, match="Permission denied") as caught, writing("out"):
        raise PermissionError(13, "Permission denied")
    assert "space" not in str(caught.value)


def test_a_folder_is_called_by_what_it_will_be(tmp_path: Path) -> None:
    """Messages name the user's place, not the hidden one that is written first."""
    assert str(FolderFiles(tmp_path / ".hidden", shown=tmp_path / "mail")).endswith("mail")
