"""Files that golden commands read, made by a fixed rule in the folder of a chapter."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from tests.workflows.appearances.sailing import small_circle

_THEMES = {
    "sea": "harbour anchor rudder hull keel mast sail deck crew cargo tide rope",
    "oven": "flour yeast dough crust butter knead loaf bake sugar salt bread oven",
    "court": "judge appeal verdict lawyer clause statute trial witness plea bail jury court",
}
_COMMON = "people time water house year day world hand place work week point".split()
_PEOPLE = ("Ann Lee", "Bob Ray", "Cid Orr", "Dot Fry", "Eve Poe", "Fay Kim")


def _texts(n: int, seed: int) -> Iterable[tuple[int, str, str, str]]:
    """Number, theme, text and an author of n short texts."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        theme = list(_THEMES)[i % 3]
        own = rng.choice(_THEMES[theme].split(), 9)
        text = " ".join([*own, *rng.choice(_COMMON, 6)])
        yield i, theme, text, _PEOPLE[2 * (i % 3) + int(rng.integers(2))]


def _rows(path: Path, lines: Iterable[Iterable[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(lines)


def reviews(root: Path) -> None:
    """A table of texts, its classes in part, links, a second table, and vectors."""
    head = ["key", "about", "author", "title", "body", "tags", "day"]
    for name, n, seed in (("reviews.csv", 48, 1), ("later.csv", 9, 2)):
        made = [
            [f"r{i}", theme, who, f"On {text.split()[0]}", text, f"{text.split()[1]};{theme[0]}x",
             date(2024, 1, 1) + timedelta(days=i)]
            for i, theme, text, who in _texts(n, seed)
        ]  # fmt: skip
        _rows(root / name, [head, *made])
    truth = [[f"r{i}", theme] for i, theme, _, _ in _texts(48, 1)]
    _rows(root / "known.csv", [["id", "label"], *truth[:9]])
    _rows(root / "truth.csv", [["item", "truth"], *truth])
    _rows(root / "together.csv", [["r3", "r6"], ["r4", "r7"]])
    _rows(root / "apart.csv", [["r3", "r4"], ["r5", "r6"]])
    rng = np.random.default_rng(3)
    np.save(root / "vectors.npy", np.eye(3, 8)[np.arange(48) % 3] + 0.4 * rng.normal(size=(48, 8)))


def notes(root: Path) -> None:
    """A folder of texts, two of them HTML, and general frequencies of words."""
    (root / "notes").mkdir()
    for i, theme, text, _ in _texts(30, 4):
        (root / "notes" / f"{theme}{i:02}.txt").write_text(text + "\n", encoding="utf-8")
    for i in (1, 2):
        page = f"<title>Page {i}</title><p>{_THEMES['sea']}</p><a href='http://sea.example/'>x</a>"
        (root / "notes" / f"page{i}.html").write_text(page, encoding="utf-8")
    (root / "notes" / "stranger.txt").write_text("violin chord drum tempo cello opera choir\n")
    every = {word: 20 for theme in _THEMES.values() for word in theme.split()}
    every |= dict.fromkeys(_COMMON, 10_000)
    _rows(root / "usual.csv", [["word", "count"], *every.items()])


def papers(root: Path) -> None:
    """References as BibTeX and as RIS."""
    bib, ris = [], []
    for i, theme, text, who in _texts(36, 5):
        words = text.split()
        bib.append(
            f"@article{{p{i}, title = {{{' '.join(words[:6])}}}, author = {{{who} and Gus Ode}}, "
            f"keywords = {{{words[0]}, {words[1]}}}, year = {1990 + i % 3}, journal = {{{theme}}}, "
            f"abstract = {{{text}}}}}"
        )
        if i < 12:
            ris.append(f"TY  - JOUR\nID  - p{i}\nTI  - {text}\nAU  - {who}\nPY  - 1991\nER  - \n")
    (root / "refs.bib").write_text("\n".join(bib) + "\n", encoding="utf-8")
    (root / "refs.ris").write_text("\n".join(ris), encoding="utf-8")


def ranked(root: Path) -> None:
    """A ranked list, a dated stream, and pages of a circle of people."""
    notes(root)
    rng = np.random.default_rng(6)
    every = " ".join([_THEMES["oven"], _THEMES["court"]]).split()
    lines: list[list[Any]] = [["position", "url", "title", "snippet"]]
    for i in range(40):
        field = _THEMES["sea"].split() if i % 3 == 0 else rng.choice(every, 4)
        text = " ".join([*rng.choice(field, 6), *rng.choice(_COMMON, 3)])
        lines.append([i + 1, f"https://a.example/{i}", f"Result {i}", text])
    _rows(root / "hits.csv", lines)
    lines = [["key", "published", "headline", "body"]]
    for week, theme in enumerate(("sea", "sea", "court", "sea")):
        for i in range(24):
            words = list(rng.choice(every if theme == "sea" else _THEMES["oven"].split(), 5))
            if i < 10:
                words += list(rng.choice(_THEMES[theme].split(), 6, replace=False))
            day = date(2024, 1, 1) + timedelta(days=7 * week + i % 7)
            lines.append([f"{theme}{week}-{i}", day, f"About {words[0]}", " ".join(words)])
    _rows(root / "news.csv", lines)
    known = [["page", "truth"]]
    for page in small_circle():
        folder, number = page.id.lower().replace(" ", "-").split("/")
        (root / "circle" / folder).mkdir(parents=True, exist_ok=True)
        links = "".join(f'<a href="{link}">x</a>' for link in page.links)
        (root / "circle" / folder / f"{number}.html").write_text(f"<p>{page.text}</p>{links}")
        known.append([f"{folder}/{number}.html", "yes" if page.truth else "no"])
    _rows(root / "circle.csv", known)


def tables(root: Path) -> None:
    """Tables of counts in several forms, and a model spec."""
    rng = np.random.default_rng(7)
    kind = np.arange(24) % 3
    counts = rng.poisson(0.4 + 2.5 * (np.arange(15) % 3 == kind[:, None]))
    where = zip(*np.nonzero(counts), strict=True)
    lines = [[f"row{i}", f"col{j}", counts[i, j]] for i, j in where]
    _rows(root / "counts.csv", [["row", "column", "count"], *lines])
    np.save(root / "counts.npy", counts)
    _rows(root / "classes.csv", [["row", "label"], *([f"row{i}", "xyz"[i % 3]] for i in range(6))])
    spec = {
        "format": "comraf-graph",
        "version": 1,
        "nodes": [
            {"name": "rows", "clusters": 3},
            {"name": "columns", "direction": "top-down"},
        ],
        "edges": [{"between": ["rows", "columns"], "table": "counts.csv"}],
    }
    (root / "model.yaml").write_text(json.dumps(spec), encoding="utf-8")
