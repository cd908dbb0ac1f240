"""Bytes to clean text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.readers.charsets import clean, clean_line, decode


@pytest.mark.parametrize(
    ("text", "encoding", "claimed"),
    [
        ("naïve café", "utf-8", None),
        ("naïve café", "latin-1", None),
        ("naïve café", "utf-8", "iso-8859-1"),
        ("naïve café", "latin-1", "utf-8"),
        ("naïve café", "latin-1", "x-unknown"),
        ("naïve café", "utf-8", "no such charset \x00"),
        ("“quotes” – dash", "cp1252", "iso-8859-1"),
        ("“quotes” – dash", "cp1252", "us-ascii"),
        ("Привет мир", "koi8-r", "KOI8-R"),
        ("Привет мир", "utf-8", "windows-1251"),
        ("日本語のメール", "iso-2022-jp", "iso-2022-jp"),
        ("日本語のメール", "iso-2022-jp", None),
        ("日本語のメール", "cp932", "Shift_JIS"),
        ("中文邮件", "gb18030", "gb2312"),
        ("한국어", "cp949", "ks_c_5601-1987"),
        ("wide", "utf-16", None),
        ("Grüße", "utf-7", "unicode-1-1-utf-7"),
        ("Grüße", "utf-8-sig", "latin-1"),
    ],
)
def test_real_claims(text: str, encoding: str, claimed: str | None) -> None:
    """True, false, missing and unheard-of claims all lead to the text."""
    assert decode(text.encode(encoding), claimed)[0] == text


def test_a_false_claim_is_noted() -> None:
    """The note names the claim and what was done instead."""
    assert decode(b"caf\xe9", "us-ascii")[1] == "not us-ascii: read as cp1252"
    assert decode("é".encode(), "koi8-r")[1] == "not koi8-r: read as utf-8"
    assert "utf-8" in decode(b"\xc3\xa9\xff\xff\xff", "utf-8")[1]


@pytest.mark.parametrize("charset", ["zlib", "hex", "rot13", "idna", "punycode", "unicode_escape"])
def test_codecs_that_are_no_charsets_are_refused(charset: str) -> None:
    """A message can't make the reader unpack or interpret its bytes by naming a codec."""
    assert decode(rb"A\u0041 x", charset)[0] == r"A\u0041 x"


@given(st.binary(max_size=200), st.text(max_size=20))
def test_decode_and_clean_never_fail(data: bytes, charset: str) -> None:
    """Whatever the bytes and the claim, the cleaned text can be stored and printed."""
    text = clean(decode(data, charset)[0])
    text.encode("utf-8")
    assert not any(ord(letter) < 32 and letter not in "\t\n" for letter in text)


def test_clean_line_is_one_line() -> None:
    """Line ends, tabs and escape sequences can't break a table on the terminal."""
    assert clean_line(" a\x1b[31m\r\n\tb\u2028c ") == "a[31m b c"
    assert clean("page one\x0cpage two") == "page one\npage two"
