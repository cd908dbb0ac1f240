"""What ``comraf organize`` wrote, read back: the groups, the documents, the graph."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.errors import InputError, ReadError, WriteError

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.graph import Graph
    from comraf.results import Result

__all__ = [
    "Kept",
    "answer_in",
    "check_csv",
    "item_of",
    "open_kept",
    "result_in",
    "shown_group",
    "write_csv",
    "write_file",
]

DOCUMENTS = "documents"
#: The folder of the groups within the answer.
CLUSTERING = "clustering"
_ANEW = "make it anew with comraf organize"
_MOST_LISTED = 5
# What is computed again differs from what was written by rounding only.
_SAME = 1e-6
# Digits that no number of an item has; Python refuses to read some thousands.
_LONG_NUMBER = 20


@dataclass(frozen=True, eq=False)
class Kept:
    """An answer with all that it was made of."""

    folder: Path
    result: Result
    collection: Collection
    graph: Graph

    def side(self, name: str) -> str:
        """A side that was clustered, by its name."""
        hidden = [node.name for node in self.graph.nodes if node.hidden]
        if name not in hidden:
            why = "choose one of"
            if name in self.graph.index:
                why = f"{name} are observed, each by itself, and have no clusters; {why}"
            elif name in self.collection.tables:
                why = f"{name} had no part in making the groups; {why}"
            raise InputError(f"--side {name}: {why} {', '.join(hidden)}")
        return name

    def names(self, side: str) -> Sequence[str]:
        """Names of the values of a side."""
        if side == DOCUMENTS or (side in self.graph.index and side not in self.collection.sides):
            return self.collection.ids  # neighbours are documents, too
        return self.collection.sides[side].values


def result_in(folder: Path) -> Result:
    """The groups of an answer."""
    from comraf.results.files import recover
    from comraf.results.saved import load_result

    recover(folder)
    wanted = "name the folder that comraf organize wrote"
    if not folder.exists():
        raise ReadError(f"{folder}: there is nothing of this name; {wanted}")
    if not folder.is_dir():
        raise ReadError(f"{folder}: is a file; {wanted}")
    inside = folder / CLUSTERING
    if not inside.is_dir():
        if (folder / "result.json").is_file():
            raise ReadError(
                f"{folder}: its groups are not kept for this (only comraf organize keeps them, "
                f"without --no-text); {_ANEW}"
            )
        raise ReadError(f"{folder}: holds no answer of comraf organize; {wanted}")
    return load_result(inside)


def open_kept(folder: Path) -> Kept:
    """An answer with its documents and the graph that was solved."""
    from comraf.cli.near import neighbour_weight, read_neighbours
    from comraf.collection.neighbours import with_neighbours
    from comraf.collection.store import open_collection

    result = result_in(folder)
    if not (folder / "collection").is_dir():
        raise ReadError(f"{folder}: the documents of this answer are not there; {_ANEW}")
    collection = open_collection(folder / "collection")
    near = read_neighbours(folder)
    if near is not None:
        collection = with_neighbours(collection, near, weight=neighbour_weight(folder))
    graph = _graph(folder, result, collection)
    _check(folder, graph, result)
    return Kept(folder, result, collection, graph)


def _graph(folder: Path, result: Result, collection: Collection) -> Graph:
    """The graph as it was solved, from the tables of the collection."""
    from comraf.estimators._columns import measured_sides, observed_sides
    from comraf.estimators._graphs import through_documents
    from comraf.estimators._tying import tied_graph, ties_of
    from comraf.estimators.organizer import GRAPHS, make_graph
    from comraf.graph import Edge, Graph, Node

    answer = answer_in(folder)
    try:
        shape = answer["parameters"]["graph"]
        edges = [(*entry["between"], entry["weighting"]) for entry in answer["edges"]]
        sides = list(dict.fromkeys(end for a, b, _ in edges for end in (a, b) if end != DOCUMENTS))
        tables = {side: collection.tables[side] for side in sides}
        if shape in GRAPHS:
            k, weighting = result.n_clusters[DOCUMENTS], edges[0][2]
            seen = observed_sides(collection, answer["parameters"].get("observe"))
            rule = answer["parameters"].get("edge_weights", "root_mass")
            made = make_graph(
                tables,
                k,
                shape=shape,
                weighting=weighting,
                rule=rule,
                observed=seen,
                measured=measured_sides(collection),
            )
            return tied_graph(made, result, ties_of(tables, DOCUMENTS))
        nodes = [
            Node(name, n_clusters=k)
            if k < len(result.labels[name])
            else Node(name, observed="singletons", size=k)
            for name, k in result.n_clusters.items()
        ]
        joined = []
        for (a, b, weighting), known in zip(edges, result.edges, strict=True):
            if DOCUMENTS in (a, b):
                table = tables[b] if a == DOCUMENTS else tables[a].T
            else:
                table = through_documents(tables[a], tables[b])
            joined.append(Edge(a, b, table, weight=known.weight, weighting=weighting))
        return Graph(nodes, joined)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else error
        text = "{folder}: the graph can't be made again ({what}); {anew}"
        raise ReadError(text, folder=folder, what=what, anew=_ANEW) from None


def answer_in(folder: Path) -> dict[str, Any]:
    """What ``result.json`` of an answer says."""
    try:
        answer = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or error
        raise ReadError(f"{folder / 'result.json'}: can't be read: {reason}; {_ANEW}") from None
    except (ValueError, RecursionError):
        raise ReadError(f"{folder / 'result.json'}: is damaged; {_ANEW}") from None
    if not isinstance(answer, dict):
        raise ReadError(f"{folder / 'result.json'}: is not an answer of comraf; {_ANEW}")
    return answer


def _check(folder: Path, graph: Graph, result: Result) -> None:
    """Refuse groups that were not made of these documents."""
    from comraf.results.solved import Solved

    fits = {node.name for node in graph.nodes} == set(result.labels) and all(
        graph.sizes[name] == len(labels) for name, labels in result.labels.items()
    )
    if fits:
        value = Solved(graph, result).objective
        fits = abs(value - result.objective) <= _SAME * max(1.0, abs(value))
    if not fits:
        raise ReadError(f"{folder}: the groups were not made of the documents in it; {_ANEW}")


def item_of(kept: Kept, side: str, text: str) -> int:
    """The value that is meant: by its name, by its number, or by a part of its name or title."""
    from comraf.cli.naming import noun_of
    from comraf.results.files import safe_cell
    from comraf.supervision.naming import quoted

    names = kept.names(side)
    if text in names:
        return names.index(text)
    written = [i for i, name in enumerate(names) if safe_cell(name) == text]  # as in clusters.csv
    if len(written) == 1:
        return written[0]
    if text.isdecimal() and len(text) < _LONG_NUMBER and int(text) < len(names):
        return int(text)
    titles = kept.collection.titles if side == DOCUMENTS else names
    wanted = text.casefold()
    found = [i for i, title in enumerate(titles) if title.casefold() == wanted]
    found = found or [
        i
        for i, (name, title) in enumerate(zip(names, titles, strict=True))
        if wanted in name.casefold() or wanted in title.casefold()
    ]
    if len(found) == 1:
        return found[0]
    what = f"{noun_of(kept.collection)}s" if side == DOCUMENTS else side
    if not found:
        raise InputError(f"{quoted(text)} is none of the {len(names):,} {what} in {kept.folder}")
    few = ", ".join(f"{i} ({titles[i] or names[i]})" for i in found[:_MOST_LISTED])
    more = ", ..." if len(found) > _MOST_LISTED else ""
    raise InputError(
        f"{text!r} may be any of {len(found):,} {what}: {few}{more}; give the number of one"
    )


def shown_group(result: Result, side: str, label: int) -> str:
    """A group as it is named on the terminal."""
    from comraf.cli.show import clean

    number = int(result.ids[side][label])
    given = result.names.get(side)
    name = given[label] if given else ""
    return f"{number} ({clean(name, 60)})" if name else str(number)


def check_csv(out: Path | None, force: bool) -> None:
    """Refuse a file that can't be written, before the work, and keep other runs from it."""
    from comraf.cli.program import until_the_end
    from comraf.store import claimed

    if out is None:
        if force:
            raise InputError("--force is about the file of --out; name one")
        return
    until_the_end(claimed(out))
    if out.is_dir():
        raise WriteError(f"{out}: is a folder; name a file for the answer, such as answer.csv")
    if out.exists() and not force:
        raise WriteError(f"{out}: is there already; name another file, or add --force")
    if out.exists() and not out.is_file():
        raise WriteError(f"{out}: is neither a file nor a folder (a device or a pipe)")
    if not out.absolute().parent.is_dir():
        raise WriteError(f"{out}: the folder {out.absolute().parent} is not there; make it")


def write_csv(
    out: Path, heading: Sequence[str], lines: Iterable[Sequence[object]], *, force: bool
) -> None:
    """Write a CSV file, all of it or nothing."""
    import csv
    import io

    from comraf.results.files import safe_cell

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows([safe_cell(c) if isinstance(c, str) else c for c in line] for line in lines)
    write_file(out, [buffer.getvalue()], force=force)


def write_file(out: Path, pieces: Iterable[str], *, force: bool) -> None:
    """Write a file that is either there and whole, or not there.

    Without ``force`` nothing was there before the work: what somebody has saved there since is
    kept under another name.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(Path(folder, "a.csv"), ["a", "b"], force=False)
    ...     Path(folder, "a.csv").read_text()
    'ab'
    """
    from comraf.cli.program import has_written
    from comraf.results.files import set_aside
    from comraf.store import write_whole

    if not force:
        set_aside(out)
    write_whole(out, pieces)
    has_written(out)
