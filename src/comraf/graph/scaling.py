"""Weights that bring the edges of a graph to one scale.

The mutual information of a table grows with the number of its values and, for small
counts, with the noise in them; with equal weights a sparse side (subject lines, say)
drowns a rich one (words). Rules are compared in ``docs/weighting.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.tables import weighted
from comraf.weightings import parts_of

__all__ = ["BESIDE_COUNTS", "EDGE_RULES", "edge_weights", "mutual_information"]

Name = TypeVar("Name", str, tuple[str, str])

#: What measured sides (those of photos) weigh, of what they say, where captions or the like are
#: there too: at 1 they drown them (benchmarks.images).
BESIDE_COUNTS = 0.4


# Below this a table tells nothing; what is left of its information is rounding.
_NO_INFORMATION = 1e-9


def _mass(tables: Mapping[Name, sp.csr_array]) -> dict[Name, float]:
    totals = {name: float(table.sum()) for name, table in tables.items()}
    largest = max(totals.values())
    return {name: total / largest if largest else 1.0 for name, total in totals.items()}


def _root_mass(tables: Mapping[Name, sp.csr_array]) -> dict[Name, float]:
    return {name: float(np.sqrt(share)) for name, share in _mass(tables).items()}


def _information(tables: Mapping[Name, sp.csr_array]) -> dict[Name, float]:
    found = {name: mutual_information(table) for name, table in tables.items()}
    most = max(found.values())
    return {name: most / nats if nats > _NO_INFORMATION else 1.0 for name, nats in found.items()}


def mutual_information(table: sp.csr_array) -> float:
    """Information in nats between the rows and the columns of a table.

    Examples
    --------
    >>> round(mutual_information(sp.csr_array([[3, 0], [0, 3]])), 4)
    0.6931
    """
    coo = sp.coo_array(table)
    p = coo.data / coo.data.sum()
    rows, columns = np.bincount(coo.row, p), np.bincount(coo.col, p)
    return float((p * np.log(p / (rows[coo.row] * columns[coo.col]))).sum())


#: Rules by name; each gives the weights of tables by name.
EDGE_RULES: dict[str, Callable[[Mapping[Any, sp.csr_array]], dict[Any, float]]] = {
    "root_mass": _root_mass,
    "equal": lambda tables: dict.fromkeys(tables, 1.0),
    "mass": _mass,
    "information": _information,
}


_BY_MASS = ("root_mass", "mass")


def edge_weights(
    tables: Mapping[Name, Any],
    rule: str = "root_mass",
    weighting: str | Mapping[Name, str] = "raw",
    row_weights: npt.ArrayLike | None = None,
    measured: Mapping[Name, float] | None = None,
) -> dict[Name, float]:
    """Weight of each table's mutual information under a rule.

    Tables go by their names, or by pairs of those of the sides that they join.

    ``root_mass`` (the default everywhere) takes the square root of a table's total count,
    the largest table having weight 1; ``mass`` the total count itself, so that every single
    count weighs the same; ``information`` the inverse of the table's mutual information,
    so that all of them could contribute the same; ``equal`` is 1 for all. Masses are those
    of the counts: scaling rows does not change how much was seen.

    Tables in ``measured`` weigh what is said there under rules by mass, and 0.4 of it beside
    counted ones: a photo has tens of thousands of pixels, but these are not that many things
    seen independently. ``weighting`` may differ by table.

    Examples
    --------
    >>> edge_weights({"words": [[8, 0], [0, 8]], "people": [[2, 0], [1, 1]]})
    {'words': 1.0, 'people': 0.5}
    """
    if rule not in EDGE_RULES:
        raise InputError(
            "edge weights {rule!r} are unknown; choose one of {allowed}",
            rule=rule,
            allowed=EDGE_RULES,
        )
    given = {n: w for n, w in (measured or {}).items() if n in tables and rule in _BY_MASS}
    counted: dict[Name, Any] = {name: table for name, table in tables.items() if name not in given}
    weights = dict.fromkeys(counted, 1.0)
    if len(counted) > 1:
        for name, table in counted.items():
            how = weighting if isinstance(weighting, str) else weighting[name]
            if rule in _BY_MASS:  # of what rows had before they were scaled
                how = parts_of(how)[0]
            called = name if isinstance(name, str) else "-".join(name)
            counted[name] = weighted(table, how, row_weights, f"the table {called!r}")
        weights = EDGE_RULES[rule](counted)
    beside = BESIDE_COUNTS if counted else 1.0
    return {name: beside * given[name] if name in given else weights[name] for name in tables}
