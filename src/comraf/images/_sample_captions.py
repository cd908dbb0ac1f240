"""What people might say about sample photos, when they took them, and where."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

__all__ = ["STORIES", "Story", "caption", "taken"]


@dataclass(frozen=True, slots=True)
class Story:
    """Words of a scene, its months, and some places where it may have been seen.

    Attributes
    ----------
    subjects, settings, deeds : tuple of str
        What is in the photo, where it is, what someone does there.
    months : tuple of int
        When such photos are taken.
    places : tuple of pair of float
        Latitudes and longitudes.
    hour : int
        About when in the day.
    """

    subjects: tuple[str, ...]
    settings: tuple[str, ...]
    deeds: tuple[str, ...]
    months: tuple[int, ...]
    places: tuple[tuple[float, float], ...]
    hour: int = 13


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|"))


_COAST = ((43.4, 3.7), (54.2, 13.6))
_VALLEY = ((47.6, 12.9), (51.8, 10.6))
_TOWN = ((52.1, 4.9), (53.5, 10.0))

STORIES: dict[str, Story] = {
    "autumn": Story(
        _words("Red leaves|Golden leaves|Fallen leaves|Maples|Beeches in red and gold|Old trunks"),
        _words("in the autumn wood|along the forest path|in October|below the trees"),
        _words("a walk with the dog|collecting chestnuts|looking for mushrooms|leaves everywhere"),
        (9, 10, 11),
        _VALLEY,
    ),
    "beach": Story(
        _words("Sand|White sand|The beach|Waves|Parasols|A parasol and towels|Shells|The bay"),
        _words("by the sea|on the shore|at the seaside|in the bay|at low tide"),
        _words("swimming all day|building sand castles|ice cream after a swim|a day of surf"),
        (6, 7, 8),
        _COAST,
    ),
    "city at night": Story(
        _words("Lights|Lit windows|The skyline|Towers|Office towers|Lights on the river"),
        _words("in the city at night|after dark|downtown|over the harbour|from the bridge"),
        _words("on the way home|dinner with friends|waiting for the last tram|after the concert"),
        (1, 2, 3, 9, 11, 12),
        _TOWN,
        22,
    ),
    "desert": Story(
        _words("Dunes|Sand dunes|Sand|Ripples in the sand|An endless dune|Tracks of camels"),
        _words("in the desert|far from any road|near the oasis|south of the last village"),
        _words("riding a camel|a hot day|water runs low|wind from the south|climbing the dune"),
        (2, 3, 4, 11),
        ((31.1, -4.0),),
    ),
    "flowers": Story(
        _words("Poppies|Daisies|Buttercups|Wild flowers|Flowers in the grass|Blossoms|Clover"),
        _words("in the meadow|in our garden|on the pasture|by the fence|in the tall grass"),
        _words("bees at work|a picnic|picking a bouquet|spring at last|counting butterflies"),
        (4, 5, 6),
        _VALLEY,
    ),
    "forest": Story(
        _words("Trees|Tall trees|Pines|Firs|Old trunks|Green leaves|Moss and ferns"),
        _words("in the forest|in the woods|along the forest path|deep in the wood|below the trees"),
        _words("a walk with the dog|listening to birds|lost our way|looking for mushrooms"),
        (5, 6, 7, 8, 9),
        _VALLEY,
    ),
    "mountains": Story(
        _words("Snow|Peaks|The summit|Snow on the ridge|A glacier|Snowy mountains"),
        _words("in the Alps|above the valley|from the hut|on the pass|below the peak"),
        _words("skiing all day|a long climb|cold feet|waiting for the lift|tea at the hut"),
        (1, 2, 3, 12),
        ((46.5, 8.0), (47.0, 11.2)),
    ),
    "street": Story(
        _words("Brick houses|Old houses|A red door|Windows|Facades|Gables|House fronts"),
        _words("in our street|in the old town|round the corner|by the market|near the station"),
        _words("on the way to work|shopping for bread|a Sunday walk|waiting for the bus"),
        (1, 3, 4, 5, 6, 7, 8, 9, 10),
        _TOWN,
    ),
    "sunset": Story(
        _words("Sunset|The sun|An orange sky|The last light|A sail|The evening sky|Dusk"),
        _words("over the sea|by the sea|above the water|over the bay|on the horizon"),
        _words("sailing home|a glass of wine|end of a long day|nobody said a word"),
        (6, 7, 8, 9),
        _COAST,
        20,
    ),
}

_MOODS = _words("Lovely|Beautiful|Quiet|Wonderful|Our|Another|What a view:|Look,|Finally:")
_NOTHING = _words("What a day|Holiday with the family|Greetings to all of you|No filter|Weekend")


def caption(scene: str, rng: np.random.Generator) -> str:
    """A sentence about a scene; one in ten tells nothing about it.

    Examples
    --------
    >>> caption("beach", np.random.default_rng(1))
    'Finally: shells, a day of surf'
    """
    story = STORIES[scene]
    if rng.random() < 0.1:
        return _one(_NOTHING, rng)
    said = _one(story.subjects, rng)
    if rng.random() < 0.4:
        plain = said[0].lower() + said[1:]
        for article in ("the ", "a ", "an "):
            plain = plain.removeprefix(article)
        said = f"{_one(_MOODS, rng)} {plain}"
    if rng.random() < 0.75:
        said += f" {_one(story.settings, rng)}"
    if rng.random() < 0.55:
        said += f", {_one(story.deeds, rng)}"
    return said


def taken(
    scene: str, rng: np.random.Generator
) -> tuple[datetime | None, tuple[float, float] | None]:
    """When and where a photo was taken; cameras forget the one now and then, the other often.

    Examples
    --------
    >>> date, place = taken("desert", np.random.default_rng(1))
    >>> date.month in STORIES["desert"].months, place is None
    (True, True)
    """
    story = STORIES[scene]
    month = story.months[int(rng.integers(len(story.months)))]
    date = datetime(int(rng.integers(2019, 2025)), month, 1, story.hour, tzinfo=UTC)
    date += timedelta(days=float(rng.uniform(0, 27)), seconds=int(rng.integers(-7200, 7200)))
    spot = story.places[int(rng.integers(len(story.places)))]
    place = (spot[0] + rng.normal(0, 0.02), spot[1] + rng.normal(0, 0.02))
    dated, placed = rng.random() < 0.8, rng.random() < 0.5
    return (date if dated else None), (place if placed else None)


def _one(words: tuple[str, ...], rng: np.random.Generator) -> str:
    return words[int(rng.integers(len(words)))]
