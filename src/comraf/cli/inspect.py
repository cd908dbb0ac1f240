"""``comraf inspect``: what a path holds, before or after it was organised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from comraf.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from comraf.collection.items import Reader, Unit

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


# Kinds of which a file holds many, and what those are called.
_RECORDS = {
    **dict.fromkeys(("csv", "tsv", "jsonl", "parquet"), "row"),
    **dict.fromkeys(("bibtex", "ris", "smart", "csr"), "record"),
    "papers": "paper",
    "stackexchange": "post",
    "tagged": "text",
}
_MESSAGES = ("mail", "maildir", "mbox")
# Records are counted in files of up to this size; reading a larger one takes a while.
_MOST_BYTES = 64 * 2**20


def inspect(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="What to look at.", show_default=False)
    ],
) -> None:
    """Say what a path holds."""
    from comraf.cli.show import open_console

    console = open_console()
    if (path / "result.json").is_file():
        _groups(path, console)
    elif (path / "model.json").is_file():
        _model(path, console)
    elif (path / "collection.json").is_file():
        _collection(path, console)
    else:
        _documents(path, console)


def _groups(path: Path, console: Console) -> None:
    import json

    from comraf.cli.photos import in_words
    from comraf.cli.show import MOST_SHOWN, class_column, clean, show_table, tell
    from comraf.cli.table import Facts, Listing
    from comraf.cli.wording import note_in_options

    try:
        answer = json.loads((path / "result.json").read_text(encoding="utf-8"))
        groups = answer.get("groups")
        made = answer.get("versions", {}).get("comraf")
        about = f" about {clean(str(answer['source']), 120)}" if "source" in answer else ""
        tell(
            console,
            f"An answer of comraf{f' {clean(str(made))}' if made else ''}{about}: objective "
            f"{float(answer['objective']):.4f}.",
        )
        if groups is None:
            sizes = answer.get("sizes")
            if sizes:
                told = ", ".join(f"{int(size):,}" for size in sizes)
                tell(console, f"{len(sizes):,} groups without names (--no-text), of {told}.")
            return
        shown = groups[:MOST_SHOWN]
        sides = list(dict.fromkeys(side for group in shown for side in group["telling"]))
        facts = [
            Facts("#", [str(int(group["cluster"])) for group in shown]),
            *class_column([str(group.get("class") or "") for group in shown]),
            Facts("documents", [f"{int(group['size']):,}" for group in shown]),
        ]
        said = {
            side: [
                in_words(side, [str(v["value"]) for v in group["telling"].get(side, [])])
                for group in shown
            ]
            for side in sides
        }
        named = [side for side in sides if side != "blobs" or any(said[side])]
        listings = [
            Listing(f"telling {side}" if place == 0 else side, said[side])
            for place, side in enumerate(named)
        ]
        show_table(console, facts, listings)
        if len(groups) > MOST_SHOWN:
            tell(console, f"... and {len(groups) - MOST_SHOWN:,} smaller ones")
        for note in answer.get("notes", []):
            tell(console, f"note: {clean(note_in_options(str(note)), 400)}", indent=6)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        why = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else error
        raise ReadError(f"{path / 'result.json'} is damaged: {why}") from None


def _model(path: Path, console: Console) -> None:
    from comraf.cli.show import clean, tell
    from comraf.cli.wording import counted
    from comraf.results.model import load_model

    model = load_model(path)
    sides = ", ".join(f"{clean(name)} ({len(side.values):,})" for name, side in model.sides.items())
    tell(
        console,
        f"A model of {counted(model.n_clusters, 'group')} of {clean(model.target)} by {sides}.",
    )
    for i, name in enumerate(model.names):
        tell(console, f"{i:5}  {clean(name, 80)}", indent=7)


def _collection(path: Path, console: Console) -> None:
    from collections import Counter

    from comraf.cli.show import clean, listed, tell
    from comraf.cli.wording import counted, in_options, note_in_options
    from comraf.collection.store import open_collection

    collection = open_collection(path)
    tell(
        console,
        f"A collection of {counted(len(collection), 'document')} ({clean(collection.kind)}), "
        f"{collection.n_skipped:,} skipped, "
        f"{counted(collection.duplicates, 'second copy', 'second copies')} dropped.",
    )
    for name, side in collection.sides.items():
        common = sorted(range(len(side.values)), key=lambda i: -side.documents[i])[:8]
        tell(
            console,
            f"  {clean(name)}: {len(side.values):,}; commonest: "
            f"{listed(side.values[i] for i in common)}",
            indent=4,
        )
    for note in collection.notes:
        tell(console, f"note: {clean(note_in_options(note), 400)}", indent=6)
    for reason, count in Counter(skip.reason for skip in collection.skipped).most_common(10):
        tell(console, f"skipped {count:,}: {clean(in_options(reason), 200)}", indent=6)


def _documents(path: Path, console: Console) -> None:
    from shlex import quote

    from comraf.cli.show import clean, tell
    from comraf.cli.wording import note_in_options
    from comraf.collection.detect import open_reader

    reader = open_reader(path)
    units = reader.scan()
    held = _held(path, reader, units)
    tell(console, f"Documents not yet read: {reader.kind}, {held}.")
    for note in reader.notes:
        tell(console, f"note: {clean(note_in_options(note), 400)}", indent=6)
    tell(console, f"To organise them: comraf organize {clean(quote(str(path)), 300)}")


def _held(path: Path, reader: Reader, units: Sequence[Unit]) -> str:
    """How much there is, in what the documents are: messages, rows, references, files."""
    from comraf.cli.wording import counted
    from comraf.collection.items import Skip

    if reader.kind in _MESSAGES:
        return counted(len(units), "message")
    if reader.kind == "news":
        return counted(len(units), "post")
    if reader.kind == "images":
        return counted(len(units), "photo")
    if reader.kind not in _RECORDS:
        return counted(len(units), "file")
    # within a zip file units have paths too
    whole = path.is_file()
    paths = {path if whole or not unit.path else path / unit.path for unit in units}
    size = sum(place.stat().st_size for place in paths if place.is_file())
    if size > _MOST_BYTES:
        return f"{counted(len(paths), 'file')} of {size / 1e6:,.0f} MB"
    rows = skipped = 0
    for unit in units:
        for item in reader.read(unit):
            if isinstance(item, Skip):
                skipped += 1
            else:
                rows += 1
    files = f" in {counted(len(paths), 'file')}" if len(paths) > 1 else ""
    lost = f", {skipped:,} more that can't be read" if skipped else ""
    return f"{counted(rows, _RECORDS[reader.kind])}{files}{lost}"
