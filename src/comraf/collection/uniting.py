"""Spellings of one person united, step by step; see `comraf.collection.people`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from comraf.collection.names import (
    COMMON_SURNAMES,
    NICKNAMES,
    Key,
    Mailbox,
    formal_names,
    parse_name,
    short_names,
)
from comraf.collection.text.lists import read_lists

_Key = TypeVar("_Key")

_SEPARATORS = re.compile(r"[._-]")
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_INITIAL_LAST = re.compile(r"([^\W\d_])([._-]{1,2})([^\W\d_][\w'-]+)")
_LOGIN_LENGTHS = (7, 8)
_ROLE_WORDS = frozenset(read_lists("people.txt")["roles"].split())
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
    spellings: dict[str, int] | None = None
    names: dict[Key, int] | None = None
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
                _letters_of_both(node.middles, own),
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
        if not _compatible(one, two):
            return False
        if len(one.nodes) < len(two.nodes):
            a, b, one, two = b, a, two, one
        self.parent[b] = a
        one.nodes += two.nodes
        one.weight += two.weight
        one.names = tuple(sorted({*one.names, *two.names}))
        one.middles = _letters_of_both(one.middles, two.middles)
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
    parsed = node.names
    if not parsed:
        return (own.key,) if own is not None and own.full else ()
    name = min(parsed, key=lambda key: (-parsed[key], key))
    found = {key for key in parsed if same_person(key, name)}
    if 2 * sum(parsed[key] for key in found) <= sum(parsed.values()):
        # none is used by half; the address itself may tell whose it is
        found = {own.key} if own is not None and own.key in parsed else set()
    for text in node.spellings or ():
        name_of = parse_name(text)
        if name_of is not None and name_of.key in found:
            found.update(name_of.others)
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


def _letters_of_both(letters: str, more: str) -> str:
    return "".join(sorted({*letters, *more})) if more else letters


def _compatible(one: Group, two: Group) -> bool:
    if one.middles and two.middles and not set(one.middles) & set(two.middles):
        return False
    if one.numbers and two.numbers:
        known = dict(one.numbers)
        if any(known.get(key, digits) != digits for key, digits in two.numbers):
            return False
    if not one.names or not two.names:
        return True
    return any(same_person(a, b) for a in one.names for b in two.names)


def unite_by_name(union: Union) -> None:
    """Take all steps, from the strongest evidence to the weakest.

    Examples
    --------
    >>> from comraf.collection.names import parse_mailbox
    >>> mails = [parse_mailbox(text) for text in ("ann.li@x.org", "ali@x.org")]
    >>> union = Union([Node(mail.address, mail) for mail in mails])
    >>> unite_by_name(union)
    >>> union.root(0) == union.root(1)
    True
    """
    _same_local_part(union)
    _same_name(union)
    _short_first_names(union)
    _other_way_round(union)
    _abbreviations(union)
    _whole_names(union)
    _initials(union)


def _index(union: Union, keys: Callable[[Group], Iterable[_Key]]) -> dict[_Key, list[int]]:
    table: dict[_Key, list[int]] = {}
    for root in union.roots():
        for key in keys(union.groups[root]):
            table.setdefault(key, []).append(root)
    return table


def _joined(name: str) -> str:
    return _NOT_LETTERS.sub("", name)


def _places(group: Group, last: str) -> list[str]:
    """Where someone of this surname works; the family's own domain is no such place."""
    return [place for place in group.organisations if _joined(place) != _joined(last)]


def _same_local_part(union: Union) -> None:
    table: dict[tuple[str, str], list[int]] = {}
    for number, node in enumerate(union.nodes):
        mail = node.mail
        if mail is None or mail.private or mail.local in _ROLE_WORDS or len(mail.local) < 5:
            continue
        table.setdefault((mail.organisation, mail.local), []).append(number)
    for numbers in table.values():
        for number in numbers[1:]:
            union.join(numbers[0], number)


