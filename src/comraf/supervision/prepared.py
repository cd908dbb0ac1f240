"""From a graph and what is known about it to what is searched, and back.

Labels become an observed node, groups or seeds; must-links that hold make groups one value;
all other links are preferences of pairs. What is found is told about the user's own graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from comraf.errors import ConflictError, InputError
from comraf.graph import Graph
from comraf.inference.flat import flat_clusters, random_state
from comraf.inference.moves import counts_of, table_for
from comraf.inference.problem import Outcome, Problem
from comraf.kernels import compiled
from comraf.objectives import (
    FIRM,
    GroupedTerm,
    OwnTerm,
    PairPreference,
    State,
    Term,
    goes_by_numbers,
)
from comraf.results import Result
from comraf.supervision.closure import Closure, close
from comraf.supervision.colouring import colour
from comraf.supervision.graphs import add_observed, contract, masses
from comraf.supervision.knowledge import Knowledge
from comraf.supervision.links import Links
from comraf.supervision.repair import broken_pairs, repair
from comraf.supervision.transfer import add_transferred

__all__ = ["SUPPORT", "Prepared", "prevailing"]

#: A cluster is named by a class that has at least so many times the labelled items in it that its
#: size lets one expect.
SUPPORT = 0.5


class Prepared:
    """A graph made ready for a search that knows something.

    Parameters
    ----------
    graph : Graph
    known : mapping of str to Knowledge
        By the name of the side it is about.
    terms : sequence of Term
        The user's own, which know values by their numbers in a search of ``graph``.

    Attributes
    ----------
    graph : Graph
        What is searched.

    Examples
    --------
    >>> from comraf.graph import Edge, Node
    >>> from comraf.supervision import read_knowledge
    >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    >>> graph = Graph(nodes, [Edge("d", "w", [[3, 0], [1, 1], [0, 2]])])
    >>> Prepared(graph, {"d": read_knowledge(3, must_link=[(0, 1)])}).graph.sizes["d"]
    2
    """

    def __init__(
        self, graph: Graph, known: Mapping[str, Knowledge], terms: Sequence[Term] = ()
    ) -> None:
        self.given = graph
        names = [node.name for node in graph.nodes]
        self.own = [OwnTerm(term, f"terms[{i}]", names) for i, term in enumerate(terms)]
        self.known = {name: k for name, k in known.items() if not k.empty}
        self.closures: dict[str, Closure] = {}
        self.repaired_labels: dict[str, NDArray[np.int32]] = {}
        for name, knowledge in self.known.items():
            self._check(name, knowledge)
            if knowledge.labels_as == "intrinsic" and knowledge.labels.n_known:
                weight = knowledge.label_weight
                graph = add_observed(graph, name, knowledge.labels, weight, self.given)
        labelled = graph
        for name, knowledge in self.known.items():
            if knowledge.transfer is not None:
                graph = add_transferred(graph, name, knowledge.transfer, self.given)
        for name, closure in self.closures.items():
            if closure.n_groups < len(closure.group):
                graph = contract(graph, name, closure.group, closure.n_groups)
        self.graph = graph
        self._n_labelled = len(labelled.edges)

    def _check(self, name: str, known: Knowledge) -> None:
        """Refuse what can't be, and follow the links to all that they imply."""
        node = self.given.nodes[self.given.index[name]]
        if not node.hidden and not known.has_labels_or_links:
            return  # groups learned elsewhere are all that is known of it
        if not node.hidden:
            raise InputError(
                f"labels or links are given for {name!r}, which is observed: its partition is "
                "known already"
            )
        k = node.n_clusters
        if k is not None:
            known.check_clusters(k)
        held = known.labels if known.labels_as == "constrained" else None
        closure = close(
            len(known.labels.codes),
            known.must,
            known.cannot,
            None if held is None else held.codes,
            ids=known.ids,
            classes=known.labels.classes,
        )
        if k is not None:
            occupied = self.given.occupied(name)
            filled = len(np.unique(closure.group[occupied]))
            if filled < k <= int(occupied.sum()):
                raise ConflictError(
                    f"what must be together leaves {filled:,} groups of {name!r}, but {k:,} "
                    f"clusters are asked for; ask for {filled:,} or fewer, or leave out must-links"
                )
            # said now, not after the search
            colour(
                closure.n_groups,
                closure.cannot,
                k,
                names=lambda group: closure.name(group, known.ids),
            )
        self.closures[name] = closure

    def problem(self) -> Problem:
        """What a method works on."""
        problem = Problem(self.graph)
        problem.said = problem.edges[len(self.given.edges) : self._n_labelled]
        if self.known:  # clusters of all sides are numbered by what the user's edges say
            for node in problem.hidden:
                masses = self._masses(problem.names[node])
                problem.own_masses[node] = masses[problem.occupied[node]]
        for name, closure in self.closures.items():
            known = self.known[name]
            node = self.graph.index[name]
            occupied, number = problem.occupied[node], self.graph.places(name)
            pairs, weights = self._pairs(name, known, closure)
            ends = number[pairs]
            there = (ends >= 0).all(axis=1)
            if there.any():
                problem.add_terms(
                    [PairPreference(node, ends[there], weights[there], problem.sizes[node])]
                )
            if known.labels_as == "seeds" and known.labels.n_known:
                codes = np.full(closure.n_groups, -1, dtype=np.int32)
                np.maximum.at(codes, closure.group, known.labels.codes)
                if (codes[occupied] >= 0).any():
                    problem.seeds[node] = _without_gaps(codes[occupied])
            if known.start is not None:
                codes = _agreed(known.start, closure)[occupied]
                if (codes >= 0).any():
                    problem.seeds[node] = _without_gaps(codes)
        self._add_own(problem)
        return problem

    def _add_own(self, problem: Problem) -> None:
        """Add the user's terms, which know single values where must-links have made groups."""
        groups = {}
        for name, closure in self.closures.items():
            if closure.n_groups < len(closure.group):
                group = self.graph.places(name)[closure.group]
                groups[self.graph.index[name]] = group[self.given.places(name) >= 0]
        if not self.own:
            return
        for term in self.own:
            term.check(problem.hidden)
        own: list[Term] = [GroupedTerm(t, groups) if groups else t for t in self.own]
        rng, wanted = np.random.default_rng(0), flat_clusters(problem)
        # Several, because one may happen to have the same value either way.
        states = [random_state(problem, wanted, rng) for _ in range(4)]
        for term, grouped in zip(self.own, own, strict=True):
            if any(
                grouped.touches(node) and goes_by_numbers(grouped, node, state)
                for node in problem.hidden
                for state in states
            ):
                raise InputError(
                    f"{term.name} goes by the numbers of clusters, which a search gives anew; make "
                    "its value one of which values are together, as PairPreference does, or give "
                    "labels"
                )
        problem.add_terms(own)

    def _masses(self, name: str) -> NDArray[np.float64]:
        """Mass of each group by the edges that the user has: what labels add counts for nothing."""
        mass = masses(self.given, name)
        if name not in self.closures:
            return mass
        closure = self.closures[name]
        summed = np.bincount(closure.group, weights=mass, minlength=closure.n_groups)
        return np.asarray(summed, dtype=np.float64)

    def _pairs(
        self, name: str, known: Knowledge, closure: Closure
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Preferences between groups: positive for together, negative for apart."""
        # Finite weights are nats of an average item, which has one part of n of all mass.
        weight = sum(e.weight for e in self.given.edges if name in (e.a, e.b))
        scale = weight / len(closure.group)
        parts = [(closure.cannot, np.full(len(closure.cannot), -FIRM * max(1.0, weight)))]
        for links, sign in ((known.must, 1.0), (known.cannot, -1.0)):
            soft: Links = links.soft
            parts.append((closure.group[soft.pairs], sign * scale * soft.weights))
        pairs = np.concatenate([p.reshape(-1, 2) for p, _ in parts]).astype(np.int64)
        weights = np.concatenate([w for _, w in parts])
        apart = pairs[:, 0] != pairs[:, 1]
        return pairs[apart], weights[apart]

    def repair(self, problem: Problem, outcome: Outcome) -> Outcome:
        """The outcome with every cannot-link that must hold, which a search may have missed."""
        state, changed = outcome.state, set()
        for name, closure in self.closures.items():
            node = self.graph.index[name]
            occupied = problem.occupied[node]
            labels = np.zeros(closure.n_groups, dtype=np.int32)
            labels[occupied] = state.labels[node]
            if not len(broken_pairs(labels, closure.cannot)):
                continue
            labels, k = self._repaired(problem, node, state, labels)
            if not occupied.all():
                self.repaired_labels[name] = labels
            state = state.replace(node, labels[occupied], k)
            changed.add(node)
        if not changed:
            return outcome
        final = problem.canonical(state)
        for node in changed:
            name = problem.names[node]
            if name in self.repaired_labels:  # the clusters have other numbers now
                rank = np.arange(state.n_clusters[node], dtype=np.int32)
                rank[state.labels[node]] = final.labels[node]
                self.repaired_labels[name] = rank[self.repaired_labels[name]]
        levels = {node: (*steps[:-1], final.labels[node]) for node, steps in outcome.levels.items()}
        return replace(
            outcome, state=final, objective=problem.objective.value(final), levels=levels
        )

    def _repaired(
        self, problem: Problem, node: int, state: State, labels: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], int]:
        """Labels that hold, and how many clusters they are."""
        name = problem.names[node]
        closure, known = self.closures[name], self.known[name]
        k = state.n_clusters[node]

        def called(group: int) -> str:
            return closure.name(group, known.ids)

        if self.graph.nodes[node].n_clusters is None:
            # nobody asked for a number: there are as many as it takes
            most = int(np.bincount(closure.cannot.ravel()).max()) + 1
            while True:
                try:
                    colour(closure.n_groups, closure.cannot, k)
                    break
                except ConflictError:
                    k = min(2 * k, max(k + 1, most))
        scores = _scores(problem, node, state, problem.occupied[node], k)
        held = repair(labels, closure.cannot, k, scores, called)
        if k > state.n_clusters[node]:
            held = np.unique(held, return_inverse=True)[1].astype(np.int32)
            k = int(held.max()) + 1
        return held, k

    def _with_empty_items(
        self, name: str, labels: NDArray[np.int32], classes: list[int | None]
    ) -> NDArray[np.int32]:
        """Items without counts, of which nothing but the class is known, where that prevails."""
        known, closure = self.known[name], self.closures[name]
        empty = ~self.given.occupied(name) & (known.labels.codes >= 0)
        if not empty.any():
            return labels
        bound = np.isin(closure.group, closure.cannot) | (closure.sizes[closure.group] > 1)
        labels = labels.copy()
        for code in np.unique(known.labels.codes[empty]).tolist():
            if code in classes:
                labels[empty & ~bound & (known.labels.codes == code)] = classes.index(code)
        return labels

    def restore(self, result: Result) -> Result:
        """What was found, told about the graph that was given.

        Clusters take the name of the class that most of their labelled items have, if enough of
        their items are labelled.
        """
        if not self.known:
            return result
        names = [node.name for node in self.given.nodes]
        labels = {name: result.labels[name] for name in names}
        levels, stability, named = dict(result.levels), dict(result.stability), {}
        for name, closure in self.closures.items():
            group = closure.group
            labels[name] = self.repaired_labels.get(name, labels[name])[group]
            if name in stability:
                stability[name] = stability[name][group]
            if name in levels:
                levels[name] = tuple(level[group] for level in levels[name])
            known = self.known[name]
            if known.labels.n_known:
                there = self.given.occupied(name)
                k = result.n_clusters[name]
                repaired_labels = prevailing(known, labels[name], k, there, support=0.0)
                classes = prevailing(known, labels[name], k, there)
                labels[name] = self._with_empty_items(name, labels[name], repaired_labels)
                named[name] = tuple(
                    "" if c is None else str(known.labels.classes[c]) for c in classes
                )
        for name, steps in levels.items():
            levels[name] = (*steps[:-1], labels[name])
        edges = result.edges[: len(self.given.edges)]
        found = State(
            tuple(labels[name][self.given.places(name) >= 0] for name in names),
            tuple(result.n_clusters[name] for name in names),
        )
        return replace(
            result,
            labels=labels,
            n_clusters={name: result.n_clusters[name] for name in names},
            objective=float(
                sum(edge.weight * edge.information for edge in edges)
                + sum(term.value(found) for term in self.own)
            ),
            edges=edges,
            stability=stability,
            levels=levels,
            ids={},
            next_ids={},
            names=named,
            values={n.name: tuple(n.values) for n in self.given.nodes if n.values is not None},
        )


def prevailing(
    known: Knowledge,
    labels: NDArray[np.int32],
    k: int,
    there: NDArray[np.bool_] | None = None,
    *,
    support: float = SUPPORT,
) -> list[int | None]:
    """The class that more than half of each cluster's labelled items have, if there is one.

    Only items that are ``there``, that is have any counts, are asked. The class must have at least
    ``support`` times as many labelled items in the cluster as the share of labels among all
    items would put there: one label among 200 items says nothing about the others where
    one item of ten is labelled.

    Examples
    --------
    >>> from comraf.supervision import read_knowledge
    >>> known = read_knowledge(5, labels=["x", "x", "y", None, None])
    >>> prevailing(known, np.array([0, 0, 0, 1, 1]), 2)
    [0, None]
    >>> known = read_knowledge(9, labels=["x", "x", "x", "x"] + [None] * 4 + ["y"])
    >>> prevailing(known, np.array([0, 0, 0, 0, 1, 1, 1, 1, 1]), 2)
    [0, None]
    """
    codes = known.labels.codes
    asked = np.ones(len(codes), dtype=bool) if there is None else there
    there = asked & (codes >= 0)
    table = np.zeros((k, len(known.labels.classes)), dtype=np.int64)
    np.add.at(table, (labels[there], codes[there]), 1)
    sizes = np.bincount(labels[asked], minlength=k)
    share = there.sum() / max(int(asked.sum()), 1)
    return [
        int(row.argmax())
        if row.any() and 2 * row.max() > row.sum() and row.max() >= support * share * size
        else None
        for row, size in zip(table, sizes, strict=True)
    ]


def _agreed(start: NDArray[np.int32], closure: Closure) -> NDArray[np.int32]:
    """Where each group starts: nowhere if its items start in different clusters."""
    least = np.full(closure.n_groups, np.iinfo(np.int32).max, dtype=np.int32)
    most = np.full(closure.n_groups, -1, dtype=np.int32)
    np.minimum.at(least, closure.group, start)
    np.maximum.at(most, closure.group, start)
    return np.where(least == most, most, -1).astype(np.int32)


def _without_gaps(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Codes of 0 and more numbered without gaps; -1 stays."""
    there = codes >= 0
    out = np.full(len(codes), -1, dtype=np.int32)
    out[there] = np.unique(codes[there], return_inverse=True)[1]
    return out


def _scores(
    problem: Problem, node: int, state: State, occupied: NDArray[np.bool_], k: int
) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    """What some groups gain in each cluster, each left out of its own one."""
    plan = problem.objective.plan(node, state)
    counts = counts_of(plan, state.labels[node], state.n_clusters[node], screen=False)
    number, now, phi = np.cumsum(occupied) - 1, state.n_clusters[node], table_for(plan)
    bare = plan._replace(  # links are looked after by whoever asks
        pair_indptr=np.zeros(plan.n_elements + 1, dtype=np.int64),
        pair_indices=np.zeros(0, dtype=np.int32),
        pair_weights=np.zeros(0),
    )

    def scores(groups: NDArray[np.int64]) -> NDArray[np.float64]:
        out = np.zeros((len(groups), max(k, now)))
        for row, group in zip(out, groups.tolist(), strict=True):
            if occupied[group]:
                i = int(number[group])
                compiled.scores(bare, counts, i, i + 1, phi, row[None, :now])
        return out

    return scores
