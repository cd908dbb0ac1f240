"""The work of ``comraf organize``: from a path to a collection, groups, files and a report."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.cli.doubts import doubts
from comraf.cli.known import Facts, Members, Told
from comraf.cli.longrun import LongRun, Watch
from comraf.cli.naming import names_in, noun_of, unplaced
from comraf.cli.program import complain
from comraf.cli.run import Search
from comraf.cli.wording import OPTIONS
from comraf.errors import InputError, InterruptedWarning, code_of
from comraf.store import nearest, scratch_folder

if TYPE_CHECKING:
    from comraf.cli.bar import Bar
    from comraf.collection.collection import Collection
    from comraf.estimators.organizer import Organizer, Structure
    from comraf.graph import Graph
    from comraf.results import Result
    from comraf.results.model import Model
    from comraf.results.telling import Cluster, Side
    from comraf.supervision import WordKnowledge

__all__ = [
    "Asked",
    "Organized",
    "counted_sides",
    "gather",
    "given_groups",
    "observed_graph",
    "organize",
    "other_model",
    "wanted_sides",
    "warn",
    "with_names",
]

#: The graph of photos and their regions by name.
REGIONS = "regions"
_LONGEST_LINE = 10_000


@dataclass(frozen=True)
class Asked:
    """What was asked for on the command line."""

    path: Path
    k: int | None = None
    by: tuple[str, ...] | None = None
    graph: str = "tree"
    weighting: str = "root_rows"
    edge_weights: str = "root_mass"
    observe: tuple[str, ...] | None = None
    kind: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    sides: Mapping[str, Any] = field(default_factory=dict)
    search: Search = field(default_factory=Search)
    long: LongRun = field(default_factory=LongRun)
    told: Told = field(default_factory=Told)
    transfer_from: Path | None = None

    @property
    def about_reading(self) -> list[str]:
        """Options that say how documents are read."""
        given = ["kind"] if self.kind is not None else []
        sides = [name for side in self.sides.values() for name in side]
        return list(dict.fromkeys([*given, *self.reading, *sides]))

    @property
    def named_sides(self) -> set[str]:
        """Columns and sides that were named, with --by or for the reading."""
        named = set(self.by or ())
        for columns in self.reading.values():
            if not isinstance(columns, int):
                named.update([columns] if isinstance(columns, str) else columns)
        return named

    @property
    def source(self) -> str:
        """What to call the documents: an answer's own collection by what it was made from."""
        import json

        folder = self.path if (self.path / "result.json").is_file() else self.path.parent
        if folder != self.path and not (self.path / "collection.json").is_file():
            return self.path.name
        try:
            with open(folder / "result.json", encoding="utf-8") as stream:
                # One entry a line, and this is among the first: the whole may be very large.
                lines = [stream.readline(_LONGEST_LINE) for _ in range(8)]
            found = next(line for line in lines if line.startswith('"source":'))
            return Path(json.loads(found.rstrip(",\n").partition(":")[2])).name
        except (OSError, ValueError, StopIteration, TypeError):
            return self.path.name


@dataclass(frozen=True, eq=False)
class Organized:
    """A collection in groups."""

    asked: Asked
    collection: Collection
    organizer: Organizer
    structure: Structure | None
    sides: Sequence[Side]
    clusters: Mapping[str, Sequence[Cluster]]
    names: tuple[str, ...]
    warnings: tuple[str, ...]
    unchecked: bool = False  # Ctrl-C came while it was asked whether there is anything to find
    out_of_time: bool = False  # the time limit ended the search
    facts: Facts = field(default_factory=Facts)
    known: Mapping[str, Any] = field(default_factory=dict)  # facts, and how far they are kept to
    method: str = "MDC"
    hints: tuple[str, ...] = ()  # what could be asked for

    @property
    def unlabelled(self) -> list[int]:
        """Documents whose class the search was not told: those it can be scored by."""
        given = self.facts.labels.get("documents", {})
        return [i for i in range(len(self.collection)) if i not in given]


