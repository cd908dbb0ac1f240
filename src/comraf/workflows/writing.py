"""What is written of answers: the groups, the report, the model, the collection."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.errors import note_record
from comraf.results.files import RESULT_FILE, csv_lines, csv_names
from comraf.workflows.knowledge import sentences
from comraf.workflows.naming import noun_of

if TYPE_CHECKING:
    from comraf.collection.collection import Person
    from comraf.report import ReportData, Score
    from comraf.results import Result
    from comraf.results.contributions import Cluster, Side
    from comraf.results.model import Model
    from comraf.workflows.answer import Answer

__all__ = [
    "as_json",
    "document",
    "folder_files",
    "groups",
    "kept_folders",
    "report_of",
    "versions",
    "write",
]

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


def _side_lines(
    heading: str, side: Side, classes: Sequence[str] = (), **more: Sequence[Any]
) -> Iterator[list[Any]]:
    """Lines of a side's file: each value, its cluster, ``more`` of it, the class that prevails."""
    yield [heading, "cluster", *more, *(["class"] if classes else [])]
    names = range(len(side.labels)) if side.values is None else side.values
    for name, label, *cells in zip(names, side.labels.tolist(), *more.values(), strict=True):
        yield [name, label, *cells, *([classes[label]] if classes else [])]


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
        lines = _side_lines(heading, side, (classes or {}).get(side.name, ()))
        files[answer["sides"][side.name]["file"]] = csv_lines(lines)
    return files


def _observed(answer: Answer) -> list[str]:
    """Sides whose values were not clustered."""
    from comraf.estimators._graphs import observed_sides

    seen = observed_sides(answer.collection, answer.options.observe)
    return sorted(seen & set(answer.organizer.sides_))


def _aliases(people: Sequence[Person]) -> dict[str, str]:
    """Names of people by their addresses and by full names that are nobody else's."""
    spelled: dict[str, str | None] = {}
    for person in people:
        for form in {form.casefold() for form in (person.name, *person.spellings) if " " in form}:
            spelled[form] = None if form in spelled else person.name
    found = {form: name for form, name in spelled.items() if name is not None}
    return found | {form.casefold(): who.name for who in people for form in who.addresses}


def model_of(answer: Answer) -> Model:
    """What ``comraf assign`` needs."""
    from comraf.collection.kinds import kind_of
    from comraf.collection.sides import NEIGHBOURS
    from comraf.results.model import Model, ModelSide

    collection = answer.collection
    aliases = {
        name: _aliases(collection.sides[name].people)
        for name in answer.organizer.sides_
        if name in collection.sides and collection.sides[name].people
    }
    named = kind_of(collection.kind).when_named if answer.options.kind else {}
    about = {
        "kind": collection.kind,
        "reading": {**named, **answer.options.reading},
        "sides": collection.options.to_json(),
        "aliases": aliases,
        "owner": {
            name: side.facts["owner"]
            for name, side in collection.sides.items()
            if isinstance(side.facts.get("owner"), str)
        },
    }
    values = {name: tuple(side.values) for name, side in collection.sides.items()}
    values.setdefault(NEIGHBOURS, collection.ids)  # neighbours are documents
    return Model(
        "documents",
        answer.names,
        {
            name: ModelSide(values[name], counts)
            for name, counts in answer.organizer.sides_.items()
            if name in values
        },
        about,
        answer.organizer.scorer_.sharpness,
        answer.organizer.scorer_.items,
    )


def report_of(answer: Answer, *, include_text: bool = True) -> ReportData:
    """What the report shows."""
    from comraf.report import report_data

    collection, organizer = answer.collection, answer.organizer
    return report_data(
        collection,
        organizer.graph_,
        organizer.result_,
        names=answer.names,
        confidence=organizer.placed_.confidence,
        source=answer.source,
        made=datetime.now().astimezone(),
        warnings=answer.warnings,
        notes=answer.hints,
        known=sentences(answer.known, noun_of(collection), classes=include_text),
        scores=_scores(answer),
        include_text=include_text,
        wanted=answer.options.named_sides,
        audit=() if answer.audit is None else answer.audit.rows,
        numbers=None if answer.numbers is None else answer.numbers.to_dict(),
    )


