"""Whether there is anything to find, and how often that is said wrongly."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.sample import sample_tables
from comraf.graph.scaling import mutual_information
from comraf.graph.tables import membership
from comraf.select import ERROR_RATE, structure
from comraf.select.chance import parted, shared_information
from tests.strategies import random_labels

TABLES = sample_tables(n_messages=240, seed=3).by_name()


@given(st.integers(0, 2**32 - 1))
def test_what_is_told_is_information(seed: int) -> None:
    """Two ways to group rows differ in it as their information does, times the mass."""
    rng = np.random.default_rng(seed)
    table = sp.csr_array(rng.poisson(1.0, (9, 5)) + np.eye(9, 5))
    labels, other = (random_labels(rng, 9, k) for k in (3, 4))

    def nats(groups: np.ndarray) -> float:
        counts = sp.csr_array(membership(groups, int(groups.max()) + 1).T) @ table
        return float(table.sum()) * mutual_information(sp.csr_array(counts))

    assert shared_information(labels, table) - shared_information(other, table) == pytest.approx(
        nats(labels) - nats(other), abs=1e-6
    )


def test_halves_share_no_value() -> None:
    """Each value that two rows have is in one half, and no other is in any."""
    table = sp.csr_array(np.triu(np.ones((7, 9), dtype=np.int64)))
    whole = [column for column in table.toarray().T.tolist() if sum(map(bool, column)) > 1]
    halves = parted([table], np.random.default_rng(0))
    both = [column for (half,) in halves for column in half.toarray().T.tolist()]
    assert sorted(both) == sorted(whole)


def test_mail_has_structure() -> None:
    """In whole and where few messages were read; tables stay as they were."""
    before = {name: table.copy() for name, table in TABLES.items()}
    assert structure(TABLES, 8).found
    assert structure({name: table[:40] for name, table in TABLES.items()}, 4).found
    for name, table in TABLES.items():
        assert (before[name] != table).nnz == 0


def test_short_titles_have_structure_until_their_words_are_dealt_out() -> None:
    """150 titles of five words in 10 stories, and each word in other titles, as often as before."""
    rng = np.random.default_rng(1)
    story = np.arange(150) % 10
    titles = np.zeros((150, 310), dtype=np.int64)
    for i in range(150):
        titles[i, 22 * story[i] + rng.choice(22, 3, replace=False)] = 1
        titles[i, 220 + rng.choice(90, 2, replace=False)] = 1
    assert structure({"words": sp.csr_array(titles)}, 10).found
    for seed in range(3):
        dealt = sp.csr_array(np.random.default_rng(seed).permuted(titles, axis=0))
        assert structure({"words": dealt}, 10, seed=seed).found is False


def test_noise_passes_as_often_as_stated() -> None:
    """Of 50 collections of noise, long and short items, about one; p-values are even."""
    zipf = 1 / np.arange(1, 60)
    p_values = []
    for seed in range(50):
        rng = np.random.default_rng(seed)
        lengths = 4 ** rng.uniform(0.5, 4, (48, 1))
        words = rng.poisson(lengths * zipf / zipf.sum())
        people = rng.poisson(0.1, (48, 30))
        noise = {"words": sp.csr_array(words), "people": sp.csr_array(people)}
        p_values.append(structure(noise, 3, seed=seed).p_value)
    assert (np.array(p_values) <= ERROR_RATE).sum() <= 4
    assert 0.42 < np.mean(p_values) < 0.6


def test_too_few_items_are_not_judged() -> None:
    """Nothing is said of a dozen texts, of a single group, or where each value is in one row."""
    few = {name: table[:12] for name, table in TABLES.items()}
    for tables, k in ((few, 3), (TABLES, 1), ({"words": sp.csr_array(np.eye(50, dtype=int))}, 4)):
        assert structure(tables, k).found is None


def test_items_that_are_all_alike_have_no_structure() -> None:
    """Every order of them tells the same."""
    assert structure({"words": sp.csr_array(np.ones((30, 8), dtype=int))}, 3).found is False


def test_counts_of_billions_are_no_more_work() -> None:
    """What is looked at are cells, not single counts."""
    counts = np.random.default_rng(0).integers(1, 9, (30, 12))
    small, large = (structure({"w": sp.csr_array(counts * by)}, 2) for by in (1, 200_000_000))
    assert small.p_value == large.p_value
