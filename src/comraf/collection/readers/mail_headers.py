"""Header fields of messages as they really come: damaged, folded, encoded.

Only the fields that are used are decoded. The standard library's parser is not used
here: it needs seconds for a few hundred nested parts and ends in a ``RecursionError``
for a thousand, and its address parser drops whole lists for one bad entry.
"""

from __future__ import annotations

import binascii
import re
from bisect import bisect_right
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_tz

from comraf.collection.items import Address, Role
from comraf.collection.readers.charsets import clean_line, decode

# Everything else is never looked at: X-Folder, Newsgroups, Xref and Path carry the label.
MAIL_FIELDS = frozenset(
    "from to cc subject date message-id content-type content-transfer-encoding "
    "content-disposition".split()
)
HEADER_LIMIT = 1 << 20
"""Headers beyond this many bytes are not read; the text still starts where they end."""

_BLANK = re.compile(rb"\r?\n\r?\n")
_FIELD = re.compile(rb"([!-9;-~]{1,76})[ \t]*:")
_KNOWN = re.compile(
    rb"(?i)(?:from|to|cc|bcc|subject|date|message-id|reply-to|sender|received|return-path|"
    rb"references|in-reply-to|mime-version|content-[a-z-]+|x-[a-z-]+|delivered-to|newsgroups|"
    rb"organization|lines|path|xref|nntp-posting-host)[ \t]*:"
)
_WORD = re.compile(r"=\?([^?\s*=]{1,40})(?:\*[^?\s]*)?\?([bBqQ])\?(.*?)(?:\?=|$)", re.S)
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|<[^<>]*>|[(),;:<>]|[^"(),;:<>]+', re.S)
_PARAMETER = re.compile(
    r";\s*([A-Za-z-]+)(\*\d*\*?)?\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"?|([^;\s]*))", re.S
)
# nothing but addresses, as in most machine-written lists
_BARE = re.compile(
    r"[!#-'*-+\-./0-9=?A-Z^-~]++@[\w.-]++(?:,\s*[!#-'*-+\-./0-9=?A-Z^-~]++@[\w.-]++)*", re.A
)
_NOTES = re.compile(r"[^/@\s][^/@]*/[^@]*@[\w-]+")
_SUFFIX = re.compile(r"(?i)(?:jr|sr|ii|iii|iv|m\.?d|ph\.?d|esq|cpa)\.?")
_LISTED = frozenset(("to", "cc"))
# Nobody is called so; it is somebody's attack or a list that lost its commas.
_MOST_NAME = 300
_MOST_ADDRESS = 500
# A folded line that lost its indent is believed if a known field follows within so many lines.
_LOOK_AHEAD = 40
_YEARS = (1970, 2100)


def split_message(data: bytes, fields: Iterable[str] = MAIL_FIELDS) -> tuple[dict[str, str], int]:
    r"""Find the wanted header fields and where the body starts.

    Parameters
    ----------
    data : bytes
        A whole message, or its beginning.
    fields : iterable of str
        Lower-case names of the wanted fields.

    Returns
    -------
    headers : dict
        Lower-case names to unfolded values, encoded words still encoded. Repeated
        fields: ``To`` and ``Cc`` run together, of the others the first that is not empty.
    body : int
        Offset of the body.

    Examples
    --------
    >>> headers, body = split_message(b"Subject: a\n b\nX-Folder: secret\n\nHi")
    >>> headers, body
    ({'subject': 'a b'}, 32)
    """
    begin = 0
    size = len(data)
    while begin < size and data[begin] in b"\r\n\t \x00":
        begin += 1
    if data.startswith(b"\xef\xbb\xbf", begin):
        begin += 3
    blank = _BLANK.search(data, begin)
    end, body = blank.span() if blank else (size, size)
    head = data[begin : min(end, begin + HEADER_LIMIT)]
    if end > begin + HEADER_LIMIT:
        # only whole lines; a field that is longer than all that is read is not read
        head = head[: head.rfind(b"\n") + 1]
    lines = head.splitlines(keepends=True)
    wanted = frozenset(fields)
    found: dict[str, list[str]] = {}
    name = ""
    value: list[bytes] = []
    position = begin
    known: list[int] | None = None
    for number, line in enumerate(lines):
        if line[:1] in b" \t" and number:
            if name:
                value.append(line)
        elif match := _FIELD.match(line):
            _keep(found, name, value)
            name = match[1].decode("ascii").lower()
            if name in wanted:
                value = [line[match.end() :]]
            else:
                name = ""
        elif line.startswith((b"From ", b">From ")) and number < 3:
            pass
        else:
            if known is None:
                # looked for once: looking ahead from every line would cost too much
                known = [i for i, later in enumerate(lines) if _KNOWN.match(later)]
            after = bisect_right(known, number)
            if after == len(known) or known[after] > number + _LOOK_AHEAD:
                # the blank line is missing: the text starts here
                body = position
                break
            if name:
                value.append(b" " + line)
        position += len(line)
    _keep(found, name, value)
    return {
        name: ", ".join(texts) if name in _LISTED else texts[0] for name, texts in found.items()
    }, body


