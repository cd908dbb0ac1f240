"""``comraf compare``: what moved between two answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from comraf.cli.files import check_csv, shown_group, write_csv
from comraf.cli.options import OutFile, PathArgument, Quiet, ReplaceFile, command
from comraf.cli.show import MOST_SHOWN, clean, show_table, tell, tell_place
from comraf.cli.table import Facts, Listing
from comraf.workflows.compare import CompareOptions

if TYPE_CHECKING:
    from comraf.results import Result
    from comraf.results.compare import Comparison

__all__ = ["compare"]

_MOST_MOVES = 12


@command
def compare(
    first: PathArgument,
    second: PathArgument,
    options: CompareOptions,
    out: OutFile = None,
    force: ReplaceFile = False,
    quiet: Quiet = False,
) -> None:
    """Say what became of the groups from one answer of "comraf organize" to another.

    Groups that share most documents are taken for the same; documents that are in another one
    have moved. Answers about different documents are compared by those that both have.

    Parameters
    ----------
    first
        What organize wrote.
    second
        What it wrote later.
    out
        Write a CSV file: item, group before and after, whether it moved.

    Examples
    --------
    comraf compare groups-may groups-june
    comraf compare groups-may groups-june --out moved.csv
    comraf compare groups-8 groups-12 --side words
    """
    from comraf.workflows.compare import compare as work

    check_csv(out, force)
    compared = work(first, second, options=options)
    if out is not None:
        write_csv(out, compared.heading, compared.rows(), force=force)
    if not quiet:
        _show(compared.first, compared.second, compared.found, out)


def _show(first: Result, second: Result, found: Comparison, out: Path | None) -> None:

    what = "documents" if found.node == "documents" else clean(found.node)
    tell(
        f"{found.n_common:,} common {what}; {found.stayed:.1%} stayed in their group, "
        f"{found.n_moved:,} moved. Agreement of the two (NMI): {found.nmi:.3f}"
    )
    for folder, alone in (("first", found.only_first), ("second", found.only_second)):
        if alone:
            tell(f"{len(alone):,} are in the {folder} answer only.")

    def group(result: Result, cluster: int) -> str:
        return shown_group(result, found.node, result.label(found.node, cluster))

    shown = found.matches[:MOST_SHOWN]
    before, after = found.table.sum(axis=1), found.table.sum(axis=0)
    if shown:
        sizes = [
            (before[first.label(found.node, m.first)], after[second.label(found.node, m.second)])
            for m in shown
        ]
        facts = [
            Facts("before", [f"{a:,}" for a, _ in sizes]),
            Facts("after", [f"{b:,}" for _, b in sizes]),
            Facts("same", [f"{m.shared:,}" for m in shown]),
        ]
        listings = [
            Listing("first", [[group(first, m.first)] for m in shown]),
            Listing("second", [[group(second, m.second)] for m in shown]),
        ]
        show_table(facts, listings)
    for result, gone, word in ((first, found.lost, "went"), (second, found.new, "came")):
        if gone:
            names = ", ".join(group(result, cluster) for cluster in gone[:_MOST_MOVES])
            tell(f"Groups that {word}: {names}")
    if found.moves:
        tell("Largest moves:")
        for move in found.moves[:_MOST_MOVES]:
            tell(
                f"  {len(move.values):,} from {group(first, move.first)} to "
                f"{group(second, move.second)}",
                indent=4,
            )
    tell_place("Written to", out)
