from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.sides.style import count_style, is_mark


def test_words_of_a_topic_are_no_style() -> None:
    """Function words and signs are counted, others are not."""
    counts = count_style("The pump, the hose; and I?")
    assert counts == {"the": 2, "and": 1, "i": 1, ",": 1, ";": 1, "?": 1}


def test_one_mark_however_it_is_written() -> None:
    """Quotes, dashes and dots of any kind are the same marks; runs are one."""
    assert count_style("“pump” ``pump'' «pump»") == {'"': 6}
    assert count_style("pump — pump -- pump---pump") == {"--": 3}
    assert count_style("pump… pump.... pump!!! pump??") == {"...": 2, "!!": 1, "??": 1}


def test_an_apostrophe_in_a_word_is_no_mark() -> None:
    """Spelling is not punctuation."""
    assert count_style("don't pump's don’t") == {"don't": 2}


@given(st.text())
def test_any_text_has_a_style(text: str) -> None:
    """Whatever comes, values are words or marks, without control characters."""
    for value, count in count_style(text).items():
        assert count > 0
        assert value.split() == [value]
        assert is_mark(value) or value[0].isalpha()
