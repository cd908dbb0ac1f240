"""Folders of text, Markdown and HTML."""

from __future__ import annotations

from pathlib import Path

import pytest

from comraf.collection.detect import open_reader
from comraf.collection.items import Item, Skip
from comraf.collection.readers.folder import LinesReader, TextFolderReader, markdown_text
from comraf.errors import InputError, ReadError
from tests.collection.given import by_source


def test_three_formats(tmp_path: Path) -> None:
    """Each kind of file has its own title; the id is the path."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_bytes(b"caf\xe9 words<br>more")
    (tmp_path / "sub" / "b.md").write_text("# Pumps\n\nThey [leak](http://x.org).")
    (tmp_path / "c.html").write_text("<title>Gas</title><p>Visible<script>no()</script>")
    (tmp_path / "d.png").write_bytes(b"\x89PNG\x00")
    reader = TextFolderReader(tmp_path, truth="folders")
    found = by_source(reader)
    assert {(k, v.title, v.text) for k, v in found.items() if isinstance(v, Item)} == {
        ("a.txt", "", "café words\nmore"),
        ("sub/b.md", "Pumps", "Pumps\n\nThey leak."),
        ("c.html", "Gas", "Visible"),
    }
    assert reader.notes == ["1 file left out by its ending: .png"]
    item = found["sub/b.md"]
    assert item.truth == "sub"
    assert item.content == "Pumps\n\nThey leak."


def test_bad_files_are_skipped(tmp_path: Path) -> None:
    """Empty, binary and invisible files are counted with a reason."""
    (tmp_path / "a.txt").write_text("  \n")
    (tmp_path / "b.txt").write_bytes(b"\x00\x01\x02" * 50)
    (tmp_path / "c.html").write_text("<script>x()</script>")
    (tmp_path / "d.txt").write_text("fine")
    reasons = {
        k: v.reason for k, v in by_source(TextFolderReader(tmp_path)).items() if isinstance(v, Skip)
    }
    assert reasons == {"a.txt": "empty", "b.txt": "binary, not text", "c.html": "no visible text"}


def test_long_files_are_cut(tmp_path: Path) -> None:
    """The item says so."""
    (tmp_path / "a.txt").write_text("word " * 1000)
    (item,) = by_source(TextFolderReader(tmp_path, max_bytes=100)).values()
    assert len(item.text) <= 100
    assert item.notes == ("cut at 100 bytes",)


def test_files_of_unknown_endings_are_tried_when_there_are_no_others(tmp_path: Path) -> None:
    """A folder of files without endings is a folder of texts."""
    (tmp_path / "1").write_text("one")
    (tmp_path / "2.xyz").write_text("two")
    assert len(by_source(TextFolderReader(tmp_path))) == 2


def test_errors(tmp_path: Path) -> None:
    """An empty folder, an unknown option."""
    with pytest.raises(ReadError, match="no files"):
        TextFolderReader(tmp_path).scan()
    with pytest.raises(InputError, match="truth='labels'"):
        TextFolderReader(tmp_path, truth="labels")


@pytest.mark.parametrize(
    ("text", "title", "words"),
    [
        ("Pumps\n=====\n\nleak", "Pumps", "Pumps leak"),
        ("## The [pump](x) #\ntext", "The pump", "The pump # text"),
        ("---\ntitle: 'Pumps'\ntags: x\n---\n# Other\n", "Pumps", "Other"),
        ("![a picture](x.png) and <b>bold</b>", "", "a picture and bold"),
        ("> quoted\n\n```python\ncode\n```\n<!-- no -->", "", "quoted code"),
        ("[1]: http://x.org\nsee [this][1]", "", "see this"),
        ("plain", "", "plain"),
    ],
)
def test_markdown(text: str, title: str, words: str) -> None:
    """Marks, links, comments and front matter go, words stay."""
    found, rest = markdown_text(text)
    assert found == title
    assert " ".join(rest.split()) == words


@pytest.mark.parametrize("ending", ["", ".php", ".asp", ".aspx", ".shtml", ".php?id=3", ".txt"])
def test_pages_that_are_not_called_html(ending: str, tmp_path: Path) -> None:
    """A page is told by its beginning, alone and beside texts: no tag or script is a word."""
    page = (
        "<?xml version='1.0'?>\n<!-- kept -->\n<!DOCTYPE html>\n<html><head><title>Page</title>"
        "<script>var jsvar = 1;</script></head><body><p>pump</p>"
        '<a href="http://sea.example/x/">t</a></body></html>'
    )
    for i in range(3):
        (tmp_path / f"page{i}{ending}").write_text(page)
    reader = open_reader(tmp_path)
    assert reader.kind == "text"
    assert "HTML" in reader.notes[0]
    (tmp_path / "notes.md").write_text("plain words")
    (tmp_path / "script.js").write_text("var x = 1;")
    items = by_source(TextFolderReader(tmp_path))
    assert set(items) == {*(f"page{i}{ending}" for i in range(3)), "notes.md"}
    found = items[f"page1{ending}"]
    assert (found.title, found.text.split()) == ("Page", ["pump", "t"])
    assert found.links == ("sea.example/x",)


PAGE = "Date: Fri, 13 Dec 1996\nServer: X/1\nContent-type: text/html\n\n<P><TITLE>Pumps</TITLE>leak"


def test_saved_pages_lose_their_header_of_http(tmp_path: Path) -> None:
    """They are pages whatever they are called; a text of a server is a text."""
    plain = "Server: X/1\nContent-type: text/plain\n\nIt leaks."
    for name, text in (("x.org^a", PAGE), ("x.org^b.html", PAGE), ("rfc.data", plain)):
        (tmp_path / name).write_text(text)
    reader = open_reader(tmp_path)
    assert reader.notes == ["read as text: 3 of 3 files looked at are text, 2 of them HTML"]
    found = by_source(reader)  # type: ignore[arg-type]
    items = [(item.title, item.text) for item in found.values() if isinstance(item, Item)]
    assert sorted(items) == [("", "It leaks."), ("Pumps", "leak"), ("Pumps", "leak")]


def test_who_says_text_gets_all_of_it(tmp_path: Path) -> None:
    """Endings count only where nobody said what it is; what is binary is left out and told."""
    for name in ("a.txt", "b", "c.edu^x", "d.data"):
        (tmp_path / name).write_text(f"words of {name}")
    (tmp_path / "e.gif").write_bytes(b"GIF\x00\x01\x02")
    guessed, told = open_reader(tmp_path), open_reader(tmp_path, kind="text")
    assert [unit.path for unit in guessed.scan()] == ["a.txt", "b"]
    assert guessed.notes[-1].startswith("3 files left out by their endings")
    assert [unit.path for unit in told.scan()] == ["a.txt", "b", "c.edu^x", "d.data"]
    assert told.notes == ["1 file left out by its ending: .gif"]


def test_a_text_on_each_line(tmp_path: Path) -> None:
    """It is a document on each line if somebody says so; else a hint tells how to."""
    file = tmp_path / "titles.txt"
    file.write_bytes(b"\n".join(b"pump %d leaks" % i for i in range(20)) + b"\n\n\xe9t\xe9\n")
    items = list(by_source(LinesReader(tmp_path, truth="folders")).values())
    assert len(items) == 21
    assert isinstance(items[-1], Item)
    assert (items[-1].id, items[-1].text) == ("titles.txt:22", "été")
    assert items[-1].truth == tmp_path.name
    assert "read as Windows-1252" in items[-1].notes[0]
    file.write_text("\n".join(f"pump {i}" for i in range(20)))
    hint = "the whole file is one document; if every line is one, choose kind='lines'"
    for text, hinted in (
        (file.read_text(), True),
        (file.read_text().replace("pump 7", ""), False),  # paragraphs
        ("\n".join(f"pump {i}" for i in range(19)), False),
        ("<html>" + file.read_text(), False),
    ):
        file.write_text(text)
        reader = TextFolderReader(file)
        reader.scan()
        assert (hint in reader.notes) == hinted
    file.rename(tmp_path / "titles.md")
    assert "lines" not in str(open_reader(tmp_path / "titles.md").notes)


def test_folders_as_truth_have_a_depth(tmp_path: Path) -> None:
    """The topmost folder, two of them, or all."""
    (tmp_path / "course" / "cornell" / "old").mkdir(parents=True)
    (tmp_path / "course" / "cornell" / "old" / "a.txt").write_text("words")
    for truth, found in (
        ("folders", "course/cornell/old"),
        ("folders:1", "course"),
        ("folders:2", "course/cornell"),
        ("folders:9", "course/cornell/old"),
    ):
        for kind in ("text", "lines"):
            reader = open_reader(tmp_path, kind=kind, truth=truth)
            (item,) = reader.read(reader.scan()[0])
            assert item.truth == found
    with pytest.raises(InputError, match="it can be 'folders' or 'folders:1'"):
        open_reader(tmp_path, truth="folders:0")
