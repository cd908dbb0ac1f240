"""``comraf assign``: new items into the groups of an earlier run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.cli.near import FOLDER, EmbeddingModelOption, EmbeddingsOption, Near, known_looks
from comraf.cli.photos import CaptionsOption, missing_captions
from comraf.cli.reading import EncodingOption, FollowLinksOption, TaggerOption
from comraf.errors import InputError, ReadError

if TYPE_CHECKING:
    from comraf.collection.collection import Collection, Person
    from comraf.collection.options import SideOptions
    from comraf.results.model import Model
    from comraf.results.placement import Placed

__all__ = ["HELP", "assign"]

NEIGHBOURS = "neighbours"

HELP = """Place new documents into the groups that "comraf organize" made; nothing is refitted.

MODEL is the folder that organize wrote (or the "model" folder in it), PATH the new
documents, read as the first ones were. Words, people and subjects that the model has not
seen are left out and counted. A document of which it knows nothing at all gets confidence 0.
Where embeddings helped to make the groups, --embeddings or --embedding-model (of the same
model) lets new documents find their neighbours among the first ones.
With --side, the people (or words, subjects) that the model has not seen are placed instead,
by the documents they come with; cluster numbers are those of the side's own CSV file.
New photos are held against the colours and blobs of the first ones, and find their
neighbours among these.

\b
Examples:
  comraf assign mail-groups new-mail.mbox
  comraf assign mail-groups new-mail.mbox --out placed.csv
  comraf assign mail-groups new-mail.mbox --side people --out new-people.csv
  comraf assign paper-groups new.csv --embeddings new-vectors.npy
