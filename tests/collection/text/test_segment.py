from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.text import segment
from comraf.collection.text.segment import UNSPACED, cut_pieces, cut_runs, pieces_note
from comraf.collection.text.words import tokenise

SENTENCES = {
    "Chinese": ("研究人员在大学发现了水泵", {"研究", "大学", "发现", "水泵"}),
    "Chinese, traditional": ("我們在圖書館使用電腦", {"我們", "圖書館", "使用", "電腦"}),
    "Japanese": ("新しい図書館で子どもがテレビを見る", {"新しい", "図書館", "テレビ"}),
    "Thai": ("ภาษาไทยเขียนโดยไม่เว้นวรรค", {"ภาษา", "ไทย", "เขียน", "วรรค"}),
    "Lao": ("ພາສາລາວເປັນພາສາ", {"ພາສາ", "ລາວ"}),
    "Khmer": ("ភាសាខ្មែរគឺជាភាសា", {"ភាសាខ្មែរ", "ភាសា"}),
    "Burmese": ("မြန်မာဘာသာစကားသည်", {"စကား"}),
}


@pytest.fixture
def icu() -> None:
    """Needs the extra."""
    pytest.importorskip("icu4py")


@pytest.fixture
def no_icu(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were not installed."""
    monkeypatch.setattr(segment, "_icu", lambda: None)


@pytest.mark.usefixtures("icu")
@pytest.mark.parametrize("language", SENTENCES)
def test_a_dictionary_finds_words(language: str) -> None:
    """Words that any reader of the language would mark are found, and nothing is lost."""
    text, words = SENTENCES[language]
    found = tokenise(text)
    assert words <= set(found)
    assert "".join(found) == text
    assert len(found) > 1


@pytest.mark.usefixtures("icu")
@given(
    st.lists(st.text(st.sampled_from("研究水泵テレビのがภาษาไทยฃ่𠀀ﾞ々ー"), min_size=1), max_size=6)
)
def test_no_character_is_lost_and_no_word_runs_over_a_gap(words: list[str]) -> None:
    """All runs go to the dictionary at once, and come back to their own places."""
    together = cut_runs(words)
    assert together == [piece for word in words for piece in cut_runs([word])]
    assert "".join(together) == "".join(words)


@pytest.mark.usefixtures("no_icu")
def test_without_a_dictionary_there_are_pairs_and_triples() -> None:
    """Chinese gives pairs, Thai triples, and Latin words between them stay whole."""
    assert tokenise("北京大学 Linux内核") == ["北京", "京大", "大学", "linux", "内核"]
    assert tokenise("ภาษาไทย") == ["ภาษ", "าษา", "ษาไ", "าไท", "ไทย"]
    assert segment.breaker_name() == ""


@pytest.mark.parametrize("missing", [False, True])
def test_other_scripts_and_digits_stay_whole(
    missing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what is unspaced is cut, with a dictionary or without."""
    if missing:
        monkeypatch.setattr(segment, "_icu", lambda: None)
    assert tokenise("한국어 문서, naïve Τέλος") == ["한국어", "문서", "naïve", "τέλος"]
    assert tokenise("x11大学 ๒๕๖๗ 3月") == ["x11", "大学", "๒๕๖๗", "3", "月"]


def test_wide_and_narrow_letters_are_the_usual_ones() -> None:
    """Full-width Latin and half-width kana are ways of typesetting, not other words."""
    assert tokenise("ＮＨＫの ﾃﾚﾋﾞ")[0] == "nhk"
    assert tokenise("大学 ﾃﾚﾋﾞ") == tokenise("大学 テレビ")


def test_the_missing_extra_is_told_of(no_icu: None) -> None:
    """The note names what was done and what would help, where such text is worth it."""
    note = pieces_note([("pump", 40), ("大学", 5)])
    assert note is not None
    assert "pairs" in note
    assert "triples" not in note
    assert "pip install 'comraf[languages]'" in note
    both = pieces_note([("大学", 5), ("ภาษ", 5)])
    assert both is not None
    assert "triples" in both
    assert pieces_note([("pump", 1000), ("大学", 5)]) is None
    assert pieces_note([]) is None


@pytest.mark.usefixtures("icu")
def test_nothing_is_missing_with_the_extra() -> None:
    """Where the dictionary is, there is nothing to tell."""
    assert pieces_note([("大学", 5)]) is None
    assert segment.breaker_name().startswith("icu ")


def test_pieces_of_a_short_run_are_the_run() -> None:
    """A run that is shorter than a piece is not lost."""
    assert cut_pieces("都") == ["都"]
    assert cut_pieces("ไท") == ["ไท"]


@pytest.mark.parametrize("character", ["一", "ー", "ก", "ျ", "ៜ", "\U00020000"])
def test_endless_runs_cost_no_time(character: str) -> None:
    """A hostile text of one character without end is cut as fast as any other."""
    start = time.process_time()
    tokenise(character * 100_000)
    assert time.process_time() - start < 4


def test_runs_do_not_mix_scripts() -> None:
    """Han beside Thai are two runs."""
    assert [run[0] for run in UNSPACED.finditer("大学ไทย")] == ["大学", "ไทย"]
