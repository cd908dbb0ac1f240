"""Parts of speech: tags of a text that has them, of a tagger where it has none, and their runs.

A text is sentences of tags; a run of 1 to 4 tags within a sentence is a value (thesis, 4.9).
Taggers are the user's own: spaCy or NLTK with a model that is on the machine. Nothing is ever
downloaded here.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from comraf.errors import InputError, MissingExtraError, ReadError, import_extra

POS_VERSION = 1
"""Changes when the same text would give other runs of tags, so that counts are not reused."""

MOST_ORDER = 4
POS_SIDES: dict[int, str] = {1: "pos1", 2: "pos", 3: "pos3", 4: "pos4"}
"""Names of the sides by the length of the runs: pairs are the ones to begin with."""

Sentences = tuple[tuple[str, ...], ...]
"""The tags of a text, sentence by sentence."""

# A tag is short, begins with a letter or is made of signs, and has no blank: nn-tl, PRP$, ``.
_TAG = r"[A-Za-z][A-Za-z0-9$*+\-|:]{0,20}|[^\w\s]{1,5}(?:-[A-Za-z]{1,4}){0,3}"
_TOKEN = {mark: re.compile(rf"(\S+){mark}({_TAG})") for mark in "/_"}
# An end of a sentence: signs and closing quotes, a blank, and what can begin one.
_END = re.compile(r"(?<=[.!?…])([\"'”’)\]]*)\s+(?=[\"'“‘(\[]*[A-Z0-9ÀÁÂÄÉÈÍÓÖÚÜÇÑ])|\n\s*\n")
_BROWN_MARKS = re.compile(r"-(?:tl|hl|nc)(?=-|$|\+)")
_LONGEST = 5000
_JOIN = " "
_FILES = ("weights", "tagdict", "classes")
_HOW = (
    "install NLTK (pip install 'comraf[pos]') and get its English model yourself "
    "(python -m nltk.downloader averaged_perceptron_tagger_eng), or install spaCy with a model "
    "(python -m spacy download en_core_web_sm); tagged texts (word/TAG) need neither"
)
_HOW_SPACY = f"tagging with spaCy needs spaCy: {_HOW}"


def split_tagged(line: str, mark: str = "/") -> list[tuple[str, str]]:
    """Words and their tags, of a line of ``word/TAG``; what has no tag is left out.

    Examples
    --------
    >>> split_tagged("The/at and/or/cc jury/nn oops ./.")
    [('The', 'at'), ('and/or', 'cc'), ('jury', 'nn'), ('.', '.')]
    >>> split_tagged("The_DT jury_NN", "_")
    [('The', 'DT'), ('jury', 'NN')]
    """
    pattern = _TOKEN[mark]
    found = (pattern.fullmatch(token) for token in line.split() if len(token) < _LONGEST)
    return [(match[1], match[2]) for match in found if match is not None]


def plain_tag(tag: str) -> str:
    """A tag of the Brown corpus without the marks of titles, headlines, citations, other tongues.

    Examples
    --------
    >>> plain_tag("fw-nn-tl"), plain_tag("nn-tl-hl"), plain_tag("--"), plain_tag("ppss+bez")
    ('nn', 'nn', '--', 'ppss+bez')
    """
    bare = _BROWN_MARKS.sub("", tag[3:] if tag.lower().startswith("fw-") else tag)
    return bare or tag


def count_tags(text: Iterable[Sequence[str]], orders: Iterable[int]) -> dict[int, Counter[str]]:
    """Count the runs of tags of each length; none goes over the end of a sentence.

    Parameters
    ----------
    text : iterable of sequence of str
        Tags, sentence by sentence.
    orders : iterable of int
        Lengths, each from 1 to 4.

    Returns
    -------
    dict of int to Counter
        For each length the runs, their tags joined by blanks.

    Examples
    --------
    >>> counts = count_tags([["PNP", "VBZ", "AT0", "NN1"], ["NN1"]], (1, 3))
    >>> dict(counts[1]), list(counts[3])
    ({'PNP': 1, 'VBZ': 1, 'AT0': 1, 'NN1': 2}, ['PNP VBZ AT0', 'VBZ AT0 NN1'])
    """
    wanted = sorted(set(orders))
    if any(order not in POS_SIDES for order in wanted):
        raise InputError(f"orders={tuple(wanted)} of tags must be from 1 to {MOST_ORDER}")
    runs: dict[int, Counter[tuple[str, ...]]] = {order: Counter() for order in wanted}
    for sentence in text:
        for order, counts in runs.items():
            counts.update(zip(*(sentence[i:] for i in range(order)), strict=False))
    return {
        order: Counter({_JOIN.join(run): n for run, n in counts.items()})
        for order, counts in runs.items()
    }


def sentences(text: str) -> Iterator[str]:
    """Cut a text into sentences by its punctuation and empty lines.

    Rough where abbreviations stand before capitals; a run of tags that is lost or made by that
    is one of many.

    Examples
    --------
    >>> list(sentences('It leaks. "Who knew?" Not e.g. the owner.'))
    ['It leaks.', '"Who knew?"', 'Not e.g. the owner.']
    """
    start = 0
    for end in _END.finditer(text):
        # what closes a quotation belongs to it
        if bare := text[start : end.end(1) if end[1] else end.start()].strip():
            yield bare
        start = end.end()
    if bare := text[start:].strip():
        yield bare


def load_tagger(name: str) -> Callable[[str], Sentences]:
    """A tagger of text by its name; loaded once in a process.

    Parameters
    ----------
    name : str
        ``"nltk"`` takes NLTK's English model where NLTK finds it; ``"nltk:FOLDER"`` one in
        that folder (three JSON files); ``"spacy:MODEL"`` an installed model of spaCy;
        ``"auto"`` the first of these that is there.

    Raises
    ------
    MissingExtraError
        The library or the model is not on the machine; nothing is downloaded.

    Examples
    --------
    >>> load_tagger("magic")
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: tagger='magic' is unknown; give 'auto', 'nltk', 'nltk:FOLDER' ...
    """
    check_tagger(name)
    return _loaded(name)


def check_tagger(name: str) -> None:
    """Raise InputError unless a name could be that of a tagger."""
    known = name in ("auto", "nltk") or (
        name.startswith(("nltk:", "spacy:")) and len(name.partition(":")[2]) > 0
    )
    if not known:
        raise InputError(
            "{given} is unknown; give {allowed:or}",
            "tagger",
            name,
            allowed=("auto", "nltk", "nltk:FOLDER", "spacy:MODEL"),
        )


@lru_cache(maxsize=4)
def _loaded(name: str) -> Callable[[str], Sentences]:
    kind, _, model = name.partition(":")
    if kind == "nltk":
        return _nltk(model)
    if kind == "spacy":
        return _spacy(model)
    for kind in ("nltk", "spacy"):
        with suppress(MissingExtraError):
            return _nltk("") if kind == "nltk" else _spacy(_installed_model())
    raise MissingExtraError(f"there is no tagger for parts of speech on this machine: {_HOW}")


def _nltk(folder: str) -> Callable[[str], Sentences]:
    how = f"tagging with NLTK needs NLTK: {_HOW}"
    perceptron = import_extra("nltk.tag.perceptron", how)
    words = import_extra("nltk.tokenize", how).NLTKWordTokenizer()
    if folder:
        tagger = perceptron.PerceptronTagger(load=False)
        tagger.model.weights, tagger.tagdict, classes = _model_files(Path(folder))
        tagger.classes = tagger.model.classes = set(classes)
    else:
        try:
            tagger = perceptron.PerceptronTagger()
        except LookupError:
            raise MissingExtraError(f"NLTK is here without its English model: {_HOW}") from None

    def tag(text: str) -> Sentences:
        cut = (words.tokenize(sentence) for sentence in sentences(text))
        return tuple(tuple(found[1] for found in tagger.tag(s)) for s in cut if s)

    return tag


def _model_files(folder: Path) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Weights of a perceptron, sure words and tags, as NLTK 3.9 and later keeps them."""
    parts: list[Any] = []
    for part, kind in zip(_FILES, (dict, dict, list), strict=True):
        found = sorted(folder.glob(f"*.{part}.json")) if folder.is_dir() else []
        if len(found) != 1:
            raise ReadError(
                f"{str(folder)!r} is no model of NLTK's tagger: it must hold one file each that "
                f"ends in {', '.join(f'.{name}.json' for name in _FILES)}"
            )
        try:
            value = json.loads(found[0].read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise ReadError(f"{str(found[0])!r} can't be read: {error}") from error
        if not isinstance(value, kind):
            raise ReadError(f"{str(found[0])!r} holds no {kind.__name__}: it is damaged")
        parts.append(value)
    return parts[0], parts[1], parts[2]


def _installed_model() -> str:
    """The first installed model of spaCy, English before others."""
    spacy = import_extra("spacy.util", _HOW_SPACY)
    models = sorted(
        spacy.get_installed_models(), key=lambda name: (not name.startswith("en"), name)
    )
    if not models:
        raise MissingExtraError(f"spaCy is here without a model: {_HOW}")
    return str(models[0])


def _spacy(model: str) -> Callable[[str], Sentences]:
    spacy = import_extra("spacy", _HOW_SPACY)
    try:
        nlp = spacy.load(model, exclude=["ner", "lemmatizer"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ImportError) as error:
        if os.path.exists(model):
            # damaged, of another version, or made of parts that are not installed
            raise ReadError(
                f"{model!r} can't be loaded as a model of spaCy: {error}; take one that this "
                f"spaCy ({spacy.__version__}) can load, saved with nlp.to_disk"
            ) from error
        here = "there is no such folder" if os.sep in model else "it is not installed"
        raise MissingExtraError(
            f"spaCy's model {model!r} can't be loaded, {here}: {_HOW}"
        ) from None
    if not {"tagger", "morphologizer"} & set(nlp.pipe_names):
        raise InputError(f"spaCy's model {model!r} has no tagger; take one that has")
    if not {"parser", "senter", "sentencizer"} & set(nlp.pipe_names):
        nlp.add_pipe("sentencizer")

    def tag(text: str) -> Sentences:
        out: list[tuple[str, ...]] = []
        for start in range(0, len(text), nlp.max_length):
            document = nlp(text[start : start + nlp.max_length])
            out += [
                tuple(token.tag_ or token.pos_ for token in sentence if not token.is_space)
                for sentence in document.sents
            ]
        return tuple(sentence for sentence in out if sentence)

    return tag
