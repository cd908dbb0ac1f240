"""Collections to report on: made up, small or large, and what was found in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import scipy.sparse as sp

import comraf
from comraf.collection.items import Skip
from comraf.collection.sample import iter_messages, sample_tables
from comraf.graph import Edge, Graph, Node
from comraf.results import EdgeInformation, Result


@dataclass
class Values:
    """One side: the names of its values."""

    values: Sequence[str]


@dataclass
class Shelf:
    """What a report asks of a collection, in memory."""

    titles: Sequence[str]
    texts: Sequence[str]
    dates: Any
    tables: dict[str, sp.csr_array]
    sides: dict[str, Values]
    truth: Sequence[str | None] | None = None
    kind: str = "mail"
    notes: tuple[str, ...] = ()
    skipped: tuple[Skip, ...] = ()
    ids: Sequence[str] = field(default_factory=list)
    sources: Sequence[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.titles)

    def text(self, index: int) -> str:
        """The text of one document."""
        return self.texts[index]


def sample_shelf(n_messages: int = 150, seed: int = 0) -> Shelf:
    """The sample mailbox."""
    found = sample_tables(n_messages, seed)
    messages = {m.message["Message-ID"]: m.message for m in iter_messages(n_messages, seed)}
    kept = [messages[ident] for ident in found.message_ids]
    return Shelf(
        titles=[str(message["Subject"]) for message in kept],
        texts=[_body(message) for message in kept],
        dates=[message["Date"].datetime if message["Date"] else None for message in kept],
        tables=found.by_name(),
        sides={
            "words": Values(found.word_names),
            "people": Values(found.people_names),
            "subjects": Values(found.subject_names),
        },
        truth=[str(name) for name in found.truth],
        ids=found.message_ids,
        sources=[f"sample.mbox#{i}" for i in range(len(kept))],
    )


def _body(message: Any) -> str:
    part = message.get_body(("plain", "html"))
    return str(part.get_content())


def solve(shelf: Shelf, n_clusters: int = 4) -> tuple[Graph, Result]:
    """Cluster all sides of a shelf."""
    nodes = [Node("documents", n_clusters=n_clusters)]
    nodes += [
        Node(name, direction="top-down", values=side.values) for name, side in shelf.sides.items()
    ]
    graph = Graph(nodes, [Edge("documents", name, t) for name, t in shelf.tables.items()])
    return graph, comraf.Comraf(graph, random_state=0).fit().result_


def random_shelf(
    n_documents: int, n_groups: int, *, n_words: int = 3000, n_people: int = 400, seed: int = 0
) -> tuple[Shelf, Graph, Result]:
    """A large shelf with groups that are known without any search."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_groups, n_documents).astype(np.int32)
    labels[:n_groups] = np.arange(n_groups)
    tables, sides, found, n_clusters = {}, {}, {"documents": labels}, {"documents": n_groups}
    for name, size, length, k in (("words", n_words, 25, 64), ("people", n_people, 3, 32)):
        kinds = rng.integers(0, k, size).astype(np.int32)
        kinds[:k] = np.arange(k)
        rows = np.repeat(np.arange(n_documents), length)
        # Half of a document's values come from a stretch of its group's own.
        own = (labels[rows] * (size // n_groups) + rng.integers(0, 30, len(rows))) % size
        columns = np.where(rng.random(len(rows)) < 0.5, own, rng.integers(0, size, len(rows)))
        ones = np.ones(len(rows), dtype=np.int32)
        tables[name] = sp.csr_array((ones, (rows, columns)), shape=(n_documents, size))
        tables[name].sum_duplicates()
        sides[name] = Values([f"{name}{i} of the many" for i in range(size)])
        found[name], n_clusters[name] = kinds, k
    start = datetime(2020, 1, 1, tzinfo=UTC)
    shelf = Shelf(
        titles=[f"Letter {i} about something or other that matters" for i in range(n_documents)],
        texts=_Same(
            "Dear all, " + "a sentence of some length that says little. " * 40, n_documents
        ),
        dates=[start + timedelta(hours=int(h)) for h in rng.integers(0, 20_000, n_documents)],
        tables=tables,
        sides=sides,
        truth=[f"class {label % 60}" for label in labels],
    )
    graph = Graph(
        [Node("documents", n_clusters=n_groups)]
        + [Node(name, direction="top-down", n_clusters=n_clusters[name]) for name in tables],
        [Edge("documents", name, table) for name, table in tables.items()],
    )
    edges = tuple(EdgeInformation("documents", name, 1.0, 0.5) for name in tables)
    return shelf, graph, Result(found, n_clusters, 1.0, edges)


class _Same(Sequence[str]):
    """One text many times, without holding it many times."""

    def __init__(self, text: str, n: int) -> None:
        self._text, self._n = text, n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, index: Any) -> Any:
        return self._text
