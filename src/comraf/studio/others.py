"""Other sides than documents: people, words, subjects ... with groups of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.tables import membership
from comraf.report.markup import plain
from comraf.report.titles import value_titles
from comraf.workflows.naming import noun_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comraf.results.groups import Groups
    from comraf.session.session import SessionState
    from comraf.studio.view import View

__all__ = ["documents_of", "excerpt", "groups_of", "mosaic", "names", "title", "values_of"]

# Groups of a side that are shown, and values of each; a search may leave thousands.
_MOST_GROUPS, _SHOWN, _BESIDE = 200, 8, 3
_PAGE = 60
# Columns of the table of two groupings.
_MOST_COLUMNS = 40
_TITLE = 160

Ints = npt.NDArray[np.int64]


def names(view: View) -> list[str]:
    """Sides that have values with names."""
    collection = view.collection
    return [
        name for name, table in collection.tables.items() if name in collection.sides and table.nnz
    ]


def _table(view: View, side: str) -> sp.csr_array:
    """Which documents have which values."""
    if side not in names(view):
        raise InputError(parameter="side", given=side, allowed=names(view))
    return view.collection.tables[side]


def _often(view: View, side: str) -> Ints:
    """In how many documents each value stands."""
    table = _table(view, side)
    return view.once(
        f"often {side}",
        lambda: np.bincount(table.indices[table.data > 0], minlength=table.shape[1]),
    )


def _titles(view: View, side: str) -> Sequence[str]:
    return view.once("titles of values", lambda: value_titles(view.collection))[side]


def _groups(view: View, side: str) -> Groups | None:
    """The groups of a side's values, as they were edited; None where there are no groups."""
    project = view.project
    if side not in view.for_clusters("sides with groups", project.grouped_sides):
        return None
    return project.side_groups(side)


def _order(view: View, side: str, groups: Groups) -> list[int]:
    """The groups of a side, the one with the commonest values first."""
    mass = np.bincount(groups.of, weights=_often(view, side), minlength=groups.next_id)
    return sorted(groups.order, key=lambda group: -mass[group])


def _met(view: View, side: str, groups: Groups) -> sp.csr_array:
    """Documents x ids of a side's groups: 1 where a document has a value of the group."""

    def made(said: SessionState) -> sp.csr_array:
        table = sp.csr_array(_table(view, side) > 0, dtype=np.float64)
        found = sp.csr_array(table @ membership(groups.of, groups.next_id))
        found.data[:] = 1.0
        return found

    return view.for_clusters(f"documents with groups of {side}", made)


def _with(view: View, side: str, circles: Groups) -> npt.NDArray[np.float64]:
    """Groups of documents x ids of a side's groups: how many documents of one have the other."""
    groups = view.project.session.groups
    order = np.asarray(groups.order)
    sorter = np.argsort(order)
    which = sorter[np.searchsorted(order, groups.of, sorter=sorter)]
    joined = sp.csr_array(membership(which, len(order)).T) @ _met(view, side, circles)
    return np.asarray(joined.todense())


def groups_of(view: View, side: str) -> dict[str, Any]:
    """The groups of a side, the largest first: their commonest values, and which documents."""
    often, circles = _often(view, side), _groups(view, side)
    found: dict[str, Any] = {"side": side, "n_values": int(np.count_nonzero(often)), "groups": []}
    if circles is None:
        return found
    titles, groups = _titles(view, side), view.project.session.groups
    n_documents = np.asarray(_met(view, side, circles).sum(axis=0)).ravel()
    beside = _with(view, side, circles)
    shares = beside / np.maximum(np.asarray([*groups.sizes().values()])[:, None], 1)
    for number in _order(view, side, circles)[:_MOST_GROUPS]:
        inside = np.flatnonzero((circles.of == number) & (often > 0))
        if not len(inside):
            continue
        best = inside[np.argsort(-often[inside], kind="stable")]
        near = np.argsort(-shares[:, number], kind="stable")[:_BESIDE]
        found["groups"].append(
            {
                "number": number,
                "name": plain(circles.names.get(number, ""), _TITLE),
                "size": len(inside),
                "documents": int(n_documents[number]),
                "values": [[int(v), plain(titles[v], 60), int(often[v])] for v in best[:_SHOWN]],
                "with": [
                    [groups.order[g], round(float(shares[g, number]), 4)]
                    for g in near.tolist()
                    if beside[g, number]
                ],
            }
        )
    return found


