"""One person's many spellings of name and address, united.

The evidence, from the strongest to the weakest; each step unites only what fits in one way
and contradicts no name or middle initial known so far:

1. the same address, once its case, quotes, tags and old forms are out of the way;
2. the same local part at two hosts of one organisation;
3. the same full name (two words, no initials), where the addresses are of one organisation,
   or one is private, or both are made of that name and it is not a common one; umlauts may
   be spelled out, and a name in the middle may count to the first or to the last;
4. a short first name beside the full one (Bob and Robert), or first and last name the other
   way round, in one organisation;
5. an address that abbreviates the name of exactly one person of its organisation:
   ``sbeck``, ``s.beck``, ``beck``, ``jshankm``, and ``j..farmer`` for Daren J. Farmer;
6. a private address that spells out the whole name of exactly one person, if that is not a
   common one: ``sallybeck@gmail.com``, ``sally@beck.org``.

The last three never unite people who stand together in one message: who is written to twice
is two. Addresses of one host that differ in a number, ``jsmith`` and ``jsmith2``, are two
people. Who wrote "via" a list or a service is the one who wrote, not the list. A first name
alone never unites anybody. All steps look things up in dictionaries, so the time grows with
the number of different spellings, not with its square.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from comraf.collection.items import distinct
from comraf.collection.names import (
    PersonName,
    fold_name,
    parse_mailbox,
    parse_name,
    sent_through,
)
from comraf.collection.uniting import Group, Node, Union, unite_by_name

_Key = TypeVar("_Key")

_NOBODY = re.compile(
    r"undisclosed|no[._-]?address|nobody|unlisted|unknown|suppressed|recipients?:?|e-?mail|\d\d\w+"
)


@dataclass(frozen=True, slots=True)
class Identity:
    """All spellings of one person.

    Attributes
    ----------
    name : str
        What to call the person; no two identities have the same.
    addresses : tuple of str
        Normalised, the most used first.
    spellings : tuple of str
        Names as they were written, the most used first.
    host : str
        Host of the most used address; empty when there is none.
    """

    name: str
    addresses: tuple[str, ...]
    spellings: tuple[str, ...]
    host: str


def is_nobody(name: str, address: str) -> bool:
    """Tell whether a mention stands for no one: hidden recipients, an address that was lost.

    Examples
    --------
    >>> is_nobody("", "undisclosed-recipients:"), is_nobody("", "no.address@enron.com")
    (True, True)
    >>> is_nobody("Ann", "ann@x.org"), is_nobody("Legal", ".ann@x.org")
    (False, True)
    """
    if not address:
        return _NOBODY.fullmatch(fold_name(name)) is not None or "undisclosed" in name.lower()
    mail = parse_mailbox(address)
    if mail.local.startswith("."):
        # half of an address that was cut in two; who has a whole name is somebody all the same
        parsed = parse_name(name) if name else None
        return parsed is None or not parsed.full
    match = _NOBODY.match(mail.local)
    if match is None:
        return False
    if mail.local[:2].isdigit():
        # what is left of "Ann+40ENRON@ENRON.com", where +40 stands for @
        return bool(mail.organisation) and mail.local[2:] == mail.organisation
    return match.end() == len(mail.local) or mail.local.startswith(("undisclosed", "suppressed"))


def unite(
    mentions: Sequence[tuple[str, str]],
    weights: Sequence[int],
    *,
    by_name: bool = True,
    documents: Callable[[int], NDArray[Any]] | None = None,
) -> tuple[NDArray[np.int64], list[Identity]]:
    """Find out which mentions are of one person.

    Parameters
    ----------
    mentions : sequence of (name, address)
        All different; either part may be empty.
    weights : sequence of int
        In how many documents each stands.
    by_name : bool, default True
        Whether names unite addresses; else only an address or a name without one does.
    documents : callable, optional
        Gives the documents in which a mention, by its number, stands.

    Returns
    -------
    labels : ndarray of int
        Number of the person of each mention.
    identities : list of Identity
        The persons, in the order of their first mention.

    Examples
    --------
    >>> labels, people = unite([("Beck, Sally", "sbeck@enron.com"), ("", "Sally.Beck@ENRON.com"),
    ...     ("Steve Beck", "")], [9, 5, 2])
    >>> labels.tolist(), [person.name for person in people]
    ([0, 0, 1], ['Sally Beck', 'Steve Beck'])
    """
    nodes, node_of = _nodes(mentions, weights)
    union = Union(nodes, documents)
    if by_name:
        unite_by_name(union)
    label: dict[int, int] = {}
    labels = np.array(
        [label.setdefault(union.root(node), len(label)) for node in node_of], dtype=np.int64
    )
    groups = [union.groups[root] for root in label]
    return labels, _identities(groups, nodes)


def _nodes(
    mentions: Sequence[tuple[str, str]], weights: Sequence[int]
) -> tuple[list[Node], list[int]]:
    nodes: list[Node] = []
    index: dict[str, int] = {}
    node_of: list[int] = []
    for mention, ((name, address), weight) in enumerate(zip(mentions, weights, strict=True)):
        mail = parse_mailbox(address) if address else None
        parsed = parse_name(name) if name else None
        if parsed is not None and parsed.full and mail is not None and sent_through(name):
            mail = None
        if mail is not None and (mail.host or mail.organisation or mail.name is None):
            key = f"@{mail.address}"
        elif mail is not None:
            key, parsed = mail.address, parsed or mail.name
            mail = None
        else:
            key = " ".join(parsed.key) + f" {parsed.middle}" if parsed else fold_name(name)
        number = index.setdefault(key, len(nodes))
        if number == len(nodes):
            nodes.append(Node(key, mail))
        node = nodes[number]
        node.mentions += (mention,)
        node.weight += weight
        if name:
            node.spellings = _counted(node.spellings, name, weight)
        if parsed is not None and parsed.full:
            node.names = _counted(node.names, parsed.key, weight)
            if parsed.middle[:1] not in node.middles:
                node.middles += parsed.middle[0]
        node_of.append(number)
    return nodes, node_of


def _counted(counts: dict[_Key, int] | None, key: _Key, weight: int) -> dict[_Key, int]:
    if counts is None:
        return {key: weight}
    counts[key] = counts.get(key, 0) + weight
    return counts


def _identities(groups: list[Group], nodes: list[Node]) -> list[Identity]:
    found = []
    for group in groups:
        members = sorted(
            (nodes[number] for number in group.nodes), key=lambda n: (-n.weight, n.key)
        )
        spellings: Counter[str] = Counter()
        for node in members:
            spellings.update(node.spellings or {})
        mails = [node.mail for node in members if node.mail]
        found.append(
            Identity(
                _display_name(group, members, spellings),
                tuple(dict.fromkeys(mail.address for mail in mails)),
                tuple(text for text, _ in sorted(spellings.items(), key=lambda e: (-e[1], e[0]))),
                next((mail.host for mail in mails if mail.host), ""),
            )
        )
    return _distinct(found)


def _display_name(group: Group, members: list[Node], spellings: Counter[str]) -> str:
    """The full name most used; else what an address says; else a short name; else an address."""
    # An address that people of many names share is called by none of them.
    full: Counter[str] = Counter()
    short: Counter[str] = Counter()
    for text, weight in spellings.items():
        name = parse_name(text)
        if name is not None:
            (full if name.full else short)[name.display] += weight
    with_address = next((node.mail.address for node in members if node.mail), "")
    if len(full) > 1 and not group.names and with_address:
        return with_address
    if full:
        return min(full, key=lambda text: (-full[text], text))
    own: list[PersonName] = [n.mail.name for n in members if n.mail and n.mail.name]
    if own:
        return own[0].display
    if short and not with_address:
        return min(short, key=lambda text: (-short[text], text))
    return with_address or min(spellings, key=lambda text: (-spellings[text], text), default="?")


def _distinct(identities: list[Identity]) -> list[Identity]:
    """Add the address, then a number, where two would be called the same."""
    often = Counter(person.name for person in identities)
    names = distinct(
        f"{person.name} <{person.addresses[0]}>"
        if often[person.name] > 1 and person.addresses
        else person.name
        for person in identities
    )
    return [replace(person, name=name) for person, name in zip(identities, names, strict=True)]
