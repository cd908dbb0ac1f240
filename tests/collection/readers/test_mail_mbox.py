"""Mbox files."""

from __future__ import annotations

import mailbox
from pathlib import Path

import pytest

from comraf.collection.items import Item, Skip, Unit
from comraf.collection.readers import mail_mbox
from comraf.collection.readers.mail_mbox import MboxReader, is_mbox, split_mbox
from comraf.collection.sample import write_mbox
from comraf.errors import ReadError
from tests.collection.given import read_all

FROM = b"From ann@x.org Mon Jan  1 10:00:00 2001\n"


def message(number: int, body: bytes = b"It leaks.\n") -> bytes:
    """One message of an mbox, with its separator."""
    return FROM + b"Message-ID: <%d@x>\nSubject: n%d\n\n" % (number, number) + body + b"\n"


def titles(reader: MboxReader) -> list[str]:
    """The titles of all messages."""
    return [
        thing.title if isinstance(thing, Item) else thing.reason
        for unit in reader.scan()
        for thing in reader.read(unit)
    ]


def test_the_standard_library_agrees(tmp_path: Path) -> None:
    """On a well-formed mailbox the same messages are found."""
    path = write_mbox(tmp_path / "box", 120, seed=1)
    ours = titles(MboxReader(path))
    assert len(ours) == len(mailbox.mbox(path)) == 120
    assert all(ours)


@pytest.mark.parametrize("block", [64, 4096, 5000, 1 << 22])
def test_the_size_of_blocks_does_not_matter(
    tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages are cut at the same places however much is read at a time."""
    path = write_mbox(tmp_path / "box", 40, seed=2)
    expected = list(split_mbox(str(path)))
    monkeypatch.setattr(mail_mbox, "_BLOCK", block)
    assert list(split_mbox(str(path))) == expected
    assert [start for start, _, _ in expected[1:]] == [stop for _, stop, _ in expected[:-1]]
    assert expected[-1][1] == path.stat().st_size


def test_from_in_a_text_is_no_separator(tmp_path: Path) -> None:
    """Sentences that start with From are text, escaped or not."""
    body = b"one\n\nFrom here on it leaks.\nYes.\n>From the top\n>>From twice\n"
    path = tmp_path / "box"
    path.write_bytes(message(1, body) + message(2))
    reader = MboxReader(path)
    units = reader.scan()
    assert len(units) == 2
    (item,) = reader.read(units[0])
    assert item.text.split("\n")[2:] == [
        "From here on it leaks.",
        "Yes.",
        "From the top",
        ">From twice",
    ]


@pytest.mark.parametrize(
    "separator",
    [
        b"From - Mon Jan  1 10:00:00 2001\n",
        b"From 1234567890@xxx Mon Jan 01 10:00:00 +0000 2001\r\n",
        b"From MAILER-DAEMON Fri Jul  8 12:08:34 2011\n>From other\n",
        b"From \n",
        b"From ann@x.org\n",
    ],
)
def test_separators_of_many_programs(tmp_path: Path, separator: bytes) -> None:
    """Thunderbird's, Google's, and lines without a date."""
    data = (separator + b"Subject: a\n\nhello\n\n") * 3
    (tmp_path / "box").write_bytes(data)
    assert is_mbox(data)
    assert titles(MboxReader(tmp_path / "box")) == ["a"] * 3


def test_messages_glued_together(tmp_path: Path) -> None:
    """A missing blank line before a true separator does not hide a message."""
    data = (FROM + b"Subject: a\n\nhello\n") * 3
    (tmp_path / "box").write_bytes(data)
    assert titles(MboxReader(tmp_path / "box")) == ["a"] * 3


def test_a_grown_mailbox_has_only_new_units(tmp_path: Path) -> None:
    """What was there before keeps its place and its fingerprint."""
    path = tmp_path / "box"
    path.write_bytes(message(1) + message(2))
    before = MboxReader(path).scan()
    path.write_bytes(message(1) + message(2) + message(3))
    after = MboxReader(path).scan()
    assert after[:2] == before
    assert len(after) == 3
    path.write_bytes(message(1, b"It is fine\n") + message(2))
    changed = MboxReader(path).scan()
    assert changed[0].fingerprint != before[0].fingerprint
    assert changed[1].fingerprint == before[1].fingerprint


def test_bad_messages_are_skipped_not_fatal(tmp_path: Path) -> None:
    """One empty message among others is counted."""
    (tmp_path / "box").write_bytes(message(1) + FROM + b"\n\n" + message(2))
    assert titles(MboxReader(tmp_path / "box")) == ["n1", "empty", "n2"]


def test_a_tree_of_mboxes(tmp_path: Path) -> None:
    """Thunderbird's folders: names are classes, index files are passed over."""
    (tmp_path / "Inbox.sbd").mkdir()
    three = message(1) + message(2) + message(3)
    (tmp_path / "Inbox.sbd" / "Pumps").write_bytes(three)
    (tmp_path / "Home.mbox").write_bytes(three)
    (tmp_path / "Inbox").write_bytes(three)
    (tmp_path / "Inbox.msf").write_text("// index")
    reader = MboxReader(tmp_path, truth="folders")
    found = read_all(reader)
    assert {thing.truth for thing in found if isinstance(thing, Item)} == {"Inbox/Pumps", "Home"}
    assert any("Inbox.msf" in note for note in reader.notes)
    assert {thing.source for thing in found} >= {"Home.mbox@0"}


def test_a_huge_message_among_others_is_cut(tmp_path: Path) -> None:
    """Its neighbours are whole, and it says that it is not."""
    path = tmp_path / "box"
    path.write_bytes(message(1) + message(2, b"word " * 10_000) + message(3))
    reader = MboxReader(path, max_bytes=2000)
    found = read_all(reader)
    assert [bool(t.notes) for t in found if isinstance(t, Item)] == [False, True, False]


def test_no_mbox_is_an_error(tmp_path: Path) -> None:
    """A file of another kind is refused, a vanished one skipped."""
    path = tmp_path / "box"
    path.write_text("hello")
    with pytest.raises(ReadError, match="is no mbox"):
        MboxReader(path).scan()
    path.write_bytes(message(1))
    reader = MboxReader(path)
    path.unlink()
    (skip,) = reader.read(Unit("", 0, 10))
    assert isinstance(skip, Skip)
