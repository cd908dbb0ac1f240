"""Files of labels and links: what is read, and errors that name the line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from comraf.errors import InputError, ReadError
from comraf.supervision import files, read_label_file, read_link_file

ANIMALS = [("ant", "insect"), ("bee", None), ("cat", "mammal")]


def written(folder: Path, text: str | bytes) -> Path:
    """A file with this text."""
    path = folder / "file.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "ant,insect\nbee,\ncat,mammal\n",
        "id,label\nant,insect\nbee,-1\ncat,mammal",
        "\ufeffItem,Class\r\nant,insect\r\nbee,\r\n\r\ncat,mammal\r\n",
        "item,cluster,truth\nant,3,insect\nbee,4,\ncat,5,mammal\n",
        "ant\tinsect\nbee\t\ncat\tmammal\n",
        "label;id\ninsect;ant\n;bee\nmammal;cat\n",
        "ant   insect\nbee -1\n  cat\tmammal\n".replace("\t", " "),
        '"ant","insect"\n"bee",""\n"cat", mammal\n',
        "ant,insect\nbee,\ncat,mammal\nant,insect\ncat,\n",
        "ant,insect\rbee,\rcat,mammal\r",
    ],
)
def test_labels(tmp_path: Path, text: str) -> None:
    """Commas, tabs, semicolons or blanks, with a header or without."""
    assert read_label_file(written(tmp_path, text)) == ANIMALS


@pytest.mark.parametrize(
    "text",
    [
        "ant,bee\nbee,cat,0.5\n",
        "id1,id2,weight\nant,bee,\nbee,cat,0.5\n",
        "a b w\nant bee inf\nbee cat 5e-1\n",
        "Item_A\tItem_B\tweight\nant\tbee\tinf\nbee\tcat\t.5\n",
        "weight,from,to\n,ant,bee\n0.5,bee,cat\n",
    ],
)
def test_links(tmp_path: Path, text: str) -> None:
    """Two ids and perhaps a weight."""
    assert read_link_file(written(tmp_path, text)) == [
        ("ant", "bee", math.inf),
        ("bee", "cat", 0.5),
    ]


@pytest.mark.parametrize("header", ["id1,id2", "from,to", "item,item", "Source,Target"])
def test_headers_of_links(tmp_path: Path, header: str) -> None:
    """A header is no link; links without a weight take the one that is given."""
    path = written(tmp_path, f"{header}\na,b\n")
    assert read_link_file(path, weight=2.0) == [("a", "b", 2.0)]


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_empty_files(tmp_path: Path, text: str) -> None:
    """An empty file says nothing."""
    assert read_label_file(written(tmp_path, text)) == []
    assert read_link_file(written(tmp_path, text)) == []


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("ant,x\nbee\n", ReadError, r"line 2: has 1 column \('bee'\)"),
        ("ant,x\nbee,y,z\n", ReadError, "line 2: has 3 columns"),
        ("id,label\nant,x,y\n", ReadError, "line 2: has 3 columns and the header has 2"),
        ("ant,x\n,y\n", ReadError, "line 2: has no id"),
        (b"ant,x\n\xe9,y\n", ReadError, r"line 2: is not UTF-8 text \(byte 0xe9\)"),
        (b"ant,x\nb\0,y\n", ReadError, "line 2: holds a NUL"),
        ("ant,x".encode("utf-16"), ReadError, "not UTF-8"),
        ('ant,x\n"bee,y\n', ReadError, "line"),
        (
            "ant,x\nbee,y\nant,z\n",
            InputError,
            "two labels for 1 item: 'ant' is 'x' in line 1 and 'z' in line 3",
        ),
    ],
)
def test_bad_labels(tmp_path: Path, text: str | bytes, error: type, message: str) -> None:
    """The error names the line and what is in it."""
    with pytest.raises(error, match=message):
        read_label_file(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("ant,bee,heavy\n", InputError, "line 1: the weight 'heavy' can't be used"),
        ("ant,bee\nant,cat,-2\n", InputError, "line 2: the weight '-2'"),
        ("ant,bee,nan\n", InputError, "line 1: the weight 'nan'"),
        ("ant bee\nant\n", ReadError, r"line 2: has 1 column \('ant'\)"),
        ("ant,bee\nant,\n", ReadError, "line 2: has no id"),
        ("ant,bee\ncat,cat\n", InputError, r"links 1 item with itself: 'cat' \(line 2\)"),
    ],
)
def test_bad_links(tmp_path: Path, text: str, error: type, message: str) -> None:
    """The error names the line and the value."""
    with pytest.raises(error, match=message):
        read_link_file(written(tmp_path, text))


@pytest.mark.parametrize("read", [read_label_file, read_link_file])
def test_no_file(tmp_path: Path, read) -> None:
    """A missing file, a folder and an impossible name are read errors that name the path."""
    for path in (tmp_path / "none.csv", tmp_path, "a\0b"):
        with pytest.raises(ReadError, match="can't read"):
            read(path)


def test_what_other_programs_write_for_nothing(tmp_path):
    """nan, None and NA are no classes; a header may call the class a name or a cluster."""
    path = tmp_path / "labels.csv"
    path.write_text("item,cluster\na,3\nb,nan\nc,None\nd,NA\n")
    assert read_label_file(path) == [("a", "3"), ("b", None), ("c", None), ("d", None)]
    path.write_text("item,name\na,tea\n")
    assert read_label_file(path) == [("a", "tea")]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
@pytest.mark.parametrize("read", [read_label_file, read_link_file])
def test_a_file_without_end_is_refused(read, monkeypatch):
    """It was read until the memory was full."""
    monkeypatch.setattr(files, "_MOST_BYTES", 2**20)
    with pytest.raises(ReadError, match="has more than 1,048,576 bytes"):
        read("/dev/zero")
