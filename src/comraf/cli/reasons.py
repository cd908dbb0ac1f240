"""Why a document does not belong to the rest, in a few words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["FAR", "NO_TOPIC", "NO_WORDS", "Stray", "distances", "strays"]

NO_WORDS = "no words"
NO_TOPIC = "no topical word"
_FOREIGN = "{:.0%} foreign words"
_MOST = 8
#: Deviations below the median from which a document is taken to be foreign.
FAR = 1.75
# Of a normal distribution, the median deviation is this much smaller than the standard one.
_NORMAL = 1.4826
# The words that say what a collection is about, as far as anybody would name them.
_TOPICAL = 100


@dataclass(frozen=True)
class Stray:
    """A document that does not belong.

    Attributes
    ----------
    row : int
        Which one.
    score : float
        How much it is like the rest, by the method.
    distance : float
        How many deviations this is below the median of all.
    reason : str
        "no words", "no topical word", or how many of its words are foreign to the rest.
    words : tuple of str
        The foreign words that say most, at most eight.
    """

    row: int
    score: float
    distance: float
    reason: str
    words: tuple[str, ...]


def distances(scores: Any) -> Any:
    """How far below the median each score is, in deviations that strangers can't widen.

    The deviation is the median one, as of a normal distribution; the standard deviation where
    more than half of the scores are the same; all distances are 0 where all scores are.

    Examples
    --------
    >>> distances([5.0, 4.0, 6.0, -10.0]).round(1).tolist()
    [-0.3, 0.3, -1.0, 9.8]
    """
    import numpy as np

    values = np.asarray(scores, dtype=np.float64)
    middle = np.median(values)
    width = _NORMAL * np.median(np.abs(values - middle)) or values.std()
    return (middle - values) / width if width > 0 else np.zeros(len(values))


def strays(
    model: Any,
    counts: Any,
    words: Sequence[str],
    background: Any,
    number: int,
    about: Sequence[object] | None = None,
) -> list[Stray]:
    """The last of a ranking, with reasons.

    A word is foreign in a document where the others use it no more than is usual in general.
    Of these, the ones that are rare in general and frequent in the document say most.

    Parameters
    ----------
    model : OneClassBase
        Fitted.
    counts : csr_array
        What it was fitted to.
    words : sequence of str
        Names of its columns.
    background : Background
        How frequent they are in general.
    number : int
        How many documents don't belong.
    about : sequence, optional
        What the rest is about; the model's topical words by default.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from comraf.oneclass import flat_background
    >>> from comraf.oneclass.rest import LikeTheRest
    >>> X = sp.csr_array(np.array([[1, 1, 0], [1, 1, 0], [1, 1, 0], [0, 0, 2]]))
    >>> model = LikeTheRest(3, background="flat").fit(X)
    >>> strays(model, X, ["sea", "ship", "tea"], flat_background, 1)[0].words
    ('tea',)
    """
    import numpy as np

    from comraf.oneclass.background import background_shares

    spread = np.bincount(counts.indices, minlength=counts.shape[1])
    used = np.flatnonzero(spread)
    general = np.ones(counts.shape[1])
    if len(used):
        shares, unseen = background_shares(background, len(used), [words[j] for j in used.tolist()])
        smooth = np.where(shares > 0, shares, unseen)
        general[used] = smooth / smooth.sum()
    ratio = np.maximum(spread - 1, 0) / np.maximum(spread.sum() * general, 1e-300)
    given = model.topical_words_ if about is None else about
    topical = {str(word) for word in given[:_TOPICAL]}
    far = distances(model.scores_)
    out = []
    for row in model.ranking_[::-1][:number].tolist():
        part = slice(counts.indptr[row], counts.indptr[row + 1])
        mine, often = counts.indices[part], counts.data[part]
        foreign = ratio[mine] <= 1
        says = often * -np.log(general[mine])
        best = mine[foreign][np.argsort(-says[foreign], kind="stable")][:_MOST]
        if not len(mine):
            reason = NO_WORDS
        elif topical and not topical & {words[j] for j in mine.tolist()}:
            reason = NO_TOPIC
        else:
            reason = _FOREIGN.format(foreign.mean())
        telling = tuple(words[j] for j in best.tolist())
        out.append(Stray(row, float(model.scores_[row]), float(far[row]), reason, telling))
    return out
