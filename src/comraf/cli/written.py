"""What ``comraf organize`` writes: the groups, the report, the model, the collection."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comraf.cli.organized import Organized
    from comraf.collection.collection import Collection, Person
    from comraf.report import Score
    from comraf.results import Result
    from comraf.results.model import Model
    from comraf.results.telling import Side

__all__ = [
    "clustered_csv",
    "documents_csv",
    "groups",
    "kept_result",
    "model_of",
    "observed_csv",
    "skipped_csv",
    "write",
]


def _observed(done: Organized) -> list[str]:
    """Sides whose values were not clustered."""
    from comraf.estimators._columns import observed_sides

    seen = observed_sides(done.collection, done.asked.observe)
    return sorted(seen & set(done.organizer.sides_))


def _aliases(people: Sequence[Person]) -> dict[str, str]:
    """Names of people by their addresses and by full names that are nobody else's."""
    spelled: dict[str, str | None] = {}
    for person in people:
        for form in {form.casefold() for form in (person.name, *person.spellings) if " " in form}:
            spelled[form] = None if form in spelled else person.name
    found = {form: name for form, name in spelled.items() if name is not None}
    return found | {form.casefold(): who.name for who in people for form in who.addresses}


def model_of(done: Organized) -> Model:
    """What ``comraf assign`` needs."""
    from comraf.collection.neighbours import NEIGHBOURS
    from comraf.results.model import Model, ModelSide

    collection = done.collection
    aliases = {
        name: _aliases(collection.sides[name].people)
        for name in done.organizer.sides_
        if name in collection.sides and collection.sides[name].people
    }
    about = {
        "kind": collection.kind,
        "reading": dict(done.asked.reading),
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
        done.names,
        {
            name: ModelSide(values[name], counts)
            for name, counts in done.organizer.sides_.items()
            if name in values
        },
        about,
        done.organizer.sharpness_,
    )


def kept_result(done: Organized) -> Result:
    """The result with all names, as ``comraf explain`` and its kin read it."""
    from dataclasses import replace

    result, collection = done.organizer.result_, done.collection
    values = {
        name: collection.sides[name].values for name in result.labels if name in collection.sides
    }
    return replace(
        result,
        names={**result.names, "documents": done.names},
        values={**values, "documents": collection.ids},
    )


def write(done: Organized, out: Path, *, force: bool, include_text: bool) -> None:
    """The folder: clusters, sides, model, collection, report."""
    from comraf.cli.answer import as_json, document
    from comraf.cli.known import told_in
    from comraf.cli.naming import noun_of
    from comraf.cli.near import FOLDER, save_neighbours
    from comraf.collection.neighbours import NEIGHBOURS
    from comraf.report import render, report_data
    from comraf.report.pages import PAGES, page_writer
    from comraf.results.files import RESULT_FILE, csv_names, write_folder
    from comraf.results.model import save_model
    from comraf.results.saved import save_result

    collection, organizer = done.collection, done.organizer
    data = report_data(
        collection,
        organizer.graph_,
        organizer.result_,
        names=done.names,
        confidence=organizer.placed_.confidence,
        source=done.asked.source,
        made=datetime.now().astimezone(),
        warnings=done.warnings,
        notes=done.hints,
        known=told_in(done.known, noun_of(collection), classes=include_text),
        scores=_scores(done),
        include_text=include_text,
        wanted=done.asked.named_sides,
    )
    if not include_text:
        _write_without_text(done, render(data), out, force=force)
        return
    answer = document(
        source=str(done.asked.path),
        method=done.method,
        parameters={
            "k": organizer.result_.n_clusters["documents"],
            "by": list(organizer.sides_),
            "graph": done.asked.graph,
            "weighting": done.asked.weighting,
            "edge_weights": done.asked.edge_weights,
            "observe": _observed(done),
        }
        | asdict(done.asked.search),
        result=organizer.result_,
        sides=[side for side in done.sides if side.name != "documents"],
        found=done.clusters,
        known=done.known,
    )
    seen = [name for name in _observed(done) if name in collection.sides]
    clustered = [side.name for side in done.sides if side.name != "documents"]
    others = csv_names([*clustered, *(name for name in seen if name not in clustered)])
    files: dict[str, Any] = {
        "clusters.csv": documents_csv(done),
        "report.html": render(data, pages=PAGES),
        "graph.svg": organizer.graph_.to_svg(),
    }
    for side in done.sides:
        if side.name != "documents":
            classes = organizer.result_.names.get(side.name)
            files[others[side.name]] = clustered_csv(done, side, classes)
    for name in seen:
        if name not in clustered:
            files[others[name]] = observed_csv(done, name)
    if collection.n_skipped:
        files["skipped.csv"] = skipped_csv(collection)
        answer["skipped"] = collection.n_skipped
    for entry, edge in zip(answer["edges"], organizer.graph_.edges, strict=True):
        entry["weighting"] = edge.weighting
    answer["kind"] = collection.kind
    answer["groups"] = groups(done)
    answer["structure"] = _structure_told(done)
    answer["notes"] = [*collection.notes, *done.warnings, *done.hints]
    answer["files"] = [RESULT_FILE, *files]
    folders: dict[str, Callable[[Path], None]] = {
        PAGES: page_writer(data),
        "model": lambda path: save_model(model_of(done), path),
        "collection": collection.save,
        "clustering": lambda path: save_result(kept_result(done), path),
    }
    if NEIGHBOURS in organizer.sides_:
        near, vectors = collection.tables[NEIGHBOURS], getattr(collection, "vectors", None)
        weight = getattr(collection.tables, "weights", {}).get(NEIGHBOURS)
        folders[FOLDER] = lambda path: save_neighbours(near, path, vectors, weight)
    answer["folders"] = list(folders)
    files[RESULT_FILE] = as_json(answer)
    write_folder(out, files, folders=folders, force=force)


