"""Captions on their way to photos: one photo, odd names, texts beside, special files."""

from __future__ import annotations

import os
import time
import unicodedata
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="photos need Pillow, the extra images")

from PIL import Image

from comraf.collection.build import build_collection
from comraf.collection.readers.images import PhotoReader
from comraf.errors import InputError
from tests.collection.given import by_source


def photo(path: Path) -> Path:
    """A small photo of one colour."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (60, 40), (200, 10, 10)).save(path, "PNG")
    return path


def texts(root: Path, **options: object) -> dict[str, str]:
    """Captions of the photos in a folder."""
    return {name: item.text for name, item in by_source(PhotoReader(root, **options)).items()}


def test_another_folder(tmp_path):
    """A caption for a photo that is not there goes to none of the same name, and is told."""
    photo(tmp_path / "city" / "1.png")
    photo(tmp_path / "city" / "2.png")
    (tmp_path / "captions.tsv").write_text("beach/1.png\tA beach.\ncity/2.png\tA street.")
    reader = PhotoReader(tmp_path)
    found = by_source(reader)
    assert (found["city/1.png"].text, found["city/2.png"].text) == ("", "A street.")
    assert reader.notes == [
        "captions.tsv: 1 caption for 1 photo not there, the first 'beach/1.png'"
    ]


@pytest.mark.skipif(os.name != "posix", reason="needs symbolic links")
def test_a_text_from_elsewhere_is_no_caption(tmp_path):
    """A link beside a photo must not bring in what lies elsewhere on the disk."""
    (tmp_path / "diary.txt").write_text("private")
    one = photo(tmp_path / "album" / "1.png")
    (tmp_path / "album" / "1.txt").symlink_to(tmp_path / "diary.txt")
    for given in (one, one.parent):
        assert texts(given) == {"1.png": ""}


def test_two_that_differ_in_blanks(tmp_path):
    """Blanks in names are kept, so that each photo has its own caption."""
    photo(tmp_path / "a b.png")
    photo(tmp_path / "a  b.png")
    (tmp_path / "captions.tsv").write_text("a b.png\tOne.\na  b.png\tTwo.")
    assert texts(tmp_path) == {"a b.png": "One.", "a  b.png": "Two."}


def test_forms_of_names(tmp_path):
    """Accents in another form and another case are the same name."""
    name = unicodedata.normalize("NFD", "été.png")
    photo(tmp_path / name)
    (tmp_path / "captions.csv").write_text("ÉTÉ.PNG,Summer.", encoding="utf-8")
    assert list(texts(tmp_path).values()) == ["Summer."]


def test_one_photo(tmp_path):
    """A photo that is given alone has the captions that it has in its folder."""
    one = photo(tmp_path / "x.png")
    photo(tmp_path / "y.png")
    bare = PhotoReader(one).scan()[0].fingerprint
    (tmp_path / "x.png.txt").write_text("Beside.")
    assert texts(one) == {"x.png": "Beside."}
    assert PhotoReader(one).scan()[0].fingerprint != bare
    (tmp_path / "captions.tsv").write_text("x.png\tIn the table.\ny.png\tAnother.")
    reader = PhotoReader(one)
    assert by_source(reader)["x.png"].text == texts(tmp_path)["x.png"] == "In the table."
    assert reader.notes == []
    assert reader.captions_found() == ["1 of 1 photo, 1 each, in captions.tsv"]
    assert texts(one, captions=False) == {"x.png": ""}
    given = tmp_path / "more.csv"
    given.write_text("x.png,Given.")
    assert texts(one, captions=given) == {"x.png": "Given."}
    given.write_text("y.png,Given.")
    with pytest.raises(InputError, match=r"none of the 1 photo.*'y\.png'.*'x\.png'"):
        PhotoReader(one, captions=given).scan()


def test_captions_in_many_folders(tmp_path):
    """Each folder's captions cost what its own photos cost, and go to these."""
    for number in range(1200):
        folder = tmp_path / f"{number:04}"
        folder.mkdir()
        for name in range(10):
            (folder / f"{name}.jpg").write_bytes(b"")
        (folder / "captions.tsv").write_text(f"0.jpg\tDog {number}.")
    plain = PhotoReader(tmp_path, captions=False)
    started = time.perf_counter()
    plain.scan()
    between = time.perf_counter()
    reader = PhotoReader(tmp_path)
    reader.scan()
    # reading as many small files is all that it may cost
    assert time.perf_counter() - between < 5 * (between - started) + 0.5
    assert len(reader.captions_found()) == 1200
    assert reader._captions["0007/0.jpg"] == ("Dog 7.",)


def test_folder_names_that_sort_between(tmp_path):
    """Captions of a folder are for what is below it, not for folders of a longer name."""
    for folder in ("a", "a-b", "a0", "a/b"):
        photo(tmp_path / folder / f"{folder.replace('/', '_')}.png")
    lines = "\n".join(f"{name}.png\tSeen." for name in ("a", "a-b", "a0", "a_b"))
    (tmp_path / "a" / "captions.tsv").write_text(lines)
    seen = {name for name, text in texts(tmp_path).items() if text}
    assert seen == {"a/a.png", "a/b/a_b.png"}


def test_texts_that_are_none(tmp_path):
    """What is no text beside a photo is no caption, and that is told."""
    photo(tmp_path / "x.png")
    (tmp_path / "x.txt").write_bytes(bytes(range(256)) * 4)
    collection = build_collection(PhotoReader(tmp_path))
    assert collection.text(0) == ""
    assert any("as its text is no text, and no caption" in note for note in collection.notes)


@pytest.mark.parametrize("name", ["x.TXT", "x.png.TXT", "x.Txt"])
def test_texts_in_capitals(tmp_path, name):
    """The case of a text's ending does not matter."""
    photo(tmp_path / "x.png")
    (tmp_path / name).write_text("A dog.")
    reader = PhotoReader(tmp_path)
    assert by_source(reader)["x.png"].text == "A dog."
    assert reader.notes == []
    assert texts(tmp_path / "x.png") == {"x.png": "A dog."}


@pytest.mark.parametrize(
    ("text", "told"), [("dog\n" * 300_000, "first 1 MB"), ("dog " * 3000, "10,000 characters")]
)
def test_long_texts_are_cut(tmp_path, text, told):
    """Of a text that is too long the beginning is read, and that is told."""
    photo(tmp_path / "x.png")
    (tmp_path / "x.txt").write_text(text)
    (item,) = by_source(PhotoReader(tmp_path)).values()
    assert item.text.startswith("dog")
    assert [note for note in item.notes if told in note]


def test_captions_that_are_a_folder(tmp_path):
    """A folder in place of the file of captions is told as such."""
    photo(tmp_path / "x.png")
    with pytest.raises(InputError, match=r"is a folder; give the file of captions"):
        PhotoReader(tmp_path, captions=tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_pipes(tmp_path):
    """A pipe that is called a photo is skipped with a word, unopened; others are not looked at."""
    photo(tmp_path / "x.png")
    os.mkfifo(tmp_path / "pipe.jpg")
    os.mkfifo(tmp_path / "pipe")
    collection = build_collection(PhotoReader(tmp_path))
    assert [(skip.source, skip.reason) for skip in collection.skipped] == [
        ("pipe.jpg", "no file: a pipe or a device")
    ]
    assert list(collection.ids) == ["x.png"]
