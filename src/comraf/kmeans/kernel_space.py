"""Where kernel k-means starts: the space of the kernel, and that of eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from comraf.kmeans.distances import Distance
from comraf.kmeans.field import Field
from comraf.kmeans.hmrf_run import solve
from comraf.kmeans.kernel_run import Ties
from comraf.kmeans.rows import Floats, lengths, row_sums, scaled
from comraf.kmeans.seeding import first_centers

__all__ = ["KernelDistance", "Space", "embedded", "priced"]

# Up to so many rows, all eigenvectors are found at once: faster, and never short of some.
_SMALL = 200


class KernelDistance(Distance):
    """Squared distance in the space of a kernel, for rows that are rows of the unit matrix.

    Centres are given by the share that each item has in them, so that all that starts k-means
    from centres works here as it is.

    Parameters
    ----------
    table : array or csr_array of shape (n, n)
        Kernel of the items.

    Examples
    --------
    >>> metric, X = KernelDistance(np.array([[4.0, 2.0], [2.0, 1.0]])), sp.eye_array(2).tocsr()
    >>> metric.distances(X, metric.centers(X, np.array([0, 0]), 1)).tolist()
    [[0.25], [0.25]]
    >>> metric.pair(X, [0], [1]).tolist()
    [1.0]
    """

    name = "kernel"

    def __init__(self, table: Any) -> None:
        self.table = table
        self._own: Floats = np.asarray(table.diagonal(), dtype=np.float64)

    def distances(self, X: Any, centers: Floats) -> Floats:
        """Distance of each row to each centre, shape (n, k)."""
        shares = sp.csr_array(centers)
        ties = shares @ self.table
        ties = ties.toarray() if sp.issparse(ties) else np.asarray(ties)
        within = row_sums(shares.multiply(ties))
        out = np.asarray(X @ (self._own[:, None] - 2 * ties.T)) + within
        if X.nnz > X.shape[0]:
            # a mean of rows is nearer to itself than its rows are: its square is its own
            mean = X @ self.table
            mean = mean.multiply(X) if sp.issparse(mean) else X.multiply(mean)
            out += (row_sums(mean) - np.asarray(X @ self._own))[:, None]
        np.maximum(out, 0, out=out)
        return out

    def pair(self, X: Any, i: ArrayLike, j: ArrayLike) -> Floats:
        """Squared distance between items."""
        i, j = np.atleast_1d(i), np.atleast_1d(j)
        found = self._own[i] + self._own[j] - 2 * np.asarray(self.table[i, j]).ravel()
        return np.asarray(np.maximum(found, 0))

    def largest(self, X: Any) -> float:
        """Four times the largest square."""
        return 4 * float(self._own.max())


def priced(field: Field, factor: float) -> Field:
    """The field with all prices times a factor; what must hold does so still."""
    return replace(
        field,
        must=field.must * factor,
        near=field.near * factor,
        apart=field.apart * factor,
        more_must=field.more_must * factor,
        more_cannot=field.more_cannot * factor,
    )


def embedded(
    ties: Ties, field: Field, k: int, rng: np.random.Generator, faint: float = 0.01
) -> Floats:
    """Groups as points of the unit sphere, near each other if many ties and links join them.

    Rows of the first k eigenvectors of ties and links together, both sides divided by the root of
    degrees. All pairs get a faint tie, this part of the mean degree for each item: else the first
    eigenvectors of a graph with many parts are no more than its smallest parts. Thin clusters,
    such as rings, need it to be small.

    Examples
    --------
    >>> from comraf.kmeans.field import read_field
    >>> from comraf.supervision import read_knowledge
    >>> table = sp.csr_array([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    >>> field = read_field(read_knowledge(4), 0.0)
    >>> rows = embedded(Ties(table, np.ones(4)), field, 2, np.random.default_rng(0))
    >>> np.allclose(rows[0], rows[1]), np.allclose(rows[2], rows[3]), np.allclose(rows[1], rows[2])
    (True, True, False)
    """
    n = len(ties.mass)
    table, members, between, extra = ties.table, field.members, field.between, field.extra
    ones = np.ones(n)
    degrees = np.asarray(abs(table) @ ones)
    faint *= float(degrees.mean()) or 1.0
    degrees = degrees + members @ (abs(between) @ (members.T @ ones)) + abs(extra) @ ones + faint
    root = 1 / np.sqrt(degrees)

    def times(x: Floats) -> Floats:
        x = root * np.ravel(x)
        y = table @ x + members @ (between @ (members.T @ x)) + extra @ x + faint * x.mean()
        return np.asarray(root * y)

    if n <= max(_SMALL, 3 * k):
        whole = np.column_stack([times(row) for row in np.eye(n)])
        _, vectors = eigh((whole + whole.T) / 2, subset_by_index=[max(n - k, 0), n - 1])
    else:
        operator = LinearOperator((n, n), matvec=times, dtype=np.float64)
        # only where to start: a few digits will do
        _, vectors = eigsh(operator, k=k, which="LA", v0=rng.random(n), tol=1e-4)
    return np.asarray(scaled(vectors, lengths(vectors)))


@dataclass(frozen=True, eq=False)
class Space:
    """Rows to start in: items in the space of the kernel, or of eigenvectors."""

    rows: Any
    metric: Distance
    field: Field
    init: str
    spectral: bool = False

    def begin(
        self,
        hoods: list[NDArray[np.int64]],
        k: int,
        random: np.random.RandomState,
        rng: np.random.Generator,
        drawn: bool,
    ) -> NDArray[np.int32]:
        """Labels of items by HMRF-KMeans in this space, from these neighbourhoods."""
        start = first_centers(self.rows, self.metric, hoods, k, self.init, rng, random, drawn=drawn)
        return solve(self.rows, self.metric, self.field, start, rng).labels
