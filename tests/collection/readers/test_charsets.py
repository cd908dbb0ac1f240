"""Bytes to clean text."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.detect import open_reader
from comraf.collection.readers import charsets
from comraf.collection.readers.charsets import (
    Lines,
    clean,
    clean_line,
    decode,
    guess_charset,
    is_damaged_utf8,
)
from tests.collection.given import read_all


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


TEXTS = {
    "cp1251": "Кластеризация текстов по словам и авторам для больших собраний",
    "gb18030": "我们提出了一种新的文本聚类方法，适用于大规模数据集",
    "cp932": "データベースの問合せ最適化について述べる",
    "euc_jp": "データベースの問合せ最適化について述べる",
    "cp949": "우리는 새로운 문서 군집화 방법을 제안한다",
}


@pytest.mark.parametrize(("charset", "text"), TEXTS.items())
def test_common_encodings_are_guessed_and_told(charset: str, text: str) -> None:
    """The text comes back whole, and the note names the encoding."""
    assert guess_charset(text.encode(charset)) == charset
    found, note = decode(text.encode(charset))
    assert found == text
    assert note.startswith("not UTF-8: read as ")


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("élève général déjà où, ça va être très fâcheux", "cp1252"),
        ("“quotes” – and — dashes… ‘x’", "cp1252"),
        ("ÄÖÜ SIND GROSSE BUCHSTABEN ÜBER ÖL", "latin-1"),
        ("Η ελληνική γλώσσα είναι μία από τις γλώσσες", "iso8859-7"),
        ("žluťoučký kůň příšerně úpěl ďábelské ódy", "cp1250"),
        ("我們提出了一種新的文本聚類方法，適用於大規模數據集", "big5"),
    ],
)
def test_the_rest_is_taken_for_western(text: str, charset: str) -> None:
    """What no rule tells is not taken for Cyrillic, Chinese or Japanese."""
    assert guess_charset(text.encode(charset)) == "cp1252"


def test_a_bad_byte_does_not_spoil_utf8() -> None:
    """Most sequences are UTF-8: the rest of the text stays as it is."""
    data = "“Naïve” Bayes – ".encode() + b"a\xe2\x80? b"
    assert decode(data) == (
        "“Naïve” Bayes – a\ufffd? b",
        "not quite UTF-8: some characters are lost",
    )
    assert is_damaged_utf8(b"the model\xe2\x80?s words")
    assert is_damaged_utf8(b"a \xe2\x80?b\xe2\x80? c \xe2\x80? people\xe2\x80\x99s")
    assert not is_damaged_utf8(b"caf\xe9 na\xefve")


@pytest.mark.parametrize("charset", ["cp1251", "gb18030", "cp932"])
def test_rows_and_entries_in_them_are_read(charset: str, tmp_path: Path) -> None:
    """Every kind of file: the words come out, each item has a note, and one may say it too."""
    text = TEXTS[charset]
    for name, content in (
        ("a.csv", f"id,text\n1,{text}\n2,{text}!\n"),
        ("a.bib", f"@article{{k1, title = {{{text}}}}}\n@article{{k2, title = {{{text}!}}}}"),
        ("a.ris", f"TY  - JOUR\nTI  - {text}\nER  - \nTY  - JOUR\nTI  - {text}!\nER  - \n"),
        ("a.txt", text),
        ("a.jsonl", f'{{"text": "{text}"}}\n{{"text": "{text}!"}}\n'),
    ):
        path = tmp_path / name
        path.write_bytes(content.encode(charset))
        for options in ({}, {"encoding": charset}):
            reader = open_reader(path, **options)
            items = read_all(reader)
            assert len(items) == (1 if name == "a.txt" else 2)
            for item in items:
                assert text in item.content
                assert bool(item.notes) != bool(options), name


def test_damaged_rows_of_a_table_stay_utf8(tmp_path: Path) -> None:
    """One cut quotation mark in a row does not turn its other signs into Western ones."""
    path = tmp_path / "a.csv"
    good = "1,“Über” naïve Bayes\n".encode()
    path.write_bytes(b"id,text\n" + good + "2,“Über” models".encode() + b"\xe2\x80?\n")
    reader = open_reader(path)
    first, second = (item for unit in reader.scan() for item in reader.read(unit))
    assert first.notes == ()
    assert second.text == "“Über” models\ufffd?"
    assert second.notes == ("line 3 is not UTF-8 (byte 0xe2): some characters are lost",)


def lines(data: bytes, encoding: str | None = None) -> list[str]:
    """The lines of a file."""
    return list(Lines(io.BytesIO(data), encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_are_found(encoding: str) -> None:
    """A mark at the beginning tells, and goes."""
    assert lines("pümp\nhöse".encode(encoding)) == ["pümp\n", "höse"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_line_ends_of_old_macs(encoding: str) -> None:
    """Where there is no line feed at all, a carriage return ends a line."""
    assert lines("pümp\rhöse\r".encode(encoding)) == ["pümp\n", "höse\n"]
    assert lines("ü\rb".encode(encoding)) == ["ü\n", "b"]


def test_a_carriage_return_within_a_line_stays() -> None:
    """One line feed is enough to tell that the others are none."""
    assert lines(b"a\rb\nc\r\n") == ["a\rb\n", "c\r\n"]
    assert lines(b"a\r") == ["a\r"]


def test_what_happened_to_a_line_is_told() -> None:
    """A bad byte is a note on one line, an endless line is lost alone."""
    found = Lines(io.BytesIO(b"good\ncaf\xe9\ngood\n"), None)
    told = [(found.line, bool(found.note)) for _ in found]
    assert told == [(1, False), (2, True), (3, False)]


def test_endless_lines_are_lost_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next line is read, and the numbers go on."""
    monkeypatch.setattr(charsets, "LINE_LIMIT", 10)
    found = Lines(io.BytesIO(b"short\n" + b"x" * 95 + b"\nshort\n"), None)
    assert [(found.line, bool(found.lost)) for _ in found] == [(1, False), (2, True), (3, False)]
