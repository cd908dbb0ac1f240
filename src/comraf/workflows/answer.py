"""An answer: the groups of a collection, with all that they were made of.

`organize` makes one, `open_answer` reads one back from its folder. Nothing changes an answer:
`Answer.merge` and its kin give another one.
"""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from comraf.errors import InputError, Message, Note, ReadError
from comraf.inference.methods import METHODS
from comraf.workflows.knowledge import Facts
from comraf.workflows.naming import group_names, html_table, noun_of, path_name

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from comraf.collection.collection import Collection
    from comraf.estimators.organizer import Organizer
    from comraf.graph import Graph
    from comraf.results import Result
    from comraf.results.contributions import Cluster, Side, View
    from comraf.results.explain import Explainer
    from comraf.select import Audit, Numbers, Structure
    from comraf.workflows.explain import Explanation
    from comraf.workflows.organize import OrganizeOptions
    from comraf.workflows.place import Placement
    from comraf.workflows.taxonomy import Tree

__all__ = [
    "Answer",
    "answer_in",
    "collection_in",
    "given_groups",
    "item_of",
    "of_result",
    "open_answer",
    "result_in",
    "source_name",
    "with_names",
    "write_answer",
]

DOCUMENTS = "documents"
#: The folder of the groups within the answer.
CLUSTERING = "clustering"
_ANEW = "make it anew with comraf organize"
#: What an answer that was saved for sharing lacks.
NO_TEXT = Message("include_text=False keeps none", code="no_text_kept")
_WANTED = Message("name the folder that Answer.save wrote", code="answer_folder")
_MOST_LISTED = 5
_LONGEST_LINE = 10_000
# What is computed again differs from what was written by rounding only.
_SAME = 1e-6
# Digits that no number of an item has; Python refuses to read some thousands.
_LONG_NUMBER = 20
# Words of each group that a notebook shows.
_SHOWN_WORDS = 8


class Held:
    """What is there as long as anybody needs it: the documents of answers, on the disk."""

    def __init__(self) -> None:
        self.stack = ExitStack()
        weakref.finalize(self, self.stack.close)


