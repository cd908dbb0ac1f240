"""``ask``: a person is asked about pairs of documents, and the groups heed the answers."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

from comraf.errors import (
    ComrafError,
    ConflictError,
    InputError,
    Message,
    NoticeWarning,
    Parameter,
    WriteError,
)
from comraf.progress import Listener, say, unheard
from comraf.store import write_whole
from comraf.workflows.answer import DOCUMENTS, Answer, given_groups, result_in
from comraf.workflows.cluster import Clustered, ClusterOptions, Task, perform, read_task
from comraf.workflows.knowledge import Facts, Known, Labels, Links, Members
from comraf.workflows.naming import counted
from comraf.workflows.neighbours import Near
from comraf.workflows.options import Option, checked, names_from
from comraf.workflows.organize import (
    OrganizeOptions,
    group,
    observed_graph,
    read_documents,
    wanted_sides,
)
from comraf.workflows.photos import in_words
from comraf.workflows.reading import Reading
from comraf.workflows.search import Jobs, Seed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import scipy.sparse as sp

    from comraf.active import Constraints, LabelOracle
    from comraf.collection.collection import Collection
    from comraf.graph import Graph
    from comraf.results import Result

__all__ = [
    "ANSWERS",
    "LINKS",
    "AskOptions",
    "Documents",
    "Items",
    "OfDocuments",
    "OfRows",
    "Regrouping",
    "Rows",
    "Session",
    "ask",
    "known_links",
    "label_oracle",
    "take_back",
    "what_changed",
]

#: Where answers are kept within the folder, and what follows from them.
ANSWERS = "answers.jsonl"
LINKS = {"must_link": "must-link.csv", "cannot_link": "cannot-link.csv"}
# Endings that only tables of counts have.
_TABLES = (".npz", ".npy", ".mtx")
_T = TypeVar("_T", Answer, Clustered)
_LINES_SHOWN = 5
_MOST_TEXT = 4_000
_MOST_PEOPLE = 6
_MOST_COLUMNS = 40
# What photos look like, in the order in which people would tell it.
_LOOKS = ("colours", "blobs", "texture")
_MOST_LOOKS = 5
# Digits beyond these differ between machines, and would make a journal one about other items.
_DIGITS = 6


@dataclass(frozen=True, kw_only=True)
class AskOptions(Links, Reading, Seed, Jobs):
    """Options of `ask`.

    Parameters
    ----------
    n_clusters : int
        How many groups. Without it questions look for ever more of them, and there are as many as
        the answers have told apart.
    questions : int
        Most questions in all, those of earlier sessions in the folder included.
    learner : {"explore", "minmax", "npu", "random"}
        Who chooses the questions. explore: documents far apart until every group was met, then
        others against the nearest group; minmax: the same, then always the least alike; npu: where
        groupings by the answers so far disagree, the choice for many groups; random: pairs at
        random.
    method : {"mdc", "hmrf"}
        How documents are grouped. mdc: by all of their sides, as organize does; hmrf: k-means of
        their words in which each answer has a price.
    metric : {"cosine", "euclidean"}
        How far apart documents are, for the choice of questions and hmrf.
    answers_from : path-like
        Let a file of labels answer, as --labels of organize has it: an id and a class a line.
        Documents that are not in it are not known.
    noise : float
        Share of the answers that may be wrong, below 0.5, for explore and minmax: a document is
        placed once several answers agree.
    outliers : float
        Share of the documents, the most remote ones, that explore and minmax pass over at first.
    by : sequence of str
        Sides that make the groups, separated by commas: words,people,subjects.
    effort : {"quick", "default", "thorough", "paper"}
        What the search of mdc may cost.
    random_state : int
        The same seed and answers give the same questions and groups.
    n_jobs : int
        Processes that work side by side; -1: all cores.
    format : {"npz", "npy", "mtx", "csv", "tsv", "parquet"}
        PATH is a table of counts, in a file of this kind.
    row_names : path-like
        Names of the rows of a table of counts, one a line.
    column_names : path-like
        Names of its columns, one a line.
    """

    n_clusters: Annotated[int | None, Option("-k", "--clusters", metavar="N", least=2)] = None
    questions: Annotated[int, Option(metavar="N", least=1)] = 20
    learner: Literal["explore", "minmax", "npu", "random"] = "explore"
    method: Literal["mdc", "hmrf"] = "mdc"
    metric: Literal["cosine", "euclidean"] = "cosine"
    answers_from: Annotated[Path | None, Option(metavar="FILE")] = None
    noise: Annotated[float, Option(metavar="SHARE")] = 0.0
    outliers: Annotated[float, Option(metavar="SHARE")] = 0.0
    by: Annotated[Sequence[str] | None, Option(metavar="SIDES", read=names_from)] = None
    effort: Literal["quick", "default", "thorough", "paper"] = "default"
    format: Literal["npz", "npy", "mtx", "csv", "tsv", "parquet"] | None = None
    row_names: Annotated[Path | None, Option(metavar="FILE")] = None
    column_names: Annotated[Path | None, Option(metavar="FILE")] = None

    def is_table(self, path: Path) -> bool:
        """Whether a path is a table of counts."""
        return self.format is not None or path.suffix.lower() in _TABLES

    def check(self, path: Path) -> None:
        """Refuse what can't be meant, before anything is read."""
        self.check_jobs()
        if self.link_weight is not None and not self.link_weight >= 0:
            text = "{given} is not possible; give 0 or more, or inf"
            raise InputError(text, "link_weight", self.link_weight)
        for option, share, most in (("noise", self.noise, 0.5), ("outliers", self.outliers, 1.0)):
            if not 0 <= share < most:
                text = "{given} is not possible; give 0 or more, below {most:g}"
                raise InputError(text, option, share, most=most)
            if share and self.learner not in ("explore", "minmax"):
                text = "{name} is for the learners explore and minmax"
                raise InputError(text, option, share, name=Parameter(option))
        columns = ("text", "title", "id", "date", "truth", "people", "lists", "values")
        _check_kind(self, self.is_table(path), (*columns, "by", "kind", "separator"), "documents")
        _check_kind(
            self,
            not self.is_table(path),
            ("row_names", "column_names"),
            "a table of counts ({p[format]} says that {p[path]} is one)",
        )


