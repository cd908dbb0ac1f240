"""What is known before is not asked, not charged, and part of the result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from comraf.active import NPU, Answers, ExploreConsolidate, LabelOracle, MinMax, RandomPairs
from comraf.errors import ConflictError, InputError

X, CLASSES = load_iris(return_X_y=True)
LEARNERS = [ExploreConsolidate, MinMax, NPU, RandomPairs]


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([*LEARNERS, "noisy"]),
    st.integers(3, 25),
    st.integers(0, 40),
    st.integers(0, 12),
    st.integers(0, 99),
)
def test_nothing_that_follows_from_known_links_is_asked(
    learner: Any, n: int, budget: int, many: int, seed: int
) -> None:
    """No learner asks what known links and answers imply; none is charged for them."""
    rng = np.random.default_rng(seed)
    rows, labels = rng.normal(size=(n, 2)), rng.integers(3, size=n)
    drawn = [sorted(rng.choice(n, 2, replace=False).tolist()) for _ in range(many)]
    must = [pair for pair in drawn if labels[pair[0]] == labels[pair[1]]]
    cannot = [pair for pair in drawn if labels[pair[0]] != labels[pair[1]]]
    known = Answers(n)
    for i, j in drawn:
        known.tell(i, j, bool(labels[i] == labels[j]))

    class Watching(LabelOracle):
        def same(self, i: int, j: int) -> bool | None:
            assert known.follows(i, j) is None
            answer = super().same(i, j)
            if learner != "noisy":
                known.tell(i, j, answer)
            return answer

    more: dict[str, Any] = {} if learner is RandomPairs else {"k": 3}
    if learner == "noisy":
        more["noise"] = 0.1
    kind = ExploreConsolidate if learner == "noisy" else learner
    found = kind(budget, random_state=seed, **more).run(
        rows, Watching(labels), known_must=must, known_cannot=cannot
    )
    asked = len(found.must_link) + len(found.cannot_link) - found.n_known - found.n_inferred
    assert asked + len(found.left_out) == found.n_asked <= budget
    assert {tuple(pair) for pair in must} <= {tuple(pair) for pair in found.must_link.tolist()}
    assert {tuple(pair) for pair in cannot} <= {tuple(pair) for pair in found.cannot_link.tolist()}
    assert all(len(set(labels[rows].tolist())) == 1 for rows in found.neighbourhoods)


def test_contradictions_are_named(tmp_path: Path) -> None:
    """Links against each other, against the journal, against k; an unknown row."""
    path = tmp_path / "answers.jsonl"
    learner = RandomPairs(40, random_state=0)
    found = learner.run(X, LabelOracle(CLASSES), journal=path)
    with pytest.raises(ConflictError, match="0 = 1, 1 = 2, but 0 ≠ 2; leave one"):
        learner.start(X, known_must=[(0, 1), (1, 2)], known_cannot=[(0, 2)])
    with pytest.raises(ConflictError, match=r"line \d+"):
        learner.start(X, journal=path, known_must=[tuple(found.cannot_link[0])])
    with pytest.raises(InputError, match="keep 3 groups apart"):
        ExploreConsolidate(5, k=2).start(X, known_cannot=[(0, 50), (0, 100), (50, 100)])
    with pytest.raises(InputError, match="known_cannot"):
        learner.start(X, known_cannot=[(0, 150)])


def test_a_contradiction_is_named_as_a_chain() -> None:
    """Known links that contradict each other are told with all that leads to it, by name."""
    frame = pd.DataFrame(X[:5], index=["ant", "bee", "cat", "dog", "eel"])
    with pytest.raises(ConflictError, match="ant = bee, bee = cat, but ant ≠ cat"):
        ExploreConsolidate(5, k=2).start(
            frame, known_must=[("ant", "bee"), ("bee", "cat")], known_cannot=[("cat", "ant")]
        )
