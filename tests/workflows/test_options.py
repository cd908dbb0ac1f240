"""Options of workflows: the engine's words, one help for all front doors."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from comraf.collection.tables import FORMATS
from comraf.estimators._graphs import DIRECTIONS
from comraf.graph import EDGE_RULES, WEIGHTINGS
from comraf.graph.model import Direction
from comraf.images.tables import BLOBS_BY
from comraf.inference import EFFORTS, SCHEDULES, UPDATES
from comraf.inference.merging import MERGE_COSTS
from comraf.inference.moves import MOVES
from comraf.supervision import SCHEMES
from comraf.workflows.ask import AskOptions
from comraf.workflows.cluster import METHODS, ClusterOptions
from comraf.workflows.compare import CompareOptions
from comraf.workflows.evaluate import EvaluateOptions
from comraf.workflows.explain import ExplainOptions
from comraf.workflows.options import describe
from comraf.workflows.organize import OrganizeOptions
from comraf.workflows.place import PlaceOptions
from comraf.workflows.taxonomy import TaxonomyOptions

ALL = [
    AskOptions,
    ClusterOptions,
    CompareOptions,
    EvaluateOptions,
    ExplainOptions,
    OrganizeOptions,
    PlaceOptions,
    TaxonomyOptions,
]
WORDS: dict[str, Any] = {
    "weighting": WEIGHTINGS,
    "edge_weights": EDGE_RULES,
    "effort": EFFORTS,
    "moves": MOVES,
    "schedule": (*SCHEDULES, *DIRECTIONS),
    "merge_cost": MERGE_COSTS,
    "format": FORMATS,
    "labels_as": SCHEMES,
    "updates": UPDATES,
    "direction": get_args(Direction),
    "blobs_by": BLOBS_BY,
}


def words_of(kind: Any) -> set[str]:
    """The words of a Literal, within a union or not."""
    found = [part for part in get_args(kind) if isinstance(part, str)]
    return set(found).union(*(words_of(part) for part in get_args(kind) if get_args(part)))


@pytest.mark.parametrize("options", ALL)
def test_choices_are_the_engines(options: type) -> None:
    """The words that options take are those that the engine knows."""
    for field in describe(options):
        if words := words_of(field.kind):
            known = METHODS if (options, field.name) == (ClusterOptions, "method") else ()
            known = known or WORDS.get(field.name, words)
            assert words == set(known), field.name


@pytest.mark.parametrize("options", ALL)
def test_every_option_says_what_it_means(options: type) -> None:
    """The docstring of the class is the help of the command."""
    for field in describe(options):
        assert field.help.endswith((".", ".csv", "groups", "2")), field.name
        assert all(flag.startswith("-") for flag in field.flags)