def _check_kind(options: AskOptions, wrong: bool, names: Sequence[str], what: str) -> None:
    """Refuse options that are about documents where there is a table, and the other way round."""
    for name in names if wrong else ():
        if getattr(options, name) is not None:
            text = "{name} is about {what}; leave it out here"
            raise InputError(text, name=Parameter(name), what=Message(what, {}))


def ask(
    path: Path,
    place: Path,
    options: AskOptions,
    stack: ExitStack,
    listener: Listener = unheard,
) -> Regrouping[Any]:
    """Read what is to be asked about, and begin a session or go on with one.

    Parameters
    ----------
    path : path
        What ``comraf organize`` or ``comraf cluster`` takes.
    place : path
        The folder of the answers and the groups.
    options : AskOptions
    stack : ExitStack
        Keeps what was read until it is closed.
    listener : callable, optional
        Called with every event of the work.

    Returns
    -------
    Regrouping
        Its ``session`` has the questions and takes the answers; it groups by them.
    """
    options = checked(options)
    k, seed = options.n_clusters, options.random_state
    how: dict[str, Any] = {"method": options.method, "k": k, "metric": options.metric}
    how |= {"link_weight": options.link_weight, "seed": seed}
    search: dict[str, Any] = {
        "effort": options.effort,
        "random_state": seed,
        "n_jobs": options.n_jobs,
    }
    items: Items
    make: Callable[[Session], Regrouping[Any]]
    if options.is_table(path):
        # people are shown counts, and answers are about these; the search weights them
        named = {name: getattr(options, name) for name in ("format", "row_names", "column_names")}
        task = read_task(
            path, ClusterOptions(n_clusters=k or 2, weighting="raw", **search, **named)
        )
        items, task = Rows(task.graph), task.weighted("root_rows")

        def make(session: Session) -> Regrouping[Any]:
            return OfRows(task, session, **how)

    else:
        read = {field.name: getattr(options, field.name) for field in fields(Reading)}
        grouping = OrganizeOptions(n_clusters=k, by=options.by, **search, **read)
        gathered = read_documents(path, grouping, stack, listener, place.parent)
        collection = Near().join(gathered, lambda text: say(listener, text), path, options.by)
        # what can't be clustered is refused before any question
        items = documents = Documents(collection, wanted_sides(grouping, collection))

        def make(session: Session) -> Regrouping[Any]:
            return OfDocuments(grouping, path, documents, session, **how)

    if k is not None and k > len(items):
        raise InputError(
            "{given} is more than the {n:,} {noun}s that can be asked about; ask for fewer",
            "n_clusters",
            k,
            n=len(items),
            noun=items.noun,
        )
    answers = options.answers_from
    oracle = None if answers is None else label_oracle(items, Path(answers))
    if oracle is not None and oracle.n_known < len(items):
        warnings.warn(
            f"{answers} has a label for {oracle.n_known:,} of {len(items):,} {items.noun}s; what "
            'is asked about the others is answered with "don\'t know"',
            NoticeWarning,
            stacklevel=2,
        )
    known = known_links(items, options.must_link, options.cannot_link)
    again = make(Session(items, place, lambda: _learner(options), known))
    again.oracle = oracle
    again.before = None if options.is_table(path) else _before(place)
    return again


