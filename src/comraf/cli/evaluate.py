"""``comraf evaluate``: how well groups agree with known classes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from comraf.cli.program import complain
from comraf.cli.wording import counted
from comraf.errors import InputError, ReadError

__all__ = ["HELP", "ONE_CLASS", "evaluate"]

HELP = """Score groups against known classes.

CLUSTERS is a folder that organize wrote, or a CSV file with the columns item and cluster.
The classes are its column "truth", or come from a second CSV file with the columns item and
truth. Items whose class is not known are left out.

\b
Examples:
  comraf evaluate mail-groups
  comraf evaluate mail-groups --truth classes.csv
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
        typer.Option(metavar="FILE", help="CSV file of the known classes.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Score groups against known classes."""
    from comraf import metrics

    path = clusters / "clusters.csv" if clusters.is_dir() else clusters
    if clusters.is_dir() and not path.is_file():
        raise ReadError(
            f"{clusters} holds no clusters.csv; name a folder that comraf organize wrote, or a CSV "
            "file with the columns item and cluster"
        )
    found = _column(path, "cluster")
    known = _column(truth or path, "truth")
    if truth is not None:
        missing = [item for item in known if item not in found]
        if len(missing) == len(known):
            raise InputError(f"no item of {truth} is among those of {path}")
    items = [item for item in found if known.get(item)]
    if not items:
        raise InputError(f"{truth or path}: no item has a known class; {_HOW}")
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
    pairs = metrics.pairwise_precision_recall_f(classes, labels)
    scores = {
        "items": len(items),
        "items_without_class": len(found) - len(items),
        "classes": len(set(classes)),
        "clusters": len(set(labels)),
        "micro_accuracy": metrics.micro_accuracy(classes, labels),
        "macro_accuracy": metrics.macro_accuracy(classes, labels),
        "nmi": metrics.nmi(classes, labels),
        "ari": metrics.ari(classes, labels),
        "pairwise_precision": pairs.precision,
        "pairwise_recall": pairs.recall,
        "pairwise_f": pairs.f,
        "well_balanced": metrics.well_balanced(classes, labels),
    }
    if as_json:
        import json

        typer.echo(json.dumps(scores))
        return
    for name, value in scores.items():
        shown = f"{value:.4f}" if isinstance(value, float) else f"{value}"
        typer.echo(f"{name.replace('_', ' '):22}{shown}")


def _column(path: Path, column: str) -> dict[str, str]:
    """Item -> entry of a column of a CSV file."""
    import csv

    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            names = reader.fieldnames or []
            for needed in ("item", column):
                if needed not in names:
                    there = ", ".join(names) or "none"
                    hint = f"; {_HOW}" if needed == "truth" else ""
                    raise InputError(f"{path} has no column {needed!r}; it has {there}{hint}")
            out: dict[str, str] = {}
            for row in reader:
                if row["item"] in out:
                    raise InputError(
                        f"{path}: item {row['item']!r} is there twice (line {reader.line_num})"
                    )
                out[row["item"] or ""] = row[column] or ""
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ReadError(f"can't read {path}: {reason}") from None
    return out
