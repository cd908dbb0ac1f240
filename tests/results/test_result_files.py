"""Results on disk: what comes back, and what is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from comraf.errors import InputError, ReadError
from comraf.graph import Graph
from comraf.progress import TracePoint
from comraf.results import EdgeInformation, Result
from comraf.results.result import load_result, save_result
from tests.results.solving import damaged, solved_graphs

JSON = "clustering.json"


def same(one: Result, other: Result) -> bool:
    """Whether two results hold the same in every part."""
    plain = ("objective", "edges", "trace", "interrupted", "seconds", "n_runs")
    if any(getattr(one, part) != getattr(other, part) for part in plain):
        return False
    for part in ("n_clusters", "next_ids", "names", "values"):
        if dict(getattr(one, part)) != dict(getattr(other, part)):
            return False
    for part in ("labels", "ids", "stability"):
        a, b = getattr(one, part), getattr(other, part)
        if list(a) != list(b) or any(not np.array_equal(a[name], b[name]) for name in a):
            return False
    return {n: [x.tolist() for x in walked] for n, walked in one.levels.items()} == {
        n: [x.tolist() for x in walked] for n, walked in other.levels.items()
    }


@given(solved=solved_graphs(least=1), data=st.data())
def test_what_was_saved_comes_back(
    solved: tuple[Graph, Result], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Every part of a result, whatever names there are, also over an older one."""
    graph, found = solved
    folder = tmp_path_factory.mktemp("saved")
    names = {
        node: data.draw(st.lists(st.text(), min_size=k, max_size=k))
        for node, k in found.n_clusters.items()
        if data.draw(st.booleans())
    }
    values = {
        node: [f"{node}\ud800{i}" if i == 1 else f"{node} {i}" for i in range(len(labels))]
        for node, labels in found.labels.items()
        if data.draw(st.booleans())
    }
    result = Result(
        found.labels,
        found.n_clusters,
        found.objective,
        found.edges,
        trace=(TracePoint(1, "b", "merge", 3, 0.25),),
        interrupted=data.draw(st.booleans()),
        seconds=data.draw(st.floats(0, 1e9)),
        stability={"b": np.linspace(0, 1, graph.sizes["b"])},
        n_runs=data.draw(st.integers(1, 100)),
        levels=found.levels,
        ids={node: np.arange(k)[::-1] * 3 for node, k in found.n_clusters.items()},
        next_ids={node: 3 * k + 5 for node, k in found.n_clusters.items()},
        names=names,
        values=values,
    )
    save_result(found, folder)
    save_result(result, folder)
    assert same(load_result(folder), result)
    assert len(list(folder.iterdir())) == 2


