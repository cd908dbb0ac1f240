"""``comraf taxonomy``: groups of groups, and groups within groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comraf.cli.files import check_csv, write_csv
from comraf.cli.options import OutFile, PathArgument, Quiet, ReplaceFile, command
from comraf.cli.show import clean, tell, tell_place
from comraf.workflows.taxonomy import TaxonomyOptions

if TYPE_CHECKING:
    from comraf.workflows.taxonomy import Tree

__all__ = ["taxonomy"]

_MOST_CHILDREN = 40


@command
def taxonomy(
    folder: PathArgument,
    options: TaxonomyOptions,
    out: OutFile = None,
    force: ReplaceFile = False,
    quiet: Quiet = False,
) -> None:
    """Arrange documents or photos in a tree with exactly the numbers of groups asked for.

    FOLDER is what organize wrote. Every group of a finer level lies within one of the level
    above it; the level with as many groups as organize made are these groups themselves. Nothing
    is changed in FOLDER.

    Parameters
    ----------
    folder
        What organize wrote.
    out
        Write a CSV file: each item with its group at every level.

    Examples
    --------
    comraf taxonomy mail-groups --sizes 4,20,80
    comraf taxonomy mail-groups --sizes 4,20 --out tree.csv
    comraf taxonomy mail-groups --side words --sizes 10,50
    """
    from comraf.workflows.taxonomy import taxonomy as work

    check_csv(out, force)
    tree = work(folder, options=options)
    if out is not None:
        write_csv(out, tree.heading, tree.rows(), force=force)
    if not quiet:
        _show(tree)
        tell_place("Written to", out)


def _show(made: Tree) -> None:
    import numpy as np

    told, tree = made.names, made.found
    counts = [np.bincount(labels, minlength=int(labels.max()) + 1) for labels in tree.labels]

    def show(level: int, cluster: int) -> None:
        name = clean(told[level][cluster], 90) or "(nothing tells it apart)"
        tell(f"{'  ' * level}{cluster}: {counts[level][cluster]:,} · {name}", indent=4)
        if level + 1 < len(tree.sizes):
            for child in tree.children(level, cluster)[:_MOST_CHILDREN]:
                show(level + 1, child)

    for cluster in range(min(tree.sizes[0], _MOST_CHILDREN)):
        show(0, cluster)
