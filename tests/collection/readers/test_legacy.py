"""Text that is not UTF-8 and does not say what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from comraf.collection.detect import open_reader
from comraf.collection.items import Item
from comraf.collection.readers.charsets import decode
from comraf.collection.readers.legacy import guess_charset, is_damaged_utf8

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
            items = [item for unit in reader.scan() for item in reader.read(unit)]
            assert len(items) == (1 if name == "a.txt" else 2)
            for item in items:
                assert isinstance(item, Item)
                assert text in item.content
                assert bool(item.notes) != bool(options), name


def test_damaged_rows_of_a_table_stay_utf8(tmp_path: Path) -> None:
    """One cut quotation mark in a row does not turn its other signs into Western ones."""
    path = tmp_path / "a.csv"
    good = "1,“Über” naïve Bayes\n".encode()
    path.write_bytes(b"id,text\n" + good + "2,“Über” models".encode() + b"\xe2\x80?\n")
    reader = open_reader(path)
    first, second = (item for unit in reader.scan() for item in reader.read(unit))
    assert isinstance(first, Item)
    assert isinstance(second, Item)
    assert first.notes == ()
    assert second.text == "“Über” models\ufffd?"
    assert second.notes == ("line 3 is not UTF-8 (byte 0xe2): some characters are lost",)
