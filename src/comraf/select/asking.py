"""Groups by some values of a sample, and what they foretell of others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp

from comraf import estimators
from comraf.select.chance import Clock, Ints, filled, orders, shared_information

__all__ = ["FEWEST", "SAMPLE", "Asking", "Tables"]

#: Sides are asked about in so many items at most, and not in fewer than these.
SAMPLE, FEWEST = 1000, 200
# What chance tells is the mean of so many groups dealt out at random.
_SHUFFLES = 8

Tables = Mapping[str, sp.csr_array]


@dataclass(frozen=True)
class Asking:
    """How groups are made of a part of the values.

    Examples
    --------
    >>> asking = Asking(2, "raw", frozenset(), 0, Clock(None))
    >>> words = sp.csr_array(np.repeat(np.eye(2), [3, 3], axis=0))
    >>> labels = asking.grouped({"words": words}, {"words": 1.0}).labels_
    >>> asking.foretold(labels, words, np.random.default_rng(0)) > 0.3
    True
    """

    k: int
    weighting: str
    observed: Collection[str]
    seed: int
    clock: Clock

    def grouped(
        self, tables: Tables, weights: Mapping[str, float], graph: str = "tree"
    ) -> estimators.Organizer:
        """Groups of the items by some sides, by one quick run."""
        k = min(self.k, int(filled([*tables.values()]).sum()))
        organizer = estimators.Organizer(
            k,
            graph=graph,
            effort="quick",
            sizes="even",
            weighting=self.weighting,
            edge_weights={name: weights[name] for name in tables},
            observe=[name for name in tables if name in self.observed],
            random_state=self.seed,
            time_limit=self.clock.left,
        )
        return organizer.fit(SimpleNamespace(tables=tables))

    def foretold(self, labels: Ints, table: Any, rng: np.random.Generator) -> float:
        """What groups tell of a weighted table beyond chance, in nats a count."""
        sizes = np.asarray(table.sum(axis=1), dtype=np.float64)
        nats = [shared_information(labels[order], table) for order in orders(sizes, _SHUFFLES, rng)]
        return (nats[0] - float(np.mean(nats[1:]))) / float(sizes.sum())
