"""An estimator that breaks a rule is told so; ours are checked beside their other tests."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from comraf import SequentialIB
from comraf.checks import check_estimator, expected_failures
from comraf.errors import RuleError


def test_estimators_of_others_keep_the_rules() -> None:
    """There is nothing of comraf's that they must have."""
    model = KMeans(4, n_init=2)
    inertia = lambda fitted, X: fitted.inertia_  # noqa: E731
    check_estimator(model, exact=False, objective=inertia)
    assert "check_clustering" not in expected_failures(model)


class Spoilt(SequentialIB):
    """A good estimator that is spoilt after the fit."""

    mistake = ""

    def fit(self, X, y=None, **known):
        super().fit(X, y, **known)
        match self.mistake:
            case "seed":
                self.labels_ = np.random.default_rng().permutation(self.labels_)
            case "jobs" if self.n_jobs == 2:
                self.labels_ = self.labels_[::-1]
            case "lists" if isinstance(X, list):
                self.labels_ = self.labels_[::-1]
            case "written" if isinstance(X, np.ndarray) and X.dtype == float:
                X[0, 0] = 9
            case "order":
                self.labels_ = np.arange(len(self.labels_), dtype=np.int32) % 4
            case "objective":
                self.objective_ += 0.01
            case "gaps":
                self.labels_ = self.labels_ * 2
            case "floats":
                self.labels_ = self.labels_ / 1.0
            case "stopped" if self.result_.interrupted:
                self.labels_ = 0 * self.labels_
        return self

    def fit_predict(self, X, y=None, **known):
        labels = self.fit(X, y, **known).labels_
        return labels[::-1] if self.mistake == "fit_predict" else labels

    def predict(self, X):
        return 0 * self.labels_ if self.mistake == "predict" else self.labels_


@pytest.mark.parametrize(
    ("mistake", "rule"),
    [
        ("seed", "same seed gives the same answer|fit_predict"),
        ("jobs", "the same seed gives the same answer whatever n_jobs: labels_ in two jobs"),
        ("lists", "all forms of a table have one answer: labels_ of a list differ at"),
        ("written", "nothing that is given is changed: floats"),
        ("order", "rows in another order are grouped the same.*adjusted Rand index of"),
        ("objective", r"objective_ is that of the answer: it is \d"),
        ("gaps", r"whole numbers from 0 on, one a row: they are \[0, 2, 4, 6\]"),
        ("floats", "they are float64"),
        ("fit_predict", "fit_predict gives the labels of a fit"),
        ("predict", "rows of the fit are predicted where they are"),
        ("stopped", "a fit that is stopped keeps the best"),
    ],
)
def test_an_estimator_that_breaks_a_rule_is_told(
    mistake: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a sentence that says how."""
    monkeypatch.setattr(Spoilt, "mistake", mistake)
    with pytest.raises(RuleError, match=rule):
        check_estimator(Spoilt(4, n_restarts=2))