def _learner(options: AskOptions) -> Any:
    from comraf.active import NPU, ExploreConsolidate, MinMax, RandomPairs

    how: dict[str, Any] = {"metric": options.metric, "random_state": options.random_state}
    if options.learner == "random":
        return RandomPairs(options.questions, **how)
    if options.noise or options.outliers:
        how |= {"noise": options.noise, "outliers": options.outliers}
    kind: Any = {"minmax": MinMax, "npu": NPU}.get(options.learner, ExploreConsolidate)
    return kind(options.questions, options.n_clusters, **how)


def _before(place: Path) -> Result | None:
    """The groups of an earlier session, if they can be read."""
    try:
        return result_in(place)
    except ComrafError:
        return None


class Items(ABC):
    """Those that can be asked about.

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


class Rows(Items):
    """The rows of a table of counts, shown by their columns.

    Parameters
    ----------
    graph : Graph
        Rows and columns, and the table between them.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> nodes = [Node("rows", values=["ant", "bee"], n_clusters=2), Node("columns", n_clusters=1)]
    >>> rows = Rows(Graph(nodes, [Edge("rows", "columns", [[5, 0, 1], [0, 2, 0]])]))
    >>> list(rows.described(0)), rows.ids
    ([('ant', 2), ('0 (5), 2 (1)', 5)], ['ant', 'bee'])
    """

    noun, side = "row", "rows"

    def __init__(self, graph: Graph) -> None:
        import scipy.sparse as sp

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


class Documents(Items):
    """The documents of a collection.

    Parameters
    ----------
    collection : Collection
        What was read.
    by : sequence of str
        Sides that make the groups. Rows are made of words where they are among these.

    Attributes
    ----------
    sides : list of str
        Those that rows are made of.
    """

    noun, side = "document", "documents"

    def __init__(self, collection: Collection, by: Sequence[str]) -> None:
        import scipy.sparse as sp

        self.collection = collection
        self._shown: dict[str, Sequence[str]] = {}
        if collection.photos is not None:
            self.noun = "photo"
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


def take_back(journal: Path) -> bool:
    r"""Cut the last answer off a journal; False where it has none.

    Each line after the first is one answer, so that the file is again what it was before.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "answers.jsonl")
    ...     _ = file.write_text('{"n": 3}\n{"a": 0}\n')
    ...     take_back(file), file.read_text(), take_back(file)
    (True, '{"n": 3}\n', False)
    """
    try:
        lines = journal.read_bytes().splitlines(keepends=True)
        if len(lines) < 2:
            return False
        with journal.open("r+b") as stream:
            stream.truncate(sum(map(len, lines[:-1])))
            os.fsync(stream.fileno())
    except OSError as error:
        raise WriteError(f"{journal}: can't be written: {error.strerror or error}") from error
    return True


class Session:
    """A learner with its journal in a folder, and the files of links that follow from it.

    Parameters
    ----------
    items : Items
        What is asked about.
    place : path
        The folder; it is made if it is not there.
    learner : callable
        Makes a learner that has not begun.
    known : mapping, optional
        Links that are known before, ``known_must`` and ``known_cannot``, as the learner takes them.
    """

    def __init__(
        self,
        items: Items,
        place: Path,
        learner: Callable[[], Any],
        known: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    ) -> None:
        from comraf.results.files import set_aside

        self.items, self.place, self._learner = items, place, learner
        self._known = dict(known or {})
        self.journal = place / ANSWERS
        self._made = not place.exists()
        self._new = not self.journal.exists()
        try:
            place.mkdir(parents=True, exist_ok=True)
            for name in LINKS.values() if self._new else ():
                set_aside(place / name)
        except OSError as error:
            raise WriteError(f"{place}: can't be made: {error.strerror or error}") from error
        self.begin()

    def begin(self) -> None:
        """Start, or go on from what the journal has."""
        self.learner = self._learner()
        try:
            self.learner.start(
                self.items.X, journal=self.journal, ids=self.items.ids, **self._known
            )
        except InputError as error:
            if error.code != "other_items":
                self.leave()
                raise
            earlier = Message("")
            if (self.place / "collection").is_dir():
                text = (
                    ", or go on with those that were there then: ask({folder!r}, {folder!r}, ...)"
                )
                earlier = Message(text, {"folder": str(self.place)}, "asked_before")
            raise InputError(
                "{journal} has answers about other {noun}s than are there now; begin anew with "
                "another {p[place]}{earlier}",
                journal=self.journal,
                noun=self.items.noun,
                earlier=earlier,
            ) from None

    def answer_by(self, oracle: LabelOracle) -> None:
        """Let somebody answer who need not be shown anything."""
        while (pair := self.learner.query()) is not None:
            self.learner.answer(oracle.same(*pair))

    def undo(self) -> bool:
        """Take the last answer back, whenever it was given; False where there is none."""
        if not take_back(self.journal):
            return False
        self.begin()
        return True

    def leave(self) -> None:
        """Where nothing was answered, nothing stays behind."""
        if self._new and not _answers_in(self.journal):
            with suppress(OSError):
                self.journal.unlink(missing_ok=True)
                if self._made:
                    self.place.rmdir()

    def found(self) -> Constraints:
        """What is known so far."""
        found: Constraints = self.learner.result()
        return found

    def write_links(self) -> list[Path | None]:
        """Files that ``comraf organize`` takes; None in place of one without links."""
        from comraf.results.files import csv_lines

        found, ids = self.found(), self.items.ids
        written: list[Path | None] = []
        for what, name in LINKS.items():
            pairs = getattr(found, what)
            path = self.place / name
            if not len(pairs):
                # One from before an answer was taken back would say what is no longer so.
                path.unlink(missing_ok=True)
                written.append(None)
                continue
            named = ((ids[i], ids[j]) for i, j in pairs)
            write_whole(path, csv_lines([("id1", "id2"), *named]))
            written.append(path)
        return written

    def told(self) -> str:
        """What was learnt, in a sentence."""
        found = self.found()
        before = {what: len(self._known.get(f"known_{what}", ())) for what in ("must", "cannot")}
        same = len(found.must_link) - found.n_inferred - before["must"]
        different = len(found.cannot_link) - before["cannot"]
        parts = [f"{same:,} same", f"{different:,} different"]
        if len(found.unsure):
            parts.append(f"{len(found.unsure):,} don't know")
        if len(found.left_out):  # with noise
            parts.append(f"{len(found.left_out):,} outvoted or not yet confirmed by others")
        said = f"{counted(found.n_asked, 'answer')}: {', '.join(parts)}"
        if found.n_inferred:
            said += f"; {found.n_inferred:,} more same, as no other group is left"
        if found.n_known:
            said += f"; {counted(found.n_known, 'link')} known before"
        placed = sum(len(rows) for rows in found.neighbourhoods)
        if placed and found.n_asked:
            sets = counted(len(found.neighbourhoods), "set")
            said += f"; {counted(placed, self.items.noun)} in {sets} that belong together"
        return said + "."


def _answers_in(journal: Path) -> int:
    try:
        return max(0, journal.read_bytes().count(b"\n") - 1)
    except OSError:
        return 0


def known_links(items: Items, must: Any, cannot: Any) -> dict[str, list[tuple[int, int]]]:
    """Links of files between those that can be asked about, each once, by their row among these."""
    told = Known.read(Links(must_link=must, cannot_link=cannot))
    facts = told.about({items.side: Members(items.n, items.names)}, items.side)
    place = {int(row): number for number, row in enumerate(items.rows)}
    found: dict[str, list[tuple[int, int]]] = {}
    for name, links in (("known_must", facts.must_link), ("known_cannot", facts.cannot_link)):
        pairs = {tuple(sorted(map(int, link[:2]))) for link in links.get(items.side, ())}
        there = [(place[i], place[j]) for i, j in sorted(pairs) if {i, j} <= place.keys()]
        if len(there) < len(pairs):
            lost = counted(len(pairs) - len(there), "known link")
            warnings.warn(
                f"{lost} left out: {items.noun}s without counts can't be grouped",
                NoticeWarning,
                stacklevel=3,
            )
        if there:
            found[name] = there
    return found


def label_oracle(items: Items, path: Path) -> LabelOracle:
    """A file of labels that answers; whoever has no label there is not known."""
    from comraf.active import LabelOracle

    told = Known.read(Labels(labels=[str(path)]))
    facts = told.about({items.side: Members(items.n, items.names)}, items.side)
    labels = facts.labels.get(items.side, {})
    return LabelOracle([labels.get(int(i)) for i in items.rows])


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
    oracle : LabelOracle or None
        Who answers instead of a person.
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
        self.oracle: LabelOracle | None = None

    @property
    def k(self) -> int:
        """How many groups there are to be."""
        return self._k or max(2, len(self.session.found().neighbourhoods))

    def group(self, listener: Listener = unheard) -> _T:
        """Cluster by what is known now."""
        must, cannot = self.session.write_links()
        given = None if must is None and cannot is None else self.link_weight
        known = Known.read(
            Links(must_link=_option(must), cannot_link=_option(cannot), link_weight=given)
        )
        try:
            return self._grouped(known, listener)
        except ConflictError as error:
            raise error.about(
                "{error}; all answers are kept in {journal}: the same {call} with a larger "
                "{p[n_clusters]} than {k}, or with {p[link_weight]}, goes on from them",
                call=Message("call", code="call"),
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
    def write(self, done: _T, place: Path) -> None:
        """The folder of the answer; answers that are in it stay."""

    @abstractmethod
    def cut_short(self, done: _T) -> bool:
        """Whether Ctrl-C ended the search."""

    @abstractmethod
    def _grouped(self, known: Known, listener: Listener) -> _T: ...

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


class OfDocuments(Regrouping[Answer]):
    """Groups of documents, in the way of ``comraf organize``.

    Parameters
    ----------
    options : OrganizeOptions
        As for ``comraf organize``.
    path : path
        What was read.
    items : Documents
        What the session asks about.
    session, **options
        As for `Regrouping`.
    """

    def __init__(
        self,
        options: OrganizeOptions,
        path: Any,
        items: Documents,
        session: Session,
        **how: Any,
    ) -> None:
        super().__init__(session, **how)
        self.options, self.path, self._items = options, path, items

    def write(self, done: Answer, place: Path) -> None:
        """The folder, as ``comraf organize`` writes it."""
        done.save(place, force=True)

    def cut_short(self, done: Answer) -> bool:
        """Whether Ctrl-C ended the search, or the look at what it found."""
        return done.organizer.result_.interrupted or done.unchecked

    def _result(self, done: Answer) -> Result:
        return done.result

    def _grouped(self, known: Known, listener: Listener) -> Answer:
        options = replace(self.options, n_clusters=self.k)
        collection = self._items.collection
        if self.method != "hmrf":
            return group(collection, options, known, listener, self.path)
        graph = observed_graph(options, collection, self._items.sides, self.k)
        result = self._by_means(graph)
        facts = Facts()
        if known:
            members = Members(len(collection), collection.ids, self.k)
            facts = known.about({DOCUMENTS: members}, DOCUMENTS)
        return Answer(
            collection,
            given_groups(graph, collection, result, options.weighting),
            options=options,
            path=self.path,
            facts=facts,
            known=known.kept_to(facts, result),
            method="HMRFKMeans",
        )


class OfRows(Regrouping[Clustered]):
    """Groups of the rows of a table, in the way of ``comraf cluster``.

    Parameters
    ----------
    task : Task
        The table as a graph, and how to search.
    session, **options
        As for `Regrouping`.
    """

    def __init__(self, task: Task, session: Session, **options: Any) -> None:
        super().__init__(session, **options)
        self.task = task

    def write(self, done: Clustered, place: Path) -> None:
        """The folder, as ``comraf cluster`` writes it."""
        done.save(place, force=True)

    def cut_short(self, done: Clustered) -> bool:
        """Whether Ctrl-C ended the search."""
        return done.result.interrupted

    def _result(self, done: Clustered) -> Result:
        return done.result

    def _grouped(self, known: Known, listener: Listener) -> Clustered:
        task = self.task
        if self._k is None:
            first, *others = task.graph.nodes
            nodes = [replace(first, n_clusters=self.k), *others]
            graph = type(task.graph)(nodes, task.graph.edges)
            task = replace(task, graph=graph, parameters={**task.parameters, "k": self.k})
        if self.method != "hmrf":
            return perform(task, known, listener)
        facts = known.about_graph(task.graph)
        said = {**task.parameters, "method": "hmrf"}
        graph = _observed(task.graph)
        task = replace(task, graph=graph, method="HMRFKMeans", parameters=said)
        result = self._by_means(task.graph)
        return Clustered(task, result, known=known.kept_to(facts, result), only="rows")


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
