"""How many groups: the numbers at which groups foretell much for how many they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import xlogy

from comraf import estimators
from comraf.estimators._graphs import default_sides
from comraf.graph.tables import as_csr, membership, weigh
from comraf.select.chance import Clock, Floats, collected, filled, orders, parted, whole_fits

__all__ = ["Numbers", "how_many"]

# Numbers are tried on so many items at most, and not on fewer than these.
_SAMPLE, _FEWEST = 1000, 200
# The finest groups: so many at most, and so many items in each.
_FINEST, _ITEMS = 60, 8
# What a group more must add, in shares of all that groups foretell: this by the number of groups
# (twice as many must add 7%). Coarser numbers foretell so large a share of all. Chosen on half of
# the collections (docs/measured/results.md).
_PRICE, _COARSER = 0.1, (0.6, 0.8)
_SHUFFLES = 4


@dataclass(frozen=True)
class Numbers:
    """How many groups may be asked for.

    Attributes
    ----------
    best : int
        The number at which twice as many groups begin to add little.
    plateaus : tuple of int
        Good numbers, the coarsest first; `best` is one of them.
    curve : tuple of pairs
        Each number of groups, and how much of the most that any number foretells it does.
    """

    best: int
    plateaus: tuple[int, ...]
    curve: tuple[tuple[int, float], ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        curve = [list(point) for point in self.curve]
        return {"best": self.best, "plateaus": list(self.plateaus), "curve": curve}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Numbers:
        """What `to_dict` gave.

        Examples
        --------
        >>> found = Numbers(4, (2, 4), ((2, 0.5), (3, 0.7), (4, 1.0)))
        >>> Numbers.read(found.to_dict()) == found
        True
        """
        curve = tuple((int(k), float(share)) for k, share in told["curve"])
        return cls(told["best"], tuple(told["plateaus"]), curve)

    @property
    def others(self) -> tuple[int, ...]:
        """Good numbers besides the best."""
        return tuple(k for k in self.plateaus if k != self.best)


def how_many(
    collection: Any,
    *,
    by: Sequence[str] | None = None,
    weighting: str = "root_rows",
    seed: int = 0,
    time_limit: float | None = None,
) -> Numbers | None:
    """Good numbers of groups, found without labels.

    The values of the main side, the one with most counts, are parted into two halves. Items are put
    into the finest groups by one half, up to 60, and these are merged down to two, with least loss
    of information. At every number of groups it is asked what they foretell of the other half
    beyond chance; the same the other way round. More groups foretell more, until they are too small
    to be right. What people call a class is often coarser than the best number: the others are good
    places to cut, too.

    Parameters
    ----------
    collection : collection, or mapping of str to table
        Items x values, by side.
    by : sequence of str, optional
        Sides that make the groups; by default those that do by default.
    weighting : str
        How counts enter, as in `comraf.MDC`.
    seed : int
    time_limit : float, optional
        Give up after so many seconds.

    Returns
    -------
    Numbers or None
        None where there are fewer than 200 items, or groups foretell nothing.

    Raises
    ------
    TimeoutError
        If the time limit is reached.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> stories = np.arange(400) % 4
    >>> words = rng.poisson(0.05 + 1.5 * (np.arange(80) // 20 == stories[:, None]))
    >>> 4 in how_many({"words": words}).plateaus
    True
    """
    clock, collection = Clock(time_limit), collected(collection)
    names = default_sides(collection) if by is None else list(by)
    tables = {name: as_csr(collection.tables[name], f"the table {name!r}") for name in names}
    if not tables:
        return None
    table = max(tables.values(), key=lambda one: float(one.sum()))
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(table.shape[0])[:_SAMPLE])
    (one,), (other,) = parted([table[rows]], rng)
    both = np.flatnonzero(filled([one]) & filled([other]))
    if len(both) < _FEWEST:
        return None
    one, other = one[both], other[both]
    with whole_fits():
        curves = [
            _foretold(*each, weighting, seed, rng, clock) for each in ((one, other), (other, one))
        ]
    length = min(map(len, curves))
    return _chosen(np.mean([curve[:length] for curve in curves], axis=0))


def _foretold(
    seen: sp.csr_array,
    unseen: sp.csr_array,
    weighting: str,
    seed: int,
    rng: np.random.Generator,
    clock: Clock,
) -> Floats:
    """What 2, 3, ... groups by one half tell of the other half beyond chance, a count."""
    finest = min(_FINEST, seen.shape[0] // _ITEMS)
    model = estimators.SequentialIB(
        finest, n_restarts=1, weighting=weighting, random_state=seed, time_limit=clock.left
    ).fit(seen)
    n = int(model.labels_.max()) + 1
    counts = sp.csr_array(membership(model.labels_, n).T) @ weigh(seen, weighting)
    tree = estimators.AgglomerativeIB(2, weighting="raw").fit(counts)
    asked = weigh(unseen, weighting)
    sizes: npt.NDArray[np.float64] = np.asarray(asked.sum(axis=1), dtype=np.float64)
    leaves = np.maximum(tree.leaves_, 0)[model.labels_]
    nats = [
        _information_along(tree.children_, sp.csr_array(membership(leaves[order], n).T) @ asked)
        for order in orders(sizes, _SHUFFLES, rng)
    ]
    return np.asarray((nats[0] - np.mean(nats[1:], axis=0)) / float(sizes.sum()))


def _information_along(children: npt.NDArray[np.integer], counts: sp.csr_array) -> Floats:
    """What 2, 3, ... groups tell of a table, from counts of the finest; see `shared_information`.

    Examples
    --------
    >>> counts = sp.csr_array([[4.0, 0], [3, 0], [0, 2]])
    >>> _information_along(np.array([[0, 1], [2, 3]]), counts).round(2).tolist()
    [0.0, 0.0]
    """
    rows = list(counts.toarray())
    own = [_own(row) for row in rows]
    out = [sum(own)]
    for one, other in children[: len(rows) - 2].tolist():
        rows.append(rows[one] + rows[other])
        own.append(_own(rows[-1]))
        out.append(out[-1] + own[-1] - own[one] - own[other])
    return np.array(out[::-1])


def _own(row: Floats) -> float:
    """The part of one group in what groups tell."""
    return float(xlogy(row, row).sum() - xlogy(total := float(row.sum()), total))


def _chosen(foretold: Floats) -> Numbers | None:
    """The numbers at which a curve over 2, 3, ... groups bends.

    Examples
    --------
    >>> found = _chosen(np.array([0.5, 0.8, 1.0, 1.01, 1.0, 0.99]))
    >>> found.best, found.plateaus
    (4, (3, 4))
    """
    if foretold.max(initial=0.0) <= 0:
        return None
    numbers = np.arange(2, 2 + len(foretold))
    smooth = np.convolve(np.pad(foretold, 1, mode="edge"), [0.25, 0.5, 0.25], "valid")
    share, price = foretold / foretold.max(), _PRICE * np.log(numbers)
    bend = int((smooth / foretold.max() - price).argmax())
    near = slice(max(0, bend - 1), bend + 2)  # where the curve was smoothed, it bends later
    best = int(numbers[near][(share - price)[near].argmax()])
    coarser = {int(numbers[np.argmax(share >= level)]) for level in _COARSER}
    curve = zip(numbers.tolist(), share.round(4).tolist(), strict=True)
    return Numbers(best, tuple(sorted({best, *coarser})), tuple(curve))
