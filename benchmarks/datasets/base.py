"""The one shape every collection takes: a table of counts with names and truth."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from benchmarks.harness import load_npz, save_npz, sparse_from, sparse_parts

__all__ = ["Dataset"]

_NAMES = ("class_names", "row_names", "column_names", "files")


@dataclass(frozen=True)
class Dataset:
    """Documents x words, with the truth used for scoring only.

    Attributes
    ----------
    name : str
        Name in the registry.
    counts : csr_matrix
        Integer counts, rows are documents; canonical (sorted, no duplicates, no zeros).
    truth : ndarray of int
        Class of each row, an index into `class_names`.
    class_names, row_names, column_names : tuple of str
        What the numbers stand for.
    files : tuple of str
        Raw files that were read, relative to the data folder.

    Examples
    --------
    >>> table = Dataset.build("tiny", [[2, 0], [0, 1]], ["a", "b"], ["d1", "d2"], ["x", "y"], ["f"])
    >>> table.n_classes, table.counts.nnz, table.class_names
    (2, 2, ('a', 'b'))
    """

    name: str
    counts: csr_matrix
    truth: npt.NDArray[np.int64]
    class_names: tuple[str, ...]
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    files: tuple[str, ...]

    @classmethod
    def build(
        cls,
        name: str,
        counts: Any,
        classes: Sequence[str],
        row_names: Sequence[str],
        column_names: Sequence[str],
        files: Sequence[str],
    ) -> Dataset:
        """Make a dataset from a table and the class name of each row."""
        class_names, truth = np.unique(np.asarray(classes, dtype=np.str_), return_inverse=True)
        return cls(
            name=name,
            counts=_canonical(counts),
            truth=truth.astype(np.int64),
            class_names=tuple(class_names.tolist()),
            row_names=tuple(row_names),
            column_names=tuple(column_names),
            files=tuple(files),
        )

    @property
    def n_classes(self) -> int:
        """Number of classes that have at least one row."""
        return int(np.unique(self.truth).size)

    def select(self, name: str, rows: npt.NDArray[np.int64], *, min_documents: int = 1) -> Dataset:
        """Cut out `rows`, then words in fewer than `min_documents` of them, then empty rows.

        Examples
        --------
        >>> table = Dataset.build("t", [[2, 0], [1, 1]], ["a", "b"], ["d1", "d2"], ["x", "y"], [])
        >>> table.select("cut", np.array([0, 1]), min_documents=2).column_names
        ('x',)
        """
        counts = self.counts[rows]
        documents = np.bincount(counts.indices, minlength=counts.shape[1])
        columns = np.flatnonzero(documents >= max(min_documents, 1))
        counts = _canonical(counts[:, columns])
        kept = np.flatnonzero(np.diff(counts.indptr) > 0)
        rows = np.asarray(rows)[kept]
        return Dataset.build(
            name,
            counts[kept],
            [self.class_names[c] for c in self.truth[rows]],
            [self.row_names[r] for r in rows],
            [self.column_names[c] for c in columns],
            self.files,
        )

    def fingerprint(self) -> str:
        """Sixteen hex digits that change when the table or its truth does."""
        digest = hashlib.sha256()
        for part in (
            np.asarray(self.counts.shape, dtype=np.int64),
            self.counts.indptr.astype(np.int64),
            self.counts.indices.astype(np.int64),
            self.counts.data.astype(np.int64),
            self.truth,
        ):
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()[:16]

    def save(self, path: Path) -> None:
        """Write an ``.npz`` file; a file half-written is never seen under `path`."""
        save_npz(
            path,
            name=np.asarray(self.name),
            truth=self.truth,
            **sparse_parts(self.counts),
            **{key: np.asarray(getattr(self, key), dtype=np.str_) for key in _NAMES},
        )

    @classmethod
    def load(cls, path: Path) -> Dataset:
        """Read what :meth:`save` wrote."""
        with load_npz(path) as arrays:
            names = {key: tuple(arrays[key].tolist()) for key in _NAMES}
            counts = sparse_from(arrays, kind=csr_matrix)
            return cls(name=str(arrays["name"]), counts=counts, truth=arrays["truth"], **names)


def _canonical(counts: Any) -> csr_matrix:
    # csr_matrix, not csr_array: one peer takes nothing else.
    table = csr_matrix(counts).astype(np.int32)
    table.sum_duplicates()
    table.eliminate_zeros()
    table.sort_indices()
    return table
