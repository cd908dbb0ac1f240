"""Names and addresses in parts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.names import (
    PersonName,
    fold_name,
    organisation_of,
    parse_mailbox,
    parse_name,
)


def _name(text: str) -> PersonName:
    name = parse_name(text)
    assert name is not None
    return name


def _key(text: str) -> tuple[str, str]:
    return _name(text).key


@pytest.mark.parametrize(
    "text",
    [
        "Beck, Sally",
        "'Beck, Sally'",
        '"Sally Beck"',
        "SALLY BECK",
        "sally.beck",
        "Sally Beck/HOU/ECT",
        "Beck, Sally (Legal)",
        "Dr. Sally Beck, PhD",
        "Sally K. Beck",
        'Sally "Sal" Beck',
        "Sally Beck via Announcements",
        "Sally Beck -- Houston",
    ],
)
def test_spellings_of_one_name_meet(text: str) -> None:
    """Order, case, titles, remarks and departments do not matter."""
    name = _name(text)
    assert name.key == ("sally", "beck")


@pytest.mark.parametrize("text", ["", "  ", "sbeck@enron.com", "555-1234", "http://x.org", "''"])
def test_what_is_no_name_gives_none(text: str) -> None:
    """Addresses, numbers and nothing at all are no names."""
    assert parse_name(text) is None


def test_parts_of_a_name_are_told_apart() -> None:
    """Particles belong to the surname, initials to the middle."""
    name = _name("Ludwig J. van der Berg")
    assert (name.first, name.middle, name.last) == ("ludwig", "j", "van der berg")
    short = _name("S. Beck")
    assert not short.full


def test_accents_are_folded() -> None:
    """A name meets its spelling without accents."""
    assert fold_name("Søren Kjær") == "soren kjaer"
    assert fold_name("Tomasz Wójcik Łąk") == "tomasz wojcik lak"


@pytest.mark.parametrize(
    "text",
    [
        "Sally.Beck@ENRON.com",
        "'sally.beck@enron.com'",
        "<sally.beck+lists@enron.com>",
        "IMCEANOTES-sally+2Ebeck+40enron+2Ecom@ENRON.com",
    ],
)
def test_spellings_of_one_address_meet(text: str) -> None:
    """Case, quotes, brackets, tags and old encodings do not matter."""
    assert parse_mailbox(text).address == "sally.beck@enron.com"


def test_old_forms_of_addresses_are_read() -> None:
    """Lotus Notes and X.500 addresses give a name, or a login and an organisation."""
    notes = parse_mailbox("Sally_Beck/HOU/ECT@ECT")
    assert notes.name is not None
    assert notes.name.key == ("sally", "beck")
    x500 = parse_mailbox("/O=ENRON/OU=NA/CN=RECIPIENTS/CN=SBECK")
    assert (x500.local, x500.organisation) == ("sbeck", "enron")


def test_gmail_ignores_dots() -> None:
    """Two spellings that Gmail delivers to one person are one address."""
    assert parse_mailbox("a.b.c@googlemail.com").address == parse_mailbox("abc@gmail.com").address


def test_organisations_are_found_in_hosts() -> None:
    """Departments and countries do not matter."""
    assert {organisation_of(h) for h in ("enron.com", "ect.enron.de", "x.enron.co.uk")} == {"enron"}
    assert organisation_of("localhost") == ""


def test_private_mail_is_told_from_work() -> None:
    """A provider that also employs people is private only under its private domain."""
    assert parse_mailbox("joe@att.net").private
    assert not parse_mailbox("joe@cb.att.com").private
    assert parse_mailbox("joe@houston.rr.com").private


@given(st.text(max_size=60))
def test_nothing_breaks_the_parsers(text: str) -> None:
    """Any string is a name or none, and has some address."""
    name = parse_name(text)
    assert name is None or name.display
    assert isinstance(parse_mailbox(text).address, str)


def test_other_ways_to_fold_and_cut_a_name() -> None:
    """Umlauts spelled out, hyphens gone, a middle name on either side."""
    name = _name("Jürgen Müller-Hof")
    assert name.key == ("jurgen", "muller-hof")
    assert set(name.others) == {
        ("jurgen", "muller hof"), ("juergen", "mueller-hof"), ("juergen", "mueller hof"),
    }  # fmt: skip
    name = _name("Maria Garza Lopes")
    assert set(name.others) == {("maria garza", "lopes"), ("maria", "garza lopes")}
    plain = _name("Sally K. Beck")
    assert plain.others == ()


@pytest.mark.parametrize("text", ["田辺 浩", "张伟", "김민준"])
def test_eastern_names_are_whole_names(text: str) -> None:
    """Without a blank they are still more than a first name, and shown as they are written."""
    name = _name(text)
    assert name.full
    assert name.display == text


def test_a_name_of_a_megabyte_is_none() -> None:
    """It takes no time either."""
    start = time.process_time()
    assert parse_name("() " * 1_000_000) is None
    assert time.process_time() - start < 1


def test_numbers_at_the_end_of_an_address_are_no_name() -> None:
    """Sally Beck was born in 1977."""
    name = parse_mailbox("sally.beck77@x.org").name
    assert name is not None
    assert (name.key, name.display) == (("sally", "beck"), "Sally Beck")


def test_an_initial_is_no_other_name() -> None:
    """Somebody else's Anne Oster must not be J. Anne Oster."""
    found = _name("J. Anne Öster")
    assert set(found.others) == {("j anne", "oster"), ("j anne", "oester")}


