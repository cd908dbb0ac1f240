"""MDC: documents with their words, people, subjects, all clustered at once."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy.typing as npt

from comraf.errors import InputError
from comraf.estimators._columns import column_node
from comraf.estimators._graphs import directed
from comraf.estimators._run import Verbose
from comraf.estimators._tables import ROWS, RowPlacer
from comraf.estimators._tying import tied_graph, ties_of
from comraf.graph import Graph, Node
from comraf.inference import Step, options_for, run_mdc

__all__ = ["MDC"]


class MDC(RowPlacer):
    """Multi-way distributional clustering of the rows of one or several tables.

    Rows start as singletons and merge; every table's columns start as one cluster and
    split; local search after each step maximises the sum over tables of the mutual
    information between row clusters and column clusters.

    Parameters
    ----------
    n_clusters : int
        Clusters of rows.
    effort : {"default", "quick", "thorough", "paper"}
        What the search may cost. ``default`` makes 8 runs and lets them agree, ``quick`` a
        single one; many rows are gathered into 1,024 clusters before they merge, and polished
        against single columns in the end. ``thorough`` makes 16 runs that start from 4,096
        clusters. ``paper`` is one run from singletons
        with nothing after it, near to MDC as published but not yet it: the papers make ten
        restarts of each step, merge by ``merge_cost="js"``, take raw counts and let word
        clusters grow; here these are ``n_restarts=1``, ``"loss"``, ``root_rows`` and a limited
        number, unless told. A later version will make it as published.
    n_runs : int or None
        Independent runs that agree; None takes the effort's number.
    n_restarts : int
        Tries at every step of a run from different seeds, the best objective kept.
    weighting : {"root_rows", "raw", "binary", "log", "equal_rows"}
        How counts enter: with every row scaled to the root of its mass, as they are, as
        presence, as log2(1 + count), or with the same mass for every row.
    column_clusters : int, mapping of str to int, or None
        Clusters of columns (for all tables, or by table name); None takes as many as the
        schedule gives.
    edge_weights : {"root_mass", "equal", "mass", "information"} or mapping of str to float
        Weight of each table's mutual information in the objective: by a rule (see
        `comraf.graph.edge_weights`), or by table name, 1 for those not named. A
        single table has weight 1 under every rule. Tables that say what they weigh, as those
        of `comraf.images.photo_tables` do, keep that under rules by mass and where they
        are not named, and weigh 0.4 of it beside tables that don't.
    schedule : str or sequence of Step
        Order of splits and merges. ``thesis``: four column splits first, then in turn;
        ``round_robin``: in turn from the start; ``double``: two splits for each merge;
        ``weighted``: each side's own number of steps, spread evenly. ``reverse`` splits the
        rows and merges the columns, ``bottom_up`` merges both (dear where both are large);
        these two take turns as in ``thesis``.
    moves : {"sequential", "shuffled", "annealed"}
        Local search: each value in random order to its best cluster; random pairs of
        value and cluster, about as many in a pass as there are values; or draws that cool
        down and end in a local optimum.
    passes : float
        Length of each local search, in sweeps over all values; fractions are allowed.
    merge_cost : {"loss", "js"}
        What makes two clusters close: the objective lost by merging them, or the
        Jensen-Shannon divergence (the same loss per unit of mass).
    balance : bool
        Split clusters smaller than the average less often, as in 2005.
    labels_as : {"intrinsic", "constrained", "seeds"}
        What ``labels`` of ``fit`` are taken for: an observed node of the graph, which may be
        overruled; constraints, items of a class together and those of two classes apart; or
        clusters that the search starts from and may leave.
    label_weight : float
        Factor of the weights of an observed node of labels.
    link_weight : float
        Weight of the links that have none of their own, in nats of an average row; infinite:
        they hold.
    n_jobs : int or None
        Threads for runs and restarts; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState, Generator or None
        Seed: with the same one the result is the same.
    time_limit : float or None
        Seconds after which the best state until then is returned, marked as interrupted.
    checkpoint : path-like or None
        Folder in which the run keeps what it has reached, and from which it goes on if it was
        stopped; removed when the work has ended well.
    verbose : int or callable
        1 prints a line for each step; a callable gets `comraf.progress.Event`.

    Attributes
    ----------
    labels_ : array of int, (n_rows,)
        Cluster of each row; 0 has the largest mass. Rows without counts are in 0.
    modality_labels_ : dict
        Labels of ``"rows"`` and of each table's columns by its name (``"columns"`` when
        ``X`` was a single table).
    objective_ : float
        Sum over tables of weight times mutual information, in nats.
    n_iter_ : int
        Steps made.
    result_ : Result
        Everything the run found.
    graph_ : Graph
        The graph that was solved: ``"rows"`` joined to each table's columns.
    sides_ : dict of str to SideCounts
        What new rows are placed by.
    classes_ : tuple
        Names of the classes that the labels had.
    cluster_classes_ : tuple
        The class that more than half of the labelled rows of each cluster have, or None where
        there is none or too few rows are labelled.
    cluster_support_ : tuple of pairs of int
        Labelled rows of the commonest class of each cluster, and all labelled ones in it.
    n_features_in_ : int
        Columns, of all tables together.
    feature_names_in_ : array of str
        Names of the columns, if ``X`` was a DataFrame with strings for names.
    table_columns_ : dict of str to tuple of str or None
        The same for each table, if ``X`` was a mapping.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
    >>> labels = MDC(n_clusters=2, random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _can_tie = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        effort: str = "default",
        n_runs: int | None = None,
        n_restarts: int = 1,
        weighting: str = "root_rows",
        column_clusters: int | Mapping[str, int] | None = None,
        edge_weights: Mapping[str, float] | str = "root_mass",
        schedule: str | Sequence[Step] = "thesis",
        moves: str = "sequential",
        passes: float = 2.0,
        merge_cost: str = "loss",
        balance: bool = False,
        labels_as: str = "intrinsic",
        label_weight: float = 1.0,
        link_weight: float = math.inf,
        n_jobs: int | None = None,
        random_state: Any = None,
        time_limit: float | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        verbose: Verbose = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.effort = effort
        self.n_runs = n_runs
        self.n_restarts = n_restarts
        self.weighting = weighting
        self.column_clusters = column_clusters
        self.edge_weights = edge_weights
        self.schedule = schedule
        self.moves = moves
        self.passes = passes
        self.merge_cost = merge_cost
        self.balance = balance
        self.labels_as = labels_as
        self.label_weight = label_weight
        self.link_weight = link_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: npt.ArrayLike | None = None,
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
        transfer: Any = None,
    ) -> Self:
        """Cluster the rows of ``X`` and, with them, the columns.

        Parameters
        ----------
        X : array-like, sparse, DataFrame, or mapping of str to these
            Non-negative counts, rows x columns; or several such tables with the same rows.
            The columns of a `comraf.NeighbourTable` are the rows again: they are
            observed, each by itself, or get the clusters of the rows where it is tied.
        y : ignored
        sample_weight : array-like, optional
            One factor of 0 or more for each row.
        labels : array-like or mapping, optional
            A class for each row, -1 or None where it is unknown; or classes by row number. A
            mapping by the names of sides (``"rows"``, and those of the tables) has labels of
            several sides.
        must_link, cannot_link : array-like, optional
            Pairs of rows that belong together, and that don't: (a, b) or (a, b, weight). A
            mapping by the names of sides has links of several sides.
        transfer : WordKnowledge, or mapping of str to it, optional
            Groups of columns learned on another collection; of the table with most entries, or
            by the names of tables. Columns are matched by name if the tables are DataFrames.
        """
        tables = self._tables(X)
        graph, schedule = directed(self._graph(tables, sample_weight), self.schedule, ROWS)
        options = options_for(
            self.effort,
            n_runs=self.n_runs,
            n_restarts=self.n_restarts,
            schedule=schedule,
            moves=self.moves,
            passes=self.passes,
            merge_cost=self.merge_cost,
            balance=self.balance,
            polished=(0,),
        )
        known = self._knowledge(graph, labels, must_link, cannot_link, transfer)
        ties = ties_of(tables, ROWS)
        result = self._solved(graph, run_mdc, options, known, ties)
        self._keep(result, tied_graph(graph, result, ties))
        return self

    def _graph(self, tables: Mapping[str, Any], sample_weight: npt.ArrayLike | None) -> Graph:
        wanted = self.column_clusters
        if isinstance(wanted, Mapping):
            unknown = set(wanted) - set(tables)
            if unknown:
                raise InputError(
                    "{p[column_clusters]} names {name!r}, which is not a table; the tables are "
                    "{allowed}",
                    name=sorted(unknown)[0],
                    allowed=sorted(tables),
                )
            by_name = dict(wanted)
        else:
            by_name = dict.fromkeys(tables, wanted) if wanted is not None else {}
        nodes = [Node(ROWS, n_clusters=self.n_clusters)]
        nodes += [column_node(name, table, by_name.get(name)) for name, table in tables.items()]
        return Graph(nodes, self._edges(tables, self.weighting, self.edge_weights, sample_weight))
