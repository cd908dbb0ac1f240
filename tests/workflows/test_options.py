"""Options of workflows: the engine's words, one help for all front doors."""

from __future__ import annotations

import inspect
import math
import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import comraf
from comraf.collection.tables import FORMATS
from comraf.collection.vision.codebooks import CODEBOOKS
from comraf.errors import ComrafError, InputError, ReadError
from comraf.estimators._graphs import DIRECTIONS
from comraf.graph import EDGE_RULES, WEIGHTINGS, load_graph
from comraf.graph.model import Direction
from comraf.inference import EFFORTS, METHODS, SCHEDULES, UPDATES
from comraf.inference.merging import MERGE_COSTS
from comraf.inference.moves import MOVES
from comraf.select import audit, choose, how_many, structure
from comraf.supervision import SCHEMES
from comraf.workflows.ask import AskOptions
from comraf.workflows.cluster import ClusterOptions
from comraf.workflows.compare import CompareOptions
from comraf.workflows.evaluate import EvaluateOptions
from comraf.workflows.explain import ExplainOptions
from comraf.workflows.interactive import InteractiveOptions
from comraf.workflows.options import checked, describe
from comraf.workflows.organize import OrganizeOptions
from comraf.workflows.place import PlaceOptions
from comraf.workflows.search import Searching
from comraf.workflows.select import SelectOptions
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
    "blobs_by": tuple(CODEBOOKS),
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
            known = METHODS if field.name == "method" and issubclass(options, Searching) else ()
            known = known or WORDS.get(field.name, words)
            assert words == set(known), field.name


TEXTS = [
    {
        "id": str(i),
        "body": f"{'pump valve leak' if i % 2 else 'tea cake spoon'} word{i % 5} and more",
    }
    for i in range(30)
]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n_clusters": 0}, "n_clusters=0 is not possible; give a whole number, 1 or more"),
        ({"n_clusters": "3"}, "n_clusters='3' is not possible; give a whole number, 1 or more"),
        ({"n_clusters": True}, "n_clusters=True is not possible; give a whole number, 1 or more"),
        ({"n_runs": 5000}, "n_runs=5000 is not possible; give a whole number, from 1 to 1000"),
        ({"max_share": math.nan}, "max_share=nan is not possible; give a number, from 0 to 1"),
        ({"effort": "fast"}, "effort='fast' is unknown; choose one of ['quick', 'default', "),
        ({"labels_as": "hints"}, "labels_as='hints' is unknown; choose one of ['intrinsic', "),
        ({"balance": "no"}, "balance='no' is not possible; give True or False"),
        ({"by": 3}, "by=3 is not possible; give a list"),
        ({"by": ()}, "by names no side; there are words"),
        ({"by": "wrods"}, "by='wrods': the collection has no side 'wrods'; did you mean 'words'?"),
        ({"checkpoint": 5}, "checkpoint=5 is no path"),
        ({"clusters": 3}, "organize() has no parameter 'clusters'; did you mean 'n_clusters'?"),
        ({"seed": 3}, "organize() has no parameter 'seed'; did you mean 'random_state'?"),
        ({"zzz": 3}, "organize() has no parameter 'zzz'"),
    ],
)
def test_what_the_command_line_refuses_is_refused(given: dict[str, Any], said: str) -> None:
    """By the same limits and words, in those of Python."""
    pd = pytest.importorskip("pandas")
    with pytest.raises(ComrafError, match="^" + re.escape(said)) as caught:
        comraf.organize(pd.DataFrame(TEXTS), **{"effort": "quick"} | given)
    assert isinstance(caught.value, TypeError if "has no parameter" in said else ValueError)


def test_what_python_gives_in_its_own_ways() -> None:
    """Numbers of NumPy's, one name, names with commas, paths as text, None for what is usual."""
    given = OrganizeOptions(
        n_clusters=np.int64(3),  # type: ignore[arg-type]
        by="words,people",
        max_share=1,
        checkpoint="kept",  # type: ignore[arg-type]
        n_jobs=None,  # type: ignore[arg-type]
        random_state=None,  # type: ignore[arg-type]
        labels={"a": "sport"},  # type: ignore[arg-type]
        text="Price, £",
    )
    options = checked(given)
    assert (options.by, options.checkpoint, options.n_jobs) == (
        ("words", "people"),
        Path("kept"),
        1,
    )
    assert (type(options.n_clusters), type(options.max_share)) == (int, float)
    assert (options.random_state, options.labels) == (None, {"a": "sport"})
    assert options.text == "Price, £"
    assert checked(OrganizeOptions(by="words")).by == ("words",)
    assert checked(plain := OrganizeOptions()) is plain


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_organised(library: str) -> None:
    """Of either library, into the same groups; a number that is twice there is refused."""
    frame = pytest.importorskip(library).DataFrame(TEXTS)
    with comraf.organize(frame, 2, effort="quick", by="words") as answer:
        assert list(answer.items) == [str(i) for i in range(30)]
        assert len(set(answer.labels_[::2])) == len(set(answer.labels_[1::2])) == 1
    with pytest.raises(TypeError, match="multiple values"):
        comraf.organize(frame, 2, n_clusters=3)
    with pytest.raises(InputError, match="n_clusters=0 is not"):
        comraf.organize(frame, 0)


def test_places_with_nothing_in_them(tmp_path: Path) -> None:
    """A path that is not there, an empty folder."""
    with pytest.raises(ReadError, match="There is nothing at"):
        comraf.organize(tmp_path / "nowhere")
    with pytest.raises(ReadError, match="is empty"):
        comraf.organize(str(tmp_path))


def test_python_and_the_terminal_weigh_counts_alike() -> None:
    """Estimators, questions and commands have one default, whatever they are called from."""
    public = {getattr(comraf, name) for name in comraf.__all__} - {comraf.Edge}  # that takes counts
    asks = [
        one for one in public if callable(one) and "weighting" in inspect.signature(one).parameters
    ]
    asks += [audit, choose, how_many, structure, load_graph]
    told = [inspect.signature(one).parameters["weighting"].default for one in asks]
    told += [one().weighting for one in (OrganizeOptions, SelectOptions, InteractiveOptions)]
    assert {*told, ClusterOptions().resolved().weighting} == {"root_rows"}
    assert len(told) > 12
