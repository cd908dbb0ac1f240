"""Sentence stocks of the sample mailbox: templates with slots, and how they are filled.

A template is a line of text such as ``"The {trade} can start on {day}."``; a slot is a
list of phrases written ``"plumber|electrician|roofer"``, the commonest first.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Stock", "Template", "chance", "fill", "pick", "pick_skewed", "templates"]

_SLOT = re.compile(r"\{(\w+)\}")

#: Literal text at even places, names of slots at odd ones.
Template = tuple[str, ...]

T = TypeVar("T")


# Only ``Random.random`` is promised to give the same numbers in every version of Python;
# ``choice`` and its kin are not, so every choice here is made from ``random()`` by hand.
def chance(rng: random.Random, probability: float) -> bool:
    """Answer True with the given probability.

    Examples
    --------
    >>> chance(random.Random(0), 1.0)
    True
    """
    return rng.random() < probability


def pick(rng: random.Random, items: Sequence[T]) -> T:
    """Take one of the items, each as likely as any other.

    Examples
    --------
    >>> pick(random.Random(0), ["only"])
    'only'
    """
    return items[int(rng.random() * len(items))]


def pick_skewed(rng: random.Random, items: Sequence[T]) -> T:
    """Take one of the items, the early ones more often, as words in a language are.

    Examples
    --------
    >>> rng = random.Random(0)
    >>> drawn = [pick_skewed(rng, "abcd") for _ in range(200)]
    >>> drawn.count("a") > drawn.count("d")
    True
    """
    return items[int(rng.random() ** 1.7 * len(items))]


def templates(lines: str) -> tuple[Template, ...]:
    """Cut each line that is not blank into literal text and slot names.

    Examples
    --------
    >>> templates("Call the {trade}.")
    (('Call the ', 'trade', '.'),)
    """
    return tuple(tuple(_SLOT.split(line.strip())) for line in lines.splitlines() if line.strip())


def fill(rng: random.Random, template: Template, slots: Mapping[str, Sequence[str]]) -> str:
    """Write a template out, each slot replaced by one of its phrases.

    Examples
    --------
    >>> (line,) = templates("{trade} first.")
    >>> fill(random.Random(0), line, {"trade": ["plumber"]})
    'Plumber first.'
    """
    pieces = list(template)
    for place in range(1, len(pieces), 2):
        phrases = slots[pieces[place]]
        phrase = pick_skewed(rng, phrases)
        # "Between the hall and the hall" gives the machine away: draw again, a few times.
        for _ in range(4):
            if phrase not in pieces[1:place:2]:
                break
            phrase = pick_skewed(rng, phrases)
        pieces[place] = phrase
    text = "".join(pieces)
    return text[0].upper() + text[1:]


@dataclass(frozen=True)
class Stock:
    """What people write about one topic.

    Attributes
    ----------
    topic : str
        Short name of the topic.
    folder : str
        Name of the mail folder that keeps it.
    weight : float
        How much mail the topic draws, relative to the others.
    peak : float
        When the topic is busiest: 0 the first day of the mailbox, 1 the last.
    slots : dict of str to tuple of str
        Phrases for the slots, the commonest first.
    sentences, subjects : tuple of Template
        Sentences for the body, and subject lines.

    Examples
    --------
    >>> stock = Stock.of("tea", "Tea club", 1.0, 0.5, {"leaf": "green|black"}, "{leaf} tea.", "Tea")
    >>> stock.slots["leaf"]
    ('green', 'black')
    """

    topic: str
    folder: str
    weight: float
    peak: float
    slots: Mapping[str, tuple[str, ...]]
    sentences: tuple[Template, ...]
    subjects: tuple[Template, ...]

    @classmethod
    def of(
        cls,
        topic: str,
        folder: str,
        weight: float,
        peak: float,
        slots: Mapping[str, str],
        sentences: str,
        subjects: str,
    ) -> Stock:
        """Make a stock from plain text."""
        return cls(
            topic,
            folder,
            weight,
            peak,
            {name: tuple(phrases.split("|")) for name, phrases in slots.items()},
            templates(sentences),
            templates(subjects),
        )