def counted_sides(asked: Asked) -> dict[str, Any]:
    """What is said about the sides, with those that are counted only when --by names them.

    Examples
    --------
    >>> counted_sides(Asked(Path("x"), by=("words", "pos3", "style")))
    {'pos': {'tagger': 'auto', 'orders': [3]}, 'style': {'count': True}}
    """
    from comraf.collection.sides import named_options

    return named_options(asked.by or (), asked.sides)


@contextlib.contextmanager
def gather(
    asked: Asked, beside: Path, listener: Callable[..., None], n_jobs: int
) -> Iterator[Collection]:
    """Read a path into a collection, on disk beside the place where the answer will be."""
    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader
    from comraf.collection.kinds import kind_of
    from comraf.collection.options import SideOptions
    from comraf.collection.store import open_collection

    path = asked.path
    if (path / "result.json").is_file():  # an earlier answer: start from its documents
        path = path / "collection"
        if not path.is_dir():
            raise InputError(
                f"{asked.path} is an answer without its documents (--no-text keeps none); "
                "name what it was made from"
            )
    # Even one that is damaged: its files must not be taken for a table of texts.
    if (path / "collection.json").is_file():
        other = [
            OPTIONS.get(name, f"--{name.replace('_', '-')}")
            for name in _read_otherwise(asked, path)
        ]
        if other:
            raise InputError(
                f"{asked.path} was read before, and {' and '.join(other)} can't change that; name "
                "the documents that it was made from"
            )
        yield open_collection(path)
        return
    options = SideOptions.from_json(counted_sides(asked))
    reader = open_reader(asked.path, kind=asked.kind, **asked.reading)
    if not kind_of(reader.kind).photos and (about := asked.sides.get("photos")):
        raise InputError(
            f"{OPTIONS[next(iter(about))]} is about photos, and {asked.path} is read as "
            f"{reader.kind}; leave it out, or add --kind images if it has photos"
        )
    with scratch_folder(nearest(beside)) as folder:
        yield build_collection(
            reader, options=options, out=folder / "collection", n_jobs=n_jobs, listener=listener
        )


def _read_otherwise(asked: Asked, path: Path) -> list[str]:
    """Options about reading that are not those a collection was read with."""
    if not asked.about_reading:
        return []
    from comraf.collection.store import open_stored

    header = open_stored(path).header
    other = ["kind"] if asked.kind not in (None, header.get("kind")) else []
    then = header.get("reading", {})  # collections of before 0.1.0 don't say
    other += [name for name, value in asked.reading.items() if then.get(name) != value]
    counted = header.get("options", {})
    for side, given in asked.sides.items():
        other += [name for name in given if counted.get(side, {}).get(name) != given[name]]
    return list(dict.fromkeys(other))


def organize(asked: Asked, collection: Collection, listener: Bar) -> Organized:
    """Cluster a collection and describe what came out."""
    from comraf.cli.wording import counted, in_options
    from comraf.collection.readers.folder import ONE_DOCUMENT
    from comraf.estimators.organizer import DOCUMENTS, Organizer
    from comraf.results.telling import clusters, sides_of

    if asked.k is not None and asked.k > len(collection):
        hints = [note for note in collection.notes if code_of(note) == ONE_DOCUMENT]
        raise InputError(
            f"-k {asked.k} is more than the {counted(len(collection), noun_of(collection))} read; "
            f"{in_options(hints[0]) if hints else 'ask for fewer'}"
        )
    listener.called = {DOCUMENTS: f"{noun_of(collection)}s"}
    by = wanted_sides(asked, collection)
    graph = _graph(asked, collection)
    facts = _facts(asked, collection, graph, by)
    moved = _transferred(asked, collection, by)
    organizer = Organizer(
        asked.k,
        by=by,
        graph=graph,
        weighting=asked.weighting,
        edge_weights=asked.edge_weights,
        observe=asked.observe,
        effort=asked.search.effort,
        n_runs=asked.search.runs,
        n_restarts=asked.search.restarts,
        schedule=asked.search.schedule,
        moves=asked.search.moves,
        passes=asked.search.passes,
        merge_cost=asked.search.merge_cost,
        balance=asked.search.balance,
        n_jobs=asked.search.jobs,
        random_state=asked.search.seed,
        verbose=listener,
        **asked.long.parameters(),
        **asked.told.parameters(),
    )
    watch = Watch()
    with watch.over(), asked.told.blamed():
        if asked.graph == REGIONS and not isinstance(graph, str):
            organizer = _by_regions(asked, collection, graph, facts, listener)
        else:
            organizer.fit(collection, **facts.given(), transfer=moved)
    k = organizer.result_.n_clusters[DOCUMENTS]
    found = None
    tables = _counted(organizer, collection)
    asking = bool(tables) and k > 1 and not organizer.result_.interrupted
    if asking:
        listener.say("checking that there is something to find")
        found = _structure(asked, tables, k)
    said = doubts(collection, organizer.result_, found, len(tables) == len(organizer.sides_))
    sides = with_names(sides_of(organizer.graph_, organizer.result_), collection)
    described = {side.name: clusters(side) for side in sides}
    described[DOCUMENTS] = [
        replace(group, share=group.size / len(collection)) for group in described[DOCUMENTS]
    ]
    return Organized(
        asked,
        collection,
        organizer,
        found,
        sides,
        described,
        names_in(collection, described[DOCUMENTS], organizer),
        said,
        asking and found is None,
        watch.out_of_time,
        facts,
        _known(asked, facts, organizer, collection) | _moved(asked, collection, moved),
        hints=(*_hints(asked, collection, by), *unplaced(collection, list(organizer.sides_))),
    )


