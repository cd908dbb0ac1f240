"""``comraf evaluate``: how well groups agree with known classes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from comraf.cli.program import complain
from comraf.cli.wording import counted
from comraf.errors import InputError, ReadError

__all__ = ["HELP", "ONE_CLASS", "column_of", "evaluate"]

HELP = """Score groups against known classes.

CLUSTERS is a folder that organize wrote, or a CSV file with the columns item and cluster, or
that of another side, such as people.csv, whose first column has the values.
The classes are its column "truth", or come from a file with an item and its class a line, as
--labels has them. Items whose class is not known are left out, and so are items whose label
the search was given (the column "label"): it is no feat to find those again.

Each score is shown with what it means, then how many items of each class each group holds;
--out writes this table to a CSV file, and --json prints all of it.

\b
Examples:
  comraf evaluate mail-groups
  comraf evaluate mail-groups --truth classes.csv
  comraf evaluate mail-groups --truth classes.csv --labelled
  comraf evaluate mail-groups/people.csv --truth teams.csv
  comraf evaluate mail-groups --out classes-by-groups.csv
"""

_HOW = (
    "known classes come from --truth FILE (a CSV file with the columns item and truth), or from "
    "the start: comraf organize PATH --truth folders (mail), --truth COLUMN (tables)"
)
ONE_CLASS = "there is only one known class, so nothing to score against"
# Below these, scores are mostly chance.
_FEW_ITEMS = 20
_FEW_SHARE = 0.05


def evaluate(
    clusters: Annotated[
        Path,
        typer.Argument(metavar="CLUSTERS", help="A folder or a CSV file.", show_default=False),
    ],
    truth: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File of known classes: an item and its class a line. It may have a part of the "
            "items only.",
            show_default=False,
        ),
    ] = None,
    labelled: Annotated[
        bool,
        typer.Option("--labelled", help="Also score the items whose label the search was given."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a CSV file: classes by groups, in numbers of items.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file of --out if it is there.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Score groups against known classes."""
    from comraf import metrics
    from comraf.cli.kept import check_csv, write_csv
    from comraf.cli.show import clean
    from comraf.results.files import recover, safe_cell

    check_csv(out, force)
    recover(clusters)
    path = clusters / "clusters.csv" if clusters.is_dir() else clusters
    if clusters.is_dir() and not path.is_file():
        raise ReadError(
            f"{clusters} holds no clusters.csv; name a folder that comraf organize wrote, or a CSV "
            "file with the columns item and cluster"
        )
    found = column_of(path, "cluster")
    known = column_of(path, "truth") if truth is None else _classes(truth)
    if truth is not None:
        # files of an answer write some items in another way
        known = {item if item in found else safe_cell(item): known[item] for item in known}
        missing = [item for item in known if item not in found]
        if len(missing) == len(known):
            raise InputError(
                f"no item of {truth} is among those of {path}: its first item is "
                f"{clean(repr(missing[0]), 60)}, where {path.name} has such as "
                f"{clean(repr(next(iter(found))), 60)}"
            )
    given = column_of(path, "label", needed=False)
    items = [item for item in found if known.get(item)]
    if not items:
        raise InputError(f"{truth or path}: no item has a known class; {_HOW}")
    n_given = sum(1 for item in items if given.get(item))
    if n_given and not labelled:
        items = [item for item in items if not given.get(item)]
        if not items:
            raise InputError(
                f"{truth or path}: all {n_given:,} items with a known class were given to the "
                "search with their label; name classes of others with --truth, or add --labelled"
            )
        complain(
            "note",
            f"{counted(n_given, 'item')} whose label the search was given "
            f"{'is' if n_given == 1 else 'are'} left out; --labelled counts "
            f"{'it' if n_given == 1 else 'them'} too",
        )
    if len(items) < _FEW_ITEMS or len(items) < _FEW_SHARE * len(found):
        complain(
            "warning",
            f"only {len(items):,} of {counted(len(found), 'item')} "
            f"{'has' if len(items) == 1 else 'have'} a known class: scores of so few say little "
            "about the rest",
        )
    if len({known[item] for item in items}) == 1:
        complain("warning", f"{ONE_CLASS}: any groups would score the same")
    classes, labels = [known[item] for item in items], [found[item] for item in items]
    table = metrics.contingency(classes, labels)
    # by number, as everywhere else; classes with the most items first
    groups = sorted(table.clusters, key=lambda g: (not f"{g}".isdecimal(), len(f"{g}"), f"{g}"))
    sizes = dict(zip(table.categories, table.category_sizes.tolist(), strict=True))
    cells: dict[str, dict[str, int]] = {
        f"{name}": {} for name in sorted(sizes, key=lambda name: (-sizes[name], f"{name}"))
    }
    for row, column, n in zip(table.rows, table.columns, table.counts.tolist(), strict=True):
        cells[f"{table.categories[column]}"][f"{table.clusters[row]}"] = n
    if out is not None:
        lines = ([name, *(held.get(f"{g}", 0) for g in groups)] for name, held in cells.items())
        write_csv(out, ["class", *(f"group {group}" for group in groups)], lines, force=force)
    pairs = metrics.pairwise_precision_recall_f(classes, labels)
    told = metrics.explained_scores(classes, labels)
    counts = {
        "items": len(items),
        "items_without_class": sum(1 for item in found if not known.get(item)),
        **({"items_labelled": n_given} if n_given else {}),
        "classes": len(cells),
        "clusters": len(groups),
    }
    balanced = metrics.well_balanced(classes, labels)
    macro = metrics.macro_accuracy(classes, labels)
    if as_json:
        import json

        values = {score.name.lower().replace("-", "_").replace(" ", "_"): score for score in told}
        scores = {
            **counts,
            **{name: score.value for name, score in values.items()},
            # the same as purity, under its older name
            "micro_accuracy": values["purity"].value,
            "macro_accuracy": macro,
            "pairwise_precision": pairs.precision,
            "pairwise_recall": pairs.recall,
            "pairwise_f": pairs.f,
            "well_balanced": balanced,
            "meanings": {name: score.meaning for name, score in values.items()},
            "classes_by_clusters": cells,
        }
        typer.echo(json.dumps(scores))
        return
    rows = [
        *((score.name, f"{score.value:.4f}", score.meaning) for score in told),
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
    _show(counts, rows, cells, [f"{group}" for group in groups])


def _show(
    counts: dict[str, int],
    rows: list[tuple[str, str, str]],
    cells: dict[str, dict[str, int]],
    groups: list[str],
) -> None:
    """Print the scores with their meanings, and the classes by groups in as wide parts as fit."""
    from comraf.cli.show import MOST_SHOWN, clean, open_console, show_table, tell
    from comraf.cli.table import Facts

    console = open_console()
    for name, number in counts.items():
        tell(console, f"{name.replace('_', ' '):22}{number}")
    for name, value, meaning in rows:
        tell(console, f"{name:22}{value:8}{meaning}", indent=30)
    shown = [clean(name, 24) for name in list(cells)[:MOST_SHOWN]]
    wide = max(len(clean(group)) for group in groups[:MOST_SHOWN])
    wide = 2 + max(wide, max(len(f"{n}") for held in cells.values() for n in held.values()))
    step = max(1, (console.width - max(map(len, shown)) - 4) // wide)
    tell(console, "Classes (lines) by groups (columns), in numbers of items:")
    for start in range(0, min(len(groups), MOST_SHOWN), step):
        part = groups[start : min(start + step, MOST_SHOWN)]
        columns = [
            Facts(group, [f"{held.get(group, '.')}" for held in list(cells.values())[:MOST_SHOWN]])
            for group in part
        ]
        show_table(console, [Facts("class", shown, right=False), *columns], [])
    if len(groups) > MOST_SHOWN or len(cells) > MOST_SHOWN:
        tell(console, f"The first {MOST_SHOWN} of each are shown; --out FILE writes all.")


def _classes(path: Path) -> dict[str, str]:
    """Item -> class: the columns item and truth of a CSV file, or a file as --labels has it."""
    import csv

    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            heading = next(csv.reader(stream), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        heading = []  # the reader of labels says what is wrong
    from comraf.supervision.files import LABEL_NAMES, read_label_file

    named = LABEL_NAMES & {cell.casefold() for cell in heading}
    if "truth" in heading or ("item" in heading and not named):
        return column_of(path, "truth")

    return {item: label or "" for item, label in read_label_file(path)}


def column_of(path: Path, column: str, *, needed: bool = True) -> dict[str, str]:
    """Item -> entry of a column of a CSV file; nothing if it is not there and not needed."""
    import csv

    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            names = reader.fieldnames or []
            if not needed and column not in names:
                return {}
            # the files of other sides (people.csv) have their values in the first column
            key = "item" if "item" in names or names[:1] == [column] else next(iter(names), "item")
            for name in (key, column):
                if name not in names:
                    there = ", ".join(names) or "none"
                    hint = f"; {_HOW}" if name == "truth" else ""
                    raise InputError(f"{path} has no column {name!r}; it has {there}{hint}")
            out: dict[str, str] = {}
            for row in reader:
                if row[key] in out:
                    raise InputError(
                        f"{path}: {key} {row[key]!r} is there twice (line {reader.line_num})"
                    )
                out[row[key] or ""] = row[column] or ""
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        if str(path) == "folders" and isinstance(error, FileNotFoundError):
            reason = (
                "there is no such file. Classes by folders are told to organize (--truth folders); "
                "evaluate finds them in its answer by itself"
            )
        raise ReadError(f"can't read {path}: {reason}") from None
    return out
