"""``comraf assign``: new items into the groups of an earlier run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from comraf.cli.files import check_csv, write_csv
from comraf.cli.options import OutFile, PathArgument, Quiet, ReplaceFile, command
from comraf.cli.show import clean, show_table, tell, tell_place
from comraf.cli.table import Facts, Listing
from comraf.workflows.naming import counted
from comraf.workflows.place import PlaceOptions

if TYPE_CHECKING:
    from comraf.workflows.place import Placement

__all__ = ["assign"]


# So many of a cluster's new values are shown.
_MOST_VALUES = 12


@command
def assign(
    model: PathArgument,
    path: PathArgument,
    options: PlaceOptions,
    out: OutFile = None,
    force: ReplaceFile = False,
    quiet: Quiet = False,
) -> None:
    """Place new documents into the groups that "comraf organize" made; nothing is refitted.

    MODEL is the folder that organize wrote (or the "model" folder in it), PATH the new
    documents, read as the first ones were. Words, people and subjects that the model has not
    seen are left out and counted. A document of which it knows nothing at all gets confidence 0.
    Where embeddings helped to make the groups, --embeddings or --embedding-model (of the same
    model) lets new documents find their neighbours among the first ones.
    With --side, the people (or words, subjects) that the model has not seen are placed instead,
    by the documents they come with; cluster numbers are those of the side's own CSV file.
    New photos are held against the colours and blobs of the first ones, and find their
    neighbours among these.

    Parameters
    ----------
    model
        What organize wrote.
    path
        The new documents.
    out
        Write a CSV file: item, cluster, name, confidence, runner-up.

    Examples
    --------
    comraf assign mail-groups new-mail.mbox
    comraf assign mail-groups new-mail.mbox --out placed.csv
    comraf assign mail-groups new-mail.mbox --side people --out new-people.csv
    comraf assign paper-groups new.csv --embeddings new-vectors.npy
    """
    from comraf.cli.bar import Bar
    from comraf.store import remove_leftovers
    from comraf.workflows.place import place

    check_csv(out, force)
    if out is not None:
        remove_leftovers(out)
    with Bar(quiet=quiet) as bar:
        found = place(model, path, options=options, listener=bar)
    if out is not None:
        write_csv(out, found.heading, found.rows(), force=force)
    if not quiet:
        (_show if found.side is None else _show_values)(found, out)


def _show_values(found: Placement, out: Path | None) -> None:
    import numpy as np

    side, names, placed = found.side or "", found.items, found.placed
    clusters, sizes = np.unique(placed.labels, return_counts=True)
    tell(
        f"{len(names):,} {clean(side)} that the model has not seen, placed into {len(clusters):,} "
        "clusters."
    )
    if len(names):
        sure = np.argsort(-placed.confidence, kind="stable")
        members = [[names[i] for i in sure if placed.labels[i] == c] for c in clusters]
        facts = [
            Facts("#", [str(c) for c in clusters]),
            Facts("new", [f"{size:,}" for size in sizes]),
        ]
        shown = [values[:_MOST_VALUES] for values in members]
        show_table(facts, [Listing(clean(side), shown)])
    tell_place("Written to", out)


def _show(placement: Placement, out: Path | None) -> None:
    import numpy as np

    noun = placement.noun
    known, placed = placement.model, placement.placed
    found = [(c, placed.labels == c) for c in range(known.n_clusters)]
    found = [(c, mine) for c, mine in found if mine.any()]
    facts = [
        Facts("#", [str(c) for c, _ in found]),
        Facts("new", [f"{mine.sum():,}" for _, mine in found]),
        Facts("confidence", [f"{placed.confidence[mine].mean():.0%}" for _, mine in found]),
    ]
    groups = Listing("group", [known.names[c].split(", ") for c, _ in found])
    tell(
        f"{counted(len(placed.labels), f'new {noun}')} placed into {len(found):,} of "
        f"{counted(known.n_clusters, 'group')}."
    )
    show_table(facts, [groups])
    for name, (count, total) in placement.unseen.items():
        if count:
            share = f"{count / total:.0%}" if count >= total / 100 else "<1%"
            tell(
                f"{clean(name)}: {share} of what the new {noun}s have is not in the model "
                "(never met, or too rare or too common to count) and was left out."
            )
    lost = int(np.sum(placed.known == 0))
    if lost:
        have = "has" if lost == 1 else "have"
        tell(f"{counted(lost, noun)} {have} nothing the model knows (confidence 0).")
    tell_place("Written to", out)
