"""Every rule that unites people, at the point where it decides."""

from __future__ import annotations

import numpy as np
import pytest

from comraf.collection.names import organisation_of, parse_mailbox, parse_name
from comraf.collection.people import is_nobody, unite

Mention = tuple[str, str]


def _at(*local_parts: str, host: str = "x.org") -> list[Mention]:
    return [("", f"{local}@{host}") for local in local_parts]


def _named(name: str, *addresses: str) -> list[Mention]:
    return [(name, address) for address in addresses]


def _groups(mentions: list[Mention], weights: list[int] | None = None) -> list[list[int]]:
    labels, _ = unite(mentions, weights or [1] * len(mentions))
    return [np.flatnonzero(labels == label).tolist() for label in dict.fromkeys(labels.tolist())]


@pytest.mark.parametrize(
    "mentions",
    [
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
def test_what_unites(mentions: list[Mention]) -> None:
    """Two spellings that are one person by one rule alone, in both orders."""
    assert len(_groups(mentions)) == 1
    assert len(_groups(mentions[::-1])) == 1


@pytest.mark.parametrize(
    "mentions",
    [
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
def test_what_is_too_little(mentions: list[Mention]) -> None:
    """One step short of each rule, people stay apart."""
    assert len(_groups(mentions)) == len(mentions)
    assert len(_groups(mentions[::-1])) == len(mentions)


def test_who_says_where_comes_first() -> None:
    """A private address joins the one at work, however much more it is used."""
    assert len(_groups(_named("Al Beckwith", "q7@aol.com", "x@a.com"), [9, 1])) == 1
    # two at work: which one is private is not known, but the private ones are one
    both = _named("Al Beckwith", "x@a.com", "y@b.com", "q7@aol.com", "q8@msn.com")
    assert _groups(both) == [[0], [1], [2, 3]]


def test_the_right_way_round_is_the_one_used_more() -> None:
    """Only the name as it is mostly written makes abbreviations."""
    turned = _at("eric.letke", "letke.eric")
    assert len(_groups([*turned, *_at("eletke")], [9, 1, 1])) == 1
    assert _groups([*turned, *_at("leric")], [9, 1, 1]) == [[0, 1], [2]]


@pytest.mark.parametrize(
    "suffix", "Jr Sr II III IV PhD MD Esq CPA MBA DDS PE MSc BSc MA Jr. Ph.D.".split()
)
def test_suffixes_are_no_part_of_a_name(suffix: str) -> None:
    """With a comma or without, with dots or without."""
    assert parse_name(f"Ann Lindqvist, {suffix}").key == ("ann", "lindqvist")  # type: ignore[union-attr]
    if suffix != "Ph.D.":
        assert parse_name(f"Ann Lindqvist {suffix}").key == ("ann", "lindqvist")  # type: ignore[union-attr]


def test_parts_of_names() -> None:
    """Titles and remarks go, particles stay, and what is left alone is a name."""
    for text, key in (
        ("Dr. Ann Li", ("ann", "li")),
        ("Ann Li, attorney to be", ("ann", "li")),
        ("Jan van der Berg", ("jan", "van der berg")),
        ("Jr", ("jr", "")),
        ("Ann Li (" + "x" * 900 + ")", ("ann", "li")),
    ):
        assert parse_name(text).key == key  # type: ignore[union-attr]
    assert parse_name("Ann Li (" + "x" * 1000 + ")") is None
    assert parse_name("Ann " + "Li" * 60) is None


def test_parts_of_addresses() -> None:
    """A name in an address has two parts of two letters; who runs a host is the label before."""
    assert [
        (parse_mailbox(f"{local}@x.org").name or parse_name("no")).first  # type: ignore[union-attr]
        for local in ("sally.beck", "s.beck", "sally.b1", "sally.iii")
    ] == ["sally", "no", "no", "no"]
    for host, who in (("ann.go.com", "go"), ("ect.enron.de", "enron"), ("x.enron.co.uk", "enron")):
        assert organisation_of(host) == who
    assert parse_mailbox("ann+lists@x.org").address == "ann@x.org"


def test_pieces_of_encoded_addresses_are_nobody() -> None:
    """What +40 left of "Ann+40ENRON@ENRON.com", but not a name with a number."""
    assert is_nobody("", "40enron@enron.com")
    assert not is_nobody("", "40winks@x.org")
    assert is_nobody("Al", ".al@x.org")  # a first name alone
