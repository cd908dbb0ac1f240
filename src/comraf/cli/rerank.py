"""``comraf rerank``: a ranked list goes in, and comes out with its core first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from comraf.cli.files import check_file, write_file
from comraf.cli.options import Force, Json, OutFile, Quiet, command
from comraf.cli.program import complain
from comraf.cli.show import (
    MOST_SHOWN,
    clean,
    listed,
    show_table,
    tell,
    tell_as_json,
    tell_rest,
)
from comraf.cli.table import Facts, Listing
from comraf.errors import InputError
from comraf.workflows.naming import counted
from comraf.workflows.options import Option
from comraf.workflows.rerank import RerankOptions

if TYPE_CHECKING:
    from comraf.oneclass.sizes import Suggestion
    from comraf.workflows.rerank import Reranked

__all__ = ["rerank"]


@command
def rerank(
    path: Annotated[Path, Option(metavar="LIST", argument=True)],
    options: RerankOptions,
    out: OutFile = None,
    plot: OutFile = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Put what a ranked list is mostly about first.

    LIST is a CSV, TSV, JSON lines or Parquet file with one result a row, such as what a search
    engine returned, in the order given or by a column (--rank). Its titles, snippets and texts are
    found by the names of columns, or named. The core is the largest set of results that share a
    topic; they come first, then the rest, and inside of both the order stays as it was. Every
    column of the list is kept. The words that made the core are shown.

    How large the core is has to be said: -n. Without it several sizes are tried, their scores
    are shown, and nothing is written. "-n auto" takes the best one, and says so.

    Parameters
    ----------
    path
        The ranked list.
    out
        Where the new list goes: .csv, .tsv or .jsonl.
    plot
        Picture (.svg) of the sizes that were tried.

    Examples
    --------
    comraf rerank results.csv
    comraf rerank results.csv -n 30 --out reranked.csv
    comraf rerank results.jsonl -n auto --rank position --plot sizes.svg
    comraf rerank hits.tsv --title name --text summary,body -n 25 --method occc --json
    comraf rerank treffer.csv -n 20 --background wordfreq:de
    """
    from comraf.cli.bar import Bar
    from comraf.workflows.cores import core_size
    from comraf.workflows.rerank import rerank as work

    options.check(path)
    check_file(out, force=force, endings=(".csv", ".tsv", ".jsonl"), option="--out")
    check_file(plot, force=force, endings=(".svg",), option="--plot")
    if plot is not None and core_size(options.n_core) is not None:
        raise InputError(
            "--plot shows the sizes that are tried without -n or with -n auto; drop it"
        )
    with Bar(quiet=quiet) as bar:
        found = work(path, options=options, listener=bar)
    # Files first: whoever reads what is printed may leave at any line.
    if found.suggestion is not None and plot is not None:
        write_file(plot, [found.suggestion.to_svg()], force=force)
    if found.n_core is not None and out is not None:
        write_file(out, [_as_file(found, out.suffix.lower())], force=force)
    for note in found.notes:
        complain("note", note)
    for warning in found.warnings:
        complain("warning", warning)
    if as_json:
        tell_as_json(found.to_dict())
    elif not quiet:
        _show(found, out)
    if found.n_core is None and found.suggestion is not None:
        _nothing_made(found.suggestion, out)


def _as_file(found: Reranked, ending: str) -> str:
    if ending == ".jsonl":
        return found.to_jsonl()
    return found.to_csv("\t" if ending == ".tsv" else ",")


def _nothing_made(suggestion: Suggestion, out: Path | None) -> None:
    """Leave without a list: nobody said how large its core is."""
    if suggestion.interrupted:
        complain("stopped", "not all sizes were tried; the list was not made")
        raise typer.Exit(130)
    lost = f"; {out} was not written" if out else ""
    way = f"-n {suggestion.best}, which has the best score of those tried, another number"
    if suggestion.doubt:
        way = f"-n with a number ({suggestion.doubt})"
    raise InputError(f"how large the core is has to be said: give {way}, or -n auto{lost}")


def _show_sizes(suggestion: Suggestion) -> None:
    """Print the sizes that were tried."""
    rows, best = suggestion.rows, suggestion.best_row
    part = ""
    if suggestion.n_sampled < suggestion.n_documents:
        part = f" on {suggestion.n_sampled:,} documents drawn at random,"
    tell(
        f"Sizes tried:{part} {counted(suggestion.n_fits, 'fit')} in {suggestion.seconds:.1f} s. "
        "A score is the product of separation, stability and balance, 0 to 1; stability with "
        "half of the words is shown too, and does not count."
    )
    show_table(
        [
            Facts("", ["best" if row is best else "" for row in rows]),
            Facts("core", [f"{row.size:,}" for row in rows]),
            Facts("score", [f"{row.score:.2f}" for row in rows]),
            Facts("separation", [f"{row.separation:.2f}" for row in rows]),
            Facts("stability", [f"{row.stability:.2f}" for row in rows]),
            Facts("with half the words", [f"{row.word_stability:.2f}" for row in rows]),
        ]
    )
    if suggestion.doubt:
        said = suggestion.doubt
        tell(f"{said[0].upper()}{said[1:]}: there may be no core to find.")


def _show(found: Reranked, out: Path | None) -> None:
    """Print the sizes that were tried, and the list."""
    if found.suggestion is not None:
        _show_sizes(found.suggestion)
        if found.n_core is None:
            return
        tell(f"Taken, as -n auto asked: {found.suggestion}.")
    order, words = found.order, listed(found.words)
    shown = order[:MOST_SHOWN]
    results = counted(len(order), "result")
    tell(f"{found.n_core:,} of {results} make the core and come first.")
    tell(f"Words of the core: {words or 'none stands out'}", indent=4)
    show_table(
        [
            Facts("#", [f"{place:,}" for place in range(1, len(shown) + 1)]),
            Facts("was", [f"{i + 1:,}" for i in shown]),
            Facts("core", ["yes" if found.core[i] else "" for i in shown], right=False),
        ],
        [Listing("result", [[clean(found.ranked.titles[i], 200)] for i in shown])],
    )
    tell_rest(len(order), out)
