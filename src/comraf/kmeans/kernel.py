"""K-means in the space of a kernel, and graph cuts, with labels and links."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.validation import check_is_fitted

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.kmeans.base import Data, FieldKMeans, WithoutTransform
from comraf.kmeans.distances import Distance, SquaredEuclidean, metric_for
from comraf.kmeans.field import Field, neighbourhoods
from comraf.kmeans.hmrf import solve
from comraf.kmeans.rows import Floats, largest_entries, lengths, parts, row_sums, scaled
from comraf.kmeans.seeding import INITS, first_centers, mean_weight
from comraf.kmeans.ties import Found, Ties, search
from comraf.parameters import check_number, check_random
from comraf.supervision import Knowledge
from comraf.supervision.naming import Items

__all__ = ["KernelDistance", "KernelKMeans"]

_KERNELS = ("rbf", "linear", "cosine", "polynomial", "precomputed")
# Values that differ by less than this part of the largest one are the same.
_SAME = 1e-8
# Up to so many rows, all eigenvectors are found at once: faster, and never short of some.
_SMALL = 200


@dataclass(frozen=True, eq=False)
class Tied(Data):
    """Items in the space of a kernel: their ties, and what was subtracted from those of each."""

    ties: Ties = field(kw_only=True)
    offset: Floats = field(kw_only=True)

    @property
    def size(self) -> float:
        """Mean mass of a cluster."""
        return float(self.ties.mass.sum()) / self.k


@dataclass(eq=False, repr=False, kw_only=True)
class KernelKMeans(WithoutTransform, FieldKMeans):
    """K-means in the space of a kernel, or cuts of a graph, with labels and links.

    A kernel says how much two rows are alike; k-means in its space finds clusters whose borders
    are not straight. Given a graph, the same search finds clusters with many edges inside. Links
    are more of the same: a must-link is a tie between two items, a cannot-link a negative one.

    Items move one at a time, by the exact change of the objective, which therefore never rises,
    also where a kernel or graph is not positive definite. (Moving all at once needs a constant
    added to the diagonal; it would change nothing here but add as much for each cluster.)

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    kernel : {"rbf", "linear", "cosine", "polynomial", "precomputed"} or callable
        How alike two rows are. A callable takes two tables and gives the values of each row of
        the one with each of the other. "precomputed": ``X`` is the symmetric table of these values,
        dense, or the sparse adjacency of a graph, which stays sparse. All others fill n × n
        numbers; for more rows than that allows, give a graph of nearest neighbours.
    gamma : float, optional
        Factor within "rbf", exp(-gamma ‖x - y‖²), and "polynomial", (gamma x·y + coef0) ** degree;
        by default 1 / (columns × variance).
    degree, coef0 : float
        Of "polynomial".
    objective : {"association", "cut", "normalized"}
        What is made small: the sum of squared distances in the kernel's space, which for graphs
        is minus the ratio association (edges within a cluster by its items); the ratio cut (edges
        that leave a cluster by its items); the normalised cut (by the sum of its degrees).
    link_weight : "auto" or float
        Price or weight of a link that has none of its own; ``math.inf``: links hold.
        "auto" for flat prices: the mean squared distance of two rows; for graphs and cuts, a
        quarter of what an item with the mean degree is worth to a cluster of mean size. "auto"
        for shared ones: the strongest tie of an item, on average.
    penalty : {"flat", "shared"}
        "flat": each broken link has its price, as in `comraf.kmeans.HMRFKMeans`.
        "shared": links are ties, added to those of the kernel or graph, so that what they are worth
        is divided by the size of the cluster. Weights far above all ties then make small clusters
        of linked items alone.
    init : {"auto", "spectral", "k-means++", "mean"}
        Where clusters start that no neighbourhood of must-links or labels is the start of:
        "spectral" at points far apart among eigenvectors of ties and links, the other two at rows
        far apart or at perturbed means, in the kernel's space. "auto": runs take turns at
        "spectral" and, if not for a graph or a cut, "k-means++".
    n_init : int
        Runs; the one with the least objective is kept.
    max_iter : int
        Most sweeps over all items.

    Attributes
    ----------
    objective_ : float
        What is made small: ``inertia_ + penalty_``.
    inertia_ : float
        The objective without links.
    penalty_ : float
        What links add; with "shared" it is below 0 if more ties are kept than broken.
    gamma_ : float
        The factor within the kernel.
    n_iter_ : int
        Sweeps of the run that was kept.

    Examples
    --------
    >>> import numpy as np
    >>> angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X = np.concatenate([ring, 4 * ring])
    >>> model = KernelKMeans(2, gamma=1.0, objective="normalized", random_state=0)
    >>> labels = model.fit_predict(X)
    >>> np.unique(labels[:40]).size, np.unique(labels[40:]).size, bool(labels[0] != labels[40])
    (1, 1, True)
    """

    kernel: Any = "rbf"
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1.0
    objective: str = "association"
    penalty: str = "flat"
    init: str = "auto"
    _inits = ("auto", "spectral", *INITS)
    _choices = FieldKMeans._choices | {
        "objective": ("association", "cut", "normalized"),
        "penalty": ("flat", "shared"),
    }
    _no_centers = (
        "its centres lie in the kernel's space; predict places rows, objective_ is what was made "
        "small"
    )

    @property
    def _distance(self) -> Distance:
        named = isinstance(self.kernel, str) and self.kernel == "cosine"
        return metric_for("cosine" if named else "euclidean")

    def _data(self, X: Any) -> Tied:
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
        if self._given and len(shape) == 2 and shape[0] != shape[1]:
            raise InputError(
                f"kernel='precomputed' needs a square table, but X has shape {tuple(shape)}; give "
                "the kernel of all rows with each other, or the adjacency of a graph"
            )
        data = super()._data(X)
        self._graph = self._given and sp.issparse(data.rows)
        ties, offset = self._ties(data)
        metric, named = KernelDistance(ties.table), (data.ids, data.index)
        return Tied(data.rows, metric, data.k, *named, ties=ties, offset=offset)

    def _solve(self, data: Data, known: Knowledge) -> None:
        assert isinstance(data, Tied)  # noqa: S101
        field = self._field(known)
        best = self._search(data, known, field)
        best.labels = best.labels[field.closure.group]
        self._keep(best)
        self.inertia_ = best.objective - best.penalty
        self._sums, self._mass = best.sums, best.mass
        self._offset = np.bincount(self.labels_, weights=data.offset, minlength=data.k)
        self._rows = None if self._given else data.rows

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Cluster with the nearest centre in the kernel's space, for each row of ``X``.

        With ``objective="cut"`` it is the cluster in which the row adds least to the cut. Of a
        precomputed kernel, the values of new rows with all rows that were clustered are taken.
        Links play no part: they are about rows that were clustered. Without links, the rows that
        were clustered get their own ``labels_`` again, but for a few that are alone in a cluster
        (at most 2% of Iris, Wine, Digits and circles with any kernel).
        """
        check_is_fitted(self)
        if self._graph:
            raise InputError(
                "predict needs rows, but this model was fitted to a graph, in which new items have "
                "no place; fit the graph that has them too, or give fit a dense kernel or rows"
            )
        _, _, rows = self._new(X)
        n, k = len(self.labels_), len(self._mass)
        member = sp.csr_array((np.ones(n), (np.arange(n), self.labels_)), shape=(n, k))
        mass = np.where(self._mass > 0, self._mass, 1)
        out = np.empty(rows.shape[0], dtype=np.int32)
        for part in parts(rows.shape[0], n):
            values = rows[part] if self._given else self._values(rows[part], self._rows)
            near: Floats = np.asarray(values @ member, dtype=np.float64) - self._offset
            if self.objective == "normalized":
                near = near / np.maximum(values.sum(axis=1), np.finfo(float).tiny)[:, None]
            if self.objective == "cut":  # what the row would add to the ratio cut
                leaves = values.sum(axis=1)[:, None] - near - self._sums
                far = leaves / (mass + 1) + (self._sums - near) / mass
            else:
                far = self._sums / mass**2 - 2 * near / mass
            far[:, self._mass <= 0] = np.inf
            out[part] = far.argmin(axis=1)
        return out

    @property
    def _given(self) -> bool:
        """Whether ties are given, not rows."""
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _check(self) -> None:
        super()._check()
        if not callable(self.kernel) and self.kernel not in _KERNELS:
            raise InputError(
                "{given} is unknown; choose one of {allowed}, or give a function of two tables",
                "kernel",
                self.kernel,
                allowed=_KERNELS,
            )
        if self.gamma is not None:
            check_number("gamma", self.gamma, above=0)
        check_number("degree", self.degree)
        check_number("coef0", self.coef0)

    def _values(self, rows: Any, others: Any) -> Floats:
        """Kernel of each row with each of the others."""
        if callable(self.kernel):
            values = np.asarray(self.kernel(rows, others), dtype=np.float64)
            wanted = (rows.shape[0], others.shape[0])
            if values.shape != wanted or not np.isfinite(values).all():
                what = "values that are not finite" if values.shape == wanted else values.shape
                raise InputError(
                    f"the kernel gave {what} for tables of {wanted[0]:,} and {wanted[1]:,} rows; "
                    f"it should give finite values of shape {wanted}"
                )
            return values
        if self.kernel in ("linear", "cosine"):  # rows have been scaled if it is cosine
            values = rows @ others.T
            return values.toarray() if sp.issparse(values) else np.asarray(values)
        options = {"gamma": self.gamma_}
        if self.kernel == "polynomial":
            options |= {"degree": self.degree, "coef0": self.coef0}
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.asarray(pairwise_kernels(rows, others, metric=self.kernel, **options))
        if not np.isfinite(values).all():
            raise InputError(
                f"kernel={self.kernel!r} with gamma={self.gamma_:g} gives values that are not "
                "finite; give rows with smaller entries, or a smaller gamma or degree"
            )
        return values

    def _ties(self, data: Data) -> tuple[Ties, Floats]:
        """Ties and masses of the objective, and what was subtracted from the ties of each row."""
        rows, n = data.rows, data.n
        if self._given:
            table = _symmetric(rows, Items(n, data.ids))
        else:
            self.gamma_ = _gamma(rows) if self.gamma is None else float(self.gamma)
            check_fits(
                24.0 * n * n,
                f"a kernel of {n:,} rows",
                "cluster a sample, use HMRFKMeans (which 'linear' and 'cosine' amount to), or give "
                "a sparse graph of nearest neighbours with kernel='precomputed'",
            )
            table = self._values(rows, rows)
            if callable(self.kernel):
                table = _symmetric(table, Items(n, data.ids))
        offset = np.zeros(n)
        if self.objective == "association":
            if not sp.issparse(table):
                # the objective stays as it is, and no digits are lost far from the origin
                offset = table.mean(axis=0) - table.mean() / 2
                table = table - offset
                table -= offset[:, None]
            return Ties(table, np.ones(n), float(table.diagonal().sum())), offset
        degrees = row_sums(table)
        least = float(table.data.min(initial=0) if sp.issparse(table) else table.min())
        if least < 0 or not degrees.any():
            what = f"the least is {least:g}" if least < 0 else "all are 0"
            raise InputError(
                f"objective={self.objective!r} needs ties of 0 or more, but {what}; use "
                "objective='association', or another kernel"
            )
        if self.objective == "cut":
            return Ties(_less(table, degrees), np.ones(n)), offset
        # an item without ties counts as if it had the least that others have
        mass = np.where(degrees > 0, degrees, degrees[degrees > 0].min())
        return Ties(table, mass, float(data.k)), offset

    def _usual_weight(self, data: Tied) -> float:
        graph = self.objective != "association" or self._graph
        if not graph and self.penalty == "flat":
            return mean_weight(sp.eye_array(data.n).tocsr(), data.metric)
        table = _less(data.ties.table, data.ties.table.diagonal())
        if self.penalty == "shared":
            return float(largest_entries(table).mean())
        # a quarter of its worth: with all of it, links on citations outvoted the citations
        return 0.5 * float(row_sums(abs(table)).mean()) / data.size

    def _search(self, data: Tied, known: Knowledge, field: Field) -> Found:
        """The best of several runs."""
        k, shared = data.k, self.penalty == "shared"
        groups = data.ties.by_group(field)
        random = check_random(self.random_state)
        hoods = neighbourhoods(known)
        spaces = self._spaces(data, groups, field, random)

        def run(number: int, rng: np.random.Generator, random: np.random.RandomState) -> Found:
            turn, place = divmod(number, len(spaces))
            space = spaces[place]
            # of many neighbourhoods the wrong ones may be chosen: each second round takes none
            skip = space.spectral and len(hoods) > k and turn % 2 == 1
            begun = space.begin([] if skip else hoods, k, random, rng, drawn=turn > 0)
            labels = np.zeros(field.n_groups, dtype=np.int32)
            labels[field.closure.group] = begun
            most, tol = self.max_iter, float(self.tol)
            return search(groups, field, labels, k, rng, shared=shared, max_iter=most, tol=tol)

        return self._best(run, random)

    def _spaces(
        self, data: Tied, groups: Ties, field: Field, random: np.random.RandomState
    ) -> list[Space]:
        """Where runs start, in turn."""
        # what a tie of 1 is worth within a cluster of mean size: both of its directions count
        worth = 2 / data.size if self.penalty == "shared" else 1.0
        graph = self.objective != "association" or self._graph
        out = []
        if self.init in ("auto", "spectral"):
            rng = np.random.default_rng(random.randint(2**31 - 1))
            shown = groups
            if self.objective == "cut":  # degrees are no ties
                shown = replace(groups, table=_less(groups.table, groups.own))
            pulls = priced(field, worth * data.size / 2)
            # links may say as much as one tie or as much as they are worth
            meek = abs(shown.table).max() / self._strongest(pulls)
            for faint, factor in ((0.01, meek), (1.0, 1.0)):
                rows = embedded(shown, priced(pulls, factor), data.k, rng, faint)
                # links are in the rows already; what must hold has to be looked after still
                hard = priced(field, 0.0)
                rows = rows[field.closure.group]
                out.append(Space(rows, SquaredEuclidean(), hard, "k-means++", spectral=True))
        if self.init not in ("auto", "spectral") or (self.init == "auto" and not graph):
            unit = sp.eye_array(data.n).tocsr()
            init = "k-means++" if self.init == "auto" else self.init
            near = Space(unit, data.metric, priced(field, worth), init)
            out = [near, *(both for space in out for both in (space, near))][: 2 * len(out) or 1]
        return out

    @staticmethod
    def _strongest(field: Field) -> float:
        tables = (field.between, field.extra)
        return max((float(abs(table).max()) for table in tables if table.nnz), default=0.0) or 1.0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._given
        return tags


