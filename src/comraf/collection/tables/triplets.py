"""Adding up (row, column, count) triplets in bounded memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.collection.readers.limits import Budget
from comraf.collection.tables.counts import Raw, whole_if_possible
from comraf.errors import InputError

ROW_NAMES = frozenset(
    {"row", "rows", "row_id", "i", "document", "documents", "document_id", "doc", "doc_id"}
)
COLUMN_NAMES = frozenset(
    {"column", "columns", "col", "column_id", "j", "word", "words", "word_id", "term", "token"}
    | {"feature"}
)
COUNT_NAMES = frozenset(
    {"count", "counts", "n", "value", "weight", "frequency", "freq", "tf", "entry"}
)

# Entries gathered before repeated pairs are summed; also the least that is worth sorting.
_GATHER = 2**22
# A string, its place in a dictionary and in a tuple, without its characters.
_NAME_BYTES = 160
_LOW = np.int64(2**32 - 1)


class Columns(NamedTuple):
    """Which of a file's columns are the triplets' parts; ``amount`` None: each line counts one."""

    row: int
    column: int
    amount: int | None
    n_fields: int


def find_columns(header: Sequence[str], source: str) -> Columns | None:
    """The triplets' parts by the names in a header; None if it names neither row nor column.

    Examples
    --------
    >>> find_columns(["n", "Doc", "Term"], "a.csv")
    Columns(row=1, column=2, amount=0, n_fields=3)
    >>> find_columns(["apple", "pear", "3"], "a.csv") is None
    True
    """
    names = [cell.strip().lower().replace(" ", "_") for cell in header]
    places: list[int | None] = []
    for accepted in (ROW_NAMES, COLUMN_NAMES, COUNT_NAMES):
        found = [place for place, name in enumerate(names) if name in accepted]
        if len(found) > 1:
            raise InputError(
                f"{source}: the columns {header[found[0]]!r} and {header[found[1]]!r} could both "
                "be meant; keep one of them"
            )
        places.append(found[0] if found else None)
    row, column, counts = places
    if row is None or column is None:
        return None
    return Columns(row, column, counts, len(header))


class Names:
    """Numbers names in the order in which they appear.

    Examples
    --------
    >>> names = Names()
    >>> names.numbers(["b", "a", "b"], 3).tolist(), names.all()
    ([0, 1, 0], ('b', 'a'))
    """

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)

    def numbers(self, names: Iterable[str], n: int) -> npt.NDArray[np.int64]:
        """Numbers of ``n`` names."""
        return np.fromiter(map(self._numbers.__getitem__, names), np.int64, n)

    def numbers_in(self, column: Any) -> npt.NDArray[np.int64]:
        """Numbers of the names in an array of pyarrow: each different one is looked up once."""
        import pyarrow as pa

        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        values = encoded.dictionary.cast(pa.string()).to_pylist()
        used = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        # a stored dictionary may hold values that no entry uses: they get no number
        present, first = np.unique(used, return_index=True)
        in_order = present[np.argsort(first)]
        lookup = np.zeros(len(values), np.int64)
        lookup[in_order] = self.numbers((values[i] for i in in_order.tolist()), len(in_order))
        return np.asarray(lookup[used])

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def all(self) -> tuple[str, ...]:
        """Every name so far."""
        return tuple(self._numbers)

    def nbytes(self) -> int:
        """About how much memory they take."""
        return _NAME_BYTES * len(self._numbers) + sum(map(len, self._numbers))


class Triplets:
    """A table under construction; repeated pairs are summed as it grows.

    Examples
    --------
    >>> triplets = Triplets(Budget("a.csv"))
    >>> one = np.array([1.0])
    >>> for _ in range(2):
    ...     rows = triplets.rows.numbers(["a"], 1)
    ...     triplets.add(rows, triplets.columns.numbers(["x"], 1), one)
    >>> triplets.table().matrix.toarray().tolist()
    [[2]]
    """

    def __init__(self, budget: Budget) -> None:
        self.rows = Names()
        self.columns = Names()
        self._budget = budget
        self._keys: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._sums: npt.NDArray[np.float64] = np.empty(0, np.float64)
        self._waiting: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = []
        self._n_waiting = 0

    def add(
        self,
        rows: npt.NDArray[np.int64],
        columns: npt.NDArray[np.int64],
        counts: npt.NDArray[np.float64] | None,
    ) -> None:
        """Add entries; ``counts`` None counts each of them once."""
        if counts is None:
            counts = np.ones(len(rows), np.float64)
        self._waiting.append(((rows << 32) | columns, counts))
        self._n_waiting += len(rows)
        # Waiting until as many came as there are keeps the cost of sorting n log n.
        if self._n_waiting >= max(_GATHER, len(self._keys)):
            self.settle()

    def settle(self) -> None:
        """Sum repeated pairs and see whether what there is still fits."""
        self._budget.check_shape(
            len(self.rows), len(self.columns), len(self._keys) + self._n_waiting
        )
        self._budget.check(
            self.rows.nbytes() + self.columns.nbytes() + 48 * (len(self._keys) + self._n_waiting),
            f"the part read so far ({len(self.rows):,} rows, {len(self.columns):,} columns)",
        )
        if not self._waiting:
            return
        keys = np.concatenate([self._keys, *(keys for keys, _ in self._waiting)])
        sums = np.concatenate([self._sums, *(counts for _, counts in self._waiting)])
        self._waiting.clear()
        self._n_waiting = 0
        order = np.argsort(keys, kind="stable")
        keys, sums = keys[order], sums[order]
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        self._keys = keys[starts]
        self._sums = np.add.reduceat(sums, starts)

    def table(self) -> Raw:
        """What was added, as a table."""
        self.settle()
        if not len(self._keys):
            raise InputError(
                f"{self._budget.source}: holds no entries; one line an entry is expected"
            )
        n_rows, n_columns = len(self.rows), len(self.columns)
        sizes = np.bincount(self._keys >> 32, minlength=n_rows)
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        matrix = sp.csr_array(
            (whole_if_possible(self._sums), self._keys & _LOW, indptr), shape=(n_rows, n_columns)
        )
        matrix.has_canonical_format = True
        return Raw(matrix, self.rows.all(), self.columns.all())