class Holding:
    """What holds documents on the disk until it is closed, or nobody needs it any more."""

    held: Held

    def close(self) -> None:
        """Give back the disk space of the documents; they can't be read any more."""
        self.held.stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Answer(Holding):
    """A collection in groups.

    Attributes
    ----------
    collection : Collection
        The documents, with the counts of all their sides.
    organizer : Organizer
        The estimator that made the groups.
    options : OrganizeOptions
        What was asked for.
    path : Path
        What was organised.
    folder : Path or None
        Where the answer was read from.
    structure : Structure or None
        Whether there is anything to find, if that was asked.
    audit : Audit or None
        What each side adds to the main one, if that was asked.
    numbers : Numbers or None
        Good numbers of groups, if none was asked for.
    warnings, hints : tuple of str
        What may be wrong with the answer, and what could be asked for.
    facts, known
        What was known of some documents, and how far the answer keeps to it.
    method : str
        The estimator that searched for the groups, or the method of one's own.
    unchecked, out_of_time : bool
        Whether a question about sides, numbers or structure was cut short, and whether it was the
        time limit that cut short the work.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import comraf
    >>> from comraf.collection.sample import write_mbox
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     box = write_mbox(pathlib.Path(folder, "mail.mbox"), 40)
    ...     with comraf.organize(box, 3, effort="quick") as answer:
    ...         fewer = answer.merge(0, 1).rename(0, "both")
    ...         fewer, fewer.names[0], len(fewer.labels_)
    (Answer(38 messages of mail.mbox in 2 groups), 'both', 38)
    """

    def __init__(
        self,
        collection: Collection,
        organizer: Organizer | None = None,
        *,
        graph: Graph | None = None,
        result: Result | None = None,
        options: OrganizeOptions,
        path: Any = None,
        structure: Structure | None = None,
        audit: Audit | None = None,
        numbers: Numbers | None = None,
        warnings: tuple[str, ...] = (),
        hints: tuple[str, ...] = (),
        facts: Facts | None = None,
        known: Mapping[str, Any] | None = None,
        method: str = "",
        unchecked: bool = False,
        out_of_time: bool = False,
        folder: Path | None = None,
        held: Held | None = None,
    ) -> None:
        self.collection, self.options = collection, options
        if organizer is not None:
            self.organizer = organizer
        else:
            if graph is None or result is None:
                raise InputError("an answer is made of an organizer, or of a graph and its result")
            self.graph, self.result = graph, result
        self.path = Path(path_name(path))
        self.structure, self.warnings, self.hints = structure, warnings, hints
        self.audit, self.numbers = audit, numbers
        self.facts, self.known = facts or Facts(), dict(known or {})
        self.method = method or METHODS[options.method].title
        self.unchecked, self.out_of_time = unchecked, out_of_time
        self.folder = folder
        self.held = held or Held()
        self._fresh = organizer is not None

    @cached_property
    def organizer(self) -> Organizer:
        """The estimator of the groups; of those that were read or edited one that is given them."""
        plain = {name: given for name, given in self.result.names.items() if name != DOCUMENTS}
        if labels := self.facts.labels.get(DOCUMENTS):
            plain[DOCUMENTS] = self._classes(labels)
        result = replace(self.result, names=plain, ids={}, next_ids={})
        return given_groups(self.graph, self.collection, result, self.options.weighting)

    def _classes(self, labels: Mapping[int, str]) -> tuple[str, ...]:
        """The class that prevails in each group, as a search would name it."""
        from comraf.supervision import read_knowledge
        from comraf.supervision.prepared import prevailing

        known = read_knowledge(len(self.collection), labels=labels)
        k, there = self.result.n_clusters[DOCUMENTS], self.graph.occupied(DOCUMENTS)
        found = prevailing(known, self.result.labels[DOCUMENTS], k, there)
        return tuple("" if one is None else str(known.labels.classes[one]) for one in found)

    @cached_property
    def graph(self) -> Graph:
        """What was solved."""
        return self.organizer.graph_

    @property
    def items(self) -> tuple[str, ...]:
        """Ids of the documents."""
        return tuple(self.collection.ids)

    @property
    def _solved(self) -> Result:
        """What was found: as the search gave it, or as it was read, which needs no estimator."""
        return self.organizer.result_ if self._fresh else self.result

    @property
    def labels_(self) -> npt.NDArray[np.int32]:
        """The group of each document."""
        return self._solved.labels[DOCUMENTS]

    @property
    def confidence_(self) -> npt.NDArray[np.float64]:
        """How sure the group of each document is, 0 to 1."""
        return self.organizer.placed_.confidence

    @cached_property
    def sides(self) -> list[Side]:
        """The sides that were clustered, with the names of their values and plain counts."""
        from comraf.results.contributions import sides_of

        found = with_names(sides_of(self.graph, self._solved), self.collection)
        # k-means goes by documents alone
        return [side for side in found if side.name == DOCUMENTS or self.method != "HMRFKMeans"]

    @cached_property
    def clusters(self) -> dict[str, list[Cluster]]:
        """What tells the clusters of each side apart."""
        from comraf.results.contributions import clusters

        found = {side.name: list(clusters(side)) for side in self.sides}
        n = len(self.collection)
        found[DOCUMENTS] = [replace(one, share=one.size / n) for one in found[DOCUMENTS]]
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each group."""
        from comraf.report.titles import titled_clusters

        named = self._solved.names.get(DOCUMENTS, ())
        if not self._fresh and named and all(named):
            return tuple(named)
        made_by = None if self.collection.photos is None else list(self.organizer.sides_)
        return group_names(
            titled_clusters(self.clusters[DOCUMENTS], self.collection), named, made_by
        )

    @cached_property
    def result(self) -> Result:
        """The clusters of all sides with all names."""
        return self.numbered()

    def numbered(self) -> Result:
        """The result with all names, and clusters that are numbered from 0 on."""
        result, collection = self.organizer.result_, self.collection
        values = {
            name: collection.sides[name].values
            for name in result.labels
            if name in collection.sides
        }
        return replace(
            result,
            names={**result.names, DOCUMENTS: self.names},
            values={**values, DOCUMENTS: collection.ids},
        )

    @cached_property
    def explainer(self) -> Explainer:
        """Why documents and values are where they are; what was counted for one is kept."""
        from comraf.results.explain import Explainer

        return Explainer(self.graph, self.result)

    @property
    def unlabelled(self) -> list[int]:
        """Documents whose class the search was not told: those it can be scored by."""
        given = self.facts.labels.get(DOCUMENTS, {})
        return [i for i in range(len(self.collection)) if i not in given]

    @property
    def source(self) -> str:
        """What to call the documents: an answer's own collection by what it was made from."""
        return source_name(self.path)

    def groups(self) -> list[dict[str, Any]]:
        """The groups as plain data, the largest first: number, name, size, telling values."""
        from comraf.workflows.writing import groups

        return groups(self)

    def save(
        self, folder: str | os.PathLike[str], *, force: bool = False, include_text: bool = True
    ) -> None:
        """Write the answer: clusters, report, model, collection, as ``comraf organize`` does.

        Parameters
        ----------
        folder : path-like
            It must be new or empty, unless ``force`` is set.
        force : bool
        include_text : bool
            False is for sharing: no texts, names or ids, and no model.
        """
        from comraf.workflows.writing import write

        write(self, Path(folder), force=force, include_text=include_text)

    def report(self) -> str:
        """The report, a page of HTML that stands alone."""
        from comraf.report import render
        from comraf.workflows.writing import report_of

        return render(report_of(self))

    def merge(self, *groups: int) -> Answer:
        """Another answer in which groups are one."""
        from comraf.results.edit import merge

        return self._edited(merge(self.graph, self.result, DOCUMENTS, groups))

    def rename(self, group: int, name: str) -> Answer:
        """Another answer in which a group has another name."""
        from comraf.results.edit import rename

        return self._edited(rename(self.result, DOCUMENTS, group, name), known=self.known)

    def split(self, group: int, parts: int = 2) -> Answer:
        """Another answer in which a group is several."""
        from comraf.results.edit import split

        seed = self.options.random_state
        return self._edited(split(self.graph, self.result, DOCUMENTS, group, parts, seed=seed))

    def explain(self, item: str | int, **options: Any) -> Explanation:
        """Why a document is in its group; see `comraf.workflows.explain.explain`."""
        from comraf.workflows.explain import explain

        return explain(self, item, **options)

    def taxonomy(self, sizes: Sequence[int], **options: Any) -> Tree:
        """Groups of groups, and within groups; see `comraf.workflows.taxonomy.taxonomy`."""
        from comraf.workflows.taxonomy import taxonomy

        return taxonomy(self, sizes=sizes, **options)

    def place(self, path: Any, **options: Any) -> Placement:
        """New documents in these groups; see `comraf.workflows.place.place`."""
        from comraf.workflows.place import place

        return place(self, path, **options)

    def _edited(self, result: Result, **more: Any) -> Answer:
        """An answer of the same documents with other groups."""
        return Answer(
            self.collection,
            graph=self.graph,
            result=result,
            options=self.options,
            path=self.path,
            structure=self.structure,
            audit=self.audit,
            numbers=self.numbers,
            warnings=self.warnings,
            hints=self.hints,
            facts=self.facts,
            method=self.method,
            held=self.held,
            **more,
        )

    def __len__(self) -> int:
        return len(self.collection)

    def __repr__(self) -> str:
        noun = f"{noun_of(self.collection)}s"
        return f"Answer({len(self):,} {noun} of {self.source} in {len(self.names):,} groups)"

    def _repr_html_(self) -> str:
        def told(group: dict[str, Any]) -> str:
            values = group["telling"].values()
            return "; ".join(
                ", ".join(one["value"] for one in side[:_SHOWN_WORDS]) for side in values
            )

        cells = ((g["cluster"], g["name"], f"{g['size']:,}", told(g)) for g in self.groups())
        return html_table(repr(self), ("group", "name", "size", "telling"), cells)

    def side(self, name: str) -> str:
        """A side that was clustered, by its name."""
        hidden = [node.name for node in self.graph.nodes if node.hidden]
        if name not in hidden:
            why = ""
            if name in self.graph.index:
                why = f"{name} are observed, each by itself, and have no clusters; "
            elif name in self.collection.tables:
                why = f"{name} had no part in making the groups; "
            text = "{given}: {why}choose one of {hidden:,}"
            raise InputError(text, "side", name, why=why, hidden=hidden)
        return name

    def values(self, side: str) -> Sequence[str]:
        """Names of the values of a side."""
        if side == DOCUMENTS or (side in self.graph.index and side not in self.collection.sides):
            return self.collection.ids  # neighbours are documents, too
        return self.collection.sides[side].values


