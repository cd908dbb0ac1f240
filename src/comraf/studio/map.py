"""Where all documents stand on the map of the studio, and what colours them.

Places come from the groups that the last search found and stay while groups are edited: a map that
moves under one's hands is none. They are computed once a search and travel as plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.report.layout import place_documents
from comraf.report.markup import plain
from comraf.report.titles import item_titles, value_titles
from comraf.results.explain import Explainer
from comraf.workflows.answer import DOCUMENTS

if TYPE_CHECKING:
    from comraf.session.session import SessionState
    from comraf.studio.view import View

__all__ = ["colours_by", "dates", "group_numbers", "places", "titles"]

# Values of a side that have colours of their own; all others share one.
_MOST_VALUES = 12
# Dots of documents that are alike step aside by so much of the map's width.
_STEP = 0.006
_MOST_TITLES = 100
#: A document without a date.
NO_DATE = -(2**31)


def places(view: View) -> bytes:
    """Two numbers a document, 0 to 65,535 from left to right and from top to bottom."""
    return view.of_run("places", lambda said: _placed(view, said))


def _placed(view: View, said: SessionState) -> bytes:
    graph, result = view.project.run_of(said)
    n, k = len(view.collection), result.n_clusters[DOCUMENTS]
    if k < 2 or n < 3:
        raise InputError("a map needs two groups or more, and three documents")
    check_fits(24.0 * n * k, f"the map of {n:,} documents in {k:,} groups", "ask for fewer groups")
    scored = Explainer(graph, result).scored(DOCUMENTS)
    heats = np.concatenate([heat for _, _, heat in scored.heats()])
    _, found = place_documents(heats, result.labels[DOCUMENTS], k)
    found = found + np.random.default_rng(0).normal(size=found.shape) * _STEP * np.ptp(found)
    low, extent = found.min(axis=0), np.maximum(np.ptp(found, axis=0), 1e-12)
    if extent[1] > extent[0]:
        found, low, extent = found[:, ::-1], low[::-1], extent[::-1]
    return bytes(np.round((found - low) / extent * 65_535).astype("<u2").tobytes())


def group_numbers(view: View) -> bytes:
    """For each document the place of its group among all, then its confidence, 0 to 255."""
    groups = view.project.session.groups
    order = np.argsort(groups.order)
    number = order[np.searchsorted(np.asarray(groups.order)[order], groups.of)]
    sure = np.round(255 * view.of_run("confidence", lambda said: _confidence(view, said)))
    return bytes(number.astype("<u2").tobytes() + sure.astype(np.uint8).tobytes())


def _confidence(view: View, said: SessionState) -> npt.NDArray[np.float64]:
    """How sure the groups of a search are of each document."""
    answer, (graph, result) = view.project.answer, view.project.run_of(said)
    if result is answer.result:
        return answer.confidence_
    return Explainer(graph, result).scored(DOCUMENTS).place().confidence


def dates(view: View) -> bytes:
    """The day of each document, counted from 1970; empty if hardly any has one."""
    days = view.collection.dates.astype("datetime64[D]")
    known = ~np.isnat(days)
    if np.count_nonzero(known) < 2:
        return b""
    out = np.full(len(days), NO_DATE, dtype="<i4")
    out[known] = days[known].astype(np.int64)
    return bytes(out.tobytes())


def colours_by(view: View, side: str) -> dict[str, Any]:
    """For each document which of the commonest values of a side it has; -1 for none of them."""
    table = next((one.counts for one in view.sides if one.other == side), None)
    if table is None and side in view.collection.tables:
        table = view.collection.tables[side]
    if table is None or side not in view.collection.sides:
        raise InputError(parameter="side", given=side, allowed=[one.other for one in view.sides])
    often = np.bincount(table.indices, minlength=table.shape[1])
    best = np.argsort(-often, kind="stable")[:_MOST_VALUES]
    best = best[often[best] > 0]
    found: npt.NDArray[np.int64] = np.full(table.shape[0], -1)
    for number in range(len(best) - 1, -1, -1):  # the commonest last: it wins
        rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
        found[rows[table.indices == best[number]]] = number
    names = value_titles(view.collection)[side]
    return {"values": [plain(names[one], 60) for one in best.tolist()], "of": found.tolist()}


def titles(view: View, rows: Sequence[int]) -> list[str]:
    """Titles of some documents."""
    all_of_them = item_titles(view.collection)
    wanted = [row for row in rows[:_MOST_TITLES] if 0 <= row < len(all_of_them)]
    return [plain(all_of_them[row], 60) for row in wanted]
