"""Finding out what lies at a path."""

from __future__ import annotations

import gzip
import json
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.collection.detect import detect, open_reader
from comraf.collection.items import Item, Skip
from comraf.collection.kinds import KINDS
from comraf.errors import ComrafError, InputError, ReadError
from tests.collection.given import read_all

MAIL = "From: a@x.org\nTo: b@x.org\nSubject: Hi\n\nHello there"
NEWS = f"Newsgroups: sci.med\n{MAIL}"


def fill(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"a/1": MAIL, "a/2": MAIL, "b/1": MAIL}, "mail"),
        ({"1.eml": MAIL, "2.eml": MAIL, "readme.txt": "about"}, "mail"),
        ({"1.emlx": f"60\n{MAIL}"}, "mail"),
        ({"sci.med/1": NEWS, "sci.space/2": NEWS}, "news"),
        ({"cur/1:2,S" if sys.platform != "win32" else "cur/1": MAIL, "new/2": MAIL}, "maildir"),
        ({".Work/cur/1": MAIL, "cur/x": MAIL}, "maildir"),
        ({"a.txt": "words", "b.md": "# words", "c.html": "<p>words"}, "text"),
        ({"1": "just words", "2": "more words"}, "text"),
        ({"data.csv": "text\nwords", "README.md": "about"}, "csv"),
        ({"a.jsonl": '{"text": "words"}\n'}, "jsonl"),
        ({"refs.bib": "@misc{k, title={T}}", "README.md": "about"}, "bibtex"),
        ({"a/x.all": ".I 1\n.W\nw\n", "b/y.all": ".I 1\n.W\nv\n"}, "smart"),
        ({"box": "From a Mon Jan  1 10:00:00 2001\nSubject: x\n\ny\n"}, "mbox"),
    ],
)
def test_folders(tmp_path: Path, files: dict[str, str], kind: str) -> None:
    """What most files are, the folder is; how that was seen is told."""
    reader = open_reader(fill(tmp_path, files))
    assert reader.kind == kind
    assert f"read as {kind}" in reader.notes[0]
    found = read_all(reader)
    assert any(isinstance(thing, Item) for thing in found)
    assert f"read as {kind}" in reader.notes[0]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.csv", "title,text\nx,words", "csv"),
        ("a.tsv", "title\ttext\nx\twords", "tsv"),
        ("a.txt", "title\ttext\nx\twords\n", "tsv"),
        ("a.txt", "just words\n", "text"),
        ("a.json", json.dumps([{"text": "words"}]), "jsonl"),
        ("stream", '{"text": "words"}\n{"text": "more"}\n', "jsonl"),
        ("a.html", "<p>words", "text"),
        ("a.bib", "% notes\nmine\n@article{k, title={T}}", "bibtex"),
        ("refs.txt", "@article{k,\n title={T}}", "bibtex"),
        ("a.txt", "In BibTeX:\n@article{k,\n title={T}}", "text"),
        ("export", "TY  - JOUR\nTI  - T\nER  - \n", "ris"),
        ("cran.all.1400", ".I 1\n.T\nT\n.W\nw\n", "smart"),
        ("Posts.xml", '<posts><row Id="1" PostTypeId="1" Title="T" /></posts>', "stackexchange"),
        ("a.jsonl", '{"title": "T", "authors": [{"name": "Ann Li"}]}', "papers"),
        ("a.json", '{"items": [{"title": "T", "authors": [{"name": "Ann Li"}]}]}', "papers"),
        ("a.jsonl", '{"title": "T", "authors": ["Ann Li"]}', "jsonl"),
        ("a.csv", "title,authors,references\nT,Ann Li,a; b", "papers"),
        ("a.csv", "title,authors,citations\nT,Ann Li,7", "csv"),
        ("a.eml", MAIL, "mail"),
        ("box", f"From a Mon Jan  1 10:00:00 2001\n{MAIL}\n", "mbox"),
        ("a.mbox", f"From a Mon Jan  1 10:00:00 2001\n{MAIL}\n", "mbox"),
    ],
)
def test_files(tmp_path: Path, name: str, text: str, kind: str) -> None:
    """A single file is seen by its beginning and its ending."""
    fill(tmp_path, {name: text})
    assert detect(tmp_path / name).kind == kind
    reader = open_reader(tmp_path / name)
    assert any(isinstance(thing, Item) for u in reader.scan() for thing in reader.read(u))


