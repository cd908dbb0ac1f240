"""``organize``: from a path or a data frame to groups that all sides of a collection agree on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from comraf.errors import InputError, Note, Parameter, Setting, code_of
from comraf.inference.methods import METHODS
from comraf.progress import Event, Listener, say, unheard
from comraf.store import nearest_existing, scratch_folder
from comraf.workflows.answer import NO_TEXT, Answer, collection_in, given_groups
from comraf.workflows.knowledge import Facts, Known, Labels, Links, Members, doubtful_labels
from comraf.workflows.naming import (
    counted,
    left_out,
    noun_of,
    other_numbers,
    path_name,
    structure_warnings,
    unplaced,
)
from comraf.workflows.neighbours import NeighbourRequest, Neighbours
from comraf.workflows.options import Option, describe, names_from, takes
from comraf.workflows.photos import PhotoOptions
from comraf.workflows.reading import COLUMNS, Counting, Reading
from comraf.workflows.search import (
    WRITTEN,
    LongRun,
    Search,
    SideClusters,
    SideWeights,
    Spread,
    Watch,
    Weighting,
)

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.estimators.organizer import Organizer
    from comraf.graph import Graph
    from comraf.results.model import Model
    from comraf.select import Audit, Numbers, Structure
    from comraf.supervision import WordKnowledge

__all__ = [
    "Grouping",
    "OrganizeOptions",
    "SideAmounts",
    "Weighing",
    "counted_sides",
    "group",
    "observed_graph",
    "organize",
    "other_model",
    "read_documents",
    "wanted_sides",
]

#: The graph of photos and their regions by name.
REGIONS = "regions"
_SPECS = (".yaml", ".yml")
# Options that an answer keeps by their own names.
_WRITTEN = ("graph", "weighting", "edge_weights", "weight", "side_clusters", "observe")
# Questions before the search may take so large a share of the time limit.
_QUESTIONS = 1 / 3

T = TypeVar("T")
_SIDES = Option(metavar="SIDES", read=names_from)


@dataclass(frozen=True, kw_only=True)
class Weighing:
    """What is counted, and what each side weighs.

    Parameters
    ----------
    weighting : str
        How counts enter, as damping+scaling: as they are (raw), as log(1 + count) (log), as their
        root (root), or that they are there (presence); then documents as long as they are (none),
        with the root of their length (root), or all alike (equal). root_rows is raw+root.
    edge_weights : {"root_mass", "equal", "mass", "information"}
        What each side weighs: the root of its counts, all alike, its counts (for sparse sides such
        as citations), or so that all could tell the same.
    observe : sequence of str
        Sides whose values stand as they are, while those of the others are grouped too; none groups
        them all. Default: citations, single parts of speech, colours, texture, blobs and neighbours
        of photos.
    """

    weighting: Weighting = "root_rows"
    edge_weights: Literal["root_mass", "equal", "mass", "information"] = "root_mass"
    observe: Annotated[Sequence[str] | None, _SIDES] = None


@dataclass(frozen=True, kw_only=True)
class SideAmounts:
    """What single sides weigh, and into how many clusters they are put.

    Parameters
    ----------
    weight : mapping of str to float
        Weights of single sides in place of those of the rule, separated by commas:
        people=0.3,subjects=2. The side with most counts has 1 by default.
    side_clusters : mapping of str to int
        Into how many clusters the values of sides are put, separated by commas:
        people=4,words=300. Default: as many as the search takes.
    """

    weight: SideWeights = None
    side_clusters: SideClusters = None

    def check_amounts(self, sides: Sequence[str]) -> None:
        """Refuse what is said of sides that make no groups."""
        for parameter in ("weight", "side_clusters"):
            for name in getattr(self, parameter) or ():
                if name not in sides:
                    raise InputError(parameter=parameter, given=name, allowed=list(sides))


@dataclass(frozen=True, kw_only=True)
class Grouping(SideAmounts, Weighing):
    """Which groups are made, and by which sides.

    Parameters
    ----------
    n_clusters : int
        How many groups.
    by : sequence of str
        Sides that make the groups, separated by commas: words,people,subjects. Default: these and
        all lists and values of a table, of photos words, colours, texture, blobs, neighbours. Also,
        if named: organisations, months, links, pos, style, of photos months, places.
    graph : str
        tree: every side joined to the documents; loopy: words also joined to the other sides
        (without words: all to all); regions: photos and their regions clustered at once, by
        captions, colours and texture (thesis 7.2); or a model spec (.yaml) whose tables are named
        after sides, such as people, or words+people for an edge between two of them.
    transfer_from : path-like
        The folder that comraf organize wrote for another collection about similar things: its
        words, grouped by the groups of its documents, help to find those here. Example:
        --transfer-from last-year-groups
    """

    n_clusters: Annotated[int | None, Option("-k", "--clusters", metavar="N", least=1)] = None
    by: Annotated[Sequence[str] | None, _SIDES] = None
    graph: Annotated[str, Option(metavar="SHAPE")] = "tree"
    transfer_from: Annotated[Path | None, Option(metavar="MODEL")] = None


@dataclass(frozen=True, kw_only=True)
class OrganizeOptions(
    Grouping, Search, Reading, Counting, Labels, Links, Neighbours, PhotoOptions, LongRun, Spread
):
    """Options of `organize`."""

    def check(self, path: Any) -> tuple[NeighbourRequest, Known]:
        """Refuse what can't be meant before anything is read; what is known from files."""
        self.check_jobs()
        if self.method != "mdc":
            self.check_method()
        self.check_spread()
        self.check_long()
        near = NeighbourRequest.of(self).check(path if isinstance(path, Path) else None, self.by)
        known = Known.read(self)
        for name in ("weight", "side_clusters"):
            if getattr(self, name) and self.graph.lower() == REGIONS:
                text = "{graph} says this of its sides itself; leave {name} out"
                raise InputError(text, graph=Setting("graph", self.graph), name=Parameter(name))
        if self.transfer_from is not None:
            other_model(self.transfer_from)
        return near, known

    @property
    def own_graph(self) -> bool:
        """Whether the sides and their weights are those of a graph by itself."""
        return self.graph.lower().endswith((*_SPECS, REGIONS))

    @property
    def reading(self) -> dict[str, Any]:
        """Options of the reader."""
        return self.for_reader() | self.for_photo_reader()

    @property
    def sides(self) -> dict[str, Any]:
        """Options of the sides."""
        return self.for_sides() | self.for_photo_sides()

    @classmethod
    def as_written(cls, said: Mapping[str, Any], reading: Mapping[str, Any]) -> OrganizeOptions:
        """Options that an answer was made with, from what was written of them."""
        given: dict[str, Any] = {name: said[name] for name in _WRITTEN if name in said}
        given |= {name: said[old] for old, name in WRITTEN.items() if old in said}
        if said.get("method") in METHODS:  # questions also know k-means
            given["method"] = said["method"]
        fields = {field.name for field in describe(cls)}
        other: dict[str, Any] = {}
        for name, value in reading.items():
            if isinstance(value, Mapping):  # columns with what separates their entries
                given["separator"] = next(iter(value.values()), None)
            if name in fields:
                given[name] = tuple(value) if isinstance(value, (list, Mapping)) else value
            else:
                other[name] = value
        return cls(**given, reader_options=other or None)

    @property
    def named_sides(self) -> set[str]:
        """Columns and sides that were named, to group by or for the reading."""
        named = set(self.by or ())
        reading = self.for_reader()
        for name in COLUMNS & reading.keys():
            named.update([reading[name]] if isinstance(reading[name], str) else reading[name])
        return named


