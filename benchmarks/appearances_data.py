"""Made-up web pages of twelve names, with the truth about each.

The pages on which appearances were first measured (thesis 4.7.3) can't be had any more, so
these are generated after their description. **No page here is a real one.** Twelve names
belong to one circle; each has about ninety pages, of which between one and nearly all are about
the member of the circle, as in table 4.5, and the others about up to thirty namesakes.

*Texts* are newsgroup messages where the archive is given, else messages of comraf's own sample
mailbox: a circle writes in neighbouring groups, a namesake in one other group, and two names
have a *double* whose group is next to the circle's. Some pages of members are about something
else, and some of namesakes happen to be about the circle's field.

*Links* tell a part: seven in ten pages of members link to places of the circle or live there,
most namesakes have a place of their own that connects their pages, a few places connect
namesakes of different names, and a few pages of namesakes link to the circle by accident.
Everybody links to popular hosts and to one counter, which the benchmark names as popular.
"""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

__all__ = ["COUNTER", "Circle", "Plan", "circles", "newsgroup_texts", "sample_texts", "write_pages"]

Texts = Mapping[str, Sequence[str]]

_FIRST = (
    "Ada Ben Clara David Erik Flora Gus Hanna Ivan Jane Karl Lena Mark Nina Oscar Petra".split()
)
_LAST = (
    "Abbott Barlow Carver Dunning Ellwood Farrow Garrick Hollis Ingram Jessop Kersey Lambert "
    "Mercer Norwood Oakley Pickard"
).split()
# Pages about members, of about ninety each: table 4.5.
_SHARES = (0.99, 0.07, 0.79, 0.22, 0.99, 0.12, 0.57, 0.16, 0.01, 0.37, 0.36, 0.01)
_NAMESAKES = (1, 9, 5, 18, 1, 7, 15, 30, 12, 28, 18, 25)
_POPULAR = ("www.amazon.com/books", "www.google.com", "www.w3.org/TR", "www.yahoo.com/people")
COUNTER = "counter.example/hit"


@dataclass(frozen=True)
class Circle:
    """Groups that the circle writes in, and the one of the doubles."""

    name: str
    groups: tuple[str, ...]
    near: str


_NEWSGROUPS = (
    Circle("computing", ("comp.graphics", "comp.windows.x"), "comp.os.ms-windows.misc"),
    Circle("science", ("sci.space", "sci.electronics", "sci.med"), "sci.crypt"),
    Circle("politics", ("talk.politics.guns", "talk.politics.misc"), "talk.politics.mideast"),
    Circle("sports", ("rec.sport.hockey", "rec.sport.baseball"), "rec.autos"),
)
_SAMPLE = (
    Circle("house", ("renovation", "garden"), "bridge"),
    Circle("town", ("bridge", "school"), "ward"),
    Circle("culture", ("festival", "software"), "school"),
    Circle("water", ("sailing", "bridge"), "garden"),
)


@dataclass(frozen=True)
class Plan:
    """What the pages are like; shares are of the pages that they are about.

    Examples
    --------
    >>> Plan().pages
    90
    """

    pages: int = 90
    #: pages of members that have a place of the circle
    linked: float = 0.7
    #: pages of members about something else, pages of namesakes about the circle's field
    off_topic: float = 0.15
    on_topic: float = 0.04
    #: pages of namesakes with the namesake's own place, with a place of others, with the circle's
    housed: float = 0.6
    ringed: float = 0.01
    astray: float = 0.01
    #: pages of the double of two names
    doubles: int = 22
    #: words of a page at most, from and to: about 300, as the pages of the thesis had
    words: tuple[int, int] = (100, 500)


def newsgroup_texts(data: Path) -> dict[str, list[str]]:
    """Subjects and bodies of the newsgroup archive by group."""
    from benchmarks.datasets.newsgroups import iter_messages, message_text

    texts: dict[str, list[str]] = {}
    for group, _, raw in iter_messages(data):
        texts.setdefault(group, []).append(message_text(raw))
    return texts


def sample_texts(n: int = 2000, seed: int = 0) -> dict[str, list[str]]:
    """Messages of comraf's own sample mailbox by topic.

    Examples
    --------
    >>> sorted(sample_texts(60))[:2]
    ['bridge', 'festival']
    """
    from comraf.collection.readers.html import html_text
    from comraf.collection.sample import iter_messages

    texts: dict[str, list[str]] = {}
    for one in iter_messages(n, seed):
        body = one.message.get_body(("plain", "html"))
        if body is not None:
            text = str(body.get_content())
            if body.get_content_subtype() == "html":
                text = html_text(text)[1]
            texts.setdefault(one.topic, []).append(f"{one.message['subject']}\n{text}")
    return texts


def circles(texts: Texts) -> tuple[Circle, ...]:
    """The circles that can be made of some texts.

    Examples
    --------
    >>> [circle.name for circle in circles(sample_texts(60))]
    ['house', 'town', 'culture', 'water']
    """
    return _NEWSGROUPS if "sci.space" in texts else _SAMPLE


