"""Solved graphs for the tests of results: random ones, and one with topics."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from comraf.graph import Edge, Graph, Node
from comraf.results import Result
from comraf.results.solved import Solved
from tests.strategies import graphs, random_labels, seeds

__all__ = ["brute_score", "damaged", "hidden_nodes", "one_table", "solved_graphs", "topics"]


@st.composite
def solved_graphs(draw: st.DrawFn, least: int = 2) -> tuple[Graph, Result]:
    """A graph with cycles, parallel edges and real counts, at random partitions and levels."""
    graph = draw(graphs(observed=draw(st.booleans())))
    rng = np.random.default_rng(draw(seeds))
    labels, n_clusters, levels = {}, {}, {}
    for node in graph.nodes:
        n = graph.sizes[node.name]
        if node.hidden:
            k = int(rng.integers(min(least, n), min(5, n) + 1))
            found = random_labels(rng, n, k)
            if rng.random() < 0.7:  # walked levels, nested or not, now and then as fine as can be
                finer = sorted({int(rng.integers(k, n + 1)) for _ in range(3)} - {k}, reverse=True)
                levels[node.name] = (*(random_labels(rng, n, m) for m in finer), found)
        elif isinstance(node.observed, str):
            k, found = n, np.arange(n)
        else:
            found = np.asarray(node.observed)
            k = int(found.max()) + 1
        labels[node.name], n_clusters[node.name] = found, k
    edges = Solved(graph, Result(labels, n_clusters, 0.0, ())).edges()
    objective = sum(edge.weight * edge.information for edge in edges)
    return graph, Result(labels, n_clusters, objective, edges, levels=levels)


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """Bytes of a file with flipped bits, and parts that were cut out or put in."""
    found = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        if not found:
            break
        at = draw(st.integers(0, len(found) - 1))
        kind = draw(st.sampled_from(["flip", "cut", "insert", "truncate"]))
        if kind == "flip":
            found[at] ^= 1 << draw(st.integers(0, 7))
        elif kind == "cut":
            del found[at : at + draw(st.integers(1, 50))]
        elif kind == "truncate":
            del found[at:]
        else:
            found[at:at] = draw(st.binary(min_size=1, max_size=8))
    return bytes(found)


def hidden_nodes(graph: Graph) -> list[str]:
    """Names of the nodes that can be explained and edited."""
    return [node.name for node in graph.nodes if node.hidden]


def topics(
    n: int = 60, m: int = 40, k: int = 3, strength: float = 3.0, seed: int = 0
) -> tuple[sp.csr_array, np.ndarray]:
    """Counts of n documents over m words in k topics, and the topics."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n) % k
    rate = np.where(topic[:, None] == (np.arange(m) % k)[None, :], strength, 0.5)
    return sp.csr_array(rng.poisson(rate)), topic


def brute_score(graph: Graph, result: Result, node: str, value: int, cluster: int) -> float:
    """The objective with one value put into a cluster."""
    labels = {name: np.array(array) for name, array in result.labels.items()}
    labels[node][value] = cluster
    return Solved(graph, Result(labels, result.n_clusters, 0.0, ())).objective


def one_table(table: sp.csr_array, k: int) -> Graph:
    """Documents and words, as the front doors join them."""
    return Graph(
        [Node("documents", n_clusters=k), Node("words", direction="top-down")],
        [Edge("documents", "words", table)],
    )
