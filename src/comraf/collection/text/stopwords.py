"""Words that say how a sentence is built and not what it is about, by language.

The lists were written for this project. They hold function words: articles, pronouns,
prepositions, conjunctions, auxiliaries, the commonest adverbs, and the contractions of all
of these. Words with a meaning of their own are left in, however frequent.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from comraf.collection.text.stopwords_europe import EUROPE
from comraf.collection.text.stopwords_world import WORLD

__all__ = [
    "LANGUAGES",
    "MAIL_WORDS",
    "NEWS_WORDS",
    "STOP_WORDS",
    "WEB_WORDS",
    "caption_language",
    "elisions",
    "guess_languages",
    "script_of",
    "stop_words",
]

_ENGLISH = """
a about above across actually after afterwards again against ago ain't all almost alone along
already also although always am among amongst an and another any anybody anyhow anyone anything
anyway anywhere are aren't around as at away be became because become becomes been before
beforehand behind being below beside besides between beyond both but by came can can't cannot come
comes could couldn't could've did didn't do does doesn't doing don't done down during each either
else elsewhere enough especially etc even ever every everybody everyone everything everywhere
except far few fewer first for former formerly from further furthermore gave get gets getting give
given gives giving go goes going gone gonna got gotten had hadn't hardly has hasn't have haven't
having he he'd he'll he's hence her here here's hereby hers herself him himself his how how's
however i i'd i'll i'm i've ie if in indeed inside instead into is isn't it it'd it'll it's its
itself just keep kept knew know known knows largely last lately later least less lest let let's
like likewise look lot lots made mainly make makes making many may maybe me meanwhile merely might
mightn't mine more moreover most mostly much must mustn't my myself namely near nearly need
needn't neither never nevertheless next no nobody none nonetheless nor not nothing now nowhere of
off often oh ok okay on once one one's ones only onto or other others otherwise ought our ours
ourselves out outside over own per perhaps please possibly put quite rather really said same saw
say saying says see seeing seem seemed seems seen several shall shan't she she'd she'll she's
should shouldn't should've since so some somebody somehow someone something sometimes somewhat
somewhere soon still such sure take taken takes than thank thanks that that'd that'll that's the
their theirs them themselves then thence there there'd there'll there's thereafter thereby
therefore these they they'd they'll they're they've thing things think this those though thought
three through throughout thru thus till to together too took toward towards tried try trying two
under unless unlike until unto up upon us use used uses using usually very via want wanted wants was
wasn't way we we'd we'll we're we've well went were weren't what what's whatever when whenever
where where's whereas whereby wherein wherever whether which whichever while who who'd who'll
who's whoever whole whom whose why will with within without won't would wouldn't would've yeah
yes yet you you'd you'll you're you've your yours yourself yourselves
dont didnt doesnt isnt wasnt cant couldnt wouldnt shouldnt havent hasnt hadnt arent werent wont
im ive youre youve theyre thats whats lets ll ve re don didn doesn isn wasn couldn wouldn shouldn
haven hasn hadn aren weren won ain fw fwd cc eg
"""

_GERMAN = """
ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes
auch auf aus bei beim bereits bin bis bist bitte da dabei dadurch dafür dagegen daher damit danach
dann daran darauf daraus darf darüber darum das dass dasselbe davon davor dazu dein deine deinem
deinen deiner dem demselben den denen denn dennoch der deren derselbe des deshalb dessen dich die
dies diese dieselbe diesem diesen dieser dieses dir doch dort du durch dürfen ein eine einem einen
einer eines einfach einige einigen einmal er erst es etwa etwas euch euer eure für gar gegen ganz
gehabt genau gerade gern gewesen gibt hab habe haben hat hatte hatten hätte hier hin hinter ich
ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem ins ist ja je jede jedem jeden jeder
jedes jedoch jemand jene jetzt kann kannst kein keine keinem keinen keiner können könnte könnten
mal man manche mehr mein meine meinem meinen meiner mich mir mit möchte muss müssen nach nachdem
natürlich neben nein nicht nichts nie niemand noch nun nur ob oder ohne schon sehr sei seid sein
seine seinem seinen seiner seit sich sie sind so sogar solche soll sollen sollte sondern sonst
soweit sowie trotz über um und uns unser unsere unserem unseren unter viel viele vielen vielleicht
vom von vor wann war waren warum was wäre weder wegen weil weiter welche welchem welchen welcher
welches wenn wer werde werden wie wieder will wir wird wirklich wo wohl wollen worden wurde wurden
würde würden zu zum zur zwar zwischen
"""

_FRENCH = """
à ai aie ainsi alors après as assez au aucun aucune aujourd'hui auquel aura aurait aussi autre
autres aux avaient avais avait avant avec avez avoir avons ayant beaucoup bien c ça car ce ceci
cela celle celles celui cent ces cet cette ceux chaque chez ci comme comment d dans de déjà depuis
des donc dont du elle elles en encore entre es est et étaient étais était étant été être eu eux
fait faire fois font furent fut ici il ils j jamais je juste jusqu jusque l la là laquelle le
lequel les lesquels leur leurs lors lorsque lui m ma mais me même mêmes merci mes moi moins mon n
ne ni non nos notre nous on ont ou où par parce pas pendant peu peut peuvent plus plusieurs pour
pourquoi pourra pourrait presque puis puisque qu quand que quel quelle quelles quelque quelques
quels qui quoi rien s sa sans se selon sera serait seront ses seulement si soit sommes son sont
sous souvent suis sur t ta tandis tant te tel telle tels tes toi ton toujours tous tout toute
toutes très trop tu un une vers voici voilà vos votre vous vraiment y
"""

_SPANISH = """
a acá ahí ahora al algo alguien algún alguna algunas alguno algunos allá allí ambos ante antes
aquel aquella aquellas aquello aquellos aquí así aun aún aunque bajo bien cada casi como cómo con
contra cual cuál cuales cualquier cuando cuándo cuanto cuánto de del desde después donde dónde dos
durante e el él ella ellas ello ellos en entonces entre era eran eres es esa esas ese eso esos
está estaba estaban estamos están estar estas este esto estos estoy fin fue fueron fui ha había
habían hace hacer hacia han hasta hay he hemos hizo incluso la las le les lo los luego más me
menos mi mí mientras mis misma mismas mismo mismos mucha muchas mucho muchos muy nada nadie ni
ningún ninguna ninguno no nos nosotros nuestra nuestras nuestro nuestros nunca o os otra otras
otro otros para pero poco por porque pues que qué quien quién quienes se sea sean según ser si sí
sido siempre sin sino sobre sois solo sólo somos son soy su sus suyo tal también tampoco tan tanto
te tenemos tener tengo ti tiene tienen toda todas todavía todo todos tu tú tus un una unas uno unos
usted ustedes va vamos van varias varios veces y ya yo
"""

_ITALIAN = """
a abbia abbiamo abbiano ad adesso agli ai al alcuna alcune alcuni alcuno alla alle allo allora
altra altre altri altro anche ancora anzi appena avere aveva avevano avuto ben bene c che chi ci
ciascuno cioè circa ciò coi col come con così cui d da dagli dai dal dalla dalle dallo davanti
degli dei del dell della delle dello dentro di dopo dove dovrebbe due durante e è ecco ed egli
ella era erano essere essi fa fanno fare fatto fino fra fu furono già gli grazie ha hai hanno ho i
il in infatti inoltre insieme io l la là le lei li lì lo loro lui lungo ma mai me meno mentre mi
mia mie miei mio molta molte molti molto ne né negli nei nel nell nella nelle nello nessun nessuno
niente no noi non nostra nostre nostri nostro nulla o od oggi ogni ognuno oltre oppure ora per
perché perciò però più po poco poi prima proprio può qua qual quale quali qualche qualcosa
qualcuno quando quanto quasi quel quella quelle quelli quello questa queste questi questo qui
quindi s sarà sarebbe se sé sei sembra sempre senza si sì sia siamo siano siete sono sopra sotto
sta stata state stati stato stesso su sua subito sue sugli sui sul sulla sulle sullo suo suoi
tanto te ti tra tu tua tue tuo tuoi tutta tuttavia tutte tutti tutto un una uno va verso vi voi
volta vostra vostro
"""

_PORTUGUESE = """
a à ainda além algo alguém algum alguma algumas alguns ali ante antes ao aos apenas após aquela
aquelas aquele aqueles aqui aquilo as às assim até através bem cada com como contra contudo cuja
cujo da das de dela delas dele deles depois desde dessa desse desta deste deve devem do dos e é
ela elas ele eles em embora enquanto então entre era eram és essa essas esse esses esta está
estamos estão estar estas estava estavam este estes estou eu faz fazer foi for foram fosse há isso
isto já la lá lhe lhes lo logo mais mas me mesma mesmas mesmo mesmos meu meus minha minhas muita
muitas muito muitos na nada não nas nela nele nem nenhum nenhuma nesta neste no nos nós nossa
nossas nosso nossos num numa nunca o onde os ou outra outras outro outros para pela pelas pelo
pelos perante pois por porém porquanto porque portanto pouco pouca poucos qual quais quando quanto
que quê quem se sem sempre sendo ser será seria seu seus si sido só sob sobre sua suas tal também
tampouco tanto te tem têm temos tenho ter teu tinha toda todas todavia todo todos tu tua tudo um
uma umas uns vai você vocês vos
"""

_DUTCH = """
aan achter af al alle alleen alles als altijd andere ben bij bijna binnen boven daar daarin
daarmee daarna daarom daarvan dan dat de deze die dit doch doen door dus echter een eens eerst elk
elke en enkele er ergens even gaan gaat geen geweest haar had hadden heb hebben hebt heeft heel hem
het hier hij hoe hun iemand iets ik in indien is ja je jij jouw jullie kan kon kunnen kunt maar me
meer men met mij mijn minder misschien moet moeten mocht na naar nadat niet niets nog nooit nu of
om omdat onder ons onze ook op opnieuw over reeds samen sinds slechts te tegen terwijl thans toch
toen tot tussen tijdens uit uw vaak van vanaf veel verder via volgens voor vooral voordat waar
waarbij waarom waarvan wanneer want waren was wat we weer wel welk welke werd werden wie wij wil
word worden wordt zal ze zeer zelf zich zij zijn zo zoals zonder zou zouden zowel zullen
"""

STOP_WORDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(_ENGLISH.split()),
    "de": frozenset(word for raw in _GERMAN.split() for word in (raw, raw.casefold())),
    "fr": frozenset(_FRENCH.split()),
    "es": frozenset(_SPANISH.split()),
    "it": frozenset(_ITALIAN.split()),
    "pt": frozenset(_PORTUGUESE.split()),
    "nl": frozenset(_DUTCH.split()),
    **EUROPE,
    **WORLD,
}
"""Language codes to words, in the spelling of `.words.tokenise`."""

LANGUAGES = tuple(STOP_WORDS)

WEB_WORDS = frozenset("http https www com org edu html htm mailto nbsp ftp".split())
"""Pieces of addresses; they say nothing in any language."""

MAIL_WORDS = frozenset("am bcc cc forwarded fyi message original pm sent subject".split())
"""What mail programs write over quoted and forwarded messages."""

NEWS_WORDS = frozenset(("article", "writes", "wrote"))
"""Half of all newsgroup posts hold "In article ... writes:"."""

_ELIDED = {
    "fr": tuple("c'|d'|j'|l'|m'|n'|s'|t'|qu'|jusqu'|lorsqu'|puisqu'".split("|")),
    "it": tuple("l'|d'|c'|un'|dell'|all'|dall'|nell'|sull'|quell'|quest'".split("|")),
}
# Share of all running words that a language's function words must reach, those of the
# languages found before it left out. In a text of that language they are a quarter to a half
# of it; chance hits in others stay under 0.5%.
_ENOUGH = 0.015
# Fewer different words are no second language.
_MANY = 3
# Words of a script count as if they were at least so many of all.
_RARE_SCRIPT = 0.05
# Where scripts begin among all characters.
_SCRIPTS = (
    ("\x00", "latin"),
    ("\u0370", "greek"),
    ("\u0400", "cyrillic"),
    ("\u0530", "other"),
    ("\u0590", "hebrew"),
    ("\u0600", "arabic"),
    ("\u0900", "devanagari"),
    ("\u0980", "other"),
    ("\u0e00", "thai"),
    ("\u0e80", "other"),
    ("\u1100", "hangul"),
    ("\u1200", "other"),
    ("\u1e00", "latin"),
    ("\u1f00", "greek"),
    ("\u2000", "other"),
    ("\u2e80", "han"),
    ("\u3130", "hangul"),
    ("\u3190", "han"),
    ("\ua000", "other"),
    ("\uac00", "hangul"),
    ("\ud7b0", "other"),
    ("\uf900", "han"),
    ("\ufb00", "latin"),
    ("\ufb1d", "hebrew"),
    ("\ufb50", "arabic"),
    ("\uff00", "other"),
    ("\U00020000", "han"),
)
_STARTS = tuple(start for start, _ in _SCRIPTS)


def stop_words(languages: Iterable[str]) -> frozenset[str]:
    """Return the stop words of some languages together.

    Examples
    --------
    >>> "nicht" in stop_words(["en", "de"]), "nicht" in stop_words(["en"])
    (True, False)
    """
    return frozenset().union(*(STOP_WORDS[language] for language in languages))


def elisions(languages: Iterable[str]) -> tuple[str, ...]:
    """Return what stands before an apostrophe and goes: ``l'eau`` is about ``eau``.

    Examples
    --------
    >>> elisions(["en"]), elisions(["it"])[:2]
    ((), ("l'", "d'"))
    """
    return tuple(
        dict.fromkeys(part for language in languages for part in _ELIDED.get(language, ()))
    )


def script_of(word: str) -> str:
    """The writing that a word begins with, as far as the known languages need to be told apart.

    Examples
    --------
    >>> [script_of(word) for word in ("pump", "насос", "水泵", "ポンプ")]
    ['latin', 'cyrillic', 'han', 'han']
    """
    return _SCRIPTS[bisect_right(_STARTS, word[:1]) - 1][1]


def guess_languages(
    counts: Mapping[str, int], total: int | Mapping[str, int] | None = None
) -> tuple[str, ...]:
    """Tell in which of the known languages a collection is, by its stop words.

    The language whose words are the most comes first. Each further one has to bring enough
    words that are on no list before it, so related languages don't claim each other's texts.

    Parameters
    ----------
    counts : mapping of str to int
        How often each word occurs; words that are on no list may be missing.
    total : int or mapping of str to int, optional
        Number of running words; the sum of the counts when not given. By `script_of`:
        then a language is measured by the words of its script only, since texts without blanks
        have far more words, or pieces, than others.

    Returns
    -------
    tuple of str
        Codes, the commonest language first; empty when it is none of them.

    Examples
    --------
    >>> guess_languages({"the": 50, "and": 20, "pump": 90})
    ('en',)
    >>> guess_languages({"nicht": 30, "und": 60, "pumpe": 90})
    ('de',)
    """
    by_script = total if isinstance(total, Mapping) else {}
    every = sum(counts.values()) if total is None else total
    running = sum(by_script.values()) if isinstance(every, Mapping) else every
    if not running:
        return ()
    # Words of a script that hardly occurs are quotations.
    enough = {
        language: _ENOUGH * max(by_script.get(script, running), _RARE_SCRIPT * running)
        for language, script in _scripts().items()
    }
    # Single letters are initials, formulas and lists in any language.
    seen = {
        word: count
        for word, count in counts.items()
        if count > 0 and (len(word) > 1 or not word.isascii()) and word not in WEB_WORDS
    }
    left = {language: words & seen.keys() for language, words in STOP_WORDS.items()}
    found: list[str] = []
    while left:
        hits = {language: _hits(words, seen, not found) for language, words in left.items()}
        hits = {code: n for code, n in hits.items() if n and n >= enough[code]}
        if not hits:
            break
        best = max(hits, key=lambda language: hits[language])
        taken = left.pop(best)
        found.append(best)
        left = {language: words - taken for language, words in left.items()}
    return tuple(found)


def caption_language(found: Sequence[str], counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the language of captions: the first one found, unless it may as well be English.

    Captions have few stop words and say the same again and again; "man", "in" and "at" are
    words of several languages. Another one than English has to have far more of them.

    Parameters
    ----------
    found : sequence of str
        What `guess_languages` found.
    counts : mapping of str to int
        How often stop words of any language occur.

    Examples
    --------
    >>> caption_language(("da", "en"), {"man": 30, "in": 20, "two": 5})
    ('en',)
    >>> caption_language(("de",), {"ein": 30, "der": 20, "und": 9, "in": 5})
    ('de',)
    """
    if not found or found[0] == "en":
        return tuple(found[:1])
    if _scripts()[found[0]] != _scripts()["en"]:
        return (found[0],)
    seen = {word: count for word, count in counts.items() if len(word) > 1 and count > 0}
    other, english = STOP_WORDS[found[0]] & seen.keys(), STOP_WORDS["en"] & seen.keys()
    own = other - english
    more = sum(seen[word] for word in own) > 2 * sum(seen[word] for word in english - other)
    # a few words that are frequent may be nouns in English
    return (found[0],) if more and len(own) >= _MANY else ("en",)


@lru_cache(1)
def _scripts() -> dict[str, str]:
    """The script of each language: the one of most of its stop words."""
    return {
        language: Counter(map(script_of, words)).most_common(1)[0][0]
        for language, words in STOP_WORDS.items()
    }


def _hits(words: Iterable[str], seen: Mapping[str, int], first: bool) -> int:
    """How often the words of a language occur.

    In a second language no single word may be more than half of it: a name, or an odd word
    of the first, is no language however frequent it is.
    """
    found = [seen[word] for word in words]
    if first:
        return sum(found)
    if len(found) < _MANY:
        return 0
    return min(sum(found), 2 * (sum(found) - max(found)))
