"""Options about what is read and counted, the same in every workflow that reads documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from comraf.collection.kinds import KINDS
from comraf.errors import InputError, Parameter, ReadError
from comraf.workflows.options import Option, names_from, pairs_from

__all__ = ["COLUMNS", "Columns", "Counting", "Reading", "Source", "read_stop_words"]

_Names = Sequence[str] | str | None
#: The kinds of `--kind`, as help lists them.
KINDS_SHOWN = ", ".join(sorted(set(KINDS) - {"frame"})).replace(
    "lines", "lines (a text on each line)"
)
_KIND = Option(metavar="KIND", meaning=f"What PATH is: {KINDS_SHOWN}; found by looking otherwise.")
# Columns are named in one text, separated by commas.
_COLUMNS = Option(metavar="COLUMNS", read=names_from)
_COLUMN = Option(metavar="COLUMN")
_PAIRS = Option("--set", metavar="NAME=VALUE", read=pairs_from, many=True)
# Nobody writes down more words than there are.
_MOST_STOPWORDS = 4 << 20


@dataclass(frozen=True, kw_only=True)
class Source:
    """What is read.

    Parameters
    ----------
    kind : str
        What PATH is, one of `comraf.collection.KINDS`; found by looking otherwise.
    follow_links : bool
        Follow symbolic links that lead out of PATH; otherwise they are counted and left out.
    encoding : str
        How letters are written in the files, for example cp1251, gb18030 or shift_jis; found by
        looking otherwise.
    reader_options : mapping
        Other options of the reader of this kind, with their values, such as max_bytes=100000; see
        `comraf.collection.KINDS`. May be given several times.
    """

    kind: Annotated[str | None, _KIND] = None
    follow_links: bool = False
    encoding: Annotated[str | None, Option(metavar="NAME")] = None
    reader_options: Annotated[Mapping[str, Any] | None, _PAIRS] = None

    @contextmanager
    def following(self) -> Iterator[None]:
        """Follow symbolic links for a while, if that was asked for."""
        if not self.follow_links:
            yield
            return
        from comraf.collection.readers.files import follow_links

        with follow_links():
            yield

    def for_reader(self) -> dict[str, Any]:
        """Options of the reader.

        Examples
        --------
        >>> Reading(text="abstract", people=("authors",), separator=";").for_reader()
        {'text': ['abstract'], 'people': {'authors': ';'}}
        """
        out: dict[str, Any] = dict(self.reader_options or {})
        separator = getattr(self, "separator", None)
        for name in _FOR_READER:
            value = getattr(self, name, None)
            if value is None:
                continue
            if name in ("text", "people", "lists", "values"):
                columns = [value] if isinstance(value, str) else list(value)
                if not columns:
                    raise InputError("{name} names no column", name=Parameter(name))
                with_separator = name in ("people", "lists") and separator is not None
                out[name] = dict.fromkeys(columns, separator) if with_separator else columns
            else:
                out[name] = value
        if separator is not None and not out.keys() & {"people", "lists"}:
            raise InputError(
                "{p[separator]} is about the cells of {p[people]} and {p[lists]}; name one of them",
                "separator",
                separator,
            )
        return out


#: Options that name columns of tables.
COLUMNS = {"truth", "text", "title", "id", "date", "people", "lists", "values"}
_FOR_READER = ("truth", "text", "title", "id", "date", "people", "lists", "values", "encoding")


@dataclass(frozen=True, kw_only=True)
class Columns(Source):
    """What is read, and from which columns of a table.

    Parameters
    ----------
    text : sequence of str
        Columns of text, for tables.
    title : str
        Column of titles.
    id : str
        Column of names of the items.
    date : str
        Column of dates.
    """

    text: Annotated[_Names, _COLUMNS] = None
    title: Annotated[str | None, _COLUMN] = None
    id: Annotated[str | None, _COLUMN] = None
    date: Annotated[str | None, _COLUMN] = None


@dataclass(frozen=True, kw_only=True)
class Reading(Columns):
    """What is read, with all columns of a table that may become sides.

    Parameters
    ----------
    truth : str
        Known classes, for scoring only: 'folders' for mail and posts (folders that are no topic,
        and those under three messages, are dropped), texts and photos (all), 'folders:1' for the
        topmost folder alone, a column for tables, a field for references and papers. What it names
        makes no side.
    people : sequence of str
        Columns of people.
    lists : sequence of str
        Columns with several entries a cell.
    values : sequence of str
        Columns with one entry a cell.
    separator : str
        What separates entries of `people` and `lists`; found by looking otherwise.
    """

    truth: Annotated[str | None, Option(metavar="WHAT")] = None
    people: Annotated[_Names, _COLUMNS] = None
    lists: Annotated[_Names, _COLUMNS] = None
    values: Annotated[_Names, _COLUMNS] = None
    separator: Annotated[str | None, Option(metavar="TEXT")] = None


def _codes(text: str) -> tuple[str, ...]:
    """Codes of languages in one text; none is a word for no language at all."""
    codes = names_from(text)
    if not codes and text != "none":
        said = "{p[languages]} names no language; give codes such as en,de, or none"
        raise InputError(said, "languages", text)
    return codes


def read_stop_words(path: str) -> tuple[str, ...]:
    """Words in a text file, on lines or between blanks."""
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            text = file.read(_MOST_STOPWORDS + 1)
    except OSError as error:
        said, why = "{given}: can't be read: {why}", error.strerror or error
        raise ReadError(said, "stop_words", path, why=why) from None
    except UnicodeDecodeError:
        raise ReadError("{given}: is not UTF-8 text", "stop_words", path) from None
    if len(text) > _MOST_STOPWORDS:
        said = "{given}: has more than {most:,} characters, which is no list of stop words"
        raise ReadError(said, "stop_words", path, most=_MOST_STOPWORDS)
    if not text.split():
        raise InputError("{given}: there is no word in it", "stop_words", path)
    return tuple(text.split())


@dataclass(frozen=True, kw_only=True)
class Counting:
    """What is counted of what was read.

    Parameters
    ----------
    min_documents : int
        Leave out words, people and other values that are in fewer documents. Default: 2, for words
        3 (less where documents are few).
    max_share : float
        Leave out words and other values that are in more than this share of the documents. Default:
        0.5, for lists and values of a table 1.
    languages : sequence of str
        Languages whose stop words are left out, such as en or en,de; none leaves out none. Default:
        found by the words.
    stop_words : sequence of str
        Further words to leave out: a text file, the words on lines or between blanks.
    ngrams : int
        Count runs of up to so many words, too, such as 'natural gas' with 2. Default: 1.
    tagger : str
        Who tags parts of speech for `by` pos, in text without tags: nltk, nltk:FOLDER or
        spacy:MODEL, which must be installed. Default: what is there.
    """

    min_documents: Annotated[int | None, Option(metavar="N", least=1)] = None
    max_share: Annotated[float | None, Option(metavar="X", least=0.0, most=1.0)] = None
    languages: Annotated[_Names, Option("--language", metavar="CODES", read=_codes)] = None
    stop_words: Annotated[
        Sequence[str] | None, Option("--stopwords", metavar="FILE", read=read_stop_words)
    ] = None
    ngrams: Annotated[int | None, Option(metavar="N", least=1, most=5)] = None
    tagger: Annotated[str | None, Option(metavar="NAME")] = None

    def for_sides(self) -> dict[str, Any]:
        """Options of the sides.

        Examples
        --------
        >>> Counting().for_sides()
        {}
        >>> found = Counting(min_documents=5, max_share=0.3, languages="en").for_sides()
        >>> found["people"]
        {'min_documents': 5}
        >>> found["words"]
        {'languages': ['en'], 'min_documents': 5, 'max_share': 0.3}
        """
        from comraf.collection.sides import SIDES

        if self.max_share == 0:
            text = "{given} would leave out everything; give more than 0, up to 1"
            raise InputError(text, "max_share", self.max_share)
        out: dict[str, Any] = {}
        least = None if self.min_documents is None else min(self.min_documents, 2**31)
        limits: dict[str, float | None] = {"min_documents": least, "max_share": self.max_share}
        words = self._words()
        for kind in SIDES.values():
            given: dict[str, Any] = dict(words) if kind.options == "words" else {}
            given |= {name: limits[name] for name in kind.limits if limits[name] is not None}
            if given:
                out[kind.options] = given
        if self.tagger is not None:
            out["pos"] = {"tagger": self.tagger}
        return out

    def _words(self) -> dict[str, Any]:
        """Which words count."""
        out: dict[str, Any] = {}
        if self.languages is not None:
            from comraf.collection.text.stopwords import LANGUAGES

            codes = [self.languages] if isinstance(self.languages, str) else list(self.languages)
            if unknown := [code for code in codes if code not in LANGUAGES]:
                text = "{given} is unknown; choose of {known:,}, or none"
                raise InputError(text, "languages", unknown[0], known=list(LANGUAGES))
            out["languages"] = codes
        if self.stop_words is not None:
            out["stop_words"] = sorted({word.casefold() for word in self.stop_words})
        if self.ngrams is not None:
            out["ngrams"] = self.ngrams
        return out
