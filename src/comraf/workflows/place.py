"""``place``: new documents, or new values of a side, into groups that were made before."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Annotated, Any

from comraf.collection.sides import NEIGHBOURS
from comraf.errors import ComrafWarning, InputError, Message, ReadError, Setting
from comraf.progress import Listener, say, unheard
from comraf.store import scratch_folder
from comraf.workflows.answer import NO_TEXT, Answer
from comraf.workflows.naming import html_table, noun_of, path_name
from comraf.workflows.neighbours import FOLDER, Embeddings, NeighbourRequest, known_looks
from comraf.workflows.options import Option, takes
from comraf.workflows.photos import as_before, missing_captions
from comraf.workflows.reading import Source
from comraf.workflows.search import Jobs

if TYPE_CHECKING:
    from comraf.collection.collection import Collection, Person
    from comraf.collection.options import SideOptions
    from comraf.results.model import Model
    from comraf.results.scorer import Placed

__all__ = ["PlaceOptions", "Placement", "model_folder", "place"]


@dataclass(frozen=True, kw_only=True)
class PlaceOptions(Source, Embeddings, Jobs):
    """Options of `place`.

    Parameters
    ----------
    side : str
        Place what is new on a side (people, words) instead of the documents.
    kind : str
        What PATH is, if it is something else than the first documents were.
    captions : path-like
        Captions of photos: a TSV, CSV or JSON file of file names and captions. Default:
        captions.tsv, .csv or .json in the folder, or a text file beside each photo.
    tagger : str
        Who tags parts of speech for --by pos, in text without tags: nltk, nltk:FOLDER or
        spacy:MODEL, which must be installed. Default: what is there.
    n_jobs : int
        Processes that read; -1: all cores.
    """

    side: Annotated[str | None, Option(metavar="SIDE")] = None
    kind: Annotated[str | None, Option(metavar="KIND")] = None
    captions: Annotated[Path | None, Option(metavar="FILE")] = None
    tagger: Annotated[str | None, Option(metavar="NAME")] = None


@dataclass(frozen=True, eq=False)
class Placement:
    """Where new things belong.

    Attributes
    ----------
    items : tuple of str
        The documents, or the values of ``side`` that the model has not seen.
    placed : Placed
        Group, runner-up and confidence of each.
    model : Model
    side : str or None
        The side whose values were placed; None: the documents themselves.
    titles : tuple of str
        Of the documents.
    unseen : dict
        Of each side how much of what the documents have is not in the model, and of how much.
    noun : str
        What a document is called.
    """

    items: tuple[str, ...]
    placed: Placed
    model: Model
    side: str | None
    titles: tuple[str, ...]
    unseen: Mapping[str, tuple[int, int]]
    noun: str

    def __repr__(self) -> str:
        return (
            f"Placement({self.placed.summary(f'{self.noun}s' if self.side is None else self.side)})"
        )

    def _repr_html_(self) -> str:
        return html_table(repr(self), self.heading, self.rows())

    @property
    def labels_(self) -> Any:
        """The group of each."""
        return self.placed.labels

    @property
    def confidence_(self) -> Any:
        """How sure each is, 0 to 1."""
        return self.placed.confidence

    @property
    def heading(self) -> tuple[str, ...]:
        """Names of the columns of `rows`."""
        if self.side is not None:
            return ("value", "cluster", "confidence", "runner_up")
        more = ("runner_up", "runner_up_name", "title")
        return ("item", "cluster", "name", "confidence", *more)

    def rows(self) -> Iterator[list[object]]:
        """A line for each."""
        names, placed = self.model.names, self.placed
        for i, item in enumerate(self.items):
            own, next_best = int(placed.labels[i]), int(placed.runner_up[i])
            sure = f"{placed.confidence[i]:.4f}"
            if self.side is not None:
                yield [item, own, sure, next_best]
            else:
                yield [item, own, names[own], sure, next_best, names[next_best], self.titles[i]]


@takes(PlaceOptions)
def place(
    model: str | Path | Answer, path: Any, *, options: PlaceOptions, listener: Listener = unheard
) -> Placement:
    """Place new documents into the groups that `organize` made; nothing is refitted.

    Parameters
    ----------
    model : path-like or Answer
        What `organize` gave, the folder of an answer, or the model in it.
    path : path-like or data frame
        The new documents.
    listener : callable, optional
        Called with every event of the work.
    options
        As for ``comraf assign``; see `PlaceOptions`.
    """
    from comraf.results.model import load_model

    options.check_jobs()
    if isinstance(model, Answer):
        if model.folder is None:
            from comraf.workflows.writing import kept_folders

            with scratch_folder(Path(gettempdir())) as work:
                for name, fill in kept_folders(model).items():
                    fill(work / name)
                return place(work, path, options=options, listener=listener)
        model = model.folder
    path = Path(path) if isinstance(path, str) else path
    near = NeighbourRequest.of(options).check(path if isinstance(path, Path) else None)
    home = model_folder(Path(model), path if isinstance(path, Path) else None)
    known = load_model(home)
    _check_about(known)
    side = options.side
    named = [name for name in known.sides if name != NEIGHBOURS]  # neighbours are documents
    if side is not None and side not in named:
        text = "{given}: the model has no such side; it has {named:,}"
        raise InputError(text, "side", side, named=named)
    if near and NEIGHBOURS not in known.sides:
        raise InputError(
            "{model}: embeddings did not help to make these groups, so they can't place anything; "
            "leave {p[embeddings]} and {p[embedding_model]} out",
            model=model,
        )
    with options.following():
        say(listener, f"reading {getattr(path, 'name', 'the documents')}")
        collection = _read(known, path, options, listener, home)
        tables, values = _sides(known, collection)
        if near:
            tables[NEIGHBOURS] = near.among(
                collection, home.parent, lambda text: say(listener, text), path
            )
            values[NEIGHBOURS] = known.sides[NEIGHBOURS].values
        elif NEIGHBOURS in known.sides and collection.photos is not None:
            looks = known_looks(home.parent)
            if looks is not None:
                say(listener, "looking for photos that look alike")
                tables[NEIGHBOURS] = looks.among(collection.photos)
                values[NEIGHBOURS] = known.sides[NEIGHBOURS].values
        _check_sides(known, values, home.parent)
        if "words" in known.sides and (said := missing_captions(collection, tables)):
            warnings.warn(said, ComrafWarning, stacklevel=2)
        placed, unseen = known.place(tables, values)
    noun = noun_of(collection)
    counts = {name: (unseen.get(name, 0), int(table.sum())) for name, table in tables.items()}
    if side is None:
        items = tuple(collection.ids)
        return Placement(items, placed, known, None, tuple(collection.titles), counts, noun)
    if side not in tables:
        raise InputError("{given}: the new documents have no {side}", "side", side, side=side)
    names, found = known.place_values(side, tables[side], values[side], placed.labels)
    return Placement(tuple(names), found, known, side, (), counts, noun)


def _check_about(known: Model) -> None:
    """Refuse a model whose facts about the documents are of other types than they are written."""

    def named(value: Any, kind: type) -> bool:
        return isinstance(value, dict) and all(isinstance(one, kind) for one in value.values())

    about = known.about
    aliases, owner = about.get("aliases", {}), about.get("owner", {})
    if not (
        isinstance(about.get("kind"), str)
        and named(aliases, dict)
        and all(named(spelled, str) for spelled in aliases.values())
        and named(owner, str)
    ):
        raise ReadError("the model does not say how its documents were read; make it anew")


def model_folder(model: Path, path: Path | None = None) -> Path:
    """The folder with the model in it, or a word on what was given instead.

    ``path`` are new documents that come with it, for a word on arguments in the wrong order.
    """
    from comraf.results.files import recover

    recover(model)
    wanted = Message("model must be an answer, or the folder of one", code="model_folder")
    swapped = path is not None and ((path / "model.json").is_file() or (path / "model").is_dir())
    order = Message("")
    if swapped:
        text = "; did you mean: place({path!r}, {model!r})"
        order = Message(text, {"path": str(path), "model": str(model)}, "swapped")
    if not model.exists():
        text = "{model}: there is nothing of this name; {wanted}{order}"
        raise ReadError(text, model=model, wanted=wanted, order=order)
    if not model.is_dir():
        second = "" if path is None else ", and the new documents come second"
        text = "{model}: is a file; {wanted}{second}{order}"
        raise ReadError(text, model=model, wanted=wanted, second=second, order=order)
    if (model / "model").is_dir():
        return model / "model"
    if (model / "result.json").is_file() and not (model / "model.json").is_file():
        raise ReadError(
            "{model}: this answer has no model ({none}, and only comraf organize makes one); {how}",
            model=model,
            none=NO_TEXT,
            how=Message("save it with include_text", code="with_text"),
        )
    return model


def _kind(known: Model, path: Any) -> str | None:
    """What the new documents are, found by looking; they must be like the first ones."""
    from comraf.collection.detect import detect
    from comraf.collection.kinds import kind_of

    if not isinstance(path, Path):
        return None
    first = known.about.get("kind")
    try:
        found = detect(path, refine=kind_of(first).family != "table").kind
    except ReadError:
        # A file that looks like nothing: perhaps the first documents did not either.
        readable = isinstance(first, str) and not kind_of(first).in_memory
        if path.is_file() and path.stat().st_size and readable:
            return str(first)
        raise
    if found in kind_of(first).refines:
        return str(first)  # papers whose fields say less than the first ones' did
    if not isinstance(first, str) or kind_of(first).is_like(kind_of(found)):
        return found
    again = "" if kind_of(first).in_memory else "{before} if it is {first} too, or "
    raise InputError(
        "{path} looks like {found}, but the groups were made from {first}; add "
        + again
        + "{given} to place it all the same",
        "kind",
        found,
        path=path,
        found=found,
        first=first,
        before=Setting("kind", first),
    )


def _read(
    known: Model, path: Any, options: PlaceOptions, listener: Listener, home: Path
) -> Collection:
    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader
    from comraf.collection.kinds import kind_of
    from comraf.collection.options import SideOptions

    about = known.about
    try:
        sides = SideOptions.from_json(about["sides"])
        # how the first files were written says nothing about the new ones, and a model that came
        # from somebody else has no say in what else is opened or written
        no_longer = ("truth", "encoding", "captions", "cache")
        reading = {name: value for name, value in about["reading"].items() if name not in no_longer}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ReadError(f"the model does not say how its documents were read: {error}") from None
    for file in ("collection.json", "result.json"):
        if isinstance(path, Path) and (path / file).is_file():
            raise InputError(
                "{path} was read or organised before; {p[path]} must be the new documents "
                "themselves",
                path=path,
            )
    # Every value counts here, however rare: which ones are known is the model's to say.
    sides = sides.without_limits()
    sides = replace(sides, pos=replace(sides.pos, tagger=_trusted(sides, options.tagger)))
    wanted = options.kind or _kind(known, path)
    # What was said about the columns of a table says nothing about a mailbox.
    same = kind_of(about.get("kind")).is_like(kind_of(wanted))
    if kind_of(wanted).photos:
        sides, reading, said = as_before(sides, reading, home, options.captions)
        if said and "blobs" in known.sides:
            warnings.warn(said, ComrafWarning, stacklevel=3)
    elif options.captions is not None:
        raise InputError(
            "{p[captions]} is about photos, and {path} is read as {kind}; leave it out",
            path=path_name(path),
            kind=wanted,
        )
    usual = {}
    if options.kind is None and wanted is not None:  # found by looking, as organize does
        usual = kind_of(wanted).usual
    given = {**usual, **(reading if same else {}), **options.for_reader()}
    reader = open_reader(path, kind=wanted, **given)
    return build_collection(reader, options=sides, n_jobs=options.n_jobs, listener=listener)


def _trusted(options: SideOptions, given: str | None) -> str | None:
    """Who tags new documents: a folder or package that only the model names is not loaded."""
    if given is None and options.tagger is not None and ":" in options.tagger:
        raise InputError(
            "the model was made with {given}; give that again if you trust it, or another one: "
            "what a model names is not loaded by itself",
            "tagger",
            options.tagger,
        )
    return given or options.pos.tagger


def _sides(
    known: Model, collection: Collection
) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """Tables of the sides the model knows; people under the names they have in the model."""
    import numpy as np

    from comraf.collection.sides import side_of

    tables: dict[str, Any] = {}
    values: dict[str, tuple[str, ...]] = {}
    for name in known.sides:
        if name not in collection.sides:
            continue
        side = collection.sides[name]
        seen = set(known.sides[name].values)
        by_name = {person.name: person for person in side.people}
        spelled = side.kind == "people" or (
            side.kind == "values" and side_of(name, side.facts).key is not None
        )
        called = _called(known, name) if spelled else {}
        names, kept = [], []
        for i, value in enumerate(side.values):
            person = by_name.get(value)
            forms = _forms(name, value, person)
            same = next((called[form] for form in forms if form in called), None)
            if same is None and value not in seen and _left_out(known, name, person):
                continue
            names.append(value if same is None or (value in seen and person is None) else same)
            kept.append(i)
        values[name] = tuple(names)
        table = collection.tables[name]
        tables[name] = table if len(kept) == table.shape[1] else table[:, np.array(kept, int)]
    return tables, values


def _forms(side: str, value: str, person: Person | None) -> list[str]:
    """What a value can be known as: a person's addresses, or else the names; or its key."""
    from comraf.collection.sides.lists import value_key

    if person is None:
        return [value_key(side, value)]
    # two people with addresses of their own may share a name
    return [form.casefold() for form in person.addresses or (person.name, *person.spellings)]


