"""``comraf inspect``."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.cli.talking import comraf, refused


def test_documents_are_counted_as_what_they_are(reviews: Path, tmp_path: Path) -> None:
    """Rows, files, posts; one of them is not several."""
    assert "csv, 90 rows." in comraf("inspect", reviews).stdout
    one = tmp_path / "one.csv"
    one.write_text("title,body\na,some longer words to read here\nb,too,many,cells\n")
    assert "csv, 1 row, 1 more that can't be read." in comraf("inspect", one).stdout
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Pumps leak.")
    assert "text, 1 file." in comraf("inspect", tmp_path / "texts").stdout


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_links_out_of_the_folder(tmp_path: Path) -> None:
    """Counted and left out, unless they are to be followed."""
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Pumps leak.")
    (tmp_path / "diary.txt").write_text("Private.")
    (tmp_path / "texts" / "b.txt").symlink_to("../diary.txt")
    told = comraf("inspect", tmp_path / "texts").stdout
    assert "text, 1 file." in told
    assert "1 symbolic link leads out of the folder: not followed without --follow-links" in told
    told = comraf("inspect", tmp_path / "texts", "--follow-links").stdout
    assert "text, 2 files." in told
    assert "symbolic" not in told
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


def test_columns_come_with_reasons(tmp_path: Path) -> None:
    """Why a column is what it is, or nothing, is told by inspect and stands in the report."""
    rows = "".join(
        f"{i},http://x.org/films/{i},The {w} of {'Rome Paris Oslo'.split()[i % 3]},{'ab'[i % 2]}\n"
        for i, w in enumerate("gun tank fight kiss bride heart ghost blood grave storm".split() * 3)
    )
    (tmp_path / "films.csv").write_text("id,imdb_link,movie_title,tag\n" + rows)
    said = " ".join(comraf("inspect", tmp_path / "films.csv").stdout.split())
    assert "looking at them: --id id --text movie_title --values tag" in said
    assert "why these columns: by name: 'id', 'movie_title'; few different entries: 'tag'" in said
    assert "columns left out: 'imdb_link' (links)" in said
    out = tmp_path / "out"
    asked = ("organize", tmp_path / "films.csv", "-k", 3, "--effort", "quick", "-q", "--out", out)
    assert comraf(*asked).exit_code == 0
    report = (out / "report.html").read_text()
    assert "few different entries" in report
    assert "(links)" in report
    assert ",The gun of Rome," in (out / "clusters.csv").read_text()


def test_notes_of_an_answer_are_data(reviews: Path, tmp_path: Path) -> None:
    """Told in options by their code alone; lines of an earlier copy are told as they are."""
    out = tmp_path / "out"
    asked = ("organize", reviews, "-k", 3, "--effort", "quick", "-q", "--out", out)
    assert comraf(*asked).exit_code == 0
    shutil.rmtree(out / "collection")
    assert "--title title --text review" in comraf("inspect", out).stdout
    told = json.loads((out / "result.json").read_text())
    told["notes"] = ["chosen: text='review'"]
    (out / "result.json").write_text(json.dumps(told))
    assert "note: chosen: text='review'" in comraf("inspect", out).stdout


def test_a_table_of_values_alone_is_organised(tmp_path: Path) -> None:
    """Columns of single values make the groups where there is nothing else."""
    rows = ["bell,wood\n" if i % 2 else "flat,grass\n" for i in range(20)]
    (tmp_path / "m.csv").write_text("cap,habitat\n" + "".join(rows))
    asked = ("organize", tmp_path / "m.csv", "-k", 2, "--effort", "quick", "--out", tmp_path / "o")
    answer = comraf(*asked)
    assert answer.exit_code == 0, answer.output
    assert "in 2 groups by cap (2), habitat (2)." in answer.stdout


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


def test_sides_and_fields_are_listed(tmp_path: Path) -> None:
    """What there is to group by, and what may be the truth, is known before the work."""
    entry = "@article{{p{0}, title = {{Pumps {0}}}, author = {{Li, Ann}}, keywords = {{leaks}}}}\n"
    path = tmp_path / "a.bib"
    path.write_text("".join(entry.format(n) for n in range(3)) + "@article{x, title = {Valves")
    said = comraf("inspect", path).stdout
    assert "keywords: 3 of 4; 1 value, commonest: leaks" in said
    assert "people: 3 of 4; 1 value, commonest: Ann Li" in said
    assert "fields (for --truth): title" in said
    assert "1 item: a damaged entry" in said


def test_an_old_encoding_is_told_and_can_be_given(tmp_path: Path) -> None:
    """A guess is never silent; --encoding and --kind choose."""
    path = tmp_path / "refs.txt"
    title = "Кластеризация текстов по словам и авторам"
    path.write_bytes(f"@article{{k1, title = {{{title}}}, author = {{Ли, Анна}}}}".encode("cp1251"))
    assert "read as Windows-1251" in comraf("inspect", path).stdout
    told = comraf("inspect", path, "--kind", "bibtex", "--encoding", "cp1251").stdout
    assert "Windows" not in told
    assert "Анна Ли" in told
    assert "--kind bibtex --encoding cp1251" in told


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.bib", b"hello, this is text\n", "nothing in the form of bibtex"),
        ("a.json", b'{"papers": [{"title": "Pumps", "authors": [{"na', "not JSON"),
        ("a.npz", b"PK\x03\x04 and then it ends", "its end is missing"),
    ],
)
def test_nothing_readable_is_an_error(name: str, content: bytes, why: str, tmp_path: Path) -> None:
    """Exit code 2 and the reason; no advice to organise it."""
    (tmp_path / name).write_bytes(content)
    assert why in refused("inspect", tmp_path / name)


def test_foreign_files_do_not_spoil_a_folder(tmp_path: Path) -> None:
    """A list of words beside tables is passed over; alone it is refused, with what to give."""
    (tmp_path / "a-words.json").write_text('["pump", "valve"]')
    (tmp_path / "b.jsonl").write_text('{"text": "The pump leaks."}\n{"text": "New valves."}\n')
    (tmp_path / "c.jsonl").write_text('{"text": "The hose."}\n')
    said = comraf("inspect", tmp_path).stdout
    assert "3 rows in 2 files" in said
    assert "1 file passed over" in said
    for path in tmp_path.glob("*.jsonl"):
        path.unlink()
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as archive:
        archive.writestr("corpus/cats.txt", "a news\n")
        archive.writestr("corpus/a", "The/at pump/nn leaks/vbz ./. It/pps is/bez old/jj ./. " * 9)
    assert "corpus.zip' holds tagged texts: give that file" in refused("inspect", tmp_path)


def test_a_damaged_line_is_told_by_its_own_number(tmp_path: Path) -> None:
    """Line and place in the line, not line 1 of every line."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "The pump leaks."}\n{"text": "New val')
    assert "a.jsonl:2: not JSON: Unterminated string, at character 10 of the line" in (
        comraf("inspect", path).stdout
    )


def test_new_documents_may_be_written_otherwise(tmp_path: Path) -> None:
    """Of organize's --encoding nothing is left for assign, which has its own."""
    texts = ["Насос течёт в подвале снова", "Суд обязал ответчика возместить убытки"] * 4
    first, new = tmp_path / "first.csv", tmp_path / "new.csv"
    lines = "".join(f"{n},{text} {n}\n" for n, text in enumerate(texts))
    first.write_bytes(f"id,text\n{lines}".encode("koi8-r"))
    new.write_bytes(f"id,text\n{lines}".encode("cp1251"))
    out = tmp_path / "out"
    options = ("-k", "2", "--out", out, "--min-documents", "1", "--encoding", "koi8-r")
    comraf("organize", first, *options)
    assert "насос" in (out / "words.csv").read_text(encoding="utf-8")
    for given in ((), ("--encoding", "cp1251")):
        comraf("assign", out / "model", new, "--out", tmp_path / f"{len(given)}.csv", *given)
        rows = (tmp_path / f"{len(given)}.csv").read_text(encoding="utf-8").splitlines()[1:]
        assert len(rows) == 8
