"""Terms: values equal their definitions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from sklearn.metrics import mutual_info_score

from comraf.checks import check_term
from comraf.errors import InputError
from comraf.objectives import MutualInformation, PairPreference, State, UnaryPreference
from tests.strategies import brute_objective, problems_with_states, random_labels, seeds


@given(problems_with_states())
@settings(max_examples=60)
def test_the_objective_equals_its_definition(drawn):
    """The sum of all terms is the brute-force objective, on cycles and observed nodes too."""
    problem, state = drawn
    assert problem.objective.value(state) == pytest.approx(
        brute_objective(problem, state), abs=1e-10
    )


@given(seeds)
@settings(max_examples=40)
def test_mutual_information_agrees_with_scikit_learn(seed):
    """On a table of co-occurrences it is scikit-learn's mutual_info_score, from either end."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 5, 40), rng.integers(0, 4, 40)
    table = sp.csr_array((np.ones(40, dtype=np.int64), (x, y)), shape=(5, 4))
    rows, columns = random_labels(rng, 5, 3), random_labels(rng, 4, 2)
    expected = mutual_info_score(rows[x], columns[y])
    term = MutualInformation(0, 1, table)
    assert term.value(State((rows, columns), (3, 2))) == pytest.approx(expected, abs=1e-12)
    mirrored = MutualInformation(0, 1, sp.csr_array(table.T))
    assert mirrored.value(State((columns, rows), (2, 3))) == pytest.approx(expected, abs=1e-12)


def test_sparse_and_dense_ways_to_the_value_agree():
    """Many clusters on both sides are counted sparsely, with the same result."""
    rng = np.random.default_rng(0)
    n = 600
    table = sp.random_array((n, n), density=0.001, rng=rng, format="csr")
    table.data[:] = rng.integers(1, 5, table.nnz)
    term = MutualInformation(0, 1, table.astype(np.int64))
    single = np.arange(n, dtype=np.int32)
    coo = table.tocoo()
    expected = mutual_info_score(
        np.repeat(coo.row, coo.data.astype(int)), np.repeat(coo.col, coo.data.astype(int))
    )
    assert n * n > 4 * table.nnz + 65536  # the sparse way is the one taken
    assert term.value(State((single, single), (n, n))) == pytest.approx(expected, abs=1e-10)


@given(seeds)
@settings(max_examples=8, deadline=None)
def test_our_terms_keep_the_rules_of_terms(seed):
    """Gains are changes of the value, and only scores of clusters know their numbers."""
    rng = np.random.default_rng(seed)
    table = sp.csr_array(rng.poisson(0.7, (8, 6)) + np.eye(8, 6, dtype=int))
    pairs = [(i, j) for i in range(8) for j in range(i) if rng.random() < 0.4]
    check_term(MutualInformation(0, 1, table, 0.7), [8, 6], n_states=3, random_state=seed)
    own = PairPreference(1, pairs, rng.normal(size=len(pairs)), 8)
    check_term(own, [3, 8], n_states=3, random_state=seed)
    scores = UnaryPreference(0, rng.normal(size=(8, 3)))
    check_term(scores, [8], n_clusters=[3], numbered=True, n_states=3, random_state=seed)


def test_bad_preferences():
    """Pairs outside the node, pairs of one value, infinite weights and odd tables are refused."""
    with pytest.raises(InputError, match="value 5, but values run from 0 to 2"):
        PairPreference(0, [(0, 5)], [1.0], n=3)
    with pytest.raises(InputError, match="itself"):
        PairPreference(0, [(1, 1)], [1.0], n=3)
    with pytest.raises(InputError, match="finite"):
        PairPreference(0, [(0, 1)], [np.inf], n=3)
    with pytest.raises(InputError, match="values x clusters"):
        UnaryPreference(0, [1.0, 2.0])


def test_a_unary_table_of_the_wrong_shape_is_refused():
    """A method that changes the number of clusters can't use a unary table, and says so."""
    from comraf.objectives import Objective

    objective = Objective([UnaryPreference(0, np.zeros((3, 2)))])
    state = State((np.zeros(3, dtype=np.int32),), (1,))
    with pytest.raises(InputError, match=r"shape \(3, 2\).*3 values in 1"):
        objective.plan(0, state)