def values_of(
    view: View, side: str, group: int | None = None, text: str = "", start: int = 0
) -> dict[str, Any]:
    """A page of the values of a side, or of one of its groups: the commonest first."""
    often, titles, circles = _often(view, side), _titles(view, side), _groups(view, side)
    keep = often > 0
    if group is not None and circles is not None:
        keep &= circles.of == group
    order = np.flatnonzero(keep)
    if text:
        wanted = text.casefold()
        order = np.array([v for v in order.tolist() if wanted in titles[v].casefold()], dtype=int)
    order = order[np.argsort(-often[order], kind="stable")]
    return {
        "n": len(order),
        "start": start,
        "values": [
            [
                v,
                plain(titles[v], 60),
                int(often[v]),
                None if circles is None else int(circles.of[v]),
            ]
            for v in order[start : start + _PAGE].tolist()
        ],
    }


def documents_of(
    view: View,
    side: str,
    *,
    value: int | None = None,
    circle: int | None = None,
    group: int | None = None,
    start: int = 0,
) -> dict[str, Any]:
    """Documents that have a value, or any of a group of a side; perhaps of one group only."""
    table, circles = _table(view, side), _groups(view, side)
    if value is not None:
        if value >= table.shape[1]:
            raise InputError(f"there is no value {value} of {side}; there are {table.shape[1]:,}")
        wanted = np.array([value])
    elif circle is not None and circles is not None:
        wanted = np.flatnonzero(circles.of == circle)
    else:
        raise InputError("name a value, or a group of the side")
    counts = np.asarray(table[:, wanted].sum(axis=1)).ravel()
    rows = np.flatnonzero(counts > 0)
    groups = view.project.session.groups
    if group is not None:
        rows = rows[groups.of[rows] == groups.check(group)]
    rows = rows[np.argsort(-counts[rows], kind="stable")]
    titles = _titles(view, side)
    best = wanted[np.argsort(-_often(view, side)[wanted], kind="stable")][:3]
    told = {titles[v].casefold() for v in wanted[:_PAGE]} if side == "words" else set()
    return view.listed(rows.tolist(), start, told=told) | {
        "called": ", ".join(plain(titles[v], 60) for v in best.tolist())
    }


def title(view: View, side: str, value: int) -> str:
    """What a value is called."""
    return plain(_titles(view, side)[value], 60)


def excerpt(view: View, side: str, value: int) -> dict[str, Any]:
    """What a person needs to tell whether a value belongs to another one: where it stands."""
    found = documents_of(view, side, value=value)
    names = view.names(view.project.session.version)
    best = sorted(found["groups"], key=lambda one: -one[1])[:_BESIDE]
    many = "; ".join(f"{names[group]} ({n:,})" for group, n in best)
    titles = [one["title"] or one["snippet"] for one in found["documents"][:_SHOWN]]
    return {
        "n": value,
        "title": title(view, side, value),
        "date": "",
        "sides": {
            f"{noun_of(view.collection)}s": [f"{found['n']:,}"],
            "most in": [plain(many, 200)],
        },
        "text": "\n".join(titles),
        "cut": found["n"] > _SHOWN,
    }


def mosaic(view: View, side: str) -> dict[str, Any]:
    """Groups of documents beside groups of a side: how many documents have both."""
    circles = _groups(view, side)
    if circles is None:
        raise InputError(
            f"{side} have no groups of their own: they stand as they are, or had no part"
        )
    shown = groups_of(view, side)["groups"][:_MOST_COLUMNS]
    counts = _with(view, side, circles)
    groups = view.project.session.groups
    sizes = groups.sizes()
    rows = sorted(range(len(groups)), key=lambda g: -sizes[groups.order[g]])
    columns = [one["number"] for one in shown]
    return {
        "side": side,
        "columns": [
            [one["number"], one["name"] or ", ".join(name for _, name, _ in one["values"][:3])]
            for one in shown
        ],
        "left_out": len(circles) - len(columns),
        "rows": [
            [groups.order[g], sizes[groups.order[g]], counts[g, columns].astype(int).tolist()]
            for g in rows
        ],
    }
