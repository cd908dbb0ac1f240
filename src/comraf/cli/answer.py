"""What a run hands back: the document of ``result.json`` and the files beside it."""

from __future__ import annotations

import csv
import io
import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from typing import TYPE_CHECKING, Any

from comraf.results.files import RESULT_FILE, csv_names, labels_csv, safe_cell
from comraf.results.telling import Cluster, Side

if TYPE_CHECKING:
    from comraf.results import Result

__all__ = ["FORMAT", "VERSION", "as_json", "document", "folder_files", "side_csv"]

FORMAT = "comraf-result"
VERSION = 1


def document(
    *,
    source: str,
    method: str,
    parameters: Mapping[str, object],
    result: Result,
    sides: Sequence[Side],
    found: Mapping[str, Sequence[Cluster]],
    known: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The whole answer as plain data.

    Parameters
    ----------
    source : str
        The file that was clustered.
    method : str
    parameters : mapping
        What was asked for, the seed among it.
    result
        The engine's result.
    sides : sequence of Side
    found : mapping of str to sequence of Cluster
        The clusters of each side.
    known : mapping, optional
        What was known of some values, and how far the answer keeps to it.
    """
    files = csv_names([side.name for side in sides])
    return {
        "format": FORMAT,
        "version": VERSION,
        "versions": versions(),
        "source": source,
        "method": method,
        "parameters": dict(parameters),
        "seed": parameters.get("seed"),
        "objective": result.objective,
        "edges": [
            {"between": [edge.a, edge.b], "weight": edge.weight, "information": edge.information}
            for edge in result.edges
        ],
        **({"known": dict(known)} if known else {}),
        "interrupted": result.interrupted,
        "seconds": round(result.seconds, 3),
        "files": [RESULT_FILE, "graph.svg", *files.values()],
        "trace": [asdict(point) for point in result.trace],
        "sides": {
            side.name: {
                "file": files[side.name],
                "n_values": len(side.labels),
                "n_clusters": side.n_clusters,
                "clusters": [
                    {
                        "cluster": cluster.number,
                        **_class_of(result, side.name, cluster.number),
                        "size": cluster.size,
                        "share": round(cluster.share, 6),
                        "telling": {
                            other: [
                                {"name": name, "contribution": round(worth, 6)}
                                for name, worth in best
                            ]
                            for other, best in cluster.telling.items()
                        },
                    }
                    for cluster in found[side.name]
                ],
                "names": None if side.values is None else list(side.values),
                "labels": side.labels.tolist(),
            }
            for side in sides
        },
    }


def _class_of(result: Result, side: str, number: int) -> dict[str, str | None]:
    """The class that prevails in a cluster, where any of its side's values are labelled."""
    given = result.names.get(side)
    return {"class": given[number] or None} if given else {}


def versions() -> dict[str, str]:
    """What the answer was made with.

    Examples
    --------
    >>> sorted(versions())
    ['comraf', 'numba', 'numpy', 'python', 'scipy']
    """
    from comraf import __version__

    found = {"comraf": __version__, "python": platform.python_version()}
    for name in ("numpy", "scipy", "numba"):
        found[name] = metadata.version(name)
    return found


def as_json(answer: Mapping[str, Any]) -> Iterator[str]:
    r"""The document as JSON, one entry a line so that people can read it, in pieces.

    Examples
    --------
    >>> "".join(as_json({"format": "x", "trace": []}))
    '{\n"format": "x",\n"trace": []\n}\n'
    """
    start = "{\n"
    for key, value in answer.items():
        yield f"{start}{json.dumps(key)}: {json.dumps(value, allow_nan=False)}"
        start = ",\n"
    yield "\n}\n"


def side_csv(heading: str, side: Side, classes: Sequence[str] | None = None) -> Iterator[str]:
    r"""Lines of a side's CSV file; with labels also the class that prevails in each cluster.

    Examples
    --------
    >>> import numpy as np
    >>> side = Side("words", ["sea", "oak"], np.array([0, 1]), ())
    >>> "".join(side_csv("words", side, ["water", ""]))
    'words,cluster,class\nsea,0,water\noak,1,\n'
    """
    labels = side.labels.tolist()
    if not classes:
        yield from labels_csv(heading, side.values, labels)
        return
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([safe_cell(heading), "cluster", "class"])
    for i, label in enumerate(labels):
        name = i if side.values is None else safe_cell(side.values[i])
        writer.writerow([name, label, safe_cell(classes[label])])
    yield buffer.getvalue()


def folder_files(
    answer: Mapping[str, Any],
    sides: Sequence[Side],
    svg: str,
    classes: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, str | Iterable[str]]:
    """The files of a result folder: name -> text."""
    files: dict[str, str | Iterable[str]] = {RESULT_FILE: as_json(answer), "graph.svg": svg}
    for side in sides:
        heading = side.name.removesuffix("s") if side.name in ("rows", "columns") else side.name
        files[answer["sides"][side.name]["file"]] = side_csv(
            heading, side, (classes or {}).get(side.name)
        )
    return files
