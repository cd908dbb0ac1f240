"""Telling columns, and shares."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from comraf.results.contributions import Side, View, clusters, telling


@given(
    table=st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=3, max_size=8),
    data=st.data(),
)
def test_contributions_add_up(table: list[list[int]], data: st.DataObject) -> None:
    """Each contribution is the formula's; the positive ones are all there, best first."""
    array = np.array(table, dtype=float)
    labels = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(array), max_size=len(array)))
    )
    found = telling(sp.csr_array(array), labels, 3, n_best=10)
    assert len(found) == 3
    if not array.sum():
        assert found == [[], [], []]
        return
    joint = np.array([array[labels == c].sum(axis=0) for c in range(3)]) / array.sum()
    for c, best in enumerate(found):
        expected = {}
        for w in range(4):
            if joint[c, w]:
                worth = joint[c, w] * np.log(joint[c, w] / (joint[c].sum() * joint[:, w].sum()))
                if worth > 1e-12:
                    expected[w] = worth
        got = {tell.column: tell.contribution for tell in best if tell.contribution > 1e-12}
        assert got == pytest.approx(expected)
        order = [tell.contribution for tell in best]
        assert order == sorted(order, reverse=True)


def test_several_tables_have_the_same_say() -> None:
    """Shares are the mean over a side's tables; two tables of the same sides are one list."""
    views = (
        View("words", ["sea", "ship"], sp.csr_array([[30, 0], [0, 10]])),
        View("words", ["sea", "ship"], sp.csr_array([[1, 0], [0, 3]])),
        View("people", None, sp.csr_array([[1, 0], [0, 1]])),
    )
    found = clusters(Side("rows", None, np.array([0, 1]), views))
    assert [cluster.share for cluster in found] == pytest.approx([0.5, 0.5])
    assert [name for name, _ in found[0].telling["words"]] == ["sea"]
    assert [name for name, _ in found[0].telling["people"]] == ["0"]
