"""scikit-learn's own checks, and those of comraf.checks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from comraf import MDC, ComrafStar, SequentialIB
from comraf.checks import check_estimator, expected_failures


@parametrize_with_checks(
    [MDC(), SequentialIB(n_restarts=2)], expected_failed_checks=expected_failures
)
def test_check_estimator(estimator, check):
    """Every check of scikit-learn that does not feed negative numbers passes."""
    check(estimator)


@pytest.mark.parametrize(
    "estimator", [MDC(4), SequentialIB(4), MDC(4, effort="quick", n_restarts=3), ComrafStar(4)]
)
def test_the_rules_are_kept(estimator):
    """What scikit-learn does not ask: forms, seeds, threads, order, objective, Ctrl-C."""
    check_estimator(estimator)


WORDS = [f"w{i}" for i in range(12)]
ROWS = [f"r{i}" for i in range(9)]


def frame(n=9):
    """A small table with names for rows and columns."""
    rng = np.random.default_rng(0)
    rate = np.where((np.arange(n) % 3)[:, None] == (np.arange(12) % 3)[None, :], 4.0, 0.2)
    return pd.DataFrame(rng.poisson(rate), columns=WORDS, index=ROWS[:n])


def test_shares_as_a_frame_with_the_index_of_the_input():
    """set_output gives pandas or polars with names of clusters; pandas keeps the index."""
    model = MDC(3, random_state=0).fit(frame())
    assert model.get_feature_names_out().tolist() == ["mdc0", "mdc1", "mdc2"]
    plain = model.transform(frame())
    out = clone(model).set_output(transform="pandas").fit_transform(frame())
    assert out.index.tolist() == ROWS
    assert out.columns.tolist() == ["mdc0", "mdc1", "mdc2"]
    assert_array_equal(out.to_numpy(), plain)
    out = model.set_output(transform="polars").transform(frame())
    assert isinstance(out, pl.DataFrame)
    assert out.columns == ["mdc0", "mdc1", "mdc2"]
    several = MDC(3, random_state=0).fit({"words": frame(), "people": frame()})
    out = several.set_output(transform="pandas").transform({"words": frame(), "people": frame()})
    assert out.index.tolist() == ROWS
    assert out.columns.tolist() == ["mdc0", "mdc1", "mdc2"]


def test_names_and_numbers_of_features():
    """n_features_in_ and feature_names_in_ as scikit-learn has them, anew with each fit."""
    model = MDC(3, random_state=0).fit(frame())
    assert model.n_features_in_ == 12
    assert model.feature_names_in_.tolist() == WORDS
    model.fit({"a": frame(), "b": frame().to_numpy()})
    assert model.n_features_in_ == 24
    assert not hasattr(model, "feature_names_in_")
    assert model.table_columns_ == {"a": tuple(WORDS), "b": None}
    model.fit(frame().to_numpy())
    assert not hasattr(model, "table_columns_")


def test_a_pipeline_predicts():
    """Text in, groups out, for texts that were not there when the pipeline was fitted."""
    texts = ["the sea and the ship", "a ship at sea", "court and judge", "the judge at court"]
    pipeline = make_pipeline(CountVectorizer(stop_words="english"), MDC(2, random_state=0))
    labels = pipeline.fit(texts).predict(["a judge", "ship ship pizza"])
    assert labels[0] != labels[1]
    assert_array_equal(pipeline.predict(texts), pipeline[-1].labels_)
    assert pipeline.transform(texts).shape == (4, 2)


def test_sample_weights_are_routed():
    """With metadata routing a pipeline hands weights to the model that asks for them."""
    weights = np.array([3, 0, 1, 1, 1, 1, 1, 1, 1])
    with config_context(enable_metadata_routing=True):
        asking = MDC(3, random_state=0).set_fit_request(sample_weight=True)
        routed = make_pipeline(asking).fit(frame(), sample_weight=weights)[-1]
        plain = MDC(3, random_state=0).fit(frame(), sample_weight=weights)
        assert routed.objective_ == plain.objective_
        assert_array_equal(routed.labels_, plain.labels_)
        silent = make_pipeline(MDC(3, random_state=0))
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            silent.fit(frame(), sample_weight=weights)