"""


def assign(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="What organize wrote.", show_default=False)
    ],
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="The new documents.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a CSV file: item, cluster, name, confidence, runner-up.",
            show_default=False,
        ),
    ] = None,
    side: Annotated[
        str | None,
        typer.Option(
            metavar="SIDE",
            help="Place what is new on a side (people, words) instead of the documents.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file of --out if it is there.")
    ] = False,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="What PATH is, if it is something else than the first documents were.",
            show_default=False,
        ),
    ] = None,
    captions: CaptionsOption = None,
    encoding: EncodingOption = None,
    follow_links: FollowLinksOption = False,
    tagger: TaggerOption = None,
    embeddings: EmbeddingsOption = None,
    embedding_model: EmbeddingModelOption = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", help="Processes that read; -1: all cores.")
    ] = 1,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no summary.")
    ] = False,
) -> None:
    """Place new documents into the groups that "comraf organize" made."""
    from comraf.cli.bar import Bar
    from comraf.cli.kept import check_csv, write_csv
    from comraf.cli.program import complain
    from comraf.results.model import load_model
    from comraf.store import sweep

    if jobs == 0:
        raise InputError("--jobs 0 is not possible; give 1 or more, or -1 for all cores")
    check_csv(out, force)
    if out is not None:
        sweep(out)
    near = Near(embeddings, embedding_model).check(path)
    home = model_folder(model, path)
    known = load_model(home)
    _check_about(known)
    named = [name for name in known.sides if name != NEIGHBOURS]  # neighbours are documents
    if side is not None and side not in named:
        raise InputError(f"--side {side}: the model has no such side; it has {', '.join(named)}")
    if near and NEIGHBOURS not in known.sides:
        raise InputError(
            f"{model}: embeddings did not help to make these groups, so they can't place anything; "
            "leave --embeddings and --embedding-model out"
        )
    with Bar(quiet=quiet) as bar:
        bar.say(f"reading {path.name}")
        collection = _read(known, path, kind, jobs, bar, home, captions, encoding, tagger)
        tables, values = _sides(known, collection)
        if near:
            tables[NEIGHBOURS] = near.among(collection, home.parent, bar.say, path)
            values[NEIGHBOURS] = known.sides[NEIGHBOURS].values
        elif NEIGHBOURS in known.sides and collection.photos is not None:
            looks = known_looks(home.parent)
            if looks is not None:
                bar.say("looking for photos that look alike")
                tables[NEIGHBOURS] = looks.among(collection.photos)
                values[NEIGHBOURS] = known.sides[NEIGHBOURS].values
        _check_sides(known, values, home.parent)
        if "words" in known.sides and (said := missing_captions(collection, tables)):
            complain("warning", said)
        placed, unseen = known.place(tables, values)
    if side is not None:
        if side not in tables:
            raise InputError(f"--side {side}: the new documents have no {side}")
        names, found = known.place_values(side, tables[side], values[side], placed.labels)
        if out is not None:
            write_csv(out, _HEADING_OF_VALUES, _value_lines(names, found), force=force)
        if not quiet:
            _show_values(side, names, found, out)
        return
    if out is not None:
        write_csv(out, _HEADING, _lines(known, collection, placed), force=force)
    if not quiet:
        counts = {name: (unseen.get(name, 0), int(table.sum())) for name, table in tables.items()}
        _show(known, placed, counts, out)


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
    wanted = "MODEL must be the folder that comraf organize wrote"
    swapped = path is not None and ((path / "model.json").is_file() or (path / "model").is_dir())
    order = f"; did you mean: comraf assign {path} {model}" if swapped else ""
    if not model.exists():
        raise ReadError(f"{model}: there is nothing of this name; {wanted}{order}")
    if not model.is_dir():
        second = "" if path is None else ", and the new documents come second"
        raise ReadError(f"{model}: is a file; {wanted}{second}{order}")
    if (model / "model").is_dir():
        return model / "model"
    if (model / "result.json").is_file() and not (model / "model.json").is_file():
        raise ReadError(
            f"{model}: this answer has no model (--no-text keeps none, and only comraf organize "
            "makes one); organize the documents without --no-text"
        )
    return model


def _kind(known: Model, path: Path) -> str | None:
    """What the new documents are, found by looking; they must be like the first ones."""
    from comraf.collection.detect import detect
    from comraf.collection.kinds import kind_of

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
    as_before = "" if kind_of(first).in_memory else f"--kind {first} if it is {first} too, or "
    raise InputError(
        f"{path} looks like {found}, but the groups were made from {first}; add {as_before}"
        f"--kind {found} to place it all the same"
    )


def _read(
    known: Model,
    path: Path,
    kind: str | None,
    jobs: int,
    listener: Any,
    home: Path,
    captions: Path | None,
    encoding: str | None = None,
    tagger: str | None = None,
) -> Collection:
    from dataclasses import replace

    from comraf.cli.photos import as_before
    from comraf.cli.program import complain
    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader
    from comraf.collection.kinds import kind_of
    from comraf.collection.options import SideOptions

    about = known.about
    try:
        options = SideOptions.from_json(about["sides"])
        # how the first files were written says nothing about the new ones, and a model that came
        # from somebody else has no say in what else is opened or written
        no_longer = ("truth", "encoding", "captions", "cache")
        reading = {name: value for name, value in about["reading"].items() if name not in no_longer}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ReadError(f"the model does not say how its documents were read: {error}") from None
    for file in ("collection.json", "result.json"):
        if (path / file).is_file():
            raise InputError(
                f"{path} was read or organised before; PATH must be the new documents themselves"
            )
    # Every value counts here, however rare: which ones are known is the model's to say.
    options = options.without_limits()
    options = replace(options, pos=replace(options.pos, tagger=_trusted(options, tagger)))
    wanted = kind or _kind(known, path)
    # What was said about the columns of a table says nothing about a mailbox.
    same = kind_of(about.get("kind")).is_like(kind_of(wanted))
    if kind_of(wanted).photos:
        options, reading, said = as_before(options, reading, home, captions)
        if said and "blobs" in known.sides:
            complain("warning", said)
    elif captions is not None:
        raise InputError(
            f"--captions is about photos, and {path} is read as {wanted}; leave it out"
        )
    given = {} if encoding is None else {"encoding": encoding}
    reader = open_reader(path, kind=wanted, **(reading if same else {}), **given)
    return build_collection(reader, options=options, n_jobs=jobs, listener=listener)


def _trusted(options: SideOptions, given: str | None) -> str | None:
    """Who tags new documents: a folder or package that only the model names is not loaded."""
    if given is None and options.tagger is not None and ":" in options.tagger:
        raise InputError(
            f"the model was made with --tagger {options.tagger}; give that again if you trust it, "
            "or another one: what a model names is not loaded by itself"
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
    bring = "--embeddings FILE or --embedding-model FOLDER, of the model that was used then,"
    if kind_of(known.about.get("kind")).photos and not (answer / FOLDER).is_dir():
        bring = f"the folder {FOLDER} of the answer, which is not there,"
    if not values:
        raise InputError(
            "the new documents have none of the sides the model knows: "
            + ", ".join(known.sides)
            + (f"; {bring} lets them have neighbours" if lost else "")
        )
    if lost:
        noun = "photo" if kind_of(known.about.get("kind")).photos else "document"
        from comraf.cli.program import complain

        complain(
            "warning",
            f"neighbours helped to make these groups, but the new {noun}s are placed by "
            f"{', '.join(values)} alone; {bring} lets neighbours count",
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


_HEADING = ("item", "cluster", "name", "confidence", "runner_up", "runner_up_name", "title")
_HEADING_OF_VALUES = ("value", "cluster", "confidence", "runner_up")
# So many of a cluster's new values are shown.
_MOST_VALUES = 12


def _value_lines(names: Sequence[str], placed: Placed) -> list[list[object]]:
    return [
        [
            name,
            int(placed.labels[i]),
            f"{placed.confidence[i]:.4f}",
            int(placed.runner_up[i]),
        ]
        for i, name in enumerate(names)
    ]


def _show_values(side: str, names: Sequence[str], placed: Placed, out: Path | None) -> None:
    import numpy as np

    from comraf.cli.show import clean, open_console, show_table, tell
    from comraf.cli.table import Facts, Listing

    console = open_console()
    clusters, sizes = np.unique(placed.labels, return_counts=True)
    tell(
        console,
        f"{len(names):,} {clean(side)} that the model has not seen, placed into {len(clusters):,} "
        "clusters.",
    )
    if len(names):
        sure = np.argsort(-placed.confidence, kind="stable")
        found = [[names[i] for i in sure if placed.labels[i] == c] for c in clusters]
        facts = [
            Facts("#", [str(c) for c in clusters]),
            Facts("new", [f"{size:,}" for size in sizes]),
        ]
        shown = [values[:_MOST_VALUES] for values in found]
        show_table(console, facts, [Listing(clean(side), shown)])
    if out is not None:
        tell(console, f"Written to {clean(str(out), 200)}")


def _lines(known: Model, collection: Collection, placed: Placed) -> list[list[object]]:
    return [
        [
            item,
            int(placed.labels[i]),
            known.names[placed.labels[i]],
            f"{placed.confidence[i]:.4f}",
            int(placed.runner_up[i]),
            known.names[placed.runner_up[i]],
            collection.titles[i],
        ]
        for i, item in enumerate(collection.ids)
    ]


def _show(
    known: Model,
    placed: Placed,
    unseen: Mapping[str, tuple[int, int]],
    out: Path | None,
) -> None:
    import numpy as np

    from comraf.cli.show import clean, open_console, show_table, tell
    from comraf.cli.table import Facts, Listing
    from comraf.cli.wording import counted
    from comraf.collection.kinds import kind_of

    console = open_console()
    noun = "photo" if kind_of(known.about.get("kind")).photos else "document"
    found = [(c, placed.labels == c) for c in range(known.n_clusters)]
    found = [(c, mine) for c, mine in found if mine.any()]
    facts = [
        Facts("#", [str(c) for c, _ in found]),
        Facts("new", [f"{mine.sum():,}" for _, mine in found]),
        Facts("confidence", [f"{placed.confidence[mine].mean():.0%}" for _, mine in found]),
    ]
    groups = Listing("group", [known.names[c].split(", ") for c, _ in found])
    tell(
        console,
        f"{counted(len(placed.labels), f'new {noun}')} placed into {len(found):,} of "
        f"{counted(known.n_clusters, 'group')}.",
    )
    show_table(console, facts, [groups])
    for name, (count, total) in unseen.items():
        if count:
            share = f"{count / total:.0%}" if count >= total / 100 else "<1%"
            tell(
                console,
                f"{clean(name)}: {share} of what the new {noun}s have is not in the model "
                "(never met, or too rare or too common to count) and was left out.",
            )
    lost = int(np.sum(placed.known == 0))
    if lost:
        have = "has" if lost == 1 else "have"
        tell(console, f"{counted(lost, noun)} {have} nothing the model knows (confidence 0).")
    if out is not None:
        tell(console, f"Written to {clean(str(out), 200)}")
