"""``comraf demo``: a small made-up mailbox, clustered by all of its sides at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from comraf.cli.cluster import check_place, finish, run
from comraf.cli.options import OutFolder, command
from comraf.cli.show import clean, show_table, tell, tell_place
from comraf.cli.table import Facts, Listing
from comraf.workflows.demo import Demo, DemoOptions, sample_task
from comraf.workflows.options import Option

__all__ = ["demo"]


@command
def demo(
    options: DemoOptions,
    out: OutFolder = None,
    force: Annotated[bool, Option("--force")] = False,
    quiet: Annotated[bool, Option("--quiet", "-q")] = False,
) -> None:
    """Cluster a small made-up mailbox: messages, words, people and subjects at once.

    It needs no data and no network. The first run compiles the inner loops, which takes some
    seconds; later ones don't.

    Parameters
    ----------
    out
        Write the answer to this folder, as comraf cluster does.
    force
        Write to --out even if it holds something.
    quiet
        Print nothing; errors are still shown.

    Examples
    --------
    comraf demo
    comraf demo --seed 7 --out demo-clusters
    """
    from comraf.cli.bar import Bar

    with Bar(quiet=quiet) as bar:
        check_place(out, force=force)
        bar.say("writing a mailbox")
        task, truth = sample_task(options)
        done, hurried = run(task, bar, out, force=force)
    if not quiet:
        _show(Demo(done, truth), out)
    finish(done, out, hurried=hurried)


def _show(found: Demo, out: Path | None) -> None:
    from collections import Counter

    done, truth = found.clustered, found.truth
    messages = done.sides[0]
    largest = sorted(done.clusters[messages.name], key=lambda cluster: -cluster.size)
    mostly = []
    for cluster in largest:
        members = [truth[i] for i in (messages.labels == cluster.number).nonzero()[0]]
        topic, n = Counter(members).most_common(1)[0]
        mostly.append(f"{clean(topic)} {n / len(members):.0%}")
    facts = [
        Facts("size", [f"{cluster.size:,}" for cluster in largest]),
        Facts("mostly", mostly, right=False),
    ]
    listings = [
        Listing(heading, [[_short(name) for name, _ in c.telling[other]] for c in largest])
        for other, heading in (
            ("words", "telling words"),
            ("people", "people"),
            ("subjects", "subjects"),
        )
    ]
    sizes = ", ".join(f"{len(side.labels):,} {side.name}" for side in done.sides)
    tell(f"A made-up mailbox: {sizes}. Nobody told comraf the topics.")
    show_table(facts, listings)
    tell(
        f"{found.accuracy:.0%} of the messages lie in a group of their own "
        f"topic; by words alone it would be {found.accuracy_of_words:.0%}."
    )
    tell_place("The groups of every side are in", out)
    tell(
        "Next, a mailbox, a CSV or a folder of yours: comraf organize PATH. A table of counts: "
        "comraf cluster TABLE -k 20."
    )


def _short(name: str) -> str:
    """An address without its host."""
    return name.partition("@")[0]