def collection_in(path: Any) -> Path | None:
    """The collection that comraf wrote, by itself or within an answer; it may be gone or damaged.

    Examples
    --------
    >>> collection_in("no-such-folder") is None
    True
    """
    if not isinstance(path, (str, os.PathLike)):
        return None
    place = Path(path)
    if (place / "result.json").is_file():
        return place / "collection"
    return place if (place / "collection.json").is_file() else None


def source_name(path: Any) -> str:
    """What to call documents: an answer's own collection by what it was made from."""
    place = Path(path_name(path))
    folder = place if (place / "result.json").is_file() else place.parent
    if folder != place and not (place / "collection.json").is_file():
        return place.name
    try:
        with open(folder / "result.json", encoding="utf-8") as stream:
            # One entry a line, and this is among the first: the whole may be very large.
            lines = [stream.readline(_LONGEST_LINE) for _ in range(8)]
        found = next(line for line in lines if line.startswith('"source":'))
        return Path(json.loads(found.rstrip(",\n").partition(":")[2])).name
    except (OSError, ValueError, StopIteration, TypeError):
        return place.name


def given_groups(graph: Graph, collection: Collection, result: Result, weighting: str) -> Organizer:
    """An organizer that is given its groups: it describes them, and places new documents."""
    from comraf.estimators.organizer import DOCUMENTS, Organizer
    from comraf.supervision import read_knowledge

    class Given(Organizer):
        """Groups from elsewhere."""

        def take(self) -> Given:
            self.graph_ = graph
            self.values_ = {name: side.values for name, side in collection.sides.items()}
            self.classes_ = ()
            self._known = read_knowledge(len(collection))
            self._set_result(result)
            return self

    by = [node.name for node in graph.nodes if node.name != DOCUMENTS]
    return Given(result.n_clusters[DOCUMENTS], by=by, weighting=weighting).take()


