"""Every command writes and says for a seed what it did when the golden files were written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.golden.commands import CHAPTERS, commands, help_of, play
from tests.golden.comparing import EXPECTED, HOW, differences, hold

NAMES = ["comraf", *commands()]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_answers_stay(chapter: str, tmp_path: Path) -> None:
    """Exit codes, files and the terminal's text of each command of a chapter."""
    if chapter == "photos":
        pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")
    wanted = {
        path.stem: path.read_text(encoding="utf-8")
        for path in sorted((EXPECTED / "commands" / chapter).glob("*.txt"))
    }
    found = dict(play(chapter, tmp_path))
    lines = [line for step in found for line in differences(found[step], wanted.get(step), step)]
    assert not lines, "\n".join([f"{chapter} has changed.", *lines[:150], HOW])
    assert list(found) == list(wanted)


@pytest.mark.parametrize("name", NAMES)
def test_help_stays(name: str) -> None:
    """What ``--help`` says; a change of options on purpose writes it anew."""
    file = EXPECTED / "help" / f"{name}.txt"
    wanted = file.read_text(encoding="utf-8") if file.exists() else ""
    # help lists the kinds and methods of registries: a part more is no change of options
    found, wanted = (
        re.sub(r"(What PATH is: |one of mdc cliquewise ).*;", r"\1;", text)
        for text in (help_of(name), wanted)
    )
    hold(found, wanted, name)


def test_every_command_is_in_a_chapter() -> None:
    """A new command needs a step here; its help is held by itself."""
    typed = {step.line.split()[0] for _, steps in CHAPTERS.values() for step in steps if step.line}
    typed.add("studio")  # it serves until it is stopped: tests/studio
    assert typed == set(commands()), "add a step to tests/golden/commands.py, then write it"
    assert {path.stem for path in (EXPECTED / "help").iterdir()} == set(NAMES)
