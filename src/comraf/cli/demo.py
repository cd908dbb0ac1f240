"""``comraf demo``: a small made-up mailbox, clustered by all of its sides at once."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from comraf.cli.cluster import finish
from comraf.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comraf.cli.run import Done, Run

__all__ = ["HELP", "demo"]

HELP = """Cluster a small made-up mailbox: messages, words, people and subjects at once.

It needs no data and no network. The first run compiles the inner loops, which takes some
seconds; later ones don't.

\b
Examples:
  comraf demo
  comraf demo --seed 7 --out demo-clusters
"""

_MESSAGES = 400


def demo(
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            max=2**32 - 1,
            metavar="N",
            help="Another seed, another mailbox and another search.",
        ),
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write the answer to this folder, as comraf cluster does.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write to --out even if it holds something.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing; errors are still told.")
    ] = False,
) -> None:
    """Cluster a small made-up mailbox: messages, words, people and subjects at once."""
    from comraf.cli.run import perform

    if force and out is None:
        raise InputError("--force is about the folder of --out; name one")
    truth: list[str] = []
    done = perform(
        lambda: _mailbox(seed, truth), "writing a mailbox", out=out, force=force, quiet=quiet
    )
    if not quiet:
        _show(done, truth, out)
    finish(done, out)


def _mailbox(seed: int, truth: list[str]) -> Run:
    """The sample's three tables, and the truth about its messages."""
    from comraf.cli.run import Run, Search
    from comraf.collection.sample import sample_tables
    from comraf.graph import Edge, Graph, Node, edge_weights

    tables = sample_tables(_MESSAGES, seed)
    truth.extend(tables.truth.tolist())
    names = {
        "words": tables.word_names,
        "people": tables.people_names,
        "subjects": tables.subject_names,
    }
    k = len(set(truth))
    weights = edge_weights(tables.by_name())
    graph = Graph(
        [
            Node("messages", values=tables.message_ids, n_clusters=k),
            *(Node(name, values=values, direction="top-down") for name, values in names.items()),
        ],
        [
            Edge("messages", name, table, weight=weights[name])
            for name, table in tables.by_name().items()
        ],
    ).check()
    search = Search(seed=seed)
    return Run(graph, search, "the sample mailbox", "MDC", {"k": k} | asdict(search))


def _show(done: Done, truth: Sequence[str], out: Path | None) -> None:
    from collections import Counter

    from comraf.cli.show import clean, open_console, show_table, tell
    from comraf.cli.table import Facts, Listing
    from comraf.metrics import micro_accuracy

    messages = done.sides[0]
    found = sorted(done.clusters[messages.name], key=lambda cluster: -cluster.size)
    mostly = []
    for cluster in found:
        members = [truth[i] for i in (messages.labels == cluster.number).nonzero()[0]]
        topic, n = Counter(members).most_common(1)[0]
        mostly.append(f"{clean(topic)} {n / len(members):.0%}")
    facts = [
        Facts("size", [f"{cluster.size:,}" for cluster in found]),
        Facts("mostly", mostly, right=False),
    ]
    listings = [
        Listing(heading, [[_short(name) for name, _ in c.telling[other]] for c in found])
        for other, heading in (
            ("words", "telling words"),
            ("people", "people"),
            ("subjects", "subjects"),
        )
    ]
    console = open_console()
    sizes = ", ".join(f"{len(side.labels):,} {side.name}" for side in done.sides)
    tell(console, f"A made-up mailbox: {sizes}. Nobody told comraf the topics.")
    show_table(console, facts, listings)
    tell(
        console,
        f"{micro_accuracy(truth, messages.labels):.0%} of the messages lie in a group of their own "
        f"topic; by words alone it would be {_by_words_alone(done, truth):.0%}.",
    )
    if out is not None:
        tell(console, f"The groups of every side are in {clean(str(out), 200)}")
    tell(
        console,
        "Next, a mailbox, a CSV or a folder of yours: comraf organize PATH. A table of counts: "
        "comraf cluster TABLE -k 20.",
    )


def _by_words_alone(done: Done, truth: Sequence[str]) -> float:
    """The accuracy without people and subjects: what the other sides are good for."""
    from comraf.cli.run import solve
    from comraf.graph import Graph
    from comraf.metrics import micro_accuracy

    graph = done.run.graph
    alone = Graph(graph.nodes[:2], graph.edges[:1])
    result = solve(alone, done.run.search, lambda event: None)
    return float(micro_accuracy(truth, result.labels["messages"]))


def _short(name: str) -> str:
    """An address without its host."""
    return name.partition("@")[0]
