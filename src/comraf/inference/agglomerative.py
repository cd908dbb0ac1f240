"""Agglomerative information bottleneck: closest pairs merged, one at a time, to the very end.

Slonim and Tishby (1999). Every merger is that of the two clusters which loses least
information of all pairs; nothing is corrected afterwards, so one run gives clusterings of
every size, nested in each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from comraf.errors import InputError, Setting, TooLargeError
from comraf.graph.tables import check_fits
from comraf.inference.control import Control, Stopped
from comraf.inference.gathering import gather
from comraf.inference.levels import finest, levels_of
from comraf.inference.linkage import Tree
from comraf.inference.merging import join_heaviest
from comraf.inference.methods import Method
from comraf.inference.moves import slices, table_for
from comraf.inference.problem import Outcome, Problem
from comraf.kernels.calls import call
from comraf.kernels.pairing import ACTIVE, MERGED, find_first, make_forest, merge
from comraf.kernels.plan import FloatArray, IntArray, Plan
from comraf.objectives import Labels
from comraf.parameters import check_int
from comraf.progress import Event, TracePoint

__all__ = ["METHOD", "MOST_LEAVES", "AgglomerativeOptions", "Tree", "run_agglomerative"]

#: More leaves than these are refused: 20,000 documents take 43 seconds, and twice as many
#: take three times as long, or four.
MOST_LEAVES = 50_000
# List entries read between two looks at the clock; about a tenth of a second.
_SLICE = 20_000_000
# Share of the work in finding the first peers, for the bar.
_IN_FINDING = 0.15


@dataclass(frozen=True, slots=True)
class AgglomerativeOptions:
    """How pairs are merged; see `comraf.AgglomerativeIB`."""

    coarse: int | None = None

    def __post_init__(self) -> None:
        if self.coarse is not None:
            check_int("coarse", self.coarse, least=2)


def run_agglomerative(
    problem: Problem,
    options: AgglomerativeOptions,
    seed: np.random.SeedSequence,
    control: Control | None = None,
) -> tuple[Outcome, Tree]:
    """Merge the values of the only hidden node, closest pair first, down to a single cluster.

    Chance has a say only in a coarse start.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> table = [[5, 0, 1], [4, 1, 0], [0, 6, 5], [0, 4, 6]]
    >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    >>> problem = Problem(Graph(nodes, [Edge("d", "w", table)]))
    >>> _, tree = run_agglomerative(problem, AgglomerativeOptions(), np.random.SeedSequence(0))
    >>> tree.children.tolist()
    [[2, 3], [0, 1], [4, 5]]
    """
    control = control or Control()
    node, wanted = _only_hidden(problem)
    if problem.preferences or problem.seeds:
        raise InputError(
            "agglomeration merges and never moves: it can't look at pairs, scores or seeds; use "
            "the method mdc or ib"
        )
    name = problem.names[node]
    n = problem.sizes[node]
    n_leaves = n if options.coarse is None else min(n, options.coarse)
    if n_leaves > MOST_LEAVES:
        raise TooLargeError(
            "{name!r} has {n:,} values to merge; that takes the square of their number, and more "
            "than {most:,} are refused. Gather them into fewer clusters first, for example "
            "{given}, or use SequentialIB or MDC",
            "coarse",
            10000,
            name=name,
            n=n_leaves,
            most=MOST_LEAVES,
        )
    if options.coarse is not None and options.coarse < wanted:
        raise InputError(
            "{given}, but {wanted} clusters are wanted; gather into more of them",
            "coarse",
            options.coarse,
            wanted=wanted,
        )
    state = problem.start({node: (problem.singletons(node), n)})
    plan = problem.objective.plan(node, state)
    leaves = np.asarray(problem.singletons(node))
    left = [n]

    def event(done: float) -> Event:
        return Event("agglomeration", done, node=name, n_clusters=left[0])

    children, heights = np.zeros((0, 2), dtype=np.int64), np.zeros(0)
    try:
        if n_leaves < n:
            rng = np.random.default_rng(seed)
            leaves = gather(plan, n_leaves, rng, lambda part: control.advance(0.0, event))
            left[0] = n_leaves
        grouped = plan if n_leaves == n else _grouped(plan, leaves, n_leaves)
        children, heights = _grow(grouped, control, left, event)
    except (Stopped, KeyboardInterrupt):
        control.stop()
        n_leaves = int(leaves.max()) + 1
    masses = np.bincount(leaves, weights=problem.masses(node), minlength=n_leaves)
    tree = Tree(children, heights, leaves, masses.astype(np.float64))
    least = n_leaves - len(children)
    if least <= wanted:
        labels = tree.cut(wanted)
    else:  # stopped: nobody can use ten thousand groups
        labels = join_heaviest(plan, tree.cut(least), least, wanted)
    state = problem.canonical(state.replace(node, labels, wanted))
    objective = problem.objective.value(state)
    walked = [
        (k, tree.cut(k)) for k in _doubling(wanted, finest(n, wanted)) if least <= k <= n_leaves
    ]
    control.settle(1.0)
    left[0] = wanted
    control.tell(event)
    outcome = Outcome(
        state,
        objective,
        _trace(problem, node, tree, wanted, objective),
        interrupted=control.stopped,
        levels=levels_of(problem, state, {node: walked}),
    )
    return outcome, tree


def _only_hidden(problem: Problem) -> tuple[int, int]:
    if len(problem.hidden) != 1:
        raise InputError(
            f"agglomeration is about a single hidden node, but "
            f"{[problem.names[node] for node in problem.hidden]} are hidden; observe the others, "
            "or use MDC"
        )
    node = problem.hidden[0]
    return node, problem.graph.nodes[node].n_clusters or 1


def _grouped(plan: Plan, labels: Labels, k: int) -> Plan:
    """The plan of clusters instead of elements: rows of counts added up."""
    import scipy.sparse as sp

    n = plan.n_elements
    table = sp.csr_array((plan.data, plan.indices, plan.indptr), shape=(n, plan.n_columns))
    member = sp.csr_array(
        (np.ones(n, dtype=np.int64), (labels, np.arange(n))), shape=(k, n), dtype=np.int64
    )
    together = sp.csr_array(member @ table)
    together.sort_indices()
    return plan._replace(
        indptr=together.indptr.astype(np.int64),
        indices=together.indices.astype(np.int32),
        data=together.data.astype(np.int64),
        mass=np.bincount(labels, weights=plan.mass, minlength=k).astype(np.float64),
        pair_indptr=np.zeros(k + 1, dtype=np.int64),
        pair_indices=np.zeros(0, dtype=np.int32),
        pair_weights=np.zeros(0),
        unary=np.zeros((0, 0)),
    )


def _grow(
    plan: Plan, control: Control, left: list[int], event: Callable[[float], Event]
) -> tuple[IntArray, FloatArray]:
    """Mergers until one cluster is left, or until a stop: (children, heights)."""
    n = plan.n_elements
    check_fits(
        80.0 * len(plan.data) + 100.0 * n,
        f"the lists of {n} clusters",
        "gather them into fewer clusters first, for example {coarse}",
        coarse=Setting("coarse", 1000),
    )
    forest = make_forest(plan)
    phi = table_for(plan)
    try:
        for start, stop in slices(n, _entries_a_leaf(plan)):
            call(find_first, forest, start, stop, phi)
            control.advance(_IN_FINDING * (stop - start) / n, event)
        while forest.at[ACTIVE] > 1:
            before = int(forest.at[MERGED])
            call(merge, forest, _SLICE, phi)
            left[0] = int(forest.at[ACTIVE])
            made = int(forest.at[MERGED]) - before
            control.advance((1.0 - _IN_FINDING) * made / (n - 1), event)
    except (Stopped, KeyboardInterrupt):  # mergers are made whole, and those made stand
        control.stop()
    done = int(forest.at[MERGED])
    return forest.children[:done].copy(), forest.heights[:done].copy()


def _entries_a_leaf(plan: Plan) -> float:
    """List entries read to find the first peer of a leaf, on average."""
    occurrences = np.bincount(plan.indices, minlength=plan.n_columns).astype(np.float64)
    return float((occurrences**2).sum() / 2 / max(1, plan.n_elements))


def _doubling(k: int, most: int) -> list[int]:
    """2k, 4k, ... up to ``most``: levels that people can read."""
    out = []
    while 2 * k <= most:
        k *= 2
        out.append(k)
    return out[::-1]


def _trace(
    problem: Problem, node: int, tree: Tree, wanted: int, objective: float
) -> tuple[TracePoint, ...]:
    """The objective at every halving of the number of clusters, down to the one wanted."""
    n = tree.n_leaves
    made = len(tree.heights)
    if n - made > wanted:  # stopped, and brought to its number in another way
        return (TracePoint(1, problem.names[node], "hasten", wanted, objective),)
    # what the mergers after the cut lose is not in the objective
    lost = np.concatenate([np.cumsum(tree.heights[: n - wanted][::-1])[::-1], [0.0]])
    levels = []
    k = n
    while k > wanted:
        k = max(wanted, (k + 1) // 2)
        levels.append(k)
    return tuple(
        TracePoint(step + 1, problem.names[node], "merge", k, objective + float(lost[n - k]))
        for step, k in enumerate(levels)
    )


def _run(
    problem: Problem,
    options: AgglomerativeOptions,
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
    control: Control | None = None,
) -> Outcome:
    return run_agglomerative(problem, options, seed, control)[0]


METHOD = Method(
    "agglomerative", _run, AgglomerativeOptions, sides=False, estimator="AgglomerativeIB"
)
