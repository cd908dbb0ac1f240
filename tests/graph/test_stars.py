"""Graphs as series of stars: the order, what is refused, and tables of clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from comraf.errors import GraphError, InputError
from comraf.graph import Edge, Graph, Node, Star, photo_graph, star_graph, star_series
from comraf.graph.photos import BESIDE_COUNTS, PHOTO_WEIGHTS
from comraf.inference import Problem
from tests.strategies import brute_information, graphs


def chain(**observed):
    """A chain a - b - c - d of which some nodes are observed."""
    names = "abcd"
    nodes = [
        Node(n, n_clusters=None if n in observed else 2, observed=observed.get(n)) for n in names
    ]
    tables = [[[2, 0, 1], [0, 3, 1], [1, 1, 0]]] * 3
    return Graph(nodes, [Edge(x, y, t) for x, y, t in zip(names, names[1:], tables, strict=False)])


def test_far_nodes_come_first_and_the_target_last():
    """Leaves first: each node by what is observed, or solved before it."""
    stars = star_series(chain(d="singletons"), "a")
    assert [(s.node, s.leaves) for s in stars] == [("c", ("d",)), ("b", ("c",)), ("a", ("b",))]
    assert [s.edges for s in stars] == [(2,), (1,), (0,)]


def test_a_target_in_the_middle_waits_for_both_ends():
    """Nodes that nothing observed touches are refused, whatever is beyond the target."""
    with pytest.raises(GraphError, match="'d' is joined to the hidden nodes"):
        star_series(chain(a="singletons"), "c")
    stars = star_series(chain(a="singletons"), "c", singletons=True)
    assert [(s.node, s.leaves) for s in stars] == [("b", ("a",)), ("d", ("c",)), ("c", ("b", "d"))]


def test_a_node_without_a_usable_edge_is_refused_by_name():
    """An edge of weight 0 says nothing; an unknown or observed target is told."""
    graph = Graph(
        [Node("a", n_clusters=2), Node("b", n_clusters=2), Node("c", observed="singletons")],
        [Edge("a", "c", [[1, 2], [3, 0]]), Edge("a", "b", [[1, 2], [3, 0]], weight=0.0)],
    )
    with pytest.raises(GraphError, match="'b' has no edge with counts"):
        star_series(graph, singletons=True)
    with pytest.raises(InputError, match="is observed"):
        star_series(graph, "c")
    with pytest.raises(InputError, match="no node"):
        star_series(graph, "x")
    with pytest.raises(GraphError, match="nothing to cluster"):
        star_series(Graph([Node("c", observed="singletons", size=2)], []))


def test_clusters_of_a_node_are_the_columns_of_the_next_star():
    """Counts are added up by cluster on either end; mutual information stays the same."""
    rng = np.random.default_rng(0)
    table, labels = rng.poisson(1.0, (6, 9)), rng.integers(0, 3, 9).astype(np.int32)
    nodes = [Node("x", n_clusters=2), Node("y", n_clusters=3)]
    for edge in (Edge("x", "y", table), Edge("y", "x", table.T)):
        star = star_graph(Graph(nodes, [edge]), Star("x", ("y",), (0,)), {"y": labels})
        counts = star.edges[0].counts.toarray()
        counts = counts if edge.a == "x" else counts.T
        expected = np.stack([table[:, labels == c].sum(axis=1) for c in range(3)], axis=1)
        np.testing.assert_array_equal(counts, expected)
        assert star.nodes[1].observed == "singletons"


@settings(max_examples=25, deadline=None)
@given(graphs())
def test_removing_an_edge_takes_its_term_from_the_objective(graph):
    """At the same partitions the objective falls by weight times information, exactly."""
    problem = Problem(graph)
    rng = np.random.default_rng(0)
    hidden = {}
    for i in problem.hidden:
        labels = rng.integers(0, 2, problem.sizes[i]).astype(np.int32)
        labels[:2] = 0, 1
        hidden[i] = (labels, 2)
    whole = problem.objective.value(problem.start(hidden))
    for gone in range(len(graph.edges)):
        edge, others = graph.edges[gone], [e for i, e in enumerate(graph.edges) if i != gone]
        if not all(any(n.name in (e.a, e.b) and e.weight for e in others) for n in graph.nodes):
            continue  # nothing would be known of a node
        left = Problem(Graph(graph.nodes, others))
        state = left.start(hidden)
        ends = [state.labels[graph.index[end]] for end in (edge.a, edge.b)]
        term = edge.weight * brute_information(edge.counts.toarray(), *ends)
        assert whole - left.objective.value(state) == pytest.approx(term, abs=1e-9)


REGIONS = np.repeat(np.arange(4), 3)
COLOURS = [[5, 0, 1], [4, 1, 0], [0, 4, 2], [1, 5, 0]]
OF_REGIONS = np.repeat(COLOURS, 3, axis=0)


def test_the_photo_graph_is_figure_7_2_and_so_is_its_series():
    """Left: five edges, images and regions hidden. Right: regions first, then images."""
    graph = photo_graph(
        REGIONS,
        n_clusters=2,
        n_blobs=3,
        images_words=[[1, 0], [1, 0], [0, 1], [0, 1]],
        images_colours=COLOURS,
        regions_colours=OF_REGIONS,
        regions_texture=OF_REGIONS[:, :2] + 1,
    )
    joined = {(edge.a, edge.b) for edge in graph.edges}
    assert joined == {
        ("images", "regions"),
        ("images", "words"),
        ("images", "colours"),
        ("regions", "colours"),
        ("regions", "texture"),
    }
    hidden = {node.name: node.direction for node in graph.nodes if node.hidden}
    assert hidden == {"images": "bottom-up", "regions": "top-down"}
    first, second = star_series(graph)
    assert (first.node, set(first.leaves)) == ("regions", {"colours", "texture"})
    assert (second.node, set(second.leaves)) == ("images", {"words", "colours", "regions"})


def test_weights_of_the_photo_graph():
    """By a rule, or by the names of tables; what is not there is told."""

    def weights(rule, colours=OF_REGIONS):
        graph = photo_graph(
            REGIONS,
            n_clusters=2,
            n_blobs=3,
            images_colours=COLOURS,
            regions_colours=colours,
            weights=rule,
            weighting="raw",
        )
        return [edge.weight for edge in graph.edges], graph

    assert weights("thesis")[0] == [1.0, 1.0, 100.0]
    assert weights("equal")[0] == [1.0, 1.0, 1.0]
    assert weights({"images_colours": 3.0})[0] == [1.0, 3.0, 1.0]
    information = brute_information(OF_REGIONS, np.arange(12), np.arange(3))
    assert weights("balanced")[0][2] * information == pytest.approx(10 * np.log(2))
    # images weigh what they have as organize does: pixels must not drown captions
    assert weights("balanced")[0][:2] == [1.0, PHOTO_WEIGHTS["colours"]]
    captioned = photo_graph(REGIONS, n_clusters=2, images_words=COLOURS, regions_colours=OF_REGIONS)
    assert captioned.edges[1].weight == 1 / BESIDE_COUNTS
    with pytest.raises(InputError, match="'images_words', which is not there"):
        weights({"images_words": 1.0})
    with pytest.raises(InputError, match="choose one of"):
        weights("none")
    # another palette for regions is another node
    assert "region colours" in weights("equal", OF_REGIONS[:, :2])[1].index


def test_regions_of_which_nothing_is_known_are_refused():
    """The image a region is in says nothing across images."""
    with pytest.raises(InputError, match="regions_colours or regions_texture"):
        photo_graph(REGIONS, n_clusters=2, images_colours=COLOURS)
    with pytest.raises(InputError, match="number"):
        photo_graph([0.5, 1.0], n_clusters=2, regions_colours=[[1], [1]])
    table = np.eye(4, dtype=int)[:, REGIONS]  # images x regions is the same
    graph = photo_graph(table, n_clusters=2, regions_colours=OF_REGIONS)
    assert graph.sizes["regions"] == 12
