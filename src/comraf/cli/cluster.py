"""``comraf cluster``: a table or a model spec goes in, clusters of all its sides come out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.cli.choices import (
    BalanceOption,
    Direction,
    Effort,
    FileFormat,
    MergeCost,
    MergeCostOption,
    Method,
    Moves,
    RunsOption,
    Schedule,
    ScheduleOption,
    Updates,
    Weighting,
)
from comraf.cli.known import (
    CannotLinkOption,
    LabelsAsOption,
    LabelsOption,
    LabelWeightOption,
    LinkWeightOption,
    MustLinkOption,
    Told,
    told_in,
)
from comraf.cli.longrun import (
    CheckpointOption,
    LogOption,
    LongRun,
    ResumeOption,
    TimeLimitOption,
)
from comraf.errors import InputError

if TYPE_CHECKING:
    from comraf.cli.run import Done, Run

__all__ = ["HELP", "cluster", "finish"]

# Lines after a backspace are printed as they are.
HELP = """Cluster the rows of a table, and its columns with them.

Triplet files (.csv, .tsv, .parquet) hold one entry a line: row, column, count. A header may
name these columns; without a count every line counts one, and repeated pairs are summed.

What is known of some rows can be told in files: --labels, --must-link, --cannot-link. They
name rows as the table does, or else by number from 0; columns=FILE is about columns.

Ctrl-C ends the search early: the best answer until then is shown and written, and the exit
code is 130. Bad input is exit code 2, and nothing is written.

\b
Examples:
  comraf cluster mail.csv -k 20
  comraf cluster table.npz -k 20 --restarts 10 --jobs -1 --out clusters
  comraf cluster table.mtx.gz -k 8 --column-names words.txt --weighting log
  comraf cluster mail.parquet -k 20 --json > answer.json
  comraf cluster table.npz -k 20 --method itcc --columns-k 128
  comraf cluster model.yaml --out clusters
  comraf cluster mail.csv -k 20 --labels known.csv
  comraf cluster mail.csv -k 20 --must-link together.csv --cannot-link apart.csv
