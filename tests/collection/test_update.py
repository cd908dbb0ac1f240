from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from comraf.collection import earlier, sample
from comraf.collection.build import build_collection, update_collection
from comraf.collection.detect import open_reader
from comraf.collection.earlier import reader_signature
from comraf.collection.items import Item, Skip, Unit
from comraf.collection.options import SideOptions, WordOptions
from comraf.collection.readers.mail import MaildirReader
from comraf.collection.readers.mail_mbox import MboxReader
from comraf.collection.store import open_collection
from comraf.errors import ReadError
from tests.collection.test_build import same


class Changing:
    """A source in memory, whose units change; tells which were read."""

    parallel = False

    def __init__(self, units: dict[str, tuple[str, list[Item | Skip]]], kind: str = "text") -> None:
        self._units = units
        self.kind = kind
        self.notes: list[str] = []
        self._read: list[str] = []

    def scan(self) -> list[Unit]:
        return [Unit(path, fingerprint=mark) for path, (mark, _) in sorted(self._units.items())]

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        self._read.append(unit.path)
        yield from self._units[unit.path][1]


def test_only_what_is_new_is_read_and_the_result_is_that_of_a_fresh_build(tmp_path: Path) -> None:
    """A mailbox that grew is read where it grew."""
    whole = sample.write_mbox(tmp_path / "whole.mbox", 200).read_bytes()
    cut = whole.rfind(b"\n\nFrom ", 0, len(whole) * 9 // 10) + 2
    box = tmp_path / "box.mbox"
    box.write_bytes(whole[:cut])
    before = build_collection(open_reader(box), out=tmp_path / "kept")
    box.write_bytes(whole)
    after = update_collection(tmp_path / "kept", open_reader(box))
    assert len(after) > len(before)
    assert same(after, build_collection(open_reader(box)))
    assert same(after, open_collection(tmp_path / "kept"))
    assert sorted(place.name for place in tmp_path.iterdir()) == ["box.mbox", "kept", "whole.mbox"]


class Counting(MboxReader):
    """An mbox that tells how many messages were read."""

    parallel = False  # read here, where they are counted
    _read = 0

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        self._read += 1
        yield from super().read(unit)


class CountingMaildir(MaildirReader):
    """A maildir that tells how many messages were read."""

    parallel = False  # read here, where they are counted
    _read = 0

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        self._read += 1
        yield from super().read(unit)


def _message(number: int) -> bytes:
    text = f"From a Mon Jan  1 10:00:00 2001\nFrom: p{number % 5}@x.org\nSubject: s{number}\n"
    return f"{text}Message-ID: <{number}@x>\n\nThe pump w{number % 7}x leaks.\n\n".encode()


def test_messages_that_only_moved_are_not_read(tmp_path: Path) -> None:
    """A message deleted from the middle of an mbox moves all that follow; none is read again."""
    box = tmp_path / "box"
    box.write_bytes(b"".join(map(_message, range(40))))
    build_collection(Counting(box), out=tmp_path / "kept")
    box.write_bytes(b"".join(_message(i) for i in [*range(3), *range(4, 20), 50, *range(20, 40)]))
    reader = Counting(box)
    after = update_collection(tmp_path / "kept", reader)
    assert reader._read == 1
    assert same(after, build_collection(Counting(box)))
    # nothing but places has changed: the places are told anew
    box.write_bytes(b"\n\n\n" + box.read_bytes())
    reader = Counting(box)
    after = update_collection(tmp_path / "kept", reader)
    assert reader._read <= 1
    assert same(after, build_collection(Counting(box)))


@pytest.mark.skipif(os.name != "posix", reason="needs colons in names")
def test_messages_that_were_flagged_are_not_read(tmp_path: Path) -> None:
    """A maildir renames what has been seen; what changed folder is read anew, for its class."""
    box = sample.write_maildir(tmp_path / "box", 80)
    build_collection(CountingMaildir(box, truth="folders"), out=tmp_path / "kept")
    seen = sorted(box.rglob("new/*"))[:30]
    for path in seen:
        path.rename(path.parent.parent / "cur" / f"{path.name}:2,S")
    moved = sorted(box.rglob("new/*"))[-1]
    moved.rename(next(p for p in box.rglob("cur") if p.parent != moved.parent.parent) / moved.name)
    reader = CountingMaildir(box, truth="folders")
    after = update_collection(tmp_path / "kept", reader)
    assert reader._read <= 2
    assert same(after, build_collection(CountingMaildir(box, truth="folders")))


@pytest.mark.parametrize("seed", range(3))
def test_any_history_of_a_mailbox(tmp_path: Path, seed: int) -> None:
    """Messages come, go, change places and stand there twice: the result is a fresh build's."""
    rng = random.Random(seed)
    box = tmp_path / "box"
    numbers = list(range(30))
    box.write_bytes(b"".join(map(_message, numbers)))
    build_collection(Counting(box), out=tmp_path / "kept")
    for step in range(5):
        for _ in range(3):
            del numbers[rng.randrange(len(numbers))]
            numbers.insert(rng.randrange(len(numbers)), rng.choice(numbers))
        numbers += [100 + step]
        if step == 3:
            rng.shuffle(numbers)
        box.write_bytes(b"".join(map(_message, numbers)))
        reader = Counting(box)
        after = update_collection(tmp_path / "kept", reader)
        assert reader._read < len(numbers) / 2
        assert same(after, build_collection(Counting(box)))


def test_another_way_of_reading_reads_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Items that an older comraf read in another way are not mixed with new ones."""
    units = {f"{i}": ("mark", [Item(f"{i}", f"pump w{i % 3}x")]) for i in range(5)}
    build_collection(Changing(units), out=tmp_path / "kept")
    monkeypatch.setattr(earlier, "READING_VERSION", 10_000)
    reader = Changing(units)
    update_collection(tmp_path / "kept", reader)
    assert len(reader._read) == 5


def test_unchanged_units_are_not_read(tmp_path: Path) -> None:
    """Of ten units one is new, one changed and one has gone: two are read."""
    units = {f"{i}": ("mark", [Item(f"{i}", f"pump w{i % 3}x")]) for i in range(10)}
    build_collection(Changing(units), out=tmp_path / "kept")
    units["4"] = ("other mark", [Item("4", "hose w1x")])
    units["99"] = ("mark", [Item("99", "pump w2x")])
    del units["7"]
    reader = Changing(units)
    after = update_collection(tmp_path / "kept", reader)
    assert reader._read == ["4", "99"]
    assert same(after, build_collection(Changing(units)))


def test_nothing_new_reads_nothing(tmp_path: Path) -> None:
    """The collection on disk is not even written again."""
    units = {f"{i}": ("mark", [Item(f"{i}", f"pump w{i % 3}x")]) for i in range(10)}
    build_collection(Changing(units), out=tmp_path / "kept")
    stamp = (tmp_path / "kept" / "items.parquet").stat().st_mtime_ns
    reader = Changing(units)
    update_collection(tmp_path / "kept", reader)
    assert reader._read == []
    assert (tmp_path / "kept" / "items.parquet").stat().st_mtime_ns == stamp


def test_what_was_skipped_is_tried_again(tmp_path: Path) -> None:
    """A file that could not be read may be readable now, with the same size and time."""
    units: dict[str, tuple[str, list[Item | Skip]]] = {
        "a": ("mark", [Item("a", "pump")]),
        "b": ("mark", [Skip("b", "no permission")]),
    }
    build_collection(Changing(units), out=tmp_path / "kept")
    units["b"] = ("mark", [Item("b", "hose")])
    after = update_collection(tmp_path / "kept", Changing(units))
    assert (after.ids, after.n_skipped) == (("a", "b"), 0)


def test_a_copy_takes_the_place_of_its_original(tmp_path: Path) -> None:
    """When the first of two copies goes, the second one is read again and kept."""
    units = {name: ("mark", [Item("same", "pump leaks")]) for name in ("a", "b")}
    units["c"] = ("mark", [Item("c", "hose")])
    before = build_collection(Changing(units), out=tmp_path / "kept")
    assert (len(before), before.duplicates) == (2, 1)
    del units["a"]
    after = update_collection(tmp_path / "kept", Changing(units))
    assert (len(after), after.duplicates) == (2, 0)
    assert same(after, build_collection(Changing(units)))


def test_other_options_give_other_tables_without_reading(tmp_path: Path) -> None:
    """New cuts need no new reading; longer n-grams do."""
    units = {f"{i}": ("mark", [Item(f"{i}", f"old pump w{i % 3}x")]) for i in range(12)}
    build_collection(Changing(units), out=tmp_path / "kept")
    fewer = SideOptions(words=WordOptions(min_documents=12))
    reader = Changing(units)
    after = update_collection(tmp_path / "kept", reader, options=fewer)
    assert reader._read == []
    assert after.sides["words"].values == ("old", "pump")
    assert same(after, build_collection(Changing(units), options=fewer))
    longer = SideOptions(words=WordOptions(ngrams=2))
    reader = Changing(units)
    after = update_collection(tmp_path / "kept", reader, options=longer)
    assert len(reader._read) == 12
    assert "old pump" in after.sides["words"].values


def test_keeping_copies_later_brings_them_back(tmp_path: Path) -> None:
    """Copies that were dropped are read again when they are wanted."""
    units = {name: ("mark", [Item("same", "pump leaks")]) for name in ("a", "b")}
    build_collection(Changing(units), out=tmp_path / "kept")
    keep = SideOptions(duplicates="keep")
    after = update_collection(tmp_path / "kept", Changing(units), options=keep)
    assert len(after) == 2
    assert same(after, build_collection(Changing(units), options=keep))


def test_a_reader_with_other_options_reads_everything(tmp_path: Path) -> None:
    """Text read in another way can't be mixed with what is stored."""
    mail = tmp_path / "mail"
    mail.mkdir()
    for i in range(4):
        body = f"Pump {i} leaks.\n-- \nAnn\n"
        (mail / f"{i}.eml").write_text(f"From: a@x.org\nSubject: {i}\nMessage-ID: <{i}>\n\n{body}")
    build_collection(open_reader(mail), out=tmp_path / "kept")
    reader = open_reader(mail, signatures="keep")
    after = update_collection(tmp_path / "kept", reader)
    assert same(after, build_collection(reader))
    assert "Ann" in after.text(0)


@pytest.mark.parametrize("seed", range(4))
def test_any_history_gives_what_a_fresh_build_gives(tmp_path: Path, seed: int) -> None:
    """Units come, change and go, with copies and clashes among them, step after step."""
    rng = random.Random(seed)

    def unit() -> tuple[str, list[Item | Skip]]:
        found: list[Item | Skip] = []
        for _ in range(rng.randrange(4)):
            word = rng.choice("abcdefgh")
            found.append(Item(rng.choice("xyz"), f"pump {word}{word}{word}"))
        if rng.random() < 0.1:
            found.append(Skip("somewhere", "broken"))
        return str(rng.random()), found

    units = {f"{i:02d}": unit() for i in range(30)}
    build_collection(Changing(units), out=tmp_path / "kept")
    for _ in range(5):
        for name in rng.sample(sorted(units), 4):
            del units[name]
        for _ in range(5):
            units[f"{rng.randrange(60):02d}"] = unit()
        reader = Changing(units)
        after = update_collection(tmp_path / "kept", reader)
        assert len(reader._read) < len(units)
        assert same(after, build_collection(Changing(units)))


def test_a_failed_update_leaves_the_collection_as_it_was(tmp_path: Path) -> None:
    """What is on disk is replaced only by something whole."""
    units = {f"{i}": ("mark", [Item(f"{i}", "pump")]) for i in range(3)}
    build_collection(Changing(units), out=tmp_path / "kept")
    with pytest.raises(ReadError):
        update_collection(tmp_path / "kept", Changing({"x": ("m", [Skip("x", "broken")])}))
    assert len(open_collection(tmp_path / "kept")) == 3
    assert [place.name for place in tmp_path.iterdir()] == ["kept"]


def test_the_place_of_a_source_is_no_option() -> None:
    """A mailbox that was moved is still the same mailbox."""
    one, two = Changing({}), Changing({})
    one.path, two.path = "here", "there"
    assert reader_signature(one) == reader_signature(two)
    two.quotes = "drop"
    assert reader_signature(one) != reader_signature(two)
