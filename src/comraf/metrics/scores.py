"""Precision, recall and F: what the measures over pairs and over a core have in common."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PrecisionRecallF", "ratios"]


class PrecisionRecallF(NamedTuple):
    """Precision, recall and their harmonic mean.

    Examples
    --------
    >>> PrecisionRecallF(1.0, 0.5, 2 / 3).recall
    0.5
    """

    precision: float
    recall: float
    f: float


def ratios(right: int, answered: int, wanted: int) -> PrecisionRecallF:
    """Precision, recall and F out of three whole numbers.

    Where nothing was answered or nothing was wanted the ratio has no value: it counts as 0, or
    as 1 where both are nothing, for then there was nothing to get wrong.

    Examples
    --------
    >>> ratios(right=2, answered=4, wanted=2)
    PrecisionRecallF(precision=0.5, recall=1.0, f=0.6666666666666666)
    """
    if answered == 0 and wanted == 0:
        return PrecisionRecallF(1.0, 1.0, 1.0)
    precision = right / answered if answered else 0.0
    recall = right / wanted if wanted else 0.0
    # The harmonic mean of right/answered and right/wanted, without dividing zero by zero.
    return PrecisionRecallF(precision, recall, 2 * right / (answered + wanted))
