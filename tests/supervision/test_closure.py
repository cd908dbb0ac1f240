"""The closure is an equivalence, and every contradiction is found and shown by a real chain."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.errors import ConflictError, InputError
from comraf.supervision import Closure, close, read_links

Pairs = list[tuple[int, int]]


@st.composite
def known(draw: st.DrawFn) -> tuple[int, Pairs, Pairs, list[int]]:
    """A few items with random links and labels: about half of them contradict themselves."""
    n = draw(st.integers(2, 12))
    pair = st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True).map(tuple)
    must = draw(st.lists(pair, max_size=10))
    cannot = draw(st.lists(pair, max_size=3))
    kinds = st.sampled_from([-1, -1, -1, -1, 0, 1, 2])
    return n, must, cannot, draw(st.lists(kinds, min_size=n, max_size=n))


def closed(n: int, must: Pairs, cannot: Pairs, codes: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Together and apart for each pair of items, by the laws alone, until nothing changes."""
    same = np.eye(n, dtype=bool)
    apart = np.zeros((n, n), dtype=bool)
    for a, b in must:
        same[a, b] = same[b, a] = True
    for a, b in cannot:
        apart[a, b] = apart[b, a] = True
    for a, b in combinations(range(n), 2):
        if codes[a] >= 0 <= codes[b]:
            which = same if codes[a] == codes[b] else apart
            which[a, b] = which[b, a] = True
    for _ in range(n):
        same = same | (same.astype(int) @ same.astype(int) > 0)
    apart = same.astype(int) @ apart.astype(int) @ same.astype(int) > 0
    return same, apart


def run(n: int, must: Pairs, cannot: Pairs, codes: list[int]) -> Closure:
    """Close links that are given as plain pairs."""
    return close(n, read_links(must, n), read_links(cannot, n), np.array(codes))


@given(known())
def test_equals_the_laws(case: tuple[int, Pairs, Pairs, list[int]]) -> None:
    """Groups are the classes of the equivalence; contradictions raise, and nothing else does."""
    n = case[0]
    same, apart = closed(*case)
    if (same & apart).any():
        with pytest.raises(ConflictError):
            run(*case)
        return
    closure = run(*case)
    np.testing.assert_array_equal(closure.group[:, None] == closure.group[None, :], same)
    found = np.zeros((closure.n_groups, closure.n_groups), dtype=bool)
    for a, b in closure.cannot:
        assert a < b
        found[a, b] = found[b, a] = True
    np.testing.assert_array_equal(found[closure.group][:, closure.group], apart)
    pairs = [tuple(pair) for pair in closure.cannot.tolist()]
    assert pairs == sorted(set(pairs))
    firsts = [int(np.argmax(closure.group == g)) for g in range(closure.n_groups)]
    assert firsts == sorted(firsts)
    assert closure.sizes.sum() == n


@given(known(), st.randoms(use_true_random=False))
def test_renaming_items_changes_nothing(case, random) -> None:
    """Cannot pairs and groups of renamed items are the renamed ones."""
    n, must, cannot, codes = case
    order = list(range(n))
    random.shuffle(order)
    renamed = [0] * n
    for row, place in enumerate(order):
        renamed[place] = codes[row]
    moved = (
        n,
        [(order[a], order[b]) for a, b in must],
        [(order[b], order[a]) for a, b in cannot],
        renamed,
    )
    try:
        one = run(*case)
    except ConflictError:
        with pytest.raises(ConflictError):
            run(*moved)
        return
    other = run(*moved)
    matched = {int(g): int(other.group[order[row]]) for row, g in enumerate(one.group)}
    assert len(set(matched.values())) == one.n_groups == other.n_groups
    pairs = {tuple(sorted((matched[int(a)], matched[int(b)]))) for a, b in one.cannot}
    assert pairs == {tuple(pair) for pair in other.cannot.tolist()}


STEP = re.compile(r"i(\d+) = i(\d+)(?: \(both labelled '(\d)'\))?")
END_LINK = re.compile(r"i(\d+) ≠ i(\d+)")
END_LABEL = re.compile(r"i(\d+) is labelled '(\d)' and i(\d+) '(\d)'")


@given(known())
def test_chains_are_real(case) -> None:
    """Each step of a chain was given, steps join on, and the end was given and contradicts it."""
    n, must, cannot, codes = case
    ids = [f"i{row}" for row in range(n)]
    try:
        close(n, read_links(must, n), read_links(cannot, n), codes, ids=ids, classes="012")
    except ConflictError as error:
        text = str(error)
    else:
        return
    body = text.split(": ", 1)[1].rsplit("; leave out", 1)[0]
    chains = [chain for chain in body.split("; ") if not chain.startswith("and ")]
    assert 1 <= len(chains) <= 5
    for chain in chains:
        steps, end = chain.split(", but ")
        path: list[int] = []
        for step in steps.split(", "):
            a, b, kind = STEP.fullmatch(step).groups()
            a, b = int(a), int(b)
            if kind is None:
                assert (a, b) in must or (b, a) in must
            else:
                assert codes[a] == codes[b] == int(kind)
            assert not path or path[-1] == a
            path = [*(path or [a]), b]
        if link := END_LINK.fullmatch(end):
            a, b = map(int, link.groups())
            assert (a, b) in cannot or (b, a) in cannot
        else:
            a, first, b, second = map(int, END_LABEL.fullmatch(end).groups())
            assert (codes[a], codes[b]) == (first, second)
            assert first != second
        assert {a, b} == {path[0], path[-1]}