@takes(OrganizeOptions)
def organize(
    path: Any,
    n_clusters: int | None = None,
    *,
    options: OrganizeOptions,
    listener: Listener = unheard,
    beside: Path | None = None,
) -> Answer:
    """Organise a mailbox, a table of texts, a folder or photos into groups.

    Parameters
    ----------
    path : path-like or data frame
        A mailbox, a CSV file, a folder ... whatever ``comraf organize`` takes; or a data frame.
    n_clusters : int, optional
        How many groups; by default a number that the documents suggest, see
        `comraf.select.how_many`, for fewer than 200 the root of half of theirs.
    listener : callable, optional
        Called with every event of the work.
    beside : path-like, optional
        Folder on whose disk the collection is kept meanwhile; by default that of temporary files.
    options
        All others as for ``comraf organize``; see `OrganizeOptions`.

    Returns
    -------
    Answer
        Close it, use it in a ``with`` statement, or let it go: the documents that were read are
        on the disk as long as it is there.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import comraf
    >>> from comraf.collection.sample import write_mbox
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     box = write_mbox(pathlib.Path(folder, "mail.mbox"), 40)
    ...     comraf.organize(box, 3, effort="quick")
    Answer(38 messages of mail.mbox in 3 groups)
    """
    if n_clusters is not None:
        options = replace(options, n_clusters=n_clusters)
    if isinstance(path, str):
        path = Path(path)
    near, known = options.check(path)
    with ExitStack() as stack:
        collection = read_documents(path, options, stack, listener, beside)
        collection = near.join(collection, lambda text: say(listener, text), path, options.by)
        say(listener, "starting")
        answer = group(collection, options, known, listener, path)
        answer.held.stack.push(stack.pop_all())
    return answer


