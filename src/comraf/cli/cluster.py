"""``comraf cluster``: a table of counts goes in, clusters of its rows and columns come out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from comraf.cli.files import claim
from comraf.cli.interrupts import DeferredInterrupt, resume_hint
from comraf.cli.options import Force, Json, Log, OutFolder, PathArgument, Quiet, command
from comraf.cli.program import complain, has_written
from comraf.cli.show import MOST_SHOWN, clean, cluster_table, show_table, tell, tell_place
from comraf.errors import InputError
from comraf.workflows.cluster import ClusterOptions
from comraf.workflows.knowledge import sentences
from comraf.workflows.search import LongRun

if TYPE_CHECKING:
    from comraf.cli.bar import Bar
    from comraf.workflows.cluster import Clustered, Task
    from comraf.workflows.knowledge import Known

__all__ = ["cluster", "finish", "run", "show"]


@command
def cluster(
    table: PathArgument,
    options: ClusterOptions,
    out: OutFolder = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    log: Log = None,
) -> None:
    """Cluster the rows of a table, and its columns with them.

    Triplet files (.csv, .tsv, .parquet) hold one entry a line: row, column, count. A header may
    name these columns; without a count every line counts one, and repeated pairs are summed.

    What is known of some rows can be given in files: --labels, --must-link, --cannot-link. They
    name rows as the table does, or else by number from 0; columns=FILE is about columns.

    Ctrl-C ends the search early: the best answer until then is shown and written, and the exit
    code is 130. Bad input is exit code 2, and nothing is written.

    Parameters
    ----------
    table
        A table of counts (.npz, .npy, .mtx, .csv, .tsv, .parquet; .mtx, .csv and .tsv may be
        packed: .gz) or a model spec (.yaml) that names several.
    out
        Write the answer to this folder: a CSV file for each side, result.json and graph.svg. It may
        exist if it is empty.

    Examples
    --------
    comraf cluster mail.csv -k 20
    comraf cluster table.npz -k 20 --restarts 10 --jobs -1 --out clusters
    comraf cluster table.mtx.gz -k 8 --column-names words.txt --weighting log
    comraf cluster mail.parquet -k 20 --json > answer.json
    comraf cluster table.npz -k 20 --method itcc --columns-k 128
    comraf cluster model.yaml --out clusters
    comraf cluster mail.csv -k 20 --labels known.csv
    comraf cluster mail.csv -k 20 --must-link together.csv --cannot-link apart.csv
    """
    from comraf.cli.bar import Bar
    from comraf.workflows.cluster import check_task, read_task
    from comraf.workflows.knowledge import Known

    check_task(table, options)
    known = Known.read(options)
    options.check_long()
    with Bar(quiet=quiet, log=log) as bar:
        check_place(out, force=force)
        bar.say(f"reading {table.name}")
        done, hurried = run(read_task(table, options), bar, out, force=force, known=known)
    if as_json:
        from comraf.workflows.writing import as_json as pieces

        for piece in pieces(done.document):
            typer.echo(piece, nl=False)
    elif not quiet:
        show(done, out)
    finish(done, out, options, hurried=hurried)


def check_place(out: Path | None, *, force: bool) -> None:
    """Keep a folder for the answer, if there is to be one."""
    if out is not None:
        claim(out, force=force)
    elif force:
        raise InputError("--force is about the folder of --out; name one")


def run(
    task: Task, bar: Bar, out: Path | None, *, force: bool, known: Known | None = None
) -> tuple[Clustered, bool]:
    """Cluster and write; the answer, and whether Ctrl-C came after the search."""
    from comraf.results.files import check_folder
    from comraf.workflows.cluster import perform

    if out is not None:
        check_folder(out, force=True, needed=task.bytes_to_write())
    done = perform(task, known, bar)
    bar.say("finishing")
    with DeferredInterrupt() as interrupt:
        _ = done.document
        if out is not None:
            done.save(out, force=force)
            has_written(out)
        if isinstance(task.options, LongRun) and not done.result.interrupted:
            task.options.is_over()
    return done, interrupt.pressed


def show(done: Clustered, out: Path | None) -> None:
    """Print the clusters of the sides that were merged; the others are told by number."""
    counted = ", ".join(
        f"{len(side.labels):,} {clean(side.name)} into {side.n_clusters:,} clusters"
        for side in done.sides
    )
    tell(f"{counted}; objective {done.result.objective:.4f}, {done.result.seconds:.1f} s")
    split = {node.name for node in done.task.graph.nodes if node.direction == "top-down"}
    for side in [side for side in done.sides if side.name not in split] or done.sides:
        found = done.clusters[side.name]
        others = list(dict.fromkeys(view.other for view in side.views))
        classes = done.result.names.get(side.name, ())
        show_table(*cluster_table(side.name, found, others, classes))
        if len(found) > MOST_SHOWN:
            tell(f"... and {len(found) - MOST_SHOWN:,} smaller ones")
    for sentence in sentences(done.known or {}):
        tell(sentence)
    tell_place("Written to", out)


def finish(
    done: Clustered, out: Path | None, long: LongRun | None = None, *, hurried: bool = False
) -> None:
    """Say on standard error what became of the answer; leave with 130 after Ctrl-C."""
    if done.result.interrupted or hurried:
        what = "the best answer until then" if done.result.interrupted else "the answer"
        where = "" if out is None else f" in {out}"
        kept = resume_hint(long) if long is not None and done.result.interrupted else ""
        if done.out_of_time and not hurried:
            complain("warning", f"the time limit was reached; {what} was kept{where}{kept}")
            return
        complain("stopped", f"{what} was kept{where}{kept}")
        raise typer.Exit(130)
