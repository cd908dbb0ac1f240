"""Text that is not UTF-8 and does not say what it is: damaged UTF-8, or an older encoding.

Only what is told by a plain rule is guessed, from how the letters of a language are spread;
all the rest is taken for Windows-1252. A guess is always told to who reads.
"""

from __future__ import annotations

import codecs
import re

__all__ = ["NAMES", "guess_charset", "is_damaged_utf8", "repair_utf8"]

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
