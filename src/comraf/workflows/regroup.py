"""Searching for the groups of an answer again, by all that was said of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from comraf.errors import ConflictError
from comraf.progress import Event, Listener, unheard
from comraf.workflows.answer import DOCUMENTS, Answer
from comraf.workflows.chooser import links_of
from comraf.workflows.naming import noun_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from comraf.session.session import Said

__all__ = ["Regrouping"]


@dataclass(frozen=True, eq=False)
class Regrouping:
    """A search that is ready to begin; it has all it needs and does not look at the session.

    So it can run in a thread while the session goes on. It starts from the groups as they are:
    twenty answers are to change what they are about, and not everything else.

    Attributes
    ----------
    answer : Answer
        Whose documents are grouped, with the sides, weights and effort that it was made with.
    said : Said
        What is known: answers become links that hold, labels what ``labels_as`` says.
    version : int
        The version of the session that this is about.
    n_clusters : int
        How many groups.
    labels_as : {"intrinsic", "constrained", "seeds"}
    """

    answer: Answer
    said: Said
    version: int
    n_clusters: int
    labels_as: Literal["intrinsic", "constrained", "seeds"] = "intrinsic"

    def search(self, listener: Listener = unheard) -> Answer:
        """Find the groups; whatever the listener raises ends the search, and nothing is changed."""
        from comraf.estimators.organizer import GRAPHS, Organizer
        from comraf.graph import Graph

        options, collection = self.answer.options, self.answer.collection
        nodes, edges = self.answer.graph.nodes, self.answer.graph.edges
        sides = [node.name for node in nodes if node.name != DOCUMENTS]
        given: dict[str, Any] = {"by": sides}
        if options.graph in GRAPHS:
            given |= {
                "n_clusters": self.n_clusters,
                "graph": options.graph,
                "weighting": options.weighting,
                "edge_weights": options.edge_weights,
                "weight": options.weight,
                "observe": options.observe,
            }
        else:  # a graph of one's own is taken as it is
            k = self.n_clusters
            own = [
                replace(node, n_clusters=k) if node.name == DOCUMENTS else node for node in nodes
            ]
            given["graph"] = Graph(own, list(edges))

        def called(event: Event) -> None:
            noun = f"{noun_of(collection)}s" if event.node == DOCUMENTS else event.called
            listener(replace(event, called=noun))

        try:
            organizer = Organizer(
                **given, verbose=called, labels_as=self.labels_as, **options.search_parameters()
            ).fit(collection, labels=self.labels() or None, start=self._start(), **self._links())
        except ConflictError as error:
            raise error.about(
                "{error}; ask for more groups than {k:,}, or take an answer back", k=self.n_clusters
            ) from None
        return Answer(collection, organizer, options=options, path=self.answer.path)

    def labels(self) -> dict[int, str]:
        """Labels by the numbers of documents: those the answer was made with, and later ones."""
        return {**self.answer.facts.labels.get(DOCUMENTS, {}), **self.said.labels}

    def _start(self) -> npt.NDArray[np.int32] | None:
        """The groups as they are; items whose group was called wrong begin anywhere."""
        groups = self.said.groups
        if self.n_clusters < len(groups):  # which of them should go is for the search to say
            return None
        labels = np.unique(groups.of, return_inverse=True)[1].astype(np.int32)
        labels[list(self.said.doubted)] = -1
        return labels

    def _links(self) -> dict[str, Any]:
        found = links_of(self.said.answers)
        return {what: pairs if len(pairs) else None for what, pairs in found.items()}
