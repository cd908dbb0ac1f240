"""Whether a collection has anything to find: groups by half of its values foretell the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from comraf import estimators
from comraf.graph.tables import as_csr, weigh
from comraf.select.chance import (
    Ints,
    filled,
    orders,
    parted,
    shared_information,
    standing,
    whole_fits,
)

__all__ = ["ERROR_RATE", "Structure", "structure"]

# Structure is looked for in so many items at most: enough to see it, quick on any size.
_SAMPLE = 1500
# Fewer items than this foretell each other by chance too often to tell anything.
_FEWEST = 20
# Groups are dealt out anew so often; at best 1 of 1 + _SHUFFLES is as good by chance.
_SHUFFLES = 49
#: Of so large a share of collections without any structure it is said that they have one.
ERROR_RATE = 1 / (1 + _SHUFFLES)


@dataclass(frozen=True, slots=True)
class Structure:
    """Whether there is anything to find.

    Attributes
    ----------
    p_value : float
        How often groups dealt out at random foretell as much; nan where too few items were
        there to ask.
    strength : float
        How far the groups stand out from these, in standard deviations.
    """

    p_value: float
    strength: float

    @property
    def found(self) -> bool | None:
        """Whether groups foretell more than chance; None if there is too little to tell by."""
        return None if np.isnan(self.p_value) else bool(self.p_value <= ERROR_RATE)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        known = not np.isnan(self.p_value)
        value = self.p_value if known else None
        return {"p_value": value, "found": self.found, "strength": self.strength}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Structure:
        """What `to_dict` gave.

        Examples
        --------
        >>> Structure.read(Structure(float("nan"), 0.0).to_dict()).found is None
        True
        """
        value = told["p_value"]
        return cls(float("nan") if value is None else value, told["strength"])


def structure(
    tables: Mapping[str, Any], n_clusters: int, *, weighting: str = "root_rows", seed: int = 0
) -> Structure:
    """Whether groups by half of the values tell more than chance of the other half.

    The values of each side are parted at random. Items are grouped by one half, and what the
    groups tell of the other half stands beside what they tell when items of about the same size
    change their groups at random, and the same the other way round. Where values of a half know
    nothing of the other half, all of these are alike, so that of 50 such collections one is taken
    for one with structure, however short its texts. A sample of at most 1,500 items is looked at.

    Parameters
    ----------
    tables : mapping of str to table
        Items x values, by side.
    n_clusters : int
        How many groups.
    weighting : str
        How counts enter, as in `comraf.MDC`.
    seed : int

    Returns
    -------
    Structure

    Examples
    --------
    >>> from comraf.collection.sample import sample_tables
    >>> mails = sample_tables(n_messages=120).by_name()
    >>> structure(mails, 6).found
    True
    """
    rng = np.random.default_rng(seed)
    whole = {name: as_csr(table, f"the table {name!r}") for name, table in tables.items()}
    n = next(iter(whole.values())).shape[0]
    sample = np.sort(rng.permutation(n)[:_SAMPLE])
    one, other = parted([table[sample] for table in whole.values()], rng)
    both = np.flatnonzero(filled(one) & filled(other))
    if len(both) < _FEWEST or n_clusters < 2:
        return Structure(float("nan"), 0.0)
    halves = [[table[both] for table in half] for half in (one, other)]
    with whole_fits():
        first, second = (_grouped(half, n_clusters, weighting, seed) for half in halves)
    out = np.zeros(1 + _SHUFFLES)
    for left, right in zip(*halves, strict=True):
        if left.nnz and right.nnz:
            sizes = np.asarray(left.sum(axis=1) + right.sum(axis=1), dtype=np.float64)
            left, right = weigh(left, weighting), weigh(right, weighting)
            # One order for both directions: by chance they are right or wrong together.
            found = [
                (
                    shared_information(first[order], right),
                    shared_information(second[np.argsort(order)], left),
                )
                for order in orders(sizes, _SHUFFLES, rng)
            ]
            out += standing(np.array(found))
    spread = float(out[1:].std())  # 0 where all items are alike
    strength = (out[0] - out[1:].mean()) / spread if spread > 0 else 0.0
    return Structure(float((out >= out[0]).mean()), float(strength))


def _grouped(tables: list[sp.csr_array], k: int, weighting: str, seed: int) -> Ints:
    """Groups of the rows, by one quick run."""
    named = {str(number): table for number, table in enumerate(tables) if table.nnz}
    k = min(k, next(iter(named.values())).shape[0])
    model = estimators.MDC(k, effort="quick", sizes="even", weighting=weighting, random_state=seed)
    return np.asarray(model.fit(named).labels_)
