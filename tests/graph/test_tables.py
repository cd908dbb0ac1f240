"""Tables: checks, weightings, fixed point."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from comraf.errors import InputError, TooLargeError
from comraf.graph import WEIGHTINGS, Edge, as_counts, as_csr, edge_weights
from comraf.graph.tables import available_memory, check_fits, fixed_point, weigh
from comraf.weightings import DAMPINGS, SCALINGS, parts_of
from tests.strategies import brute_information, seeds


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1, np.nan]], r"NaN.*row 0, column 1"),
        ([[1.0], [np.inf]], r"infinity.*row 1, column 0"),
        ([[0, 0], [1, -3]], r"Negative.*-3\.0 at row 1, column 1"),
        ([1, 2, 3], r"2D"),
        (np.zeros((2, 2, 2)), r"2D"),
        ([["a", "b"]], r"numbers"),
        ([[1 + 2j]], r"Complex"),
        (np.array([[{}]], dtype=object), r"not a number"),
        (sp.coo_array([1, 2, 3]), r"dimensions"),
        ([[1, 2], [3]], r"the table is no table of numbers"),
        (sp.csr_array(([1, 2], [0, 99], [0, 1, 2]), shape=(2, 3)), r"broken csr.*< 3"),
        (sp.csr_array(np.array([[1.0, np.nan]])), r"NaN.*row 0, column 1"),
    ],
)
def test_bad_tables_are_refused_with_their_place(table, message):
    """What is wrong and where it stands is said for every kind of bad table."""
    with pytest.raises(InputError, match=message):
        as_csr(table)


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        np.ndarray.tolist,
        pd.DataFrame,
        sp.csr_matrix,
        sp.csr_array,
        sp.csc_array,
        sp.coo_array,
        sp.dok_array,
        sp.lil_matrix,
        lambda x: x.astype(np.uint8),
        lambda x: x.astype(bool) * 1,
        lambda x: x.astype(np.float32),
        lambda x: x.astype(object),
    ],
)
def test_every_container_gives_the_same_counts(make):
    """Dense, sparse, frames and dtypes: one and the same canonical table."""
    table = np.array([[0, 1, 0], [1, 0, 1]])
    csr = as_counts(make(table))
    np.testing.assert_array_equal(csr.toarray(), table)
    assert csr.data.dtype == np.int64
    assert csr.nnz == 3


def test_small_integers_are_summed_wide():
    """200 + 100 in uint8 is 300, and int8 sums don't turn negative."""
    for dtype, values in ((np.uint8, [200, 100]), (np.int8, [100, 100])):
        coo = sp.coo_array((np.array(values, dtype), ([0, 0], [0, 0])), shape=(1, 1))
        assert as_counts(coo).toarray().tolist() == [[sum(values)]]


