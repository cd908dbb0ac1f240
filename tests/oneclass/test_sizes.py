"""Suggested sizes of the core."""

from __future__ import annotations

import itertools
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.oneclass import LTB, OCCC, MaxKL, flat_background
from comraf.oneclass.sizes import SizeScore, Suggestion, suggest_n_core
from comraf.progress import Event


def planted(n: int = 120, core: int = 36, m: int = 300, seed: int = 0) -> tuple[Any, Any]:
    """Documents of which the first share forty words."""
    random = np.random.default_rng(seed)
    X = (random.random((n, m)) < 0.06).astype(float)
    X[:core, :40] = random.random((core, 40)) < 0.35
    order = random.permutation(n)
    return sp.csr_array(X[order]), order < core


@pytest.mark.parametrize("kind", [LTB, OCCC, MaxKL])
def test_planted_size_is_found(kind: Any) -> None:
    """The best size is the planted one or its neighbour, and F agrees."""
    X, truth = planted()
    found = suggest_n_core(kind(1, background="flat"), X, truth=truth)
    assert found.best in (30, 36, 42)
    assert found.clear
    best_f = max(row.f or 0 for row in found.rows)
    assert (found.best_row.f or 0) > best_f - 0.1 > 0.6


def test_nothing_to_find() -> None:
    """Where there is no core, no size is stable and the text says so."""
    random = np.random.default_rng(3)
    X = (random.random((80, 120)) < 0.1).astype(float)
    found = suggest_n_core(LTB(1, background="flat"), X)
    assert not found.clear
    assert "no size is stable" in str(found)


def test_score_is_the_product() -> None:
    """Separation, stability and the entropy of the split make the score."""
    X, _ = planted()
    for row in suggest_n_core(MaxKL(1, background="flat"), X).rows:
        p = row.size / 120
        entropy = -(p * np.log2(p) + (1 - p) * np.log2(1 - p))
        assert row.score == pytest.approx(row.separation * max(row.stability, 0) * entropy)
        assert 0 <= row.separation <= 1
        assert row.f is None


def test_separation_is_all_where_scores_are_two() -> None:
    """A border between two levels explains everything, another one less."""
    X = np.zeros((20, 4))
    X[:8, :2], X[8:, 2:] = 1, 1
    found = suggest_n_core(MaxKL(1, background=[1, 1, 5, 5]), X, sizes=[4, 8, 12])
    assert found.rows[1].separation == pytest.approx(1.0)
    assert found.rows[0].separation < 0.9 > found.rows[2].separation
    assert found.best == 8


def test_same_seed_and_format_same_answer() -> None:
    """Dense or sparse, frame or words looked up once: the same rows; X and estimator stay."""
    pandas = pytest.importorskip("pandas")
    X, _ = planted()
    before, estimator = X.copy(), MaxKL(1, background=flat_background)
    words = [f"w{j}" for j in range(X.shape[1])]
    first = suggest_n_core(estimator, X, words=words)
    assert suggest_n_core(estimator, X.toarray(), words=words).rows == first.rows
    assert (
        suggest_n_core(estimator, pandas.DataFrame(X.toarray(), columns=words)).rows == first.rows
    )
    assert (before != X).nnz == 0
    assert estimator.n_core == 1
    assert not hasattr(estimator, "core_")


def test_words_are_looked_up_once() -> None:
    """A background that takes long is asked once, however many fits there are."""

    class Slow:
        asked = 0

        def frequencies(self, words: Any) -> Any:
            Slow.asked += 1
            return np.ones(len(words))

    X, _ = planted()
    words = [f"w{j}" for j in range(X.shape[1])]
    found = suggest_n_core(MaxKL(1, background=Slow()), X, words=words, sizes=[20, 40])
    assert (Slow.asked, found.n_fits) == (1, 14)


def test_cost_is_bounded_and_told() -> None:
    """Of a larger collection a sample is looked at, and sizes are those of the whole."""
    X, _ = planted(n=400, core=120)
    events: list[Event] = []
    estimator = MaxKL(1, background="flat")
    found = suggest_n_core(estimator, X, max_documents=100, resamples=1, listener=events.append)
    assert (found.n_documents, found.n_sampled) == (400, 100)
    assert found.n_fits == 3 * len(found.rows)
    assert found.best in (100, 120, 140)
    assert "judged by 100 of them" in str(found)
    assert events[-1].done == 1.0
    assert [event.done for event in events] == sorted(event.done for event in events)


