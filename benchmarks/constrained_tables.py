"""Tables of ``benchmarks.constrained_speed``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.store import Record

__all__ = ["estimator_table", "inference_table"]


def inference_table(records: Sequence[Record]) -> str:
    """Kinds of inference beside ICM."""
    lines = [
        "### Inference",
        "",
        "| data | links | method | CPU s | to ICM | assignments s | to ICM | NMI | objective |",
    ]
    lines.append("|---|---|---|---|---|---|---|---|---|")
    base = {(r["dataset"], r["links"]): r for r in records if r["name"] == "icm"}
    for r in records:
        cells = [r["dataset"], str(r["links"]), r["name"].upper()]
        if r["status"] != "ok":
            lines.append("| " + " | ".join([*cells, r["error"], *["–"] * 5]) + " |")
            continue
        icm = base.get((r["dataset"], r["links"]))
        for what in ("seconds", "steps"):
            known = icm is not None and icm["status"] == "ok"
            cells += [_seconds(r[what]), f"{r[what] / icm[what]:.0f}×" if known else "–"]  # type: ignore[index]
        cells += [_share(r["nmi"]), f"{r['objective']:,.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def estimator_table(title: str, records: Sequence[Record], titles: Mapping[str, str]) -> str:
    """Estimators, each beside the peer's."""
    first = records[0]
    lines = [f"### {title}: {first['dataset']}, {first['links']:,} links or labels", ""]
    lines.append("| estimator | CPU s | NMI | peak MB | peer CPU s | peer NMI | faster |")
    lines.append("|---|---|---|---|---|---|---|")
    by = {(r["name"], r["owner"]): r for r in records}
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
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _seconds(value: float) -> str:
    return f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 1 else f"{value:.1f}"


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")
