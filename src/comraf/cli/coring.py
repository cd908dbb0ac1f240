"""What ``comraf rerank`` and ``comraf outliers`` share: methods, backgrounds, sizes, files."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.cli.wording import SENTENCES
from comraf.errors import InputError, ReadError, WriteError

if TYPE_CHECKING:
    from rich.console import Console

    from comraf.oneclass.sizes import Suggestion

__all__ = [
    "AUTO",
    "BackgroundOption",
    "CoreEffort",
    "CoreEffortOption",
    "CoreMethod",
    "PiOption",
    "check_file",
    "core_size",
    "estimator",
    "few_known",
    "read_background",
    "show_suggestion",
]

#: What stands for a number that comraf is to choose.
AUTO = "auto"
_FREQUENCIES = (".csv", ".tsv", ".txt", ".gz")
# Of words that are mostly unknown to it, a background says little.
_LEAST_KNOWN = 0.4

BackgroundOption = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="How frequent words are in general: wordfreq:LANGUAGE (an extra), a file with a word "
        "and its count a line (CSV or TSV, perhaps .gz), a collection or answer that comraf "
        "wrote of other documents, or flat.",
    ),
]


class CoreMethod(StrEnum):
    """How the core is found."""

    ltb = "ltb"
    occc = "occc"
    maxkl = "maxkl"
    centroid = "centroid"
    lof = "lof"
    svm = "svm"
    rest = "rest"
    minentropy = "minentropy"
    ib = "ib"
    distortion = "distortion"
    random = "random"


class CoreEffort(StrEnum):
    """What is done beyond what was published."""

    default = "default"
    paper = "paper"


CoreEffortOption = Annotated[
    CoreEffort,
    typer.Option(
        "--effort",
        help="For ltb and occc: paper is the method as published, one start without shrinking.",
    ),
]
PiOption = Annotated[
    str | None,
    typer.Option(
        "--pi",
        metavar="SHARE",
        help="For ltb: the share of topical words that documents start with, between 0 and 1; p_d "
        "is the core's share of the documents, p_w the share of words that stand out. "
        "Default: 0.5.",
        show_default=False,
    ),
]


def estimator(
    method: CoreMethod,
    n_core: int,
    background: Any,
    seed: int,
    effort: CoreEffort = CoreEffort.default,
    pi: str | None = None,
) -> Any:
    """The estimator of a method; options that it would not look at are refused.

    Examples
    --------
    >>> type(estimator(CoreMethod.ltb, 3, "flat", 0)).__name__
    'LTB'
    """
    from comraf import oneclass
    from comraf.oneclass.rest import LikeTheRest

    kinds = {
        CoreMethod.ltb: oneclass.LTB,
        CoreMethod.occc: oneclass.OCCC,
        CoreMethod.maxkl: oneclass.MaxKL,
        CoreMethod.centroid: oneclass.CentroidCosine,
        CoreMethod.lof: oneclass.LocalOutlierCore,
        CoreMethod.svm: oneclass.SVMCore,
        CoreMethod.rest: LikeTheRest,
        CoreMethod.minentropy: oneclass.MinEntropy,
        CoreMethod.ib: oneclass.OneClassIB,
        CoreMethod.distortion: oneclass.RateDistortion,
        CoreMethod.random: oneclass.RandomCore,
    }
    more: dict[str, Any] = {}
    if effort is not CoreEffort.default:
        if method not in (CoreMethod.ltb, CoreMethod.occc):
            raise InputError(f"--effort is for the methods ltb and occc, not for {method.value}")
        more["effort"] = effort.value
    if pi is not None:
        if method is not CoreMethod.ltb:
            raise InputError(f"--pi is for the method ltb, not for {method.value}")
        more["pi"] = _pi(pi)
    return kinds[method](n_core, background=background, random_state=seed, **more)


def _pi(text: str) -> float | str:
    if text in ("p_d", "p_w"):
        return text
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise InputError(f"--pi {text} is not possible; give a share above 0, below 1, p_d or p_w")
    return share


def read_background(given: str) -> Any:
    """A background from what ``--background`` says; what is wrong with it is said at once.

    Examples
    --------
    >>> read_background("flat")
    flat_background
    """
    from comraf.oneclass import CorpusBackground, FrequencyFile, WordFrequencies, flat_background

    if given == "flat":
        return flat_background
    name, colon, language = given.partition(":")
    if name == "wordfreq":
        found = WordFrequencies(language if colon else "en")
        found.frequencies(["a"])
        return found
    path = Path(given)
    if (path / "result.json").is_file():
        path = path / "collection"
    if path.is_dir():
        from comraf.collection.store import open_collection

        if not (path / "collection.json").is_file():
            raise ReadError(
                f"--background {given} is a folder that comraf did not write; make it into a "
                "collection with comraf organize, and name the folder of --out"
            )
        collection = open_collection(path)
        if "words" not in collection.tables:
            raise InputError(f"--background {given} is a collection without words")
        return CorpusBackground(collection.tables["words"], collection.sides["words"].values)
    if not path.exists():
        raise ReadError(
            f"--background {given}: there is no such file; it can be wordfreq:en (or another "
            f"language), or {SENTENCES['background_ways']}"
        )
    if path.suffix.lower() not in _FREQUENCIES:
        raise InputError(
            f"--background {given}: a file of frequencies ends in {', '.join(_FREQUENCIES)}"
        )
    return FrequencyFile(path)


def few_known(background: Any, words: Sequence[str], given: str) -> str | None:
    """A warning where a background hardly knows the words.

    Examples
    --------
    >>> few_known(read_background("flat"), ["sea"], "flat") is None
    True
    """
    known = int((background.frequencies(words) > 0).sum())
    if known >= _LEAST_KNOWN * len(words):
        return None
    return (
        f"{given} knows only {known:,} of the {len(words):,} words, so it says little about what "
        "is usual; is it another language? --background chooses another one"
    )


def core_size(given: str | None, option: str, n: int | None = None) -> int | None:
    """The number that was given; None where comraf is to find it, or to suggest it.

    Before anything is read, ``n`` is not known, and any number from 1 on will do.

    Examples
    --------
    >>> core_size("12", "-n", 100), core_size("auto", "-n", 100)
    (12, None)
    """
    if given is None or given == AUTO:
        return None
    try:
        number = int(given)
    except ValueError:
        raise InputError(f"{option} {given} is no whole number, nor auto") from None
    if n is None:
        if number < 1:
            raise InputError(f"{option} {number} is not possible; give 1 or more, or auto")
    elif not 1 <= number < n:
        raise InputError(
            f"{option} {number} of {n:,} documents is not possible; give from 1 to {n - 1:,}"
        )
    return number


def show_suggestion(console: Console, suggestion: Suggestion) -> None:
    """Print the sizes that were tried.

    Examples
    --------
    >>> from comraf.cli.show import open_console
    >>> from comraf.oneclass.sizes import SizeScore, Suggestion
    >>> found = Suggestion((SizeScore(9, 0.5, 0.7, 0.9, 0.6),), 40, 40, 7, 0.1)
    >>> show_suggestion(open_console(), found)
    Sizes tried: 7 fits in 0.1 s. A score is the product of separation, stability and balance, 0...
    <BLANKLINE>
            core  score  separation  stability  with half the words
    ...
    """
    from comraf.cli.show import show_table, tell
    from comraf.cli.table import Facts
    from comraf.cli.wording import counted

    rows, best = suggestion.rows, suggestion.best_row
    part = ""
    if suggestion.n_sampled < suggestion.n_documents:
        part = f" on {suggestion.n_sampled:,} documents drawn at random,"
    tell(
        console,
        f"Sizes tried:{part} {counted(suggestion.n_fits, 'fit')} in {suggestion.seconds:.1f} s. "
        "A score is the product of separation, stability and balance, 0 to 1; stability with "
        "half of the words is told too, and does not count.",
    )
    show_table(
        console,
        [
            Facts("", ["best" if row is best else "" for row in rows]),
            Facts("core", [f"{row.size:,}" for row in rows]),
            Facts("score", [f"{row.score:.2f}" for row in rows]),
            Facts("separation", [f"{row.separation:.2f}" for row in rows]),
            Facts("stability", [f"{row.stability:.2f}" for row in rows]),
            Facts("with half the words", [f"{row.word_stability:.2f}" for row in rows]),
        ],
        [],
    )
    if suggestion.doubt:
        said = suggestion.doubt
        tell(console, f"{said[0].upper()}{said[1:]}: there may be no core to find.")


def check_file(out: Path | None, *, force: bool, endings: Sequence[str], option: str) -> None:
    """Refuse a file that can't be written, before any work is done for it.

    Examples
    --------
    >>> check_file(None, force=False, endings=(".csv",), option="--out")
    """
    from comraf.cli.kept import check_csv

    if out is None:
        return
    if out.suffix.lower() not in endings:
        raise WriteError(f"{option} {out}: the file must end in {' or '.join(endings)}")
    check_csv(out, force)
