"""``comraf outliers``: what does not belong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from comraf.workflows.outliers import FAR, NO_TOPIC, NO_WORDS
from tests.cli.talking import comraf, refused, rows

SHIPS = "harbour anchor rudder hull keel mast sail deck crew cargo tide rope".split()
COMMON = "people time water house year day world hand place work week point".split()
STRANGE = {
    7: "oven flour yeast dough crust butter knead loaf bake sugar",
    23: "violin chord drum melody tempo cello opera choir flute tenor",
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fifty notes about ships, among them two about other things and one that is a table."""
    random = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("notes") / "notes"
    path.mkdir()
    for i in range(50):
        words = [*random.choice(SHIPS, 8), *random.choice(COMMON, 6)]
        if i in STRANGE:
            words = [*STRANGE[i].split(), *random.choice(COMMON, 6)]
        if i == 40:
            words = ["12", "13", "14", "1,000"]
        (path / f"note{i:02}.txt").write_text(" ".join(words) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """General frequencies."""
    path = tmp_path_factory.mktemp("usual") / "usual.csv"
    every = [*SHIPS, *COMMON, *" ".join(STRANGE.values()).split()]
    lines = [f"{word},{10_000 if word in COMMON else 20}" for word in every]
    path.write_text("word,count\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_strangers_are_found(folder: Path, usual: Path, tmp_path: Path) -> None:
    """The three that don't belong, each with its reason and the words that are foreign."""
    out = tmp_path / "strays.csv"
    answer = comraf("outliers", folder, "-n", 3, "--background", usual, "--out", out)
    assert answer.exit_code == 0, answer.output
    found = {row["item"]: row for row in rows(out)}
    assert set(found) == {"note07.txt", "note23.txt", "note40.txt"}
    assert found["note40.txt"]["reason"] == NO_WORDS
    assert found["note40.txt"]["rank"] == "1"
    for number in (7, 23):
        row = found[f"note{number:02}.txt"]
        assert row["reason"] == NO_TOPIC
        assert set(row["foreign_words"].split()) <= set(STRANGE[number].split())
        assert len(row["foreign_words"].split()) == 8
        assert float(row["far"]) > FAR
    assert "harbour" in answer.stdout
    assert NO_TOPIC in answer.stdout


def test_auto_takes_those_that_are_far(folder: Path, usual: Path) -> None:
    """-n auto finds few, the strangers among them, and says how many are far."""
    answer = comraf("outliers", folder, "-n", "auto", "--background", usual, "--json")
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)
    assert found["suggested"] is True
    assert found["number"] == found["far"] == len(found["outliers"]) <= 8
    items = {record["item"] for record in found["outliers"]}
    assert items >= {"note07.txt", "note23.txt", "note40.txt"}
    assert (
        "-n auto takes these"
        in comraf("outliers", folder, "-n", "auto", "--background", usual).stdout
    )


def test_a_twentieth_by_default(folder: Path, usual: Path) -> None:
    """Without a number it is a rule of thumb, and that is said; --share is another way."""
    answer = comraf("outliers", folder, "--background", usual)
    assert "A twentieth is a rule of thumb" in answer.stdout
    assert "The 2 of 50 documents" in answer.stdout
    answer = comraf("outliers", folder, "--share", 0.1, "--background", usual)
    assert "The 5 of 50 documents" in answer.stdout
    assert "rule of thumb" not in answer.stdout


def test_a_collection_that_was_read(reviewed: Path) -> None:
    """An answer of organize can be looked at too; that rare words are gone is said."""
    answer = comraf("outliers", reviewed, "-n", 2, "--background", "flat", "--json")
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["documents"] == 90
    assert "rare words were left out" in answer.stderr


def test_notes_are_printed_in_options(folder: Path, tmp_path: Path) -> None:
    """As JSON, too: a background of another language, and what chooses another one."""
    strange = tmp_path / "strange.csv"
    strange.write_text("word,count\ntreffer,3\nhafen,2\n")
    answer = comraf("outliers", folder, "-n", 2, "--background", strange, "--json")
    (said,) = json.loads(answer.stdout)["notes"]
    assert said.endswith("is it another language? --background chooses another one")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["-n", "0"], "-n 0 is not possible; give 1 or more"),
        (["-n", "50"], "give from 1 to 49"),
        (["-n", "3", "--share", "0.1"], "give one of them"),
        (["--share", "0"], "--share 0"),
        (["--share", "1"], "--share 1"),
        (["--share", "2"], "--share 2 is not possible; give more than 0 and less than 1"),
        (["--jobs", "0"], "--jobs 0"),
        (["--out", "strays.txt"], "must end in .csv"),
        (["--kind", "poem"], "--kind poem"),
    ],
)
def test_refused(folder: Path, given: list[str], said: str) -> None:
    """What can't be done is said in one sentence."""
    assert said in refused("outliers", folder, *given, "--background", "flat")


def test_too_few(tmp_path: Path) -> None:
    """Two documents have no rest."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("some words here")
    assert "at least 3" in refused("outliers", tmp_path, "--background", "flat")


def test_files_that_can_t_be_read_are_named(folder: Path, usual: Path, tmp_path: Path) -> None:
    """The first three with their reason, the others by number."""
    place = tmp_path / "notes"
    shutil.copytree(folder, place)
    for i in range(5):
        (place / f"odd{i}.txt").write_bytes(bytes(range(256)) * 4)
    answer = comraf("outliers", place, "-n", 3, "--background", usual)
    assert answer.exit_code == 0, answer.output
    assert "not looked at: 5 skipped" in answer.stderr
    named = [line for line in answer.stderr.splitlines() if "skipped " in line and ".txt: " in line]
    assert [line.count("odd") for line in named] == [1, 1, 1]
    assert "skipped 2 more" in answer.stderr


def test_occc_goes_by_several_sides(mailbox: Path) -> None:
    """Words and people together rank as the estimator does; other methods refuse sides."""
    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader
    from comraf.collection.options import SideOptions
    from comraf.oneclass import OCCC, flat_background

    options = ["-n", 30, "--method", "occc", "--background", "flat", "--json"]
    answer = comraf("outliers", mailbox, *options, "--by", "words,people")
    assert answer.exit_code == 0, answer.output
    told = json.loads(answer.stdout)
    counted = SideOptions.from_json({"words": {"min_documents": 1, "max_share": 1.0}})
    collection = build_collection(open_reader(mailbox), options=counted)
    tables = {side: collection.tables[side] for side in ("words", "people")}
    names = {side: collection.sides[side].values for side in tables}
    n = len(collection) - 30
    model = OCCC(n, background={"words": flat_background}, random_state=0).fit(tables, words=names)
    last = [collection.ids[i] for i in model.ranking_[::-1][:30]]
    assert [one["item"] for one in told["outliers"]] == last
    alone = json.loads(comraf("outliers", mailbox, *options).stdout)
    assert [one["item"] for one in alone["outliers"]] != last
    assert "--by is for the method occc" in refused("outliers", mailbox, "--by", "words,people")
