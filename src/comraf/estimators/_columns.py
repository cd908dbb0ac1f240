"""Clusters of columns as users ask for them, and tables of columns by columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph import Edge, Node
from comraf.graph.tables import as_csr, check_fits

__all__ = ["column_nodes", "meetings"]


def column_nodes(tables: Mapping[str, Any], wanted: int | Mapping[str, int] | None) -> list[Node]:
    """A hidden node for the columns of each table, with the number of clusters asked for.

    Examples
    --------
    >>> [node.n_clusters for node in column_nodes({"words": None, "people": None}, {"people": 3})]
    [None, 3]
    """
    if isinstance(wanted, Mapping):
        unknown = set(wanted) - set(tables)
        if unknown:
            raise InputError(
                f"column_clusters names {sorted(unknown)[0]!r}, which is not a table; "
                f"the tables are {sorted(tables)}"
            )
        by_name = dict(wanted)
    else:
        by_name = dict.fromkeys(tables, wanted) if wanted is not None else {}
    return [Node(name, n_clusters=by_name.get(name), direction="top-down") for name in tables]


def meetings(
    tables: Mapping[str, Any], weights: Mapping[str, float], sample_weight: npt.ArrayLike | None
) -> list[Edge]:
    """Edges between the columns of every two tables: how often they meet in the same row.

    The count of a pair is the sum over rows of the product of their counts; its edge weighs
    the geometric mean of what the two tables weigh.

    Examples
    --------
    >>> words, people = [[2, 0], [0, 1]], [[1], [1]]
    >>> edge, = meetings({"w": words, "p": people}, {"w": 1.0, "p": 0.25}, None)
    >>> edge.counts.toarray().tolist(), edge.weight
    ([[2], [1]], 0.5)
    """
    checked = {name: as_csr(table, f"the table {name!r}") for name, table in tables.items()}
    names = list(checked)
    edges = []
    for i, one in enumerate(names):
        left = checked[one]
        if sample_weight is not None:
            factors = np.asarray(sample_weight, dtype=np.float64)
            left = sp.csr_array(sp.diags_array(factors) @ left)
        for other in names[i + 1 :]:
            right = checked[other]
            pairs = float(np.diff(left.indptr) @ np.diff(right.indptr))
            check_fits(
                32.0 * min(pairs, float(left.shape[1]) * right.shape[1]),
                f"the table of {one} and {other}",
                "use interactions='rows', or leave rare columns out",
            )
            table = sp.csr_array(left.T @ right)
            if table.nnz:
                weight = float(np.sqrt(weights[one] * weights[other]))
                edges.append(Edge(one, other, table, weight=weight))
    return edges
