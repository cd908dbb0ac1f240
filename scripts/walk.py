"""Draw the walk of a message and of a table: which rooms and files of comraf they pass.

    python scripts/walk.py docs

traces `comraf organize` on a small mailbox and `MDC().fit` on a small table, each in a process of
its own, with the processes that they start. It writes concepts/walk.md and images/walk-*.svg.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "comraf"
ABOUT = {
    "cli": "the command is read, progress is shown",
    "workflows": "what was asked for is done, step by step",
    "estimators": "a graph is made of the sides, fitted and scored",
    "select": "what each side adds is asked, and what it would be by chance",
    "report": "the page is gathered panel by panel, and drawn",
    "supervision": "what is known becomes labels and links",
    "inference": "partitions are split, merged, swept and compared",
    "results": "the answer: who is where, how surely, and its files",
    "collection": "messages are read, counted by side and stored",
    "objectives": "terms have values, and lower themselves to a plan",
    "graph": "nodes and edges, their tables checked and weighted",
    "kernels": "plans and counts for the compiled loops",
    "comraf": "errors, progress, registries, files that are whole or not there",
}
ORGANIZE = """
import sys
from comraf.cli import main
sys.argv = ["comraf", "organize", {box!r}, "-k", "4", "--out", {out!r}, "-q"]
main()
"""
FIT = """
import numpy as np
from comraf import MDC
table = np.random.default_rng(0).poisson(np.where(np.eye(60, 40, dtype=int)[:, ::-1], 9, 1))
MDC(4, random_state=0).fit(table)
"""


@dataclass(frozen=True)
class Function:
    """A function that was called: where it is, when and by whom first."""

    file: str
    name: str
    first: int
    caller: str

    @property
    def room(self) -> str:
        """The folder its file is in."""
        return room_of(self.file)


def room_of(file: str) -> str:
    """The room of a file; of those that stand alone ``comraf``."""
    return file.partition("/")[0] if "/" in file else "comraf"


def record(folder: str) -> None:
    """Write the first call of each function of this process to a file of the folder, at once."""
    source = f"{SOURCE}{os.sep}"
    known: set[CodeType] = set()
    importing: Counter[int] = Counter()  # by thread: what runs while a file is loaded is no step
    # open for as long as the process lives; lines are there at once, should it be killed
    notes = Path(folder, f"{os.getpid()}.txt").open("w", encoding="utf-8", buffering=1)  # noqa: SIM115

    def ours(code: CodeType) -> bool:
        return code.co_filename.startswith(source) and code.co_filename.endswith(".py")

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" and event != "return":  # of each call of C it hears, too
            return
        code = frame.f_code
        if code in known:
            return
        if not ours(code):
            known.add(code)
            return
        thread = threading.get_ident()
        if code.co_name == "<module>":
            importing[thread] += 1 if event == "call" else -1
        elif event == "call" and not importing[thread] and not code.co_name.startswith("<"):
            known.add(code)
            above = frame.f_back
            while above is not None and not ours(above.f_code):
                above = above.f_back
            caller = "" if above is None else above.f_code.co_filename.removeprefix(source)
            file = code.co_filename.removeprefix(source)
            notes.write(json.dumps([file, code.co_qualname, time.monotonic_ns(), caller]) + "\n")

    threading.setprofile(note)
    sys.setprofile(note)


def walk(code: str) -> list[Function]:
    """The functions that a program calls, with those of processes it starts, in order."""
    with tempfile.TemporaryDirectory() as place:
        start, notes = Path(place, "start"), Path(place, "notes")
        start.mkdir()
        notes.mkdir()
        hook = "import sys; sys.path.insert(0, {!r}); import walk; walk.record({!r})"
        text = hook.format(str(Path(__file__).parent), str(notes))
        (start / "sitecustomize.py").write_text(text, encoding="utf-8")
        path = os.pathsep.join([str(start), str(SOURCE.parent), os.environ.get("PYTHONPATH", "")])
        subprocess.run(
            [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": path}
        )
        found: dict[tuple[str, str], Function] = {}
        lines = [line for file in notes.iterdir() for line in file.read_text().splitlines()]
        for function in sorted(
            (Function(*json.loads(line)) for line in lines), key=lambda one: one.first
        ):
            found.setdefault((function.file, function.name), function)
    return list(found.values())


def walks() -> dict[str, list[Function]]:
    """Both walks: of a message in a mailbox, and of a table."""
    from comraf.collection.sample import write_mbox

    with tempfile.TemporaryDirectory() as folder:
        box = write_mbox(Path(folder, "box.mbox"), 60)
        program = ORGANIZE.format(box=str(box), out=str(Path(folder, "out")))
        return {"organize": walk(program), "fit": walk(FIT)}


def from_the_top() -> list[str]:
    """All rooms as import-linter has them, each above those that it may use; files alone last."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one.get("containers") == ["comraf"])
    names = [name for layer in layers for name in re.findall(r"\w+", layer)]
    return [name for name in names if (SOURCE / name).is_dir()] + ["comraf"]


def by_room(functions: list[Function]) -> dict[str, dict[str, int]]:
    """For each room that is passed, from the top, its files in order, and functions of each."""
    rooms: dict[str, dict[str, int]] = {}
    for one in functions:
        files = rooms.setdefault(one.room, {})
        files[one.file] = files.get(one.file, 0) + 1
    return {room: rooms[room] for room in from_the_top() if room in rooms}


def counted(functions: list[Function]) -> str:
    """How many functions and files there are."""
    return f"{len(functions):,} functions in {len({one.file for one in functions})} files"


def changes(functions: list[Function]) -> int:
    """How often the walk, in order of first calls, goes into or out of the command line."""
    return sum((a.room == "cli") != (b.room == "cli") for a, b in pairwise(functions))


