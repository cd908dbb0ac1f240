"""Fits of two checkouts: what they are told is true, and the table pairs them by seed."""

from __future__ import annotations

import numpy as np

from benchmarks.against_earlier import WORKS, _known, _table


def test_what_a_fit_is_told_is_true():
    """Links are of the same class or of two; so many labels are told as asked for."""
    truth = np.random.default_rng(0).integers(0, 6, 3000)
    links = _known(WORKS["links"], truth, 1)
    must, cannot = links["must_link"], links["cannot_link"]
    assert (truth[must[:, 0]] == truth[must[:, 1]]).all()
    assert (truth[cannot[:, 0]] != truth[cannot[:, 1]]).all()
    assert len(must) + len(cannot) > 0.8 * WORKS["links"].links
    labels = _known(WORKS["labels"], truth, 1)["labels"]
    told = labels >= 0
    assert (labels[told] == truth[told]).all()
    assert abs(told.mean() - WORKS["labels"].labelled) < 0.02
    assert _known(WORKS["100each"], truth, 1) == {}


def test_the_table_pairs_by_seed():
    """A seed that one checkout lacks does not count."""

    def record(seed, commit, cpu, accuracy):
        return {
            "work": "corel",
            "seed": seed,
            "commit": commit,
            "cpu": cpu,
            "accuracy": accuracy,
        }

    records = [
        record(0, "new", 1.0, 0.5),
        record(0, "old", 4.0, 0.4),
        record(1, "new", 3.0, 0.7),
        record(1, "old", 4.0, 0.9),
        record(2, "new", 90.0, 0.1),
    ]
    assert _table(records, "new", "old").splitlines()[2:] == [
        "| corel | 2 | 2.0 | 4.0 | 0.50 | 60.0 | 65.0 | -5.0 ± 15.0 |"
    ]
