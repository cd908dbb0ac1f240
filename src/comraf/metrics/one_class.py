"""One-class clustering: how well a core of items was found."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.metrics.contingency import as_items, encode
from comraf.metrics.scores import PrecisionRecallF, ratios

__all__ = ["one_class_precision_recall_f"]


def one_class_precision_recall_f(
    truth: object, core: object, *, positive: Hashable | None = None
) -> PrecisionRecallF:
    """Precision, recall and F of a core of items (thesis 4.7.2 and 6.6).

    With a core as large as the true one the three are equal; the thesis then calls them
    one-class clustering accuracy. An empty core has precision 0 (and 1 if the true one is empty
    too).

    Parameters
    ----------
    truth : sequence of bool, 0 or 1; or of categories together with `positive`
        Which items belong to the core in truth. Items whose truth is unknown (``None``, NaN, -1)
        are left out, of the core too.
    core : sequence of bool, or collection of int
        The core that was found: a mask with an entry for each item, or the places of its items,
        counted from 0, in any order. Whole numbers are always places, never a mask.
    positive : hashable, optional
        The category of `truth` that is the core.

    Returns
    -------
    PrecisionRecallF
        Named tuple of ``precision``, ``recall`` and ``f``.

    Raises
    ------
    InputError
        If a mask has another length than the truth, a place is outside of it or given twice,
        nothing is given, no truth is known, or the truth is neither two-valued nor has a
        `positive`.

    Examples
    --------
    Three items of four are in the core, two of them rightly; two of two are found.

    >>> score = one_class_precision_recall_f([True, True, False, False], [0, 1, 2])
    >>> round(score.precision, 4), score.recall, score.f
    (0.6667, 1.0, 0.8)
    >>> topics = ["bees", "bees", "cars", None]
    >>> one_class_precision_recall_f(topics, [True, False, False, True], positive="bees")
    PrecisionRecallF(precision=1.0, recall=0.5, f=0.6666666666666666)
    """
    wanted, known = _wanted(truth, positive)
    answered = _mask(core, len(wanted)) & known
    right = np.count_nonzero(answered & wanted)
    return ratios(int(right), int(np.count_nonzero(answered)), int(np.count_nonzero(wanted)))


def _wanted(
    truth: object, positive: Hashable | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    items = as_items(truth, "truth")
    if len(items) == 0:
        raise InputError("truth has 0 items; a measure needs at least 1")
    categories, codes = encode(items, "truth")
    known = codes >= 0
    if not known.any():
        raise InputError(
            f"the truth of 0 of {len(items)} items is known (-1, None and NaN mean unknown); "
            "at least 1 is needed"
        )
    if positive is None:
        strange = [value for value in categories if value not in (0, 1)]
        if strange:
            raise InputError(
                f"truth has the category {strange[0]!r}; give True and False (or 1 and 0), or "
                "name the category of the core as positive=…"
            )
        positive = True
    elif positive not in categories:
        raise InputError(
            f"positive is {positive!r}, which none of the {len(items)} items of truth has"
        )
    place = categories.index(positive) if positive in categories else len(categories)
    return codes == place, known


def _mask(core: object, n_items: int) -> NDArray[np.bool_]:
    if isinstance(core, (Set, range)):
        core = list(core)
    items = as_items(core, "core")
    values: NDArray[Any] = np.asarray(items) if len(items) else np.zeros(0, dtype=np.int64)
    if values.dtype == object:
        values = _plain(items)
    if values.dtype == bool:
        if len(values) != n_items:
            raise InputError(
                f"the mask of the core has {len(values)} entries and truth has {n_items} items; "
                "give one entry for each item, or a list of places"
            )
        return values
    if values.dtype.kind not in "iu":
        raise InputError(
            f"core holds values of type {values.dtype}; give a mask of True and False, or the "
            "places of its items as whole numbers"
        )
    outside = values[(values < 0) | (values >= n_items)]
    if len(outside):
        raise InputError(f"core has the place {outside[0]}; truth has places 0 to {n_items - 1}")
    mask = np.zeros(n_items, dtype=bool)
    mask[values] = True
    if np.count_nonzero(mask) != len(values):
        raise InputError(
            f"core names {len(values)} places, but only {np.count_nonzero(mask)} different ones; "
            "give each place once, or a mask of type bool"
        )
    return mask


def _plain(items: Iterable[Any]) -> NDArray[Any]:
    """An object array whose entries are all truth values, or all whole numbers, as such."""
    listed = list(items)
    for kinds, dtype in (((bool, np.bool_), np.bool_), ((int, np.integer), np.int64)):
        if all(isinstance(item, kinds) for item in listed):
            return np.array(listed, dtype=dtype)
    return np.array(listed, dtype=object)