def test_the_kind_can_be_given(tmp_path: Path) -> None:
    """Looking is only for those who do not know."""
    fill(tmp_path, {"1": NEWS})
    assert open_reader(tmp_path, kind="mail").kind == "mail"
    assert open_reader(tmp_path, kind="text").kind == "text"
    with pytest.raises(InputError, match=r"kind='nntp' is unknown; choose one of \['bibtex'"):
        open_reader(tmp_path, kind="nntp")


def test_options_reach_the_reader(tmp_path: Path) -> None:
    """Known options are passed on, unknown ones are named with those there are."""
    fill(tmp_path, {f"pumps/{i}": MAIL for i in range(3)})
    reader = open_reader(tmp_path, truth="folders", quotes="drop")
    (item,) = reader.read(reader.scan()[0])
    assert item.truth == "pumps"
    with pytest.raises(InputError, match="'mail' has no option 'text'; it has quotes, signatures"):
        open_reader(tmp_path, text="body")
    with pytest.raises(InputError, match="'csv' has no option 'format'"):
        open_reader(fill(tmp_path / "t", {"a.csv": "text\nx"}), format="csv")


def test_who_names_columns_gets_the_table(tmp_path: Path) -> None:
    """Options of tables make a table of papers a plain table."""
    fill(tmp_path, {"a.csv": "title,authors,references\nT,Ann Li,a; b"})
    assert open_reader(tmp_path / "a.csv").kind == "papers"
    assert open_reader(tmp_path, truth="title", encoding="utf-8").kind == "papers"
    assert open_reader(tmp_path / "a.csv", text="title").kind == "csv"
    assert open_reader(tmp_path, lists="references").kind == "csv"
    assert detect(tmp_path / "a.csv", refine=False).kind == "csv"


def test_data_frames() -> None:
    """A frame is a collection too; other objects are not."""
    frame = pd.DataFrame({"text": ["one two", "three"]})
    assert open_reader(frame).kind == "frame"
    with pytest.raises(InputError, match="a data frame was given"):
        open_reader(frame, kind="csv")
    with pytest.raises(InputError, match="Expected a path or a data frame, got int"):
        open_reader(3)


def make_archives(folder: Path) -> dict[str, Path]:
    """One file packed in several ways."""
    fill(folder, {"a.txt": "words"})
    with zipfile.ZipFile(folder / "a.zip", "w") as packed:
        packed.write(folder / "a.txt")
    with zipfile.ZipFile(folder / "a.xlsx", "w") as packed:
        packed.write(folder / "a.txt")
    with tarfile.open(folder / "a.tar", "w") as tar:
        tar.add(folder / "a.txt")
    with tarfile.open(folder / "a.tar.gz", "w:gz") as tar:
        tar.add(folder / "a.txt")
    (folder / "a.mbox.gz").write_bytes(gzip.compress(b"x"))
    (folder / "a.npz").write_bytes((folder / "a.zip").read_bytes())
    return {path.name: path for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("a.zip", "unzip a.zip"),
        ("a.tar", "tar xf a.tar"),
        ("a.tar.gz", "tar xf a.tar.gz"),
        ("a.mbox.gz", "gunzip -k a.mbox.gz"),
        ("a.xlsx", "save it as CSV"),
        ("a.npz", "read_table"),
    ],
)
def test_packed_files_come_with_advice(tmp_path: Path, name: str, advice: str) -> None:
    """The error says how to unpack, alone, in a folder, and with the kind given."""
    path = make_archives(tmp_path)[name]
    for kind in (None, "mbox"):
        with pytest.raises(ReadError, match=advice):
            open_reader(path, kind=kind)
    alone = tmp_path / "alone"
    alone.mkdir()
    path.rename(alone / name)
    with pytest.raises(ReadError, match=advice):
        open_reader(alone)


