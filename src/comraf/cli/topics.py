"""``comraf topics``: what each week of a stream was mostly about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from comraf.cli.coring import (
    AUTO,
    BackgroundOption,
    CoreEffort,
    CoreEffortOption,
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
    from comraf.cli.topical import Told
    from comraf.oneclass.stream import Stream

__all__ = ["HELP", "block_unit", "part_of", "topics"]

HELP = """Find the topic of each week of a dated stream, and what becomes of it.

PATH is what organize takes: a mailbox, a folder of messages or posts, a CSV, TSV, JSON lines or
Parquet file with a column of dates, or a collection that was written before. It is cut into
blocks (--by day, week, month, or a number of documents). The topic of a block is the largest
part of it that hangs together: its core. Words are compared with how frequent they are in
general (--background).

How large a core is can't be seen from outside: say it (-n, --share), or let comraf try several
sizes for each block and tell the score of the one it takes (-n auto). Default: 30% of a block.

A topic goes on if it is like that of the block before, returns if it is like an earlier one,
and is new otherwise. The folder of --out gets topics.html (a timeline to look at), topics.csv
(a line for each block), articles.csv (the documents of each topic, best first), result.json.

\b
Examples:
  comraf topics news.csv --date published --text title,body --out news-topics
  comraf topics ~/Mail/list.mbox --by month --share 0.2
  comraf topics tweets.jsonl --by 500 -n auto --method occc
  comraf topics posts/ --by day -n 40 --background general-words.csv
