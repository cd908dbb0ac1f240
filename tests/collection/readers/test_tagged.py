from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from comraf.collection.detect import detect, open_reader
from comraf.collection.items import Item, Skip
from comraf.collection.readers.tagged import TaggedReader, is_tagged, tag_mark, tagged_zip
from comraf.errors import InputError, ReadError
from tests.collection.given import read_all

NEWS = "\n\tThe/at jury/nn said/vbd ``/`` no/rb ''/'' ,/, twice/rb ./.\n\n\tIt/pps left/vbd ./.\n"
TALE = "She/pps saw/vbd him/ppo run/vb and/cc he/pps saw/vbd her/ppo !/. !/.\n"
CATS = "ca01 news\nck01 fiction\n"


def _zip(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus as it is downloaded: a folder in a zip file, with a README."""
    files = {"b/ca01": NEWS, "b/ck01": TALE, "b/cats.txt": CATS, "b/README": "A corpus."}
    return _zip(tmp_path / "corpus.zip", files)


def _items(reader: TaggedReader) -> list[Item | Skip]:
    return read_all(reader)


def test_a_zip_is_found_and_read_as_it_is(corpus: Path) -> None:
    """Words as people write them, tags by sentence, genres as truth, nothing unpacked."""
    reader = open_reader(corpus, truth="genres")
    assert reader.kind == "tagged"
    first, second = _items(reader)
    assert first.text == 'The jury said "no", twice.\nIt left.'
    assert first.tags == (
        ("at", "nn", "vbd", "``", "rb", "''", ",", "rb", "."),
        ("pps", "vbd", "."),
    )
    assert (first.truth, second.truth) == ("news", "fiction")
    assert second.text.endswith("her!")
    assert "1 files that cats.txt does not name left out" in reader.notes
    assert [path.name for path in corpus.parent.iterdir()] == ["corpus.zip"]


def test_a_folder_gives_the_same(corpus: Path, tmp_path: Path) -> None:
    """Unpacked or not: the same texts and truths."""
    with zipfile.ZipFile(corpus) as archive:
        archive.extractall(tmp_path / "out")
    folder = tmp_path / "out" / "b"
    assert detect(folder).kind == "tagged"
    unpacked = _items(TaggedReader(folder, truth="genres"))
    packed = _items(TaggedReader(corpus, truth="genres"))
    assert [(i.text, i.tags, i.truth, i.digest) for i in unpacked] == [
        (i.text, i.tags, i.truth, i.digest) for i in packed
    ]


def test_a_unit_can_be_read_without_a_scan(corpus: Path) -> None:
    """Another process gets the reader, not what was scanned."""
    unit = TaggedReader(corpus).scan()[1]
    (item,) = TaggedReader(corpus, truth="genres").read(unit)
    assert item.truth == "fiction"


def test_one_file_and_underscores(tmp_path: Path) -> None:
    """One tagged file is a collection, whichever sign stands before the tags."""
    path = tmp_path / "text.pos"
    path.write_text("The_DT old_JJ pump_NN leaks_VBZ and_CC the_DT hose_NN does_VBZ ._.")
    assert detect(path).kind == "tagged"
    (item,) = _items(TaggedReader(path))
    assert item.text == "The old pump leaks and the hose does."


@pytest.mark.parametrize(
    "text",
    [
        "The pump and/or the hose, 1/2 inch, on 3/4/1999: read/write access it/they",
        "/usr/bin/a /usr/lib/b /etc/passwd /var/log/messages /tmp/x /home/me /opt/y /srv/z",
        "https://x.org/a https://x.org/b https://x.org/c https://x.org/d e/f g/h i/j k/l m/n",
        "1/2 3/4 5/6 7/8 9/10 11/12 13/14 15/16 17/18",
        "snake_case other_name third_thing my_list your_dict our_set a_b c_d e_f g_h",
        "too/nn few/nn",
        "",
    ],
)
def test_plain_text_is_not_taken_for_tagged(text: str) -> None:
    """Slashes, paths, addresses, fractions and names in code are no tags."""
    assert tag_mark(text) == ""
    assert not is_tagged(text.encode())


def test_what_is_no_tagged_text_is_skipped_with_a_reason(tmp_path: Path) -> None:
    """Empty, binary and untagged files are told apart; the others are read."""
    files = {"ca01": NEWS, "a": b"", "b": b"\x00\x01\x02" * 50, "c": "No tags here, sorry."}
    path = _zip(tmp_path / "x.zip", files)
    found = _items(TaggedReader(path))
    reasons = [one.reason for one in found if isinstance(one, Skip)]
    assert reasons == ["empty", "binary, not text", "no tagged text: 0 of 4 words have a tag"]
    assert len(found) == 4


def test_damaged_members_are_skipped_and_the_rest_is_read(corpus: Path) -> None:
    """One bad member must not take the corpus with it."""
    data = bytearray(corpus.read_bytes())
    with zipfile.ZipFile(corpus) as archive:
        info = archive.getinfo("b/ca01")
    start = info.header_offset + 30 + len(info.filename)
    data[start : start + 20] = b"\xff" * 20
    corpus.write_bytes(bytes(data))
    first, second = _items(TaggedReader(corpus))
    assert "can't be read" in first.reason
    assert isinstance(second, Item)


def test_a_broken_zip_and_a_plain_one_are_refused(corpus: Path, tmp_path: Path) -> None:
    """Other zip files stay what they were: packed, with advice."""
    broken = tmp_path / "broken.zip"
    broken.write_bytes(corpus.read_bytes()[:60])
    plain = _zip(tmp_path / "plain.zip", {"cats.txt": "a b\n", "a": "no tags at all"})
    for path, advice in ((broken, "its end is missing"), (plain, "Unpack it")):
        assert not tagged_zip(path)
        with pytest.raises(ReadError, match=advice):
            open_reader(path)


def test_a_large_member_is_cut(tmp_path: Path) -> None:
    """No more than asked is unpacked, whatever the file claims."""
    path = _zip(tmp_path / "big.zip", {"a": TALE * 5000, "cats.txt": "a tale\n"})
    (item,) = _items(TaggedReader(path, max_bytes=10_000))
    assert len(item.text) < 10_000
    assert "cut at 10,000 bytes" in item.notes


def test_truth_needs_its_source(tmp_path: Path, corpus: Path) -> None:
    """Genres without a list of them are refused before anything is read."""
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a").write_text(TALE)
    with pytest.raises(InputError, match=r"needs a list cats\.txt"):
        TaggedReader(tmp_path / "t", truth="genres").scan()
    with pytest.raises(InputError, match="truth='labels' is not known"):
        TaggedReader(corpus, truth="labels")
