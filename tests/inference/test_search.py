"""How much of the work each step is taken for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from comraf.graph import Edge, Graph, Node
from comraf.inference import (
    CliquewiseOptions,
    MDCOptions,
    Problem,
    SequentialOptions,
    run_cliquewise,
    run_sequential,
)
from comraf.inference.control import Control
from comraf.inference.itcc import ITCCOptions, run_itcc
from comraf.inference.search import Search
from comraf.progress import Event


class Watched(Control):
    """Keeps what was told of each step, without what is set right in the end."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[float] = []

    def advance(self, share: float, make: Callable[[float], Event]) -> None:
        """Note the share."""
        self.parts.append(share)
        super().advance(share, make)

    def add(self, share: float) -> None:
        """Note the share."""
        self.parts.append(share)
        super().add(share)


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Rows of three topics and their columns."""
    rng = np.random.default_rng(0)
    topic = np.arange(600)[:, None] % 3 == np.arange(90)[None, :] % 3
    nodes = [Node("rows", n_clusters=3), Node("columns", direction="top-down", n_clusters=6)]
    return Graph(nodes, [Edge("rows", "columns", rng.poisson(np.where(topic, 0.9, 0.2)) + 0)])


def test_joining_counts_as_work(graph: Graph) -> None:
    """Merging singletons looks at all pairs of them: it is no free part of its step."""
    control = Watched()
    search = Search(Problem(graph), MDCOptions(), 1, control)
    first = next(i for i, step in enumerate(search.steps) if step.action == "merge")
    assert 0.2 < search.joining[first] < 0.8
    assert sum(search.shares) == pytest.approx(1.0)
    assert search.run(np.random.SeedSequence(0))
    # nothing stands still for long, and little has to be set right
    assert 0.7 < sum(control.parts) <= 1.0 + 1e-9


@pytest.mark.parametrize("method", ["sequential", "itcc", "cliquewise"])
def test_restarts_that_settle_early_are_not_taken_for_the_first_hundredth(
    graph: Graph, method: str
) -> None:
    """When a restart settles, most of it has been told already: limits are no forecast."""
    control = Watched()
    run = {
        "sequential": lambda *a: run_sequential(a[0], SequentialOptions(n_restarts=4), *a[1:]),
        "itcc": lambda *a: run_itcc(a[0], ITCCOptions(n_restarts=4), *a[1:]),
        "cliquewise": lambda *a: run_cliquewise(a[0], CliquewiseOptions(n_restarts=4), *a[1:]),
    }[method]
    run(Problem(graph), np.random.SeedSequence(0), 1, control)
    # the largest jump is what was missing at the end of a restart, of a quarter each
    assert max(control.parts) < 0.62 / 4