def some() -> Result:
    """A result with every part filled."""
    return Result(
        {"d": np.array([0, 1, 0, 2]), "w": np.arange(3)},
        {"d": 3, "w": 3},
        1.25,
        (EdgeInformation("d", "w", 1.0, 1.25),),
        trace=(TracePoint(1, "d", "merge", 3, 1.0), TracePoint(2, "w", "split", 3, 1.25)),
        stability={"d": np.array([0.5, 1.0, 0.25, 0.75])},
        n_runs=8,
        levels={"d": (np.array([0, 1, 2, 3]), np.array([0, 1, 0, 2]))},
        names={"d": ("sea", "law", "")},
        values={"d": ("a", "b", "c", "d")},
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Bytes of the files of a good result."""
    folder = tmp_path_factory.mktemp("whole")
    save_result(some(), folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def put(folder: Path, files: dict[str, bytes]) -> None:
    """Write files into a folder."""
    for name, content in files.items():
        (folder / name).write_bytes(content)


Change = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("nodes"), "'nodes' is missing"),
        (lambda d: d.update(nodes={}), "list of objects"),
        (lambda d: d.update(nodes=[1]), "list of objects"),
        (lambda d: d["nodes"].pop(), "does not belong"),
        (lambda d: d["nodes"].append(dict(d["nodes"][0])), "two nodes"),
        (lambda d: d["nodes"][0].update(name=3), "must be a string"),
        (lambda d: d["nodes"][0].update(n_clusters=2), "beyond 1"),
        (lambda d: d["nodes"][0].update(n_clusters=4, next_id=9), r"expected int64 \(4,\)"),
        (lambda d: d["nodes"][0].update(n_clusters=2**40), "expected a number"),
        (lambda d: d["nodes"][0].update(n_clusters=True), "whole number"),
        (lambda d: d["nodes"][0].update(next_id=2), "expected a number from 3"),
        (lambda d: d["nodes"][0].update(levels=10**9), "expected a number"),
        (lambda d: d["nodes"][0].update(levels=3), "level.2' is missing"),
        (lambda d: d["nodes"][0].update(levels=1), "does not belong"),
        (lambda d: d["nodes"][0].update(stability=1), "true or false"),
        (lambda d: d["nodes"][0].update(stability=False), "does not belong"),
        (lambda d: d["nodes"][0].update(names=["a"]), "names of clusters of 'd'"),
        (lambda d: d["nodes"][0].update(names="abc"), "list of strings"),
        (lambda d: d["nodes"][0].update(values=["a"] * 5), "names of values of 'd'"),
        (lambda d: d["nodes"][0].update(values=[1, 2, 3, 4]), "list of strings"),
        (lambda d: d["edges"][0].update(a="q"), "'q', which is not a node"),
        (lambda d: d["edges"][0].update(weight=-1), "weight of an edge"),
        (lambda d: d["edges"][0].update(information=None), "must be a number"),
        (lambda d: d["trace"][0].update(step="x"), "whole number"),
        (lambda d: d.update(objective="big"), "must be a number"),
        (lambda d: d.update(seconds=-1), "seconds"),
        (lambda d: d.update(interrupted=0), "true or false"),
    ],
)
def test_a_changed_document_is_refused(
    whole: dict[str, bytes], tmp_path: Path, change: Change, message: str
) -> None:
    """Every part that does not fit is one clear refusal."""
    document = json.loads(whole[JSON])
    change(document)
    put(tmp_path, whole | {JSON: json.dumps(document).encode()})
    with pytest.raises(ReadError, match=message):
        load_result(tmp_path)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("0.labels", np.array([0, 1, 0, -1], dtype=np.int32), "below 0"),
        ("0.labels", np.array([0, 1, 0, 3], dtype=np.int32), "beyond 2"),
        ("0.labels", np.array([0, 1, 0, 2], dtype=np.int64), "expected int32"),
        ("0.labels", np.array([0.0, 1.0, np.nan, 2.0]), "expected int32"),
        ("0.labels", np.zeros((4, 1), dtype=np.int32), "expected int32"),
        ("0.labels", np.zeros(5, dtype=np.int32), "expected"),
        ("0.ids", np.array([0, 1, 1]), "no two alike"),
        ("0.ids", np.array([0, 1, -2]), "below 0"),
        ("0.ids", np.array([0, 1, 3]), "beyond 2"),
        ("0.stability", np.array([0.5, np.nan, 0.1, 0.2]), "not finite"),
        ("0.stability", np.array([0.5, 7.0, 0.1, 0.2]), "beyond"),
        ("0.level.0", np.array([0, 1, 2, 9], dtype=np.int32), "beyond 3"),
        ("0.level.0", np.array([0, 1, 2], dtype=np.int32), r"expected int32 \(4,\)"),
        ("9.extra", np.zeros(2), "does not belong"),
    ],
)
def test_arrays_that_do_not_fit(
    whole: dict[str, bytes], tmp_path: Path, name: str, array: np.ndarray, message: str
) -> None:
    """Wrong types, shapes, bounds and numbers that are none, under a right checksum."""
    document = json.loads(whole[JSON])
    put(tmp_path, whole)
    file = tmp_path / document["arrays"]["file"]
    save_file({**load_file(file), name: array}, file)
    document["arrays"]["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (tmp_path / JSON).write_text(json.dumps(document))
    with pytest.raises(ReadError, match=message):
        load_result(tmp_path)


@given(st.data())
def test_damage_of_any_kind_is_refused_or_harmless(
    whole: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Flipped bits, cut and inserted bytes: a clear refusal, or a result that fits together."""
    folder = tmp_path_factory.mktemp("fuzz")
    victim = data.draw(st.sampled_from(sorted(whole)))
    content = data.draw(damaged(whole[victim]))
    put(folder, whole | {victim: content})
    try:
        result = load_result(folder)
    except ReadError:
        return
    assert victim == JSON or content == whole[victim]
    for node in result.labels:
        assert result.sizes(node).sum() == len(result.labels[node])
        assert len(result.cluster_ids(node)) == len(result.labels[node])


def test_what_is_no_result_and_no_folder() -> None:
    """They are refused by what they are."""
    for name in (5, None, "a\0b", b"bytes"):
        with pytest.raises(InputError, match="is not the name of a folder"):
            load_result(name)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="is not the name of a folder"):
            save_result(some(), name)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="result is int"):
        save_result(5, "folder")  # type: ignore[arg-type]
