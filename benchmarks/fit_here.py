"""One timed fit by whichever comraf is on the path: ``benchmarks.against_earlier`` starts it.

A job comes as JSON on standard input, the result goes as JSON to standard output. Nothing but
numpy, scipy, numba and comraf's public names is used, so that earlier versions can be timed, too.
"""

from __future__ import annotations

import json
import os
import sys
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numba.core.event import install_recorder

__all__ = ["main"]

# Rows of the small fit that has everything compiled before the clock starts.
_FEW = 1200


def main() -> None:
    """Fit, and tell seconds and labels."""
    job = json.load(sys.stdin)
    with np.load(job["file"]) as stored:
        parts = dict(stored)
    tables: dict[str, Any] = {}
    for side in job["sides"]:
        if f"{side}.dense" in parts:
            tables[side] = parts[f"{side}.dense"]
        else:
            arrays = [parts[f"{side}.{name}"] for name in ("data", "indices", "indptr")]
            tables[side] = sp.csr_array(tuple(arrays), shape=parts[f"{side}.shape"])
    known = {name: parts[name] for name in job["known"]}
    n = next(iter(tables.values())).shape[0]
    few = np.arange(min(n, _FEW))
    _fit(
        {side: table[few] for side, table in tables.items()},
        {name: _within(name, given, len(few)) for name, given in known.items()},
        {**job, "parameters": {**job["parameters"], "effort": "default", "n_runs": 2}},
    )
    load = os.getloadavg()[0]
    for _ in range(3):  # what many rows alone need may have been compiled in the first of them
        with install_recorder("numba:compile") as compiled:
            cpu, wall = time.process_time(), time.perf_counter()
            labels = _fit(tables, known, job)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        if not compiled.buffer:
            break
    load = (load + os.getloadavg()[0]) / 2
    print(json.dumps({"cpu": cpu, "wall": wall, "load": load, "labels": labels.tolist()}))


def _within(name: str, given: Any, n: int) -> Any:
    """What is known of the first rows."""
    return given[:n] if name == "labels" else given[(given < n).all(axis=1)]


def _fit(tables: Any, known: Any, job: Any) -> Any:
    import comraf

    k, parameters = job["k"], {**job["parameters"], "random_state": job["seed"]}
    if job["estimator"] == "MDC":
        (table,) = tables.values()
        return np.asarray(comraf.MDC(k, **parameters).fit(table, **known).labels_)
    if any(not sp.issparse(table) for table in tables.values()):
        tables = comraf.feature_tables(tables)
    facts = {side: {"observed": side in job["observed"]} for side in tables}
    collection = SimpleNamespace(
        tables=tables, sides={side: SimpleNamespace(facts=facts[side]) for side in tables}
    )
    model = comraf.Organizer(k, **parameters).fit(collection, **known)
    return np.asarray(model.labels_)


if __name__ == "__main__":
    main()