def _called(known: Model, side: str) -> dict[str, str]:
    """The model's values by all that they can be known as."""
    from comraf.collection.sides.lists import value_key

    aliases = known.about.get("aliases", {}).get(side)
    if aliases is not None:
        return {str(form).casefold(): str(name) for form, name in aliases.items()}
    found: dict[str, str] = {}
    for value in known.sides[side].values:
        found.setdefault(value_key(side, value), value)
    return found


def _check_sides(known: Model, values: Mapping[str, object], answer: Path) -> None:
    """Refuse documents of which nothing is known, and tell where less is than there could be."""
    from comraf.collection.kinds import kind_of

    lost = NEIGHBOURS in known.sides and NEIGHBOURS not in values
    bring = Message(
        "{vectors} or {model}, of the model that was used then,",
        {"vectors": Setting("embeddings"), "model": Setting("embedding_model")},
    )
    if kind_of(known.about.get("kind")).photos and not (answer / FOLDER).is_dir():
        bring = Message(f"the folder {FOLDER} of the answer, which is not there,")
    if not values:
        raise InputError(
            "the new documents have none of the sides the model knows: {sides:,}",
            advice="{bring} lets them have neighbours" if lost else "",
            sides=list(known.sides),
            bring=bring,
        )
    if lost:
        noun = kind_of(known.about.get("kind")).noun
        warnings.warn(
            ComrafWarning(
                "neighbours helped to make these groups, but the new {noun}s are placed by "
                "{sides:,} alone; {bring} lets neighbours count",
                noun=noun,
                sides=list(values),
                bring=bring,
            ),
            stacklevel=3,
        )


def _left_out(known: Model, side: str, person: Person | None) -> bool:
    """Whether the model left someone out on purpose: its owner, or lists. They are not unknown."""
    if person is None:
        return False
    options = known.about.get("sides", {}).get("people", {})
    if options.get("lists") == "drop" and person.role == "list":
        return True
    if options.get("owner") != "drop":
        return False
    owner = str(known.about.get("owner", {}).get(side, "")).casefold()
    names = {name.casefold() for name in (person.name, *person.spellings)}
    return person.role == "owner" or (owner != "" and owner in names)
