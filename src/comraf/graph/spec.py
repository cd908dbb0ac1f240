"""Model specs: a graph as a readable YAML file, its tables beside it.

::

    format: comraf-graph
    version: 1
    nodes:
      - {name: documents, clusters: 20, direction: bottom-up}
      - {name: words, direction: top-down}
      - {name: languages, observed: singletons}
    edges:
      - {between: [documents, words], table: words.npz, weight: 1.0, weighting: raw}
      - {between: [documents, languages], table: languages.csv}

An edge that does not say its ``weighting`` or its ``weight`` has those that the estimators have:
``root_rows``, and the root of its table's mass beside the heaviest one.

Where tables carry names (CSV and Parquet triplets do), values are matched by name across
tables; where they don't, by position.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import yaml

from comraf.errors import GraphError, InputError, ReadError, WriteError
from comraf.graph.model import Edge, Graph, Node
from comraf.graph.scaling import edge_weights
from comraf.store import files_whole, write_pieces

__all__ = ["FORMAT", "VERSION", "TableReader", "graph_from_spec", "load_graph", "save_graph"]

FORMAT = "comraf-graph"
VERSION = 1

Names = Sequence[str] | None
#: Gives (matrix, row names or None, column names or None) for a path.
TableReader = Callable[[Path], tuple[Any, Names, Names]]

_NODE_KEYS = {"name", "clusters", "direction", "observed", "values", "variable"}
_EDGE_KEYS = {"between", "table", "weight", "weighting"}
_MOST_BYTES = 64_000_000  # a spec is written by people; a larger file is something else


class _PlainLoader(yaml.SafeLoader):
    """Safe YAML without aliases, which a spec does not need and which can grow without end."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed in a model spec")
        return super().compose_node(parent, index)


def load_graph(
    path: str | Path,
    read: TableReader,
    *,
    weighting: str = "root_rows",
    rule: str = "root_mass",
    measured: Mapping[str, float] | None = None,
    weight: Mapping[str, float] | None = None,
    side_clusters: Mapping[str, int] | None = None,
) -> Graph:
    """Read a model spec and its tables, paths being relative to the spec's folder.

    ``read`` gives a table's matrix and names; ``comraf.collection.readers`` has one for
    every format the command line knows. Edges that don't say it themselves have this
    ``weighting``, and weights by this ``rule`` (see `comraf.graph.edge_weights`; what
    is ``measured`` goes by the names of nodes). Whatever the spec says, ``side_clusters`` has
    numbers of clusters by node, and ``weight`` weights of edges: by a node for its edge to the
    first one, or by both such as ``"words+people"``.
    """
    path = Path(path)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ReadError(f"{path} is too large to be a model spec ({path.stat().st_size} bytes)")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ReadError(f"{path} is not UTF-8 text: {error}") from None
    except OSError as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError(f"can't read {path}: {error.strerror or error}") from error
    try:
        spec = yaml.load(text, Loader=_PlainLoader)  # noqa: S506  # a SafeLoader, stricter
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ReadError(f"{path} is not valid YAML: {str(error).splitlines()[0]}") from None
    return graph_from_spec(
        spec,
        lambda name: read(path.parent / name),
        where=str(path),
        weighting=weighting,
        rule=rule,
        measured=measured,
        weight=weight,
        side_clusters=side_clusters,
    )


