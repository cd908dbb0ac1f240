"""Cores: methods, backgrounds and sizes, the same for outliers, ranked lists and topics."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from comraf.errors import InputError, Message, Note, Parameter, ReadError
from comraf.workflows.answer import collection_in
from comraf.workflows.options import Option
from comraf.workflows.organize import OrganizeOptions
from comraf.workflows.reading import Columns
from comraf.workflows.search import Jobs, Seed

__all__ = [
    "AUTO",
    "METHODS",
    "Cores",
    "Documents",
    "Method",
    "Size",
    "check_share",
    "core_size",
    "few_known",
    "read_background",
    "size_from",
]

#: What stands for a number that comraf is to choose.
AUTO = "auto"
Size = int | str | None
#: The estimator of each method, by its name in `comraf.oneclass`.
METHODS = {
    "ltb": "LTB",
    "occc": "OCCC",
    "maxkl": "MaxKL",
    "centroid": "CentroidCosine",
    "lof": "LocalOutlierCore",
    "svm": "SVMCore",
    "rest": "LikeTheRest",
    "minentropy": "MinEntropy",
    "ib": "OneClassIB",
    "distortion": "RateDistortion",
    "random": "RandomCore",
}
if TYPE_CHECKING:
    Method = str
else:
    Method = Literal[tuple(METHODS)]
"""The name of a method."""
_FREQUENCIES = (".csv", ".tsv", ".txt", ".gz")
# Of words that are mostly unknown to it, a background says little.
_LEAST_KNOWN = 0.4
_O = TypeVar("_O", bound=OrganizeOptions)


@dataclass(frozen=True, kw_only=True)
class Cores(Seed):
    """How a core is found.

    Parameters
    ----------
    method : str
        How the core is found.
    effort : {"default", "paper"}
        For ltb and occc: paper is the method as published, one start without shrinking.
    pi : float or {"p_d", "p_w"}
        For ltb: the share of topical words that documents start with, between 0 and 1; p_d is the
        core's share of the documents, p_w the share of words that stand out. Default: 0.5.
    background : str
        How frequent words are in general: wordfreq:LANGUAGE (an extra), a file with a word and its
        count a line (CSV or TSV, perhaps .gz), a collection or answer that comraf wrote of other
        documents, or flat.
    """

    method: Method = "ltb"
    effort: Literal["default", "paper"] = "default"
    pi: Annotated[float | str | None, Option(metavar="SHARE", read=str)] = None
    background: Annotated[str, Option(metavar="WHAT")] = "wordfreq:en"

    def estimator(self, background: Any = "flat", n_core: int = 1) -> Any:
        """The estimator of the method; options that it would not look at are refused.

        Examples
        --------
        >>> Cores(pi="0.2").estimator(n_core=3)
        LTB(background='flat', n_core=3, pi=0.2, random_state=0)
        """
        from comraf import oneclass

        more: dict[str, Any] = {}
        if self.effort != "default":
            if self.method not in ("ltb", "occc"):
                text = "{p[effort]} is for the methods ltb and occc, not for {method}"
                raise InputError(text, "effort", self.effort, method=self.method)
            more["effort"] = self.effort
        if self.pi is not None:
            if self.method != "ltb":
                text = "{p[pi]} is for the method ltb, not for {method}"
                raise InputError(text, "pi", self.pi, method=self.method)
            more["pi"] = _pi(self.pi)
        kind = getattr(oneclass, METHODS[self.method])
        return kind(n_core, background=background, random_state=self.random_state, **more)


def _pi(given: float | str) -> float | str:
    if isinstance(given, str) and given in ("p_d", "p_w"):
        return given
    try:
        share = float(given)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        text = "{given} is not possible; give a share above 0, below 1, p_d or p_w"
        raise InputError(text, "pi", given)
    return share


def check_share(share: float | None, number: str, given: Size) -> None:
    """Refuse a share that is none, and one beside a number."""
    if share is not None and given is not None:
        text = "{number} and {p[share]} both say how many; give one of them"
        raise InputError(text, "share", share, number=Parameter(number))
    if share is not None and not 0 < share < 1:
        text = "{given} is not possible; give more than 0 and less than 1"
        raise InputError(text, "share", share)


@dataclass(frozen=True, kw_only=True)
class Documents(Columns, Jobs, Cores):
    """Documents to find cores of.

    Parameters
    ----------
    n_jobs : int
        Processes that read; -1: all cores.
    """

    def reading(self, kind: type[_O], **more: Any) -> _O:
        """What `read_documents` is to be told."""
        own = {field.name: getattr(self, field.name) for field in fields(Columns)}
        return kind(**own, n_jobs=self.n_jobs, **more)

    def check_documents(self, path: Any) -> None:
        """Refuse what can't be meant, before anything is read."""
        from comraf.collection.readers.files import check_path

        self.check_jobs()
        self.estimator()
        if isinstance(path, (str, os.PathLike)):
            check_path(path)


