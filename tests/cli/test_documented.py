"""Every command and every option is in the documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import typer.main

from comraf.cli import app

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def options() -> Iterator[tuple[str, str, str]]:
    """Command, its option as it is typed, and what help says of it."""
    root = typer.main.get_command(app)
    for command, about in root.commands.items():  # type: ignore[attr-defined]
        for parameter in about.params:
            spelled = [*parameter.opts, *parameter.secondary_opts]
            if spelled[0].startswith("-"):
                written = ", ".join(sorted(spelled, key=len))
                yield command, written, " ".join((parameter.help or "").split())


def rows() -> str:
    """The rows of the page that are wanted: an option, commands that have it, its meaning."""
    found: dict[tuple[str, str], list[str]] = {}
    for command, option, meaning in options():
        found.setdefault((option, meaning), []).append(command)
    lines = []
    for (option, meaning), commands in found.items():
        spelled = ", ".join(f"`{one}`" for one in option.split(", "))
        told = re.sub(r"\s*\[default: (.*?)\]", r" Default: \1.", meaning).replace("|", "\\|")
        told = re.sub(r"(?<![\w`-])(--[a-z][\w-]*|-[a-z](?!\w))", r"`\1`", told)
        lines.append(f"| {spelled} | {', '.join(sorted(commands))} | {told} |")
    return "\n".join(sorted(lines, key=lambda line: line.replace("`", "").lstrip("| -").lower()))


def test_every_option_of_every_command_is_on_the_page() -> None:
    """Each has a row with its name in the first cell and the command in the second."""
    page = PAGE.read_text(encoding="utf-8")
    said: set[tuple[str, str]] = set()
    for line in page.partition("## Every option")[2].splitlines():
        cells = [cell.strip() for cell in line.split(" | ")]
        if len(cells) >= 3 and cells[0].startswith("| `-"):
            for command in cells[1].split(", "):
                said.update((command, option) for option in re.findall(r"`(-[^`]+)`", cells[0]))
    missing = [
        f"{command} {one}"
        for command, option, _ in options()
        for one in option.split(", ")
        if (command, one) not in said
    ]
    assert not missing, f"not in {PAGE.name}: {missing}; all rows as help has them:\n{rows()}"
    known = {(command, one) for command, option, _ in options() for one in option.split(", ")}
    assert not said - known, f"{PAGE.name} has options that are gone: {sorted(said - known)}"


def test_every_command_has_a_section() -> None:
    """With its name in the heading."""
    headings = re.findall(r"^## .*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for line in headings for name in re.findall(r"`comraf ([\w-]+)`", line)}
    assert named >= {command for command, _, _ in options()}
