"""Spellings of a value that are one, and signs that make a difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.collection.sides.lists import value_key


@pytest.mark.parametrize("side", ["keywords", "tags", "topics"])
def test_signs_that_mean_something(side: str) -> None:
    """C, C++ and C#, .NET and net, A+ and A- are all different, on every side."""
    values = ["C", "C++", "C#", "F#", "F", ".NET", "net", "A+", "A-", "A", "1.5", "15", "v1.5"]
    assert len({value_key(side, value) for value in values}) == len(values)


@pytest.mark.parametrize(
    "forms",
    [
        ("Machine Learning", "machine-learning", "MACHINE  LEARNING", "machine_learning."),
        ("J. Pumps", "J Pumps", "j. pumps."),
        ("Fluid flow (water)", "fluid flow, water"),
        ("Research & Development", "research - development"),
        ("'quoted'", "quoted"),
    ],
)
def test_spellings_of_one_value(forms: tuple[str, ...]) -> None:
    """Case, blanks and marks between words make no difference."""
    assert len({value_key("keywords", form) for form in forms}) == 1


def test_letters_that_are_no_letters() -> None:
    """Vowel signs of Hindi and a value of signs alone are not taken for marks."""
    assert value_key("keywords", "काम") != value_key("keywords", "कीम")
    assert value_key("keywords", "???") == "???"
    assert value_key("keywords", "👍") == "👍"


def test_identifiers_are_as_they_are() -> None:
    """DOIs that differ in a sign are two papers; a reference written out is read as text."""
    for side in ("citations", "cocitations", "couplings", "questions"):
        assert value_key(side, "10.1/a-1") != value_key(side, "10.1/a.1")
    first = value_key("citations", "Smith J, 1999, J PUMPS, V3")
    assert first == value_key("citations", "Smith J., 1999, J. Pumps, V3.")


def test_sides_of_a_collection(tmp_path: Path) -> None:
    """Tags and citations that differ in signs alone are columns of their own."""
    tags = ["c", "c++", "c#", "f#", "f", ".net", "net"]
    entries = [
        f"@article{{k{i}, title={{T {i} pump}}, keywords={{{tags[i % 7]}; Fluid{' -'[i % 2]}Flow}},"
        f" cites={{{'10.1/a-1' if i % 2 else '10.1/a.1'}}}}}"
        for i in range(28)
    ]
    (tmp_path / "refs.bib").write_text("\n".join(entries))
    found = build_collection(open_reader(tmp_path / "refs.bib"))
    assert set(tags) <= set(found.sides["keywords"].values)
    assert found.sides["citations"].values == ("10.1/a-1", "10.1/a.1")
    assert found.sides["citations"].documents.tolist() == [14, 14]