def counted_sides(options: OrganizeOptions) -> dict[str, Any]:
    """What is said about the sides, with those that are counted only when ``by`` names them.

    Examples
    --------
    >>> counted_sides(OrganizeOptions(by=("words", "pos3", "style")))
    {'pos': {'tagger': 'auto', 'orders': [3]}, 'style': {'count': True}}
    """
    from comraf.collection.sides import named_options

    return named_options(options.by or (), options.sides)


def read_documents(
    path: Any,
    options: OrganizeOptions,
    stack: ExitStack,
    listener: Listener = unheard,
    beside: Path | None = None,
) -> Collection:
    """Read a path into a collection that is there until the stack is closed."""
    from tempfile import gettempdir

    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader
    from comraf.collection.kinds import kind_of
    from comraf.collection.options import SideOptions
    from comraf.collection.store import open_collection

    if isinstance(path, (str, Path)):
        path = Path(path)
        say(listener, f"looking at {path.name}")
        found = collection_in(path)
        if found is not None and not found.is_dir():
            raise InputError(
                "{path} is an answer without its documents ({none}); name what it was made from",
                path=path,
                none=NO_TEXT,
            )
        # Even one that is damaged: its files must not be taken for a table of texts.
        if found is not None and (found / "collection.json").is_file():
            if other := [Parameter(name) for name in _read_otherwise(options, found)]:
                raise InputError(
                    "{path} was read before, and {other:and} can't change that; name the documents "
                    "that it was made from",
                    path=path,
                    other=other,
                )
            return open_collection(found)
    stack.enter_context(options.following())
    sides = SideOptions.from_json(counted_sides(options))
    reader = open_reader(path, kind=options.kind, **options.reading)
    if not kind_of(reader.kind).photos and (about := options.for_photo_sides()):
        raise InputError(
            "{name} is about photos, and {path} is read as {kind}; leave it out, or add {images} "
            "if it has photos",
            name=Parameter(next(iter(about["photos"]))),
            path=path_name(path),
            kind=reader.kind,
            images=Setting("kind", "images"),
        )
    folder = stack.enter_context(scratch_folder(nearest_existing(beside or Path(gettempdir()))))
    return build_collection(
        reader,
        options=sides,
        out=folder / "collection",
        n_jobs=options.n_jobs,
        listener=listener,
    )


