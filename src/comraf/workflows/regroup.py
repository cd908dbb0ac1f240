"""Searching for the groups of an answer again, by all that was said of them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from comraf.errors import ConflictError, InputError, Parameter, ReadError
from comraf.inference.methods import METHODS
from comraf.progress import Event, Listener, unheard
from comraf.store import remove, write_whole
from comraf.workflows.answer import DOCUMENTS, Answer
from comraf.workflows.chooser import links_of
from comraf.workflows.naming import noun_of
from comraf.workflows.search import Watch

if TYPE_CHECKING:
    import numpy.typing as npt

    from comraf.graph import Graph
    from comraf.results import Result
    from comraf.session.session import SessionState

__all__ = ["Regrouping", "Settings", "kept_in"]

_EFFORTS = ("quick", "default", "thorough", "paper")
_ABOUT, _CHECKPOINT = "about.json", "checkpoint"
_HEAVIEST = 1000.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a search for groups goes by.

    Attributes
    ----------
    n_clusters : int
        How many groups.
    by : tuple of str
        Sides that make the groups.
    weights : mapping of str to float
        How much a side weighs beside what it weighs by itself, for those that are not to weigh
        once that.
    side_clusters : mapping of str to int
        How many groups the values of a side make, for those that are not to go by their sizes.
    observe : tuple of str
        Sides whose values stand as they are.
    effort : str
        What the search may cost.
    labels_as : {"intrinsic", "constrained", "seeds"}
    fresh : bool
        Begin anywhere, and not at the groups as they are.

    Examples
    --------
    >>> Settings(n_clusters=4, by=("words",)).told["by"]
    ['words']
    """

    n_clusters: int
    by: tuple[str, ...]
    weights: Mapping[str, float] = field(default_factory=dict)
    side_clusters: Mapping[str, int] = field(default_factory=dict)
    observe: tuple[str, ...] = ()
    effort: str = "default"
    labels_as: Literal["intrinsic", "constrained", "seeds"] = "intrinsic"
    fresh: bool = False

    @property
    def told(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Settings:
        """Settings of plain data; what is not known is left out."""
        known = {one.name for one in fields(cls)}
        given: dict[str, Any] = {name: value for name, value in told.items() if name in known}
        for name in ("by", "observe"):
            if name in given:
                given[name] = tuple(given[name])
        return cls(**given)

    @classmethod
    def now(cls, answer: Answer, said: SessionState) -> Settings:
        """What the groups of a version were made by."""
        from comraf.estimators._graphs import observed_sides

        options = answer.options
        by = tuple(node.name for node in answer.graph.nodes if node.name != DOCUMENTS)
        own: dict[str, Any] = {"by": by, "effort": options.effort}
        if is_made(answer):
            tables = answer.collection.tables
            usual, own_ones = observed_sides(answer.collection), options.observe
            seen = usual if own_ones is None else (usual - {*by}) | {*own_ones}
            own["side_clusters"] = {
                name: k for name, k in (options.side_clusters or {}).items() if name in by
            }
            own["observe"] = tuple(name for name in tables if name in seen and tables[name].nnz)
        once = {"labels_as": "intrinsic", "fresh": False, "n_clusters": len(said.groups)}
        return cls.of({**own, **said.settings, **once})

    def check(self, answer: Answer) -> Settings:
        """Refuse what can't be meant, before anything is begun."""
        n, tables = len(answer.collection), answer.collection.tables
        _whole("n_clusters", self.n_clusters, n)
        if self.effort not in _EFFORTS:
            raise InputError(parameter="effort", given=self.effort, allowed=_EFFORTS)
        there = [name for name, table in tables.items() if table.nnz]
        if not self.by:
            text = "{p[by]} names no side; there are {there:,}"
            raise InputError(text, "by", code="no_side", there=there)
        for what in ("by", "weights", "side_clusters", "observe"):
            for name in getattr(self, what):
                if name not in there:
                    raise InputError(parameter=what, given=name, allowed=there)
        for name, k in self.side_clusters.items():
            _whole("side_clusters", k, tables[name].shape[1], f" of {name}")
        for name, weight in self.weights.items():
            number = not isinstance(weight, bool) and isinstance(weight, (int, float))
            if not number or not 0 < weight <= _HEAVIEST:
                raise InputError(f"the weight of {name} is {weight!r}; give more than 0, such as 2")
        if not is_made(answer) and self != replace(
            Settings.now(answer, _unsaid(self.n_clusters)),
            effort=self.effort,
            labels_as=self.labels_as,
            fresh=self.fresh,
        ):
            raise InputError(
                "these groups were made by a graph of its own: only their number and the effort "
                "can be chosen"
            )
        return self

    def weighing(self, answer: Answer) -> dict[str, Any]:
        """What sides weigh: as the answer says, or by their names."""
        options = answer.options
        own = {name: one for name, one in (options.weight or {}).items() if name in self.by}
        usual = {"edge_weights": options.edge_weights, "weight": own or None}
        if all(self.weights.get(name, 1) == 1 for name in self.by):
            return usual
        found = self._made(answer, usual)
        plain = {edge.b: edge.weight for edge in found.edges if edge.a == DOCUMENTS}
        times = {name: weight * self.weights.get(name, 1) for name, weight in plain.items()}
        return {"edge_weights": times, "weight": None}

    def graph(self, answer: Answer, result: Result) -> Graph:
        """The graph that was solved, with copies of a side observed as the result has them."""
        from comraf.estimators._tying import tied_graph, ties_of

        if not is_made(answer):
            found = answer.graph
            ties = {
                node.name: DOCUMENTS
                for node in found.nodes
                if isinstance(node.observed, np.ndarray)
            }
        else:
            found = self._made(answer, self.weighing(answer))
            tables = {name: answer.collection.tables[name] for name in self.by}
            ties = ties_of(tables, DOCUMENTS)
        return tied_graph(found, result, ties)

    def _made(self, answer: Answer, weighing: Mapping[str, Any]) -> Graph:
        from comraf.estimators._graphs import make_graph, measured_sides

        collection, options = answer.collection, answer.options
        return make_graph(
            {name: collection.tables[name] for name in self.by},
            self.n_clusters,
            shape=options.graph,
            weighting=options.weighting,
            rule=weighing["edge_weights"],
            weight=weighing["weight"],
            side_clusters=self.side_clusters,
            observed=self.observe if METHODS[options.method].sides else self.by,
            measured=measured_sides(collection),
        )


def is_made(answer: Answer) -> bool:
    """Whether the graph of an answer is made of its sides, and is no graph of its own."""
    from comraf.estimators._graphs import GRAPHS

    return answer.options.graph in GRAPHS


def _unsaid(n_clusters: int) -> SessionState:
    """Nothing but so many groups."""
    from comraf.results.groups import Groups
    from comraf.session.session import SessionState

    return SessionState(Groups.start(np.arange(n_clusters)))


def _whole(what: str, number: Any, most: int, of: str = "") -> None:
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= most:
        text = "{what}{of} is {number!r}; give a whole number from 1 to {most:,}"
        raise InputError(text, what=Parameter(what), of=of, number=number, most=most)


@dataclass(frozen=True, eq=False)
class Regrouping:
    """A search that is ready to begin; it has all it needs and does not look at the session.

    So it can run in a thread while the session goes on. It starts from the groups as they are:
    twenty answers are to change what they are about, and not everything else.

    Attributes
    ----------
    answer : Answer
        Whose documents are grouped.
    said : SessionState
        What is known: answers become links that hold, labels what ``settings`` say.
    version : int
        The version of the session that this is about.
    settings : Settings
        What it goes by.
    kept : Path or None
        A folder where it keeps what it has reached, so that it can be taken up again.
    taken : tuple of int
        Versions that took its groups when it was stopped.
    """

    answer: Answer
    said: SessionState
    version: int
    settings: Settings
    kept: Path | None = None
    taken: tuple[int, ...] = ()

    def search(self, listener: Listener = unheard) -> Answer:
        """Find the groups; whatever the listener raises ends the search, and nothing is changed.

        If it raises `comraf.progress.Stop`, the best groups until then come out.
        """
        from comraf.estimators.organizer import Organizer
        from comraf.graph import Graph

        options, collection = self.answer.options, self.answer.collection
        settings, k = self.settings, self.settings.n_clusters
        given: dict[str, Any] = {"by": list(settings.by)}
        if is_made(self.answer):
            given |= {
                "n_clusters": k,
                "graph": options.graph,
                "weighting": options.weighting,
                **settings.weighing(self.answer),
                "observe": settings.observe,
                "side_clusters": settings.side_clusters,
            }
        else:  # a graph of one's own is taken as it is
            nodes, edges = self.answer.graph.nodes, self.answer.graph.edges
            own = [
                replace(node, n_clusters=k) if node.name == DOCUMENTS else node for node in nodes
            ]
            given["graph"] = Graph(own, list(edges))
        given |= options.search_parameters()
        if "effort" in METHODS[options.method].takes:
            given["effort"] = settings.effort
        if self.kept is not None and "checkpoint" in METHODS[options.method].takes:
            from comraf.inference.checkpoint import Kept

            given["checkpoint"] = Kept(self.kept / _CHECKPOINT)

        def called(event: Event) -> None:
            noun = f"{noun_of(collection)}s" if event.node == DOCUMENTS else event.called
            listener(replace(event, called=noun))

        try:
            with Watch().over():  # whoever stops it knows
                organizer = Organizer(**given, verbose=called, labels_as=settings.labels_as).fit(
                    collection, labels=self.labels() or None, start=self._start(), **self._links()
                )
        except ConflictError as error:
            raise error.about(
                "{error}; ask for more groups than {k:,}, or take an answer back", k=k
            ) from None
        return Answer(
            collection,
            organizer,
            options=options,
            path=self.answer.path,
            audit=self.answer.audit,
            numbers=self.answer.numbers,
        )

    def begin(self, folder: Path) -> Regrouping:
        """The same, kept in a folder: whoever opens the project later can go on with it."""
        if folder.exists():
            remove(folder)
        folder.mkdir(parents=True)
        made = replace(self, kept=folder)
        made.note(())
        return made

    def note(self, taken: Sequence[int]) -> None:
        """Write down what it is about, and the versions that took groups of it already."""
        assert self.kept is not None  # noqa: S101 - only a search that is kept has notes
        told = {"version": self.version, "taken": list(taken), "settings": self.settings.told}
        write_whole(self.kept / _ABOUT, [json.dumps(told)])

    def labels(self) -> dict[int, str]:
        """Labels by the numbers of documents: those the answer was made with, and later ones."""
        return {**self.answer.facts.labels.get(DOCUMENTS, {}), **self.said.labels}

    def _start(self) -> npt.NDArray[np.int32] | None:
        """The groups as they are; items whose group was called wrong begin anywhere."""
        groups = self.said.groups
        # of fewer groups, which of them should go is for the search to say
        if self.settings.fresh or self.settings.n_clusters < len(groups):
            return None
        labels = np.unique(groups.of, return_inverse=True)[1].astype(np.int32)
        labels[list(self.said.doubted)] = -1
        return labels

    def _links(self) -> dict[str, Any]:
        """Links by the names of sides; of those that have no groups here there can be none."""
        hidden = [name for name in self.settings.by if name not in self.settings.observe]
        told = {DOCUMENTS: self.said.answers} | {
            side: answers for side, answers in self.said.others.items() if side in hidden
        }
        links = {side: links_of(answers) for side, answers in told.items()}
        return {
            what: {side: each[what] for side, each in links.items() if len(each[what])} or None
            for what in ("must_link", "cannot_link")
        }


def kept_in(folder: Path) -> tuple[int, tuple[int, ...], Settings] | None:
    """The version, the taken versions and the settings of a search that was kept, if one is."""
    file = folder / _ABOUT
    if not os.path.isfile(file):
        return None
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        return int(told["version"]), tuple(told["taken"]), Settings.of(told["settings"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReadError(f"{file}: can't be read ({error}); remove {folder}") from None