def _known(
    asked: Asked, facts: Facts, organizer: Organizer, collection: Collection
) -> dict[str, Any]:
    """What was known, how far the answer keeps to it, and which labels to look at again."""
    from comraf.cli.known import against_labels

    result = organizer.result_
    out = asked.told.told(facts, result)
    for entry in out.get("labels", ()):
        if entry["side"] == "documents" and (names := result.names.get("documents")):
            entry["against"] = against_labels(
                facts.labels["documents"], organizer.placed_, names, collection.ids
            )
    return out


def _hints(asked: Asked, collection: Collection, by: Sequence[str]) -> tuple[str, ...]:
    """What the groups could have been made by as well."""
    if asked.by is not None or asked.graph.lower().endswith((".yaml", ".yml", REGIONS)):
        return ()
    from shlex import quote

    from comraf.cli.wording import names_out
    from comraf.estimators._graphs import guessed_sides
    from comraf.report.veil import singular

    more = [name for name in guessed_sides(collection, asked.named_sides) if name not in by]
    months = collection.tables.get("months")
    if collection.photos is not None and months is not None and months.nnz:
        more.insert(0, "months")
    if not more:
        return ()
    several = len(more) > 1 or singular(more[0]) != more[0]
    do, dont, them = ("describe", "don't", "them") if several else ("describes", "doesn't", "it")
    names = " and ".join([", ".join(more[:-1]), more[-1]] if len(more) > 1 else more)
    return (
        f"{names} {do} the groups but {dont} make them; add {them} with "
        f"--by {quote(names_out([*by, *more]))}",
    )


def _counted(organizer: Organizer, collection: Collection) -> dict[str, Any]:
    """Tables of what was counted: pixels dealt out one by one would tell nothing."""
    from comraf.estimators._columns import measured_sides

    measured = measured_sides(collection)
    return {name: collection.tables[name] for name in organizer.sides_ if name not in measured}


def _structure(asked: Asked, tables: Mapping[str, Any], k: int) -> Structure | None:
    """Whether there is anything to find; None if Ctrl-C cut the question short."""
    from comraf.estimators.organizer import structure

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", InterruptedWarning)
            return structure(tables, k, weighting=asked.weighting, seed=asked.search.seed)
    except (InterruptedWarning, KeyboardInterrupt):
        return None


def wanted_sides(asked: Asked, collection: Collection) -> list[str]:
    """Sides named with --by, or the usual ones that have anything to say."""
    if asked.by is None:
        from comraf.estimators._graphs import default_sides

        return default_sides(collection, asked.named_sides)
    there = {name: table for name, table in collection.tables.items() if table.nnz}
    if not asked.by:
        raise InputError(f"--by names no side; there are {', '.join(there)}")
    more = [] if collection.photos is None else ["neighbours"]  # made when they are named
    for name in asked.by:
        if name not in there:
            from difflib import get_close_matches

            known = {side.casefold(): side for side in [*there, *more]}
            near = get_close_matches(name.casefold(), list(known), 1)
            meant = f"; did you mean {known[near[0]]!r}?" if near else "."
            raise InputError(
                f"--by {name}: the collection has no side {name!r}{meant} There are "
                f"{', '.join(dict.fromkeys([*there, *more]))}"
            )
    return list(dict.fromkeys(asked.by))


