"""New items into the clusters of a fit: what users hand over, and what they get back."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from comraf.errors import InputError, UnseenWarning
from comraf.estimators._run import to_user
from comraf.graph.tables import as_csr
from comraf.results import Result
from comraf.results.placement import SideCounts, align
from comraf.results.scorer import Placed, Scorer, fit_scorer

__all__ = [
    "column_names",
    "naming_columns",
    "new_tables",
    "place_new",
    "row_names",
    "said_names",
    "same_rows",
    "scorer_of",
    "warn_unseen",
]

Names = Mapping[str, Sequence[str] | None]


def column_names(table: Any) -> tuple[str, ...] | None:
    """Names of a DataFrame's columns, if all are strings and no two are the same."""
    if sp.issparse(table) or isinstance(table, np.ndarray):
        return None
    return _distinct(getattr(table, "columns", None))


@contextmanager
def naming_columns(table: Any) -> Iterator[None]:
    """Refuse masked and lazy tables; of a frame that fails, say which column is no numbers."""
    if np.ma.is_masked(table):
        raise InputError(
            "the table has masked entries, and what is under the mask would be counted; give "
            "table.filled(0)"
        )
    if hasattr(table, "collect"):  # of polars
        raise InputError(f"the table is a {type(table).__name__}; give table.collect()")
    try:
        yield
    except (TypeError, ValueError):
        for name in column_names(table) or ():
            column = np.asarray(table[name])
            if not _numbers(column):
                raise InputError(
                    f"the column {name!r} holds {column.dtype}, no numbers; leave it out, or make "
                    "counts of it (pandas.get_dummies for a few values, CountVectorizer for texts)"
                ) from None
        raise


def _numbers(column: np.ndarray[Any, Any]) -> bool:
    try:
        column.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return column.dtype.kind not in "mM"  # times would be, since 1970


def said_names(tables: Any) -> dict[str, tuple[str, ...]]:
    """Names of the columns of tables, where the mapping they come in says them.

    Anything with ``names``, a mapping of names of its tables to those of all columns, is asked;
    `comraf.images.PhotoTables` is one.

    Examples
    --------
    >>> said_names({"words": [[1]]})
    {}
    """
    said = getattr(tables, "names", None)
    if not isinstance(said, Mapping) or not isinstance(tables, Mapping):
        return {}
    found = {name: _distinct(said[name]) for name in tables if name in said}
    return {
        name: names
        for name, names in found.items()
        if names is not None and np.shape(tables[name])[1:] == (len(names),)
    }


def _distinct(columns: Any) -> tuple[str, ...] | None:
    try:
        names = tuple(columns) if columns is not None else ()
    except TypeError:
        return None
    distinct = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    return names if names and distinct else None


def row_names(table: Any) -> Any | None:
    """The index of a DataFrame that has one (pandas)."""
    index = getattr(table, "index", None)
    return index if hasattr(index, "equals") and hasattr(table, "loc") else None


