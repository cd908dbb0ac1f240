"""``taxonomy``: groups of groups, and groups within groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from comraf.errors import InputError
from comraf.workflows.answer import DOCUMENTS, Answer, open_answer
from comraf.workflows.naming import html_table, noun_of
from comraf.workflows.options import Option, takes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comraf.results.contributions import View
    from comraf.results.hierarchy import Taxonomy

__all__ = ["TaxonomyOptions", "Tree", "taxonomy"]

_TOLD = 4


def _sizes(text: str) -> tuple[int, ...]:
    """Numbers of groups in one text."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(
        part.isdecimal() and len(part) < 11 and 0 < int(part) < 2**31 for part in parts
    ):
        said = "{given}: give whole numbers from 1 on, such as 4,20,80"
        raise InputError(said, "sizes", text)
    return tuple(int(part) for part in parts)


@dataclass(frozen=True, kw_only=True)
class TaxonomyOptions:
    """Options of `taxonomy`.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of groups, from coarse to fine, such as 4,20,80.
    side : str
        The side whose groups are arranged.
    """

    sizes: Annotated[Sequence[int], Option(metavar="N,N,...", read=_sizes)]
    side: Annotated[str, Option(metavar="SIDE")] = "documents"


@dataclass(frozen=True, eq=False)
class Tree:
    """Groups at several levels, each within one of the level above.

    Attributes
    ----------
    answer : Answer
    found : Taxonomy
        Labels at every level, from coarse to fine.
    """

    answer: Answer
    found: Taxonomy

    def __repr__(self) -> str:
        n, sizes = len(self.found.labels[0]), ", ".join(f"{size:,}" for size in self.found.sizes)
        node = self.found.node
        what = f"{noun_of(self.answer.collection)}s" if node == DOCUMENTS else node
        return f"Tree({n:,} {what} of {self.answer.source} in {sizes} groups)"

    def _repr_html_(self) -> str:
        return html_table(repr(self), self.heading, self.rows())

    @property
    def heading(self) -> tuple[str, ...]:
        """Names of the columns of `rows`."""
        titled = ["title"] if self.found.node == DOCUMENTS else []
        levels = [
            column for size in self.found.sizes for column in (f"of_{size}", f"of_{size}_name")
        ]
        return ("item", *titled, *levels)

    @cached_property
    def names(self) -> list[list[str]]:
        """For every level and group the values that tell it apart, from the side that says most."""
        return _names(self.answer, self.found)

    def rows(self) -> Iterator[list[object]]:
        """A line for each item with its group at every level."""
        answer, tree = self.answer, self.found
        columns = list(zip((labels.tolist() for labels in tree.labels), self.names, strict=True))
        titles = answer.collection.titles if tree.node == DOCUMENTS else None
        for i, name in enumerate(answer.values(tree.node)):
            groups = [cell for labels, told in columns for cell in (labels[i], told[labels[i]])]
            yield [name, *([titles[i]] if titles is not None else []), *groups]


@takes(TaxonomyOptions)
def taxonomy(answer: str | Path | Answer, *, options: TaxonomyOptions) -> Tree:
    """Arrange documents in a tree with exactly the numbers of groups asked for.

    Parameters
    ----------
    answer : path-like or Answer
        What `organize` gave, or the folder that ``comraf organize`` wrote.
    options
        As for ``comraf taxonomy``; see `TaxonomyOptions`.
    """
    from comraf.results.hierarchy import taxonomy as arranged

    made = answer if isinstance(answer, Answer) else open_answer(answer)
    side = made.side(options.side)
    return Tree(made, arranged(made.graph, made.result, side, list(options.sizes)))


def _names(answer: Answer, tree: Taxonomy) -> list[list[str]]:
    from comraf.results.contributions import sides_of, telling

    side = next(s for s in sides_of(answer.graph, answer.result) if s.name == tree.node)
    views = [view for view in side.views if view.counts.nnz]
    view = next((v for v in views if v.other == "words"), views[0])
    names = answer.collection.titles if view.other == DOCUMENTS else answer.values(view.other)
    seen = view.other != "words" and answer.collection.photos is not None and tree.node == DOCUMENTS
    told = []
    for size, labels in zip(tree.sizes, tree.labels, strict=True):
        if size == answer.result.n_clusters[tree.node] and tree.node in answer.result.names:
            told.append(list(answer.result.names[tree.node]))
            continue
        if seen:
            told.append(_looks(answer, views, labels, size))
            continue
        found = telling(view.counts, labels, size, _TOLD)
        told.append([", ".join(names[t.column] for t in best) for best in found])
    return told


def _looks(answer: Answer, views: Sequence[View], labels: NDArray[Any], size: int) -> list[str]:
    """Groups of photos by their colours and whatever else they look like."""
    from comraf.report.photo_names import photo_names
    from comraf.report.titles import value_titles
    from comraf.results.contributions import telling

    names = value_titles(answer.collection)
    by_view = {view.other: telling(view.counts, labels, size) for view in views}
    told = [
        {
            side: [(names[side][t.column], t.contribution) for t in found[cluster]]
            for side, found in by_view.items()
            if side in names
        }
        for cluster in range(size)
    ]
    return photo_names(told, _TOLD)
