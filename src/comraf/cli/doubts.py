"""Whether groups are worth anything: what is told where they can't be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comraf.cli.naming import noun_of

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.estimators.organizer import Structure
    from comraf.results.result import Result

__all__ = ["doubts"]

# Nats; rounding alone makes less, and any group that differs at all makes more.
_NOTHING = 1e-9


def doubts(
    collection: Collection, result: Result, found: Structure | None, all_counted: bool
) -> tuple[str, ...]:
    """Say why there may be nothing in the groups of documents, if there is a reason to.

    Parameters
    ----------
    collection : Collection
    result : Result
    found : Structure or None
        The groups beside those of counts dealt out at random, if that was asked.
    all_counted : bool
        Whether these counts are of all sides: what is measured, as pixels are, isn't dealt out.
    """
    noun = noun_of(collection)
    if len(collection) == 1:
        return (f"only one {noun} was read, and there is nothing to tell it from",)
    if result.n_clusters["documents"] == 1:
        return ("one group is all there is, so nothing tells it apart; ask for 2 or more (-k)",)
    if found is not None and not found.found and all_counted:
        return (
            f"there may be nothing to find: the groups hold {found.ratio:.2f} times as much "
            "information as groups of the same counts dealt out at random; so do real groups of a "
            "few very short texts",
        )
    if result.interrupted:  # the groups may hold nothing because nobody looked for them
        return ()
    if max((edge.information for edge in result.edges), default=0.0) < _NOTHING:
        # pixels can't be dealt out, but that they are all the same is seen without it
        return (
            f"there is nothing to find: the {noun}s are all alike, so the groups hold no "
            "information",
        )
    return ()
