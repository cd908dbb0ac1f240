"""``interactive``: groups by a person's own criterion, grown from a few values of each."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

from comraf.errors import InputError, Note, NoticeWarning, Parameter, WriteError
from comraf.progress import Event, Listener, say, unheard
from comraf.store import nearest_existing, scratch_folder, write_whole
from comraf.workflows.answer import DOCUMENTS, Answer, Held, Holding, given_groups
from comraf.workflows.naming import counted, noun_of
from comraf.workflows.options import Option, names_from, takes
from comraf.workflows.organize import (
    OrganizeOptions,
    SideAmounts,
    group,
    read_documents,
    wanted_sides,
)
from comraf.workflows.reading import Counting, Reading
from comraf.workflows.search import Effort, Jobs, Seed, Watch, Weighting

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import scipy.sparse as sp

    from comraf.collection.collection import Collection
    from comraf.results import Result
    from comraf.session.criterion import Criterion, Value

__all__ = [
    "LOG",
    "NOT_COVERED",
    "VALUES",
    "Grouped",
    "Interactive",
    "InteractiveOptions",
    "Member",
    "Oracle",
    "interactive",
]

#: Where everything that was said is kept within the folder, and the values of all groups.
LOG = "criterion.db"
VALUES = "criterion.csv"
#: The group of documents that have none of the values.
NOT_COVERED = "not covered"
# Shares of the documents between which values are suggested (thesis 5.3.5: 50 to 500 of 1,613).
_MIDDLE = (50 / 1613, 500 / 1613)
_LEAST = 2
# Clusters of values: those of a size that a person can look through, and not too many.
_CLUSTER_SIZE = 10
_MOST_CLUSTERS = 300
_RESTARTS = 3
_MOST_STEPS = 50
_SHOWN = 5

#: Who answers instead of a person: the group of a value, None for no opinion, -1 for "none".
Oracle = Callable[[str, str], int | None]


@dataclass(frozen=True, kw_only=True)
class InteractiveOptions(SideAmounts, Reading, Counting, Seed, Jobs):
    """Options of `interactive`.

    Parameters
    ----------
    n_clusters : int
        How many groups. Default: as many as `values_from` has, or as there were before.
    by : sequence of str
        Sides by which documents are grouped, separated by commas: words,pos,style. Default: words,
        or what the collection has in their place.
    values_from : path-like
        Let a file name the values of each group instead of a person, as --labels of organize has
        classes: a value and its group a line.
    value_clusters : int
        Into how many clusters the values of a side are sorted; those that hold values of a group
        join it. Default: a tenth of the values, up to 300.
    weighting : str
        How counts enter, as damping+scaling: as they are (raw), as log(1 + count) (log), as their
        root (root), or that they are there (presence); then documents as long as they are (none),
        with the root of their length (root), or all alike (equal). root_rows is raw+root.
    effort : {"quick", "default", "thorough", "paper"}
        What the search may cost.
    random_state : int
        The same seed and the same values give the same groups.
    """

    n_clusters: Annotated[int | None, Option("-k", "--clusters", metavar="N", least=2)] = None
    by: Annotated[Sequence[str] | None, Option(metavar="SIDES", read=names_from)] = None
    values_from: Annotated[Path | None, Option(metavar="FILE")] = None
    value_clusters: Annotated[int | None, Option(metavar="N", least=2)] = None
    weighting: Weighting = "root_rows"
    effort: Effort = "default"

    def check(self) -> dict[str, list[str]]:
        """Refuse what can't be meant, before anything is read; the values of the file by group."""
        self.check_jobs()
        given: dict[str, list[str]] = {}
        if self.values_from is not None:
            from comraf.supervision.files import read_label_file

            for value, name in read_label_file(self.values_from):
                if name is not None:
                    given.setdefault(name, []).append(value)
            if len(given) < 2:
                text = "{given} names values of {n}; name some of two groups or more"
                n = counted(len(given), "group")
                raise InputError(text, "values_from", self.values_from, n=n)
        if self.n_clusters is not None and len(given) > self.n_clusters:
            raise InputError(
                "{given} is fewer than the {n} groups of {p[values_from]}",
                "n_clusters",
                self.n_clusters,
                n=len(given),
            )
        return given

    def grouping(self, n_clusters: int | None) -> OrganizeOptions:
        """The same as options of organize."""
        of_both = [
            field.name
            for part in (SideAmounts, Reading, Counting, Seed, Jobs)
            for field in fields(part)
        ]
        same = {name: getattr(self, name) for name in (*of_both, "by", "weighting", "effort")}
        return OrganizeOptions(n_clusters=n_clusters, **same)


