"""What is in the files under ``fixtures``, read as a user reads them.

The files were written by the version that their folder is named after and are never written
anew: people have such files.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import comraf
from comraf.active import Journal
from comraf.collection.store import open_collection
from comraf.collection.tables import read_table
from comraf.collection.vision.cache import FeatureCache, photo_digest
from comraf.graph import load_graph
from comraf.results import load_result
from comraf.results.model import load_model
from tests.golden.commands import run_command
from tests.golden.comparing import digits, plain

FIXTURES = Path(__file__).parent / "fixtures" / "0.1.0"


def _answer(root: Path) -> Any:
    answer = comraf.open_answer(root / "answer")
    return {
        "labels": answer.result.labels["documents"],
        "names": list(answer.result.names.get("documents", ())),
        "objective": answer.result.objective,
        "edges": [f"{edge.a} {edge.b}" for edge in answer.graph.edges],
        "items": len(answer.collection),
    }


def _collection(root: Path) -> Any:
    found = open_collection(root / "answer" / "collection")
    return {
        "ids": list(found.ids[:5]),
        "titles": list(found.titles[:5]),
        "text": found.text(0)[:80],
        "day": str(found.dates[0])[:10],
        "tables": {name: list(table.shape) for name, table in found.tables.items()},
        "sums": {name: float(table.sum()) for name, table in found.tables.items()},
        "words": list(found.sides["words"].values[:8]),
        "notes": list(found.notes),
    }


def _model(root: Path) -> Any:
    model = load_model(root / "answer" / "model")
    values = {name: len(side.values) for name, side in model.sides.items()}
    return {"target": model.target, "names": list(model.names), "values": values,
            "sharpness": model.sharpness}  # fmt: skip


def _result(root: Path) -> Any:
    found = load_result(root / "result")
    return {
        "labels": {name: digits(labels) for name, labels in found.labels.items()},
        "objective": found.objective,
        "stability": {name: each[:8] for name, each in found.stability.items()},
        "steps": len(found.trace),
    }


def _load_graph(root: Path) -> comraf.Graph:
    def read(file: Path) -> Any:
        table = read_table(file)
        return table.matrix, table.row_names, table.column_names

    return load_graph(root / "graph" / "model.yaml", read)


def _graph(root: Path) -> Any:
    graph = _load_graph(root)
    edge = graph.edges[0]
    return {"sizes": dict(graph.sizes), "weight": edge.weight, "weighting": edge.weighting,
            "sum": float(edge.counts.sum())}  # fmt: skip


def _cache(root: Path) -> Any:
    photo = (root / "photo.jpg").read_bytes()
    found = FeatureCache(root / "cache").get(photo_digest(photo))
    return None if found is None else {"width": found.width, "height": found.height}


def _journal(root: Path) -> Any:
    path = root / "asked" / "answers.jsonl"
    head = json.loads(path.read_text().splitlines()[0])
    journal = Journal(path, n=head["n"], items=head["items"], seed=1)
    return {"seed": journal.seed, "answers": [list(answer) for answer in journal]}


def resumed(root: Path, **changed: Any) -> Any:
    """Labels by a search that goes on from the checkpoint, after a change to what it says."""
    shutil.copytree(FIXTURES, root, dirs_exist_ok=True)
    head = root / "checkpoint" / "checkpoint.json"
    head.write_text(json.dumps(json.loads(head.read_text()) | changed))
    # what wrote it knew no other sizes
    model = comraf.Comraf(
        _load_graph(root), n_runs=2, sizes="even", random_state=0, checkpoint=head.parent
    )
    return plain(model.fit().labels_["rows"])


def _commands(*lines: str) -> Callable[[Path], Any]:
    def ask(root: Path) -> Any:
        return {line: run_command(line, root) for line in lines}

    return ask


#: Every kind of file, and what is read from it.
READ: dict[str, Callable[[Path], Any]] = {
    "an answer": _answer,
    "a collection": _collection,
    "a model": _model,
    "a result": _result,
    "a graph": _graph,
    "features of a photo": _cache,
    "a journal of answers": _journal,
    "an answer, by commands": _commands(
        "inspect answer", "inspect answer/model", "explain answer 3", "taxonomy answer --sizes 2,3",
        "assign answer box.mbox", "compare answer answer",
    ),
    "an answer about photos, by commands": _commands("inspect photos", "explain photos 3"),
    "an answer about a table, by commands": _commands("inspect clusters"),
    "a session of questions, by commands": _commands(
        "ask reviews.csv --id key -k 3 --effort quick --out asked", "inspect asked"
    ),
}  # fmt: skip


def read(name: str, root: Path) -> Any:
    """What is read from a copy of the files, as JSON has it."""
    shutil.copytree(FIXTURES, root, dirs_exist_ok=True)
    return plain(READ[name](root))
