"""An answer that is being edited: its groups, and the session of everything said of them."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from comraf.errors import InputError
from comraf.progress import Listener, unheard
from comraf.workflows.answer import (
    CLUSTERING,
    DOCUMENTS,
    Answer,
    of_result,
    open_answer,
    result_in,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from comraf.graph import Graph
    from comraf.results import Result
    from comraf.results.contributions import Side
    from comraf.results.groups import Groups
    from comraf.results.hierarchy import Hierarchy
    from comraf.results.scorer import Placed
    from comraf.results.solved import Solved
    from comraf.session import Session
    from comraf.session.session import SessionState, Step
    from comraf.supervision import Links
    from comraf.workflows.regroup import Regrouping, Settings

__all__ = ["SESSION", "Project", "open_project"]

#: The file of the session, in the folder of the answer.
SESSION = "session.db"
#: The folder of later searches within it, each with its groups in a folder of its own.
RUNS = "runs"
# Groups of so many searches are kept in memory.
_MOST_RUNS = 4
# The folder, beside those of searches, of the one that was not ended.
_UNFINISHED = "unfinished"


class Project:
    """An answer in its folder, with the session of its groups.

    Attributes
    ----------
    answer : Answer
        What ``comraf organize`` wrote; it never changes.
    session : Session
        Everything that was said since; its verbs change the groups.
    folder : Path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from comraf import organize
    >>> from comraf.collection.sample import write_mbox
    >>> folder = tempfile.TemporaryDirectory()
    >>> box = write_mbox(Path(folder.name, "box.mbox"), 60)
    >>> organize(box, 4, effort="quick", random_state=0).save(Path(folder.name, "groups"))
    >>> with open_project(Path(folder.name, "groups")) as project:
    ...     step = project.session.merge(0, 1, name="both")
    ...     project.edited().names[0], project.session.undo()
    ('both', True)
    >>> folder.cleanup()
    """

    def __init__(self, answer: Answer, *, who: str = "") -> None:
        from comraf.session import Session

        if answer.folder is None:
            raise InputError(
                "the answer lies in no folder; save it, and open the folder it was saved to"
            )
        from comraf.workflows.chooser import Chooser

        self.answer, self.folder = answer, answer.folder
        self._result_of = lru_cache(_MOST_RUNS)(self._read)
        self._runs: OrderedDict[str, tuple[Graph, Result]] = OrderedDict()
        self._chooser = Chooser(answer)
        self._solved: Solved | None = None
        self._placed: tuple[Groups, str, Placed] | None = None
        self._values: dict[tuple[str, str], tuple[Groups, Placed]] = {}
        result = answer.result
        self.session: Session = Session.begin(
            self.folder / SESSION,
            result.cluster_ids(DOCUMENTS),
            ids=answer.items,
            names=dict(zip(result.ids[DOCUMENTS].tolist(), answer.names, strict=True)),
            place=".",
            runs=self._groups_of,
            who=who,
            sides=self._values_in,
        )

    def _groups_of(self, place: str) -> npt.NDArray[np.int64]:
        """Groups of a run that lies in the folder, or in one within it."""
        return self._result_of(place).cluster_ids(DOCUMENTS)

    def _read(self, place: str) -> Result:
        """The clusters of all sides that a run found."""
        if place == ".":
            return self.answer.result
        folder = self.folder / place
        if not folder.resolve().is_relative_to(self.folder.resolve()):
            raise InputError(f"{place}: is outside of {self.folder}")
        return result_in(folder)

    def run_of(self, said: SessionState) -> tuple[Graph, Result]:
        """The graph and the clusters of the run that a version's groups come from.

        Groups of other sides are as they were edited since.
        """
        if said.clusters not in self._runs:
            self._runs[said.clusters] = self._run_of(said)
            while len(self._runs) > _MOST_RUNS:
                self._runs.popitem(last=False)
        graph, result = self._runs[said.clusters]
        if not said.sides:
            return graph, result
        names = {
            side: tuple(groups.names.get(group, "") for group in groups.order)
            for side, groups in said.sides.items()
            if side in result.labels
        }
        return graph, replace(result, names={**result.names, **names})

    def _run_of(self, said: SessionState) -> tuple[Graph, Result]:
        from comraf.results.edit import grouped
        from comraf.workflows.regroup import Settings

        if said.sides:
            graph, result = self.run_of(replace(said, sides={}))
            hidden = {node.name for node in graph.nodes if node.hidden}
            for side, groups in said.sides.items():
                if side in hidden and len(groups.of) == len(result.labels[side]):
                    result = grouped(graph, result, side, groups)
            return graph, result
        place = self.session.log.run(said.run)[0]
        if place == ".":
            return self.answer.graph, self.answer.result
        result = self._result_of(place)
        settings = Settings.now(self.answer, said)
        settings = replace(settings, n_clusters=result.n_clusters[DOCUMENTS])
        return settings.graph(self.answer, result), result

    def _values_in(self, said: SessionState, side: str) -> npt.NDArray[np.int32]:
        """The groups of a side's values in the run of a version."""
        if side not in self.grouped_sides(said):
            raise InputError(parameter="side", given=side, allowed=self.grouped_sides(said))
        return self.run_of(said)[1].labels[side]

    def grouped_sides(self, said: SessionState) -> list[str]:
        """Sides whose values are in groups, fewer than there are values."""
        graph, result = self.run_of(said)
        return [
            node.name
            for node in graph.nodes
            if node.hidden
            and node.name in self.answer.collection.sides
            and (
                node.name in said.sides
                or 1 < result.n_clusters[node.name] < len(result.labels[node.name])
            )
        ]

    def side_groups(self, side: str, version: int | str | None = None) -> Groups:
        """The groups of a side's values in a version (by default now), as they were edited."""
        from comraf.results.groups import Groups

        said = self.session.at(self.session.version if version is None else version)
        of = self._values_in(said, side)
        return said.sides.get(side) or Groups.start(of)

    def sides(self, said: SessionState) -> list[Side]:
        """The sides that a version's groups were made by, with their own groups and names."""
        from comraf.results.contributions import sides_of
        from comraf.workflows.answer import with_names

        graph, result = self.run_of(said)
        if result is self.answer.result:
            return self.answer.sides
        return with_names(sides_of(graph, result), self.answer.collection)

    def split(
        self,
        group: int,
        parts: int = 2,
        *,
        side: str | None = None,
        version: int | None = None,
        at: int | None = None,
    ) -> Step:
        """Make several groups of one, by the sides that made the groups.

        Parameters
        ----------
        group, parts : int
        side : str, optional
            A group of another side is meant, such as of people.
        version : int, optional
            The groups of which version are meant; by default those of now.
        at : int, optional
            As for the verbs of `comraf.session.Session`.
        """
        from comraf.results.hierarchy import Hierarchy
        from comraf.results.solved import Solved

        if isinstance(parts, bool) or not isinstance(parts, int) or parts < 2:
            raise InputError(f"parts={parts!r}; give 2 or more")
        wanted = self.session.version if version is None else version
        said = self.session.at(wanted)
        groups = said.groups if side is None else self.side_groups(side, wanted)
        size = groups.size(group)
        if parts > size:
            raise InputError(f"parts={parts}; group {group} has {size:,} items only")
        place, solved = groups.order.index(group), self._solved_of(said)
        if side is None:
            solved = Solved(solved.graph, self.result(version), solved.terms)
        tree = Hierarchy(solved, side or DOCUMENTS, self.answer.options.random_state)
        made = tree.divide(place, parts)[groups.items(group)]
        return self.session.split(group, made, side=side, at=at)

    def result(self, version: int | str | None = None) -> Result:
        """The groups of a version (by default of now) with what they are worth."""
        from comraf.results.edit import grouped

        said = self.session.at(self.session.version if version is None else version)
        return grouped(*self.run_of(said), DOCUMENTS, said.groups, self._solved_of(said))

    def _solved_of(self, said: SessionState) -> Solved:
        """The run that a version's groups come from, with the terms of its graph."""
        from comraf.results.solved import Solved

        graph, result = self.run_of(said)
        known = self._solved
        terms = known.terms if known is not None and known.graph is graph else ()
        self._solved = Solved(graph, result, terms)
        return self._solved

    def edited(self, version: int | str | None = None) -> Answer:
        """The answer with the groups of a version, by default of now."""
        result = self.result(version)
        said = self.session.at(self.session.version if version is None else version)
        return of_result(
            self.answer.collection,
            self.run_of(said)[0],
            replace(result, ids={}, next_ids={}),
            like=self.folder,
        )

    def save(
        self, out: str | os.PathLike[str], version: int | str | None = None, **options: Any
    ) -> None:
        """Write a version as ``comraf organize`` does: groups, report, model and collection."""
        self.edited(version).save(out, **options)

    # -- what is brought in, and taken away

    def log_lines(self) -> Iterator[str]:
        """The log as lines of JSON; `import_file` says them again in another session."""
        from comraf.session.replay import log_lines

        return log_lines(self.session, self.answer.items, self.answer.values)

    def import_file(self, path: str | os.PathLike[str], *, at: int | None = None) -> Step:
        r"""Take groups, labels or a whole log from a file.

        A table, CSV or JSON lines, has a column of ids (``item``) and one of labels (``label``),
        of groups (``group`` or ``cluster``, and perhaps ``name``), or both. It becomes one entry of
        the log; items that are not in it stay as they are. A log, as the studio exports it, is said
        again, entry by entry: afterwards the groups are those of the log, and undo goes back.

        Parameters
        ----------
        path : path-like
        at : int, optional
            As for the verbs of `comraf.session.Session`.

        Raises
        ------
        ReadError
            It is no such file, is damaged, or was written by a newer comraf.
        InputError
            It is about items that the collection lacks, or about another collection.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import comraf
        >>> from comraf.collection.sample import write_mbox
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     box = write_mbox(pathlib.Path(folder, "mail.mbox"), 40)
        ...     comraf.organize(box, 3, effort="quick").save(pathlib.Path(folder, "groups"))
        ...     table = pathlib.Path(folder, "labels.csv")
        ...     with comraf.open_project(pathlib.Path(folder, "groups")) as project:
        ...         _ = table.write_text(f"item,label\n{project.answer.items[3]},tea\n")
        ...         step = project.import_file(table)
        ...         dict(project.session.said.labels)
        {3: 'tea'}
        """
        from comraf.supervision.files import text_of

        return self.imported(text_of(path), os.path.basename(os.fspath(path)), at=at)

    def imported(self, text: str, called: str, *, at: int | None = None) -> Step:
        """Take what `import_file` takes; ``called`` is the name of the file."""
        from comraf.session.replay import is_log, replay
        from comraf.workflows.imports import read_table

        head = self.session.looked_at(at)
        ids = self.answer.items
        if is_log(text.partition("\n")[0]):
            lines = text.split("\n")
            return replay(self.session, lines, ids, self.answer.values, called=called, at=head)
        table = read_table(text, called, ids)
        given: dict[str, Any] = {"labels": table.labels, "pinned": table.pinned}
        if table.groups:
            given["of"], given["names"] = table.numbered(self.session.at(head).groups)
        return self.session.adopt(**given, doubted=table.doubted, source=called, at=head)

    # -- questions, and groups found anew by what was said

    def question(
        self,
        by: Literal["unsure", "explore", "npu"] = "unsure",
        *,
        most: int | None = None,
        side: str = DOCUMENTS,
    ) -> tuple[int, int] | None:
        """Two items to ask about; nothing twice, and nothing that follows from earlier answers.

        Parameters
        ----------
        by : {"unsure", "explore", "npu"}
            Who chooses. unsure: items with the smallest confidence, against the one that stands
            for their group, then for the runner-up; explore and npu: as the learners of ``ask``.
        most : int, optional
            None comes out once so many were answered since the groups were found.
        side : str
            Another side that has groups asks about two of its values, such as two people; only
            what its groups are least sure of.

        Raises
        ------
        ConflictError
            Answers that are there contradict each other; the message has the chain.
        """
        from comraf.active import Answers
        from comraf.workflows.chooser import WAYS, least_sure

        if by not in WAYS:
            raise InputError(parameter="by", given=by, allowed=WAYS)
        self.links(side)
        if most is not None and self.n_answered >= most:
            return None
        said = self.session.said
        if by != "unsure" and side == DOCUMENTS:
            return self._chooser.learned(by, said)
        answers = Answers(self._number(side))
        known = {"same": True, "different": False}
        for pair, how in _answers_of(said, side).items():
            answers.tell(*pair, known.get(how))
        if side != DOCUMENTS:
            return next(least_sure(*self._placed_values(said, side), answers), None)
        placed = self._place(said)
        return next(least_sure(said.groups, placed, answers, said.pinned, said.doubted), None)

    def to_label(self) -> list[int]:
        """Items without a label, those first whose labels are worth most.

        One of each group in turn, drawn at random, the largest group first: of the orders that
        were measured this one gains most (see "A minute of a person's" in the documentation).
        """
        import numpy as np

        from comraf.workflows.chooser import in_turn

        said = self.session.said
        chance = np.random.default_rng(self.answer.options.random_state)
        order = in_turn(said.groups, chance.random(len(said.groups.of))).tolist()
        return [item for item in order if item not in said.labels]

    @property
    def asked_sides(self) -> tuple[str, ...]:
        """Sides of whose values it can be asked whether they belong together."""
        graph, result = self.run_of(self.session.said)
        there = [n.name for n in graph.nodes if n.hidden and n.name in self.answer.collection.sides]
        return (DOCUMENTS, *(name for name in there if result.n_clusters[name] > 1))

    def _number(self, side: str) -> int:
        """How many items or values there are to ask about."""
        if side not in self.asked_sides:
            raise InputError(parameter="side", given=side, allowed=self.asked_sides)
        if side == DOCUMENTS:
            return len(self.answer.items)
        return len(self.answer.collection.sides[side])

    def _placed_values(self, said: SessionState, side: str) -> tuple[Groups, Placed]:
        """Groups of the values of a side, with runner-up and confidence."""
        import numpy as np

        from comraf.results.explain import Explainer
        from comraf.results.groups import Groups

        graph, result = self.run_of(said)
        key = (said.clusters, side)
        if key not in self._values:
            placed = Explainer(graph, result).scored(side).place()
            labels = np.unique(result.labels[side], return_inverse=True)[1]
            self._values = {key: (Groups.start(labels), placed)}
        return self._values[key]

    @property
    def n_answered(self) -> int:
        """Questions that were answered since the groups were found, less those taken back."""
        n = 0
        for entry in self.session.history():
            if entry.kind == "run":
                break
            if entry.kind in ("answer", "side answer"):
                n += 1 if entry.said["relation"] else -1
        return max(0, n)

    def reply(
        self,
        one: int,
        other: int,
        relation: str | bool | None,
        *,
        side: str = DOCUMENTS,
        at: int | None = None,
    ) -> Step:
        """Say whether two items belong together, unless that contradicts earlier answers.

        Parameters
        ----------
        one, other : int
        relation : bool, str or None
            True or "same", False or "different", None or "unknown"; "" takes the answer back.
        side : str
            Another side: two of its values are meant.
        at : int, optional
            As for the verbs of `comraf.session.Session`.

        Raises
        ------
        ConflictError
            It contradicts earlier answers: the message names the chain of those that clash, and
            nothing is written.
        """
        if relation is None or isinstance(relation, bool):
            relation = {True: "same", False: "different", None: "unknown"}[relation]
        if max(one, other) >= self._number(side):
            raise InputError(f"there are {self._number(side):,} {side}, numbered from 0")
        if relation in ("same", "different"):
            self._close((one, other, relation), side=side)
        other_side = None if side == DOCUMENTS else side
        return self.session.answer(one, other, relation, side=other_side, at=at)

    def links(self, side: str = DOCUMENTS) -> dict[str, npt.NDArray[np.int64]]:
        """Pairs that must be together, and that must not, as far as they were answered.

        Raises
        ------
        ConflictError
            They contradict each other; the message has the chain.
        """
        from comraf.workflows.chooser import links_of

        self._close(side=side)
        return links_of(_answers_of(self.session.said, side))

    def clash(
        self, *more: tuple[int, int, str], side: str = DOCUMENTS
    ) -> list[tuple[int, int, str]]:
        """A chain of answers that contradict each other; empty where none do.

        Parameters
        ----------
        *more : (int, int, str)
            Answers that are thought of beside those that are there.
        """
        from comraf.supervision import clash

        chain = clash(self._number(side), *self._links(more, side))
        return [(a, b, "same" if same else "different") for a, b, same in chain]

    def regrouping(
        self,
        n_clusters: int | None = None,
        **settings: Any,
    ) -> Regrouping:
        """A search for groups by what holds now, ready to begin; see `regroup`."""
        from comraf.workflows.regroup import Regrouping, Settings

        self.links()
        said, version = self.session.said, self.session.version
        now = Settings.now(self.answer, said)
        found = Regrouping(self.answer, said, version, replace(now, **settings))
        if n_clusters is None:
            n_clusters = max(now.n_clusters, len(set(found.labels().values())))
        asked = replace(found.settings, n_clusters=n_clusters, by=tuple(found.settings.by))
        return replace(found, settings=asked.check(self.answer))

    def regroup(
        self,
        n_clusters: int | None = None,
        *,
        listener: Listener = unheard,
        at: int | None = None,
        **settings: Any,
    ) -> Step:
        """Search for groups again, by what was said, and take what is found.

        Answers hold, labels speak for their classes, pinned items stay in groups that live on,
        and so do names. The new groups are one more version, so undo goes back to the old ones.
        Sides, weights and effort are those that the present groups were made with, unless others
        are given.

        Parameters
        ----------
        n_clusters : int, optional
            How many groups; by default as many as there are, or as classes among the labels.
        listener : callable, optional
            Called with every event of the search. If it raises, nothing is changed; if it raises
            `comraf.progress.Stop`, the best groups until then are taken.
        at : int, optional
            As for the verbs of `comraf.session.Session`.
        **settings
            ``by`` (sides), ``weights`` (of sides, 1 is what they weigh by themselves),
            ``side_clusters`` (groups of their values), ``observe``, ``effort``, ``labels_as`` (as
            for ``organize``), and ``fresh=True`` to begin anywhere, not at the present groups; see
            `comraf.workflows.regroup.Settings`.
        """
        search = self.regrouping(n_clusters, **settings)
        found = search.search(listener)
        return self.take(found, search.settings, at=search.version if at is None else at)

    @property
    def unfinished(self) -> Path:
        """The folder of a search that was begun and not ended, where there is one."""
        return self.folder / RUNS / _UNFINISHED

    def resumed(self) -> Regrouping | None:
        """The search that was begun and not ended: it goes on where it was."""
        from comraf.workflows.regroup import Regrouping, kept_in

        found = kept_in(self.unfinished)
        if found is None:
            return None
        version, taken, settings = found
        said = self.session.at(version)
        return Regrouping(self.answer, said, version, settings, self.unfinished, taken)

    def cut(self, n_clusters: int, *, at: int | None = None) -> Step:
        """Merge groups, or divide them, until there are so many: the tree of the groups is cut.

        Merged are those whose merger loses least information, divided those whose division gains
        most; nothing is searched anew.

        Parameters
        ----------
        n_clusters : int
        at : int, optional
            As for the verbs of `comraf.session.Session`.
        """
        from comraf.results.solved import Solved

        head = self.session.looked_at(at)
        said = self.session.at(head)
        tree = self.tree(said)
        made = tree.solved.with_partition(DOCUMENTS, tree.cut(n_clusters), n_clusters)
        graph = self.run_of(said)[0]
        place = self._kept(replace(made, objective=Solved(graph, made).objective))
        settings = {**said.settings, "cut": n_clusters}
        return self.session.regroup(
            made.cluster_ids(DOCUMENTS), place=place, settings=settings, at=head
        )

    def tree(self, said: SessionState) -> Hierarchy:
        """The tree of a version's groups, which can be cut at any number of them."""
        from comraf.results.edit import grouped
        from comraf.results.hierarchy import Hierarchy
        from comraf.results.solved import Solved

        graph, result = self.run_of(said)
        solved = Solved(graph, grouped(graph, result, DOCUMENTS, said.groups))
        return Hierarchy(solved, DOCUMENTS, self.answer.options.random_state)

    def take(
        self,
        found: Answer,
        settings: Settings | None = None,
        *,
        names: Mapping[int, str] | None = None,
        at: int | None = None,
    ) -> Step:
        """Take groups that a `Regrouping` has found; they are kept in the folder first.

        Without ``settings`` they were found by those of the present groups. ``names`` are those
        that a person gave to the new groups, by their numbers.
        """
        result, of = found.result, found.result.cluster_ids(DOCUMENTS)
        told = None if settings is None else settings.told
        if told is not None and result.interrupted:
            told["stopped"] = True
        called = {**self._names_of(found, of), **(names or {})}
        return self.session.regroup(
            of, names=called, place=self._kept(result), settings=told, at=at
        )

    def _kept(self, result: Result) -> str:
        """Write the clusters of a run; where they lie."""
        from comraf.results.result import save_result
        from comraf.store import folder_whole

        runs = self.folder / RUNS
        place = next(f"{RUNS}/{n}" for n in count(1) if not (runs / str(n)).exists())
        with folder_whole(self.folder / place) as stage:
            save_result(result, stage / CLUSTERING)
        return place

    def _names_of(self, found: Answer, of: npt.NDArray[np.int64]) -> dict[int, str]:
        """Names for new groups; those that live on get another only where labels say it."""
        import numpy as np

        said = self.session.said
        made, _ = said.groups.replaced(of, fixed=())
        given = {
            entry.said["group"] if entry.kind == "rename" else entry.said["groups"][0]
            for entry in self.session.history()
            if entry.kind in ("rename", "merge") and entry.said["name"]
        }
        names = {}
        classes = found.organizer.cluster_classes_
        for number, name in zip(found.result.ids[DOCUMENTS].tolist(), found.names, strict=True):
            inside = np.flatnonzero(of == number)
            group = int(made.of[inside[0]]) if len(inside) else -1
            spoken = group in given or (group in said.groups.names and classes[number] is None)
            if not (spoken and group in said.groups.order):
                names[number] = name
        return names

    def _place(self, said: SessionState) -> Placed:
        """Group, runner-up and confidence of every item, kept as long as the groups stay."""
        from comraf.results.edit import grouped
        from comraf.results.explain import Explainer

        kept = self._placed
        if kept is None or kept[0] is not said.groups or kept[1] != said.clusters:
            graph, result = self.run_of(said)
            explainer = Explainer(graph, grouped(graph, result, DOCUMENTS, said.groups))
            kept = self._placed = said.groups, said.clusters, explainer.scored(DOCUMENTS).place()
        return kept[2]

    def _close(self, *more: tuple[int, int, str], side: str = DOCUMENTS) -> None:
        """Refuse answers that contradict each other."""
        from comraf.errors import ConflictError
        from comraf.supervision import close

        n = self._number(side)
        ids = self.answer.items if side == DOCUMENTS else self.answer.values(side)
        try:
            close(n, *self._links(more, side), ids=ids)
        except ConflictError as error:
            raise error.about(advice="take one of these answers back") from None

    def _links(self, more: Iterable[tuple[int, int, str]], side: str) -> tuple[Links, Links]:
        """Answers as links that hold, with some more."""
        from comraf.supervision import read_links
        from comraf.workflows.chooser import links_of

        answers = dict(_answers_of(self.session.said, side))
        answers |= {(min(a, b), max(a, b)): how for a, b, how in more}
        n, links = self._number(side), links_of(answers)
        must, cannot = (read_links(pairs, n, what=what) for what, pairs in links.items())
        return must, cannot

    def items(self, names: Iterable[str]) -> list[int]:
        """Numbers of items by their ids."""
        from comraf.workflows.answer import item_of

        return [item_of(self.answer, DOCUMENTS, name) for name in names]

    def close(self) -> None:
        """Close the session and the answer."""
        self.session.close()
        self.answer.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Project({str(self.folder)!r}: {self.session.groups})"


