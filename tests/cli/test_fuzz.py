"""Every file that comraf reads, with every value in it changed: exit code 0 or 2, never 1.

A sample with a fixed seed, which ``COMRAF_FUZZ=500`` makes larger.
"""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from comraf.active import ExploreConsolidate
from comraf.errors import ComrafError
from tests.cli.talking import comraf

TRIES = int(os.environ.get("COMRAF_FUZZ", "12"))
DEEP, NESTED, GONE, TWICE = "@deep", "@nested", "@gone", "@twice"
ODD: list[Any] = [
    *(None, True, -1, 0, 7, 10**400, -(10**400), 1e308, 5e-324, float("nan"), float("inf")),
    *("", "x", "\ud800", "\0", "../../x", [], {}, [[]], [None], {"x": None}, [1, "x", None, {}]),
    *(DEEP, NESTED, GONE, TWICE),
]

pytestmark = pytest.mark.filterwarnings("ignore")


def places(document: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where values are, of long lists the first two."""
    keys = list(document)[:40] if isinstance(document, dict) else range(2)
    for key in keys if isinstance(document, dict | list) else ():
        if isinstance(document, dict) or key < len(document):
            yield (*at, key)
            yield from places(document[key], (*at, key))


def mutations(document: Any, seed: str, n: int = TRIES) -> Iterator[tuple[Any, str]]:
    """Copies with one odd value each, and what was done."""
    rng = random.Random(seed)
    for _ in range(n):
        at, odd = rng.choice(list(places(document))), rng.choice(ODD)
        made = copy.deepcopy(document)
        spot = made
        for key in at[:-1]:
            spot = spot[key]
        if odd == GONE:
            del spot[at[-1]]
        elif odd == TWICE:
            value = spot[at[-1]]
            spot[at[-1]] = value + value if isinstance(value, str | list) else [value, value]
        else:
            spot[at[-1]] = odd
        yield made, f"{at} = {str(odd)[:40]!r}"


def as_json(document: Any) -> str:
    """The text of a file; deep nesting that json can't write itself."""
    text = json.dumps(document).replace(json.dumps(DEEP), "[" * 50_000 + "]" * 50_000)
    return text.replace(json.dumps(NESTED), "[" * 900 + "1" + "]" * 900)


def holds(what: str, *arguments: object) -> None:
    """Run a command: it works, or refuses in one sentence."""
    answer = comraf(*arguments)
    errors = [line for line in answer.stderr.splitlines() if line.startswith("comraf: error: ")]
    assert answer.exit_code in (0, 2), (what, arguments, answer.stderr)
    assert len(errors) == (answer.exit_code == 2), (what, arguments, answer.stderr)
    assert "Traceback" not in answer.output


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("result.json", [("inspect", "OUT"), ("explain", "OUT", "r1")]),
        ("model/model.json", [("inspect", "OUT/model"), ("assign", "OUT", "NEW", "-q")]),
        ("clustering/clustering.json", [("explain", "OUT", "r1"), ("compare", "OUT", "OUT")]),
        ("collection/collection.json", [("inspect", "OUT/collection"), ("explain", "OUT", "r1")]),
    ],
)
def test_an_answer_from_anybody(name, commands, reviewed: Path, reviews: Path, tmp_path: Path):
    """Groups, model, clustering and collection."""
    out = tmp_path / "out"
    shutil.copytree(reviewed, out)
    new = tmp_path / "new.csv"
    new.write_text("".join(reviews.read_text().splitlines(keepends=True)[:9]))
    document = json.loads((out / name).read_text())
    for made, what in mutations(document, name):
        (out / name).write_text(as_json(made))
        for command in commands:
            words = [word.replace("OUT", str(out)).replace("NEW", str(new)) for word in command]
            holds(what, *words)


