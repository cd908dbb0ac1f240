"""Why a value is where it is, and what tells clusters apart."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import comraf
from comraf.errors import InputError
from comraf.graph import Edge, Graph, Node
from comraf.results import Result
from comraf.results.explain import Explainer, characteristic
from comraf.results.solved import Solved, settled
from tests.results.solving import brute_score, hidden_nodes, one_table, solved_graphs, topics


@given(solved_graphs(), st.data())
def test_evidence_sums_to_the_margin(solved: tuple[Graph, Result], data: st.DataObject) -> None:
    """Contributions of all neighbours on all edges add up to the margin, in both views."""
    graph, result = solved
    node = data.draw(st.sampled_from(hidden_nodes(graph)))
    value = data.draw(st.integers(0, graph.sizes[node] - 1))
    for against in ("clusters", "values"):
        why = Explainer(graph, result, against).why(node, value)
        total = sum(piece.contribution for piece in why.evidence)
        assert total == pytest.approx(why.margin, abs=1e-12)
        assert sum(why.by_side.values()) == pytest.approx(why.margin, abs=1e-12)
        assert why.scores[why.cluster] - why.scores[why.runner_up] == pytest.approx(why.margin)
        assert why.cluster == result.labels[node][value] != why.runner_up
        shares = [piece.contribution for piece in why.evidence]
        assert shares == sorted(shares, reverse=True)


@given(solved_graphs(), st.data())
def test_the_margin_is_what_moving_would_lose(
    solved: tuple[Graph, Result], data: st.DataObject
) -> None:
    """The objective falls by the margin when the value goes to the runner-up, and no less."""
    graph, result = solved
    node = data.draw(st.sampled_from(hidden_nodes(graph)))
    value = data.draw(st.integers(0, graph.sizes[node] - 1))
    why = Explainer(graph, result, "clusters").why(node, value)
    there = [brute_score(graph, result, node, value, c) for c in range(result.n_clusters[node])]
    own = there.pop(why.cluster)
    assert own - max(there) == pytest.approx(why.margin, abs=1e-9)


@given(solved_graphs(), st.data())
def test_margins_of_all_are_those_of_each(
    solved: tuple[Graph, Result], data: st.DataObject
) -> None:
    """All margins at once, from the kernels, are the margins one by one."""
    graph, result = solved
    node = data.draw(st.sampled_from(hidden_nodes(graph)))
    explainer = Explainer(graph, result, data.draw(st.sampled_from(["clusters", "values"])))
    placed, mass = explainer.placed(node), explainer.scored(node).mass
    for value in range(graph.sizes[node]):
        why = explainer.why(node, value)
        assert placed.margin[value] * mass[value] == pytest.approx(why.margin, abs=1e-9)
        assert why.scores[placed.runner_up[value]] == pytest.approx(why.scores[why.runner_up])


@settings(max_examples=8)
@given(st.integers(0, 1000))
def test_removing_the_strongest_evidence_lowers_the_margin(seed: int) -> None:
    """Without its three strongest words a document is less at home, in both views."""
    table, _ = topics(seed=seed)
    graph = one_table(table, 3)
    result = comraf.Comraf(graph, effort="quick", random_state=0).fit().result_
    for against in ("clusters", "values"):
        explainer = Explainer(graph, result, against)
        falls = []
        for value in range(0, 60, 5):
            why = explainer.why("documents", value)
            words = [piece.value for piece in why.evidence[:3]]
            falls.append(
                explainer.why("documents", value, without={"words": words}).margin < why.margin
            )
        assert np.mean(falls) > 0.9


def test_polished_nodes_are_held_against_single_values() -> None:
    """The view is the one the search ended with; a value's words differ only where it counts."""
    table, _ = topics()
    graph = one_table(table, 3)
    found = {
        effort: comraf.Comraf(graph, effort=effort, random_state=0).fit().result_
        for effort in ("quick", "paper")
    }
    polished, plain = (Solved(graph, found[effort]) for effort in ("quick", "paper"))
    assert polished.against("documents").n_clusters[1] == 40
    assert plain.against("documents").n_clusters == plain.state.n_clusters
    assert (Explainer(graph, found["quick"]).placed("documents").margin > -1e-9).all()


def test_other_counts_in_place_of_the_own() -> None:
    """A document with the words of another topic would be better off there."""
    table, topic = topics(strength=6.0)
    graph = one_table(table, 3)
    result = comraf.Comraf(graph, random_state=0).fit().result_
    explainer = Explainer(graph, result)
    assert explainer.why("documents", 0).margin > 0
    other = int(np.flatnonzero(topic == 1)[0])
    moved = explainer.with_counts("documents", 0, {"words": table[[other]]})
    assert moved.margin < 0
    assert moved.runner_up == result.labels["documents"][other]