def _same_name(union: Union) -> None:
    for name, roots in _index(union, lambda group: group.names).items():
        if len(roots) > 1:
            # groups known by two names may have been united under the other one
            _namesakes(union, name, list(dict.fromkeys(map(union.root, roots))))


def _namesakes(union: Union, name: Key, roots: list[int]) -> None:
    """Unite those of one name who fit; each is held against a few others, not against all."""
    heads: dict[str, int] = {}
    places_of = {root: _places(union.groups[root], name[1]) for root in roots}
    # those who say where they are come first; a bare name joins them only if they are one
    ordered = sorted(
        roots,
        key=lambda root: (
            not places_of[root],
            _is_bare(union, root),
            -union.groups[root].weight,
            union.nodes[union.groups[root].nodes[0]].key,
        ),
    )
    separate = 0
    for root in ordered:
        places = places_of[root]
        made = bool(places) and name[1] not in COMMON_SURNAMES and _made_of(union, root, name)
        if places:
            wanted = [f"@{place}" for place in places] + ["made of the name"] * made
        elif _is_bare(union, root):
            wanted = ["any"] * (separate == 1)
        else:
            wanted = ["private"] + ["any"] * (separate == 1)
        if not any(union.join(heads[key], root) for key in wanted if key in heads):
            separate += 1
            heads.setdefault("any", root)
        for key in wanted:
            heads.setdefault(key, root)


def _is_bare(union: Union, root: int) -> bool:
    """Whether nothing but a name is known of someone."""
    return all(union.nodes[number].mail is None for number in union.groups[root].nodes)


def _made_of(union: Union, root: int, name: Key) -> bool:
    """Whether an address of someone holds the first or the last name, or is cut from both."""
    first, last = (part.replace(" ", "") for part in name)
    logins = [f"{first[0]}{last}"[:size] for size in _LOGIN_LENGTHS]
    mails = (union.nodes[number].mail for number in union.groups[root].nodes)
    return any(
        mail is not None and (first in mail.local or last in mail.local or mail.local in logins)
        for mail in mails
    )


def _short_first_names(union: Union) -> None:
    """Bob and Robert of one place, or where one of them says nothing about a place."""

    def names(group: Group) -> list[Key]:
        return [(full, last) for first, last in group.names for full in formal_names(first)]

    def keys(group: Group) -> list[tuple[str, Key]]:
        own = [(place, name) for name in names(group) for place in _places(group, name[1]) or [""]]
        return own + [("anywhere", name) for name in names(group)]

    def wanted(group: Group) -> list[tuple[str, Key]]:
        found = []
        for name in names(group):
            places = _places(group, name[1])
            found += [(place, name) for place in places or [""]]
            if name[1] not in COMMON_SURNAMES:
                found.append(("" if places else "anywhere", name))
        return found

    table = _index(union, keys)
    for root in union.roots():
        group = union.groups.get(root)
        if group is not None and any(first in NICKNAMES for first, _ in group.names):
            others = (other for key in wanted(group) for other in table.get(key, ()))
            union.join_if_one(root, others)


def _other_way_round(union: Union) -> None:
    def keys(group: Group) -> list[tuple[str, Key]]:
        return [(p, name) for p in sorted(group.organisations) for name in sorted(group.names)]

    table = _index(union, keys)
    for root in union.roots():
        group = union.groups.get(root)
        if group is None:
            continue
        turned = [(p, (last, first)) for p in group.organisations for first, last in group.names]
        others = {union.root(other) for key in turned for other in table.get(key, ())} - {root}
        if len(others) != 1:
            continue
        # the name as it is written more often is the right way round
        heavier = max(group, union.groups[min(others)], key=lambda one: one.weight)
        names = heavier.names
        if union.join_if_one(root, others):
            union.groups[union.root(root)].names = names