def read_background(given: str) -> Any:
    """A background from what stands for it; what is wrong with it is said at once.

    Examples
    --------
    >>> read_background("flat")
    flat_background
    """
    from comraf.oneclass import CorpusBackground, FrequencyFile, WordFrequencies, flat_background
    from comraf.oneclass.background import WAYS_OUT

    given = str(given)
    if given == "flat":
        return flat_background
    name, colon, language = given.partition(":")
    if name == "wordfreq":
        found = WordFrequencies(language if colon else "en")
        found.frequencies(["a"])
        return found
    path = Path(given)
    if path.is_dir():
        from comraf.collection.store import open_collection

        path = collection_in(path) or path
        if not (path / "collection.json").is_file():
            raise ReadError(
                "{given} is a folder that comraf did not write; make it into a collection with "
                "comraf organize, and name the folder {made}",
                "background",
                given,
                made=Message("that Answer.save wrote", code="folder_made"),
            )
        collection = open_collection(path)
        if "words" not in collection.tables:
            raise InputError("{given} is a collection without words", "background", given)
        return CorpusBackground(collection.tables["words"], collection.sides["words"].values)
    if not path.exists():
        raise ReadError(
            "{given}: there is no such file; it can be wordfreq:en (or another language), or "
            "{ways}",
            "background",
            given,
            ways=WAYS_OUT,
        )
    if path.suffix.lower() not in _FREQUENCIES:
        text = "{given}: a file of frequencies ends in {endings:,}"
        raise InputError(text, "background", given, endings=_FREQUENCIES)
    return FrequencyFile(path)


def few_known(background: Any, words: Sequence[str], given: object) -> tuple[str, ...]:
    """A warning where a background hardly knows the words.

    Examples
    --------
    >>> few_known(read_background("flat"), ["sea"], "flat")
    ()
    """
    known = int((background.frequencies(words) > 0).sum())
    if known >= _LEAST_KNOWN * len(words):
        return ()
    text = (
        "{given} knows only {known:,} of the {n:,} words, so it says little about what is usual; "
        "is it another language? {p[background]} chooses another one"
    )
    return (Note(text, "few_known", given=given, known=known, n=len(words)),)


def size_from(text: str) -> int | str:
    """A number in a text; `core_size` says what is wrong with any other.

    Examples
    --------
    >>> size_from("12"), size_from("auto")
    (12, 'auto')
    """
    try:
        return int(text)
    except ValueError:
        return text


def core_size(given: Size, n: int | None = None, parameter: str = "n_core") -> int | None:
    """The number that was given; None where comraf is to find it, or to suggest it.

    Before anything is read, ``n`` is not known, and any number from 1 on will do.

    Examples
    --------
    >>> core_size(12, 100), core_size("auto", 100)
    (12, None)
    """
    if given is None or (isinstance(given, str) and given == AUTO):
        return None
    try:
        number = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        raise InputError("{given} is no whole number, nor auto", parameter, given) from None
    if n is None:
        if number < 1:
            text = "{given} is not possible; give 1 or more, or auto"
            raise InputError(text, parameter, number)
    elif not 1 <= number < n:
        text = "{given} of {n:,} documents is not possible; give from 1 to {most:,}"
        raise InputError(text, parameter, number, n=n, most=n - 1)
    return number
