"""What all formats of papers have in common."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.collection.items import Skip
from comraf.collection.options import SideOptions
from comraf.collection.readers import papers
from comraf.collection.readers.papers import Paper, PaperFiles, paper_item
from comraf.errors import InputError, ReadError


class Lines(PaperFiles):
    """A format for trying: each line is a title."""

    kind = "lines"
    endings = (".lines",)

    def fits(self, path: str) -> bool:
        """Whether its ending or the file says so."""
        return path.endswith(self.endings) or Path(self.root, path).read_text().startswith("lines")

    def papers(self, text: str) -> Iterator[tuple[int, Paper | str]]:
        """One paper a line; a question mark is none."""
        for number, line in enumerate(text.splitlines(), 1):
            yield number, "a question" if line == "?" else Paper(title=line, fields={"x": line})


def test_what_is_kept() -> None:
    """Blanks, control signs, repeated values, itself, and nobody in particular go."""
    item = paper_item(
        Paper(
            id=" k1 ",
            title="A\x07 title\n here",
            authors=("Ann  Li", "others", "Ann Li", ""),
            keywords=("a", " a ", "", "b\x00"),
            citations=("k2", "k1 ", " k1"),
            date="Spring 1999",
        ),
        "f:1",
    )
    assert (item.id, item.title) == ("k1", "A title here")
    assert [person.name for person in item.people] == ["Ann Li"]
    assert item.values["keywords"] == ("a", "b")
    assert item.date is not None
    assert item.date.year == 1999


def test_limits() -> None:
    """Endless values are cut, and so told."""
    item = paper_item(
        Paper(title="t" * 5000, abstract="x" * (9 << 20), venue="v" * 9000, keywords=("k",) * 9),
        "f:1",
    )
    assert (len(item.title), len(item.text), len(item.values["venues"][0])) == (1000, 8 << 20, 300)
    assert item.notes == ("cut at 8,388,608 characters",)


def test_a_folder(tmp_path: Path) -> None:
    """Files by ending or by looking; folders, files and fields as the truth."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.lines").write_text("One\n?\n")
    (tmp_path / "b").write_text("lines of words")
    (tmp_path / "c").write_text("nothing")
    for truth, known in (("folders", "sub"), ("files", "a"), ("X", "One"), ("y", None)):
        reader = Lines(tmp_path, truth=truth)
        b, a = reader.scan()
        assert (b.path, a.path) == ("b", "sub/a.lines")
        item, skip = reader.read(a)
        assert item.truth == known
        assert skip == Skip("sub/a.lines:2", "a question")
        assert reader.notes == ["1 files are not lines and were passed over"]


def test_what_can_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No such file any more, too large, empty, no such files, no truth."""
    file = tmp_path / "a.lines"
    file.write_text("words\n")
    reader = Lines(file)
    (unit,) = reader.scan()
    monkeypatch.setattr(papers, "MAX_BYTES", 3)
    (large,) = reader.read(unit)
    assert "larger than" in large.reason
    monkeypatch.undo()
    file.write_text("")
    assert list(reader.read(unit)) == [Skip("a.lines", "holds nothing in the form of lines")]
    file.unlink()
    (gone,) = reader.read(unit)
    assert isinstance(gone, Skip)
    with pytest.raises(ReadError, match="There are no files"):
        Lines(tmp_path).scan()
    (tmp_path / "c").write_text("nothing")
    with pytest.raises(ReadError, match="There is no lines file"):
        Lines(tmp_path).scan()
    with pytest.raises(InputError, match="names nothing"):
        Lines(tmp_path, truth=" ")


@pytest.mark.parametrize(
    ("text", "day", "step"),
    [
        ("2001 Mar 5", "2001-03-05", "day"),
        ("2001-Mar-05", "2001-03-05", "day"),
        ("March 5 2001", "2001-03-05", "day"),
        ("2001 Mar", "2001-03-01", "month"),
        ("2001-03", "2001-03-01", "month"),
        ("2001/03", "2001-03-01", "month"),
        ("March 2001", "2001-03-01", "month"),
        ("2001 Jan-Feb", "2001-01-01", "month"),
        ("CACM December, 1958", "1958-12-01", "month"),
        ("2001", "2001-01-01", "year"),
        ("in 2001", "2001-01-01", "year"),
        ("naca tn.1506", "None", "day"),
        ("naca r1940", "None", "day"),
    ],
)
def test_forms_of_dates(text: str, day: str, step: str) -> None:
    """Dates are known to the day, the month or only the year."""
    item = paper_item(Paper("k", "T", date=text), "s")
    assert (str(item.date and item.date.date()), item.date_step) == (day, step)


def test_a_year_is_in_no_month(tmp_path: Path) -> None:
    """Papers of a year alone, or of a month, make no months or days that nobody named."""
    years = ["1999", "1999", "2001 Mar", "2001 Mar", "2001 Mar 5"] * 3
    rows = [f"@misc{{k{i}, title={{Pump {i}}}, date={{{y}}}}}" for i, y in enumerate(years)]
    (tmp_path / "refs.bib").write_text("\n".join(rows))
    options = SideOptions(dates=("day", "month"))
    found = build_collection(open_reader(tmp_path / "refs.bib"), options=options)
    assert found.sides["months"].values == ("2001-03",)
    assert found.sides["days"].values == ("2001-03-05",)
    assert str(found.dates[0])[:10] == "1999-01-01"