def _answers_of(said: SessionState, side: str) -> Mapping[tuple[int, int], str]:
    """Answers about items, or about values of another side."""
    return said.answers if side == DOCUMENTS else said.others.get(side, {})


def open_project(folder: str | os.PathLike[str], *, who: str = "") -> Project:
    """Open what ``comraf organize`` wrote, to edit its groups and go on with earlier edits.

    Parameters
    ----------
    folder : path-like
        The folder of the answer. The session is kept in it, in the file ``session.db``.
    who : str
        Who edits; it is written beside everything that is said.

    Raises
    ------
    ReadError
        If there is no such answer, or the answer or the session is damaged.
    InputError
        If the session is about another answer.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import comraf
    >>> from comraf.collection.sample import write_mbox
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     box = write_mbox(pathlib.Path(folder, "mail.mbox"), 40)
    ...     with comraf.organize(box, 3, effort="quick") as answer:
    ...         answer.save(pathlib.Path(folder, "groups"))
    ...     with comraf.open_project(pathlib.Path(folder, "groups"), who="Ann") as project:
    ...         project.session.merge(0, 1).change.deleted, project.session.undo()
    ((1,), True)
    """
    answer = open_answer(folder)
    try:
        return Project(answer, who=who)
    except BaseException:
        answer.close()
        raise
