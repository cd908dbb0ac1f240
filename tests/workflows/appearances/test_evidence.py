"""The graph of shared links."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.appearances import POPULAR_HOSTS, Page, find_appearances, gather
from comraf.collection.text.addresses import is_popular
from comraf.errors import InputError
from comraf.workflows.appearances.evidence import (
    components,
    core_component,
    interconnected,
    interconnectedness,
    link_table,
)


def _page(number: int, *links: str, name: str = "Ann") -> Page:
    return Page(f"{name}/{number}", name, "text", links=links)


def test_popular_hosts_go_by_the_list_alone() -> None:
    """Known hosts go with all below them; one on most of the pages stays if nobody knows it."""
    pages = [_page(i, "http://maps.google.com/a/", "http://club.example/c/") for i in range(30)]
    found = link_table(pages)
    assert (found.places, found.popular) == (("club.example/c",), {"maps.google.com": 30})
    assert found.notes == ["left out as popular: maps.google.com (30 pages)"]
    assert found.hosts == {"club.example": 30}
    told = link_table(pages, popular={"club.example"})
    assert (told.places, told.popular) == (("maps.google.com/a",), {"club.example": 30})
    assert not is_popular("notamazon.com", POPULAR_HOSTS)


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


def test_no_core_of_links_says_which_hosts_were_left_out() -> None:
    """Whoever asks for links alone is told why there are none."""
    pages = [_page(i, "http://sail.example/a/", name=("Ann", "Bob")[i % 2]) for i in range(8)]
    evidence = gather(pages, background="flat", popular={"sail.example"})
    with pytest.raises(InputError, match=r"left out as popular: sail\.example \(8 pages"):
        find_appearances(evidence, method="links")
