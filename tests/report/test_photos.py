"""Groups of photos in the page: bounded, escaped, silent for other documents."""

from __future__ import annotations

import io
from types import SimpleNamespace as Record
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.collection.vision.words import blob_names
from comraf.report import render
from comraf.report.counting import View
from comraf.report.data import Group, Model, Picture, Region, ReportData, Swatch, Telling, Weighted
from comraf.report.panels import photos
from comraf.report.panels.photos import choose, pictures, swatches
from comraf.report.panels.samples import choose_samples
from comraf.report.photo_names import photo_names
from comraf.results.scorer import Placed
from tests.report.reading import Page
from tests.report.test_page import ATTACKS

JPEG = b"\xff\xd8\xff\xe0"


class Photos:
    """Thumbnails of one size that no decoder would take."""

    def __init__(self, n: int, size: int) -> None:
        self.n, self.size = n, size

    def __getitem__(self, row: int) -> Any:
        start = JPEG if row else b"<svg>"
        return Record(thumbnail=start + b"x" * (self.size - len(start)))


def album(n: int, size: int) -> Any:
    """A collection of so many photos."""
    names = [f"{i}.jpg" for i in range(n)]
    return Record(
        photos=Photos(n, size), ids=names, titles=names, dates=[None] * n, text=lambda row: ""
    )


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_hostile_gets_through(attack: str) -> None:
    """Names, captions and colours are text wherever they stand."""
    group = Group(
        0,
        "n",
        1,
        1.0,
        more={
            "pictures": (Picture(JPEG, attack, attack, truth=attack, sure=False, rival=0),),
            "swatches": (Swatch(attack, attack, 0.5, 0.1), Swatch("#aa1010", attack, 0.5, 0.1)),
            "looks": (attack,),
            "regions": (Region(attack, 0.5, 0.1),),
        },
    )
    page = render(ReportData("t", 1, (group,), Model((), ()), kind="photo"))
    Page(page)
    assert "<script" not in page
    assert page.count("<img ") == 1
    assert "--s:#aa1010" in page
    assert "--s:}" not in page


