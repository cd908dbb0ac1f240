"""Graphs: what is refused, and in which words."""

from __future__ import annotations

import numpy as np
import pytest

from comraf.errors import GraphError, InputError
from comraf.graph import Edge, Graph, Node, star_series

TABLE = [[1, 2, 0], [0, 1, 1], [1, 0, 3], [2, 0, 0]]


def words(**options):
    """The node of words."""
    return Node("words", direction="top-down", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": ""}, "non-empty"),
        ({"name": "x", "direction": "sideways"}, "sideways.*bottom-up"),
        ({"name": "x", "n_clusters": 0}, "n_clusters=0.*at least 1"),
        ({"name": "x", "n_clusters": 2.5}, "n_clusters=2.5"),
        ({"name": "x", "n_clusters": True}, "n_clusters=True"),
        ({"name": "x", "values": ["a", "b", "a"]}, "'a' is given more than once"),
        ({"name": "x", "values": ["a"], "size": 2}, "size=2 but 1 values"),
        ({"name": "x", "observed": "labels"}, "'singletons'"),
        ({"name": "x", "observed": [0, -1]}, "0 or more"),
        ({"name": "x", "observed": [0.5, 1.0]}, "whole number"),
        ({"name": "x", "observed": [[0], [0, 1]]}, "no list of numbers"),
        ({"name": "x", "observed": [0, 1], "size": 3}, "2 entries for 3 values"),
    ],
)
def test_bad_nodes(options, message):
    """Each bad node is refused with the value that is wrong."""
    with pytest.raises(GraphError, match=message):
        Node(**options)


def test_an_observed_partition_may_have_gaps():
    """Cluster numbers of an observed node are made consecutive."""
    assert Node("x", observed=[7, 3, 7]).observed.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"a": "d", "b": "d"}, "itself.*observed copy"),
        ({"a": ["d"]}, "names of two nodes"),
        ({"weight": -1}, "weight.*-1"),
        ({"weight": float("nan")}, "weight.*nan"),
        ({"weighting": "idf"}, "'idf' is unknown"),
        ({"row_weights": [1, 2]}, r"shape \(2,\), expected \(4,\)"),
        ({"row_weights": [1, 2, 3, -1]}, "0 or more"),
        ({"row_weights": [0, 0, 0, 0]}, "all zero"),
        ({"table": [[1, -1]]}, "table of d and w.*row 0, column 1"),
    ],
)
def test_bad_edges(options, message):
    """Each bad edge is refused with its names and the value that is wrong."""
    with pytest.raises(InputError, match=message):
        Edge(**{"a": "d", "b": "w", "table": TABLE, **options})


def graph(nodes, edges):
    """A graph that is made and checked when called."""
    return lambda: Graph(nodes, edges).check()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            graph([Node("d", size=3, n_clusters=2), words()], [Edge("d", "words", TABLE)]),
            r"sizes of 'd' don't match.*3.*4",
        ),
        (graph([Node("d", n_clusters=2), Node("d")], []), "two nodes are called 'd'"),
        (graph([Node("d", n_clusters=2)], [Edge("d", "w", TABLE)]), "'w', which is not a node"),
        (
            graph(
                [Node("d", n_clusters=2), words(), Node("x", n_clusters=1, size=2)],
                [Edge("d", "words", TABLE)],
            ),
            "'x' is isolated",
        ),
        (
            graph([Node("d", n_clusters=5), words()], [Edge("d", "words", TABLE)]),
            "n_clusters=5.*only 4 values",
        ),
        (graph([Node("d"), words()], [Edge("d", "words", TABLE)]), "no n_clusters"),
        (
            graph(
                [Node("d", n_clusters=2, direction="top-down"), words()],
                [Edge("d", "words", TABLE)],
            ),
            r"all hidden and all top-down.*Node\('d'",
        ),
        (
            graph(
                [Node("d", observed="singletons"), Node("words", observed="singletons")],
                [Edge("d", "words", TABLE)],
            ),
            "nothing to cluster",
        ),
        (
            graph([Node("d", n_clusters=1), words()], [Edge("d", "words", np.zeros((3, 2)))]),
            "no counts at all",
        ),
        (
            graph([Node("d", n_clusters=1), words()], [Edge("d", "words", np.zeros((0, 2)))]),
            "0 x 2",
        ),
        (
            graph(
                [Node("d", n_clusters=3), words()], [Edge("d", "words", [[1, 1], [0, 0], [1, 2]])]
            ),
            "only 2 of its 3 values have any counts",
        ),
    ],
)
def test_graphs_that_cannot_be_solved(make, message):
    """check() refuses each unsolvable graph and says why."""
    with pytest.raises(GraphError, match=message):
        make()


