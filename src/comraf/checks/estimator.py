"""What every estimator of clusters keeps to, beyond scikit-learn's own checks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from comraf.checks.rules import hold, same
from comraf.errors import InterruptedWarning
from comraf.metrics import ari

__all__ = ["check_estimator", "expected_failures"]


def expected_failures(estimator: Any) -> dict[str, str]:
    """Checks of scikit-learn that an estimator of counts or of random starts can't pass, and why.

    For ``expected_failed_checks`` of ``sklearn.utils.estimator_checks.check_estimator``.

    Parameters
    ----------
    estimator : estimator

    Examples
    --------
    >>> from comraf import AgglomerativeIB
    >>> expected_failures(AgglomerativeIB())
    {'check_clustering': 'feeds negative numbers to a model of counts'}
    """
    failures = {}
    if estimator.__sklearn_tags__().input_tags.positive_only:
        failures["check_clustering"] = "feeds negative numbers to a model of counts"
    if hasattr(estimator, "predict"):
        why = "weighted rows draw another start than repeated ones, as in scikit-learn's KMeans"
        for form in ("dense", "sparse"):
            failures[f"check_sample_weight_equivalence_on_{form}_data"] = why
    return failures


def check_estimator(
    estimator: Any,
    X: Any = None,
    *,
    answer: str = "labels_",
    objective: Callable[[Any, Any], float] | None = None,
    exact: bool = True,
    ordered: bool = True,
    **known: Any,
) -> None:
    """Hold an estimator to what scikit-learn's ``check_estimator`` does not ask.

    1. ``labels_`` are whole numbers from 0 on, one for each row, none left out; ``fit_predict``
       gives them, and so does ``predict`` for the rows of the fit.
    2. The same seed gives the same answer, as a number, a ``RandomState`` or (where that is taken)
       a ``Generator``, and whatever ``n_jobs``.
    3. Lists, frames and sparse tables of all formats have the answer of the dense table. Nothing
       that is given is changed.
    4. Rows in another order are grouped the same.
    5. ``objective_`` is that of the answer.
    6. Who has ``time_limit`` and ``verbose`` keeps the best when stopped by either, warns, is
       silent by default, and tells events that never fall and end at 1.

    Parameters
    ----------
    estimator : estimator
        With its parameters set. What is random goes by ``random_state``.
    X : array, optional
        A dense table with groups so clear that any start finds them; by default counts of
        40 rows in four groups, for four clusters.
    answer : str
        The attribute that is compared.
    objective : callable, optional
        From a fitted estimator and the table to the objective of its answer, by definition.
        By default that of the graph, for those which leave one.
    exact : bool
        Whether other forms of a table give the same answer to the last digit. If not, rounding
        may decide between starts that end alike: clusters may have other numbers.
    ordered : bool
        Whether rule 4 is for it: not for what draws rows by their places.
    **known : optional
        More for ``fit``, such as ``must_link=[(0, 4)]``.

    Raises
    ------
    RuleError
        The rule that is broken, and by what.

    Examples
    --------
    >>> from comraf import SequentialIB
    >>> check_estimator(SequentialIB(4, n_restarts=2))
    """
    X = _groups() if X is None else np.asarray(X)
    check = _Checked(estimator, X, answer, exact, known)
    check.labels()
    check.seeds()
    check.forms()
    if ordered:
        check.order()
    check.objective(objective)
    if {"time_limit", "verbose"} <= set(estimator.get_params()):
        check.stops()


def _groups() -> np.ndarray[Any, Any]:
    """Counts of rows in four groups that are easy to tell apart."""
    alike = (np.arange(40) % 4)[:, None] == np.arange(60) % 4
    return np.random.default_rng(0).poisson(np.where(alike, 3.0, 0.1))


class _Checked:
    """An estimator, and a table that it is tried on."""

    def __init__(
        self, estimator: Any, X: Any, answer: str, exact: bool, known: Mapping[str, Any]
    ) -> None:
        self.estimator, self.X, self.answer = estimator, X, answer
        self.exact, self.known = exact, known
        self.takes = estimator.get_params()
        self.whole = self.fit(X)

    def fit(self, X: Any, **changes: Any) -> Any:
        """A clone with a seed that is fitted."""
        if "random_state" in self.takes:
            changes = {"random_state": 0, **changes}
        return clone(self.estimator).set_params(**changes).fit(X, **self.known)

    def same(self, found: Any, rule: str, what: str, *, exact: bool = True) -> None:
        """Whether an answer is that of the first fit."""
        one, two = (np.asarray(getattr(model, self.answer)) for model in (found, self.whole))
        if exact or one.shape != two.shape:
            same(one, two, rule, f"{self.answer} {what}")
        elif one.dtype.kind == "f":
            apart, most = float(np.abs(one - two).max()), float(np.abs(two).max())
            hold(apart <= 1e-7 * most, rule, f"{self.answer} {what} differ by {apart:.3g}")
        else:
            _alike(one, two, rule, f"{self.answer} {what}")

    def labels(self) -> None:
        """Rule 1."""
        n, model, rule = len(self.X), self.whole, "labels_ are whole numbers from 0 on, one a row"
        labels = np.asarray(model.labels_)
        hold(labels.shape == (n,), rule, f"their shape is {labels.shape}, for {n} rows")
        hold(labels.dtype in (np.int32, np.int64), rule, f"they are {labels.dtype}")
        numbers = np.unique(labels).tolist()
        hold(numbers == list(range(len(numbers))), rule, f"they are {numbers[:20]}")
        twin = clone(self.estimator)
        if "random_state" in self.takes:
            twin.set_params(random_state=0)
        same(
            twin.fit_predict(self.X, **self.known),
            labels,
            "fit_predict gives the labels of a fit",
            "labels",
        )
        if hasattr(model, "predict") and not self.known:
            same(
                model.predict(self.X),
                labels,
                "rows of the fit are predicted where they are",
                "labels",
            )

    def seeds(self) -> None:
        """Rule 2."""
        if "random_state" in self.takes:
            rule = "the same seed gives the same answer"
            for make in (np.random.RandomState, np.random.default_rng):
                try:
                    one, self.whole = (self.fit(self.X, random_state=make(7)) for _ in range(2))
                except (TypeError, ValueError):  # scikit-learn's own take no Generator
                    continue
                self.same(one, rule, f"of two {type(make(7)).__name__} of one seed")
            self.whole = self.fit(self.X)
            self.same(self.fit(self.X), rule, "of two fits")
        if "n_jobs" in self.takes:
            self.same(
                self.fit(self.X, n_jobs=2),
                "the same seed gives the same answer whatever n_jobs",
                "in two jobs",
            )

    def forms(self) -> None:
        """Rule 3."""
        rule = "all forms of a table have one answer"
        for name, form in _forms(self.X, self.estimator):
            before = _plain(form).copy()
            self.same(self.fit(form), rule, f"of {name}", exact=self.exact)
            kept = np.array_equal(_plain(form), before)
            hold(kept, "nothing that is given is changed", name)
        fixed = self.X.copy()
        fixed.setflags(write=False)
        self.same(self.fit(fixed), rule, "of a table that can't be written to")

    def order(self) -> None:
        """Rule 4; what is known goes by the numbers of rows, and is left out."""
        order = np.random.default_rng(1).permutation(len(self.X))
        self.known, known = {}, self.known
        labels, other = self.fit(self.X).labels_, self.fit(self.X[order]).labels_
        self.known = known
        rule = "rows in another order are grouped the same, where groups are clear"
        _alike(labels[order], other, rule, "labels_")

    def objective(self, objective: Callable[[Any, Any], float] | None) -> None:
        """Rule 5."""
        if objective is None and hasattr(self.whole, "graph_"):
            objective = _information
        if objective is None or not hasattr(self.whole, "objective_"):
            return
        found, true = self.whole.objective_, objective(self.whole, self.X)
        hold(
            abs(found - true) <= 1e-7 * max(1.0, abs(true)),
            "objective_ is that of the answer",
            f"it is {found:.9g}, and that of the answer {true:.9g}",
        )

    def stops(self) -> None:
        """Rule 6."""
        events: list[Any] = []
        self.fit(self.X, verbose=events.append)
        done = [event.done for event in events]
        hold(
            done and done == sorted(done) and abs(done[-1] - 1) < 1e-9,
            "events never fall back and end at 1",
            f"they were {[round(part, 4) for part in done[-9:]]}",
        )

        def interrupt(event: Any) -> None:
            if not told:
                told.append(event)
                raise KeyboardInterrupt

        told: list[Any] = []
        for name, changes in (
            ("Ctrl-C", {"verbose": interrupt}),
            ("a time limit", {"time_limit": 1e-6}),
        ):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model = self.fit(self.X, **changes)
            rule = "a fit that is stopped keeps the best it has found"
            found, wanted = (np.unique(one.labels_).tolist() for one in (model, self.whole))
            hold(found == wanted, rule, f"clusters after {name} are {found}, and were {wanted}")
            warned = any(issubclass(one.category, InterruptedWarning) for one in caught)
            hold(warned, "a fit that is stopped warns", f"there was no warning after {name}")


def _alike(one: Any, two: Any, rule: str, what: str) -> None:
    """Whether two clusterings are one but for the numbers of clusters."""
    found = ari(one, two)
    hold(found > 1 - 1e-9, rule, f"{what} have an adjusted Rand index of {found:.3f}")


def _forms(X: Any, estimator: Any) -> list[tuple[str, Any]]:
    """The table in all forms, with what each is called."""
    import pandas as pd

    names = [f"w{i}" for i in range(X.shape[1])]
    forms: list[tuple[str, Any]] = [
        ("a list", X.tolist()),
        ("floats", X.astype(np.float64)),
        ("a pandas frame", pd.DataFrame(X, columns=names)),
    ]
    with suppress(ImportError):
        import polars as pl

        forms.append(("a polars frame", pl.DataFrame(X, schema=names)))
    if estimator.__sklearn_tags__().input_tags.sparse:
        kinds: Sequence[Any] = (
            sp.csr_array,
            sp.csr_matrix,
            sp.csc_array,
            sp.coo_array,
            sp.dok_array,
        )
        forms += [(f"a {kind.__name__}", kind(X)) for kind in kinds]
    return forms


def _plain(form: Any) -> Any:
    return form.toarray() if sp.issparse(form) else np.asarray(form)


def _information(model: Any, X: Any) -> float:
    """Weighted information of all edges of the graph that an estimator leaves, by definition."""
    from sklearn.metrics import mutual_info_score

    labels, total = model.modality_labels_, 0.0
    for edge in model.graph_.edges:
        cells = edge.counts.tocoo()
        rows, columns = labels[edge.a][cells.row], labels[edge.b][cells.col]
        shape = int(labels[edge.a].max()) + 1, int(labels[edge.b].max()) + 1
        joined = sp.coo_array((cells.data.astype(float), (rows, columns)), shape=shape).tocsr()
        total += edge.weight * mutual_info_score(None, None, contingency=joined)
    return total