def graph_from_spec(
    spec: Any,
    read: Callable[[str], tuple[Any, Names, Names]],
    where: str = "the spec",
    *,
    weighting: str = "root_rows",
    rule: str = "root_mass",
    measured: Mapping[str, float] | None = None,
    weight: Mapping[str, float] | None = None,
    side_clusters: Mapping[str, int] | None = None,
) -> Graph:
    """A graph from the parsed form of a spec; ``read`` is asked for each table by its name.

    The rest is as in `load_graph`.

    Examples
    --------
    >>> spec = {
    ...     "format": "comraf-graph", "version": 1,
    ...     "nodes": [{"name": "d", "clusters": 2}, {"name": "w", "direction": "top-down"}],
    ...     "edges": [{"between": ["d", "w"], "table": "t"}],
    ... }
    >>> graph_from_spec(spec, lambda name: ([[1, 2], [3, 4]], None, None)).sizes
    {'d': 2, 'w': 2}
    """
    spec = _mapping(spec, where, {"format", "version", "nodes", "edges"})
    if spec.get("format") != FORMAT:
        raise GraphError(f"{where}: format is {_short(spec.get('format'))}, expected {FORMAT!r}")
    version = spec.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise GraphError(f"{where}: version is {_short(version)}, expected a whole number from 1")
    if version > VERSION:
        raise GraphError(
            f"{where}: written by a newer comraf (version {version} of the format; this one "
            f"reads up to {VERSION}); please upgrade"
        )
    nodes = [_mapping(n, f"{where}: a node", _NODE_KEYS) for n in _list(spec, "nodes", where)]
    edges = [_mapping(e, f"{where}: an edge", _EDGE_KEYS) for e in _list(spec, "edges", where)]
    loaded = []
    for edge in edges:
        ends = edge.get("between")
        if not (
            isinstance(ends, list) and len(ends) == 2 and all(isinstance(e, str) for e in ends)
        ):
            raise GraphError(
                f"{where}: an edge's 'between' is {_short(ends)}, expected two node names"
            )
        if not isinstance(edge.get("table"), str):
            raise GraphError(f"{where}: edge {ends[0]}-{ends[1]} names no table file")
        loaded.append((edge, ends, *read(edge["table"])))
    nodes = _with_clusters(nodes, side_clusters or {})
    said_instead = _weights_by_ends(
        str(nodes[0].get("name")), [ends for _, ends, *_ in loaded], weight
    )
    names = _common_names(nodes, loaded, where)
    made = [
        Node(
            name=node.get("name"),  # type: ignore[arg-type]  # Node itself refuses the wrong type
            values=names.get(str(node.get("name"))),
            n_clusters=node.get("clusters"),
            direction=node.get("direction", "bottom-up"),
            observed=node.get("observed"),
            variable=node.get("variable", "partition"),
        )
        for node in nodes
    ]
    index = {name: {v: i for i, v in enumerate(values)} for name, values in names.items()}
    tables: dict[str, Any] = {}
    weightings, said = {}, {}
    for edge, (a, b), matrix, rows, columns in loaded:
        name = f"{len(tables)}: {a}-{b}"  # there may be several between the same nodes
        tables[name] = _aligned(matrix, index.get(a), rows, index.get(b), columns)
        weightings[name] = edge.get("weighting", weighting)
        if b in (measured or {}):
            said[name] = (measured or {})[b]
    weights: Mapping[str, float] = {}
    if any("weight" not in edge for edge in edges):
        weights = edge_weights(tables, rule, weightings, measured=said)
    return Graph(
        made,
        [
            Edge(
                ends[0],
                ends[1],
                table,
                weight=said_instead.get(
                    frozenset(ends), _number(edge.get("weight", weights.get(name)), where)
                ),
                weighting=weightings[name],
            )
            for (edge, ends, *_), (name, table) in zip(loaded, tables.items(), strict=True)
        ],
    )


def _with_clusters(
    nodes: list[Mapping[str, Any]], wanted: Mapping[str, int]
) -> list[Mapping[str, Any]]:
    """The nodes of a spec with other numbers of clusters."""
    hidden = [str(node.get("name")) for node in nodes if node.get("observed") is None]
    if unknown := [name for name in wanted if name not in hidden]:
        raise InputError(parameter="side_clusters", given=unknown[0], allowed=hidden)
    return [
        {**node, "clusters": wanted[name]} if (name := str(node.get("name"))) in wanted else node
        for node in nodes
    ]


def _weights_by_ends(
    hub: str, edges: Sequence[Sequence[str]], weight: Mapping[str, float] | None
) -> dict[frozenset[str], float]:
    """Weights of edges by their ends; a name alone is that of the edge to the hub.

    Examples
    --------
    >>> found = _weights_by_ends("d", [("d", "w"), ("w", "p")], {"w": 2.0, "p+w": 0.1})
    >>> found == {frozenset("dw"): 2.0, frozenset("wp"): 0.1}
    True
    """
    ends = {frozenset(pair): "+".join(sorted(set(pair) - {hub})) for pair in edges}
    by_name = {"+".join(sorted(name.split("+"))): name for name in weight or ()}
    if unknown := [own for name, own in by_name.items() if name not in ends.values()]:
        raise InputError(parameter="weight", given=unknown[0], allowed=[*ends.values()])
    return {pair: (weight or {})[by_name[name]] for pair, name in ends.items() if name in by_name}


def _common_names(
    nodes: list[Mapping[str, Any]], loaded: list[Any], where: str
) -> dict[str, list[str]]:
    """For every node whose tables carry names: all of them, in order of first appearance."""
    given: dict[str, list[Names]] = {}
    for _, (a, b), _, rows, columns in loaded:
        given.setdefault(a, []).append(rows)
        given.setdefault(b, []).append(columns)
    out: dict[str, list[str]] = {}
    for node in nodes:
        name = str(node.get("name"))
        lists = given.get(name, [])
        given_values = node.get("values")
        if given_values is not None:
            if not isinstance(given_values, list) or any(
                isinstance(value, (list, dict)) for value in given_values
            ):
                raise GraphError(f"{where}: the values of {_short(name)} must be a list of names")
            out[name] = [str(value) for value in given_values]
        if any(names is not None for names in lists):
            if any(names is None for names in lists):
                raise GraphError(
                    f"{where}: some tables of {name!r} carry names and others don't, so its "
                    "values can't be matched; use one kind of table for all of them"
                )
            if name not in out:
                out[name] = list(dict.fromkeys(str(v) for names in lists for v in names or ()))
    return out


