"""Stack Exchange dumps."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.collection.build import build_collection
from comraf.collection.items import Address, Item, Skip
from comraf.collection.options import PeopleOptions, SideOptions, ValueOptions
from comraf.collection.readers import stackexchange
from comraf.collection.readers.stackexchange import StackExchangeReader, is_stackexchange
from comraf.errors import InputError, ReadError
from tests.collection.given import read_all

HEAD = '\ufeff<?xml version="1.0" encoding="utf-8"?>\n<posts>\n'
BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE posts [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n'
    '<posts><row Id="1" PostTypeId="1" Title="&b;" /></posts>'
)


def row(**fields: object) -> str:
    """One row of a dump."""
    return f"  <row {' '.join(f'{k}={quoteattr(str(v))}' for k, v in fields.items())} />\n"


def dump(path: Path, *rows: str) -> Path:
    """A file of rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD + "".join(rows) + "</posts>\n", encoding="utf-8")
    return path


def read(path: Path, **options: str) -> list[Item | Skip]:
    """Everything in a dump."""
    return read_all(StackExchangeReader(path, **options))


QUESTION = row(
    Id=4,
    PostTypeId=1,
    CreationDate="2010-07-28T19:04:21.300",
    Title="Why does the <pump> leak?",
    Body="<p>It leaks &amp; <code>x &lt; y</code></p>\n<p>a lot.</p>",
    Tags="<water><heavy-tools>",
    OwnerUserId=7,
)
ANSWER = row(Id=5, PostTypeId=2, ParentId=4, Body="<p>Seal it.</p>", OwnerDisplayName="Ann Li")


def test_questions(tmp_path: Path) -> None:
    """Title, visible text, tags, owner, date; answers and other posts are left out."""
    wiki = row(Id=6, PostTypeId=5, Body="about a tag")
    (item,) = read(dump(tmp_path / "Posts.xml", QUESTION, ANSWER, wiki))
    assert (item.id, item.title) == ("4", "Why does the <pump> leak?")
    assert item.text == "It leaks & x < y\na lot."
    assert item.values == {"tags": ("water", "heavy-tools")}
    assert item.people == (Address("user 7", "", "author"),)
    assert item.date is not None
    assert item.date.isoformat() == "2010-07-28T19:04:21.300000+00:00"
    assert item.source == "Posts.xml:4"


def test_answers(tmp_path: Path) -> None:
    """Each is a document when asked for, and names its question."""
    _, answer = read(dump(tmp_path / "Posts.xml", QUESTION, ANSWER), answers="keep")
    assert (answer.title, answer.text) == ("", "Seal it.")
    assert answer.values == {"questions": ("4",)}
    assert answer.people == (Address("Ann Li", "", "author"),)


def test_newer_tags_and_the_truth(tmp_path: Path) -> None:
    """Tags between bars; the first tag or the folder as the class."""
    path = dump(
        tmp_path / "pumps.se" / "Posts.xml", row(Id=1, PostTypeId=1, Title="T", Tags="|b|a|")
    )
    for place, truth, known in (
        (path, "tags", "b"),
        (path, "folders", "pumps.se"),
        (tmp_path, "folders", "pumps.se"),
    ):
        (item,) = read(place, truth=truth)
        assert item.truth == known
        # what is scored against must not help to make the groups
        assert item.values == ({} if truth == "tags" else {"tags": ("b", "a")})


def test_entities_are_refused(tmp_path: Path) -> None:
    """A file that declares anything is not read at all; an entity without declaration is a skip."""
    (tmp_path / "Posts.xml").write_text(BOMB)
    with pytest.raises(ReadError, match="declares a document type or entities"):
        StackExchangeReader(tmp_path / "Posts.xml").scan()
    path = dump(tmp_path / "b" / "Posts.xml", '<row Id="1" PostTypeId="1" Title="&b;" />', QUESTION)
    skip, item = read(path)
    assert "damaged XML" in skip.reason
    assert isinstance(item, Item)


