"""Spellings of one person, united or kept apart."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.people import is_nobody, unite

Mention = tuple[str, str]


def _at(*local_parts: str) -> list[Mention]:
    return [("", f"{local}@x.org") for local in local_parts]


def _named(name: str, *addresses: str) -> list[Mention]:
    return [(name, address) for address in addresses]


def _groups(
    *mentions: Mention, weights: Sequence[int] = (), together: bool = False
) -> list[list[int]]:
    documents = (lambda i: np.array([0])) if together else None
    labels, _ = unite(mentions, weights or [1] * len(mentions), documents=documents)
    return [np.flatnonzero(labels == label).tolist() for label in dict.fromkeys(labels.tolist())]


def _seconds(mentions: list[tuple[str, str]]) -> float:
    """How long they take, the best of three times."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        unite(mentions, [1] * len(mentions))
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize(
    "mentions",
    [
        (("", "Sally.Beck@ENRON.com"), ("'Beck, Sally'", "'sally.beck@enron.com'")),
        (("Sally Beck", "sbeck@enron.com"), ("Beck, Sally", "sally@beck.org")),
        (("Sally Beck", ""), ("", "sally.beck@enron.com")),
        (("Sally Beck", "Sally_Beck/HOU/ECT@ECT"), ("", "sally.beck@enron.com")),
        (("", "sally.beck@enron.com"), ("", "sally_beck@enron.com")),
        (("", "daren.j.farmer@enron.com"), ("", "j..farmer@enron.com")),
        (("", "sally.beck@enron.com"), ("", "s.beck@enron.com")),
        (("", "bob.crane@enron.com"), ("", "robert.crane@enron.com")),
        (("", "eric.letke@enron.com"), ("", "letke.eric@enron.com")),
        (("Tomasz Wójcik", "t.wojcik@a.org"), ("Tomasz Wojcik", "tomasz@wojcik.org")),
        (("S. Beckwith", ""), ("Sally Beckwith", "")),
        # umlauts spelled out or left out, hyphens, a name in the middle
        (("Jürgen Müllner", "jm@x.de"), ("Juergen Muellner", "jmu@x.de")),
        (("Jürgen Müllner", "jm@x.de"), ("Jurgen Mullner", "jmu@x.de")),
        (("Jürgen Müllner", "jm@x.de"), ("", "j.muellner@x.de")),
        (("Jean-Luc Picot", "jl@x.fr"), ("Jean Luc Picot", "picot@x.fr")),
        (("Maria Garza Lopes", "mg@x.es"), ("Garza Lopes, Maria", "ml@x.es")),
        (("Maria Garza-Lopes", "mg@x.es"), ("Maria Garza Lopes", "ml@x.es")),
        # names that are written without a blank
        (("张伟", "zhang@x.cn"), ("张 伟", "zw@x.cn")),
        (("田辺 浩", ""), ("田辺浩", "tanabe@x.jp")),
        # what the address says, where the name is short
        (("Tim Crane", "timothy.crane@x.org"), ("Timothy Crane", "tc1974@gmail.com")),
        (("Tim Crane", "tcrane@x.org"), ("Timothy Crane", "tc1974@gmail.com")),
        # private addresses that spell the name out, and domains of one's own
        (("Sally Beck", "sally.beck@enron.com"), ("", "sallybeck@gmail.com")),
        (("Sally Beck", "sally.beck@enron.com"), ("", "sally.beck77@yahoo.com")),
        (("Sally Beck", "sally.beck@enron.com"), ("Sally", "sally@beck.org")),
        (("Robert Crane", "rcrane@x.org"), ("", "bobcrane@aol.com")),
        (("Ann Nguyen", "ann.nguyen@x.org"), ("Ann Nguyen", "ann@nguyen.net")),
        # who wrote through a list wrote
        (("Ann Lisle via Growers", "growers@lists.x.org"), ("Ann Lisle", "ann@lisle.org")),
        # logins are cut at 7 or 8 letters
        _at("jeffrey.shankmann", "jshankm"),
        _at("jeffrey.shankmann", "jshankma"),
        # one local part of 5 letters at two hosts of one organisation
        [("", "farme@x.org"), ("", "farme@mail.x.org")],
        # the family's own domain is no place of work
        _named("Al Lindqvist", "al@lindqvist.org", "x1@work.com"),
        # two addresses made of a rare name: first, last, or a login of both
        _named("Albert Lindqvist", "albert9@a.com", "lindqvist9@b.com"),
        _named("Albert Lindqvist", "alindqv@a.com", "alindqvi@b.com"),
        # short first names, where one of the two says nothing about a place
        [("", "bob.lindqvist@a.com"), ("Robert Lindqvist", "q7@aol.com")],
        [("Bob Lindqvist", "q7@aol.com"), ("", "robert.lindqvist@a.com")],
        # abbreviations
        *(_at("sally.beck", short) for short in ("sbeck", "sallybeck", "becks", "becksally")),
        _at("sally.k.beck", "skbeck"),
        _at("sally.k.beck", "k.beck"),
        _at("daren.farmer", "k..farmer"),
        _at("daren.j.smith", "j..smith"),
        _at("john.lavorato", "lavorato"),
        # numbers in private addresses tell nobody apart
        _named("John Oliver", "john.oliver@aol.com", "john.oliver2@aol.com"),
    ],
)
def test_spellings_of_one_person_are_united(mentions: Sequence[Mention]) -> None:
    """Each kind of evidence unites what it should, by itself and in both orders."""
    assert len(_groups(*mentions)) == 1
    assert len(_groups(*mentions[::-1])) == 1


