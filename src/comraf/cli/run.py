"""One run of the engine: from a file to clusters of all sides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.cli.known import Facts, Told
from comraf.cli.longrun import LongRun, Watch
from comraf.cli.program import has_written
from comraf.results.telling import Cluster, Side, clusters, sides_of

if TYPE_CHECKING:
    from comraf.graph import Graph
    from comraf.progress import Listener
    from comraf.results import Result

__all__ = ["Done", "Run", "Search", "from_spec", "from_table", "perform", "solve"]


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
    method: str = "mdc"
    runs: int | None = None
    merge_cost: str = "loss"
    balance: bool = False


@dataclass(frozen=True, eq=False)
class Run:
    """What is to be clustered, and how."""

    graph: Graph
    search: Search
    source: str
    method: str
    parameters: Mapping[str, object]

    def weighted(self, weighting: str) -> Run:
        """The same table, read as it is, with counts that enter in another way."""
        from comraf.graph import Edge, Graph

        edges = [Edge(e.a, e.b, e.counts, weighting=weighting) for e in self.graph.edges]
        graph = Graph(self.graph.nodes, edges)
        return replace(self, graph=graph, parameters={**self.parameters, "weighting": weighting})

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
    out_of_time: bool = False  # the time limit ended the search
    known: Mapping[str, Any] | None = None  # what was known, and how far it is kept to


def perform(
    load: Callable[[], Run],
    loading: str,
    *,
    out: Path | None,
    force: bool,
    quiet: bool,
    long: LongRun | None = None,
    told: Told | None = None,
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
    long : LongRun, optional
        Time limit, checkpoint and log.
    told : Told, optional
        What is known of some values.
    """
    from comraf.cli.answer import document, folder_files
    from comraf.cli.bar import Bar
    from comraf.cli.patience import Patience
    from comraf.cli.scratch import claim
    from comraf.results.files import check_folder, write_folder

    long, watch, told = long or LongRun(), Watch(), told or Told()
    long.check()
    if out is not None:
        claim(out, force=force)
    with Bar(quiet=quiet, log=long.log) as bar:
        bar.say(loading)
        run = load()
        if out is not None:
            check_folder(out, force=True, needed=run.bytes_to_write())
        facts = told.about_graph(run.graph)
        bar.say("starting")
        with told.blamed():
            result = solve(run.graph, run.search, bar, long, watch, facts, told)
        bar.say("finishing")
        with Patience() as patience:
            sides = sides_of(run.graph, result)
            found = {side.name: clusters(side) for side in sides}
            known = told.told(facts, result)
            answer = document(
                source=run.source,
                method=run.method,
                parameters=run.parameters,
                result=result,
                sides=sides,
                found=found,
                known=known,
            )
            if out is not None:
                files = folder_files(answer, sides, run.graph.to_svg(), result.names)
                write_folder(out, files, force=force)
                has_written(out)
            if not result.interrupted:
                long.is_over()
    return Done(run, result, sides, found, answer, patience.pressed, watch.out_of_time, known)


def solve(
    graph: Graph,
    search: Search,
    listener: Listener,
    long: LongRun | None = None,
    watch: Watch | None = None,
    facts: Facts | None = None,
    told: Told | None = None,
) -> Result:
    """Cluster every hidden side of a graph.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> nodes = [Node("rows", n_clusters=2), Node("columns", direction="top-down")]
    >>> graph = Graph(nodes, [Edge("rows", "columns", [[5, 0], [4, 1], [0, 6]])])
    >>> solve(graph, Search(), lambda event: None).labels["rows"].tolist()
    [0, 0, 1]
    """
    if search.method != "mdc":
        from comraf.cli.methods import solve_by

        return solve_by(graph, search, listener, long, watch, facts, told)
    from comraf.estimators import Comraf
    from comraf.estimators._graphs import DIRECTIONS, directed

    graph, schedule = directed(graph, search.schedule, graph.nodes[0].name)
    model = Comraf(
        graph,
        effort=search.effort,
        n_runs=search.runs,
        n_restarts=search.restarts,
        schedule=schedule,
        moves=search.moves,
        passes=search.passes,
        merge_cost=search.merge_cost,
        balance=search.balance,
        n_jobs=search.jobs,
        random_state=search.seed,
        verbose=listener,
        **(long or LongRun()).parameters(),
        **(told or Told()).parameters(),
    )
    if search.schedule in DIRECTIONS:  # the items, whichever way they go
        model._polished = (0,)
    with (watch or Watch()).over():
        return model.fit(**(facts or Facts()).given()).result_


def from_table(
    path: Path,
    search: Search,
    *,
    k: int,
    columns_k: int | None = None,
    weighting: str = "root_rows",
    file_format: str | None = None,
    row_names: Path | None = None,
    column_names: Path | None = None,
) -> Run:
    """Make ready to cluster the rows and columns of one table, as comraf.MDC does."""
    from comraf.collection.tables import read_table
    from comraf.estimators._graphs import directed
    from comraf.graph import Edge, Graph, Node

    table = read_table(path, format=file_format, row_names=row_names, column_names=column_names)
    graph = Graph(
        [
            Node("rows", values=table.row_names, n_clusters=k),
            Node("columns", values=table.column_names, n_clusters=columns_k, direction="top-down"),
        ],
        [Edge("rows", "columns", table.matrix, weighting=weighting)],
    )
    graph = directed(graph, search.schedule, "rows")[0].check()
    parameters = {"k": k, "columns_k": columns_k, "weighting": weighting} | asdict(search)
    return Run(graph, search, str(path), "MDC", parameters)


def from_spec(path: Path, search: Search) -> Run:
    """Make ready to cluster the graph of a model spec."""
    from comraf.collection.readers.opening import checked_path
    from comraf.collection.tables import read_table
    from comraf.graph import load_graph

    def read(file: Path) -> tuple[Any, Sequence[str] | None, Sequence[str] | None]:
        table = read_table(file)
        return table.matrix, table.row_names, table.column_names

    graph = load_graph(checked_path(path), read).check()
    return Run(graph, search, str(path), "Comraf", asdict(search))
