"""Rules for the weights of edges."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph import edge_weights
from tests.strategies import brute_information

RNG = np.random.default_rng(0)
TABLES = {"words": RNG.poisson(2.0, (30, 40)), "people": sp.csr_array(RNG.poisson(0.2, (30, 9)))}


def test_a_bad_table_goes_by_its_name():
    """Also where it goes by those of its two ends."""
    from comraf import MDC

    words = TABLES["words"]
    with pytest.raises(InputError, match="the table 'rows-b' holds -"):
        MDC(2).fit({"a": words, "b": -words})


def test_each_rule_is_what_it_says():
    """Totals, their roots, inverse information, or nothing at all."""
    share = TABLES["people"].sum() / TABLES["words"].sum()
    assert edge_weights(TABLES, "equal") == {"words": 1.0, "people": 1.0}
    assert edge_weights(TABLES, "mass") == pytest.approx({"words": 1.0, "people": share})
    assert edge_weights(TABLES) == pytest.approx({"words": 1.0, "people": share**0.5})
    dense = {name: np.asarray(getattr(t, "toarray", lambda t=t: t)()) for name, t in TABLES.items()}
    known = {
        n: brute_information(t, np.arange(30), np.arange(t.shape[1])) for n, t in dense.items()
    }
    scaled = edge_weights(TABLES, "information")
    assert scaled["words"] * known["words"] == pytest.approx(scaled["people"] * known["people"])


def test_the_weighting_of_the_input_counts():
    """Binary counts have their own totals."""
    tables = {"a": [[9, 0], [0, 9]], "b": [[1, 1], [1, 1]]}
    assert edge_weights(tables, "mass", "binary") == {"a": 0.5, "b": 1.0}


def test_unknown_rules():
    """The rules that exist are listed."""
    with pytest.raises(InputError, match=r"'best' are unknown.*root_mass"):
        edge_weights(TABLES, "best")
