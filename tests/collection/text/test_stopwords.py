from __future__ import annotations

from collections import Counter

import pytest

from comraf.collection.text.segment import UNSPACED, cut_pieces
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
    "ru": "Насос, который мы купили, не тот, что они нам показали, и он протекает.",
    "uk": "Насос, який ми купили, не той, що вони нам показали, і він протікає.",
    "pl": "Pompa, którą kupiliśmy, nie jest tą, którą oni nam pokazali, i przecieka.",
    "cs": "Čerpadlo, které jsme koupili, není to, které nám ukázali, a také teče.",
    "sv": "Pumpen som vi köpte är inte den som de hade visat oss, och den läcker.",
    "da": "Pumpen, som vi købte, er ikke den, som de havde vist os, og den er utæt af sig selv.",
    "no": "Pumpen som vi kjøpte er ikke den som de hadde vist oss, og den lekker etter noen dager.",
    "fi": "Pumppu, jonka ostimme, ei ole se, jota he olivat meille näyttäneet, ja se vuotaa.",
    "hu": "A szivattyú, amelyet vettünk, nem az, amit ők mutattak nekünk, és még csöpög is.",
    "ro": "Pompa pe care am cumpărat-o nu este cea care ne-a fost arătată și care curge.",
    "tr": "Aldığımız pompa onların bize gösterdiği pompa değil ve bu çok su kaçırıyor.",
    "el": "Η αντλία που αγοράσαμε δεν είναι αυτή που μας είχαν δείξει και στάζει.",
    "ar": "المضخة التي اشتريناها ليست تلك التي كانت هناك، وهي لا تعمل في هذا البيت.",
    "he": "המשאבה שקנינו היא לא זו אשר הם הראו לנו, וגם היא דולפת כל הזמן.",
    "fa": "پمپی که ما خریدیم آن نیست که به ما نشان داده بودند و این آب هم می‌دهد.",
    "hi": "जो पंप हमने खरीदा वह नहीं है जो उन्होंने हमें दिखाया था और यह रिसता है।",
    "zh": "我们买的水泵不是他们给我们看的那个，而且它已经漏水了。",
    "ja": "私たちが買ったポンプは、見せてもらったものではないです。そして水が漏れています。",
    "ko": "우리가 산 펌프는 그들이 보여준 그 것이 아니다. 그리고 물이 샌다.",
    "th": "ปั๊มที่เราซื้อไม่ใช่ของที่เขาให้ดู และมันก็รั่วด้วย",
    "id": "Pompa yang kami beli bukan yang mereka tunjukkan kepada kami, dan juga bocor.",
    "vi": "Cái bơm mà chúng tôi đã mua không phải là cái họ đã cho xem, và nó bị rò.",
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


def test_a_script_with_many_pieces_hides_no_other_language() -> None:
    """Text without blanks has far more words than the Russian beside it; each script counts."""
    counts = Counter(tokenise(TEXTS["ru"]) * 4) + Counter(tokenise(TEXTS["zh"]) * 60)
    running = {"cyrillic": 60, "han": 3000}
    assert "ru" not in guess_languages(counts, sum(running.values()))
    assert "ru" in guess_languages(counts, running)
    # a few quoted words are no language of a collection
    few = Counter(tokenise(TEXTS["ru"])) + Counter(tokenise(TEXTS["en"]) * 900)
    assert guess_languages(few, {"cyrillic": 14, "latin": 16 * 900}) == ("en",)


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
        if tokenise(word) != [word] and word == word.casefold() and not UNSPACED.match(word)
    }
    assert not unreachable - {"daß"}


@pytest.mark.parametrize("language", ["zh", "ja", "th"])
def test_lists_hold_words_as_they_are_cut(language: str) -> None:
    """Nearly all are words of the dictionary, and the others at least pieces without it."""
    pytest.importorskip("icu4py")
    cut = [word for word in STOP_WORDS[language] if tokenise(word) != [word]]
    assert all(cut_pieces(word) == [word] for word in cut)
    assert len(cut) < 0.1 * len(STOP_WORDS[language])


def test_relatives_do_not_claim_each_other() -> None:
    """A text of one language only is not taken for its neighbour's too."""
    pairs = (("da", "no"), ("no", "da"), ("sv", "no"), ("ru", "uk"), ("uk", "ru"), ("cs", "pl"))
    for language, neighbour in (*pairs, ("pt", "es"), ("ar", "fa"), ("zh", "ja"), ("nl", "de")):
        counts = Counter(tokenise(TEXTS[language]))
        assert neighbour not in guess_languages(counts), (language, neighbour)


def test_one_frequent_word_is_no_second_language() -> None:
    """Addresses full of "com", and a man called Men, make no English mail Portuguese."""
    odd = Counter({"com": 40, "men": 40, "fra": 1, "og": 1})
    counts = Counter(tokenise(TEXTS["en"] * 20)) + odd
    assert guess_languages(counts) == ("en",)


def test_contractions_are_on_the_list() -> None:
    """Both spellings of a contraction, and its pieces, say nothing."""
    assert {"don't", "dont", "we've", "it's", "isn"} <= stop_words(["en"])


def test_elisions_are_of_romance_languages() -> None:
    """English keeps its apostrophes."""
    assert "l'" in elisions(["fr"])
    assert elisions(["en", "de"]) == ()
