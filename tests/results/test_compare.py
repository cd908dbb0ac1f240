"""Two results beside each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.errors import InputError
from comraf.metrics import nmi
from comraf.results import Result
from comraf.results.compare import compare, keep_ids
from comraf.results.edit import rename

partitions = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=2, max_size=2)
)


def result_of(labels: list[int], ids: list[int] | None = None, values: object = None) -> Result:
    """A result with one node; gaps in the labels are closed."""
    compact = np.unique(labels, return_inverse=True)[1]
    k = int(compact.max()) + 1
    return Result(
        {"d": compact},
        {"d": k},
        0.0,
        (),
        ids={} if ids is None else {"d": ids[:k]},
        values={} if values is None else {"d": values},  # type: ignore[dict-item]
    )


@given(partitions)
def test_comparing_is_symmetric(pair: list[list[int]]) -> None:
    """The other way round: the table is turned, as many values moved, the same agreement."""
    first, second = (result_of(labels) for labels in pair)
    one, other = compare(first, second, "d"), compare(second, first, "d")
    np.testing.assert_array_equal(one.table, other.table.T)
    assert one.n_moved == other.n_moved
    assert one.nmi == pytest.approx(other.nmi)
    assert sorted(m.shared for m in one.matches) == sorted(m.shared for m in other.matches)
    assert (len(one.lost), len(one.new)) == (len(other.new), len(other.lost))


@given(partitions)
def test_every_value_stayed_or_moved(pair: list[list[int]]) -> None:
    """Matches and moves together are all common values, and say where each one is."""
    first, second = (result_of(labels, ids=[10, 11, 12, 13, 14]) for labels in pair)
    found = compare(first, second, "d")
    moved = [value for move in found.moves for value in move.values]
    assert len(moved) == len(set(moved)) == found.n_moved
    assert found.n_moved + sum(m.shared for m in found.matches) == found.n_common == len(pair[0])
    for move in found.moves:
        assert {int(i) for i in first.cluster_ids("d")[list(move.values)]} == {move.first}
        assert {int(i) for i in second.cluster_ids("d")[list(move.values)]} == {move.second}
    assert found.nmi == pytest.approx(nmi(pair[0], pair[1]))


@given(partitions)
def test_a_result_is_itself(pair: list[list[int]]) -> None:
    """Nothing moves between a partition and the same one under other labels."""
    first = result_of(pair[0])
    renamed = result_of([9 - label for label in pair[0]])
    found = compare(first, renamed, "d")
    assert (found.n_moved, found.moves, found.lost, found.new) == (0, (), (), ())
    assert found.nmi == pytest.approx(1.0)
    assert found.stayed == 1.0
    kept = keep_ids(renamed, first, "d")
    np.testing.assert_array_equal(kept.cluster_ids("d"), first.cluster_ids("d"))


def test_values_are_matched_by_name() -> None:
    """Overlapping collections are compared where they overlap; the rest is told."""
    first = result_of([0, 0, 1, 1], values=["a", "b", "c", "d"])
    second = result_of([1, 1, 0, 0], values=["d", "c", "b", "new"])
    found = compare(first, second, "d")
    assert (found.n_common, found.n_moved) == (3, 0)
    assert (found.only_first, found.only_second) == ((0,), (3,))
    given_names = compare(
        result_of([0, 0, 1, 1]),
        result_of([1, 1, 0, 0, 0]),
        "d",
        values=(["a", "b", "c", "d"], ["d", "c", "b", "new", "newer"]),
    )
    assert given_names.n_common == 3


def test_nothing_in_common() -> None:
    """Two collections without a common value are refused: full agreement would be a lie."""
    with pytest.raises(InputError, match="no value of 'd' in common"):
        compare(result_of([0, 1], values=["a", "b"]), result_of([0], values=["c"]), "d")


def test_what_cannot_be_compared() -> None:
    """Nodes that only one has, values without names, names that are not."""
    first = result_of([0, 1])
    with pytest.raises(InputError, match="both results must have the node 'q'"):
        compare(first, first, "q")
    with pytest.raises(InputError, match="names are not known"):
        compare(first, result_of([0, 1, 1]), "d")
    with pytest.raises(InputError, match="a name of its own"):
        compare(first, first, "d", values=(["a", "a"], ["a", "b"]))
    with pytest.raises(InputError, match=r"from 0\.5"):
        keep_ids(first, first, "d", least=0.2)


@given(partitions, st.data())
def test_kept_ids_are_never_given_to_another_cluster(
    pair: list[list[int]], data: st.DataObject
) -> None:
    """An old id means a cluster that shares most values with it; all others are fresh."""
    older = result_of(pair[0], ids=[3, 1, 8, 5, 6])
    new = result_of(pair[1])
    kept = keep_ids(new, older, "d")
    before, now = older.cluster_ids("d"), kept.cluster_ids("d")
    for cluster in np.unique(now).tolist():
        inside = now == cluster
        if cluster in older.ids["d"]:
            old = before == cluster
            assert (inside & old).sum() > 0.5 * (inside | old).sum()
        else:
            assert cluster >= older.next_ids["d"]
    assert kept.next_ids["d"] > max(now.max(), older.next_ids["d"] - 1)


def test_kept_ids_bring_their_names() -> None:
    """A cluster that was there before has its old name, unless it got one of its own."""
    older = rename(result_of([0, 0, 1, 1]), "d", 1, "ships")
    kept = keep_ids(result_of([1, 1, 0, 0]), older, "d")
    assert kept.name("d", kept.label("d", 1)) == "ships"