def test_values_without_counts_and_single_clusters() -> None:
    """A value without counts has no evidence and no margin; one cluster has no runner-up."""
    table = sp.csr_array(np.array([[3, 0], [0, 2], [0, 0]]))
    graph = Graph(
        [Node("d", n_clusters=2), Node("w", observed="singletons")], [Edge("d", "w", table)]
    )
    result = comraf.Comraf(graph, random_state=0).fit().result_
    why = Explainer(graph, result).why("d", 2)
    assert (why.margin, why.evidence) == (0.0, ())
    with pytest.raises(InputError, match="the partition of 'w' is observed"):
        Explainer(graph, result).why("w", 0)
    alone = Result({"d": np.zeros(3), "w": np.arange(2)}, {"d": 1, "w": 2}, 0.0, ())
    with pytest.raises(InputError, match="one cluster only"):
        Explainer(graph, alone).why("d", 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda e: e.why("documents", 60), "run from 0 to 59"),
        (lambda e: e.why("documents", "x"), "have no names"),
        (lambda e: e.why("documents", 1.5), "number or the name"),
        (lambda e: e.why("q", 0), "no node 'q'"),
        (lambda e: e.why("documents", 0, without={"q": [1]}), "not a neighbour"),
        (lambda e: Explainer(e.graph, e.result, "guesses"), "choose one of"),
        (lambda e: Explainer(one_table(topics(50)[0], 2), e.result), "graph that was solved"),
        (lambda e: e.with_counts("documents", 0, {"w": [[1] * 40]}), "'w' is not a neighbour"),
        (lambda e: e.with_counts("documents", 0, {"words": [[1] * 41]}), "are 1 x 41; give one"),
        (lambda e: e.with_counts("documents", 0, {"words": [[-1] * 40]}), "Negative values"),
    ],
)
def test_wrong_questions(quick_fit: tuple[Graph, Result], call: object, message: str) -> None:
    """What is not there is refused with what there is."""
    with pytest.raises(InputError, match=message):
        call(Explainer(*quick_fit))  # type: ignore[operator]


def test_names_of_values_come_from_the_graph_or_the_result() -> None:
    """A value can be named, and its evidence is."""
    table = np.array([[3, 0], [0, 2], [1, 2]])
    nodes = [Node("d", n_clusters=2), Node("w", values=["sea", "leaf"], observed="singletons")]
    graph = Graph(nodes, [Edge("d", "w", table)])
    found = comraf.Comraf(graph, random_state=0).fit().result_
    named = Result(
        found.labels, found.n_clusters, found.objective, found.edges, values={"d": ["a", "b", "c"]}
    )
    why = Explainer(graph, named).why("d", "b")
    assert (why.value, why.name, why.evidence[0].name) == (1, "b", "leaf")
    assert why.evidence[0].count == 2.0


@given(solved_graphs(least=1))
def test_characteristic_values_are_parts_of_the_information(solved: tuple[Graph, Result]) -> None:
    """On every neighbouring side, positive contributions are there; sizes are the result's."""
    graph, result = solved
    for node in hidden_nodes(graph):
        found = characteristic(graph, result, node, n_best=100)
        assert [cluster.size for cluster in found] == result.sizes(node).tolist()
        neighbours = {e.b if e.a == node else e.a for e in graph.edges if node in (e.a, e.b)}
        assert all(set(cluster.telling) == neighbours for cluster in found)
        assert all(w > 0 for c in found for best in c.telling.values() for _, w in best)


def test_settled_values_are_explained_by_the_score_they_settled_by() -> None:
    """Evidence adds up to the margin of shrunken scores; in the own cluster these are highest."""
    rng = np.random.default_rng(4)
    table = rng.poisson(
        np.where(np.arange(60)[:, None] % 4 == np.arange(40)[None, :] % 4, 1.2, 0.3)
    )
    model = comraf.MDC(4, effort="quick", random_state=0).fit(table)
    explainer = Explainer(model.graph_, model.result_)
    assert settled(model.graph_, model.result_, "rows")
    assert not settled(model.graph_, model.result_, "rows", "clusters")
    fitted, mass = explainer.placed("rows"), explainer.scored("rows").mass
    placed = model.place(table)
    for value in range(60):
        why = explainer.why("rows", value)
        assert sum(piece.contribution for piece in why.evidence) == pytest.approx(why.margin)
        assert why.margin == pytest.approx(fitted.margin[value] * mass[value])
        assert why.runner_up == fitted.runner_up[value]
    assert (fitted.margin >= -1e-12).mean() > 0.95
    np.testing.assert_array_equal(placed.labels, model.labels_)


def test_evidence_tells_the_counts_that_were_given() -> None:
    """Real counts are kept in small units; evidence has them as they came, with all worth."""
    table = np.array([[2.25, 0.5, 0.0], [1.75, 0.0, 0.25], [0.0, 3.5, 1.25]])
    graph = one_table(sp.csr_array(table), 2)
    result = comraf.Comraf(graph, effort="quick", random_state=0).fit().result_
    why = Explainer(graph, result).why("documents", 0)
    counts = {piece.value: piece.count for piece in why.evidence}
    assert counts == pytest.approx({0: 2.25, 1: 0.5}, abs=1 / graph.edges[0].units)
    assert graph.edges[0].units > 10


def test_evidence_can_be_kept_in_sets_and_not_be_changed(
    quick_fit: tuple[Graph, Result],
) -> None:
    """What was said stays said."""
    evidence = Explainer(*quick_fit).why("documents", 0).evidence
    assert len(set(evidence)) == len(evidence) > 0
    with pytest.raises(AttributeError):
        evidence[0].count = 0.0  # type: ignore[misc]


def test_a_settled_value_alone_in_its_cluster_is_explained_too() -> None:
    """Without it its cluster holds nothing, and that alone says nothing about its mass."""
    rng = np.random.default_rng(4)
    table = rng.poisson(
        np.where(np.arange(41)[:, None] % 2 == np.arange(30)[None, :] % 2, 1.5, 0.3)
    )
    table = np.pad(table, ((0, 0), (0, 3)))
    table[40] = 0
    table[40, [0, 1, 30, 31, 32]] = [1, 1, 30, 30, 30]
    model = comraf.MDC(3, effort="quick", random_state=0).fit(table)
    assert (model.labels_ == model.labels_[40]).sum() == 1
    explainer = Explainer(model.graph_, model.result_)
    assert settled(model.graph_, model.result_, "rows")
    why, mass = explainer.why("rows", 40), explainer.scored("rows").mass
    assert why.margin == pytest.approx(explainer.placed("rows").margin[40] * mass[40])
    assert sum(piece.contribution for piece in why.evidence) == pytest.approx(why.margin)
