"""COP-KMeans: k-means that breaks no link."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from comraf.errors import ComrafWarning, ConflictError, InputError
from comraf.kmeans.base import Data, Labels, MetricKMeans, Run, annealed, best, lloyd
from comraf.kmeans.rows import Floats, parts, sums
from comraf.kmeans.seeding import starting_centers
from comraf.parameters import check_random
from comraf.supervision import Closure, Knowledge, close, colour
from comraf.supervision.naming import Items, listed

__all__ = ["COPKMeans"]

# Random orders of the items that are tried before a colouring is searched for.
_ORDERS = 10
# Rounds in which items are moved one by one, at most, for each round of k-means.
_SWEEPS = 20
# Above this many distances they are computed twice rather than kept.
_KEPT = 20_000_000


@dataclass(eq=False, repr=False, kw_only=True)
class COPKMeans(MetricKMeans):
    """K-means in which every must-link and every cannot-link holds.

    Items that must be together move as one, to the nearest cluster that has nobody they must be
    apart from. Labels are taken for links: one class is together, two classes are apart.

    Parameters
    ----------
    on_failure : {"restart", "error", "drop"}
        What to do with an item when each cluster has somebody that it must be apart from.
        "error": say which item could not be placed. "restart": place the items in other orders,
        then search for any placement, and say so if there is none. "drop": if there is none, give
        up the fewest cannot-links for such an item; ``dropped_`` has them.

    Attributes
    ----------
    dropped_ : numpy.ndarray of int64, shape (m, 2)
        Rows of items, the first of their groups, whose groups were to be apart and are not.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> model = COPKMeans(n_clusters=2, random_state=0)
    >>> labels = model.fit_predict(X, must_link=[(0, 3)], cannot_link=[(0, 1)])
    >>> bool(labels[0] == labels[3] != labels[1])
    True
    >>> model.fit(X, cannot_link=[(0, 1), (1, 2), (0, 2)])
    Traceback (most recent call last):
    ...
    comraf.errors.ConflictError: 2 clusters can't keep apart what must be: 3 groups are each apart \
from all of the others: 0, 1, 2; ask for at least 3 clusters, or leave out cannot-links
    """

    on_failure: str = "restart"
    _choices: ClassVar = {"on_failure": ("restart", "error", "drop")}

    def _solve(self, data: Data, known: Knowledge) -> None:
        closure = _closed(data, known)
        if self.on_failure != "drop":
            known.check_clusters(data.k)
        if closure.n_groups < data.k:
            raise InputError(
                "{given}, but must-links and labels leave only {n_groups:,} groups that "
                "may be apart; ask for at most {n_groups:,} clusters",
                "n_clusters",
                data.k,
                n_groups=closure.n_groups,
            )
        rng = check_random(self.random_state)
        finder = _Finder(closure, data)

        def run() -> _Placed:
            centers = starting_centers(
                data.rows, data.k, data.metric, self.init, rng, unit=closure.group
            )
            placing = _Placing(data, closure, self.on_failure, rng, finder)

            def cop(data: Data, centers: Floats, max_iter: int) -> Run:
                placing.of(data)
                assign, unit = placing.assign, closure.group
                return lloyd(data, centers, assign, max_iter=max_iter, tol=self.tol, unit=unit)

            found = annealed(data, centers, cop, self.max_iter)
            lost = [pair for pair in placing.dropped if placing.together(found.labels, pair)]
            return _Placed(**vars(found), dropped=lost)

        found = best(run() for _ in range(self.n_init))
        dropped = found.dropped
        self._keep(found)
        first = np.unique(closure.group, return_index=True)[1]
        self.dropped_ = first[np.array(dropped, dtype=np.int64).reshape(-1, 2)].astype(np.int64)
        if dropped:
            warnings.warn(
                f"{len(dropped):,} cannot-link{'s' if len(dropped) > 1 else ''} could not be kept "
                f"with {data.k} clusters; dropped_ has them",
                ComrafWarning,
                stacklevel=3,
            )


@dataclass(eq=False)
class _Placed(Run):
    """A run with the links that it breaks; these count more than distances."""

    dropped: list[tuple[int, int]] = field(default_factory=list)

    @property
    def rank(self) -> tuple[float, ...]:
        return len(self.dropped), self.objective


def _closed(data: Data, known: Knowledge) -> Closure:
    for name, links in (("must_link", known.must), ("cannot_link", known.cannot)):
        if len(links.soft):
            raise InputError(
                f"{name} has {len(links.soft):,} links of finite weight, but COPKMeans keeps all "
                "links; leave the weights out, or use HMRFKMeans"
            )
    return close(
        data.n,
        known.must,
        known.cannot,
        known.labels.codes if known.labels.n_known else None,
        ids=data.ids,
        classes=known.labels.classes,
    )


class _Finder:
    """Any placement that breaks nothing, searched for once and only when it is needed."""

    def __init__(self, closure: Closure, data: Data) -> None:
        self._closure, self._data = closure, data
        self._found: NDArray[np.int64] | None = None
        self._error: ConflictError | None = None

    def placement(self) -> NDArray[np.int64]:
        if self._error is not None:
            raise self._error
        if self._found is None:
            closure = self._closure
            try:
                self._found = colour(
                    closure.n_groups,
                    closure.cannot,
                    self._data.k,
                    names=lambda group: closure.name(group, self._data.ids),
                )
            except ConflictError as error:
                self._error = error
                raise
        return self._found


class _Stuck(Exception):
    """Each cluster has somebody that this group must be apart from."""

    def __init__(self, group: int, blockers: list[int]) -> None:
        super().__init__(group)
        self.group, self.blockers = group, blockers


class _Placing:
    """The assignment of groups to centres in one run."""

    def __init__(
        self,
        data: Data,
        closure: Closure,
        on_failure: str,
        rng: np.random.RandomState,
        finder: _Finder,
    ) -> None:
        self._data, self._closure, self._rng = data, closure, rng
        self._on_failure, self._finder = on_failure, finder
        self._near: dict[int, set[int]] = {}
        for a, b in closure.cannot.tolist():
            self._near.setdefault(a, set()).add(b)
            self._near.setdefault(b, set()).add(a)
        self._linked = np.array(sorted(self._near), dtype=np.int64)
        self.dropped: list[tuple[int, int]] = []

    def of(self, data: Data) -> None:
        """Go by the metric of a stage from now on."""
        self._data = data

    def together(self, labels: Labels, pair: tuple[int, int]) -> bool:
        """Whether two groups are in one cluster."""
        ends = [int(np.argmax(self._closure.group == group)) for group in pair]
        return bool(labels[ends[0]] == labels[ends[1]])

    def assign(self, centers: Floats, before: Labels | None) -> tuple[Labels, Floats]:
        """Put each group where it is nearest, links permitting; never worse than ``before``."""
        data, group = self._data, self._closure.group
        cost, kept = self._costs(centers)
        placed = cost.argmin(axis=1)
        if self._linked.size:
            self._prefer(cost)
            old = None
            if before is not None:
                old = placed.copy()
                old[group] = before
            linked = self._place_linked(cost, old)
            placed[self._linked] = linked[self._linked]
        labels = placed[group]
        if kept is None:
            return labels, data.metric.own(data.rows, labels, centers)
        return labels, kept[np.arange(data.n), labels]

    def _costs(self, centers: Floats) -> tuple[Floats, Floats | None]:
        """Summed distances of each group to each centre, and those of rows if they are few."""
        data, group = self._data, self._closure.group
        if data.n * data.k <= _KEPT:
            far = data.metric.distances(data.rows, centers)
            if self._closure.n_groups == data.n:
                return far, far
            return sums(far, group, self._closure.n_groups, None)[0], far
        cost = np.zeros((self._closure.n_groups, data.k))
        for part in parts(data.n, data.k):
            np.add.at(cost, group[part], data.metric.distances(data.rows[part], centers))
        return cost, None

    def _prefer(self, cost: Floats) -> None:
        """Clusters of each linked group, the nearest first."""
        order = np.argsort(cost[self._linked], axis=1, kind="stable").tolist()
        self._preferred = dict(zip(self._linked.tolist(), order, strict=True))

    def _place_linked(self, cost: Floats, old: Labels | None) -> Labels:
        if old is None:
            return self._better(self._first(cost), cost)
        held = self._better(old, cost)
        try:
            fresh = self._better(self._greedy(cost, self._order()), cost)
        except _Stuck:
            return held
        rows = self._linked
        both = [float(cost[rows, where[rows]].sum()) for where in (held, fresh)]
        return fresh if both[1] < both[0] else held

    def _first(self, cost: Floats) -> Labels:
        """A placement to begin with, found in the way that ``on_failure`` allows."""
        try:
            return self._greedy(cost, self._order())
        except _Stuck as stuck:
            if self._on_failure == "error":
                raise self._error(stuck) from None
        for _ in range(_ORDERS):
            try:
                return self._greedy(cost, self._rng.permutation(self._linked))
            except _Stuck:
                continue
        try:
            return self._nearby(self._finder.placement(), cost)
        except ConflictError:
            if self._on_failure != "drop":
                raise
        return self._greedy(cost, self._order(), drop=True)

    def _order(self) -> NDArray[np.int64]:
        """Groups with most links first: they find fewest places later on."""
        order = self._rng.permutation(self._linked)
        degrees = np.array([len(self._near[group]) for group in order.tolist()])
        return order[np.argsort(-degrees, kind="stable")]

    def _greedy(self, cost: Floats, order: NDArray[np.int64], *, drop: bool = False) -> Labels:
        where = np.full(len(cost), -1, dtype=np.int64)
        at: dict[int, int] = {}
        for group in order.tolist():
            taken = {at[other] for other in self._near[group] if other in at}
            for h in self._preferred[group]:
                if h not in taken:
                    at[group] = h
                    break
            else:
                if not drop:
                    raise _Stuck(group, [v for v in self._near[group] if v in at])
                at[group] = self._give_up(group, at, cost[group])
        where[list(at)] = list(at.values())
        return where

    def _give_up(self, group: int, at: dict[int, int], cost: Floats) -> int:
        """Drop the fewest links that let a group into a cluster, the nearest of such ones."""
        inside: dict[int, list[int]] = {h: [] for h in range(len(cost))}
        for other in sorted(self._near[group]):
            if other in at:
                inside[at[other]].append(other)
        h = min(inside, key=lambda h: (len(inside[h]), cost[h]))
        for other in inside[h]:
            self._near[group].discard(other)
            self._near[other].discard(group)
            self.dropped.append((min(group, other), max(group, other)))
        return h

    def _better(self, where: Labels, cost: Floats) -> Labels:
        """Move groups one by one to nearer clusters that they may go to, until none can."""
        at: Callable[[int], int] = where.item
        for _ in range(_SWEEPS):
            moved = False
            for group in self._linked.tolist():
                now = at(group)
                taken = {at(other) for other in self._near[group]}
                for h in self._preferred[group]:
                    if h == now:
                        break
                    if h not in taken:
                        where[group] = h
                        moved = True
                        break
            if not moved:
                break
        return where

    def _nearby(self, colours: Labels, cost: Floats) -> Labels:
        """Name colours after centres so that the sum of distances is least."""
        linked = self._linked
        total, _ = sums(cost[linked], colours[linked], self._data.k, None)
        return np.asarray(linear_sum_assignment(total)[1], dtype=np.int64)[colours]

    def _error(self, stuck: _Stuck) -> ConflictError:
        ids = self._data.ids
        row = int(np.argmax(self._closure.group == stuck.group))
        name = Items(self._data.n, ids).name(row)
        others = [self._closure.name(group, ids) for group in sorted(stuck.blockers)]
        return ConflictError(
            f"{name} could not be placed: each of the {self._data.k} clusters has an item that it "
            f"must be apart from: {listed(others, len(others))}; ask for more clusters, leave out "
            "cannot-links, or use on_failure='restart' or 'drop'"
        )