def test_sums_of_huge_integers_do_not_run_over():
    """Neither those of one cell nor products with weights of rows turn negative."""
    twice = sp.coo_array(([2**62, 2**62, 5], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    assert as_csr(twice).toarray().tolist() == [[2.0**63, 0], [0, 5]]
    counts = np.array([[10**15, 2 * 10**15], [10**15, 0]])
    weights = [10**6, 1]
    heavy = as_counts(counts, row_weights=weights).toarray()
    assert heavy.tolist() == as_counts(counts.astype(float), row_weights=weights).toarray().tolist()


@pytest.mark.parametrize("weights", [["a", "b"], [[1], [1, 2]], [1, 2, 3], 5])
def test_sample_weights_that_are_none(weights):
    """Texts, ragged lists, too many, a single one."""
    with pytest.raises(InputError, match="sample weights"):
        as_counts([[1, 2], [3, 4]], row_weights=weights)


@pytest.mark.parametrize("dtype", ["float16", ">f8", ">i4", "uint64", "longdouble"])
def test_odd_dtypes_are_converted(dtype):
    """Half precision, big-endian, unsigned and long numbers are all counts."""
    table = np.array([[1, 2], [0, 3]]).astype(dtype)
    assert as_counts(table).toarray().tolist() == [[1, 2], [0, 3]]


def test_absurd_shapes_are_refused():
    """More columns than can be numbered, or than fit in memory, is one clear error."""
    with pytest.raises(TooLargeError, match="at most 2,147,483,647"):
        as_csr(sp.coo_array(([1], ([0], [5])), shape=(2, 2**40)))


def test_units_of_an_earlier_table_are_bounded():
    """Units that would overflow the counts are refused."""
    with pytest.raises(InputError, match="too much for 3e"):
        as_counts([[3, 1]], units=3e18)


def test_equal_rows_stay_equal_for_rows_of_very_different_lengths():
    """One row of 20,000 values among rows of 20 weighs at most a little more than they."""
    rows = np.concatenate([np.repeat(np.arange(999), 20), np.full(20_000, 999)])
    columns = np.concatenate([np.tile(np.arange(20), 999), np.arange(20_000)])
    table = sp.csr_array((np.ones(len(rows), int), (rows, columns)), shape=(1000, 20_000))
    masses = as_counts(table, "equal_rows").sum(axis=1)
    assert masses.max() / masses.min() < 1.3


def test_weightings():
    """Presence, log2(1 + count), and rows of one mass."""
    csr = as_csr([[1, 3, 0], [0, 7, 7]])
    assert weigh(csr, "raw") is csr
    assert weigh(csr, "binary").toarray().tolist() == [[1, 1, 0], [0, 1, 1]]
    np.testing.assert_allclose(weigh(csr, "log").toarray(), [[1, 2, 0], [0, 3, 3]])
    np.testing.assert_allclose(weigh(csr, "equal_rows").sum(axis=1), [1, 1])
    with pytest.raises(InputError, match="'tfidf' is unknown; choose one of"):
        weigh(csr, "tfidf")


@given(seeds, st.floats(1e-300, 1e300))
def test_fixed_point_keeps_mutual_information(seed, scale):
    """Real tables of any magnitude: information is kept to the rounding of 1/128."""
    rng = np.random.default_rng(seed)
    table = rng.gamma(0.7, size=(6, 8)) * scale
    counts = as_counts(table).toarray()
    rows, columns = np.arange(6), np.arange(8)
    exact = brute_information(table / table.sum(), rows, columns)
    assert brute_information(counts, rows, columns) == pytest.approx(exact, abs=0.02)
    assert ((counts > 0) == (table > 0)).all()


def test_whole_numbers_stay_exact_and_huge_ones_are_brought_down():
    """Integers pass as they are; sums beyond 2**50 are scaled instead of overflowing."""
    assert as_counts([[3.0, 4.0]]).toarray().tolist() == [[3, 4]]
    huge = as_counts([[10**18, 3 * 10**18]])
    assert huge.data.sum() <= 2**50 + 2
    assert huge.data[1] / huge.data[0] == pytest.approx(3)


def test_whole_weights_equal_repeated_rows_and_real_ones_scale():
    """A weight of 3 triples a row exactly; 0 empties it; halves are kept in fixed point."""
    counts = as_counts([[1, 2], [3, 4]], row_weights=[3.0, 0.0])
    assert counts.toarray().tolist() == [[3, 6], [0, 0]]
    halves = as_counts([[1, 2], [2, 4]], row_weights=[1.0, 0.5]).toarray()
    np.testing.assert_array_equal(halves[0], halves[1])


def test_memory_that_cannot_fit_is_refused_before_it_is_taken():
    """The message says what, how much, and the way out."""
    with pytest.raises(TooLargeError, match=r"a table would need about .* GB.*use fewer"):
        check_fits(1e18, "a table", "use fewer")


@pytest.mark.parametrize("largest", [5e-324, 1e-310, 1e308])
def test_counts_that_no_unit_fits_are_refused(largest):
    """The smallest and the largest numbers there are: a sentence, no overflow on the way."""
    with pytest.raises(InputError, match=r"the largest count of the table is .*; scale the table"):
        fixed_point(as_csr([[largest, 0.0], [0.0, largest]]))


@pytest.mark.parametrize("weighting", ["equal_rows", "root_rows"])
def test_rows_whose_sum_is_no_number_are_refused(weighting):
    """Sums overflowed, and the largest count was said to be 0."""
    with pytest.raises(InputError, match=r"the largest count of the table is 1e\+308; scale"):
        weigh(as_csr(np.full((3, 3), 1e308)), weighting)


def test_root_rows_give_each_row_the_root_of_its_mass():
    """An entry is divided by the root of its row's sum: shares stay, and 16 times the text is 4."""
    table = np.array([[1, 3, 0], [0, 0, 64], [4, 12, 0], [0, 0, 0]])
    found = weigh(as_csr(table), "root_rows").toarray()
    np.testing.assert_allclose(found, [[0.5, 1.5, 0], [0, 0, 8], [1, 3, 0], [0, 0, 0]])
    np.testing.assert_allclose(found.sum(axis=1), np.sqrt(table.sum(axis=1)))
    equal = weigh(as_csr(table), "equal_rows").toarray()
    np.testing.assert_allclose(equal, [[0.25, 0.75, 0], [0, 0, 1], [0.25, 0.75, 0], [0, 0, 0]])
    # an edge keeps these proportions in whole units, and new rows are weighted in the same way
    edge = Edge("d", "w", table, weighting="root_rows")
    np.testing.assert_allclose(edge.counts.toarray() / edge.units, found, rtol=0.06)
    for row in range(3):
        alone = as_counts(table[row : row + 1], "root_rows", units=edge.units)
        np.testing.assert_array_equal(alone.toarray()[0], edge.counts.toarray()[row])


def test_rows_are_scaled_after_entries_are_damped():
    """Every name is a pair of these, and the mass that a rule goes by is that before scaling."""
    table = np.array([[1, 3, 0], [0, 0, 63], [15, 1, 1]])
    damped = {"raw": table, "log": np.log2(1 + table), "root": table**0.5, "presence": table > 0}
    assert {parts_of(name) for name in WEIGHTINGS} == {*product(DAMPINGS, SCALINGS)}
    assert all(
        parts_of(f"{one}+{other}") == (one, other) for one, other in product(DAMPINGS, SCALINGS)
    )
    for name in WEIGHTINGS:
        damping, scaling = parts_of(name)
        rows = damped[damping].sum(axis=1, keepdims=True)
        wanted = damped[damping] / rows ** {"none": 0, "root": 0.5, "equal": 1}[scaling]
        np.testing.assert_allclose(weigh(as_csr(table), name).toarray(), wanted)
        masses = edge_weights({"a": table, "b": table[:1]}, "mass", name)
        assert masses["b"] == pytest.approx(rows[0, 0] / rows.sum())
    for wrong in ("log+", "none", "log+root+root", ("log", "root")):
        with pytest.raises(InputError, match="is unknown"):
            parts_of(wrong)


@pytest.mark.parametrize(("last", "kind"), [(2**60, "i"), (2**61, "f")])
def test_whole_numbers_that_could_run_over_are_no_longer_whole(last, kind):
    """From 2**62 on, sums of sums may not fit into 64 bits."""
    assert as_csr(sp.csr_array(np.array([[2**61, last]]))).dtype.kind == kind


@pytest.mark.parametrize("name", ["inactive_file", "total_inactive_file"])
def test_memory_of_a_container_is_what_its_group_leaves(name, tmp_path, monkeypatch):
    """What it uses is gone, but not copies of files that would be given back."""
    monkeypatch.setattr("comraf.graph.tables._cgroups", lambda: [tmp_path, tmp_path / "none"])
    monkeypatch.setattr("comraf.graph.tables._MOMENT", -1.0)
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("400000\n")
    assert available_memory() == 600_000
    (tmp_path / "memory.stat").write_text(f"anon 5000\n{name} 300\nactive_file 7\n")
    assert available_memory() == 600_300
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory() > 1_000_000
