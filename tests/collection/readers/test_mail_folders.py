"""Folders as truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from comraf.collection.detect import open_reader
from comraf.collection.items import Unit
from comraf.collection.readers.files import folder_truth
from comraf.collection.readers.mail import drop_non_topical, is_topical
from comraf.errors import InputError
from tests.collection.given import read_all


def label(unit: Unit) -> str:
    """The folder of a unit."""
    return folder_truth(unit.path)


@pytest.mark.parametrize(
    "name",
    [
        *("all_documents", "calendar", "contacts", "deleted_items", "discussion_threads", "inbox"),
        *("notes_inbox", "sent", "sent_items", "_sent_mail", "drafts", "trash"),
    ],
)
def test_the_papers_list_is_dropped(name: str) -> None:
    """In any case and spelling, and for every user of a tree of mailboxes."""
    assert not is_topical(name)
    assert not is_topical(name.upper().replace("_", " "))
    assert not is_topical(f"beck-s/{name}")


def test_folders_below() -> None:
    """People file mail below the inbox; below the others nothing is filed."""
    assert is_topical("inbox/pumps")
    assert is_topical("sentiment")
    assert not is_topical("sent/2001")
    assert not is_topical("deleted_items/pumps")


def test_small_and_standard_folders_go_and_are_told() -> None:
    """Three messages make a class, two do not."""
    units = [Unit(f"{name}/{i}") for name, n in (("a", 3), ("b", 2), ("sent", 9)) for i in range(n)]
    notes: list[str] = []
    assert {label(unit) for unit in drop_non_topical(units, label, notes)} == {"a"}
    assert notes == [
        "9 messages in 1 non-topical folders dropped: sent",
        "2 messages in 1 folders under 3 dropped: b",
    ]


def test_nothing_left_is_an_error() -> None:
    """A mailbox without a class can't be scored, and the message says why."""
    with pytest.raises(InputError, match="none of the 2 messages is left"):
        drop_non_topical([Unit("sent/1"), Unit("x/1")], label, [])


def test_mail_is_filed_by_so_many_folders(tmp_path: Path) -> None:
    """What lies below a folder counts to it, also where three messages make a class."""
    for i, name in enumerate(("work/pumps", "work/gas", "work/gas")):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / str(i)).write_text(f"From: a@x.org\nSubject: {i}\n\nHi")
    reader = open_reader(tmp_path, kind="mail", truth="folders:1")
    found = read_all(reader)
    assert [getattr(item, "truth", None) for item in found] == ["work"] * 3
