from __future__ import annotations

from pathlib import Path

import pytest

from comraf.collection.build import build_collection, update_collection
from comraf.collection.counting import Counting
from comraf.collection.detect import open_reader
from comraf.collection.items import Item
from comraf.collection.options import LinkOptions, PosOptions, SideOptions, StyleOptions
from comraf.collection.text import pos
from comraf.errors import InputError, MissingExtraError
from comraf.estimators._graphs import observed_sides
from tests.collection.given import Given

PLAIN = ("He saw the pump .", "PRP VBD DT NN .")
LOUD = ("Oh no ! Not me !", "UH UH . RB PRP .")


def _tagged(number: int) -> Item:
    text, tags = PLAIN if number % 2 else LOUD
    return Item(str(number), f"{text} w{number % 3}x", tags=(tuple(tags.split()),) * 2)


def _folder(path: Path, n: int) -> Path:
    path.mkdir(exist_ok=True)
    for i in range(n):
        text, tags = PLAIN if i % 2 else LOUD
        pairs = zip(text.split() * 3, tags.split() * 3, strict=True)
        line = " ".join(f"{word}/{tag}" for word, tag in pairs)
        (path / f"c{i:02}").write_text(f"{line} n{i % 5}z/NN\n")
    (path / "cats.txt").write_text("".join(f"c{i:02} g{i % 2}\n" for i in range(n)))
    return path


def test_tags_become_sides_with_their_counts() -> None:
    """Single tags and pairs, counted, signs kept apart, by default."""
    reader = Given(*map(_tagged, range(6)), tagged=True)
    collection = build_collection(reader)
    sides, tables = collection.sides, collection.tables
    assert [name for name in sides if name.startswith("pos")] == ["pos1", "pos"]
    assert set(sides["pos1"].values) == {"PRP", "VBD", "DT", "NN", ".", "UH", "RB"}
    column = sides["pos"].values.index("UH UH")
    # of every second item, in both of its sentences
    assert tables["pos"].toarray()[:, column].tolist() == [2, 0, 2, 0, 2, 0]
    assert observed_sides(collection) == {"pos1"}


def test_each_length_has_its_own_cuts() -> None:
    """Long runs must stand in more documents, and runs of four in not too many."""
    rare = Item("rare", "x", tags=(("A", "B", "C", "D", "E"),) * 2)
    reader = Given(*map(_tagged, range(600)), *[rare], tagged=True)
    sides = build_collection(
        reader, options=SideOptions(pos=PosOptions(orders=(1, 2, 3, 4)), duplicates="keep")
    ).sides
    assert "A" in sides["pos1"].values
    assert "A B" not in sides["pos"].values
    assert "UH UH ." in sides["pos3"].values
    # every run of four is in half of the documents: cuts that nobody asked for leave them
    assert len(sides["pos4"].values) > 0
    strict = SideOptions(pos=PosOptions(orders=(1, 4), min_documents=5, max_share=0.4))
    assert list(build_collection(reader, options=strict).sides) == ["words"]


def test_named_sides_decide_about_the_lengths() -> None:
    """Sides that are named are counted, others are not."""
    reader = Given(*map(_tagged, range(6)), tagged=True)
    options = SideOptions(sides=("pos3", "style"))
    assert options.pos_orders == (3,)
    assert options.tagger == "auto"
    assert list(build_collection(reader, options=options).sides) == ["pos3", "style"]
    assert SideOptions(sides=("words",)).tagger is None
    assert SideOptions.from_json(options.to_json()) == options


def test_style_is_counted_when_asked_for_and_of_the_language_found() -> None:
    """Signs and English words; German ones that English texts happen to hold stay out."""
    items = [Item(str(i), "The cat, the dog! Die was in the man. It is what it was") for i in "ab"]
    assert "style" not in build_collection(Given(*items)).sides
    options = SideOptions(style=StyleOptions(count=True), duplicates="keep")
    side = build_collection(Given(*items), options=options).sides["style"]
    assert {",", "!", ".", "the", "was"} <= set(side.values)
    assert "die" not in side.values
    assert "cat" not in side.values


def test_a_column_called_style_keeps_apart() -> None:
    """A user's own values never mix with what is counted."""
    items = [Item(str(i), "The pump!", values={"style": ("The",), "pos": ("x",)}) for i in range(4)]
    options = SideOptions(style=StyleOptions(count=True), duplicates="keep")
    sides = build_collection(Given(*items), options=options).sides
    assert sides["style column"].values == ("The",)
    assert sides["pos column"].values == ("x",)
    assert set(sides["style"].values) == {"the", "!"}


def test_untagged_text_needs_a_tagger_and_says_so_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one it is refused before anything is read; tagged texts need none."""

    def none(name: str) -> None:
        raise MissingExtraError("no tagger")

    monkeypatch.setattr(pos, "_loaded", none)
    options = SideOptions(sides=("words", "pos"))
    with pytest.raises(MissingExtraError):
        build_collection(Given(Item("1", "The pump leaks.")), options=options)
    reader = Given(*map(_tagged, range(6)), tagged=True)
    assert "pos" in build_collection(reader, options=options).sides
    with pytest.raises(InputError, match="is unknown"):
        PosOptions(tagger="magic")


def test_a_tagger_is_asked_for_texts_without_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tags are counted as a corpus's own are."""
    words = {"The": "DT", "pump": "NN", "leaks": "VBZ"}
    monkeypatch.setattr(
        pos, "_loaded", lambda name: lambda text: (tuple(words[w] for w in text.split()),)
    )
    options = SideOptions(pos=PosOptions(tagger="nltk"))
    collection = build_collection(Given(Item("1", "The pump leaks")), options=options)
    assert collection.sides["pos"].values == ("DT NN", "NN VBZ")


def test_an_update_gives_what_a_fresh_build_gives(tmp_path: Path) -> None:
    """Counts of tags are used again, and counted anew when other lengths are asked for."""
    source = _folder(tmp_path / "c", 12)
    kept = tmp_path / "kept"
    build_collection(open_reader(source, truth="genres"), out=kept)
    _folder(source, 14)
    for options in (None, SideOptions(pos=PosOptions(orders=(2, 3), marks=False))):
        updated = update_collection(kept, open_reader(source, truth="genres"), options=options)
        fresh = build_collection(open_reader(source, truth="genres"), options=options)
        assert list(updated.sides) == list(fresh.sides)
        for name in fresh.sides:
            assert updated.sides[name].values == fresh.sides[name].values
            assert (updated.tables[name] != fresh.tables[name]).nnz == 0


def test_collections_of_before_are_counted_as_before() -> None:
    """The line that decides about reuse changes only when something was asked for."""
    usual = Counting.of(SideOptions()).signature()
    assert "pos" not in usual
    assert "style" not in usual
    assert Counting.of(SideOptions(sides=("words",))).signature() == usual
    asked = [
        SideOptions(pos=PosOptions(orders=(3,))),
        SideOptions(pos=PosOptions(tagger="nltk")),
        SideOptions(pos=PosOptions(marks=False)),
        SideOptions(style=StyleOptions(count=True)),
        SideOptions(links=LinkOptions(count=False)),
        SideOptions(),
    ]
    signatures = [Counting.of(options).signature() for options in asked]
    assert len(set(signatures)) == len(asked)
    usual = signatures[-1]
    assert signatures[0] == f"{usual}, pos 1: 3 by None, marks True"
    assert signatures[3:5] == [f"{usual}, style 1", f"{usual}, no links"]
