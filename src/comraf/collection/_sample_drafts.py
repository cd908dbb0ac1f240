"""Who writes what to whom, and when, in the sample mailbox: drafts without any mail format.

People and sentences are in ``comraf/data/sample_mailbox.json``. A sentence is a template such as
``"The {trade} can start on {day}."``; a slot is a list of phrases written
``"plumber|electrician|roofer"``, the commonest first.

One pass in order of time with a bounded memory: at most a handful of threads of each topic
are open at once, and a thread remembers only its last message.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from importlib.resources import files
from math import exp
from typing import Any, TypeVar

_SLOT = re.compile(r"\{(\w+)\}")

#: Literal text at even places, names of slots at odd ones.
Template = tuple[str, ...]

T = TypeVar("T")


# Only ``Random.random`` is promised to give the same numbers in every version of Python;
# ``choice`` and its kin are not, so every choice here is made from ``random()`` by hand.
def chance(rng: random.Random, probability: float) -> bool:
    """Answer True with the given probability.

    Examples
    --------
    >>> chance(random.Random(0), 1.0)
    True
    """
    return rng.random() < probability


def pick(rng: random.Random, items: Sequence[T]) -> T:
    """Take one of the items, each as likely as any other.

    Examples
    --------
    >>> pick(random.Random(0), ["only"])
    'only'
    """
    return items[int(rng.random() * len(items))]


def pick_skewed(rng: random.Random, items: Sequence[T]) -> T:
    """Take one of the items, the early ones more often, as words in a language are.

    Examples
    --------
    >>> rng = random.Random(0)
    >>> drawn = [pick_skewed(rng, "abcd") for _ in range(200)]
    >>> drawn.count("a") > drawn.count("d")
    True
    """
    return items[int(rng.random() ** 1.7 * len(items))]


def templates(lines: Sequence[str]) -> tuple[Template, ...]:
    """Cut each line into literal text and slot names.

    Examples
    --------
    >>> templates(["Call the {trade}."])
    (('Call the ', 'trade', '.'),)
    """
    return tuple(tuple(_SLOT.split(line)) for line in lines)


def fill(rng: random.Random, template: Template, slots: Mapping[str, Sequence[str]]) -> str:
    """Write a template out, each slot replaced by one of its phrases.

    Examples
    --------
    >>> (line,) = templates(["{trade} first."])
    >>> fill(random.Random(0), line, {"trade": ["plumber"]})
    'Plumber first.'
    """
    pieces = list(template)
    for place in range(1, len(pieces), 2):
        phrases = slots[pieces[place]]
        phrase = pick_skewed(rng, phrases)
        # "Between the hall and the hall" gives the machine away: draw again, a few times.
        for _ in range(4):
            if phrase not in pieces[1:place:2]:
                break
            phrase = pick_skewed(rng, phrases)
        pieces[place] = phrase
    text = "".join(pieces)
    return text[0].upper() + text[1:]


@dataclass(frozen=True)
class Stock:
    """What people write about one topic.

    Attributes
    ----------
    topic : str
        Short name of the topic.
    folder : str
        Name of the mail folder that keeps it.
    weight : float
        How much mail the topic draws, relative to the others.
    peak : float
        When the topic is busiest: 0 the first day of the mailbox, 1 the last.
    slots : dict of str to tuple of str
        Phrases for the slots, the commonest first.
    sentences, subjects : tuple of Template
        Sentences for the body, and subject lines.
    """

    topic: str
    folder: str
    weight: float
    peak: float
    slots: Mapping[str, tuple[str, ...]]
    sentences: tuple[Template, ...]
    subjects: tuple[Template, ...]


@dataclass(frozen=True)
class SamplePerson:
    """One invented correspondent.

    Attributes
    ----------
    name : str
        The full name, as most messages spell it.
    addresses : tuple of str
        All addresses the person writes from, the usual one first.
    spellings : tuple of str
        All spellings of the name that appear in headers, the usual one first.
    topics : tuple of str
        Topics the person takes part in; empty for those who write about anything.
    signature : str
        Lines under the messages; may be empty.
    charset : str
        Character set the person's mail program prefers.
    html : bool
        Whether the person's mail program writes HTML beside plain text.

    Examples
    --------
    >>> SamplePerson("Ada Berg", ("ada@example.org",), ("Ada Berg",), ("garden",)).first
    'Ada'
    """

    name: str
    addresses: tuple[str, ...]
    spellings: tuple[str, ...]
    topics: tuple[str, ...] = ()
    signature: str = ""
    charset: str = "utf-8"
    html: bool = False

    @property
    def first(self) -> str:
        """The first name."""
        return self.name.split()[0]


def _stock(said: dict[str, Any]) -> Stock:
    slots = {name: tuple(phrases.split("|")) for name, phrases in said["slots"].items()}
    lines = {name: templates(said[name]) for name in ("sentences", "subjects")}
    return Stock(**{**said, "slots": slots, **lines})


def _person(said: dict[str, Any]) -> SamplePerson:
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in said.items()}
    return SamplePerson(name=given["spellings"][0], **given)


_DATA = json.loads(
    files("comraf").joinpath("data", "sample_mailbox.json").read_text(encoding="utf-8")
)
#: The mailbox belongs to her; she is on every message but those of the mailing lists.
OWNER = _person(_DATA["owner"])
PEOPLE = tuple(map(_person, _DATA["people"]))
#: Mailing lists: topic -> address, name, prefix of the subject.
LISTS: dict[str, tuple[str, str, str]] = {
    name: tuple(said) for name, said in _DATA["lists"].items()
}
#: What people write whatever the topic is.
EVERYDAY = _stock(_DATA["everyday"])
STOCKS = tuple(map(_stock, _DATA["stocks"]))
#: Words of the language rather than of a topic, left out of the sample's tables.
STOP_WORDS = frozenset(_DATA["stop_words"].split())
_GREETINGS, _CLOSINGS = tuple(_DATA["greetings"]), tuple(_DATA["closings"])

# The shares below set how hard the mailbox is to cluster; tests/collection/test_sample.py
# holds the accuracy that k-means reaches on it between two bounds.
_TOPICAL = (0.25, 0.75)  # share of a message's sentences that are about its topic: from, to
_ASIDE = 0.05  # share of sentences about another topic
_CORE, _NEAR = 0.45, 0.8  # senders of one topic only, and of one topic or a few
_REPLY = 0.62
_LENGTH = (3, 12)  # sentences in a message: fewest, most
_OPEN_THREADS = 6
_DUPLICATE = 0.015
_FIRST_DAY = datetime(2026, 1, 12)
_SUMMER_TIME = datetime(2026, 3, 29)
_DAYS = 150
_WIDTH = 72
_ANYONE = tuple(p for p in PEOPLE if not p.topics)

Mailbox = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Draft:
    """One message before it is put into a mail format.

    Attributes
    ----------
    message_id, in_reply_to, references
        Ids with their angle brackets; ``in_reply_to`` may be empty.
    topic, folder : str
        The truth.
    sender, to, cc
        Pairs of a name and an address.
    subject : str
    date : datetime
    paragraphs : tuple of str
        What the sender wrote, from greeting to name, each paragraph wrapped.
    signature : str
    quote : str
        Quoted part of the message that is answered, with the line that introduces it.
    quote_first : bool
        Whether the quoted part stands above the answer.
    style : {"plain", "alternative", "html"}
    charset : str
    list_address, list_name : str
        Mailing list that carried the message; empty if none did.
    attachment : str
        Text of a small attached table; empty if there is none.
    """

    message_id: str
    topic: str
    folder: str
    sender: Mailbox
    to: tuple[Mailbox, ...]
    cc: tuple[Mailbox, ...]
    subject: str
    date: datetime
    paragraphs: tuple[str, ...]
    signature: str = ""
    quote: str = ""
    quote_first: bool = False
    style: str = "plain"
    charset: str = "utf-8"
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    list_address: str = ""
    list_name: str = ""
    attachment: str = ""


@dataclass(slots=True)
class _Thread:
    stock: Stock
    subject: str
    people: list[SamplePerson]
    on_list: bool
    left: int
    last: Draft | None = None
    last_sender: SamplePerson = OWNER


def iter_drafts(n_messages: int, seed: int) -> Iterator[Draft]:
    """Write ``n_messages`` drafts one after the other, in order of time.

    Examples
    --------
    >>> first, second = iter_drafts(2, seed=0)
    >>> first.date < second.date
    True
    """
    rng = random.Random(seed)  # noqa: S311 - a seed must give the same mailbox
    threads: dict[str, list[_Thread]] = {stock.topic: [] for stock in STOCKS}
    previous: Draft | None = None
    for number in range(n_messages):
        if previous is not None and chance(rng, _DUPLICATE):
            yield previous
            continue
        when = (number + rng.random()) / n_messages
        stock = _draw_topic(rng, when)
        open_threads = threads[stock.topic]
        if open_threads and chance(rng, _REPLY):
            thread = pick(rng, open_threads)
        else:
            thread = _new_thread(rng, stock)
            open_threads.append(thread)
            del open_threads[:-_OPEN_THREADS]
        previous = _write(rng, number, when, thread)
        thread.last = previous
        thread.left -= 1
        if thread.left <= 0:
            open_threads.remove(thread)
        yield previous


def _draw_topic(rng: random.Random, when: float) -> Stock:
    heights = [s.weight * (0.35 + exp(-(((when - s.peak) / 0.3) ** 2))) for s in STOCKS]
    mark = rng.random() * sum(heights)
    for stock, height in zip(STOCKS, heights, strict=True):
        mark -= height
        if mark < 0:
            return stock
    return STOCKS[-1]


@cache
def _cast(topic: str) -> tuple[tuple[SamplePerson, ...], tuple[SamplePerson, ...]]:
    """People of this topic alone, and those of this one and a few others."""
    core = tuple(p for p in PEOPLE if p.topics == (topic,))
    return core, tuple(p for p in PEOPLE if topic in p.topics and p not in core)


def _draw_person(rng: random.Random, topic: str) -> SamplePerson:
    core, near = _cast(topic)
    mark = rng.random()
    return pick_skewed(rng, core if mark < _CORE else near if mark < _NEAR else _ANYONE)


def _new_thread(rng: random.Random, stock: Stock) -> _Thread:
    people = [OWNER]
    for _ in range(1 + int(rng.random() * 3)):
        person = _draw_person(rng, stock.topic)
        if person not in people:
            people.append(person)
    source = EVERYDAY if chance(rng, 0.25) else stock
    subject = fill(rng, pick(rng, source.subjects), _slots(source, people))
    on_list = stock.topic in LISTS and chance(rng, 0.45)
    if on_list:
        subject = f"{LISTS[stock.topic][2]} {subject}"
    return _Thread(stock, subject, people, on_list, left=1 + int(rng.random() ** 2 * 9))


def _slots(stock: Stock, people: Sequence[SamplePerson]) -> Mapping[str, Sequence[str]]:
    return {**EVERYDAY.slots, **stock.slots, "first": [p.first for p in people]}


def _write(rng: random.Random, number: int, when: float, thread: _Thread) -> Draft:
    stock, people, last = thread.stock, thread.people, thread.last
    if last is not None and chance(rng, 0.2):
        newcomer = _draw_person(rng, stock.topic)
        if newcomer not in people:
            people.append(newcomer)
    # The owner keeps what she received rather than what she sent.
    others = [p for p in people if p is not thread.last_sender]
    received = [p for p in others if p is not OWNER]
    by_owner = OWNER in others and (not received or chance(rng, 0.2))
    sender = OWNER if by_owner else pick_skewed(rng, received)
    thread.last_sender = sender
    rest = [p for p in people if p is not sender]
    addressee = OWNER if sender is not OWNER else pick(rng, rest)
    list_address, list_name, _ = LISTS[stock.topic] if thread.on_list else ("", "", "")
    if thread.on_list:
        to: tuple[Mailbox, ...] = ((list_name, list_address),)
        cc: tuple[Mailbox, ...] = ()
    else:
        to = (_mailbox(rng, addressee, 0.1),)
        copied = [p for p in rest if p is not addressee and chance(rng, 0.6)]
        cc = tuple(_mailbox(rng, p, 0.1) for p in copied)
    domain = sender.addresses[0].partition("@")[2]
    date = _date(when)
    html = sender.html and chance(rng, 0.8)
    quoting = last is not None and chance(rng, 0.7)
    return Draft(
        message_id=f"<{number:x}.{int(rng.random() * 16**8):08x}@{domain}>",
        topic=stock.topic,
        folder=stock.folder,
        sender=_mailbox(rng, sender, 0.25),
        to=to,
        cc=cc,
        subject=f"{'RE' if html else 'Re'}: {thread.subject}" if last else thread.subject,
        date=date,
        paragraphs=_text(rng, stock, sender, None if thread.on_list else addressee, people),
        signature=sender.signature if chance(rng, 0.75) else "",
        quote=_quote(rng, last) if last is not None and quoting else "",
        quote_first=chance(rng, 0.25),
        style="plain" if not html else "html" if chance(rng, 0.15) else "alternative",
        charset=sender.charset,
        in_reply_to=last.message_id if last else "",
        references=(*last.references, last.message_id)[-5:] if last else (),
        list_address=list_address,
        list_name=list_name,
        attachment=_attachment(rng, people) if chance(rng, 0.02) else "",
    )


def _mailbox(rng: random.Random, person: SamplePerson, unusual: float) -> Mailbox:
    """A name and an address of a person, now and then not the usual ones."""
    name = pick(rng, person.spellings) if chance(rng, unusual) else person.spellings[0]
    address = pick(rng, person.addresses) if chance(rng, unusual) else person.addresses[0]
    return name, address


def _date(when: float) -> datetime:
    days, share = divmod(when * _DAYS, 1.0)
    # Mail is written between seven in the morning and half past ten at night.
    local = _FIRST_DAY + timedelta(days=days, seconds=int(25_200 + share * 55_800))
    offset = timedelta(hours=2 if local >= _SUMMER_TIME else 1)
    return local.replace(tzinfo=timezone(offset))


def _text(
    rng: random.Random,
    stock: Stock,
    sender: SamplePerson,
    addressee: SamplePerson | None,
    people: Sequence[SamplePerson],
) -> tuple[str, ...]:
    low, high = _TOPICAL
    topical = low + (high - low) * rng.random()
    named = [p for p in people if p is not sender and p is not addressee] or _ANYONE
    used: set[Template] = set()
    sentences: list[str] = []
    for _ in range(_LENGTH[0] + int(rng.random() ** 1.3 * (_LENGTH[1] - _LENGTH[0] + 1))):
        mark = rng.random()
        source = stock if mark < topical else EVERYDAY
        if topical <= mark < topical + _ASIDE:
            source = pick(rng, STOCKS)
        template = pick(rng, source.sentences)
        while template in used:
            template = pick(rng, source.sentences)
        used.add(template)
        sentences.append(fill(rng, template, _slots(source, named)))
    paragraphs = [pick(rng, _GREETINGS).format(addressee.first if addressee else "all")]
    while sentences:
        length = 2 + int(rng.random() * 4)
        paragraphs.append(_wrap(" ".join(sentences[:length])))
        del sentences[:length]
    paragraphs.append(f"{pick(rng, _CLOSINGS)}\n{sender.first}")
    return tuple(paragraphs)


def _wrap(text: str) -> str:
    # Half the price of textwrap, which also breaks at hyphens and looks for tabs.
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) >= _WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def _quote(rng: random.Random, last: Draft) -> str:
    lines = "\n\n".join(last.paragraphs[1:-1]).splitlines()[: 2 + int(rng.random() * 6)]
    if not lines[-1]:
        lines.pop()
    quoted = "\n".join(f"> {line}".rstrip() for line in lines)
    day = last.date
    stamp = f"{day.day}/{day.month}/{day.year} {day.hour:02d}:{day.minute:02d}"
    return f"On {stamp}, {last.sender[0]} wrote:\n{quoted}"


def _attachment(rng: random.Random, people: Sequence[SamplePerson]) -> str:
    rows = [f"{pick(rng, EVERYDAY.slots['day'])},{person.first}" for person in people]
    return "\n".join(["day,name", *rows, ""])