def test_model_specs_from_anybody(tmp_path: Path):
    """YAML, and the tables that it names."""
    np.save(tmp_path / "t.npy", np.eye(6, 4, dtype=np.int64) + 1)
    spec = {
        "format": "comraf-graph",
        "version": 1,
        "nodes": [{"name": "a", "clusters": 2}, {"name": "b", "observed": "singletons"}],
        "edges": [{"between": ["a", "b"], "table": "t.npy", "weight": 1.0, "weighting": "raw"}],
    }
    file = tmp_path / "spec.yaml"
    file.write_text(yaml.safe_dump(spec))
    assert comraf("cluster", file, "--effort", "quick").exit_code == 0
    for made, what in mutations(spec, "spec"):
        text = yaml.safe_dump(made) if "@" not in what else as_json(made)
        file.write_text(text, errors="backslashreplace")
        holds(what, "cluster", file, "--effort", "quick", "-q")


def test_tables_from_anybody(tmp_path: Path):
    """Archives of arrays, and lines of counts."""
    numbers = ["5e-324", "1e308", "9" * 400, "-1", "nan", "inf", "1e-310", "", "x", "0", "1;=1+1"]
    for i, number in enumerate(numbers):
        file = tmp_path / "t.csv"
        cells = [(r, c, number if (r, c) in ((1, 1), (2, 0)) else 3) for r in "0123" for c in "012"]
        odd = [(r, c, number) for r in range(4) for c in range(3)]
        for lines in (cells, odd):
            rows = "".join(f"r{r},c{c},{n}\n" for r, c, n in lines)
            file.write_text("row,column,count\n" + rows)
            holds(f"{i}: {number[:20]}", "cluster", file, "-k", "2", "--effort", "quick", "-q")
    whole = np.arange(12).reshape(4, 3) + 1
    for array in [
        *(whole * 5e-324, whole * 1e307, whole * np.nan, -whole, whole.astype(str), whole * 1j),
        *(whole.astype(object), whole[0], whole[None], whole[:0], whole > 3, whole * 0),
        *(np.full((4, 3), 2**62), np.full((3, 3), np.finfo(np.longdouble).max)),
    ]:
        np.savez(tmp_path / "t.npz", array)
        file = tmp_path / "t.npz"
        holds(f"{array.dtype}", "cluster", file, "-k", "2", "--effort", "quick", "-q")


def test_papers_from_anybody(tmp_path: Path):
    """JSON of papers, one object and lines, with nesting that only just can be read."""
    paper = {
        "id": "p1",
        "title": "Pumps leak",
        "abstract": "water seals",
        "authors": [{"name": "Ann Li"}],
        "cites": ["p0"],
        "year": 1999,
        "more": NESTED,
    }
    papers = {"papers": [paper | {"id": f"p{i}"} for i in range(4)]}
    for made, what in mutations(papers, "papers"):
        (tmp_path / "p.json").write_text(as_json(made))
        holds(what, "inspect", tmp_path / "p.json")
        rows = made.get("papers") if isinstance(made, dict) else None
        lines = rows if isinstance(rows, list) else [made]
        (tmp_path / "p.jsonl").write_text("".join(as_json(line) + "\n" for line in lines))
        holds(what, "inspect", tmp_path / "p.jsonl")


def test_journals_from_anybody(tmp_path: Path):
    """Answers that somebody gave before."""
    X = np.eye(6)
    learner = ExploreConsolidate(5, 2, random_state=0)
    learner.start(X, journal=tmp_path / "answers.jsonl")
    while (pair := learner.query()) is not None:
        learner.answer(pair[0] % 2 == pair[1] % 2)
    lines = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    for made, _ in mutations(lines, "journal", 4 * TRIES):
        text = "".join(as_json(line) + "\n" for line in made)
        (tmp_path / "answers.jsonl").write_text(text)
        with suppress(ComrafError):
            ExploreConsolidate(5, 2, random_state=0).start(X, journal=tmp_path / "answers.jsonl")
