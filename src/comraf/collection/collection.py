"""A collection: items, the values of their sides, and tables between them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.items import Skip
from comraf.collection.kinds import kind_of
from comraf.collection.options import SideOptions
from comraf.collection.sides import side_of
from comraf.collection.vision.stored import StoredPhotos
from comraf.errors import InputError

if TYPE_CHECKING:
    from comraf.collection.store import Stored

__all__ = ["Collection", "Person", "Side"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Person:
    """What is known about one value of the people side.

    Attributes
    ----------
    name : str
        The value.
    role : str
        "person", "list" or "owner".
    host : str
        Where the person's mail goes; empty when unknown.
    addresses, spellings : tuple of str
        All that were united, the most used first.
    sent, received : int
        Number of items.
    """

    name: str
    role: str
    host: str
    addresses: tuple[str, ...]
    spellings: tuple[str, ...]
    sent: int
    received: int


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One side of a collection: its values, and what is known about them.

    Attributes
    ----------
    name : str
    kind : str
        "words", "people", "values" or "dates".
    values : tuple of str
        Names of the table's columns, sorted.
    documents : ndarray of int64
        In how many items each value stands.
    facts : mapping
        What was found and left out: ``rare``, ``frequent``, ``stop_words``, ``owner`` ...
    people : tuple of Person
        One for each value of the people side; empty on others.
    """

    name: str
    kind: str
    values: tuple[str, ...]
    documents: NDArray[np.int64]
    facts: Mapping[str, Any]
    people: tuple[Person, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @property
    def groups(self) -> str:
        """Whether it makes groups if no side is named: see `comraf.collection.sides.SideKind`."""
        return side_of(self.name, self.facts).groups

    @property
    def rank(self) -> int:
        """Its place among the sides that make groups."""
        return side_of(self.name, self.facts).rank


class _Lazy(Mapping[str, _T], Generic[_T]):
    """A mapping whose values are read when they are first asked for."""

    def __init__(self, names: Sequence[str], load: Callable[[str], _T]) -> None:
        self._names = tuple(names)
        self._load = load
        self._found: dict[str, _T] = {}

    def __getitem__(self, name: str) -> _T:
        if name not in self._found:
            if name not in self._names:
                raise KeyError(name)
            self._found[name] = self._load(name)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{', '.join(self._names)}>"


class Tables(_Lazy[sp.csr_array]):
    """Tables by side; what those that were measured weigh, they say themselves."""

    def __init__(
        self, weights: Mapping[str, float | None], load: Callable[[str], sp.csr_array]
    ) -> None:
        super().__init__(tuple(weights), load)
        self.weights = {name: weight for name, weight in weights.items() if weight is not None}


class Collection:
    """What the user has, ready to be organised. Never changes once it is built.

    Made by `comraf.collection.build.build_collection` and
    `comraf.collection.store.open_collection`. Everything is read when it is first
    asked for; texts never stay in memory.

    Attributes
    ----------
    kind : str
        What it was read from: "mail", "news", "csv" ...
    notes : tuple of str
        What was decided, guessed or left out, for people.
    n_skipped, duplicates : int
        Items that could not be read, and second copies that were dropped.
    options : SideOptions

    Examples
    --------
    >>> from comraf.collection.build import build_collection
    >>> from comraf.collection.sample import write_mbox
    >>> from comraf.collection.detect import open_reader
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     box = write_mbox(pathlib.Path(folder, "sample.mbox"), 60)
    ...     collection = build_collection(open_reader(box))
    >>> list(collection.sides)
    ['words', 'subjects', 'people', 'organisations', 'months']
    >>> collection.tables["words"].shape == (len(collection), len(collection.sides["words"]))
    True
    """

    def __init__(self, source: Stored, header: Mapping[str, Any]) -> None:
        self._source = source
        self._header = header
        self.kind: str = header["kind"]
        self.notes: tuple[str, ...] = tuple(header["notes"])
        self.n_skipped: int = header["n_skipped"]
        self.duplicates: int = header["n_duplicates"]
        self.options: SideOptions = SideOptions.from_json(header["options"])
        self.vectors: Any = None  # of whoever found neighbours, to place new items by
        weights = {side["name"]: side["facts"].get("weight") for side in header["sides"]}
        self.sides: Mapping[str, Side] = _Lazy(tuple(weights), source.side)
        self.tables: Mapping[str, sp.csr_array] = Tables(weights, source.table)

    def __len__(self) -> int:
        n: int = self._header["n_items"]
        return n

    def __repr__(self) -> str:
        sides = ", ".join(f"{s['n_values']:,} {s['name']}" for s in self._header["sides"])
        return f"<Collection of {len(self):,} items ({self.kind}): {sides}>"

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Names of the items, no two alike."""
        return self._source.strings("id")

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Titles or subjects; empty where there is none."""
        return self._source.strings("title")

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Where each item came from."""
        return self._source.strings("source")

    @cached_property
    def dates(self) -> NDArray[np.datetime64]:
        """Moments in UTC, to the second; NaT where there is none."""
        return self._source.dates()

    @cached_property
    def truth(self) -> tuple[str | None, ...] | None:
        """The class that each item is known to belong to; None when none is known."""
        if not self._header["n_truths"]:
            return None
        return self._source.strings("truth")

    @cached_property
    def skipped(self) -> tuple[Skip, ...]:
        """Items that could not be read, and why."""
        return self._source.skipped()

    @property
    def photos(self) -> StoredPhotos | None:
        """What can be seen in each item, with its thumbnail; None if they are no photos.

        A sequence of `comraf.images.PhotoFeatures`, read when asked for; it is what
        `comraf.images.photo_tables` takes.
        """
        return self._source.photos() if kind_of(self.kind).photos else None

    @property
    def facts(self) -> Mapping[str, Any]:
        """The header of the collection: what it was built from and with."""
        return MappingProxyType(dict(self._header))

    def text(self, item: int) -> str:
        """Return the text of one item, read from where it lies.

        Examples
        --------
        >>> from comraf.collection.build import build_collection
        >>> import tempfile, pathlib
        >>> from comraf.collection.detect import open_reader
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = pathlib.Path(folder, "a.txt").write_text("The pump leaks.")
        ...     build_collection(open_reader(folder)).text(0)
        'The pump leaks.'
        """
        return next(self.texts([item]))

    def texts(self, items: Iterable[int]) -> Iterator[str]:
        """Yield the texts of some items in the order asked for; neighbours are read together."""
        n = len(self)
        for item in items:
            if not -n <= item < n:
                raise InputError(f"there is no item {item}; they are numbered from 0 to {n - 1}")
            yield self._source.text(item % n)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the collection to a new or empty folder.

        Raises
        ------
        WriteError
            It can't be written. Nothing half-written is left.
        """
        self._source.save(path)
