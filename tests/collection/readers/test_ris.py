"""RIS and PubMed's form of it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.collection.items import Item, Skip
from comraf.collection.readers.ris import RisReader, is_ris
from tests.collection.given import read_all

RIS = """\ufeffTY  - JOUR
ID  - li01
T1  - Pumps that
   leak
A1  - Li, Ann
A1  - Yu, Bo
N2  - They leak.
And leak.
JF  - Journal of Pumps
Y1  - 2001/03/05/
KW  - leaks
KW  - seals; valves
CR  - Oz C, 1999
ER  -

TY  - BOOK
TI  - Never ended
TY  - CHAP
AU  - Nobody
ER  - """

PUBMED = """PMID- 123
TI  - Blood pumps
      in use.
AB  - Hearts beat.
FAU - Li, Ann
AU  - Li A
JT  - The heart
DP  - 1999 Mar
MH  - *Heart/physiology
OT  - pumps

PMID- 124
TI  - Another
"""


def read(tmp_path: Path, text: str, name: str = "a.ris") -> list[Item | Skip]:
    """Everything in a file of this text."""
    (tmp_path / name).write_text(text, encoding="utf-8", newline="\r\n")
    return read_all(RisReader(tmp_path / name, truth="ty"))


def test_records(tmp_path: Path) -> None:
    """Continued lines, several names for one thing, a record that is never ended."""
    first, second, third = read(tmp_path, RIS)
    assert (first.id, first.title, first.text) == (
        "li01",
        "Pumps that leak",
        "They leak. And leak.",
    )
    assert [person.name for person in first.people] == ["Ann Li", "Bo Yu"]
    assert first.values == {
        "venues": ("Journal of Pumps",),
        "keywords": ("leaks", "seals", "valves"),
        "citations": ("Oz C, 1999",),
    }
    assert first.date is not None
    assert first.date.date().isoformat() == "2001-03-05"
    assert first.truth == "JOUR"
    assert (second.title, second.source) == ("Never ended", "a.ris:16")
    assert third == Skip("a.ris:18", "neither a title nor a text")


def test_pubmed(tmp_path: Path) -> None:
    """Four letters, full names before short ones, headings without their marks."""
    first, second = read(tmp_path, PUBMED, "a.nbib")
    assert (first.id, first.title) == ("123", "Blood pumps in use.")
    assert [person.name for person in first.people] == ["Ann Li"]
    assert first.values == {"venues": ("The heart",), "keywords": ("pumps", "Heart")}
    assert second.title == "Another"


def test_looking() -> None:
    """A line that begins with TY is not enough."""
    assert is_ris(RIS.encode())
    assert is_ris(PUBMED.encode())
    assert not is_ris(b"TY - see you later\nbye")


def test_nothing_in_it(tmp_path: Path) -> None:
    """A file of another kind is one skip."""
    assert read(tmp_path, "just words\n") == [Skip("a.ris", "holds nothing in the form of ris")]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["TY  - JOUR", "ER  - ", "TI  - x", "PMID- 1", "y", "", "AU  - "])))
def test_anything_goes(lines: list[str]) -> None:
    """Any order of lines gives papers or reasons."""
    for line, _ in RisReader(Path(__file__)).papers("\n".join(lines)):
        assert 1 <= line <= len(lines)


def _papers(text: str, path: Path) -> list[Item | Skip]:
    path.write_text(text)
    return read_all(RisReader(path))


def test_wrapped_lines_that_look_like_tags(tmp_path: Path) -> None:
    """A line of the abstract that starts with "HIV - positive" is no tag."""
    text = (
        "TY  - JOUR\nTI  - Pumps\nAB  - This study of\nHIV - positive patients and\nUK - based\n"
        "KW  - a\nER  - \nTY  - JOUR\nTI  - Valves\nER -\n"
    )
    first, second = _papers(text, tmp_path / "a.ris")
    assert first.text == "This study of HIV - positive patients and UK - based"
    assert first.values == {"keywords": ("a",)}
    assert second.title == "Valves"


def test_lists_over_several_lines(tmp_path: Path) -> None:
    """Lines below a keyword, an author or a reference are more of them; a title goes on."""
    text = (
        "TY  - JOUR\nTI  - Pumps\nand valves\nAU  - Li, Ann\n      Yu, Bo\nKW  - leaks\nseals\n"
        "CR  - Smith J, 1999\n      Oz C, 2000\nER  - \n"
    )
    (item,) = _papers(text, tmp_path / "a.ris")
    assert item.title == "Pumps and valves"
    assert [person.name for person in item.people] == ["Ann Li", "Bo Yu"]
    assert item.values == {
        "keywords": ("leaks", "seals"),
        "citations": ("Smith J, 1999", "Oz C, 2000"),
    }


def test_one_blank_and_pubmed(tmp_path: Path) -> None:
    """A file with one blank before its dashes, and PubMed's wrapped headings."""
    (narrow,) = _papers("TY - JOUR\nTI - Pumps\nKW - leaks\nER - \n", tmp_path / "a.ris")
    assert (narrow.title, narrow.values) == ("Pumps", {"keywords": ("leaks",)})
    text = (
        "PMID- 123\nOWN - NLM\nTI  - Pumps and\n      valves.\nAB  - BACKGROUND: x\n"
        "      HIV - positive.\nMH  - A very long heading\n      that is wrapped\n"
    )
    (item,) = _papers(text, tmp_path / "a.nbib")
    assert (item.title, item.text) == ("Pumps and valves.", "BACKGROUND: x HIV - positive.")
    assert item.values["keywords"] == ("A very long heading that is wrapped",)
