"""What does not belong: a newsgroup with a few messages of others, and who finds those.

::

    python -m benchmarks.strays --data DIR
    python -m benchmarks.strays --data DIR --draws 5 --strays 30

Of 300 messages all but 15 are of one group; a method is told that there are 15, and scored by how
many of the 15 that it takes to belong least are strays.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.harness import given_folder, mean_error, parser_of, print_table, run
from benchmarks.oneclass_data import Pile, Source, Trial, prepare, source_at

__all__ = ["draw", "main", "precision"]

#: Estimators of ``comraf.oneclass``, with their options.
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "LikeTheRest (the command's default)": ("LikeTheRest", {}),
    "Max-KL": ("MaxKL", {}),
    "OCCC": ("OCCC", {}),
    "LTB": ("LTB", {}),
    "local outlier factor": ("LocalOutlierCore", {}),
    "cosine to the centroid": ("CentroidCosine", {}),
    "random": ("RandomCore", {}),
}


def draw(source: Source, group: int, seed: int, size: int, strays: int) -> Trial:
    """Messages of a group and a few of others, shuffled."""
    rng = np.random.default_rng([group, seed, size, strays])
    own = rng.choice(np.flatnonzero(source.truth == group), size - strays, replace=False)
    other = rng.choice(np.flatnonzero(source.truth != group), strays, replace=False)
    rows = rng.permutation(np.concatenate([own, other]))
    return Trial(f"{source.names[group]} {seed}", tuple(rows.tolist()), group)


def precision(name: str, pile: Pile, seed: int) -> float:
    """Share of strays among those that a method puts last."""
    import comraf.oneclass as room

    kind, settings = METHODS[name]
    strays = int((~pile.truth).sum())
    model = getattr(room, kind)(
        len(pile.truth) - strays, background=pile.background, random_state=seed, **settings
    )
    ranking = model.fit(pile.counts).ranking_
    return float((~pile.truth[ranking[-strays:]]).mean())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = parser_of("strays", __doc__, "data", "cache", draws=3)
    add = parser.add_argument
    add("--size", type=int, default=300, metavar="N", help="messages; default 300")
    add("--strays", type=int, default=15, metavar="N", help="of them; default 15")
    return run(parser, arguments, _measure)


def _measure(given: argparse.Namespace) -> None:
    source = source_at(str(prepare("newsgroups", given_folder(given.data), given.cache)))
    piles = [
        Pile.cut(source, draw(source, group, seed, given.size, given.strays))
        for group in range(len(source.names))
        for seed in range(given.draws)
    ]
    print(f"{len(piles)} folders of {given.size} messages with {given.strays} strays.\n")
    rows = (
        (name, mean_error([precision(name, pile, seed) for seed, pile in enumerate(piles)]))
        for name in METHODS
    )
    print_table(["method", f"precision at {given.strays}"], rows)


if __name__ == "__main__":
    sys.exit(main())
