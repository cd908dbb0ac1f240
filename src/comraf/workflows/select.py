"""``select``: which sides, weights, sizes and numbers of groups to ask ``organize`` for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from comraf.errors import InputError, Setting
from comraf.progress import Listener, say, unheard
from comraf.workflows.answer import DOCUMENTS, source_name
from comraf.workflows.knowledge import Known, Members
from comraf.workflows.naming import counted, noun_of, path_name
from comraf.workflows.neighbours import NeighbourRequest, Neighbours
from comraf.workflows.options import Option, names_from, takes
from comraf.workflows.organize import OrganizeOptions, Weighing, read_documents, wanted_sides
from comraf.workflows.photos import PhotoOptions
from comraf.workflows.reading import Counting, Reading
from comraf.workflows.search import Effort, Jobs, LongRun, Seed

if TYPE_CHECKING:
    from comraf.select import Score, Selection

__all__ = ["SelectOptions", "Selected", "select"]


@dataclass(frozen=True, kw_only=True)
class Trying:
    """What is tried, and how it is ranked.

    Parameters
    ----------
    n_clusters : int
        How many groups. Without it a number is suggested; with labels or links, several are tried.
    by : sequence of str
        Sides to choose among, separated by commas: words,people. Default: those that make groups by
        default.
    labels : sequence of str, mapping or array-like
        Rank by classes that are known of some items: a line for each, its id and its class.
        Without it, and without links, by all known classes, if `truth` says where they are, or else
        by what groups foretell. Example: --labels known.csv
    must_link : sequence of str, or array-like
        Rank by items that belong together: two ids a line. Needs `cannot_link`, too. Example:
        --must-link together.csv
    cannot_link : sequence of str, or array-like
        Rank by items that don't belong together, in the same form. Example: --cannot-link apart.csv
    tries : int
        How many choices are tried.
    effort : {"quick", "default", "thorough", "paper"}
        What each search by labels or links may cost. Without them all are quick.
    """

    n_clusters: Annotated[int | None, Option("-k", "--clusters", metavar="N", least=1)] = None
    by: Annotated[Sequence[str] | None, Option(metavar="SIDES", read=names_from)] = None
    labels: Annotated[list[str] | None, Option(metavar="FILE")] = None
    must_link: Annotated[list[str] | None, Option(metavar="FILE")] = None
    cannot_link: Annotated[list[str] | None, Option(metavar="FILE")] = None
    tries: Annotated[int, Option(metavar="N", least=1, most=1000)] = 10
    effort: Effort = "default"


@dataclass(frozen=True, kw_only=True)
class SelectOptions(
    Trying, Weighing, Jobs, Seed, Reading, Counting, Neighbours, PhotoOptions, LongRun
):
    """Options of `select`."""

    @property
    def reading(self) -> OrganizeOptions:
        """How documents are read and counted."""
        own = _names(Trying) - {"by"}
        given = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in own}
        return OrganizeOptions(**given)

    @property
    def given(self) -> dict[str, Any]:
        """How documents are read, counted and weighed, where it is not as by default."""
        about_trying = _names(Trying) | _names(Jobs) | _names(LongRun)
        plain = SelectOptions()
        given = {name: getattr(self, name) for name in _names(SelectOptions) - about_trying}
        return {
            name: str(value) if isinstance(value, Path) else value
            for name, value in sorted(given.items())
            if value != getattr(plain, name)
        }

    def check(self, path: Any) -> tuple[NeighbourRequest, Known]:
        """Refuse what can't be meant before anything is read; what is known from files."""
        from comraf.select.choosing import check_both_kinds

        check_both_kinds(self.must_link is not None, self.cannot_link is not None)
        return self.reading.check(path)[0], Known.read(self)  # type: ignore[arg-type]


def _names(options: type) -> set[str]:
    return {one.name for one in fields(options)}


