"""Files and folders are whole or not there, and what killed processes left goes."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from comraf.errors import WriteError
from comraf.store import (
    acquire,
    claimed,
    files_whole,
    folder_whole,
    hidden_folder,
    release,
    remove_leftovers,
    scratch_folder,
    write_whole,
)
from tests.killing import killed_at

DAY = 24 * 60 * 60
SIXTEEN = "0123456789abcdef"
posix = pytest.mark.skipif(os.name != "posix", reason="needs locks, and signals")


def hidden(folder: Path) -> list[str]:
    """Names of hidden files and folders."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def age(path: Path, seconds: float) -> None:
    """Make a file or a folder with all in it look old."""
    then = time.time() - seconds
    for each in [*path.rglob("*"), path]:
        os.utime(each, (then, then))


def test_a_folder_goes_with_the_work(tmp_path: Path) -> None:
    """Gone at the end, and after an exception; readable by nobody else meanwhile."""
    with scratch_folder(tmp_path) as work:
        assert os.name != "posix" or work.stat().st_mode & 0o077 == 0
    assert hidden(tmp_path) == []
    with pytest.raises(ZeroDivisionError), scratch_folder(tmp_path):
        raise ZeroDivisionError
    assert hidden(tmp_path) == []


@pytest.mark.parametrize(
    "name",
    [
        ".comraf-abcd_123",  # what older versions made
        ".comraf-0123456789abcdef.new",
        ".comraf-0123456789abcdef.probe",
    ],
)
def test_what_is_nobodys_goes_after_a_day(name: str, tmp_path: Path) -> None:
    """Where no process can be asked, only age tells; a day is enough, an hour is not."""
    left = tmp_path / name
    left.mkdir()
    (left / "collection").mkdir()
    (left / "collection" / "file").write_text("x")
    age(left, DAY / 24)
    remove_leftovers(tmp_path / "out")
    assert left.exists()
    age(left, 2 * DAY)
    os.utime(left / "collection" / "file")  # something in it is fresh
    remove_leftovers(tmp_path / "out")
    assert left.exists()
    age(left, 2 * DAY)
    remove_leftovers(tmp_path / "out")
    assert not left.exists()


def test_nothing_else_is_touched(tmp_path: Path) -> None:
    """Other people's files, similar names, links and answers stay, however old they are."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter.txt").write_text("dear")
    kept = [
        *(".comraf", ".comraf-settings", ".comraf-ABCDEFGH", ".comraf-0123456789abcdef.older"),
        *(".other.0123456789abcdef.partial", "comraf-abcd1234", ".comraf-abcd1234.txt"),
        *(".config", "out-2", ".outx.0123456789abcdef.partial"),
    ]
    for name in kept:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
        age(tmp_path / name, 40 * DAY)
    link = tmp_path / ".comraf-abcd1234"
    link.symlink_to(mine, target_is_directory=True)
    assert not remove_leftovers(tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*kept, "mine", link.name])
    assert (mine / "letter.txt").read_text() == "dear"


def test_a_place_that_is_not_there(tmp_path: Path) -> None:
    """The nearest folder above is looked at; nowhere is no error."""
    left = tmp_path / ".comraf-abcd1234"
    left.mkdir()
    age(left, 2 * DAY)
    assert not remove_leftovers(tmp_path / "a" / "b" / "out")
    assert not (tmp_path / "a").exists()
    assert not left.exists()


@posix
@pytest.mark.parametrize(
    "name",
    [f".comraf-{SIXTEEN}.work", f".out.{SIXTEEN}.partial", f"out/.comraf.{SIXTEEN}.partial"],
)
def test_what_nobody_holds_goes_at_once(name: str, tmp_path: Path) -> None:
    """Folders are locked by their writers, so a free one has none any more."""
    left = tmp_path / name
    left.mkdir(parents=True)
    (left / "file").write_text("x")
    lock = acquire(left)
    remove_leftovers(tmp_path / "out")
    assert left.exists()
    release(lock)
    remove_leftovers(tmp_path / "out")
    assert not left.exists()


@posix
def test_scratch_folders_of_older_versions_are_held_by_a_file_in_them(tmp_path: Path) -> None:
    """One that is in use stays; it goes with its process."""
    left = tmp_path / f".comraf-{SIXTEEN}.work"
    left.mkdir()
    lock = acquire(left / "lock", make=True)
    remove_leftovers(tmp_path / "out")
    assert left.exists()
    release(lock)
    remove_leftovers(tmp_path / "out")
    assert not left.exists()


@posix
def test_nothing_is_removed_while_others_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that is swept between its making and its lock is made again."""
    real, swept = Path.mkdir, []

    def mkdir(self: Path, *args: Any, **more: Any) -> None:
        real(self, *args, **more)
        if self.name.endswith(".partial") and not swept:
            swept.append(remove_leftovers(tmp_path / "out"))

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with hidden_folder(tmp_path, "out") as stage:
        assert swept == [False]
        assert remove_leftovers(tmp_path / "out")
        assert stage.is_dir()
    assert os.listdir(tmp_path) == []


