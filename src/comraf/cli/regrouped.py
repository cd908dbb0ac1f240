"""Groups that heed answers: the links of a session, and what changes by them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from comraf.cli.askable import Documents
from comraf.cli.known import Facts, Members, Told, told_in
from comraf.cli.naming import names_in, noun_of
from comraf.cli.organized import (
    Asked,
    Organized,
    given_groups,
    observed_graph,
    organize,
    wanted_sides,
    warn,
    with_names,
)
from comraf.cli.run import Done, Run, solve
from comraf.cli.wording import counted
from comraf.errors import ComrafError, ConflictError

if TYPE_CHECKING:
    from comraf.cli.asking import Session
    from comraf.cli.bar import Bar
    from comraf.collection.collection import Collection
    from comraf.graph import Graph
    from comraf.results import Result

__all__ = ["OfDocuments", "OfRows", "Regrouping", "sides_wanted", "what_changed"]

_T = TypeVar("_T", Organized, Done)


def sides_wanted(asked: Asked, collection: Collection) -> Sequence[str]:
    """The sides that make the groups; what can't be clustered is refused before any question."""
    return wanted_sides(asked, collection)


class Regrouping(ABC, Generic[_T]):
    """Groups the items of a session by the links that it has brought.

    Parameters
    ----------
    session : Session
    method : {"mdc", "hmrf"}
    k : int or None
        How many groups; None: as many as the answers have told apart.
    metric : str
        How far rows are apart, for k-means.
    link_weight : float or None
        Price of a broken link; None: links hold (k-means: has its own rule).
    seed : int
        Of k-means.

    Attributes
    ----------
    before : Result or None
        The groups that were there last.
    """

    def __init__(
        self,
        session: Session,
        *,
        method: str,
        k: int | None,
        metric: str,
        link_weight: float | None,
        seed: int,
    ) -> None:
        self.session, self.method, self._k = session, method, k
        self.metric, self.link_weight, self.seed = metric, link_weight, seed
        self.before: Result | None = None

    @property
    def k(self) -> int:
        """How many groups there are to be."""
        return self._k or max(2, len(self.session.found().neighbourhoods))

    def group(self, bar: Bar) -> _T:
        """Cluster by what is known now."""
        must, cannot = self.session.write_links()
        given = None if must is None and cannot is None else self.link_weight
        told = Told.read(None, _option(must), _option(cannot), link_weight=given)
        try:
            return self._grouped(told, bar)
        except ConflictError as error:
            raise error.about(
                "{error}; all answers are kept in {journal}: the same command with a larger -k "
                "than {k}, or with --link-weight, goes on from them",
                journal=self.session.journal,
                k=self.k,
            ) from None

    def changed(self, done: _T) -> str | None:
        """What became of the groups that were there before; these are remembered instead."""
        now, before = self._result(done), self.before
        self.before = now
        items = self.session.items
        return None if before is None else what_changed(before, now, items.side, items.noun)

    @abstractmethod
    def brief(self, done: _T) -> None:
        """Print the groups between two questions."""

    @abstractmethod
    def show(self, done: _T, place: Path) -> None:
        """Print the groups, and where everything is."""

    @abstractmethod
    def write(self, done: _T, place: Path) -> None:
        """The folder of the answer; answers that are in it stay."""

    @abstractmethod
    def cut_short(self, done: _T) -> bool:
        """Whether Ctrl-C ended the search."""

    @abstractmethod
    def _grouped(self, told: Told, bar: Bar) -> _T: ...

    @abstractmethod
    def _result(self, done: _T) -> Result: ...

    def _by_means(self, graph: Graph) -> Result:
        """Groups of the graph's first node by k-means with prices, the largest first."""
        from time import perf_counter

        import numpy as np

        from comraf.kmeans import HMRFKMeans
        from comraf.results.solved import partition

        start = perf_counter()
        items, found = self.session.items, self.session.found()
        model = HMRFKMeans(
            self.k,
            metric=self.metric,
            link_weight="auto" if self.link_weight is None else self.link_weight,
            random_state=self.seed,
        )
        model.fit(items.X, must_link=found.must_link, cannot_link=found.cannot_link)
        sizes = np.bincount(model.labels_, minlength=self.k)
        number = np.empty(self.k, dtype=np.int32)
        number[np.argsort(-sizes, kind="stable")] = np.arange(self.k)
        # As everywhere: what nothing is known of is in the first group.
        labels = np.zeros(items.n, dtype=np.int32)
        labels[items.rows] = number[model.labels_]
        result = partition(graph, labels, self.k)
        return replace(result, seconds=perf_counter() - start)


