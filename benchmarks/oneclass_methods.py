"""Ways of finding a core, by the names of ``benchmarks.oneclass``."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.oneclass_data import Pile
from benchmarks.store import Record
from comraf.errors import InputError

__all__ = ["METHODS", "Method", "measure", "warm"]

Floats = npt.NDArray[np.float64]

# Part of every version: other measures, or other ways of calling estimators, are another.
_RECIPE = 1
# Rows of each trial whose ranks are kept, to compare the rankings of methods.
_KEPT = 60
# Sizes of the word cluster that the unfair choice tries.
_SIZES = 24


@dataclass(frozen=True)
class Method:
    """A way of finding a core.

    Attributes
    ----------
    title : str
        For tables.
    estimator : str
        Class in ``comraf.oneclass``; empty for those that are none.
    settings : dict
        Its options.
    tasks : tuple of str
        Where it can be used; empty for everywhere.
    special : str
        How it is done where a fit of the estimator is not all.
    """

    title: str
    estimator: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()
    special: str = ""

    def version(self) -> str:
        """Changes with the code that does the work."""
        # Not this file: a method that is added must not make the others be measured again.
        digest = hashlib.sha256(
            f"{_RECIPE} {self.special} {sorted(self.settings.items())}".encode()
        )
        if self.estimator:
            import comraf.oneclass as room

            digest.update(version("scikit-learn").encode())
            own = Path(str(sys.modules[getattr(room, self.estimator).__module__].__file__))
            names = [own.name, "base.py", "background.py", "starting.py"]
            names += ["ltb_kernels.py"] if own.name == "ltb.py" else []
            for name in names:
                path = own.parent / name
                digest.update(path.read_bytes() if path.is_file() else b"")
        return digest.hexdigest()[:12]

    def scores(self, pile: Pile, seed: int) -> Floats:
        """A score for each document, higher where it is more like the core."""
        return _SPECIAL[self.special](self, pile, seed)


METHODS = {
    "ltb": Method("LTB", "LTB"),
    "occc": Method("OCCC", "OCCC"),
    "ltb-paper": Method("LTB as published, π = .5", "LTB", {"effort": "paper"}),
    "ltb-paper-pd": Method("LTB as published, π = p_d", "LTB", {"effort": "paper", "pi": "p_d"}),
    "occc-paper": Method("OCCC as published", "OCCC", {"effort": "paper"}),
    "occc-iterative": Method(
        "OCCC as published, iterative", "OCCC", {"effort": "paper", "iterative": True}
    ),
    "occc-best": Method(
        "OCCC as published, best n_words (knows the truth)",
        "OCCC",
        {"effort": "paper"},
        special="best",
    ),
    "max-kl": Method("Max-KL", "MaxKL"),
    "min-entropy": Method("Min-Entropy", "MinEntropy"),
    "centroid": Method("cosine to the centroid", "CentroidCosine"),
    "centroid-tf": Method("cosine to the centroid, no idf", special="plain"),
    "svm": Method("one-class SVM", "SVMCore"),
    "lof": Method("local outlier factor", "LocalOutlierCore"),
    "rate-distortion": Method("one-class rate distortion", "RateDistortion"),
    "ib": Method("one-class information bottleneck", "OneClassIB"),
    "random": Method("random", "RandomCore"),
    "order": Method("the order given", tasks=("ambient",), special="order"),
}


def measure(name: str, pile: Pile, seed: int) -> Record:
    """Find the core and score it: accuracy at the true size, area under the curve, purity.

    Purity is the largest part of the core found that one class has, whichever that is: a clean
    core of the second largest story has a high one.

    Where scores tie, documents keep the order given, which says nothing of the core but in the
    lists of search engines.
    """
    from scipy.stats import rankdata
    from sklearn.metrics import roc_auc_score

    begun = time.perf_counter()
    scores = METHODS[name].scores(pile, seed)
    seconds = time.perf_counter() - begun
    if not np.all(np.isfinite(scores)):
        raise ValueError(f"{int((~np.isfinite(scores)).sum())} scores are not finite")
    k = int(pile.truth.sum())
    core = np.argsort(-scores, kind="stable")[:k]
    found = pile.classes[core]
    purest = np.bincount(found[found >= 0], minlength=1).max() / k
    some = np.random.default_rng(len(scores)).permutation(len(scores))[:_KEPT]
    return {
        "accuracy": round(float(pile.truth[core].mean()), 6),
        "auc": round(float(roc_auc_score(pile.truth, scores)), 6),
        "purity": round(float(purest), 6),
        "seconds": round(seconds, 4),
        "documents": len(scores),
        "core": k,
        # Halves come from ties.
        "ranks": [float(r) if r % 1 else int(r) for r in rankdata(-scores)[some]],
    }


def warm() -> None:
    """Fit a small table by LTB: its compiled code is there before the clock starts."""
    rng = np.random.default_rng(0)
    counts = (rng.random((40, 30)) < 0.3).astype(np.int32)
    words = np.array([f"w{i}" for i in range(30)])
    truth = np.arange(40) < 10
    from scipy.sparse import csr_matrix

    pile = Pile(csr_matrix(counts), words, np.full(30, 1 / 30), truth, truth.astype(np.int64))
    METHODS["ltb"].scores(pile, 0)


def _fit(method: Method, pile: Pile, seed: int) -> Floats:
    import comraf.oneclass as room

    unseen = room.WordFrequencies.unseen
    estimator = getattr(room, method.estimator)(
        int(pile.truth.sum()),
        background=np.where(pile.background > 0, pile.background, unseen),
        random_state=seed,
        **method.settings,
    )
    return np.asarray(estimator.fit(pile.counts).scores_, dtype=np.float64)


def _best_words(method: Method, pile: Pile, seed: int) -> Floats:
    """Scores with the size of the word cluster that the truth likes best."""
    k, found, best = int(pile.truth.sum()), None, -1.0
    for size in np.unique(np.geomspace(1, pile.counts.shape[1], _SIZES).astype(int)).tolist():
        own = Method(method.title, method.estimator, {**method.settings, "n_words": size})
        scores = _fit(own, pile, seed)
        right = float(pile.truth[np.argsort(-scores, kind="stable")[:k]].mean())
        if right > best:
            found, best = scores, right
    if found is None:
        raise InputError("there is no word")
    return found


def _order(method: Method, pile: Pile, seed: int) -> Floats:
    return -np.arange(len(pile.truth), dtype=np.float64)


def _plain_centroid(method: Method, pile: Pile, seed: int) -> Floats:
    """Cosine with the sum of all counts: good where the core's words are frequent ones."""
    from sklearn.preprocessing import normalize

    counts = pile.counts.astype(np.float64)
    total = np.asarray(counts.sum(axis=0)).ravel()
    return np.asarray(normalize(counts) @ (total / max(np.linalg.norm(total), 1e-300)))


_SPECIAL: dict[str, Callable[[Method, Pile, int], Floats]] = {
    "": _fit,
    "best": _best_words,
    "order": _order,
    "plain": _plain_centroid,
}
