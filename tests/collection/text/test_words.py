from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.text.words import (
    MAX_LENGTH,
    Lexicon,
    _unicode_pattern,
    count_words,
    strip_prefixes,
    tokenise,
)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=200))
def test_plain_text_is_cut_alike_by_both_patterns(text: str) -> None:
    """The fast pattern for ASCII and the one for all scripts find the same words."""
    assert tokenise(text) == _unicode_pattern().findall(text.casefold())


@given(st.text(max_size=200))
def test_any_text_gives_words_in_lower_case(text: str) -> None:
    """Whatever the text, its words are not empty and hold no blanks."""
    for word in tokenise(text):
        assert word
        assert not any(map(str.isspace, word))


def test_case_and_form_of_accents_do_not_matter() -> None:
    """Capitals, composed and decomposed accents, and curly apostrophes are one spelling."""
    assert tokenise("CAFÉ Cafe\u0301 café") == ["café"] * 3
    assert tokenise("Don\u2019t don't") == ["don't"] * 2


def test_words_keep_their_marks() -> None:
    """Vowel signs of Hindi and Arabic marks do not cut words in pieces."""
    assert tokenise("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert tokenise("مُحَمَّد") == ["مُحَمَّد"]


def test_spellings_of_one_word_are_one() -> None:
    """Stretched Arabic, dotted Turkish capitals and the final sigma make no new words."""
    assert tokenise("كتـــاب كتاب") == ["كتاب"] * 2
    assert tokenise("İstanbul istanbul") == ["istanbul"] * 2
    assert tokenise("ΛΌΓΟΣ λόγος λόγους") == ["λόγος", "λόγος", "λόγους"]
    assert tokenise("צה״ל") == ["צה״ל"]


def test_underscores_and_dots_separate() -> None:
    """Emphasis and addresses fall into their words."""
    assert tokenise("_very_ sally.beck@enron.com") == ["very", "sally", "beck", "enron", "com"]


def test_numbers_and_letters_are_no_words() -> None:
    """Numbers, ordinals and times go by default, words with digits stay."""
    counts = count_words(
        ("x 7 1990s 3rd 10pm x11 mp3 " + "z" * (MAX_LENGTH + 1),), lexicon := Lexicon()
    )
    assert lexicon.words == ["x11", "mp3"]
    assert list(counts.values()) == [1, 1]
    count_words(("7 3rd",), with_numbers := Lexicon(numbers=True))
    assert with_numbers.words == ["3rd"]
    count_words(("42",), with_numbers)
    assert "42" in with_numbers.words


def test_possessives_are_counted_with_their_word() -> None:
    """The pump's hose is about a pump."""
    lexicon = Lexicon()
    counts = count_words(("pump's pump PUMP\u2019S",), lexicon)
    assert {lexicon.words[i]: n for i, n in counts.items()} == {"pump": 3}


def test_ngrams_stay_within_a_text_and_skip_what_is_no_word() -> None:
    """A run of words does not reach over a number or from title to text."""
    lexicon = Lexicon()
    count_words(("old pump", "7 new hose 8 clamp"), lexicon, ngrams=2)
    assert {word for word in lexicon.words if " " in word} == {"old pump", "new hose"}


def test_ngrams_may_be_longer_than_words() -> None:
    """The limit on the length of a word does not drop a run of long words."""
    lexicon = Lexicon()
    count_words(("a" * 30 + " " + "b" * 30,), lexicon, ngrams=2)
    assert lexicon.words[-1] == "a" * 30 + " " + "b" * 30


def test_reply_marks_go() -> None:
    """Marks of several languages and counters go; words that look like them stay."""
    assert strip_prefixes("Re: AW: Re[3]: FWD: pump") == "pump"
    assert strip_prefixes("Return of the pump") == "Return of the pump"
    assert strip_prefixes("[list] RE: pump") == "[list] pump"
    assert strip_prefixes("") == ""


def test_blanks_of_a_subject_line_cost_no_time() -> None:
    """What looks like the beginning of a prefix and is none is given up at once."""
    title = "re" + " " * 100_000 + "x"
    start = time.process_time()
    assert strip_prefixes(title) == title
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("see http://www.x.org/pump?id=abc&y=z now", ["see", "now"]),
        ("see WWW.Pumps.com/leak, now", ["see", "now"]),
        ("sally.beck@ect.enron.com wrote", ["sally", "beck", "wrote"]),
        ("home@ten pumps", ["home", "ten", "pumps"]),
        ("ftp://x.org/a.zip été@x.fr", ["été"]),
    ],
)
def test_addresses_are_no_words(text: str, words: list[str]) -> None:
    """Of an address of mail only the name counts, of one of the web nothing."""
    lexicon = Lexicon()
    count_words((text,), lexicon)
    assert lexicon.words == words
