"""Mbox files: many messages in one file, each after a ``From `` line.

The file is read once from front to back to find where messages start, a block at a
time, so its size does not matter. Each message is a unit with a hash of its bytes: of
a mailbox that grew, or from which messages were deleted, only the new ones are read again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterator
from dataclasses import replace

from comraf.collection.items import Unit
from comraf.collection.readers.files import portable
from comraf.collection.readers.mail import MAIL, MailReader
from comraf.errors import ReadError

_BLOCK = 1 << 22
# What may stand around a separator line that has to be looked at to believe it.
_AROUND = 4096
_SEPARATOR = re.compile(rb"From ([^\r\n]{0,1000})\r?\n(?:>From [^\n]*\n)?([^\r\n]{0,1000})")
_DATED = re.compile(rb"\d{1,2}:\d{2}.*\b(?:19|20)\d\d\b|\b(?:19|20)\d\d\b.*\d{1,2}:\d{2}")
_FIELD = re.compile(rb"[!-9;-~]+[ \t]*:")
_ESCAPED = re.compile(rb"(?m)^>(>*From )")
_ENDING = re.compile(r"(?i)\.(?:mbox|mbx|mbs)$")


def _separates(window: bytes, at: int, first: bool) -> bool:
    """Tell whether the ``From `` at an offset starts a message and is no sentence."""
    # Mail programs should escape such lines in texts; many do not. So two of three signs are
    # wanted: a blank line before, a date in the line, a header field after.
    match = _SEPARATOR.match(window, at)
    if match is None:
        return False
    blank = first or window[max(0, at - 4) : at].replace(b"\r", b"").endswith(b"\n\n")
    dated = _DATED.search(match[1]) is not None
    header = _FIELD.match(match[2]) is not None
    return blank + dated + header >= 2


def is_mbox(head: bytes) -> bool:
    r"""Tell whether a file that starts with these bytes is an mbox.

    Examples
    --------
    >>> is_mbox(b"From ann Mon Jan  1 10:00:00 2001\nSubject: Hi\n\nHello\n")
    True
    >>> is_mbox(b"From here to eternity\n")
    False
    """
    stripped = head.lstrip(b"\r\n\xef\xbb\xbf")
    return stripped.startswith(b"From ") and _separates(stripped, 0, True)


def split_mbox(path: str) -> Iterator[tuple[int, int, str]]:
    r"""Yield where each message of an mbox starts and stops, and a hash of its bytes.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     box = pathlib.Path(folder, "box")
    ...     _ = box.write_bytes(b"From a Mon Jan 1 10:00:00 2001\nSubject: 1\n\nx\n\n" * 2)
    ...     [(start, stop) for start, stop, _ in split_mbox(str(box))]
    [(0, 46), (46, 92)]
    """
    with open(path, "rb", buffering=0) as file:
        buffer = b""
        base = 0  # offset of the buffer in the file
        start = 0  # where the message begun last starts
        done = 0  # up to where its bytes went into the hash
        searched = 0  # up to where the buffer was searched for separators
        digest = hashlib.blake2b(digest_size=8)
        more = True
        while more:
            block = file.read(_BLOCK)
            more = bool(block)
            buffer += block
            # the last bytes wait for what follows them, unless nothing does
            limit = len(buffer) if not more else max(0, len(buffer) - _AROUND)
            while (at := _find(buffer, searched, limit)) >= 0:
                searched = at + 1
                begin = base + at
                if begin and not _separates(buffer, at, first=False):
                    continue
                if begin > start:
                    digest.update(buffer[done - base : at])
                    yield start, begin, digest.hexdigest()
                    digest = hashlib.blake2b(digest_size=8)
                start = done = begin
            searched = max(searched, limit)
            # a little of what was searched stays: the blank line before a separator
            drop = max(0, min(searched, limit) - 8)
            if base + drop > done:
                digest.update(buffer[done - base : drop])
                done = base + drop
            buffer = buffer[drop:]
            base += drop
            searched -= drop
        end = base + len(buffer)
        if end > start:
            digest.update(buffer[done - base :])
            yield start, end, digest.hexdigest()


def _find(buffer: bytes, start: int, limit: int) -> int:
    """Find ``From `` at the start of a line, from one offset to before another."""
    if start == 0 and limit and buffer.startswith(b"From "):
        return 0
    at = buffer.find(b"\nFrom ", max(0, start - 1), limit + 5)
    return at + 1 if 0 <= at < limit - 1 else -1


class MboxReader(MailReader):
    r"""An mbox file, or a folder tree of them (Thunderbird, Google Takeout).

    The parameters are those of `.mail.MailReader`. With ``truth="folders"`` the
    name of each file is its folder.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     box = pathlib.Path(folder, "box")
    ...     _ = box.write_bytes(b"From a Mon Jan 1 10:00:00 2001\nSubject: Hi\n\nx\n")
    ...     reader = MboxReader(box)
    ...     [item.title for unit in reader.scan() for item in reader.read(unit)]
    ['Hi']
    """

    kind = "mbox"

    def scan(self) -> list[Unit]:
        """Find the messages of every mbox below the path."""
        self.renew()
        others: list[str] = []

        def messages(path: str, whole: str) -> list[Unit]:
            with open(whole, "rb") as file:
                fits = is_mbox(file.read(_AROUND))
            if not fits:
                others.append(path)
                return []
            return [Unit(path, start, stop, mark) for start, stop, mark in split_mbox(whole)]

        units = list(self.units(self.paths(), messages))
        if others and units:
            shown = ", ".join(others[:5]) + (" ..." if len(others) > 5 else "")
            self.notes.append(f"{len(others)} files are no mbox and were passed over: {shown}")
        if not units:
            raise ReadError(
                "{path!r} is no mbox: a message in it must start with a line 'From ...'. Give a "
                "file in mbox format, or choose another {p[kind]}.",
                path=self.root,
            )
        return self.drop_non_topical(units)

    def content(self, unit: Unit) -> Hashable:
        """Return what stays when a message moves within its file: its length and its hash."""
        return unit.path, None if unit.stop is None else unit.stop - unit.start, unit.fingerprint

    def source(self, unit: Unit) -> str:
        """Return the file and the offset of the message in it."""
        return f"{unit.path or portable(self.path.name)}@{unit.start}"

    def label(self, unit: Unit) -> str:
        """Return the mbox's name as a folder: ``Inbox.sbd/Pumps`` is ``Inbox/Pumps``."""
        parts = (unit.path or portable(self.path.name)).split("/")
        folders = [part.removesuffix(".sbd") for part in parts[:-1]]
        return "/".join([*folders, _ENDING.sub("", parts[-1])])

    def unwrap(self, data: bytes) -> bytes:
        """Take off the separator line, and the marks that keep texts from looking like it."""
        if data.startswith(b"From "):
            data = data[data.find(b"\n") + 1 or len(data) :]
        return _ESCAPED.sub(rb"\1", data) if b"\n>" in data else data


MBOX = replace(
    MAIL, name="mbox", about="mbox", reader=MboxReader, recognise=lambda look: is_mbox(look.head)
)