def _read_otherwise(options: OrganizeOptions, path: Path) -> list[str]:
    """Options about reading that are not those a collection was read with."""
    reading, sides = options.reading, options.sides
    if options.kind is None and not reading and not sides:
        return []
    from comraf.collection.store import open_stored

    header = open_stored(path).header
    other = ["kind"] if options.kind not in (None, header.get("kind")) else []
    then = header.get("reading", {})  # collections of before 0.1.0 don't say
    other += [name for name, value in reading.items() if then.get(name) != value]
    counted = header.get("options", {})
    for side, given in sides.items():
        other += [name for name in given if counted.get(side, {}).get(name) != given[name]]
    return list(dict.fromkeys(other))


def group(
    collection: Collection,
    options: OrganizeOptions,
    known: Known | None = None,
    listener: Listener = unheard,
    path: Any = None,
) -> Answer:
    """Cluster a collection and describe what came out."""
    from comraf.collection.readers.folder import ONE_DOCUMENT
    from comraf.estimators.organizer import DOCUMENTS, Organizer

    known = known or Known()
    k, noun = options.n_clusters, noun_of(collection)
    if k is not None and k > len(collection):
        hints = [note for note in collection.notes if code_of(note) == ONE_DOCUMENT]
        raise InputError(
            "{given} is more than the {read} read; {hint}",
            "n_clusters",
            k,
            read=counted(len(collection), noun),
            hint=hints[0] if hints else "ask for fewer",
        )

    def called(event: Event) -> None:
        listener(replace(event, called=f"{noun}s") if event.node == DOCUMENTS else event)

    wanted = by = wanted_sides(options, collection)
    graph = _graph(options, collection)
    facts = _facts(options, collection, graph, by, known)
    questions = _Questions(options, listener)
    judged = questions.judged(collection, by)
    if judged is not None and options.by is None:
        needed = {*options.named_sides, *facts.sides}
        needed.update(options.weight or (), options.side_clusters or ())
        needed.update(["words"] if options.transfer_from else ())
        by = [name for name in by if name in needed or name not in judged.harmful]
    moved = _transferred(options, collection, by)
    numbers = None
    if k is None and isinstance(graph, str) and "documents" not in facts.labels:
        numbers = questions.numbers(collection, by)
        k = None if numbers is None else numbers.best
    watch = Watch()
    with watch.over(), known.blamed():
        if options.graph == REGIONS and not isinstance(graph, str):
            organizer = _by_regions(options, collection, graph, facts, known, called)
        else:
            organizer = Organizer(
                k,
                by=by,
                graph=graph,
                weighting=options.weighting,
                edge_weights=options.edge_weights,
                weight=options.weight,
                side_clusters=options.side_clusters,
                observe=options.observe,
                verbose=called,
                **options.search_parameters(),
                **options.long_parameters() | {"time_limit": questions.time_limit},
                **options.spread_parameters(),
                **known.parameters(),
            ).fit(collection, **facts.given(), transfer=moved)
    k = organizer.result_.n_clusters[DOCUMENTS]
    structure = None
    tables = _counted(organizer, collection)
    asking = bool(tables) and k > 1 and not organizer.result_.interrupted
    asking &= not questions.pressed
    if asking:
        say(listener, "checking that there is something to find")
        structure = _structure(options, tables, k)
    said = structure_warnings(
        collection, organizer.result_, structure, len(tables) == len(organizer.sides_)
    )
    return Answer(
        collection,
        organizer,
        options=options,
        path=path,
        structure=structure,
        warnings=said,
        unchecked=questions.skipped or (asking and structure is None),
        out_of_time=(watch.out_of_time or questions.out_of_time) and not questions.pressed,
        facts=facts,
        known=_known(known, facts, organizer, collection) | _moved(options, collection, moved),
        audit=judged,
        numbers=numbers,
        hints=(
            *left_out(judged, wanted, by),
            *other_numbers(numbers),
            *_hints(options, collection, wanted),
            *unplaced(collection, list(organizer.sides_)),
        ),
    )


