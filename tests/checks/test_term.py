"""Terms that break a rule are found, and the rule is named with numbers."""

from __future__ import annotations

import numpy as np
import pytest

from comraf.checks import check_term
from comraf.errors import RuleError
from comraf.objectives import PairPreference, UnaryBlock, UnaryPreference


class Scores(UnaryPreference):
    """Scores of three clusters, which can be spoilt."""

    def __init__(self, times=1.0):
        super().__init__(0, np.random.default_rng(0).normal(size=(9, 3)))
        self.times = times

    def value(self, state):
        return self.times * super().value(state)


class SizeNow(Scores):
    """A block by the sizes of the node's own clusters, which change while it is swept."""

    def value(self, state):
        return float((np.bincount(state.labels[0]) ** 2).sum())

    def lower(self, node, state):
        labels, k = state.labels[0], state.n_clusters[0]
        sizes = np.bincount(labels, minlength=k).astype(float)
        others = sizes[None, :] - (labels[:, None] == np.arange(k))
        return UnaryBlock(2 * others)


def test_broken_promises_are_found():
    """A value that is another one, a block good for the first move alone, numbers of clusters."""
    check_term(Scores(), [9], n_clusters=[3], numbered=True)
    promise = "the gain that a block promises for a move is the change of the value: value"
    with pytest.raises(RuleError, match=promise + r" \d .*after 0 other moves: .*-?\d\.\d"):
        check_term(Scores(2.0), [9], n_clusters=[3], numbered=True)
    with pytest.raises(RuleError, match=promise + r" \d .*after [1-4] other moves"):
        check_term(SizeNow(), [9], n_clusters=[3])
    with pytest.raises(RuleError, match="other numbers for the same clusters change nothing"):
        check_term(Scores(), [9], n_clusters=[3])


def test_bad_values_and_blocks_are_found():
    """What errors say in a search is said here as well; so is a term about no node."""
    with pytest.raises(RuleError, match=r"\(Scores\): its block for 'node 0' has 9 rows, but 7"):
        check_term(Scores(), [7], n_clusters=[3])
    with pytest.raises(RuleError, match="touches a node: it touches none of the 2"):
        check_term(PairPreference(2, [(0, 1)], [1.0], 2), [2, 2])
    assert issubclass(RuleError, AssertionError)
