"""Class labels of some of the items, from whatever the user has them in."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.metrics import as_items, encode
from comraf.parameters import check_int
from comraf.supervision.naming import Items, listed, quoted, refuse_two_labels

__all__ = ["ClassLabels", "check_classes", "read_labels"]


@dataclass(frozen=True, eq=False)
class ClassLabels:
    """Which class each item belongs to, where that is known.

    Attributes
    ----------
    classes : tuple of hashable
        Names of the classes; sorted where they can be compared, else as first met.
    codes : numpy.ndarray of int32
        Number of the class of each item; -1 where it is unknown.

    Examples
    --------
    >>> labels = read_labels(["tea", None, "milk", "tea"], 4)
    >>> labels.classes, labels.codes.tolist(), labels.n_known, labels.sizes.tolist()
    (('milk', 'tea'), [1, -1, 0, 1], 3, [1, 2])
    """

    classes: tuple[Hashable, ...]
    codes: NDArray[np.int32]

    @property
    def n_known(self) -> int:
        """How many items have a class."""
        return int(np.count_nonzero(self.codes >= 0))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many items each class has."""
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.classes))
        return counts.astype(np.int64)


def read_labels(
    given: object, n: int, ids: Sequence[Hashable] | None = None, *, what: str = "labels"
) -> ClassLabels:
    """Bring labels to one code for each item.

    Parameters
    ----------
    given : sequence or mapping or None
        One class for each item, in an array, a list or a Series: any hashable value; ``None``,
        NaN, ``NA`` and the number -1 mean that it is unknown. The texts "-1" and "" are
        refused: they are no classes, and NumPy makes such a text of -1 among texts. Or a
        mapping of items, by id or row number, to classes. ``None``: nothing is known.
    n : int
        Number of items.
    ids : sequence of hashable, optional
        Name of each item. A whole number in a mapping is a row number, unless ids are numbers.
    what : str
        Name of the parameter, for messages.

    Returns
    -------
    ClassLabels

    Raises
    ------
    InputError
        Labels for unknown items, two labels for one item, too many or too few, or none at all.

    Examples
    --------
    >>> read_labels({"ant": "insect", 2: "mammal"}, 3, ids=["ant", "bee", "cat"]).codes.tolist()
    [0, -1, 1]
    >>> read_labels({"dog": "mammal"}, 3, ids=["ant", "bee", "cat"])
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: labels names 1 item that is not there: 'dog'; use ids that one item \
has, such as 'ant', or row numbers from 0 to 2
    """
    items = Items(n, ids)
    if given is None:
        return ClassLabels((), np.full(items.n, -1, dtype=np.int32))
    if isinstance(given, Mapping):
        return _from_mapping(given, items, what)
    values = as_items(given, what, or_else=", or a mapping of items to classes")
    if len(values) != items.n:
        raise InputError(
            f"{what} has {len(values):,} entries for {items.n:,} items; give one for each item "
            "(-1 or None where it is unknown), or a mapping of items to classes"
        )
    classes, codes = _encode(values, what)
    _refuse_unknown(classes, what)
    return ClassLabels(classes, codes.astype(np.int32))


def _refuse_unknown(classes: Sequence[Hashable], what: str) -> None:
    for text in ("-1", ""):
        if text in classes:
            raise InputError(
                f"{what} has {quoted(text)} as a class; where the class is unknown give None, or "
                "the number -1 (an array of texts makes a text of that: give a list)"
            )


def check_classes(labels: ClassLabels, k: int, *, what: str = "labels") -> None:
    """Refuse labels of more classes than there are clusters.

    Parameters
    ----------
    labels : ClassLabels
        What is known.
    k : int
        Number of clusters.
    what : str
        Name of the parameter, for messages.

    Raises
    ------
    InputError
        The message lists the first classes.

    Examples
    --------
    >>> check_classes(read_labels(["tea", "milk", "ale"], 3), k=2)
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: labels has 3 classes, more than the 2 clusters asked for: 'ale', \
'milk', 'tea'; ask for at least 3 clusters, or label items of fewer classes
    """
    k = check_int("k", k)
    present = np.flatnonzero(labels.sizes)
    if len(present) > k:
        names = (quoted(labels.classes[code]) for code in present)
        raise InputError(
            f"{what} has {len(present):,} classes, more than the {k:,} "
            f"cluster{'s' if k > 1 else ''} asked for: {listed(names, len(present))}; ask for at "
            f"least {len(present):,} clusters, or label items of fewer classes"
        )


def _from_mapping(given: Mapping[Any, Any], items: Items, what: str) -> ClassLabels:
    keys = list(given)
    rows = [items.row(key) for key in keys]
    items.check_found(what, keys, rows)
    classes, codes = _encode(list(given.values()), f"the values of {what}")
    _refuse_unknown(classes, f"the values of {what}")
    out = np.full(items.n, -1, dtype=np.int32)
    twice: dict[int, str] = {}
    # An id and a row number may be the same item, so a mapping can name one twice.
    for row, code in zip(rows, codes.tolist(), strict=True):
        if code < 0:
            continue
        before = int(out[row])
        if before >= 0 and before != code:
            both = f"{quoted(classes[before])} and {quoted(classes[code])}"
            twice.setdefault(row, f"{items.name(row)} ({both})")
        out[row] = code
    refuse_two_labels(what, twice.values())
    return ClassLabels(classes, out)


def _encode(
    values: Sequence[Any] | NDArray[Any], what: str
) -> tuple[tuple[Hashable, ...], NDArray[np.int64]]:
    """Number the different classes 0, 1, …; an unknown one gets -1."""
    classes, codes = encode(values, what)
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and np.isnan(values).any():
        # whole numbers are floats for no other reason than that some are missing
        numbers = [each for each in classes if isinstance(each, float)]
        if all(number.is_integer() for number in numbers):
            classes = tuple(int(number) for number in numbers)
    return classes, codes
