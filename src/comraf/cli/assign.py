"""``comraf assign``: new items into the groups of an earlier run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.errors import InputError, ReadError, WriteError

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.results.model import Model
    from comraf.results.placement import Placed

__all__ = ["HELP", "assign"]

HELP = """Place new documents into the groups that "comraf organize" made; nothing is refitted.

MODEL is the folder that organize wrote (or the "model" folder in it), PATH the new
documents, read as the first ones were. Words, people and subjects that the model has not
seen are left out and counted. A document of which it knows nothing at all gets confidence 0.

\b
Examples:
  comraf assign mail-groups new-mail.mbox
  comraf assign mail-groups new-mail.mbox --out placed.csv
"""


def assign(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="What organize wrote.", show_default=False)
    ],
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="The new documents.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a CSV file: item, cluster, name, confidence, runner-up.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file of --out if it is there.")
    ] = False,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="What PATH is, if it is something else than the first documents were.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", help="Processes that read; -1: all cores.")
    ] = 1,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no summary.")
    ] = False,
) -> None:
    """Place new documents into the groups that "comraf organize" made."""
    from comraf.cli.bar import Bar
    from comraf.results.model import load_model

    if jobs == 0:
        raise InputError("--jobs 0 is not possible; give 1 or more, or -1 for all cores")
    if out is not None and out.exists() and not force:
        raise WriteError(f"{out}: is there already; name another file, or add --force")
    known = load_model(model / "model" if (model / "model").is_dir() else model)
    with Bar(quiet=quiet) as bar:
        bar.say(f"reading {path.name}")
        collection = _read(known, path, kind, jobs, bar)
        placed, unseen = known.place(*_sides(known, collection))
    lines = _lines(known, collection, placed)
    if out is not None:
        _write(out, lines)
    if not quiet:
        _show(known, collection, placed, unseen, out)


def _read(known: Model, path: Path, kind: str | None, jobs: int, listener: Any) -> Collection:
    from dataclasses import replace

    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader
    from comraf.collection.options import SideOptions

    about = known.about
    try:
        options = SideOptions.from_json(about["sides"])
        reading = {name: value for name, value in about["reading"].items() if name != "truth"}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ReadError(f"the model does not say how its documents were read: {error}") from None
    # Every value counts here, however rare: which ones are known is the model's to say.
    options = replace(
        options,
        words=replace(options.words, min_documents=1, max_share=1.0),
        subjects=replace(options.subjects, min_documents=1, max_share=1.0),
        people=replace(options.people, min_documents=1, owner="keep"),
        organisations=replace(options.organisations, min_documents=1, max_share=1.0),
        values=replace(options.values, min_documents=1, max_share=1.0),
        duplicates="keep",
    )
    family = {"mail", "maildir", "mbox"}
    wanted = kind or (None if about.get("kind") in family else about.get("kind"))
    reader = open_reader(path, kind=wanted, **(reading if wanted or not reading else {}))
    return build_collection(reader, options=options, n_jobs=jobs, listener=listener)


def _sides(
    known: Model, collection: Collection
) -> tuple[Mapping[str, Any], Mapping[str, tuple[str, ...]]]:
    """Tables of the sides the model knows; people under the names they have in the model."""
    values: dict[str, tuple[str, ...]] = {}
    for name in known.sides:
        if name not in collection.sides:
            continue
        side = collection.sides[name]
        aliases = known.about.get("aliases", {}).get(name, {})
        names = list(side.values)
        by_name = {person.name: person for person in side.people}
        for i, value in enumerate(names):
            person = by_name.get(value)
            same = [
                aliases[a.lower()] for a in getattr(person, "addresses", ()) if a.lower() in aliases
            ]
            if same:
                names[i] = same[0]
        values[name] = tuple(names)
    if not values:
        raise InputError(
            f"the new documents have none of the sides the model knows: {', '.join(known.sides)}"
        )
    return {name: collection.tables[name] for name in values}, values


def _lines(known: Model, collection: Collection, placed: Placed) -> list[list[object]]:
    from comraf.results.files import safe_cell

    return [
        [
            safe_cell(item),
            int(placed.labels[i]),
            safe_cell(known.names[placed.labels[i]]),
            f"{placed.confidence[i]:.4f}",
            int(placed.runner_up[i]),
        ]
        for i, item in enumerate(collection.ids)
    ]


def _write(out: Path, lines: Sequence[Sequence[object]]) -> None:
    import csv
    import secrets

    partial = out.with_name(f".{out.name}.{secrets.token_hex(4)}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["item", "cluster", "name", "confidence", "runner_up"])
            writer.writerows(lines)
        partial.replace(out)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise WriteError(f"{out}: can't be written: {error.strerror or error}") from error


def _show(
    known: Model,
    collection: Collection,
    placed: Placed,
    unseen: Mapping[str, int],
    out: Path | None,
) -> None:
    import numpy as np
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from comraf.cli.show import clean

    console = Console(highlight=False)
    table = Table(header_style="bold")
    for heading in ("cluster", "new documents", "mean confidence"):
        table.add_column(heading, justify="right")
    table.add_column("group")
    for c in range(known.n_clusters):
        mine = placed.labels == c
        if mine.any():
            mean = float(placed.confidence[mine].mean())
            table.add_row(str(c), f"{mine.sum():,}", f"{mean:.0%}", Text(clean(known.names[c], 60)))
    console.print(f"{len(collection):,} new documents placed into {known.n_clusters:,} groups.")
    console.print(table)
    for name, count in unseen.items():
        total = float(collection.tables[name].sum())
        if count:
            console.print(
                f"{clean(name)}: {count / total:.0%} of what the new documents have is unknown to "
                "the model and was left out."
            )
    lost = int(np.sum(placed.known == 0))
    if lost:
        console.print(f"{lost:,} documents have nothing the model knows (confidence 0).")
    if out is not None:
        console.print(f"Written to {clean(str(out), 200)}", markup=False)
