"""Colourings are proper, found where they are known to be there, and refused with a reason."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from comraf.errors import ConflictError, InputError
from comraf.supervision import colour

seeds = st.integers(0, 2**32 - 1)


def assert_proper(colours: np.ndarray, n: int, pairs: object, k: int) -> None:
    """Each group has one of k colours, and no pair shares one."""
    assert colours.shape == (n,)
    assert colours.dtype == np.int64
    assert n == 0 or 0 <= colours.min() <= colours.max() < k
    for a, b in pairs:
        assert colours[a] != colours[b]


@given(seeds, st.integers(2, 48), st.integers(2, 9), st.floats(0.05, 1.0))
def test_planted_colourings_are_found(seed: int, n: int, k: int, density: float) -> None:
    """A graph that was made from k colours is coloured, however dense."""
    rng = np.random.default_rng(seed)
    planted = rng.integers(0, k, n)
    pairs = [
        (a, b)
        for a, b in combinations(rng.permutation(n).tolist(), 2)
        if planted[a] != planted[b] and rng.random() < density
    ]
    assert_proper(colour(n, np.array(pairs).reshape(-1, 2), k), n, pairs, k)


@given(seeds, st.integers(30, 48), st.sampled_from([(3, 4.7), (4, 8.4), (5, 12.5)]))
def test_where_colours_are_just_enough(seed: int, n: int, case: tuple[int, float]) -> None:
    """At the density where k colours are hardly enough, dead ends are met and left again."""
    k, degree = case
    rng = np.random.default_rng(seed)
    planted = rng.integers(0, k, n)
    pairs = rng.integers(0, n, (40 * n, 2))
    pairs = pairs[planted[pairs[:, 0]] != planted[pairs[:, 1]]][: int(degree * n / 2)]
    assert_proper(colour(n, pairs, k), n, pairs, k)


@given(st.integers(1, 7), st.integers(1, 3), st.data())
def test_every_small_graph(n: int, k: int, data: st.DataObject) -> None:
    """It returns exactly where some assignment of colours is proper, and says when it is proven."""
    every = list(combinations(range(n), 2))
    pairs = data.draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    possible = any(
        all(shades[a] != shades[b] for a, b in pairs) for shades in product(range(k), repeat=n)
    )
    if possible:
        assert_proper(colour(n, pairs, k), n, pairs, k)
    else:
        with pytest.raises(ConflictError, match=f"^{k} clusters? can't keep apart"):
            colour(n, pairs, k)


@given(st.integers(1, 12), seeds)
@example(k=60, seed=0)
def test_a_clique_is_named(k: int, seed: int) -> None:
    """K + 1 groups that are all apart, among others, are found; k colours are not enough."""
    rng = np.random.default_rng(seed)
    clique = rng.choice(4 * k, k + 1, replace=False)
    others = rng.integers(0, 4 * k, (4 * k, 2))
    others = others[others[:, 0] != others[:, 1]]
    pairs = rng.permutation(np.concatenate([list(combinations(clique.tolist(), 2)), others]))
    with pytest.raises(ConflictError, match=f"{k + 1} groups are each apart") as caught:
        colour(4 * k, pairs, k)
    listed = str(caught.value).split("others: ")[1].split(";")[0].split(" and ")[0].split(", ")
    named = [int(name.removeprefix("group ")) for name in listed]
    assert len(named) == min(k + 1, 5)
    known = {frozenset(pair) for pair in pairs.tolist()}
    assert all(frozenset(pair) in known for pair in combinations(named, 2))
    assert ("and" in str(caught.value).split("others: ")[1].split(";")[0]) == (k + 1 > 5)


def test_proof_without_a_clique() -> None:
    """A long odd ring has no triangle, yet two colours are not enough, and that is proven."""
    ring = [(i, (i + 1) % 10_001) for i in range(10_001)]
    with pytest.raises(ConflictError, match="all ways to colour 10,001 groups"):
        colour(10_001, ring, 2)
    assert_proper(colour(10_001, ring, 3), 10_001, ring, 3)
    assert_proper(colour(10_001, ring[:-1], 2), 10_001, ring[:-1], 2)


def test_giving_up_is_said() -> None:
    """When tries run out nothing is claimed: the message says there may be a way."""
    rng = np.random.default_rng(0)
    pairs = [pair for pair in combinations(range(120), 2) if rng.random() < 0.5]
    with pytest.raises(ConflictError, match=r"no way was found .* until 200 dead ends; there may"):
        colour(120, pairs, 12, tries=200)


def test_free_groups_repeats_and_turns() -> None:
    """Groups in no pair get 0; pairs may repeat, either way round, hundreds of times."""
    pairs = [(3, 1), (1, 3)] * 300
    colours = colour(5, pairs, 2)
    assert_proper(colours, 5, pairs, 2)
    assert colours[[0, 2, 4]].tolist() == [0, 0, 0]
    assert colour(0, np.zeros((0, 2), dtype=int), 3).shape == (0,)
    assert colour(3, [], 1).tolist() == [0, 0, 0]


@pytest.mark.parametrize("k", [4, 20])
def test_twenty_thousand_groups(k: int) -> None:
    """Many groups with few links each are coloured, and each time alike."""
    rng = np.random.default_rng(1)
    n = 20_000
    planted = rng.integers(0, k, n)
    pairs = rng.integers(0, n, (60_000, 2))
    pairs = pairs[planted[pairs[:, 0]] != planted[pairs[:, 1]]][:40_000]
    colours = colour(n, pairs, k)
    assert (colours[pairs[:, 0]] != colours[pairs[:, 1]]).all()
    assert colours.max() < k
    np.testing.assert_array_equal(colour(n, pairs, k), colours)


def test_denser_than_backtracking_can() -> None:
    """Five colours, 300 groups, 3,600 pairs: the tabu search finds what was planted."""
    rng = np.random.default_rng(5)
    planted = rng.integers(0, 5, 300)
    pairs = rng.integers(0, 300, (20_000, 2))
    pairs = pairs[planted[pairs[:, 0]] != planted[pairs[:, 1]]][:3_600]
    assert_proper(colour(300, pairs, 5), 300, pairs, 5)


@pytest.mark.parametrize(
    ("n", "pairs", "k", "message"),
    [
        (2, [(0, 1)], 0, "k=0"),
        (2, [(0, 1)], 1.5, "k=1.5"),
        (-1, [], 1, "n_groups=-1"),
        (2, [(0, 2)], 2, "cannot holds group 2, but there are 2 groups"),
        (2, [(-1, 1)], 2, "cannot holds group -1"),
        (2, [(1, 1)], 2, "apart from themselves: 1"),
        (2, [(0, 1, 1)], 2, r"shape \(1, 3\)"),
        (2, [(0.5, 1)], 2, "type float64"),
    ],
)
def test_refused(n: int, pairs: object, k: int, message: str) -> None:
    """The error names the number that can't be used."""
    with pytest.raises(InputError, match=message):
        colour(n, pairs, k)