def test_places_without_anything(tmp_path: Path) -> None:
    """Missing, empty, all binary: each is told in its own words."""
    with pytest.raises(ReadError, match="There is nothing at"):
        open_reader(tmp_path / "nowhere")
    with pytest.raises(ReadError, match="is empty: there are no files"):
        open_reader(tmp_path)
    (tmp_path / "sub" / "deeper").mkdir(parents=True)
    with pytest.raises(ReadError, match="is empty: there are no files"):
        open_reader(tmp_path)
    (tmp_path / "a.bin").write_bytes(b"\x00\x01\x02" * 100)
    with pytest.raises(ReadError, match=r"a binary file\. Known are .*BibTeX, .*CSV"):
        open_reader(tmp_path)
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(ReadError, match="it is empty"):
        open_reader(tmp_path / "empty.txt")


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_loops_of_links(tmp_path: Path) -> None:
    """A folder that holds itself is looked at once."""
    (tmp_path / "loop").symlink_to(tmp_path)
    with pytest.raises(ReadError, match="is empty"):
        open_reader(tmp_path)
    fill(tmp_path, {"1.eml": MAIL})
    reader = open_reader(tmp_path)
    assert len(reader.scan()) == 1


PIECES = [b"a,b\n", b'"', b"\n", b"\t", b"{", b'{"text": "x"}\n', b"[", b"\x00", b"\xff", b"\r"]
PIECES += [b"PAR1", b"From a Mon Jan 1 10:00:00 2001\n", b"Subject: x\n", b"<p>", b"# ", b"x;y|z"]
PIECES += [
    b"@a{k,",
    b"title={x}",
    b"TY  - JOUR\n",
    b".I 1\n",
    b".T\n",
    b"%PDF-1.4\n",
    b"PK\x03\x04",
]
PIECES += [
    b"<posts>",
    b'<row Id="1" ',
    b"<!DOCTYPE x>",
    b'{"title": "x", "authors": [{"name": "y"}]}',
]


@given(
    st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=8)), max_size=30),
    st.sampled_from(
        "a.csv a.tsv a.jsonl a.json a.parquet a.txt a.md a.html a.bib a.ris a.all Posts.xml a.npz "
        "a.pdf".split()
    ),
    st.sampled_from([None, *KINDS]),
)
@settings(max_examples=400, deadline=None)
def test_any_bytes_under_any_name(pieces: list[bytes], name: str, kind: str | None) -> None:
    """Whatever a file holds and is called, there are items, skips or an error of ours."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(b"".join(pieces))
        for place in (path, Path(folder)):
            try:
                reader = open_reader(place, kind=kind)
                found = read_all(reader)
            except ComrafError:
                continue
            assert all(isinstance(thing, (Item, Skip)) for thing in found)


def test_a_collection_is_no_source(tmp_path: Path) -> None:
    """What comraf wrote is not read as Parquet files, and passed over within its source."""
    from comraf.collection.build import build_collection, update_collection
    from comraf.collection.files import ITEMS_FILE
    from comraf.collection.store import HEADER_FILE

    mail = tmp_path / "mail"
    mail.mkdir()
    for i in range(2):
        (mail / f"{i}").write_text(f"From: a@x.org\nSubject: pump {i}\n\nIt leaks.")
    build_collection(open_reader(mail), out=mail / "kept")
    assert {HEADER_FILE, ITEMS_FILE} <= {entry.name for entry in (mail / "kept").iterdir()}
    with pytest.raises(InputError, match="open_collection"):
        open_reader(mail / "kept")
    with pytest.raises(InputError, match="open_collection"):
        detect(mail / "kept")
    again = update_collection(mail / "kept", open_reader(mail))
    assert (again.kind, len(again), again.n_skipped) == ("mail", 2, 0)
