"""Results: immutable, whole, with ids that mean the same for ever."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from comraf import Comraf, Edge, Graph, Node
from comraf.errors import InputError
from comraf.results import Result


def some(**more: object) -> Result:
    """A small result of one node."""
    return Result({"d": np.array([0, 1, 0])}, {"d": 2}, 0.5, (), **more)  # type: ignore[arg-type]


def test_nothing_can_be_written_to() -> None:
    """Neither arrays nor mappings nor attributes; what was given stays the giver's own."""
    given = np.array([0, 1, 0], dtype=np.int32)
    level = np.array([0, 1, 2], dtype=np.int32)
    result = Result({"d": given}, {"d": 2}, 0.5, (), levels={"d": (level, given)})
    given[0] = level[0] = 1
    assert result.labels["d"].tolist() == [0, 1, 0]
    assert result.levels["d"][0].tolist() == [0, 1, 2]
    for array in (result.labels["d"], result.ids["d"], result.levels["d"][0]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    for mapping in (result.labels, result.ids, result.next_ids, result.names, result.levels):
        with pytest.raises(TypeError):
            mapping["d"] = 1  # type: ignore[index]
    with pytest.raises(AttributeError):
        result.objective = 1.0  # type: ignore[misc]


def test_copies_are_whole() -> None:
    """Copying and sending to another process keep everything."""
    result = some(
        ids={"d": [4, 7]}, next_ids={"d": 9}, names={"d": ["x", ""]}, values={"d": ["a", "b", "c"]}
    )
    for twin in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):  # noqa: S301
        assert twin.ids["d"].tolist() == [4, 7]
        assert (twin.next_ids["d"], twin.names["d"], twin.values["d"]) == (
            9,
            ("x", ""),
            ("a", "b", "c"),
        )


def test_fresh_results_have_ids_like_labels() -> None:
    """Ids run from 0, and the next one is free."""
    result = some()
    assert result.ids["d"].tolist() == [0, 1]
    assert result.next_ids["d"] == 2
    assert result.name("d", 1) == "cluster 1"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"ids": {"d": [1, 1]}}, "no two alike"),
        ({"ids": {"d": [1]}}, "2 numbers"),
        ({"ids": {"d": [0, 5]}, "next_ids": {"d": 5}}, "below 5"),
        ({"ids": {"d": [-1, 0]}}, "from -1"),
        ({"names": {"d": ["a"]}}, "1 names for 2"),
        ({"values": {"d": ["a"]}}, "1 entries for the 3"),
        ({"stability": {"d": [0.5]}}, "1 entries for the 3"),
        ({"levels": {"d": ([0, 1],)}}, "does not have 3"),
        ({"names": {"q": ["a"]}}, "'q', which is not a node"),
    ],
)
def test_parts_that_do_not_fit(more: dict[str, object], message: str) -> None:
    """Every part is checked against the others."""
    with pytest.raises(InputError, match=message):
        some(**more)


def test_labels_that_do_not_fit() -> None:
    """Labels name clusters that are there, of nodes that are there."""
    with pytest.raises(InputError, match="from 0 to 0"):
        Result({"d": np.array([0, 1])}, {"d": 1}, 0.0, ())
    with pytest.raises(InputError, match="labels are of"):
        Result({"d": np.array([0, 1])}, {"e": 2}, 0.0, ())
    with pytest.raises(InputError, match="no cluster 3; its ids are 0, 1"):
        some().label("d", 3)
    with pytest.raises(InputError, match="no node 'q'"):
        some().sizes("q")


def test_a_result_is_shown_in_a_line():
    """No arrays: sides with their clusters, and what was reached."""
    graph = Graph(
        [Node("d", n_clusters=2), Node("w", observed="singletons")],
        [Edge("d", "w", [[5, 0], [4, 1], [0, 6], [1, 7]])],
    )
    shown = repr(Comraf(graph, random_state=0).fit().result_)
    assert shown.startswith("Result(objective 0.")
    assert "clusters: d 2, w 2;" in shown
    assert len(shown) < 100
