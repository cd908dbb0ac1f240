"""Links: in whatever they come, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from comraf.errors import InputError
from comraf.supervision import read_links

IDS = ["ant", "bee", "cat", "dog"]


@pytest.mark.parametrize(
    "given",
    [
        [(0, 1), (3, 2)],
        ([0, 1], [3, 2]),
        np.array([[0, 1], [3, 2]]),
        np.array([[0, 1], [3, 2]], dtype=np.uint8),
        np.array([[0.0, 1.0], [3.0, 2.0]]),
        np.array([["ant", "bee"], ["dog", "cat"]]),
        [np.array([0, 1]), ("dog", 2)],
        pd.DataFrame({"a": [0, 3], "b": [1, 2]}),
        pl.DataFrame({"a": ["ant", "dog"], "b": ["bee", "cat"]}),
        (pair for pair in [("ant", 1), (3, "cat")]),
    ],
)
def test_any_container(given: object) -> None:
    """Links keep their order and take the default weight."""
    links = read_links(given, 4, IDS, weight=2.0)
    assert links.pairs.dtype == np.int64
    assert links.pairs.tolist() == [[0, 1], [3, 2]]
    assert links.weights.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "given",
    [
        [(0, 1, 0.5), (3, 2, math.inf)],
        np.array([[0, 1, 0.5], [3, 2, np.inf]]),
        pd.DataFrame({"a": IDS[:1] + IDS[3:], "b": IDS[1:3], "w": [0.5, np.inf]}),
    ],
)
def test_weights(given: object) -> None:
    """Own weights win; infinite ones are hard."""
    links = read_links(given, 4, IDS, weight=2.0)
    assert links.weights.tolist() == [0.5, math.inf]
    assert links.hard.tolist() == [[3, 2]]
    assert links.soft.pairs.tolist() == [[0, 1]]


@pytest.mark.parametrize("given", [None, [], np.zeros((0, 2)), np.array([]), pd.DataFrame()])
def test_no_links(given: object) -> None:
    """No links have the right shape too, even among no items."""
    links = read_links(given, 0)
    assert links.pairs.shape == (0, 2)
    assert len(links) == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("ab", "must_link is of type str"),
        ({0: 1}, "type dict"),
        (5, "type int"),
        ([0, 1], "entry 0 of must_link is 0"),
        (["ab"], "entry 0 of must_link is 'ab'"),
        ([(0, 1), (0, 1, 2, 3)], "entry 1 of must_link"),
        (np.zeros((2, 4)), r"shape \(2, 4\)"),
        ([(0, 4), (-1, 2)], "2 items that are not there: 4, -1"),
        (np.array([[0, 4], [-1, 2]]), "2 items that are not there: 4, -1"),
        (np.array([[0.5, 1.0]]), "1 item that is not there: 0.5"),
        ([("ant", "eel")], "1 item that is not there: 'eel'"),
        ([(0, [1])], r"1 item that is not there: \[1\]"),
        ([(0, False)], "1 item that is not there: False"),
        ([("ant", 0), (1, 1), (1, "bee")], "links 2 items with themselves: ant, bee"),
        ([(0, 1, -1.0)], "entry 0 of must_link has the weight -1.0"),
        ([(0, 1, "2")], "entry 0 of must_link has the weight '2'"),
        ([(0, 1, math.nan)], "weight nan"),
        (np.array([[0, 1, -3.0], [1, 2, 1.0]]), "1 weight that can't be used: -3 for ant and bee"),
    ],
)
def test_refused(given: object, message: str) -> None:
    """The error names the type, the entry or the first offenders."""
    with pytest.raises(InputError, match=message):
        read_links(given, 4, IDS)


def test_default_weight_is_checked() -> None:
    """The weight of links without one is 0 or more."""
    with pytest.raises(InputError, match="the weight of a link -1"):
        read_links(None, 4, weight=-1)
