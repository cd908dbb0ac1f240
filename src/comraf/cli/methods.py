"""The methods of ``comraf cluster`` beside MDC: what each is asked and how it runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.cli.known import Facts, Told
from comraf.cli.longrun import LongRun, Watch
from comraf.cli.run import Run, Search
from comraf.errors import InputError

if TYPE_CHECKING:
    from comraf.graph import Graph
    from comraf.progress import Listener
    from comraf.results import Result
    from comraf.supervision import Knowledge

__all__ = ["WAYS", "MethodSearch", "Way", "check_options", "load_spec", "load_table", "solve_by"]


@dataclass(frozen=True)
class MethodSearch(Search):
    """How a method other than MDC searches; it looks only at what its `Way` takes."""

    direction: str = "bottom-up"
    updates: str = "batch"
    coarse: int | None = None


def _sequential(search: MethodSearch) -> Callable[..., Any]:
    from comraf.inference import SequentialOptions, run_sequential

    options = SequentialOptions(n_restarts=search.restarts)
    return lambda problem, seed, jobs, control: run_sequential(
        problem, options, seed, jobs, control
    )


def _itcc(search: MethodSearch) -> Callable[..., Any]:
    from comraf.inference import ITCCOptions, run_itcc

    options = ITCCOptions(n_restarts=search.restarts, updates=search.updates)
    return lambda problem, seed, jobs, control: run_itcc(problem, options, seed, jobs, control)


def _cliquewise(search: MethodSearch) -> Callable[..., Any]:
    from comraf.inference import CliquewiseOptions, run_cliquewise

    options = CliquewiseOptions(
        n_restarts=search.restarts, moves=search.moves, passes=search.passes
    )
    return lambda problem, seed, jobs, control: run_cliquewise(
        problem, options, seed, jobs, control
    )


def _agglomerative(search: MethodSearch) -> Callable[..., Any]:
    from comraf.inference import AgglomerativeOptions, run_agglomerative

    options = AgglomerativeOptions(coarse=search.coarse)
    return lambda problem, seed, jobs, control: run_agglomerative(problem, options, seed, control)[
        0
    ]


def _ib(search: MethodSearch) -> Callable[..., Any]:
    from comraf.inference import options_for, run_mdc

    options = options_for(
        search.effort,
        n_runs=search.runs,
        n_restarts=search.restarts,
        moves=search.moves,
        passes=search.passes,
        merge_cost=search.merge_cost,
    )

    def infer(problem: Any, seed: Any, jobs: int, control: Any) -> Any:
        if len(problem.hidden) > 1:
            raise InputError(
                "the method ib clusters a single side and observes all others; observe them in "
                "the model spec (observed: singletons), or leave out --method"
            )
        # whatever its direction, the one side there is is polished, as the estimator does it
        return run_mdc(problem, replace(options, polished=problem.hidden), seed, jobs, control)

    return infer


@dataclass(frozen=True)
class Way:
    """One method: its name in answers, whether columns are clustered, the options it takes.

    ``defaults`` are its own, where they differ from those of MDC.
    """

    title: str
    columns: bool
    takes: frozenset[str]
    infer: Callable[[MethodSearch], Callable[..., Any]]
    defaults: Mapping[str, Any]


#: Methods by name, without MDC, which `comraf.cli.run` knows.
WAYS: dict[str, Way] = {
    "cliquewise": Way(
        "CliquewiseMDC",
        True,
        frozenset({"columns_k", "restarts", "moves", "passes"}),
        _cliquewise,
        {"restarts": 10, "passes": 1.0},
    ),
    "itcc": Way(
        "ITCC", True, frozenset({"columns_k", "restarts", "updates"}), _itcc, {"restarts": 10}
    ),
    "sequential": Way(
        "SequentialIB", False, frozenset({"restarts"}), _sequential, {"restarts": 10}
    ),
    "agglomerative": Way("AgglomerativeIB", False, frozenset({"coarse"}), _agglomerative, {}),
    "ib": Way(
        "InformationBottleneck",
        False,
        frozenset(
            {
                *("effort", "runs", "restarts", "moves", "passes", "merge_cost", "direction"),
                *("checkpoint", "resume"),
            }
        ),
        _ib,
        {"effort": "quick"},
    ),
}
_MDC_TAKES = frozenset(
    {
        *("columns_k", "effort", "runs", "restarts", "schedule", "moves", "passes"),
        *("merge_cost", "balance", "checkpoint", "resume"),
    }
)
# Options that some methods take and others don't, as they are typed.
_TYPED = {
    "columns_k": "--columns-k",
    "effort": "--effort",
    "restarts": "--restarts",
    "runs": "--runs",
    "merge_cost": "--merge-cost",
    "balance": "--balance",
    "schedule": "--schedule",
    "moves": "--moves",
    "passes": "--passes",
    "direction": "--direction",
    "updates": "--updates",
    "coarse": "--coarse",
    "checkpoint": "--checkpoint",
    "resume": "--resume",
}


def check_options(method: str, given: Iterable[str]) -> None:
    """Refuse options that a method would not look at.

    Examples
    --------
    >>> check_options("itcc", ["restarts"])
    >>> check_options("agglomerative", ["moves"])
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: --moves has no meaning for --method agglomerative; it is for mdc,
    cliquewise, ib
    """
    takes = {"mdc": _MDC_TAKES} | {name: way.takes for name, way in WAYS.items()}
    for option in given:
        if option in _TYPED and option not in takes[method]:
            those = ", ".join(name for name in takes if option in takes[name])
            raise InputError(
                f"{_TYPED[option]} has no meaning for --method {method}; it is for {those}"
            )


def load_table(
    path: Path,
    search: MethodSearch,
    *,
    k: int,
    columns_k: int | None = None,
    weighting: str = "root_rows",
    file_format: str | None = None,
    row_names: Path | None = None,
    column_names: Path | None = None,
) -> Run:
    """Make ready to cluster one table as a method's estimator does."""
    from comraf.collection.tables import read_table
    from comraf.graph import Edge, Graph, Node

    way = WAYS[search.method]
    table = read_table(path, format=file_format, row_names=row_names, column_names=column_names)
    top_down = search.direction == "top-down"
    rows = Node(
        "rows",
        values=table.row_names,
        n_clusters=k,
        direction="top-down" if top_down else "bottom-up",
    )
    if way.columns:
        columns = Node(
            "columns", values=table.column_names, n_clusters=columns_k, direction="top-down"
        )
    else:
        columns = Node("columns", values=table.column_names, observed="singletons")
    graph = Graph(
        [rows, columns], [Edge("rows", "columns", table.matrix, weighting=weighting)]
    ).check()
    asked: dict[str, object] = {"k": k, "weighting": weighting}
    if way.columns:
        asked["columns_k"] = columns_k
    return Run(graph, search, str(path), way.title, asked | _asked(search))