def _forms(group: Group) -> list[tuple[str, str]]:
    """Local parts that would be short for this person, by the kind of shortening."""
    forms: list[tuple[str, str]] = []
    for first, last in sorted(group.names):
        surname = _SEPARATORS.sub("", last).replace(" ", "").replace("'", "")
        given = _SEPARATORS.sub("", first)
        login = given[0] + surname
        joined = [login, given + surname, surname + given[0], surname + given]
        joined += [given[0] + middle + surname for middle in sorted(group.middles)]
        forms += [("joined", form) for form in joined]
        forms += [("login", login[:size]) for size in _LOGIN_LENGTHS if len(login) > size]
        forms += [("initial", f"{first[0]} {last}"), ("surname", last)]
        forms += [("middle", f"{middle} {last}") for middle in sorted(group.middles)]
        if not group.middles:
            forms.append(("no middle", last))
    return forms


def _abbreviations(union: Union) -> None:
    table: dict[tuple[str, str, str], list[int]] = {}
    for root in union.roots():
        group = union.groups[root]
        for organisation in sorted(group.organisations):
            for kind, form in _forms(group):
                table.setdefault((organisation, kind, form), []).append(root)
    for number, node in enumerate(union.nodes):
        mail = node.mail
        if mail is None or mail.private or union.groups[union.root(number)].names:
            continue

        def candidates(kind: str, form: str, place: str = mail.organisation) -> list[int]:
            return table.get((place, kind, form), [])

        initial = _INITIAL_LAST.fullmatch(mail.local)
        if initial is None:
            _login(union, number, mail.local, candidates)
            continue
        letter, last = initial[1], initial[3]
        middle = candidates("middle", f"{letter} {last}")
        common = last in COMMON_SURNAMES
        if initial[2] != "..":
            if not common:
                union.join_if_one(number, [*candidates("initial", f"{letter} {last}"), *middle])
            continue
        # two dots: the first name was lost, and the letter is a middle initial
        if union.join_if_one(number, middle) or common or len(candidates("surname", last)) != 1:
            continue
        union.join_if_one(number, candidates("no middle", last))


def _login(
    union: Union, number: int, local: str, candidates: Callable[[str, str], list[int]]
) -> None:
    if local.startswith("."):
        # what stood before the dot was lost, and may have been the first or the last name
        return
    bare = _SEPARATORS.sub("", local).replace("'", "")
    whole = candidates("joined", bare)
    if whole:
        union.join_if_one(number, whole)
    elif len(bare) in _LOGIN_LENGTHS and candidates("login", bare):
        union.join_if_one(number, candidates("login", bare))
    elif len(local) > 4 and local not in COMMON_SURNAMES:
        union.join_if_one(number, candidates("surname", local))


def _whole_names(union: Union) -> None:
    """An address elsewhere that spells a whole name out: sallybeck@gmail.com, sally@beck.org."""

    def spelled(group: Group) -> set[Key]:
        return {
            key
            for first, last in group.names
            if last not in COMMON_SURNAMES
            for short in (first, *short_names(first))
            for key in (("", _joined(short + last)), (_joined(short), _joined(last)))
        }

    table = _index(union, spelled)
    for number, node in enumerate(union.nodes):
        mail = node.mail
        if mail is None or union.groups[union.root(number)].names:
            continue
        local = _joined(mail.local)
        keys = [("", local)] if mail.private else [(local, _joined(mail.organisation))]
        union.join_if_one(number, (root for key in keys for root in table.get(key, ())))


def _initials(union: Union) -> None:
    """A name without an address and with an initial, if only one person can be meant."""
    table = _index(
        union,
        lambda group: [(first[0], last) for first, last in sorted(group.names)],
    )
    for number, node in enumerate(union.nodes):
        if node.mail is not None or node.names or not node.spellings:
            continue
        name = parse_name(min(node.spellings))
        if (
            name
            and len(name.first) == 1
            and len(name.last) > 1
            and name.last not in COMMON_SURNAMES
        ):
            union.join_if_one(number, table.get((name.first, name.last), ()))