class _Writer:
    """Draws the pages of one circle."""

    def __init__(self, texts: Texts, circle: Circle, plan: Plan, seed: int) -> None:
        self.rng = random.Random(f"{circle.name}-{seed}")
        self.circle, self.plan = circle, plan
        self.left = {group: self.rng.sample(some, len(some)) for group, some in texts.items()}
        self.all = {group: list(some) for group, some in texts.items()}
        self.others = sorted(set(texts) - {*circle.groups, circle.near})
        first = self.rng.sample(_FIRST, len(_SHARES))
        last = self.rng.sample(_LAST, len(_SHARES))
        self.names = [f"{a} {b}" for a, b in zip(first, last, strict=True)]
        self.homes = [f"www.institute{i % 5}.example/~{b.lower()}" for i, b in enumerate(last)]
        self.places = [f"www.{circle.name}{i}.example/{'group' * (i % 2)}" for i in range(200)]
        self.rings = [f"ring{i}.example/members" for i in range(6)]
        self.n_unique = 0

    def text(self, group: str) -> str:
        """A message of a group; once all were used, one again."""
        left = self.left[group]
        message = left.pop() if left else self.rng.choice(self.all[group])
        words = message.split()
        most = self.rng.randint(*self.plan.words)
        start = self.rng.randrange(max(1, len(words) - most))
        return " ".join(words[start : start + most])

    def unique(self) -> str:
        """A place that no other page has."""
        self.n_unique += 1
        return f"www.site{self.n_unique}.example/pages"

    def circle_place(self) -> str:
        """A place of the circle: a member's home or a common one, the first ones most often."""
        if self.rng.random() < 0.4:
            return self.rng.choice(self.homes)
        # a few are on every other page, most on two or three
        return self.places[int(len(self.places) * self.rng.random() ** 2.5)]

    def member(self, number: int) -> tuple[str, str, list[str]]:
        """Text, own place and links of a page about a member."""
        plan, rng = self.plan, self.rng
        off = rng.random() < plan.off_topic
        group = rng.choice(self.others if off else self.circle.groups)
        own, links = self.unique(), []
        if rng.random() < plan.linked:
            links = [self.circle_place() for _ in range(rng.randint(1, 5))]
            if rng.random() < 0.4:
                own = self.homes[number]
        return self.text(group), own, links

    def namesake(self, group: str, home: str) -> tuple[str, str, list[str]]:
        """Text, own place and links of a page about a namesake."""
        plan, rng = self.plan, self.rng
        about = rng.choice(self.circle.groups) if rng.random() < plan.on_topic else group
        own, links = self.unique(), []
        if rng.random() < plan.housed:
            links.append(home)
            if rng.random() < 0.4:
                own = home
        if rng.random() < plan.ringed:
            links.append(rng.choice(self.rings))
        if rng.random() < plan.astray:
            links.append(self.circle_place())
        return self.text(about), own, links

    def page(self, name: str, text: str, own: str, links: list[str], file: str) -> tuple[str, str]:
        """The address and the markup."""
        rng = self.rng
        links = [*links, *(self.unique() for _ in range(rng.randrange(4)))]
        links += [place for place in _POPULAR if rng.random() < 0.25]
        links += [COUNTER] if rng.random() < 0.35 else []
        rng.shuffle(links)
        words = text.split()
        words.insert(rng.randrange(len(words) + 1), name)
        parts = [" ".join(words[i : i + 60]) for i in range(0, len(words), 60)]
        body = "".join(f"<p>{escape(part)}</p>\n" for part in parts)
        body += "".join(f'<a href="http://{place}/">more</a>\n' for place in links)
        return f"http://{own}/{file}", f"<html><title>{escape(name)}</title>\n{body}</html>\n"

    def pages(self) -> list[tuple[str, str, str, str, bool]]:
        """Name, file, address, markup and truth of every page."""
        rng, found = self.rng, []
        order = rng.sample(range(len(_SHARES)), len(_SHARES))
        # doubles need names with room for them
        doubled = [i for i in order if 0.05 < _SHARES[i] < 0.6][:2]
        for number, kind in enumerate(order):
            n = self.plan.pages + rng.randint(-8, 8)
            n_member = max(1, min(n - 1, round(n * _SHARES[kind])))
            drawn = [(True, *self.member(number)) for _ in range(n_member)]
            sakes = [
                (rng.choice(self.others), f"www.people{number}.example/~{j}")
                for j in range(_NAMESAKES[kind])
            ]
            weights = [1 / (1 + j) for j in range(len(sakes))]
            n_double = min(self.plan.doubles, n - n_member) if kind in doubled else 0
            who = [(self.circle.near, f"www.double{number}.example/lab")] * n_double
            who += rng.choices(sakes, weights, k=n - n_member - n_double)
            drawn += [(False, *self.namesake(*one)) for one in who]
            rng.shuffle(drawn)
            name = self.names[number]
            for i, (truth, text, own, links) in enumerate(drawn):
                file = f"{i:03d}.html"
                url, markup = self.page(name, text, own, links, file)
                found.append((name, file, url, markup, truth))
        return found


def write_pages(
    folder: Path, texts: Texts, circle: Circle, seed: int = 0, plan: Plan | None = None
) -> int:
    """Write the pages of a circle and their manifest; returns how many are about members.

    The same texts, circle and seed give the same pages.

    Examples
    --------
    >>> import tempfile
    >>> texts = sample_texts(200)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     n = write_pages(Path(folder), texts, circles(texts)[0], plan=Plan(pages=20))
    ...     len(list(Path(folder).iterdir())), n > 20
    (13, True)
    """
    drawn = _Writer(texts, circle, plan or Plan(), seed).pages()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "pages.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["name", "file", "url", "truth"])
        for name, file, url, markup, truth in drawn:
            place = folder / re.sub(r"\W+", "-", name.lower())
            place.mkdir(exist_ok=True)
            (place / file).write_text(markup, encoding="utf-8", errors="replace")
            writer.writerow([name, file, url, int(truth)])
    return sum(truth for *_, truth in drawn)
