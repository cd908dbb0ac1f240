"""Header fields as they really come."""

from __future__ import annotations

from datetime import UTC, datetime
from email.header import Header
from email.utils import format_datetime, formataddr, getaddresses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.readers.mail_headers import (
    decode_words,
    parse_addresses,
    parse_date,
    parse_parameters,
    split_message,
)


def test_only_wanted_fields_are_kept() -> None:
    """Fields that carry the label are not even looked at."""
    data = b"X-Folder: pumps\nNewsgroups: sci.med\nXref: a\nPath: b\nX-From: c\nSubject: d\n\ne"
    assert split_message(data) == ({"subject": "d"}, len(data) - 1)


@pytest.mark.parametrize(
    ("data", "headers", "body"),
    [
        (b"Subject: a\r\n\tb\r\n\r\nc", {"subject": "a b"}, b"c"),
        (b"SUBJECT : a\n\nc", {"subject": "a"}, b"c"),
        (b"\n\nSubject: a\n\nc", {"subject": "a"}, b"c"),
        (b"From me Mon Jan  1 10:00:00 2001\nSubject: a\n\nc", {"subject": "a"}, b"c"),
        (b"Subject: a\nnot folded\nTo: b@x\n\nc", {"subject": "a not folded", "to": "b@x"}, b"c"),
        (b"Subject: a\nThe blank line is missing.\nEnd.", {"subject": "a"}, b"The blank"),
        (b"Subject: a", {"subject": "a"}, b""),
        (b"Subject:\nSubject: b\nSubject: c\n\n", {"subject": "b"}, b""),
        (b"To: a@x\nTo: b@x\n\n", {"to": "a@x, b@x"}, b""),
        (b"Subject: caf\xe9\n\n", {"subject": "café"}, b""),
        (b"\xef\xbb\xbfSubject: a\n\nc", {"subject": "a"}, b"c"),
        (b"no fields at all", {}, b"no fields"),
        (b"", {}, b""),
    ],
)
def test_damaged_headers(data: bytes, headers: dict[str, str], body: bytes) -> None:
    """Folding, missing blank lines, repeated and empty fields."""
    found, start = split_message(data)
    assert found == headers
    assert data[start:].startswith(body)
    assert body or start == len(data)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("=?utf-8?Q?caf=C3=A9?=", "café"),
        ("=?UTF-8?b?Y2Fmw6k=?= x", "café x"),
        ("=?utf-8?Q?a?= =?utf-8?Q?b?=", "ab"),
        ("=?utf-8?Q?a?= =?latin-1?Q?=E9?= c", "aé c"),
        ("=?utf-8?Q?=C3?= =?utf-8?Q?=A9?=", "é"),
        ("x=?utf-8?Q?=C3=A9?=y", "xéy"),
        ("=?utf-8?Q?with spaces inside?=", "with spaces inside"),
        ("=?utf-8?Q?a_b?c?=", "a b?c"),
        ("=?utf-8?Q?never closed", "never closed"),
        ("=?utf-8?B?Y2Fm!w6k?=", "café"),
        ("=?utf-8*fr?Q?caf=C3=A9?=", "café"),
        ("=?no-such-charset?Q?plain?=", "plain"),
        ("=?utf-8?X?left?=", "=?utf-8?X?left?="),
        ("=? ?=", "=? ?="),
        ("plain", "plain"),
    ],
)
def test_encoded_words(raw: str, text: str) -> None:
    """Well-formed, split, adjacent and malformed encoded words."""
    assert decode_words(raw) == text


@given(st.text(alphabet=st.characters(categories=("L", "N", "P", "Zs")), max_size=80))
def test_encoded_words_agree_with_the_standard_library(text: str) -> None:
    """What Python encodes comes back, folded over lines or not."""
    text = " ".join(text.split()).replace("=?", "")
    if not text.isascii():
        encoded = Header(text, "utf-8", maxlinelen=40).encode()
        assert decode_words(" ".join(encoded.split())) == text


