"""Who is in a mailbox: people united, its owner found, lists told from people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.fold import mapped
from comraf.collection.names import organisation_of, parse_mailbox, parse_name
from comraf.collection.people import Identity, is_nobody, unite
from comraf.collection.text.lists import read_lists

_LISTS = read_lists("people.txt")
_LIST_WORDS = frozenset(_LISTS["lists"].split())
# an address of which nobody's name is known, and that is of an office
_OFFICE_WORDS = frozenset(_LISTS["offices"].split())
_LIST_HOST = re.compile(r"(?:^|\.)(?:lists?|listserv|groups|egroups|yahoogroups)\d*\.|"
                        r"^(?:googlegroups|yahoogroups|egroups|freelists)\.")  # fmt: skip
_TOKENS = re.compile(r"[^\W\d_]+")
# An owner is in nearly all messages; the lists of a mailbox can take a good part of them.
_OWNER_SHARE = 0.5
_OWNER_LEAST = 0.3
_OWNER_AHEAD = 3
_LIST_MESSAGES = 5
_LIST_SENDERS = 3
_LIST_WITHOUT_OWNER = 0.8
_LIST_ALONE = 0.6


def looks_like_list(address: str, host: str = "") -> bool:
    """Tell whether an address reads like a mailing list's.

    Examples
    --------
    >>> looks_like_list("dl-ga-all_enron_worldwide2@enron.com"), looks_like_list("al.list@x.org")
    (True, True)
    >>> looks_like_list("talk@lists.example.org", "lists.example.org")
    True
    >>> looks_like_list("sally.beck@enron.com")
    False
    """
    if host and _LIST_HOST.search(host):
        return True
    return _has(address, _LIST_WORDS)


def _has(address: str, words: frozenset[str]) -> bool:
    return any(word in words for word in _TOKENS.findall(address.partition("@")[0]))


class Correspondents:
    """The people of a collection.

    Parameters
    ----------
    mentions : sequence of (role, name, address)
        Every different way in which someone is named.
    table : csr_array
        Documents x mentions.
    unite : bool
        Whether names unite addresses.
    mailbox : bool
        Whether the collection may be somebody's mailbox, with an owner.

    Attributes
    ----------
    people : list of Identity
    labels : ndarray of int64
        For each mention the number of its person, or -1 for nobody.
    roles : list of str
        "person", "owner" or "list".
    documents, sent, received : ndarray of int64
        In how many documents each person stands, as sender or author, and as recipient.
    owner : int or None
    n_mentions : int
        Different pairs of name and address.

    Examples
    --------
    >>> mentions = [("from", "Ann", "ann@x.org"), ("to", "", "ANN@x.org"), ("to", "", "bo@x.org")]
    >>> table = sp.csr_array(np.array([[1, 0, 1], [0, 1, 0]]))
    >>> found = Correspondents(mentions, table)
    >>> found.labels.tolist(), found.documents.tolist(), found.sent.tolist()
    ([0, 0, 1], [2, 1], [1, 0])
    """

    def __init__(
        self,
        mentions: Sequence[tuple[str, str, str]],
        table: sp.csr_array,
        *,
        unite: bool = True,
        mailbox: bool = False,
    ) -> None:
        self._roles_of = np.array([role for role, _, _ in mentions])
        pairs: dict[tuple[str, str], int] = {}
        pair_of = np.full(len(mentions), -1, np.int64)
        for i, (_, name, address) in enumerate(mentions):
            if not is_nobody(name, address):
                pair_of[i] = pairs.setdefault((name, address), len(pairs))
        self.n_mentions = len(pairs)
        self.labels, self.people = self._unite(list(pairs), pair_of, table, by_name=unite)
        self._count(table)
        self._is_list = np.array(
            [
                bool(p.addresses)
                and (
                    looks_like_list(p.addresses[0], p.host)
                    or (not p.spellings and _has(p.addresses[0], _OFFICE_WORDS))
                )
                for p in self.people
            ],
            dtype=bool,
        )
        self.owner = self._find_owner() if mailbox else None
        if self.owner is not None:
            self._unite_first_names_of(table, self.owner)
        self.roles = self._find_roles(table)
        # what is no person is not called like one
        self.people = [
            replace(person, name=person.addresses[0])
            if role == "list" and person.addresses and not person.spellings
            else person
            for person, role in zip(self.people, self.roles, strict=True)
        ]

    def _unite(
        self,
        pairs: list[tuple[str, str]],
        pair_of: NDArray[np.int64],
        table: sp.csr_array,
        *,
        by_name: bool,
    ) -> tuple[NDArray[np.int64], list[Identity]]:
        starts, rows = _documents_of(table, pair_of, len(pairs))
        labels, people = unite(
            pairs,
            np.diff(starts).tolist(),
            by_name=by_name,
            documents=lambda pair: rows[starts[pair] : starts[pair + 1]],
        )
        padded = np.append(labels, -1)
        return padded[pair_of], people

    def _count(self, table: sp.csr_array) -> None:
        n = len(self.people)
        self.documents = _columns_used(_merged(table, self.labels, n))
        sender = np.isin(self._roles_of, ("from", "author"))
        self._sending = _merged(table, np.where(sender, self.labels, -1), n)
        self.sent = _columns_used(self._sending)
        receiving = _merged(table, np.where(sender, -1, self.labels), n)
        self.received = _columns_used(receiving)
        self._n_recipients = np.diff(receiving.indptr)
        self.n_documents = table.shape[0]

    def _find_owner(self) -> int | None:
        """The person in nearly all messages, if there is one."""
        if len(self.people) < 2 or self.n_documents < 10 or not self.received.any():
            return None
        present = np.where(self._is_list, 0, self.documents)
        order = np.argsort(-present, kind="stable")
        first, second = (int(present[i]) for i in order[:2])
        share = first / self.n_documents
        ahead = first >= _OWNER_AHEAD * max(second, 1)
        if (share >= _OWNER_SHARE and first > second) or (share >= _OWNER_LEAST and ahead):
            return int(order[0])
        return None

    def _unite_first_names_of(self, table: sp.csr_array, owner: int) -> None:
        """Unite the owner with an address of the first or last name, where the owner is missing."""
        # Whom a mailbox belongs to is in each of its messages: ``louise@x.org`` in those of Louise
        # Kitchen of ``x.org`` is she, if she does not stand there already.
        name = parse_name(self.people[owner].name)
        place = organisation_of(self.people[owner].host)
        starts, rows = _documents_of(table, self.labels, len(self.people))
        present = set(rows[starts[owner] : starts[owner + 1]].tolist())
        for i, person in enumerate(self.people):
            mails = [parse_mailbox(address) for address in person.addresses]
            alike = name is not None and all(
                mail.local in name.key and mail.organisation == place for mail in mails
            )
            own = rows[starts[i] : starts[i + 1]].tolist()
            if i != owner and mails and alike and not present & set(own):
                self.labels[self.labels == i] = owner
                self._count(table)

    def _find_roles(self, table: sp.csr_array) -> list[str]:
        """Lists by what they are called, or because they bring mail that the owner is not on."""
        roles = ["list" if is_list else "person" for is_list in self._is_list]
        if self.owner is not None:
            for i in self._who_only_receives(table):
                roles[i] = "list"
            roles[self.owner] = "owner"
        return roles

    def _who_only_receives(self, table: sp.csr_array) -> list[int]:
        """Who only receives, from several senders, mostly alone and without the owner."""
        starts, rows = _documents_of(table, self.labels, len(self.people))
        with_owner = np.zeros(self.n_documents, bool)
        with_owner[rows[starts[self.owner] : starts[self.owner + 1]]] = True  # type: ignore[operator]
        candidates = np.flatnonzero((self.sent == 0) & (self.received >= _LIST_MESSAGES))
        found = []
        for i in candidates.tolist():
            here = rows[starts[i] : starts[i + 1]]
            if (~with_owner[here]).mean() < _LIST_WITHOUT_OWNER:
                continue
            if (self._n_recipients[here] <= 2).mean() < _LIST_ALONE:
                continue
            senders = np.unique(self._sending[here].indices)
            if len(senders) >= _LIST_SENDERS:
                found.append(i)
        return found


def _merged(table: sp.csr_array, labels: NDArray[np.int64], n: int) -> sp.csr_array:
    """Columns that belong together as one, each counted once a document."""
    return next(mapped(iter([table]), labels, n, presence=True))


def _documents_of(
    table: sp.csr_array, labels: NDArray[np.int64], n: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """In which documents each of `n` stands, one after the other, and where those of each start."""
    columns = sp.csc_array(_merged(table, labels, n))
    return columns.indptr, columns.indices


def _columns_used(table: sp.csr_array) -> NDArray[np.int64]:
    return np.bincount(table.indices, minlength=table.shape[1]).astype(np.int64)
