"""How often words are used in general: the background that a topic stands out from."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.readers.limits import Budget, Unpacking, open_bytes
from comraf.errors import InputError, Message, MissingExtraError, ReadError
from comraf.supervision.naming import listed, quoted

__all__ = [
    "Background",
    "CorpusBackground",
    "FlatBackground",
    "FrequencyFile",
    "WordFrequencies",
    "background_shares",
    "flat_background",
]

Floats = NDArray[np.float64]

# What to do where there is no background: said in several errors.
WAYS_OUT = Message(
    "give background= an array with the general frequency of each column, a FrequencyFile or "
    "CorpusBackground of your own, or words= together with WordFrequencies",
    code="background_ways",
)
# wordfreq lists no word that is rarer than this: an unseen one is at most as frequent.
_RAREST = 1e-8
# Bytes that a word and its number take here, twice over; and after how many lines they are counted.
_WORD_BYTES = 300
_LOOK = 1 << 16
# Languages whose words it lists together, or by another code.
_SAME = {"bs": "sh", "hr": "sh", "sr": "sh", "no": "nb", "nn": "nb", "tl": "fil"}


@runtime_checkable
class Background(Protocol):
    """Anything that knows how often words are used in general.

    An attribute ``unseen`` may say how frequent a word is that it has not seen; without one,
    such words are half as frequent as the rarest word of the collection that it has seen.
    """

    def frequencies(self, words: Sequence[str]) -> Floats:
        """Share or count of each word in general use; 0 for words never seen."""
        ...


class WordFrequencies:
    """Frequencies of a language from ``wordfreq``, an extra: ``pip install comraf[background]``.

    A word that the list has not is taken to be as frequent as the rarest that it has, one in a
    hundred million words.

    Parameters
    ----------
    language : str
        Code of the language, such as "en" or "de".

    Examples
    --------
    >>> q = WordFrequencies("en").frequencies(["the", "quark", "qqzzx"])
    >>> bool(q[0] > q[1] > q[2]), float(q[2])
    (True, 0.0)
    """

    unseen = _RAREST

    def __init__(self, language: str = "en") -> None:
        self.language = language

    def frequencies(self, words: Sequence[str]) -> Floats:
        """Share of each word in the language; 0 for words that the list has not."""
        try:
            import wordfreq
        except ImportError:
            raise MissingExtraError(
                "general word frequencies need wordfreq, which is not installed; pip install "
                "'comraf[background]', or {ways}",
                ways=WAYS_OUT,
            ) from None
        known = wordfreq.available_languages()
        # Left to itself, wordfreq takes a language that is near, however far that is.
        code = str(self.language).replace("_", "-").lower().split("-")[0]
        code = _SAME.get(code, code)
        if code not in known:
            raise InputError(
                "wordfreq has no frequencies of language {language}; it has {known}; for another "
                "language {ways}",
                code="no_language",
                language=quoted(self.language),
                known=listed(sorted(known), len(known)),
                ways=WAYS_OUT,
            )
        try:
            return np.fromiter(
                (wordfreq.word_frequency(str(word), code) for word in words), np.float64, len(words)
            )
        except ModuleNotFoundError as error:
            # Chinese, Japanese and Korean are cut into words by packages that it does not bring.
            raise MissingExtraError(
                "wordfreq needs {package} to cut texts of language {language} into words, which "
                "is not installed; pip install 'wordfreq[cjk]', or {ways}",
                package=error.name or "another package",
                language=quoted(self.language),
                ways=WAYS_OUT,
            ) from None

    def __repr__(self) -> str:
        return f"WordFrequencies({self.language!r})"


class _Counted:
    """Words with a number each."""

    _table: dict[str, float]
    _folded: dict[str, float]
    unseen: float

    def _keep(self, table: dict[str, float]) -> None:
        total = sum(table.values())
        positive = [value for value in table.values() if value > 0]
        if not positive:
            raise InputError(f"{self!r} has no word with a frequency above 0")
        if not np.isfinite(total):
            raise InputError(f"{self!r} has frequencies that are too large to be added up")
        self._table = {word: value / total for word, value in table.items()}
        # Collections are of small letters; a list may have capitals (German nouns, names).
        self._folded = {}
        for word, value in self._table.items():
            if (folded := word.casefold()) != word:
                self._folded[folded] = self._folded.get(folded, 0.0) + value
        self.unseen = 0.5 * min(positive) / total

    def frequencies(self, words: Sequence[str]) -> Floats:
        """Share of each word; of all its spellings where it is not there in these capitals."""
        return np.fromiter((self._share(str(word)) for word in words), np.float64, len(words))

    def _share(self, word: str) -> float:
        found = self._table.get(word, 0.0)
        if found:
            return found
        folded = word.casefold()
        return self._table.get(folded, 0.0) + self._folded.get(folded, 0.0)


class FrequencyFile(_Counted):
    r"""A table of two columns, word and count (or share), with commas or tabs, perhaps gzipped.

    A first line whose second field is no number is a heading. Words that are not in the file
    are taken to be half as frequent as its rarest.

    Parameters
    ----------
    path : str or Path
        The file, in UTF-8; ``.gz`` is opened as it is.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "words.csv")
    >>> _ = path.write_text("word,count\nthe,90\ntea,10\n", encoding="utf-8")
    >>> FrequencyFile(path).frequencies(["tea", "the", "quark"]).tolist()
    [0.1, 0.9, 0.0]
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self._keep(_read(Path(path)))

    def __repr__(self) -> str:
        return f"FrequencyFile({str(self.path)!r})"


