"""What neighbours of embeddings are worth beside words: 100 documents of each newsgroup.

::

    python -m benchmarks.neighbours --data DIR --embeddings VECTORS --model FOLDER
    python -m benchmarks.neighbours --data DIR --embeddings VECTORS --seeds 0 1 2 3 4

VECTORS is a folder of ``100each-0.npy`` and so on, one row for each document of the draw.
What is not there is made with the sentence model in FOLDER (subject and body, as words are
counted); nothing is downloaded. Numbers are mean micro accuracies over draws and seeds, ± the
standard error over all fits; on each draw also the means of its seeds.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import Dataset, load
from benchmarks.datasets.newsgroups import message_text, newsgroups_files
from benchmarks.run import data_folder, default_cache
from comraf.errors import ComrafError, InputError
from comraf.estimators.mdc import MDC
from comraf.graph import as_embeddings, neighbour_table
from comraf.metrics import micro_accuracy

__all__ = ["METHODS", "main", "vectors_of"]

Fit = Callable[[Any, Any, int, int], Any]


def _kmeans(counts: Any, vectors: Any, k: int, seed: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=seed).fit(vectors).labels_


def _words(counts: Any, vectors: Any, k: int, seed: int) -> Any:
    return MDC(k, random_state=seed).fit(counts).labels_


def _neighbours(counts: Any, vectors: Any, k: int, seed: int) -> Any:
    return MDC(k, random_state=seed).fit(neighbour_table(vectors)).labels_


def _both(counts: Any, vectors: Any, k: int, seed: int) -> Any:
    tables = {"words": counts, "neighbours": neighbour_table(vectors)}
    return MDC(k, random_state=seed).fit(tables).labels_


#: Row of the table -> (counts, vectors, k, seed) to labels; all with default settings.
METHODS: dict[str, Fit] = {
    "KMeans on the embeddings, best of 10": _kmeans,
    "MDC: words": _words,
    "MDC: neighbours": _neighbours,
    "MDC: words + neighbours": _both,
}


def vectors_of(table: Dataset, folder: Path, model: Path | None, data: Path) -> Any:
    """Embeddings of a dataset's documents, made and kept if they are not there."""
    path = folder / f"{table.name}.npy"
    if path.is_file():
        vectors = as_embeddings(path)
        if len(vectors) != len(table.row_names):
            raise InputError(
                f"{path} has {len(vectors)} rows for {len(table.row_names)} documents; delete it"
            )
        return vectors
    if model is None:
        raise InputError(f"{path} is not there; --model names a sentence model that makes it")
    from comraf.collection.embedding import open_model

    texts = _texts(set(table.row_names), data)
    vectors = open_model(model).embed(texts[name] for name in table.row_names)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(path, vectors)
    return vectors


def _texts(wanted: set[str], data: Path) -> dict[str, str]:
    found = {}
    with tarfile.open(data / newsgroups_files[0]) as archive:
        for member in archive:
            name = "/".join(member.name.split("/")[-2:])
            stream = archive.extractfile(member) if name in wanted else None
            if stream is not None:
                found[name] = message_text(stream.read())
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.neighbours",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", help="folder of the raw collections (default: environment COMRAF_DATA)")
    add("--embeddings", type=Path, required=True, help="folder of the embeddings")
    add("--model", type=Path, default=None, help="folder of a sentence model")
    add("--draws", nargs="+", type=int, default=[0, 1, 2], metavar="N")
    add("--seeds", nargs="+", type=int, default=[0, 1, 2], metavar="N")
    add("--cache", type=Path, default=None, help="folder of prepared tables")
    options = parser.parse_args(arguments)
    scores: dict[str, list[list[float]]] = {name: [] for name in METHODS}
    seconds = dict.fromkeys(METHODS, 0.0)
    try:
        data = data_folder(options.data)
        for draw in options.draws:
            table = load(f"100each-{draw}", data, options.cache or default_cache())
            vectors = vectors_of(table, options.embeddings, options.model, data)
            for name, fit in METHODS.items():
                cpu = time.process_time()
                scores[name].append(
                    [
                        micro_accuracy(table.truth, fit(table.counts, vectors, 20, seed))
                        for seed in options.seeds
                    ]
                )
                seconds[name] += time.process_time() - cpu
    except ComrafError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    draws = " | ".join(f"draw {draw}" for draw in options.draws)
    print(
        f"| method | accuracy | {draws} | CPU s a fit |\n|---|---|{'---|' * len(options.draws)}---|"
    )
    for name, found in scores.items():
        every = np.array(found).ravel()
        error = f" ± {every.std(ddof=1) / len(every) ** 0.5:.3f}" if len(every) > 1 else ""
        means = " | ".join(f"{np.mean(part):.3f}" for part in found)
        print(
            f"| {name} | {every.mean():.3f}{error} | {means} | {seconds[name] / len(every):.1f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
