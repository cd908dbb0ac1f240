"""``cluster``: the rows of a table of counts, or all sides of a model spec, into clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from comraf.errors import InputError, Parameter, Setting
from comraf.inference.methods import METHODS
from comraf.progress import Listener, say, unheard
from comraf.workflows.knowledge import Facts, Known, Labels, Links
from comraf.workflows.options import Option, takes
from comraf.workflows.search import (
    DAMPING_SCALING,
    Effort,
    LongRun,
    MergeCost,
    MethodName,
    Schedule,
    Searching,
    SideClusters,
    SideWeights,
    Sizes,
    Spread,
    Watch,
    WeightingName,
)

if TYPE_CHECKING:
    from comraf.graph import Graph
    from comraf.results import Result
    from comraf.results.contributions import Cluster, Side
    from comraf.supervision import Knowledge

__all__ = [
    "ClusterOptions",
    "Clustered",
    "TableFile",
    "Task",
    "check_task",
    "cluster",
    "perform",
    "read_task",
    "solve",
]

#: Endings of model specs.
SPECS = (".yaml", ".yml")


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """How a table of counts is read.

    Parameters
    ----------
    format : {"npz", "npy", "mtx", "csv", "tsv", "parquet"}
        What the file is, where its name does not tell.
    row_names : path-like
        Names of the rows, one a line, for files that hold none (.npz, .npy, .mtx).
    column_names : path-like
        Names of the columns, one a line.
    """

    format: Literal["npz", "npy", "mtx", "csv", "tsv", "parquet"] | None = None
    row_names: Annotated[Path | None, Option(metavar="FILE")] = None
    column_names: Annotated[Path | None, Option(metavar="FILE")] = None

    def for_table(self) -> dict[str, Any]:
        """What the reader of tables is to be told."""
        return {field.name: getattr(self, field.name) for field in fields(TableFile)}


@dataclass(frozen=True, kw_only=True)
class ClusterOptions(TableFile, Searching, Labels, Links, LongRun, Spread):
    """Options of `cluster`.

    Parameters
    ----------
    n_clusters : int
        How many clusters of rows. Needed for a table; a model spec says it itself.
    column_clusters : int
        How many clusters of columns; by default as many as the schedule gives.
    method : {"mdc", "cliquewise", "itcc", "sequential", "agglomerative", "ib"}
        mdc clusters rows and columns along a hierarchy, itcc and cliquewise flat; ib, sequential
        and agglomerative cluster the rows alone. An option that a method does not look at is
        refused.
    weight : mapping of str to float
        Weights in place of those of a model spec, separated by commas: people=0.3 of the edge
        between people and the first side, words+people=0.1 of the one between these.
    side_clusters : mapping of str to int
        Into how many clusters the sides of a model spec are put, separated by commas:
        people=4,words=300.
    weighting : str
        How counts enter, as damping+scaling: as they are (raw), as log(1 + count) (log), as their
        root (root), or that they are there (presence); then rows as they are (none), with the root
        of their mass (root), or all alike (equal). Default: root_rows, which is raw+root.
    effort : {"quick", "default", "thorough", "paper"}
        What the search may cost: quick makes one run, default lets 8 agree, thorough many more;
        paper one run from single values, near to the method as published. Default: default, for ib
        quick.
    schedule : {"thesis", "round_robin", "double", "weighted", "reverse", "bottom_up"}
        In which order the sides are split and merged: thesis, round_robin, double or weighted;
        reverse splits the items and merges all other sides, bottom_up merges all, which is dear
        where they are large. Default: thesis.
    merge_cost : {"loss", "js"}
        What makes two clusters close: the objective lost by merging them (loss), or their
        Jensen-Shannon divergence (js). Default: loss.
    moves : {"sequential", "shuffled", "annealed"}
        How values move from cluster to cluster. Default: sequential.
    passes : float
        Correction sweeps after every split or merge; may be 0.5. Default: 2, for cliquewise 1.
    direction : {"bottom-up", "top-down"}
        For ib: rows are merged, or split, which is cheaper. Default: bottom-up.
    updates : {"batch", "sequential"}
        For itcc: all rows or columns at once, or one by one. Default: batch.
    coarse : int
        For agglomerative: gather the rows into this many groups first; needed where there are more
        than 50,000.
    """

    n_clusters: Annotated[int | None, Option("-k", "--clusters", metavar="N", least=1)] = None
    column_clusters: Annotated[int | None, Option("--columns-k", metavar="N", least=1)] = None
    method: MethodName = "mdc"
    weight: SideWeights = None
    side_clusters: SideClusters = None
    weighting: Annotated[WeightingName | None, DAMPING_SCALING] = None
    # What methods take is not told until it is given: others have another default, or refuse it.
    effort: Effort | None = None
    schedule: Schedule | None = None
    merge_cost: MergeCost | None = None
    sizes: Sizes | None = None
    moves: Literal["sequential", "shuffled", "annealed"] | None = None
    passes: Annotated[float | None, Option(metavar="X", least=0.0)] = None
    direction: Literal["bottom-up", "top-down"] | None = None
    updates: Literal["batch", "sequential"] | None = None
    coarse: Annotated[int | None, Option(metavar="N", least=2)] = None

    def resolved(self) -> ClusterOptions:
        """The options with the defaults of the method, without any that it does not look at.

        Examples
        --------
        >>> ClusterOptions(method="itcc").resolved().n_restarts
        10
        >>> ClusterOptions(method="agglomerative", moves="shuffled").resolved()
        Traceback (most recent call last):
        ...
        comraf.errors.InputError: moves has no meaning for method='agglomerative'; it is for mdc,
        cliquewise, ib
        """
        method = METHODS[self.method]
        for name in _OF_METHODS:
            method.check(name, getattr(self, name))
        usual = _USUAL | method.defaults
        missing = [name for name in _USUAL if getattr(self, name) is None]
        return replace(self, **{name: usual[name] for name in missing})


# Options that not all methods heed.
_OF_METHODS = (
    *("column_clusters", "effort", "n_runs", "n_restarts", "moves", "passes", "merge_cost"),
    *("checkpoint", "resume", "schedule", "balance", "sizes", "updates", "coarse", "direction"),
)
# What a method does not heed has a value all the same, which answers have in ``result.json``.
_USUAL: dict[str, Any] = {
    "weighting": "root_rows",
    "effort": "default",
    "n_restarts": 1,
    "schedule": "thesis",
    "sizes": "auto",
    "merge_cost": "loss",
    "moves": "sequential",
    "passes": 2.0,
    "direction": "bottom-up",
    "updates": "batch",
}


@dataclass(frozen=True, eq=False)
class Task:
    """A graph that is to be clustered, and what it came from."""

    graph: Graph
    options: Searching
    source: str
    method: str
    parameters: Mapping[str, object]

    def __repr__(self) -> str:
        return f"Task({self.method} of {self.graph!r} from {self.source})"

    def weighted(self, weighting: str) -> Task:
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
class Clustered:
    """Clusters of all sides of a graph."""

    task: Task
    result: Result
    out_of_time: bool = False  # the time limit ended the search
    known: Mapping[str, Any] | None = None  # what was known, and how far it is kept to
    only: str | None = None  # the one side that is told of

    def __repr__(self) -> str:
        n = self.result.n_clusters
        sides = ", ".join(f"{name} in {n[name]:,}" for name in n if self.only in (None, name))
        return f"Clustered({Path(self.task.source).name}: {sides} clusters, {self.task.method})"

    @cached_property
    def sides(self) -> list[Side]:
        """The sides with what tells their clusters apart."""
        from comraf.results.contributions import sides_of

        found = sides_of(self.task.graph, self.result)
        return [side for side in found if self.only in (None, side.name)]

    @cached_property
    def clusters(self) -> dict[str, Sequence[Cluster]]:
        """The clusters of each side."""
        from comraf.results.contributions import clusters

        return {side.name: clusters(side) for side in self.sides}

    @cached_property
    def document(self) -> dict[str, Any]:
        """The whole answer as plain data."""
        from comraf.workflows.writing import document

        return document(
            source=self.task.source,
            method=self.task.method,
            parameters=self.task.parameters,
            result=self.result,
            sides=self.sides,
            found=self.clusters,
            known=self.known,
        )

    def save(self, folder: Path, *, force: bool = False) -> None:
        """Write a CSV file for each side, result.json and graph.svg."""
        from comraf.results.files import write_folder
        from comraf.workflows.writing import folder_files

        svg = self.task.graph.to_svg()
        files = folder_files(self.document, self.sides, svg, self.result.names)
        write_folder(folder, files, force=force)


@takes(ClusterOptions)
def cluster(
    table: str | Path,
    n_clusters: int | None = None,
    *,
    options: ClusterOptions,
    listener: Listener = unheard,
) -> Clustered:
    """Cluster the rows of a table, and its columns with them; or all sides of a model spec.

    Parameters
    ----------
    table : path-like
        A table of counts (.npz, .npy, .mtx, .csv, .tsv, .parquet), or a model spec (.yaml).
    n_clusters : int, optional
        How many clusters of rows; a model spec says it itself.
    listener : callable, optional
        Called with every event of the work.
    options
        All others as for ``comraf cluster``; see `ClusterOptions`.
    """
    if n_clusters is not None:
        options = replace(options, n_clusters=n_clusters)
    task = read_task(Path(table), options)
    return perform(task, Known.read(options), listener)


def check_task(path: Path, options: ClusterOptions) -> None:
    """Refuse what can't be meant, before anything is read."""
    options.check_jobs()
    options.check_spread()
    if not _is_spec(path, options):
        if options.n_clusters is None:
            text = "say how many clusters of rows are wanted, for example {example}"
            raise InputError(text, example=Setting("n_clusters", 20))
        if for_specs := [n for n in ("weight", "side_clusters") if getattr(options, n)]:
            text = "{them:and} is for model specs; a table has rows and columns: {k}, {columns}"
            rows, columns = Parameter("n_clusters"), Parameter("column_clusters")
            raise InputError(text, them=[*map(Parameter, for_specs)], k=rows, columns=columns)
    else:
        for_tables = ("n_clusters", "column_clusters", "weighting", "row_names", "column_names")
        them: list[Parameter | Setting] = [
            Parameter(name)
            for name in (*for_tables, "direction")
            if getattr(options, name) is not None
        ]
        if options.schedule in ("reverse", "bottom_up"):
            them.append(Setting("schedule", options.schedule))
        if them:
            text = "{them:and} can't be given with a model spec; {path} has to say it"
            raise InputError(text, them=them, path=path)
    options.resolved()


