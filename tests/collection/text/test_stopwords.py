from __future__ import annotations

import pytest

from comraf.collection.text.stopwords import (
    LANGUAGES,
    STOP_WORDS,
    elisions,
    guess_languages,
    stop_words,
)
from comraf.collection.text.words import tokenise

TEXTS = {
    "en": "The pump that we bought is not the one which they had shown us, and it leaks.",
    "de": "Die Pumpe, die wir gekauft haben, ist nicht die, die sie uns gezeigt hatten.",
    "fr": "La pompe que nous avons achetée n'est pas celle qu'ils nous avaient montrée.",
    "es": "La bomba que compramos no es la que nos habían mostrado, y también pierde agua.",
    "it": "La pompa che abbiamo comprato non è quella che ci avevano mostrato, e perde.",
    "pt": "A bomba que nós compramos não é a que eles nos tinham mostrado, e vaza.",
    "nl": "De pomp die wij hebben gekocht is niet degene die zij ons hadden laten zien.",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_shows_its_language(language: str) -> None:
    """One sentence is enough to tell each language from the others."""
    counts: dict[str, int] = {}
    for word in tokenise(TEXTS[language]):
        counts[word] = counts.get(word, 0) + 1
    assert guess_languages(counts)[0] == language


def test_a_second_language_is_found_beside_the_first() -> None:
    """A tenth of German mail in an English mailbox brings the German words too."""
    counts: dict[str, int] = {}
    for word in tokenise(TEXTS["en"]) * 9 + tokenise(TEXTS["de"]):
        counts[word] = counts.get(word, 0) + 1
    assert guess_languages(counts) == ("en", "de")


def test_words_of_no_known_language_give_none() -> None:
    """Keywords without function words are not taken for any language."""
    assert guess_languages({"pump": 5, "valve": 3}) == ()
    assert guess_languages({}) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_lists_hold_words_as_the_tokeniser_spells_them(language: str) -> None:
    """A stop word that the tokeniser would cut or spell otherwise could never match."""
    unreachable = {
        word
        for word in STOP_WORDS[language]
        if tokenise(word) != [word] and word == word.casefold()
    }
    assert not unreachable - {"daß"}


def test_contractions_are_on_the_list() -> None:
    """Both spellings of a contraction, and its pieces, say nothing."""
    assert {"don't", "dont", "we've", "it's", "isn"} <= stop_words(["en"])


def test_elisions_are_of_romance_languages() -> None:
    """English keeps its apostrophes."""
    assert "l'" in elisions(["fr"])
    assert elisions(["en", "de"]) == ()
