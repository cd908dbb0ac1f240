"""Comraf*: the rows alone are clustered, by any number of sides that stand still."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, Self

import numpy.typing as npt

from comraf.errors import InputError
from comraf.estimators._run import Verbose
from comraf.estimators._tables import ROWS, RowPlacer
from comraf.graph import Graph, Node, edge_weights
from comraf.graph.model import Direction
from comraf.inference import options_for, run_mdc

__all__ = ["ComrafStar"]

# Masses below this part of the heaviest one's are of things that are not counted alike.
_ALIKE = 0.1

_DIRECTIONS: dict[str, Direction] = {"bottom-up": "bottom-up", "top-down": "top-down"}


class ComrafStar(RowPlacer):
    """Comraf*: clusters of rows, by any number of sides that are themselves not clustered.

    A star of one hidden node, the rows, in the middle of observed ones: every column of every
    table stands by itself. Right for dense sides (colours, texture, blobs, a few tags), whose
    values are too few to be worth clustering. The sum over tables of weight times mutual
    information between row clusters and columns is climbed along a hierarchy: rows are merged
    or split step by step, with a local search after each step. The cost grows linearly with
    the number of tables.

    With a single table it is the hard information bottleneck, and goes by that name too:
    `comraf.InformationBottleneck`. Where columns are to be clustered as well there is
    `comraf.MDC`; `comraf.StarSeries` makes stars out of any graph.

    Parameters
    ----------
    n_clusters : int
        Clusters of rows.
    direction : {"bottom-up", "top-down"}
        Single rows that merge, or one cluster that splits. Splits cost far less where there
        are many rows.
    effort : {"quick", "default", "thorough", "paper"}
        As in `comraf.MDC`: ``quick`` makes one run, ``default`` lets eight agree.
    n_runs, n_restarts, moves, merge_cost
        As in `comraf.MDC`.
    keep : {"agreement", "best"}
        What several runs come to: what they agree on, or the one with the largest objective
        (before its rows settle, which lowers it a little).
        Agreement is the better where rows are texts and the objective is climbed too far;
        the best run is where columns are neighbours, or rows are few.
    edge_weights : {"auto", "root_mass", "equal", "mass", "information"} or mapping of str to float
        Weight of each table, as in `comraf.MDC`: tables of photos
        (`comraf.images.photo_tables`) say themselves what they weigh. ``auto``: by mass
        where all tables have at least a tenth of the heaviest one's, so that every count
        weighs the same; otherwise by ``information``, which brings all of them to one scale
        (equation 7.2 of the thesis), so that a few words are heard beside thousands of pixels.
    passes : float
        Length of each local search, in looks at every row. Fractions look at a random part
        of the rows: 0.25 to 4 were tried in the thesis, and from 1 on little is gained.
    weighting : {"root_rows", "raw", "binary", "log", "equal_rows"}
        How counts enter.
    labels_as, label_weight, link_weight
        As in `comraf.MDC`.
    n_jobs, random_state, time_limit, checkpoint, verbose
        As in `comraf.MDC`.

    Attributes
    ----------
    labels_, modality_labels_, objective_, n_iter_, result_, graph_, sides_
        As in `comraf.MDC`; columns are singletons.

    Examples
    --------
    >>> words = [[5, 4, 0], [4, 6, 1], [0, 1, 6], [1, 0, 5]]
    >>> colours = [[9, 1], [8, 2], [1, 9], [0, 7]]
    >>> model = ComrafStar(2, direction="top-down", random_state=0)
    >>> labels = model.fit_predict({"words": words, "colours": colours})
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        direction: str = "bottom-up",
        effort: str = "quick",
        n_runs: int | None = None,
        n_restarts: int = 1,
        keep: str = "agreement",
        weighting: str = "root_rows",
        edge_weights: Mapping[str, float] | str = "auto",
        moves: str = "sequential",
        passes: float = 2.0,
        merge_cost: str = "loss",
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
        self.direction = direction
        self.effort = effort
        self.n_runs = n_runs
        self.n_restarts = n_restarts
        self.keep = keep
        self.weighting = weighting
        self.edge_weights = edge_weights
        self.moves = moves
        self.passes = passes
        self.merge_cost = merge_cost
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
        """Cluster the rows of ``X``; see `comraf.MDC.fit` for what ``X`` may be."""
        if self.direction not in _DIRECTIONS:
            raise InputError(parameter="direction", given=self.direction, allowed=_DIRECTIONS)
        options = options_for(
            self.effort,
            n_runs=self.n_runs,
            n_restarts=self.n_restarts,
            keep=self.keep,
            moves=self.moves,
            passes=self.passes,
            merge_cost=self.merge_cost,
            polished=(0,),
        )
        tables = self._tables(X)
        rows = Node(ROWS, n_clusters=self.n_clusters, direction=_DIRECTIONS[self.direction])
        graph = Graph(
            [rows, *(Node(name, observed="singletons") for name in tables)],
            self._edges(tables, self.weighting, self._rule(tables), sample_weight),
        )
        known = self._knowledge(graph, labels, must_link, cannot_link, transfer)
        self._keep(self._solved(graph, run_mdc, options, known), graph)
        return self

    def _rule(self, tables: Mapping[str, Any]) -> Mapping[str, float] | str:
        """The weights that are meant."""
        if not isinstance(self.edge_weights, str) or self.edge_weights != "auto":
            return self.edge_weights
        alike = self._said or min(edge_weights(tables, "mass").values()) >= _ALIKE
        return "mass" if alike else "information"
