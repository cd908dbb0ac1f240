"""What was read, which sides make the groups and how, and what could be chosen instead."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from comraf.errors import ComrafError, InputError
from comraf.graph.neighbours import NeighbourTable
from comraf.graph.scaling import mutual_information
from comraf.report.markup import plain
from comraf.studio.wording import on_page
from comraf.workflows.answer import DOCUMENTS
from comraf.workflows.regroup import Settings, is_made

if TYPE_CHECKING:
    from comraf.graph import Graph
    from comraf.studio.view import View

__all__ = ["Asked", "checked", "information", "settings_in", "shown"]

_MOST_REASONS, _MOST_EXAMPLES, _MOST_NOTES = 12, 20, 40
# Cuts of the tree that the slider reaches: so many groups at most, and so many documents in each.
_FINEST, _ITEMS = 100, 3
# A side that could tell so little of what the strongest can is as good as left out.
_FAINT = 0.01


class Asked:
    """A question that takes a while, answered beside the page."""

    def __init__(self) -> None:
        self.state, self.error = "none", ""
        self.found: Any = None

    def ask(self, question: Callable[[], Any]) -> None:
        """Begin, unless it is being asked already."""
        if self.state == "asking":
            return
        self.state, self.error = "asking", ""
        threading.Thread(target=self._work, args=(question,), daemon=True).start()

    def _work(self, question: Callable[[], Any]) -> None:
        try:
            self.found = question()
            self.state = "done"
        except Exception as error:  # noqa: BLE001 - a fault of comraf's own is said, not shown
            self.state, self.error = "failed", on_page(error)


def shown(view: View) -> dict[str, Any]:
    """Everything that the page of sides needs at once."""
    project = view.project
    said, answer = project.session.said, project.answer
    now = Settings.now(answer, said)
    return {
        "version": project.session.version,
        "read": _read(view),
        "sides": [_side(view, name, now) for name in _there(view)],
        "settings": now.told,
        "own_graph": not is_made(answer),
        "audit": _audit(view),
        "numbers": _numbers(view),
        "most": len(view.collection),
    }


def _there(view: View) -> list[str]:
    """Sides that have anything to say."""
    return [name for name, table in view.collection.tables.items() if table.nnz]


def _read(view: View) -> dict[str, Any]:
    collection = view.collection
    skipped = collection.skipped
    reasons = Counter(str(skip.reason) for skip in skipped).most_common(_MOST_REASONS)
    return {
        "source": plain(view.project.answer.source, 200),
        "kind": plain(collection.kind, 40),
        "n": len(collection),
        "n_skipped": max(collection.n_skipped, len(skipped)),
        "duplicates": collection.duplicates,
        "reasons": [[plain(reason, 200), n] for reason, n in reasons],
        "examples": [
            [plain(str(skip.source), 200), plain(str(skip.reason), 200)]
            for skip in skipped[:_MOST_EXAMPLES]
        ],
        "notes": [plain(str(note), 400) for note in collection.notes[:_MOST_NOTES]],
    }


def _side(view: View, name: str, now: Settings) -> dict[str, Any]:
    table = view.collection.tables[name]
    result = view.project.run_of(view.project.session.said)[1]
    return {
        "name": name,
        "shown": plain(name, 40),
        "values": int(table.shape[1]),
        "coverage": round(float((np.diff(table.indptr) > 0).mean()), 4),
        "used": name in now.by,
        "weight": now.weights.get(name, 1),
        "observed": name in now.observe or isinstance(table, NeighbourTable),
        "copied": isinstance(table, NeighbourTable),
        "k": now.side_clusters.get(name),
        "found": result.n_clusters.get(name),
    }


def settings_in(view: View, given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as a page gives them, with those of now for what it leaves out; checked."""
    now = Settings.now(view.project.answer, view.project.session.said)
    told = now.told | {name: value for name, value in given.items() if name in now.told}
    lists = all(
        isinstance(told[name], list) and all(isinstance(one, str) for one in told[name])
        for name in ("by", "observe")
    )
    maps = all(isinstance(told[name], dict) for name in ("weights", "side_clusters"))
    if not (lists and maps and isinstance(told["fresh"], bool)):
        raise InputError("settings: give sides as lists, weights and numbers by the names of sides")
    return Settings.of(told).check(view.project.answer).told


