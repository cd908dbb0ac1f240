"""Tables of ``benchmarks.constrained_speed``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.harness import markdown
from benchmarks.store import Record

__all__ = ["estimator_table", "inference_table"]


def inference_table(records: Sequence[Record]) -> str:
    """Kinds of inference beside ICM."""
    heads = ["data", "links", "method", "CPU s", "to ICM", "assignments s", "to ICM", "NMI"]
    base = {(r["dataset"], r["links"]): r for r in records if r["name"] == "icm"}
    lines = []
    for r in records:
        cells = [r["dataset"], str(r["links"]), r["name"].upper()]
        if r["status"] != "ok":
            lines.append([*cells, r["error"], *["–"] * 5])
            continue
        icm = base.get((r["dataset"], r["links"]))
        for what in ("seconds", "steps"):
            known = icm is not None and icm["status"] == "ok"
            cells += [_seconds(r[what]), f"{r[what] / icm[what]:.0f}×" if known else "–"]  # type: ignore[index]
        lines.append([*cells, _share(r["nmi"]), f"{r['objective']:,.2f}"])
    return f"### Inference\n\n{markdown([*heads, 'objective'], lines)}"


def estimator_table(title: str, records: Sequence[Record], titles: Mapping[str, str]) -> str:
    """Estimators, each beside the peer's."""
    first = records[0]
    about = f"### {title}: {first['dataset']}, {first['links']:,} links or labels"
    heads = ["estimator", "CPU s", "NMI", "peak MB", "peer CPU s", "peer NMI", "faster"]
    by = {(r["name"], r["owner"]): r for r in records}
    lines = []
    for name in dict.fromkeys(r["name"] for r in records):
        ours, theirs = by.get((name, "comraf")), by.get((name, "peer"))
        cells = [titles[name]]
        for record, names in ((ours, ("nmi", "peak_mb")), (theirs, ("nmi",))):
            if record is None:
                cells += ["–"] * (1 + len(names))
            elif record["status"] != "ok":
                cells += [record["error"].replace("|", "/"), *["–"] * len(names)]
            else:
                cells += [_seconds(record["seconds"]), _share(record["nmi"])]
                cells += [f"{record['peak_mb']:,}"] if "peak_mb" in names else []
        both = ours and theirs and ours["status"] == theirs["status"] == "ok"
        cells.append(f"{theirs['seconds'] / ours['seconds']:.0f}×" if both else "–")  # type: ignore[index]
        lines.append(cells)
    return f"{about}\n\n{markdown(heads, lines)}"


def _seconds(value: float) -> str:
    return f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 1 else f"{value:.1f}"


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")