def test_ctrl_c_keeps_what_was_tried() -> None:
    """Stopped in the middle: sizes from the whole range are there; at once: nothing is."""
    X, _ = planted()

    def stop(after: int) -> Any:
        def listener(event: Event) -> None:
            if event.step > after:
                raise KeyboardInterrupt

        return listener

    estimator = MaxKL(1, background="flat")
    found = suggest_n_core(estimator, X, listener=stop(3))
    assert found.interrupted
    assert len(found.rows) == 3
    assert found.rows[-1].size > 3 * found.rows[0].size
    with pytest.raises(KeyboardInterrupt):
        suggest_n_core(estimator, X, listener=stop(0))


def test_documents_all_alike() -> None:
    """Nothing separates them; scores are 0, never NaN."""
    found = suggest_n_core(MaxKL(1, background="flat"), np.ones((12, 5)))
    assert {row.separation for row in found.rows} == {0.0}
    assert found.best_row.score == 0.0
    assert not found.clear
    assert "score alike" in str(found)
    assert "stable" not in str(found)


@pytest.mark.parametrize("sizes", [[], [0], [120], [5, 500], [1.5], 5])
def test_bad_sizes(sizes: list[int]) -> None:
    """Sizes that can't be are refused."""
    with pytest.raises(InputError, match="sizes"):
        suggest_n_core(MaxKL(1, background="flat"), planted()[0], sizes=sizes)


def test_bad_truth_and_too_few_documents() -> None:
    """What can't be used is named."""
    X, _ = planted()
    with pytest.raises(InputError, match=r"truth has shape \(3,\)"):
        suggest_n_core(MaxKL(1, background="flat"), X, truth=[1, 0, 1])
    with pytest.raises(InputError, match=r"estimator is NoneType; give one of comraf\.oneclass"):
        suggest_n_core(None, X)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="3 or more"):
        suggest_n_core(MaxKL(1, background="flat"), X[:2])


def test_tables_that_are_none() -> None:
    """Several sides, one row, and NaN are said in a sentence."""
    X, _ = planted()
    with pytest.raises(InputError, match="one table"):
        suggest_n_core(OCCC(1, background="flat"), {"words": X, "people": X})
    with pytest.raises(ValueError, match="2D"):
        suggest_n_core(OCCC(1, background="flat"), np.ones(5))
    with pytest.raises(ValueError, match="NaN"):
        suggest_n_core(OCCC(1, background="flat"), np.full((5, 3), np.nan))


def test_picture_is_a_picture() -> None:
    """The SVG can be parsed, has a curve for each score, and asks for nothing from outside."""
    rows = (SizeScore(5, 0.1, 0.4, -0.5, 0.2, 0.3), SizeScore(10, 0.6, 0.75, 0.8, 0.5, 0.9))
    found = Suggestion(rows, 40, 40, 14, 0.1)
    root = ElementTree.fromstring(found.to_svg())  # noqa: S314
    lines = [child for child in root if child.tag.endswith("polyline")]
    assert len(lines) == 5
    assert "the best is 10" in (root[0].text or "")
    assert "script" not in found.to_svg()
    assert found.table[0]["f"] == 0.3


def test_the_chosen_size_is_on_the_axis() -> None:
    """However close the sizes are; other numbers make room, and a heading says what it is."""
    rows = tuple(SizeScore(500 + i, 0.5 if i == 7 else 0.1, 0.5, 0.9, 0.5) for i in range(12))
    root = ElementTree.fromstring(Suggestion(rows, 900, 900, 84, 0.1).to_svg())  # noqa: S314
    texts = [node for node in root.iter() if node.tag.endswith("text")]
    shown = [node.text for node in texts]
    assert "507" in shown
    assert "How large is the core? 507 of 900 documents has the best score" in shown
    ticks = sorted(float(node.get("x", "")) for node in texts if (node.text or "").startswith("50"))
    assert all(b - a >= 38 for a, b in itertools.pairwise(ticks))