def checked(view: View, given: Mapping[str, Any]) -> dict[str, Any]:
    """The graph of some settings as it would be solved, and what may be wrong with it."""
    answer = view.project.answer
    try:
        settings = Settings.of(settings_in(view, given))
        if is_made(answer):
            result = view.project.run_of(view.project.session.said)[1]
            graph = settings.graph(answer, result)
        else:
            graph = answer.graph
    except ComrafError as error:
        return {"error": plain(on_page(error), 400), "nodes": [], "edges": [], "warnings": []}
    edges = _edges(view, graph)
    return {
        "error": "",
        "nodes": [
            {
                "name": plain(node.name, 40),
                "size": graph.sizes[node.name],
                "k": settings.n_clusters if node.name == DOCUMENTS else node.n_clusters,
                "hidden": node.hidden,
            }
            for node in graph.nodes
        ],
        "edges": edges,
        "warnings": [*_warnings(view, settings, edges)],
    }


def _edges(view: View, graph: Graph) -> list[dict[str, Any]]:
    """Edges with what they weigh, and which share of all that could be told they could tell."""
    told = [
        edge.weight * view.once(f"told {edge.a} {edge.b}", partial(mutual_information, edge.counts))
        for edge in graph.edges
    ]
    whole = sum(told) or 1.0
    return [
        {
            "a": plain(edge.a, 40),
            "b": plain(edge.b, 40),
            "weight": float(f"{edge.weight:.3g}"),
            "share": round(one / whole, 4),
        }
        for edge, one in zip(graph.edges, told, strict=True)
    ]


def _warnings(view: View, settings: Settings, edges: list[dict[str, Any]]) -> list[str]:
    """What somebody should know before a search by these settings begins."""
    most = max((edge["share"] for edge in edges), default=0.0)
    found = [
        f"{edge['b']} could tell next to nothing; give more weight, or leave it out"
        for edge in edges
        if edge["share"] < _FAINT * most
    ]
    found += [
        f"{plain(row['side'], 40)} harms: groups made with it tell less of the main side"
        for row in _audit(view)["rows"]
        if row["verdict"] == "harms" and row["side"] in settings.by
    ]
    tables = view.collection.tables
    empty = sum((np.diff(tables[name].indptr) for name in settings.by), np.zeros(1)) == 0
    if n := int(np.count_nonzero(empty)):
        found.append(f"{n:,} have nothing on these sides, and go with the largest group")
    return found


def _audit(view: View) -> dict[str, Any]:
    """What each side adds: as it was found for the answer, or asked here."""
    asked, before = view.audit, view.project.answer.audit
    rows = asked.found or (before.to_dict()["sides"] if before is not None else [])
    return {"state": asked.state, "error": asked.error, "rows": rows}


def _numbers(view: View) -> dict[str, Any]:
    """Good numbers of groups, likewise."""
    asked, before = view.numbers, view.project.answer.numbers
    found = asked.found or (before.to_dict() if before is not None else None)
    return {"state": asked.state, "error": asked.error, "found": found}


def ask_audit(view: View) -> None:
    """Ask what each side adds."""
    from comraf.select import audit

    options, k = view.project.answer.options, len(view.project.session.groups)
    names = [n for n in _there(view) if not isinstance(view.collection.tables[n], NeighbourTable)]

    def question() -> list[dict[str, Any]]:
        found = audit(
            view.collection, k, by=names, weighting=options.weighting, seed=options.random_state
        )
        if not found.asked:
            raise InputError("there are too few documents, or sides, to tell")
        sides: list[dict[str, Any]] = found.to_dict()["sides"]
        return sides

    view.audit.ask(question)


def ask_numbers(view: View) -> None:
    """Ask how many groups there are."""
    from comraf.select import how_many

    options = view.project.answer.options
    now = Settings.now(view.project.answer, view.project.session.said)

    def question() -> dict[str, Any]:
        found = how_many(
            view.collection, by=now.by, weighting=options.weighting, seed=options.random_state
        )
        if found is None:
            raise InputError("there are too few documents to tell")
        return found.to_dict()

    view.numbers.ask(question)


def information(view: View) -> dict[str, Any]:
    """What cuts of the tree of the groups tell, as shares of what single documents would."""
    said = view.project.session.said
    tree = view.project.tree(said)
    most = max(len(said.groups), min(_FINEST, tree.n_values // _ITEMS))
    told = tree.information(min(most, tree.n_values))
    return {
        "version": view.project.session.version,
        "now": len(said.groups),
        "kept": [round(float(share), 4) for share in told],
    }
