"""``comraf demo``: a small made-up mailbox, clustered by all of its sides at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from comraf.cli.cluster import check_place, finish, run
from comraf.cli.options import OutFolder, SeedNumber, command
from comraf.workflows.options import Option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comraf.workflows.cluster import Clustered, Task

__all__ = ["demo"]


_MESSAGES = 400


@command
def demo(
    seed: SeedNumber = 0,
    out: OutFolder = None,
    force: Annotated[bool, Option("--force")] = False,
    quiet: Annotated[bool, Option("--quiet", "-q")] = False,
) -> None:
    """Cluster a small made-up mailbox: messages, words, people and subjects at once.

    It needs no data and no network. The first run compiles the inner loops, which takes some
    seconds; later ones don't.

    Parameters
    ----------
    seed
        Another seed, another mailbox and another search.
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

    truth: list[str] = []
    with Bar(quiet=quiet) as bar:
        check_place(out, force=force)
        bar.say("writing a mailbox")
        done, hurried = run(_mailbox(seed, truth), bar, out, force=force)
    if not quiet:
        _show(done, truth, out)
    finish(done, out, hurried=hurried)


def _mailbox(seed: int, truth: list[str]) -> Task:
    """The sample's three tables, and the truth about its messages."""
    from comraf.collection.sample import sample_tables
    from comraf.graph import Edge, Graph, Node, edge_weights
    from comraf.workflows.cluster import Task
    from comraf.workflows.search import Search

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
    search = Search(random_state=seed)
    return Task(graph, search, "the sample mailbox", "MDC", {"k": k} | search.written())


def _show(done: Clustered, truth: Sequence[str], out: Path | None) -> None:
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


def _by_words_alone(done: Clustered, truth: Sequence[str]) -> float:
    """The accuracy without people and subjects: what the other sides are good for."""
    from comraf.graph import Graph
    from comraf.metrics import micro_accuracy
    from comraf.workflows.cluster import solve

    graph = done.task.graph
    alone = Graph(graph.nodes[:2], graph.edges[:1])
    result = solve(alone, done.task.options)
    return float(micro_accuracy(truth, result.labels["messages"]))


def _short(name: str) -> str:
    """An address without its host."""
    return name.partition("@")[0]
