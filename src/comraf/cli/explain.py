"""``comraf explain``: why a document is in its group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from comraf.cli.files import shown_group
from comraf.cli.options import PathArgument, command
from comraf.cli.show import clean, show_table, tell
from comraf.cli.table import Facts, Listing
from comraf.workflows.explain import ExplainOptions
from comraf.workflows.options import Option

if TYPE_CHECKING:
    from comraf.workflows.explain import Explanation

__all__ = ["explain"]


@command
def explain(
    folder: PathArgument,
    item: Annotated[str, Option(argument=True)],
    options: ExplainOptions,
) -> None:
    """Say why a document or photo is in its group: what speaks for it, and for the next best.

    FOLDER is what organize wrote. ITEM is a document or photo by its id or number (both are in
    clusters.csv, the numbers count its lines from 0), or by a part of its title. With --side
    also a word, a person or any other value that was clustered. Of every side that took part some
    values are shown; blobs of photos by what they look like.

    A value's weight is its share of the difference between the two groups, as the objective
    counts it: all weights together are the margin by which the document is where it is.

    Parameters
    ----------
    folder
        What organize wrote.
    item
        The document.

    Examples
    --------
    comraf explain mail-groups 17
    comraf explain mail-groups "lunch on friday"
    comraf explain mail-groups kettle --side words
    comraf explain photo-groups beach/12.jpg
    """
    from comraf.workflows.explain import explain as work

    _show(work(folder, item, options=options))


def _show(found: Explanation) -> None:
    from comraf.workflows.answer import DOCUMENTS
    from comraf.workflows.explain import heard

    answer, why = found.answer, found.why
    name = answer.values(why.node)[why.value]
    title = answer.collection.titles[why.value] if why.node == DOCUMENTS else ""
    more = f": {clean(title, 80)}" if title and title != name else ""
    tell(f"{clean(name, 80)}{more}")
    own, other = (shown_group(answer.result, why.node, c) for c in (why.cluster, why.runner_up))
    # clusters of words or people have numbers of their own
    kind = "group" if why.node == DOCUMENTS else f"{clean(why.node, 16)} cluster"
    if not why.evidence:
        tell(f"It has nothing that was counted, so it is in {kind} {own} by default.")
        return
    tell(f"In {kind} {own}, confidence {found.confidence:.0%}. The next best is {kind} {other}.")
    if found.label is not None:
        tell(f"Its label was given to the search: {clean(found.label, 60)}.")
    good, bad = found.good, found.bad
    total = sum(piece.contribution for piece in good) or 1.0
    against = -sum(piece.contribution for piece in bad)
    if not good and not bad:
        tell("It fits both equally well: nothing that was counted tells them apart.")
        return
    if why.margin < 0:
        tell("By these counts alone the next best group would suit it better.")
    named = found.names()
    for heading, all_of_them in (("for its group", good), ("for the next best", bad)):
        if pieces := heard(all_of_them, found.top):
            values = [[clean(named(piece), 40)] for piece in pieces]
            facts = [
                Facts("weight", [_percent(abs(p.contribution) / total) for p in pieces]),
                Facts("count", [f"{p.count:.4g}" for p in found.counted(pieces)]),
                Facts("side", [clean(p.side, 16) for p in pieces], right=False),
            ]
            show_table(facts, [Listing(heading, values)])
    if len(by_side := found.by_side()) > 1:
        told = ", ".join(f"{clean(side, 16)} {_percent(share)}" for side, share in by_side)
        tell(f"Of all weight, for and against: {told}.")
    tell(
        f"{len(good):,} of its {len(why.evidence):,} values speak for its group; those that speak "
        f"for the next best weigh {_percent(against / total)} as much."
    )


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 or share == 0 else "<1%"
