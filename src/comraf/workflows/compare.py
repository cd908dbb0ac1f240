"""``compare``: what moved between two answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from comraf.errors import InputError
from comraf.workflows.answer import Answer, result_in
from comraf.workflows.options import Option, takes

if TYPE_CHECKING:
    from comraf.results import Result
    from comraf.results.compare import Comparison

__all__ = ["CompareOptions", "Compared", "compare"]


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Options of `compare`.

    Parameters
    ----------
    side : str
        The side whose groups are compared.
    """

    side: Annotated[str, Option(metavar="SIDE")] = "documents"


@dataclass(frozen=True, eq=False)
class Compared:
    """Two answers, and what became of the groups of the first in the second."""

    first: Result
    second: Result
    found: Comparison

    heading = ("item", "before", "name_before", "after", "name_after", "moved")

    def __repr__(self) -> str:
        return f"Compared({repr(self.found).partition('(')[2]}"

    def rows(self) -> Iterator[list[object]]:
        """A line for each item that both have: its groups, and whether it moved."""
        first, second, found = self.first, self.second, self.found
        side = found.node
        values = first.values.get(side), second.values.get(side)
        same = {match.first: match.second for match in found.matches}
        before, after = first.cluster_ids(side).tolist(), second.cluster_ids(side).tolist()
        names = [str(i) for i in range(len(before))] if values[0] is None else values[0]
        place = {name: i for i, name in enumerate(names if values[1] is None else values[1])}

        def group(result: Result, cluster: int) -> str:
            given = result.names.get(side)
            return given[result.label(side, cluster)] if given else ""

        for i, name in enumerate(names):
            j = place.get(name)
            if j is not None:
                a, b = before[i], after[j]
                moved = "no" if same.get(a) == b else "yes"
                yield [name, a, group(first, a), b, group(second, b), moved]


@takes(CompareOptions)
def compare(
    first: str | Path | Answer, second: str | Path | Answer, *, options: CompareOptions
) -> Compared:
    """Say what became of the groups from one answer to another.

    Parameters
    ----------
    first, second : path-like or Answer
        What `organize` gave, or the folders that ``comraf organize`` wrote.
    options
        As for ``comraf compare``; see `CompareOptions`.
    """
    from comraf.results.compare import compare as compared

    before, after = (
        one.result if isinstance(one, Answer) else result_in(Path(one)) for one in (first, second)
    )
    for folder, result in ((first, before), (second, after)):
        if options.side not in result.labels:
            raise InputError(
                "{given}: {folder} has no side of this name; it has {sides:,}",
                "side",
                options.side,
                folder=folder,
                sides=list(result.labels),
            )
    return Compared(before, after, compared(before, after, options.side))
