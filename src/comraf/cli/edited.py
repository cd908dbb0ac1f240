"""Groups that were edited in Python, back into a folder and a report."""

from __future__ import annotations

import os
from copy import copy
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.cli.kept import Kept, answer_in, open_kept

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.graph import Graph
    from comraf.results import Result

__all__ = ["open_answer", "write_answer"]


def open_answer(folder: str | os.PathLike[str]) -> Kept:
    """What ``comraf organize`` wrote, with all that it was made of.

    Parameters
    ----------
    folder : path-like
        The folder of the answer. It must have been written with its texts.

    Returns
    -------
    Kept
        With ``collection``, ``graph`` and ``result``, for `comraf.results.merge` and its kin.

    Raises
    ------
    ReadError
        If there is no such answer, or it is damaged.
    """
    from comraf.results.archive import folder_named

    return open_kept(folder_named(folder))


def write_answer(
    collection: Collection,
    graph: Graph,
    result: Result,
    out: str | os.PathLike[str],
    *,
    like: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> None:
    """Write groups as ``comraf organize`` does: clusters, model and report in a folder.

    Groups are numbered anew, from 0, in the order of ``result``. Those without a name go by what
    tells them apart. Other commands (``explain``, ``assign``, ``evaluate`` ...) take the folder.

    Parameters
    ----------
    collection : Collection
        The documents.
    graph : Graph
        What was clustered, with a node "documents", or "rows" as `MDC` and `ComrafStar` call it.
    result : Result
        The groups, edited or not.
    out : path-like
        The folder to write.
    like : path-like, optional
        An answer of ``comraf organize`` that the groups come from: how its documents were read
        and searched, and the labels that were given, are taken over.
    force : bool
        Replace an answer that is there.

    Raises
    ------
    WriteError
        If the folder is there already, or can't be written.
    InputError
        If the result is not about the collection.
    """
    from comraf.cli.known import Facts
    from comraf.cli.naming import group_names
    from comraf.cli.organized import Asked, Organized, given_groups, with_names
    from comraf.cli.run import Search
    from comraf.cli.written import write
    from comraf.errors import InputError
    from comraf.estimators.organizer import DOCUMENTS
    from comraf.report.shown import shown_clusters
    from comraf.results import Result
    from comraf.results.files import check_folder
    from comraf.results.telling import clusters, sides_of

    if "rows" in result.labels and DOCUMENTS not in result.labels:
        graph, result = _renamed(graph, result, "rows", DOCUMENTS)
    if not hasattr(collection, "tables") or not isinstance(result, Result):
        raise InputError(
            f"a {type(collection).__name__} and a {type(result).__name__} are given; give the "
            "collection and the Result of it, as open_answer does"
        )
    labels = result.labels.get(DOCUMENTS)
    if labels is None:
        raise InputError(
            f"the result has no node 'documents' or 'rows', only {list(result.labels)}; call the "
            "node of the collection's documents so"
        )
    if len(labels) != len(collection):
        raise InputError(
            f"the result has {len(labels):,} documents and the collection {len(collection):,}; "
            "give the collection that was clustered"
        )
    check_folder(out, force=force)
    known = {} if like is None else answer_in(Path(like))
    said = known.get("parameters", {})
    asked = Asked(
        Path(known.get("source") or "documents"),
        graph=said.get("graph", "given"),
        weighting=said.get("weighting", graph.edges[0].weighting),
        edge_weights=said.get("edge_weights", "given"),
        observe=tuple(node.name for node in graph.nodes if not node.hidden),
        search=Search(**{f.name: said[f.name] for f in fields(Search) if f.name in said}),
        reading={} if like is None else _reading(Path(like)),
    )
    named = result.names.get(DOCUMENTS, ())
    plain = {name: given for name, given in result.names.items() if name != DOCUMENTS}
    organizer = given_groups(
        graph, collection, replace(result, names=plain, ids={}, next_ids={}), asked.weighting
    )
    sides = with_names(sides_of(graph, organizer.result_), collection)
    found = {side.name: clusters(side) for side in sides}
    found[DOCUMENTS] = [replace(c, share=c.size / len(collection)) for c in found[DOCUMENTS]]
    made_by = None if collection.photos is None else list(organizer.sides_)
    names = group_names(shown_clusters(found[DOCUMENTS], collection), named, made_by)
    facts = Facts() if like is None else Facts(labels=_labels(Path(like), collection))
    done = Organized(asked, collection, organizer, None, sides, found, names, (), facts=facts)
    write(done, Path(out), force=force, include_text=True)


def _renamed(graph: Graph, result: Result, old: str, new: str) -> tuple[Graph, Result]:
    """A graph and its result with another name for a node."""

    def called(name: str) -> str:
        return new if name == old else name

    edges = [copy(edge) for edge in graph.edges]  # with their counts as they are
    for edge in edges:
        object.__setattr__(edge, "a", called(edge.a))
        object.__setattr__(edge, "b", called(edge.b))
    parts: dict[str, Any] = {
        part: {called(name): given for name, given in getattr(result, part).items()}
        for part in "labels n_clusters stability levels ids next_ids names values".split()
    }
    return (
        type(graph)(
            [replace(node, name=called(node.name)) for node in graph.nodes],
            edges,
        ),
        replace(
            result,
            edges=tuple(replace(e, a=called(e.a), b=called(e.b)) for e in result.edges),
            trace=tuple(replace(point, node=called(point.node)) for point in result.trace),
            **parts,
        ),
    )


def _reading(folder: Path) -> dict[str, Any]:
    """How the documents of an answer were read, as its model knows."""
    from comraf.results.model import load_model

    return dict(load_model(folder / "model").about.get("reading", {}))


def _labels(folder: Path, collection: Collection) -> dict[str, dict[int, str]]:
    """Labels that the search was given, by the numbers of documents."""
    from comraf.cli.evaluate import column_of

    given = column_of(folder / "clusters.csv", "label", needed=False)
    found = {i: given[item] for i, item in enumerate(collection.ids) if given.get(item)}
    return {"documents": found} if found else {}
