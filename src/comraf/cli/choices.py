"""The words that options take, for help texts that load nothing heavy.

The engine has the same words; a test holds the two equal.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

__all__ = [
    "BalanceOption",
    "BlobsBy",
    "ColourSpace",
    "Direction",
    "EdgeWeights",
    "Effort",
    "FileFormat",
    "LabelsAs",
    "MergeCost",
    "MergeCostOption",
    "Method",
    "Moves",
    "RunsOption",
    "Schedule",
    "ScheduleOption",
    "Updates",
    "Weighting",
]


class ColourSpace(StrEnum):
    """What a palette is even in."""

    rgb = "rgb"
    lab = "lab"


class Weighting(StrEnum):
    """How counts enter the objective."""

    raw = "raw"
    binary = "binary"
    log = "log"
    equal_rows = "equal_rows"
    root_rows = "root_rows"


class EdgeWeights(StrEnum):
    """What each side weighs beside the others."""

    root_mass = "root_mass"
    equal = "equal"
    mass = "mass"
    information = "information"


class Effort(StrEnum):
    """What the search may cost."""

    quick = "quick"
    default = "default"
    thorough = "thorough"
    paper = "paper"


class Method(StrEnum):
    """How to cluster."""

    mdc = "mdc"
    cliquewise = "cliquewise"
    itcc = "itcc"
    sequential = "sequential"
    agglomerative = "agglomerative"
    ib = "ib"


class Updates(StrEnum):
    """How co-clustering moves rows and columns."""

    batch = "batch"
    sequential = "sequential"


class Direction(StrEnum):
    """Single values that merge, or one cluster that splits."""

    bottom_up = "bottom-up"
    top_down = "top-down"


class Moves(StrEnum):
    """How values move between clusters."""

    sequential = "sequential"
    shuffled = "shuffled"
    annealed = "annealed"


class LabelsAs(StrEnum):
    """What labels are taken for."""

    intrinsic = "intrinsic"
    constrained = "constrained"
    seeds = "seeds"


class Schedule(StrEnum):
    """In which order the sides are split and merged."""

    thesis = "thesis"
    round_robin = "round_robin"
    double = "double"
    weighted = "weighted"
    reverse = "reverse"
    bottom_up = "bottom_up"


class MergeCost(StrEnum):
    """What makes two clusters close."""

    loss = "loss"
    js = "js"


class BlobsBy(StrEnum):
    """Who makes blobs of the regions of photos."""

    kmeans = "kmeans"
    comraf = "comraf"


class FileFormat(StrEnum):
    """What a table's file is."""

    npz = "npz"
    npy = "npy"
    mtx = "mtx"
    csv = "csv"
    tsv = "tsv"
    parquet = "parquet"


ScheduleOption = Annotated[
    Schedule,
    typer.Option(
        help="In which order the sides are split and merged: thesis, round_robin, double or "
        "weighted; reverse splits the items and merges all other sides, bottom_up merges all, "
        "which is dear where they are large."
    ),
]
MergeCostOption = Annotated[
    MergeCost,
    typer.Option(
        help="What makes two clusters close: the objective lost by merging them (loss), or their "
        "Jensen-Shannon divergence (js)."
    ),
]
RunsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=1000,
        metavar="N",
        help="Independent runs that agree on the groups. Default: as --effort says.",
        show_default=False,
    ),
]
BalanceOption = Annotated[
    bool,
    typer.Option("--balance", help="Split clusters smaller than the average less often (2005)."),
]