@pytest.mark.parametrize(
    "mentions",
    [
        # the same first name, and nothing else
        [("Sally", "sally@a.org"), ("Sally", "sally@b.org")],
        [("", "sally.beck@enron.com"), ("", "sally@enron.com")],
        # the same surname
        [("", "sally.beck@enron.com"), ("", "steve.beck@enron.com")],
        # an abbreviation that fits two people
        [("", "sally.beck@enron.com"), ("", "steve.beck@enron.com"), ("", "sbeck@enron.com")],
        # middle initials that contradict each other
        [("Mark E. Taylor", "m1@enron.com"), ("Mark A. Taylor", "m2@enron.com")],
        # a common name at two employers
        [("John Smith", "john.smith@a.com"), ("John Smith", "john.smith@b.com")],
        # two people behind one kind of local part
        [("Ann Li", "info@a.org"), ("Bo Yu", "info@mail.a.org")],
        # a short name that may stand for two people
        [("", "chris.ahn@x.org"), ("", "christine.ahn@x.org"), ("", "christopher.ahn@x.org")],
        # an initial and a surname that many have
        [("J. Smith", ""), ("Jane Smith", "")],
        # a private address that fits two, or a name that many have
        [("", "sally.beck@a.com"), ("Sally Beck", "sb@b.com"), ("", "sallybeck@gmail.com")],
        [("John Smith", "john.smith@a.com"), ("", "johnsmith@gmail.com")],
        # a name without an address, of which there are two
        [
            ("Al Beck", "x@a.com"),
            ("Al Beck", "y@b.com"),
            ("Al Beck", "al@aol.com"),
            ("Al Beck", ""),
        ],
        # a program that writes under the name of its users
        [("Ann Beck", "notifications@hub.com"), ("Ann Beck", "ann@beck.org")],
        # another first name in the same family
        [("", "nora@lindqvist.org"), ("Jonas Lindqvist", "jonas@lindqvist.org")],
        # the same Eastern family name
        [("张伟", "zhang@x.cn"), ("张芳", "fang@x.cn")],
        _at("jeffrey.shankmann", "jshank"),
        [("", "farm@x.org"), ("", "farm@mail.x.org")],
        [("", "jsmith@hotmail.com"), ("", "jsmith@hotmail.co.uk")],
        [("", "postmaster@x.org"), ("", "postmaster@mail.x.org")],
        _named("Al Lindqvist", "x1@a.com", "x2@b.com"),
        [("", "bob.smith@a.com"), ("Robert Smith", "q7@aol.com")],
        [("", "bob.lindqvist@a.com"), ("Robert Lindqvist", "r7@b.com")],
        _at("daren.j.farmer", "k..farmer"),
        _at("daren.smith", "k..smith"),
        _at("john.smith", "j.smith"),
        _at("sally.beck", "kim.s.beck", "s.beck"),
        _at("daren.farmer", "paul.j.farmer", "k..farmer"),
        _at("sally.beck", ".sbeck"),
        _at("sally.beck", "beck"),
        _at("john.smith", "smith"),
        [("Sally Beck", "sally.beck@a.com"), ("", "sallybeck@b.com")],
        _named("John Oliver", "john.oliver@x.org", "john.oliver2@x.org"),
    ],
)
def test_different_people_stay_apart(mentions: list[Mention]) -> None:
    """What could be two people is two people, one step short of each rule and in both orders."""
    assert len(_groups(*mentions)) == len(mentions)
    assert len(_groups(*mentions[::-1])) == len(mentions)


