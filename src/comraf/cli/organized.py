"""The work of ``comraf organize``: from a path to a collection, groups, files and a report."""

from __future__ import annotations

import contextlib
import math
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.cli.program import complain
from comraf.cli.run import Search, sides_of
from comraf.errors import InputError, InterruptedWarning

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.estimators.organizer import Organizer, Structure
    from comraf.graph import Graph
    from comraf.results.model import Model
    from comraf.results.telling import Cluster, Side

__all__ = ["DEFAULT_SIDES", "Asked", "Organized", "default_sides", "gather", "organize", "write"]

#: Sides that tell groups apart in every kind of collection. Organisations and months are
#: there to be asked for: by default they describe groups, they don't make them.
DEFAULT_SIDES = ("words", "people", "subjects")
_LEFT_OUT = ("organisations", "days", "weeks", "months")


@dataclass(frozen=True)
class Asked:
    """What was asked for on the command line."""

    path: Path
    k: int | None = None
    by: tuple[str, ...] | None = None
    graph: str = "tree"
    weighting: str = "log"
    kind: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    sides: Mapping[str, Any] = field(default_factory=dict)
    search: Search = field(default_factory=Search)


@dataclass(frozen=True, eq=False)
class Organized:
    """A collection in groups."""

    asked: Asked
    collection: Collection
    organizer: Organizer
    structure: Structure
    sides: Sequence[Side]
    clusters: Mapping[str, Sequence[Cluster]]
    names: tuple[str, ...]
    warnings: tuple[str, ...]


def default_sides(available: Sequence[str]) -> list[str]:
    """Which of a collection's sides make its groups when none is named.

    Examples
    --------
    >>> default_sides(["words", "subjects", "people", "organisations", "months", "tags"])
    ['words', 'people', 'subjects', 'tags']
    """
    known = [side for side in DEFAULT_SIDES if side in available]
    return known + [s for s in available if s not in (*DEFAULT_SIDES, *_LEFT_OUT)]


@contextlib.contextmanager
def gather(
    asked: Asked, beside: Path | None, listener: Callable[..., None], n_jobs: int
) -> Iterator[Collection]:
    """Read a path into a collection, on disk beside the place where the answer will be."""
    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader
    from comraf.collection.options import SideOptions
    from comraf.collection.store import is_collection, open_collection

    path = asked.path
    if (
        path / "result.json"
    ).is_file():  # the folder of an earlier answer: start from its documents
        path = path / "collection"
        if not is_collection(path):
            raise InputError(
                f"{asked.path} is an answer without its documents (--no-text keeps none); "
                "name what it was made from"
            )
    if is_collection(path):
        yield open_collection(path)
        return
    options = SideOptions.from_json(dict(asked.sides)) if asked.sides else SideOptions()
    reader = open_reader(asked.path, kind=asked.kind, **asked.reading)
    place = None if beside is None else _nearest_folder(beside)
    with tempfile.TemporaryDirectory(prefix=".comraf-", dir=place) as folder:
        yield build_collection(
            reader,
            options=options,
            out=Path(folder, "collection"),
            n_jobs=n_jobs,
            listener=listener,
        )


def _nearest_folder(path: Path) -> Path:
    path = path.resolve()
    while not path.is_dir():
        path = path.parent
    return path


def organize(asked: Asked, collection: Collection, listener: Callable[..., None]) -> Organized:
    """Cluster a collection and describe what came out."""
    from comraf.estimators.organizer import DOCUMENTS, Organizer, structure
    from comraf.results.telling import clusters

    if asked.k is not None and asked.k > len(collection):
        raise InputError(
            f"-k {asked.k} is more than the {len(collection):,} documents read; ask for fewer"
        )
    by = list(asked.by) if asked.by is not None else default_sides(list(collection.tables))
    organizer = Organizer(
        asked.k,
        by=by,
        graph=_graph(asked, collection),
        weighting=asked.weighting,
        n_restarts=asked.search.restarts,
        moves=asked.search.moves,
        passes=asked.search.passes,
        n_jobs=asked.search.jobs,
        random_state=asked.search.seed,
        verbose=listener,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InterruptedWarning)
        organizer.fit(collection)
    k = organizer.result_.n_clusters[DOCUMENTS]
    tables = {name: collection.tables[name] for name in organizer.sides_}
    found = structure(tables, k, weighting=asked.weighting, seed=asked.search.seed)
    said = []
    if not found.found:
        said.append(
            "there may be nothing to find: the groups hold no more information than groups of the "
            f"same counts dealt out at random would (ratio {found.ratio:.2f})"
        )
    sides = _named(sides_of(organizer.graph_, organizer.result_), collection)
    described = {side.name: clusters(side) for side in sides}
    described[DOCUMENTS] = [
        replace(group, share=group.size / len(collection)) for group in described[DOCUMENTS]
    ]
    return Organized(
        asked,
        collection,
        organizer,
        found,
        sides,
        described,
        _names(described[DOCUMENTS]),
        tuple(said),
    )