def _scores(done: Organized) -> list[Score] | None:
    """Agreement with the known classes where labels were given: without those documents."""
    truth, rest = done.collection.truth, done.unlabelled
    if truth is None or len(rest) == len(done.collection):
        return None
    from comraf.cli.naming import noun_of
    from comraf.metrics import explained_scores
    from comraf.report import Score

    classes, labels = [truth[i] or None for i in rest], done.organizer.labels_[rest]
    if len(set(classes) - {None}) < 2:
        return []
    many = f"{noun_of(done.collection)}s"
    on = f"on the {len(rest):,} {many} without a label"
    return [
        Score(f"{name} on {len(rest):,} unlabelled", value, f"{meaning}; {on}")
        for name, value, meaning in explained_scores(classes, labels, many)
    ]


def _structure_told(done: Organized) -> dict[str, Any]:
    if done.structure is None:
        return {"ratio": None, "found": None}
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
        "structure": _structure_told(done),
        "sizes": [group.size for group in done.clusters["documents"]],
        "files": [RESULT_FILE, *files],
        "folders": [],
    }
    files[RESULT_FILE] = json.dumps(answer)
    write_folder(out, files, force=force)


def groups(done: Organized) -> list[dict[str, Any]]:
    """The groups as plain data, the largest first; blobs also with what they look like."""
    from comraf.report.shown import shown_values

    collection = done.collection
    looks: dict[str, str] = {}
    if collection.photos is not None and "blobs" in collection.sides:
        looks = dict(
            zip(collection.sides["blobs"].values, shown_values(collection)["blobs"], strict=True)
        )

    def told(side: str, value: str, worth: float) -> dict[str, Any]:
        look = {"look": looks[value]} if side == "blobs" and value in looks else {}
        return {"value": value, **look, "contribution": worth}

    classes = done.organizer.result_.names.get("documents")
    return [
        {
            "cluster": group.number,
            "name": done.names[group.number],
            **({"class": classes[group.number] or None} if classes else {}),
            "size": group.size,
            "share": group.share,
            "telling": {
                side: [told(side, value, worth) for value, worth in values]
                for side, values in group.telling.items()
            },
        }
        for group in sorted(done.clusters["documents"], key=lambda group: -group.size)
    ]