def whole_file(place: Path, text: str) -> None:
    """One file."""
    write_whole(place / "out", [text[:3], text[3:].encode()])


def whole_files(place: Path, text: str) -> None:
    """Two files, the second of which counts."""
    with files_whole(place / "table", place / "out") as parts:
        for part in parts:
            part.write_text(text)


def whole_folder(place: Path, text: str) -> None:
    """A folder in place of an older one."""
    with folder_whole(place / "folder", replace=True) as stage:
        (stage / "out").write_text(text)


CHANGES = ("rename", "replace", "unlink", "rmdir", "mkdir", "open", "fsync")


@posix
@pytest.mark.parametrize("write", [whole_file, whole_files, whole_folder])
def test_killed_anywhere_the_older_or_the_newer_is_there(
    write: Callable[[Path, str], None], tmp_path: Path
) -> None:
    """Never half of one; and the next writer leaves nothing beside it."""
    for step in range(1, 100):
        place = tmp_path / str(step)
        place.mkdir()
        write(place, "old text")
        killed = killed_at(step, partial(write, place, "new text"), CHANGES)
        for target in ("out", "folder", "table"):
            for left in place.glob(".*.partial"):
                if left.is_file():  # no lock tells whose it is
                    age(left, 2 * DAY)
            remove_leftovers(place / target)
        names = ["out", "table"] if write is whole_files else ["out"]
        assert sorted(path.name for path in place.rglob("*") if path.is_file()) == names
        [out] = place.rglob("out")
        assert out.read_text() in ("old text", "new text")
        assert not list(place.rglob(".*"))
        if not killed:
            assert out.read_text() == "new text"
            assert step > 4
            return


@pytest.mark.parametrize("write", [whole_file, whole_files, whole_folder])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EINVAL])
def test_a_disk_that_is_full_only_when_it_is_flushed(
    write: Callable[[Path, str], None],
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was there before stays; a disk that can't be flushed at all is no failure."""
    write(tmp_path, "old text")
    before = sorted(tmp_path.rglob("*"))

    def fsync(handle: int) -> None:
        if stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fsync)
    if code == errno.EINVAL:
        write(tmp_path, "new text")
    else:
        with pytest.raises(OSError, match="No space left"):
            write(tmp_path, "new text")
    assert sorted(tmp_path.rglob("*")) == before
    assert {p.read_text() for p in before if p.is_file()} == {
        "new text" if code == errno.EINVAL else "old text"
    }


@pytest.mark.parametrize("write", [whole_file, whole_folder])
def test_a_link_that_lies_in_wait_is_not_written_through(
    write: Callable[[Path, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even who guessed the hidden name can't have a file elsewhere written over."""
    monkeypatch.setattr("secrets.token_hex", lambda n: SIXTEEN)
    mine = tmp_path / "mine"
    mine.write_text("mine")
    for name in ("out", "folder"):
        (tmp_path / f".{name}.{SIXTEEN}.partial").symlink_to(mine)
    with pytest.raises(WriteError, match="File exists"):
        write(tmp_path, "theirs")
    assert mine.read_text() == "mine"


def test_a_file_keeps_what_was_there_until_it_is_whole(tmp_path: Path) -> None:
    """Text that ends in an error is not written; bytes and odd text are."""

    def broken() -> Iterator[str]:
        yield "half"
        raise OSError(errno.ENOSPC, "No space left on device")

    out = tmp_path / "out.csv"
    write_whole(out, ["caf\u00e9 \udc80", b"\xff"])
    with pytest.raises(WriteError, match=r"out\.csv: can't be written: No space left"):
        write_whole(out, broken())
    assert out.read_bytes() == b"caf\xc3\xa9 \\udc80\xff"
    assert os.listdir(tmp_path) == ["out.csv"]


@posix
def test_private_files_are_read_by_their_owner_alone(tmp_path: Path) -> None:
    """Others get what the user's mask allows."""
    for private in (True, False):
        write_whole(tmp_path / "out", ["x"], private=private)
        assert bool((tmp_path / "out").stat().st_mode & 0o077) is not private


@posix
def test_a_pipe_with_the_name_of_a_lock_is_not_waited_for(tmp_path: Path) -> None:
    """Opening one for reading would wait for a writer for ever."""
    with claimed(tmp_path / "out"):
        [lock] = tmp_path.glob(".comraf-*.lock")
    os.mkfifo(lock)
    remove_leftovers(tmp_path / "out")
    with claimed(tmp_path / "out"):
        pass


def test_a_folder_that_cannot_be_renamed_leaves_the_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had been moved away already, and comes back."""
    whole_folder(tmp_path, "old text")
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if self.suffix == ".partial":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(WriteError, match="Permission denied"):
        whole_folder(tmp_path, "new text")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "out"]
    assert (tmp_path / "folder" / "out").read_text() == "old text"