PEOPLE = [
    ("a@x.org, b@x.org", [("", "a@x.org"), ("", "b@x.org")]),
    ("a@x.org b@x.org", [("", "a@x.org"), ("", "b@x.org")]),
    ("'.mike@x.com", [("", "'.mike@x.com")]),
    ('"Doe, Joe" <joe@x.org>', [("Doe, Joe", "joe@x.org")]),
    ("Doe, Joe <joe@x.org>, Ann <a@x>", [("Doe, Joe", "joe@x.org"), ("Ann", "a@x")]),
    ("Joe Doe, Jr. <joe@x.org>", [("Joe Doe, Jr.", "joe@x.org")]),
    ("Ann Lee, bo@x.org", [("Ann Lee", ""), ("", "bo@x.org")]),
    ("A <a@x>; B <b@x>", [("A", "a@x"), ("B", "b@x")]),
    ("joe@x.org (Joe (the man) Doe)", [("Joe (the man) Doe", "joe@x.org")]),
    ("Team: a@x, B <b@x>;", [("", "a@x"), ("B", "b@x")]),
    ("undisclosed-recipients:;", []),
    ("=?utf-8?Q?Doe=2C_J=C3=B6rg?= <j@x>", [("Doe, Jörg", "j@x")]),
    ('"=?utf-8?B?w4lyaWM=?=" <e@x>', [("Éric", "e@x")]),
    ("'joe@x.org' <joe@x.org>", [("", "joe@x.org")]),
    ("joe@x.org <Joe Doe>", [("Joe Doe", "joe@x.org")]),
    ("mailto:joe@x.org", [("", "joe@x.org")]),
    ("Jane <jane@x.org", [("Jane", "jane@x.org")]),
    ('Joe "never closed <joe@x.org>, b@x', [("Joe never closed", "joe@x.org"), ("", "b@x")]),
    ("Ann Li/HOU/ECT@ECT", [("Ann Li", "Ann_Li/HOU/ECT@ECT")]),
    ("Li, Ann </O=ACME/CN=ALI>", [("Li, Ann", "/O=ACME/CN=ALI")]),
    ("host.UUCP!joe", [("", "host.UUCP!joe")]),
    ("Joe Doe", [("Joe Doe", "")]),
    (" , ;, <>", []),
    ("", []),
]


@pytest.mark.parametrize(("raw", "people"), PEOPLE)
def test_addresses(raw: str, people: list[tuple[str, str]]) -> None:
    """Lists as mail programs, people and other centuries write them."""
    expected = [tuple(person) for person in people]
    if raw.startswith("Joe Doe, Jr"):
        found = parse_addresses(raw, "from")
    else:
        found = parse_addresses(raw, "to")
    assert [(person.name, person.address) for person in found] == expected


names = st.text(alphabet=st.sampled_from("abcXYZ ,.;:()<>\"'\\é"), max_size=12)


@given(st.lists(st.tuples(names, st.sampled_from(["a@x.org", "b.c@y.de"])), max_size=4))
def test_addresses_agree_with_the_standard_library(people: list[tuple[str, str]]) -> None:
    """Every list that Python writes is read as Python reads it."""
    written = ", ".join(formataddr(person) for person in people if person[0].isascii())
    ours = [person.address for person in parse_addresses(written, "to") if person.address]
    theirs = [address for _, address in getaddresses([written]) if address]
    assert ours == theirs


@given(st.text(max_size=60))
def test_any_text_is_an_address_list(text: str) -> None:
    """Nothing raises, and nobody is without name and address."""
    assert all(person.name or person.address for person in parse_addresses(text, "cc"))


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("Thu, 2 Aug 2001 07:33:32 -0700 (PDT)", "2001-08-02T14:33:32+00:00"),
        ("6 Apr 93 17:25:25 GMT", "1993-04-06T17:25:25+00:00"),
        ("Sat, 12 Jun 99 8:30 EST", "1999-06-12T13:30:00+00:00"),
        ("Thu, 2 Aug 2001", "2001-08-02T00:00:00+00:00"),
        ("Fri Jan  5 12:00:00 2001", "2001-01-05T12:00:00+00:00"),
        ("2001-05-06T10:00:00+02:00", "2001-05-06T08:00:00+00:00"),
        ("1 Jan 2001 00:00:60 +9900", "2001-01-01T00:00:59+00:00"),
        ("Mon, 31 Feb 2001 10:00:00 +0000", None),
        ("1 Jan 1900 10:00:00", None),
        ("tomorrow", None),
        ("", None),
        ("1 " * 1000, None),
    ],
)
def test_dates(raw: str, iso: str | None) -> None:
    """Dates are aware and in UTC, or None."""
    date = parse_date(raw)
    assert (date.isoformat() if date else None) == iso


