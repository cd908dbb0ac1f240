from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.collection.correspondents import Correspondents, looks_like_list

OWNER = "nora@home.example"


def _mailbox(messages: list[tuple[str, list[str]]], **options: bool) -> Correspondents:
    """A mailbox of (sender, recipients)."""
    numbers: dict[tuple[str, str, str], int] = {}
    rows, columns = [], []
    for row, (sender, recipients) in enumerate(messages):
        for role, address in [("from", sender), *(("to", to) for to in recipients)]:
            rows.append(row)
            columns.append(numbers.setdefault((role, "", address), len(numbers)))
    table = sp.csr_array(
        (np.ones(len(rows), np.int32), (rows, columns)), shape=(len(messages), len(numbers))
    )
    return Correspondents(list(numbers), table, **options)


def _names(found: Correspondents, role: str) -> set[str]:
    return {p.name for p, r in zip(found.people, found.roles, strict=True) if r == role}


def test_the_owner_is_in_nearly_all_messages() -> None:
    """Who is in most messages, as sender or recipient, owns the mailbox."""
    messages = [(f"p{i % 7}@x.org", [OWNER]) for i in range(20)]
    messages += [(OWNER, [f"p{i % 7}@x.org"]) for i in range(5)]
    messages += [("p1@x.org", ["club@lists.x.org"]) for i in range(8)]
    found = _mailbox(messages, mailbox=True)
    assert found.owner is not None
    assert found.people[found.owner].name == OWNER
    assert found.documents[found.owner] == 25
    assert found.sent[found.owner] == 5
    assert found.received[found.owner] == 20


def test_no_owner_where_nobody_stands_out() -> None:
    """Posts of many senders have no owner, and neither has what is no mailbox."""
    posts = [(f"p{i % 10}@x.org", []) for i in range(40)]
    assert _mailbox(posts, mailbox=True).owner is None
    messages = [(f"p{i % 7}@x.org", [OWNER]) for i in range(20)]
    assert _mailbox(messages, mailbox=False).owner is None


def test_lists_are_told_by_what_they_do() -> None:
    """Who only receives, from several senders, alone and without the owner, is a list."""
    messages = [(f"p{i % 7}@x.org", [OWNER]) for i in range(30)]
    messages += [(f"p{i % 4}@x.org", ["growers@green.example"]) for i in range(8)]
    # two colleagues who are only copied, on mail that came through a list
    messages += [(f"p{i % 4}@x.org", ["ann@x.org", "bo@x.org", "cy@x.org"]) for i in range(6)]
    found = _mailbox(messages, mailbox=True)
    assert _names(found, "list") == {"growers@green.example"}
    assert _names(found, "owner") == {OWNER}


@pytest.mark.parametrize(
    ("address", "is_list"),
    [
        ("all.employees@enron.com", True),
        ("dl-ga-all_enron_worldwide2@enron.com", True),
        ("announce@x.org", True),
        ("sally.beck@enron.com", False),
        ("allison.hall@enron.com", False),
        ("alistair@x.org", False),
    ],
)
def test_lists_are_told_by_their_names(address: str, is_list: bool) -> None:
    """Whole words of the local part count, pieces of words don't."""
    assert looks_like_list(address) == is_list


def test_one_person_in_two_roles_counts_once() -> None:
    """A person who writes to herself under two spellings is in one message."""
    mentions = [("from", "", "ann.li@x.org"), ("to", "Ann Li", "ANN.LI@x.org")]
    found = Correspondents(mentions, sp.csr_array(np.array([[1, 1]])))
    assert found.documents.tolist() == [1]
    assert (found.sent.tolist(), found.received.tolist()) == ([1], [1])


def test_nobody_is_nobody() -> None:
    """Hidden recipients get no person."""
    mentions = [("from", "", "ann.li@x.org"), ("to", "", "undisclosed-recipients:")]
    found = Correspondents(mentions, sp.csr_array(np.array([[1, 1]])))
    assert found.labels.tolist() == [0, -1]
    assert len(found.people) == 1


