"""Topics of a stream: blocks of time, cores, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.errors import InputError
from comraf.oneclass import LTB, OCCC, CentroidCosine
from comraf.oneclass.stream import ALIKE, cut_blocks, follow_topics
from comraf.progress import Event


def stream_of(stories: list[int], size: int = 60, core: int = 18) -> np.ndarray:
    """Blocks of noise in which some documents share the words of a story."""
    rng = np.random.default_rng(0)
    n = size * len(stories)
    X = (rng.random((n, 120)) < 0.08).astype(int)
    for block, story in enumerate(stories):
        rows = slice(block * size, block * size + core)
        X[rows, 8 * story : 8 * story + 8] |= rng.random((core, 8)) < 0.7
    return X


def test_stories_go_on_end_and_return() -> None:
    """A story is known again in the next block and in a later one; others are new."""
    X = stream_of([0, 0, 1, 2, 0])
    blocks, _ = cut_blocks([None] * len(X), 60)
    for method in (LTB, OCCC):
        found = follow_topics(X, blocks, method(1, background="flat"), size=18)
        assert [topic.change for topic in found.topics] == [
            "first",
            "goes on",
            "new",
            "new",
            "returns",
        ]
        assert [topic.story for topic in found.topics] == [0, 0, 1, 2, 0]
        assert [topic.after for topic in found.topics] == [None, 0, None, None, 1]
        for number, topic in enumerate(found.topics):
            planted = set(range(60 * number, 60 * number + 18))
            assert len(planted & set(topic.core.tolist())) >= 16
        assert found.n_stories == 3


def test_words_are_the_story_s_own() -> None:
    """The telling words are the planted ones, with honest counts."""
    X = stream_of([3, 3])
    blocks, _ = cut_blocks([None] * len(X), 60)
    names = [f"word{j}" for j in range(X.shape[1])]
    found = follow_topics(X, blocks, OCCC(1, background="flat"), words=names, size=18)
    first, second = found.topics
    assert {word.word for word in first.words[:8]} == {f"word{j}" for j in range(24, 32)}
    for word in first.words:
        column = X[:, int(word.word.removeprefix("word"))]
        assert word.inside == (column[first.core] > 0).sum()
        assert word.block == (column[:60] > 0).sum()
    assert set(second.shared) >= {f"word{j}" for j in range(24, 32)}


def test_likeness_is_symmetric_between_0_and_1_and_decides() -> None:
    """Likeness is 1 to itself, the same both ways, and a story goes on from ALIKE on."""
    X = stream_of([0, 1, 1, 0])
    blocks, _ = cut_blocks([None] * len(X), 60)
    found = follow_topics(X, blocks, LTB(1, background="flat"), size=0.3)
    likeness = found.likeness
    assert np.allclose(np.diag(likeness), 1)
    assert np.allclose(likeness, likeness.T)
    assert likeness.min() >= 0
    assert likeness.max() <= 1
    for number, topic in enumerate(found.topics[1:], start=1):
        assert topic.likeness == pytest.approx(likeness[number, number - 1])
        assert (topic.change == "goes on") == (topic.likeness >= ALIKE)


def test_size_is_a_number_a_share_or_found_with_its_score() -> None:
    """A share is of each block; a size that is found comes with what speaks for it."""
    X = stream_of([0, 1])
    blocks, _ = cut_blocks([None] * len(X), 60)
    method = OCCC(1, background="flat", starts=5)
    share = follow_topics(X, blocks, method, size=0.25)
    assert [topic.n_core for topic in share.topics] == [15, 15]
    assert share.topics[0].suggestion is None
    auto = follow_topics(X, blocks[:1], method, size=None)
    suggestion = auto.topics[0].suggestion
    assert suggestion is not None
    assert suggestion.best == auto.topics[0].n_core
    assert 12 <= auto.topics[0].n_core <= 24


def test_small_blocks_are_skipped_with_a_reason() -> None:
    """Too few documents, a core as large as the block, no words: said, and the rest is found."""
    X = stream_of([0, 1])
    X[60:] = 0
    blocks, _ = cut_blocks([None] * 120, 60)
    small, _ = cut_blocks([None] * 5, 5)
    found = follow_topics(X, [*blocks, *small], OCCC(1, background="flat"), size=18)
    assert [topic.block.name for topic in found.topics] == ["1"]
    assert [skip.block for skip in found.skipped] == [blocks[1], small[0]]
    assert found.skipped[0].reason == "no word that 2 of its documents have"
    assert found.skipped[1].reason == "5 documents; 20 are needed"
    whole = follow_topics(X, blocks, OCCC(1, background="flat"), size=60)
    assert not whole.topics
    assert "leave out" in whole.skipped[0].reason


def test_the_background_is_looked_up_once() -> None:
    """Words of a background that goes by names are asked for in one call, not for each block."""
    calls = []

    class Known:
        """Everything is equally frequent."""

        unseen = 1.0

        def frequencies(self, words: list[str]) -> np.ndarray:
            calls.append(len(words))
            return np.ones(len(words))

    X = stream_of([0, 1, 2])
    blocks, _ = cut_blocks([None] * len(X), 60)
    names = [f"word{j}" for j in range(X.shape[1])]
    follow_topics(X, blocks, LTB(1, background=Known()), words=names, size=18)
    assert calls == [120]
    follow_topics(X, blocks, CentroidCosine(1), words=names, size=18)
    assert calls == [120]


def test_ctrl_c_keeps_what_was_found() -> None:
    """Stopped in the third block, there are topics of two."""
    X = stream_of([0, 1, 2])
    blocks, _ = cut_blocks([None] * len(X), 60)

    def listen(event: Event) -> None:
        if event.message == "3":
            raise KeyboardInterrupt

    found = follow_topics(X, blocks, OCCC(1, background="flat"), size=18, listener=listen)
    assert found.interrupted
    assert len(found.topics) == 2


def test_ctrl_c_while_sizes_are_tried_ends_it_too() -> None:
    """Stopped among the sizes of the second block, there is the topic of the first alone."""
    fits = []

    class Stopped(OCCC):
        """Interrupted at one of its fits."""

        def fit(self, X: object, y: object = None, *, words: object = None) -> Stopped:
            fits.append(1)
            if len(fits) == 80:
                raise KeyboardInterrupt
            super().fit(X, y, words=words)
            return self

    X = stream_of([0, 1, 2])
    blocks, _ = cut_blocks([None] * len(X), 60)
    found = follow_topics(X, blocks, Stopped(1, background="flat", starts=2), size=None)
    assert found.interrupted
    assert len(found.topics) == 1
    assert len(fits) == 80


@pytest.mark.parametrize("size", [0, -1, 1.5, "half", True, float("nan")])
def test_sizes_that_are_none_are_refused(size: object) -> None:
    """Neither a share nor a whole number."""
    with pytest.raises(InputError, match="size="):
        follow_topics(np.ones((4, 2)), [], OCCC(1, background="flat"), size=size)  # type: ignore[arg-type]


@given(
    st.lists(st.none() | st.dates(date(1990, 1, 1), date(1992, 12, 31)), max_size=40),
    st.sampled_from(["day", "week", "month", 3]),
)
@settings(max_examples=60, deadline=None)
def test_every_dated_document_is_in_one_block(days: list[date | None], by: str | int) -> None:
    """Blocks and undated rows are a partition; blocks are in order and hold their days."""
    blocks, undated = cut_blocks(days, by)
    rows = [i for block in blocks for i in block.rows.tolist()]
    assert sorted([*rows, *undated.tolist()]) == list(range(len(days)))
    found = [days[i] for i in rows]
    if any(found):
        known = [day for day in found if day is not None]
        assert len(known) == len(found)
        assert known == sorted(known)
        for block in blocks:
            assert block.first is not None
            assert block.last is not None
            assert all(block.first <= days[i] <= block.last for i in block.rows)


def test_weeks_begin_on_monday_and_months_end() -> None:
    """Units of the calendar, years and leap years included."""
    days = np.array(["1992-02-29", "1992-12-31", "1993-01-01"], dtype="datetime64[s]")
    weeks, _ = cut_blocks(days, "week")
    assert [block.first.weekday() for block in weeks if block.first] == [0, 0]
    assert weeks[1].rows.tolist() == [1, 2]
    months, _ = cut_blocks(days, "month")
    assert [(block.name, block.last) for block in months] == [
        ("1992-02", date(1992, 2, 29)),
        ("1992-12", date(1992, 12, 31)),
        ("1993-01", date(1993, 1, 31)),
    ]


def test_moments_before_1970_and_beyond_the_calendar() -> None:
    """A moment of the year 1950 has its day; one that no calendar has is undated."""
    days = np.array(["1950-06-01T23:00:00", "60000-01-01", "-3000-01-01"], dtype="datetime64[s]")
    blocks, undated = cut_blocks(days, "day")
    assert blocks[0].first == date(1950, 6, 1)
    assert undated.tolist() == [1, 2]


@pytest.mark.parametrize("kind", [pd.Series, list, pd.DatetimeIndex])
def test_dates_that_are_missing(kind: Callable[..., Any]) -> None:
    """NaT in whatever pandas gives, and NaN, are no dates."""
    dates = kind(pd.to_datetime(["2024-01-02", None, "2024-01-01"]))
    blocks, undated = cut_blocks(dates, "day")
    assert [block.rows.tolist() for block in blocks] == [[2], [0]]
    assert undated.tolist() == [1]
    assert cut_blocks([float("nan")], "day")[1].tolist() == [0]


@pytest.mark.parametrize("when", ["2024-01-01", 5])
def test_what_is_no_date(when: object) -> None:
    """Texts and numbers are refused with what would do."""
    with pytest.raises(InputError, match=f"{when!r} is no date; give datetime64"):
        cut_blocks([when], "day")


def test_blocks_of_other_documents_are_refused() -> None:
    """So are estimators that are none, and numbers of words below 0."""
    X = stream_of([0, 1])
    blocks, _ = cut_blocks([None] * len(X), 60)
    method = OCCC(1, background="flat")
    with pytest.raises(InputError, match="has row 119, but X has 100 rows"):
        follow_topics(X[:100], blocks, method)
    with pytest.raises(InputError, match="estimator is NoneType"):
        follow_topics(X, blocks, None)  # type: ignore[arg-type]
    for wrong in (5, [5]):
        with pytest.raises(InputError, match="5 is no block"):
            follow_topics(X, wrong, method)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="n_words=-1"):
        follow_topics(X, blocks, method, n_words=-1)


def test_an_unknown_unit_is_refused() -> None:
    """The error says what can be given."""
    with pytest.raises(InputError, match="day, week, month"):
        cut_blocks([date(2020, 1, 1) + timedelta(days=1)], "fortnight")
    with pytest.raises(InputError, match="by"):
        cut_blocks([date(2020, 1, 1)], 0)


@pytest.mark.parametrize("method", [OCCC, CentroidCosine])
def test_words_never_seen_are_cut_with_the_rare_ones(method: type) -> None:
    """A block's words are cut in general frequency as by the estimator itself."""
    X = stream_of([0, 1])
    names = [f"word{j}" for j in range(X.shape[1])]
    # The first story's words are unknown; the list's own guess for such is above the cut.
    known = FrequencyList(dict.fromkeys(names[8:], 1.0))
    blocks, _ = cut_blocks([None] * len(X), 60)
    finder = method(1, background=known, min_background=0.1)
    found = follow_topics(X, blocks, finder, words=names, size=18)
    told = {word.word for topic in found.topics for word in topic.words}
    assert told
    assert told.isdisjoint(names[:8])


class FrequencyList:
    """Words with a number each."""

    unseen = 0.5

    def __init__(self, table: dict[str, float]) -> None:
        self.table = table

    def frequencies(self, words: Sequence[str]) -> np.ndarray:
        """The number of each word, or 0."""
        return np.array([self.table.get(word, 0.0) for word in words])