def test_size_is_bounded_and_no_group_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many large thumbnails: smaller and fewer for each group, some for every group."""
    monkeypatch.setattr(photos, "_MOST_BYTES", 550_000)
    image = pytest.importorskip("PIL.Image", reason="smaller thumbnails need Pillow")
    noise = np.random.default_rng(0).integers(0, 256, (160, 160, 3), dtype=np.uint8)
    file = io.BytesIO()
    image.fromarray(noise).save(file, "JPEG", quality=90)
    collection = album(96, 100)
    collection.photos = [Record(thumbnail=file.getvalue())] * 96
    chosen = [[(12 * c + i, True) for i in range(12)] for c in range(8)]
    made = pictures(collection, chosen, np.zeros(96, int), None)
    assert all(made)
    assert min(map(len, made)) < 12
    assert sum(4 * len(p.jpeg) // 3 for group in made for p in group) < 567_000


def test_what_is_no_jpeg_is_left_out() -> None:
    """A thumbnail that is something else never enters the page."""
    made = pictures(album(3, 500), [[(0, True), (1, True)]], np.zeros(3, int), None)
    assert [picture.name for picture in made[0]] == ["1.jpg"]


def test_how_many_are_shown() -> None:
    """Where a mosaic has not room for all, the page says of how many it shows how many."""
    few = tuple(Picture(JPEG, f"{i}.jpg") for i in range(2))
    for size, said in ((2, False), (5, True)):
        group = Group(0, "n", size, 1.0, more={"pictures": few})
        page = render(ReportData("t", size, (group,), Model((), ()), kind="photo"))
        assert ("2 of 5 photos shown" in page) is said


def test_largest_group_comes_first() -> None:
    """Photos are numbered by their pixels; at a glance they are ordered by how many they are."""
    groups = (Group(0, "few", 2, 0.3), Group(1, "many", 5, 0.7))
    page = render(ReportData("t", 7, groups, Model((), ()), kind="photo"))
    table = page.split("<tbody>")[1]
    assert table.index("many") < table.index("few")


def test_page_says_what_is_shown() -> None:
    """Words, regions and colours are named where they stand at a glance, and only there."""
    seen_in = {
        "swatches": (Swatch("#aa1010", "red", 0.5, 0.1),),
        "regions": (Region("smooth red", 0.5, 0.1),),
    }
    words = Telling("words", (Weighted("sea", 1.0),), "words")
    seen = Group(0, "red", 2, 0.5, more=seen_in)
    said = Group(1, "sea", 2, 0.5, telling=(words,), more=seen_in)
    for groups, told in (
        ((seen, seen), "Each group with the regions and colours that tell it"),
        ((said, said), "Each group with the words and colours that tell it"),
        ((seen, said), "Each group with the words, regions and colours that tell it"),
        ((seen,), "The only group, with its regions and colours."),
    ):
        assert told in render(ReportData("t", 4, groups, Model((), ()), kind="photo"))


def test_one_group_has_no_elsewhere() -> None:
    """Photos of the only group did not nearly go to another."""
    rows = np.arange(90)
    for n_groups, unsure in ((1, False), (2, True)):
        chosen = choose(rows, -rows.astype(float), rows.astype(float), n_groups)
        assert (not all(sure for _, sure in chosen)) is unsure


def test_documents_of_one_group_have_no_elsewhere() -> None:
    """Nor did documents, where a group holds all of them."""
    rows, shelf = np.arange(20), album(40, 100)
    for n, unsure in ((20, False), (40, True)):
        zeros = np.zeros(n, np.int32)
        placed = Placed(zeros, zeros, np.ones(n), np.ones(n, int), np.ones(n))
        chosen = choose_samples(shelf.titles, rows, placed, None, 6)
        assert (not all(sure for _, sure in chosen)) is unsure


def test_names_of_groups_differ() -> None:
    """No two groups are called by the same colours, in whatever order, nor by the same name."""
    told = [
        {"colours": [("#000000", 3.0), ("#c41e20", 2.0), ("#f4f4f4", 1.0)]},
        {"colours": [("#000000", 3.1), ("#c41e20", 1.9), ("#f4f4f4", 1.0)]},
        {"colours": [("#000000", 3.0), ("#c41e20", 2.0), ("#f4f4f4", 1.0)]},
        {"colours": [("#000000", 3.0)], "blobs": [("smooth black (4)", 1.0)]},
        {"colours": [("#000000", 3.0)], "blobs": [("smooth black (4)", 1.0)]},
        {},
    ]
    names = photo_names(told)
    assert len(set(names)) == len(names)
    assert names[3] == "black"
    assert names[4] == "black, smooth black"
    assert names[5] == ""


def test_colours_of_one_word_are_one() -> None:
    """Shades that have the same word are told once, by what they are together."""
    counts = sp.csr_array([[4.0, 5.0, 1.0], [0.0, 0.0, 10.0]])
    found = swatches(View("colours", counts, counts, None, 0), ["#0a0a0c", "#0c0c0c", "#f4f4f4"])
    assert [(s.word, s.colour) for s in found[0]] == [("black", "#0c0c0c")]
    assert found[0][0].share == pytest.approx(0.9)
    assert found[0][0].overall == pytest.approx(0.45)


def test_looks_that_do_not_fit_are_ignored() -> None:
    """Damaged looks of blobs leave the blobs their own names, and break nothing."""
    values = ["blob 0 ab12", "blob 1 ab12"]
    for looks in (None, ["one"], 7, {"a": 1}):
        assert blob_names(values, looks) == values
    assert blob_names(values, [None, "smooth red"]) == ["blob 0 ab12", "smooth red"]


def test_typical_come_first() -> None:
    """The most typical come first, the least sure of the rest last."""
    rows = np.arange(60)
    chosen = choose(rows, np.linspace(1, 0, 60), np.linspace(1, 0, 60), 4)
    assert [row for row, sure in chosen if sure] == list(range(18))
    assert [row for row, sure in chosen if not sure] == [59, 58, 57]
