"""What every term of the objective keeps to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from comraf.checks.rules import hold
from comraf.errors import InputError, RuleError
from comraf.estimators import Comraf
from comraf.graph import Edge, Graph, Node
from comraf.inference.moves import counts_of
from comraf.kernels import reference
from comraf.kernels.plan import Plan
from comraf.objectives import Labels, Objective, OwnTerm, State, Term

__all__ = ["check_term"]

_CLOSE = 1e-9


def check_term(
    term: Term,
    sizes: Sequence[int],
    *,
    n_clusters: Sequence[int | None] | None = None,
    numbered: bool = False,
    n_states: int = 8,
    random_state: int = 0,
) -> None:
    """Hold a term to its promise, at random states and for random moves.

    1. It touches a node, its value is a finite number, and `lower` gives a block that fits.
    2. The gain that the block promises for a move is the change of the value; also after other
       values of the node have moved, because one block serves a whole sweep.
    3. Other numbers for the same clusters change nothing.
    4. The objective that `comraf.Comraf` reports, at efforts quick, default and paper, is the value
       of its labels. This is tried where `n_clusters` leaves open how many clusters there are:
       a search has many on its way.

    Parameters
    ----------
    term : Term
    sizes : sequence of int
        How many values each node has, by the numbers of the nodes.
    n_clusters : sequence of int or None, optional
        Clusters of each node; by default, and where it is None, from 2 to 5.
    numbered : bool
        The term goes by the numbers of clusters, so that rule 3 is not for it.
    n_states : int
        How many states are tried.
    random_state : int

    Raises
    ------
    RuleError
        The rule that is broken, and by how much.

    Examples
    --------
    >>> from comraf.objectives import PairPreference
    >>> check_term(PairPreference(0, [(0, 1), (2, 3)], [1.0, -1.0], n=4), [4])
    """
    rng = np.random.default_rng(random_state)
    wanted = [None] * len(sizes) if n_clusters is None else list(n_clusters)
    own = OwnTerm(term, "the term", [f"node {node}" for node in range(len(sizes))])
    touched = [node for node in range(len(sizes)) if own.touches(node)]
    hold(touched, "a term touches a node", f"it touches none of the {len(sizes)}")
    try:
        for _ in range(n_states):
            state = _random_state(sizes, wanted, rng)
            for node in touched:
                _check_gains(own, node, state, rng)
            if not numbered:
                _check_numbers(own, state, rng)
        if all(wanted[node] is None for node in touched):
            _check_fits(own, sizes, rng)
    except InputError as error:
        raise RuleError(
            "a term has a finite value and gives blocks that fit: {error}", error=error
        ) from error


def _random_state(
    sizes: Sequence[int], wanted: Sequence[int | None], rng: np.random.Generator
) -> State:
    """Partitions without empty clusters."""
    state = State(tuple(np.zeros(n, np.int32) for n in sizes), (1,) * len(sizes))
    for node, (n, k) in enumerate(zip(sizes, wanted, strict=True)):
        k = min(n, int(rng.integers(2, 6)) if k is None else k)
        labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
        state = state.replace(node, rng.permutation(labels), k)
    return state


def _check_gains(term: OwnTerm, node: int, state: State, rng: np.random.Generator) -> None:
    """Rule 2: moves one after the other, all by the block of the first state."""
    rule = "the gain that a block promises for a move is the change of the value"
    plan, k = Objective([term]).plan(node, state), state.n_clusters[node]
    n = len(state.labels[node])
    for number, i in enumerate(rng.permutation(n)[:5].tolist()):
        labels = state.labels[node]
        gains = promised_gains(plan, labels, k, i)
        before = term.value(state)
        for c in range(k):
            moved = labels.copy()
            moved[i] = c
            change = term.value(state.replace(node, moved, k)) - before
            promise = float(gains[c] - gains[labels[i]])
            hold(
                abs(change - promise) <= _CLOSE * max(1.0, abs(before), abs(change)),
                rule,
                f"value {i} of node {node} from cluster {labels[i]} to {c}, after {number} other "
                f"moves: the block promises {promise:.9g}, and the value changes by {change:.9g}",
            )
        moved = labels.copy()
        moved[i] = rng.integers(k)
        state = state.replace(node, moved, k)


def promised_gains(plan: Plan, labels: Labels, k: int, i: int) -> np.ndarray:
    """What a plan promises for putting value ``i`` into each cluster."""
    return reference.gains(plan, counts_of(plan, labels, k, screen=False), i)


def _check_numbers(term: OwnTerm, state: State, rng: np.random.Generator) -> None:
    """Rule 3: clusters are numbered anew in every node."""
    other = state
    for node, k in enumerate(state.n_clusters):
        other = other.replace(node, rng.permutation(k).astype(np.int32)[state.labels[node]], k)
    one, two = term.value(state), term.value(other)
    hold(
        abs(one - two) <= _CLOSE * max(1.0, abs(one)),
        "other numbers for the same clusters change nothing",
        f"the value is {one:.9g}, and {two:.9g} with clusters numbered otherwise; a term that "
        "goes by their numbers is checked with numbered=True",
    )


def _check_fits(term: OwnTerm, sizes: Sequence[int], rng: np.random.Generator) -> None:
    """Rule 4, beside tables of random counts."""
    nodes = [Node(name, n_clusters=min(2, n)) for name, n in zip(term.nodes, sizes, strict=True)]
    tables = [1 + rng.poisson(1.0, (n, 6)) for n in sizes]
    edges = [Edge(node.name, "values", table) for node, table in zip(nodes, tables, strict=True)]
    graph = Graph([*nodes, Node("values", observed="singletons")], edges)
    for effort in ("quick", "default", "paper"):
        model = Comraf(graph, terms=[term.term], effort=effort, random_state=0).fit()
        labels = tuple(model.labels_[node.name].astype(np.int32) for node in graph.nodes)
        state = State(labels, tuple(int(one.max()) + 1 for one in labels))
        true = sum(edge.weight * edge.information for edge in model.result_.edges)
        true += term.value(state)
        hold(
            abs(model.objective_ - true) <= _CLOSE * max(1.0, abs(true)),
            "the objective that a fit reports is the value of its labels",
            f"effort={effort!r} reports {model.objective_:.9g}, and its labels have {true:.9g}",
        )
