"""The text of a message body: parts, transfer encodings, charsets, HTML.

The walk over the parts is a loop over slices of one buffer with firm limits, so that
hundreds of nested parts cost neither recursion nor copies.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field

from comraf.collection.readers.charsets import clean, decode
from comraf.collection.readers.html import HTML_LIMIT, html_charset, html_text
from comraf.collection.readers.mail_headers import (
    decode_words,
    parse_parameters,
    split_message,
    unbase64,
)

MAX_DEPTH = 32
"""Parts nested deeper than this are not opened."""
MAX_PARTS = 512
"""Parts of one message that are looked at."""

_PART_FIELDS = frozenset(("content-type", "content-transfer-encoding", "content-disposition"))
_INNER_FIELDS = _PART_FIELDS | {"subject"}
_GUESSED_BOUNDARY = re.compile(rb"(?m)^--([^\s-][^\r\n]{0,198}?)[ \t]*\r?$")
_NAMED = re.compile(r"(?i);\s*(?:file)?name\b")
_MARKUP = re.compile(r"(?i)^\s*(?:<!doctype html|<html[\s>]|<head[\s>]|<body[\s>])")


@dataclass(slots=True)
class _Part:
    """A slice of the message with its headers, in the tree of parts."""

    headers: dict[str, str]
    start: int
    stop: int
    depth: int
    default: str = "text/plain"
    parent: _Part | None = None
    children: list[_Part] = field(default_factory=list)
    kind: str = ""
    text: str = ""
    is_html: bool = False


def body_text(
    data: bytes, headers: dict[str, str], start: int, *, quotes: bool = True
) -> tuple[str, list[str]]:
    r"""Return the readable text of a message and notes on what was repaired.

    Plain text is preferred to its HTML alternative; attachments are left out; messages
    within the message count with their subject.

    Parameters
    ----------
    data : bytes
        The message.
    headers : dict
        Its fields, from `comraf.collection.readers.mail_headers.split_message`.
    start : int
        Offset of the body.
    quotes : bool, default=True
        Whether quoted messages that HTML marks as such are kept.

    Examples
    --------
    >>> body_text(b"=A1Hola!", {"content-type": "text/plain; charset=latin-1",
    ...     "content-transfer-encoding": "quoted-printable"}, 0)
    ('¡Hola!', [])
    """
    notes: list[str] = []
    root = _Part(headers, start, len(data), 0)
    order = [root]
    # the list grows while it is walked: a tree without recursion
    for part in order:
        part.kind, parameters = parse_parameters(part.headers.get("content-type", ""))
        if "/" not in part.kind:
            part.kind = "text/plain" if part.kind == "text" else part.default
        if part.kind.startswith("multipart/"):
            children = _split(data, part, parameters.get("boundary", ""))
            if children is None:
                part.kind = "text/plain"
            elif part.depth >= MAX_DEPTH or len(order) + len(children) > MAX_PARTS:
                notes.append("too many nested parts: some were left out")
                children = []
            part.children = children or []
            order.extend(part.children)
        elif part.kind in ("message/rfc822", "message/global", "message/news"):
            _open_inner(data, part, order, notes)
        if part.kind in ("text/plain", "text/html") and not _attached(part):
            _read_text(data, part, parameters.get("charset"), notes, quotes)
    for part in reversed(order):
        if part.children:
            _join(part)
    return root.text, list(dict.fromkeys(notes))


def _attached(part: _Part) -> bool:
    disposition = part.headers.get("content-disposition", "").lstrip().lower()
    if disposition.startswith("attachment"):
        return True
    named = _NAMED.search(disposition) or _NAMED.search(part.headers.get("content-type", ""))
    return part.depth > 0 and named is not None


def _split(data: bytes, part: _Part, boundary: str) -> list[_Part] | None:
    """Cut a multipart into its parts; None when no boundary can be found."""
    raw = boundary.encode("latin-1", "replace").rstrip()
    matches = _boundaries(data, part, raw)
    if not matches:
        guess = _GUESSED_BOUNDARY.search(data, part.start, min(part.stop, part.start + 20_000))
        matches = _boundaries(data, part, guess[1]) if guess else []
        if len(matches) < 2:
            return None
    default = "message/rfc822" if part.kind == "multipart/digest" else "text/plain"
    children: list[_Part] = []
    for number, match in enumerate(matches):
        if match[1]:
            break
        begin = data.find(b"\n", match.end(), part.stop) + 1 or part.stop
        end = matches[number + 1].start() if number + 1 < len(matches) else part.stop
        if begin > end:
            continue
        if len(children) >= MAX_PARTS:
            break
        headers, body = _part_headers(data, begin, end)
        children.append(_Part(headers, body, end, part.depth + 1, default, part))
    return children


def _boundaries(data: bytes, part: _Part, boundary: bytes) -> list[re.Match[bytes]]:
    if not boundary:
        return []
    pattern = re.compile(rb"(?m)^--" + re.escape(boundary) + rb"(--)?[ \t]*\r?$")
    found = []
    for match in pattern.finditer(data, part.start, part.stop):
        found.append(match)
        if match[1] or len(found) > MAX_PARTS + 1:
            break
    return found


def _part_headers(data: bytes, begin: int, end: int) -> tuple[dict[str, str], int]:
    # a part without headers starts with the blank line
    if data[begin : begin + 2].startswith((b"\n", b"\r\n")):
        return {}, begin
    headers, body = split_message(data[begin : min(end, begin + 65536)], _PART_FIELDS)
    return headers, min(begin + body, end)


def _open_inner(data: bytes, part: _Part, order: list[_Part], notes: list[str]) -> None:
    """Put the message inside a part under it, unless it is a returned or attached one."""
    returned = part.parent is not None and part.parent.kind == "multipart/report"
    if returned or _attached(part):
        return
    if part.depth >= MAX_DEPTH or len(order) >= MAX_PARTS:
        notes.append("too many nested parts: some were left out")
        return
    if "base64" in part.headers.get("content-transfer-encoding", "").lower():
        return
    limit = min(part.stop, part.start + 65536)
    headers, body = split_message(data[part.start : limit], _INNER_FIELDS)
    subject = decode_words(headers.get("subject", ""))
    inner = _Part(headers, part.start + body, part.stop, part.depth + 1, parent=part)
    title = _Part({}, 0, 0, part.depth + 1, parent=part, text=subject, kind="title")
    part.children = [title, inner]
    order.append(inner)


def _read_text(
    data: bytes, part: _Part, charset: str | None, notes: list[str], quotes: bool
) -> None:
    payload = data[part.start : part.stop]
    coding = part.headers.get("content-transfer-encoding", "").strip().lower()
    if coding.startswith("quoted-printable"):
        payload = binascii.a2b_qp(payload)
    elif coding.startswith("base64"):
        # a list footer glued on after the padding is not base64
        payload = unbase64(payload.partition(b"=")[0])
    if part.kind == "text/html" and not charset:
        charset = html_charset(payload)
    text, note = decode(payload, charset)
    if note:
        notes.append(note)
    part.is_html = part.kind == "text/html" or _MARKUP.match(text) is not None
    if part.is_html:
        if len(text) > HTML_LIMIT:
            notes.append(f"HTML cut at {HTML_LIMIT:,} characters")
        text = html_text(text, quotes=quotes)[1]
    else:
        text = clean(text)
    part.text = text.strip("\n")


def _join(part: _Part) -> None:
    texts = [child for child in part.children if child.text.strip()]
    if part.kind == "multipart/alternative":
        plain = [child for child in texts if not child.is_html]
        rich = [child for child in texts if child.is_html]
        # some programs send a stub instead of the plain text
        if plain and not (rich and len(plain[-1].text.split()) < 3):
            texts = plain[-1:]
        else:
            texts = rich[-1:]
        part.is_html = bool(texts) and texts[0].is_html
    elif part.kind == "multipart/related":
        texts = texts[:1]
        part.is_html = bool(texts) and texts[0].is_html
    part.text = "\n\n".join(child.text for child in texts)
