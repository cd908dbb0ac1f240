"""The registry of methods: entries keep their word, and organizers search by any of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import comraf
from comraf.collection.sample import sample_tables
from comraf.errors import InputError
from comraf.inference import METHODS, ITCCOptions
from comraf.workflows.search import Search

DOCS = Path(__file__).parents[2] / "docs"
TABLES = sample_tables(n_messages=120).by_name()
MAILBOX = SimpleNamespace(tables=TABLES)
#: What an estimator of tables takes to search as an Organizer does.
LIKE = {
    "mdc": (comraf.MDC, {}),
    "cliquewise": (comraf.CliquewiseMDC, {"passes": 2.0}),
    "itcc": (comraf.ITCC, {}),
    "sequential": (comraf.SequentialIB, {}),
    "agglomerative": (comraf.AgglomerativeIB, {}),
    "ib": (comraf.ComrafStar, {"edge_weights": "root_mass", "effort": "default"}),
}


def test_every_line_of_the_registry_keeps_its_word() -> None:
    """Methods are called as their lines say, have defaults for all options, and are in the docs."""
    docs = (DOCS / "concepts/methods.md").read_text("utf-8")
    for name, method in METHODS.items():
        assert method.name == name
        assert not method.estimator or method.estimator in comraf.__all__
        assert method.made({}) == method.made(method.defaults)
        assert f"`{name}`" in docs


@pytest.mark.parametrize("name", LIKE)
def test_organizers_find_what_estimators_find(name: str) -> None:
    """On the same tables, with the same seed; methods of items alone observe all sides."""
    model, options = LIKE[name]
    organizer = comraf.Organizer(6, method=name, random_state=1).fit(MAILBOX)
    same = model(6, random_state=1, **options).fit(TABLES)
    np.testing.assert_array_equal(organizer.labels_, same.labels_)
    assert organizer.result_.objective == pytest.approx(same.objective_, abs=1e-12)
    hidden = {node.name for node in organizer.graph_.nodes if node.hidden}
    assert hidden == {"documents", *(TABLES if METHODS[name].sides else ())}
    assert organizer.predict({"words": TABLES["words"][:3]}).shape == (3,)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_takes_a_seed_and_jobs(name: str) -> None:
    """They are for all, so they are no options that a method might not look at."""
    Search(method=name, random_state=1, n_jobs=2).check_method()


def test_a_method_of_ones_own() -> None:
    """A method need not be in the registry, and may be one of it with other defaults."""
    one_by_one = replace(METHODS["itcc"], options=partial(ITCCOptions, updates="sequential"))
    own = comraf.Organizer(6, method=one_by_one, random_state=1).fit(MAILBOX)
    same = comraf.ITCC(6, updates="sequential", random_state=1).fit(TABLES)
    np.testing.assert_array_equal(own.labels_, same.labels_)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "kmeans"}, "method='kmeans' is unknown; choose one of"),
        ({"method": "itcc", "effort": "quick"}, "effort has no meaning for method='itcc'"),
        ({"method": "ib", "schedule": "reverse"}, "schedule has no meaning for method='ib'; .*mdc"),
        ({"method": "cliquewise", "checkpoint": "x"}, "checkpoint has no meaning .* mdc, ib"),
    ],
)
def test_what_a_method_does_not_look_at_is_refused(given: dict[str, str], said: str) -> None:
    """By the estimator and before anything is read by the workflow."""
    with pytest.raises(InputError, match=said):
        comraf.Organizer(3, **given).fit(MAILBOX)
    with pytest.raises(InputError, match=said):
        comraf.organize("nowhere", 3, **given)


def test_pairs_and_seeds_are_heeded_or_refused() -> None:
    """No method passes over what is known in silence."""
    apart = {"cannot_link": [(0, 1)]}
    for name in METHODS:
        organizer = comraf.Organizer(6, method=name, random_state=1)
        if name in ("itcc", "agglomerative"):
            with pytest.raises(InputError, match="can't look at pairs"):
                organizer.fit(MAILBOX, **apart)
        else:
            labels = organizer.fit(MAILBOX, **apart).labels_
            assert labels[0] != labels[1]
    seeds = comraf.Organizer(6, method="agglomerative", labels_as="seeds")
    with pytest.raises(InputError, match="seeds; use the method mdc or ib"):
        seeds.fit(MAILBOX, labels={0: "a", 1: "b"})