def with_names(sides: Sequence[Side], collection: Collection) -> list[Side]:
    """Sides with the names of their values and plain counts, as the report tells them."""
    import scipy.sparse as sp

    from comraf.collection.sides import NEIGHBOURS
    from comraf.results.contributions import Side, View

    def values(name: str) -> Sequence[str] | None:
        if name == "documents":
            return collection.ids
        return collection.sides[name].values if name in collection.sides else None

    def plain(side: str, view: View) -> sp.csr_array:
        if side == "documents" and view.other in collection.tables:
            return collection.tables[view.other]
        if view.other == "documents" and side in collection.tables:
            return sp.csr_array(collection.tables[side].T)
        return view.counts

    def views(side: Side) -> Iterator[View]:
        # that a group's documents are near each other tells nothing of what it is about
        told = [view for view in side.views if view.other != NEIGHBOURS]
        for view in told:
            yield View(view.other, values(view.other), plain(side.name, view))
        if side.name != "documents":
            return
        if not told and "words" in collection.tables:
            yield View("words", values("words"), collection.tables["words"])
        if (
            collection.photos is not None
            and "colours" in collection.tables
            and not {"words", "colours"} & {view.other for view in told}
        ):
            # blobs have no names, and textures look alike: colours are what a group is known by
            yield View("colours", values("colours"), collection.tables["colours"])

    return [Side(side.name, values(side.name), side.labels, tuple(views(side))) for side in sides]


def result_in(folder: Path) -> Result:
    """The groups of an answer."""
    from comraf.results.files import recover
    from comraf.results.result import load_result

    recover(folder)
    if not folder.exists():
        text = "{folder}: there is nothing of this name; {wanted}"
        raise ReadError(text, folder=folder, wanted=_WANTED)
    if not folder.is_dir():
        raise ReadError("{folder}: is a file; {wanted}", folder=folder, wanted=_WANTED)
    inside = folder / CLUSTERING
    if not inside.is_dir():
        if (folder / "result.json").is_file():
            raise ReadError(
                "{folder}: its groups are not kept for this ({how}); {anew}",
                folder=folder,
                how=Message("only organize keeps them, with include_text", code="groups_kept"),
                anew=_ANEW,
            )
        text = "{folder}: holds no answer of comraf organize; {wanted}"
        raise ReadError(text, folder=folder, wanted=_WANTED)
    return load_result(inside)


