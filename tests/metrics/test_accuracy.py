"""Accuracy against examples worked by hand, and what must hold for every clustering."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.metrics import (
    contingency,
    explained_scores,
    macro_accuracy,
    micro_accuracy,
    one_to_one_accuracy,
    well_balanced,
)

PAIRS = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 5)), min_size=1, max_size=50)


def _split(pairs: list[tuple[str, int]]) -> tuple[list[str], list[int]]:
    truth, labels = zip(*pairs, strict=True)
    return list(truth), list(labels)


def test_unknown_truth_changes_neither_average() -> None:
    """Items without truth may sit anywhere, in a cluster of their own too."""
    truth, labels = [*"aabb", None, None, None], [0, 0, 0, 1, 0, 1, 2]
    assert micro_accuracy(truth, labels) == 3 / 4
    assert macro_accuracy(truth, labels) == pytest.approx((2 / 3 + 1) / 2)


@pytest.mark.parametrize(
    ("labels", "answer", "why"),
    [
        ([0, 0, 1, 1, 1, 1, 2, 2], True, "a in 0, b in 1 (3 against 1), c in 2"),
        ([0, 0, 0, 1, 1, 1, 2, 2], True, "a has all of its items in 0"),
        ([0, 0, 1, 0, 0, 0, 2, 2], True, "b in 0 (3 against 2), a in 1, c in 2"),
        ([0, 0, 1, 1, 1, 1, 1, 1], False, "c prevails nowhere"),
        ([0, 0, 3, 1, 1, 1, 2, 2], False, "a prevails in 0 and in 3"),
        ([0, 0, 0, 0, 0, 0, 2, 2], False, "a and b tie in 0, so neither prevails"),
        ([0, 0, 0, 1, 1, 3, 3, 2], False, "cluster 3 is a tie, and one too many"),
        ([0, 1, 2, 1, 1, 0, 2, 2], False, "a and b tie in 0"),
    ],
)
def test_well_balanced(labels: list[int], answer: bool, why: str) -> None:
    """Each category of a a a b b b c c has to prevail in exactly one cluster."""
    assert well_balanced(list("aaabbbcc"), labels) is answer, why


def test_well_balanced_does_not_ask_for_a_majority() -> None:
    """Two of five prevail if the other three are of three categories."""
    truth = list("aabcd") + list("bbb") + list("ccc") + list("ddd")
    assert well_balanced(truth, [0] * 5 + [1] * 3 + [2] * 3 + [3] * 3)


@given(PAIRS)
def test_definition(pairs: list[tuple[str, int]]) -> None:
    """Both averages equal their definitions, worked out with dictionaries."""
    truth, labels = _split(pairs)
    groups = [[t for t, c in pairs if c == cluster] for cluster in set(labels)]
    best = [Counter(group).most_common(1)[0][1] for group in groups]
    assert micro_accuracy(truth, labels) == sum(best) / len(truth)
    shares = [b / len(group) for b, group in zip(best, groups, strict=True)]
    assert macro_accuracy(truth, labels) == pytest.approx(sum(shares) / len(groups))


@given(PAIRS, st.permutations(range(6)), st.randoms(use_true_random=False))
def test_names_and_order_do_not_matter(pairs, names, random) -> None:
    """Relabelled clusters, renamed categories and shuffled items score the same."""
    truth, labels = _split(pairs)
    mixed = pairs[:]
    random.shuffle(mixed)
    other_truth = [{"a": 9, "b": ("x",), "c": "c", "d": 0.5}[t] for t, _ in mixed]
    other_labels = [f"cluster {names[c]}" for _, c in mixed]
    for measure in (micro_accuracy, macro_accuracy, well_balanced):
        assert measure(truth, labels) == pytest.approx(measure(other_truth, other_labels))


@given(PAIRS)
def test_a_perfect_clustering_scores_one(pairs: list[tuple[str, int]]) -> None:
    """The truth itself is perfect and well balanced; a finer perfect one is only perfect."""
    truth, _ = _split(pairs)
    assert micro_accuracy(truth, truth) == macro_accuracy(truth, truth) == 1.0
    assert well_balanced(truth, truth)
    assert micro_accuracy(truth, pairs) == 1.0
    assert well_balanced(truth, pairs) is (len(set(pairs)) == len(set(truth)))


@given(PAIRS)
def test_well_balanced_accuracy_is_a_classifiers(pairs: list[tuple[str, int]]) -> None:
    """When well balanced, naming clusters one to one gives the same share of right answers."""
    truth, labels = _split(pairs)
    if not well_balanced(truth, labels):
        return
    name = {
        cluster: Counter(t for t, c in pairs if c == cluster).most_common(1)[0][0]
        for cluster in set(labels)
    }
    assert sorted(name.values()) == sorted(set(truth))
    right = sum(name[c] == t for t, c in pairs)
    assert micro_accuracy(truth, labels) == right / len(truth)


@given(PAIRS)
def test_one_to_one_accuracy_is_the_best_pairing(pairs: list[tuple[str, int]]) -> None:
    """As scipy's dense solver finds it; never above purity, and equal where well balanced."""
    from scipy.optimize import linear_sum_assignment

    truth, labels = _split(pairs)
    table = contingency(truth, labels).to_sparse().toarray()
    best = table[linear_sum_assignment(table, maximize=True)].sum() / len(truth)
    assert one_to_one_accuracy(truth, labels) == pytest.approx(best)
    assert best <= micro_accuracy(truth, labels)
    if well_balanced(truth, labels):
        assert best == micro_accuracy(truth, labels)


def test_one_to_one_accuracy_of_singletons_is_small_and_needs_little_memory() -> None:
    """20,000 groups of one item for 20,000 halves of classes: one right in two, no dense table."""
    assert one_to_one_accuracy([i // 2 for i in range(20_000)], range(20_000)) == 0.5


def test_purity_of_many_small_groups_is_said_to_be_inflated() -> None:
    """33 groups for 5 classes: purity says why it is high; 5 groups for 5: nothing to say."""
    classes = [i % 5 for i in range(330)]
    small = {
        s.name: s
        for s in explained_scores(classes, [i % 5 + 5 * (i % 33 // 5) for i in range(330)])
    }
    assert small["purity"].value == 1.0 > 0.3 > small["one-to-one accuracy"].value
    assert "35 groups for 5 classes it is high by itself" in small["purity"].meaning
    assert (
        "high by itself"
        not in {s.name: s.meaning for s in explained_scores(classes, classes)}["purity"]
    )
