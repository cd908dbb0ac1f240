"""Merging, splitting, moving and renaming."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.errors import InputError
from comraf.graph import Graph
from comraf.results import Result, characteristic, taxonomy
from comraf.results.edit import merge, move, rename, split
from comraf.results.solved import Solved
from tests.results.solving import hidden_nodes, one_table, solved_graphs, topics
from tests.strategies import brute_information


def check_whole(graph: Graph, result: Result) -> None:
    """Objective and edges are what the definition says of the labels."""
    for edge, said in zip(graph.edges, result.edges, strict=True):
        known = brute_information(
            edge.counts.toarray(), result.labels[edge.a], result.labels[edge.b]
        )
        assert said.information == pytest.approx(known, abs=1e-9)
    total = sum(edge.weight * edge.information for edge in result.edges)
    assert result.objective == pytest.approx(total)
    for node, labels in result.labels.items():
        assert len(np.unique(labels)) == result.n_clusters[node]


def members(result: Result, node: str) -> dict[int, set[int]]:
    """Values of each cluster by its id."""
    ids = result.cluster_ids(node)
    return {int(i): set(np.flatnonzero(ids == i).tolist()) for i in np.unique(ids)}


@given(solved_graphs(least=3), st.data())
def test_edits_recompute_the_objective_and_keep_ids(
    solved: tuple[Graph, Result], data: st.DataObject
) -> None:
    """After any chain of edits: the objective is right, and no id ever means something else."""
    graph, result = solved
    node = data.draw(st.sampled_from(hidden_nodes(graph)))
    before = result
    seen: dict[int, set[int]] = members(result, node)
    for _ in range(data.draw(st.integers(1, 4))):
        now = members(result, node)
        kind = data.draw(st.sampled_from(["merge", "split", "move", "rename"]))
        ids = st.sampled_from(sorted(now))
        if kind == "merge" and len(now) > 1:
            chosen = data.draw(st.lists(ids, min_size=2, max_size=3, unique=True))
            result = merge(graph, result, node, chosen)
            now[chosen[0]] = set().union(*(now[i] for i in chosen))
            for gone in chosen[1:]:
                del now[gone]
        elif kind == "split":
            big = [i for i, inside in now.items() if len(inside) > 1]
            if not big:
                continue
            cluster = data.draw(st.sampled_from(big))
            parts = data.draw(st.integers(2, len(now[cluster])))
            fresh = result.next_ids[node]
            result = split(graph, result, node, cluster, parts)
            after = members(result, node)
            made = [cluster, *range(fresh, fresh + parts - 1)]
            assert set().union(*(after[i] for i in made)) == now[cluster]
            now.update({i: after[i] for i in made})
        elif kind == "move":
            values = data.draw(
                st.sets(st.integers(0, graph.sizes[node] - 1), min_size=1, max_size=3)
            )
            to = data.draw(st.one_of(st.none(), ids))
            fresh = result.next_ids[node]
            result = move(graph, result, node, values, to)
            now = {i: inside - values for i, inside in now.items()}
            target = fresh if to is None else to
            now[target] = now.get(target, set()) | values
            now = {i: inside for i, inside in now.items() if inside}
        else:
            result = rename(result, node, data.draw(ids), "a name")
        assert members(result, node) == now
        for gone in set(seen) - set(now):
            assert gone < result.next_ids[node]
        assert not set(result.ids[node].tolist()) - set(now)
        seen.update(now)
        check_whole(graph, result)
    assert result.next_ids[node] > max(seen)
    for other in set(result.labels) - {node}:
        np.testing.assert_array_equal(result.labels[other], before.labels[other])


@given(solved_graphs(least=2), st.data())
def test_split_undoes_merge(solved: tuple[Graph, Result], data: st.DataObject) -> None:
    """Merging two clusters loses objective, and taking them apart again brings it back."""
    graph, result = solved
    node = data.draw(st.sampled_from(hidden_nodes(graph)))
    a, b = data.draw(
        st.lists(st.sampled_from(result.ids[node].tolist()), min_size=2, max_size=2, unique=True)
    )
    merged = merge(graph, result, node, [a, b])
    assert merged.objective <= result.objective + 1e-9
    inside = np.flatnonzero(merged.cluster_ids(node) == a)
    back = split(graph, merged, node, a, (result.cluster_ids(node)[inside] != a).astype(int))
    assert back.objective == pytest.approx(result.objective)
    assert back.next_ids[node] == result.next_ids[node] + 1


def test_names_stay_with_their_clusters(quick_fit: tuple[Graph, Result]) -> None:
    """Through merging, splitting and moving; new clusters have none until they are given one."""
    graph, result = quick_fit
    for cluster, name in enumerate(["sea", "law", "tea"]):
        result = rename(result, "documents", cluster, name)
    parts = split(graph, result, "documents", 1, 2, names=["civil law", "criminal law"])
    assert parts.names["documents"] == ("sea", "civil law", "tea", "criminal law")
    merged = merge(graph, parts, "documents", [2, 0])
    assert merged.names["documents"] == ("civil law", "tea", "criminal law")
    assert merged.ids["documents"].tolist() == [1, 2, 3]
    new = move(graph, merged, "documents", [0, 1])
    assert new.name("documents", 3) == "cluster 4"


def test_levels_and_stability_are_those_that_still_hold() -> None:
    """Levels end with the partition there is now; stability of what was edited is gone."""
    table, topic = topics(k=6)
    graph = one_table(table, 3)
    final = (topic % 3).astype(np.int32)
    labels = {"documents": final, "words": np.zeros(40)}
    result = Result(
        labels,
        {"documents": 3, "words": 1},
        0.0,
        (),
        stability={"documents": np.ones(60), "words": np.ones(40)},
        levels={"documents": (topic, final)},
    )
    fewer = merge(graph, result, "documents", [0, 1])
    assert set(fewer.stability) == {"words"}
    np.testing.assert_array_equal(fewer.levels["documents"][-1], fewer.labels["documents"])
    assert len(fewer.levels["documents"]) == 3
    more = split(graph, result, "documents", 0, 20)
    assert "documents" not in more.levels


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda g, r: merge(g, r, "documents", [0]), "two or more"),
        (lambda g, r: merge(g, r, "documents", [0, 9]), "no cluster 9"),
        (lambda g, r: split(g, r, "documents", 0, 1), "2 or more"),
        (lambda g, r: split(g, r, "documents", 0, 61), "61 parts"),
        (lambda g, r: split(g, r, "documents", 0, [0, 1]), "shape"),
        (lambda g, r: split(g, r, "documents", 0, 2, names=["a"]), "1 names for 2"),
        (lambda g, r: move(g, r, "documents", []), "give numbers"),
        (lambda g, r: move(g, r, "documents", [60], 0), "from 0 to 59"),
        (lambda g, r: move(g, r, "people", [0], 0), "no node 'people'"),
        (lambda g, r: merge(g, r, "documents", 1), "two or more"),
        (lambda g, r: move(g, r, "documents", 0, 1), "give numbers"),
        (lambda g, r: move(g, r, "documents", [0.5], 1), "give numbers"),
        (lambda g, r: move(g, r, "documents", ["d0"], 1), "give numbers"),
        (lambda g, r: taxonomy(g, r, "documents", None), "sizes=None; give a list"),
        (lambda g, r: characteristic(g, r, "documents", -1), "n_best=-1"),
        (lambda g, r: characteristic(g, r, "documents", 2.5), "n_best=2.5"),
        (lambda g, r: r.name("documents", 9), "no label 9; they run from 0 to 2"),
        (lambda g, r: rename(r, "documents", 0, 5), "string"),
        (lambda g, r: rename(r, "people", 0, "x"), "no node 'people'"),
    ],
)
def test_edits_that_make_no_sense(
    quick_fit: tuple[Graph, Result], edit: object, message: str
) -> None:
    """They are refused with what would do."""
    with pytest.raises(InputError, match=message):
        edit(*quick_fit)  # type: ignore[operator]


@given(solved_graphs())
def test_an_unchanged_partition_has_the_same_objective(solved: tuple[Graph, Result]) -> None:
    """What the result says of itself is what is computed afresh."""
    graph, result = solved
    assert Solved(graph, result).objective == pytest.approx(result.objective)
    check_whole(graph, result)
