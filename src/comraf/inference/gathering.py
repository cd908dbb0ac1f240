"""A coarse start: many single values gathered around a few of them, at linear cost.

Merging closest peers compares all pairs. Where there are very many values, some of them are
drawn at random as seeds, every other one goes to the seed it costs least to join, and the
local search that follows mends what the seeds got wrong.
"""

from __future__ import annotations

import numpy as np

from comraf.inference.moves import NO_SCREEN, Tick, look_cells, screened, slices, table_for
from comraf.inference.splitting import halve
from comraf.inference.team import ALONE, Team
from comraf.kernels import compiled
from comraf.kernels.plan import Counts, IntArray, Plan
from comraf.objectives import Labels

__all__ = ["closest", "gather"]


def gather(
    plan: Plan,
    k: int,
    rng: np.random.Generator,
    tick: Tick,
    given: Labels | None = None,
    team: Team = ALONE,
) -> Labels:
    """Every element put to one of ``k`` random elements; each of those keeps its cluster.

    Clusters that are given for some elements, -1 for the others, come first and are filled
    up with random elements.
    """
    kept = np.full(plan.n_elements, -1, dtype=np.int32) if given is None else given.copy()
    n_given = int(kept.max(initial=-1)) + 1
    drawn = rng.permutation(plan.n_elements)
    drawn = np.sort(drawn[kept[drawn] < 0][: max(0, k - n_given)])
    kept[drawn] = n_given + np.arange(len(drawn), dtype=np.int32)
    counts = np.zeros((plan.n_columns, n_given + len(drawn)), dtype=np.int64)
    for i in np.flatnonzero(kept >= 0).tolist():
        row = slice(plan.indptr[i], plan.indptr[i + 1])
        counts[plan.indices[row], kept[i]] += plan.data[row]
    labels = np.where(kept >= 0, kept, closest(plan, counts, tick, team)).astype(np.int32)
    # what is given may leave too few to draw: then its clusters are cut
    return halve(labels, counts.shape[1], rng, k)[0]


def closest(plan: Plan, counts: IntArray, tick: Tick, team: Team = ALONE) -> Labels:
    """The cluster each element fits best, by counts (columns, k) that stand still.

    Among many clusters it is the best of the three that a screen chooses.

    Preferences between pairs or of single elements are not looked at.
    """
    n, k = plan.n_elements, counts.shape[1]
    bare = plan._replace(
        pair_indptr=np.zeros(n + 1, dtype=np.int64),
        pair_indices=np.zeros(0, dtype=np.int32),
        pair_weights=np.zeros(0),
        unary=np.zeros((0, 0)),
    )
    state = screened(
        bare,
        Counts(counts, np.ones(k, dtype=np.int64), np.full(n, -1, dtype=np.int32), *NO_SCREEN),
    )
    phi = table_for(plan)
    labels = np.zeros(n, dtype=np.int32)
    cells = look_cells(bare, state)

    def choose(first: int, last: int) -> None:
        compiled.choose(bare, state, first, last, phi, labels)

    for start, stop in slices(n, cells):
        team.share(choose, start, stop, cells)
        tick((stop - start) / n)
    return labels
