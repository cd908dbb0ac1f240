"""Results on disk: arrays as safetensors, names and the rest as JSON, nothing unpickled.

A folder holds ``clustering.json`` and a file of arrays (see `comraf.results.archive`).
Whatever is read is checked: types, shapes and bounds of arrays, numbers of names, that labels
name clusters that are there and ids are given once. What does not fit is refused with one
`comraf.errors.ReadError` that says why.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError
from comraf.progress import TracePoint
from comraf.results.archive import (
    Migrate,
    entries,
    flag,
    nothing_left,
    number,
    read_archive,
    reading,
    strings,
    take_array,
    text,
    whole,
    write_archive,
)
from comraf.results.result import EdgeInformation, Result

__all__ = ["KIND", "VERSION", "load_result", "save_result"]

KIND = "clustering"
VERSION = 1
# A version that can be read, and what makes the next one of it.
_VERSIONS: Mapping[int, Migrate | None] = {1: None}

_Arrays = dict[str, npt.NDArray[Any]]
# A label is a 32-bit number; nothing that is counted here is larger.
_MOST = 2**31 - 1
_MOST_LEVELS = 1000


def save_result(result: Result, folder: str | os.PathLike[str]) -> None:
    """Write a result into a folder of its own (made if it is not there), all of it or nothing.

    Examples
    --------
    >>> import tempfile
    >>> result = Result({"d": np.array([0, 1, 0])}, {"d": 2}, 0.5, (), names={"d": ["a", "b"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_result(result, folder)
    ...     load_result(folder).name("d", 1)
    'b'
    """
    if not isinstance(result, Result):
        raise InputError(f"result is {type(result).__name__}; give what a fit has as result_")
    arrays: _Arrays = {}
    nodes = []
    for i, (name, labels) in enumerate(result.labels.items()):
        walked = result.levels.get(name, ())
        arrays[f"{i}.labels"] = labels
        arrays[f"{i}.ids"] = result.ids[name]
        if name in result.stability:
            arrays[f"{i}.stability"] = result.stability[name]
        for j, level in enumerate(walked):
            arrays[f"{i}.level.{j}"] = level
        nodes.append(
            {
                "name": name,
                "n_clusters": result.n_clusters[name],
                "next_id": result.next_ids[name],
                "stability": name in result.stability,
                "levels": len(walked),
                "names": list(result.names[name]) if name in result.names else None,
                "values": list(result.values[name]) if name in result.values else None,
            }
        )
    document = {
        "nodes": nodes,
        "objective": float(result.objective),
        "edges": [asdict(edge) for edge in result.edges],
        "trace": [asdict(point) for point in result.trace],
        "interrupted": bool(result.interrupted),
        "seconds": float(result.seconds),
        "n_runs": int(result.n_runs),
    }
    write_archive(folder, kind=KIND, version=VERSION, document=document, arrays=arrays)


def load_result(folder: str | os.PathLike[str]) -> Result:
    """Read a result back, refusing what is damaged, foreign or from a newer comraf.

    Raises
    ------
    ReadError
        It can't be read; the message says what is wrong with it.

    Examples
    --------
    >>> load_result("nowhere")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: nowhere holds no clustering (clustering.json is not there); give a \
folder that save_result wrote
    """
    document, arrays = read_archive(
        folder, kind=KIND, versions=_VERSIONS, hint="give a folder that save_result wrote"
    )
    with reading(folder, KIND):
        return _result(document, arrays)


def _result(document: dict[str, Any], arrays: _Arrays) -> Result:
    parts: dict[str, dict[str, Any]] = {
        part: {}
        for part in ("labels", "n_clusters", "ids", "next_ids", "stability", "levels", "names")
    }
    values: dict[str, tuple[str, ...]] = {}
    for i, entry in enumerate(entries(document["nodes"], "nodes")):
        name = text(entry["name"], f"the name of node {i}")
        if name in parts["labels"]:
            raise ValueError(f"two nodes are called {name[:80]!r}")
        k = whole(entry["n_clusters"], f"the number of clusters of {name!r}", 0, _MOST)
        labels = take_array(arrays, f"{i}.labels", dtype=np.int32, shape=(None,), low=0, high=k - 1)
        n = len(labels)
        next_id = whole(entry["next_id"], f"the next id of {name!r}", k)
        parts["labels"][name], parts["n_clusters"][name] = labels, k
        parts["next_ids"][name] = next_id
        parts["ids"][name] = take_array(
            arrays, f"{i}.ids", dtype=np.int64, shape=(k,), low=0, high=next_id - 1
        )
        if flag(entry["stability"], "stability"):
            parts["stability"][name] = take_array(
                arrays, f"{i}.stability", dtype=np.float64, shape=(n,), low=0.0, high=1.0 + 1e-9
            )
        n_levels = whole(entry["levels"], f"the number of levels of {name!r}", 0, _MOST_LEVELS)
        parts["levels"][name] = tuple(
            take_array(
                arrays, f"{i}.level.{j}", dtype=np.int32, shape=(n,), low=0, high=max(0, n - 1)
            )
            for j in range(n_levels)
        )
        if entry["names"] is not None:
            parts["names"][name] = strings(entry["names"], f"names of clusters of {name!r}", k)
        if entry["values"] is not None:
            values[name] = strings(entry["values"], f"names of values of {name!r}", n)
    nothing_left(arrays)
    return Result(
        objective=number(document["objective"], "the objective"),
        edges=tuple(_edge(edge, parts["labels"]) for edge in entries(document["edges"], "edges")),
        trace=tuple(
            TracePoint(**_checked(point, _POINT, "the trace"))
            for point in entries(document["trace"], "trace")
        ),
        interrupted=flag(document["interrupted"], "interrupted"),
        seconds=number(document["seconds"], "seconds", 0.0),
        n_runs=whole(document["n_runs"], "the number of runs"),
        values=values,
        **parts,
    )


# How each field of an edge and of a point of the trace is checked.
_EDGE = {
    "a": text,
    "b": text,
    "weight": partial(number, low=0),
    "information": partial(number, low=0),
}
_POINT = {"step": whole, "node": text, "action": text, "n_clusters": whole, "objective": number}


def _checked(entry: Mapping[str, Any], checks: Mapping[str, Any], where: str) -> dict[str, Any]:
    return {name: check(entry[name], f"the {name} of {where}") for name, check in checks.items()}


def _edge(entry: Mapping[str, Any], nodes: Collection[str]) -> EdgeInformation:
    edge = EdgeInformation(**_checked(entry, _EDGE, "an edge"))
    for end in (edge.a, edge.b):
        if end not in nodes:
            raise ValueError(f"an edge ends at {end[:80]!r}, which is not a node")
    return edge
