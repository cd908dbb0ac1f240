"""Whether a collection has anything to find: its tables beside shuffled ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from comraf.estimators.mdc import MDC

__all__ = ["Structure", "structure"]

# Structure is looked for in so many items at most: enough to see it, quick on any size.
_SAMPLE = 1500
# Counts that are dealt out one by one.
_MOST_DEALT = 20_000_000
# Shuffled tables reach 0.95 to 1.04 times the objective of tables shuffled once more, mailboxes
# and texts 1.5 to 3 times that, short titles 1.1 to 1.6 (docs/measured.md).
_CLEAR = 1.05


@dataclass(frozen=True, slots=True)
class Structure:
    """Whether there is anything to find: the objective beside that of shuffled tables."""

    objective: float
    shuffled: float

    @property
    def ratio(self) -> float:
        """How many times the objective of the real tables is that of shuffled ones."""
        if self.shuffled > 0:
            return self.objective / self.shuffled
        return float("inf") if self.objective > 0 else 1.0

    @property
    def found(self) -> bool:
        """Whether the ratio is clearly above 1."""
        return self.objective > 0 and self.ratio > _CLEAR


def structure(
    tables: Mapping[str, sp.csr_array],
    n_clusters: int,
    *,
    weighting: str = "root_rows",
    seed: int = 0,
) -> Structure:
    """Compare the objective with that of tables whose entries were dealt out anew.

    Both are fitted alike, on a sample of at most 1,500 items. Shuffling keeps the lengths
    of the items and the frequencies of the values and destroys all else.

    Examples
    --------
    >>> noise = sp.csr_array(np.random.default_rng(0).poisson(1.0, (80, 60)))
    >>> structure({"words": noise}, 4).found
    False
    """
    rng = np.random.default_rng(seed)
    n = next(iter(tables.values())).shape[0]
    sample = np.sort(rng.permutation(n)[:_SAMPLE])
    real = {name: sp.csr_array(table)[sample] for name, table in tables.items()}
    dealt = {name: _dealt(table, rng) for name, table in real.items()}
    filled = int(np.min([(np.diff(t.indptr) > 0).sum() for t in (*real.values(),)]))
    k = max(1, min(n_clusters, filled))
    values = [
        MDC(k, effort="quick", weighting=weighting, random_state=seed).fit(part).objective_
        for part in (real, dealt)
    ]
    return Structure(*values)


def _dealt(table: sp.csr_array, rng: np.random.Generator) -> sp.csr_array:
    """The same row and column sums, every single count dealt out at random."""
    counts = np.maximum(1, np.rint(table.data))
    # counts of billions say no more than their shares do, and would not fit
    counts = np.ceil(counts * min(1.0, _MOST_DEALT / counts.sum())).astype(np.int64)
    rows = np.repeat(np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)), counts)
    columns = rng.permutation(np.repeat(table.indices, counts))
    return sp.csr_array((np.ones(len(rows), np.int64), (rows, columns)), shape=table.shape)
