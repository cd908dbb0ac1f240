"""Bytes to clean text, whatever the source claims about its encoding.

The claim is often missing or wrong. The order of trust: a byte order mark, then UTF-8
where it decodes without an error (other encodings hardly ever do by accident), then
the claimed charset, then UTF-8 with a few bad places, then what `.legacy` guesses, at last
Windows-1252, which cannot fail here.
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from functools import lru_cache

from comraf.collection.readers.legacy import NAMES, guess_charset, is_damaged_utf8, repair_utf8

__all__ = ["clean", "clean_line", "decode"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Names that mail really carries and Python does not know, and encodings that are
# announced by the name of a smaller one.
_ALIASES = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "x-gb2312": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "big5": "big5hkscs",
    "x-big5": "big5hkscs",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-9": "cp1254",
    "windows-874": "cp874",
    "tis-620": "cp874",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
    "unicode-1-1-utf-7": "utf-7",
    "unicode-1-1-utf-8": "utf-8",
    "cp-850": "cp850",
}
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
    if codec is None or codec in _WESTERN:
        try:
            return data.decode("utf-8"), ""
        except UnicodeDecodeError:
            pass
        if is_damaged_utf8(data):
            return repair_utf8(data)[0], "not quite UTF-8: some characters are lost"
        if not charset:
            return _unclaimed(data)
        text, used = _western(data)
        return text, "" if codec and codec != "ascii" else f"not {_shown(charset)}: read as {used}"
    if codec.startswith(_SINGLE):
        with suppress(UnicodeDecodeError):
            return data.decode("utf-8"), f"not {_shown(charset)}: read as utf-8"
    # codecs raise more than UnicodeDecodeError on hostile input (UTF-7, HZ)
    with suppress(Exception):
        return data.decode(codec), ""
    try:
        return data.decode("utf-8"), f"not {_shown(charset)}: read as utf-8"
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode(codec, "replace")
    except Exception:  # noqa: BLE001
        text = ""
    if text and text.count("\ufffd") * 20 <= len(text):
        return text, f"not quite {_shown(charset)}: some characters are lost"
    text, used = _western(data)
    return text, f"not {_shown(charset)}: read as {used}"


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


def _shown(charset: str | None) -> str:
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
