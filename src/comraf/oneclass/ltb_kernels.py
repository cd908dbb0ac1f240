"""The hot loop of LTB's EM: one pass over all tokens, in log space."""

from __future__ import annotations

import math

from comraf.kernels.jit import jit

__all__ = ["pass_over"]


@jit
def pass_over(indptr, indices, data, ratio, pi, base, least, ratios, topical):  # type: ignore[no-untyped-def]
    """Expectations of all documents, and the sums that the next parameters are made of.

    Parameters
    ----------
    indptr, indices, data
        Counts of documents, by rows.  # IN
    ratio
        p_r(w) / p_g(w).  # IN
    pi
        Share of topical words in each document, if it is in the core.  # IN and OUT
    base
        Log odds of being in the core before anything is read.
    least
        How near pi may come to 0 and to 1.
    ratios
        Log of how much likelier each document is in the core than outside.  # OUT
    topical
        Expected number of topical tokens of each word.  # OUT
    """
    topical[:] = 0.0
    for i in range(indptr.shape[0] - 1):
        first, last = indptr[i], indptr[i + 1]
        if first == last:
            ratios[i] = 0.0
            continue
        own = pi[i]
        log_ratio = 0.0
        # Factors are multiplied up as long as they are far from overflow: one logarithm
        # for many words.
        product = 1.0
        beta_sum = 0.0
        length = 0.0
        for p in range(first, last):
            scaled = own * ratio[indices[p]]
            factor = 1.0 - own + scaled
            count = data[p]
            if count == 1.0 and 1e-60 < factor < 1e60:
                product *= factor
                if product > 1e200 or product < 1e-200:
                    log_ratio += math.log(product)
                    product = 1.0
            else:
                log_ratio += count * math.log(factor)
            beta_sum += count * scaled / factor
            length += count
        log_ratio += math.log(product)
        ratios[i] = log_ratio
        odds = base + log_ratio
        if odds >= 0:
            alpha = 1.0 / (1.0 + math.exp(-odds))
        else:
            grown = math.exp(odds)
            alpha = grown / (1.0 + grown)
        if alpha > 0.0:
            for p in range(first, last):
                scaled = own * ratio[indices[p]]
                topical[indices[p]] += alpha * data[p] * scaled / (1.0 - own + scaled)
        pi[i] = min(max(beta_sum / length, least), 1.0 - least)
