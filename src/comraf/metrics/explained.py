"""The scores that a person is shown, each with a sentence that says what it means."""

from __future__ import annotations

from typing import NamedTuple

from comraf.metrics.accuracy import micro_accuracy, one_to_one_accuracy
from comraf.metrics.agreement import ari, nmi
from comraf.metrics.contingency import contingency

__all__ = ["ExplainedScore", "explained_scores"]

# With this many groups for each class, purity is high by itself.
_MANY_GROUPS = 1.5


class ExplainedScore(NamedTuple):
    """A measure, its value, and what it means.

    Examples
    --------
    >>> ExplainedScore("NMI", 0.5, "information that groups and classes share").value
    0.5
    """

    name: str
    value: float
    meaning: str


def explained_scores(
    truth: object, labels: object, items: str = "items"
) -> tuple[ExplainedScore, ...]:
    """One-to-one accuracy, purity, NMI and ARI, each explained in a sentence.

    Parameters
    ----------
    truth : sequence of hashable
        Category of each item; items whose truth is unknown (``None``, NaN, -1) are left out.
    labels : sequence of hashable
        Cluster of each item.
    items : str
        What the items are called.

    Returns
    -------
    tuple of ExplainedScore

    Raises
    ------
    InputError
        If the lengths differ, nothing is given, no truth is known, or an item has no cluster.

    Examples
    --------
    >>> scores = explained_scores(list("aaaabb"), [0, 0, 1, 1, 2, 2], "messages")
    >>> [(name, round(value, 2)) for name, value, _ in scores]
    [('one-to-one accuracy', 0.67), ('purity', 1.0), ('NMI', 0.73), ('ARI', 0.44)]
    """
    table = contingency(truth, labels)
    k, n = len(table.clusters), len(table.categories)
    pure = f"share of {items} that belong to the commonest class of their group"
    if k > _MANY_GROUPS * n:
        pure += (
            f"; with {k:,} groups for {n:,} classes it is high by itself, as small groups are "
            "easily pure"
        )
    return (
        ExplainedScore(
            "one-to-one accuracy",
            one_to_one_accuracy(truth, labels),
            f"share of {items} in the group of their class, where each class has one group "
            "of its own at most, chosen as well as can be",
        ),
        ExplainedScore("purity", micro_accuracy(truth, labels), pure),
        ExplainedScore(
            "NMI",
            nmi(truth, labels),
            "information that groups and classes share, over the mean of what each has: 0 none, "
            "1 all",
        ),
        ExplainedScore(
            "ARI",
            ari(truth, labels),
            f"how far pairs of {items} are together or apart in groups as in classes: 0 by chance, "
            "1 always",
        ),
    )