def _keep(found: dict[str, list[str]], name: str, value: list[bytes]) -> None:
    if not name:
        return
    data = b"".join(value)
    text = data.decode("ascii") if data.isascii() else decode(data)[0]
    text = " ".join(text.split())
    texts = found.setdefault(name, [text])
    if not texts[0]:
        texts[0] = text
    elif texts[-1] is not text and text and name in _LISTED:
        texts.append(text)


def decode_words(text: str) -> str:
    """Decode RFC 2047 encoded words, also the malformed ones that mailers send.

    Examples
    --------
    >>> decode_words("=?utf-8?Q?caf=C3?= =?utf-8?Q?=A9?= au lait")
    'café au lait'
    >>> decode_words("=?iso-8859-1?B?Y2Fm6Q?= =?x?= ?")
    'café =?x?= ?'
    """
    if "=?" not in text:
        return clean_line(text)
    out: list[str] = []
    # bytes of neighbours are joined first: mailers cut characters in two
    pending: list[bytes] = []
    charset = ""
    last = 0
    for match in _WORD.finditer(text):
        between = text[last : match.start()]
        last = match.end()
        if pending and (between.strip() or match[1].lower() != charset):
            out.append(decode(b"".join(pending), charset)[0])
            pending = []
            between_kept = between if between.strip() else ""
        else:
            between_kept = "" if pending else between
        out.append(between_kept)
        charset = match[1].lower()
        pending.append(_unword(match[2], match[3]))
    if pending:
        out.append(decode(b"".join(pending), charset)[0])
    out.append(text[last:])
    return clean_line("".join(out))


def _unword(coding: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return unbase64(data) if coding in "bB" else binascii.a2b_qp(data, header=True)


def unbase64(data: bytes) -> bytes:
    """Decode base64 as far as it goes: what is no letter of it is passed over."""
    letters = _NOT_BASE64.sub(b"", data)
    # a lone last letter carries no byte
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))


def parse_addresses(value: str, role: Role) -> list[Address]:
    r"""Read an address list, keeping what can be understood.

    Groups are flattened, comments become names, ``Last, First <a@b>`` without quotes
    is one person, and semicolons may separate as commas do.

    Examples
    --------
    >>> for person in parse_addresses('Doe, Joe <joe@x.org>; "Ann" <ann@x.org>', "to"):
    ...     print(person.name, person.address)
    Doe, Joe joe@x.org
    Ann ann@x.org
    >>> parse_addresses("joe@x.org (Joe Doe), undisclosed-recipients:;", "cc")
    [Address(name='Joe Doe', address='joe@x.org', role='cc')]
    """
    if _BARE.fullmatch(value):
        return [Address("", word, role) for word in value.replace(",", " ").split()]
    entries = _entries(value)
    people: list[Address] = []
    held = ""
    for words, angle, comment in entries:
        words = words.strip()
        if not angle and not comment and "@" not in words:
            # perhaps the first half of an unquoted "Last, First <address>"
            if held:
                people.append(Address(held, "", role))
            held = _name(words)
            if "!" in held and " " not in held:
                # an address of the UUCP age: host!user
                people.append(Address("", held, role))
                held = ""
            continue
        address = angle
        if angle and "@" not in angle:
            if "@" in words:
                # the two are swapped: joe@x.org <Joe Doe>
                address, words = words, angle
            elif " " in angle:
                address, words = "", words or angle
        if not address and "@" in words:
            found = [word for word in words.split() if "@" in word]
            if len(found) > 1 and not comment:
                # blanks where commas should be
                people += [Address("", _address(word), role) for word in found[:-1]]
                words = found[-1]
            if _NOTES.fullmatch(words):
                # Lotus Notes: Ann Smith/HOU/ECT@ECT
                address, words = words.replace(" ", "_"), words.partition("/")[0]
            else:
                address, words = found[-1], words.replace(found[-1], " ", 1)
        name = _name(words) or _name(comment)
        if (
            held
            and angle
            and words
            and (role == "from" or " " not in held or _SUFFIX.fullmatch(words))
        ):
            name = f"{held}, {name}"
        elif held:
            people.append(Address(held, "", role))
        held = ""
        address = _address(address)
        if not address or name.strip("'\"").lower() == address.lower():
            name = name if not address else ""
        if name or address:
            people.append(Address(name, address, role))
    if held:
        people.append(Address(held, "", role))
    return people