def write(answer: Answer, out: Path, *, force: bool, include_text: bool) -> None:
    """The folder: clusters, sides, model, collection, report."""
    from comraf.report import render
    from comraf.report.pages import PAGES, page_writer
    from comraf.results.files import write_folder

    collection, organizer = answer.collection, answer.organizer
    data = report_of(answer, include_text=include_text)
    if not include_text:
        _write_without_text(answer, render(data), out, force=force)
        return
    told = document(
        source=str(answer.path),
        method=answer.method,
        parameters={
            "k": organizer.result_.n_clusters["documents"],
            "by": list(organizer.sides_),
            "graph": answer.options.graph,
            "weighting": answer.options.weighting,
            "edge_weights": answer.options.edge_weights,
            **{
                name: given
                for name in ("weight", "side_clusters")
                if (given := getattr(answer.options, name))
            },
            "observe": _observed(answer),
        }
        | answer.options.written()
        | ({"method": "hmrf"} if answer.method == "HMRFKMeans" else {}),
        result=organizer.result_,
        sides=[side for side in answer.sides if side.name != "documents"],
        found=answer.clusters,
        known=answer.known,
    )
    seen = [name for name in _observed(answer) if name in collection.sides]
    clustered = [side.name for side in answer.sides if side.name != "documents"]
    others = csv_names([*clustered, *(name for name in seen if name not in clustered)])
    files: dict[str, Any] = {
        "clusters.csv": csv_lines(_document_lines(answer)),
        "report.html": render(data, pages=PAGES),
        "graph.svg": organizer.graph_.to_svg(),
    }
    for side in answer.sides:
        if side.name != "documents":
            files[others[side.name]] = csv_lines(_clustered_lines(answer, side))
    for name in seen:
        if name not in clustered:
            files[others[name]] = csv_lines(_observed_lines(answer, name))
    if collection.n_skipped:
        skipped = ((skip.source, skip.reason) for skip in collection.skipped)
        files["skipped.csv"] = csv_lines([("source", "reason"), *skipped])
        told["skipped"] = collection.n_skipped
    for entry, edge in zip(told["edges"], organizer.graph_.edges, strict=True):
        entry["weighting"] = edge.weighting
    told["kind"] = collection.kind
    told["groups"] = groups(answer)
    told["structure"] = _structure_told(answer)
    if answer.audit is not None:
        told["audit"] = answer.audit.to_dict()
    if answer.numbers is not None:
        told["numbers"] = answer.numbers.to_dict()
    notes = (*collection.notes, *answer.warnings, *answer.hints)
    told["notes"] = [note_record(note) for note in notes]
    if answer.warnings:
        told["warnings"] = [note_record(note) for note in answer.warnings]
    told["files"] = [RESULT_FILE, *files]
    folders = {PAGES: page_writer(data), **kept_folders(answer)}
    told["folders"] = list(folders)
    files[RESULT_FILE] = as_json(told)
    write_folder(out, files, folders=folders, force=force)


def kept_folders(answer: Answer) -> dict[str, Callable[[Path], None]]:
    """Folders of what an answer is opened by, and new documents placed; what fills each."""
    from comraf.collection.sides import NEIGHBOURS
    from comraf.results.model import save_model
    from comraf.results.result import save_result
    from comraf.workflows.neighbours import FOLDER, save_neighbours

    collection = answer.collection
    folders: dict[str, Callable[[Path], None]] = {
        "model": lambda path: save_model(model_of(answer), path),
        "collection": collection.save,
        "clustering": lambda path: save_result(answer.numbered(), path),
    }
    if NEIGHBOURS in answer.organizer.sides_:
        near, vectors = collection.tables[NEIGHBOURS], getattr(collection, "vectors", None)
        weight = getattr(collection.tables, "weights", {}).get(NEIGHBOURS)
        folders[FOLDER] = lambda path: save_neighbours(near, path, vectors, weight)
    return folders


def _scores(answer: Answer) -> list[Score] | None:
    """Agreement with the known classes where labels were given: without those documents."""
    truth, rest = answer.collection.truth, answer.unlabelled
    if truth is None or len(rest) == len(answer.collection):
        return None
    from comraf.metrics import explained_scores
    from comraf.report import Score

    classes, labels = [truth[i] or None for i in rest], answer.organizer.labels_[rest]
    if len(set(classes) - {None}) < 2:
        return []
    many = f"{noun_of(answer.collection)}s"
    on = f"on the {len(rest):,} {many} without a label"
    return [
        Score(f"{name} on {len(rest):,} unlabelled", value, f"{meaning}; {on}")
        for name, value, meaning in explained_scores(classes, labels, many)
    ]


def _structure_told(answer: Answer) -> dict[str, Any]:
    return (
        {"p_value": None, "found": None} if answer.structure is None else answer.structure.to_dict()
    )


def _write_without_text(answer: Answer, page: str, out: Path, *, force: bool) -> None:
    """For sharing: the report, the graph, and labels by number. No ids, names, words or model."""
    from comraf.results.files import write_folder

    labels, confidence = answer.organizer.labels_, answer.organizer.placed_.confidence
    placed = enumerate(zip(labels.tolist(), confidence.tolist(), strict=True))
    lines = ((i, cluster, f"{sure:.4f}") for i, (cluster, sure) in placed)
    files: dict[str, Any] = {
        "report.html": page,
        "graph.svg": answer.organizer.graph_.to_svg(),
        "clusters.csv": csv_lines([("document", "cluster", "confidence"), *lines]),
    }
    told = {
        "format": FORMAT,
        "version": VERSION,
        "objective": answer.organizer.result_.objective,
        "seed": answer.options.random_state,
        "structure": _structure_told(answer),
        "sizes": [group.size for group in answer.clusters["documents"]],
        "files": [RESULT_FILE, *files],
        "folders": [],
    }
    files[RESULT_FILE] = json.dumps(told)
    write_folder(out, files, force=force)


