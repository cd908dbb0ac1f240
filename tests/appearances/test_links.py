"""The graph of shared links."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.appearances import POPULAR_HOSTS, Page, find_appearances
from comraf.appearances.links import (
    components,
    core_component,
    interconnected,
    interconnectedness,
    link_table,
)
from comraf.collection.text.popular import is_popular
from comraf.errors import InputError


def _page(number: int, *links: str, name: str = "Ann") -> Page:
    return Page(f"{name}/{number}", name, "text", links=links)


def test_popular_hosts_go_by_list_and_by_share() -> None:
    """Known hosts with all below them, and hosts on too many of the pages."""
    pages = [_page(i, "http://maps.google.com/a/", "http://counter.example/b/") for i in range(30)]
    pages += [_page(30 + i, "http://club.example/c/") for i in range(20)]
    found = link_table(pages, popular_share=0.5)
    assert found.places == ("club.example/c",)
    assert found.popular == {"counter.example": 30, "maps.google.com": 30}
    assert len(link_table(pages, popular=(), popular_share=1.0).places) == 3
    assert not is_popular("notamazon.com", POPULAR_HOSTS)


def test_few_pages_make_no_host_popular() -> None:
    """Three of four pages link to the club; that is a circle, not popularity."""
    found = link_table([_page(i, "http://club.example/c/") for i in range(3)] + [_page(3)])
    assert found.places == ("club.example/c",)


@pytest.mark.parametrize("share", [0, -1, 1.5, float("nan"), "half"])
def test_shares_are_checked(share: object) -> None:
    """What is no share is refused."""
    with pytest.raises(InputError, match="popular_share"):
        link_table([_page(0)], popular_share=share)  # type: ignore[arg-type]


def test_the_largest_component_of_one_name_is_no_core() -> None:
    """A namesake whose pages are all connected is passed over (definition 4.7.2)."""
    found = np.array([0, 0, 0, 0, 1, 1, 2])
    assert core_component(found, ["Ann"] * 5 + ["Bob"] * 2) == 1


@given(st.lists(st.lists(st.integers(0, 6), max_size=4, unique=True), min_size=1, max_size=12))
def test_components_and_interconnectedness_by_definition(rows: list[list[int]]) -> None:
    """Both are what comparing all pairs of pages gives."""
    table = np.zeros((len(rows), 7))
    for i, row in enumerate(rows):
        table[i, row] = 1
    group = list(range(len(rows)))
    for _ in rows:
        for i, j in combinations(range(len(rows)), 2):
            if set(rows[i]) & set(rows[j]):
                group[i] = group[j] = min(group[i], group[j])
    found = components(table)
    assert all(
        (found[i] == found[j]) == (group[i] == group[j])
        for i, j in combinations(range(len(rows)), 2)
    )
    assert (np.diff(np.bincount(found)) <= 0).all()
    labels = np.arange(len(rows)) % 2
    shared: list[set[int]] = [set(), set()]
    for i, j in combinations(range(len(rows)), 2):
        if labels[i] == labels[j]:
            shared[labels[i]] |= set(rows[i]) & set(rows[j])
    expected = [len(some) for some in shared][: labels.max() + 1]
    assert interconnectedness(table, labels).tolist() == expected
    assert expected[interconnected(table, labels)] == max(expected)


def _circle(n_linked: int, n: int = 40) -> list[Page]:
    """Pages of two names, so many of which link to a club; nothing else is shared."""
    link = ("http://sail.example/club/",)
    return [
        _page(i, *(link if i < n_linked else ()), name="Ann" if i % 2 else "Bob") for i in range(n)
    ]


def test_the_only_link_between_names_is_not_popular() -> None:
    """A host of 40% of the pages stays where names would share nothing without it."""
    found = link_table(_circle(16))
    assert found.places == ("sail.example/club",)
    assert found.kept == {"sail.example": 16}
    assert found.popular == {}
    assert "sail.example (40%)" in found.notes[0]


def test_a_host_of_most_pages_goes_in_any_case() -> None:
    """What most of the pages have tells nobody apart, and it is said that it was left out."""
    found = link_table(_circle(30))
    assert (found.places, found.kept, found.here) == ((), {}, ("sail.example",))
    assert found.notes == ["left out as popular: sail.example (75% of the pages)"]


def test_another_link_between_names_is_enough() -> None:
    """Where names share a place besides, hosts on too many pages are popular as ever."""
    pages = _circle(16)
    pages += [_page(90, "http://x.example/y/"), _page(91, "http://x.example/y/", name="Bob")]
    found = link_table(pages)
    assert found.places == ("x.example/y",)
    assert found.here == ("sail.example",)


def test_no_core_of_links_says_which_hosts_were_left_out() -> None:
    """Whoever asks for links alone is told why there are none."""
    with pytest.raises(InputError, match=r"left out as popular: sail\.example \(75%"):
        find_appearances(_circle(30), method="links", background="flat")
