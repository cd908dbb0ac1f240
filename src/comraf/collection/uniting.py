"""Steps that unite spellings of one person; see :mod:`comraf.collection.people`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from comraf.collection.names import COMMON_SURNAMES, NICKNAMES, Mailbox, parse_name

__all__ = ["Group", "Node", "Union", "unite_by_name"]

_Key = TypeVar("_Key")

_SEPARATORS = re.compile(r"[._-]")
_INITIAL_LAST = re.compile(r"([^\W\d_])([._-]{1,2})([^\W\d_][\w'-]+)")
_LOGIN_LENGTHS = (7, 8)
_ROLE_WORDS = frozenset(
    """admin administrator billing careers clerks contact events feedback help helpdesk info jobs
    mail mailer marketing newsletter news noreply office orders postmaster press programme root
    sales secretary service subscriptions support sysadmin team webmaster""".split()
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
    parsed: dict[tuple[str, str], int] | None = None
    middles: str = ""


@dataclass(slots=True)
class Group:
    """What is known about a set of nodes that are one person; middles are initials."""

    nodes: tuple[int, ...]
    weight: int
    names: tuple[tuple[str, str], ...]
    middles: str
    organisations: tuple[str, ...]
    private: bool


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
    _initials(union)


def _name_of(node: Node) -> tuple[str, str] | None:
    """The name that an address is known by; None when it has none, or several people use it."""
    if node.parsed:
        key, weight = min(node.parsed.items(), key=lambda entry: (-entry[1], entry[0]))
        return key if 2 * weight > sum(node.parsed.values()) else None
    own = node.mail.name if node.mail else None
    return own.key if own is not None and own.full else None


class Union:
    """Union-find over nodes; roots know what their whole group says about itself."""

    def __init__(
        self, nodes: list[Node], documents: Callable[[int], NDArray[Any]] | None = None
    ) -> None:
        self.nodes = nodes
        self.documents = documents
        self.parent = list(range(len(nodes)))
        self.groups: dict[int, Group] = {}
        for number, node in enumerate(nodes):
            name = _name_of(node)
            own = node.mail.name.middle[:1] if node.mail and node.mail.name else ""
            private = node.mail is None or node.mail.private
            self.groups[number] = Group(
                (number,),
                node.weight,
                (name,) if name else (),
                _with(node.middles, own),
                () if private or node.mail is None else (node.mail.organisation,),
                private,
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
        one.private |= two.private
        del self.groups[b]
        return True

    def join_if_one(self, number: int, candidates: Iterable[int]) -> bool:
        """Unite with the only candidate there is, unless both stand in one document."""
        found = {self.root(candidate) for candidate in candidates} - {self.root(number)}
        if len(found) != 1:
            return False
        other = found.pop()
        return not self._together(number, other) and self.join(number, other)

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


def _with(letters: str, more: str) -> str:
    return "".join(sorted({*letters, *more})) if more else letters


def _fit(one: Group, two: Group) -> bool:
    if one.middles and two.middles and not set(one.middles) & set(two.middles):
        return False
    if not one.names or not two.names:
        return True
    return any(_same_person(a, b) for a in one.names for b in two.names)


def _same_person(a: tuple[str, str], b: tuple[str, str]) -> bool:
    if a[1] != b[1]:
        return a == b[::-1]
    return a[0] == b[0] or bool(_formal(a[0]) & _formal(b[0]))


def _formal(first: str) -> frozenset[str]:
    return NICKNAMES.get(first, frozenset()) | {first}


def _index(union: Union, keys: Callable[[Group], Iterable[_Key]]) -> dict[_Key, list[int]]:
    table: dict[_Key, list[int]] = {}
    for root in union.roots():
        for key in keys(union.groups[root]):
            table.setdefault(key, []).append(root)
    return table


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


def _namesakes(union: Union, name: tuple[str, str], roots: list[int]) -> None:
    """Unite those of one name who fit; each is held against a few others, not against all."""
    heads: dict[str, int] = {}
    # those who say where they are come first; a bare name joins them only if they are one
    ordered = sorted(
        roots,
        key=lambda root: (
            not union.groups[root].organisations,
            -union.groups[root].weight,
            union.nodes[union.groups[root].nodes[0]].key,
        ),
    )
    separate = 0
    for root in ordered:
        places = union.groups[root].organisations
        made = bool(places) and name[1] not in COMMON_SURNAMES and _made_of(union, root, name)
        if places:
            wanted = [f"@{place}" for place in places] + ["made of the name"] * made
        else:
            wanted = ["private"] + ["any"] * (separate == 1)
        if not any(union.join(heads[key], root) for key in wanted if key in heads):
            separate += 1
            heads.setdefault("any", root)
        for key in wanted:
            heads.setdefault(key, root)


def _made_of(union: Union, root: int, name: tuple[str, str]) -> bool:
    """Whether an address of someone holds the first or the last name."""
    first, last = (part.replace(" ", "") for part in name)
    mails = (union.nodes[number].mail for number in union.groups[root].nodes)
    return any(mail is not None and (first in mail.local or last in mail.local) for mail in mails)


def _short_first_names(union: Union) -> None:
    def keys(group: Group) -> list[tuple[str, str, str]]:
        places = sorted(group.organisations) or [""]
        return [(p, last, f) for first, last in sorted(group.names) for f in _formal(first)
                for p in places]  # fmt: skip

    table = _index(union, keys)
    for root in union.roots():
        if root not in union.groups:
            continue
        group = union.groups[root]
        if not any(first in NICKNAMES for first, _ in group.names):
            continue
        union.join_if_one(root, (other for key in keys(group) for other in table.get(key, ())))


def _other_way_round(union: Union) -> None:
    def keys(group: Group) -> list[tuple[str, tuple[str, str]]]:
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

        def known(kind: str, form: str, place: str = mail.organisation) -> list[int]:
            return table.get((place, kind, form), [])

        initial = _INITIAL_LAST.fullmatch(mail.local)
        if initial is None:
            _login(union, number, mail.local, known)
            continue
        letter, last = initial[1], initial[3]
        middle = known("middle", f"{letter} {last}")
        common = last in COMMON_SURNAMES
        if initial[2] != "..":
            if not common:
                union.join_if_one(number, [*known("initial", f"{letter} {last}"), *middle])
            continue
        # two dots: the first name was lost, and the letter is a middle initial
        if union.join_if_one(number, middle) or common or len(known("surname", last)) != 1:
            continue
        union.join_if_one(number, known("no middle", last))


def _login(union: Union, number: int, local: str, known: Callable[[str, str], list[int]]) -> None:
    if local.startswith("."):
        # what stood before the dot was lost, and may have been the first or the last name
        return
    bare = _SEPARATORS.sub("", local).replace("'", "")
    whole = known("joined", bare)
    if whole:
        union.join_if_one(number, whole)
    elif len(bare) in _LOGIN_LENGTHS and known("login", bare):
        union.join_if_one(number, known("login", bare))
    elif len(local) > 4 and local not in COMMON_SURNAMES:
        union.join_if_one(number, known("surname", local))


def _initials(union: Union) -> None:
    """A name without an address and with an initial, if only one person can be meant."""
    table = _index(
        union,
        lambda group: [(first[0], last) for first, last in sorted(group.names)],
    )
    for number, node in enumerate(union.nodes):
        if node.mail is not None or node.parsed or not node.written:
            continue
        name = parse_name(min(node.written))
        if (
            name
            and len(name.first) == 1
            and len(name.last) > 1
            and name.last not in COMMON_SURNAMES
        ):
            union.join_if_one(number, table.get((name.first, name.last), ()))
