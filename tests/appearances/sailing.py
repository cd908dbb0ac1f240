"""Pages of a small made-up circle."""

from __future__ import annotations

import random

from comraf.appearances import Page

_SEA = "harbour sail mast anchor keel regatta tide rope deck crew buoy helm jib spinnaker".split()
_LAW = "court judge appeal verdict lawyer clause statute trial witness plea bail jury".split()
_FOOD = "bread butter recipe flour oven yeast dough salt pepper garlic onion soup".split()
_GENERAL = "people year time work place world house day number group".split()


def circle(seed: int = 0, *, links: float = 0.6, pages: int = 30) -> list[Page]:
    """Four names of sailors; their namesakes are lawyers and cooks.

    The share ``links`` of the sailors' pages link to their club; namesakes have a place each.
    """
    rng = random.Random(seed)
    found: list[Page] = []
    for number, name in enumerate(("Ann Lee", "Bob Ray", "Cid Orr", "Dot Fry")):
        for i in range(pages):
            truth = i < pages * (number + 1) // 6
            field = _SEA if truth else (_LAW, _FOOD)[(i + number) % 2]
            words = rng.choices(field, k=12) + rng.choices(_GENERAL, k=12) + name.split()
            rng.shuffle(words)
            place: tuple[str, ...] = ()
            if truth and rng.random() < links:
                place = (
                    f"http://club{rng.randrange(9)}.example/sail/x.html",
                    "http://club0.example/sail/",
                )
            elif not truth and rng.random() < 0.5:
                place = (f"http://people{number}.example/{(i + number) % 2}/",)
            found.append(Page(f"{name}/{i}", name, " ".join(words), links=place, truth=truth))
    return found