class OfDocuments(Regrouping[Organized]):
    """Groups of documents, in the way of ``comraf organize``.

    Parameters
    ----------
    asked : Asked
        As for ``comraf organize``.
    items : Documents
        What the session asks about.
    session, **options
        As for `Regrouping`.
    """

    def __init__(self, asked: Asked, items: Documents, session: Session, **options: Any) -> None:
        super().__init__(session, **options)
        self.asked, self._items = asked, items

    def brief(self, done: Organized) -> None:
        """Print the groups between two questions."""
        from comraf.cli.show import cluster_table, open_console, show_table, tell
        from comraf.report.shown import shown_clusters

        console = open_console()
        found = shown_clusters(done.clusters["documents"], done.collection)
        what = f"{noun_of(done.collection)}s"
        names = () if done.collection.photos is None else done.names
        sides = list(done.organizer.sides_)
        show_table(console, *cluster_table(what, found, sides, (), names))
        for sentence in told_in(done.known, noun_of(done.collection)):
            tell(console, sentence)

    def show(self, done: Organized, place: Path) -> None:
        """Print the groups, and where everything is."""
        from comraf.cli.organize import show

        show(done, place)

    def write(self, done: Organized, place: Path) -> None:
        """The folder, as ``comraf organize`` writes it."""
        from comraf.cli.written import write

        write(done, place, force=True, include_text=True)
        warn(done)

    def cut_short(self, done: Organized) -> bool:
        """Whether Ctrl-C ended the search, or the look at what it found."""
        return done.organizer.result_.interrupted or done.unchecked

    def _result(self, done: Organized) -> Result:
        from comraf.cli.written import kept_result

        return kept_result(done)

    def _grouped(self, told: Told, bar: Bar) -> Organized:
        asked, collection = replace(self.asked, told=told, k=self.k), self._items.collection
        if self.method != "hmrf":
            return organize(asked, collection, bar)
        from comraf.estimators.organizer import DOCUMENTS
        from comraf.results.telling import clusters, sides_of

        organizer = self._given(asked)
        facts = Facts()
        if told:
            members = Members(len(collection), collection.ids, self.k)
            facts = told.about({DOCUMENTS: members}, DOCUMENTS)
        sides = with_names(sides_of(organizer.graph_, organizer.result_), collection)
        sides = [side for side in sides if side.name == DOCUMENTS]
        found = [replace(c, share=c.size / len(collection)) for c in clusters(sides[0])]
        return Organized(
            asked,
            collection,
            organizer,
            None,
            sides,
            {DOCUMENTS: found},
            names_in(collection, found, organizer),
            (),
            facts=facts,
            known=told.told(facts, organizer.result_),
            method="HMRFKMeans",
        )

    def _given(self, asked: Asked) -> Any:
        """The groups of k-means, described by the sides that it went by."""
        items = self._items
        graph = observed_graph(asked, items.collection, items.sides, self.k)
        result = self._by_means(graph)
        return given_groups(graph, items.collection, result, asked.weighting)


class OfRows(Regrouping[Done]):
    """Groups of the rows of a table, in the way of ``comraf cluster``.

    Parameters
    ----------
    run : Run
        The table as a graph, and how to search.
    session, **options
        As for `Regrouping`.
    """

    def __init__(self, run: Run, session: Session, **options: Any) -> None:
        super().__init__(session, **options)
        self.run = run

    def brief(self, done: Done) -> None:
        """Print the groups between two questions."""
        from comraf.cli.cluster import show

        show(done, None)

    def show(self, done: Done, place: Path) -> None:
        """Print the groups, and where everything is."""
        from comraf.cli.cluster import show

        show(done, place)

    def write(self, done: Done, place: Path) -> None:
        """The folder, as ``comraf cluster`` writes it."""
        from comraf.cli.answer import folder_files
        from comraf.results.files import write_folder

        graph = done.run.graph.to_svg()
        write_folder(place, folder_files(done.document, done.sides, graph), force=True)

    def cut_short(self, done: Done) -> bool:
        """Whether Ctrl-C ended the search."""
        return done.result.interrupted

    def _result(self, done: Done) -> Result:
        return done.result

    def _grouped(self, told: Told, bar: Bar) -> Done:
        from comraf.cli.answer import document
        from comraf.results.telling import clusters, sides_of

        run = given = self.run
        if self._k is None:
            first, *others = run.graph.nodes
            graph = type(run.graph)([replace(first, n_clusters=self.k), *others], run.graph.edges)
            run = given = replace(run, graph=graph, parameters={**run.parameters, "k": self.k})
        facts = told.about_graph(run.graph)
        if self.method == "hmrf":
            run = replace(run, graph=_observed(run.graph), method="HMRFKMeans")
            result = self._by_means(run.graph)
        else:
            with told.blamed():
                result = solve(run.graph, run.search, bar, facts=facts, told=told)
        sides = [s for s in sides_of(run.graph, result) if s.name == "rows" or run is given]
        found = {side.name: clusters(side) for side in sides}
        known = told.told(facts, result)
        answer = document(
            source=run.source,
            method=run.method,
            parameters=run.parameters,
            result=result,
            sides=sides,
            found=found,
            known=known,
        )
        return Done(run, result, sides, found, answer, known=known)


def _option(path: Path | None) -> list[str] | None:
    return None if path is None else [str(path)]


def _observed(graph: Graph) -> Graph:
    """The graph with every side but the first taken as it is."""
    from comraf.graph import Graph, Node

    first, *others = graph.nodes
    single = [Node(node.name, values=node.values, observed="singletons") for node in others]
    return Graph([first, *single], graph.edges)


def what_changed(
    before: Result, now: Result, side: str = "documents", noun: str | None = None
) -> str | None:
    """How many items changed their group, in a sentence; None if that can't be told.

    Examples
    --------
    >>> import numpy as np
    >>> from comraf.results import Result
    >>> old = Result({"rows": np.array([0, 0, 1, 1])}, {"rows": 2}, 0.0, ())
    >>> new = Result({"rows": np.array([1, 1, 0, 1])}, {"rows": 2}, 0.0, ())
    >>> what_changed(old, new, "rows")
    '1 of 4 rows is in another group than before.'
    >>> what_changed(old, old, "rows")
    'All 4 rows are in the same groups as before.'
    """
    from comraf.results.compare import compare

    try:
        found = compare(before, now, side)
    except ComrafError:
        return None
    all_of_them = counted(found.n_common, noun or side.removesuffix("s"))
    if not found.n_moved:
        return f"All {all_of_them} are in the same groups as before."
    verb = "is" if found.n_moved == 1 else "are"
    return f"{found.n_moved:,} of {all_of_them} {verb} in another group than before."
