"""Reports on text of any script: its direction, and the words marked in it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from comraf.collection.text import segment
from comraf.report import render, report_data
from comraf.report.drawing import matrix
from comraf.report.snippets import marked
from comraf.report.style import stylesheet
from tests.report.reading import Page
from tests.report.shelves import Values, random_shelf

_LETTERS = "אבגדהוזחטיכלמנסעפצקר"


def _hebrew(text: str) -> str:
    """A text of the same shape that is written from the right."""
    return "".join(_LETTERS[ord(c) % len(_LETTERS)] if c.isalpha() else c for c in text)


class _Directions(HTMLParser):
    """Collects text from the right that nobody gave a direction of its own."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lost: list[str] = []
        self.n_found = 0
        self._open: list[tuple[str, bool]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "input"):
            # what SVG and titles say stands alone, and needs none
            free = tag in ("svg", "title") or ("dir", "auto") in attrs
            self._open.append((tag, free or bool(self._open and self._open[-1][1])))

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if any(unicodedata.bidirectional(c) == "R" for c in data):
            self.n_found += 1
            if not self._open[-1][1]:
                self.lost.append(data)


@pytest.fixture(scope="module")
def page() -> str:
    """A report on a collection that is Hebrew throughout."""
    shelf, graph, result = random_shelf(200, 4, n_words=300, n_people=60)
    names = {name: [_hebrew(str(v)) for v in side.values] for name, side in shelf.sides.items()}
    shelf = replace(
        shelf,
        titles=[_hebrew(title) for title in shelf.titles],
        texts=[_hebrew(shelf.text(i)) for i in range(len(shelf))],
        truth=[_hebrew(str(name)) for name in shelf.truth or ()],
        sides={name: Values([f"{v} {i}" for i, v in enumerate(names[name])]) for name in names},
    )
    return render(report_data(shelf, graph, result))


def test_every_text_finds_its_own_direction(page: str) -> None:
    """Names, titles, snippets and classes from the right never turn the line around them."""
    found = _Directions(page)
    assert found.n_found > 200
    assert not found.lost
    assert not Page(page).complaints


def test_a_name_from_the_right_stands_beside_its_bar() -> None:
    """Names in narrow columns keep to the left, where their bars and numbers are."""
    rule = re.search(r"\.clip\s*{([^}]*)}", stylesheet())
    assert rule is not None
    assert re.search(r"text-align:\s*left", rule[1])


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        ("Η Πόλις, της πόλης", {"πόλις".casefold()}, "Η <mark>Πόλις</mark>, της πόλης"),
        ("यह हिन्दी है", {"हिन्दी"}, "यह <mark>हिन्दी</mark> है"),
        ("في البحر، بحـــر", {"بحر"}, "في البحر، <mark>بحـــر</mark>"),
        ("Die Straße & mehr", {"strasse"}, "Die <mark>Straße</mark> &amp; mehr"),
        ("新的水泵<b>", {"水泵", "泵"}, "新的<mark>水泵</mark>&lt;b&gt;"),
        ("ภาษาไทยดี", {"ไทย"}, "ภาษา<mark>ไทย</mark>ดี"),
        ("naïve (a+b) x", {"a+b", "naïve"}, "<mark>naïve</mark> (a+b) x"),
    ],
)
@pytest.mark.parametrize("missing", [False, True])
def test_words_are_marked_in_any_script(
    text: str, words: set[str], shown: str, missing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Marks, cases, stretched letters and missing blanks don't hide a telling word."""
    if missing:
        monkeypatch.setattr(segment, "_icu", lambda: None)
    assert str(marked(text, words)) == shown


def test_wide_letters_get_the_room_they_need() -> None:
    """Names of columns in Chinese are not cut off at the top of their table."""

    def height(name: str) -> int:
        return int(matrix([name], [["o2"]], "one", describe=lambda i, j: "")["top"])

    assert height("水泵水泵") == height("pumppump") > height("pump")