def _is_spec(path: Path, options: ClusterOptions) -> bool:
    return path.suffix.lower() in SPECS and options.format is None


def read_task(path: Path, options: ClusterOptions) -> Task:
    """Read what is to be clustered."""
    check_task(path, options)
    read = _read_spec if _is_spec(path, options) else _read_table
    return read(path, options.resolved())


def _read_spec(path: Path, options: ClusterOptions) -> Task:
    """The graph of a model spec."""
    from comraf.collection import read_table
    from comraf.collection.readers.limits import checked_path
    from comraf.graph import load_graph

    def read(file: Path) -> tuple[Any, Sequence[str] | None, Sequence[str] | None]:
        table = read_table(file)
        return table.matrix, table.row_names, table.column_names

    graph = load_graph(
        checked_path(path), read, weight=options.weight, side_clusters=options.side_clusters
    )
    graph.check()
    title = "Comraf" if options.method == "mdc" else METHODS[options.method].title
    return Task(graph, options, str(path), title, options.written())


def _read_table(path: Path, options: ClusterOptions) -> Task:
    """One table, as the estimator of the method clusters it."""
    from comraf.collection import read_table
    from comraf.estimators._graphs import directed
    from comraf.graph import Edge, Graph, Node

    table = read_table(path, **options.for_table())
    method, k = METHODS[options.method], options.n_clusters
    rows = Node(
        "rows", values=table.row_names, n_clusters=k, direction=options.direction or "bottom-up"
    )
    columns = Node("columns", values=table.column_names, observed="singletons")
    if method.sides:
        columns = Node(
            "columns",
            values=table.column_names,
            n_clusters=options.column_clusters,
            direction="top-down",
        )
    weighting = options.weighting or "root_rows"
    graph = Graph([rows, columns], [Edge("rows", "columns", table.matrix, weighting=weighting)])
    if options.method == "mdc":
        graph = directed(graph, options.schedule, "rows")[0]
    asked: dict[str, object] = {"k": k}
    if method.sides:
        asked["columns_k"] = options.column_clusters
    asked["weighting"] = weighting
    return Task(graph.check(), options, str(path), method.title, asked | options.written())


