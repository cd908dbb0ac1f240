"""Folders of raw messages, and maildirs."""

from __future__ import annotations

import os
import time
import tracemalloc
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest

from comraf.collection.items import Address, Item, Skip
from comraf.collection.readers.mail import MaildirReader, MailFolderReader, parse_message
from comraf.collection.sample import messages
from comraf.errors import InputError, ReadError
from tests.collection.given import items, read_all

MESSAGE = b"""Message-ID: <1.2@x.org>
Date: Thu, 2 Aug 2001 07:33:32 -0700 (PDT)
From: "Li, Ann" <ann@x.org>
To: joe@x.org
Cc: =?utf-8?Q?J=C3=B6rg?= <jorg@x.org>
Bcc: hidden@x.org
Subject: Re: =?utf-8?B?UMO8bXBl?=
X-From: Secret Name
X-Folder: \\pumps
Received: from pumps

It leaks.

--
Ann
"""


def item_of(data: bytes, **options: object) -> Item:
    """The item of a message that can be read."""
    item = parse_message(data, "a/1", **options)  # type: ignore[arg-type]
    assert isinstance(item, Item)
    return item


def write(folder: Path, names: list[str], data: bytes = MESSAGE) -> Path:
    """Put a message into files."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_a_message_becomes_an_item() -> None:
    """Only From, To, Cc, Subject and Date are used of the headers."""
    item = item_of(MESSAGE)
    assert item.id == "1.2@x.org"
    assert item.title == "Re: Pümpe"
    assert item.text == "It leaks."
    assert item.date == datetime(2001, 8, 2, 14, 33, 32, tzinfo=UTC)
    assert item.people == (
        Address("Li, Ann", "ann@x.org", "from"),
        Address("", "joe@x.org", "to"),
        Address("Jörg", "jorg@x.org", "cc"),
    )
    assert item.source == "a/1"
    assert item.truth is None
    assert not any(word in repr(item) for word in ("Secret", "hidden", "pumps"))


def test_the_sample_mailbox_is_read_right() -> None:
    """Names, encoded words, charsets and HTML of the generated mailbox all come through."""
    for one in messages(150, seed=3):
        item = item_of(one.message.as_bytes())
        assert item.title == " ".join(str(one.message["Subject"]).split())
        assert item.date == one.message["Date"].datetime
        senders = [(p.name, p.address) for p in item.people if p.role == "from"]
        assert senders == [(a.display_name, a.addr_spec) for a in one.message["From"].addresses]
        to = [p.address for p in item.people if p.role == "to"]
        assert to == [a.addr_spec for a in one.message["To"].addresses]
        body = one.message.get_body(preferencelist=("plain",))
        if isinstance(body, EmailMessage):
            own = item_of(one.message.as_bytes(), signatures=False).text
            assert own.split() == body.get_content().split()


def test_duplicates_and_clashes_can_be_told() -> None:
    """Copies share a digest whatever route they took; two messages with one id do not."""
    copy = b"Received: by another route\r\n" + MESSAGE.replace(b"\n", b"\r\n")
    other = MESSAGE.replace(b"It leaks", b"It is fine")
    assert item_of(copy).digest == item_of(MESSAGE).digest
    assert item_of(other).id == item_of(MESSAGE).id
    assert item_of(other).digest != item_of(MESSAGE).digest


def test_a_message_without_an_id_gets_one() -> None:
    """The id is then a hash of what the message says, the same at every reading."""
    lines = MESSAGE.split(b"\n")
    data = b"\n".join(lines[1:])
    assert item_of(data).id == item_of(data).digest
    assert len(item_of(b"Message-ID: <" + b"x" * 5000 + b">\n" + data).id) == 32


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "empty"), (b" \n\x00\n", "empty"), (b"hello\n\nworld", "not a mail message")],
)
def test_what_is_no_message_is_skipped(data: bytes, reason: str) -> None:
    """Empty files and files without header fields are counted, with a reason."""
    skip = parse_message(data, "a/1")
    assert reason in skip.reason
    assert skip.source == "a/1"


def test_quotes_and_signatures_are_options(tmp_path: Path) -> None:
    """Quotes are kept unless asked otherwise, signatures dropped."""
    data = b"Subject: x\n\nmine\n> old\n-- \nAnn"
    write(tmp_path, ["1"], data)
    (kept,) = items(MailFolderReader(tmp_path))
    (own,) = items(MailFolderReader(tmp_path, quotes="drop", signatures="keep"))
    assert kept.text.split() == ["mine", ">", "old"]
    assert own.text.split() == ["mine", "--", "Ann"]


def test_numbered_files_and_eml(tmp_path: Path) -> None:
    """Enron's form, .eml files and Apple's .emlx are all messages; other files are skipped."""
    write(tmp_path, ["pumps/1", "pumps/2.", "pumps/3.eml"])
    write(tmp_path, ["pumps/4.emlx"], b"%d\n" % len(MESSAGE) + MESSAGE + b"<plist>junk</plist>")
    write(tmp_path, ["pumps/notes.bin"], b"\x00\x01\x02")
    write(tmp_path, ["pumps/empty"], b"")
    found = read_all(MailFolderReader(tmp_path))
    assert sum(isinstance(thing, Item) for thing in found) == 4
    assert {thing.text for thing in found if isinstance(thing, Item)} == {"It leaks."}
    assert [t.source for t in found if isinstance(t, Skip)] == ["pumps/empty", "pumps/notes.bin"]


def test_truth_from_folders(tmp_path: Path) -> None:
    """Folders are classes when asked for, and nothing is dropped when not."""
    names = [f"{folder}/{i}" for folder in ("pumps", "a/b", "inbox") for i in range(3)]
    write(tmp_path, [*names, "small/1"])
    reader = MailFolderReader(tmp_path, truth="folders")
    assert {item.truth for item in items(reader)} == {"pumps", "a/b"}
    assert any("non-topical" in note for note in reader.notes)
    reader.scan()
    assert len(reader.notes) == 2
    everything = items(MailFolderReader(tmp_path))
    assert len(everything) == 10
    assert {item.truth for item in everything} == {None}


def test_messages_at_the_top_belong_to_the_folder_itself(tmp_path: Path) -> None:
    """The path's own name is the class of what lies directly in it."""
    write(tmp_path / "pumps", ["1", "2", "3"])
    truths = {item.truth for item in items(MailFolderReader(tmp_path / "pumps", truth="folders"))}
    assert truths == {"pumps"}