def message(n: int, must: Pairs, cannot: Pairs, **more: object) -> str:
    """What is said about a contradiction."""
    with pytest.raises(ConflictError) as caught:
        close(n, read_links(must, n), read_links(cannot, n), **more)
    return str(caught.value)


def test_the_shortest_chain() -> None:
    """Of two ways round a ring the shorter is told."""
    ring = [(i, (i + 1) % 9) for i in range(9)]
    assert ": 0 = 8, 8 = 7, but 0 ≠ 7;" in message(9, ring, [(7, 0)])


def test_first_offenders_and_how_many() -> None:
    """Five chains of seven are told; a repeated link counts once."""
    must = [(2 * i, 2 * i + 1) for i in range(7)]
    text = message(14, must, must + must)
    assert "in 7 places: 0 = 1, but 0 ≠ 1; 2 = 3" in text
    assert "8 = 9, but 8 ≠ 9; and 2 more contradictions;" in text


def test_only_the_cause_is_told() -> None:
    """One wrong must-link between classes is one contradiction, whatever else it breaks."""
    codes = [0] * 5 + [1] * 5
    cannot = [(a, b) for a in range(5) for b in range(5, 10) if (a, b) != (0, 5)]
    text = message(10, [(0, 5)], cannot, codes=codes)
    assert "itself: 0 = 5, but 0 is labelled 0 and 5 1;" in text


def test_long_chains_are_cut() -> None:
    """Of a thousand links a dozen are shown."""
    text = message(1001, [(i, i + 1) for i in range(1000)], [(0, 1000)])
    assert "5 = 6, … (988 links between) …, 994 = 995" in text


def test_names_with_blanks_are_quoted() -> None:
    """A reader sees where a name ends."""
    text = message(2, [(0, 1)], [(0, 1)], ids=["my file, 1.txt", "b"])
    assert ": 'my file, 1.txt' = b, but 'my file, 1.txt' ≠ b;" in text


def test_finite_weights_imply_nothing() -> None:
    """Links that may be broken neither join nor contradict."""
    closure = close(3, read_links([(0, 1, 5.0)], 3), read_links([(0, 1), (1, 2, 1.0)], 3))
    assert closure.group.tolist() == [0, 1, 2]
    assert closure.cannot.tolist() == [[0, 1]]


def test_no_items() -> None:
    """Nothing closes to nothing."""
    none = read_links(None, 0)
    closure = close(0, none, none, codes=[])
    assert (closure.n_groups, closure.group.shape, closure.cannot.shape) == (0, (0,), (0, 2))


def test_unused_classes_and_names_of_groups() -> None:
    """Classes nobody has are no groups; a group is named by its first item."""
    closure = close(3, read_links(None, 3), read_links(None, 3), codes=[7, -1, 7])
    assert closure.n_groups == 2
    assert closure.cannot.shape == (0, 2)
    assert closure.name(0, ["ant", "bee", "cat"]) == "ant (and 1 more)"
    assert closure.name(1) == "1"


@pytest.mark.parametrize("codes", [[0, 1], [0, 1, -2], [0.0, 1.0, 2.0], [[0], [1], [2]]])
def test_bad_codes(codes: object) -> None:
    """Codes are one whole number of -1 or more for each item."""
    with pytest.raises(InputError, match="codes of shape"):
        close(3, read_links(None, 3), read_links(None, 3), codes)


def test_links_of_more_items() -> None:
    """Links that were read for more items are refused."""
    with pytest.raises(InputError, match="must holds the row number 4, but there are 3 items"):
        close(3, read_links([(0, 4)], 5), read_links(None, 5))


def test_a_million_items() -> None:
    """A million items, 100,000 links and as many labels are closed without square tables."""
    rng = np.random.default_rng(0)
    n = 1_000_000
    truth = rng.integers(0, 20, n)
    pairs = rng.integers(0, n, (2_000_000, 2))
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    must = pairs[same & (pairs[:, 0] != pairs[:, 1])][:50_000]
    codes = np.where(rng.random(n) < 0.1, truth, -1)
    closure = close(n, read_links(must, n), read_links(pairs[~same][:50_000], n), codes)
    assert (closure.group[must[:, 0]] == closure.group[must[:, 1]]).all()
    first = np.full(closure.n_groups, -1)
    first[closure.group] = truth
    np.testing.assert_array_equal(first[closure.group], truth)  # no group mixes classes
