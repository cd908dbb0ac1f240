"""How many clusters? By description length, or by labels and links that were held out."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from comraf.errors import ConflictError, InputError
from comraf.kmeans.base import index_of
from comraf.kmeans.likelihood import describe
from comraf.parameters import check_int, check_random
from comraf.supervision import ClassLabels, Links, read_labels, read_links
from comraf.supervision.frames import in_order, texts_of

__all__ = ["CRITERIA", "Choice", "choose_n_clusters"]

#: Names of criteria.
CRITERIA = ("bic", "mdl", "labels", "links")

# The bound on errors by labels holds with this probability of being wrong.
_DELTA = 0.05


@dataclass(frozen=True)
class Choice:
    """A number of clusters, and what speaks for it.

    Attributes
    ----------
    best : int
        The number that was chosen.
    criterion : str
        By what.
    scores : dict of int to float
        Score of each candidate; the least is best, infinite: it could not be fitted.
    table : list of dict
        For each candidate what its score is made of, and why there is none where there is none.
    how : str
        What the score is, in words.

    Examples
    --------
    >>> choice = Choice(3, "bic", {2: 9.5, 3: 4.0}, [], "BIC")
    >>> print(choice)
    3 clusters by bic: 4; next 2: 9.5 (BIC)
    """

    best: int
    criterion: str
    scores: dict[int, float]
    table: list[dict[str, Any]]
    how: str

    def __str__(self) -> str:
        others = sorted((score, k) for k, score in self.scores.items() if k != self.best)
        said = f"{self.best} cluster{'' if self.best == 1 else 's'} by {self.criterion}: "
        said += f"{self.scores[self.best]:.6g}"
        if others:
            score, k = others[0]
            said += f"; next {k}: " + (f"{score:.6g}" if score < math.inf else "none")
        return f"{said} ({self.how})"


def choose_n_clusters(
    X: Any,
    estimator: Any,
    candidates: Iterable[int],
    *,
    criterion: str = "bic",
    labels: Any = None,
    must_link: Any = None,
    cannot_link: Any = None,
    folds: int = 5,
    random_state: Any = None,
) -> Choice:
    """Choose a number of clusters.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n, d)
        Rows to cluster.
    estimator : clusterer
        Any estimator of this room, or another one with ``n_clusters`` and ``labels_``. It is
        cloned, never changed.
    candidates : iterable of int
        Numbers of clusters to try.
    criterion : {"bic", "mdl", "labels", "links"}
        "bic": fit against the number of parameters (Pelleg & Moore 2000). "mdl": bits to write
        down clusters, the columns and entries of centres, and the rows, given these. Both count
        the price of links that the estimator breaks (``penalty_``) as distances. "labels":
        the share of labels that a clustering gets wrong that has not seen them, and what it takes
        to say which cluster is which class (an Occam bound, in the manner of PAC-MDL). "links":
        the share of broken links among those held out, must-links and cannot-links counting as
        much as each other; of candidates within one standard error of the least, the one with
        the shortest description wins.
    labels, must_link, cannot_link : optional
        What is known, as ``fit`` takes it. It is given to the estimator as far as it uses it; for
        "labels" and "links", all but the fold that is held out is.
    folds : int
        Parts in which labels or links are held out.
    random_state : int, RandomState or None
        Draws the folds and the seed of the estimator, which is the same for all candidates.

    Returns
    -------
    Choice

    Raises
    ------
    InputError
        What the criterion needs is not there, or no candidate can be fitted.

    Notes
    -----
    For "bic" and "mdl" a cluster is a spherical Gaussian, all of one variance (Euclidean); a von
    Mises–Fisher distribution, all of one concentration (cosine); a multinomial of the row's sum
    of entries, so that rows should be counts (KL); exponential distributions (Itakura–Saito).
    Clusters with learned metrics are Gaussians with these; overlapping ones are sums of
    components with spherical noise, or Poisson rates for KL. Where there are more columns than
    rows, BIC prefers the fewest clusters almost always: a centre has a parameter for each column.

    Examples
    --------
    >>> import numpy as np
    >>> from comraf.kmeans import KMeans
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 20, axis=0) + rng.normal(size=(60, 2))
    >>> choice = choose_n_clusters(X, KMeans(), range(2, 6), random_state=0)
    >>> choice.best, sorted(choice.scores) == [2, 3, 4, 5]
    (3, True)
    """
    if criterion not in CRITERIA:
        raise InputError(parameter="criterion", given=criterion, allowed=CRITERIA)
    ks = _numbers(candidates)
    if (
        isinstance(estimator, type)
        or not hasattr(estimator, "get_params")
        or "n_clusters" not in estimator.get_params()
    ):
        what = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        raise InputError(
            f"estimator is {what}, and has no n_clusters to choose; give a clusterer that has, "
            "such as comraf.kmeans.KMeans()"
        )
    rng = check_random(random_state)
    trial = _Trial(X, estimator, rng.randint(2**31 - 1))
    given = {"labels": labels, "must_link": must_link, "cannot_link": cannot_link}
    given = {
        name: list(value) if isinstance(value, Iterator) else value for name, value in given.items()
    }  # read for every candidate
    if criterion in ("bic", "mdl"):
        return _by_description(trial, ks, criterion, given)
    if criterion == "labels":
        return _by_labels(trial, ks, given, check_int("folds", folds, least=2), rng)
    return _by_links(trial, ks, given, check_int("folds", folds, least=2), rng)


def _numbers(candidates: Iterable[int]) -> list[int]:
    """Candidates, each once, in order."""
    if isinstance(candidates, (str, bytes, numbers.Number)) or not isinstance(candidates, Iterable):
        raise InputError(
            f"candidates={candidates!r}; give numbers of clusters, such as range(2, 9)"
        )
    found = sorted({check_int("a candidate", k) for k in candidates})
    if not found:
        raise InputError("candidates has no number; give some, such as range(2, 9)")
    return found


class _Trial:
    """Fits one estimator with different numbers of clusters and different knowledge."""

    def __init__(self, X: Any, estimator: Any, seed: int) -> None:
        self.X, self.estimator, self.seed = X, estimator, seed
        if not hasattr(X, "shape"):
            self.X = np.asarray(X)
        self.n = int(self.X.shape[0])
        self.index = index_of(X)
        self.ids = texts_of(self.index)
        self.uses = getattr(estimator, "_uses", inspect.signature(estimator.fit).parameters)

    def name(self, row: int) -> Any:
        """A row as ``fit`` reads it: by its name, where a frame has names."""
        return row if self.ids is None else self.ids[row]

    def labels(self, given: Any) -> ClassLabels:
        """Classes of rows."""
        return read_labels(in_order(given, self.index), self.n, self.ids)

    def links(self, given: Any, what: str) -> Links:
        """Links between rows; the weight of those that have none of their own is no number."""
        one, two = (
            read_links(given, self.n, self.ids, what=what, weight=weight) for weight in (1.0, 2.0)
        )
        return Links(one.pairs, np.where(one.weights == two.weights, one.weights, math.nan))

    def fit(self, k: int, given: Mapping[str, Any]) -> Any:
        """The fitted estimator."""
        model = clone(self.estimator).set_params(n_clusters=k)
        if "random_state" in model.get_params():
            model.set_params(random_state=self.seed)
        passed = {name: v for name, v in given.items() if v is not None and name in self.uses}
        return model.fit(self.X, **passed)


def _finished(
    ks: list[int], criterion: str, table: list[dict[str, Any]], how: str, best: int | None = None
) -> Choice:
    """The choice, or an error that says why there is none."""
    scores = {int(row["n_clusters"]): float(row["score"]) for row in table}
    if min(scores.values()) == math.inf:
        reasons = "; ".join(f"{row['n_clusters']}: {row['note']}" for row in table[:3])
        raise InputError(f"no candidate of {ks} can be fitted ({reasons}); give others")
    if best is None:
        best = min(scores, key=lambda k: (scores[k], k))
    return Choice(best, criterion, scores, table, how)


def _table(
    ks: list[int], found: Callable[[int], Any], told: Callable[[int, Any], dict[str, Any]]
) -> list[dict[str, Any]]:
    """What is told of each candidate, or why it could not be fitted."""
    table = []
    for k in ks:
        try:
            one = found(k)
        except (ConflictError, InputError) as error:
            table.append({"n_clusters": k, "score": math.inf, "note": str(error)})
        else:
            table.append({"n_clusters": k, **told(k, one), "note": ""})
    return table


def _by_description(
    trial: _Trial, ks: list[int], criterion: str, given: Mapping[str, Any]
) -> Choice:
    models: list[str] = []

    def told(k: int, model: Any) -> dict[str, Any]:
        fit = describe(trial.X, model)
        models.append(fit.model)
        score = fit.bic if criterion == "bic" else fit.bits
        parts = {"log_likelihood": fit.log_likelihood, "n_parameters": fit.n_parameters}
        return {"score": score, **parts, "bits": fit.bits}

    table = _table(ks, lambda k: trial.fit(k, given), told)
    how = f"{criterion.upper()}, {models[-1]}" if models else ""
    return _finished(ks, criterion, table, how)


def _by_labels(
    trial: _Trial,
    ks: list[int],
    given: Mapping[str, Any],
    folds: int,
    rng: np.random.RandomState,
) -> Choice:
    if given["labels"] is None:
        raise InputError("criterion='labels' needs labels; give some, or take 'bic' or 'mdl'")
    known = trial.labels(given["labels"])
    rows = np.flatnonzero(known.codes >= 0)
    m = len(rows)
    if m < 2 * folds:
        raise InputError(
            f"criterion='labels' with folds={folds} needs {2 * folds} labels, but {m} rows have "
            "one; give more labels or fewer folds, or take 'bic' or 'mdl'"
        )
    part = _parts(known.codes[rows], folds, rng)
    n_classes = len(known.classes)

    def missed(k: int) -> int:
        wrong = 0
        for fold in range(folds):
            seen, held = rows[part != fold], rows[part == fold]
            labels = {trial.name(int(row)): known.classes[known.codes[row]] for row in seen}
            model = trial.fit(k, {**given, "labels": labels})
            wrong += _missed(model.labels_, known.codes, seen, held)
        return wrong

    def told(k: int, wrong: int) -> dict[str, Any]:
        # which class each cluster is, and the bound of Occam's razor on what that may hide
        nats = k * math.log(max(n_classes, 2))
        bound = math.sqrt((nats + math.log(1 / _DELTA)) / (2 * m))
        error = wrong / m
        return {"score": error + bound, "error": error, "bound": bound, "bits": nats / math.log(2)}

    table = _table(ks, missed, told)
    how = f"share of {m} held-out labels missed, {folds} folds, and a bound by description length"
    return _finished(ks, "labels", table, how)


def _parts(kinds: NDArray[Any], folds: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """The fold of each item; each kind is spread over all folds."""
    order = rng.permutation(len(kinds))
    order = order[np.argsort(kinds[order], kind="stable")]
    part = np.empty(len(kinds), dtype=np.int64)
    part[order] = np.arange(len(kinds)) % folds
    return part


def _missed(
    labels: NDArray[Any], codes: NDArray[Any], seen: NDArray[Any], held: NDArray[Any]
) -> int:
    """Held-out labels that are not the most frequent of those seen in their cluster."""
    k, c = int(labels.max()) + 1, int(codes.max()) + 1
    votes = np.zeros((k, c))
    np.add.at(votes, (labels[seen], codes[seen]), 1)
    said = votes.argmax(axis=1)
    said[~votes.any(axis=1)] = -1  # no label seen: it can't be told what such a cluster is
    return int((said[labels[held]] != codes[held]).sum())


def _by_links(
    trial: _Trial,
    ks: list[int],
    given: Mapping[str, Any],
    folds: int,
    rng: np.random.RandomState,
) -> Choice:
    must = trial.links(given["must_link"], "must_link")
    cannot = trial.links(given["cannot_link"], "cannot_link")
    for name, links in (("must_link", must), ("cannot_link", cannot)):
        if len(links) < folds:
            raise InputError(
                f"criterion='links' with folds={folds} needs {folds} links of each kind, but "
                f"{name} has {len(links)}: links of one kind alone ask for one cluster, or for as "
                "many as can be; give more links or fewer folds, or take 'bic' or 'mdl'"
            )
    both = [(links, _parts(np.zeros(len(links)), folds, rng)) for links in (must, cannot)]

    def broken(k: int) -> tuple[NDArray[np.float64], float]:
        count = np.zeros(2)
        for fold in range(folds):
            seen = [_listed(links, part != fold, trial) for links, part in both]
            model = trial.fit(k, {**given, "must_link": seen[0], "cannot_link": seen[1]})
            near, far = (_together(model, links.pairs[part == fold]) for links, part in both)
            count += (~near).sum(), far.sum()
        return count, _bits(trial, k, given)

    def told(k: int, found: tuple[NDArray[np.float64], float]) -> dict[str, Any]:
        shares = found[0] / (len(must), len(cannot))
        spread = shares * (1 - shares) / (len(must), len(cannot))
        return {
            "score": float(shares.mean()),
            "must_broken": float(shares[0]),
            "cannot_broken": float(shares[1]),
            "standard_error": float(np.sqrt(spread.sum()) / 2),
            "bits": found[1],
        }

    table = _table(ks, broken, told)
    how = (
        f"share of {len(must)} must-links and {len(cannot)} cannot-links broken when held out, "
        f"{folds} folds; the shortest description within one standard error"
    )
    choice = _finished(ks, "links", table, how)
    least = next(row for row in table if row["n_clusters"] == choice.best)
    near = [row for row in table if row["score"] <= least["score"] + least.get("standard_error", 0)]
    best = min(near, key=lambda row: (row["bits"], row["score"], row["n_clusters"]))
    return _finished(ks, "links", table, how, int(best["n_clusters"]))


def _bits(trial: _Trial, k: int, given: Mapping[str, Any]) -> float:
    """Description length with all that is known; infinite where the metric has no likelihood."""
    model = trial.fit(k, given)
    try:
        return describe(trial.X, model).bits
    except InputError:
        return math.inf


def _listed(links: Links, which: NDArray[np.bool_], trial: _Trial) -> list[tuple[Any, ...]]:
    """Links as ``fit`` reads them; those that came without a price go without one."""
    priced = zip(links.pairs[which].tolist(), links.weights[which].tolist(), strict=True)
    return [(trial.name(a), trial.name(b), *([] if math.isnan(w) else [w])) for (a, b), w in priced]


def _together(model: Any, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether both rows of each pair have a cluster in common."""
    members = getattr(model, "memberships_", None)
    if members is not None:
        return np.asarray((members[pairs[:, 0]] & members[pairs[:, 1]]).any(axis=1))
    return np.asarray(model.labels_[pairs[:, 0]] == model.labels_[pairs[:, 1]])
