"""Every command and every option is in the documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import typer.main

from comraf.cli import app
from comraf.workflows.reading import KINDS_SHOWN

DOCS = Path(__file__).parents[2] / "docs"


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
        # a new kind of collection is told of on one page
        told = told.replace(
            KINDS_SHOWN, "one of the kinds of [Collections](collections.md#what-is-read)"
        )
        told = re.sub(r"(?<![\w`-])(--[a-z][\w-]*|-[a-z](?!\w))", r"`\1`", told)
        lines.append(f"| {spelled} | {', '.join(sorted(commands))} | {told} |")
    return "\n".join(sorted(lines, key=lambda line: line.replace("`", "").lstrip("| -").lower()))


def test_every_option_of_every_command_is_on_the_page() -> None:
    """The table says what help says."""
    page = (DOCS / "options.md").read_text(encoding="utf-8")
    table = "\n".join(line for line in page.splitlines() if line.startswith("| `-"))
    assert table == rows(), f"the rows of options.md are to be:\n{rows()}"


def test_every_command_has_a_section() -> None:
    """With its name in the heading."""
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## .*$", page, re.MULTILINE)
    named = {name for line in headings for name in re.findall(r"`comraf ([\w-]+)`", line)}
    assert named >= {command for command, _, _ in options()}
