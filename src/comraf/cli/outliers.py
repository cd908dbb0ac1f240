"""``comraf outliers``: what does not belong to a folder, a mailbox or a table of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.cli.coring import (
    BackgroundOption,
    CoreEffort,
    CoreEffortOption,
    CoreMethod,
    PiOption,
)
from comraf.cli.reading import (
    DateOption,
    FollowLinksOption,
    IdOption,
    KindOption,
    TextOption,
    TitleOption,
)
from comraf.errors import InputError

if TYPE_CHECKING:
    from comraf.cli.reasons import Stray
    from comraf.collection.collection import Collection

__all__ = ["HELP", "outliers"]

HELP = """Say what does not belong to a folder, a mailbox or a table of texts.

PATH is what "comraf organize" takes. The documents that are least like the rest are listed, the
strangest first, each with its reason: no words that count, no word of what the others are
about, or words that are foreign to the rest, and which these are.

How many are listed is said by -n or --share; a twentieth of the documents by default, whether
or not there are so many that don't belong. "-n auto" takes those that are far from the rest:
whose score is 1.75 deviations or more below the median (the deviation is the median one, which
strangers can't widen). How far each is, is always told.

\b
Examples:
  comraf outliers ~/Mail/project.mbox
  comraf outliers papers/ -n 10 --out strays.csv
  comraf outliers reviews.csv --text review --id key --share 0.02
  comraf outliers notes/ -n auto --background wordfreq:de --json
"""

_COLUMNS = ("rank", "item", "title", "date", "source", "score", "far", "reason", "foreign_words")
# Files that could not be read and are named.
_NAMED = 3


def outliers(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="What to look at.", show_default=False)
    ],
    n: Annotated[
        str | None,
        typer.Option(
            "-n",
            "--number",
            metavar="N",
            help="How many don't belong, or auto.",
            show_default=False,
        ),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Share of the documents that don't belong. Default: 0.05.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        CoreMethod,
        typer.Option(
            help="rest goes by words that the others don't use, and was the best where measured; "
            "maxkl and minentropy by words in all; lof by near neighbours; ltb and occc are for "
            "small cores; centroid, svm, ib, distortion and random are there to compare."
        ),
    ] = CoreMethod.rest,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="SIDES",
            help="For occc: the sides to go by, separated by commas: words,people. Default: words.",
            show_default=False,
        ),
    ] = None,
    effort: CoreEffortOption = CoreEffort.default,
    pi: PiOption = None,
    background: BackgroundOption = "wordfreq:en",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the list goes (.csv).", show_default=False),
    ] = None,
    kind: KindOption = None,
    follow_links: FollowLinksOption = False,
    text: TextOption = None,
    title: TitleOption = None,
    item_id: IdOption = None,
    date: DateOption = None,
    seed: Annotated[
        int,
        typer.Option(min=0, max=2**32 - 1, metavar="N", help="The same seed gives the same list."),
    ] = 0,
    jobs: Annotated[
        int,
        typer.Option("--jobs", "-j", metavar="N", help="Processes that read; -1: all cores."),
    ] = 1,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that are there already.")
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No progress and no list; errors are still told."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the list as one JSON object, and nothing else.")
    ] = False,
) -> None:
    """Say what does not belong to a folder, a mailbox or a table of texts."""
    from tempfile import gettempdir

    from comraf.cli import coring
    from comraf.cli import organized as work
    from comraf.cli.bar import Bar
    from comraf.cli.kept import write_file
    from comraf.cli.program import complain
    from comraf.cli.reading import reading_options, sides_named
    from comraf.cli.reasons import FAR, distances, strays
    from comraf.cli.show import clean
    from comraf.cli.wording import counted
    from comraf.collection.readers.files import check_path

    if jobs == 0:
        raise InputError("--jobs 0 is not possible; give 1 or more, or -1 for all cores")
    if n is not None and share is not None:
        raise InputError("-n and --share both say how many; give one of them")
    if share is not None and not 0 < share < 1:
        raise InputError(f"--share {share:g} is not possible; give more than 0 and less than 1")
    coring.check_file(out, force=force, endings=(".csv",), option="--out")
    coring.core_size(n, "-n")
    check_path(path)
    general = coring.read_background(background)
    how = (method, general, seed, effort, pi)
    coring.estimator(method, 1, *how[1:])
    if by is not None and method is not CoreMethod.occc:
        raise InputError(f"--by is for the method occc; {method.value} goes by words alone")
    given = {"text": text, "title": title, "id": item_id, "date": date}
    read_before = any((path / name).is_file() for name in ("collection.json", "result.json"))
    # Words of one document are what is foreign in it, and those of all what the rest is about.
    sides = {} if read_before else {"words": {"min_documents": 1, "max_share": 1.0}}
    asked = work.Asked(
        path=path,
        by=None if by is None else sides_named(by),
        kind=kind,
        reading=reading_options(kind, given, None),
        sides=sides,
    )
    # Nothing but the list is kept: whoever only looks needs no room where they are.
    beside = Path(gettempdir()) if out is None else out.absolute().parent
    with Bar(quiet=quiet) as bar:
        bar.say(f"looking at {path.name}")
        with work.gather(asked, beside, bar, jobs) as collection:
            counts, words = _words(collection)
            tables: Any = counts
            names: Any = words
            if by is not None:
                wanted = work.wanted_sides(asked, collection)
                tables = {side: collection.tables[side] for side in wanted}
                names = {side: collection.sides[side].values for side in wanted}
            n_all = len(collection)
            number = coring.core_size(n, "-n", n_all)
            if n == coring.AUTO:
                # A method may need to know the number: it starts from the usual one.
                first = _fitted(how, n_all, _twentieth(n_all), tables, names)
                number = min(max(int((distances(first.scores_) >= FAR).sum()), 1), n_all - 1)
            elif number is None:
                number = _twentieth(n_all, share)
            bar.say("looking for what does not belong")
            model = _fitted(how, n_all, number, tables, names)
            about = _topical(model)
            found = strays(model, counts, words, general, number, about)
            if out is not None:
                write_file(out, _csv(collection, found), force=force)
            listed = [_record(collection, stray, place) for place, stray in enumerate(found, 1)]
            skipped, copies = collection.n_skipped, collection.duplicates
            left_out = [(skip.source, skip.reason) for skip in collection.skipped[:_NAMED]]
    warning = coring.few_known(general, words, background)
    if warning:
        complain("warning", warning)
    if skipped or copies:
        lost = [f"{skipped:,} skipped"] if skipped else []
        twice = [counted(copies, "second copy", "second copies")] if copies else []
        complain("note", f"not looked at: {', '.join(lost + twice)}")
        for source, reason in left_out:
            complain("note", f"skipped {clean(source, 200)}: {clean(reason, 200)}")
        if skipped > len(left_out):
            complain("note", f"skipped {skipped - len(left_out):,} more")
    if read_before:
        complain("note", "rare words were left out when it was read, and they tell most here")
    if as_json:
        import json

        answer = {
            "source": str(path),
            "method": method.value,
            "background": background,
            "documents": n_all,
            "skipped": skipped,
            "second_copies": copies,
            "number": number,
            "suggested": n == coring.AUTO,
            "far": int((distances(model.scores_) >= FAR).sum()),
            "words": about[:20],
            "outliers": listed,
        }
        typer.echo(json.dumps(answer, ensure_ascii=False))
    elif not quiet:
        chosen = "far" if n == coring.AUTO else "default" if n is None and share is None else "told"
        _show(listed, model, chosen, out)


def _twentieth(n: int, share: float | None = None) -> int:
    return min(max(round((0.05 if share is None else share) * n), 1), n - 1)


def _fitted(how: tuple[Any, ...], n: int, number: int, tables: Any, names: Any) -> Any:
    from comraf.cli.coring import estimator

    method, background, *more = how
    if isinstance(tables, dict):
        background = {"words": background} if "words" in tables else None
    return estimator(method, n - number, background, *more).fit(tables, words=names)


def _topical(model: Any) -> list[str]:
    """Values that the core is about, of all sides."""
    found = model.topical_words_
    parts = found.values() if isinstance(found, dict) else [found]
    return [str(word) for part in parts for word in part]


def _words(collection: Collection) -> tuple[Any, list[str]]:
    if "words" not in collection.tables:
        raise InputError("the documents have no words, which is what they are compared by")
    if len(collection) < 3:
        raise InputError(f"{len(collection)} documents were read; there must be at least 3")
    return collection.tables["words"], list(collection.sides["words"].values)


def _record(collection: Collection, stray: Stray, place: int) -> dict[str, Any]:
    import numpy as np

    date = collection.dates[stray.row]
    return {
        "rank": place,
        "item": collection.ids[stray.row],
        "title": collection.titles[stray.row],
        "date": "" if np.isnat(date) else str(date),
        "source": collection.sources[stray.row],
        "score": round(stray.score, 6),
        "far": round(stray.distance, 2),
        "reason": stray.reason,
        "foreign_words": list(stray.words),
    }


def _csv(collection: Collection, found: Sequence[Stray]) -> Iterator[str]:
    import csv
    import io

    from comraf.results.files import safe_cell

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for place, stray in enumerate(found, start=1):
        record = _record(collection, stray, place)
        record["foreign_words"] = " ".join(record["foreign_words"])
        cells = [record[name] for name in _COLUMNS]
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in cells])
    yield buffer.getvalue()


def _show(listed: Sequence[dict[str, Any]], model: Any, how: str, out: Path | None) -> None:
    from comraf.cli import show
    from comraf.cli.reasons import FAR, distances
    from comraf.cli.table import Facts, Listing
    from comraf.cli.wording import counted

    console = show.open_console()
    far, n_all = int((distances(model.scores_) >= FAR).sum()), len(model.scores_)
    are = f"{far:,} {'is' if far == 1 else 'are'} far from the rest ({FAR:g} deviations or more)"
    said = {
        "default": f" A twentieth is a rule of thumb; {are}; -n or --share chooses.",
        "far": f" {are}, and -n auto takes these.",
        "told": f" {are}.",
    }
    show.tell(
        console,
        f"The {len(listed):,} of {counted(n_all, 'document')} least like the rest.{said[how]}",
    )
    about = show.listed(_topical(model)[:12])
    show.tell(console, f"What the rest is about: {about or 'nothing that stands out'}", indent=4)
    shown = listed[: show.MOST_SHOWN]
    show.show_table(
        console,
        [
            Facts("#", [str(record["rank"]) for record in shown]),
            Facts("far", [f"{record['far']:.1f}" for record in shown]),
            Facts("reason", [record["reason"] for record in shown], right=False),
        ],
        [
            Listing("document", [[record["title"] or record["item"]] for record in shown]),
            Listing("foreign words", [record["foreign_words"] for record in shown]),
        ],
    )
    if len(listed) > show.MOST_SHOWN:
        more = "the file has them all" if out else "--out FILE.csv writes them all"
        show.tell(console, f"... and {len(listed) - show.MOST_SHOWN:,} more; {more}.")
    if out is not None:
        show.tell(console, f"Written to {show.clean(str(out), 200)}")
