"""Strings on their way into the page."""

from __future__ import annotations

import unicodedata
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.report.markup import Markup, el, join, plain, user

# Half of them with what mail may hold on purpose: controls, marks of direction, surrogates.
nasty = st.text(max_size=60) | st.text(
    st.sampled_from(
        "<>&\"'`=/\\\x00\x07\x1b\x7f\x85\n\r\t\u202e\u2066\u200f\u2028\ufeff\ud800\ufffe"
    ),
    max_size=40,
)


@given(nasty, st.integers(1, 80))
def test_plain_text_is_short_and_shows_all_it_holds(text: str, limit: int) -> None:
    """Neither controls nor marks that reorder text are left, and the length is kept."""
    line = plain(text, limit)
    assert len(line) <= limit
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in line)
    assert not set(line) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    line.encode("utf-8")


def test_plain_text_keeps_joiners_that_scripts_need() -> None:
    """ZWNJ in Persian and ZWJ in an emoji are spelling, not tricks."""
    assert plain("می\u200cخواهم 👩\u200d🚒") == "می\u200cخواهم 👩\u200d🚒"


def test_towers_of_accents_are_taken_down() -> None:
    """A letter keeps a few marks, not forty that cover the lines above."""
    assert len(plain("a" + "\u0301" * 40, 200)) == 5


@given(nasty)
def test_content_and_attributes_are_escaped(text: str) -> None:
    """No string opens a tag or leaves its attribute, and none is lost on the way."""
    page = el("p", text, title=text)
    assert page.count("<") == 2
    opening, _, rest = page.partition(">")
    assert opening.count('"') == 2
    visible = [
        c for c in text if unicodedata.category(c) not in ("Cc", "Cs", "Cf", "Zl", "Zp", "Cn")
    ]
    shown = unescape(rest.removesuffix("</p>"))
    assert [c for c in shown if c in visible] == visible


def test_markup_is_not_escaped_twice() -> None:
    """Elements nest."""
    assert el("p", el("b", "a & b")) == "<p><b>a &amp; b</b></p>"
    assert join([Markup("<i></i>"), None, 2.50, ("x", ["<"])]) == "<i></i>2.5x&lt;"


@pytest.mark.parametrize("name", ["b onclick", "", "b>", "1b", "b/"])
def test_names_of_elements_and_attributes_are_checked(name: str) -> None:
    """A name that could end a tag is a mistake of ours, and told at once."""
    with pytest.raises(ValueError, match="is no tag name"):
        el(name)
    with pytest.raises(ValueError, match="is no attribute name"):
        el("b", **{name or " ": "x"})


def test_values_without_a_place_in_a_page_are_refused() -> None:
    """An object is not quietly written as its repr."""
    with pytest.raises(TypeError, match="object has no place in a page"):
        join(object())


def test_strangers_text_finds_its_own_direction() -> None:
    """Arabic and Hebrew are set from right to left without touching their neighbours."""
    assert user("שלום", tag="b") == '<b dir="auto">שלום</b>'


def test_attributes_that_say_nothing_are_left_out_and_no_others() -> None:
    """None and False write nothing, True the bare name, and the number 1 is no True."""
    found = el("td", title=None, hidden=False, colspan=1, class_="x", open=True)
    assert found == '<td colspan="1" class="x" open></td>'