@pytest.mark.parametrize(
    ("text", "shown"),
    [("anna.li", "Anna Li"), ("Anna. Li", "Anna Li"), ("J. R. Tolkien", "J. R. Tolkien")],
)
def test_only_an_initial_is_shown_with_its_dot(text: str, shown: str) -> None:
    """A dot behind a longer word is what stands between two words."""
    name = _name(text)
    assert name.display == shown


def test_an_initial_is_no_surname_in_another_spelling() -> None:
    """Too many people have it."""
    for text, others in (("Anna-Maria L", ()), ("Anna-Maria Lo", (("anna maria", "lo"),))):
        name = _name(text)
        assert name.others == others


@pytest.mark.parametrize("text", ["Dr.", "Dr", "Jr"])
def test_a_title_alone_is_a_name(text: str) -> None:
    """There is nothing else to call its owner by."""
    name = _name(text)
    assert name.first == text.lower().rstrip(".")


@pytest.mark.parametrize(
    "suffix", "Jr Sr II III IV PhD MD Esq CPA MBA DDS PE MSc BSc MA Jr. Ph.D.".split()
)
def test_suffixes_are_no_part_of_a_name(suffix: str) -> None:
    """With a comma or without, with dots or without."""
    assert _key(f"Ann Lindqvist, {suffix}") == ("ann", "lindqvist")
    if suffix != "Ph.D.":
        assert _key(f"Ann Lindqvist {suffix}") == ("ann", "lindqvist")


def test_parts_of_names() -> None:
    """Titles and remarks go, particles stay, and what is left alone is a name."""
    for text, key in (
        ("Dr. Ann Li", ("ann", "li")),
        ("Ann Li, attorney to be", ("ann", "li")),
        ("Jan van der Berg", ("jan", "van der berg")),
        ("Jr", ("jr", "")),
        ("Ann Li (" + "x" * 900 + ")", ("ann", "li")),
    ):
        assert _key(text) == key
    assert parse_name("Ann Li (" + "x" * 1000 + ")") is None
    assert parse_name("Ann " + "Li" * 60) is None


def test_parts_of_addresses() -> None:
    """A name in an address has two parts of two letters."""
    assert [
        (parse_mailbox(f"{local}@x.org").name or parse_name("no")).first  # type: ignore[union-attr]
        for local in ("sally.beck", "s.beck", "sally.b1", "sally.iii")
    ] == ["sally", "no", "no", "no"]
