"""From finer clusters to a tree of all numbers: joined by how alike they are, whatever their size.

The objective rewards even clusters: what a merger loses grows with the mass of both. Average
linkage looks at what clusters are made of and not at how large they are, so that what it ends
with may be uneven. Two clusters are as far apart as the roots of their shares of a side's counts
(Hellinger's distance), the sides being averaged by what they weigh. A little of the whole side is
mixed into each cluster first, or what few items happen to say would set them apart from all others.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.kernels.plan import FloatArray, IntArray, Plan
from comraf.objectives import FIRM, Labels
from comraf.parameters import check_int

__all__ = ["APART", "Tree", "average_linkage", "distances", "link"]

#: The whole side's counts in each cluster, as a share of what a cluster has on average. Chosen
#: among 0 to 3 on one half of the collections; from 0.05 to 0.2 it hardly matters.
MIXED = 0.1
# Cells of the blocks of columns in which distances are worked out.
_BLOCK = 2**22
#: What is apart is farther than anything else, however small its part of two large clusters.
APART = 1e9


@dataclass(frozen=True, eq=False)
class Tree:
    """Who was merged with whom, and what it cost.

    ``children`` are numbered as in SciPy and scikit-learn: leaves first, then what each merger
    made. ``heights`` is what each merger cost, ``leaves`` the leaf in which each value starts.
    ``masses`` are those of the leaves.
    """

    children: IntArray
    heights: FloatArray
    leaves: npt.NDArray[np.int32]
    masses: FloatArray = field(repr=False)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.masses)

    def cut(self, k: int) -> Labels:
        """Clusters of the values after the mergers that leave ``k``, by decreasing mass.

        Examples
        --------
        >>> children = np.array([[0, 1], [2, 3]])
        >>> leaves = np.arange(3, dtype=np.int32)
        >>> tree = Tree(children, np.array([0.1, 0.2]), leaves, np.array([0.2, 0.2, 0.6]))
        >>> tree.cut(2).tolist()
        [1, 1, 0]
        """
        n = self.n_leaves
        least = n - len(self.children)
        if check_int("k", k) > n or k < least:
            raise InputError(
                f"k={k}; the tree has from {least} to {n} clusters"
                + ("" if least == 1 else ", because it was stopped before its end")
            )
        made = n - k
        whole = np.ones(n + made, dtype=bool)
        whole[self.children[:made].ravel()] = False
        roots = np.flatnonzero(whole)
        label = np.zeros(n + made, dtype=np.int64)
        label[roots] = np.arange(k)
        for t in range(made - 1, -1, -1):
            label[self.children[t]] = label[n + t]
        of_leaf = label[:n]
        mass = np.bincount(of_leaf, weights=self.masses, minlength=k)
        of_value = of_leaf[self.leaves]
        first = np.full(k, len(of_value))
        np.minimum.at(first, of_value, np.arange(len(of_value)))
        order = np.lexsort((first, -np.round(mass, 12)))  # as Problem.canonical has it
        rank = np.empty(k, dtype=np.int32)
        rank[order] = np.arange(k, dtype=np.int32)
        return rank[of_value]


def link(plan: Plan, labels: Labels, k: int, masses: FloatArray | None = None) -> Tree:
    """The tree over the ``k`` clusters of a plan's elements: all of them to a single one.

    ``masses`` are those of the elements, by which clusters are averaged and numbered: by default
    the plan's.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> from comraf.inference import Problem
    >>> table = [[5, 0, 1], [4, 1, 0], [0, 6, 5], [0, 4, 6]]
    >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    >>> problem = Problem(Graph(nodes, [Edge("d", "w", table)]))
    >>> single = problem.singletons(0)
    >>> plan = problem.objective.plan(0, problem.start({0: (single, 4)}))
    >>> link(plan, single, 4).cut(2).tolist()
    [1, 1, 0, 0]
    """
    weights = plan.mass if masses is None else masses
    of_leaf = np.bincount(labels, weights=weights, minlength=k).astype(np.float64)
    children, heights = average_linkage(distances(plan, labels, k), of_leaf)
    return Tree(children, heights, labels.astype(np.int32), of_leaf)


def distances(plan: Plan, labels: Labels, k: int, *, mixed: float = MIXED) -> FloatArray:
    """How far apart any two clusters are, from 0 to 1 but for what pairs prefer.

    A side that one of the two has no counts on says nothing about them. What should be together
    comes nearer, by its weight for a unit of mass, and what must not be is `APART`.
    """
    check_fits(8.0 * 4 * k * k, f"the distances of {k} clusters", "ask for fewer clusters")
    n = plan.n_elements
    member = sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n))
    table = sp.csr_array((plan.data, plan.indices, plan.indptr), shape=(n, plan.n_columns))
    counts = sp.csc_array(member @ table)
    far, weight = np.zeros((k, k)), np.zeros((k, k))
    for (first, last), total in zip(plan.segments.tolist(), plan.totals.tolist(), strict=True):
        if first == last:
            continue
        mass = counts[:, [last]].toarray().ravel()
        there = mass > 0
        both = abs(plan.coef[first]) * total * np.outer(there, there)
        alike = _alike(sp.csc_array(counts[:, first:last]), mass, mixed)
        far += both * np.sqrt(np.maximum(0.0, 1.0 - alike))
        weight += both
    far /= np.where(weight > 0, weight, 1.0)
    far[weight == 0] = 1.0
    if len(plan.pair_weights):
        pairs = sp.csr_array((plan.pair_weights, plan.pair_indices, plan.pair_indptr), shape=(n, n))
        pull = (member @ pairs @ member.T).toarray()
        masses = np.bincount(labels, weights=plan.mass, minlength=k)
        together = np.outer(masses, masses) / np.maximum(masses[:, None] + masses, 1e-300)
        far -= pull / np.maximum(together, 1e-300)
        far[pull < -FIRM / 2] = APART
    np.fill_diagonal(far, 0.0)
    return far


def _alike(counts: sp.csc_array, mass: FloatArray, mixed: float) -> FloatArray:
    """Products of the roots of any two clusters' shares of one side's counts: 1 for equals."""
    # Clusters without counts have the shares of the whole side.
    k, n_columns = counts.shape
    added = mixed * mass.mean()
    whole = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel() / max(1.0, mass.sum())
    scale = np.where(mass + added > 0, mass + added, 1.0)
    alike = np.zeros((k, k))
    step = max(1, _BLOCK // k)
    for start in range(0, n_columns, step):
        part = counts[:, start : start + step].toarray() + added * whole[start : start + step]
        root = np.sqrt(part / scale[:, None])
        alike += root @ root.T
    return alike


def average_linkage(far: FloatArray, masses: FloatArray) -> tuple[IntArray, FloatArray]:
    """Mergers of the closest two, to the end: (children, heights).

    A new cluster is as far from another one as its two parts are, averaged by their masses; so
    heights never fall.

    Examples
    --------
    >>> far = np.array([[0.0, 0.2, 0.9], [0.2, 0.0, 0.5], [0.9, 0.5, 0.0]])
    >>> children, heights = average_linkage(far, np.array([1.0, 3.0, 1.0]))
    >>> children.tolist(), heights.round(2).tolist()
    ([[0, 1], [2, 3]], [0.2, 0.6])
    """
    k = len(masses)
    far, masses = far.astype(np.float64), masses.astype(np.float64)
    np.fill_diagonal(far, np.inf)
    name = np.arange(k)
    children = np.empty((max(0, k - 1), 2), dtype=np.int64)
    heights = np.empty(max(0, k - 1))
    peer = far.argmin(axis=1) if k else name
    price = far[np.arange(k), peer]
    for made in range(k - 1):
        a = int(price.argmin())
        b = int(peer[a])
        children[made] = sorted((name[a], name[b]))
        heights[made] = price[a]
        mass = masses[a] + masses[b]
        part = masses[a] / mass if mass > 0 else 0.5
        joined = part * far[a] + (1.0 - part) * far[b]
        joined[[a, b]] = np.inf
        far[a], far[:, a] = joined, joined
        far[b], far[:, b] = np.inf, np.inf
        masses[a], name[a] = mass, k + made
        price[b] = np.inf
        stale = np.flatnonzero(((peer == a) | (peer == b)) & np.isfinite(price))
        for i in {a, *stale.tolist()}:
            peer[i] = far[i].argmin()
            price[i] = far[i, peer[i]]
        # others have not come nearer to what was joined: an average is no less than its least
    return children, heights
