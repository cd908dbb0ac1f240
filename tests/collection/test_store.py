from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from comraf.collection import sample
from comraf.collection.build import build_collection, update_collection
from comraf.collection.collection import Collection
from comraf.collection.detect import open_reader
from comraf.collection.store import (
    HEADER_FILE,
    VERSION,
    delete_collection,
    is_collection,
    open_collection,
)
from comraf.errors import InputError, ReadError, WriteError

FIXTURE = Path(__file__).parents[1] / "golden" / "fixtures" / "0.1.0" / "answer" / "collection"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample mailbox."""
    return sample.write_mbox(tmp_path_factory.mktemp("box") / "sample.mbox", 80)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory, box: Path) -> Path:
    """A collection of it."""
    folder = tmp_path_factory.mktemp("stored") / "kept"
    build_collection(open_reader(box), out=folder)
    return folder


@pytest.fixture
def copied(tmp_path: Path, stored: Path) -> Path:
    """A copy that may be damaged."""
    return Path(shutil.copytree(stored, tmp_path / "kept"))


def _edit(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    header = json.loads((folder / HEADER_FILE).read_text())
    change(header)
    (folder / HEADER_FILE).write_text(json.dumps(header))


def _rewrite(file: Path, change: Callable[[dict[str, list[Any]]], None]) -> None:
    table = pq.read_table(file)
    columns = table.to_pydict()
    change(columns)
    pq.write_table(pa.table(columns, schema=table.schema), file)


def _use(folder: Path) -> Collection:
    """Open a collection and look at all of it."""
    found = open_collection(folder)
    for name in found.sides:
        assert found.tables[name].shape == (len(found), len(found.sides[name]))
    assert len(found.ids) == len(found.titles) == len(found.sources) == len(found.dates)
    assert len(list(found.texts(range(len(found))))) == len(found)
    assert found.skipped == ()
    return found


def test_texts_are_read_when_asked_for(stored: Path, box: Path) -> None:
    """Any text can be had in any order, also from the end."""
    found = open_collection(stored)
    fresh = list(build_collection(open_reader(box)).texts(range(len(found))))
    assert found.text(5) == fresh[5]
    assert found.text(-1) == fresh[-1]
    assert list(found.texts([3, 0, 3])) == [fresh[3], fresh[0], fresh[3]]
    with pytest.raises(InputError, match=str(len(found))):
        found.text(len(found))


def test_opening_reads_only_the_header(copied: Path) -> None:
    """Tables and texts may be missing until they are wanted."""
    for file in copied.glob("*.parquet"):
        file.unlink()
    found = open_collection(copied)
    assert len(found) > 0
    assert "words" in repr(found)
    with pytest.raises(ReadError, match="missing"):
        found.text(0)


def test_a_whole_collection_can_be_used(stored: Path) -> None:
    """Everything that was written is read back."""
    found = _use(stored)
    assert found.kind == "mbox"
    assert found.truth is None
    assert found.facts["n_items"] == len(found)
    with pytest.raises(KeyError):
        found.sides["colours"]


def test_a_newer_version_is_refused_in_words(copied: Path) -> None:
    """The message says what to do."""
    _edit(copied, lambda header: header.update(version=VERSION + 1))
    with pytest.raises(ReadError, match="newer comraf"):
        open_collection(copied)
    assert is_collection(copied)


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h.update(version="1"),
        lambda h: h.update(format="zip"),
        lambda h: h.update(n_items=-1),
        lambda h: h.update(n_items="many"),
        lambda h: h.update(kind=None),
        lambda h: h.update(notes="none"),
        lambda h: h.update(options={"words": {"ngrams": 99}}),
        lambda h: h.update(sides=None),
        lambda h: h["sides"].append(h["sides"][0]),
        lambda h: h["sides"][0].update(values="../../secret.parquet"),
        lambda h: h["sides"][0].update(table="/etc/passwd"),
        lambda h: h["sides"][0].update(raw="../units"),
        lambda h: h["sides"][0].update(raw=["words"]),
        lambda h: h["sides"][0].update(presence=None),
        lambda h: h["sides"][0].pop("presence"),
        lambda h: h["sides"][0].update(kind="colours"),
        lambda h: h["sides"][0].update(n_values=True),
        lambda h: h["sides"][0].update(facts=None),
        lambda h: h["sides"][0].pop("name"),
        lambda h: h.pop("n_truths"),
    ],
)
def test_headers_that_make_no_sense_are_refused(
    copied: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    """Nothing in a header is believed unseen."""
    _edit(copied, change)
    with pytest.raises(ReadError):
        open_collection(copied)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"format": 1}'])
def test_headers_that_are_no_headers_are_refused(copied: Path, data: bytes) -> None:
    """Broken, deep and foreign JSON gives an error of ours."""
    (copied / HEADER_FILE).write_bytes(data)
    with pytest.raises(ReadError):
        open_collection(copied)
    assert not is_collection(copied)


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("map-0.parquet", lambda c: c["value"].__setitem__(0, 10**6)),
        ("map-0.parquet", lambda c: c["value"].__setitem__(0, -2)),
        ("map-0.parquet", lambda c: c["value"].pop()),
        ("items.parquet", lambda c: c["words:ids"][0].__setitem__(0, 10**6)),
        ("items.parquet", lambda c: c["words:ids"][0].__setitem__(0, -1)),
        ("items.parquet", lambda c: c["words:counts"][0].__setitem__(0, 0)),
        ("items.parquet", lambda c: c["words:counts"][0].pop()),
        (
            "items.parquet",
            lambda c: [c[f"words:{n}"].__setitem__(0, []) for n in ("ids", "counts")],
        ),
        ("side-0.parquet", lambda c: c["value"].__setitem__(0, c["value"][1])),
        ("side-0.parquet", lambda c: c["value"].__setitem__(0, None)),
        ("side-0.parquet", lambda c: [c[name].pop() for name in c]),
        ("items.parquet", lambda c: [c[name].pop() for name in c]),
        ("items.parquet", lambda c: c["id"].__setitem__(0, None)),
    ],
)
def test_files_that_contradict_each_other_are_refused(
    copied: Path, file: str, change: Callable[[dict[str, list[Any]]], None]
) -> None:
    """Shapes, bounds, order and counts are checked."""
    _rewrite(copied / file, change)
    with pytest.raises(ReadError, match="damaged"):
        _use(copied)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["columns"][0].__setitem__(0, 10**6),
        lambda c: c["columns"][0].__setitem__(0, -1),
        lambda c: c["columns"][0].reverse(),
        lambda c: c["counts"][0].__setitem__(0, 0),
        lambda c: c["counts"][0].pop(),
        lambda c: [c[name].pop() for name in c],
        lambda c: [c[name].__setitem__(0, []) for name in c],
    ],
)
def test_tables_of_version_1_that_make_no_sense_are_refused(
    tmp_path: Path, change: Callable[[dict[str, list[Any]]], None]
) -> None:
    """Tables that were written whole, as all were once, are checked as well."""
    shutil.copytree(FIXTURE, tmp_path / "kept")
    assert open_collection(tmp_path / "kept").facts["version"] == 1
    _use(tmp_path / "kept")
    _rewrite(tmp_path / "kept" / "table-0.parquet", change)
    with pytest.raises(ReadError, match="damaged"):
        _use(tmp_path / "kept")


def test_a_collection_of_version_1_is_brought_up_to_date(tmp_path: Path) -> None:
    """What it counted is used again, and the result is what a fresh build gives."""
    kept = Path(shutil.copytree(FIXTURE, tmp_path / "kept"))
    box = Path(shutil.copy(FIXTURE.parents[1] / "box.mbox", tmp_path))
    with open(box, "ab") as file:
        file.write(b"\nFrom x Mon Jan  5 10:00:00 2026\nFrom: x@y.org\nSubject: New\n\nNew pump.\n")
    updated, fresh = update_collection(kept, open_reader(box)), build_collection(open_reader(box))
    assert updated.facts["version"] == VERSION
    assert updated.ids == fresh.ids
    for name in fresh.sides:
        assert updated.sides[name].values == fresh.sides[name].values
        assert (updated.tables[name] != fresh.tables[name]).nnz == 0


@pytest.mark.parametrize(
    "file", ["items.parquet", "map-0.parquet", "side-0.parquet", "side-2.parquet"]
)
@pytest.mark.parametrize("keep", [0, 100, -1])
def test_cut_off_files_are_refused(copied: Path, file: str, keep: int) -> None:
    """A file that ends too early never gives less than everything."""
    data = (copied / file).read_bytes()
    (copied / file).write_bytes(data[:keep])
    with pytest.raises(ReadError):
        _use(copied)


@pytest.mark.parametrize("file", ["map-0.parquet", "side-0.parquet"])
def test_a_bit_that_turned_over_gives_no_other_counts(copied: Path, file: str) -> None:
    """Disks fail: what is read is what was written, or the collection is called damaged."""
    data = (copied / file).read_bytes()
    known = open_collection(copied)
    name = next(iter(known.sides))
    counts, values = known.tables[name].toarray(), tuple(known.sides[name].values)
    for place in range(4, len(data) - 8, max(1, len(data) // 60)):
        (copied / file).write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        with suppress(ReadError):
            found = open_collection(copied)
            assert np.array_equal(found.tables[name].toarray(), counts), place
            assert tuple(found.sides[name].values) == values, place


def test_columns_of_another_type_are_refused(copied: Path) -> None:
    """Items whose numbers became texts are not read."""
    table = pq.read_table(copied / "items.parquet")
    at = table.schema.get_field_index("date")
    table = table.set_column(at, "date", pa.array(["soon"] * table.num_rows))
    pq.write_table(table, copied / "items.parquet")
    with pytest.raises(ReadError, match="date"):
        _use(copied)


def test_a_damaged_collection_is_not_updated(copied: Path, box: Path) -> None:
    """What can't be trusted is not built upon, and stays as it is."""
    _rewrite(copied / "units.parquet", lambda c: c["items"].__setitem__(0, 7))
    with open(box, "ab") as file:
        file.write(b"\nFrom x Mon Jan  5 10:00:00 2026\nFrom: x@y.org\nSubject: New\n\nNew pump.\n")
    before = sorted(place.name for place in copied.iterdir())
    with pytest.raises(ReadError, match="damaged"):
        update_collection(copied, open_reader(box))
    assert sorted(place.name for place in copied.iterdir()) == before


