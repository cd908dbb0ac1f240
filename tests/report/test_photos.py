"""Groups of photos in the page: bounded, escaped, silent for other documents."""

from __future__ import annotations

import io
from types import SimpleNamespace as Record
from typing import Any

import numpy as np
import pytest

from comraf.report import Group, Model, Picture, ReportData, Swatch, render
from comraf.report.build_photos import choose, pictures
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
        pictures=(Picture(JPEG, attack, attack, truth=attack, sure=False, rival=0),),
        swatches=(Swatch(attack, attack, 0.5, 0.1), Swatch("#aa1010", attack, 0.5, 0.1)),
        looks=(attack,),
    )
    page = render(ReportData("t", 1, (group,), Model((), ()), kind="photo"))
    Page(page)
    assert "<script" not in page
    assert page.count("<img ") == 1
    assert "--s:#aa1010" in page
    assert "--s:}" not in page


def test_page_without_photos_is_as_it_was() -> None:
    """No rule and no word about photos where there are none."""
    page = render(ReportData("t", 1, (Group(0, "n", 1, 1.0),), Model((), ())))
    assert "mosaic" not in page
    assert "colours that tell" not in page


def test_size_is_bounded_and_no_group_is_empty() -> None:
    """Many large thumbnails: smaller and fewer for each group, some for every group."""
    image = pytest.importorskip("PIL.Image", reason="smaller thumbnails need Pillow")
    noise = np.random.default_rng(0).integers(0, 256, (160, 160, 3), dtype=np.uint8)
    file = io.BytesIO()
    image.fromarray(noise).save(file, "JPEG", quality=90)
    collection = album(600, 100)
    collection.photos = [Record(thumbnail=file.getvalue())] * 600
    chosen = [[(12 * c + i, True) for i in range(12)] for c in range(50)]
    made = pictures(collection, chosen, np.zeros(600, int), None)
    assert all(made)
    assert min(map(len, made)) < 12
    assert sum(4 * len(p.jpeg) // 3 for group in made for p in group) < 3_400_000


def test_what_is_no_jpeg_is_left_out() -> None:
    """A thumbnail that is something else never enters the page."""
    made = pictures(album(3, 500), [[(0, True), (1, True)]], np.zeros(3, int), None)
    assert [picture.name for picture in made[0]] == ["1.jpg"]


def test_typical_come_first() -> None:
    """The most typical come first, the least sure of the rest last."""
    rows = np.arange(60)
    chosen = choose(rows, np.linspace(1, 0, 60), np.linspace(1, 0, 60), 4)
    assert [row for row, sure in chosen if sure] == list(range(18))
    assert [row for row, sure in chosen if not sure] == [59, 58, 57]
