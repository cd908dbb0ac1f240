"""Stored results to tables: means, spread over seeds, ratios."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks import harness
from benchmarks.methods import METHODS
from benchmarks.store import Record

__all__ = ["COLUMNS", "Row", "cells", "current", "markdown", "rows", "spread"]

COLUMNS = (
    "method",
    "weighting",
    "seeds",
    "accuracy",
    "NMI",
    "ARI",
    "CPU s",
    "CPU ratio",
    "wall s",
    "peak MB",
)


@dataclass(frozen=True)
class Row:
    """What is known about one method and weighting on one dataset."""

    method: str
    weighting: str
    measured: tuple[Record, ...] = ()
    failed: tuple[Record, ...] = ()
    ratio: float | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def accuracy(self) -> float:
        """Mean accuracy, minus infinity if nothing was measured."""
        if not self.measured:
            return -math.inf
        return statistics.fmean(r["accuracy"] for r in self.measured)


def current(records: Sequence[Record]) -> list[Record]:
    """Keep the last result of each cell, and only of the newest table and version.

    A mean over seeds must not mix results of two versions of a package or of two
    versions of a table.

    Examples
    --------
    >>> old = {"dataset": "d", "method": "m", "weighting": "raw", "seed": 0, "version": "1"}
    >>> [r["version"] for r in current([old, old | {"seed": 1, "version": "2"}])]
    ['2']
    """
    makes: dict[tuple[str, str, str], tuple[object, ...]] = {}
    tables: dict[str, object] = {}
    for record in records:
        makes[_row_key(record)] = _make(record)
        tables[record["dataset"]] = record.get("fingerprint")
    last = {
        (*_row_key(record), record["seed"]): record
        for record in records
        if makes[_row_key(record)] == _make(record)
        and tables[record["dataset"]] == record.get("fingerprint")
    }
    return list(last.values())


def rows(records: Sequence[Record], dataset: str, base: tuple[str, str]) -> list[Row]:
    """Rows of one dataset's table, the most accurate first.

    Parameters
    ----------
    records : sequence of dict
        Stored results, of any datasets.
    dataset : str
        The one to tabulate.
    base : (method, weighting)
        CPU ratios are to this one, over the seeds that both have.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in current(records):
        if record["dataset"] == dataset:
            groups.setdefault((record["method"], record["weighting"]), []).append(record)
    yardstick = {r["seed"]: r["cpu_s"] for r in groups.get(base, []) if r["status"] == "ok"}
    found = [
        _row(method, weighting, group, yardstick) for (method, weighting), group in groups.items()
    ]
    return sorted(found, key=lambda row: row.accuracy, reverse=True)


def _row(method: str, weighting: str, group: list[Record], yardstick: dict[int, float]) -> Row:
    group = sorted(group, key=lambda r: int(r["seed"]))
    measured = [r for r in group if r["status"] == "ok"]
    failed = [r for r in group if r["status"] != "ok"]
    shared = [r for r in measured if r["seed"] in yardstick]
    ratio = None
    if shared and (bottom := sum(yardstick[r["seed"]] for r in shared)) > 0:
        ratio = sum(r["cpu_s"] for r in shared) / bottom
    notes = [f"seed {r['seed']} {r['status']}: {r.get('error', '')}".rstrip(": ") for r in failed]
    if any(r["compile_s"] > 0.05 * r["cpu_s"] and r["compile_s"] > 0.1 for r in measured):
        worst = max(r["compile_s"] for r in measured)
        notes.append(f"CPU seconds include up to {worst:.1f} s of compilation")
    k = measured[0]["k"] if measured else None
    if any(r["n_clusters"] != k for r in measured):
        least = min(r["n_clusters"] for r in measured)
        notes.append(f"only {least} of the {k} clusters have documents in some run")
    return Row(method, weighting, tuple(measured), tuple(failed), ratio, tuple(notes))


def cells(row: Row) -> list[str]:
    """Text of one row, one string for each of ``COLUMNS``."""
    title = METHODS[row.method].title if row.method in METHODS else row.method
    if not row.measured:
        what = row.failed[0]["status"] if row.failed else "–"
        return [title, row.weighting, "0", what, *["–"] * 6]
    take = {key: [r[key] for r in row.measured] for key in ("accuracy", "nmi", "ari")}
    peaks = [r["peak_mb"] for r in row.measured if r["peak_mb"] is not None]
    return [
        title,
        row.weighting,
        str(len(row.measured)),
        spread(take["accuracy"], 3),
        spread(take["nmi"], 3),
        spread(take["ari"], 3),
        spread([r["cpu_s"] for r in row.measured]),
        "–" if row.ratio is None else _number(row.ratio, None) + "×",
        _number(statistics.fmean(r["wall_s"] for r in row.measured), None),
        "–" if not peaks else f"{max(peaks):.0f}",
    ]


def spread(values: Sequence[float], digits: int | None = None) -> str:
    """Mean, and the sample standard deviation where there are two values or more.

    Examples
    --------
    >>> spread([0.5, 0.7], 3), spread([0.646], 3), spread([82.4])
    ('.600 ± .141', '.646', '82')
    """
    mean = statistics.fmean(values)
    if len(values) < 2:
        return _number(mean, digits)
    if digits is None:
        # As many digits behind the ± as the mean has.
        digits = _digits(mean)
    return f"{_number(mean, digits)} ± {_number(statistics.stdev(values), digits)}"


def markdown(table: Sequence[Row]) -> str:
    """Write a Markdown table, notes below it."""
    noted = [f"- {cells(row)[0]}, {row.weighting}: {note}" for row in table for note in row.notes]
    lines = harness.markdown(COLUMNS, map(cells, table))
    return "\n".join([lines, *([""] if noted else []), *noted])


def _digits(value: float) -> int:
    return 0 if abs(value) >= 20 else 1 if abs(value) >= 2 else 2


def _number(value: float, digits: int | None) -> str:
    text = f"{value:.{_digits(value) if digits is None else digits}f}"
    # Scores read better without their zero: .646.
    return text[1:] if digits == 3 and text.startswith("0.") else text


def _row_key(record: Record) -> tuple[str, str, str]:
    return record["dataset"], record["method"], record["weighting"]


def _make(record: Record) -> tuple[object, ...]:
    return record.get("version"), repr(record.get("settings"))