def test_what_is_no_collection_is_not_opened(tmp_path: Path) -> None:
    """A missing folder, a file and a folder of something else are told apart."""
    with pytest.raises(ReadError, match="no folder"):
        open_collection(tmp_path / "nowhere")
    with pytest.raises(ReadError, match="missing"):
        open_collection(tmp_path)


def test_only_collections_are_deleted(copied: Path, tmp_path: Path) -> None:
    """Folders of something else, links and folders with more in them stay."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    with pytest.raises(ReadError, match="nothing is deleted"):
        delete_collection(other)
    (copied / "mine.txt").write_text("mine")
    with pytest.raises(ReadError, match=r"mine\.txt"):
        delete_collection(copied)
    (copied / "mine.txt").unlink()
    link = tmp_path / "link"
    link.symlink_to(copied)
    with pytest.raises(ReadError, match="is a link"):
        delete_collection(link)
    assert len(_use(copied)) > 0


def test_a_newer_collection_can_be_deleted(copied: Path) -> None:
    """Private text can be removed by a program that can't read it."""
    _edit(copied, lambda header: header.update(version=VERSION + 1))
    delete_collection(copied)
    assert not copied.exists()


def test_saving_over_something_is_refused(stored: Path, copied: Path) -> None:
    """A collection is saved to a new place only."""
    with pytest.raises(WriteError, match="not empty"):
        open_collection(stored).save(copied)


def test_a_saved_copy_is_complete(stored: Path, tmp_path: Path) -> None:
    """All files come along, so the copy can be updated too."""
    open_collection(stored).save(tmp_path / "copy")
    names = {place.name for place in stored.iterdir()}
    assert {place.name for place in (tmp_path / "copy").iterdir()} == names
    _use(tmp_path / "copy")
