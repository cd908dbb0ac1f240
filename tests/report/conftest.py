"""A solved sample mailbox for all tests of reports."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from comraf.graph import Graph
from comraf.report import ReportData, report_data
from comraf.results import Result
from tests.report.browser import PROGRAM, Browser, open_page
from tests.report.shelves import Shelf, sample_shelf, solve

Solved = tuple[Shelf, Graph, Result]


@pytest.fixture(scope="session")
def solved() -> Solved:
    """The sample mailbox, its graph and four groups."""
    shelf = sample_shelf()
    graph, result = solve(shelf)
    return shelf, graph, result


@pytest.fixture(scope="session")
def sample_data(solved: Solved) -> ReportData:
    """Everything that its report shows."""
    shelf, graph, result = solved
    return report_data(
        shelf,
        graph,
        result,
        confidence=[0.5 + 0.5 * (i % 7) / 6 for i in range(len(shelf))],
        source="mail/sample.mbox",
        made=datetime(2026, 7, 1, 12, 30),
        warnings=["There may be nothing to find here."],
        audit=[("words", "main", float("nan"), 1.0), ("subjects", "harms", -0.12, 0.9)],
        numbers={"best": 4, "plateaus": [2, 4], "curve": [[2, 0.6], [3, 0.7], [4, 1.0]]},
    )


@pytest.fixture(scope="module")
def browser(report: Path) -> Iterator[Browser]:
    """One browser for all tests."""
    assert PROGRAM is not None
    with open_page(PROGRAM, report) as found:
        yield found


@pytest.fixture
def page(browser: Browser, report: Path) -> Browser:
    """The report in a tab of its own."""
    browser.open(report)
    browser.resize(1280, 900)
    return browser
