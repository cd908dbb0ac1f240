"""Model specs: round trips, matching by name, and refusals in plain words."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.errors import GraphError, ReadError, WriteError
from comraf.graph import Edge, Graph, Node, load_graph, save_graph
from comraf.graph.spec import graph_from_spec


def read(path):
    """Tables without names, from SciPy's files."""
    return sp.load_npz(path), None, None


def spec(**changes):
    """A small valid spec with some keys changed."""
    return {
        "format": "comraf-graph",
        "version": 1,
        "nodes": [{"name": "d", "clusters": 2}, {"name": "w", "direction": "top-down"}],
        "edges": [{"between": ["d", "w"], "table": "t"}],
        **changes,
    }


def test_round_trip(tmp_path):
    """A saved graph loads with the same nodes, weights, counts and observed partitions."""
    graph = Graph(
        [
            Node("documents", n_clusters=2, values=["x", "y", "z"]),
            Node("words", direction="top-down"),
            Node("labels", observed=[0, 1, 1]),
        ],
        [
            Edge("documents", "words", [[1, 2], [0, 3], [4, 0]], weight=0.25, weighting="binary"),
            Edge("documents", "labels", np.eye(3)),
        ],
    )
    save_graph(graph, tmp_path / "model.yaml")
    assert "variable" not in (tmp_path / "model.yaml").read_text()  # a partition, as ever
    again = load_graph(tmp_path / "model.yaml", read).check()
    assert [n.name for n in again.nodes] == ["documents", "words", "labels"]
    assert again.nodes[0].values == ("x", "y", "z")
    assert again.nodes[1].direction == "top-down"
    assert again.nodes[2].observed.tolist() == [0, 1, 1]
    assert again.edges[0].weight == 0.25
    for old, new in zip(graph.edges, again.edges, strict=True):
        np.testing.assert_array_equal(old.counts.toarray(), new.counts.toarray())


def test_nothing_half_written_is_left(tmp_path):
    """A spec that can't be written leaves no tables behind; names get their ending."""
    graph = Graph(
        [Node("d", n_clusters=1), Node("w", direction="top-down")], [Edge("d", "w", [[1]])]
    )
    (tmp_path / "model.yaml").mkdir()
    with pytest.raises(WriteError):
        save_graph(graph, tmp_path / "model.yaml")
    assert not list(tmp_path.glob(".*partial*"))
    save_graph(graph, tmp_path / "other.yaml", tables=["tab"])
    assert load_graph(tmp_path / "other.yaml", read).sizes == {"d": 1, "w": 1}


def test_values_are_matched_by_name():
    """Two tables with documents in another order, and one missing, meet at the right rows."""
    tables = {
        "words": (np.array([[1, 0], [0, 2]]), ["d1", "d2"], ["sea", "ship"]),
        "people": (np.array([[5], [7]]), ["d3", "d1"], ["ann"]),
    }
    nodes = [
        {"name": "d", "clusters": 2},
        {"name": "w", "direction": "top-down"},
        {"name": "p", "direction": "top-down"},
    ]
    edges = [
        {"between": ["d", "w"], "table": "words", "weighting": "raw"},
        {"between": ["d", "p"], "table": "people", "weighting": "raw", "weight": 2},
    ]
    graph = graph_from_spec(spec(nodes=nodes, edges=edges), tables.__getitem__)
    assert graph.nodes[0].values == ("d1", "d2", "d3")
    assert graph.edges[0].counts.toarray().tolist() == [[1, 0], [0, 2], [0, 0]]
    assert graph.edges[1].counts.toarray().tolist() == [[7], [0], [5]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "'other', expected 'comraf-graph'"),
        ({"version": 2}, "newer comraf"),
        ({"version": "1"}, "version is '1'"),
        ({"version": True}, "version is True"),
        ({"nodes": [{"name": "d", "clusters": 2, "values": 5}, {"name": "w"}]}, "list of names"),
        ({"extra": 1}, "unknown key 'extra'"),
        ({"nodes": []}, "'nodes' must be a list"),
        ({"edges": {}}, "'edges' must be a list"),
        ({"nodes": ["d"]}, "a node is str"),
        ({"edges": [{"between": ["d"], "table": "t"}]}, "two node names"),
        ({"edges": [{"between": ["d", "w"]}]}, "names no table"),
        ({"edges": [{"between": ["d", "w"], "table": "t", "weight": "big"}]}, "'big'"),
        ({"nodes": [{"name": 3}, {"name": "w"}]}, "non-empty string"),
        ({"nodes": [{"name": "d", "variable": "x"}, {"name": "w"}]}, "variable='x' is unknown"),
    ],
)
def test_bad_specs(changes, message):
    """Each damaged spec is refused with the key and the value."""
    with pytest.raises(GraphError, match=message):
        graph_from_spec(spec(**changes), lambda name: (np.ones((3, 3)), None, None))


def test_mixed_names_are_refused():
    """A node can't be matched by name in one table and by position in another."""
    tables = {"t": (np.ones((2, 2)), ["a", "b"], None), "u": (np.ones((2, 2)), None, None)}
    edges = [{"between": ["d", "w"], "table": name} for name in ("t", "u")]
    with pytest.raises(GraphError, match="some tables of 'd' carry names"):
        graph_from_spec(spec(edges=edges), tables.__getitem__)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: [1", "not valid YAML"),
        (b"\xff\xfe\x00x", "not UTF-8"),
        (b"a: &x [1]\nformat: *x\n", "aliases"),
        (b"!!python/object/apply:os.system ['true']", "not valid YAML"),
    ],
)
def test_unreadable_spec_files(tmp_path, content, message):
    """Damaged and hostile YAML is one clear error; nothing in it is run."""
    (tmp_path / "m.yaml").write_bytes(content)
    with pytest.raises(ReadError, match=message):
        load_graph(tmp_path / "m.yaml", read)


def test_missing_spec_file(tmp_path):
    """A file that is not there is named."""
    with pytest.raises(ReadError, match=r"nowhere\.yaml"):
        load_graph(tmp_path / "nowhere.yaml", read)


def test_what_an_edge_does_not_say_is_what_the_estimators_take():
    """Rows to the root of their mass, edges by the root of theirs; what a file says stays."""
    words, people = np.array([[9, 0, 0], [1, 2, 1]]), np.array([[1, 0, 0], [0, 2, 1]])
    tables = {"words": (words, None, None), "people": (people, None, None)}
    nodes = [{"name": "d", "clusters": 2}, {"name": "w"}, {"name": "p"}]

    def edges(**more):
        made = [
            {"between": ["d", "w"], "table": "words"},
            {"between": ["d", "p"], "table": "people", **more},
        ]
        found = graph_from_spec(spec(nodes=nodes, edges=made), tables.__getitem__).edges
        return [edge.weighting for edge in found], [edge.weight for edge in found]

    assert edges() == (["root_rows"] * 2, pytest.approx([1.0, (4 / 13) ** 0.5]))
    # beside three different words, not thirteen
    assert edges(weighting="binary")[1] == pytest.approx([1.0, (3 / 13) ** 0.5])
    assert edges(weight=3, weighting="raw") == (["root_rows", "raw"], [1.0, 3.0])
    measured = graph_from_spec(
        spec(nodes=nodes, edges=[{"between": ["d", s[0]], "table": s} for s in tables]),
        tables.__getitem__,
        measured={"p": 0.5},
    )
    assert [edge.weight for edge in measured.edges] == [1.0, 0.2]
