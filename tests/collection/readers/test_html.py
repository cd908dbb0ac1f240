"""Visible words of HTML."""

from __future__ import annotations

import pytest

from comraf.collection.readers.html import html_charset, html_text, http_header, looks_html


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>It <b>l</b>eaks.</p><p>Again.</p>", "It leaks.\nAgain."),
        ("<table><tr><td>one<td>two</table>", "one\ntwo"),
        ("a<br>b<BR/>c", "a\nb\nc"),
        ("<script>bad()</script>good<style>p{}</style>", "good"),
        ("yes<noscript>no</noscript><template>no</template>", "yes"),
        ('<p hidden>no<b hidden>no</b></p><p style="Display : NONE">no</p>yes', "yes"),
        ('<p style="display:none">no<i style="display:none">no</i></p>yes', "yes"),
        ('<body style="display:none">yes</body>', "yes"),
        ("caf&eacute; &amp; bar &#8211; x", "café & bar – x"),
        ("no markup at all", "no markup at all"),
        ("<p>unclosed <b>all <i>over", "unclosed all over"),
        ("", ""),
    ],
)
def test_only_what_is_visible(html: str, text: str) -> None:
    """Blocks become lines, inline marks vanish, hidden things are not there."""
    assert html_text(html)[1] == text


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> The \n title </title><h1>Head</h1>", "The title"),
        ("<title></title><h1>The <b>head</b></h1>", "The head"),
        ("<p>none</p>", ""),
    ],
)
def test_title(html: str, title: str) -> None:
    """The title is the title element, else the first heading."""
    assert html_text(html)[0] == title


@pytest.mark.parametrize(
    "quoted",
    [
        '<blockquote type="cite">old <blockquote type="cite">older</blockquote></blockquote>',
        '<div class="gmail_quote">On Monday: <blockquote>old</blockquote></div>',
        '<div id="divRplyFwdMsg">From: Ann</div>old<div>older</div>',
    ],
)
def test_quotes_that_mail_programs_mark(quoted: str) -> None:
    """Quoted messages go when asked to and stay otherwise."""
    assert html_text(f"<div>mine</div>{quoted}", quotes=False)[1] == "mine"
    assert "old" in html_text(f"<div>mine</div>{quoted}")[1]


def test_a_page_too_deep_for_the_parser_still_gives_its_words() -> None:
    """Without a parser tags and scripts are cut out of the text."""
    html = "<div>" * 2000 + "deep <script>bad()</script>water"
    assert html_text(html)[1].split() == ["deep", "water"]


def test_declared_charset() -> None:
    """Both old and new forms of the declaration are read."""
    assert html_charset(b'<meta http-equiv="x" content="text/html; charset=KOI8-R">') == "KOI8-R"
    assert html_charset(b'<?xml version="1.0" encoding="latin-1"?>') == "latin-1"
    assert html_charset(b"<p>charset=x") is None


@pytest.mark.parametrize(
    ("header", "served"),
    [
        ("Date: Fri, 13 Dec 1996\nServer: NCSA/1.5\nContent-type: text/html\n\n", True),
        ("MIME-Version: 1.0\r\nServer: CERN/3.0\r\nContent-Type: text/html\r\n\r\n", True),
        ("HTTP/1.0 200 OK\nContent-Type: text/html\n\n", True),
        ("WWW Alert: moved\nLast-modified: Monday\nContent-type: text/html\n\n", True),
        ("Date: Fri, 13 Dec 1996\nContent-Length: 9\nContent-type: text/html\n\n", True),
        # mail: somebody sent it, or nothing says that a server did
        ("From: a@x.org\nServer: x\nContent-type: text/html\n\n", False),
        ("Subject: hi\nContent-Length: 7\nContent-type: text/html\n\n", False),
        ("Date: Fri, 13 Dec 1996\nContent-type: text/html\n\n", False),
        # no blank line after it
        ("Server: NCSA/1.5\nContent-type: text/html\n", False),
    ],
)
def test_pages_that_come_with_what_a_server_sent(header: str, served: bool) -> None:
    """The header of HTTP is told from a mail's, and the page begins behind it."""
    data = f"{header}<P><IMG SRC=x><P>Pumps".encode()
    assert http_header(data) == (len(header) if served else 0)
    assert looks_html(data) == served


def test_a_served_text_is_no_page() -> None:
    """What a server calls plain is plain, unless it begins as a page."""
    sent = b"Server: NCSA/1.5\nContent-type: text/plain\n\n"
    assert not looks_html(sent + b"Pumps leak.")
    assert looks_html(sent + b"<!doctype html><p>Pumps")