def perform(task: Task, known: Known | None = None, listener: Listener = unheard) -> Clustered:
    """Cluster a graph that was read."""
    known, watch = known or Known(), Watch()
    facts = known.about_graph(task.graph)
    say(listener, "starting")
    with known.blamed():
        result = solve(task.graph, task.options, listener, known, facts, watch)
    return Clustered(task, result, watch.out_of_time, known.kept_to(facts, result))


def solve(
    graph: Graph,
    options: Any,
    listener: Listener = unheard,
    known: Known | None = None,
    facts: Facts | None = None,
    watch: Watch | None = None,
) -> Result:
    """Cluster every hidden side of a graph.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> from comraf.workflows.search import Search
    >>> nodes = [Node("rows", n_clusters=2), Node("columns", direction="top-down")]
    >>> graph = Graph(nodes, [Edge("rows", "columns", [[5, 0], [4, 1], [0, 6]])])
    >>> solve(graph, Search()).labels["rows"].tolist()
    [0, 0, 1]
    """
    from comraf.estimators._graphs import DIRECTIONS, directed
    from comraf.estimators._run import run

    known, watch, facts = known or Known(), watch or Watch(), facts or Facts()
    long = options.long_parameters() if isinstance(options, LongRun) else {}
    spread = options.spread_parameters() if isinstance(options, Spread) else {}
    method = METHODS[getattr(options, "method", "mdc")]
    asked = {name: getattr(options, name, None) for name in method.defaults}
    if "schedule" in asked:
        graph, asked["schedule"] = directed(graph, options.schedule, graph.nodes[0].name)
        # the items, whichever way they go
        asked["polished"] = (0,) if options.schedule in DIRECTIONS else None
    made = method.made(asked)
    about = _knowledge(graph, options, facts, known) if facts else None
    with watch.over():
        found: Result = run(
            graph,
            lambda problem, seed, n_jobs, control: method.run(problem, made, seed, n_jobs, control),
            n_jobs=options.n_jobs,
            random_state=options.random_state,
            verbose=listener,
            known=about,
            **long,
            **spread,
        )
    return found


def _knowledge(graph: Graph, options: Any, facts: Facts, known_: Known) -> dict[str, Knowledge]:
    """What is known, if the method can look at it."""
    from comraf.estimators._knowledge import has_pairs, knowledge_about

    how = known_.parameters()
    known = knowledge_about(graph, facts.main, **facts.given(), **how, link_weight=math.inf)
    pairs = any(has_pairs(knowledge) for knowledge in known.values())
    if options.method == "agglomerative" and (pairs or how["labels_as"] == "seeds"):
        raise InputError(
            "{given} merges and never moves: it takes {p[labels]} that are intrinsic and "
            "{p[must_link]} without weights; for all else use mdc or ib",
            "method",
            options.method,
        )
    if options.method == "itcc" and getattr(options, "updates", "batch") == "batch" and pairs:
        raise InputError(
            "{given} moves all rows at once and can't look at pairs of them; {other} can",
            "method",
            options.method,
            other=Setting("updates", "sequential"),
        )
    return known
