"""``ask``: a person is asked about pairs of documents, and the groups heed the answers."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
from comraf.workflows.answer import Answer, Held, Holding, result_in
from comraf.workflows.cluster import Clustered, ClusterOptions, TableFile, read_task
from comraf.workflows.knowledge import Known, Labels, Links, Members, check_link_weight
from comraf.workflows.naming import counted
from comraf.workflows.neighbours import NeighbourRequest
from comraf.workflows.options import Option, names_from, takes
from comraf.workflows.organize import OrganizeOptions, SideAmounts, read_documents
from comraf.workflows.questions import Documents, Items, Rows, learner_of
from comraf.workflows.reading import Reading
from comraf.workflows.search import Effort, Jobs, Seed

if TYPE_CHECKING:
    from comraf.active import Constraints, LabelOracle, Oracle
    from comraf.graph import Graph
    from comraf.results import Result

__all__ = ["ANSWERS", "LINKS", "AskOptions", "Asking", "ask", "what_changed"]

#: Where answers are kept within the folder, and what follows from them.
ANSWERS = "answers.jsonl"
LINKS = {"must_link": "must-link.csv", "cannot_link": "cannot-link.csv"}
# Endings that only tables of counts have.
_TABLES = (".npz", ".npy", ".mtx")
_OF_SIDES = ("by", "weight", "side_clusters")


@dataclass(frozen=True, kw_only=True)
class AskOptions(SideAmounts, TableFile, Links, Reading, Seed, Jobs):
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
    effort: Effort = "default"

    def is_table(self, path: Path) -> bool:
        """Whether a path is a table of counts."""
        return self.format is not None or path.suffix.lower() in _TABLES

    def check(self, path: Path) -> None:
        """Refuse what can't be meant, before anything is read."""
        self.check_jobs()
        check_link_weight(self.link_weight)
        for option, share, most in (("noise", self.noise, 0.5), ("outliers", self.outliers, 1.0)):
            if not 0 <= share < most:
                text = "{given} is not possible; give 0 or more, below {most:g}"
                raise InputError(text, option, share, most=most)
            if share and self.learner not in ("explore", "minmax"):
                text = "{name} is for the learners explore and minmax"
                raise InputError(text, option, share, name=Parameter(option))
        if self.method == "hmrf" and (self.weight or self.side_clusters):
            name = Parameter("weight" if self.weight else "side_clusters")
            raise InputError("{name} has no meaning for {given}", "method", "hmrf", name=name)
        columns = ("text", "title", "id", "date", "truth", "people", "lists", "values")
        _check_kind(
            self, self.is_table(path), (*columns, *_OF_SIDES, "kind", "separator"), "documents"
        )
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


@takes(AskOptions)
def ask(
    path: str | os.PathLike[str],
    place: str | os.PathLike[str],
    *,
    options: AskOptions,
    listener: Listener = unheard,
) -> Asking:
    r"""Read what is to be asked about, and begin to ask or go on with it.

    Parameters
    ----------
    path : path-like
        What ``comraf organize`` or ``comraf cluster`` takes.
    place : path-like
        The folder of the answers and the groups.
    listener : callable, optional
        Called with every event of the work.
    options
        All others as for ``comraf ask``; see `AskOptions`.

    Returns
    -------
    Asking
        It has the questions, takes the answers and groups by them. Close it, or use it in a
        ``with`` statement: the documents that were read are on the disk as long as it is open.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "texts.csv")
    ...     texts = ["a ship at sea", "tea in a cup", "a boat at sea", "a cup of tea"]
    ...     _ = file.write_text("key,text\n" + "".join(f"{t},{t}\n" for t in texts))
    ...     with ask(file, Path(folder, "asked"), id="key", n_clusters=2, questions=4) as asking:
    ...         while (pair := asking.question()) is not None:
    ...             one, other = (texts[row].split()[-1] in ("sea", "ship") for row in pair)
    ...             asking.answer(one == other)
    ...         answer = asking.group()
    >>> len(set(answer.labels_.tolist()))
    2
    """
    path, place = Path(path), Path(place)
    options.check(path)
    k = options.n_clusters
    search: dict[str, Any] = {
        name: getattr(options, name) for name in ("effort", "random_state", "n_jobs")
    }
    with ExitStack() as stack:
        items: Items
        if options.is_table(path):
            table = ClusterOptions(
                n_clusters=k or 2, weighting="raw", **search, **options.for_table()
            )
            items = Rows(read_task(path, table))
        else:
            sides = {name: getattr(options, name) for name in _OF_SIDES}
            read = {field.name: getattr(options, field.name) for field in fields(Reading)}
            grouping = OrganizeOptions(n_clusters=k, **sides, **search, **read)
            gathered = read_documents(path, grouping, stack, listener, place.parent)
            collection = NeighbourRequest().join(
                gathered, lambda text: say(listener, text), path, options.by
            )
            # what can't be clustered is refused before any question
            items = Documents(collection, grouping, path)
        if k is not None and k > len(items):
            raise InputError(
                "{given} is more than the {n:,} {noun}s that can be asked about; ask for fewer",
                "n_clusters",
                k,
                n=len(items),
                noun=items.noun,
            )
        asking = Asking(items, place, options)
        asking.held.stack.push(stack.pop_all())
    return asking