def test_who_says_where_comes_first() -> None:
    """A private address joins the one at work, however much more it is used."""
    assert len(_groups(*_named("Al Beckwith", "q7@aol.com", "x@a.com"), weights=[9, 1])) == 1
    # two at work: which one is private is not known, but the private ones are one
    both = _named("Al Beckwith", "x@a.com", "y@b.com", "q7@aol.com", "q8@msn.com")
    assert _groups(*both) == [[0], [1], [2, 3]]


def test_the_right_way_round_is_the_one_used_more() -> None:
    """Only the name as it is mostly written makes abbreviations."""
    turned = _at("eric.letke", "letke.eric")
    assert len(_groups(*turned, *_at("eletke"), weights=[9, 1, 1])) == 1
    assert _groups(*turned, *_at("leric"), weights=[9, 1, 1]) == [[0, 1], [2]]


def test_halves_of_addresses_and_suffixes_are_no_names() -> None:
    """bill.iii has lost his last name."""
    _, (bill, alan) = unite([("", "bill.iii@x.org"), ("", "alan.jr@x.org")], [1, 1])
    assert (bill.name, alan.name) == ("bill.iii@x.org", "alan.jr@x.org")


def test_who_stands_in_one_message_twice_is_two_people() -> None:
    """Weak evidence does not count against both being written to at once."""
    mentions = [("", "bob.crane@enron.com"), ("", "robert.crane@enron.com")]
    assert len(_groups(*mentions)) == 1
    assert len(_groups(*mentions, together=True)) == 2


def test_a_shared_address_does_not_unite_its_users() -> None:
    """Names that all write from one address stay apart where they have their own."""
    shared = [(name, "desk@x.org") for name in ("Ann Li", "Bo Yu", "Cy Oz", "Di Wu")]
    own = [("Ann Li", "ann.li@x.org"), ("Bo Yu", "bo.yu@x.org")]
    labels, _ = unite([*shared, *own], [1] * 6)
    assert labels[4] != labels[5]
    assert len(set(labels[:4].tolist())) == 1


def test_a_shared_address_is_called_by_no_name_of_its_users() -> None:
    """Notices of a service are not Ann's, though she has most of them."""
    names = [("Ann Beck", 4), ("Bo Yule", 3), ("Cy Ozick", 2)]
    mentions = [(name, "conference@x.org") for name, _ in names]
    _, (person,) = unite(mentions, [weight for _, weight in names])
    assert person.name == "conference@x.org"
    # a married name is no other user: the address says whose it is
    _, (person,) = unite([("Ann Beck", "ann.beck@x.org"), ("Ann Hall", "ann.beck@x.org")], [1, 1])
    assert person.name == "Ann Beck"


def test_lists_do_not_take_the_names_of_their_writers() -> None:
    """What came via a list is its writer's, with no address of the list."""
    mentions = [
        ("Ann Lisle via Growers", "growers@lists.x.org"),
        ("'Bo Yule' via Growers", "growers@lists.x.org"),
        ("Growers", "growers@lists.x.org"),
    ]
    labels, people = unite(mentions, [5, 5, 1])
    assert labels.tolist() == [0, 1, 2]
    assert [person.addresses for person in people] == [(), (), ("growers@lists.x.org",)]


def test_only_addresses_unite_when_names_must_not() -> None:
    """Without uniting by name, each address is a person."""
    mentions = [("Sally Beck", "sbeck@enron.com"), ("Sally Beck", "sally.beck@enron.com")]
    labels, _ = unite(mentions, [1, 1], by_name=False)
    assert labels.tolist() == [0, 1]


def test_people_are_called_by_their_commonest_full_name() -> None:
    """The name shown is the full one most used; all spellings and addresses are kept."""
    mentions = [("Beck, Sally", "sbeck@e.com"), ("sal", "sbeck@e.com"), ("", "sally.beck@e.com")]
    _, (person,) = unite(mentions, [2, 9, 5])
    assert person.name == "Sally Beck"
    assert person.addresses == ("sbeck@e.com", "sally.beck@e.com")
    assert person.spellings == ("sal", "Beck, Sally")


def test_namesakes_get_different_names() -> None:
    """Two people of one name are told apart by their addresses."""
    _, people = unite([("John Smith", "js@a.com"), ("John Smith", "js@b.com")], [1, 1])
    assert [person.name for person in people] == ["John Smith <js@a.com>", "John Smith <js@b.com>"]


