from __future__ import annotations

from comraf.collection.text.folding import fold_words, singular


def _folded(words: list[str], **options: object) -> dict[str, str | None]:
    target, values, _ = fold_words(words, **options)
    return {w: None if t < 0 else values[t] for w, t in zip(words, target.tolist(), strict=True)}


def test_stop_words_go_and_others_stay() -> None:
    """Stop words, pieces of web addresses and extra words are dropped."""
    found = _folded(["the", "pump", "www", "leak"], extra=["LEAK"])
    assert found == {"the": None, "pump": "pump", "www": None, "leak": None}


def test_no_languages_keep_everything() -> None:
    """An empty list of languages means that no stop words are wanted."""
    assert _folded(["the", "www"], languages=()) == {"the": "the", "www": "www"}


def test_plurals_join_only_singulars_that_occur() -> None:
    """A plural without its singular stays as it is, and so do words that only look plural."""
    found = _folded(["pump", "pumps", "hoses", "bus", "glass", "body", "bodies"], stem=True)
    assert found["pumps"] == "pump"
    assert found["hoses"] == "hoses"
    assert found["bus"] == "bus"
    assert found["bodies"] == "body"


def test_plurals_stay_without_stemming() -> None:
    """Stemming is off unless asked for."""
    assert _folded(["pump", "pumps"])["pumps"] == "pumps"


def test_an_ngram_with_a_stop_word_goes() -> None:
    """Runs over function words say nothing."""
    found = _folded(["old pump", "of pump"])
    assert found == {"old pump": "old pump", "of pump": None}


def test_french_elisions_are_cut_off() -> None:
    """L'eau and eau are one word, and qu'il is none."""
    found = _folded(["l'eau", "eau", "qu'il", "d'accord"], languages=("fr",))
    assert found == {"l'eau": "eau", "eau": "eau", "qu'il": None, "d'accord": "accord"}


def test_short_words_are_no_plurals() -> None:
    """Gas and news keep their s, whatever else occurs."""
    assert singular("gas", {"ga"}) == "gas"
    assert singular("news", {"new"}) == "news"
