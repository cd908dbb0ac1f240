"""Groups as pure data agree with the edits of results that stand on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.errors import InputError
from comraf.results.groups import Groups, difference


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.data())
def test_replaced_groups_are_the_new_partition(of, data):
    """Another run's groups are taken as they are; ids live on only where most is shared."""
    old = Groups.start(of)
    new = data.draw(st.lists(st.integers(0, 5), min_size=len(of), max_size=len(of)))
    made, change = old.replaced(new)
    same = np.equal.outer(made.of, made.of)
    assert (same == np.equal.outer(new, new)).all()
    for group in set(made.order) & set(old.order):
        shared = np.count_nonzero((old.of == group) & (made.of == group))
        assert 2 * shared > max(old.size(group), made.size(group))
    assert min(change.added, default=old.next_id) >= old.next_id
    assert made.next_id == old.next_id + len(change.added)


def test_differences_add_up():
    """Flows name each item that moved once, the most first."""
    one = Groups.start([0, 0, 0, 1, 1, 2])
    other = one.move([0, 1], to=1)[0].move([5], to=None)[0]
    found = difference(one, other)
    assert found.flows == ((0, 1, 2), (2, 3, 1))
    assert found.change.n_moved == 3
    assert found.change.added == (3,)
    assert found.change.deleted == (2,)
    assert dict(found.became) == {0: (1, 0), 2: (3,)}
    assert dict(found.origins) == {1: (0, 1), 3: (2,)}
    # what went elsewhere is no heir where it was less than a tenth
    many = Groups.start([0] * 11 + [1])
    assert not difference(many, many.move([0], to=1)[0]).became


def test_groups_of_other_kinds_of_numbers_are_refused():
    """Only whole numbers are ids."""
    for wrong in (True, 1.0, "1", None):
        with pytest.raises(InputError, match="give the id of a group"):
            Groups.start([0, 1]).check(wrong)
