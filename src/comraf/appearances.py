"""Web appearances: which pages are about the people of one circle, and not their namesakes.

Examples
--------
>>> from comraf.appearances import Page, find_appearances
>>> pages = [
...     Page("ann/1", "Ann", "boat race on the sea", links=("http://sail.org/club",)),
...     Page("bob/1", "Bob", "sea and harbour race", links=("http://sail.org/club",)),
...     Page("bob/2", "Bob", "bread recipe with butter"),
...     Page("ann/2", "Ann", "butter and bread"),
... ]
>>> find_appearances(pages, method="links", n_core=2).core.tolist()
[0, 1]
"""

from __future__ import annotations

from comraf.collection.text.addresses import POPULAR_HOSTS
from comraf.workflows.appearances.evidence import Evidence, gather
from comraf.workflows.appearances.methods import METHODS, Appearances, core_size, find_appearances
from comraf.workflows.appearances.pages import Page, Reading, read_pages

__all__ = [
    "METHODS",
    "POPULAR_HOSTS",
    "Appearances",
    "Evidence",
    "Page",
    "Reading",
    "core_size",
    "find_appearances",
    "gather",
    "read_pages",
]