def load_spec(path: Path, search: MethodSearch) -> Run:
    """Make ready to cluster the graph of a model spec by a method."""
    from comraf.cli.run import from_spec

    run = from_spec(path, search)
    return Run(run.graph, search, run.source, WAYS[search.method].title, _asked(search))


def _asked(search: MethodSearch) -> dict[str, object]:
    """What a method looked at, for the answer's list of parameters."""
    looked = [name for name in WAYS[search.method].takes if hasattr(search, name)]
    return {name: getattr(search, name) for name in ("method", *sorted(looked), "seed", "jobs")}


def solve_by(
    graph: Graph,
    search: Search,
    listener: Listener,
    long: LongRun | None = None,
    watch: Watch | None = None,
    facts: Facts | None = None,
    told: Told | None = None,
) -> Result:
    """Cluster the hidden sides of a graph by a method other than MDC.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> nodes = [Node("rows", n_clusters=2), Node("columns", observed="singletons")]
    >>> graph = Graph(nodes, [Edge("rows", "columns", [[5, 0], [4, 1], [0, 6]])])
    >>> search = MethodSearch(method="agglomerative")
    >>> solve_by(graph, search, lambda event: None).labels["rows"].tolist()
    [0, 0, 1]
    """
    from comraf.estimators._run import run

    if not isinstance(search, MethodSearch):
        search = MethodSearch(**vars(search))
    infer = WAYS[search.method].infer(search)
    known = _known(graph, search, facts, told) if facts else None
    with (watch or Watch()).over():
        return run(
            graph,
            infer,
            n_jobs=search.jobs,
            random_state=search.seed,
            verbose=listener,
            known=known,
            **(long or LongRun()).parameters(),
        )


def _known(
    graph: Graph, search: MethodSearch, facts: Facts, told: Told | None
) -> dict[str, Knowledge]:
    """What is known, if the method can look at it."""
    from comraf.estimators._knowing import has_pairs, knowledge_about

    how = (told or Told()).parameters()
    known = knowledge_about(graph, facts.main, **facts.given(), **how, link_weight=math.inf)
    pairs = any(has_pairs(knowledge) for knowledge in known.values())
    if search.method == "agglomerative" and (pairs or how["labels_as"] == "seeds"):
        raise InputError(
            "--method agglomerative merges and never moves: it takes --labels that are intrinsic "
            "and --must-link without weights; for all else use mdc or ib"
        )
    if search.method == "itcc" and search.updates == "batch" and pairs:
        raise InputError(
            "--method itcc moves all rows at once and can't look at pairs of them; --updates "
            "sequential can"
        )
    return known
