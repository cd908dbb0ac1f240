"""Lines of text files, one at a time: any encoding, any line end, none of them endless."""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Iterator
from typing import BinaryIO

from comraf.collection.readers.legacy import NAMES, guess_charset, is_damaged_utf8, repair_utf8
from comraf.errors import InputError

__all__ = ["LINE_LIMIT", "Lines", "check_encoding", "is_wide"]

LINE_LIMIT = 64 << 20
"""Bytes of one line, and characters of one row, beyond which a row is skipped."""

_WIDE_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_LOOK_AT = 1 << 16


def is_wide(head: bytes) -> bool:
    r"""Tell whether a file that starts with these bytes has two or four bytes a letter.

    Examples
    --------
    >>> is_wide("a".encode("utf-16")), is_wide(b"a")
    (True, False)
    """
    return head.startswith(_WIDE_BOMS)


def check_encoding(encoding: str | None) -> None:
    """Refuse the name of an encoding that does not exist, or is none of text.

    Examples
    --------
    >>> check_encoding("latin-1")
    """
    try:
        if encoding is not None:
            # not all that have a name are about text, or can stand in for what they can't read
            b"a".decode(encoding, "replace")
    except (LookupError, ValueError):
        raise InputError(
            "{given} is not known. Common ones are 'utf-8', 'cp1252', 'latin-1' and "
            "'utf-16'; leave it out to have it found.",
            "encoding",
            encoding,
        ) from None


class Lines:
    r"""Lines of a file as text, decoded one by one so that one bad byte harms one line.

    Attributes
    ----------
    line : int
        Number of the latest line.
    note : str
        What had to be repaired in it.
    lost : str
        Why it is not there; empty when it is.

    Examples
    --------
    >>> list(Lines(io.BytesIO(b"caf\xc3\xa9\ncaf\xe9\n"), None))
    ['café\n', 'café\n']
    """

    def __init__(self, file: BinaryIO, encoding: str | None, *, line: int = 0) -> None:
        self.line = line
        self.note = ""
        self.lost = ""
        head = file.read(_LOOK_AT)
        file.seek(-len(head), os.SEEK_CUR)
        self._text: io.TextIOWrapper | None = None
        if encoding is None and is_wide(head):
            encoding = "utf-32" if b"\x00\x00" in (head[:2], head[2:4]) else "utf-16"
        # old Macs end lines in a way that nothing else does; then all line ends are one
        old = encoding is None and b"\r" in head[:-1] and b"\n" not in head
        if old:
            encoding = _old_encoding(head)
        if encoding is not None:
            newline = None if old else ""
            self._text = io.TextIOWrapper(file, encoding, errors="replace", newline=newline)
        elif head.startswith(codecs.BOM_UTF8):
            file.seek(len(codecs.BOM_UTF8), os.SEEK_CUR)
        self._file = file
        # what the file is in as a whole says more than one line of it
        self._legacy = "" if encoding is not None or _is_utf8(head) else guess_charset(head)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        stream = self._text if self._text is not None else self._file
        self.note = self.lost = ""
        raw = stream.readline(LINE_LIMIT)
        if not raw:
            raise StopIteration
        self.line += 1
        if len(raw) >= LINE_LIMIT and raw[-1:] not in ("\n", b"\n"):
            self.lost = f"longer than {LINE_LIMIT >> 20} MB"
            while raw and raw[-1:] not in ("\n", b"\n"):
                raw = stream.readline(LINE_LIMIT)
            return "\n"
        if isinstance(raw, str):
            return raw
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            where = f"line {self.line} is not UTF-8 (byte 0x{raw[error.start]:02x})"
            if is_damaged_utf8(raw):
                self.note = f"{where}: some characters are lost"
                return repair_utf8(raw)[0]
            charset = self._legacy or guess_charset(raw)
            self.note = f"{where}: read as {NAMES[charset]}"
            return raw.decode(charset, "replace")


def _is_utf8(head: bytes) -> bool:
    try:
        # the last character may be cut
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return is_damaged_utf8(head)
    return True


def _old_encoding(head: bytes) -> str:
    return "utf-8-sig" if _is_utf8(head) else guess_charset(head)