def _known(
    known: Known, facts: Facts, organizer: Organizer, collection: Collection
) -> dict[str, Any]:
    """What was known, how far the answer keeps to it, and which labels to look at again."""
    result = organizer.result_
    out = known.kept_to(facts, result)
    for entry in out.get("labels", ()):
        if entry["side"] == "documents" and (names := result.names.get("documents")):
            entry["against"] = doubtful_labels(
                facts.labels["documents"], organizer.placed_, names, collection.ids
            )
    return out


def _hints(options: OrganizeOptions, collection: Collection, by: Sequence[str]) -> tuple[str, ...]:
    """What the groups could have been made by as well."""
    if options.by is not None or options.own_graph:
        return ()
    from comraf.estimators._graphs import guessed_sides
    from comraf.report.privacy import singular

    more = [name for name in guessed_sides(collection, options.named_sides) if name not in by]
    months = collection.tables.get("months")
    if collection.photos is not None and months is not None and months.nnz:
        more.insert(0, "months")
    if not more:
        return ()
    several = len(more) > 1 or singular(more[0]) != more[0]
    do, dont, them = ("describe", "don't", "them") if several else ("describes", "doesn't", "it")
    names = " and ".join([", ".join(more[:-1]), more[-1]] if len(more) > 1 else more)
    said = f"{names} {do} the groups but {dont} make them; add {them} with"
    return (Note("{said} {by}", "more_sides", said=said, by=Setting("by", [*by, *more])),)


class _Questions:
    """What is asked about a collection: Ctrl-C and the time limit skip the rest of it.

    A search that can be taken up again must be asked the same each time: beside a checkpoint
    nothing is skipped.
    """

    def __init__(self, options: OrganizeOptions, listener: Listener) -> None:
        self._options, self._listener = options, listener
        self._began = time.monotonic()
        self.pressed = self.out_of_time = False

    @property
    def skipped(self) -> bool:
        """Whether anything was left unasked."""
        return self.pressed or self.out_of_time

    @property
    def time_limit(self) -> float | None:
        """Seconds that are left of the time limit."""
        limit = self._options.time_limit
        return None if limit is None else max(1e-3, limit - (time.monotonic() - self._began))

    @property
    def _left(self) -> float | None:
        """Seconds that may be spent on questions before the search."""
        limit, left = self._options.time_limit, self.time_limit
        if limit is None or left is None or self._options.checkpoint is not None:
            return None
        return max(1e-3, left - (1 - _QUESTIONS) * limit)

    def ask(self, text: str, question: Callable[[], T]) -> T | None:
        """The answer; None if it is skipped, or was cut short."""
        if self.skipped:
            return None
        say(self._listener, text)
        try:
            return question()
        except TimeoutError:
            self.out_of_time = True
        except KeyboardInterrupt:
            if self._options.checkpoint is not None:
                raise
            self.pressed = True
            say(self._listener, "searching by what is known; Ctrl-C again ends the search")
        return None

    def judged(self, collection: Collection, by: Sequence[str]) -> Audit | None:
        """What each side adds; None for a graph whose sides are its own."""
        from comraf.select.audit import audit

        options = self._options
        if len(by) < 2 or options.own_graph:
            return None
        found = self.ask(
            "asking what each side adds",
            lambda: audit(
                collection,
                options.n_clusters,
                by=by,
                weighting=options.weighting,
                edge_weights=options.edge_weights,
                weight=options.weight,
                observe=options.observe,
                seed=options.random_state,
                time_limit=self._left,
            ),
        )
        return found if found is not None and found.asked else None

    def numbers(self, collection: Collection, by: Sequence[str]) -> Numbers | None:
        """Good numbers of groups; None where there is too little to tell."""
        from comraf.select.numbers import how_many

        options = self._options
        return self.ask(
            "asking how many groups there are",
            lambda: how_many(
                collection,
                by=by,
                weighting=options.weighting,
                seed=options.random_state,
                time_limit=self._left,
            ),
        )


def _counted(organizer: Organizer, collection: Collection) -> dict[str, Any]:
    """Tables of what was counted: pixels dealt out one by one would tell nothing."""
    from comraf.estimators._graphs import measured_sides

    measured = measured_sides(collection)
    return {name: collection.tables[name] for name in organizer.sides_ if name not in measured}


