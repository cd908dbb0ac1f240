"""``comraf evaluate``: how well groups agree with known classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from comraf.cli.files import check_csv, write_csv
from comraf.cli.options import Json, OutFile, PathArgument, ReplaceFile, command
from comraf.cli.show import MOST_SHOWN, clean, open_console, show_table, tell
from comraf.cli.table import Facts
from comraf.workflows.evaluate import EvaluateOptions

if TYPE_CHECKING:
    from comraf.workflows.evaluate import Evaluation

__all__ = ["evaluate"]


@command
def evaluate(
    clusters: PathArgument,
    options: EvaluateOptions,
    out: OutFile = None,
    force: ReplaceFile = False,
    as_json: Json = False,
) -> None:
    """Score groups against known classes.

    CLUSTERS is a folder that organize wrote, or a CSV file with the columns item and cluster, or
    that of another side, such as people.csv, whose first column has the values.
    The classes are its column "truth", or come from a file with an item and its class a line, as
    --labels has them. Items whose class is not known are left out, and so are items whose label
    the search was given (the column "label"): it is no feat to find those again.

    Each score is shown with what it means, then how many items of each class each group holds;
    --out writes this table to a CSV file, and --json prints all of it.

    Parameters
    ----------
    clusters
        A folder or a CSV file.
    out
        Write a CSV file: classes by groups, in numbers of items.

    Examples
    --------
    comraf evaluate mail-groups
    comraf evaluate mail-groups --truth classes.csv
    comraf evaluate mail-groups --truth classes.csv --labelled
    comraf evaluate mail-groups/people.csv --truth teams.csv
    comraf evaluate mail-groups --out classes-by-groups.csv
    """
    from comraf.workflows.evaluate import evaluate as work

    check_csv(out, force)
    found = work(clusters, options=options)
    if out is not None:
        write_csv(out, found.heading, found.rows(), force=force)
    if as_json:
        import json

        typer.echo(json.dumps(found.scores()))
    else:
        _show(found)


def _rows(found: Evaluation) -> list[tuple[str, str, str]]:
    """Names, values and meanings of the scores."""
    pairs, macro, balanced = found.pairs, found.macro_accuracy, found.well_balanced
    return [
        *((score.name, f"{score.value:.4f}", score.meaning) for score in found.explained),
        (
            "macro accuracy",
            f"{macro:.4f}",
            "mean over groups of the share of their commonest class",
        ),
        (
            "pairwise precision",
            f"{pairs.precision:.4f}",
            "of pairs in one group: share of one class",
        ),
        ("pairwise recall", f"{pairs.recall:.4f}", "of pairs in one class: share in one group"),
        ("pairwise F", f"{pairs.f:.4f}", "harmonic mean of these two"),
        (
            "well balanced",
            "yes" if balanced else "no",
            f"{'each' if balanced else 'not every'} class is the commonest of exactly one group: "
            "only where each is, purity may be set beside the accuracy of a classifier",
        ),
    ]


def _show(found: Evaluation) -> None:
    """Print the scores with their meanings, and the classes by groups in as wide parts as fit."""
    counts, rows, cells, groups = found.counts, _rows(found), found.cells, found.groups
    for name, number in counts.items():
        tell(f"{name.replace('_', ' '):22}{number}")
    for name, value, meaning in rows:
        tell(f"{name:22}{value:8}{meaning}", indent=30)
    shown = [clean(name, 24) for name in list(cells)[:MOST_SHOWN]]
    wide = max(len(clean(group)) for group in groups[:MOST_SHOWN])
    wide = 2 + max(wide, max(len(f"{n}") for held in cells.values() for n in held.values()))
    step = max(1, (open_console().width - max(map(len, shown)) - 4) // wide)
    tell("Classes (lines) by groups (columns), in numbers of items:")
    for start in range(0, min(len(groups), MOST_SHOWN), step):
        part = groups[start : min(start + step, MOST_SHOWN)]
        columns = [
            Facts(group, [f"{held.get(group, '.')}" for held in list(cells.values())[:MOST_SHOWN]])
            for group in part
        ]
        show_table([Facts("class", shown, right=False), *columns], [])
    if len(groups) > MOST_SHOWN or len(cells) > MOST_SHOWN:
        tell(f"The first {MOST_SHOWN} of each are shown; --out FILE writes all.")