def test_the_owner_under_a_first_name_is_the_owner() -> None:
    """At the same place, and only in messages that the owner is missing from."""
    own = [(f"p{i % 7}@x.org", ["louise.kitchen@x.org"]) for i in range(20)]
    short = [("b@x.org", ["louise@x.org"]), ("b@x.org", ["kitchen@mail.x.org"])]
    found = _mailbox(own + short, mailbox=True)
    assert found.owner is not None
    assert found.documents[found.owner] == 22
    assert "louise@x.org" not in _names(found, "person") - {
        person.name for person, n in zip(found.people, found.documents, strict=True) if n == 0
    }
    for other in (
        ("b@x.org", ["louise@y.org"]),  # another place
        ("b@x.org", ["lou@x.org"]),  # another name
        ("b@x.org", ["louise@x.org", "louise.kitchen@x.org"]),  # both at once
    ):
        found = _mailbox([*own, other], mailbox=True)
        assert found.owner is not None
        assert found.documents[found.owner] == 20 + ("louise.kitchen@x.org" in other[1])
        counted = zip(found.people, found.documents, strict=True)
        assert other[1][0] in {person.addresses[0] for person, n in counted if n}


def test_lists_and_offices_are_called_by_their_addresses() -> None:
    """What is no person is not shown as one, unless it has a name that somebody wrote."""
    messages = [(f"p{i % 7}@x.org", [OWNER]) for i in range(20)]
    messages += [("office.chairman@x.org", [OWNER]), ("p1@x.org", ["public.relations@x.org"])]
    messages += [("p1@x.org", ["dan.houston@x.org"])]
    found = _mailbox(messages, mailbox=True)
    assert _names(found, "list") == {"office.chairman@x.org", "public.relations@x.org"}
    assert "Dan Houston" in _names(found, "person")
    table = sp.csr_array(np.ones((1, 1), np.int32))
    named = Correspondents([("to", "Board of Growers", "growers.staff@x.org")], table)
    assert (named.roles, named.people[0].name) == (["list"], "Board of Growers")
    # who writes from an office under a name of her own is a person
    named = Correspondents([("to", "Ann Beck", "office@x.org")], table)
    assert (named.roles, named.people[0].name) == (["person"], "Ann Beck")


@pytest.mark.parametrize(("others", "owned"), [(4, True), (5, False)])
def test_who_is_in_fewer_than_half_must_be_far_ahead(others: int, owned: bool) -> None:
    """Three times as many messages as the next one, or the mailbox is nobody's."""
    messages = [(f"p{i}@x.org", [OWNER]) for i in range(12)]
    messages += [("bo@y.org", [f"q{i}@x.org"]) for i in range(others)]
    messages += [(f"r{i}@x.org", [f"s{i}@x.org"]) for i in range(30 - len(messages))]
    assert (_mailbox(messages, mailbox=True).owner is not None) == owned


@pytest.mark.parametrize(
    ("senders", "with_owner", "is_list"), [(3, 0, True), (2, 0, False), (4, 8, False)]
)
def test_a_list_has_three_senders_and_is_read_without_the_owner(
    senders: int, with_owner: int, is_list: bool
) -> None:
    """Whom two people write to, or whoever is always written to with the owner, is a person."""
    messages = [(f"p{i % 7}@x.org", [OWNER]) for i in range(30)]
    for i in range(8):
        both = [OWNER] if i < with_owner else []
        messages.append((f"p{i % senders}@x.org", [*both, "growers@green.example"]))
    assert _names(_mailbox(messages, mailbox=True), "list") == (
        {"growers@green.example"} if is_list else set()
    )


@pytest.mark.parametrize(("copied", "is_list"), [(1, True), (2, False)])
def test_a_list_is_written_to_with_one_other_at_most(copied: int, is_list: bool) -> None:
    """Who is one of many recipients is copied like the others."""
    messages = [(f"p{i % 7}@x.org", [OWNER]) for i in range(30)]
    for i in range(8):
        others = [f"q{i}{number}@x.org" for number in range(copied)]
        messages.append((f"p{i % 4}@x.org", ["growers@green.example", *others]))
    found = _names(_mailbox(messages, mailbox=True), "list")
    assert found == ({"growers@green.example"} if is_list else set())
