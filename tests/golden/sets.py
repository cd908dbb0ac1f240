"""The small sets that golden tests run on, made by a fixed rule.

They are noisy enough that methods and options differ, and have no ties: `shaken` changes every
number in its tenth digit, and no answer may change with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp

import comraf
from comraf.collection.sample import sample_tables

N, K = 60, 4
#: Which topic each row of `words` and `people` is from.
TOPIC = np.arange(N) % K
#: Classes of some rows, and pairs that belong together or don't; two of the links are wrong.
LABELS = {i: "abcd"[TOPIC[i]] for i in (0, 1, 2, 3, 9, 14, 22, 31)}
MUST = [(4, 8), (5, 13), (6, 26), (7, 47), (10, 21)]
CANNOT = [(4, 5), (6, 7), (8, 33), (40, 41), (12, 16)]
SOFT_MUST = [(a, b, 0.5) for a, b in MUST]
SOFT_CANNOT = [(a, b, 0.5) for a, b in CANNOT]

_SHAKE = {"amount": 0.0}


@contextmanager
def shaken(amount: float = 1e-10) -> Iterator[None]:
    """Change all numbers a little; an answer that changes too is no good for a golden test."""
    makers = (words, people, new_words, new_people, points, positive, sums, ranked, mailbox)
    _SHAKE["amount"] = amount
    for make in makers:
        make.cache_clear()
    try:
        yield
    finally:
        _SHAKE["amount"] = 0.0
        for make in makers:
            make.cache_clear()


def _given(table: Any) -> Any:
    """The table with numbers that don't tie, shaken if that is asked for."""
    rng = np.random.default_rng(99)

    def changed(numbers: Any) -> Any:
        own = rng.uniform(0.9, 1.1, numbers.shape)
        return numbers * own * (1 + _SHAKE["amount"] * rng.uniform(-1, 1, numbers.shape))

    if sp.issparse(table):
        table = sp.csr_array(table).astype(float)
        table.data = changed(table.data)
        return table
    return changed(np.asarray(table, float))


def _counts(seed: int, n: int, columns: int, own: float, common: float) -> Any:
    rng = np.random.default_rng(seed)
    usual = rng.gamma(1.0, common, columns)
    rate = usual + own * (np.arange(columns) % K == (np.arange(n) % K)[:, None])
    return rng.poisson(rate)


@cache
def words() -> Any:
    """Counts of 48 words in 60 rows of 4 topics."""
    return _given(_counts(1, N, 48, 0.8, 0.8))


@cache
def people() -> Any:
    """Counts of 12 people in the same rows."""
    return _given(_counts(2, N, 12, 0.9, 0.3))


@cache
def new_words() -> Any:
    """Rows that no fit has seen."""
    return _given(_counts(1, N + 12, 48, 0.8, 0.8)[N:])


@cache
def new_people() -> Any:
    """Their people."""
    return _given(_counts(2, N + 12, 12, 0.9, 0.3)[N:])


@cache
def points() -> Any:
    """Rows of numbers, negative ones too, in 3 groups that touch."""
    rng = np.random.default_rng(3)
    middle = np.array([[0, 0, 0, 0], [3, 0, 2, 0], [0, 3, 0, 2]])[np.arange(N) % 3]
    return _given(middle + rng.normal(0, [1.0, 1.4, 0.8, 2.0], (N, 4)))


@cache
def positive() -> Any:
    """Rows of positive numbers in 3 groups that touch."""
    rng = np.random.default_rng(4)
    middle = np.array([[5, 1, 1, 3, 2], [1, 5, 1, 2, 3], [1, 1, 5, 3, 3]])[np.arange(N) % 3]
    return _given(middle * rng.gamma(4, 0.25, (N, 5)) + 0.1)


@cache
def sums() -> Any:
    """Rows that are sums of one, two or three of 3 components."""
    rng = np.random.default_rng(5)
    members = rng.random((N, 3)) < 0.3
    members[np.arange(N), rng.integers(3, size=N)] = True
    return _given(members @ (rng.gamma(1, 5, (3, 8)) + 0.1) * rng.gamma(30, 1 / 30, (N, 8)))


@cache
def ranked() -> tuple[Any, Any]:
    """Counts with a topic in 20 of 60 rows, and how frequent words are in general."""
    rng = np.random.default_rng(6)
    general = rng.dirichlet(np.full(60, 0.5)) + 1e-4
    topic = np.zeros(60)
    topic[rng.choice(60, 8, replace=False)] = rng.dirichlet(np.full(8, 3.0))
    share = np.where(rng.permutation(N) < 20, 0.4, 0.0)
    table = [
        rng.multinomial(rng.integers(25, 50), a * topic + (1 - a) * general / general.sum())
        for a in share
    ]
    return _given(np.array(table)), _given(general / general.sum())


@cache
def mailbox() -> Any:
    """The sample mailbox as tables of words, people and subjects."""
    tables = sample_tables(n_messages=90, seed=5).by_name()
    return SimpleNamespace(tables={name: _given(table) for name, table in tables.items()})


def graph(**words_node: Any) -> Any:
    """Documents with words and people, all of them to be clustered, and words with people."""
    nodes = [
        comraf.Node("documents", n_clusters=K),
        comraf.Node("words", **(words_node or {"direction": "top-down"})),
        comraf.Node("people", n_clusters=3, direction="top-down"),
    ]
    edges = [
        comraf.Edge("documents", "words", words(), weighting="root_rows"),
        comraf.Edge("documents", "people", people(), weight=0.8),
    ]
    if not words_node:
        edges.append(comraf.Edge("words", "people", words().T @ people(), weight=0.2))
    return comraf.Graph(nodes, edges)
