"""Lines of text files: any encoding, any line end, none of them endless."""

from __future__ import annotations

import io

import pytest

from comraf.collection.readers import tabular_lines
from comraf.collection.readers.tabular_lines import Lines


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
    monkeypatch.setattr(tabular_lines, "LINE_LIMIT", 10)
    found = Lines(io.BytesIO(b"short\n" + b"x" * 95 + b"\nshort\n"), None)
    assert [(found.line, bool(found.lost)) for _ in found] == [(1, False), (2, True), (3, False)]
