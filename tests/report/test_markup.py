"""Strings on their way into the page."""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from comraf.report.jinja import draw, environment
from comraf.report.markup import plain

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
    page = str(draw('<p title="{{ text }}">{{ text }}</p>', text=text))
    assert page.count("<") == 2
    opening, _, rest = page.partition(">")
    assert opening.count('"') == 2
    visible = [
        c for c in text if unicodedata.category(c) not in ("Cc", "Cs", "Cf", "Zl", "Zp", "Cn")
    ]
    shown = unescape(rest.removesuffix("</p>"))
    assert [c for c in shown if c in visible] == visible
    assert not set(page) & set("\u202e\u2066\u200f\ufeff\ud800\x00\x1b")


def test_values_without_a_place_in_a_page_are_refused() -> None:
    """An object is not quietly written as its repr, nor is a name that nobody gave."""
    with pytest.raises(TypeError, match="object has no place in a page"):
        draw("{{ thing }}", thing=object())
    with pytest.raises(UndefinedError, match="'thing' is undefined"):
        draw("{{ thing }}")
    assert draw("{{ nothing }}{{ half }}", nothing=None, half=2.50) == "2.5"


def test_no_template_turns_escaping_off() -> None:
    """Every template escapes; only our own sheet, policy and attributes are written as they are."""
    folder = files("comraf.report")
    sources = [
        path.read_text(encoding="utf-8")
        for name in ("templates", "panels", ".")
        for path in folder.joinpath(name).iterdir()
        if path.name.endswith((".html", ".py"))
    ]
    assert len(sources) > 25
    found = [line for text in sources for line in re.findall(r"[^{%\n]*\|\s*safe\b", text)]
    allowed = (" policy|safe", " rules|safe", "' class=\"wide\"'|safe", "' class=\"seen\"'|safe")
    assert [line for line in found if not line.endswith(allowed)] == []
    assert not any("autoescape" in text and "autoescape=True" not in text for text in sources)
    assert environment().autoescape is True
