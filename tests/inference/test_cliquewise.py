"""Clique-wise MDC: each edge by itself, on any graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from comraf.checks import check_method
from comraf.errors import InputError
from comraf.graph import Edge, Graph, Node
from comraf.inference import CliquewiseOptions, Problem, run_cliquewise
from comraf.inference.cliquewise import visit
from comraf.inference.flat import flat_clusters
from tests.strategies import brute_information, graphs, problems_with_states, seeds


def nothing(part: float) -> None:
    """A tick nobody listens to."""


@given(problems_with_states(terms=False), seeds)
@settings(max_examples=40, deadline=None)
def test_a_visit_raises_its_edge_and_moves_one_end_only(drawn, seed):
    """The information of the edge that is visited never falls; all other partitions stand."""
    problem, state = drawn
    rng = np.random.default_rng(seed)
    for number, term in enumerate(problem.edges):
        for node in {term.a, term.b} & set(problem.hidden):
            new = visit(problem, state, number, node, rng, nothing)
            table = problem.graph.edges[number].counts.toarray()
            before, after = (
                brute_information(table, s.labels[term.a], s.labels[term.b]) for s in (state, new)
            )
            assert after >= before - 1e-9
            k = new.n_clusters[node]
            assert (np.bincount(new.labels[node], minlength=k) > 0).all()
            for other in range(len(problem.names)):
                if other != node:
                    np.testing.assert_array_equal(new.labels[other], state.labels[other])
            state = new


@given(problems_with_states(), seeds)
@settings(max_examples=20, deadline=None)
def test_a_visit_heeds_preferences(drawn, seed):
    """Terms about the node itself are climbed together with the edge."""
    problem, state = drawn
    number = next(i for i, term in enumerate(problem.edges) if term.touches(1))
    kept = [term for term in problem.objective.terms if term not in problem.edges]

    def value(s):
        return problem.edges[number].value(s) + sum(term.value(s) for term in kept)

    new = visit(problem, state, number, 1, np.random.default_rng(seed), nothing)
    assert value(new) >= value(state) - 1e-9


@given(graphs(), seeds)
@settings(max_examples=12, deadline=None)
def test_any_graph_keeps_the_rules_of_methods(graph, seed):
    """Cycles, parallel edges and observed nodes; stopped early and late, too."""
    options = CliquewiseOptions(n_restarts=2, max_rounds=4)
    check_method("cliquewise", graph, options=options, random_state=seed, stops=(1, 5, 30))


def test_other_edges_have_no_say():
    """What an edge is weighted by does not change a move; the first round is always kept."""
    rng = np.random.default_rng(0)
    table, other = rng.poisson(1.0, (30, 12)) + 1, rng.poisson(1.0, (30, 9)) + 1
    found = []
    for weight in (0.01, 100.0):
        nodes = [
            Node("rows", n_clusters=3),
            *(Node(name, n_clusters=4, direction="top-down") for name in ("a", "b")),
        ]
        edges = [Edge("rows", "a", table), Edge("rows", "b", other, weight=weight)]
        options = CliquewiseOptions(n_restarts=1, max_rounds=1)
        outcome = run_cliquewise(Problem(Graph(nodes, edges)), options, np.random.SeedSequence(0))
        assert [point.step for point in outcome.trace] == [1]
        found.append(outcome.state.labels[1])
    np.testing.assert_array_equal(*found)


def test_numbers_of_clusters_are_made_up_where_there_are_none():
    """A top-down side without a number gets the one MDC would split it to."""
    nodes = [Node("rows", n_clusters=4), Node("columns", direction="top-down")]
    table = np.random.default_rng(0).poisson(1.0, (100, 400)) + 1
    problem = Problem(Graph(nodes, [Edge("rows", "columns", table)]))
    assert flat_clusters(problem) == {0: 4, 1: 32}
    outcome = run_cliquewise(problem, CliquewiseOptions(n_restarts=1), np.random.SeedSequence(0))
    assert outcome.state.n_clusters == (4, 32)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"n_restarts": 0}, "n_restarts=0"),
        ({"max_rounds": 0}, "max_rounds=0"),
        ({"passes": -1}, "passes=-1"),
        ({"moves": "x"}, "moves='x'"),
        ({"tol": 2}, "tol=2"),
    ],
)
def test_bad_options(chosen, message):
    """Each mistake names the value."""
    with pytest.raises(InputError, match=message):
        CliquewiseOptions(**chosen)
