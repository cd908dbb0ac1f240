"""What papers and posts refer to: values that are items themselves."""

from __future__ import annotations

from dataclasses import replace

from comraf.collection.sides import SideKind
from comraf.collection.sides.lists import plain_key

# So many words are a reference as it is printed, and no key or number of a paper.
_REFERENCE = 3


def _as_it_is(value: str) -> str:
    """Signs tell papers apart: 10.1/a-1 and 10.1/a.1 are two."""
    return " ".join(value.split())


def _key(value: str) -> str:
    return _as_it_is(value) if len(value.split()) < _REFERENCE else plain_key(value)


COCITATIONS = SideKind(
    "cocitations",
    "papers that are cited together with an item",
    key=_as_it_is,
    groups="list",
    from_lists=True,
    items=True,
)
COUPLINGS = replace(COCITATIONS, name="couplings", about="papers that cite the same")
QUESTIONS = replace(COCITATIONS, name="questions", about="questions that a post belongs to")
# who cites whom: clusters of so few counts blur what they say (benchmarks.papers)
CITATIONS = replace(
    COCITATIONS, name="citations", about="what a paper cites", key=_key, observed=True
)
