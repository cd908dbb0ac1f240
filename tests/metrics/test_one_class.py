"""Precision, recall and F of a core, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from comraf.errors import InputError
from comraf.metrics import one_class_precision_recall_f


@pytest.mark.parametrize(
    "core",
    [
        [0, 1, 3, 4],
        [4, 3, 1, 0],
        (0, 1, 3, 4),
        {0, 1, 3, 4},
        frozenset({0, 1, 3, 4}),
        np.array([0, 1, 3, 4], dtype=np.uint8),
        np.array([True, True, False, True, True, False]),
        np.array([True, True, False, True, True, False], dtype=object),
        np.array([0, 1, 3, 4], dtype=object),
        pd.Series([0, 1, 3, 4]),
        pd.Series([True, True, False, True, True, False], dtype="boolean"),
    ],
)
def test_masks_and_places_are_one_core(core: object) -> None:
    """However the core is given, the score is the same."""
    truth = np.array([1, 1, 1, 0, 0, 0])
    assert one_class_precision_recall_f(truth, core) == (1 / 2, 2 / 3, pytest.approx(4 / 7))


def test_range_is_a_set_of_places() -> None:
    """A range names its places."""
    assert one_class_precision_recall_f([1, 1, 0], range(2)) == (1.0, 1.0, 1.0)


def test_named_category_and_unknown_truth() -> None:
    """Items of unknown truth count neither as wanted nor as answered.

    Known are bees, bees, cars; the core holds bees, cars and an unknown: precision 1/2,
    recall 1/2.
    """
    score = one_class_precision_recall_f(
        ["bees", "bees", "cars", None, -1], [0, 2, 3], positive="bees"
    )
    assert score == (0.5, 0.5, 0.5)


def test_without_a_value() -> None:
    """An empty core scores 0, unless the true one is empty as well."""
    assert one_class_precision_recall_f([1, 0], []) == (0.0, 0.0, 0.0)
    assert one_class_precision_recall_f([0, 0], [1]) == (0.0, 0.0, 0.0)
    assert one_class_precision_recall_f([0, 0], set()) == (1.0, 1.0, 1.0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_equals_scikit_learn(pairs: list[tuple[bool, bool]]) -> None:
    """Precision, recall and F of the positive class are scikit-learn's."""
    truth, core = map(list, zip(*pairs, strict=True))
    if not any(truth) and not any(core):
        return
    expected = precision_recall_fscore_support(truth, core, average="binary", zero_division=0)
    assert one_class_precision_recall_f(truth, core) == pytest.approx(expected[:3])
    places = {place for place, inside in enumerate(core) if inside}
    assert one_class_precision_recall_f(truth, places) == pytest.approx(expected[:3])


@pytest.mark.parametrize(
    ("truth", "core", "message"),
    [
        ([], [], "truth has 0 items"),
        ([None, -1], [0], "0 of 2 items is known"),
        ([1, 0, 1], [True, False], "has 2 entries and truth has 3 items"),
        ([1, 0, 1], [0, 3, 5], r"place 3; truth has places 0 to 2"),
        ([1, 0, 1], [-1], r"place -1; truth has places 0 to 2"),
        ([1, 0, 1], [0, 1, 0], "names 3 places, but only 2"),
        ([1, 0, 1], [0.0, 1.0], "type float64"),
        ([1, 0, 1], ["0"], "type <U1"),
        ([1, 0, 1], [True, None, False], "type object"),
        ([1, 0, 1], "01", "core is of type str"),
        (["a", "b"], [0], "category 'a'"),
        ([1, 0, 2], [0], "category 2"),
    ],
)
def test_bad_input(truth: object, core: object, message: str) -> None:
    """Each misuse has an error that says what was given."""
    with pytest.raises(InputError, match=message):
        one_class_precision_recall_f(truth, core)


def test_positive_must_occur() -> None:
    """A misspelt category is an error, not a recall of zero."""
    with pytest.raises(InputError, match="'cats', which none of the 2 items"):
        one_class_precision_recall_f(["bees", "cars"], [0], positive="cats")
