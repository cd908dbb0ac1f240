"""How long the studio takes: opening, pages, edits, on a real answer.

    comraf organize 20_newsgroups -k 20 --effort quick --out ng-groups
    python -m benchmarks.studio ng-groups
    python -m benchmarks.studio --planted 200000 planted-groups   # made and organised first

Prints the median of several calls of each kind in CPU milliseconds and in milliseconds of the
clock, as the server needs them; the browser adds some ten.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import comraf
from benchmarks.growth import TOPICS, WORDS, planted
from benchmarks.harness import parser_of, peak_megabytes, run
from comraf.studio import map as maps
from comraf.studio import others, settings
from comraf.studio.view import View

_TIMES = 7


def timed(call: Callable[[], Any], times: int = _TIMES) -> tuple[float, float]:
    """Median of the clock's and the processor's milliseconds."""
    wall, cpu = [], []
    for _ in range(times):
        start, used = time.perf_counter(), time.process_time()
        json.dumps(call(), default=str)
        wall.append(1000 * (time.perf_counter() - start))
        cpu.append(1000 * (time.process_time() - used))
    return median(wall), median(cpu)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of("studio", __doc__)
    parser.add_argument("folder", type=Path, help="what comraf organize wrote")
    parser.add_argument("--planted", type=int, metavar="N", help="make N documents for it first")
    return run(parser, arguments, _main)


def made(n: int, folder: Path) -> None:
    """Documents of some forty words with planted topics, titles and authors, in groups."""
    table, topics = planted(n, length=40)
    names = ["".join(chr(97 + int(digit)) for digit in str(word)) + "x" for word in range(WORDS)]
    choice = np.random.default_rng(1)
    authors = choice.integers(0, max(1, n // 400), n)
    start = time.process_time()
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "planted.csv")
        with open(path, "w", newline="", encoding="utf-8") as file:
            lines = csv.writer(file)
            lines.writerow(["key", "title", "text", "author"])
            for i in range(n):
                of = slice(table.indptr[i], table.indptr[i + 1])
                said = choice.permutation(np.repeat(table.indices[of], table.data[of]))
                words = [names[word] for word in said]
                author = f"{names[authors[i]]} of {names[topics[i]]}".title()
                lines.writerow([f"d{i}", " ".join(words[:3]), " ".join(words), author])
        print(f"made in {time.process_time() - start:.0f} CPU s; ", end="", flush=True)
        start = time.process_time()
        given: dict[str, Any] = {"id": "key", "title": "title", "text": "text"}
        answer = comraf.organize(
            path, TOPICS, people=["author"], effort="quick", random_state=0, **given
        )
        answer.save(folder)
        print(f"organised in {time.process_time() - start:.0f} CPU s", flush=True)


def _main(given: argparse.Namespace) -> None:
    """Copy the answer, edit the copy, and print a table."""
    if given.planted:
        made(given.planted, given.folder)
    with comraf.open_answer(given.folder):  # or say what is wrong with the folder
        pass
    with tempfile.TemporaryDirectory() as place:
        folder = shutil.copytree(given.folder, Path(place, "answer"), ignore=_without_sessions)
        start = time.perf_counter()
        project = comraf.open_project(folder)
        view = View(project)
        view.state()
        view.warm()
        print(f"{len(view.collection):,} documents, {len(project.session.groups)} groups; ", end="")
        print(f"open after {time.perf_counter() - start:.1f} s")
        session = project.session
        ids = list(session.groups.order)
        number, unseen = iter(range(1000)), iter(ids[2:])

        def edit(verb: Callable[[], Any]) -> dict[str, Any]:
            verb()
            state = view.state()
            return state | view.documents(session.groups.order[0])

        print("| what | ms | CPU ms |\n|---|---|---|")
        side = project.asked_sides[-1]
        for name, call in {
            "what each number of groups keeps, once": lambda: settings.information(view),
            "the map laid out, once": lambda: len(maps.places(view)),
            "the first question, once": project.question,
            "another question": project.question,
            "sides, weights and numbers": lambda: settings.shown(view),
            "the graph checked for other weights": lambda: settings.checked(
                view, {"weights": {side: 2.0}}
            ),
            "a search made ready": lambda: repr(project.regrouping()),
            f"groups of {side}": lambda: others.groups_of(view, side),
            f"documents of one of {side}": lambda: others.documents_of(view, side, value=0),
            f"groups beside groups of {side}": lambda: others.mosaic(view, side),
            "all groups, again": view.state,
            "a page of documents, again": lambda: view.documents(ids[1]),
            "a page of documents of a group, for the first time": lambda: view.documents(
                next(unseen)
            ),
            "one document with its reasons": lambda: view.document(next(number)),
            "the most similar groups": lambda: view.similar(ids[0]),
            "rename, and all shown anew": lambda: edit(
                lambda: session.rename(session.groups.order[0], f"name {next(number)}")
            ),
            "move ten documents, and all shown anew": lambda: edit(
                lambda: session.move(
                    range(10 * (n := next(number)), 10 * n + 10), session.groups.order[n % 5]
                )
            ),
            "merge two groups, and all shown anew": lambda: edit(
                lambda: session.merge(*session.groups.order[-2:])
            ),
            "split a group in two, and all shown anew": lambda: edit(
                lambda: project.split(session.groups.order[1])
            ),
            "undo, and all shown anew": lambda: edit(session.undo),
            f"move one of {side}, and all shown anew": lambda: edit(
                lambda: session.move([next(number)], 0, side=side)
            ),
            "what is worth a label": project.to_label,
        }.items():
            wall, cpu = timed(call, 1 if "once" in name else 5 if "split" in name else _TIMES)
            print(f"| {name} | {wall:,.0f} | {cpu:,.0f} |", flush=True)
        print(f"peak {peak_megabytes():,.0f} MB")
        project.close()


def _without_sessions(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(("session.db", "search.db", "studio."))]


if __name__ == "__main__":
    sys.exit(main())
