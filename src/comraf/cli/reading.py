"""Options about what is read, the same in every command that reads documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from comraf.cli.wording import names_in
from comraf.collection.kinds import KINDS
from comraf.errors import InputError, ReadError

__all__ = [
    "DateOption",
    "EncodingOption",
    "FollowLinksOption",
    "IdOption",
    "KindOption",
    "LanguageOption",
    "ListsOption",
    "NgramsOption",
    "PeopleOption",
    "SeparatorOption",
    "StopwordsOption",
    "TaggerOption",
    "TextOption",
    "TitleOption",
    "TruthOption",
    "ValuesOption",
    "reading_options",
    "side_options",
    "sides_named",
    "word_options",
]


def _follow(value: bool) -> bool:
    if value:
        from comraf.cli.program import until_the_end
        from comraf.collection.readers.files import follow_links

        until_the_end(follow_links())
    return value


FollowLinksOption = Annotated[
    bool,
    typer.Option(
        "--follow-links",
        help="Follow symbolic links that lead out of PATH; otherwise they are counted and left "
        "out.",
        callback=_follow,
    ),
]
KindOption = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help=f"What PATH is: {', '.join(sorted(set(KINDS) - {'frame'}))}; found by looking "
        "otherwise.",
        show_default=False,
    ),
]
TruthOption = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        help="Known classes, for scoring only: 'folders' for mail and posts (folders that are "
        "no topic, and those under three messages, are dropped), texts and photos (all), "
        "'folders:1' for the topmost folder alone, a column "
        "for tables, a field for references and papers. What it names makes no side.",
        show_default=False,
    ),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="How letters are written in the files, for example cp1251, gb18030 or shift_jis; "
        "found by looking otherwise.",
        show_default=False,
    ),
]
TextOption = Annotated[
    str | None,
    typer.Option(metavar="COLUMNS", help="Columns of text, for tables.", show_default=False),
]
TitleOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column of titles.", show_default=False)
]
IdOption = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="COLUMN", help="Column of names of the items.", show_default=False
    ),
]
DateOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column of dates.", show_default=False)
]
PeopleOption = Annotated[
    str | None, typer.Option(metavar="COLUMNS", help="Columns of people.", show_default=False)
]
ListsOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMNS", help="Columns with several entries a cell.", show_default=False
    ),
]
ValuesOption = Annotated[
    str | None,
    typer.Option(metavar="COLUMNS", help="Columns with one entry a cell.", show_default=False),
]
SeparatorOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What separates entries of --people and --lists; found by looking otherwise.",
        show_default=False,
    ),
]
LanguageOption = Annotated[
    str | None,
    typer.Option(
        metavar="CODES",
        help="Languages whose stop words are left out, such as en or en,de; none leaves out none. "
        "Default: found by the words.",
        show_default=False,
    ),
]
StopwordsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Further words to leave out: a text file, the words on lines or between blanks.",
        show_default=False,
    ),
]
NgramsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=5,
        metavar="N",
        help="Count runs of up to so many words, too, such as 'natural gas' with 2. Default: 1.",
        show_default=False,
    ),
]
# Nobody writes down more words than there are.
_MOST_STOPWORDS = 4 << 20


def word_options(
    language: str | None, stopwords: Path | None, ngrams: int | None
) -> dict[str, Any]:
    """Which words count, from the options of the command line.

    Examples
    --------
    >>> word_options("en,de", None, 2), word_options("none", None, None)
    ({'languages': ['en', 'de'], 'ngrams': 2}, {'languages': []})
    """
    from comraf.collection.text.stopwords import LANGUAGES

    out: dict[str, Any] = {}
    if language is not None:
        out["languages"] = list(sides_named(language))
        if not out["languages"] and language != "none":
            raise InputError("--language names no language; give codes such as en,de, or none")
        if unknown := [code for code in out["languages"] if code not in LANGUAGES]:
            raise InputError(
                f"--language {unknown[0]} is unknown; choose of {', '.join(LANGUAGES)}, or none"
            )
    if stopwords is not None:
        try:
            with stopwords.open(encoding="utf-8-sig") as file:
                text = file.read(_MOST_STOPWORDS + 1)
        except OSError as error:
            raise ReadError(
                f"--stopwords {stopwords}: can't be read: {error.strerror or error}"
            ) from None
        except UnicodeDecodeError:
            raise ReadError(f"--stopwords {stopwords}: is not UTF-8 text") from None
        if len(text) > _MOST_STOPWORDS:
            raise ReadError(
                f"--stopwords {stopwords}: has more than {_MOST_STOPWORDS:,} characters, which is "
                "no list of stop words"
            )
        out["stop_words"] = sorted({word.casefold() for word in text.split()})
        if not out["stop_words"]:
            raise InputError(f"--stopwords {stopwords}: there is no word in it")
    if ngrams is not None:
        out["ngrams"] = ngrams
    return out


TaggerOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Who tags parts of speech for --by pos, in text without tags: nltk, nltk:FOLDER "
        "or spacy:MODEL, which must be installed. Default: what is there.",
        show_default=False,
    ),
]


def reading_options(
    kind: str | None, given: dict[str, str | None], separator: str | None
) -> dict[str, Any]:
    """Options of the readers from those of the command line.

    Examples
    --------
    >>> reading_options(None, {"text": "title,abstract", "truth": None, "title": "title"}, None)
    {'text': ['title', 'abstract'], 'title': 'title'}
    """
    out: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        if name in ("text", "people", "lists", "values"):
            columns = names_in(value)
            if not columns:
                raise InputError(f"--{name} names no column")
            with_separator = name in ("people", "lists") and separator is not None
            out[name] = dict.fromkeys(columns, separator) if with_separator else columns
        else:
            out[name] = value
    if separator is not None and not out.keys() & {"people", "lists"}:
        raise InputError("--separator is about the cells of --people and --lists; name one of them")
    return out


def side_options(
    min_documents: int | None,
    max_share: float | None,
    tagger: str | None = None,
    words: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What is left out of the sides, from the options of the command line.

    Examples
    --------
    >>> side_options(None, None)
    {}
    >>> side_options(5, None)["people"], side_options(5, 0.3)["words"]
    ({'min_documents': 5}, {'min_documents': 5, 'max_share': 0.3})
    """
    from comraf.collection.sides import SIDES

    if max_share == 0:
        raise InputError("--max-share 0 would leave out everything; give more than 0, up to 1")
    out: dict[str, Any] = {}
    least = None if min_documents is None else min(min_documents, 2**31)
    limits: dict[str, float | None] = {"min_documents": least, "max_share": max_share}
    for kind in SIDES.values():
        given: dict[str, Any] = dict(words or {}) if kind.options == "words" else {}
        given |= {name: limits[name] for name in kind.limits if limits[name] is not None}
        if given:
            out[kind.options] = given
    if tagger is not None:
        out["pos"] = {"tagger": tagger}
    return out


def sides_named(sides: str) -> tuple[str, ...]:
    """Names of sides on the command line; none is a word for no side at all.

    Examples
    --------
    >>> sides_named("words, people"), sides_named("none")
    (('words', 'people'), ())
    """
    names = tuple(names_in(sides))
    return () if names == ("none",) else names