@given(st.datetimes(datetime(1971, 1, 1), datetime(2099, 12, 30), timezones=st.timezones()))
def test_dates_agree_with_the_standard_library(moment: datetime) -> None:
    """What Python writes is the same moment again."""
    moment = moment.replace(microsecond=0)
    seconds = moment.utcoffset()
    if seconds is not None and seconds.seconds % 60 == 0:
        assert parse_date(format_datetime(moment)) == moment.astimezone(UTC)


@pytest.mark.parametrize(
    ("raw", "value", "parameters"),
    [
        ('Multipart/Mixed; boundary="a;b"', "multipart/mixed", {"boundary": "a;b"}),
        ("text/plain; charset=x; charset=y", "text/plain", {"charset": "x"}),
        ("text/plain;charset = x", "text/plain", {"charset": "x"}),
        ('a/b; boundary*0="x"; boundary*1="y"', "a/b", {"boundary": "xy"}),
        ('a/b; boundary="never closed', "a/b", {"boundary": "never closed"}),
        ("", "", {}),
        (";;;", "", {}),
    ],
)
def test_parameters(raw: str, value: str, parameters: dict[str, str]) -> None:
    """Quotes, repetitions, pieces and damage."""
    assert parse_parameters(raw) == (value, parameters)


def test_a_comment_that_is_never_closed_swallows_nobody() -> None:
    """The addresses behind an opening parenthesis are still read."""
    people = parse_addresses("Ann (home <ann@x.org>, bo@x.org", "to")
    assert [person.address for person in people] == ["ann@x.org", "bo@x.org"]


def test_a_long_list_of_recipients_is_no_text() -> None:
    """Twenty thousand recipients are read, and so are the subject and the text after them."""
    to = b", ".join(b"person%d@example.org" % i for i in range(20_000))
    data = b"From: a@x.org\nTo: " + to + b"\nSubject: all of you\n\nThe pump leaks."
    headers, body = split_message(data)
    assert headers["subject"] == "all of you"
    assert len(parse_addresses(headers["to"], "to")) == 20_000
    assert data[body:] == b"The pump leaks."


@pytest.mark.parametrize(
    "line", [b"X-Long: " + b"a" * 3_000_000, b"X-Many: a\n" * 300_000 + b"X: y"]
)
def test_endless_headers_are_no_text(line: bytes) -> None:
    """The text starts after the headers, however long they are."""
    data = b"Subject: a\n" + line + b"\n\nThe pump leaks."
    headers, body = split_message(data)
    assert headers == {"subject": "a"}
    assert data[body:] == b"The pump leaks."


def test_names_and_addresses_have_an_end() -> None:
    """A name of a megabyte is no name to keep."""
    (person,) = parse_addresses("n" * 100_000 + " <" + "a" * 100_000 + "@x.org>", "to")
    assert len(person.name) <= 300
    assert len(person.address) <= 500


def test_headers_are_read_up_to_a_megabyte() -> None:
    """A field before the limit is kept, one after it is not, and one across it is not cut."""
    filler = b"X-Filler: " + b"x" * 90 + b"\n"
    for lines, names in ((8_000, ["subject", "date"]), (12_000, ["subject"])):
        data = b"Subject: a\n" + filler * lines + b"Date: b\n\nText"
        headers, body = split_message(data)
        assert list(headers) == names
        assert data[body:] == b"Text"
    data = b"Subject: a\nTo: " + b"ann@x.org,\n " * 200_000 + b"\nDate: b\n\nText"
    headers, body = split_message(data)
    assert data[body:] == b"Text"
    assert headers["to"].rstrip(" ,").endswith("ann@x.org")
    long = b"Subject: a\nX-Long: " + b"y" * (1 << 20) + b"\nDate: b\n\nText"
    assert list(split_message(long)[0]) == ["subject"]


def test_a_line_that_lost_its_indent_is_believed_for_40_lines() -> None:
    """If a known field follows by then it was part of the header; else the text starts there."""
    for between, whole in ((39, True), (41, False)):
        data = b"Subject: a\n" + b"lost line\n" * between + b"To: b@x.org\n\nText"
        headers, body = split_message(data)
        assert ("to" in headers) == whole
        assert (data[body:] == b"Text") == whole


def test_years_of_mail() -> None:
    """There was none before 1970, and there is none after 2100."""
    for year, good in ((1969, False), (1970, True), (2100, True), (2101, False)):
        assert (parse_date(f"2 Aug {year} 07:33:32 +0000") is not None) == good
