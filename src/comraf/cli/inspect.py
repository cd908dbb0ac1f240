"""``comraf inspect``: what a path holds, before or after it was organised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from comraf.errors import ReadError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["HELP", "inspect"]

HELP = """Say what a path holds: a collection, groups, a model, or documents not yet read.

Nothing is written. For documents not yet read it tells what kind they are taken for and
what was guessed about columns and folders, so that options can be chosen before the work.

\b
Examples:
  comraf inspect ~/Mail/archive.mbox
  comraf inspect papers.csv
  comraf inspect mail-groups
  comraf inspect mail-groups/collection
"""


def inspect(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="What to look at.", show_default=False)
    ],
) -> None:
    """Say what a path holds."""
    from rich.console import Console

    from comraf.collection.store import is_collection

    console = Console(highlight=False)
    if (path / "result.json").is_file():
        _groups(path, console)
    elif (path / "model.json").is_file():
        _model(path, console)
    elif is_collection(path):
        _collection(path, console)
    else:
        _documents(path, console)


def _groups(path: Path, console: Console) -> None:
    import json

    from rich.table import Table
    from rich.text import Text

    from comraf.cli.show import clean, listed

    try:
        answer = json.loads((path / "result.json").read_text(encoding="utf-8"))
        groups = answer.get("groups")
        console.print(
            f"An answer of comraf {clean(str(answer['versions']['comraf']))} about "
            f"{clean(str(answer['source']), 120)}: objective {float(answer['objective']):.4f}.",
            markup=False,
        )
        if groups is None:
            return
        table = Table(header_style="bold")
        for heading in ("cluster", "documents"):
            table.add_column(heading, justify="right")
        table.add_column("telling")
        for group in groups:
            telling = [v["value"] for values in group["telling"].values() for v in values[:4]]
            table.add_row(str(group["cluster"]), f"{group['size']:,}", Text(listed(telling)))
        console.print(table)
        for note in answer.get("notes", []):
            console.print(f"note: {clean(str(note), 300)}", markup=False)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReadError(f"{path / 'result.json'} is damaged: {error}") from None


def _model(path: Path, console: Console) -> None:
    from comraf.cli.show import clean
    from comraf.results.model import load_model

    model = load_model(path)
    sides = ", ".join(f"{len(side.values):,} {clean(name)}" for name, side in model.sides.items())
    console.print(
        f"A model of {model.n_clusters} groups of {model.target} by {sides}.", markup=False
    )
    for i, name in enumerate(model.names):
        console.print(f"{i:5}  {clean(name, 80)}", markup=False)


def _collection(path: Path, console: Console) -> None:
    from collections import Counter

    from comraf.cli.show import clean, listed
    from comraf.collection.store import open_collection

    collection = open_collection(path)
    console.print(
        f"A collection of {len(collection):,} documents ({collection.kind}), "
        f"{collection.n_skipped:,} skipped, {collection.duplicates:,} second copies dropped.",
        markup=False,
    )
    for name, side in collection.sides.items():
        common = sorted(range(len(side.values)), key=lambda i: -side.documents[i])[:8]
        console.print(
            f"  {clean(name)}: {len(side.values):,}; commonest: "
            f"{listed(side.values[i] for i in common)}",
            markup=False,
        )
    for note in collection.notes:
        console.print(f"note: {clean(note, 300)}", markup=False)
    for reason, count in Counter(skip.reason for skip in collection.skipped).most_common(10):
        console.print(f"skipped {count:,}: {clean(reason, 200)}", markup=False)


def _documents(path: Path, console: Console) -> None:
    from comraf.cli.show import clean
    from comraf.collection.detect import open_reader

    reader = open_reader(path)
    units = reader.scan()
    console.print(f"Documents not yet read: {reader.kind}, {len(units):,} units.", markup=False)
    for note in reader.notes:
        console.print(f"note: {clean(note, 300)}", markup=False)
    console.print(f"To organise them: comraf organize {clean(str(path), 200)}", markup=False)
