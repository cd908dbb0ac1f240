"""A fit for tests that only ask about one."""

from __future__ import annotations

import pytest

import comraf
from comraf.graph import Graph
from comraf.results import Result
from tests.results.solving import one_table, topics


@pytest.fixture(scope="session")
def quick_fit() -> tuple[Graph, Result]:
    """Sixty documents of three topics, found by words."""
    graph = one_table(topics()[0], 3)
    return graph, comraf.Comraf(graph, effort="quick", random_state=0).fit().result_
