"""BibTeX, whole and damaged."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.collection.items import Item, Skip
from comraf.collection.readers.bibtex import BibtexReader, bibtex_name, is_bibtex, split_names
from tests.collection.given import read_all

REFS = r"""% my papers
@string{jp = "Journal of " # "Pumps"}
@comment{jabref-meta: {databaseType:bibtex;}}
@Article{li01,
  title = "A {GPU}-based {\"U}ber {"}Pump{"}",
  author = {M{\"u}ller, J{\"o}rg and {\v{S}}imon {\v C}ern{\'y} and {Barnes and Noble, Inc.}
            and others},
  journal = jp # { B},
  year = 2001, month = mar,
  keywords = {leaks, heavy seals},
  cites = {yu99, oz00},
  abstract = {It \emph{leaks} 50\% of
     the time.}
}
@inproceedings{yu99, crossref = {proc}, title = {Valves}, author = "Yu, Bo"}
@proceedings{proc, title = {Proc. of Pumps}, year = 1999}
@book(oz00, title = {Parens}, editor = {Oz, Cy}) @misc{inline, title={Inline}}
"""


def read(tmp_path: Path, text: str, **options: str) -> list[Item | Skip]:
    """Everything in a file of this text."""
    file = tmp_path / "refs.bib"
    file.write_text(text, encoding="utf-8")
    return read_all(BibtexReader(file, **options))


def items(found: list[Item | Skip]) -> dict[str, Item]:
    """The items by their ids."""
    return {thing.id: thing for thing in found if isinstance(thing, Item)}


def test_a_file(tmp_path: Path) -> None:
    """Macros, accents, organisations, months, keywords, citations, lines."""
    found = items(read(tmp_path, REFS))
    assert list(found) == ["li01", "yu99", "proc", "oz00", "inline"]
    item = found["li01"]
    assert item.title == 'A GPU-based Über "Pump"'
    assert item.text == "It leaks 50% of\n     the time."
    names = [person.name for person in item.people]
    assert names == ["Jörg Müller", "Šimon Černý", "Barnes and Noble, Inc."]
    assert item.values == {
        "venues": ("Journal of Pumps B",),
        "keywords": ("leaks", "heavy seals"),
        "citations": ("yu99", "oz00"),
    }
    assert item.date is not None
    assert (item.date.year, item.date.month) == (2001, 3)
    assert item.source == "refs.bib:4"
    assert found["inline"].source == found["oz00"].source == "refs.bib:17"


def test_crossref(tmp_path: Path) -> None:
    """What an entry does not say, the one that it points to says; in circles too."""
    item = items(read(tmp_path, REFS))["yu99"]
    assert item.values["venues"] == ("Proc. of Pumps",)
    assert item.date is not None
    assert item.date.year == 1999
    circle = "@a{x, title={X}, crossref={y}}\n@a{y, title={Y}, crossref={x}}\n@a{z, crossref={z}}"
    assert list(items(read(tmp_path, circle))) == ["x", "y"]


def test_damage_spoils_one_entry(tmp_path: Path) -> None:
    """An entry that is never closed is read as far as it goes, and the next one is whole."""
    text = (
        "@article{bad, title={Never closed, year=2000\n@article{good, title={Good}}\n@article{no}"
    )
    found = read(tmp_path, text)
    kept = items(found)
    assert kept["good"].notes == ()
    assert "damaged" in kept["bad"].notes[0]
    assert [skip.reason for skip in found if isinstance(skip, Skip)] == [
        "the entry 'no' has no fields"
    ]


def test_odd_entries(tmp_path: Path) -> None:
    """No key, a key with blanks, missing commas, a doubled field, no title."""
    text = (
        "@article{title={No key}}\n@article{Li 2001, title={Blank} year=2001}\n"
        "@misc{d, title={First}, title={Second}}\n@misc{e, year=2000}"
    )
    found = read(tmp_path, text)
    assert [i.title for i in items(found).values()] == ["No key", "Blank", "First"]
    assert isinstance(found[-1], Skip)


@pytest.mark.parametrize(
    ("cites", "cited"),
    [
        ("k1, k2 k3", ("k1", "k2", "k3")),
        ("10.1/a;10.2/b", ("10.1/a", "10.2/b")),
        (
            "\nLi A, 1999, J PUMPS, V3.\nYu B, 2000, CELL, V1.\n",
            ("Li A, 1999, J PUMPS, V3", "Yu B, 2000, CELL, V1"),
        ),
        (
            "Li A., Of pumps, 1999; Yu B., Of valves, 2001",
            ("Li A., Of pumps, 1999", "Yu B., Of valves, 2001"),
        ),
    ],
)
def test_citations(tmp_path: Path, cites: str, cited: tuple[str, ...]) -> None:
    """Keys, and whole references one a line or between semicolons."""
    (item,) = read(tmp_path, f"@a{{k, title={{T}}, references={{{cites}}}}}")
    assert item.values["citations"] == cited


def test_truth(tmp_path: Path) -> None:
    """A field, the kind of entry, the file."""
    text = r"@article{a, title={T}, groups={P{\'u}mps}}"
    for truth, known in (("groups", "Púmps"), ("entrytype", "article"), ("files", "refs")):
        (item,) = read(tmp_path, text, truth=truth)
        assert item.truth == known


@pytest.mark.parametrize(
    ("name", "spoken"),
    [
        ("Ann B. Li", "Ann B. Li"),
        ("Li, Jr., Ann", "Ann Li Jr."),
        ("{van der} Berg, {J. K.}", "J. K. van der Berg"),
        ("{The {ATLAS}, Collaboration}", "The ATLAS, Collaboration"),
    ],
)
def test_names(name: str, spoken: str) -> None:
    """Names come the way they are spoken."""
    assert bibtex_name(name) == spoken


def test_and() -> None:
    """Only a free-standing "and" separates, whatever blanks are around it."""
    assert split_names("Sand, A\n AND  Li, {B and C} and Brand") == [
        "Sand, A",
        "Li, {B and C}",
        "Brand",
    ]


def test_looking() -> None:
    """A text about BibTeX is no BibTeX."""
    assert is_bibtex(REFS.encode())
    assert not is_bibtex(b"Dear all,\n@article{x, title={y}} is how it looks")
    assert not is_bibtex(b"@media{ print }")


def test_hostile_files_are_no_work(tmp_path: Path) -> None:
    """Braces, macros of macros and blanks without end: little time and little memory."""
    doubling = "".join(f"@string{{m{i + 1} = m{i} # m{i}}}\n" for i in range(200))
    started = time.monotonic()
    for text in (
        "@a{k,title=" + "{" * 200_000,
        "@a{" * 100_000,
        '@string{m0="xx"}\n' + doubling + "@a{k, title=m200 # m200}",
        "@a{k, title={T}, author={" + " " * 200_000 + "}}",
        "@a{k," + "a" * 200_000 + "}",
        "@" * 100_000,
        "@a{k, title={T}}" * 2_000,
    ):
        for found in read(tmp_path, text):
            assert isinstance(found, Skip) or len(found.title) <= 1000
    assert time.monotonic() - started < 8


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet='@aIk{}()",=# \n\\%', max_size=80))
def test_anything_goes(text: str) -> None:
    """Any text gives papers or reasons, never an error."""
    reader = BibtexReader(Path(__file__))
    for line, found in reader.papers(text):
        assert line >= 1
        assert found


@pytest.mark.parametrize(
    ("field", "cited"),
    [
        ("Smith, J. (1999). Pumps.", ("Smith, J. (1999). Pumps",)),
        ("Smith, J. 1999\nYu, B. 2000", ("Smith, J. 1999", "Yu, B. 2000")),
        ("k1, k2 k3", ("k1", "k2", "k3")),
        ("li:1999a,\nyu.2000", ("li:1999a", "yu.2000")),
        ("10.1/(a)1, 10.1/b.", ("10.1/(a)1", "10.1/b.")),
    ],
)
def test_references_written_out(field: str, cited: tuple[str, ...], tmp_path: Path) -> None:
    """A reference in words is one citation, not one of each of its words."""
    (tmp_path / "a.bib").write_text(f"@misc{{k, title={{A}}, cites={{{field}}}}}")
    reader = BibtexReader(tmp_path / "a.bib")
    (item,) = reader.read(reader.scan()[0])
    assert item.values["citations"] == cited