def test_weight_zero_alone_tells_nothing():
    """A node all of whose edges have weight 0 is refused; beside another edge it is fine."""
    nodes = [Node("d", n_clusters=2), words(), Node("p", direction="top-down")]
    edges = [Edge("d", "words", TABLE), Edge("d", "p", TABLE, weight=0.0)]
    with pytest.raises(GraphError, match="all edges of node 'p' have weight 0"):
        Graph(nodes, edges).check()
    Graph(nodes, [*edges, Edge("words", "p", np.ones((3, 3)))]).check()


def test_what_is_no_node_or_edge_is_refused():
    """Strings in the lists of nodes and edges, or as values, are told from the real thing."""
    with pytest.raises(GraphError, match="'a' is not a Node"):
        Graph(["a"], [])
    with pytest.raises(GraphError, match="nodes is NoneType; give a list"):
        Graph(None, [])
    with pytest.raises(InputError, match=r"graph is int; give a comraf\.Graph"):
        star_series(5)
    with pytest.raises(GraphError, match="list of names"):
        Node("x", values="abc")
    with pytest.raises(GraphError, match="weight of edge"):
        Edge("d", "w", TABLE, weight="x")


def test_a_copy_of_a_graph_is_the_graph():
    """Graphs don't change, so scikit-learn's clone need not copy their tables."""
    import copy

    made = Graph([Node("d", n_clusters=2), words()], [Edge("d", "words", TABLE)])
    assert copy.deepcopy(made) is made


def test_picture_of_a_node_without_a_size():
    """A graph that is not whole yet can be drawn too; control characters are replaced."""
    from xml.etree import ElementTree

    picture = Graph([Node("a\x00b"), Node("w")], []).to_svg()
    ElementTree.fromstring(picture)  # noqa: S314  # our own text
    assert "?" in picture


def test_only_the_bad_component_is_named():
    """Of two components, the one with all nodes hidden and top-down is refused by name."""
    nodes = [Node("a", n_clusters=2), Node("b", direction="top-down")]
    nodes += [Node(n, n_clusters=2, direction="top-down") for n in "cd"]
    with pytest.raises(GraphError, match=r"\['c', 'd'\]"):
        Graph(nodes, [Edge("a", "b", TABLE), Edge("c", "d", TABLE)]).check()


def test_cycles_parallel_edges_and_observed_top_down_graphs_pass():
    """A loop, two edges between one pair, and top-down nodes beside an observed one are fine."""
    square = np.ones((3, 3), dtype=int)
    nodes = [Node("a", n_clusters=2), words(), Node("c", direction="top-down")]
    edges = [Edge("a", "words", square), Edge("words", "c", square), Edge("c", "a", square)]
    Graph(nodes, [*edges, Edge("a", "words", square, weight=0.5)]).check()
    star = [Node("t", n_clusters=2, direction="top-down"), Node("o", observed="singletons")]
    Graph(star, [Edge("t", "o", square)]).check()


def test_picture_shades_observed_nodes_and_escapes_names():
    """The SVG parses, shades what is observed, and a hostile name stays text."""
    from xml.etree import ElementTree

    hostile = "<script>alert(1)</script>"
    nodes = [Node(hostile, n_clusters=2), Node("words", observed="singletons")]
    picture = Graph(nodes, [Edge(hostile, "words", TABLE), Edge(hostile, "words", TABLE)]).to_svg()
    root = ElementTree.fromstring(picture)  # noqa: S314  # our own text
    circles = [e.get("fill") for e in root.iter() if e.tag.endswith("circle")]
    assert circles[0] == "#ffffff"
    assert circles[1] != "#ffffff"
    assert not [e for e in root.iter() if e.tag.endswith("script")]
    paths = [e.get("d") for e in root.iter() if e.tag.endswith("path")]
    assert len(set(paths)) == 2  # parallel edges don't hide each other


def test_a_node_says_what_kind_of_variable_it_holds():
    """Partitions so far; another kind is refused with the list of those that there are."""
    assert Node("words").variable == "partition"
    with pytest.raises(GraphError, match=r"node 'words': variable='order' .*\['partition'\]"):
        Node("words", variable="order")
