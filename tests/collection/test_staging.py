"""Collections appear whole or not at all, and leave no text behind."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path

import pytest

from comraf.collection.build import build_collection, update_collection
from comraf.collection.files import check_target, staged
from comraf.collection.store import delete_collection, open_collection
from comraf.errors import ReadError, WriteError
from comraf.store import leftovers, put_back, remove_leftovers
from tests.collection.test_build import Numbered, reading_process, same

SIXTEEN = "0123456789abcdef"
posix = pytest.mark.skipif(os.name != "posix", reason="needs locks on folders, and signals")


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


def leftover(target: Path, kind: str) -> Path:
    """What a killed writer leaves of a collection."""
    place = target.parent / f".{target.name}.{SIXTEEN}.{kind}"
    place.mkdir(parents=True)
    (place / "items.parquet").write_text("private words")
    return place


@posix
def test_what_a_killed_writer_left_goes(tmp_path: Path) -> None:
    """The next one who writes to the same place removes it, and only that."""
    target = tmp_path / "mail"
    leftover(target, "partial")
    other = leftover(tmp_path / "mail2", "partial")
    alike = tmp_path / ".mail.mine.partial"
    alike.mkdir()
    with staged(target) as shelf:
        shelf.write("a", b"1")
    assert sorted(tmp_path.iterdir()) == sorted([target, other, alike])
    assert not remove_leftovers(tmp_path / "mail2")
    assert sorted(tmp_path.iterdir()) == sorted([target, alike])


@posix
def test_what_is_being_written_stays(tmp_path: Path) -> None:
    """A second writer is refused, and does no harm to the first one."""
    target = tmp_path / "mail"
    with staged(target) as shelf:
        shelf.write("a", b"1")
        with pytest.raises(WriteError, match="another process"), staged(target):
            pass
        assert remove_leftovers(target)
    assert (target / "a").read_bytes() == b"1"
    assert leftovers(target) == []


@posix
def test_a_collection_whose_successor_never_came_is_put_back(tmp_path: Path) -> None:
    """Killed between two renames, an update leaves the collection as it was."""
    target = tmp_path / "mail"
    build_collection(Numbered(12), out=target)
    for how in (open_collection, lambda path: update_collection(path, Numbered(12))):
        target.rename(tmp_path / f".mail.{SIXTEEN}.older")
        leftover(target, "partial")
        assert len(how(target)) == 12
        remove_leftovers(target)
        assert list(tmp_path.iterdir()) == [target]
    target.rename(tmp_path / f".mail.{SIXTEEN}.older")
    with pytest.raises(WriteError, match="not empty"):
        build_collection(Numbered(12), out=target)


@posix
def test_nothing_is_put_back_over_something(tmp_path: Path) -> None:
    """What was replaced goes once its successor is there."""
    target = tmp_path / "mail"
    target.mkdir()
    leftover(target, "older")
    put_back(target)
    assert list(target.iterdir()) == []
    remove_leftovers(target)
    assert list(tmp_path.iterdir()) == [target]


@posix
def test_deleting_deletes_all_text(tmp_path: Path) -> None:
    """Also what killed builds and updates left of it, with or without a collection beside."""
    target = tmp_path / "mail"
    build_collection(Numbered(12), out=target)
    leftover(target, "partial")
    leftover(target, "older")
    delete_collection(target)
    assert list(tmp_path.iterdir()) == []
    leftover(target, "partial")
    delete_collection(target)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ReadError, match="no collection"):
        delete_collection(target)


@posix
def test_what_is_being_updated_is_not_deleted(tmp_path: Path) -> None:
    """The update would bring all of its text back."""
    target = tmp_path / "mail"
    build_collection(Numbered(12), out=target)
    with staged(target, replace=True) as shelf:
        with pytest.raises(WriteError, match="just being written"):
            delete_collection(target)
        shelf.write("a", b"1")
    assert (target / "a").exists()


@posix
def test_where_nothing_tells_the_dead_from_the_living_everything_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without locks a folder of another writer is left alone, and writing still works."""
    import fcntl

    def no_locks(handle: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    other = leftover(tmp_path / "mail", "partial")
    with staged(tmp_path / "mail") as shelf:
        shelf.write("a", b"1")
    assert sorted(tmp_path.iterdir()) == sorted([other, tmp_path / "mail"])


@pytest.mark.parametrize("name", ["m" * 250, "\N{CAT FACE}" * 60])
def test_long_names(tmp_path: Path, name: str) -> None:
    """A folder whose name is as long as the system allows can be written and replaced."""
    target = tmp_path / name
    for replace in (False, True):
        with staged(target, replace=replace) as shelf:
            shelf.write("a", b"1")
    assert [place.name for place in tmp_path.iterdir()] == [name]


@posix
def test_a_killed_build_leaves_nothing_for_long(tmp_path: Path) -> None:
    """After kill -9 there is no collection; the next build removes the text that was written."""
    place = tmp_path / "place"
    process = reading_process(tmp_path)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert not (place / "out").exists()
    assert leftovers(place / "out")
    with pytest.raises(ReadError):
        open_collection(place / "out")
    found = build_collection(Numbered(12), out=place / "out")
    assert same(found, open_collection(place / "out"))
    assert [entry.name for entry in place.iterdir()] == ["out"]
