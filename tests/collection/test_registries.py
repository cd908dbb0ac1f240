"""Registries of kinds and sides: entries keep their word, CONTRIBUTING's examples work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import comraf
from comraf.collection import KINDS, SIDES, read, update
from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.collection.sample import write_mbox
from comraf.collection.vision.codebooks import BLOBS_A_PHOTO
from comraf.errors import InputError
from comraf.estimators._graphs import default_sides, measured_sides, observed_sides
from comraf.graph.photos import BLOBS_AN_IMAGE, PHOTO_WEIGHTS
from comraf.workflows.photos import in_words
from tests import guide

ROOT = Path(__file__).parents[2]
CHAT = """\
2024-05-01 10:00 - Ann: the pump leaks again 🔧🔧
2024-05-01 10:02 - Bot: reminder
2024-05-01 10:05 - Bo: I bring a hose 🔧
2024-05-02 09:00 - Ann: who bakes the cake 🍰
so says everybody
2024-05-02 09:10 - Bo: cake with cherries please 🍰🍰
"""


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The reader and the side of CONTRIBUTING, in a package of their own, and registered."""
    package = tmp_path / "strangers"
    package.mkdir()
    for path, code in guide.FILES.items():
        if path.startswith("src/comraf/collection/"):
            (package / Path(path).name).write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    kinds, sides = (guide.places(name, "strangers") for name in ("KINDS", "SIDES"))
    monkeypatch.setattr(KINDS, "places", {**kinds, **KINDS.places})
    monkeypatch.setattr(SIDES, "places", {**SIDES.places, **sides})
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "strangers"]:
        del sys.modules[name]


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_examples_of_contributing(tmp_path: Path, n_jobs: int) -> None:
    """A reader and a side that take a file and a line each are found, counted and grouped by."""
    file = tmp_path / "chat.txt"
    file.write_text(CHAT, encoding="utf-8")
    found = read(file, n_jobs=n_jobs, without="Bot")
    assert found.kind == "chat"
    assert found.notes[0] == "read as chat, by the beginning of the file"
    assert (len(found), found.n_skipped, found.skipped[0].reason) == (4, 1, "no message")
    assert set(found.sides["people"].values) == {"Ann", "Bo"}
    assert found.sides["emoji"].values == ("🍰", "🔧")
    assert found.tables["emoji"].toarray().tolist() == [[0, 2], [0, 1], [1, 0], [2, 0]]
    assert "emoji" in default_sides(found)
    answer = comraf.organize(file, 2, by=["emoji"], random_state=0)
    groups = dict(zip(answer.items, answer.labels_, strict=True))
    pumps, cakes = ({groups[f"chat.txt:{i}"] for i in lines} for lines in ((1, 3), (4, 6)))
    assert len(pumps) == len(cakes) == 1
    assert pumps != cakes
    assert in_words("emoji", ["🔧"]) == ["wrench"]
    assert KINDS["chat"].options == {
        "without": "A name whose messages are left out, such as that of a bot"
    }
    (tmp_path / "chats").mkdir()
    file.rename(tmp_path / "chats" / "may.txt")
    (tmp_path / "chats" / "README").write_text("Chats of May.")
    several = read(tmp_path / "chats", without="Bot", n_jobs=n_jobs)
    assert several.kind == "chat"
    assert several.ids[0] == "may.txt:1"
    assert "1 files are not chat and were passed over" in several.notes
    file = tmp_path / "chats" / "may.txt"
    with pytest.raises(InputError, match="'chat' has no option 'bot'; it has without"):
        read(file, bot="Bot")


@pytest.mark.usefixtures("examples")
def test_the_examples_pass_their_checks(tmp_path: Path) -> None:
    """By the tests that the guide has for them."""
    guide.run_test("tests/collection/readers/test_chat.py", tmp_path)
    guide.run_test("tests/collection/sides/test_emoji.py")


