"""Every rule by which kinds are told, at the point where it decides."""

from __future__ import annotations

import os
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from comraf.collection import detect as module
from comraf.collection.detect import detect, open_reader
from comraf.collection.packed import HEAD
from comraf.errors import ReadError

MAIL = b"From: a@x.org\nTo: b@x.org\nSubject: Hi\n\nHello there"
PAPERS = b"title,authors,references\nT,Ann Li,a; b"
TAGGED = b"The/at pump/nn leaks/vbz ./. " * 20


def _png() -> bytes:
    from PIL import Image

    stream = BytesIO()
    Image.new("RGB", (30, 30), (200, 30, 30)).save(stream, "PNG")
    return stream.getvalue()


PNG = _png()


def _fill(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def _many(name: str, data: bytes, count: int) -> dict[str, bytes]:
    return {name.format(i): data for i in range(count)}


def _parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = BytesIO()
    pq.write_table(pa.table({"text": ["words"]}), sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        # tabs: as many on each of the first 20 whole lines, and two lines at least
        ("a.txt", b"a\tb\nc\td\n", "tsv"),
        ("a.xyz", b"a\tb\nc\td\n", "tsv"),
        ("a.bib", b"a\tb\nc\td\n", "bibtex"),
        ("a.txt", b"a\tb\n", "text"),
        ("a.txt", b"a\tb\nc\td\te\n", "text"),
        ("a.txt", b"a\tb\nc\n", "text"),
        ("a.txt", b"a\nb\n", "text"),
        ("a.txt", b"a\tb\nc\td\ncut", "tsv"),  # the last line may be cut
        ("a.txt", b"a\tb\n" * 19 + b"c\n" + b"d\n", "text"),
        ("a.txt", b"a\tb\n" * 20 + b"c\n" + b"d\n", "tsv"),
        # JSON: an object on the first line, or one too long to be seen whole
        ("a.log", b'{"text": "words"}\n', "jsonl"),
        ("a", b'{"text": "' + b"w" * HEAD, "jsonl"),
        ("a", b'{"text": "words",\n', "text"),
        ("a", b"{curly words}\n", "text"),
        ("a.csv", b'{"a"},b}\n1,2', "csv"),
        # mail: two fields that it knows, and something before the text
        ("a", b"Received: x\nReturn-Path: y\n\nHello", "mail"),
        ("a", b"MIME-Version: 1.0\nSubject: y\n\nHello", "mail"),
        ("a", b"Subject: y\nColour: red\n\nHello", "text"),
        ("a", b"Subject: y\nDate: now\n\nHello", "mail"),
        ("a", b"Subject: y\nNewsgroups: x\n\nHello", "news"),
        ("a.emlx", b"99\n" + MAIL, "mail"),
        ("a", b"1984\nA novel", "text"),
        ("a", b"Subject: y\nDate: the/at pump/nn leaks/vbz ./.\n\n" + TAGGED, "mail"),
        ("ca01", TAGGED, "tagged"),
        # magic bytes come before names
        ("a.txt", _parquet(), "parquet"),
        ("a.txt", b"%PDF-1.4\n", "pdf"),
        ("a.txt", PNG, "images"),
        # endings
        ("a.bib", b"see the other file", "bibtex"),
        ("a.ris", b"see the other file", "ris"),
        ("a.md", b"@article{k, title={T}}", "text"),
        ("a.html", b"@article{k, title={T}}", "text"),
        ("a.md", b"From: a@x.org\nSubject: Hi\n\nHello", "text"),
        ("a.csv", b"@article{k, title={T}}", "csv"),
        ("a.php", b"<!doctype html><p>From: x\nTo: y\n\n", "text"),
        ("a.php", b"<html>\n@article{k, title={T}}", "text"),
        ("a.x", b"Server: X\nDate: now\nContent-type: text/plain\n\nHello", "text"),
        ("a.rst", b"words", "text"),
    ],
)
def test_one_file(tmp_path: Path, name: str, data: bytes, kind: str) -> None:
    """What a file is, its first bytes and its ending say, in this order."""
    assert detect(_fill(tmp_path, {name: data}) / name).kind == kind


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.txt", b"\x00 \t\r\n", "it is empty"),
        ("a.xyz", b"words", "no kind of file that is known"),
        ("a.xyz", b"\x01\x02\x03" * 50, "a binary file"),
        ("a.jpg", b"\x01\x02\x03" * 50, "no photo, whatever its name says"),
        ("a.docx", b"\x01\x02\x03" * 50, "save it as"),
        ("a.pst", b"\x01\x02\x03" * 50, "for example with readpst"),
        ("a.pdf", b"\x01\x02\x03" * 50, "for example with pdftotext"),
        ("a.heic", b"\x00\x00\x00\x18ftypheic" + b"\x00" * 40, "HEIC photos are not read"),
    ],
)
def test_why_a_file_cant_be_read(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    """Each reason has its own words, for the file and for the folder it lies in."""
    _fill(tmp_path, {name: data})
    with pytest.raises(ReadError, match=said):
        detect(tmp_path / name)
    with pytest.raises(ReadError, match=f"Nothing in the folder .*{said.removeprefix('it is ')}"):
        detect(tmp_path)


@pytest.mark.parametrize(
    ("files", "kind", "told"),
    [
        # a few notes beside one kind of table are no texts
        ({"a.csv": b"t\nx", **_many("{}.md", b"x", 3)}, "csv", "1 of 4 files looked at are csv"),
        ({"a.csv": b"t\nx", **_many("{}.md", b"x", 4)}, "text", ""),
        ({"a.csv": b"t\nx", **_many("{}.md", b"x", 3), **_many("{}.xy", b"x", 4)}, "csv", "of 8"),
        ({"a.csv": b"t\nx", **_many("{}.md", b"x", 3), **_many("{}.xy", b"x", 5)}, "text", "of 9"),
        ({"a.csv": b"t\nx", "b.jsonl": b'{"t": 1}', **_many("{}.md", b"x", 2)}, "text", ""),
        # captions and classes beside photos are no texts either
        ({**_many("{}.png", PNG, 3), **_many("{}.txt", b"sea", 3)}, "images", "3 of 3"),
        ({"1.png": PNG, "1.png.txt": b"sea", "captions.tsv": b"1.png\tsea"}, "images", "1 of 1"),
        ({"1.png": PNG, "classes.csv": b"item,truth\n1.png,sea"}, "images", "1 of 1"),
        ({"1.png": PNG, "captions.tsv": b"x\ty", "captions.csv": b"x,y"}, "images", "1 of 1"),
        ({"1.png": PNG, "diary.txt": b"x"}, "images", "1 of 2 .*others: 1 text"),
        # texts with some photos among them: two texts a photo are captions, three are not
        ({**_many("{}.png", PNG, 2), **_many("t{}.txt", b"x", 4)}, "images", ""),
        ({**_many("{}.png", PNG, 2), **_many("t{}.txt", b"x", 5)}, "text", ""),
        ({**_many("{}.png", PNG, 2), **_many("m{}", MAIL, 3)}, "mail", ""),
        # of saved pages the text counts
        ({**_many("{}.png", PNG, 9), "page.html": b"<p>x"}, "text", "1 of 10 .*are HTML"),
        ({**_many("{}.png", PNG, 2), "a.php": b"<!doctype html>", "b.txt": b"x"}, "text", ""),
        ({**_many("{}.png", PNG, 4), "a.php": b"<!doctype html><p>x"}, "text", "are HTML"),
        ({"a.html": b"<p>x", "b.htm": b"<p>x"}, "text", "read as HTML: 2 of 2 files"),
        ({"a.html": b"<p>x", "b.txt": b"x"}, "text", "2 of 2 files .*are text, 1 of them HTML"),
        ({"a.md": b"<html>", "b.txt": b"x"}, "text", "2 of 2 files looked at are text$"),
        # tagged texts with the list of their genres, though other texts are more
        ({"ca01": TAGGED, "cats.txt": b"ca01 news", "x.txt": b"x"}, "tagged", "1 of 3"),
        ({"ca01": TAGGED, "y.txt": b"y", "x.txt": b"x"}, "text", ""),
        # maildirs
        ({"cur/1": MAIL, "new/2": b"whatever"}, "maildir", "2 of 2"),
        ({"new/1": MAIL, "new/2": MAIL}, "mail", ""),
        # what is hidden does not count
        ({"a.txt": b"x", ".b.eml": MAIL, ".c.eml": MAIL}, "text", "1 of 1"),
        ({"a.eml": MAIL, "b.eml": MAIL, "c.txt": b"x"}, "mail", r"\(the others: 1 text\)$"),
        ({"a.csv": PAPERS, "b.txt": b"x"}, "papers", "as papers by the names of its fields"),
        ({"a.tsv": PAPERS.replace(b",", b"\t")}, "papers", ""),
        ({"a.txt": b"x", "b.csv": PAPERS}, "papers", ""),
    ],
)
def test_one_folder(tmp_path: Path, files: dict[str, bytes], kind: str, told: str) -> None:
    """What decides between the kinds of files that lie in a folder."""
    import re

    found = detect(_fill(tmp_path, files))
    assert found.kind == kind
    assert re.search(told, found.reason), found.reason


def test_photos_alone_need_no_note(tmp_path: Path) -> None:
    """Where all are photos, nothing is told about the kind; where some are not, it is."""
    assert detect(_fill(tmp_path, {"1.png": PNG})).plain
    assert open_reader(tmp_path).notes == []
    assert not detect(_fill(tmp_path, {"diary.txt": b"x"})).plain
    assert open_reader(tmp_path).notes[0].startswith("read as images: 1 of 2")
    assert not detect(_fill(tmp_path / "texts", {"diary.txt": b"x"})).plain


def test_what_files_are_called(tmp_path: Path) -> None:
    """JSON and HTML go by their names, whoever reads them."""
    files = {"a.json": b'[{"t": "x"}]', "a.jsonl": b'{"t": "x"}', "a.htm": b"<p>x", "a.md": b"x"}
    _fill(tmp_path, files)
    called = [detect(tmp_path / name).reason.partition(",")[0] for name in files]
    assert called == ["read as JSON", "read as jsonl", "read as HTML", "read as text"]


def test_a_packed_corpus_is_given_itself(tmp_path: Path) -> None:
    """A zip of tagged texts is read where it is named; others are to be unpacked."""
    corpus = tmp_path / "brown.zip"
    with zipfile.ZipFile(corpus, "w") as archive:
        archive.writestr("brown/ca01", TAGGED)
        archive.writestr("brown/cats.txt", "ca01 news\n")
    assert detect(corpus).kind == "tagged"
    assert open_reader(corpus, kind="tagged").kind == "tagged"
    with pytest.raises(ReadError, match=r"a corpus of tagged texts: give that file itself"):
        detect(tmp_path)
    _fill(tmp_path, {"a.csv": b"text\n"})
    with pytest.raises(ReadError, match=r"brown\.zip' holds tagged texts: give that file"):
        open_reader(tmp_path)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.txt", "words")
    with pytest.raises(ReadError, match="packed"):
        detect(tmp_path / "other.zip")
    assert open_reader(tmp_path / "other.zip", kind="tagged").kind == "tagged"  # who says so


def _looked_at(root: Path) -> list[str]:
    return [os.path.relpath(path, root).replace(os.sep, "/") for path in module._sample(str(root))]


def test_some_files_of_many_folders_are_looked_at(tmp_path: Path) -> None:
    """Three of each folder, in order, 64 in all; of a flat folder 64."""
    flat = _fill(tmp_path / "flat", _many("{:03}", b"x", 80))
    assert len(_looked_at(flat)) == 64
    deep = _fill(tmp_path / "deep", {f"{a:02}/{b}": b"x" for a in range(40) for b in range(5)})
    found = _looked_at(deep)
    assert len(found) == 66  # no folder is left in the middle
    assert {name.partition("/")[0] for name in found} == {f"{a:02}" for a in range(22)}
    few = _fill(tmp_path / "few", {"a.txt": b"x", "kept/b.txt": b"x"})
    assert "kept/b.txt" in _looked_at(few)
    _fill(few, {f"kept/{name}": b"{}" for name in ("collection.json", "items.parquet")})
    assert _looked_at(few) == ["a.txt"]


def test_empty_folders_are_not_looked_at_for_ever(tmp_path: Path) -> None:
    """After 256 folders without a file nothing more is tried; 200 are passed over."""
    for number in range(300):
        (tmp_path / f"{number:03}").mkdir()
    (tmp_path / "200" / "a.txt").write_bytes(b"x")
    assert _looked_at(tmp_path) == ["200/a.txt"]
    (tmp_path / "200" / "a.txt").rename(tmp_path / "299" / "a.txt")
    assert _looked_at(tmp_path) == []


def test_a_very_large_folder_is_not_listed_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 5,000 hidden entries the files behind them are found, of 6,000 none."""
    seen: list[int] = []

    class Entries:
        def __init__(self, count: int) -> None:
            self.count = count

        def __enter__(self) -> Entries:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def __iter__(self) -> object:
            for number in range(self.count):
                seen.append(number)
                yield Entry(f".{number}" if number < self.count - 1 else "a.txt")

    class Entry:
        def __init__(self, name: str) -> None:
            self.name, self.path = name, str(tmp_path / name)

        def is_dir(self) -> bool:
            return False

        def is_file(self) -> bool:
            return True

    for count, found in ((5000, ["a.txt"]), (6000, [])):
        monkeypatch.setattr(os, "scandir", lambda _, count=count: Entries(count))
        assert _looked_at(tmp_path) == found
    assert max(seen) < 5100


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_folder_that_cant_be_entered_is_passed_over(tmp_path: Path) -> None:
    """The others still tell what it is."""
    _fill(tmp_path, {"a/x.txt": b"x", "b/y.txt": b"y"})
    (tmp_path / "a").chmod(0)
    try:
        assert detect(tmp_path).reason.startswith("read as text: 1 of 1")
    finally:
        (tmp_path / "a").chmod(0o700)
