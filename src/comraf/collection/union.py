"""Groups of spellings that are one person, and what speaks against joining two of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.names import Key, Mailbox, formal_names, parse_name

__all__ = ["Group", "Node", "Union", "same_person"]

_NUMBERED = re.compile(r"(.{3,}?\D)(\d*)")
# What programs write from, under the names of those for whom they write.
_MACHINE = re.compile(
    r"(?:.*[._-])?(?:no-?reply|do-?not-?reply|notifications?|mailer-daemon|bounces?|alerts?|"
    r"invitations?|updates?)(?:[._+-].*)?|no[._]reply|do[._]not[._]reply"
)


@dataclass(slots=True)
class Node:
    """What is known about one address, or one name without an address.

    There may be a hundred thousand of them, so they hold as little as possible.
    """

    key: str
    mail: Mailbox | None
    mentions: tuple[int, ...] = ()
    weight: int = 0
    written: dict[str, int] | None = None
    parsed: dict[Key, int] | None = None
    middles: str = ""


@dataclass(slots=True)
class Group:
    """What is known about a set of nodes that are one person.

    Attributes
    ----------
    nodes : tuple of int
    weight : int
    names : tuple of (str, str)
        First and last name, in all spellings that came up.
    middles : str
        Initials.
    organisations : tuple of str
        Where the person's mail goes, private mail left out.
    numbers : tuple of ((str, str), str)
        Host and name of addresses that are told apart by a number, and the number.
    """

    nodes: tuple[int, ...]
    weight: int
    names: tuple[Key, ...]
    middles: str
    organisations: tuple[str, ...]
    numbers: tuple[tuple[tuple[str, str], str], ...] = ()


def same_person(a: Key, b: Key) -> bool:
    """Tell whether two names may be one person's.

    Examples
    --------
    >>> same_person(("bob", "crane"), ("robert", "crane"))
    True
    >>> same_person(("ann", "crane"), ("robert", "crane"))
    False
    """
    if a[1] != b[1]:
        return a == b[::-1]
    return a[0] == b[0] or bool(formal_names(a[0]) & formal_names(b[0]))


class Union:
    """Union-find over nodes; roots know what their whole group says about itself.

    Parameters
    ----------
    nodes : list of Node
    documents : callable, optional
        Gives the documents in which a mention, by its number, stands.
    """

    def __init__(
        self, nodes: list[Node], documents: Callable[[int], NDArray[Any]] | None = None
    ) -> None:
        self.nodes = nodes
        self.documents = documents
        self.parent = list(range(len(nodes)))
        numbers = _numbers(nodes)
        self.groups: dict[int, Group] = {}
        for number, node in enumerate(nodes):
            mail = node.mail
            own = mail.name.middle[:1] if mail and mail.name else ""
            self.groups[number] = Group(
                (number,),
                node.weight,
                _names_of(node),
                _with(node.middles, own),
                () if mail is None or mail.private else (mail.organisation,),
                numbers.get(number, ()),
            )

    def root(self, number: int) -> int:
        """Return the number by which a node's group goes."""
        parent = self.parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def roots(self) -> list[int]:
        """Return the numbers of all groups."""
        return sorted(self.groups)

    def join(self, a: int, b: int) -> bool:
        """Unite two groups unless what they are called contradicts it."""
        a, b = self.root(a), self.root(b)
        if a == b:
            return True
        one, two = self.groups[a], self.groups[b]
        if not _fit(one, two):
            return False
        if len(one.nodes) < len(two.nodes):
            a, b, one, two = b, a, two, one
        self.parent[b] = a
        one.nodes += two.nodes
        one.weight += two.weight
        one.names = tuple(sorted({*one.names, *two.names}))
        one.middles = _with(one.middles, two.middles)
        one.organisations = tuple(sorted({*one.organisations, *two.organisations}))
        one.numbers += two.numbers
        del self.groups[b]
        return True

    def join_if_one(self, number: int, candidates: Iterable[int]) -> bool:
        """Unite with the only candidate there is, unless both stand in one document."""
        own = self.root(number)
        only: int | None = None
        for candidate in candidates:
            other = self.root(candidate)
            if other not in (own, only):
                if only is not None:
                    return False
                only = other
        return only is not None and not self._together(own, only) and self.join(own, only)

    def _together(self, a: int, b: int) -> bool:
        if self.documents is None:
            return False
        one, two = (
            np.concatenate(
                [
                    self.documents(mention)
                    for number in self.groups[self.root(group)].nodes
                    for mention in self.nodes[number].mentions
                ]
            )
            for group in (a, b)
        )
        return np.intersect1d(one, two).size > 0


def _names_of(node: Node) -> tuple[Key, ...]:
    """Names that an address is known by; none when it has none, or several people use it."""
    if node.mail is not None and _MACHINE.fullmatch(node.mail.local):
        return ()
    own = node.mail.name if node.mail else None
    parsed = node.parsed
    if not parsed:
        return (own.key,) if own is not None and own.full else ()
    name = min(parsed, key=lambda key: (-parsed[key], key))
    found = {key for key in parsed if same_person(key, name)}
    if 2 * sum(parsed[key] for key in found) <= sum(parsed.values()):
        # none is used by half; the address itself may tell whose it is
        found = {own.key} if own is not None and own.key in parsed else set()
    for text in node.written or ():
        written = parse_name(text)
        if written is not None and written.key in found:
            found.update(written.others)
    # Tim Crane, who writes from timothy.crane
    if own is not None and own.full and any(same_person(own.key, known) for known in found):
        found.add(own.key)
    return tuple(sorted(found))


def _numbers(nodes: list[Node]) -> dict[int, tuple[tuple[tuple[str, str], str], ...]]:
    """Addresses of one host that differ in nothing but a number: jsmith and jsmith2 are two."""
    alike: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for i, node in enumerate(nodes):
        mail = node.mail
        if mail is None or mail.private or not (match := _NUMBERED.fullmatch(mail.local)):
            continue
        alike.setdefault((mail.host, match[1]), []).append((i, match[2]))
    return {
        i: ((key, digits),) for key, found in alike.items() if len(found) > 1 for i, digits in found
    }


def _with(letters: str, more: str) -> str:
    return "".join(sorted({*letters, *more})) if more else letters


def _fit(one: Group, two: Group) -> bool:
    if one.middles and two.middles and not set(one.middles) & set(two.middles):
        return False
    if one.numbers and two.numbers:
        known = dict(one.numbers)
        if any(known.get(key, digits) != digits for key, digits in two.numbers):
            return False
    if not one.names or not two.names:
        return True
    return any(same_person(a, b) for a in one.names for b in two.names)