def _structure(options: OrganizeOptions, tables: Mapping[str, Any], k: int) -> Structure | None:
    """Whether there is anything to find; None if Ctrl-C cut the question short."""
    from comraf.select.structure import structure

    try:
        return structure(tables, k, weighting=options.weighting, seed=options.random_state)
    except KeyboardInterrupt:
        return None


def wanted_sides(options: OrganizeOptions, collection: Collection) -> list[str]:
    """Sides named with ``by``, or the usual ones that have anything to say."""
    if options.by is None:
        from comraf.estimators._graphs import default_sides

        return default_sides(collection, options.named_sides)
    there = {name: table for name, table in collection.tables.items() if table.nnz}
    if not options.by:
        raise InputError("{p[by]} names no side; there are {there:,}", "by", there=list(there))
    more = [] if collection.photos is None else ["neighbours"]  # made when they are named
    for name in options.by:
        if name not in there:
            from difflib import get_close_matches

            from comraf.collection.sides import SIDES

            off = [side for side, kind in SIDES.items() if not kind.on]  # counted when named
            known = {side.casefold(): side for side in [*off, *there, *more]}
            near = get_close_matches(name.casefold(), list(known), 1)
            meant = f"; did you mean {known[near[0]]!r}?" if near else "."
            raise InputError(
                "{given}: the collection has no side {name!r}{meant} There are {sides:,}",
                "by",
                name,
                name=name,
                meant=meant,
                sides=list(dict.fromkeys([*there, *more])),
            )
    return list(dict.fromkeys(options.by))


def _regions(options: OrganizeOptions, collection: Collection) -> Graph:
    """Photos and their regions, both clustered at once: the general model of thesis 7.2."""
    from comraf.collection.vision.blobs import N_BLOBS
    from comraf.estimators.organizer import DOCUMENTS, default_k
    from comraf.images import photo_tables

    if collection.photos is None:
        raise InputError("{given} is about photos, and there are none", "graph", REGIONS)
    given = options.sides.get("photos", {})
    about = {name: given[name] for name in ("colours", "space") if name in given}
    tables = photo_tables(collection.photos, blobs=None, texture=False, regions=True, **about)
    if "words" in collection.tables and (options.by is None or "words" in options.by):
        tables |= {"words": collection.tables["words"]}
    return tables.graph(
        options.n_clusters or default_k(len(collection)),
        n_blobs=given.get("blobs", N_BLOBS),
        weighting=options.weighting,
        name=DOCUMENTS,
    )


def observed_graph(
    options: OrganizeOptions, collection: Collection, sides: Sequence[str], k: int
) -> Graph:
    """Documents joined to sides whose values stand as they are."""
    from comraf.estimators._graphs import measured_sides
    from comraf.estimators.organizer import make_graph

    return make_graph(
        {name: collection.tables[name] for name in sides},
        k,
        weighting=options.weighting,
        rule=options.edge_weights,
        weight=options.weight,
        observed=sides,
        measured=measured_sides(collection),
    )


def _by_regions(
    options: OrganizeOptions,
    collection: Collection,
    model: Graph,
    facts: Facts,
    known: Known,
    listener: Listener,
) -> Organizer:
    """Groups of the general model, told by the sides that the collection has."""
    from comraf.estimators.organizer import DOCUMENTS
    from comraf.results.solved import partition
    from comraf.workflows.cluster import solve

    found = solve(model, options, listener, known, facts)
    sides = [side for side in wanted_sides(options, collection) if side in collection.sides]
    k = found.n_clusters[DOCUMENTS]
    graph = observed_graph(options, collection, sides, k)
    told = partition(graph, found.labels[DOCUMENTS], k)
    told = replace(told, interrupted=found.interrupted, seconds=found.seconds)
    return given_groups(graph, collection, told, options.weighting)