@takes(InteractiveOptions)
def interactive(
    path: Any,
    place: str | os.PathLike[str] | None = None,
    *,
    options: InteractiveOptions,
    listener: Listener = unheard,
) -> Interactive:
    r"""Read what is to be grouped by a criterion of one's own, and begin or go on with it.

    Parameters
    ----------
    path : path-like, data frame, Answer or Collection
        What ``comraf organize`` takes; or what is there already.
    place : path-like, optional
        The folder of what was said, and of the groups. Without it all is gone when it is closed.
    listener : callable, optional
        Called with every event of the work.
    options
        All others as for ``comraf interactive``; see `InteractiveOptions`.

    Returns
    -------
    Interactive
        It takes values of groups, finds more of them, and groups the documents. Close it, or use
        it in a ``with`` statement.

    Examples
    --------
    >>> import tempfile
    >>> texts = ["a good ship at sea", "bad tea", "good tea and fine cups", "a bad sad boat"] * 5
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "texts.csv")
    ...     lines = [f"{number},{text}" for number, text in enumerate(texts)]
    ...     _ = file.write_text("\n".join(["key,text", *lines]))
    ...     with interactive(file, n_clusters=2, id="key", text="text") as mine:
    ...         mine.put("good", 0)
    ...         mine.put("bad", 1)
    ...         while not mine.finished:
    ...             _ = mine.step()
    ...         mine.grouped().labels[:4].tolist()
    [0, 1, 0, 1]
    """
    given = options.check()
    folder = None if place is None else Path(place)
    k = options.n_clusters or len(given) or None
    if k is None and not (folder is not None and (folder / LOG).exists()):
        option = Parameter("n_clusters")
        raise InputError("say how many groups there are to be: {option}", option=option)
    if isinstance(path, str):
        path = Path(path)
    with ExitStack() as stack:
        if isinstance(path, Answer):
            collection, path = path.collection, path.path
        elif hasattr(path, "tables"):
            collection, path = path, None
        else:
            beside = None if folder is None else folder.parent
            grouping = options.grouping(options.n_clusters)
            collection = read_documents(path, grouping, stack, listener, beside)
        if folder is None:
            home = stack.enter_context(
                scratch_folder(nearest_existing(Path(tempfile.gettempdir())))
            )
        else:
            home = folder
            try:
                home.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise WriteError(f"{home}: can't be made: {error.strerror or error}") from error
        mine = Interactive(collection, home / LOG, options, n_clusters=k, path=path, place=folder)
        stack.callback(mine.log.close)
        lost = mine.put_all(given) if given and not mine.criterion.group_of else []
        if lost:
            few = ", ".join(repr(value) for value in lost[:_SHOWN])
            more = f" and {len(lost) - _SHOWN:,} more" if len(lost) > _SHOWN else ""
            said = f"{options.values_from}: no {noun_of(collection)} has {few}{more}; left out"
            warnings.warn(said, NoticeWarning, stacklevel=3)
        mine.held.stack.push(stack.pop_all())
    return mine


@dataclass(frozen=True)
class Member:
    """A value of a group, or one that could be.

    Attributes
    ----------
    side, value : str
    documents : int
        In how many documents it stands.
    group : int or None
    said : bool
        Whether a person put it there; otherwise a step found it.
    """

    side: str
    value: str
    documents: int
    group: int | None = None
    said: bool = False


@dataclass(frozen=True, eq=False)
class Grouped:
    """Documents in groups by the values that these have.

    Attributes
    ----------
    labels : array of int
        Group of each document, -1 where it has none of the values.
    result : Result
        Of the covered documents, as the engine found it.
    interrupted : bool
        Whether Ctrl-C ended the search: these are the best groups until then.
    """

    labels: npt.NDArray[np.int32]
    result: Result
    interrupted: bool


