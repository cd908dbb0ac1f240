"""Bytes and lines of files to clean text, whatever the source claims about its encoding.

The claim is often missing or wrong. The order of trust: a byte order mark, then UTF-8
where it decodes without an error (other encodings hardly ever do by accident), then
the claimed charset, then UTF-8 with a few bad places, then a guess by a plain rule, from how the
letters of a language are spread; all the rest is taken for Windows-1252. A guess is always told.
"""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import BinaryIO

from comraf.collection.text.lists import read_lists
from comraf.errors import InputError

NAMES = {
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1252": "Windows-1252 (Western)",
    "latin-1": "Latin-1 (Western)",
    "cp932": "Shift-JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "cp949": "EUC-KR (Korean)",
    "gb18030": "GB18030 (Chinese)",
}
"""What the encodings are called that are taken without being asked for."""

_LOOK_AT = 1 << 16
_HIGH = re.compile(rb"[\x80-\xff]+")
# Fewer letters than this say nothing about their language.
_ENOUGH = 8
# о е а и н т: nearly half of all letters of Russian, and a third in its neighbours.
_CYRILLIC = frozenset("оеаинт".encode("cp1251"))
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
# A quotation mark or dash of which the end is missing: no letters of a Western text look so.
_CUT = re.compile(rb"\xe2[\x80-\x84](?![\x80-\xbf])")


def is_damaged_utf8(data: bytes) -> bool:
    r"""Tell whether bytes are UTF-8 with a few bad places rather than something else.

    Examples
    --------
    >>> is_damaged_utf8("“naïve” – ".encode() + b"\xe2\x80?"), is_damaged_utf8(b"na\xefve")
    (True, False)
    """
    lost, good = repair_utf8(data)[1:]
    cut = len(_CUT.findall(data))
    return good + cut > lost - cut


def repair_utf8(data: bytes) -> tuple[str, int, int]:
    r"""Decode UTF-8; also how many places are lost, and how many letters beyond ASCII are not.

    Examples
    --------
    >>> repair_utf8("naïve ".encode() + b"\xe2\x80?")
    ('naïve �?', 1, 1)
    """
    text = data.decode("utf-8", "replace")
    beyond = sum(sign > "\x7f" for sign in text)
    lost = max(text.count("\ufffd") - data.count("\ufffd".encode()), 0)
    return text, lost, beyond - lost


def guess_charset(data: bytes) -> str:
    """Name the encoding of bytes that are not UTF-8; "cp1252" where no rule tells another.

    Examples
    --------
    >>> guess_charset("Насос течёт, и вода стоит в подвале".encode("cp1251"))
    'cp1251'
    >>> guess_charset("水泵漏水，地下室里全是水，我们需要修理".encode("gb18030"))
    'gb18030'
    >>> guess_charset("Die Pumpe läuft über".encode("cp1252"))
    'cp1252'
    """
    data = data[:_LOOK_AT]
    runs = _HIGH.findall(data)
    n_high = sum(map(len, runs))
    if n_high < _ENOUGH:
        return "cp1252"
    for name in ("cp932", "euc_jp"):
        signs = _beyond(data, name)
        if signs and len(_KANA.findall(signs)) >= 0.2 * len(signs):
            return name
    # letters of a Western text stand alone among others
    if n_high < 2.5 * len(runs):
        return "cp1252"
    joined = b"".join(runs)
    if sum(byte in _CYRILLIC for byte in joined) >= 0.33 * n_high:
        return "cp1251"
    return _chinese(data)


def _chinese(data: bytes) -> str:
    signs = _beyond(data, "gb18030")
    leads = [pair[0] for sign in signs if len(pair := sign.encode("gb2312", "ignore")) == 2]
    # the common signs stand in one stretch of the table, in the order of how they are spoken
    common = [lead for lead in leads if 0xB0 <= lead <= 0xD7]
    if len(common) < _ENOUGH // 2 or len(common) < 0.6 * len(signs):
        return "cp1252"
    # Korean lies in the first part of it, and Chinese of some length never does
    return "cp949" if sum(lead > 0xC8 for lead in common) < 0.05 * len(common) else "gb18030"


def _beyond(data: bytes, name: str) -> str:
    """The signs beyond ASCII of a text in some encoding; empty when it is not in it."""
    try:
        # the last sign may be cut
        text = codecs.getincrementaldecoder(name)().decode(data)
    except UnicodeDecodeError:
        return ""
    return "".join(sign for sign in text if sign > "\x7f")


