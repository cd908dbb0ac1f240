"""Which photo a name in a file of captions means."""

from __future__ import annotations

import os
import time
import unicodedata

import pytest

from comraf.collection.readers.photo_names import PhotoNames

PHOTOS = ["city/1.png", "city/2.png", "sea/2.png", "sea/deep/3.png", "top.jpg"]


@pytest.mark.parametrize(
    ("name", "photo"),
    [
        ("1.png", "city/1.png"),
        ("1", "city/1.png"),
        ("./city/2.png", "city/2.png"),
        ("city\\2.png", "city/2.png"),
        ("City/2.PNG", "city/2.png"),
        ("city/2", "city/2.png"),
        ("deep/3.png", "sea/deep/3.png"),
        ("TOP.JPG", "top.jpg"),
        ("/home/ann/sea/2.png", "sea/2.png"),
        ("C:\\Photos\\city\\1.png", "city/1.png"),
        ("https://example.org/all/top.jpg", "top.jpg"),
    ],
)
def test_found(name, photo):
    """Names with and without folders and endings, by other systems, and from elsewhere."""
    assert PhotoNames(PHOTOS).find(name) == (photo,)


@pytest.mark.parametrize(
    "name",
    [
        "sea/1.png",
        "sea/top.jpg",
        "../top.jpg",
        "../sea/2.png",
        "/home/ann/1.png",
        "",
        "/",
        "a/" * 999,
    ],
)
def test_another_folder_is_another_photo(name):
    """A photo of the same name in another folder is never taken."""
    assert PhotoNames(PHOTOS).find(name) == ()


def test_several():
    """A name that two photos have is told from one that none has."""
    assert PhotoNames(PHOTOS).find("2.png") == ("city/2.png", "sea/2.png")
    assert len(PhotoNames(["a.png", "A.PNG"]).find("A.png")) == 2


@pytest.mark.parametrize(
    ("photos", "name", "photo"),
    [
        (["a.png", "A.png"], "A.png", "A.png"),
        (["a  b.png", "a b.png"], "a  b.png", "a  b.png"),
        (["a  b.png"], "a b.png", "a  b.png"),
        (["sub/IMG1"], "IMG1", "sub/IMG1"),
        (["IMG1", "IMG1.jpg"], "IMG1", "IMG1"),
        (["x\\y.png"], "x\\y.png", "x\\y.png"),
        (["x\\y.png", "x/y.png"], "x/y.png", "x/y.png"),
        ([unicodedata.normalize("NFD", "été.png")], "ÉTÉ.png", "e\u0301te\u0301.png"),
        (["1.jpg", "sub/1.jpg"], "1", "1.jpg"),
    ],
)
def test_exact_before_alike(photos, name, photo):
    """What is written exactly so goes first, then what differs only in form."""
    assert PhotoNames(photos).find(name) == (photo,)


def test_captions_above_and_beside(tmp_path):
    """Folders in names may start above the photos, or lead there from the captions."""
    root = tmp_path / "data" / "images"
    (tmp_path / "data" / "notes").mkdir(parents=True)
    root.mkdir()
    beside = PhotoNames(PHOTOS, root=root, home=tmp_path / "data" / "notes")
    for name in ("images/top.jpg", "../images/top.jpg", f"{root.as_posix()}/top.jpg"):
        assert beside.find(name) == ("top.jpg",)
    for name in ("other/top.jpg", "../other/top.jpg", f"{root.as_posix()}/gone/top.jpg"):
        assert beside.find(name) == ()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_absolute_through_a_link(tmp_path):
    """A path below the folder, however that is written, names what is there and nothing else."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    names = PhotoNames(["1.png"], root=tmp_path / "link")
    assert (
        names.find(f"{tmp_path}/link/1.png") == names.find(f"{tmp_path}/real/1.png") == ("1.png",)
    )
    assert names.find(f"{tmp_path}/link/gone/1.png") == ()


def test_two_from_elsewhere():
    """Captions of two photos elsewhere are not put together to those of one here."""
    found = PhotoNames(["1.png", "2.png"]).find_all(["/x/a/1.png", "/x/b/1.png", "/x/b/2.png"])
    assert [len(photos) for photos in found.values()] == [2, 2, 1]


def test_prefix():
    """Names in a folder's own captions start there."""
    names = PhotoNames(["sea/2.png", "sea/deep/2.png"], "sea/")
    assert names.find("2.png") == ("sea/2.png",)
    assert names.find("DEEP/2.png") == ("sea/deep/2.png",)
    assert names.find("../city/2.png") == ()


def test_many_of_one_name():
    """The same name in thousands of folders costs no more than other names."""
    photos = [f"{folder}/1.png" for folder in range(5000)]
    started = time.perf_counter()
    found = PhotoNames(photos).find_all(f"gone/{folder}/1.png" for folder in range(5000))
    assert not any(found.values())
    assert time.perf_counter() - started < 5
