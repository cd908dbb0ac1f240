"""One run of the engine: from a file to clusters of all sides."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.cli.program import has_written
from comraf.errors import InterruptedWarning
from comraf.results.telling import Cluster, Side, View, clusters

if TYPE_CHECKING:
    from comraf.graph import Graph
    from comraf.progress import Listener
    from comraf.results import Result

__all__ = ["Done", "Run", "Search", "from_spec", "from_table", "perform", "sides_of", "solve"]


@dataclass(frozen=True)
class Search:
    """How to search, as the options say it."""

    effort: str = "default"
    restarts: int = 1
    schedule: str = "thesis"
    moves: str = "sequential"
    passes: float = 2.0
    seed: int = 0
    jobs: int = 1


@dataclass(frozen=True, eq=False)
class Run:
    """What is to be clustered, and how."""

    graph: Graph
    search: Search
    source: str
    method: str
    parameters: Mapping[str, object]

    def bytes_to_write(self) -> int:
        """About how large the files of the answer will be."""
        total = 2**20
        for node in self.graph.nodes:
            size = self.graph.sizes[node.name]
            names = 8 * size if node.values is None else sum(map(len, node.values))
            total += 2 * (2 * names + 12 * size)  # as CSV and within result.json
        return total


@dataclass(frozen=True, eq=False)
class Done:
    """What came out of a run."""

    run: Run
    result: Result
    sides: Sequence[Side]
    clusters: Mapping[str, Sequence[Cluster]]
    document: Mapping[str, Any]
    hurried: bool = False  # Ctrl-C came after the search


def perform(
    load: Callable[[], Run], loading: str, *, out: Path | None, force: bool, quiet: bool
) -> Done:
    """Read, cluster and write, with progress on the terminal.

    Parameters
    ----------
    load : callable
        Reads what is to be clustered.
    loading : str
        What to show meanwhile.
    out : path or None
        Folder for the answer; looked at before any work is done.
    force, quiet : bool
        As the options say.
    """
    from comraf.cli.answer import document, folder_files
    from comraf.cli.bar import Bar
    from comraf.cli.patience import Patience
    from comraf.cli.scratch import sweep
    from comraf.results.files import check_folder, write_folder

    if out is not None:
        sweep(out)
        check_folder(out, force=force)
    with Bar(quiet=quiet) as bar:
        bar.say(loading)
        run = load()
        if out is not None:
            check_folder(out, force=force, needed=run.bytes_to_write())
        bar.say("starting")
        result = solve(run.graph, run.search, bar)
        bar.say("finishing")
        with Patience() as patience:
            sides = sides_of(run.graph, result)
            found = {side.name: clusters(side) for side in sides}
            answer = document(
                source=run.source,
                method=run.method,
                parameters=run.parameters,
                result=result,
                sides=sides,
                found=found,
            )
            if out is not None:
                write_folder(out, folder_files(answer, sides, run.graph.to_svg()), force=force)
                has_written(out)
    return Done(run, result, sides, found, answer, patience.pressed)


def solve(graph: Graph, search: Search, listener: Listener) -> Result:
    """Cluster every hidden side of a graph.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> nodes = [Node("rows", n_clusters=2), Node("columns", direction="top-down")]
    >>> graph = Graph(nodes, [Edge("rows", "columns", [[5, 0], [4, 1], [0, 6]])])
    >>> solve(graph, Search(), lambda event: None).labels["rows"].tolist()
    [0, 0, 1]
    """
    from comraf.estimators import Comraf

    with warnings.catch_warnings():
        # The command says that itself, with what became of the answer.
        warnings.simplefilter("ignore", InterruptedWarning)
        return (
            Comraf(
                graph,
                effort=search.effort,
                n_restarts=search.restarts,
                schedule=search.schedule,
                moves=search.moves,
                passes=search.passes,
                n_jobs=search.jobs,
                random_state=search.seed,
                verbose=listener,
            )
            .fit()
            .result_
        )


def sides_of(graph: Graph, result: Result) -> list[Side]:
    """The hidden sides of a solved graph.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> nodes = [Node("rows", n_clusters=2), Node("words", observed="singletons")]
    >>> graph = Graph(nodes, [Edge("rows", "words", [[5, 0], [4, 1], [0, 6]])])
    >>> [side.name for side in sides_of(graph, solve(graph, Search(), lambda event: None))]
    ['rows']
    """
    import scipy.sparse as sp

    values = {node.name: node.values for node in graph.nodes}
    sides = []
    for node in graph.nodes:
        if not node.hidden:
            continue
        views = []
        for edge in graph.edges:
            if edge.a == node.name:
                views.append(View(edge.b, values[edge.b], edge.counts))
            elif edge.b == node.name:
                views.append(View(edge.a, values[edge.a], sp.csr_array(edge.counts.T)))
        sides.append(Side(node.name, node.values, result.labels[node.name], tuple(views)))
    return sides


def from_table(
    path: Path,
    search: Search,
    *,
    k: int,
    columns_k: int | None = None,
    weighting: str = "raw",
    file_format: str | None = None,
    row_names: Path | None = None,
    column_names: Path | None = None,
) -> Run:
    """Make ready to cluster the rows and columns of one table, as comraf.MDC does."""
    from comraf.collection.readers import read_table
    from comraf.graph import Edge, Graph, Node

    table = read_table(path, format=file_format, row_names=row_names, column_names=column_names)
    graph = Graph(
        [
            Node("rows", values=table.row_names, n_clusters=k),
            Node("columns", values=table.column_names, n_clusters=columns_k, direction="top-down"),
        ],
        [Edge("rows", "columns", table.matrix, weighting=weighting)],
    ).check()
    parameters = {"k": k, "columns_k": columns_k, "weighting": weighting} | asdict(search)
    return Run(graph, search, str(path), "MDC", parameters)


def from_spec(path: Path, search: Search) -> Run:
    """Make ready to cluster the graph of a model spec."""
    from comraf.collection.readers import read_table
    from comraf.collection.readers.opening import checked_path
    from comraf.graph import load_graph

    def read(file: Path) -> tuple[Any, Sequence[str] | None, Sequence[str] | None]:
        table = read_table(file)
        return table.matrix, table.row_names, table.column_names

    graph = load_graph(checked_path(path), read).check()
    return Run(graph, search, str(path), "Comraf", asdict(search))