def test_damaged_rows(tmp_path: Path) -> None:
    """A row that is cut, doubled or not UTF-8 spoils only itself."""
    bad = ['<row Id="1" Title="cut \n', '<row Id="2" Id="2" />\n', '<row Id="3" Title="\x01" />\n']
    path = dump(tmp_path / "Posts.xml", *bad, QUESTION, row(Id=9, PostTypeId=1))
    *skips, item, empty = read(path)
    assert len(skips) == 3
    assert all(isinstance(skip, Skip) and "damaged" in skip.reason for skip in skips)
    assert isinstance(item, Item)
    assert empty == Skip("Posts.xml:9", "neither a title nor a text")
    path.write_bytes(b"<posts>" + b'<row Id="1" Title="\xff\xfe" />' + QUESTION.encode())
    assert [type(found) for found in read(path)] == [Skip, Item]


def test_stretches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However a file is cut into units and blocks, all its rows come, each once."""
    rows = [row(Id=i, PostTypeId=1, Title=f"Title {i}", Body="x" * (i % 50)) for i in range(200)]
    path = dump(tmp_path / "Posts.xml", *rows)
    for unit, block in ((500, 64), (1000, 7), (1 << 20, 100)):
        monkeypatch.setattr(stackexchange, "UNIT", unit)
        monkeypatch.setattr(stackexchange, "_BLOCK", block)
        reader = StackExchangeReader(path)
        units = reader.scan()
        assert (len(units) > 5) == (unit < 2000)
        ids = [i.id for u in units for i in reader.read(u) if isinstance(i, Item)]
        assert ids == [str(i) for i in range(200)]


def test_endless_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is too long is skipped, and the next one is read."""
    monkeypatch.setattr(stackexchange, "ROW_LIMIT", 10_000)
    long = row(Id=1, PostTypeId=1, Title="x" * 50_000)
    skip, item = read(dump(tmp_path / "Posts.xml", long, QUESTION))
    assert "a row of more than" in skip.reason
    assert isinstance(item, Item)


def test_what_is_there_to_read(tmp_path: Path) -> None:
    """No posts in the folder, two bytes a letter, unknown options."""
    (tmp_path / "Users.xml").write_text("<users/>")
    with pytest.raises(ReadError, match=r"There is no Posts\.xml"):
        StackExchangeReader(tmp_path).scan()
    (tmp_path / "Posts.xml").write_text("<posts></posts>", encoding="utf-16")
    with pytest.raises(ReadError, match="two bytes a letter"):
        StackExchangeReader(tmp_path).scan()
    for option in ({"answers": "all"}, {"truth": "files"}):
        with pytest.raises(InputError, match="is unknown"):
            StackExchangeReader(tmp_path, **option)


def test_looking() -> None:
    """Posts are told from other XML."""
    assert is_stackexchange(HEAD.encode())
    assert not is_stackexchange(b"<users><row/></users>")
    assert not is_stackexchange(b"The <posts> stand")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["<row ", "Id='1' ", "Title='T'", "/>", "<", ">", "&#0;", "\n", "é"]))
)
def test_anything_goes(pieces: list[str]) -> None:
    """Any row gives an item, a skip or nothing."""
    reader = StackExchangeReader(Path(__file__))
    found = reader._post(f"<row {''.join(pieces)}".encode(), "n", "p")
    assert found is None or isinstance(found, (Item, Skip))


def test_several_sites(tmp_path: Path) -> None:
    """Users and questions of two sites that have the same number are not the same."""
    for site in ("cooking", "pumps.se"):
        rows = [
            row(Id=n, PostTypeId=1, Title=f"{site} {n}", OwnerUserId=n % 5, Tags="<a>")
            for n in range(1, 11)
        ]
        rows += [
            row(Id=20, PostTypeId=2, ParentId=1, Body=f"{site}!", OwnerDisplayName="user31"),
            row(Id=21, PostTypeId=2, ParentId=1, Body=f"{site}?", OwnerDisplayName="Ann Li"),
        ]
        dump(tmp_path / site / "Posts.xml", *rows)
    reader = StackExchangeReader(tmp_path, answers="keep")
    options = SideOptions(
        values=ValueOptions(min_documents=1), people=PeopleOptions(min_documents=1)
    )
    found = build_collection(reader, options=options)
    assert found.sides["questions"].values == ("cooking 1", "pumps.se 1")
    people = found.sides["people"].values
    assert {"cooking user 3", "pumps.se user 3", "cooking user31", "Ann Li"} <= set(people)
    assert len(people) == 13
    assert "cooking 7" in found.ids
    assert found.sides["tags"].values == ("a",)