def test_every_line_of_the_registries_keeps_its_word() -> None:
    """Parts are called as their lines say, tell what their options are, and are in the docs."""
    docs = (ROOT / "docs" / "collections.md").read_text() + (ROOT / "docs/images.md").read_text()
    for name, kind in KINDS.items():
        assert kind.name == name
        assert kind.about
        assert all(kind.options.values()), name
        assert f"`{name}`" in docs, name
    for name, side in SIDES.items():
        assert side.name == name
        assert side.about
        assert f"`{name}`" in docs, name


def test_read_takes_what_organize_takes(tmp_path: Path) -> None:
    """One call from Python has the collection and the notes of the command line."""
    box = write_mbox(tmp_path / "box.mbox", 40)
    one, other = read(box), build_collection(open_reader(box))
    assert one.notes == other.notes
    assert one.ids == other.ids
    assert list(one.sides) == list(other.sides)
    kept = tmp_path / "kept"
    assert read(box, by=["style"], out=kept).sides["style"].values
    assert "style" in read(kept).sides
    with pytest.raises(InputError, match="was read before"):
        read(kept, kind="mbox")


def test_a_side_that_is_off_is_counted_when_it_is_named(
    examples: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Who names it has it, who does not has not, and stored counts are not used for the other."""
    module = sys.modules[SIDES["emoji"].count.__module__]
    monkeypatch.setattr(module, "EMOJI", replace(SIDES["emoji"], on=False, groups="asked"))
    file, kept = tmp_path / "chat.txt", tmp_path / "kept"
    file.write_text(CHAT, encoding="utf-8")
    assert "emoji" not in read(file, out=kept, n_jobs=1).sides
    found = read(file, by=["emoji"])
    assert "emoji" in found.sides
    assert "emoji" not in default_sides(found)
    assert "emoji" in update(kept, file, sides=found.options).sides


def test_a_measured_side_says_what_it_weighs(
    examples: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its weight goes with the collection to the estimators, and its values are not clustered."""
    module = sys.modules[SIDES["emoji"].count.__module__]
    measured = replace(SIDES["emoji"], weight=0.3, observed=True)
    monkeypatch.setattr(module, "EMOJI", measured)
    file = tmp_path / "chat.txt"
    file.write_text(CHAT, encoding="utf-8")
    found = read(file)
    assert measured_sides(found) == {"emoji": 0.3}
    assert observed_sides(found) == {"emoji"}


def test_a_side_that_is_off_is_meant_by_a_misspelt_name(tmp_path: Path) -> None:
    """It is suggested although it is in no collection before it is named."""
    box = write_mbox(tmp_path / "box.mbox", 40)
    with pytest.raises(InputError, match=r"no side 'stlye'; did you mean 'style'\?"):
        comraf.organize(box, 2, by=["stlye"])


@pytest.mark.usefixtures("examples")
def test_a_column_gives_way_to_a_side_with_a_note(tmp_path: Path) -> None:
    """A column that is called like what is counted, or made elsewhere, gets another name."""
    file = tmp_path / "posts.csv"
    rows = [f"a pump leaks {'🔧🍰'[i % 2]},{'ab'[i % 2]},x y" for i in range(8)]
    file.write_text("\n".join(["body,emoji,neighbours", *rows]), encoding="utf-8")
    found = read(file, text="body", values=["emoji", "neighbours"])
    assert found.sides["emoji"].values == ("🍰", "🔧")
    assert found.sides["emoji column"].values == ("a", "b")
    assert "column 'emoji' is side 'emoji column': 'emoji' is another side" in found.notes
    assert found.sides["neighbours column"].values == ("x y",)


def test_sides_of_photos_weigh_what_estimators_give_them() -> None:
    """Two rooms that may not know each other say the same."""
    weights = {name: side.weight for name, side in SIDES.items() if side.photos}
    assert weights | {"neighbours": 0.15} == PHOTO_WEIGHTS
    assert BLOBS_A_PHOTO == BLOBS_AN_IMAGE