def groups(answer: Answer) -> list[dict[str, Any]]:
    """The groups as plain data, the largest first; blobs also with what they look like."""
    from comraf.report.titles import value_titles

    collection = answer.collection
    looks: dict[str, str] = {}
    if collection.photos is not None and "blobs" in collection.sides:
        looks = dict(
            zip(collection.sides["blobs"].values, value_titles(collection)["blobs"], strict=True)
        )

    def told(side: str, value: str, worth: float) -> dict[str, Any]:
        look = {"look": looks[value]} if side == "blobs" and value in looks else {}
        return {"value": value, **look, "contribution": worth}

    classes = answer.organizer.result_.names.get("documents")
    return [
        {
            "cluster": group.number,
            "name": answer.names[group.number],
            **({"class": classes[group.number] or None} if classes else {}),
            "size": group.size,
            "share": group.share,
            "telling": {
                side: [told(side, value, worth) for value, worth in values]
                for side, values in group.telling.items()
            },
        }
        for group in sorted(answer.clusters["documents"], key=lambda group: -group.size)
    ]


def _observed_lines(answer: Answer, side: str) -> Iterator[list[Any]]:
    """Lines of the file of a side that was not clustered; values of most documents come first."""
    from comraf.workflows.photos import look_of

    looks = look_of(answer.collection, side)
    found = _prevailing(answer, side)
    yield [
        side,
        _counts_column(answer),
        *("cluster", "name", "in_cluster"),
        *(["look"] if looks else []),
    ]
    for i in sorted(range(len(found)), key=lambda i: -found[i][0]):
        name = answer.collection.sides[side].values[i]
        yield [name, *found[i], *([looks[i]] if looks else [])]


def _counts_column(answer: Answer) -> str:
    """The column of how many items have a value: one name for programs, whatever the kind."""
    return "documents" if answer.collection.photos is None else "photos"


def _clustered_lines(answer: Answer, side: Side) -> Iterator[list[Any]]:
    """Lines of a clustered side's file: each value with the group of most of its documents."""
    classes = answer.organizer.result_.names.get(side.name, ())
    if side.name not in answer.collection.sides:  # neighbours are documents
        return _side_lines(side.name, side, classes)
    named = replace(side, values=answer.collection.sides[side.name].values)
    heading = [_counts_column(answer), "group", "group_name", "in_group"]
    columns = zip(*_prevailing(answer, side.name), strict=True)
    more = dict(zip(heading, columns, strict=False)) or dict.fromkeys(heading, ())
    return _side_lines(side.name, named, classes, **more)


def _prevailing(answer: Answer, side: str) -> list[tuple[int, int | str, str, int]]:
    """Of each value of a side: its documents, the group of most of them, its name, how many."""
    import numpy as np
    import scipy.sparse as sp

    table = sp.csr_array(answer.collection.tables[side] != 0, dtype=np.int64).T.tocsr()
    labels, k = answer.organizer.labels_, len(answer.names)
    out: list[tuple[int, int | str, str, int]] = []
    for start, stop in pairwise(table.indptr.tolist()):
        of = np.bincount(labels[table.indices[start:stop]], minlength=k)
        group = int(of.argmax())
        named = (group, answer.names[group]) if stop > start else ("", "")
        out.append((stop - start, *named, int(of[group])))
    return out


def _document_lines(answer: Answer) -> Iterator[list[Any]]:
    """Lines of ``clusters.csv``: each document with its group, and what else is known of it."""
    import numpy as np

    collection, placed = answer.collection, answer.organizer.placed_
    truth, labels = collection.truth, answer.facts.labels.get("documents")
    votes = answer.organizer.result_.stability.get("documents")
    yield [
        *("item", "cluster", "name", "confidence"),
        *(["stability"] if votes is not None else []),
        *("title", "date", "source"),
        *(["label"] if labels else []),
        *(["truth"] if truth else []),
    ]
    for i, (item, date) in enumerate(zip(collection.ids, collection.dates, strict=True)):
        cluster = int(placed.labels[i])
        yield [
            *(item, cluster, answer.names[cluster], f"{placed.confidence[i]:.4f}"),
            *([f"{votes[i]:.4f}"] if votes is not None else []),
            collection.titles[i],
            "" if np.isnat(date) else str(date),
            collection.sources[i],
            *([labels.get(i, "")] if labels else []),
            *([truth[i] or ""] if truth else []),
        ]
