"""Random graphs, plans and states for property tests: small, but with every feature."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from comraf.graph import Edge, Graph, Node
from comraf.inference import Problem
from comraf.objectives import PairPreference, State, UnaryPreference

__all__ = [
    "brute_information",
    "brute_objective",
    "graphs",
    "problems_with_states",
    "random_labels",
]

seeds = st.integers(0, 2**32 - 1)


def random_labels(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Labels in which every one of the k clusters has a member."""
    labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)]).astype(np.int32)
    return rng.permutation(labels)


@st.composite
def graphs(draw: st.DrawFn, observed: bool = True) -> Graph:
    """Three or four nodes in a cycle, parallel edges, real weights, an observed node or two."""
    rng = np.random.default_rng(draw(seeds))
    n_nodes = draw(st.integers(3, 4))
    sizes = rng.integers(4, 9, n_nodes)
    names = "abcd"[:n_nodes]
    nodes = []
    for i, name in enumerate(names):
        if observed and i == 0:
            partition = random_labels(rng, int(sizes[i]), 3)
            nodes.append(Node(name, observed=partition if draw(st.booleans()) else "singletons"))
        else:
            direction = "bottom-up" if i == 1 else "top-down"
            # any number up to all values, and now and then a single cluster
            k = int(rng.integers(1, sizes[i] + 1))
            nodes.append(Node(name, n_clusters=k, direction=direction))
    joined = [(i, (i + 1) % n_nodes) for i in range(n_nodes)] + [(1, 2)]
    edges = []
    for a, b in joined:
        table = rng.poisson(1.0, (sizes[a], sizes[b]))
        table[rng.integers(0, sizes[a]), :] += 1  # no empty columns: every value is occupied
        table[:, rng.integers(0, sizes[b])] += 1
        weight = float(rng.uniform(0.1, 3.0))
        if (a, b) == (1, 2) and draw(st.booleans()):
            weight = 0.0
        if draw(st.booleans()):
            table = table * rng.uniform(0.2, 2.0, table.shape)  # real counts, in fixed point
        edges.append(Edge(names[a], names[b], table, weight=weight))
    return Graph(nodes, edges)


@st.composite
def problems_with_states(draw: st.DrawFn, terms: bool = True) -> tuple[Problem, State]:
    """A problem, with preferences of pairs and values on node 1, and a random state."""
    problem = Problem(draw(graphs(observed=draw(st.booleans()))))
    rng = np.random.default_rng(draw(seeds))
    hidden = {}
    for node in problem.hidden:
        k = int(rng.integers(2, min(5, problem.sizes[node]) + 1))
        hidden[node] = (random_labels(rng, problem.sizes[node], k), k)
    state = problem.start(hidden)
    if terms:
        n = problem.sizes[1]
        pairs = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.3]
        weights = rng.normal(size=len(pairs))
        problem.add_terms(
            [
                PairPreference(1, pairs, weights, n),
                UnaryPreference(1, rng.normal(size=(n, state.n_clusters[1]))),
            ]
        )
    return problem, state


def brute_information(table: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> float:
    """I(X;Y) by its definition, from a dense table and labels of both of its sides."""
    joint = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(joint, (rows[:, None], columns[None, :]), table)
    joint /= joint.sum()
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    filled = joint > 0
    return float((joint[filled] * np.log(joint[filled] / product[filled])).sum())


def brute_objective(problem: Problem, state: State) -> float:
    """The whole objective by definition: weighted information, pairs, preferences."""
    total = 0.0
    for edge in problem.graph.edges:
        a, b = problem.graph.index[edge.a], problem.graph.index[edge.b]
        total += edge.weight * brute_information(
            edge.counts.toarray(), state.labels[a], state.labels[b]
        )
    for term in problem.objective.terms:
        if isinstance(term, PairPreference):
            labels = state.labels[term.node]
            for (i, j), w in zip(term.ends, term.weights, strict=True):
                total += w * (labels[i] == labels[j])
        elif isinstance(term, UnaryPreference):
            labels = state.labels[term.node]
            total += sum(term.table[i, c] for i, c in enumerate(labels))
    return total
