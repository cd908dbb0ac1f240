"""Reading the folder of pages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from comraf.collection.readers.files import follow_links
from comraf.errors import InputError, ReadError
from comraf.workflows.appearances.pages import read_names, read_pages, read_truth


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two names with good and bad pages, and a manifest."""
    for name in ("ann-lee", "bob_ray"):
        (tmp_path / name).mkdir()
    (tmp_path / "ann-lee" / "1.html").write_text(
        "<title>Ann</title><p>Sails.<a href='/x/y'>x</a> http://spelled.example/out/"
    )
    (tmp_path / "ann-lee" / "2.txt").write_bytes("Caf\xe9 http://text.example/a/".encode("latin-1"))
    (tmp_path / "ann-lee" / "empty.html").write_text(" \n")
    (tmp_path / "ann-lee" / "script.html").write_text("<script>x()</script>")
    (tmp_path / "ann-lee" / "picture.htm").write_bytes(b"\x89PNG\x00\x00\x01" * 20)
    (tmp_path / "ann-lee" / "notes.pdf").write_bytes(b"%PDF")
    (tmp_path / "bob_ray" / "1.htm").write_text("<div>" * 5000 + "Bob")
    (tmp_path / "pages.csv").write_text(
        "name,file,url,truth\nAnn Lee,1.html,http://own.example/ann/1.html,1\n"
        "bob_ray,bob_ray/1.htm,,no\nbob_ray,gone.html,http://gone.example/,\n"
    )
    return tmp_path


def test_pages_with_addresses_links_and_truth(folder: Path) -> None:
    """Everything that the folder and its manifest tell; bad files are named."""
    found = read_pages(folder)
    first, text, other = found.pages
    assert (first.id, first.name, first.title, first.truth) == (
        "ann-lee/1.html",
        "ann lee",
        "Ann",
        True,
    )
    assert first.url == "http://own.example/ann/1.html"
    assert first.links == ("http://own.example/x/y", "http://spelled.example/out/")
    assert (text.links, text.truth) == (("http://text.example/a/",), None)
    assert "Café" in text.text
    assert (other.name, other.text.strip(), other.truth) == ("bob ray", "Bob", False)
    assert dict(found.skipped) == {
        "ann-lee/empty.html": "empty",
        "ann-lee/picture.htm": "binary, not text",
        "ann-lee/script.html": "no visible text",
    }
    assert any("gone.html" in note for note in found.notes)


@pytest.mark.skipif(os.name != "posix", reason="needs symbolic links")
def test_links_out_of_the_folder_are_not_followed(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Neither a folder of pages nor the manifest may lie elsewhere; folders are counted."""
    away = tmp_path_factory.mktemp("away")
    (away / "diary").mkdir()
    (away / "diary" / "1.html").write_text("<p>private")
    (folder / "diary").symlink_to(away / "diary")
    (folder / "pages.csv").rename(away / "pages.csv")
    (folder / "pages.csv").symlink_to(away / "pages.csv")
    found = read_pages(folder)
    assert {page.name for page in found.pages} == {"ann lee", "bob ray"}
    assert {page.truth for page in found.pages} == {None}
    assert any("not followed without --follow-links" in note for note in found.notes)
    with follow_links():
        assert "diary" in {page.name for page in read_pages(folder).pages}


def test_names_choose_and_spell(folder: Path, tmp_path: Path) -> None:
    """A list of names selects folders whatever their signs; a missing one is named."""
    names = tmp_path / "names.txt"
    names.write_text("# the club\n\nBob Ray\n")
    found = read_pages(folder, names=read_names(names))
    assert [page.name for page in found.pages] == ["Bob Ray"]
    with pytest.raises(InputError, match="no subfolder for the name 'Zoe'"):
        read_pages(folder, names=["Zoe"])
    with pytest.raises(InputError, match="twice"):
        read_pages(folder, names=["Bob Ray", "bob-ray"])
    with pytest.raises(InputError, match="empty"):
        read_pages(folder, names=[])


def test_truth_of_another_file_goes_first(folder: Path, tmp_path: Path) -> None:
    """Truth by page; words that are neither yes nor no are refused with the page."""
    file = tmp_path / "truth.csv"
    file.write_text("page,truth\nann-lee/1.html,no\nann-lee/2.txt,yes\n")
    found = read_pages(folder, truth=read_truth(file))
    assert [page.truth for page in found.pages] == [False, True, False]
    file.write_text("page,truth\nann-lee/1.html,perhaps\n")
    with pytest.raises(InputError, match=r"ann-lee/1.html.*perhaps"):
        read_truth(file)
    file.write_text("file,truth\n1.html,yes\n")
    with pytest.raises(InputError, match="no column 'name'"):
        read_truth(file)


def test_folders_without_pages_are_refused(tmp_path: Path) -> None:
    """Nothing there, a file, and a folder without subfolders: each with the way out."""
    with pytest.raises(ReadError, match="nothing at"):
        read_pages(tmp_path / "no")
    (tmp_path / "a.html").write_text("x")
    with pytest.raises(ReadError, match="is a file"):
        read_pages(tmp_path / "a.html")
    with pytest.raises(ReadError, match="a subfolder for each name"):
        read_pages(tmp_path)


def test_names_have_no_control_characters(tmp_path: Path) -> None:
    """A folder may be called anything; the name that is told is one line of text."""
    for folder in ("ann\x1b[31m-lee", "bob"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "1.txt").write_text("boat race")
    assert all(page.name.isprintable() for page in read_pages(tmp_path).pages)
