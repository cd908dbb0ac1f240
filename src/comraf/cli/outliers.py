"""``comraf outliers``: what does not belong to a folder, a mailbox or a table of texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from comraf.cli.files import check_file, write_file
from comraf.cli.options import Force, Json, OutFile, PathArgument, Quiet, command
from comraf.cli.program import complain
from comraf.cli.show import MOST_SHOWN, clean, listed, show_table, tell, tell_as_json, tell_rest
from comraf.cli.table import Facts, Listing
from comraf.workflows.naming import counted
from comraf.workflows.outliers import FAR, OutliersOptions

if TYPE_CHECKING:
    from comraf.workflows.outliers import Outliers

__all__ = ["outliers"]


# Files that could not be read and are named.
_NAMED = 3


@command
def outliers(
    path: PathArgument,
    options: OutliersOptions,
    out: OutFile = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Say what does not belong to a folder, a mailbox or a table of texts.

    PATH is what "comraf organize" takes. The documents that are least like the rest are listed, the
    strangest first, each with its reason: no words that count, no word of what the others are
    about, or words that are foreign to the rest, and which these are.

    How many are listed is said by -n or --share; a twentieth of the documents by default, whether
    or not there are so many that don't belong. "-n auto" takes those that are far from the rest:
    whose score is 1.75 deviations or more below the median (the deviation is the median one, which
    strangers can't widen). How far each is, is always told.

    Parameters
    ----------
    path
        What to look at.
    out
        Where the list goes (.csv).

    Examples
    --------
    comraf outliers ~/Mail/project.mbox
    comraf outliers papers/ -n 10 --out strays.csv
    comraf outliers reviews.csv --text review --id key --share 0.02
    comraf outliers notes/ -n auto --background wordfreq:de --json
    """
    from comraf.cli.bar import Bar
    from comraf.workflows.outliers import outliers as work

    options.check(path)
    check_file(out, force=force, endings=(".csv",), option="--out")
    # Nothing but the list is kept: whoever only looks needs no room where they are.
    beside = None if out is None else out.absolute().parent
    with Bar(quiet=quiet) as bar:
        found = work(path, options=options, listener=bar, beside=beside)
        if out is not None:
            write_file(out, [found.to_csv()], force=force)
    for warning in found.warnings:
        complain("warning", warning)
    _lost(found)
    for note in found.notes:
        complain("note", note)
    if as_json:
        tell_as_json(found.to_dict())
    elif not quiet:
        _show(found, out)


def _lost(found: Outliers) -> None:
    """Say what was not looked at, and why."""
    skipped, copies = found.n_skipped, found.n_copies
    if not skipped and not copies:
        return
    lost = [f"{skipped:,} skipped"] if skipped else []
    twice = [counted(copies, "second copy", "second copies")] if copies else []
    complain("note", f"not looked at: {', '.join(lost + twice)}")
    named = found.skipped[:_NAMED]
    for source, reason in named:
        complain("note", f"skipped {clean(source, 200)}: {clean(reason, 200)}")
    if skipped > len(named):
        complain("note", f"skipped {skipped - len(named):,} more")


def _show(found: Outliers, out: Path | None) -> None:
    from comraf.workflows.cores import AUTO

    records, far, options = found.records, found.n_far, found.options
    are = f"{far:,} {'is' if far == 1 else 'are'} far from the rest ({FAR:g} deviations or more)"
    said = f" {are}."
    if options.n_outliers == AUTO:
        said = f" {are}, and -n auto takes these."
    elif options.n_outliers is None and options.share is None:
        said = f" A twentieth is a rule of thumb; {are}; -n or --share chooses."
    all_of_them = counted(found.n_documents, found.noun)
    tell(f"The {len(records):,} of {all_of_them} least like the rest.{said}")
    about = listed(found.words[:12])
    tell(f"What the rest is about: {about or 'nothing that stands out'}", indent=4)
    shown = records[:MOST_SHOWN]
    show_table(
        [
            Facts("#", [str(record["rank"]) for record in shown]),
            Facts("far", [f"{record['far']:.1f}" for record in shown]),
            Facts("reason", [record["reason"] for record in shown], right=False),
        ],
        [
            Listing(found.noun, [[record["title"] or record["item"]] for record in shown]),
            Listing("foreign words", [record["foreign_words"] for record in shown]),
        ],
    )
    tell_rest(len(records), out)
