"""A field as the truth: scored against, never part of what makes the groups."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.errors import InputError

BIB = """@article{{k{n}, title = {{Pumps leak again {n}}}, author = {{Li, Ann and Yu, Bo}},
  journal = {{J. Pumps}}, year = 1999, keywords = {{leaks, seals}}, cites = {{z1, z2}}{more}}}
"""
RIS = """TY  - JOUR
TI  - Pumps leak again {n}
AU  - Li, Ann
JO  - J. Pumps
KW  - leaks
KW  - seals
CR  - z1
ER  -
"""
PAPER = {
    "title": "Pumps leak again",
    "authors": [{"name": "Ann Li"}],
    "venue": "J. Pumps",
    "keywords": ["leaks", "seals"],
    "references": ["z1", "z2"],
}


def _written(folder: Path, kind: str) -> Path:
    path = folder / f"a.{kind}"
    if kind == "bib":
        path.write_text("".join(BIB.format(n=n, more="") for n in range(4)))
    elif kind == "ris":
        path.write_text("".join(RIS.format(n=n) for n in range(4)))
    else:
        path.write_text("".join(f"{json.dumps({**PAPER, 'id': n})}\n" for n in range(4)))
    return path


@pytest.mark.parametrize(
    ("kind", "truth", "side", "known"),
    [
        ("bib", "keywords", "keywords", "leaks"),
        ("bib", "journal", "venues", "J. Pumps"),
        ("bib", "author", "people", "Ann Li"),
        ("ris", "KW", "keywords", "leaks"),
        ("ris", "AU", "people", "Li, Ann"),
        ("jsonl", "keywords", "keywords", "leaks"),
        ("jsonl", "authors", "people", "Ann Li"),
        ("jsonl", "venue", "venues", "J. Pumps"),
    ],
)
def test_the_truth_makes_no_side(
    kind: str, truth: str, side: str, known: str, tmp_path: Path
) -> None:
    """The side that comes from the field of the truth is gone, and only that one."""
    path = _written(tmp_path, kind)
    before = build_collection(open_reader(path))
    after = build_collection(open_reader(path, truth=truth))
    assert side in before.sides
    assert set(before.sides) - set(after.sides) == {side}
    assert after.truth == (known,) * 4


@pytest.mark.parametrize("kind", ["bib", "ris", "jsonl"])
def test_a_field_that_nobody_has_is_refused(kind: str, tmp_path: Path) -> None:
    """The message lists the fields that there are."""
    path = _written(tmp_path, kind)
    with pytest.raises(InputError, match=r"truth='nosuch': not one of 4 items.*\b(title|ti)\b"):
        build_collection(open_reader(path, truth="nosuch"))


def test_a_field_that_some_have_is_told(tmp_path: Path) -> None:
    """How many items are scored is in the notes."""
    path = tmp_path / "a.bib"
    entries = [BIB.format(n=n, more=", groups = {old}" if n else "") for n in range(4)]
    path.write_text("".join(entries))
    notes = build_collection(open_reader(path, truth="groups")).notes
    assert "3 of 4 items have 'groups', and only those are scored" in notes
    whole = build_collection(open_reader(path, truth="entrytype")).notes
    assert not [note for note in whole if "only those are scored" in note]


def test_keys_given_twice_are_told(tmp_path: Path) -> None:
    """The second entry of a key gets another name, and the note says which."""
    path = tmp_path / "a.bib"
    path.write_text("".join(f"@misc{{k1, title = {{Pump {n} leaks}}}}\n" for n in "abc"))
    collection = build_collection(open_reader(path))
    assert collection.ids == ("k1", "k1#2", "k1#3")
    said = "2 items have the id of another one and got a new one; the first: 'k1' is now 'k1#2'"
    assert said in collection.notes


def test_tex_in_the_names_of_json_papers(tmp_path: Path) -> None:
    """One author has one spelling, whichever format told it."""
    path = tmp_path / "a.jsonl"
    authors = [{"name": r"Ren{\'e}e Fran{\c c}ois"}]
    path.write_text(json.dumps({**PAPER, "authors": authors}))
    reader = open_reader(path)
    (item,) = (item for unit in reader.scan() for item in reader.read(unit))
    assert item.people[0].name == "Renée François"
