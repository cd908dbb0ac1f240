"""Stored results of ``benchmarks.supervised`` to Markdown."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from benchmarks.harness import markdown
from benchmarks.labelled_data import Told, tables_of
from benchmarks.labelled_methods import BASE, METHODS, Options, chosen
from benchmarks.store import Record, key_of
from benchmarks.tables import spread

__all__ = ["COLUMNS", "KEY", "table"]

COLUMNS = (
    "method",
    "wrong labels",
    "runs",
    "accuracy",
    "plain",
    "CPU s",
    "CPU ratio",
    "violated",
)
#: What a record is known by.
KEY = (
    *("dataset", "fingerprint", "method", "version", "settings", "seed"),
    *("share", "noise", "links"),
)


def table(records: Sequence[Record], dataset: str, amount: str) -> str:
    """Markdown of one dataset and one amount: rows of methods, their settings and wrong labels.

    Only what the newest version of each made on the newest table is shown. A CPU ratio is to
    the same version, settings and number of threads.
    """
    mine = [r for r in records if r["dataset"] in tables_of(dataset) and _amount(r) == amount]
    prints = {r["dataset"]: r["fingerprint"] for r in mine}
    mine = [r for r in mine if r["fingerprint"] == prints[r["dataset"]]]
    versions = {_row(r): r["version"] for r in mine}
    last = list({key_of(r, KEY): r for r in mine if versions[_row(r)] == r["version"]}.values())
    if not last:
        return ""
    base = {_base(r): r["cpu_s"] for r in last if r["method"] == BASE and r["status"] == "ok"}
    groups: dict[tuple[float, int, str], list[Record]] = {}
    order = list(METHODS)
    for record in last:
        key = (record["noise"], order.index(record["method"]), _row(record))
        groups.setdefault(key, []).append(record)
    lines = [f"### {dataset}, {amount}", "", _facts(last), ""]
    lines.append(markdown(COLUMNS, [_cells(groups[key], base) for key in sorted(groups)]))
    errors = dict.fromkeys(f"- {_title(r)}: {r['error']}" for r in last if r["status"] != "ok")
    return "\n".join([*lines, *([""] if errors else []), *errors])


def _amount(record: Record) -> str:
    return Told(record["share"], record["noise"], record["links"]).amount


def _row(record: Record) -> str:
    return json.dumps([record["method"], record["settings"]], sort_keys=True)


def _base(record: Record) -> str:
    settings = chosen(BASE, Options(chosen=record["settings"]))
    names = ("dataset", "version", "seed", "jobs")
    return json.dumps([settings, *(record[name] for name in names)], sort_keys=True)


def _title(record: Record) -> str:
    method = METHODS[record["method"]]
    if not method.ours:
        return method.title
    others = {k: v for k, v in record["settings"].items() if (k, v) != ("estimator", "MDC")}
    return ", ".join([method.title, *(f"{name}={value}" for name, value in others.items())])


def _facts(records: Sequence[Record]) -> str:
    sizes = "; ".join(
        dict.fromkeys(
            f"{r['dataset']}: {r['documents']:,} documents, k = {r['k']}" for r in records
        )
    )
    scored = sorted({r["scored"] for r in records if r["status"] == "ok"})
    ends = " to ".join(f"{number:,}" for number in dict.fromkeys((*scored[:1], *scored[-1:])))
    some = f" Scored on {ends} of them." if ends else ""
    return f"{sizes}.{some} ± is the standard deviation over runs."


def _cells(group: Sequence[Record], base: dict[str, float]) -> list[str]:
    title, noise = _title(group[0]), f"{100 * group[0]['noise']:g}%"
    good = [r for r in group if r["status"] == "ok"]
    if not good:
        return [title, noise, "0", "failed", *["–"] * 4]
    ours = METHODS[group[0]["method"]].ours
    both = [r for r in good if _base(r) in base] if ours else []
    below = sum(base[_base(r)] for r in both)
    broken = [r["must_violated"] + r["cannot_violated"] for r in good]
    links = [r["must"] + r["cannot"] for r in good]
    return [
        title,
        noise,
        str(len(good)),
        _spread([r["accuracy"] for r in good]),
        _spread([r["plain"] for r in good]),
        spread([r["cpu_s"] for r in good]),
        f"{sum(r['cpu_s'] for r in both) / below:.2f}×" if below else "–",
        f"{np.mean(broken):,.0f} of {np.mean(links):,.0f}" if ours else "–",
    ]


def _spread(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return spread(known, 3) if known else "–"
