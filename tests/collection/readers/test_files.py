"""Walking folders and reading files without surprises."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from comraf.collection.detect import detect
from comraf.collection.readers.files import (
    check_path,
    follow_links,
    os_path,
    portable,
    read_file,
    walk,
)
from comraf.errors import ReadError

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")


def names(folder: Path, notes: list[str] | None = None) -> list[str]:
    """The files found below a folder."""
    return [portable(path) for path, _, _ in walk(str(folder), [] if notes is None else notes)]


def test_walk_is_sorted_and_passes_over_junk(tmp_path: Path) -> None:
    """Every run sees the same order; what systems leave behind is no document."""
    for name in ("b/2", "b/10", "a/1", ".DS_Store", "Thumbs.db", ".git/x", "z"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert names(tmp_path) == ["z", "a/1", "b/10", "b/2"]


@posix
def test_walk_does_not_go_in_circles(tmp_path: Path) -> None:
    """A link to a folder above is entered once and told."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1").write_text("x")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    notes: list[str] = []
    assert names(tmp_path, notes) == ["a/1"]
    assert "1 linked folder was" in notes[0]


@posix
def test_walk_counts_broken_links_and_leaves_pipes_alone(tmp_path: Path) -> None:
    """A link to nothing is one unreadable entry; a pipe, which would block, is none."""
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")
    assert list(walk(str(tmp_path), [])) == [("gone", "", False)]


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="needs names of any bytes")
def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    """A name of any bytes can be stored as text and still be opened."""
    raw = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    with open(raw, "wb") as file:
        file.write(b"x")
    (name,) = names(tmp_path)
    name.encode("utf-8")
    assert read_file(str(tmp_path), name, 10) == b"x"


def test_the_fingerprint_changes_with_the_file(tmp_path: Path) -> None:
    """A file that grew is another file."""
    (tmp_path / "a").write_text("x")
    before = list(walk(str(tmp_path), []))
    (tmp_path / "a").write_text("xy")
    assert list(walk(str(tmp_path), [])) != before


def test_read_file_is_bounded(tmp_path: Path) -> None:
    """No more than asked is read, from a file or from a stretch of it."""
    (tmp_path / "a").write_bytes(b"0123456789")
    assert read_file(str(tmp_path), "a", 4) == b"0123"
    assert read_file(str(tmp_path), "a", 4, 2, 5) == b"234"
    assert os_path(str(tmp_path), "a") == str(tmp_path / "a")


def test_check_path_says_what_is_wrong(tmp_path: Path) -> None:
    """Nothing there, a loop of links, a pipe: each has its own message."""
    with pytest.raises(ReadError, match="There is nothing at"):
        check_path(tmp_path / "nowhere")
    with pytest.raises(ReadError, match="Can't look at"):
        check_path("a\x00b")


@posix
def test_check_path_refuses_loops_and_pipes(tmp_path: Path) -> None:
    """A link to itself can't be followed, a pipe can't be read twice."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(ReadError, match="Can't look at"):
        check_path(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ReadError, match="neither a file nor a folder"):
        check_path(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ReadError, match="a symbolic link to nothing"):
        check_path(tmp_path / "dangling")


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read all")
def test_check_path_refuses_what_may_not_be_read(tmp_path: Path) -> None:
    """A folder and a file without permission are told apart from missing ones."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "file").chmod(0)
    with pytest.raises(ReadError, match="Can't read"):
        check_path(tmp_path / "file")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder").chmod(0)
    try:
        with pytest.raises(ReadError, match="Can't list"):
            check_path(tmp_path / "folder")
    finally:
        (tmp_path / "folder").chmod(0o700)


@posix
def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    """They are counted and told of; a link within, and a link that is given, are followed."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "diary.txt").write_text("private")
    given = tmp_path / "given"
    given.mkdir()
    (given / "a.txt").write_text("x")
    (given / "b.txt").symlink_to("a.txt")
    (given / "c.txt").symlink_to("../private/diary.txt")
    (given / "d").symlink_to(tmp_path / "private")
    (given / "e").symlink_to("../given-not")  # begins with the same letters
    (tmp_path / "link").symlink_to("given")
    for root in (given, tmp_path / "link"):
        notes: list[str] = []
        assert names(root, notes) == ["a.txt", "b.txt"]
        assert notes == [
            "3 symbolic links lead out of the folder: not followed without --follow-links"
        ]
    with follow_links():
        assert names(given) == ["a.txt", "b.txt", "c.txt", "e", "d/diary.txt"]


@posix
def test_a_link_in_a_circle_does_not_make_a_folder_empty(tmp_path: Path) -> None:
    """What is beside it is read; a folder of links alone is not called empty."""
    (tmp_path / "a").symlink_to("a")
    with pytest.raises(ReadError, match="no files that can be read"):
        detect(tmp_path)
    (tmp_path / "b.txt").write_text("Pumps leak.")
    assert detect(tmp_path).kind == "text"
    (tmp_path / "b.txt").unlink()
    (tmp_path / "a").unlink()
    (tmp_path / "c").symlink_to("/etc/hosts")
    with pytest.raises(ReadError, match=r"can be read; 1 symbolic link leads out.*--follow-links"):
        detect(tmp_path)