def _graph(asked: Asked, collection: Collection) -> str | Graph:
    if not asked.graph.lower().endswith((".yaml", ".yml")):
        return asked.graph
    from comraf.graph import load_graph

    def read(path: Path) -> tuple[Any, Sequence[str], Sequence[str]]:
        if path.name not in collection.tables:
            raise InputError(
                f"{asked.graph}: the collection has no table {path.name!r}; it has "
                f"{', '.join(collection.tables)}"
            )
        return collection.tables[path.name], collection.ids, collection.sides[path.name].values

    graph = load_graph(asked.graph, read)
    first = next((node for node in graph.nodes if node.name == "documents"), None)
    if first is not None and first.size != len(collection):
        raise InputError(f"{asked.graph}: the node 'documents' must be the collection's documents")
    return graph


def _named(sides: Sequence[Side], collection: Collection) -> list[Side]:
    """Sides with the names of their values and plain counts, as the report tells them."""
    import scipy.sparse as sp

    from comraf.results.telling import Side, View

    def values(name: str) -> Sequence[str] | None:
        if name == "documents":
            return collection.ids
        return collection.sides[name].values if name in collection.sides else None

    def plain(side: str, view: View) -> sp.csr_array:
        if side == "documents" and view.other in collection.tables:
            return collection.tables[view.other]
        if view.other == "documents" and side in collection.tables:
            return sp.csr_array(collection.tables[side].T)
        return view.counts

    return [
        Side(
            side.name,
            values(side.name),
            side.labels,
            tuple(View(v.other, values(v.other), plain(side.name, v)) for v in side.views),
        )
        for side in sides
    ]


def _names(groups: Sequence[Cluster]) -> tuple[str, ...]:
    """A name for each group: its three most telling words, or values of another side."""
    names = []
    for group in groups:
        telling = group.telling.get("words") or next(
            (values for values in group.telling.values() if values), []
        )
        names.append(", ".join(value for value, _ in telling[:3]) or f"group {group.number}")
    return tuple(names)


def model_of(done: Organized) -> Model:
    """What ``comraf assign`` needs."""
    from comraf.results.model import Model, ModelSide

    collection = done.collection
    aliases = {
        name: {
            address.lower(): person.name
            for person in collection.sides[name].people
            for address in person.addresses
        }
        for name in done.organizer.sides_
        if name in collection.sides and collection.sides[name].people
    }
    about = {
        "kind": collection.kind,
        "reading": dict(done.asked.reading),
        "sides": collection.options.to_json(),
        "aliases": aliases,
    }
    return Model(
        "documents",
        done.names,
        {
            name: ModelSide(tuple(collection.sides[name].values), counts)
            for name, counts in done.organizer.sides_.items()
            if name in collection.sides
        },
        about,
    )


