"""Folders of text, Markdown and HTML."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from comraf.collection.detect import open_reader
from comraf.collection.items import Item, Skip
from comraf.collection.readers.folder import TextFolderReader, markdown_text
from comraf.errors import InputError, ReadError


def read_all(reader: TextFolderReader) -> dict[str, Item | Skip]:
    """What a reader yields, by source."""
    return {thing.source: thing for unit in reader.scan() for thing in reader.read(unit)}


def test_three_formats(tmp_path: Path) -> None:
    """Each kind of file has its own title; the id is the path."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_bytes(b"caf\xe9 words<br>more")
    (tmp_path / "sub" / "b.md").write_text("# Pumps\n\nThey [leak](http://x.org).")
    (tmp_path / "c.html").write_text("<title>Gas</title><p>Visible<script>no()</script>")
    (tmp_path / "d.png").write_bytes(b"\x89PNG\x00")
    reader = TextFolderReader(tmp_path, truth="folders")
    found = read_all(reader)
    assert {(k, v.title, v.text) for k, v in found.items() if isinstance(v, Item)} == {
        ("a.txt", "", "café words\nmore"),
        ("sub/b.md", "Pumps", "Pumps\n\nThey leak."),
        ("c.html", "Gas", "Visible"),
    }
    assert reader.notes == ["1 file left out by its ending: .png"]
    item = found["sub/b.md"]
    assert isinstance(item, Item)
    assert item.truth == "sub"
    assert item.content == "Pumps\n\nThey leak."


def test_bad_files_are_skipped(tmp_path: Path) -> None:
    """Empty, binary and invisible files are counted with a reason."""
    (tmp_path / "a.txt").write_text("  \n")
    (tmp_path / "b.txt").write_bytes(b"\x00\x01\x02" * 50)
    (tmp_path / "c.html").write_text("<script>x()</script>")
    (tmp_path / "d.txt").write_text("fine")
    reasons = {
        k: v.reason for k, v in read_all(TextFolderReader(tmp_path)).items() if isinstance(v, Skip)
    }
    assert reasons == {"a.txt": "empty", "b.txt": "binary, not text", "c.html": "no visible text"}


def test_long_files_are_cut(tmp_path: Path) -> None:
    """The item says so."""
    (tmp_path / "a.txt").write_text("word " * 1000)
    (item,) = read_all(TextFolderReader(tmp_path, max_bytes=100)).values()
    assert isinstance(item, Item)
    assert len(item.text) <= 100
    assert item.notes == ("cut at 100 bytes",)


def test_files_of_unknown_endings_are_tried_when_there_are_no_others(tmp_path: Path) -> None:
    """A folder of files without endings is a folder of texts."""
    (tmp_path / "1").write_text("one")
    (tmp_path / "2.xyz").write_text("two")
    assert len(read_all(TextFolderReader(tmp_path))) == 2


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


@pytest.mark.parametrize("piece", ["[", "<!--", "![", "[a](", "# #", "<a ", "---\n", "`"])
def test_hostile_markdown_is_fast(piece: str) -> None:
    """Time grows with the length only."""
    start = time.process_time()
    markdown_text(piece * 200_000)
    assert time.process_time() - start < 5


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
    items = read_all(TextFolderReader(tmp_path))
    assert set(items) == {*(f"page{i}{ending}" for i in range(3)), "notes.md"}
    found = items[f"page1{ending}"]
    assert isinstance(found, Item)
    assert (found.title, found.text.split()) == ("Page", ["pump", "t"])
    assert found.links == ("sea.example/x",)
