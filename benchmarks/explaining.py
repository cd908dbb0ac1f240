"""Whether explanations and confidence can be trusted, on collections with known classes.

::

    python -m benchmarks.explaining --data DIR --datasets 20ng classic 100each-0 --seeds 0

Two tables. *Explanations*: the strongest evidence words of documents are taken out of them, and
it is counted how often the margin falls; beside it the same number of other words, drawn at
random. "As counted" leaves all other counts as they are; "as text" takes the words out of the
text and weights what is left anew. *Confidence*: the share of documents in the commonest class
of their cluster, by deciles of confidence; the classes are used for nothing else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.datasets import Dataset, load
from benchmarks.harness import data_folder, markdown, parser_of, run, say
from comraf import MDC
from comraf.graph import Edge, Graph, Node
from comraf.graph.tables import as_counts
from comraf.metrics import micro_accuracy
from comraf.results import Result
from comraf.results.confidence import confidence, reliability
from comraf.results.explain import Explainer

__all__ = ["Removal", "main", "removed", "rightness"]

_WEIGHTING = "root_rows"


@dataclass(frozen=True)
class Removal:
    """How often the margin of a document fell when words were taken out of it."""

    n: int
    counted: float
    text: float
    at_random: float


def graph_of(counts: sp.csr_array, k: int) -> Graph:
    """The graph that ``comraf.MDC`` makes of one table."""
    return Graph(
        [Node("rows", n_clusters=k), Node("columns", direction="top-down")],
        [Edge("rows", "columns", counts, weighting=_WEIGHTING)],
    )


def removed(
    counts: sp.csr_array, graph: Graph, result: Result, *, top: int, most: int, seed: int
) -> Removal:
    """Take the ``top`` evidence words out of at most ``most`` documents, drawn at random.

    Examples
    --------
    >>> table = sp.csr_array(np.kron(np.eye(2, dtype=int) * 4 + 1, np.ones((6, 5), dtype=int)))
    >>> graph = graph_of(table, 2)
    >>> result = MDC(2, random_state=0).fit(table).result_
    >>> removed(table, graph, result, top=2, most=10, seed=0).counted
    1.0
    """
    explainer = Explainer(graph, result)
    rng = np.random.default_rng(seed)
    lengths = np.diff(counts.indptr)
    drawn = np.sort(rng.permutation(np.flatnonzero(lengths > top))[:most])
    units = graph.edges[0].units
    falls: list[tuple[bool, bool, bool]] = []
    for item in drawn.tolist():
        why = explainer.why("rows", item)
        words = [piece.value for piece in why.evidence[:top] if piece.contribution > 0]
        if not words:
            continue
        others = rng.choice([piece.value for piece in why.evidence], len(words), replace=False)
        text = counts[[item]].copy()
        text.data[np.isin(text.indices, words)] = 0
        text.eliminate_zeros()
        anew = as_counts(text, _WEIGHTING, units=units)
        falls.append(
            (
                explainer.why("rows", item, without={"columns": words}).margin < why.margin,
                explainer.with_counts("rows", item, {"columns": anew}).margin < why.margin,
                explainer.why("rows", item, without={"columns": others}).margin < why.margin,
            )
        )
    shares = np.mean(np.array(falls, dtype=float).reshape(-1, 3), axis=0)
    return Removal(len(falls), *(float(share) for share in shares))


def rightness(truth: npt.NDArray[np.integer], labels: npt.NDArray[np.integer]) -> np.ndarray:
    """Which items are of the commonest class of their cluster.

    Examples
    --------
    >>> rightness(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])).tolist()
    [True, True, False, True]
    """
    table = np.zeros((int(labels.max()) + 1, int(truth.max()) + 1), dtype=np.int64)
    np.add.at(table, (labels, truth), 1)
    return np.asarray(table.argmax(axis=1)[labels] == truth)


def _fitted(table: Dataset, seed: int, effort: str) -> tuple[sp.csr_array, Graph, Result]:
    counts = sp.csr_array(table.counts)
    k = table.n_classes
    result = MDC(k, effort=effort, weighting=_WEIGHTING, random_state=seed).fit(counts).result_
    return counts, graph_of(counts, k), result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        *("explaining", __doc__, "data", "cache"),
        datasets=["20ng", "classic", "100each-0"],
        seeds=[0],
        effort="default",
    )
    add = parser.add_argument
    add("--documents", type=int, default=2000, metavar="N", help="documents to explain")
    add("--top", type=int, default=5, metavar="N", help="evidence words to take out")
    return run(parser, arguments, _measure)


def _measure(options: argparse.Namespace) -> None:
    explained, sure = [], []
    for name in options.datasets:
        table = load(name, data_folder(options.data), options.cache)
        for seed in options.seeds:
            counts, graph, result = _fitted(table, seed, options.effort)
            labels = result.labels["rows"]
            accuracy = micro_accuracy(table.truth, labels)
            say(f"{name} seed {seed}: accuracy {accuracy:.3f}, {result.seconds:.0f} s")
            out = removed(counts, graph, result, top=options.top, most=options.documents, seed=seed)
            shares = (f"{share:.1%}" for share in (out.counted, out.text, out.at_random))
            explained.append([name, seed, f"{out.n:,}", *shares])
            right = rightness(table.truth, labels)
            found = reliability(confidence(graph, result, "rows"), right)
            both = zip(found.confidence, found.accuracy, strict=True)
            deciles = " ".join(f"{c:.2f}:{a:.2f}" for c, a in both)
            sure.append([name, seed, deciles, f"{found.error:.3f}", f"{found.deepest_fall:.3f}"])
    heads = ["collection", "seed", "documents", "as counted", "as text", "other words"]
    print(markdown(heads, explained), end="\n\n")
    heads = ["collection", "seed", "confidence: accuracy by deciles", "error", "deepest fall"]
    print(markdown(heads, sure))


if __name__ == "__main__":
    sys.exit(main())
