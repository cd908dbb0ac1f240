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
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import Dataset, load
from benchmarks.datasets.newsgroups import iter_messages, message_text
from benchmarks.harness import data_folder, markdown, mean_error, parser_of, run
from comraf.errors import InputError
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

    texts = {name: message_text(raw) for _, name, raw in iter_messages(data)}
    vectors = open_model(model).embed(texts[name] for name in table.row_names)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(path, vectors)
    return vectors


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of("neighbours", __doc__, "data", "cache", seeds=[0, 1, 2])
    add = parser.add_argument
    add("--embeddings", type=Path, required=True, help="folder of the embeddings")
    add("--model", type=Path, default=None, help="folder of a sentence model")
    add("--draws", nargs="+", type=int, default=[0, 1, 2], metavar="N")
    return run(parser, arguments, _measure)


def _measure(options: argparse.Namespace) -> None:
    scores: dict[str, list[list[float]]] = {name: [] for name in METHODS}
    seconds = dict.fromkeys(METHODS, 0.0)
    data = data_folder(options.data)
    for draw in options.draws:
        table = load(f"100each-{draw}", data, options.cache)
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
    lines = []
    for name, found in scores.items():
        every = np.concatenate(found).tolist()
        means = [f"{np.mean(part):.3f}" for part in found]
        lines.append([name, mean_error(every), *means, f"{seconds[name] / len(every):.1f}"])
    draws = [f"draw {draw}" for draw in options.draws]
    print(markdown(["method", "accuracy", *draws, "CPU s a fit"], lines))


if __name__ == "__main__":
    sys.exit(main())
