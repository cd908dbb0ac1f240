"""NMI, ARI and pairs against scikit-learn; examples worked by hand are in the docstrings."""

from __future__ import annotations

import time
import warnings
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import pair_confusion_matrix

from comraf.metrics import ari, nmi, pairwise_precision_recall_f

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=50)


@pytest.mark.parametrize(
    ("truth", "labels", "expected"),
    [
        ([1, 1, 1], [0, 1, 2], (0.0, 0.0, 0.0)),  # no pair answered
        ([1, 2, 3], [0, 0, 0], (0.0, 0.0, 0.0)),  # no pair wanted
        ([1, 2, 3], [7, 8, 9], (1.0, 1.0, 1.0)),  # neither, and rightly so
        ([1], [1], (1.0, 1.0, 1.0)),
    ],
)
def test_pairs_without_a_value(truth, labels, expected) -> None:
    """Where a ratio has no value it is 0, and 1 when there was nothing to answer at all."""
    assert pairwise_precision_recall_f(truth, labels) == expected


@given(PAIRS)
def test_equals_scikit_learn(pairs) -> None:
    """NMI with the arithmetic mean, ARI and the counts of pairs are scikit-learn's."""
    truth, labels = map(list, zip(*pairs, strict=True))
    expected = normalized_mutual_info_score(truth, labels, average_method="arithmetic")
    assert nmi(truth, labels) == pytest.approx(expected, abs=1e-12)
    assert ari(truth, labels) == pytest.approx(adjusted_rand_score(truth, labels), abs=1e-12)
    (_, false), (missed, right) = pair_confusion_matrix(truth, labels).tolist()
    score = pairwise_precision_recall_f(truth, labels)
    if right + false and right + missed:
        assert score.precision == right / (right + false)
        assert score.recall == right / (right + missed)
        assert score.f == pytest.approx(2 * right / (2 * right + false + missed))


@given(PAIRS, st.permutations(range(6)))
def test_names_do_not_matter_and_truth_and_clusters_may_change_places(pairs, names) -> None:
    """Relabelling changes nothing; NMI, ARI and F are symmetric, precision and recall swap."""
    truth, labels = map(list, zip(*pairs, strict=True))
    renamed = [("cluster", names[label]) for label in labels]
    for measure in (nmi, ari):
        assert measure(truth, renamed) == pytest.approx(measure(truth, labels), abs=1e-12)
        assert measure(labels, truth) == pytest.approx(measure(truth, labels), abs=1e-12)
    score = pairwise_precision_recall_f(truth, labels)
    assert pairwise_precision_recall_f(truth, renamed) == score
    swapped = pairwise_precision_recall_f(labels, truth)
    assert swapped == (score.recall, score.precision, score.f)


@given(PAIRS)
def test_a_perfect_clustering_scores_one(pairs) -> None:
    """The truth under other names reaches 1 in every measure; nothing leaves its bounds."""
    truth, labels = map(list, zip(*pairs, strict=True))
    same = [f"t{t}" for t in truth]
    assert nmi(truth, same) == pytest.approx(1.0)
    assert ari(truth, same) == 1.0
    assert pairwise_precision_recall_f(truth, same) == (1.0, 1.0, 1.0)
    assert 0.0 <= nmi(truth, labels) <= 1.0
    assert -1.0 <= ari(truth, labels) <= 1.0


def test_a_million_items_exactly_and_fast() -> None:
    """Numbers of pairs near 10¹² stay exact, and no pair is ever listed."""
    n = 1_000_000
    truth = np.zeros(n, dtype=np.int64)
    labels = np.zeros(n, dtype=np.int64)
    labels[-1] = 1
    started = time.perf_counter()
    score = pairwise_precision_recall_f(truth, labels)
    assert time.perf_counter() - started < 10
    wanted = n * (n - 1) // 2
    assert score.recall == (wanted - (n - 1)) / wanted
    assert score.precision == 1.0


def test_many_small_clusters_warn_nobody() -> None:
    """Singletons are an ordinary partition: no warning, unlike scikit-learn's."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert nmi([0, 1] * 50, np.arange(100)) == pytest.approx(2 * log(2) / log(200))
        assert ari([0, 1] * 50, np.arange(100)) == 0.0
