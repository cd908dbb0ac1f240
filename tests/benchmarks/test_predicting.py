"""The benchmark of new documents: what it measures on planted topics."""

from __future__ import annotations

from benchmarks.datasets import Dataset
from benchmarks.growth import planted
from benchmarks.predicting import measure


def test_planted_topics_are_predicted():
    """Held-out documents come out about as well as documents that were clustered."""
    table, topics = planted(600, seed=0, words=2000)
    data = Dataset.build(
        "planted",
        table,
        [f"topic {t}" for t in topics],
        [f"d{i}" for i in range(600)],
        [f"w{j}" for j in range(2000)],
        [],
    )
    row = measure(data, 0, "quick")
    assert row["predicted"] > row["together"] - 0.15
    assert row["own"] > 0.99
    assert row["documents a second"] > 100
