"""A small made-up circle for all tests of appearances."""

from __future__ import annotations

import pytest

from comraf.appearances import Evidence, gather
from tests.workflows.appearances.sailing import circle


@pytest.fixture(scope="session")
def sailors() -> Evidence:
    """The circle with what is known about it."""
    return gather(circle())
