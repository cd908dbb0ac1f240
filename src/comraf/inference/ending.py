"""How a search ends: even, as the objective likes it, or by what finer clusters are made of.

A merger loses less of the objective the smaller the two clusters are, and a sweep fills small ones
up; so sizes come out even. Average linkage of twice as many clusters doesn't look at sizes, and
nothing is swept after it. Which of the two ends is to be taken is told by a rate: what a partition
tells about the data, against how many nats its clusters are worth. Finer clusters tell more for
more nats. Where the even end tells little more for its nats beside the uneven one, less than
`LEAST` of the rate of the finer clusters, it has cut what belongs together, and the uneven end is
taken. The finer clusters of several runs are looked at, because the rates of a single one go up and
down by chance. Small clusters tell more by chance, too: where the finer ones don't have `BEYOND`
times the rate of random halves of the even ones, there is nothing to go by, and the end is even.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from comraf.inference.levels import Level
from comraf.inference.linkage import Tree, link
from comraf.inference.problem import Problem
from comraf.inference.splitting import halve
from comraf.kernels.plan import FloatArray, Plan
from comraf.objectives import FIRM, Labels, State

__all__ = ["BEYOND", "DOUBTFUL", "LEAST", "SIZES", "halfway", "is_uneven", "linked", "single"]

#: How sizes of clusters may come out.
SIZES = ("auto", "even", "free")
#: Rate of the even end, beside that of the finer clusters, below which it is not taken. Chosen on
#: one half of the collections: between those whose even end is better and those whose is not.
LEAST = 0.5
#: The same of finer clusters that were not polished, which makes it smaller: from here on the end
#: is even for certain, and nothing needs to be polished to know it.
DOUBTFUL = 1.0
#: Rate of the finer clusters, beside that of random halves, from which on they are believed.
BEYOND = 1.33
# Numbers of clusters between the finer ones and those wanted that become levels.
_LEVELS = 3


def single(problem: Problem, state: State, node: int) -> Plan:
    """The plan of a node by single values of all hidden neighbours."""
    for other in problem.neighbours(node):
        if other in problem.hidden and other != node:
            state = state.replace(other, problem.singletons(other), problem.sizes[other])
    return problem.objective.plan(node, state)


def linked(problem: Problem, plan: Plan, node: int, finer: Labels) -> Tree:
    """The tree over finer clusters of a node."""
    return link(plan, finer, int(finer.max()) + 1, problem.masses(node))


def is_uneven(
    plan: Plan,
    masses: FloatArray,
    trees: Sequence[Tree],
    even: Labels,
    *,
    least: float = LEAST,
    beyond: float = BEYOND,
) -> bool:
    """Whether the ends of trees, with as many clusters as the even one, are to be taken instead.

    Not where they would join what must be apart. Several trees, of runs that are independent, are
    added up: a single one says it less surely. With `DOUBTFUL` for ``least``, and 1 for ``beyond``,
    whether finer clusters that were not polished leave any doubt.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> from comraf.inference import Problem
    >>> table = [[9, 0, 0]] * 4 + [[0, 9, 8], [0, 8, 9], [0, 8, 9], [0, 9, 8]]
    >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    >>> problem = Problem(Graph(nodes, [Edge("d", "w", table)]))
    >>> plan = single(problem, problem.start({0: (problem.singletons(0), 8)}), 0)
    >>> tree = linked(problem, plan, 0, np.array([0, 0, 1, 1, 2, 3, 3, 2], dtype=np.int32))
    >>> is_uneven(plan, problem.masses(0), [tree], np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    False
    """
    k = int(even.max()) + 1
    if any(joins_apart(plan, tree.cut(k)) for tree in trees):
        return False

    def measured(labels: Labels) -> FloatArray:
        return np.array([_told(plan, labels), _nats(masses, labels)])

    here = measured(even)
    halves, _ = halve(even, k, np.random.default_rng(0), max(tree.n_leaves for tree in trees))
    drawn = measured(halves) - here
    lost, more = np.zeros(2), np.zeros(2)
    for tree in trees:
        lost += here - measured(tree.cut(k))
        more += measured(tree.leaves) - here
    if min(lost[1], more[1], drawn[1]) <= 0:  # nats that are no more have no rate
        return False
    rate = more[0] / more[1]
    return bool(rate >= beyond * drawn[0] / drawn[1] and lost[0] / lost[1] < least * rate)


def joins_apart(plan: Plan, labels: Labels) -> bool:
    """Whether some elements share a cluster that must be apart."""
    own = np.repeat(labels, np.diff(plan.pair_indptr))
    return bool((plan.pair_weights[own == labels[plan.pair_indices]] < -FIRM / 2).any())


def halfway(tree: Tree, k: int) -> list[Level]:
    """Levels above ``k`` clusters: the leaves, and some cuts between.

    Examples
    --------
    >>> children, masses = np.array([[0, 1], [2, 4], [3, 5]]), np.ones(4)
    >>> tree = Tree(children, np.arange(3.0), np.arange(4, dtype=np.int32), masses)
    >>> [n for n, _ in halfway(tree, 2)]
    [4, 3]
    """
    numbers = np.unique(np.round(np.geomspace(tree.n_leaves, k, _LEVELS + 2)).astype(int))
    return [(n, tree.cut(n)) for n in numbers[::-1].tolist() if n > k]


def _told(plan: Plan, labels: Labels) -> float:
    """What clusters tell about the data, but for a part that is the same for all partitions."""
    n, k = plan.n_elements, int(labels.max()) + 1
    member = sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n))
    table = sp.csr_array((plan.data, plan.indices, plan.indptr), shape=(n, plan.n_columns))
    counts = sp.csr_array(member @ table)
    t = np.maximum(counts.data, 1.0)
    return float((plan.coef[counts.indices] * t * np.log(t)).sum())


def _nats(masses: FloatArray, labels: Labels) -> float:
    """Entropy of the clusters."""
    mass = np.bincount(labels, weights=masses)
    share = mass[mass > 0] / mass.sum()
    return float(-(share * np.log(share)).sum())
