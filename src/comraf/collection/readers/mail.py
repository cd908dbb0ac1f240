"""Mail that lies in files: folders of ``.eml`` or numbered raw messages, and maildirs."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import MappingProxyType

from comraf.collection.items import Address, Item, Role, Skip, Unit, digest_of
from comraf.collection.kinds import Kind, Look
from comraf.collection.readers.charsets import clean_line
from comraf.collection.readers.files import (
    FileReader,
    by_folders,
    check_folders,
    folder_truth,
    portable,
    walk,
)
from comraf.collection.readers.mail_headers import (
    MAIL_FIELDS,
    decode_words,
    parse_addresses,
    parse_date,
    split_message,
)
from comraf.collection.readers.mail_mime import body_text
from comraf.collection.readers.mail_text import (
    Quotes,
    drop_long_lines,
    drop_notes_paths,
    is_forward,
    strip_quotes,
)
from comraf.collection.text.stopwords import MAIL_WORDS
from comraf.errors import InputError, ReadError
from comraf.parameters import check_choice, check_int

NON_TOPICAL = tuple(
    "all_documents calendar contacts deleted_items discussion_threads inbox notes_inbox sent "
    "sent_items _sent_mail drafts trash".split()
)
"""Folders that mail programs make; they say nothing about a topic."""

SMALLEST = 3
"""Folders with fewer messages are no classes."""

# People file mail in folders below these; what lies below the others stays what it is.
_ONLY_ITSELF = frozenset(("inbox", "notesinbox"))
_PLAIN = re.compile(r"[\W_]+")


def is_topical(label: str, non_topical: Iterable[str] = NON_TOPICAL) -> bool:
    """Tell whether a folder says something about a topic.

    A folder below ``inbox`` is topical: people file there. One below ``sent`` is not.

    Examples
    --------
    >>> is_topical("Sent Items"), is_topical("inbox/pumps"), is_topical("sent/2001")
    (False, True, False)
    """
    names = {_PLAIN.sub("", name).lower() for name in non_topical}
    parts = [_PLAIN.sub("", part).lower() for part in label.split("/")]
    if parts[-1] in names:
        return False
    return not any(part in names and part not in _ONLY_ITSELF for part in parts[:-1])


def drop_non_topical(
    units: list[Unit],
    label: Callable[[Unit], str],
    notes: list[str],
    non_topical: Iterable[str] = NON_TOPICAL,
) -> list[Unit]:
    """Leave out the units of folders that are no classes, and note how many.

    Examples
    --------
    >>> from comraf.collection.readers.files import folder_truth
    >>> units = [Unit(f"pumps/{i}") for i in range(3)] + [Unit("inbox/1"), Unit("odd/1")]
    >>> notes = []
    >>> len(drop_non_topical(units, lambda unit: folder_truth(unit.path), notes)), notes[0]
    (3, '1 messages in 1 non-topical folders dropped: inbox')
    """
    sizes = Counter(map(label, units))
    names = tuple(non_topical)
    standard = {name for name in sizes if not is_topical(name, names)}
    small = {name for name, size in sizes.items() if size < SMALLEST} - standard
    for group, why in ((standard, "non-topical folders"), (small, f"folders under {SMALLEST}")):
        if group:
            count = sum(sizes[name] for name in group)
            shown = ", ".join(sorted(group)[:8]) + (" ..." if len(group) > 8 else "")
            notes.append(f"{count} messages in {len(group)} {why} dropped: {shown or 'the top'}")
    kept = [unit for unit in units if (name := label(unit)) not in standard and name not in small]
    if units and not kept:
        raise InputError(
            "With {given} none of the {n} messages is left: their folders are non-topical or hold "
            "fewer than {least} messages. Read without {p[truth]}, or give the folder above as "
            "the path.",
            "truth",
            "folders",
            n=len(units),
            least=SMALLEST,
        )
    return kept


MAX_BYTES = 8 << 20
"""Bytes of one message that are read; its text comes first, attachments follow."""

_TITLE_LIMIT = 1000
_ID_LIMIT = 250
_MESSAGE_ID = re.compile(r"<\s*([^<>]+?)\s*>")
_SIGNS = MAIL_FIELDS | {"received", "return-path", "mime-version", "newsgroups"}
_EMLX = re.compile(rb"[ \t]*(\d{1,10})[ \t]*\r?\n")
_SIDE_LIMIT = 200
# Some systems allow no colon in a name.
_FLAGS = re.compile(r"[:;!]2,")
_NO_SIDES: Mapping[str, str] = MappingProxyType({})


def parse_message(
    data: bytes,
    source: str = "",
    *,
    quotes: Quotes = "keep",
    signatures: bool = True,
    truth: str | None = None,
    roles: tuple[Role, ...] = ("from", "to", "cc"),
    sides: Mapping[str, str] = _NO_SIDES,
    notes: tuple[str, ...] = (),
) -> Item | Skip:
    r"""Turn the bytes of one message into an item. Never raises, whatever the bytes are.

    Of the headers only From, To, Cc, Subject and Date are used (and the Message-ID as
    the item's id; a message without one gets a hash of what it says).

    Parameters
    ----------
    data : bytes
        The message, headers first.
    source : str
        Where it was found.
    quotes : {"auto", "drop", "keep"}
        What happens to quoted text, see `.mail_text.strip_quotes`.
    signatures : bool, default=True
        Whether signatures are cut off.
    truth : str or None
        Passed on to the item.
    roles : tuple of {"from", "to", "cc"}
        Which people are kept.
    sides : mapping of str to str
        Further header fields (in lower case) that become sides, and the sides' names.
    notes : tuple of str
        What is known already to be odd about the message.

    Examples
    --------
    >>> item = parse_message(b"From: Ann <ann@x.org>\nSubject: Pumps\n\nIt leaks.\n")
    >>> item.title, item.text, item.people[0].address
    ('Pumps', 'It leaks.', 'ann@x.org')
    >>> parse_message(b"\x00\x01\x02")
    Skip(source='', reason='not a mail message: it has no header fields')
    """
    if not data.strip(b"\x00 \t\r\n"):
        return Skip(source, "empty")
    try:
        headers, start = split_message(data, MAIL_FIELDS | sides.keys() if sides else MAIL_FIELDS)
        if not any(headers.get(name) for name in ("from", "to", "subject", "date", "message-id")):
            return Skip(source, "not a mail message: it has no header fields")
        text, repaired = body_text(data, headers, start, quotes=quotes == "keep")
        title = decode_words(headers.get("subject", ""))[:_TITLE_LIMIT]
        date = parse_date(headers.get("date", ""))
        people = _people(headers, roles)
        digest = _digest(title, date, people, text)
        text = strip_quotes(
            drop_long_lines(text), quotes=quotes, signatures=signatures, forward=is_forward(title)
        )
        return Item(
            id=_message_id(headers) or digest,
            text=drop_notes_paths(text).strip(),
            title=title,
            date=date,
            source=source,
            people=people,
            values=_values(headers, sides),
            truth=truth,
            digest=digest,
            notes=notes + tuple(repaired),
        )
    # a message that defeats the parser must not end the reading of a million others
    except Exception as error:  # noqa: BLE001
        return Skip(source, f"damaged: {type(error).__name__}: {clean_line(str(error))[:200]}")


def _people(headers: dict[str, str], roles: tuple[Role, ...]) -> tuple[Address, ...]:
    return tuple(
        address
        for role in roles
        if (value := headers.get(role))
        for address in parse_addresses(value, role)
    )


def _values(headers: dict[str, str], sides: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found = ((side, decode_words(headers.get(field, ""))) for field, side in sides.items())
    return {side: (value[:_SIDE_LIMIT],) for side, value in found if value}


def _digest(title: str, date: datetime | None, people: tuple[Address, ...], text: str) -> str:
    parts = [title, date.isoformat() if date else "", *(p.address or p.name for p in people)]
    # mailers disagree on blanks and line ends, copies must not
    return digest_of(*parts, " ".join(text.split()))


def _message_id(headers: dict[str, str]) -> str:
    value = headers.get("message-id", "")
    match = _MESSAGE_ID.search(value)
    name = clean_line(match[1] if match else value).strip("<>")
    return name if len(name) <= _ID_LIMIT else digest_of(name)


class MailReader(FileReader):
    """What all mail readers share: the options, and how a message becomes an item.

    Parameters
    ----------
    path : path-like
        Where the mail lies.
    quotes : {"auto", "drop", "keep"}
        Quoted replies: kept, dropped, or dropped unless too little would remain.
        Forwarded messages stay.
    signatures : {"drop", "keep"}, default="drop"
        What follows the conventional ``-- `` line.
    truth : {None, "folders", "folders:N"}
        "folders" takes the folder of a message as the class it belongs to, and drops
        non-topical folders and those with fewer than three messages; "folders:1" takes the
        topmost folder, "folders:2" two of them.
    non_topical : sequence of str
        Names of the folders to drop.
    max_bytes : int
        How much of a message is read at most.
    """

    kind = "mail"
    #: Fields that name people, and fields that are sides, by the name of the side.
    roles: tuple[Role, ...] = ("from", "to", "cc")
    sides: Mapping[str, str] = _NO_SIDES

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        quotes: Quotes = "keep",
        signatures: str = "drop",
        truth: str | None = None,
        non_topical: Iterable[str] = NON_TOPICAL,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        check_choice("quotes", quotes, ("auto", "drop", "keep"))
        check_choice("signatures", signatures, ("drop", "keep"))
        check_folders(truth)
        check_int("max_bytes", max_bytes, least=1024)
        super().__init__(path)
        self.quotes: Quotes = quotes
        self.signatures = signatures
        self.truth = truth
        self.non_topical = tuple(non_topical)
        self.max_bytes = max_bytes

    def label(self, unit: Unit) -> str:
        """Return the folder of a unit, as a flat name."""
        return folder_truth(unit.path) or portable(self.path.resolve().name)

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the message of a unit, as an item or as a skip."""
        data, notes = self.beginning(unit, self.max_bytes)
        truth = self._class(unit) if by_folders(self.truth) else None
        yield self.parse(self.unwrap(data), self.source(unit), truth, notes)

    def _class(self, unit: Unit) -> str:
        return folder_truth(f"{self.label(unit)}/", self.truth)

    def unwrap(self, data: bytes) -> bytes:
        """Take off what a file format puts around a message."""
        return data

    def parse(
        self, data: bytes, source: str, truth: str | None, notes: tuple[str, ...]
    ) -> Item | Skip:
        """Turn the bytes of one message into an item."""
        return parse_message(
            data,
            source,
            quotes=self.quotes,
            signatures=self.signatures == "drop",
            truth=truth,
            roles=self.roles,
            sides=self.sides,
            notes=notes,
        )

    def drop_non_topical(self, units: list[Unit]) -> list[Unit]:
        """Drop folders that are no classes, when truth was asked for."""
        if not by_folders(self.truth):
            return units
        return drop_non_topical(units, self._class, self.notes, self.non_topical)


class MailFolderReader(MailReader):
    r"""A folder tree with one raw message in each file.

    Files may be called ``12``, ``12.eml``, ``12.emlx`` or anything else; what is no
    message is skipped and counted. The parameters are those of `MailReader`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "1.").write_text("Subject: Hi\n\nHello")
    ...     reader = MailFolderReader(folder)
    ...     [item.title for unit in reader.scan() for item in reader.read(unit)]
    ['Hi']
    """

    kind = "mail"

    def scan(self) -> list[Unit]:
        """List the files; with ``truth="folders"`` only those of topical folders."""
        units = super().scan()
        return units if self.path.is_file() else self.drop_non_topical(units)

    def unwrap(self, data: bytes) -> bytes:
        """Take off the byte count and the property list of Apple's ``.emlx``."""
        match = _EMLX.match(data)
        if match:
            return data[match.end() : match.end() + int(match[1])]
        return data


class MaildirReader(MailReader):
    r"""A maildir, with its subfolders, or a tree of maildirs.

    The parameters are those of `MailReader`. Messages in ``tmp`` are still being
    delivered and are not read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("cur", "new", "tmp"):
    ...         pathlib.Path(folder, name).mkdir()
    ...     _ = pathlib.Path(folder, "new", "1.host").write_text("Subject: Hi\n\nHello")
    ...     reader = MaildirReader(folder)
    ...     [item.title for unit in reader.scan() for item in reader.read(unit)]
    ['Hi']
    """

    kind = "maildir"

    def scan(self) -> list[Unit]:
        """List the messages in ``cur`` and ``new`` of every maildir below the path."""
        self.renew()
        units = []
        for path, mark, readable in walk(self.root, self.notes, hidden=True):
            parts = portable(path).split("/")
            delivered = len(parts) > 1 and parts[-2] in ("cur", "new")
            if (delivered or not readable) and not parts[-1].startswith("."):
                units.append(Unit("/".join(parts), fingerprint=mark))
        if not units:
            raise ReadError(f"The maildir {self.root!r} holds no messages in 'cur' or 'new'.")
        return self.drop_non_topical(units)

    def content(self, unit: Unit) -> Hashable:
        """Return what stays when a message is read, flagged or answered: its file is renamed."""
        folder, _, name = unit.path.rpartition("/")
        return folder.rpartition("/")[0], _FLAGS.split(name)[0], unit.fingerprint

    def label(self, unit: Unit) -> str:
        """Return the maildir folder: ``.Projects.Pumps/cur/1`` lies in ``Projects/Pumps``."""
        folders = unit.path.split("/")[:-2]
        parts = [p for f in folders for p in (f[1:].split(".") if f[:1] == "." else [f]) if p]
        return "/".join(parts) or "inbox"


def _message_kind(head: bytes) -> str:
    """Tell mail from news by the fields that a file starts with; empty when it has none."""
    headers, body = split_message(head, _SIGNS)
    if len(headers) < 2 or body == 0:
        return ""
    return "news" if "newsgroups" in headers else "mail"


def looks_like(kind: str, look: Look) -> bool:
    """Whether a file is one message of a kind, "mail" or "news"."""
    return not look.claim and not look.is_page and _message_kind(look.head) == kind


def _is_delivered(look: Look) -> bool:
    """Whether a file lies in a maildir."""
    parent, folder = os.path.split(os.path.dirname(look.path))
    if not look.folder or folder not in ("cur", "new"):
        return False
    return os.path.isdir(os.path.join(parent, "cur"))


MAIL = Kind(
    "mail",
    "folders of messages",
    MailFolderReader,
    noun="message",
    recognise=partial(looks_like, "mail"),
    family="mail",
    messages=True,
    stop_words=MAIL_WORDS,
)
MAILDIR = replace(
    MAIL,
    name="maildir",
    about="maildirs",
    reader=MaildirReader,
    recognise=_is_delivered,
    binary=True,
)
