"""``comraf explain``: why a document is in its group."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from comraf.cli.kept import Kept
    from comraf.results.explain import Evidence, Why

__all__ = ["HELP", "explain", "heard"]

HELP = """Say why a document or photo is in its group: what speaks for it, and for the next best.

FOLDER is what organize wrote. ITEM is a document or photo by its id or number (both are in
clusters.csv, the numbers count its lines from 0), or by a part of its title. With --side
also a word, a person or any other value that was clustered. Of every side that took part some
values are shown; blobs of photos by what they look like.

A value's weight is its share of the difference between the two groups, as the objective
counts it: all weights together are the margin by which the document is where it is.

\b
Examples:
  comraf explain mail-groups 17
  comraf explain mail-groups "lunch on friday"
  comraf explain mail-groups kettle --side words
  comraf explain photo-groups beach/12.jpg
"""
_MOST = 200


def explain(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="What organize wrote.", show_default=False)
    ],
    item: Annotated[str, typer.Argument(metavar="ITEM", help="The document.", show_default=False)],
    side: Annotated[
        str, typer.Option(metavar="SIDE", help="The side that ITEM is a value of.")
    ] = "documents",
    top: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=_MOST, help="Show so many values for and against."),
    ] = 8,
) -> None:
    """Say why a document is in its group."""
    from comraf.cli.kept import item_of, open_kept
    from comraf.results.confidence import confidence
    from comraf.results.explain import Explainer

    kept = open_kept(folder)
    kept.side(side)
    number = item_of(kept, side, item)
    why = Explainer(kept.graph, kept.result).why(side, number)
    sure = float(confidence(kept.graph, kept.result, side)[number])
    _show(kept, why, sure, top)


def _label(kept: Kept, why: Why) -> str | None:
    """The class that the search was told of a document, from the answer's own table."""
    import csv

    from comraf.cli.kept import DOCUMENTS

    table = kept.folder / "clusters.csv"
    if why.node != DOCUMENTS or not table.is_file():
        return None
    with table.open(encoding="utf-8", newline="") as stream:
        for number, row in enumerate(csv.DictReader(stream)):
            if number == why.value:
                return row.get("label") or None
    return None


def _show(kept: Kept, why: Why, sure: float, top: int) -> None:
    from comraf.cli.kept import DOCUMENTS, shown_group
    from comraf.cli.show import clean, open_console, show_table, tell
    from comraf.cli.table import Facts, Listing

    console = open_console()
    name = kept.names(why.node)[why.value]
    title = kept.collection.titles[why.value] if why.node == DOCUMENTS else ""
    more = f": {clean(title, 80)}" if title and title != name else ""
    tell(console, f"{clean(name, 80)}{more}")
    own, other = (shown_group(kept.result, why.node, c) for c in (why.cluster, why.runner_up))
    # clusters of words or people have numbers of their own
    kind = "group" if why.node == DOCUMENTS else f"{clean(why.node, 16)} cluster"
    if not why.evidence:
        tell(console, f"It has nothing that was counted, so it is in {kind} {own} by default.")
        return
    tell(console, f"In {kind} {own}, confidence {sure:.0%}. The next best is {kind} {other}.")
    if (label := _label(kept, why)) is not None:
        tell(console, f"Its label was given to the search: {clean(label, 60)}.")
    good = [piece for piece in why.evidence if piece.contribution > 0]
    bad = [piece for piece in reversed(why.evidence) if piece.contribution < 0]
    total = sum(piece.contribution for piece in good) or 1.0
    against = -sum(piece.contribution for piece in bad)
    if not good and not bad:
        tell(console, "It fits both equally well: nothing that was counted tells them apart.")
        return
    if why.margin < 0:
        tell(console, "By these counts alone the next best group would suit it better.")
    named = _names(kept, why)
    for heading, all_of_them in (("for its group", good), ("for the next best", bad)):
        if pieces := heard(all_of_them, top):
            values = [[clean(named(piece), 40)] for piece in pieces]
            facts = [
                Facts("weight", [_percent(abs(p.contribution) / total) for p in pieces]),
                Facts("count", [f"{p.count:.4g}" for p in _raw(kept, why, pieces)]),
                Facts("side", [clean(p.side, 16) for p in pieces], right=False),
            ]
            show_table(console, facts, [Listing(heading, values)])
    if len(by_side := _by_side(why)) > 1:
        told = ", ".join(f"{clean(side, 16)} {share}" for side, share in by_side)
        tell(console, f"Of all weight, for and against: {told}.")
    tell(
        console,
        f"{len(good):,} of its {len(why.evidence):,} values speak for its group; those that speak "
        f"for the next best weigh {_percent(against / total)} as much.",
    )


def _raw(kept: Kept, why: Why, pieces: Sequence[Evidence]) -> list[Evidence]:
    """Evidence with the counts of the collection, where they are known."""
    from dataclasses import replace

    from comraf.cli.kept import DOCUMENTS

    found = []
    for piece in pieces:
        row, column, table = why.value, piece.value, kept.collection.tables.get(piece.side)
        if why.node != DOCUMENTS:
            row, column = column, row
            table = kept.collection.tables.get(why.node) if piece.side == DOCUMENTS else None
        found.append(piece if table is None else replace(piece, count=float(table[row, column])))
    return found


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


def _by_side(why: Why) -> list[tuple[str, str]]:
    """Which part of all that speaks for and against comes from each side."""
    sums: dict[str, float] = {}
    for piece in why.evidence:
        sums[piece.side] = sums.get(piece.side, 0.0) + abs(piece.contribution)
    total = sum(sums.values()) or 1.0
    ranked = sorted(sums.items(), key=lambda item: -item[1])
    return [(side, _percent(worth / total)) for side, worth in ranked]


def _names(kept: Kept, why: Why) -> Callable[[Evidence], str]:
    """What the neighbours of a value are called."""
    from comraf.cli.kept import DOCUMENTS
    from comraf.cli.photos import look_of

    collection = kept.collection
    names: dict[str, Sequence[str]] = {
        side: look_of(collection, side) or kept.names(side)
        for side in {piece.side for piece in why.evidence} - {DOCUMENTS}
    }

    def named(piece: Evidence) -> str:
        if piece.side == DOCUMENTS:
            return collection.titles[piece.value] or collection.ids[piece.value]
        return names[piece.side][piece.value]

    return named


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 or share == 0 else "<1%"
