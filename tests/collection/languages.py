"""A small collection in six languages and scripts: notes about the kitchen and about sailing."""

from __future__ import annotations

import json
import random
from pathlib import Path

TOPICS = ("kitchen", "sailing")

# For each language: sentences with places for two nouns, and the nouns of both topics.
_TONGUES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

LANGUAGES = tuple(_TONGUES)


def nouns(language: str, topic: str) -> tuple[str, ...]:
    """The nouns of a topic, as they are written."""
    return tuple(_TONGUES[language][topic])


def note(language: str, topic: str, rng: random.Random, sentences: int = 6) -> str:
    """A note of a few sentences."""
    chosen = (rng.choice(_TONGUES[language]["sentences"]) for _ in range(sentences))
    # Thai parts sentences by a blank, and so may all others
    return " ".join(text.format(*rng.sample(nouns(language, topic), 2)) for text in chosen)


def write_notes(folder: Path, languages: tuple[str, ...] = LANGUAGES, each: int = 10) -> Path:
    """Write ``each`` notes of both topics in each language, as ``topic/language-number.txt``."""
    rng = random.Random(7)
    for topic in TOPICS:
        (folder / topic).mkdir(parents=True, exist_ok=True)
        for language in languages:
            for number in range(each):
                path = folder / topic / f"{language}-{number}.txt"
                path.write_text(note(language, topic, rng), encoding="utf-8")
    return folder
