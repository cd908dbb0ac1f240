"""Results on disk: what comes back, and what is refused."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

import comraf
from comraf.errors import InputError, ReadError, WriteError
from comraf.graph import Graph
from comraf.progress import TracePoint
from comraf.results import EdgeInformation, Result, saved
from comraf.results.edit import rename, split
from comraf.results.saved import load_result, save_result
from tests.results.solving import one_table, solved_graphs, topics

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


def test_an_edited_result_of_a_real_fit_comes_back(tmp_path: Path) -> None:
    """After a fit, a split and a name: the same objective, ids and levels."""
    table, _ = topics()
    graph = one_table(table, 3)
    result = comraf.Comraf(graph, random_state=0).fit().result_
    edited = rename(split(graph, result, "documents", 0), "documents", 3, "new")
    save_result(edited, tmp_path / "deep" / "er")
    assert same(load_result(tmp_path / "deep" / "er"), edited)


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
        (lambda d: d.update(format="comraf-model"), "not a comraf clustering"),
        (lambda d: d.update(version=2), "newer comraf"),
        (lambda d: d.update(version=0), "not a number from 1"),
        (lambda d: d.update(version="1"), "not a number from 1"),
        (lambda d: d.pop("version"), "version is missing"),
        (lambda d: d.pop("nodes"), "'nodes' is missing"),
        (lambda d: d.update(nodes={}), "list of objects"),
        (lambda d: d.update(nodes=[1]), "list of objects"),
        (lambda d: d["nodes"].pop(), "does not belong"),
        (lambda d: d["nodes"].append(dict(d["nodes"][0])), "two nodes"),
        (lambda d: d["nodes"][0].update(name=3), "must be a string"),
        (lambda d: d["nodes"][0].update(n_clusters=2), "beyond 1"),
        (lambda d: d["nodes"][0].update(n_clusters=4, next_id=9), r"expected int64 \(4,\)"),
        (lambda d: d["nodes"][0].update(n_clusters=2**40), "expected a number"),
        (lambda d: d["nodes"][0].update(n_clusters=2**31, next_id=2**40), "expected a number"),
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
        (lambda d: d.update(objective=10**400), "objective"),
        (lambda d: d.update(seconds=-1), "seconds"),
        (lambda d: d.update(interrupted=0), "true or false"),
        (lambda d: d.update(arrays={"file": "../../etc/passwd", "sha256": "0" * 64}), "which file"),
        (lambda d: d.update(arrays={"file": "/etc/passwd", "sha256": "0" * 64}), "which file"),
        (lambda d: d["arrays"].update(sha256="0" * 64), "checksum"),
        (lambda d: d["arrays"].update(sha256=5), "which file"),
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
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"[" * 100_000 + b"]" * 100_000,
        b'{"format":' * 50_000,
        b'{"format": "comraf-clustering", "format": "comraf-clustering"}',
        b'{"format": "comraf-clustering", "version": 1, "objective": NaN}',
        b"\xff\xfe{}",
        b'{"format": "comraf-clustering", "version": 1' + b"0" * 5000 + b"}",
    ],
    ids=["empty", "null", "list", "deep", "deeper", "twice", "nan", "no text", "huge number"],
)
def test_documents_that_are_none(whole: dict[str, bytes], tmp_path: Path, content: bytes) -> None:
    """JSON that is none, is too deep or says things twice."""
    put(tmp_path, whole | {JSON: content})
    with pytest.raises(ReadError):
        load_result(tmp_path)


def hostile(name: str, entry: dict[str, Any], n_bytes: int = 8) -> bytes:
    """A file of arrays with a header of one's own."""
    header = json.dumps({name: entry}).encode()
    return struct.pack("<Q", len(header)) + header + b"\0" * n_bytes


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 8,
        struct.pack("<Q", 2**63) + b"{}",
        hostile("0.labels", {"dtype": "I32", "shape": [2**62], "data_offsets": [0, 8]}),
        hostile("0.labels", {"dtype": "I32", "shape": [2**31, 2**31], "data_offsets": [0, 8]}),
        hostile("0.labels", {"dtype": "I32", "shape": [-2], "data_offsets": [0, 8]}),
        hostile("0.labels", {"dtype": "I32", "shape": [2], "data_offsets": [0, 2**60]}),
        hostile("0.labels", {"dtype": "OBJECT", "shape": [2], "data_offsets": [0, 8]}),
        hostile("../labels", {"dtype": "I32", "shape": [2], "data_offsets": [0, 8]}),
    ],
    ids=["none", "noise", "long", "huge", "overflow", "negative", "beyond", "type", "path"],
)
@pytest.mark.parametrize("checked", [True, False])
def test_hostile_arrays(
    whole: dict[str, bytes], tmp_path: Path, content: bytes, checked: bool
) -> None:
    """Headers that announce what is not there, with and without a right checksum."""
    import hashlib

    document = json.loads(whole[JSON])
    name = document["arrays"]["file"]
    if checked:  # someone who means harm writes the right checksum too
        document["arrays"]["sha256"] = hashlib.sha256(content).hexdigest()
    put(tmp_path, {JSON: json.dumps(document).encode(), name: content})
    with pytest.raises(ReadError):
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
    import hashlib

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
    content = bytearray(whole[victim])
    for _ in range(data.draw(st.integers(1, 4))):
        if not content:
            break
        at = data.draw(st.integers(0, len(content) - 1))
        kind = data.draw(st.sampled_from(["flip", "cut", "insert", "truncate"]))
        if kind == "flip":
            content[at] ^= 1 << data.draw(st.integers(0, 7))
        elif kind == "cut":
            del content[at : at + data.draw(st.integers(1, 50))]
        elif kind == "truncate":
            del content[at:]
        else:
            content[at:at] = data.draw(st.binary(min_size=1, max_size=8))
    put(folder, whole | {victim: bytes(content)})
    try:
        result = load_result(folder)
    except ReadError:
        return
    assert victim == JSON or content == whole[victim]
    for node in result.labels:
        assert result.sizes(node).sum() == len(result.labels[node])
        assert len(result.cluster_ids(node)) == len(result.labels[node])


def test_missing_parts_and_unwritable_places(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """A folder without a result, without its arrays, and a file in the way."""
    with pytest.raises(ReadError, match="holds no clustering"):
        load_result(tmp_path)
    for name in (5, None, "a\0b", b"bytes"):
        with pytest.raises(InputError, match="is not the name of a folder"):
            load_result(name)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="is not the name of a folder"):
            save_result(some(), name)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="result is int"):
        save_result(5, tmp_path)  # type: ignore[arg-type]
    put(tmp_path, {JSON: whole[JSON]})
    with pytest.raises(ReadError, match="No such file"):
        load_result(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(WriteError, match="it is a file"):
        save_result(some(), tmp_path / "file")
    (tmp_path / JSON).write_text('{"format": "mine"}')
    with pytest.raises(WriteError, match="in the way"):
        save_result(some(), tmp_path)


def test_older_versions_are_brought_up_to_date(
    whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version that has a successor is migrated while it is read; the one after is refused."""

    def newer(document: dict[str, Any], arrays: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        return {**document, "n_runs": document["n_runs"] + 1}, arrays

    put(tmp_path, whole)
    monkeypatch.setattr(saved, "_VERSIONS", {1: newer, 2: None})
    assert load_result(tmp_path).n_runs == 9
    document = json.loads(whole[JSON]) | {"version": 3}
    (tmp_path / JSON).write_text(json.dumps(document))
    with pytest.raises(ReadError, match="reads up to 2"):
        load_result(tmp_path)
