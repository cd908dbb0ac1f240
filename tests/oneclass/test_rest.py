"""Documents that are not like the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.oneclass import LTB, OCCC
from comraf.oneclass.rest import LikeTheRest, rest_scores


def folder(seed: int = 0) -> tuple[Any, Any, Any]:
    """Sixty documents of one field, with four topics in it, and three strangers."""
    random = np.random.default_rng(seed)
    m = 600
    general = random.dirichlet(np.full(m, 0.5))
    field, *topics = (random.dirichlet(np.full(m, 0.05)) for _ in range(8))
    kinds = [0, 1, 2, 3] * 15 + [4, 5, 6]
    rows = []
    for kind in kinds:
        about = 0.5 * topics[kind] + 0.5 * (field if kind < 4 else topics[kind])
        rows.append(random.multinomial(random.integers(20, 100), 0.7 * general + 0.3 * about))
    return sp.csr_array(np.array(rows)), general + 1e-6, np.array(kinds) > 3


def test_strangers_come_last() -> None:
    """Nearly all strangers are among the last three; methods for small cores find far fewer."""
    right = {"rest": 0, "ltb": 0, "occc": 0}
    for seed in range(8):
        X, general, strange = folder(seed)
        for name, kind in zip(right, (LikeTheRest, LTB, OCCC), strict=True):
            right[name] += int(strange[kind(60, background=general).fit(X).ranking_[60:]].sum())
    assert right["rest"] >= 20, right
    assert right["rest"] > max(right["ltb"], right["occc"]), right


def test_scores_are_those_of_a_plain_reference() -> None:
    """For each document: the mean log ratio of its words, itself left out."""
    X, general, _ = folder()
    has = (X.toarray() > 0).astype(float)
    used = has.sum(axis=0) > 0
    q = general[used] / general[used].sum()
    expected = []
    for i in range(len(has)):
        others = (has.sum(axis=0) - has[i])[used]
        ratio = others / (has.sum() * q)
        expected.append(np.log(0.05 + 0.95 * ratio)[has[i, used] > 0].mean())
    model = LikeTheRest(60, background=general).fit(X)
    np.testing.assert_allclose(model.scores_, expected)


def test_a_document_is_no_witness_for_itself() -> None:
    """A word that only one document has says the least, however rare it is in general."""
    scores = rest_scores([1, 1, 5], [1e-12, 0.5, 0.5])
    assert scores[0] == scores[1] == pytest.approx(np.log(0.05))
    assert scores[2] > scores[0]


@pytest.mark.parametrize("pi", [0, 1, -0.5, "half"])
def test_bad_pi(pi: Any) -> None:
    """Shares that are none are refused."""
    with pytest.raises(InputError, match="pi="):
        LikeTheRest(2, background="flat", pi=pi).fit(np.eye(4))
