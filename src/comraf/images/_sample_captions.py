"""What people might say about sample photos, when they took them, and where.

The words are in ``comraf/data/sample_photos.json``: for each scene what is in the photo, where
it is and what someone does there, as phrases written ``"Dunes|Sand dunes"``; then the months, the
places (latitude, longitude) and about when in the day such photos are taken.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from importlib.resources import files

import numpy as np

_DATA = json.loads(
    files("comraf").joinpath("data", "sample_photos.json").read_text(encoding="utf-8")
)
STORIES = _DATA["scenes"]


def caption(scene: str, rng: np.random.Generator) -> str:
    """A sentence about a scene; one in ten tells nothing about it."""
    story = STORIES[scene]
    if rng.random() < 0.1:
        return _one(_DATA["nothing"], rng)
    said = _one(story["subjects"], rng)
    if rng.random() < 0.4:
        plain = said[0].lower() + said[1:]
        for article in ("the ", "a ", "an "):
            plain = plain.removeprefix(article)
        said = f"{_one(_DATA['moods'], rng)} {plain}"
    if rng.random() < 0.75:
        said += f" {_one(story['settings'], rng)}"
    if rng.random() < 0.55:
        said += f", {_one(story['deeds'], rng)}"
    return said


def taken(
    scene: str, rng: np.random.Generator
) -> tuple[datetime | None, tuple[float, float] | None]:
    """When and where a photo was taken; cameras forget the one now and then, the other often."""
    story = STORIES[scene]
    month = story["months"][int(rng.integers(len(story["months"])))]
    date = datetime(int(rng.integers(2019, 2025)), month, 1, story["hour"], tzinfo=UTC)
    date += timedelta(days=float(rng.uniform(0, 27)), seconds=int(rng.integers(-7200, 7200)))
    north, east = story["places"][int(rng.integers(len(story["places"])))]
    place = (north + rng.normal(0, 0.02), east + rng.normal(0, 0.02))
    dated, placed = rng.random() < 0.8, rng.random() < 0.5
    return (date if dated else None), (place if placed else None)


def _one(phrases: str, rng: np.random.Generator) -> str:
    some = phrases.split("|")
    return some[int(rng.integers(len(some)))]
