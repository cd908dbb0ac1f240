"""A small invented mailbox: real messages, several topics, and the truth about them.

The mailbox belongs to Nora Lindqvist, who renovates a house, sails, nurses on a ward, helps at
a film festival, sends a child on a school trip, translates a program, grows vegetables and
goes to court about a bridge. Every person, address, place and sentence is made up for comraf.
The same seed gives the same bytes.

Examples
--------
>>> from comraf.collection import sample
>>> mailbox = sample.messages(100, seed=7)
>>> sorted({message.topic for message in mailbox})[:3]
['bridge', 'festival', 'garden']
>>> tables = sample.sample_tables(100, seed=7)
>>> sorted(tables.by_name())
['people', 'subjects', 'words']
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from email import policy
from email.generator import BytesGenerator
from email.header import Header
from email.message import EmailMessage
from email.utils import format_datetime, formataddr
from functools import lru_cache
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection._sample_drafts import (
    LISTS,
    OWNER,
    PEOPLE,
    STOCKS,
    STOP_WORDS,
    Draft,
    SamplePerson,
    iter_drafts,
)
from comraf.errors import WriteError
from comraf.parameters import check_int
from comraf.store import files_whole, folder_whole, write_pieces

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "LISTS",
    "TOPICS",
    "SampleMessage",
    "SamplePerson",
    "SampleTables",
    "iter_messages",
    "messages",
    "people",
    "sample_tables",
    "write_maildir",
    "write_mbox",
]

#: Topic -> name of its folder.
TOPICS: dict[str, str] = {stock.topic: stock.folder for stock in STOCKS}

_WORD = re.compile(r"[^\W\d_]{2,}")
_PREFIX = re.compile(r"^(?:re: )?(?:\[[^\]]*\] )?", re.IGNORECASE)


@dataclass(frozen=True)
class SampleMessage:
    """One message of the sample mailbox and what it is about.

    Attributes
    ----------
    message : email.message.EmailMessage
    topic : str
        The truth; a key of `TOPICS`.
    folder : str
        The mail folder that the owner keeps it in, one a topic.

    Examples
    --------
    >>> one = messages(1)[0]
    >>> TOPICS[one.topic] == one.folder
    True
    """

    message: EmailMessage
    topic: str
    folder: str


@dataclass(frozen=True)
class SampleTables:
    """The sample mailbox as tables that share their rows.

    Attributes
    ----------
    message_ids : tuple of str
        Names of the rows: one for each distinct message, in order of time.
    words, people, subjects : scipy.sparse.csr_array of int32
        How often a word stands in what the sender wrote (quotes and signatures are left out);
        whether an address is in From, To or Cc; how often a word stands in the subject.
    word_names, people_names, subject_names : tuple of str
        Names of the columns, sorted.
    truth : numpy.ndarray of str
        Topic of each row.

    Examples
    --------
    >>> tables = sample_tables(60)
    >>> tables.words.shape == (len(tables.message_ids), len(tables.word_names))
    True
    """

    message_ids: tuple[str, ...]
    words: csr_array[Any]
    word_names: tuple[str, ...]
    people: csr_array[Any]
    people_names: tuple[str, ...]
    subjects: csr_array[Any]
    subject_names: tuple[str, ...]
    truth: NDArray[np.str_]

    def by_name(self) -> dict[str, csr_array[Any]]:
        """Return the three tables as the mapping that the estimators take.

        Examples
        --------
        >>> list(sample_tables(20).by_name())
        ['words', 'people', 'subjects']
        """
        return {"words": self.words, "people": self.people, "subjects": self.subjects}


def people() -> tuple[SamplePerson, ...]:
    """Return everyone in the mailbox, its owner first.

    Who has several addresses or spellings is the truth for uniting them.

    Examples
    --------
    >>> people()[0].addresses
    ('nora.lindqvist@example.org', 'nora@lindqvist.example')
    """
    return (OWNER, *PEOPLE)


def messages(n_messages: int = 400, seed: int = 0) -> list[SampleMessage]:
    """Return the sample mailbox in order of time.

    Parameters
    ----------
    n_messages : int, default 400
        How many messages; a few of them are second copies of the message before.
    seed : int, default 0
        Another seed, another mailbox. The same seed and number give the same bytes.

    Returns
    -------
    list of SampleMessage

    Examples
    --------
    >>> mailbox = messages(50)
    >>> len(mailbox), mailbox[0].message["Subject"] is not None
    (50, True)
    """
    return list(iter_messages(n_messages, seed))


def iter_messages(n_messages: int = 400, seed: int = 0) -> Iterator[SampleMessage]:
    """Write the messages one at a time; memory does not grow with their number.

    Parameters
    ----------
    n_messages, seed : int
        As in `messages`.

    Examples
    --------
    >>> stream = iter_messages(1_000_000)
    >>> next(stream).message["To"] is not None
    True
    """
    _check(n_messages, seed)
    return (SampleMessage(_email(d), d.topic, d.folder) for d in iter_drafts(n_messages, seed))


def sample_tables(n_messages: int = 400, seed: int = 0) -> SampleTables:
    """Count the sample mailbox into documents x words, x people and x subject words.

    Words are runs of two letters or more, in lower case, without a short list of English stop
    words, as the sender wrote them: quoted replies and signatures are left out. People are
    addresses in From, To or Cc. Columns that stand in a single message are dropped, and so is
    the second copy of a message.

    Parameters
    ----------
    n_messages, seed : int
        As in `messages`.

    Returns
    -------
    SampleTables

    Examples
    --------
    >>> tables = sample_tables(200)
    >>> "nora.lindqvist@example.org" in tables.people_names
    True
    """
    _check(n_messages, seed)
    drafts = {draft.message_id: draft for draft in iter_drafts(n_messages, seed)}.values()
    words = _table(_words("\n".join(draft.paragraphs)) for draft in drafts)
    people = _table(
        {address.lower() for _, address in (draft.sender, *draft.to, *draft.cc)} for draft in drafts
    )
    subjects = _table(_words(_PREFIX.sub("", draft.subject)) for draft in drafts)
    truth = np.array([draft.topic for draft in drafts], dtype=np.str_)
    ids = tuple(draft.message_id for draft in drafts)
    return SampleTables(ids, *words, *people, *subjects, truth)


def _words(text: str) -> list[str]:
    """Words of two letters or more in lower case, without the stop words."""
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


def _table(rows: Iterable[Collection[str]]) -> tuple[csr_array[Any], tuple[str, ...]]:
    """How often each name that stands in two rows or more is in each row; the names, sorted."""
    from scipy.sparse import coo_array, csr_array

    listed = list(rows)
    in_rows = Counter(name for row in listed for name in set(row))
    names = sorted(name for name, n in in_rows.items() if n >= 2)
    column = {name: number for number, name in enumerate(names)}
    places = [(i, column[name]) for i, row in enumerate(listed) for name in row if name in column]
    where = np.array(places, np.int32).reshape(-1, 2).T
    ones = np.ones(len(places), np.int32)
    shape = (len(listed), len(names))
    return csr_array(coo_array((ones, (where[0], where[1])), shape=shape)), tuple(names)


def write_mbox(path: str | os.PathLike[str], n_messages: int = 400, seed: int = 0) -> Path:
    """Write the sample mailbox to one mbox file.

    Parameters
    ----------
    path : path
        The file; it must not exist yet, or be empty. It appears only when it is complete.
    n_messages, seed : int
        As in `messages`.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> import mailbox, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     len(mailbox.mbox(write_mbox(Path(folder) / "sample.mbox", 10)))
    10
    """
    _check(n_messages, seed)
    target = Path(path)
    if target.is_dir():
        raise WriteError(f"{target} is a folder; give the name of a file to write the mbox to")
    _check_free(target)
    check_parent(target, "mailbox")
    try:
        with files_whole(target, durable=False) as [part]:
            write_pieces(part, map(_mbox_entry, iter_drafts(n_messages, seed)))
            _check_free(target)  # somebody may have saved something meanwhile
    except OSError as error:
        raise WriteError(f"can't write the sample mailbox to {target}: {error}") from error
    return target


def _check_free(target: Path) -> None:
    if target.exists() and (not target.is_file() or target.stat().st_size > 0):
        raise WriteError(f"{target} exists and is not empty; remove it or choose another name")


def write_maildir(path: str | os.PathLike[str], n_messages: int = 400, seed: int = 0) -> Path:
    """Write the sample mailbox as a maildir with one folder for each topic.

    Parameters
    ----------
    path : path
        The maildir; it must not exist yet, or be an empty folder. It appears only when it is
        complete.
    n_messages, seed : int
        As in `messages`.

    Returns
    -------
    pathlib.Path
        The maildir.

    Examples
    --------
    >>> import mailbox, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     maildir = mailbox.Maildir(write_maildir(Path(folder) / "mail", 50))
    ...     "Sailing club" in maildir.list_folders()
    True
    """
    _check(n_messages, seed)
    target = Path(path)
    with new_folder(target, "maildir") as part:
        for name in ("", *(f".{folder}" for folder in TOPICS.values())):
            for state in ("cur", "new", "tmp"):
                (part / name / state).mkdir(parents=True)
            if name:
                (part / name / "maildirfolder").touch()
        for number, draft in enumerate(iter_drafts(n_messages, seed)):
            # Names in "new" carry no ":2," flags, which not every file system allows.
            home = part / f".{draft.folder}" / "new"
            (home / f"{number:07d}.sample.example").write_bytes(_assemble(draft).as_bytes())
    return target


def _check(n_messages: object, seed: object) -> None:
    check_int("n_messages", n_messages)
    check_int("seed", seed, least=0)


class _AsGiven(policy.EmailPolicy):
    """Keeps headers as the text they are given, which is encoded and folded already.

    The stock policy parses every header when it is set and again when it is read, and folds it
    anew when it is written; without that a message is made and written several times as fast.
    """

    def header_max_count(self, name: str) -> None:
        return None

    def header_store_parse(self, name: str, value: Any) -> tuple[str, Any]:
        return name, value

    def header_fetch_parse(self, name: str, value: str) -> Any:
        return value


_AS_GIVEN = _AsGiven()


@lru_cache(maxsize=4096)
def _encoded_mailbox(mailbox: tuple[str, str]) -> str:
    return formataddr(mailbox)


def _addresses(mailboxes: tuple[tuple[str, str], ...]) -> str:
    return ",\n ".join(map(_encoded_mailbox, mailboxes))


def _email(draft: Draft) -> EmailMessage:
    message = _assemble(draft)
    for part in message.walk():
        part.policy = policy.default
    return message


def _assemble(draft: Draft) -> EmailMessage:
    message = EmailMessage(policy=_AS_GIVEN)
    subject = draft.subject
    headers = {
        "From": _encoded_mailbox(draft.sender),
        "To": _addresses(draft.to),
        "Cc": _addresses(draft.cc),
        "Subject": subject if subject.isascii() else Header(subject, "utf-8").encode(),
        "Date": format_datetime(draft.date),
        "Message-ID": draft.message_id,
        "In-Reply-To": draft.in_reply_to,
        "References": "\n ".join(draft.references),
        "List-Id": f"{draft.list_name} <{draft.list_address.replace('@', '.')}>"
        if draft.list_address
        else "",
    }
    for name, value in headers.items():
        if value:
            message[name] = value
    _set_body(message, draft)
    for number, part in enumerate(message.walk()):
        if part.is_multipart():
            # The standard library would draw a boundary that differs from run to run.
            part.set_boundary(f"=_{draft.message_id.strip('<>').partition('@')[0]}.{number}")
    return message


def _set_body(message: EmailMessage, draft: Draft) -> None:
    blocks = ["\n\n".join(draft.paragraphs)]
    if draft.signature:
        blocks[0] += f"\n\n-- \n{draft.signature}"
    if draft.quote:
        blocks.insert(0 if draft.quote_first and not draft.signature else 1, draft.quote)
    plain = "\n\n".join(blocks) + "\n"
    if draft.style == "html":
        _set_text(message, _html(draft), draft.charset, "html")
    else:
        _set_text(message, plain, draft.charset, "plain")
    if draft.style == "alternative":
        message.add_alternative(_html(draft), subtype="html", cte="quoted-printable")
    if draft.attachment:
        message.add_attachment(draft.attachment, subtype="csv", filename="who.csv")


def _set_text(message: EmailMessage, text: str, charset: str, subtype: str) -> None:
    # Old mail programs write Latin-1 as quoted-printable, and fall back when it can't hold it.
    old = charset != "utf-8" and not text.isascii()
    if old:
        try:
            text.encode(charset)
        except UnicodeEncodeError:
            charset = "utf-8"
    cte = "quoted-printable" if old else None
    message.set_content(text, subtype=subtype, charset=charset, cte=cte)


def _html(draft: Draft) -> str:
    lines = ["<html><body>"]
    greeting, *middle, closing = map(escape, draft.paragraphs)
    # Lines of a paragraph flow in HTML; only the name under the closing starts a line.
    middle = [paragraph.replace("\n", " ") for paragraph in middle]
    closing = closing.replace("\n", "<br>")
    lines += [f"<p>{paragraph}</p>" for paragraph in (greeting, *middle, closing)]
    if draft.signature:
        lines.append(f'<div class="signature">{escape(draft.signature)}</div>')
    if draft.quote:
        intro, *quoted = draft.quote.splitlines()
        text = " ".join(line[2:] for line in quoted)
        lines.append(f"<div>{escape(intro)}</div><blockquote>{escape(text)}</blockquote>")
    return "\n".join([*lines, "</body></html>", ""])


def _mbox_entry(draft: Draft) -> bytes:
    """One message as mbox wants it: a "From " line first, and none like it in the body."""
    stamp = draft.date.astimezone(UTC).ctime()
    buffer = BytesIO()
    buffer.write(f"From {draft.sender[1]} {stamp}\n".encode("ascii"))
    BytesGenerator(buffer, mangle_from_=True).flatten(_assemble(draft))
    buffer.write(b"\n")
    return buffer.getvalue()


@contextmanager
def new_folder(target: Path, what: str) -> Iterator[Path]:
    """A folder for a sample; it takes its place when it is complete."""
    if target.exists() and not target.is_dir():
        raise WriteError(f"{target} is a file; give the name of a folder to write the {what} to")
    if target.exists() and any(target.iterdir()):
        raise WriteError(f"{target} is not empty; empty it or choose another name")
    check_parent(target, what)
    try:
        with folder_whole(target, durable=False) as part:
            yield part
    except OSError as error:
        raise WriteError(f"can't write the sample {what} to {target}: {error}") from error


def check_parent(target: Path, what: str) -> None:
    """Refuse a place in a folder that is not there."""
    if not target.parent.is_dir():
        raise WriteError(
            f"can't write the sample {what} to {target}: there is no folder {target.parent}; "
            "make it first, or choose another place"
        )
