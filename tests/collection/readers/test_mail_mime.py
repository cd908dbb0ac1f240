"""The text of a message body."""

from __future__ import annotations

import time
from email.message import EmailMessage

import pytest

from comraf.collection.readers.mail_headers import split_message
from comraf.collection.readers.mail_mime import MAX_DEPTH, body_text


def text_of(data: bytes, *, quotes: bool = True) -> str:
    """The body of a whole message."""
    headers, start = split_message(data)
    return body_text(data, headers, start, quotes=quotes)[0]


def built(text: str | None, html: str | None = None) -> EmailMessage:
    """A message as Python writes it."""
    message = EmailMessage()
    message["Subject"] = "x"
    if text is not None:
        message.set_content(text)
    if html is not None and text is not None:
        message.add_alternative(html, subtype="html")
    elif html is not None:
        message.set_content(html, subtype="html")
    return message


def parts(*bodies: bytes, kind: bytes = b"mixed", close: bytes = b"--b--\n") -> bytes:
    """A multipart message with these parts, headers included."""
    joined = b"".join(b"--b\n" + body + b"\n" for body in bodies)
    return b"Subject: x\nContent-Type: multipart/" + kind + b'; boundary="b"\n\n' + joined + close


@pytest.mark.parametrize("coding", ["7bit", "8bit", "quoted-printable", "base64"])
@pytest.mark.parametrize("charset", ["utf-8", "latin-1", "mac-roman"])
def test_transfer_encodings_and_charsets(coding: str, charset: str) -> None:
    """What Python writes comes back, whatever the wrapping."""
    message = EmailMessage()
    text = "Grüße aus Köln" if coding != "7bit" else "Hello"
    message.set_content(f"{text}\n", charset=charset, cte=coding)
    assert text_of(b"Subject: x\n" + message.as_bytes()) == text


def test_plain_text_is_preferred() -> None:
    """Of two versions of one text the plain one is read."""
    assert text_of(built("plain words here", "<p>rich words</p>").as_bytes()) == "plain words here"


def test_html_stands_in_for_missing_text() -> None:
    """HTML is read when there is no plain text, or only a stub of it."""
    assert text_of(built(None, "<p>rich <b>wo</b>rds</p>").as_bytes()) == "rich words"
    assert text_of(built(" \n", "<p>rich words</p>").as_bytes()) == "rich words"


def test_html_in_plain_clothes() -> None:
    """A page that is announced as plain text is still a page."""
    data = b"Subject: x\nContent-Type: text/plain\n\n<html><body><p>rich</p></body></html>"
    assert text_of(data) == "rich"


def test_attachments_are_left_out() -> None:
    """Attached files are not read, even when they are text."""
    message = built("see the file")
    message.add_attachment("secret text", filename="a.txt")
    message.add_attachment(b"\x00\x01", maintype="application", subtype="zip", filename="b.zip")
    assert text_of(message.as_bytes()) == "see the file"
    named = parts(b"\nhello", b"Content-Type: text/plain; name=a.txt\n\nfile")
    assert text_of(named) == "hello"


def test_a_message_within_a_message_counts() -> None:
    """A forwarded message is read with its subject; a returned one is not."""
    inner = b"Content-Type: message/rfc822\n\nSubject: =?utf-8?Q?P=C3=BCmpe?=\nX: y\n\nleaks"
    assert text_of(parts(b"\nfyi", inner)).split() == ["fyi", "Pümpe", "leaks"]
    assert text_of(parts(b"\nfailed", inner, kind=b"report")) == "failed"
    digest = parts(b"\nSubject: a\n\none", b"\nSubject: b\n\ntwo", kind=b"digest")
    assert text_of(digest).split() == ["a", "one", "b", "two"]


def test_related_parts() -> None:
    """Of a page and its pictures only the page is read."""
    message = parts(
        b"Content-Type: text/html\n\n<p>page",
        b"Content-Type: image/png\n\n\x89PNG",
        kind=b"related",
    )
    assert text_of(message) == "page"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (parts(b"\nhello", close=b""), "hello"),
        (parts(b"\nhello").replace(b'boundary="b"', b""), "hello"),
        (
            parts(b"\nhello", b"\nagain").replace(b'boundary="b"', b'boundary="wrong"'),
            "hello again",
        ),
        (b"Subject: x\nContent-Type: multipart/mixed\n\njust text", "just text"),
        (b"Subject: x\nContent-Type: nonsense\n\njust text", "just text"),
        (b"Subject: x\nContent-Type: text\n\njust text", "just text"),
        (b"Subject: x\nContent-Type: ;;;\n\njust text", "just text"),
        (b"Subject: x\nContent-Type: image/png\n\n\x89PNG", ""),
        (b"Subject: x\nContent-Transfer-Encoding: base64\n\naGVsb", "hel"),
        (b"Subject: x\nContent-Transfer-Encoding: base64\n\naGVsbG8=\nfooter text", "hello"),
        (b"Subject: x\nContent-Transfer-Encoding: base64\n\n!!!", ""),
        (b"Subject: x\nContent-Transfer-Encoding: x-none\n\nhello", "hello"),
        (b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\nh=65llo=", "hello"),
        (b"Subject: x\nContent-Type: text/plain; charset=none\n\ncaf\xe9", "café"),
    ],
)
def test_damaged_bodies(data: bytes, text: str) -> None:
    """Missing ends, wrong boundaries, broken encodings: what is there is read."""
    assert " ".join(text_of(data).split()) == text


def nested(depth: int, text: bytes) -> bytes:
    """A text inside many multiparts."""
    head = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(depth)
    )
    tail = b"".join(b"--b%d--\n" % i for i in reversed(range(depth)))
    return b"Subject: x\n" + head + b"Content-Type: text/plain\n\n" + text + b"\n" + tail


def test_nesting_is_followed_to_a_limit() -> None:
    """A text under a few parts is found; hundreds of parts cost no time and are told."""
    assert text_of(nested(MAX_DEPTH - 1, b"deep")) == "deep"
    data = nested(900, b"hello world\n" * 20_000)
    headers, start = split_message(data)
    began = time.process_time()
    text, notes = body_text(data, headers, start)
    assert time.process_time() - began < 5
    assert text == ""
    assert notes == ["too many nested parts: some were left out"]


def test_messages_within_messages_within_messages() -> None:
    """Endless forwarding ends too."""
    data = b"Subject: x\n" + b"Content-Type: message/rfc822\n\n" * 5000 + b"Subject: y\n\nhi"
    headers, start = split_message(data)
    assert body_text(data, headers, start)[1] == ["too many nested parts: some were left out"]


def test_hundreds_of_parts() -> None:
    """Parts side by side are read up to a limit."""
    assert len(text_of(parts(*[b"\nword"] * 300)).split()) == 300
    assert len(text_of(parts(*[b"\nword"] * 3000)).split()) <= 600


def test_quotes_in_html_can_go() -> None:
    """The switch reaches the HTML."""
    html = '<p>mine</p><blockquote type="cite">old</blockquote>'
    data = built(None, html).as_bytes()
    assert text_of(data, quotes=False) == "mine"
    assert text_of(data).split() == ["mine", "old"]
