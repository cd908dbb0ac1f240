"""``comraf inspect``."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.cli.talking import comraf, refused


def test_inspect_tells_what_is_there(organized: Path, mailbox: Path) -> None:
    """Documents, groups, model and collection are each described."""
    assert "mbox, 240 messages" in comraf("inspect", mailbox).stdout
    assert "telling words" in comraf("inspect", organized).stdout
    assert "A model of 8 groups" in comraf("inspect", organized / "model").stdout
    assert "A collection of" in comraf("inspect", organized / "collection").stdout


def test_documents_are_counted_as_what_they_are(reviews: Path, tmp_path: Path) -> None:
    """Rows, files, posts; one of them is not several."""
    assert "csv, 90 rows." in comraf("inspect", reviews).stdout
    one = tmp_path / "one.csv"
    one.write_text("title,body\na,some longer words to read here\nb,too,many,cells\n")
    assert "csv, 1 row, 1 more that can't be read." in comraf("inspect", one).stdout
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Pumps leak.")
    assert "text, 1 file." in comraf("inspect", tmp_path / "texts").stdout


_RIS = "TY  - JOUR\nTI  - Pumps of the {0}\nER  - \n\n"
_ROW = '<row Id="{0}" PostTypeId="1" Title="Pumps {0}" Body="leak" />\n'


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.bib", "@article{{p{0}, title = {{Pumps of the {0}}}}}\n", "bibtex, 3 records."),
        ("a.ris", _RIS, "ris, 3 records."),
        ("cran.all", ".I {0}\n.T\nPumps {0}\n.W\nThey leak.\n", "smart, 3 records."),
        (
            "a.jsonl",
            '{{"title": "Pumps {0}", "authors": [{{"name": "Ann Li"}}], "id": "{0}"}}\n',
            "papers, 3 papers.",
        ),
        ("Posts.xml", _ROW, "stackexchange, 3 posts."),
    ],
)
def test_records_are_counted_and_not_files(
    name: str, content: str, said: str, tmp_path: Path
) -> None:
    """A file that holds many documents is so many."""
    text = "".join(content.format(number) for number in (1, 2, 3))
    (tmp_path / name).write_text(f"<posts>\n{text}</posts>" if name == "Posts.xml" else text)
    assert said in comraf("inspect", tmp_path / name).stdout
    assert said in comraf("inspect", tmp_path).stdout


def test_texts_of_a_zip_file_are_counted(tmp_path: Path) -> None:
    """The list of genres is none of them."""
    with zipfile.ZipFile(tmp_path / "brown.zip", "w") as archive:
        for name in ("ca01", "ca02"):
            archive.writestr(f"brown/{name}", "The/at pump/nn leaks/vbz ./. " * 20)
        archive.writestr("brown/cats.txt", "ca01 news\nca02 news\n")
    assert "tagged, 2 texts." in comraf("inspect", tmp_path / "brown.zip").stdout


def test_guesses_are_told_as_options(reviews: Path) -> None:
    """What was guessed about columns can be typed as it stands there."""
    said = comraf("inspect", reviews).stdout
    assert "--title title --text review --values product,buyer" in said


def test_an_answer_without_text(mailbox: Path, tmp_path: Path) -> None:
    """The short answer of --no-text is described too, by the sizes of its groups."""
    out = tmp_path / "out"
    assert comraf("organize", mailbox, "-k", 3, "--no-text", "-q", "--out", out).exit_code == 0
    answer = comraf("inspect", out)
    assert answer.exit_code == 0, answer.output
    assert "3 groups without names (--no-text), of " in answer.stdout


@pytest.mark.parametrize("file", ["result.json", "model.json", "collection.json"])
@pytest.mark.parametrize("content", [b'{"format": ', b"\xff\xfe\x00", b"[1, 2", b""])
def test_a_damaged_file_is_named(file: str, content: bytes, tmp_path: Path) -> None:
    """Not in the words of a parser: which file it is, and the way out."""
    (tmp_path / file).write_bytes(content)
    sentence = refused("inspect", tmp_path)
    assert file in sentence
    assert "damaged" in sentence
    assert "comraf organize" in sentence
