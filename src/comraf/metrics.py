"""How good a clustering is, against what is known about its items.

Every measure takes the truth first and the answer second, as scikit-learn does, so each works
with ``sklearn.metrics.make_scorer`` too. Truth and clusters may be arrays, lists or Series of
any hashable values; only equality of the values matters, never their order or their names.

**Unknown truth** is ``None``, NaN, NaT, pandas' ``NA`` or the number -1: such items are left
out, and a cluster that holds no other items is left out with them. **Every item needs a
cluster**: an answer of ``None``, NaN or -1 is refused, since dropping such items would flatter
the clustering.

scikit-learn has NMI and ARI too, and the tests hold ours equal to them. They are worked out here
from the shared table because scikit-learn takes seconds to import and warns about partitions
with many small clusters, which are ordinary here (a schedule starts from singletons).

Examples
--------
>>> from comraf import metrics
>>> truth = ["tea", "tea", "tea", "milk", "milk", None]
>>> labels = [0, 0, 1, 1, 1, 1]
>>> metrics.micro_accuracy(truth, labels)
0.8
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comraf.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "Contingency",
    "ExplainedScore",
    "PrecisionRecallF",
    "ari",
    "contingency",
    "explained_scores",
    "macro_accuracy",
    "micro_accuracy",
    "nmi",
    "one_class_precision_recall_f",
    "one_to_one_accuracy",
    "pairwise_precision_recall_f",
    "well_balanced",
]

# With this many groups for each class, purity is high by itself.
_MANY_GROUPS = 1.5


@dataclass(frozen=True, eq=False)
class Contingency:
    """How many items of each category each cluster holds, nonzero cells only.

    Attributes
    ----------
    clusters, categories : tuple
        Names of rows and columns; sorted where they can be compared, else as first met.
    rows, columns, counts : numpy.ndarray of int64
        The nonzero cells, by row and then by column.
    n_items : int
        Items counted.
    n_unknown : int
        Items left out because their truth is unknown.

    Examples
    --------
    >>> table = contingency(["a", "a", "b", None], [1, 1, 1, 0])
    >>> table.clusters, table.categories, table.counts.tolist(), table.n_unknown
    ((1,), ('a', 'b'), [2, 1], 1)
    """

    clusters: tuple[Hashable, ...]
    categories: tuple[Hashable, ...]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    counts: NDArray[np.int64]
    n_items: int
    n_unknown: int

    @property
    def cluster_sizes(self) -> NDArray[np.int64]:
        """Items in each cluster."""
        return np.bincount(self.rows, self.counts).astype(np.int64)

    @property
    def category_sizes(self) -> NDArray[np.int64]:
        """Items in each category."""
        return np.bincount(self.columns, self.counts).astype(np.int64)

    @property
    def largest_shares(self) -> NDArray[np.int64]:
        """Items of the commonest category of each cluster."""
        # Cells are in order of rows, and no row is without a cell.
        return np.maximum.reduceat(self.counts, np.unique(self.rows, return_index=True)[1])

    def to_sparse(self) -> csr_array[Any]:
        """Return the table as a scipy array of clusters x categories.

        Examples
        --------
        >>> contingency(["a", "b", "b"], [0, 0, 1]).to_sparse().toarray()
        array([[1, 1],
               [0, 1]])
        """
        from scipy.sparse import csr_array

        starts = np.searchsorted(self.rows, np.arange(len(self.clusters) + 1))
        shape = (len(self.clusters), len(self.categories))
        return csr_array((self.counts, self.columns, starts), shape=shape)


def contingency(truth: object, labels: object) -> Contingency:
    """Count the items of each category in each cluster.

    Memory grows with the number of items and of nonzero cells, never with clusters x categories.

    Parameters
    ----------
    truth : sequence of hashable
        Category of each item; ``None``, NaN, ``NA`` and the number -1 mean that it is unknown.
    labels : sequence of hashable
        Cluster of each item.

    Returns
    -------
    Contingency

    Raises
    ------
    InputError
        If the lengths differ, nothing is given, no truth is known, or an item has no cluster.

    Examples
    --------
    >>> contingency(["a", "a", "b"], ["x", "y", "y"]).cluster_sizes.tolist()
    [1, 2]
    """
    truth_items, label_items = as_items(truth, "truth"), as_items(labels, "labels")
    n = len(truth_items)
    if n != len(label_items):
        raise InputError(
            f"truth has {n} items and labels has {len(label_items)}; "
            "both need one entry for each item, in the same order"
        )
    if n == 0:
        raise InputError("truth has 0 items and labels has 0; a measure needs at least 1")
    clusters, label_codes = encode(label_items, "labels")
    homeless = int(np.count_nonzero(label_codes < 0))
    if homeless:
        raise InputError(
            f"{homeless} of {n} items have no cluster (label -1, None or NaN); give them a "
            "cluster of their own, or leave them out of truth and labels alike"
        )
    categories, truth_codes = encode(truth_items, "truth")
    known = truth_codes >= 0
    n_known = int(np.count_nonzero(known))
    if n_known == 0:
        raise InputError(
            f"the truth of 0 of {n} items is known (-1, None and NaN mean unknown); "
            "at least 1 is needed"
        )
    if n_known < n:
        truth_codes, label_codes = truth_codes[known], label_codes[known]
        present, label_codes = np.unique(label_codes, return_inverse=True)
        clusters = tuple(clusters[code] for code in present)
    cells, counts = np.unique(label_codes * len(categories) + truth_codes, return_counts=True)
    rows, columns = np.divmod(cells, len(categories))
    return Contingency(
        clusters, categories, rows, columns, counts.astype(np.int64), n_known, n - n_known
    )


def as_items(values: object, name: str, or_else: str = "") -> Sequence[Any] | NDArray[Any]:
    """Bring what a user may hand over to a one-dimensional array or a sequence.

    Examples
    --------
    >>> as_items(("a", "b"), "truth")
    ('a', 'b')
    """
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # masked entries become None
    elif hasattr(values, "to_pylist"):  # pyarrow
        values = values.to_pylist()
    elif hasattr(values, "to_numpy"):  # pandas, polars
        values = values.to_numpy()
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InputError(
                f"{name} has shape {values.shape}; give one dimension, an entry for each item"
            )
        return values
    if isinstance(values, Sequence) and not isinstance(values, (str, bytes, bytearray)):
        return values
    raise InputError(
        f"{name} is of type {type(values).__name__}; give an array, a list, a tuple or a Series "
        f"with an entry for each item{or_else}"
    )


def encode(
    items: Sequence[Any] | NDArray[Any], name: str
) -> tuple[tuple[Hashable, ...], NDArray[np.int64]]:
    """Number the different values 0, 1, …; an unknown value gets -1.

    Examples
    --------
    >>> values, codes = encode(["b", None, "a", "b"], "truth")
    >>> values, codes.tolist()
    (('a', 'b'), [1, -1, 0, 1])
    """
    if isinstance(items, np.ndarray) and items.dtype.kind in "biufUS":
        distinct, inverse = np.unique(items, return_inverse=True)
        return _without_unknown(distinct.tolist(), inverse.astype(np.int64))
    numbers: dict[Hashable, int] = {}
    found = np.empty(len(items), dtype=np.int64)
    for place, item in enumerate(items):
        try:
            found[place] = numbers.setdefault(item, len(numbers))
        except TypeError as error:
            raise InputError(
                f"entry {place} of {name} is of type {type(item).__name__}, which can't be "
                "hashed; name classes by strings, numbers or tuples"
            ) from error
    values, codes = _without_unknown(list(numbers), found)
    try:
        order = sorted(range(len(values)), key=values.__getitem__)
    except TypeError:  # values of types that don't compare stay as they were met
        return values, codes
    rank = np.empty(len(values) + 1, dtype=np.int64)
    rank[order] = np.arange(len(values))
    rank[-1] = -1  # the place that code -1 reads
    return tuple(values[place] for place in order), rank[codes]


def _without_unknown(
    values: list[Any], codes: NDArray[np.int64]
) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    known = np.array([not _is_unknown(value) for value in values], dtype=bool)
    if known.all():
        return tuple(values), codes
    renumbered = np.where(known, np.cumsum(known) - 1, -1).astype(np.int64)
    return tuple(v for v, keep in zip(values, known, strict=True) if keep), renumbered[codes]


def _is_unknown(value: Any) -> bool:
    if value is None or type(value).__name__ == "NAType":
        return True
    if isinstance(value, (str, bytes, tuple, frozenset)):
        return False
    # Only NaN and NaT differ from themselves.
    return bool(value != value) or bool(value == -1)


class PrecisionRecallF(NamedTuple):
    """Precision, recall and their harmonic mean.

    Examples
    --------
    >>> PrecisionRecallF(1.0, 0.5, 2 / 3).recall
    0.5
    """

    precision: float
    recall: float
    f: float


def ratios(right: int, answered: int, wanted: int) -> PrecisionRecallF:
    """Precision, recall and F out of three whole numbers.

    Where nothing was answered or nothing was wanted the ratio has no value: it counts as 0, or
    as 1 where both are nothing, for then there was nothing to get wrong.

    Examples
    --------
    >>> ratios(right=2, answered=4, wanted=2)
    PrecisionRecallF(precision=0.5, recall=1.0, f=0.6666666666666666)
    """
    if answered == 0 and wanted == 0:
        return PrecisionRecallF(1.0, 1.0, 1.0)
    precision = right / answered if answered else 0.0
    recall = right / wanted if wanted else 0.0
    # The harmonic mean of right/answered and right/wanted, without dividing zero by zero.
    return PrecisionRecallF(precision, recall, 2 * right / (answered + wanted))


def micro_accuracy(truth: object, labels: object) -> float:
    """Share of items that belong to the commonest category of their cluster (thesis 4.7).

    Elsewhere this is called purity. The thesis has as many clusters as categories; with more
    clusters than categories the measure grows by itself, and reaches 1 when every item has a
    cluster of its own. `one_to_one_accuracy` does not.

    Parameters
    ----------
    truth : sequence of hashable
        Category of each item; items whose truth is unknown (``None``, NaN, -1) are left out.
    labels : sequence of hashable
        Cluster of each item.

    Returns
    -------
    float
        Between the share of the largest category and 1.

    Raises
    ------
    InputError
        If the lengths differ, nothing is given, no truth is known, or an item has no cluster.

    Examples
    --------
    Cluster 0 holds a, a, b: two right. Cluster 1 holds b, b, c: two right. Four of six.

    >>> round(micro_accuracy(list("aabbbc"), [0, 0, 0, 1, 1, 1]), 4)
    0.6667
    """
    table = contingency(truth, labels)
    return int(table.largest_shares.sum()) / table.n_items


def one_to_one_accuracy(truth: object, labels: object) -> float:
    """Share of items that are right if each category may have one cluster, and each cluster one.

    Of all ways to pair categories with clusters the best counts. Items in clusters that are left
    over are wrong, so many small clusters don't raise the measure. It is never above
    `micro_accuracy`, and equal to it where the clustering is well balanced.

    Parameters
    ----------
    truth, labels : sequence of hashable
        As for `micro_accuracy`.

    Returns
    -------
    float
        Above 0, at most 1.

    Examples
    --------
    Category a has its items in two clusters, of which it may have one: four of six are right.

    >>> round(one_to_one_accuracy(list("aaaabb"), [0, 0, 1, 1, 2, 2]), 4)
    0.6667
    """
    from scipy.sparse import csr_array, eye_array, hstack
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    table = contingency(truth, labels)
    n = len(table.categories)
    # A category may also go without a cluster: each has a column of its own for that, worth 0.
    # One is added to all, since an entry of 0 would count as missing.
    worth = table.to_sparse().T.tocsr()
    worth.data = worth.data + 1
    pairs = csr_array(hstack([worth, eye_array(n)]), dtype=float)
    rows, columns = min_weight_full_bipartite_matching(pairs, maximize=True)
    return float(pairs[rows, columns].sum() - n) / table.n_items


def macro_accuracy(truth: object, labels: object) -> float:
    """Mean over clusters of the share of their commonest category (thesis 4.8).

    Every cluster counts the same, so small clean clusters raise it. A cluster that holds only
    items of unknown truth has no accuracy and is not counted.

    Parameters
    ----------
    truth, labels : sequence of hashable
        As for `micro_accuracy`.

    Returns
    -------
    float
        Above 0, at most 1.

    Examples
    --------
    Cluster 0 holds a, a, b, b: one half. Cluster 1 holds c: all. Their mean is three quarters.

    >>> macro_accuracy(list("aabbc"), [0, 0, 0, 0, 1])
    0.75
    """
    table = contingency(truth, labels)
    return float(np.mean(table.largest_shares / table.cluster_sizes))


def well_balanced(truth: object, labels: object) -> bool:
    """Whether each category prevails in exactly one cluster (thesis 5.3.5).

    Only then may the micro-averaged accuracy of a clustering be set beside the accuracy of a
    classifier. A category prevails in a cluster when it has **more** items there than any other
    category: where two tie for the first place neither prevails, and the clustering is not
    well balanced. Nor is one that has more clusters than categories, or fewer.

    Parameters
    ----------
    truth, labels : sequence of hashable
        As for `micro_accuracy`.

    Returns
    -------
    bool

    Examples
    --------
    >>> well_balanced(list("aaabbb"), [0, 0, 1, 1, 1, 1])
    True
    >>> well_balanced(list("aaaaab"), [0, 0, 0, 1, 1, 1])
    False
    """
    table = contingency(truth, labels)
    first = table.counts == table.largest_shares[table.rows]
    winners = table.columns[first]
    n = len(table.categories)
    # One winner a cluster (no ties), as many clusters as categories, no winner twice.
    return len(table.clusters) == n and len(winners) == n and len(np.unique(winners)) == n


def nmi(truth: object, labels: object) -> float:
    """Mutual information over the arithmetic mean of the two entropies (Basu 2.4).

    Two partitions with a single group each say the same, nothing: their NMI is 1.

    Parameters
    ----------
    truth, labels : sequence of hashable
        As for `micro_accuracy`.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    Two categories of two, and clusters that split one of them in half: I = H(truth) = log 2,
    H(labels) = 1.5 log 2, so the measure is 1 / 1.25.

    >>> round(nmi(["a", "a", "b", "b"], [0, 0, 1, 2]), 10)
    0.8
    """
    table = contingency(truth, labels)
    of_clusters = _entropy(table.cluster_sizes, table.n_items)
    of_categories = _entropy(table.category_sizes, table.n_items)
    if of_clusters + of_categories == 0.0:
        return 1.0
    information = of_clusters + of_categories - _entropy(table.counts, table.n_items)
    # Rounding may step over the ends by a few units in the last place.
    return min(1.0, max(0.0, 2.0 * information / (of_clusters + of_categories)))


def ari(truth: object, labels: object) -> float:
    """Rand index of the two partitions, corrected for chance (Hubert and Arabie).

    Parameters
    ----------
    truth, labels : sequence of hashable
        As for `micro_accuracy`.

    Returns
    -------
    float
        At most 1; 0 is what chance gives; may be negative.

    Examples
    --------
    >>> ari(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    >>> ari(["a", "a", "b", "b"], [0, 1, 0, 1])
    -0.5
    """
    table = contingency(truth, labels)
    both, in_cluster, in_category = _pairs(table)
    if both == in_cluster == in_category:
        return 1.0
    every = table.n_items * (table.n_items - 1) // 2
    # (both - chance) / (mean - chance), all times `every`, in whole numbers that can't overflow.
    chance = in_cluster * in_category
    return 2 * (both * every - chance) / ((in_cluster + in_category) * every - 2 * chance)


def pairwise_precision_recall_f(truth: object, labels: object) -> PrecisionRecallF:
    """Precision, recall and F over pairs of items in one cluster (Basu 2.4, eq. 2.5).

    A pair is answered when its items share a cluster, wanted when they share a category, right
    when both. Without any answered (or wanted) pair the precision (or recall) counts as 0; where
    both are missing all three are 1. Pairs are counted from the sizes of groups, never listed.

    Parameters
    ----------
    truth, labels : sequence of hashable
        As for `micro_accuracy`.

    Returns
    -------
    PrecisionRecallF
        Named tuple of ``precision``, ``recall`` and ``f``.

    Examples
    --------
    Clusters {a, a, b} and {b}: three pairs answered; wanted are a-a and b-b; right is a-a.

    >>> score = pairwise_precision_recall_f(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> round(score.precision, 4), score.recall, score.f
    (0.3333, 0.5, 0.4)
    """
    return ratios(*_pairs(contingency(truth, labels)))


def _pairs(table: Contingency) -> tuple[int, int, int]:
    """Pairs of items in one cell, in one cluster, in one category."""
    return (
        _pairs_within(table.counts),
        _pairs_within(table.cluster_sizes),
        _pairs_within(table.category_sizes),
    )


def _pairs_within(sizes: NDArray[np.int64]) -> int:
    # A single group of n items has n² / 2 pairs, which int64 holds up to four thousand million.
    return int((sizes * (sizes - 1) // 2).sum())


def _entropy(sizes: NDArray[np.int64], n_items: int) -> float:
    # Exactly zero for a single group, so that the caller can ask for it.
    share = sizes / n_items
    return float(-(share * np.log(share)).sum()) + 0.0


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
    truth, labels : sequence of hashable
        As for `micro_accuracy`.
    items : str
        What the items are called.

    Returns
    -------
    tuple of ExplainedScore

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
