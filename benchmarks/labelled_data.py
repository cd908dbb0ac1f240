"""Collections with a part of their truth given away: labels, wrong labels, links.

What is drawn depends on the truth and the seed alone, so every method gets the same. A larger
share contains the smaller one of the same seed, and more wrong labels contain the fewer.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import sides
from benchmarks.datasets import DESCRIPTIONS, Dataset, check_name, load
from benchmarks.datasets.cache import Cache, sources_key
from comraf.errors import InputError

__all__ = [
    "MAILBOXES",
    "POOLS",
    "Given",
    "Told",
    "draw_labels",
    "draw_links",
    "load_table",
    "tables_of",
    "violated",
]

Codes = npt.NDArray[np.int64]
Pairs = npt.NDArray[np.int64]

#: Enron's mailboxes, folders being the classes.
MAILBOXES = ("beck-s", "farmer-d", "kitchen-l")
#: One name for several tables whose runs make one row.
POOLS = {"100each": ("100each-0", "100each-1", "100each-2")}


def tables_of(name: str) -> tuple[str, ...]:
    """Tables that a dataset's name on the command line stands for.

    Examples
    --------
    >>> tables_of("100each")
    ('100each-0', '100each-1', '100each-2')
    >>> tables_of("beck-s")
    ('beck-s',)
    """
    if name in POOLS:
        return POOLS[name]
    if name in MAILBOXES:
        return (name,)
    try:
        return (check_name(name),)
    except InputError:
        known = ", ".join([*POOLS, *MAILBOXES, *DESCRIPTIONS])
        raise InputError(f"unknown dataset {name!r}; choose from {known}") from None


def load_table(name: str, data: Path, cache: Path) -> Dataset:
    """A dataset of the benchmarks, or the words of a mailbox as ``benchmarks.sides`` has them."""
    if name not in MAILBOXES:
        return load(name, data, cache)
    archive = sides.COLLECTIONS[name][0]
    if not (data / archive).is_file():
        raise InputError(f"{data / archive} is not there; see --data")
    key = f"{sources_key(data, (archive,))}-{_reading_key()}"

    def build() -> Dataset:
        mail = sides.read(name, data)
        words = mail.sides["words"].values
        return Dataset.build(name, mail.tables["words"], mail.truth, mail.ids, words, (archive,))

    return Dataset.load(Cache(cache).get(f"{name}-words", key, build))


def _reading_key() -> str:
    # Our own readers made the table: another reader makes another table.
    import comraf.collection

    home = Path(str(comraf.collection.__file__)).parent
    digest = hashlib.sha256()
    for module in sorted(home.glob("**/*.py")):
        digest.update(module.read_bytes())
    return digest.hexdigest()[:8]


@dataclass(frozen=True)
class Given:
    """What a method is told about the truth.

    Attributes
    ----------
    codes : array of int, (n,)
        Class of each item, -1 where it is not told; wrong where noise was asked for.
    must, cannot : array of int, (m, 2)
        Links, where links are told and not classes.
    """

    codes: Codes
    must: Pairs
    cannot: Pairs

    @property
    def untold(self) -> npt.NDArray[np.bool_]:
        """Items of which nothing is told: the ones that are scored.

        Examples
        --------
        >>> draw_links(np.array([0, 0, 1, 1]), 1, seed=0).untold.sum()
        np.int64(2)
        """
        free = self.codes < 0
        free[self.must.ravel()] = False
        free[self.cannot.ravel()] = False
        return free

    @property
    def by_links(self) -> bool:
        """Whether links are told, not classes."""
        return bool(len(self.must) or len(self.cannot))


_NO_PAIRS: Pairs = np.empty((0, 2), dtype=np.int64)


def draw_labels(truth: Codes, share: float, seed: int, noise: float = 0.0) -> Given:
    """Tell a share of the labels of every class, a part of them wrong.

    Every class gives its share, rounded, at least one and never its last item: something must
    be left to score. A wrong label is any other class, all of them equally likely.

    Parameters
    ----------
    truth : array of int
        Class of each item.
    share : float
        Of the items of each class, between 0 and 1.
    seed : int
        Of the draw.
    noise : float
        Share of the labels told that are wrong.

    Examples
    --------
    >>> truth = np.repeat([0, 1, 2], [50, 20, 2])
    >>> given = draw_labels(truth, 0.1, seed=0)
    >>> np.bincount(given.codes[given.codes >= 0]).tolist()
    [5, 2, 1]
    >>> given = draw_labels(truth, 0.1, seed=0, noise=0.5)
    >>> int((given.codes != truth)[given.codes >= 0].sum())
    4
    """
    if not 0 < share < 1:
        raise InputError(f"share {share:g}; a share of labels lies between 0 and 1")
    if not 0 <= noise <= 1:
        raise InputError(f"noise {noise:g}; a share of wrong labels lies between 0 and 1")
    classes = np.unique(truth)
    if noise > 0 and len(classes) < 2:
        raise InputError("noise needs two classes or more: there is no wrong label to give")
    rng = np.random.default_rng([seed, 1])
    told = []
    for one in classes:
        members = rng.permutation(np.flatnonzero(truth == one))
        number = min(max(1, round(share * len(members))), len(members) - 1)
        told.append(members[:number])
    chosen = np.sort(np.concatenate(told))
    codes = np.full(len(truth), -1, dtype=np.int64)
    codes[chosen] = truth[chosen]
    # Of another generator: the same items are told with and without noise.
    rng = np.random.default_rng([seed, 2])
    wrong = rng.permutation(chosen)[: round(noise * len(chosen))]
    here = np.searchsorted(classes, truth[wrong])
    codes[wrong] = classes[
        (here + rng.integers(1, max(len(classes), 2), len(wrong))) % len(classes)
    ]
    return Given(codes, _NO_PAIRS, _NO_PAIRS)


def draw_links(truth: Codes, number: int, seed: int) -> Given:
    """Tell of `number` random pairs of different items whether they belong together.

    Pairs are uniform, so with many classes nearly all are cannot-links.

    Examples
    --------
    >>> given = draw_links(np.array([0, 0, 1, 1]), 6, seed=0)
    >>> given.must.tolist(), len(given.cannot)
    ([[0, 1], [2, 3]], 4)
    """
    n = len(truth)
    most = n * (n - 1) // 2
    if not 0 < number <= most:
        raise InputError(f"{number:,} links of {n:,} items; from 1 to {most:,} can be drawn")
    rng = np.random.default_rng([seed, 3])
    if 2 * number >= most:
        every = np.column_stack(np.triu_indices(n, k=1))
        pairs = every[rng.permutation(most)[:number]]
    else:
        pairs = _NO_PAIRS
        while len(pairs) < number:
            more = np.sort(rng.integers(0, n, (2 * number, 2)), axis=1)
            pairs = np.concatenate([pairs, more[more[:, 0] < more[:, 1]]])
            _, first = np.unique(pairs, axis=0, return_index=True)
            pairs = pairs[np.sort(first)]
        pairs = pairs[:number]
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].astype(np.int64)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Given(np.full(n, -1, dtype=np.int64), pairs[same], pairs[~same])


@dataclass(frozen=True)
class Told:
    """How much is told: a share of the labels with a share of them wrong, or links."""

    share: float | None = None
    noise: float = 0.0
    links: int | None = None

    def draw(self, truth: Any, seed: int) -> Given:
        """What a seed tells."""
        if self.links is not None:
            return draw_links(truth, self.links, seed)
        assert self.share is not None, "one of the two is always set"
        return draw_labels(truth, self.share, seed, self.noise)

    @property
    def amount(self) -> str:
        """How tables name it, wrong labels apart.

        Examples
        --------
        >>> Told(share=0.1).amount, Told(links=10000).amount
        ('10% labelled', '10,000 links')
        """
        return f"{self.links:,} links" if self.links else f"{100 * (self.share or 0):g}% labelled"


def violated(given: Given, labels: Codes) -> dict[str, int]:
    """Links that a clustering breaks: those told, or those between any two labels told.

    Examples
    --------
    Items 0, 1 have one label and 2 another; 0 is alone, 1 and 2 are together.

    >>> given = Given(np.array([0, 0, 1, -1]), _NO_PAIRS, _NO_PAIRS)
    >>> violated(given, np.array([0, 1, 1, 1]))
    {'must': 1, 'must_violated': 1, 'cannot': 2, 'cannot_violated': 1}
    """
    if given.by_links:
        apart = labels[given.must[:, 0]] != labels[given.must[:, 1]]
        together = labels[given.cannot[:, 0]] == labels[given.cannot[:, 1]]
        numbers = len(given.must), apart.sum(), len(given.cannot), together.sum()
    else:
        told = given.codes >= 0
        classes, clusters = given.codes[told], labels[told]
        # Counted by cells of classes × clusters: the pairs themselves are too many.
        both = _pairs_within(classes * (int(labels.max(initial=0)) + 1) + clusters)
        alike, joined = _pairs_within(classes), _pairs_within(clusters)
        every = len(classes) * (len(classes) - 1) // 2
        numbers = alike, alike - both, every - alike, joined - both
    names = ("must", "must_violated", "cannot", "cannot_violated")
    return {name: int(number) for name, number in zip(names, numbers, strict=True)}


def _pairs_within(groups: npt.NDArray[Any]) -> int:
    sizes = np.unique(groups, return_counts=True)[1].astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())
