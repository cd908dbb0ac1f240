"""Groups as pure data: merged, split, moved and renamed, and what each of these changed.

Nothing is changed in place, and nothing is computed: `comraf.results.edit` adds what the new groups
are worth, `comraf.session` keeps who said what. Ids are never used twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError

__all__ = ["Change", "Difference", "Groups", "checked_name", "difference", "heirs"]

# A group that got a smaller share of another's items is no heir of it.
_HEIR = 0.1
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Change:
    """What one edit did.

    Attributes
    ----------
    added, deleted : tuple of int
        Ids of groups that are new, and of those that are gone.
    changed : tuple of int
        Groups that live on with other items or another name.
    descends : mapping of int to tuple of int
        For each new or changed group that got items: the groups they came from, its own included.
    n_moved : int
        Items that are in another group than before.
    """

    added: tuple[int, ...] = ()
    deleted: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    descends: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    n_moved: int = 0


@dataclass(frozen=True, eq=False)
class Groups:
    """Which group each item is in.

    Attributes
    ----------
    of : array of int
        Id of the group of each item.
    order : tuple of int
        Ids of all groups, each with one item or more: those that live on keep their order, new
        ones come last.
    next_id : int
        The first id that no group ever had.
    names : mapping of int to str
        Names of those that have one.

    Examples
    --------
    >>> groups = Groups.start([0, 0, 1, 2])
    >>> fewer, change = groups.merge([2, 0], name="both")
    >>> fewer.of.tolist(), fewer.order, fewer.names, change.deleted
    ([2, 2, 1, 2], (1, 2), {2: 'both'}, (0,))
    >>> more, change = fewer.split(2, [0, 1, 1])
    >>> more.of.tolist(), change.added
    ([2, 3, 1, 3], (3,))
    """

    of: Ids
    order: tuple[int, ...]
    next_id: int
    names: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def start(
        cls,
        of: npt.ArrayLike,
        names: Mapping[int, str] | None = None,
        next_id: int | None = None,
    ) -> Groups:
        """Groups by the ids of items, in the order of their ids."""
        ids = np.array(of, dtype=np.int64)
        order = tuple(np.unique(ids).tolist())
        first = max(order, default=-1) + 1
        given = {one: name for one, name in (names or {}).items() if one in order and name}
        return cls(ids, order, first if next_id is None else max(first, next_id), given)

    def __len__(self) -> int:
        return len(self.order)

    def __repr__(self) -> str:
        return f"Groups({len(self.of):,} items in {len(self):,} groups)"

    def size(self, group: int) -> int:
        """Number of items in a group."""
        return int(np.count_nonzero(self.of == self.check(group)))

    def sizes(self) -> dict[int, int]:
        """Number of items in each group."""
        ids, counts = np.unique(self.of, return_counts=True)
        found = dict(zip(ids.tolist(), counts.tolist(), strict=True))
        return {group: found[group] for group in self.order}

    def items(self, group: int) -> Ids:
        """Numbers of the items in a group, ascending."""
        return np.flatnonzero(self.of == self.check(group))

    def name(self, group: int) -> str:
        """Name of a group, or its number."""
        return self.names.get(self.check(group)) or str(group)

    def check(self, group: int) -> int:
        """The group, if there is one of this id."""
        if isinstance(group, bool) or not isinstance(group, (int, np.integer)):
            raise InputError(f"group={group!r}; give the id of a group")
        if group not in self.order:
            gone = "is gone" if 0 <= group < self.next_id else "is not there"
            raise InputError(
                f"group {group} {gone}; there are {{order}}", code="no_group", order=self.order
            )
        return int(group)

    def merge(self, groups: Sequence[int], name: str | None = None) -> tuple[Groups, Change]:
        """Make one of several; the first lives on, with its id and its place."""
        given = [self.check(group) for group in groups]
        if len(set(given)) < 2:
            raise InputError(
                "{given}; give the ids of two or more to merge", "clusters", list(groups)
            )
        made = np.where(np.isin(self.of, given), given[0], self.of)
        names = dict(self.names) if name is None else {**self.names, given[0]: checked_name(name)}
        return self._edited(made, 0, names)

    def split(self, group: int, parts: npt.ArrayLike) -> tuple[Groups, Change]:
        """Make several of one: ``parts`` has a number for each of its items, in their order.

        The part numbered lowest keeps the id, the others get new ones.
        """
        items, given = self.items(group), np.asarray(parts)
        if given.shape != items.shape or given.dtype.kind not in "iu":
            raise InputError(
                f"parts has shape {given.shape} and holds {given.dtype}; give a number of parts, "
                f"or a whole number for each of the {len(items)} values of the cluster"
            )
        given = np.unique(given, return_inverse=True)[1]
        n_new = int(given.max(initial=0))
        if n_new < 1:
            raise InputError("all values are in the same part: nothing is split")
        made = self.of.copy()
        made[items] = np.where(given == 0, group, self.next_id + given - 1)
        return self._edited(made, n_new, self.names)

    def move(self, items: Iterable[int], to: int | None = None) -> tuple[Groups, Change]:
        """Put items into another group, or (None) into a new one; a group left empty is gone."""
        given = np.unique(np.asarray(list(items) if isinstance(items, Iterable) else []))
        n = len(self.of)
        if not len(given) or given.dtype.kind not in "iu" or given[0] < 0 or given[-1] >= n:
            raise InputError(
                f"{_first_of(given)} is no list of values; give numbers from 0 to {n - 1}"
            )
        made = self.of.copy()
        made[given] = self.next_id if to is None else self.check(to)
        return self._edited(made, int(to is None), self.names)

    def rename(self, group: int, name: str) -> tuple[Groups, Change]:
        """Give a group a name; "" takes it away."""
        names = {**self.names, self.check(group): checked_name(name)}
        made = replace(self, names={one: given for one, given in names.items() if given})
        return made, Change(changed=(group,))

    def replaced(
        self,
        of: npt.ArrayLike,
        names: Mapping[int, str] | None = None,
        fixed: Iterable[int] = (),
    ) -> tuple[Groups, Change]:
        """Other groups of the same items, such as those of another run.

        A group lives on in the new one that shares most items with it, if these are most of the
        items of both; all others get new ids. Names are those given, by the numbers in ``of``, or
        those of the groups that live on. Items that are ``fixed`` stay in groups that live on.
        """
        given = np.asarray(of, dtype=np.int64)
        if given.shape != self.of.shape:
            raise InputError(
                f"{len(given):,} items are given and there are {len(self.of):,}; give a group for "
                "each"
            )
        known, labels = np.unique(given, return_inverse=True)
        order = np.asarray(self.order, dtype=np.int64)
        place = np.searchsorted(np.sort(order), self.of)
        shared = np.zeros((len(order), len(known)), dtype=np.int64)
        np.add.at(shared, (place, labels), 1)
        most = np.minimum(
            2 * shared > shared.sum(axis=1, keepdims=True),
            2 * shared > shared.sum(axis=0, keepdims=True),
        )
        ids = np.full(len(known), -1, dtype=np.int64)
        rows, columns = np.nonzero(most)  # at most one in each row and column
        ids[columns] = np.sort(order)[rows]
        fresh = ids < 0
        ids[fresh] = self.next_id + np.arange(np.count_nonzero(fresh))
        called = dict(self.names)
        for number, one in zip(known.tolist(), ids.tolist(), strict=True):
            if names and names.get(number):
                called[one] = names[number]
        made = ids[labels]
        stay = np.array(sorted(fixed), dtype=np.int64)
        stay = stay[np.isin(self.of[stay], ids)]
        made[stay] = self.of[stay]
        return self._edited(made, int(np.count_nonzero(fresh)), called)

    def _edited(self, of: Ids, n_new: int, names: Mapping[int, str]) -> tuple[Groups, Change]:
        there = set(np.unique(of).tolist())
        candidates = [*self.order, *range(self.next_id, self.next_id + n_new)]
        order = tuple(group for group in candidates if group in there)
        kept = {group: name for group, name in names.items() if group in there}
        made = Groups(of, order, self.next_id + n_new, kept)
        return made, _change(self, made)


@dataclass(frozen=True)
class Difference:
    """How two groupings of the same items differ.

    Attributes
    ----------
    change : Change
        From the first to the second.
    flows : tuple of (int, int, int)
        From which group to which other one how many items went, the most first.
    became : mapping of int to tuple of int
        What became of groups of the first that are gone or were divided; see `heirs`.
    origins : mapping of int to tuple of int
        Of which groups those of the second are made that are new or got much of another.
    """

    change: Change
    flows: tuple[tuple[int, int, int], ...]
    became: Mapping[int, tuple[int, ...]]
    origins: Mapping[int, tuple[int, ...]]


def difference(one: Groups, other: Groups) -> Difference:
    """Say what is different in the other groups.

    Examples
    --------
    >>> one = Groups.start([0, 0, 1])
    >>> difference(one, one.move([0], to=1)[0]).flows
    ((0, 1, 1),)
    """
    moved = np.flatnonzero(one.of != other.of)
    pairs = np.stack([one.of[moved], other.of[moved]], axis=1)
    flows, counts = np.unique(pairs, axis=0, return_counts=True)
    found = [(a, b, n) for (a, b), n in zip(flows.tolist(), counts.tolist(), strict=True)]
    flowed = tuple(sorted(found, key=lambda flow: -flow[2]))
    return Difference(_change(one, other), flowed, heirs(one, other), heirs(other, one))


def heirs(one: Groups, other: Groups) -> dict[int, tuple[int, ...]]:
    """Where the items of each group are in the other grouping, where not just under the same id.

    Named are groups that have a tenth of its items or more, the most first; the other way round
    the same function says where groups come from.

    Examples
    --------
    >>> one = Groups.start([0, 0, 1, 1])
    >>> heirs(one, one.split(0, [0, 1])[0]), heirs(one, one.merge([0, 1])[0])
    ({0: (0, 2)}, {1: (0,)})
    """
    found = {}
    moved = one.of != other.of
    for group in np.unique(one.of[moved]).tolist():
        ids, counts = np.unique(other.of[one.of == group], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        best = [i for i in order.tolist() if counts[i] >= _HEIR * counts.sum()] or [int(order[0])]
        if (to := tuple(ids[best].tolist())) != (group,):
            found[group] = to
    return found


def _change(old: Groups, new: Groups) -> Change:
    moved = np.flatnonzero(old.of != new.of)
    pairs = np.unique(np.stack([new.of[moved], old.of[moved]], axis=1), axis=0)
    descends: dict[int, list[int]] = {}
    for to, origin in pairs.tolist():
        descends.setdefault(to, [to] if to in old.order else []).append(origin)
    added = tuple(group for group in new.order if group not in set(old.order))
    deleted = tuple(group for group in old.order if group not in set(new.order))
    touched = set(np.unique(pairs).tolist())
    touched |= {g for g in new.order if new.names.get(g, "") != old.names.get(g, "")}
    return Change(
        added,
        deleted,
        tuple(group for group in new.order if group in touched and group not in added),
        {to: tuple(origins) for to, origins in descends.items()},
        len(moved),
    )


def checked_name(name: str) -> str:
    """A name as it may be given.

    Examples
    --------
    >>> checked_name("ships")
    'ships'
    """
    if not isinstance(name, str):
        raise InputError(f"name={name!r}; give a string")
    return name


def _first_of(numbers: npt.NDArray[np.integer]) -> str:
    return str(numbers[:8].tolist()) + ("..." if len(numbers) > 8 else "")
