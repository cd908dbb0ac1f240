"""The table of clusters against categories, and what may be handed to it."""

from __future__ import annotations

import tracemalloc
from datetime import date
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.cluster import contingency_matrix

from comraf import metrics
from comraf.errors import InputError

MEASURES = [
    metrics.micro_accuracy,
    metrics.macro_accuracy,
    metrics.well_balanced,
    metrics.nmi,
    metrics.ari,
    metrics.pairwise_precision_recall_f,
]


def test_cells_sizes_and_names() -> None:
    """Clusters x: {a, a, b}, y: {b}, z: {c, c}: four cells, sizes 3 1 2 and 2 2 2."""
    table = metrics.contingency(list("aabbcc"), list("xxxyzz"))
    assert table.clusters == ("x", "y", "z")
    assert table.categories == ("a", "b", "c")
    assert table.to_sparse().toarray().tolist() == [[2, 1, 0], [0, 1, 0], [0, 0, 2]]
    assert table.cluster_sizes.tolist() == [3, 1, 2]
    assert table.category_sizes.tolist() == [2, 2, 2]
    assert table.largest_shares.tolist() == [2, 1, 2]
    assert (table.n_items, table.n_unknown) == (6, 0)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=1, max_size=60))
def test_equals_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    """The sparse table is scikit-learn's dense one, turned round."""
    truth, labels = zip(*pairs, strict=True)
    ours = metrics.contingency(truth, labels).to_sparse().toarray()
    np.testing.assert_array_equal(ours.T, contingency_matrix(truth, labels))


@pytest.mark.parametrize(
    "truth",
    [
        ["b", "a", "b", "c"],
        ("b", "a", "b", "c"),
        np.array(["b", "a", "b", "c"]),
        np.array([b"b", b"a", b"b", b"c"]),
        np.array(["b", "a", "b", "c"], dtype=object),
        np.array([2, 1, 2, 3], dtype=np.uint8),
        np.array([0.5, -2.0, 0.5, 3.0]),
        np.array(["2026-01-02", "2026-01-01", "2026-01-02", "2026-01-03"], dtype="datetime64[D]"),
        pd.Series(["b", "a", "b", "c"], index=[9, 8, 7, 6]),
        pd.Series(["b", "a", "b", "c"], dtype="category"),
        pd.Series([5, 2, 5, 7], dtype="Int64"),
        pl.Series(["b", "a", "b", "c"]),
        pa.array(["b", "a", "b", "c"]),
        [("b", 1), ("a", 1), ("b", 1), ("c", 1)],
        [date(2026, 1, 2), date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 3)],
        [Fraction(1, 2), Fraction(1, 3), Fraction(1, 2), Fraction(7)],
        ["b", 1, "b", ("c",)],
        [frozenset("b"), frozenset("a"), frozenset("b"), frozenset("c")],
        [True, 0, True, "maybe"],
    ],
)
def test_any_hashable_in_any_container(truth: object) -> None:
    """Only equality of the categories matters, whatever they are and come in."""
    table = metrics.contingency(truth, [0, 0, 1, 1])
    assert sorted(table.category_sizes.tolist()) == [1, 1, 2]
    assert table.n_items == 4
    assert metrics.micro_accuracy(truth, [0, 0, 1, 1]) == 0.5
    assert metrics.nmi(truth, truth) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "truth",
    [
        ["a", None, "b", None],
        np.array([4, -1, 7, -1]),
        [4, -1, 7, None],
        [4, np.int64(-1), 7, -1.0],
        np.array([1.0, np.nan, 2.0, np.nan]),
        [1.0, float("nan"), 2.0, float("nan")],
        pd.Series(["a", None, "b", pd.NA]),
        pd.Series([4, pd.NA, 7, pd.NA], dtype="Int64"),
        pd.Series([4, None, 7, None]),
        pl.Series(["a", None, "b", None]),
        pa.array(["a", None, "b", None]),
        np.array(["2026-01-01", "NaT", "2026-01-02", "NaT"], dtype="datetime64[D]"),
        np.ma.masked_array([4, 5, 7, 7], mask=[False, True, False, True]),
    ],
)
def test_unknown_truth_is_left_out(truth: object) -> None:
    """Unknown items count nowhere, and cluster 2, which holds nothing else, is gone."""
    table = metrics.contingency(truth, [0, 0, 1, 2])
    assert (table.n_items, table.n_unknown) == (2, 2)
    assert table.clusters == (0, 1)
    assert table.cluster_sizes.tolist() == [1, 1]
    assert metrics.well_balanced(truth, [0, 0, 1, 2])


def test_strings_are_never_unknown() -> None:
    """The texts "-1", "nan", "None" and "" are categories like any others."""
    assert metrics.contingency(["-1", "nan", "None", ""], [0, 0, 0, 0]).n_unknown == 0


@pytest.mark.parametrize("measure", MEASURES)
def test_lengths_must_agree(measure) -> None:
    """The error of a length mismatch states both numbers."""
    with pytest.raises(InputError, match=r"truth has 3 items and labels has 5"):
        measure([1, 2, 3], [1, 2, 3, 4, 5])


def test_empty_is_refused() -> None:
    """Nothing has no accuracy."""
    with pytest.raises(InputError, match="truth has 0 items and labels has 0"):
        metrics.contingency([], np.array([]))


def test_some_truth_must_be_known() -> None:
    """With unknown truth only there is nothing to measure."""
    with pytest.raises(InputError, match="0 of 3 items is known"):
        metrics.contingency([-1, None, float("nan")], [0, 1, 1])


@pytest.mark.parametrize("missing", [-1, None, float("nan")])
def test_every_item_needs_a_cluster(missing: object) -> None:
    """Items without a cluster are refused, and counted."""
    with pytest.raises(InputError, match="2 of 4 items have no cluster"):
        metrics.contingency(["a", "b", "c", "d"], [0, missing, 1, missing])


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ("abc", "type str"),
        ({"a", "b", "c"}, "type set"),
        (7, "type int"),
        (np.zeros((3, 1)), r"shape \(3, 1\)"),
        (pd.DataFrame({"a": [1, 2, 3]}), r"shape \(3, 1\)"),
        (["a", ["b"], "c"], "entry 1 of truth is of type list"),
    ],
)
def test_what_is_no_sequence_of_hashables(truth: object, message: str) -> None:
    """The error names the type, the shape or the entry that can't be used."""
    with pytest.raises(InputError, match=message):
        metrics.contingency(truth, [0, 1, 2])


def test_many_singletons_need_no_square_table() -> None:
    """200,000 clusters against 50,000 categories stay far below the 80 GB of all cells."""
    n = 200_000
    truth = np.arange(n) % 50_000
    tracemalloc.start()
    table = metrics.contingency(truth, np.arange(n))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(table.counts) == n
    assert peak < 100e6
    assert table.to_sparse().shape == (n, 50_000)
