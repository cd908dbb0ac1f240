"""``comraf taxonomy``: groups of groups, and groups within groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from comraf.cli.kept import Kept
    from comraf.results.hierarchy import Taxonomy
    from comraf.results.telling import View

__all__ = ["HELP", "taxonomy"]

HELP = """Arrange documents or photos in a tree with exactly the numbers of groups asked for.

FOLDER is what organize wrote. Every group of a finer level lies within one of the level
above it; the level with as many groups as organize made are these groups themselves. Nothing
is changed in FOLDER.

\b
Examples:
  comraf taxonomy mail-groups --sizes 4,20,80
  comraf taxonomy mail-groups --sizes 4,20 --out tree.csv
  comraf taxonomy mail-groups --side words --sizes 10,50
"""
_TOLD = 4
_MOST_CHILDREN = 40


def taxonomy(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="What organize wrote.", show_default=False)
    ],
    sizes: Annotated[
        str,
        typer.Option(
            metavar="N,N,...",
            help="Numbers of groups, from coarse to fine, such as 4,20,80.",
            show_default=False,
        ),
    ],
    side: Annotated[
        str, typer.Option(metavar="SIDE", help="The side whose groups are arranged.")
    ] = "documents",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a CSV file: each item with its group at every level.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file of --out if it is there.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Don't show the tree.")] = False,
) -> None:
    """Arrange documents in a tree of groups."""
    from comraf.cli.kept import DOCUMENTS, check_csv, open_kept, write_csv
    from comraf.cli.show import clean, open_console, tell
    from comraf.results.hierarchy import taxonomy as arranged

    wanted = _sizes(sizes)
    check_csv(out, force)
    kept = open_kept(folder)
    kept.side(side)
    tree = arranged(kept.graph, kept.result, side, wanted)
    if out is not None:
        levels = [(f"of_{size}", f"of_{size}_name") for size in tree.sizes]
        titled = ["title"] if side == DOCUMENTS else []
        heading = ["item", *titled, *(column for level in levels for column in level)]
        write_csv(out, heading, _lines(kept, tree), force=force)
    if not quiet:
        console = open_console()
        _show(console, kept, tree)
        if out is not None:
            tell(console, f"Written to {clean(str(out), 200)}")


def _sizes(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(
        part.isdecimal() and len(part) < 11 and 0 < int(part) < 2**31 for part in parts
    ):
        raise InputError(f"--sizes {text}: give whole numbers from 1 on, such as 4,20,80")
    return [int(part) for part in parts]


def _lines(kept: Kept, tree: Taxonomy) -> Iterator[list[object]]:
    from comraf.cli.kept import DOCUMENTS

    columns = list(
        zip((labels.tolist() for labels in tree.labels), _telling(kept, tree), strict=True)
    )
    titles = kept.collection.titles if tree.node == DOCUMENTS else None
    for i, name in enumerate(kept.names(tree.node)):
        groups = [cell for labels, told in columns for cell in (labels[i], told[labels[i]])]
        yield [name, *([titles[i]] if titles is not None else []), *groups]


def _telling(kept: Kept, tree: Taxonomy) -> list[list[str]]:
    """For every level and group the values that tell it apart, from the side that says most."""
    from comraf.cli.kept import DOCUMENTS
    from comraf.results.telling import sides_of, telling

    side = next(s for s in sides_of(kept.graph, kept.result) if s.name == tree.node)
    views = [view for view in side.views if view.counts.nnz]
    view = next((v for v in views if v.other == "words"), views[0])
    names = kept.collection.titles if view.other == DOCUMENTS else kept.names(view.other)
    seen = view.other != "words" and kept.collection.photos is not None and tree.node == DOCUMENTS
    told = []
    for size, labels in zip(tree.sizes, tree.labels, strict=True):
        if size == kept.result.n_clusters[tree.node] and tree.node in kept.result.names:
            told.append(list(kept.result.names[tree.node]))
            continue
        if seen:
            told.append(_looks(kept, views, labels, size))
            continue
        found = telling(view.counts, labels, size, _TOLD)
        told.append([", ".join(names[t.column] for t in best) for best in found])
    return told


def _looks(kept: Kept, views: Sequence[View], labels: NDArray[Any], size: int) -> list[str]:
    """Groups of photos by their colours and whatever else they look like."""
    from comraf.report.photo_names import photo_names
    from comraf.report.shown import shown_values
    from comraf.results.telling import telling

    names = shown_values(kept.collection)
    by_view = {view.other: telling(view.counts, labels, size) for view in views}
    told = [
        {
            side: [(names[side][t.column], t.contribution) for t in found[cluster]]
            for side, found in by_view.items()
            if side in names
        }
        for cluster in range(size)
    ]
    return photo_names(told, _TOLD)


def _show(console: Console, kept: Kept, tree: Taxonomy) -> None:
    import numpy as np

    from comraf.cli.show import clean, tell

    told = _telling(kept, tree)
    counts = [np.bincount(labels, minlength=int(labels.max()) + 1) for labels in tree.labels]

    def show(level: int, cluster: int) -> None:
        name = clean(told[level][cluster], 90) or "(nothing tells it apart)"
        tell(console, f"{'  ' * level}{cluster}: {counts[level][cluster]:,} · {name}", indent=4)
        if level + 1 < len(tree.sizes):
            for child in tree.children(level, cluster)[:_MOST_CHILDREN]:
                show(level + 1, child)

    for cluster in range(min(tree.sizes[0], _MOST_CHILDREN)):
        show(0, cluster)
