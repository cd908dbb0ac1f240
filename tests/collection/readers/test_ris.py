"""RIS and PubMed's form of it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.collection.items import Item, Skip
from comraf.collection.readers.ris import RisReader, is_ris

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
    reader = RisReader(tmp_path / name, truth="ty")
    return [found for unit in reader.scan() for found in reader.read(unit)]


def test_records(tmp_path: Path) -> None:
    """Continued lines, several names for one thing, a record that is never ended."""
    first, second, third = read(tmp_path, RIS)
    assert isinstance(first, Item)
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
    assert isinstance(second, Item)
    assert (second.title, second.source) == ("Never ended", "a.ris:16")
    assert third == Skip("a.ris:18", "neither a title nor a text")


def test_pubmed(tmp_path: Path) -> None:
    """Four letters, full names before short ones, headings without their marks."""
    first, second = read(tmp_path, PUBMED, "a.nbib")
    assert isinstance(first, Item)
    assert (first.id, first.title) == ("123", "Blood pumps in use.")
    assert [person.name for person in first.people] == ["Ann Li"]
    assert first.values == {"venues": ("The heart",), "keywords": ("pumps", "Heart")}
    assert isinstance(second, Item)
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
