"""``comraf topics``: what each week of a stream was mostly about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from comraf.cli.files import claim
from comraf.cli.interrupts import DeferredInterrupt
from comraf.cli.options import Force, Json, OutFolder, PathArgument, Quiet, command
from comraf.cli.program import complain, has_written
from comraf.cli.show import MOST_SHOWN, clean, show_table, tell, tell_as_json, tell_place
from comraf.cli.table import Facts, Listing
from comraf.cli.wording import in_options
from comraf.workflows.naming import counted
from comraf.workflows.topics import TopicsOptions

if TYPE_CHECKING:
    from comraf.workflows.topics import Topics

__all__ = ["topics"]


@command
def topics(
    path: PathArgument,
    options: TopicsOptions,
    out: OutFolder = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Find the topic of each week of a dated stream, and what becomes of it.

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

    Parameters
    ----------
    path
        The stream.
    out
        Folder for the answer; by default NAME-topics beside where you are.

    Examples
    --------
    comraf topics news.csv --date published --text title,body --out news-topics
    comraf topics ~/Mail/list.mbox --by month --share 0.2
    comraf topics tweets.jsonl --by 500 -n auto --method occc
    comraf topics posts/ --by day -n 40 --background general-words.csv
    """
    from comraf.cli.bar import Bar
    from comraf.workflows.topics import topics as work

    options.check(path)
    place = out or Path(f"{path.resolve().stem or 'stream'}-topics")
    claim(place, force=force)
    interrupt = DeferredInterrupt()
    with (
        Bar(quiet=quiet) as bar,
        work(path, options=options, listener=bar, beside=place.parent) as answer,
    ):
        answer = replace(answer, notes=tuple(map(in_options, answer.notes)))
        bar.say("writing the timeline")
        with interrupt:
            answer.save(place, force=force)
        has_written(place)
        told = {"out": str(place), **answer.to_dict()}
    if as_json:
        tell_as_json(told)
    else:
        for note in answer.notes:
            complain("note", note)
        if not quiet:
            _show(answer, place)
    if answer.stream.interrupted or interrupt.pressed:
        complain("stopped", f"the topics until then were kept in {place}")
        raise typer.Exit(130)


def _show(answer: Topics, place: Path) -> None:
    """Print the topics, and where everything is."""
    from comraf.workflows.topics import change_word

    stream, options = answer.stream, answer.options
    found = stream.topics
    stories = counted(stream.n_stories, "story", "stories")
    sizes = answer.sizes
    if options.size is not None and options.size < 1:
        sizes = f"{sizes[:-1]} (-n or --share choose, -n auto finds one)."
    tell(f"{counted(len(found), answer.unit)} with a topic, {stories} ({options.method}). {sizes}")
    shown = found[:MOST_SHOWN]
    facts = [
        Facts(answer.unit, [topic.block.name for topic in shown], right=False),
        Facts("documents", [f"{len(topic.block):,}" for topic in shown]),
        Facts("core", [f"{topic.n_core:,}" for topic in shown]),
    ]
    if options.size is None:
        scores = [t.suggestion.best_row.score if t.suggestion else 0.0 for t in shown]
        facts.append(Facts("score", [f"{score:.2f}" for score in scores]))
    facts.append(Facts("", [change_word(found, topic) for topic in shown], right=False))
    words = [[word.word for word in topic.words] for topic in shown]
    show_table(facts, [Listing("telling words", words)])
    if len(found) > MOST_SHOWN:
        tell(f"... and {len(found) - MOST_SHOWN:,} later ones; topics.csv has them all.")
    for skip in stream.skipped[:3]:
        tell(f"left out {clean(skip.block.name)}: {clean(skip.reason, 200)}", indent=6)
    if len(stream.skipped) > 3:
        tell(f"left out {len(stream.skipped) - 3:,} more; topics.html says why")
    tell_place("Open", place / "topics.html")