def _gamma(rows: Any) -> float:
    """One by the number of columns times the variance of all entries; 1 if there is none."""
    squares = rows.multiply(rows) if sp.issparse(rows) else rows**2
    variance = float(squares.mean() - rows.mean() ** 2) if sp.issparse(rows) else float(rows.var())
    spread = rows.shape[1] * variance
    return 1 / spread if spread > 0 else 1.0


def _less(table: Any, degrees: Floats) -> Any:
    """The table with degrees taken from its diagonal."""
    if sp.issparse(table):
        return sp.csr_array(table - sp.diags_array(degrees))
    out = table.copy()
    out[np.diag_indices_from(out)] -= degrees
    return out


def _symmetric(table: Any, items: Items) -> Any:
    """The table, if it is symmetric."""
    n = table.shape[0]
    if not sp.issparse(table):
        check_fits(24.0 * n * n, f"a kernel of {n:,} items", "give a sparse graph")
    gap = abs(table - table.T)
    worst = float(gap.max()) if n else 0.0
    if worst > _SAME * float(abs(table).max()):
        i, j = (int(place) for place in np.unravel_index(int(gap.argmax()), table.shape))
        raise InputError(
            f"X is not symmetric: {items.name(i)} has {table[i, j]:g} with {items.name(j)}, which "
            f"has {table[j, i]:g} with it; give (X + X.T) / 2"
        )
    return table


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