def _regions(asked: Asked, collection: Collection) -> Graph:
    """Photos and their regions, both clustered at once: the general model of thesis 7.2."""
    from comraf.estimators.organizer import DOCUMENTS, default_k
    from comraf.images import photo_tables
    from comraf.images.blobs import N_BLOBS

    if collection.photos is None:
        raise InputError(f"--graph {REGIONS} is about photos, and {asked.path} has none")
    given = asked.sides.get("photos", {})
    about = {name: given[name] for name in ("colours", "space") if name in given}
    tables = photo_tables(collection.photos, blobs=None, texture=False, regions=True, **about)
    if "words" in collection.tables and (asked.by is None or "words" in asked.by):
        tables |= {"words": collection.tables["words"]}
    return tables.graph(
        asked.k or default_k(len(collection)),
        n_blobs=given.get("blobs", N_BLOBS),
        weighting=asked.weighting,
        name=DOCUMENTS,
    )


def given_groups(graph: Graph, collection: Collection, result: Result, weighting: str) -> Organizer:
    """An organizer that is given its groups: it describes them, and places new documents."""
    from comraf.estimators._columns import measured_sides
    from comraf.estimators.organizer import DOCUMENTS, Organizer
    from comraf.supervision import read_knowledge

    class Given(Organizer):
        """Groups from elsewhere."""

        def take(self) -> Given:
            self.graph_ = graph
            self.values_ = {name: side.values for name, side in collection.sides.items()}
            self.classes_ = ()
            self._known = read_knowledge(len(collection))
            self._measured = bool(measured_sides(collection).keys() & set(graph.index))
            self._adopt(result)
            return self

    by = [node.name for node in graph.nodes if node.name != DOCUMENTS]
    return Given(result.n_clusters[DOCUMENTS], by=by, weighting=weighting).take()


def observed_graph(asked: Asked, collection: Collection, sides: Sequence[str], k: int) -> Graph:
    """Documents joined to sides whose values stand as they are."""
    from comraf.estimators._columns import measured_sides
    from comraf.estimators.organizer import make_graph

    return make_graph(
        {name: collection.tables[name] for name in sides},
        k,
        weighting=asked.weighting,
        rule=asked.edge_weights,
        observed=sides,
        measured=measured_sides(collection),
    )


def _by_regions(
    asked: Asked, collection: Collection, model: Graph, facts: Facts, listener: Bar
) -> Organizer:
    """Groups of the general model, told by the sides that the collection has."""
    from comraf.cli.run import solve
    from comraf.estimators.organizer import DOCUMENTS
    from comraf.results.solved import partition

    found = solve(model, asked.search, listener, asked.long, None, facts, asked.told)
    sides = [side for side in wanted_sides(asked, collection) if side in collection.sides]
    k = found.n_clusters[DOCUMENTS]
    graph = observed_graph(asked, collection, sides, k)
    told = partition(graph, found.labels[DOCUMENTS], k)
    told = replace(told, interrupted=found.interrupted, seconds=found.seconds)
    return given_groups(graph, collection, told, asked.weighting)


def _graph(asked: Asked, collection: Collection) -> str | Graph:
    if asked.graph == REGIONS:
        return _regions(asked, collection)
    if not asked.graph.lower().endswith((".yaml", ".yml")):
        return asked.graph
    from comraf.estimators._columns import measured_sides
    from comraf.estimators._graphs import through_documents
    from comraf.graph import load_graph

    def values(side: str) -> Sequence[str]:
        if side not in collection.tables:
            raise InputError(
                f"{asked.graph}: the collection has no table {side!r}; it has "
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
        asked.graph,
        read,
        weighting=asked.weighting,
        rule=asked.edge_weights,
        measured=measured_sides(collection),
    )
    for node in graph.nodes:
        known: Sequence[str] | None = collection.ids if node.name == "documents" else None
        if node.name in collection.tables:
            known = values(node.name)
        if known is not None and tuple(node.values or ()) != tuple(known):
            raise InputError(
                f"{asked.graph}: a table of the node {node.name!r} is about other values; an edge "
                "between documents and a side has the side's table (between: [documents, people], "
                "table: people), one between two sides both (between: [words, people], table: "
                "words+people)"
            )
    return graph