_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ALIASES = dict(line.split() for line in read_lists("charsets.txt")["aliases"].split("\n"))
# Encodings in which pure ASCII bytes may mean something else.
_STATEFUL = ("utf-7", "iso2022", "hz", "utf-16", "utf-32", "cp037", "cp500", "cp1140")
# Python codecs that are no charsets: slow, surprising or an attack.
_FORBIDDEN = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "charmap"}
_WESTERN = {"ascii", "iso8859-1", "cp1252"}
# One byte a letter: any bytes decode, so that success says nothing about the claim.
_SINGLE = ("iso8859", "cp125", "koi8", "mac", "cp4", "cp8")

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_NEWLINE = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACE = re.compile(r"\s+")


@lru_cache(maxsize=1024)
def _codec(charset: str) -> str | None:
    """Return Python's name for a claimed charset, None when there is no such thing."""
    name = charset.strip(" \t\"'<>;").lower()
    try:
        info = codecs.lookup(_ALIASES.get(name, name))
    # a hostile name can trip the import of the codec in many ways
    except Exception:  # noqa: BLE001
        return None
    python_name = info.name.replace("_", "-")
    if python_name in _FORBIDDEN or not getattr(info, "_is_text_encoding", True):
        return None
    return info.name


def decode(data: bytes, charset: str | None = None) -> tuple[str, str]:
    """Decode bytes as well as possible.

    Parameters
    ----------
    data : bytes
        Any bytes.
    charset : str or None
        What the source claims; may be unknown or wrong.

    Returns
    -------
    text : str
        Not yet cleaned; undecodable bytes became U+FFFD.
    note : str
        Empty, or what was wrong with the claim, or what was taken where there is none.

    Examples
    --------
    >>> decode("naïve".encode("latin-1"), "us-ascii")
    ('naïve', 'not us-ascii: read as cp1252')
    >>> decode("naïve".encode(), "x-unknown")
    ('naïve', '')
    """
    for bom, name in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(name, "replace"), ""
    codec = _codec(charset) if charset else None
    if data.isascii() and not (codec and codec.startswith(_STATEFUL)):
        # Japanese mail often forgets to say so
        if b"\x1b$" in data:
            codec = "iso2022_jp_2"
        else:
            return data.decode("ascii"), ""
    utf8: str | None = None
    with suppress(UnicodeDecodeError):
        utf8 = data.decode("utf-8")
    if codec is None or codec in _WESTERN:
        if utf8 is not None:
            return utf8, ""
        if is_damaged_utf8(data):
            return repair_utf8(data)[0], "not quite UTF-8: some characters are lost"
        if not charset:
            return _unclaimed(data)
        text, used = _western(data)
        return text, "" if codec and codec != "ascii" else f"not {_claim(charset)}: read as {used}"
    if utf8 is not None and codec.startswith(_SINGLE):
        return utf8, f"not {_claim(charset)}: read as utf-8"
    # codecs raise more than UnicodeDecodeError on hostile input (UTF-7, HZ)
    with suppress(Exception):
        return data.decode(codec), ""
    if utf8 is not None:
        return utf8, f"not {_claim(charset)}: read as utf-8"
    text = ""
    with suppress(Exception):
        text = data.decode(codec, "replace")
    if text and text.count("\ufffd") * 20 <= len(text):
        return text, f"not quite {_claim(charset)}: some characters are lost"
    text, used = _western(data)
    return text, f"not {_claim(charset)}: read as {used}"


def _unclaimed(data: bytes) -> tuple[str, str]:
    """Text that is not UTF-8, and nobody said what it is."""
    used = guess_charset(data)
    if used == "cp1252":
        text, used = _western(data)
    else:
        text = data.decode(used, "replace")
    return text, f"not UTF-8: read as {NAMES[used]}"


def _western(data: bytes) -> tuple[str, str]:
    try:
        return data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def _claim(charset: str | None) -> str:
    return clean_line(charset or "utf-8")[:40]


def clean(text: str) -> str:
    r"""Normalise line ends; drop control characters and lone surrogates.

    Examples
    --------
    >>> clean("a\r\nb\x1b[31m")
    'a\nb[31m'
    """
    if "\r" in text or "\x0c" in text or not text.isascii():
        text = _NEWLINE.sub("\n", text)
    return _CONTROL.sub("", text)


def clean_line(text: str) -> str:
    r"""Like `clean`, with every run of white space made one blank.

    Examples
    --------
    >>> clean_line(" a \n\t b ")
    'a b'
    """
    return _CONTROL.sub("", _SPACE.sub(" ", text)).strip()


LINE_LIMIT = 64 << 20
"""Bytes of one line, and characters of one row, beyond which a row is skipped."""

_WIDE_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


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