def open_answer(folder: str | os.PathLike[str]) -> Answer:
    """What ``comraf organize`` wrote, with all that it was made of.

    Parameters
    ----------
    folder : path-like
        The folder of the answer. It must have been written with its texts.

    Raises
    ------
    ReadError
        If there is no such answer, or it is damaged.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import comraf
    >>> from comraf.collection.sample import write_mbox
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     box = write_mbox(pathlib.Path(folder, "mail.mbox"), 40)
    ...     with comraf.organize(box, 3, effort="quick") as answer:
    ...         answer.save(pathlib.Path(folder, "groups"))
    ...     comraf.open_answer(pathlib.Path(folder, "groups"))
    Answer(38 messages of mail.mbox in 3 groups)
    """
    from comraf.collection.sides.neighbours import with_neighbours
    from comraf.collection.store import open_collection
    from comraf.results.archive import folder_named
    from comraf.workflows.neighbours import neighbour_weight, read_neighbours

    folder = folder_named(folder)
    result = result_in(folder)
    if not (folder / "collection").is_dir():
        raise ReadError(f"{folder}: the documents of this answer are not there; {_ANEW}")
    collection = open_collection(folder / "collection")
    near = read_neighbours(folder)
    if near is not None:
        collection = with_neighbours(collection, near, weight=neighbour_weight(folder))
    graph = _graph(folder, result, collection)
    _check(folder, graph, result)
    return of_result(collection, graph, result, like=folder, folder=folder)


def of_result(
    collection: Collection,
    graph: Graph,
    result: Result,
    *,
    like: str | os.PathLike[str] | None = None,
    folder: Path | None = None,
) -> Answer:
    """An answer of groups that came from elsewhere: from a file, an estimator, an editor.

    Parameters
    ----------
    collection : Collection
        The documents.
    graph : Graph
        What was clustered, with a node "documents", or "rows" as `MDC` and `ComrafStar` call it.
    result : Result
        The groups, edited or not. They are numbered anew, from 0, when they are saved; those
        without a name go by what tells them apart.
    like : path-like, optional
        An answer of ``comraf organize`` that the groups come from: how its documents were read
        and searched, and the labels that were given, are taken over.
    folder : path-like, optional
        Where the answer was read from.

    Raises
    ------
    InputError
        If the result is not about the collection.
    """
    from comraf.results import Result
    from comraf.workflows.organize import OrganizeOptions

    if "rows" in result.labels and DOCUMENTS not in result.labels:
        graph, result = _renamed(graph, result, "rows", DOCUMENTS)
    if not hasattr(collection, "tables") or not isinstance(result, Result):
        raise InputError(
            f"a {type(collection).__name__} and a {type(result).__name__} are given; give the "
            "collection and the Result of it, as open_answer does"
        )
    labels = result.labels.get(DOCUMENTS)
    if labels is None:
        raise InputError(
            f"the result has no node 'documents' or 'rows', only {list(result.labels)}; call the "
            "node of the collection's documents so"
        )
    if len(labels) != len(collection):
        raise InputError(
            f"the result has {len(labels):,} documents and the collection {len(collection):,}; "
            "give the collection that was clustered"
        )
    said = {} if like is None else answer_in(Path(like))
    observed = tuple(node.name for node in graph.nodes if not node.hidden)
    options = OrganizeOptions.as_written(
        {
            "graph": "given",
            "edge_weights": "given",
            "weighting": graph.edges[0].weighting,
            **said.get("parameters", {}),
            "observe": observed,
        },
        {} if like is None else _reading(Path(like)),
    )
    return Answer(
        collection,
        graph=graph,
        result=result,
        options=options,
        path=said.get("source") or "documents",
        facts=None if like is None else Facts(labels=_labels(Path(like), collection)),
        method=said["method"] if isinstance(said.get("method"), str) else "",
        folder=folder,
        **_questions(said),
        **({} if folder is None else _told(said, collection.notes)),
    )