"""

_SPECS = (".yaml", ".yml")


def cluster(
    ctx: typer.Context,
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="A table of counts (.npz, .npy, .mtx, .csv, .tsv, .parquet; .mtx, .csv and .tsv "
            "may be packed: .gz) or a model spec (.yaml) that names several.",
            show_default=False,
        ),
    ],
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--clusters",
            min=1,
            metavar="N",
            help="How many clusters of rows. Needed for a table; a model spec says it itself.",
            show_default=False,
        ),
    ] = None,
    columns_k: Annotated[
        int | None,
        typer.Option(
            "--columns-k",
            min=1,
            metavar="N",
            help="How many clusters of columns; by default as many as the schedule gives.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            help="mdc clusters rows and columns along a hierarchy, itcc and cliquewise flat; ib, "
            "sequential and agglomerative cluster the rows alone. An option that a method does "
            "not look at is refused."
        ),
    ] = Method.mdc,
    weighting: Annotated[
        Weighting | None,
        typer.Option(
            help="How counts enter: as they are, as presence, as log(1 + count), with the "
            "same mass for every row, or the root of its mass. Default: root_rows.",
            show_default=False,
        ),
    ] = None,
    effort: Annotated[
        Effort,
        typer.Option(
            help="What the search may cost: quick makes one run, default lets 8 agree, thorough "
            "many more; paper one run from single values, near to the method as published."
        ),
    ] = Effort.default,
    restarts: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Tries for every step, or starts of a flat method (10 unless told); the best "
            "one is kept.",
        ),
    ] = 1,
    runs: RunsOption = None,
    schedule: ScheduleOption = Schedule.thesis,
    moves: Annotated[
        Moves, typer.Option(help="How values move from cluster to cluster.")
    ] = Moves.sequential,
    passes: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="X", help="Correction sweeps after every split or merge; may be 0.5."
        ),
    ] = 2.0,
    merge_cost: MergeCostOption = MergeCost.loss,
    balance: BalanceOption = False,
    direction: Annotated[
        Direction, typer.Option(help="For ib: rows are merged, or split, which is cheaper.")
    ] = Direction.bottom_up,
    updates: Annotated[
        Updates, typer.Option(help="For itcc: all rows or columns at once, or one by one.")
    ] = Updates.batch,
    coarse: Annotated[
        int | None,
        typer.Option(
            min=2,
            metavar="N",
            help="For agglomerative: gather the rows into this many groups first; needed where "
            "there are more than 50,000.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=2**32 - 1, metavar="N", help="The same seed gives the same clusters."
        ),
    ] = 0,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            help="Tries that run side by side, -1 for all cores. The answer does not depend on it.",
        ),
    ] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write the answer to this folder: a CSV file for each side, result.json and "
            "graph.svg. It may exist if it is empty.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Write to --out even if it holds something; an older answer there is replaced, "
            "other files stay.",
        ),
    ] = False,
    labels: LabelsOption = None,
    must_link: MustLinkOption = None,
    cannot_link: CannotLinkOption = None,
    labels_as: LabelsAsOption = None,
    label_weight: LabelWeightOption = None,
    link_weight: LinkWeightOption = None,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No progress and no summary; errors are still told."),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the whole answer as one JSON object, and nothing else."),
    ] = False,
    file_format: Annotated[
        FileFormat | None,
        typer.Option(
            "--format", help="What the file is, where its name does not tell.", show_default=False
        ),
    ] = None,
    row_names: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Names of the rows, one a line, for files that hold none (.npz, .npy, .mtx).",
            show_default=False,
        ),
    ] = None,
    column_names: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names of the columns, one a line.", show_default=False),
    ] = None,
    time_limit: TimeLimitOption = None,
    checkpoint: CheckpointOption = None,
    resume: ResumeOption = False,
    log: LogOption = None,
) -> None:
    """Cluster the rows of a table, and its columns with them."""
    is_spec = table.suffix.lower() in _SPECS and file_format is None
    for_tables = {
        "-k": k,
        "--columns-k": columns_k,
        "--weighting": weighting,
        "--row-names": row_names,
        "--column-names": column_names,
    }
    given = [name for name, value in for_tables.items() if value is not None]
    typed = {name for name in ctx.params if _typed(ctx, name)}
    if "direction" in typed and is_spec:
        given.append("--direction")
    if is_spec and schedule in (Schedule.reverse, Schedule.bottom_up):
        given.append(f"--schedule {schedule.value}")
    if is_spec and given:
        raise InputError(
            f"{' and '.join(given)} can't be given with a model spec; {table} has to say it"
        )
    if not is_spec and k is None:
        raise InputError("say how many clusters of rows are wanted, for example -k 20")
    if force and out is None:
        raise InputError("--force is about the folder of --out; name one")
    if jobs == 0:
        raise InputError("--jobs 0 is not possible; give 1 or more, or -1 for all cores")

    from comraf.cli.methods import WAYS, MethodSearch, check_options, load_spec, load_table
    from comraf.cli.run import Search, from_spec, from_table, perform

    check_options(method.value, sorted(typed))
    told = Told.read(labels, must_link, cannot_link, labels_as, label_weight, link_weight)
    asked: dict[str, Any] = {
        "effort": effort.value,
        "runs": runs,
        "restarts": restarts,
        "schedule": schedule.value,
        "moves": moves.value,
        "passes": passes,
        "merge_cost": merge_cost.value,
        "balance": balance,
        "seed": seed,
        "jobs": jobs,
    }
    read_spec: Callable[..., Run] = from_spec
    read_one: Callable[..., Run] = from_table
    search = Search(**asked)
    if method is not Method.mdc:
        own = {n: v for n, v in WAYS[method.value].defaults.items() if n not in typed}
        search = MethodSearch(
            **(asked | own),
            method=method.value,
            direction=direction.value,
            updates=updates.value,
            coarse=coarse,
        )
        read_spec, read_one = load_spec, load_table
    load = (
        partial(read_spec, table, search)
        if k is None
        else partial(
            read_one,
            table,
            search,
            k=k,
            columns_k=columns_k,
            weighting=(weighting or Weighting.root_rows).value,
            file_format=None if file_format is None else file_format.value,
            row_names=row_names,
            column_names=column_names,
        )
    )
    long = LongRun(time_limit, checkpoint, resume, log)
    done = perform(
        load, f"reading {table.name}", out=out, force=force, quiet=quiet, long=long, told=told
    )
    if as_json:
        from comraf.cli.answer import as_json as pieces

        for piece in pieces(done.document):
            typer.echo(piece, nl=False)
    elif not quiet:
        show(done, out)
    finish(done, out, long)


def _typed(ctx: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line, whatever its value."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def show(done: Done, out: Path | None) -> None:
    """Print the clusters of the sides that were merged; the others are told by number."""
    from comraf.cli.show import MOST_SHOWN, clean, cluster_table, open_console, show_table, tell

    console = open_console()
    counted = ", ".join(
        f"{len(side.labels):,} {clean(side.name)} into {side.n_clusters:,} clusters"
        for side in done.sides
    )
    tell(
        console,
        f"{counted}; objective {done.result.objective:.4f}, {done.result.seconds:.1f} s",
    )
    split = {node.name for node in done.run.graph.nodes if node.direction == "top-down"}
    for side in [side for side in done.sides if side.name not in split] or done.sides:
        found = done.clusters[side.name]
        others = list(dict.fromkeys(view.other for view in side.views))
        classes = done.result.names.get(side.name, ())
        show_table(console, *cluster_table(side.name, found, others, classes))
        if len(found) > MOST_SHOWN:
            tell(console, f"... and {len(found) - MOST_SHOWN:,} smaller ones")
    for sentence in told_in(done.known or {}):
        tell(console, sentence)
    if out is not None:
        tell(console, f"Written to {clean(str(out), 200)}")


def finish(done: Done, out: Path | None, long: LongRun | None = None) -> None:
    """Say on standard error what became of the answer; leave with 130 after Ctrl-C."""
    from comraf.cli.program import complain

    if done.result.interrupted or done.hurried:
        what = "the best answer until then" if done.result.interrupted else "the answer"
        where = "" if out is None else f" in {out}"
        stays = long.stays() if long is not None and done.result.interrupted else ""
        if done.out_of_time and not done.hurried:
            complain("warning", f"the time limit was reached; {what} was kept{where}{stays}")
            return
        complain("stopped", f"{what} was kept{where}{stays}")
        raise typer.Exit(130)