class Interactive(Holding):
    """Groups by a criterion: a few values of each group, and what they lead to.

    Attributes
    ----------
    collection : Collection
    options : InteractiveOptions
    n_clusters : int
    sides : list of str
        By which documents are grouped.
    log : CriterionLog
        Everything that was said and found.
    place : Path or None
    """

    def __init__(
        self,
        collection: Collection,
        log: Path,
        options: InteractiveOptions,
        *,
        n_clusters: int | None = None,
        path: Any = None,
        place: Path | None = None,
    ) -> None:
        from comraf.session.criterion import CriterionLog
        from comraf.session.session import digest_of

        self.collection, self.options = collection, options
        self.path, self.place, self.held = path, place, Held()
        # seldom are people or subjects what a criterion is about, and all documents have words
        by = wanted_sides(options.grouping(None), collection)
        self.sides = by if options.by is not None else (["words"] if "words" in by else by)
        options.check_amounts(self.sides)
        self._columns = {
            side: {value: j for j, value in enumerate(collection.sides[side].values)}
            for side in self.sides
            if side in collection.sides  # neighbours are documents, and no criterion
        }
        if n_clusters is not None and n_clusters > len(collection):
            text = "{given} is more than the {read} read; ask for fewer"
            read = counted(len(collection), noun_of(collection))
            raise InputError(text, "n_clusters", n_clusters, read=read)
        named = (text for side, columns in self._columns.items() for text in (side, *columns))
        about = {"sides": self.sides}
        self.log = CriterionLog(log, digest_of([*collection.ids, *named]), n_clusters, about)
        self.n_clusters = self.log.now.n_groups
        self._grouped: tuple[Mapping[Value, int], Grouped] | None = None

    # -- what is known

    @property
    def criterion(self) -> Criterion:
        """The values of all groups now."""
        return self.log.now

    @property
    def covered(self) -> npt.NDArray[np.bool_]:
        """Which documents have any value of any group."""
        return self._covered(self.criterion)

    @property
    def coverage(self) -> float:
        """Their share."""
        return float(self.covered.mean())

    @property
    def uncovered(self) -> npt.NDArray[np.int64]:
        """Numbers of the documents that have none of the values."""
        import numpy as np

        return np.flatnonzero(~self.covered)

    @property
    def finished(self) -> bool:
        """Whether the last step has added no document, and nothing was said since."""
        before = self.log.before
        return before is not None and not (self.covered & ~self._covered(before)).any()

    def _covered(self, criterion: Criterion) -> npt.NDArray[np.bool_]:
        import numpy as np

        found = np.zeros(len(self.collection), dtype=bool)
        for table in self._sets(criterion).values():
            found |= np.diff(table.indptr) > 0
        return found

    def _sets(self, criterion: Criterion) -> dict[str, sp.csr_array]:
        """Documents by groups of values: how often each has values of each, a table a side."""
        import numpy as np
        import scipy.sparse as sp

        out = {}
        for side, columns in self._columns.items():
            placed = [(columns[v], g) for (s, v), g in criterion.group_of.items() if s == side]
            if not placed:
                continue
            rows, groups = np.array(placed).T
            table = self.collection.tables[side]
            shape = (table.shape[1], self.n_clusters)
            member = sp.csr_array((np.ones(len(rows), table.dtype), (rows, groups)), shape=shape)
            out[side] = sp.csr_array(table @ member)
            out[side].eliminate_zeros()
        return out

    def sizes(self) -> list[int] | None:
        """How many documents each group has, if they were grouped by the values of now."""
        import numpy as np

        if self._grouped is None or self._grouped[0] != self.criterion.group_of:
            return None
        labels = self._grouped[1].labels
        found: list[int] = np.bincount(labels[labels >= 0], minlength=self.n_clusters).tolist()
        return found

    def members(self, group: int) -> list[Member]:
        """The values of a group: those a person named, then those that tell most of it."""
        now = self.criterion
        found = [self._member(value, now) for value in now.values(group)]
        return sorted(found, key=lambda one: not one.said)

    def suggested(self, search: str = "", *, side: str | None = None) -> list[Member]:
        """Values that may be a group's: from the middle of the frequency spectrum.

        Words in very many documents are about anything, those in few lead nowhere.

        Parameters
        ----------
        search : str
            A part of the value; then all that have it, however many documents these are in.
        side : str, optional
            One side; by default all.
        """
        n = len(self.collection)
        least, most = max(_LEAST, _MIDDLE[0] * n), max(_LEAST + 1, _MIDDLE[1] * n)
        now, wanted, found = self.criterion, search.casefold(), []
        for name in self._columns if side is None else [self._side(side)]:
            counts = self.collection.sides[name].documents
            for value, j in self._columns[name].items():
                here = wanted in value.casefold() if wanted else least <= counts[j] < most
                if (
                    here
                    and (name, value) not in now.group_of
                    and (wanted or (name, value) not in now.deleted)
                ):
                    found.append(self._member((name, value), now))
        return sorted(found, key=lambda one: (-one.documents, one.side, one.value))

    def _member(self, value: Value, now: Criterion) -> Member:
        side, name = value
        documents = int(self.collection.sides[side].documents[self._columns[side][name]])
        return Member(side, name, documents, now.group_of.get(value), value in now.said)

    def _side(self, side: str) -> str:
        if side not in self._columns:
            text = "{side!r} is none of the sides here, which are {sides:,}"
            raise InputError(text, side=side, sides=list(self._columns))
        return side

    # -- what a person says

    def put(self, values: str | Iterable[str], group: int, *, side: str | None = None) -> None:
        """Put values into a group, wherever they were; no step moves them.

        Parameters
        ----------
        values : str or sequence of str
            By their names, as the collection has them.
        group : int
        side : str, optional
            The side they are of; by default the first that has each.
        """
        self.log.put(self._values(values, side), group)

    def delete(self, values: str | Iterable[str], *, side: str | None = None) -> None:
        """Take values out of their groups; no step brings them back."""
        self.log.delete(self._values(values, side))

    def rename(self, group: int, name: str) -> None:
        """Give a group a name."""
        self.log.rename(group, name)

    def undo(self) -> bool:
        """Take back the last thing that was said, or the last step; False at the beginning."""
        return self.log.undo()

    def redo(self) -> bool:
        """Take back the last undo; False where nothing was undone since."""
        return self.log.redo()

    def put_all(self, given: Mapping[Any, Iterable[str]]) -> list[str]:
        """Put the values of several groups, which are named after the keys.

        Returns
        -------
        list of str
            Values that the collection does not have; they are left out.
        """
        lost: list[str] = []
        if len(given) > self.n_clusters:
            text = (
                "values of {n} groups are given, and there are {k}; {p[n_clusters]} says how many"
            )
            raise InputError(text, n=len(given), k=self.n_clusters)
        for number, (name, values) in enumerate(given.items()):
            values = [values] if isinstance(values, str) else list(values)
            there = [value for value in values if self._found(value)]
            lost += [value for value in values if value not in there]
            if there:
                self.put(there, number)
            self.rename(number, str(name))
        return lost

    def _values(self, values: str | Iterable[str], side: str | None) -> list[Value]:
        if side is not None:
            self._side(side)
        found = []
        for value in [values] if isinstance(values, str) else values:
            where = self._found(value, side)
            if where is None:
                sides = list(self._columns) if side is None else [side]
                near = [x for one in sides for x in get_close_matches(value, self._columns[one], 1)]
                meant = f"; did you mean {near[0]!r}?" if near else ""
                text = "no {noun} has {value!r} among its {sides:,}{meant}"
                noun = noun_of(self.collection)
                raise InputError(text, noun=noun, value=value, sides=sides, meant=meant)
            found.append((where, value))
        return list(dict.fromkeys(found))

    def has(self, value: str, *, side: str | None = None) -> bool:
        """Whether a side, or any, has a value of this name."""
        return self._found(value, side) is not None

    def _found(self, value: str, side: str | None = None) -> str | None:
        """The side that has a value."""
        sides = self._columns if side is None else [side]
        return next((name for name in sides if value in self._columns.get(name, ())), None)

    # -- what follows

    def step(self, listener: Listener = unheard) -> bool:
        """Group the covered documents, then find more values for the groups by these.

        All values of the covered documents are clustered by the groups of the documents. The
        clusters with values that a person named are taken into the groups of these; where several
        groups have equally many in one cluster, it is left to the person.

        Returns
        -------
        bool
            False if Ctrl-C ended it: nothing is found then, and `grouped` has the best groups of
            the documents until then.
        """
        found = self.find(self.criterion, listener)
        if found is not None:
            self.log.found(found)
        return found is not None

    def find(self, now: Criterion, listener: Listener = unheard) -> dict[Value, int] | None:
        """What a step finds, without writing it down; None if Ctrl-C ended it.

        It does not look at the log, so it can run beside a person who goes on speaking.
        """
        if not now.group_of:
            raise InputError("no group has any value yet; name some first")
        if self._grouped is not None and self._grouped[1].interrupted:
            self._grouped = None  # search on
        done = self.grouped(listener, now)
        if done.interrupted:
            return None
        found: dict[Value, int] = {}
        for side in self._sets(now):
            say(listener, f"clustering {side}")
            new = self._enriched(side, now, done.labels)
            if new is None:
                return None
            found |= new
        return found

    def _enriched(
        self, side: str, now: Criterion, labels: npt.NDArray[np.int32]
    ) -> dict[Value, int] | None:
        """Values of the clusters that hold named ones, with their groups; None if interrupted."""
        import numpy as np
        import scipy.sparse as sp

        from comraf.estimators import SequentialIB

        rows = np.flatnonzero(labels >= 0)
        member = sp.csr_array(
            (np.ones(len(rows)), (labels[rows], rows)), shape=(self.n_clusters, len(labels))
        )
        by_group = sp.csr_array((member @ self.collection.tables[side]).T)
        there = np.flatnonzero(np.diff(by_group.indptr) > 0)
        k = min(self._value_clusters(len(there)), len(there))
        model = SequentialIB(k, n_restarts=_RESTARTS, random_state=self.options.random_state)
        with Watch().over():
            found = model.fit(by_group[there])
        if found.result_.interrupted:
            return None
        # those that tell most of the groups come first
        order = np.argsort(-_told_by(by_group[there]), kind="stable")
        cluster_of = dict(zip(there[order].tolist(), found.labels_[order].tolist(), strict=True))
        votes = np.zeros((k, self.n_clusters), dtype=np.int64)
        for one, value in now.said:
            column = self._columns[side][value] if one == side else -1
            if column in cluster_of:
                votes[cluster_of[column], now.group_of[one, value]] += 1
        best, most = votes.argmax(axis=1), votes.max(axis=1)
        clear = (most > 0) & ((votes == most[:, None]).sum(axis=1) == 1)
        names = self.collection.sides[side].values
        return {(side, names[j]): int(best[c]) for j, c in cluster_of.items() if clear[c]}

    def _value_clusters(self, n: int) -> int:
        """Into how many clusters so many values are sorted."""
        usual = max(self.n_clusters, min(_MOST_CLUSTERS, n // _CLUSTER_SIZE))
        return self.options.value_clusters or usual

    def check(self, now: Criterion | None = None) -> None:
        """Refuse values by which nothing can be grouped; none at all are fine."""
        now, k = now or self.criterion, self.n_clusters
        if not now.group_of:
            return
        sides = {side for side, _ in now.group_of}
        if len({*now.group_of.values()}) < 2 and len(sides) == len(self.sides):
            raise InputError("the values of one group tell nothing apart; name some of another")
        n = int(self._covered(now).sum())
        if n < k:
            many, have = counted(n, noun_of(self.collection)), "has" if n == 1 else "have"
            text = "{many} {have} any of these values, and there are {k} groups; name more"
            raise InputError(text, many=many, have=have, k=k)

    def grouped(self, listener: Listener = unheard, now: Criterion | None = None) -> Grouped:
        """The documents in groups by the values as they are now."""
        now = now or self.criterion
        if self._grouped is None or self._grouped[0] != now.group_of:
            self._grouped = now.group_of, self._search(now, listener)
        return self._grouped[1]

    def _search(self, now: Criterion, listener: Listener) -> Grouped:
        import numpy as np

        from comraf.estimators._graphs import measured_sides, observed_sides
        from comraf.estimators.organizer import Organizer

        self.check(now)
        sets, n, k = self._sets(now), len(self.collection), self.n_clusters
        rows = np.flatnonzero(self._covered(now))
        tables = {
            side: (sets[side] if side in sets else self.collection.tables[side])[rows]
            for side in self.sides
        }
        said = noun_of(self.collection)

        def called(event: Event) -> None:
            listener(replace(event, called=f"{said}s") if event.node == DOCUMENTS else event)

        seen = {*sets, *(observed_sides(self.collection) & {*self.sides})}
        weights = {s: w for s, w in measured_sides(self.collection).items() if s in tables}
        with Watch().over():
            organizer = Organizer(
                k,
                by=self.sides,
                observe=sorted(seen),
                weighting=self.options.weighting,
                weight=self.options.weight,
                side_clusters=self.options.side_clusters,
                effort=self.options.effort,
                random_state=self.options.random_state,
                n_jobs=self.options.n_jobs,
                verbose=called,
            ).fit(SimpleNamespace(tables=_Weighed(tables, weights)))
        labels = np.full(n, -1, dtype=np.int32)
        labels[rows] = _matched(organizer.labels_, [sets[side][rows] for side in sets], k)
        return Grouped(labels, organizer.result_, organizer.result_.interrupted)

    def run(
        self,
        oracle: Oracle | Mapping[Any, Iterable[str]] | None = None,
        *,
        max_steps: int = _MOST_STEPS,
        listener: Listener = unheard,
    ) -> bool:
        """Let somebody answer instead of a person, and take steps until no document is added.

        Parameters
        ----------
        oracle : callable or mapping, optional
            A mapping has values of each group, which are put at the beginning and left alone (the
            oracle of thesis 5.3.5). A function is asked about every value that is suggested, and
            after each step about every one that was found: it gets the side and the value, and
            says the group, None to leave it as it is, or -1 to delete it.
        max_steps : int

        Returns
        -------
        bool
            Whether it came to its end.
        """
        if isinstance(oracle, Mapping):
            self.put_all(oracle)
        elif oracle is not None:
            self._revised(oracle, self.suggested())
        for _ in range(max_steps):
            if not self.step(listener):
                return False
            if self.finished:
                return True
            if callable(oracle):
                every = [one for g in range(self.n_clusters) for one in self.members(g)]
                self._revised(oracle, [one for one in every if not one.said])
        return False

    def _revised(self, oracle: Oracle, asked: Sequence[Member]) -> None:
        """What an oracle says of some values."""
        said: dict[int, list[Value]] = {}
        for one in asked:
            group = oracle(one.side, one.value)
            if group is not None and (group >= 0 or one.group is not None):
                said.setdefault(group, []).append((one.side, one.value))
        for group, values in sorted(said.items()):
            if group < 0:
                self.log.delete(values)
            else:
                self.log.put(values, group)

    # -- the answer

    def answer(self, listener: Listener = unheard, now: Criterion | None = None) -> Answer:
        """The groups, with those documents that have none of the values in one of their own.

        Without any values the documents are grouped as ``comraf organize`` does it. ``now`` is
        what to group by, if it is not what the log says when this is called.
        """
        from comraf.estimators._graphs import measured_sides, observed_sides
        from comraf.estimators.organizer import make_graph

        now, options, collection = now or self.criterion, self.options, self.collection
        if not now.group_of:
            grouping = replace(options.grouping(self.n_clusters), by=tuple(self.sides))
            return group(collection, grouping, None, listener, self.path)
        done = self.grouped(listener, now)
        left = int((done.labels < 0).sum())
        k = self.n_clusters + (left > 0)
        labels = done.labels.copy()
        labels[labels < 0] = self.n_clusters
        names = [now.names.get(number, "") for number in range(self.n_clusters)]
        grouping = replace(options.grouping(k), by=tuple(self.sides), observe=None)
        graph = make_graph(
            {side: collection.tables[side] for side in self.sides},
            k,
            weighting=options.weighting,
            weight=options.weight,
            observed=observed_sides(collection),
            measured=measured_sides(collection),
        )
        result = self._told(graph, labels, k, done, now)
        names += [NOT_COVERED] if left else []
        result = replace(result, names={DOCUMENTS: tuple(names)}, interrupted=done.interrupted)
        return Answer(
            collection,
            given_groups(graph, collection, result, options.weighting),
            options=grouping,
            path=self.path,
            hints=(self._left(left),) if left else (),
        )

    def _left(self, n: int) -> Note:
        noun = noun_of(self.collection)
        have, are = ("has", "is") if n == 1 else ("have", "are")
        text = "{count} {have} none of the values and {are} in the group {name!r}"
        return Note(text, "uncovered", count=counted(n, noun), have=have, are=are, name=NOT_COVERED)

    def _told(
        self, graph: Any, labels: npt.NDArray[np.int32], k: int, done: Grouped, now: Criterion
    ) -> Result:
        """The partitions of all sides: named ones by groups of values, and one of the rest."""
        import numpy as np

        from comraf.results import Result
        from comraf.results.solved import Solved

        of: dict[str, npt.NDArray[np.int32]] = {DOCUMENTS: labels}
        sets = {side for side, _ in now.group_of}
        for node in graph.nodes[1:]:
            side, size = node.name, graph.sizes[node.name]
            if not node.hidden:
                of[side] = np.arange(size, dtype=np.int32)
            elif side in sets:
                numbers = np.full(size, self.n_clusters, dtype=np.int32)
                for (one, value), number in now.group_of.items():
                    if one == side:
                        numbers[self._columns[side][value]] = number
                of[side] = np.unique(numbers, return_inverse=True)[1].astype(np.int32)
            else:
                of[side] = np.array(done.result.labels[side])
        many = {side: int(part.max()) + 1 for side, part in of.items()} | {DOCUMENTS: k}
        return Solved(graph, Result(of, many, 0.0, ())).with_partition(DOCUMENTS, labels, k)

    def save(self, answer: Answer | None = None) -> Answer:
        """Write the groups and the values of each into the folder; what was said stays in it."""
        from comraf.results.files import csv_lines

        if self.place is None:
            text = "there is no folder to write to; name {option} at the beginning"
            raise InputError(text, option=Parameter("place"))
        done = self.answer() if answer is None else answer
        done.save(self.place, force=True)
        lines: list[Sequence[object]] = [("name", "group", "side", "number", "documents", "from")]
        now = self.criterion
        for number in range(self.n_clusters):
            for one in self.members(number):
                said = "said" if one.said else "found"
                name = now.name(number)
                lines.append((one.value, name, one.side, number, one.documents, said))
        write_whole(self.place / VALUES, csv_lines(lines))
        return done

    def __repr__(self) -> str:
        noun = f"{noun_of(self.collection)}s"
        many = counted(len(self.criterion.group_of), "value")
        shown = f"{int(self.covered.sum()):,} of {len(self.collection):,} {noun}"
        return f"Interactive({self.n_clusters} groups, {many}, {shown} covered)"


class _Weighed(dict[str, Any]):
    """Tables that say what those weigh that were measured."""

    def __init__(self, tables: Mapping[str, Any], weights: Mapping[str, float]) -> None:
        super().__init__(tables)
        self.weights = dict(weights)


def _told_by(table: sp.csr_array) -> npt.NDArray[np.float64]:
    """How much each row tells of the columns: its part of the information between them, in nats."""
    import numpy as np

    shares = table.toarray() / max(1, table.sum())
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(shares > 0, shares * np.log(shares / expected), 0.0)
    return np.asarray(parts.sum(axis=1))


def _matched(
    labels: npt.NDArray[np.int32], sets: Sequence[sp.csr_array], k: int
) -> npt.NDArray[np.int32]:
    """Clusters of documents by the numbers of the groups whose values they have most of."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    worth = np.zeros((k, k))
    for table in sets:
        shares = np.zeros((k, k))
        np.add.at(shares, labels, table.toarray() / max(1, table.sum()))
        expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            worth += np.where(shares > 0, shares * np.log(shares / expected), 0.0)
    clusters, groups = linear_sum_assignment(worth, maximize=True)
    number = np.empty(k, dtype=np.int32)
    number[clusters] = groups
    return number[labels]
