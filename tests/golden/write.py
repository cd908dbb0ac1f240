"""Write the golden files anew: ``python -m tests.golden.write [estimators commands help files]``.

The estimators' cases are run a second time on numbers that differ in their tenth digit; those
that don't find the same are named, and nothing is written.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.golden import commands, estimators, files, sets
from tests.golden.comparing import EXPECTED, differences, dump


def write_estimators() -> None:
    """What every case of an estimator finds."""
    found = {name: estimators.run(name) for name in estimators.CASES}
    with sets.shaken():
        again = {name: estimators.run(name) for name in estimators.CASES}
    unstable = {name: differences(again[name], found[name]) for name in found}
    for name, lines in unstable.items():
        if lines:
            print(f"unstable: {name}", *lines[:8], sep="\n  ")  # noqa: T201
    if any(unstable.values()):
        sys.exit("nothing was written")
    for kind in sorted({name.split(",")[0] for name in found}):
        mine = {name: each for name, each in found.items() if name.split(",")[0] == kind}
        path = EXPECTED / "estimators" / f"{kind}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dump(mine), encoding="utf-8")


def write_commands() -> None:
    """What every step of every chapter says and writes."""
    for chapter in commands.CHAPTERS:
        place = EXPECTED / "commands" / chapter
        with TemporaryDirectory() as folder:
            found = dict(commands.play(chapter, Path(folder).resolve()))
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for name, text in found.items():
            (place / f"{name}.txt").write_text(text, encoding="utf-8")


def write_help() -> None:
    """What ``--help`` says, a file for each command."""
    place = EXPECTED / "help"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for name in ("comraf", *commands.commands()):
        (place / f"{name}.txt").write_text(commands.help_of(name), encoding="utf-8")


def write_files() -> None:
    """What is read from the files of earlier versions; the files themselves stay as they are."""
    found = {}
    for name in files.READ:
        with TemporaryDirectory() as folder:
            found[name] = files.read(name, Path(folder).resolve())
    (EXPECTED / "files.json").write_text(dump(found), encoding="utf-8")


PARTS: dict[str, Callable[[], None]] = {
    "estimators": write_estimators,
    "commands": write_commands,
    "help": write_help,
    "files": write_files,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
