"""The dotted format of SMART."""

from __future__ import annotations

from pathlib import Path

from comraf.collection.items import Item, Skip
from comraf.collection.readers.smart import SmartReader, is_smart
from tests.collection.given import read_all

CACM = """.I 1
.T
Pumps and
Valves
.A
Li, A. J.
Yu,B.
.B
CACM December, 1958
.K
leaks, seals,
old pumps
.C
2.3, 4.2
.N
CA581203 JB March 22, 1978  8:28 PM
.X
1\t5\t1
2\t5\t1
2\t6\t1
3\t4\t1
.I 2
.T
Valves
.W
.Nothing leaks here.
.X
1\t5\t2
.I 78888
"""
CISI = ".X\n.I 1\n.T \nBooks\n.W\nOf books.\n.X\n1\t5\t1\n92\t1\t1\n7\t12\t1\n.I 2\n.W\nMore.\n"
CRANFIELD = """.I 1
.T
flow of air
in pipes .
.A
roe,d. and oz,c.
.B
j. ae. scs. 25, 1958, 324.
.W
flow of air in
pipes .
  it was measured .
.I 2
.T
b
.B
department of mathematics, university of rome
.W
c
"""


def read(tmp_path: Path, text: str, name: str = "a.all") -> list[Item | Skip]:
    """Everything in a file of this text."""
    (tmp_path / name).write_text(text)
    return read_all(SmartReader(tmp_path / name))


def test_cacm(tmp_path: Path) -> None:
    """All fields; links by their kinds; the last record is none."""
    first, second, last = read(tmp_path, CACM)
    assert (first.id, first.title, first.text) == ("1", "Pumps and Valves", "")
    assert [person.name for person in first.people] == ["A. J. Li", "B. Yu"]
    assert first.date is not None
    assert first.date.year == 1958
    assert first.values == {
        "venues": ("CACM",),
        "keywords": ("leaks", "seals", "old pumps"),
        "citations": ("2",),
        "categories": ("2.3", "4.2"),
        "cocitations": ("2",),
        "couplings": ("3",),
    }
    assert second.text == ".Nothing leaks here."
    assert last == Skip("a.all:29", "neither a title nor a text")


def test_cisi(tmp_path: Path) -> None:
    """Where the second number says how often, links are of papers cited together."""
    first, second = read(tmp_path, CISI)
    assert first.values == {"cocitations": ("92", "7")}
    assert second.text == "More."


def test_cranfield(tmp_path: Path) -> None:
    """The title that is repeated goes; an address is no venue."""
    first, second = read(tmp_path, CRANFIELD)
    assert first.text == "it was measured ."
    assert first.values == {"venues": ("j. ae. scs",)}
    assert [person.name for person in first.people] == ["d. roe", "c. oz"]
    assert second.values == {}


def test_a_folder(tmp_path: Path) -> None:
    """Files are found by looking; numbers of two files are told apart; the file is the truth."""
    (tmp_path / "cacm").write_text(CACM)
    (tmp_path / "cran.all.1400").write_text(CRANFIELD)
    (tmp_path / "README").write_text("about")
    reader = SmartReader(tmp_path, truth="files")
    units = reader.scan()
    found = [thing for unit in units for thing in reader.read(unit) if isinstance(thing, Item)]
    assert [item.id for item in found] == ["cacm 1", "cacm 2", "cran 1", "cran 2"]
    assert [item.truth for item in found] == ["cacm", "cacm", "cran", "cran"]
    assert found[0].values["citations"] == ("cacm 2",)
    assert reader.notes == ["1 files are not smart and were passed over"]


def test_looking() -> None:
    """A sentence that begins with a dot is no record."""
    assert is_smart(CISI.encode())
    assert not is_smart(b".I think\nso")
    assert not is_smart(b"Words first\n.I 1\n.T\nx")


def test_where_and_when(tmp_path: Path) -> None:
    """The last plausible year counts, with its month; a volume is no venue."""
    places = {
        "CACM Vol. 3, December, 1958": ("CACM", "1958-12-01", "month"),
        "Vol 3, 1960": ("", "1960-01-01", "year"),
        "naca r1940, 1955.": ("naca r", "1955-01-01", "year"),
        "arc r + m 2015, 1948.": ("arc r + m", "1948-01-01", "year"),
        "naca tn.1506": ("naca tn", "None", "day"),
    }
    records = [f".I {i}\n.T\nPumps {i}\n.B\n{where}\n" for i, where in enumerate(places)]
    (tmp_path / "a.all").write_text("".join(records))
    reader = SmartReader(tmp_path / "a.all")
    for item, (venue, day, step) in zip(
        reader.read(reader.scan()[0]), places.values(), strict=True
    ):
        assert item.values.get("venues", ("",)) == (venue,)
        assert (str(item.date and item.date.date()), item.date_step) == (day, step)