class Asking(Holding):
    """Questions about a collection, their answers in a folder, and the groups that follow.

    Attributes
    ----------
    items : Items
        What is asked about; `Items.described` shows one.
    place : Path
        The folder of the answers and the groups.
    options : AskOptions
    oracle : LabelOracle or None
        Who answers instead of a person: the labels of ``answers_from``.
    """

    def __init__(self, items: Items, place: Path, options: AskOptions) -> None:
        from comraf.results.files import set_aside

        self.items, self.place, self.options, self.held = items, place, options, Held()
        self.oracle = None if options.answers_from is None else self._oracle(options.answers_from)
        self._known = _known_links(items, options)
        self._before = _groups_in(place)
        self.journal = place / ANSWERS
        self._made = not place.exists()
        self._new = not self.journal.exists()
        try:
            place.mkdir(parents=True, exist_ok=True)
            for name in LINKS.values() if self._new else ():
                set_aside(place / name)
        except OSError as error:
            raise WriteError(f"{place}: can't be made: {error.strerror or error}") from error
        self._begin()

    def _begin(self) -> None:
        """Start, or go on from what the journal has."""
        options = self.options
        self.learner = learner_of(
            options.learner,
            options.questions,
            options.n_clusters,
            metric=options.metric,
            random_state=options.random_state,
            noise=options.noise,
            outliers=options.outliers,
        )
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

    def _oracle(self, path: Path) -> LabelOracle:
        """A file of labels that answers; whoever has no label there is not known."""
        from comraf.active import LabelOracle

        items = self.items
        given = Known.read(Labels(labels=[str(path)]))
        facts = given.about({items.side: Members(items.n, items.names)}, items.side)
        labels = facts.labels.get(items.side, {})
        oracle = LabelOracle([labels.get(int(i)) for i in items.rows])
        if oracle.n_known < len(items):
            warnings.warn(
                f"{path} has a label for {oracle.n_known:,} of {len(items):,} {items.noun}s; what "
                'is asked about the others is answered with "don\'t know"',
                NoticeWarning,
                stacklevel=4,
            )
        return oracle

    @property
    def n_asked(self) -> int:
        """Questions answered so far, those of earlier sessions among them."""
        return int(self.learner.n_asked)

    def question(self) -> tuple[int, int] | None:
        """Two items to ask about, the same until answered; None when nothing is to be asked."""
        pair: tuple[int, int] | None = self.learner.query()
        return pair

    def answer(self, same: object) -> None:
        """Answer the present question: True, False, or None for "don't know"."""
        self.learner.answer(same)

    def answer_by(self, oracle: Oracle) -> None:
        """Let somebody answer who need not be shown anything."""
        while (pair := self.question()) is not None:
            self.answer(oracle.same(*pair))

    def undo(self) -> bool:
        """Take the last answer back, whenever it was given; False where there is none."""
        from comraf.active.journal import take_back

        if not take_back(self.journal):
            return False
        self._begin()
        return True

    def leave(self) -> None:
        """Where nothing was answered, nothing stays behind."""
        answered = self.journal.exists() and self.journal.read_bytes().count(b"\n") > 1
        if self._new and not answered:
            with suppress(OSError):
                self.journal.unlink(missing_ok=True)
                if self._made:
                    self.place.rmdir()

    def found(self) -> Constraints:
        """What is known so far."""
        found: Constraints = self.learner.result()
        return found

    def write_links(self) -> dict[str, list[str]]:
        """Write files that ``comraf organize`` takes; by what they have, without empty ones."""
        from comraf.results.files import csv_lines

        found, ids = self.found(), self.items.ids
        written: dict[str, list[str]] = {}
        for what, name in LINKS.items():
            pairs = getattr(found, what)
            path = self.place / name
            if not len(pairs):
                # One from before an answer was taken back would say what is no longer so.
                path.unlink(missing_ok=True)
                continue
            named = ((ids[i], ids[j]) for i, j in pairs)
            write_whole(path, csv_lines([("id1", "id2"), *named]))
            written[what] = [str(path)]
        return written

    def summary(self) -> str:
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

    @property
    def k(self) -> int:
        """How many groups there are to be: by default as many as the answers have told apart."""
        return self.options.n_clusters or max(2, len(self.found().neighbourhoods))

    def group(self, listener: Listener = unheard) -> Answer | Clustered:
        """Cluster by what is known now."""
        links = self.write_links()
        weight = self.options.link_weight if links else None
        must, cannot = links.get("must_link"), links.get("cannot_link")
        known = Known.read(Links(must_link=must, cannot_link=cannot, link_weight=weight))
        try:
            if self.options.method == "hmrf":
                return self.items.grouped_by(self._by_means, known, self.k)
            return self.items.grouped(known, self.k, listener)
        except ConflictError as error:
            raise error.about(
                "{error}; all answers are kept in {journal}: the same {call} with a larger "
                "{p[n_clusters]} than {k}, or with {p[link_weight]}, goes on from them",
                call=Message("call", code="call"),
                journal=self.journal,
                k=self.k,
            ) from None

    def save(self, done: Answer | Clustered) -> None:
        """Write groups into the folder; answers that are in it stay."""
        done.save(self.place, force=True)

    def changed(self, done: Answer | Clustered) -> str | None:
        """What became of the groups that were there before; these are remembered instead."""
        now, before = done.result, self._before
        self._before = now
        items = self.items
        return None if before is None else what_changed(before, now, items.side, items.noun)

    def _by_means(self, graph: Graph) -> Result:
        """Groups of the graph's first node by k-means with prices, the largest first."""
        from time import perf_counter

        import numpy as np

        from comraf.kmeans import HMRFKMeans
        from comraf.results.solved import partition

        start = perf_counter()
        items, found, options, k = self.items, self.found(), self.options, self.k
        model = HMRFKMeans(
            k,
            metric=options.metric,
            link_weight="auto" if options.link_weight is None else options.link_weight,
            random_state=options.random_state,
        )
        model.fit(items.X, must_link=found.must_link, cannot_link=found.cannot_link)
        sizes = np.bincount(model.labels_, minlength=k)
        number = np.empty(k, dtype=np.int32)
        number[np.argsort(-sizes, kind="stable")] = np.arange(k)
        # As everywhere: what nothing is known of is in the first group.
        labels = np.zeros(items.n, dtype=np.int32)
        labels[items.rows] = number[model.labels_]
        result = partition(graph, labels, k)
        return replace(result, seconds=perf_counter() - start)

    def __repr__(self) -> str:
        return f"Asking({len(self.items):,} {self.items.noun}s; {self.summary().rstrip('.')})"


def _groups_in(place: Path) -> Result | None:
    """The groups of an earlier session, if they can be read."""
    try:
        return result_in(place)
    except ComrafError:
        return None


def _known_links(items: Items, options: AskOptions) -> dict[str, list[tuple[int, int]]]:
    """Links of files between those that can be asked about, each once, by their row among these."""
    given = Known.read(Links(must_link=options.must_link, cannot_link=options.cannot_link))
    facts = given.about({items.side: Members(items.n, items.names)}, items.side)
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
                stacklevel=4,
            )
        if there:
            found[name] = there
    return found


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