def same_rows(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Tables with their rows in the order of the first one's index, or a word on why not.

    Tables without an index, and those whose index is that of the first, stay as they are.
    """
    first: tuple[str, Any] | None = None
    out: dict[str, Any] = {}
    for name, table in tables.items():
        index = row_names(table)
        out[name] = table
        if index is None:
            continue
        if first is None:
            first = name, index
        elif not index.equals(first[1]):
            here, there = first[1], index
            apart = here.symmetric_difference(there)
            if len(apart) or not (here.is_unique and there.is_unique):
                which = f"{apart[0]!r} is in one of them only" if len(apart) else "names repeat"
                raise InputError(
                    f"the rows of the tables {first[0]!r} and {name!r} differ by their index "
                    f"({which}); give them the same rows, or reset_index(drop=True) where the "
                    "order alone says which rows belong together"
                )
            out[name] = table.loc[here]
    return out


def new_tables(
    sides: Mapping[str, SideCounts], tables: Any, values: Names, columns: Names | None = None
) -> tuple[dict[str, sp.csr_array], dict[str, float]]:
    """Checked tables of new items with columns where the fit has them, and what has no place.

    What has no place is warned of.

    Parameters
    ----------
    sides : mapping of str to SideCounts
        What the fit knows.
    tables : mapping of str to table, or a table where there is one side only
    values : mapping of str to names or None
        Names of the values the fit knows; columns of DataFrames are matched by them.
    columns : mapping of str to names or None
        Names of the columns of tables that have none themselves.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError(
            f"columns is {type(columns).__name__}; give names by side, such as "
            f"{{{next(iter(sides))!r}: names}}"
        )
    unknown = [name for name in columns or {} if name not in sides]
    if unknown:
        raise InputError(
            "columns names {name!r}, which is no side; the fit knows {allowed}",
            name=unknown[0],
            allowed=list(sides),
        )
    if not isinstance(tables, Mapping) or sp.issparse(tables):
        if len(sides) > 1:
            raise InputError(
                f"the fit knows the sides {list(sides)}; give new items as a mapping of these "
                f"names to tables, such as {{{next(iter(sides))!r}: table}}"
            )
        tables = {next(iter(sides)): tables}
    unknown = [name for name in tables if name not in sides]
    if unknown or not tables:
        what = f"there is no side {unknown[0]!r}" if unknown else "no table was given"
        raise InputError(
            "{what}; the fit knows the sides {allowed}", what=what, allowed=list(sides)
        )
    out: dict[str, sp.csr_array] = {}
    unseen: dict[str, float] = {}
    said = said_names(tables)
    for name, table in same_rows(tables).items():
        counts = as_csr(table, f"the table {name!r}")
        names, known = (columns or {}).get(name) or column_names(table), values.get(name)
        if names is None and name in said:
            names = said[name]
            _check_same(name, names, known)
        if names is not None and known is not None:
            counts, unseen[name] = align(counts, names, known)
        elif counts.shape[1] != len(sides[name].labels):
            how = "" if known is None else "; a DataFrame's columns are matched by their names"
            raise InputError(
                f"the table {name!r} has {counts.shape[1]} columns, but the fit knows "
                f"{len(sides[name].labels)} values of {name!r}{how}"
            )
        out[name] = counts
    rows = {name: table.shape[0] for name, table in out.items()}
    if len(set(rows.values())) > 1:
        raise InputError(f"the tables must share their rows, but have {rows} of them")
    unseen = {name: count for name, count in unseen.items() if count}
    warn_unseen(unseen, out)
    return out, unseen


def _check_same(name: str, names: Sequence[str], known: Sequence[str] | None) -> None:
    """Refuse columns that are counted by another palette or codebook."""
    # A mapping that names its columns names all that there can be, also those without counts: if
    # neither the fit nor it has all names of the other, they are not of the same kind.
    here, there = set(names), set(known or names)
    if not (here <= there or there <= here):
        raise InputError(
            f"the table {name!r} has other columns than the fit ({names[0]!r}, ... instead of "
            f"{(known or names)[0]!r}, ...); count new photos by the palette and the blobs of the "
            "first: photo_tables(new, colours=..., space=..., blobs=tables.codebook), where tables "
            "are those of the fit"
        )


def warn_unseen(unseen: Mapping[str, float], tables: Mapping[str, sp.csr_array]) -> None:
    """Tell how much of the new items was left out."""
    for name, count in unseen.items():
        total = count + float(tables[name].sum())
        warnings.warn(
            f"{count:g} of {total:g} counts with {name!r} are of values that the fit has not seen; "
            "they were left out",
            UnseenWarning,
            stacklevel=to_user(),
        )


def scorer_of(estimator: Any, node: str) -> Scorer:
    """What scores new values of any hidden node of a fit; a word on why where nothing does."""
    graph, result = estimator.graph_, estimator.result_
    if not isinstance(node, str) or node not in graph.index:
        raise InputError(
            "there is no node {node!r}; the nodes are {allowed}",
            node=node,
            allowed=list(graph.index),
        )
    if not graph.nodes[graph.index[node]].hidden:
        raise InputError(
            f"node {node!r} is observed: its clusters were given, and nothing places new values "
            "there; name a hidden node"
        )
    kept: dict[str, tuple[Result, Scorer]] = estimator.__dict__.setdefault("_scorers", {})
    if node not in kept or kept[node][0] is not result:
        kept[node] = result, fit_scorer(graph, result, node)[0]
    return kept[node][1]


def place_new(scorer: Scorer, tables: Any, values: Names, columns: Names | None = None) -> Placed:
    """Place new items by what a fit knows; values it has not seen are counted and told."""
    aligned, unseen = new_tables(scorer.sides, tables, values, columns)
    return replace(scorer.place(aligned), unseen=unseen)