def write(done: Organized, out: Path, *, force: bool, include_text: bool) -> None:
    """The folder: clusters, sides, model, collection, report."""
    from comraf.cli.answer import as_json, document
    from comraf.report import render, report_data
    from comraf.results.files import RESULT_FILE, csv_names, labels_csv, write_folder
    from comraf.results.model import save_model

    collection, organizer = done.collection, done.organizer
    data = report_data(
        collection,
        organizer.graph_,
        organizer.result_,
        names=done.names,
        confidence=organizer.placed_.confidence,
        source=done.asked.path.name,
        made=datetime.now().astimezone(),
        warnings=done.warnings,
        include_text=include_text,
    )
    if not include_text:
        _write_without_text(done, render(data), out, force=force)
        return
    answer = document(
        source=str(done.asked.path),
        method="MDC",
        parameters={
            "k": organizer.result_.n_clusters["documents"],
            "by": list(organizer.sides_),
            "graph": done.asked.graph,
            "weighting": done.asked.weighting,
        }
        | asdict(done.asked.search),
        result=organizer.result_,
        sides=[side for side in done.sides if side.name != "documents"],
        found=done.clusters,
    )
    others = csv_names([side.name for side in done.sides if side.name != "documents"])
    files: dict[str, Any] = {
        "clusters.csv": documents_csv(done),
        "report.html": render(data),
        "graph.svg": organizer.graph_.to_svg(),
    }
    for side in done.sides:
        if side.name != "documents":
            files[others[side.name]] = labels_csv(side.name, side.values, side.labels.tolist())
    answer["groups"] = groups(done)
    answer["structure"] = _structure(done)
    answer["notes"] = [*collection.notes, *done.warnings]
    answer["files"] = [RESULT_FILE, *files]
    answer["folders"] = ["model", "collection"]
    files[RESULT_FILE] = as_json(answer)
    folders: dict[str, Callable[[Path], None]] = {
        "model": lambda path: save_model(model_of(done), path),
        "collection": collection.save,
    }
    write_folder(out, files, folders=folders, force=force)


def _structure(done: Organized) -> dict[str, Any]:
    ratio = done.structure.ratio
    return {"ratio": ratio if math.isfinite(ratio) else None, "found": done.structure.found}


def _write_without_text(done: Organized, page: str, out: Path, *, force: bool) -> None:
    """For sharing: the report, the graph, and labels by number. No ids, names, words or model."""
    import json

    from comraf.results.files import RESULT_FILE, write_folder

    labels = done.organizer.labels_.tolist()
    confidence = done.organizer.placed_.confidence.tolist()
    lines = [
        f"{i},{c},{sure:.4f}\n" for i, (c, sure) in enumerate(zip(labels, confidence, strict=True))
    ]
    files: dict[str, Any] = {
        "report.html": page,
        "graph.svg": done.organizer.graph_.to_svg(),
        "clusters.csv": "document,cluster,confidence\n" + "".join(lines),
    }
    answer = {
        "format": "comraf-result",
        "version": 1,
        "objective": done.organizer.result_.objective,
        "seed": done.asked.search.seed,
        "structure": _structure(done),
        "sizes": [group.size for group in done.clusters["documents"]],
        "files": [RESULT_FILE, *files],
        "folders": [],
    }
    files[RESULT_FILE] = json.dumps(answer)
    write_folder(out, files, force=force)


def groups(done: Organized) -> list[dict[str, Any]]:
    """The groups as plain data."""
    return [
        {
            "cluster": group.number,
            "name": done.names[group.number],
            "size": group.size,
            "share": group.share,
            "telling": {
                side: [{"value": value, "contribution": worth} for value, worth in values]
                for side, values in group.telling.items()
            },
        }
        for group in done.clusters["documents"]
    ]


def documents_csv(done: Organized) -> Iterator[str]:
    """Lines of ``clusters.csv``: item, cluster, its name, confidence, truth where known."""
    import csv
    import io

    import numpy as np

    from comraf.results.files import safe_cell

    collection, placed = done.collection, done.organizer.placed_
    truth = collection.truth
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    heading = ["item", "cluster", "name", "confidence", "title", "date", "source"]
    writer.writerow([*heading, *(["truth"] if truth else [])])
    dates = collection.dates
    for i, item in enumerate(collection.ids):
        cluster = int(placed.labels[i])
        row = [safe_cell(item), cluster, safe_cell(done.names[cluster])]
        row.append(f"{placed.confidence[i]:.4f}")
        date = "" if np.isnat(dates[i]) else str(dates[i])
        row += [safe_cell(collection.titles[i]), date, safe_cell(collection.sources[i])]
        if truth:
            row.append(safe_cell(truth[i] or ""))
        writer.writerow(row)
        if i % 10_000 == 9_999:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def warn(done: Organized) -> None:
    """Say on standard error what may be wrong with the answer."""
    for sentence in done.warnings:
        complain("warning", sentence)