"""

_DEFAULT_SHARE = 0.3
_COUNT = re.compile(r"(\d+)(?:[- ]?documents?)?")


class Method(StrEnum):
    """How cores are found."""

    ltb = "ltb"
    occc = "occc"


def block_unit(text: str) -> str | int:
    """What ``--by`` says.

    Examples
    --------
    >>> block_unit("week"), block_unit("200"), block_unit("200-documents")
    ('week', 200, 200)
    """
    from comraf.oneclass.stream import UNITS

    found = _COUNT.fullmatch(text.strip())
    if found and len(found[1]) < 10 and 0 < int(found[1]) < 10**9:
        return int(found[1])
    if text not in UNITS:
        raise InputError(
            f"--by {text} is not possible; give {', '.join(UNITS)}, or a number of documents"
        )
    return text


def part_of(number: str | None, share: float | None) -> float | None:
    """Size of cores from ``-n`` and ``--share``; None where it is to be found.

    Examples
    --------
    >>> part_of("12", None), part_of(None, 0.2), part_of("auto", None), part_of(None, None)
    (12, 0.2, None, 0.3)
    """
    if number is not None and share is not None:
        raise InputError("-n and --share both say how large a core is; give one of them")
    if share is not None:
        if not 0 < share < 1:
            raise InputError(f"--share {share:g} is not possible; give more than 0, less than 1")
        return share
    if number is None:
        return _DEFAULT_SHARE
    if number == AUTO:
        return None
    if not number.isdecimal() or len(number) > 9 or not 0 < int(number) < 10**9:
        raise InputError(f"-n {number} is not possible; give 1 or more, or {AUTO}")
    return int(number)


def topics(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The stream.", show_default=False)],
    by: Annotated[
        str,
        typer.Option(
            metavar="UNIT",
            help="Blocks: day, week (from Monday), month, or about so many documents.",
        ),
    ] = "week",
    number: Annotated[
        str | None,
        typer.Option(
            "-n",
            "--core",
            metavar="N",
            help="Documents in each core; auto tries several sizes and says the score.",
            show_default=False,
        ),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help=f"Share of each block that is its core. Default: {_DEFAULT_SHARE}.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            help="ltb: a topic mixed into general words; occc: a cluster of telling words."
        ),
    ] = Method.ltb,
    effort: CoreEffortOption = CoreEffort.default,
    pi: PiOption = None,
    background: BackgroundOption = "wordfreq:en",
    least: Annotated[
        int,
        typer.Option(min=3, metavar="N", help="Blocks with fewer documents are left out."),
    ] = 20,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the answer; by default NAME-topics beside where you are.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write to the folder even if it holds something.")
    ] = False,
    seed: Annotated[
        int,
        typer.Option(min=0, max=2**32 - 1, metavar="N", help="Seed of methods that draw."),
    ] = 0,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", help="Processes that read; -1: all cores.")
    ] = 1,
    kind: KindOption = None,
    follow_links: FollowLinksOption = False,
    text: TextOption = None,
    title: TitleOption = None,
    item_id: IdOption = None,
    date: DateOption = None,
    min_documents: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Leave out words that are in fewer documents. Default: 3 (less where they are "
            "few).",
            show_default=False,
        ),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No progress and no summary; errors are still told."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the topics as one JSON object, and nothing else.")
    ] = False,
) -> None:
    """Find the topic of each week of a dated stream, and what becomes of it."""
    if jobs == 0:
        raise InputError("--jobs 0 is not possible; give 1 or more, or -1 for all cores")
    unit, size = block_unit(by), part_of(number, share)
    from comraf.cli import topical as work
    from comraf.cli.bar import Bar
    from comraf.cli.coring import CoreMethod, estimator, read_background
    from comraf.cli.organized import Asked, gather
    from comraf.cli.patience import Patience
    from comraf.cli.program import complain, has_written
    from comraf.cli.reading import reading_options, side_options
    from comraf.cli.scratch import claim
    from comraf.collection.readers.files import check_path
    from comraf.results.files import write_folder

    check_path(path)  # before what a missing word list could be blamed for
    general = read_background(background)
    place = out or Path(f"{path.resolve().stem or 'stream'}-topics")
    claim(place, force=force)
    given = {"text": text, "title": title, "id": item_id, "date": date}
    asked = Asked(
        path=path,
        kind=kind,
        reading=reading_options(kind, given, None),
        sides=side_options(min_documents, None),
    )
    finder = estimator(CoreMethod(method.value), 1, general, seed, effort, pi)
    patience = Patience()
    with Bar(quiet=quiet) as bar:
        bar.say(f"looking at {path.name}")
        with gather(asked, place.parent, bar, jobs) as collection:
            told = work.Told(
                source=asked.source,
                path=str(path),
                by=unit,
                size=size,
                method=method.value,
                background=background,
                seed=seed,
                least=least,
            )
            stream, notes = work.find(collection, finder, told, bar)
            bar.say("writing the timeline")
            with patience:
                answer, files = work.written(collection, stream, told, notes)
                write_folder(place, files, force=force)
            has_written(place)
    if as_json:
        import json

        typer.echo(json.dumps({"out": str(place), **answer}, ensure_ascii=False))
    else:
        for note in notes:
            complain("note", note)
        if not quiet:
            _show(stream, told, place)
    if stream.interrupted or patience.pressed:
        complain("stopped", f"the topics until then were kept in {place}")
        raise typer.Exit(130)


def _show(stream: Stream, told: Told, place: Path) -> None:
    """Print the topics, and where everything is."""
    from comraf.cli.show import MOST_SHOWN, clean, open_console, show_table, tell
    from comraf.cli.table import Facts, Listing
    from comraf.cli.topical import change_word
    from comraf.cli.wording import counted

    console = open_console()
    found = stream.topics
    stories = counted(stream.n_stories, "story", "stories")
    tell(
        console,
        f"{counted(len(found), told.unit)} with a topic, {stories} ({told.method}). {told.sizes}",
    )
    shown = found[:MOST_SHOWN]
    facts = [
        Facts(told.unit, [topic.block.name for topic in shown], right=False),
        Facts("documents", [f"{len(topic.block):,}" for topic in shown]),
        Facts("core", [f"{topic.n_core:,}" for topic in shown]),
    ]
    if told.size is None:
        scores = [t.suggestion.best_row.score if t.suggestion else 0.0 for t in shown]
        facts.append(Facts("score", [f"{score:.2f}" for score in scores]))
    facts.append(Facts("", [change_word(found, topic) for topic in shown], right=False))
    words: Sequence[list[str]] = [[word.word for word in topic.words] for topic in shown]
    show_table(console, facts, [Listing("telling words", words)])
    if len(found) > MOST_SHOWN:
        tell(console, f"... and {len(found) - MOST_SHOWN:,} later ones; topics.csv has them all.")
    for skip in stream.skipped[:3]:
        tell(console, f"left out {clean(skip.block.name)}: {clean(skip.reason, 200)}", indent=6)
    if len(stream.skipped) > 3:
        tell(console, f"left out {len(stream.skipped) - 3:,} more; topics.html says why")
    tell(console, f"Open {clean(str(place / 'topics.html'), 200)}")
