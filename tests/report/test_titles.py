"""Values as people read them."""

from __future__ import annotations

from types import SimpleNamespace as Record
from typing import Any

from comraf.report.titles import item_titles, titled_clusters, value_titles
from comraf.results.contributions import Cluster

CITED = ("https://doi.org/10.1/x", "W2", "http://dx.doi.org/10.1/Y", "https://doi.org/", "z")
PAPERS: Any = Record(
    ids=("https://openalex.org/W2", "b"),
    titles=("On pumps " * 20, ""),
    sides={"citations": Record(values=CITED), "words": Record(values=("https://doi.org/w",))},
    tables={"citations": None, "words": None, "neighbours": None},
)


def test_cited_papers_go_by_their_titles_others_without_their_host() -> None:
    """Short titles; words stay as they are, and neighbours are documents."""
    shown = value_titles(PAPERS)
    assert shown["citations"][0] == "10.1/x"
    assert shown["citations"][1].startswith("On pumps On pumps")
    assert len(shown["citations"][1]) <= 70
    assert list(shown["citations"][2:]) == ["10.1/Y", "https://doi.org/", "z"]
    assert shown["words"] == ("https://doi.org/w",)
    assert shown["neighbours"] == [shown["citations"][1], "b"]


def test_groups_are_told_by_what_is_shown() -> None:
    """Strengths stay, and so do sides that need no other names."""
    group = Cluster(0, 2, 1.0, {"citations": [("W2", 0.5)], "words": [("W2", 0.1)]})
    (told,) = titled_clusters([group], PAPERS)
    assert told.telling["citations"][0][0].startswith("On pumps")
    assert told.telling["citations"][0][1] == 0.5
    assert told.telling["words"] == [("W2", 0.1)]


def test_documents_without_a_title_go_by_their_id() -> None:
    """Where there are ids at all."""
    assert item_titles(PAPERS)[1] == "b"
    assert item_titles(Record(titles=["", "x"])) == ["", "x"]