def _address(words: str) -> str:
    address = clean_line(words).replace(" ", "").strip("<>'\"")
    address = address[7:] if address.lower().startswith("mailto:") else address
    return address[:_MOST_ADDRESS]


def _name(words: str) -> str:
    if "=?" in words:
        words = decode_words(words)
    return clean_line(words).strip("\"' ,")[:_MOST_NAME].rstrip()


def _entries(value: str) -> list[tuple[str, str, str]]:
    """Cut an address list into (words, what stood in <>, what stood in comments)."""
    entries: list[tuple[str, str, str]] = []
    words: list[str] = []
    comment: list[str] = []
    angle = ""
    # whether an @ stands among the words
    addressed = False
    depth = 0
    pieces = _TOKEN.findall(value)
    if pieces and pieces[-1][0] == '"' and (len(pieces[-1]) == 1 or pieces[-1][-1] != '"'):
        # a quote that is never closed would swallow the rest of the list
        pieces[-1:] = _TOKEN.findall(pieces[-1].replace('"', ""))
    for piece in pieces:
        if depth:
            depth += (piece == "(") - (piece == ")")
            if depth:
                comment.append(piece)
        elif piece == "(":
            depth = 1
        elif piece in (",", ";"):
            entries.append(("".join(words), angle, "".join(comment)))
            words, comment, angle, addressed = [], [], "", False
        elif piece == ":":
            # the name of a group goes, and so does "mailto"; after an address it is part of it
            if angle or addressed:
                words.append(piece)
            else:
                words = []
        elif piece[0] == "<" and len(piece) > 1:
            angle = angle or piece[1:-1].strip()
        elif piece not in ("<", ">", ")", '"'):
            if piece[0] == '"':
                piece = piece[1:-1].replace('\\"', '"').replace("\\\\", "\\")
            words.append(piece)
            addressed = addressed or "@" in piece
    if depth:
        # so would a comment that is never closed
        return _entries(value.replace("(", " "))
    entries.append(("".join(words), angle, "".join(comment)))
    return [entry for entry in entries if any(part.strip() for part in entry)]


def parse_date(value: str) -> datetime | None:
    """Read a date field; aware and in UTC, None when there is no sense in it.

    A date without a zone, or with an unknown one, is taken as UTC; years in which there
    was no mail are nonsense.

    Examples
    --------
    >>> parse_date("Thu, 2 Aug 2001 07:33:32 -0700 (PDT)").isoformat()
    '2001-08-02T14:33:32+00:00'
    >>> parse_date("yesterday") is None
    True
    """
    if not value:
        return None
    try:
        parts = parsedate_tz(value[:200]) or parsedate_tz(f"{value[:200]} 00:00:00")
        if parts is None:
            moment = datetime.fromisoformat(value.strip())
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
            moment = moment.astimezone(UTC)
        else:
            offset = parts[9] or 0
            moment = datetime(*parts[:5], min(parts[5], 59), tzinfo=UTC)
            if abs(offset) <= 15 * 3600:
                moment -= timedelta(seconds=offset)
    # the standard library's parser fails in many ways on damaged dates
    except Exception:  # noqa: BLE001
        return None
    return moment if _YEARS[0] <= moment.year <= _YEARS[1] else None


def parse_parameters(value: str) -> tuple[str, dict[str, str]]:
    """Split ``text/plain; charset=x`` into its value and parameters, in lower case.

    Examples
    --------
    >>> parse_parameters('Text/HTML; Charset="UTF-8"; format=flowed')
    ('text/html', {'charset': 'UTF-8', 'format': 'flowed'})
    """
    head, semicolon, _ = value.partition(";")
    parameters: dict[str, str] = {}
    if semicolon:
        for match in _PARAMETER.finditer(value, len(head)):
            text = (match[3] if match[3] is not None else match[4]).replace('\\"', '"').strip()
            name = match[1].lower()
            if name not in parameters:
                parameters[name] = text
            elif match[2]:
                # RFC 2231: a long value goes on in name*1, name*2, ...
                parameters[name] += text
    return head.strip().lower(), parameters