def _told(said: Mapping[str, Any], notes: Sequence[str]) -> dict[str, Any]:
    """What ``result.json`` says of its groups beside the ``notes`` of the collection."""
    found: dict[str, Any] = {}
    with suppress(AttributeError, TypeError, ValueError):  # by an earlier comraf
        found["known"] = dict(said.get("known", {}))
        warnings = tuple(map(Note.read, said.get("warnings", ())))
        others = {*notes, *warnings}
        hints = tuple(note for note in map(Note.read, said["notes"]) if note not in others)
        found |= {"warnings": warnings, "hints": hints}
    return found


def _questions(said: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked about the collection before, as ``result.json`` has it."""
    from comraf.select import Audit, Numbers, Structure

    found: dict[str, Any] = {}
    kinds: dict[str, Any] = {"audit": Audit, "numbers": Numbers, "structure": Structure}
    for name, kind in kinds.items():
        with suppress(KeyError, TypeError, ValueError):  # not asked, or by an earlier comraf
            found[name] = kind.read(said[name])
    return found


def write_answer(
    collection: Collection,
    graph: Graph,
    result: Result,
    out: str | os.PathLike[str],
    *,
    like: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> None:
    """Write groups as ``comraf organize`` does: clusters, model and report in a folder.

    Parameters
    ----------
    collection, graph, result, like
        As in `of_result`.
    out : path-like
        The folder to write.
    force : bool
        Replace an answer that is there.

    Raises
    ------
    WriteError
        If the folder is there already, or can't be written.
    InputError
        If the result is not about the collection.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import comraf
    >>> from comraf.collection.sample import write_mbox
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     collection = comraf.read(write_mbox(pathlib.Path(folder, "mail.mbox"), 40))
    ...     fit = comraf.Organizer(3, effort="quick", random_state=0).fit(collection)
    ...     out = pathlib.Path(folder, "groups")
    ...     comraf.write_answer(collection, fit.graph_, fit.result_, out)
    ...     len(comraf.open_answer(out).names)
    3
    """
    from comraf.results.files import check_folder

    answer = of_result(collection, graph, result, like=like)
    check_folder(out, force=force)
    answer.save(out, force=force)


def _graph(folder: Path, result: Result, collection: Collection) -> Graph:
    """The graph as it was solved, from the tables of the collection."""
    from comraf.estimators._graphs import (
        GRAPHS,
        make_graph,
        measured_sides,
        observed_sides,
        through_documents,
    )
    from comraf.estimators._tying import tied_graph, ties_of
    from comraf.graph import Edge, Graph, Node

    answer = answer_in(folder)
    try:
        shape = answer["parameters"]["graph"]
        edges = [(*entry["between"], entry["weighting"]) for entry in answer["edges"]]
        sides = list(dict.fromkeys(end for a, b, _ in edges for end in (a, b) if end != DOCUMENTS))
        tables = {side: collection.tables[side] for side in sides}
        if shape in GRAPHS:
            k, weighting = result.n_clusters[DOCUMENTS], edges[0][2]
            seen = observed_sides(collection, answer["parameters"].get("observe"))
            rule = answer["parameters"].get("edge_weights", "root_mass")
            made = make_graph(
                tables,
                k,
                shape=shape,
                weighting=weighting,
                rule=rule,
                weight=answer["parameters"].get("weight"),
                observed=seen,
                measured=measured_sides(collection),
            )
            return tied_graph(made, result, ties_of(tables, DOCUMENTS))
        nodes = [
            Node(name, n_clusters=k)
            if k < len(result.labels[name])
            else Node(name, observed="singletons", size=k)
            for name, k in result.n_clusters.items()
        ]
        joined = []
        for (a, b, weighting), known in zip(edges, result.edges, strict=True):
            if DOCUMENTS in (a, b):
                table = tables[b] if a == DOCUMENTS else tables[a].T
            else:
                table = through_documents(tables[a], tables[b])
            joined.append(Edge(a, b, table, weight=known.weight, weighting=weighting))
        return Graph(nodes, joined)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else error
        text = "{folder}: the graph can't be made again ({what}); {anew}"
        raise ReadError(text, folder=folder, what=what, anew=_ANEW) from None


def answer_in(folder: Path) -> dict[str, Any]:
    """What ``result.json`` of an answer says."""
    try:
        answer = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or error
        raise ReadError(f"{folder / 'result.json'}: can't be read: {reason}; {_ANEW}") from None
    except (ValueError, RecursionError):
        raise ReadError(f"{folder / 'result.json'}: is damaged; {_ANEW}") from None
    if not isinstance(answer, dict):
        raise ReadError(f"{folder / 'result.json'}: is not an answer of comraf; {_ANEW}")
    return answer


def _check(folder: Path, graph: Graph, result: Result) -> None:
    """Refuse groups that were not made of these documents."""
    from comraf.results.solved import Solved

    fits = {node.name for node in graph.nodes} == set(result.labels) and all(
        graph.sizes[name] == len(labels) for name, labels in result.labels.items()
    )
    if fits:
        value = Solved(graph, result).objective
        fits = abs(value - result.objective) <= _SAME * max(1.0, abs(value))
    if not fits:
        raise ReadError(f"{folder}: the groups were not made of the documents in it; {_ANEW}")


def item_of(answer: Answer, side: str, text: str) -> int:
    """The value that is meant: by its name, by its number, or by a part of its name or title."""
    from comraf.results.files import safe_cell
    from comraf.supervision.naming import quoted

    names = answer.values(side)
    if text in names:
        return names.index(text)
    written = [i for i, name in enumerate(names) if safe_cell(name) == text]  # as in clusters.csv
    if len(written) == 1:
        return written[0]
    if text.isdecimal() and len(text) < _LONG_NUMBER and int(text) < len(names):
        return int(text)
    titles = answer.collection.titles if side == DOCUMENTS else names
    wanted = text.casefold()
    found = [i for i, title in enumerate(titles) if title.casefold() == wanted]
    found = found or [
        i
        for i, (name, title) in enumerate(zip(names, titles, strict=True))
        if wanted in name.casefold() or wanted in title.casefold()
    ]
    if len(found) == 1:
        return found[0]
    what = f"{noun_of(answer.collection)}s" if side == DOCUMENTS else side
    if not found:
        where = answer.path.name if answer.folder is None else answer.folder
        raise InputError(f"{quoted(text)} is none of the {len(names):,} {what} in {where}")
    few = ", ".join(f"{i} ({titles[i] or names[i]})" for i in found[:_MOST_LISTED])
    more = ", ..." if len(found) > _MOST_LISTED else ""
    raise InputError(
        f"{text!r} may be any of {len(found):,} {what}: {few}{more}; give the number of one"
    )


def _renamed(graph: Graph, result: Result, old: str, new: str) -> tuple[Graph, Result]:
    """A graph and its result with another name for a node."""

    def called(name: str) -> str:
        return new if name == old else name

    edges = [copy(edge) for edge in graph.edges]  # with their counts as they are
    for edge in edges:
        object.__setattr__(edge, "a", called(edge.a))
        object.__setattr__(edge, "b", called(edge.b))
    parts: dict[str, Any] = {
        part: {called(name): given for name, given in getattr(result, part).items()}
        for part in "labels n_clusters stability levels ids next_ids names values".split()
    }
    return (
        type(graph)(
            [replace(node, name=called(node.name)) for node in graph.nodes],
            edges,
        ),
        replace(
            result,
            edges=tuple(replace(e, a=called(e.a), b=called(e.b)) for e in result.edges),
            trace=tuple(replace(point, node=called(point.node)) for point in result.trace),
            **parts,
        ),
    )


def _reading(folder: Path) -> dict[str, Any]:
    """How the documents of an answer were read, as its model knows."""
    from comraf.results.model import load_model

    return dict(load_model(folder / "model").about.get("reading", {}))


def _labels(folder: Path, collection: Collection) -> dict[str, dict[int, str]]:
    """Labels that the search was given, by the numbers of documents."""
    from comraf.workflows.evaluate import column_of

    given = column_of(folder / "clusters.csv", "label", needed=False)
    found = {i: given[item] for i, item in enumerate(collection.ids) if given.get(item)}
    return {"documents": found} if found else {}