# Measures of the picture, in pixels.
_WIDTH, _LEFT, _TEXT, _LINE, _CHAR = 740, 90, 240, 17, 6.4
# Functions that are first called from a room for which an arc is drawn.
_FEWEST = 3
_STYLE = """
svg { background: #fff; font-family: "DejaVu Sans", Verdana, sans-serif; }
text { fill: #1c2733; font-size: 12px; }
.room { font-size: 15px; font-weight: bold; }
.quiet { fill: #5a6672; }
.box { fill: #f3f6f9; stroke: #c5d0da; }
.down { fill: none; stroke: #2f6fab; }
.up { fill: none; stroke: #c2691c; }
.number { fill: #2f6fab; }
.white { fill: #fff; font-weight: bold; text-anchor: middle; }
"""


def picture(functions: list[Function]) -> str:
    """Rooms from the top with their files; arcs go from a room to those that it calls."""
    rooms = by_room(functions)
    order = list(dict.fromkeys(one.room for one in functions))
    parts, middles, y = [], {}, 10.0
    for room, files in rooms.items():
        lines = _lines([(_short(file), n) for file, n in files.items()])
        height = max(_LINE * len(lines) + 14, 46)
        middles[room] = y + height / 2
        n = sum(files.values())
        told = f"{n} in {len(files)} file{'s' if len(files) > 1 else ''}"
        parts += [
            f'<rect class="box" x="{_LEFT}" y="{y}" width="{_WIDTH - _LEFT - 10}" '
            f'height="{height}" rx="6"/>',
            f'<circle class="number" cx="{_LEFT + 20}" cy="{y + 23}" r="12"/>',
            f'<text class="white" x="{_LEFT + 20}" y="{y + 27}">{order.index(room) + 1}</text>',
            f'<text class="room" x="{_LEFT + 40}" y="{y + 21}">{room}</text>',
            f'<text class="quiet" x="{_LEFT + 40}" y="{y + 37}">{told}</text>',
        ]
        for i, line in enumerate(lines):
            at = y + 20 + _LINE * i
            words = (f'{escape(name)} <tspan class="quiet">{n}</tspan>' for name, n in line)
            parts.append(f'<text x="{_TEXT}" y="{at}">{" &#160; ".join(words)}</text>')
        y += height + 8
    between = Counter((room_of(one.caller), one.room) for one in functions if one.caller)
    for (above, below), n in between.items():
        if above != below != "comraf" and above in middles and n >= _FEWEST:
            parts.append(_arc(middles[above], middles[below], n))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y + 2:.0f}" '
        f'width="{_WIDTH}" height="{y + 2:.0f}">\n<style>{_STYLE}</style>\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _short(file: str) -> str:
    """A file as its room knows it."""
    name = file.partition("/")[2] or file
    return name.removesuffix(".py").removesuffix("/__init__")


def _lines(files: list[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """Names and numbers in lines that fit."""
    lines: list[list[tuple[str, int]]] = [[]]
    room = most = (_WIDTH - _TEXT - 20) / _CHAR
    for name, n in files:
        length = len(name) + len(str(n)) + 4
        if length > room and lines[-1]:
            lines.append([])
            room = most
        lines[-1].append((name, n))
        room -= length
    return lines


def _arc(start: float, end: float, n: int) -> str:
    """An arc on the left, the further out the longer it is; wider for more functions."""
    out = _LEFT - 12 - min(_LEFT - 10, abs(end - start) / 8)
    wide = min(6.0, 0.8 + n**0.5 / 2)
    kind = "down" if end > start else "up"
    curve = f"M {_LEFT} {start:.0f} C {out:.0f} {start:.0f} {out:.0f} {end:.0f} {_LEFT} {end:.0f}"
    return f'<path class="{kind}" d="{curve}" stroke-width="{wide:.1f}" opacity="0.45"/>'


PAGE = """# The walk

Which rooms and files of comraf the data passes, drawn by `python scripts/walk.py docs` from a
trace of real runs. Rooms stand as in [Developing](../developing.md#the-rooms-and-the-arrows),
each above those that it may use. The number in a circle says in which order rooms are first
called; beside a file stands how many of its functions are. Arcs go from a room to one where it is
the first to call three functions or more; they go down (one that went up would be orange).
`comraf` has the files that all rooms use. What runs while files are loaded is left out.

## A message, from the mailbox to the report

`comraf organize box.mbox` with 60 messages passes **{organize}**. In the
order of first calls the walk goes {changes} times into the command line or out of it.

![Rooms and files that a message passes](../images/walk-organize.svg)

{organize_list}

## A table, from the array to the labels

`MDC(4).fit(table)` with 60 rows passes **{fit}**.

![Rooms and files that a table passes](../images/walk-fit.svg)

{fit_list}
"""


def listed(functions: list[Function]) -> str:
    """The rooms in the order of their first calls: what happens there, and what is called first."""
    first: dict[str, Function] = {}
    for one in functions:
        first.setdefault(one.room, one)
    return "\n".join(
        f"{number}. `{room}`: {ABOUT[room]}; first `{one.name}` in `{one.file}`"
        for number, (room, one) in enumerate(first.items(), 1)
    )


def main(docs: str) -> int:
    """Write the page and the pictures."""
    found = walks()
    organize, fit = found["organize"], found["fit"]
    for name, functions in found.items():
        Path(docs, "images", f"walk-{name}.svg").write_text(picture(functions), encoding="utf-8")
    page = PAGE.format(
        organize=counted(organize),
        changes=changes(organize),
        organize_list=listed(organize),
        fit=counted(fit),
        fit_list=listed(fit),
    )
    Path(docs, "concepts", "walk.md").write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