def test_only_what_is_new_has_a_new_fingerprint(tmp_path: Path) -> None:
    """After a message came in, all old units are as before."""
    write(tmp_path, ["a/1", "a/2"])
    before = MailFolderReader(tmp_path).scan()
    write(tmp_path, ["a/3"])
    after = MailFolderReader(tmp_path).scan()
    assert set(before) < set(after)
    assert len(after) == 3


def test_a_huge_message_is_cut(tmp_path: Path) -> None:
    """200 MB take little time and little memory, and the item says so."""
    path = tmp_path / "1"
    with open(path, "wb") as file:
        file.write(MESSAGE)
        file.truncate(200 << 20)
    start = time.process_time()
    (item,) = items(MailFolderReader(tmp_path))
    assert time.process_time() - start < 10
    assert item.title == "Re: Pümpe"
    assert item.text.startswith("It leaks.")
    assert len(item.text) <= 8 << 20
    assert item.notes == ("cut at 8,388,608 bytes",)
    tracemalloc.start()
    items(MailFolderReader(tmp_path, max_bytes=1 << 18))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 << 20


def test_a_file_that_vanishes_is_skipped(tmp_path: Path) -> None:
    """Between scan and read a mail program may move a message."""
    write(tmp_path, ["1", "2"])
    reader = MailFolderReader(tmp_path)
    units = reader.scan()
    os.remove(tmp_path / "1")
    (skip,) = reader.read(units[0])
    assert "can't be read" in skip.reason


def test_maildir(tmp_path: Path) -> None:
    """Messages in cur and new of the inbox and of subfolders; tmp is left alone."""
    write(tmp_path, ["cur/1:2,S", "new/2", "tmp/3", ".Work.Pumps/cur/4:2,", "dovecot.index"])
    write(tmp_path, [".Work.Pumps/new/5", ".Work.Pumps/cur/6", ".Sent/cur/7", ".Sent/new/8"])
    write(tmp_path, [".Sent/cur/9"])
    found = items(MaildirReader(tmp_path))
    assert len(found) == 8
    truths = [item.truth for item in items(MaildirReader(tmp_path, truth="folders"))]
    assert truths == ["Work/Pumps"] * 3


def test_a_tree_of_maildirs(tmp_path: Path) -> None:
    """Maildirs in ordinary folders are found, their names are the classes."""
    write(tmp_path, [f"work/pumps/cur/{i}" for i in range(3)])
    write(tmp_path, [f"home/new/{i}" for i in range(3)])
    truths = {item.truth for item in items(MaildirReader(tmp_path, truth="folders"))}
    assert truths == {"work/pumps", "home"}


def test_empty_places_are_errors(tmp_path: Path) -> None:
    """A folder without messages is not a collection of none."""
    with pytest.raises(ReadError, match="no files"):
        MailFolderReader(tmp_path).scan()
    for name in ("cur", "new", "tmp"):
        (tmp_path / name).mkdir()
    with pytest.raises(ReadError, match="holds no messages"):
        MaildirReader(tmp_path).scan()


@pytest.mark.parametrize(
    "options", [{"quotes": "some"}, {"signatures": "x"}, {"truth": "labels"}, {"max_bytes": 1}]
)
def test_bad_options_are_named(tmp_path: Path, options: dict[str, object]) -> None:
    """The message names the option and what it can be."""
    with pytest.raises(InputError, match=next(iter(options))):
        MailFolderReader(tmp_path, **options)  # type: ignore[arg-type]