def _graph(options: OrganizeOptions, collection: Collection) -> str | Graph:
    if options.graph == REGIONS:
        return _regions(options, collection)
    if not options.graph.lower().endswith(_SPECS):
        return options.graph
    from comraf.estimators._graphs import measured_sides, through_documents
    from comraf.graph import load_graph

    def values(side: str) -> Sequence[str]:
        if side not in collection.tables:
            raise InputError(
                f"{options.graph}: the collection has no table {side!r}; it has "
                f"{', '.join(collection.tables)}"
            )
        # neighbours are documents, too
        named = collection.sides[side].values if side in collection.sides else None
        return named or collection.ids

    def read(path: Path) -> tuple[Any, Sequence[str], Sequence[str]]:
        one, plus, two = path.name.partition("+")
        if not plus or path.name in collection.tables:
            named = values(path.name)  # which tells of a side that is not there
            return collection.tables[path.name], collection.ids, named
        rows, columns = values(one), values(two)
        table = through_documents(collection.tables[one], collection.tables[two])
        return table, rows, columns

    graph = load_graph(
        options.graph,
        read,
        weighting=options.weighting,
        rule=options.edge_weights,
        measured=measured_sides(collection),
        weight=options.weight,
        side_clusters=options.side_clusters,
    )
    for node in graph.nodes:
        known: Sequence[str] | None = collection.ids if node.name == "documents" else None
        if node.name in collection.tables:
            known = values(node.name)
        if known is not None and tuple(node.values or ()) != tuple(known):
            raise InputError(
                f"{options.graph}: a table of the node {node.name!r} is about other values; an "
                "edge between documents and a side has the side's table (between: [documents, "
                "people], table: people), one between two sides both (between: [words, people], "
                "table: words+people)"
            )
    return graph


def _facts(
    options: OrganizeOptions,
    collection: Collection,
    graph: str | Graph,
    by: Sequence[str],
    known: Known,
) -> Facts:
    """What is known about documents and values, whom files call as the collection does."""
    if not known:
        return Facts()
    if not isinstance(graph, str):
        return known.about_graph(graph)
    sides = {"documents": Members(len(collection), collection.ids, options.n_clusters)}
    for name in by:
        if name not in collection.sides:  # neighbours are documents, who are there already
            continue
        values = collection.sides[name].values
        sides[name] = Members(len(values), values)
    return known.about(sides, "documents")


def other_model(folder: Path) -> Model:
    """The model of another answer, whose words are to be transferred."""
    from comraf.results.model import load_model
    from comraf.workflows.place import model_folder

    model = load_model(model_folder(folder))
    if "words" not in model.sides:
        raise InputError(
            "{given}: the model has no words; its sides are {sides}",
            "transfer_from",
            folder,
            sides=str(list(model.sides)),
        )
    return model


def _moved(
    options: OrganizeOptions, collection: Collection, moved: WordKnowledge | None
) -> dict[str, Any]:
    """What was transferred, for ``result.json`` and the summary."""
    if moved is None:
        return {}
    counts = collection.tables["words"].sum(axis=0)
    share = float(counts[moved.groups >= 0].sum() / max(1, counts.sum()))
    return {
        "transfer": {
            "side": "words",
            "file": str(options.transfer_from),
            "known": int((moved.groups >= 0).sum()),
            "share": round(share, 4),
        }
    }


def _transferred(
    options: OrganizeOptions, collection: Collection, by: Sequence[str]
) -> WordKnowledge | None:
    """Groups of words of another answer, for this collection's words."""
    if options.transfer_from is None:
        return None
    from comraf.supervision import WordKnowledge

    if "words" not in by:
        raise InputError(
            "{given}: words are what is transferred, and they make no groups here",
            "transfer_from",
            options.transfer_from,
        )
    model = other_model(options.transfer_from)
    known = WordKnowledge.from_model(model, random_state=options.random_state)
    moved = known.for_columns(collection.sides["words"].values)
    if not (moved.groups >= 0).any():
        raise InputError(
            "{given}: the model knows none of the {n:,} words here",
            "transfer_from",
            options.transfer_from,
            n=len(moved.groups),
        )
    return moved
