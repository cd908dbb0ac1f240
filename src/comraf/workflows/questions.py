"""What can be asked about: documents or rows, what is shown of each, and how they are grouped."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from comraf.errors import ComrafError, InputError
from comraf.progress import Listener
from comraf.workflows.answer import DOCUMENTS, Answer, given_groups
from comraf.workflows.cluster import Clustered, Task, perform
from comraf.workflows.knowledge import Facts, Known, Members
from comraf.workflows.naming import counted, noun_of
from comraf.workflows.organize import OrganizeOptions, group, observed_graph, wanted_sides
from comraf.workflows.photos import in_words

if TYPE_CHECKING:
    import numpy.typing as npt
    import scipy.sparse as sp

    from comraf.active.session import Learner
    from comraf.collection.collection import Collection
    from comraf.graph import Graph
    from comraf.results import Result

__all__ = ["Documents", "Items", "Rows", "learner_of"]

_LINES_SHOWN = 5
_MOST_TEXT = 4_000
_MOST_PEOPLE = 6
_MOST_COLUMNS = 40
# What photos look like, in the order in which people would tell it.
_LOOKS = ("colours", "blobs", "texture")
_MOST_LOOKS = 5
# Digits beyond these differ between machines, and would make a journal one about other items.
_DIGITS = 6


def learner_of(
    name: str,
    n_questions: int,
    k: int | None,
    *,
    metric: str = "cosine",
    random_state: int = 0,
    noise: float = 0.0,
    outliers: float = 0.0,
) -> Learner:
    """Who chooses questions, by the name that ``ask`` and the studio have for it.

    Examples
    --------
    >>> type(learner_of("npu", 20, 4)).__name__
    'NPU'
    """
    from comraf.active import NPU, ExploreConsolidate, MinMax, RandomPairs

    how: dict[str, Any] = {"metric": metric, "random_state": random_state}
    if name == "random":
        return RandomPairs(n_questions, **how)
    if noise or outliers:
        how |= {"noise": noise, "outliers": outliers}
    kind: Any = {"minmax": MinMax, "npu": NPU}.get(name, ExploreConsolidate)
    learner: Learner = kind(n_questions, k, **how)
    return learner


class Items(ABC):
    """Those that can be asked about, and grouped by the answers.

    Items without any counts are left out, and so are those whose id can't stand in a file of
    links (an end of line in it, blanks around it).

    Attributes
    ----------
    noun, side : str
        What one of them is called, and the side that they are.
    n : int
        How many there are, with those that are left out.
    names : sequence of str or None
        Names of all, or None: they go by number.
    rows : numpy.ndarray of int64
        Number of each that can be asked about.
    X : sparse array, (len(rows), values)
        Weighted counts (tf-idf) in rows of unit length.
    """

    noun: str
    side: str

    def __init__(self, counts: sp.csr_array, names: Sequence[str] | None, *, damped: bool) -> None:
        import numpy as np
        import scipy.sparse as sp
        from sklearn.feature_extraction.text import TfidfTransformer

        self.n, self.names = int(counts.shape[0]), names
        filled = np.diff(counts.indptr) > 0
        if names is not None:
            filled &= np.array([_can_be_named(name) for name in names], dtype=bool)
        self.rows: npt.NDArray[np.int64] = np.flatnonzero(filled)
        if len(self.rows) < 2:
            raise InputError(
                f"only {counted(len(self.rows), self.noun)} of {self.n:,} can be asked about; "
                "there must be two with any counts"
            )
        found = TfidfTransformer(sublinear_tf=damped).fit_transform(counts[self.rows])
        self.X = sp.csr_array(found)
        self.X.data = np.round(self.X.data, _DIGITS)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def ids(self) -> list[str]:
        """What each is called in files."""
        return [str(i) if self.names is None else self.names[i] for i in self.rows]

    @abstractmethod
    def described(self, row: int) -> Iterator[tuple[str, int]]:
        """An item in a few paragraphs, each with the lines that it may take."""

    @abstractmethod
    def grouped(self, known: Known, k: int, listener: Listener) -> Answer | Clustered:
        """The groups that ``comraf organize`` or ``comraf cluster`` makes by what is known."""

    @abstractmethod
    def grouped_by(
        self, method: Callable[[Graph], Result], known: Known, k: int
    ) -> Answer | Clustered:
        """Groups that another method makes of a graph in which only the items are clustered."""


class Rows(Items):
    """The rows of a table of counts, shown by their columns.

    Parameters
    ----------
    task : Task
        Rows and columns with the table between them, and how to search.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> from comraf.workflows.search import Search
    >>> nodes = [Node("rows", values=["ant", "bee"], n_clusters=2), Node("columns", n_clusters=1)]
    >>> graph = Graph(nodes, [Edge("rows", "columns", [[5, 0, 1], [0, 2, 0]])])
    >>> rows = Rows(Task(graph, Search(), "a table", "MDC", {}))
    >>> list(rows.described(0)), rows.ids
    ([('ant', 2), ('0 (5), 2 (1)', 5)], ['ant', 'bee'])
    """

    noun, side = "row", "rows"

    def __init__(self, task: Task) -> None:
        import scipy.sparse as sp

        # people are shown counts, and answers are about these; the search weights them
        graph, self.task = task.graph, task.weighted("root_rows")
        nodes = {node.name: node for node in graph.nodes}
        self._counts = sp.csr_array(graph.edges[0].counts)
        self._columns = nodes["columns"].values
        # Counts of a table may be shares, whose logarithm is no weight.
        super().__init__(self._counts, nodes["rows"].values, damped=False)

    def described(self, row: int) -> Iterator[tuple[str, int]]:
        """Its name, and the columns with most of it."""
        import numpy as np

        i = int(self.rows[row])
        part = slice(self._counts.indptr[i], self._counts.indptr[i + 1])
        columns, counts = self._counts.indices[part], self._counts.data[part]
        best = np.argsort(-counts, kind="stable")[:_MOST_COLUMNS]
        told = [f"{self._column(columns[j])} ({counts[j]:g})" for j in best]
        more = ", …" if len(counts) > _MOST_COLUMNS else ""
        yield _one_line(self.ids[row]), 2
        yield ", ".join(told) + more, _LINES_SHOWN

    def _column(self, j: int) -> str:
        return str(j) if self._columns is None else _short(self._columns[j])

    def grouped(self, known: Known, k: int, listener: Listener) -> Clustered:
        """The clusters of ``comraf cluster``."""
        return perform(self._task(k), known, listener)

    def grouped_by(self, method: Callable[[Graph], Result], known: Known, k: int) -> Clustered:
        """Clusters of the rows alone."""
        from comraf.graph import Graph, Node

        task = self._task(k)
        facts = known.about_graph(task.graph)
        first, *others = task.graph.nodes
        single = [Node(node.name, values=node.values, observed="singletons") for node in others]
        graph = Graph([first, *single], task.graph.edges)
        parameters = {**task.parameters, "method": "hmrf"}
        task = replace(task, graph=graph, method="HMRFKMeans", parameters=parameters)
        result = method(graph)
        return Clustered(task, result, known=known.kept_to(facts, result), only="rows")

    def _task(self, k: int) -> Task:
        """The table with so many clusters of rows."""
        task = self.task
        first, *others = task.graph.nodes
        graph = type(task.graph)([replace(first, n_clusters=k), *others], task.graph.edges)
        return replace(task, graph=graph, parameters={**task.parameters, "k": k})


class Documents(Items):
    """The documents of a collection.

    Parameters
    ----------
    collection : Collection
        What was read.
    options : OrganizeOptions
        How they are grouped. They are compared by words where these are among the sides.
    path : path
        What was read, for the answer.

    Attributes
    ----------
    sides : list of str
        Those that documents are compared by.
    """

    side = "documents"

    def __init__(self, collection: Collection, options: OrganizeOptions, path: Any) -> None:
        import scipy.sparse as sp

        self.collection, self.options, self.path = collection, options, path
        by = wanted_sides(options, collection)
        options.check_amounts(by)
        self._shown: dict[str, Sequence[str]] = {}
        self.noun = noun_of(collection)
        self.sides = ["words"] if "words" in by else list(by)
        counts = sp.csr_array(sp.hstack([collection.tables[side] for side in self.sides]))
        super().__init__(counts, collection.ids, damped=True)

    def described(self, row: int) -> Iterator[tuple[str, int]]:
        """Its title, date, people, and the first lines of its text; of a photo what is seen."""
        import numpy as np

        i = int(self.rows[row])
        if self.collection.photos is not None:
            yield from self._photo(i)
            return
        date = self.collection.dates[i]
        title = self.collection.titles[i] or self.collection.ids[i]
        yield _one_line(title), 2
        facts = [] if np.isnat(date) else [str(date)[:10]]
        facts += [f"{_short(side)}: {names}" for side, names in self._values(i)]
        if facts:
            yield " · ".join(facts), 2
        yield self._text(i), _LINES_SHOWN

    def _values(self, i: int, hidden: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
        """Values of the sides that say something beside the title and the text."""
        from comraf.collection.sides import side_of

        for name, table in self.collection.tables.items():
            columns = table.indices[table.indptr[i] : table.indptr[i + 1]]
            known = name in self.collection.sides and side_of(name).listed
            if known and name not in hidden and len(columns):
                values = self.collection.sides[name].values
                more = ", …" if len(columns) > _MOST_PEOPLE else ""
                yield name, ", ".join(_short(values[c]) for c in columns[:_MOST_PEOPLE]) + more

    def _photo(self, i: int) -> Iterator[tuple[str, int]]:
        """Where it lies, its caption, and what it looks like: most of it first."""
        import numpy as np

        yield _one_line(self.collection.ids[i]), 2
        date = self.collection.dates[i]
        if not np.isnat(date):
            yield str(date)[:10], 1
        yield self._text(i), _LINES_SHOWN
        for side, names in self._values(i, _LOOKS):
            yield f"{_short(side)}: {names}", 1
        sides = self.collection.tables
        for side in _LOOKS if "blobs" not in sides else _LOOKS[:2]:  # blobs tell of texture, too
            if said := ", ".join(self._look(side, i)):
                yield f"{side}: {said}", 2

    def _look(self, side: str, i: int) -> list[str]:
        """What there is most of on a side, in words: colours with their share of the photo."""
        from comraf.report.titles import value_titles

        table = self.collection.tables.get(side)
        if table is None or table.indptr[i] == table.indptr[i + 1]:
            return []
        part = slice(table.indptr[i], table.indptr[i + 1])
        if side not in self._shown:
            self._shown[side] = value_titles(self.collection)[side]
        sums: dict[str, float] = {}
        for column, count in zip(table.indices[part], table.data[part], strict=True):
            for word in in_words(side, [self._shown[side][column]]):
                sums[word] = sums.get(word, 0.0) + float(count)
        total = sum(sums.values())
        best = sorted(sums, key=lambda word: -sums[word])[:_MOST_LOOKS]
        if side != "colours":
            return best
        return [f"{word} {sums[word] / total:.0%}" for word in best if sums[word] >= 0.01 * total]

    def _text(self, i: int) -> str:
        try:
            return _one_line(self.collection.text(i)[:_MOST_TEXT])
        except (ComrafError, OSError):  # the file has gone: the rest may be enough to tell
            return "(its text can't be read any more)"

    def grouped(self, known: Known, k: int, listener: Listener) -> Answer:
        """The groups of ``comraf organize``."""
        options = replace(self.options, n_clusters=k)
        return group(self.collection, options, known, listener, self.path)

    def grouped_by(self, method: Callable[[Graph], Result], known: Known, k: int) -> Answer:
        """Groups of the documents alone."""
        collection, options = self.collection, replace(self.options, n_clusters=k)
        graph = observed_graph(options, collection, self.sides, k)
        result = method(graph)
        facts = Facts()
        if known:
            facts = known.about({DOCUMENTS: Members(len(collection), collection.ids, k)}, DOCUMENTS)
        return Answer(
            collection,
            given_groups(graph, collection, result, options.weighting),
            options=options,
            path=self.path,
            facts=facts,
            known=known.kept_to(facts, result),
            method="HMRFKMeans",
        )


def _can_be_named(name: str) -> bool:
    """Whether a file of links that has this id is read as it was written."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return bool(name) and name == name.strip() and not set(name) & set("\n\r\0")


def _short(text: str, most: int = 32) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _one_line(text: str) -> str:
    return _short(" ".join(text.split()), _MOST_TEXT)
