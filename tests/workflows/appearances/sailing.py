"""Pages of a small made-up circle."""

from __future__ import annotations

import random
from pathlib import Path

from comraf.appearances import Page

_SEA = "harbour sail mast anchor keel regatta tide rope deck crew buoy helm jib spinnaker".split()
_LAW = "court judge appeal verdict lawyer clause statute trial witness plea bail jury".split()
_FOOD = "bread butter recipe flour oven yeast dough salt pepper garlic onion soup".split()
_GENERAL = "people year time work place world house day number group".split()


def small_circle(seed: int = 0, *, counter: bool = False) -> list[Page]:
    """15 pages of a circle that share a host, in 42; four pages about others share one too.

    With a ``counter``, a host that nobody knows to be popular is on every page.
    """
    rng = random.Random(seed)
    found = []
    for i in range(42):
        name = ("Ann Lee", "Bob Ray", "Cid Orr")[i % 3]
        field = _SEA if i < 15 else rng.sample(_LAW + _FOOD + [f"{w}s" for w in _LAW + _FOOD], 9)
        text = " ".join(rng.choices(field, k=12) + rng.choices(_GENERAL, k=12))
        place = "club" if i < 15 else "court" if i < 19 else f"own{i}"
        links = [f"http://{place}.example/x/"] + ["http://count.example/hit"] * counter
        found.append(Page(f"{name}/{i}", name, text, links=tuple(links), truth=i < 15))
    return found


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


def write_circle(root: Path) -> Path:
    """The pages in a folder for each name, with the truth in a manifest."""
    lines = ["name,file,url,truth"]
    for page in circle():
        folder, number = page.id.lower().replace(" ", "-").split("/")
        (root / folder).mkdir(exist_ok=True)
        links = "".join(f'<a href="{link}">x</a>' for link in page.links)
        (root / folder / f"{number}.html").write_text(f"<p>{page.text}</p>{links}")
        own = f"http://site{number}.{folder}.example/"
        lines.append(f"{page.name},{number}.html,{own},{'yes' if page.truth else 'no'}")
    (root / "pages.csv").write_text("\n".join(lines) + "\n")
    return root