class CorpusBackground(_Counted):
    """How often words are used in another collection.

    Words that it has not are taken to be half as frequent as its rarest.

    Parameters
    ----------
    counts : array or sparse table of shape (documents, words), or one count for each word
        How often each word is used.
    words : sequence of str
        Name of each column.

    Examples
    --------
    >>> import numpy as np
    >>> corpus = CorpusBackground(np.array([[3, 0], [0, 1]]), ["the", "tea"])
    >>> corpus.frequencies(["tea", "quark"]).tolist()
    [0.25, 0.0]
    """

    def __init__(self, counts: Any, words: Sequence[str]) -> None:
        names = [str(word) for word in words]
        if sp.issparse(counts):
            sums = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        else:
            given = np.asarray(counts, dtype=np.float64)
            sums = given if given.ndim == 1 else given.sum(axis=0)
        if sums.shape != (len(names),):
            raise InputError(f"there are {len(names):,} words for counts of shape {sums.shape}")
        if not np.all(np.isfinite(sums)) or np.any(sums < 0):
            raise InputError("counts must be finite and not negative")
        self.n_words = len(names)
        table: dict[str, float] = {}
        for name, value in zip(names, sums.tolist(), strict=True):
            table[name] = table.get(name, 0.0) + value
        self._keep(table)

    def __repr__(self) -> str:
        return f"CorpusBackground({self.n_words:,} words)"


class FlatBackground:
    """All words are equally frequent: what stands out is then what is frequent here.

    Examples
    --------
    >>> flat_background.frequencies(["the", "quark"]).tolist()
    [1.0, 1.0]
    """

    unseen = 1.0

    def frequencies(self, words: Sequence[str]) -> Floats:
        """1 for each word."""
        return np.ones(len(words))

    def __repr__(self) -> str:
        return "flat_background"


#: The one background that is the same for all words.
flat_background = FlatBackground()


def background_shares(background: Any, n: int, words: Sequence[str] | None) -> tuple[Floats, float]:
    """General frequency of each of n columns, and the frequency of words never seen.

    Parameters
    ----------
    background : None, "flat", array or Background
        None takes `WordFrequencies` of English, for which words are needed.
    n : int
        Number of columns.
    words : sequence of str, optional
        Their names.

    Examples
    --------
    >>> background_shares([3.0, 0.0, 1.0], 3, None)
    (array([3., 0., 1.]), 0.5)
    """
    if isinstance(background, str):
        if background != "flat":
            raise InputError("{given}; {ways}, or 'flat'", "background", background, ways=WAYS_OUT)
        background = flat_background
    if isinstance(background, FlatBackground):
        return np.ones(n), 1.0
    if background is None:
        if words is None:
            text = "there is no background to compare the columns with; {ways}"
            raise InputError(text, ways=WAYS_OUT)
        background = WordFrequencies()
    unseen = 0.0
    if hasattr(background, "frequencies"):
        if words is None:
            raise InputError(
                f"background={background!r} goes by words, and the columns have no names; "
                "give words=, or a data frame whose columns are words"
            )
        shares = np.asarray(background.frequencies(words), dtype=np.float64)
        unseen = float(getattr(background, "unseen", 0.0))
    else:
        try:
            shares = np.asarray(background, dtype=np.float64)
        except (TypeError, ValueError):
            text = "background={shown}; {ways}"
            raise InputError(text, shown=quoted(background), ways=WAYS_OUT) from None
    if shares.shape != (n,):
        raise InputError(
            f"background has shape {shares.shape}, but there are {n:,} columns; give one "
            "general frequency for each column"
        )
    if not np.all(np.isfinite(shares)) or np.any(shares < 0):
        raise InputError("background has a frequency that is negative or not finite")
    if unseen <= 0:
        positive = shares[shares > 0]
        if not len(positive):
            raise InputError("background is 0 for every column; {ways}, or 'flat'", ways=WAYS_OUT)
        unseen = 0.5 * float(positive.min())
    return shares, unseen


def _read(path: Path) -> dict[str, float]:
    budget = Budget(str(path))
    with open_bytes(path) as stream:
        text = _text(stream, budget)
    mark = "\t" if "\t" in text.split("\n", 1)[0] else ","
    lines = io.StringIO(text)
    if mark == "\t":
        rows = csv.reader(lines, delimiter=mark, quoting=csv.QUOTE_NONE)
    else:
        rows = csv.reader(lines)
    table: dict[str, float] = {}
    for line, row in enumerate(_whole(rows, path), 1):
        if not row:
            continue
        try:
            word, value = row[0], float(row[1])
        except (IndexError, ValueError):
            if line == 1:
                continue
            raise ReadError(f"{path}, line {line}: give a word and a number, not {row!r}") from None
        if not np.isfinite(value) or value < 0:
            raise ReadError(f"{path}, line {line}: {row[1]!r} is no frequency")
        table[word] = table.get(word, 0.0) + value
        if not line % _LOOK:
            budget.check(_WORD_BYTES * len(table), f"its {len(table):,} words or more")
    if not table:
        raise ReadError(f"{path} has no line with a word and a number")
    return table


def _text(stream: Unpacking, budget: Budget) -> str:
    parts = []
    while part := stream.read():
        parts.append(part)
        # as bytes, as text, and as lines
        budget.check(6 * stream.taken, "its text")
    try:
        return b"".join(parts).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(f"{budget.source} is not a text in UTF-8; save it as one") from None


def _whole(rows: Iterator[list[str]], path: Path) -> Iterator[list[str]]:
    try:
        yield from rows
    except csv.Error as error:
        raise ReadError(f"{path} can't be read as lines of a word and a number: {error}") from None
