"""All that a user says about the items of one side, read and checked."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comraf.errors import InputError, Setting
from comraf.supervision.labels import ClassLabels, check_classes, read_labels
from comraf.supervision.links import Links, read_links
from comraf.supervision.transfer import WordKnowledge

__all__ = ["SCHEMES", "Knowledge", "by_side", "read_knowledge"]

#: What labels may be taken for: an observed node, constraints, or where the search starts.
SCHEMES = ("intrinsic", "constrained", "seeds")


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What is known about the items of one side.

    Attributes
    ----------
    labels : ClassLabels
        Classes of some items.
    must, cannot : Links
        Pairs of items that belong together, and that do not.
    labels_as : {"intrinsic", "constrained", "seeds"}
        What the labels are taken for.
    label_weight : float
        Factor of the weights of what labels add to the objective (intrinsic).
    ids : sequence of hashable, optional
        Names of the items, for messages.
    transfer : WordKnowledge, optional
        Groups of the items that were learned elsewhere.
    start : numpy.ndarray of int32, optional
        Cluster in which the search puts each item first, -1 where that is open. It binds nothing.

    Examples
    --------
    >>> known = read_knowledge(3, labels=["a", None, "b"], cannot_link=[(0, 1)])
    >>> known.labels.n_known, len(known.cannot), known.labels_as
    (2, 1, 'intrinsic')
    """

    labels: ClassLabels
    must: Links
    cannot: Links
    labels_as: str = "intrinsic"
    label_weight: float = 1.0
    ids: Sequence[Hashable] | None = None
    transfer: WordKnowledge | None = None
    start: NDArray[np.int32] | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing is known."""
        return not self.has_labels_or_links and self.transfer is None and self.start is None

    @property
    def has_labels_or_links(self) -> bool:
        """Whether there are labels or links."""
        return bool(self.labels.n_known or len(self.must) or len(self.cannot))

    def check_clusters(self, k: int) -> None:
        """Refuse more classes than clusters."""
        if self.labels.n_known:
            check_classes(self.labels, k)


def read_knowledge(
    n: int,
    ids: Sequence[Hashable] | None = None,
    *,
    labels: object = None,
    must_link: object = None,
    cannot_link: object = None,
    labels_as: str = "intrinsic",
    label_weight: float = 1.0,
    link_weight: float = math.inf,
    transfer: object = None,
    start: object = None,
) -> Knowledge:
    """Read what is known about ``n`` items; see `read_labels` and `read_links`."""
    if labels_as not in SCHEMES:
        raise InputError(parameter="labels_as", given=labels_as, allowed=SCHEMES)
    if (
        isinstance(label_weight, bool)
        or not isinstance(label_weight, numbers.Real)
        or not 0 < label_weight < math.inf
    ):
        raise InputError(
            "{given}; give a finite number above 0. Labels that must hold are {hold}",
            "label_weight",
            label_weight,
            hold=Setting("labels_as", "constrained"),
        )
    if transfer is not None and not isinstance(transfer, WordKnowledge):
        raise InputError(
            f"transfer is {type(transfer).__name__}; give a comraf.supervision.WordKnowledge, made "
            "by from_labels, from_result or from_model"
        )
    nothing = ClassLabels((), np.full(n, -1, dtype=np.int32))
    return Knowledge(
        nothing if labels is None else read_labels(labels, n, ids),
        read_links(must_link, n, ids, what="must_link", weight=link_weight),
        read_links(cannot_link, n, ids, what="cannot_link", weight=link_weight),
        labels_as,
        float(label_weight),
        ids,
        transfer,
        _read_start(start, n),
    )


def _read_start(start: object, n: int) -> NDArray[np.int32] | None:
    """A cluster for each item."""
    if start is None:
        return None
    found = np.asarray(start)
    if found.shape != (n,) or found.dtype.kind not in "iu" or (n and found.min() < -1):
        raise InputError(
            f"start has shape {found.shape} and holds {found.dtype}; give a whole number of -1 or "
            f"more for each of the {n:,} items"
        )
    return found.astype(np.int32)


def by_side(given: object, sides: Sequence[str], main: str, what: str) -> dict[str, object]:
    """What is given about each side: a mapping by the names of sides, or all for the main one.

    Examples
    --------
    >>> by_side({"words": [0, 1]}, ["rows", "words"], "rows", "labels")
    {'words': [0, 1]}
    >>> by_side([0, 1], ["rows", "words"], "rows", "labels")
    {'rows': [0, 1]}
    """
    if given is None:
        return {}
    if isinstance(given, Mapping) and given and all(isinstance(key, str) for key in given):
        # a mapping of item ids to classes has single values, one of sides has collections
        single = any(isinstance(v, (str, numbers.Number, np.generic)) for v in given.values())
        if all(key in sides for key in given) and not single:
            return dict(given)
        wrong = next((key for key in given if key not in sides), None)
        if wrong is not None and (not single or what != "labels"):
            raise InputError(
                "{what} names {wrong!r}, which is no side; sides are {allowed}",
                what=what,
                wrong=wrong,
                allowed=list(sides),
            )
    return {main: given}