@dataclass(frozen=True, eq=False)
class Selected:
    """Choices that were tried, and the one to take.

    Attributes
    ----------
    path : path-like or data frame
        What they are about.
    options : SelectOptions
        What was asked for.
    found : Selection
        What was tried, see `comraf.select.choose`.
    n_items : int
        How many items there are.
    noun : str
        What one of them is called.
    notes : tuple of str
        What one should know of it.
    """

    path: Any
    options: SelectOptions
    found: Selection
    n_items: int
    noun: str
    notes: tuple[str, ...] = ()

    heading = ("place", "choice", "information", "foretold", "agreement", "gain", "error")

    @property
    def scores(self) -> tuple[Score, ...]:
        """By what the choices are ranked, the best first."""
        found = self.found
        return tuple(one.agreement if found.n_known else one.foretold for one in found.ranked)

    def __repr__(self) -> str:
        tried = counted(len(self.found.tried), "choice")
        return f"Selected({tried} for {counted(self.n_items, self.noun)}; {self.found.sentence})"

    @property
    def chosen(self) -> dict[str, Any]:
        """What to ask `organize` for, as it was read here: ``organize(path, **found.chosen)``."""
        asks = self.found.options
        if self.options.by is None and not self.found.worthwhile:
            del asks["by"]  # organize takes the same, but for sides that harm
        return asks | self.options.given

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The same as parameters with values, which each front door names in its own way."""
        return tuple(Setting(name, value) for name, value in self.chosen.items())

    def rows(self) -> Iterator[list[Any]]:
        """A line for each choice, the best first."""
        for place, (one, own) in enumerate(zip(self.found.ranked, self._numbers(), strict=True), 1):
            numbers = (one.information, *own)
            yield [place, str(one.choice), *(None if n != n else round(n, 4) for n in numbers)]

    def _numbers(self) -> Iterator[tuple[float, float, float, float]]:
        """Of each choice what is foretold, agreement, gain and its error, the best first."""
        for one, score in zip(self.found.ranked, self.scores, strict=True):
            yield one.foretold.value, one.agreement.value, score.gain, score.error

    @property
    def _known(self) -> str:
        """How many labels and links they were ranked by; "" without any."""
        found = ((self.found.n_labels, "label"), (self.found.n_links, "link"))
        return " and ".join(counted(n, what) for n, what in found if n)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        found = self.found
        return {
            "source": path_name(self.path),
            "items": self.n_items,
            "labels": found.n_labels,
            "links": found.n_links,
            "main": found.main,
            "worthwhile": found.worthwhile,
            "said": found.sentence,
            "chosen": self.chosen,
            "tried": [
                {**dict(zip(self.heading, row, strict=True)), "asks": one.choice.options}
                for row, one in zip(self.rows(), found.ranked, strict=True)
            ],
            "numbers": None if found.numbers is None else found.numbers.to_dict(),
            "notes": [*self.notes],
        }

    def page(self, *, ask: str = "") -> str:
        """A page of HTML that stands alone: each choice as a point, and what to ask for.

        Parameters
        ----------
        ask : str
            How to ask for it; by default a call from Python.
        """
        from datetime import datetime

        from comraf import __version__
        from comraf.report.selection import Point, SelectionData, render_selection

        found = self.found
        points = tuple(
            Point(str(one.choice), one.information, *numbers)
            for one, numbers in zip(found.ranked, self._numbers(), strict=True)
        )
        given = "".join(f", {name}={value!r}" for name, value in self.chosen.items())
        return render_selection(
            SelectionData(
                source_name(Path(path_name(self.path))),
                points,
                best=found.ranked.index(found.best),
                first=found.ranked.index(found.tried[0]),
                sentence=found.sentence,
                ask=ask or f"comraf.organize(path{given})",
                many=counted(self.n_items, self.noun),
                known=self._known,
                correlation=found.correlation,
                notes=self.notes,
                made=datetime.now().astimezone(),
                version=__version__,
            )
        )


@takes(SelectOptions)
def select(
    path: Any,
    n_clusters: int | None = None,
    *,
    options: SelectOptions,
    listener: Listener = unheard,
    beside: Path | None = None,
) -> Selected:
    """Try sides, weights, sizes and numbers of groups, and say which to ask `organize` for.

    Parameters
    ----------
    path : path-like or data frame
        Whatever ``comraf organize`` takes.
    n_clusters : int, optional
        How many groups; by default a number that the documents suggest.
    listener : callable, optional
        Called with every event of the work.
    beside : path-like, optional
        Folder on whose disk the collection is kept meanwhile; by default that of temporary files.
    options
        All others as for ``comraf select``; see `SelectOptions`.

    Returns
    -------
    Selected
    """
    from comraf.select import choose

    path = Path(path) if isinstance(path, str) else path
    near, known = options.check(path)
    k = options.n_clusters if n_clusters is None else n_clusters
    with ExitStack() as stack:
        reading = options.reading
        collection = read_documents(path, reading, stack, listener, beside)
        collection = near.join(collection, lambda text: say(listener, text), path, options.by)
        noun, n = noun_of(collection), len(collection)
        if k is not None and k > n:
            text = "{given} is more than the {read} read; ask for fewer"
            raise InputError(text, "n_clusters", k, read=counted(n, noun))
        members = {DOCUMENTS: Members(n, collection.ids)}
        facts = known.about(members, DOCUMENTS)
        labels = dict(facts.labels.get(DOCUMENTS, {}))
        if not facts and collection.truth is not None:
            labels = {row: name for row, name in enumerate(collection.truth) if name}
        try:
            found = choose(
                collection,
                k,
                by=wanted_sides(reading, collection),
                labels=labels if not _useless(labels) else None,
                must_link=facts.must_link.get(DOCUMENTS),
                cannot_link=facts.cannot_link.get(DOCUMENTS),
                tries=options.tries,
                weighting=options.weighting,
                edge_weights=options.edge_weights,
                observe=options.observe,
                effort=options.effort,
                random_state=options.random_state,
                listener=listener,
                **options.long_parameters() | {"n_jobs": options.n_jobs},
            )
        except TimeoutError as error:
            raise InputError("{given} is over: {error}", "time_limit", ..., error=error) from None
        return Selected(path, options, found, n, noun, _notes(found, labels))


def _useless(labels: dict[int, str]) -> str:
    """Why nothing can be ranked by some labels; "" if it can."""
    from comraf.select.choosing import FEWEST_LABELS

    if len(set(labels.values())) < 2:
        return "all labels are of one class"
    few = len(labels) < FEWEST_LABELS
    return f"{len(labels)} labels are fewer than {FEWEST_LABELS}" if few else ""


def _notes(found: Selection, labels: dict[int, str]) -> tuple[str, ...]:
    """What one should know of how they were ranked, and which other numbers are good."""
    from comraf.workflows.naming import other_numbers

    notes: list[str] = []
    if labels and not found.n_labels:
        notes.append(f"{_useless(labels)}, so nothing is ranked by them")
    return (*notes, *other_numbers(found.numbers))
