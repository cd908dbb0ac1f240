"""``explain``: why a document, or a value of another side, is in its group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from comraf.workflows.answer import DOCUMENTS, Answer, item_of, open_answer
from comraf.workflows.options import Option, takes
from comraf.workflows.photos import look_of

if TYPE_CHECKING:
    from comraf.results.explain import Evidence, Why

__all__ = ["ExplainOptions", "Explanation", "explain", "heard"]

_MOST = 200
# Values for and against that a line names.
_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class ExplainOptions:
    """Options of `explain`.

    Parameters
    ----------
    side : str
        The side that ITEM is a value of.
    top : int
        Show so many values for and against.
    """

    side: Annotated[str, Option(metavar="SIDE")] = "documents"
    top: Annotated[int, Option(metavar="N", least=1, most=_MOST)] = 8


@dataclass(frozen=True, eq=False)
class Explanation:
    """What speaks for the group of an item, and for the next best.

    Attributes
    ----------
    answer : Answer
    why : Why
        The group, the next best, and all evidence, the strongest first.
    confidence : float
    label : str or None
        The class of the document that the search was given.
    top : int
        How many values of each are told.
    """

    answer: Answer
    why: Why
    confidence: float
    label: str | None
    top: int

    def __repr__(self) -> str:
        from comraf.supervision.naming import quoted

        why, named = self.why, self.names()
        own, other = (self.answer.result.name(why.node, c) for c in (why.cluster, why.runner_up))
        place = f"{quoted(own)} before {quoted(other)}, confidence {self.confidence:.2f}"
        parts = [f"{quoted(why.name)} of {why.node} is in {place}"]
        for what, pieces in (("for it", self.good), ("against it", self.bad)):
            if pieces:
                told = (quoted(named(piece)) for piece in pieces[:_SHOWN])
                parts.append(f"{what} {', '.join(told)}")
        return f"Explanation({'; '.join(parts)})"

    @property
    def good(self) -> list[Evidence]:
        """What speaks for the group."""
        return [piece for piece in self.why.evidence if piece.contribution > 0]

    @property
    def bad(self) -> list[Evidence]:
        """What speaks for the next best, the strongest first."""
        return [piece for piece in reversed(self.why.evidence) if piece.contribution < 0]

    def by_side(self) -> list[tuple[str, float]]:
        """Which part of all that speaks for and against comes from each side."""
        sums: dict[str, float] = {}
        for piece in self.why.evidence:
            sums[piece.side] = sums.get(piece.side, 0.0) + abs(piece.contribution)
        total = sum(sums.values()) or 1.0
        return [(side, sums[side] / total) for side in sorted(sums, key=lambda s: -sums[s])]

    def counted(self, pieces: Sequence[Evidence]) -> list[Evidence]:
        """Evidence with the counts of the collection, where they are known."""
        why, tables = self.why, self.answer.collection.tables
        found = []
        for piece in pieces:
            row, column, table = why.value, piece.value, tables.get(piece.side)
            if why.node != DOCUMENTS:
                row, column = column, row
                table = tables.get(why.node) if piece.side == DOCUMENTS else None
            if table is not None:
                piece = replace(piece, count=float(table[row, column]))
            found.append(piece)
        return found

    def names(self) -> Callable[[Evidence], str]:
        """What pieces of evidence are called."""
        collection = self.answer.collection
        names: dict[str, Sequence[str]] = {
            side: look_of(collection, side) or self.answer.values(side)
            for side in {piece.side for piece in self.why.evidence} - {DOCUMENTS}
        }

        def named(piece: Evidence) -> str:
            if piece.side == DOCUMENTS:
                return collection.titles[piece.value] or collection.ids[piece.value]
            return names[piece.side][piece.value]

        return named


@takes(ExplainOptions)
def explain(
    answer: str | Path | Answer, item: str | int, *, options: ExplainOptions
) -> Explanation:
    """Say why a document is in its group: what speaks for it, and for the next best.

    Parameters
    ----------
    answer : path-like or Answer
        What `organize` gave, or the folder that ``comraf organize`` wrote.
    item : str or int
        A document by its id, its number, or a part of its title; with ``side`` also a word, a
        person or any other value that was clustered.
    options
        As for ``comraf explain``; see `ExplainOptions`.
    """
    made = answer if isinstance(answer, Answer) else open_answer(answer)
    side = made.side(options.side)
    number = item_of(made, side, str(item))
    why = made.explainer.why(side, number)
    sure = float(made.explainer.placed(side).confidence[number])
    label = made.facts.labels.get(DOCUMENTS, {}).get(number) if side == DOCUMENTS else None
    return Explanation(made, why, sure, label, options.top)


def heard(pieces: Sequence[Evidence], most: int) -> list[Evidence]:
    """The pieces that say most, among them some of every side.

    One side may outweigh all others: its many values would fill the list, and nothing would be
    seen of the rest. Each side has its part of the places, as far as it has something to say.

    Examples
    --------
    >>> from comraf.results.explain import Evidence
    >>> said = [Evidence("words", i, str(i), 1, 9 - i, 0, 0) for i in range(5)]
    >>> said.append(Evidence("people", 0, "Ann", 1, 0.1, 0, 1))
    >>> [(piece.side, piece.value) for piece in heard(said, 3)]
    [('words', 0), ('words', 1), ('people', 0)]
    """
    sides = list(dict.fromkeys(piece.side for piece in pieces))
    part = most // max(1, len(sides))
    own = {side: [p for p in pieces if p.side == side][:part] for side in sides}
    chosen = {id(piece) for some in own.values() for piece in some}
    for piece in pieces:
        if len(chosen) >= most:
            break
        chosen.add(id(piece))
    return [piece for piece in pieces if id(piece) in chosen]