def observed_csv(done: Organized, side: str) -> Iterator[str]:
    """Lines of the file of a side whose values were not clustered, those of most documents first.

    Each with the number of its documents, the group that most of them are in, and how many; what
    is seen in photos also in words.
    """
    import numpy as np

    from comraf.cli.naming import noun_of
    from comraf.cli.photos import look_of

    looks = look_of(done.collection, side)
    heading = [side, f"{noun_of(done.collection)}s", "cluster", "name", "in_cluster"]
    where = _prevailing(done, side)
    lines: list[list[Any]] = [[*heading, *(["look"] if looks else [])]]
    for i in np.argsort([-row[0] for row in where], kind="stable").tolist():
        row = [done.collection.sides[side].values[i], *where[i]]
        lines.append([*row, looks[i]] if looks else row)
    yield _csv_text(lines)


def clustered_csv(done: Organized, side: Side, classes: Sequence[str] | None) -> Iterator[str]:
    """Lines of the file of a clustered side: each value, its cluster, and where its documents are.

    That is the number of its documents, the group that most of them are in, and how many.
    """
    from comraf.cli.answer import side_csv
    from comraf.cli.naming import noun_of

    if side.name not in done.collection.sides:
        yield from side_csv(side.name, side, classes)
        return
    heading = [f"{noun_of(done.collection)}s", "group", "group_name", "in_group"]
    where = _prevailing(done, side.name)
    lines: list[list[Any]] = [[side.name, "cluster", *heading, *(["class"] if classes else [])]]
    for value, label, found in zip(
        done.collection.sides[side.name].values, side.labels.tolist(), where, strict=True
    ):
        lines.append([value, label, *found, *([classes[label]] if classes else [])])
    yield _csv_text(lines)


def _prevailing(done: Organized, side: str) -> list[tuple[int, int | str, str, int]]:
    """Of each value of a side: its documents, the group of most of them, its name, how many."""
    import numpy as np
    import scipy.sparse as sp

    table = sp.csr_array(done.collection.tables[side] != 0, dtype=np.int64).T.tocsr()
    labels, k = done.organizer.labels_, len(done.names)
    out: list[tuple[int, int | str, str, int]] = []
    for start, stop in pairwise(table.indptr.tolist()):
        of = np.bincount(labels[table.indices[start:stop]], minlength=k)
        group = int(of.argmax())
        named = (group, done.names[group]) if stop > start else ("", "")
        out.append((stop - start, *named, int(of[group])))
    return out


def _csv_text(lines: Iterable[Sequence[Any]]) -> str:
    """Lines as CSV, with cells that no spreadsheet runs."""
    import csv
    import io

    from comraf.results.files import safe_cell

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for line in lines:
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in line])
    return buffer.getvalue()


def skipped_csv(collection: Collection) -> Iterator[str]:
    """Lines of ``skipped.csv``: everything that could not be read, and why."""
    yield _csv_text([("source", "reason"), *((s.source, s.reason) for s in collection.skipped)])


def documents_csv(done: Organized) -> Iterator[str]:
    """Lines of ``clusters.csv``: item, cluster, its name, confidence, truth where known.

    Stability stands where several runs agreed on the groups, labels where some were given.
    """
    import csv
    import io

    import numpy as np

    from comraf.results.files import safe_cell

    collection, placed = done.collection, done.organizer.placed_
    truth = collection.truth
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    votes = done.organizer.result_.stability.get("documents")
    heading = ["item", "cluster", "name", "confidence"]
    heading += [*(["stability"] if votes is not None else []), "title", "date", "source"]
    labels = done.facts.labels.get("documents")
    heading += ["label"] if labels else []
    writer.writerow([*heading, *(["truth"] if truth else [])])
    dates = collection.dates
    for i, item in enumerate(collection.ids):
        cluster = int(placed.labels[i])
        row = [safe_cell(item), cluster, safe_cell(done.names[cluster])]
        row.append(f"{placed.confidence[i]:.4f}")
        if votes is not None:
            row.append(f"{votes[i]:.4f}")
        date = "" if np.isnat(dates[i]) else str(dates[i])
        row += [safe_cell(collection.titles[i]), date, safe_cell(collection.sources[i])]
        if labels:
            row.append(safe_cell(labels.get(i, "")))
        if truth:
            row.append(safe_cell(truth[i] or ""))
        writer.writerow(row)
        if i % 10_000 == 9_999:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()
