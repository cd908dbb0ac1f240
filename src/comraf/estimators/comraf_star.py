"""Comraf*: the rows alone are clustered, by any number of sides that stand still."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from comraf.errors import InputError
from comraf.estimators._parameters import SearchParameters
from comraf.estimators.base import ROWS, RowPlacer
from comraf.graph import Node, edge_weights
from comraf.graph.model import Direction
from comraf.inference import MDCOptions, run_mdc

__all__ = ["ComrafStar"]

# Masses below this part of the heaviest one's are of things that are not counted alike.
_ALIKE = 0.1

_DIRECTIONS: dict[str, Direction] = {"bottom-up": "bottom-up", "top-down": "top-down"}


@dataclass(eq=False, repr=False, kw_only=True)
class ComrafStar(SearchParameters, RowPlacer):
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
    direction : {"bottom-up", "top-down"}
        Single rows that merge, or one cluster that splits. Splits cost far less where there
        are many rows.
    n_runs : int or None
        Independent runs; None takes the effort's number.
    keep : {"agreement", "best"}
        What several runs come to: what they agree on, or the one with the largest objective
        (before its rows settle, which lowers it a little).
        Agreement is the better where rows are texts and the objective is climbed too far;
        the best run is where columns are neighbours, or rows are few.
    edge_weights : {"auto", "root_mass", "equal", "mass", "information"} or mapping of str to float
        Weight of each table, by a rule or by name as in `comraf.MDC`; tables of photos
        (`comraf.images.photo_tables`) say themselves what they weigh. ``auto``: by mass
        where all tables have at least a tenth of the heaviest one's, so that every count
        weighs the same; otherwise by ``information``, which brings all of them to one scale
        (equation 7.2 of the thesis), so that a few words are heard beside thousands of pixels.

    Examples
    --------
    >>> words = [[5, 4, 0], [4, 6, 1], [0, 1, 6], [1, 0, 5]]
    >>> colours = [[9, 1], [8, 2], [1, 9], [0, 7]]
    >>> model = ComrafStar(2, direction="top-down", random_state=0)
    >>> labels = model.fit_predict({"words": words, "colours": colours})
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    direction: str = "bottom-up"
    effort: str = "quick"
    n_runs: int | None = None
    keep: str = "agreement"
    edge_weights: Mapping[str, float] | str = "auto"

    _method = staticmethod(run_mdc)

    def _options(self, **chosen: Any) -> MDCOptions:
        if self.direction not in _DIRECTIONS:
            raise InputError(parameter="direction", given=self.direction, allowed=_DIRECTIONS)
        return super()._options(n_runs=self.n_runs, keep=self.keep, polished=(0,), **chosen)

    def _row_node(self) -> Node:
        return Node(ROWS, n_clusters=self.n_clusters, direction=_DIRECTIONS[self.direction])

    def _edge_rule(self, tables: Mapping[str, Any]) -> Mapping[str, float] | str:
        if not isinstance(self.edge_weights, str) or self.edge_weights != "auto":
            return self.edge_weights
        alike = self._said or min(edge_weights(tables, "mass").values()) >= _ALIKE
        return "mass" if alike else "information"
