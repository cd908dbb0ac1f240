"""``demo``: a small made-up mailbox, clustered by all of its sides at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from comraf.progress import Listener, say, unheard
from comraf.workflows.cluster import Clustered, Task, perform, solve
from comraf.workflows.options import takes
from comraf.workflows.search import SEED, Search

__all__ = ["Demo", "DemoOptions", "demo", "sample_task"]

_MESSAGES = 400


@dataclass(frozen=True, kw_only=True)
class DemoOptions:
    """Options of `demo`.

    Parameters
    ----------
    random_state : int
        Another seed, another mailbox and another search.
    """

    random_state: Annotated[int, SEED] = 0


@dataclass(frozen=True, eq=False)
class Demo:
    """Clusters of a made-up mailbox, beside the truth about it.

    Attributes
    ----------
    clustered : Clustered
        Clusters of messages, words, people and subjects.
    truth : tuple of str
        The topic of each message, which the search was not told.
    """

    clustered: Clustered
    truth: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Demo({len(self.truth):,} messages, {self.accuracy:.0%} with their own topic)"

    @cached_property
    def accuracy(self) -> float:
        """The share of messages that lie in a group of their own topic."""
        from comraf.metrics import micro_accuracy

        return float(micro_accuracy(self.truth, self.clustered.result.labels["messages"]))

    @cached_property
    def accuracy_of_words(self) -> float:
        """The same without people and subjects: what the other sides are good for."""
        from comraf.graph import Graph
        from comraf.metrics import micro_accuracy

        graph = self.clustered.task.graph
        alone = Graph(graph.nodes[:2], graph.edges[:1])
        result = solve(alone, self.clustered.task.options)
        return float(micro_accuracy(self.truth, result.labels["messages"]))


@takes(DemoOptions)
def demo(*, options: DemoOptions, listener: Listener = unheard) -> Demo:
    """Cluster a small made-up mailbox: messages, words, people and subjects at once.

    Parameters
    ----------
    listener : callable, optional
        Called with every event of the work.
    options
        As for ``comraf demo``; see `DemoOptions`.

    Examples
    --------
    >>> found = demo()
    >>> found.accuracy > 0.9
    True
    """
    say(listener, "writing a mailbox")
    task, truth = sample_task(options)
    return Demo(perform(task, listener=listener), truth)


def sample_task(options: DemoOptions) -> tuple[Task, tuple[str, ...]]:
    """The sample's three tables, and the truth about its messages."""
    from comraf.collection.sample import sample_tables
    from comraf.graph import Edge, Graph, Node, edge_weights

    tables = sample_tables(_MESSAGES, options.random_state)
    truth = tuple(tables.truth.tolist())
    names = {
        "words": tables.word_names,
        "people": tables.people_names,
        "subjects": tables.subject_names,
    }
    k, counts = len(set(truth)), tables.by_name()
    weights = edge_weights(counts)
    graph = Graph(
        [
            Node("messages", values=tables.message_ids, n_clusters=k),
            *(Node(name, values=values, direction="top-down") for name, values in names.items()),
        ],
        [Edge("messages", name, counts[name], weight=weights[name]) for name in counts],
    ).check()
    search = Search(random_state=options.random_state)
    return Task(graph, search, "the sample mailbox", "MDC", {"k": k} | search.written()), truth