def test_order_of_mentions_does_not_matter() -> None:
    """The same people come out, whichever is met first."""
    mentions = [
        ("", "sally.beck@enron.com"), ("", "sbeck@enron.com"), ("Sally Beck", ""),
        ("", "steve.beck@dynegy.com"), ("", "j..farmer@enron.com"), ("Daren J. Farmer", ""),
        ("", "daren.farmer@enron.com"), ("", "dfarmer@enron.com"), ("Bob Hall", "bhall@x.org"),
    ]  # fmt: skip
    expected = {frozenset(mentions[i] for i in group) for group in _groups(*mentions)}
    rng = np.random.default_rng(0)
    for _ in range(20):
        mixed = [mentions[i] for i in rng.permutation(len(mentions))]
        assert {frozenset(mixed[i] for i in group) for group in _groups(*mixed)} == expected


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "Ann Li", "Li, Ann", "A. Li", "Ann", "Bo Li", "Ann Q. Li"]),
            st.sampled_from(
                ["", "ann.li@x.org", "ali@x.org", "li@x.org", "ann@aol.com", "q..li@x.org"]
            ),
        ).filter(any),
        unique=True,
        min_size=1,
    )
)
def test_every_mention_is_somebody_and_names_differ(mentions: list[tuple[str, str]]) -> None:
    """Labels are numbers of people, each person has one name of its own."""
    labels, people = unite(mentions, [1] * len(mentions))
    assert set(labels.tolist()) == set(range(len(people)))
    assert len({person.name for person in people}) == len(people)


def test_time_grows_with_the_number_of_people() -> None:
    """Ten times the people take about ten times as long, not a hundred times."""

    def seconds(n: int) -> float:
        mentions = [
            (f"First{i % 97} Last{i}", f"f{i % 97}.last{i}@org{i % 50}.com") for i in range(n)
        ]
        mentions += [("", f"flast{i}@org{i % 50}.com") for i in range(n)]
        return _seconds(mentions)

    assert seconds(3000) < 40 * seconds(300)


def test_many_senders_of_one_name_take_no_longer() -> None:
    """Advertising comes from thousands of addresses under one name."""
    mentions = [("Best Offers", f"x{i}@shop{i}.biz") for i in range(3_000)]
    start = time.process_time()
    _, people = unite(mentions, [1] * len(mentions))
    assert time.process_time() - start < 5
    assert len(people) == len(mentions)


def test_many_candidates_for_an_abbreviation_take_no_longer() -> None:
    """A login that may be any of thousands of people is given up at the second one."""

    def seconds(n: int) -> float:
        mentions = [("", f"s{'al' * (i % 9)}ly{i}.beckwith@x.org") for i in range(n)]
        mentions += [("", f"s.beckwith@h{i}.x.org") for i in range(n)]
        return _seconds(mentions)

    assert seconds(4000) < 9 * seconds(1000)


def test_groups_known_by_two_names_are_followed() -> None:
    """A login that is used under two first names joins both of its namesakes."""
    mentions = [
        ("Bob Crane", "bcrane@mail.x.org"),
        ("Robert Crane", "bcrane@x.org"),
        ("Bob Crane", "bob@crane.net"),
        ("Robert Crane", "robert@crane.net"),
    ]
    labels, _ = unite(mentions, [1] * 4)
    assert len(set(labels.tolist())) == 1


def test_hidden_recipients_are_nobody() -> None:
    """What stands for no one is recognised, also when an address was mangled."""
    for name, address in (
        ("", "undisclosed-recipients:"),
        ("Undisclosed recipients", ""),
        ("", "no.address@enron.com"),
        # what is left of "Ann+40ENRON@ENRON.com"
        ("", "40enron@enron.com"),
        # half of an address, with no more than a first name
        ("", ".al@x.org"),
        ("Al", ".al@x.org"),
        ("e-mail", ".'phil@x.org"),
    ):
        assert is_nobody(name, address)
    for name, address in (
        ("Emily", ""),
        ("", "unknown.soldier@x.org"),
        ("", "99bottles@x.org"),
        ("Al Beck", ".al@x.org"),
        ("", "al.@x.org"),
    ):
        assert not is_nobody(name, address)


@pytest.mark.parametrize(
    ("address", "name", "addresses"),
    [("sally", "Sally Beck", ("sally",)), ("sally.beck", "Sally Beck", ())],
)
def test_addresses_without_a_host(address: str, name: str, addresses: tuple[str, ...]) -> None:
    """One that reads like a name is a name, any other one an address."""
    _, (person,) = unite([("Sally Beck", address)], [1])
    assert (person.name, person.addresses) == (name, addresses)


@pytest.mark.parametrize("often", [0, 1])
def test_a_person_is_shown_by_the_name_most_used(often: int) -> None:
    """Of two full names at one address."""
    names = ["Sally Beck", "Sally M Beck"]
    weights = [9 if number == often else 1 for number in range(2)]
    _, (person,) = unite([(name, "sbeck@x.org") for name in names], weights)
    assert person.name == names[often]
