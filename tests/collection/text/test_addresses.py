"""Addresses in pages, however bad the pages are."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.text.addresses import (
    MOST_LINKS,
    page_addresses,
    page_places,
    place_of,
    written_addresses,
)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://www.cs.umass.edu/~ronb/timeline.html", "www.cs.umass.edu/~ronb"),
        ("http://www.cs.umass.edu/", "www.cs.umass.edu"),
        ("http://www.cs.umass.edu", "www.cs.umass.edu"),
        ("https://Example.ORG:8080/People/a/b/c.html?q=1#x", "example.org/People"),
        ("http://example.org/%7Eann/", "example.org/~ann"),
        ("http://example.org/~ann", "example.org/~ann"),
        ("http://example.org/index.html", "example.org"),
        ("http://example.org./a.d/b", "example.org/a.d"),
        ("http://user:secret@example.org/a/b", "example.org/a"),
        ("ftp://example.org/a/", ""),
        ("http:///a/b", ""),
        ("http://[::1/a", ""),
        ("http://exa mple.org/a/", ""),
        ("", ""),
    ],
)
def test_places(url: str, place: str) -> None:
    """An address becomes its host and first directory; what is none becomes nothing."""
    assert place_of(url) == place


def test_own_address_comes_from_the_best_source() -> None:
    """What was told goes before the canonical address, that before the base."""
    html = (
        '<base href="http://base.example/b/"><link rel="stylesheet canonical" '
        'href="http://canon.example/c/p.html"><a href="x/y.html">x</a>'
    )
    assert page_addresses(html, "http://told.example/t.html")[0] == "http://told.example/t.html"
    own, links = page_addresses(html)
    assert own == "http://canon.example/c/p.html"
    assert links == ["http://base.example/b/x/y.html"]


def test_links_of_all_kinds_and_none_in_scripts() -> None:
    """Anchors, areas and frames count once each; scripts, comments and styles don't."""
    html = """<!-- <a href="http://comment.example/a/">c</a> -->
    <script>document.write('<a href="http://script.example/a/">')</script>
    <A HREF='http://one.example/a/#top'>1</A><a href=http://one.example/a/>again</a>
    <area href="http://two.example/b/"><frame src="http://three.example/c/">
    <iframe src="//four.example/d/"></iframe><a href="mailto:x@five.example">m</a>"""
    _, links = page_addresses(html, "http://own.example/")
    assert links == [
        "http://one.example/a/",
        "http://two.example/b/",
        "http://three.example/c/",
        "http://four.example/d/",
    ]


def test_letters_that_grow_when_lowered_move_nothing() -> None:
    """A Turkish page: scripts and comments are left out at the right place."""
    html = (
        "İ" * 40 + "<SCRIPT>x</Script><!--><a href='http://a.example/x/'>a</a>"
        "<!-- <a href='http://b.example/y/'> -->"
    )
    assert page_addresses(html)[1] == ["http://a.example/x/"]


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 50_000 + '<a href="http://a.example/b/">',
        "<a " * 75_000,
        "<a href='" * 25_000,
        "<!--" * 75_000,
        "<script>" * 50_000,
        "<script></script>" * 50_000,
        "<style></style><!---->" * 25_000,
        "<" * 1_000_000,
        '<a href="http://[x">' * 1000,
        '<a href="\x00http://a\ud800.example/">x</a>',
    ],
)
def test_hostile_pages_take_no_time(html: str) -> None:
    """Deep, endless and broken markup neither fails nor takes long."""
    begun = time.perf_counter()
    page_addresses(html, "http://own.example/")
    assert time.perf_counter() - begun < 5


def test_directories_of_links_are_cut() -> None:
    """A page has a limited number of links."""
    html = "".join(f'<a href="http://s{i}.example/">' for i in range(MOST_LINKS + 500))
    assert len(page_addresses(html)[1]) == MOST_LINKS


@given(st.text(alphabet="<a href='\"=http://x.org>-![]%&;\n", max_size=200), st.text(max_size=30))
def test_anything_is_read(html: str, url: str) -> None:
    """No text fails, and every link has a place."""
    _, links = page_addresses(html, url)
    assert all(place_of(link) for link in links)
    written_addresses(html)


def test_forms_of_links() -> None:
    """No scheme, a ">" within quotes, letters with and without escapes."""
    assert page_places('<a href="//b.example/z/">2</a>') == ("b.example/z",)
    for mark in ('title="a > b"', "title='a > b'", 'title="it\'s > b"', 'alt=it"s'):
        assert page_places(f'<a {mark} href="http://c.example/q/">3</a>') == ("c.example/q",)
    both = '<a href="http://i.example/日本/"><a href="http://i.example/%E6%97%A5%E6%9C%AC/">'
    assert page_places(both) == ("i.example/日本",)
    assert page_places('<a href="http://i.example/%FF%2Fa/b">') == ("i.example/%FF%2Fa",)


def test_open_quotes_take_no_time() -> None:
    """Many tags with quotes that are never closed are left in a moment."""
    start = time.perf_counter()
    for page in ('<a "' * 75_000, "<a '\"" * 75_000, '<a "x" ' * 50_000, '<a "' + "x" * 10**6):
        assert page_places(page + " href") == ()
    assert time.perf_counter() - start < 5