def _facts(asked: Asked, collection: Collection, graph: str | Graph, by: Sequence[str]) -> Facts:
    """What is known about documents and values, whom files call as the collection does."""
    if not asked.told:
        return Facts()
    if not isinstance(graph, str):
        return asked.told.about_graph(graph)
    sides = {"documents": Members(len(collection), collection.ids, asked.k)}
    for name in by:
        if name not in collection.sides:  # neighbours are documents, who are there already
            continue
        values = collection.sides[name].values
        sides[name] = Members(len(values), values)
    return asked.told.about(sides, "documents")


def other_model(folder: Path) -> Model:
    """The model of another answer, whose words are to be transferred."""
    from comraf.cli.assign import model_folder
    from comraf.results.model import load_model

    model = load_model(model_folder(folder))
    if "words" not in model.sides:
        raise InputError(
            f"--transfer-from {folder}: the model has no words; its sides are {list(model.sides)}"
        )
    return model


def _moved(asked: Asked, collection: Collection, moved: WordKnowledge | None) -> dict[str, Any]:
    """What was transferred, for ``result.json`` and the summary."""
    if moved is None:
        return {}
    counts = collection.tables["words"].sum(axis=0)
    share = float(counts[moved.groups >= 0].sum() / max(1, counts.sum()))
    return {
        "transfer": {
            "side": "words",
            "file": str(asked.transfer_from),
            "known": int((moved.groups >= 0).sum()),
            "share": round(share, 4),
        }
    }


def _transferred(asked: Asked, collection: Collection, by: Sequence[str]) -> WordKnowledge | None:
    """Groups of words of another answer, for this collection's words."""
    if asked.transfer_from is None:
        return None
    from comraf.supervision import WordKnowledge

    option = f"--transfer-from {asked.transfer_from}"
    if "words" not in by:
        raise InputError(f"{option}: words are what is transferred, and they make no groups here")
    model = other_model(asked.transfer_from)
    known = WordKnowledge.from_model(model, random_state=asked.search.seed)
    moved = known.for_columns(collection.sides["words"].values)
    if not (moved.groups >= 0).any():
        raise InputError(f"{option}: the model knows none of the {len(moved.groups):,} words here")
    return moved


def with_names(sides: Sequence[Side], collection: Collection) -> list[Side]:
    """Sides with the names of their values and plain counts, as the report tells them."""
    import scipy.sparse as sp

    from comraf.collection.neighbours import NEIGHBOURS
    from comraf.results.telling import Side, View

    def values(name: str) -> Sequence[str] | None:
        if name == "documents":
            return collection.ids
        return collection.sides[name].values if name in collection.sides else None

    def plain(side: str, view: View) -> sp.csr_array:
        if side == "documents" and view.other in collection.tables:
            return collection.tables[view.other]
        if view.other == "documents" and side in collection.tables:
            return sp.csr_array(collection.tables[side].T)
        return view.counts

    def views(side: Side) -> Iterator[View]:
        # that a group's documents are near each other tells nothing of what it is about
        told = [view for view in side.views if view.other != NEIGHBOURS]
        for view in told:
            yield View(view.other, values(view.other), plain(side.name, view))
        if side.name != "documents":
            return
        if not told and "words" in collection.tables:
            yield View("words", values("words"), collection.tables["words"])
        if (
            collection.photos is not None
            and "colours" in collection.tables
            and not {"words", "colours"} & {view.other for view in told}
        ):
            # blobs have no names, and textures look alike: colours are what a group is known by
            yield View("colours", values("colours"), collection.tables["colours"])

    return [Side(side.name, values(side.name), side.labels, tuple(views(side))) for side in sides]


def warn(done: Organized) -> None:
    """Say on standard error what may be wrong with the answer."""
    for sentence in done.warnings:
        complain("warning", sentence)