def _aligned(
    matrix: Any,
    row_index: dict[str, int] | None,
    rows: Names,
    column_index: dict[str, int] | None,
    columns: Names,
) -> Any:
    """The table with rows and columns put where their names are in the nodes' lists."""
    if rows is None and columns is None:
        return matrix
    coo = sp.coo_array(matrix)
    shape = list(coo.shape)
    coordinates = [coo.row, coo.col]
    for axis, (names, index) in enumerate(((rows, row_index), (columns, column_index))):
        if names is not None and index is not None:
            missing = [v for v in names if str(v) not in index]
            if missing:
                raise GraphError(
                    f"the value {missing[0]!r} of a table is not among the node's values"
                )
            place = np.array([index[str(v)] for v in names], dtype=np.int64)
            coordinates[axis] = place[coordinates[axis]]
            shape[axis] = len(index)
    return sp.csr_array((coo.data, (coordinates[0], coordinates[1])), shape=tuple(shape))


def save_graph(graph: Graph, path: str | Path, tables: Sequence[str] | None = None) -> None:
    """Write a graph as a model spec; with tables as ``.npz`` files in the same folder.

    ``tables`` names the file of each edge; by default they are called after their nodes.
    """
    path = Path(path)
    for edge in graph.edges:
        if edge.term is not None:
            raise GraphError(
                f"edge {edge.a}-{edge.b} has a term of its own, which is code; a model spec can't "
                "hold it"
            )
    if tables is None:
        tables = [
            f"{path.stem}-{i}-{edge.a}-{edge.b}.npz".replace("/", "_").replace("\\", "_")
            for i, edge in enumerate(graph.edges)
        ]
    tables = [name if name.endswith(".npz") else f"{name}.npz" for name in tables]
    nodes: list[dict[str, Any]] = []
    for node in graph.nodes:
        entry: dict[str, Any] = {"name": node.name}
        if node.hidden:
            if node.n_clusters is not None:
                entry["clusters"] = node.n_clusters
            entry["direction"] = node.direction
        else:
            entry["observed"] = (
                node.observed
                if isinstance(node.observed, str)
                else np.asarray(node.observed).tolist()
            )
        if node.values is not None:
            entry["values"] = list(node.values)
        if node.variable != "partition":
            entry["variable"] = node.variable
        nodes.append(entry)
    edges = [
        {
            "between": [edge.a, edge.b],
            "table": name,
            "weight": float(edge.weight),
            "weighting": "raw",
        }
        for edge, name in zip(graph.edges, tables, strict=True)
    ]
    spec = {"format": FORMAT, "version": VERSION, "nodes": nodes, "edges": edges}
    try:
        # Counts are kept as inference sees them, so the weighting is already in them. The
        # spec comes last: where it is, its tables are whole.
        with files_whole(*map(path.with_name, tables), path) as (*files, draft):
            for edge, file in zip(graph.edges, files, strict=True):
                with file.open("wb") as stream:
                    sp.save_npz(stream, sp.csr_matrix(edge.counts))
            write_pieces(draft, [yaml.safe_dump(spec, sort_keys=False, allow_unicode=True)])
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise WriteError(f"can't write {path}: {reason}") from error


def _mapping(value: Any, where: str, keys: set[str]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise GraphError(
            "{where} is {kind}, expected a mapping with {allowed}",
            where=where,
            kind=type(value).__name__,
            allowed=sorted(keys),
        )
    unknown = [str(key) for key in value if key not in keys]
    if unknown:
        raise GraphError(
            "{where} has an unknown key {key!r}; known are {allowed}",
            where=where,
            key=unknown[0],
            allowed=sorted(keys),
        )
    return value


def _list(spec: Mapping[str, Any], key: str, where: str) -> list[Any]:
    value = spec.get(key)
    if not isinstance(value, list) or not value:
        raise GraphError(f"{where}: {key!r} must be a list of at least one entry")
    return value


def _short(value: Any) -> str:
    return reprlib.repr(value)


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise GraphError(f"{where}: an edge's weight is {_short(value)}, expected a number")
    return float(value)
