"""New items into a fit: any side of any graph, columns by name, and growing with ids kept."""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from comraf import MDC, Comraf, Edge, Graph, Node
from comraf.collection.sample import sample_tables
from comraf.errors import GraphError, InputError, UnseenWarning
from comraf.estimators.organizer import Organizer
from comraf.results.placement import counts_by_side
from comraf.results.scorer import Scorer
from tests.strategies import brute_information, brute_objective, seeds


def topics(n=60, m=40, k=4, seed=0, strength=2.5):
    """Counts of n rows over m columns in k topics, and the topic of each row."""
    rng = np.random.default_rng(seed)
    rows, columns = np.arange(n) % k, np.arange(m) % k
    return rng.poisson(np.where(rows[:, None] == columns[None, :], strength, 0.3)), rows


X, TOPIC = topics()
PEOPLE, _ = topics(m=12, seed=1)
NAMES = [f"w{i}" for i in range(X.shape[1])]
FRAME = pd.DataFrame(X, columns=NAMES, index=[f"d{i}" for i in range(len(X))])


@cache
def whole() -> MDC:
    """A fit to the table."""
    return MDC(4, random_state=0).fit(X)


@cache
def by_name() -> MDC:
    """A fit to the table with names."""
    return MDC(4, random_state=0).fit(FRAME)


@given(seeds, st.sampled_from(["root_rows", "raw", "binary", "log", "equal_rows"]))
@settings(max_examples=15)
def test_rows_of_the_fit_keep_their_clusters(seed, weighting):
    """Wherever no move would better the fit, a row of it gets its own cluster as a new one."""
    table, _ = topics(strength=0.8, seed=seed % 1000)
    for effort in ("quick", "paper"):
        # clusters that were joined in the end don't settle after that
        model = MDC(
            4, effort=effort, sizes="even", weighting=weighting, random_state=seed % 1000
        ).fit(table)
        single = [name for name, side in model.sides_.items() if side.single]
        assert single == (["columns"] if effort == "quick" else [])
        labels = model.result_.labels
        shrink = max(side.shrink for side in model.sides_.values())
        assert (shrink > 0) == (effort == "quick")  # polished rows settle in the end
        k = model.result_.n_clusters
        sides, counts = counts_by_side(
            model.graph_, labels, k, "rows", single=single, shrink=shrink
        )
        plain = {n: replace(side, weighting="raw", units=1.0) for n, side in sides.items()}
        still = Scorer(plain).place(counts, own=labels["rows"]).margin > 1e-9
        np.testing.assert_array_equal(model.predict(table)[still], model.labels_[still])
        # settling goes on until nothing moves
        assert effort == "paper" or still.mean() > 0.9


def test_new_rows_of_the_same_topics():
    """Rows never seen get the clusters of their topics, and the surer ones a higher share."""
    new, topic = topics(n=80, seed=9)
    match = {t: np.bincount(whole().labels_[t == TOPIC]).argmax() for t in range(4)}
    placed = whole().place(new)
    assert (placed.labels == [match[t] for t in topic]).mean() > 0.95
    np.testing.assert_array_equal(whole().predict(new), placed.labels)
    shares = whole().transform(new)
    assert shares.shape == (80, 4)
    np.testing.assert_allclose(shares.max(axis=1), placed.confidence)


@pytest.mark.parametrize(
    "container", [sp.csr_matrix, sp.coo_array, sp.dok_array, np.ndarray.tolist, np.float32]
)
def test_containers_do_not_matter(container):
    """Dense, sparse and lists give the same answer."""
    new, _ = topics(n=10, seed=2)
    given_ = container(new) if container is not np.float32 else new.astype(np.float32)
    np.testing.assert_array_equal(whole().predict(given_), whole().predict(new))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_are_matched_by_name(frame):
    """Another order, missing columns and new ones: known words count, others are counted."""
    new, _ = topics(n=20, seed=3)
    columns = dict(zip(NAMES, new.T, strict=True))
    expected = by_name().predict(pd.DataFrame(columns))
    turned = frame({name: columns[name] for name in reversed(NAMES)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(by_name().predict(turned), expected)
    more = frame({"pizza": np.full(20, 3), **columns, "empty": np.zeros(20)})
    with pytest.warns(UnseenWarning, match=r"60 of .* counts with 'columns'"):
        placed = by_name().place(more)
    assert placed.unseen == {"columns": 60}
    np.testing.assert_array_equal(placed.labels, expected)
    fewer = frame({name: columns[name] for name in NAMES[:-3]})
    gone = new.copy()
    gone[:, -3:] = 0
    np.testing.assert_array_equal(by_name().predict(fewer), whole().predict(gone))


def test_frames_without_matching_names():
    """Unknown names only: nothing is placed. No names in the fit: the order counts, as told."""
    with pytest.warns(UnseenWarning):
        placed = by_name().place(pd.DataFrame({"pizza": [1]}))
    assert placed.known.tolist() == [0]
    assert placed.confidence.tolist() == [0]
    with pytest.warns(UserWarning, match="fitted without feature names"):
        np.testing.assert_array_equal(whole().predict(FRAME), whole().labels_)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_array_equal(by_name().predict(X), whole().labels_)


def test_several_tables():
    """All or some of the tables of the fit, by name; others are refused."""
    tables = {"words": X, "people": PEOPLE}
    model = MDC(4, random_state=0).fit(tables)
    assert (model.predict(tables) == model.labels_).mean() > 0.95
    assert (model.predict({"words": X}) == model.labels_).mean() > 0.9
    assert model.place({"people": PEOPLE}).known.max() <= 12
    for wrong, message in (
        ({"smell": X}, "no side 'smell'; the fit knows the sides"),
        ({}, "no table was given"),
        (X, "give new items as a mapping"),
        ({"words": X[:, :5]}, "5 columns, but the fit knows 40 values"),
        ({"words": X, "people": PEOPLE[:3]}, "share their rows"),
        ({"words": X - 9}, "Negative values"),
    ):
        with pytest.raises(InputError, match=message):
            model.predict(wrong)
    with pytest.raises(InputError, match="on a single table"):
        whole().predict(tables)
    with pytest.raises(ValueError, match="X has 5 features, but MDC is expecting 40"):
        whole().predict(X[:, :5])
    with pytest.raises(NotFittedError):
        MDC(2).predict(X)


def test_tables_with_an_index_are_aligned_by_it():
    """The same rows in another order are put in order; other rows are refused."""
    people = pd.DataFrame(PEOPLE, columns=[f"p{i}" for i in range(12)], index=FRAME.index)
    straight = MDC(4, random_state=0).fit({"words": FRAME, "people": people})
    mixed = people.sample(frac=1, random_state=0)
    crooked = MDC(4, random_state=0).fit({"words": FRAME, "people": mixed})
    np.testing.assert_array_equal(straight.labels_, crooked.labels_)
    assert straight.table_columns_["people"][:2] == ("p0", "p1")
    np.testing.assert_array_equal(
        straight.predict({"words": FRAME, "people": mixed}),
        straight.predict({"words": FRAME, "people": people}),
    )
    for other, message in (
        (people.rename(index={"d3": "x"}), "differ by their index"),
        (people.reset_index(drop=True), "differ by their index"),
        (people.iloc[:5], "differ by their index"),
        (people.iloc[[0] * len(people)], "differ by their index"),
    ):
        for use in (MDC(4).fit, straight.predict):
            with pytest.raises(InputError, match=message):
                use({"words": FRAME, "people": other})
    # without an index the order is all there is
    assert len(MDC(4, random_state=0).fit({"words": FRAME, "people": PEOPLE}).labels_) == len(X)


def a_graph(weighting="root_rows", **names):
    """Documents, words and people, people observed, words and people joined too."""
    return Graph(
        [
            Node("documents", n_clusters=4, values=names.get("documents")),
            Node("words", n_clusters=4, direction="top-down", values=names.get("words")),
            Node("people", observed="singletons"),
        ],
        [
            Edge("documents", "words", X, weighting=weighting),
            Edge("people", "documents", PEOPLE.T, weight=0.5, weighting="raw"),
            Edge("words", "people", X.T @ PEOPLE, weight=0.1),
        ],
    )


def test_any_side_of_any_graph():
    """Documents and words of a graph with a cycle, by all neighbours or by some."""
    model = Comraf(a_graph(), random_state=0).fit()
    again = model.predict("documents", {"words": X, "people": PEOPLE})
    assert (again == model.labels_["documents"]).mean() > 0.95
    words = {"documents": X.T, "people": X.T @ PEOPLE}
    assert (model.predict("words", words) == model.labels_["words"]).mean() > 0.95
    assert (model.predict("words", {"documents": X.T}) == model.labels_["words"]).mean() > 0.9
    for node, tables, message in (
        ("people", {"documents": PEOPLE.T}, "'people' is observed"),
        ("smell", {"documents": PEOPLE.T}, "no node 'smell'; the nodes are"),
        ("words", {"words": X}, "no side 'words'"),
        ("words", X.T, "give new items as a mapping"),
    ):
        with pytest.raises(InputError, match=message):
            model.predict(node, tables)
    with pytest.raises(NotFittedError):
        Comraf(a_graph()).predict("words", words)


def test_names_of_values_match_columns():
    """Names of a node's values place the columns of frames and of tables with names."""
    model = Comraf(a_graph(words=NAMES), random_state=0).fit()
    expected = model.predict("documents", {"words": X})
    back = {"words": NAMES[::-1]}
    np.testing.assert_array_equal(
        model.predict("documents", {"words": X[:, ::-1]}, columns=back), expected
    )
    frame = FRAME[NAMES[::-1]].assign(pizza=1)
    with pytest.warns(UnseenWarning, match="60 of"):
        placed = model.place("documents", {"words": frame})
    np.testing.assert_array_equal(placed.labels, expected)
    with pytest.raises(InputError, match="matched by their names"):
        model.predict("documents", {"words": X[:, :3]})
    with pytest.raises(InputError, match="columns is list; give names by side"):
        model.predict("documents", {"words": X}, columns=NAMES)
    with pytest.raises(InputError, match="columns names 'wrods', which is no side"):
        model.predict("documents", {"words": X}, columns={"wrods": NAMES})
    with pytest.raises(InputError, match=r"no node \['documents'\]"):
        model.predict(["documents"], {"words": X})


SAMPLE = sample_tables(n_messages=240, seed=3)
TABLES = SAMPLE.by_name()


def with_names(tables, keep):
    """A collection of some messages, its values named."""
    return SimpleNamespace(
        tables={name: table[keep] for name, table in tables.items()},
        sides={
            name: SimpleNamespace(values=[f"{name}{i}" for i in range(table.shape[1])])
            for name, table in tables.items()
        },
    )


def test_an_organizer_places_messages_and_people():
    """Held-out messages come near their topics; people are placed by their messages."""
    n = TABLES["words"].shape[0]
    order = np.random.default_rng(0).permutation(n)
    kept, held = order[: int(0.8 * n)], order[int(0.8 * n) :]
    organizer = Organizer(8, random_state=0).fit(with_names(TABLES, kept))
    placed = organizer.place(with_names(TABLES, held))
    cells = np.zeros((8, 8))
    np.add.at(cells, (organizer.labels_, np.unique(SAMPLE.truth, return_inverse=True)[1][kept]), 1)
    right = cells.argmax(axis=1)
    truth = np.unique(SAMPLE.truth, return_inverse=True)[1]
    fit = (right[organizer.labels_] == truth[kept]).mean()
    assert (right[placed.labels] == truth[held]).mean() > fit - 0.1
    people = organizer.predict({"documents": TABLES["people"][kept].T}, node="people")
    assert (people == organizer.result_.labels["people"]).mean() > 0.8
    other = SimpleNamespace(tables={"smell": TABLES["words"]})
    with pytest.raises(InputError, match=r"the sides \['smell'\], but the fit knows"):
        organizer.place(other)


@given(seeds, st.sampled_from(["root_rows", "raw", "log"]))
@settings(max_examples=8)
def test_growing_keeps_ids_and_never_loses(seed, weighting):
    """Old labels stay with free="new"; each search ends no lower than it began; all is counted."""
    table, _ = topics(strength=0.9, seed=seed % 1000)
    old, new = table[:40], table[40:]
    first = MDC(4, effort="paper", weighting=weighting, random_state=0).fit(old)
    before = first.labels_.copy()
    placed = first.predict(new)
    for free in ("new", "all"):
        model = copy.deepcopy(first).update(new, free=free)
        assert len(model.labels_) == 60
        labels = model.result_.labels
        counts, columns = model.graph_.edges[0].counts.toarray(), first.result_.labels["columns"]
        start = brute_information(counts, np.concatenate([before, placed]), columns)
        assert brute_information(counts, labels["rows"], labels["columns"]) >= start - 1e-12
        fixed = SimpleNamespace(
            graph=model.graph_, objective=SimpleNamespace(terms=()), names=("rows", "columns")
        )
        state = SimpleNamespace(labels=(labels["rows"], labels["columns"]))
        assert model.objective_ == pytest.approx(brute_objective(fixed, state), abs=1e-9)
        if free == "new":
            np.testing.assert_array_equal(model.labels_[:40], before)
            np.testing.assert_array_equal(labels["columns"], first.result_.labels["columns"])
            assert (model.labels_[40:] == placed).mean() > 0.5
        assert model.result_.trace[-1].action == "update"
        assert (model.result_.ids["rows"] == first.result_.ids["rows"]).all()
    np.testing.assert_array_equal(first.labels_, before)


def test_grown_clusters_keep_their_meaning():
    """After a flood of rows of one topic every topic still has its number."""
    rng = np.random.default_rng(5)
    more = np.concatenate([topics(n=200, seed=7)[0][2::4], rng.poisson(0.05, (3, 40))])
    model = copy.deepcopy(whole()).update(more)
    agree = model.labels_[: len(X)] == whole().labels_
    assert agree.mean() > 0.97
    # by mass it would be cluster 0 now; its number stays what it was
    topic = np.bincount(whole().labels_[TOPIC == 2]).argmax()
    assert (model.labels_[len(X) : len(X) + 50] == topic).mean() > 0.9
    assert len(model.predict(more)) == 53
    again = model.update(X[:5], passes=0.5, free="new").update(X[:5], passes=0.5)
    assert len(again.labels_) == len(X) + 63


def test_a_row_without_counts_joins():
    """It goes to cluster 0, as in a fit, and harms nobody."""
    model = copy.deepcopy(whole()).update(np.zeros((1, 40)))
    assert model.labels_[-1] == 0


def test_any_side_grows():
    """New words of a graph, with names; later documents are placed by them too."""
    graph = a_graph(words=NAMES)
    model = Comraf(graph, random_state=0).fit()
    rng = np.random.default_rng(0)
    columns = X[:, :8] + rng.poisson(0.1, (len(X), 8))
    tables = {"documents": columns.T, "people": columns.T @ PEOPLE}
    with pytest.raises(InputError, match="give names for the 8 new ones"):
        model.update("words", tables)
    with pytest.raises(InputError, match="2 names were given for 8"):
        model.update("words", tables, names=["a", "b"])
    with pytest.raises(GraphError, match="more than once"):
        model.update("words", tables, names=[*NAMES[:8]])
    with pytest.raises(InputError, match="free='some'"):
        model.update("words", tables, names=[f"n{i}" for i in range(8)], free="some")
    model.update("words", tables, names=[f"n{i}" for i in range(8)], free="new")
    assert model.graph_.sizes["words"] == 48
    assert graph.sizes["words"] == 40
    assert (model.labels_["words"][40:] == model.labels_["words"][:8]).mean() > 0.8
    new = pd.DataFrame(np.ones((1, 2)), columns=["n0", "w4"])
    assert model.place("documents", {"words": new}).unseen == {}


def test_an_organizer_grows():
    """Groups keep their numbers; confidence is there for all messages."""
    n = TABLES["words"].shape[0]
    first, later = np.arange(180), np.arange(180, n)
    organizer = Organizer(8, random_state=0).fit(with_names(TABLES, first))
    before = organizer.labels_.copy()
    organizer.update(with_names(TABLES, later))
    assert len(organizer.labels_) == len(organizer.placed_.confidence) == n
    assert (organizer.labels_[:180] == before).mean() > 0.8


def test_time_limits_and_checkpoints_are_passed_on(tmp_path):
    """A limit of nothing interrupts; a checkpoint folder is gone when the work has ended."""
    from comraf.errors import TimeLimitWarning

    mailbox = SimpleNamespace(tables=TABLES)
    for make in (
        lambda **o: MDC(4, random_state=0, **o).fit(X),
        lambda **o: Comraf(a_graph(), random_state=0, **o).fit(),
        lambda **o: Organizer(4, random_state=0, **o).fit(mailbox),
    ):
        with pytest.warns(TimeLimitWarning):
            assert make(time_limit=1e-9).result_.interrupted
        assert not make(checkpoint=tmp_path / "kept", effort="quick").result_.interrupted
        assert not (tmp_path / "kept").exists()
        make(balance=True, effort="quick")


def test_updates_keep_the_rule():
    """After two updates rows are still placed as they settled, by every front door."""
    rows, _ = topics(n=120, strength=0.8, seed=2)
    model = MDC(4, effort="quick", random_state=0).fit(rows[:60])
    rule = {name: (side.single, side.shrink) for name, side in model.sides_.items()}
    assert rule == {"columns": (True, 30.0)}
    for part in (rows[60:90], rows[90:]):
        model.update(part)
        now = {name: (side.single, side.shrink) for name, side in model.sides_.items()}
        assert now == rule
    assert (model.predict(rows) == model.labels_).mean() > 0.97


def test_an_interrupted_update_keeps_the_rule_and_says_so(monkeypatch):
    """Ctrl-C while new rows are taken in: a warning, and new items are placed as before."""
    from comraf.errors import InterruptedWarning
    from comraf.estimators import _updating

    model = MDC(4, effort="quick", random_state=0).fit(X[:40])
    rule = {name: (side.single, side.shrink) for name, side in model.sides_.items()}

    def press(*arguments, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(_updating, "settle_counts", press)
    with pytest.warns(InterruptedWarning, match="not finished") as told:
        model.update(X[40:])
    assert told[0].filename == __file__  # the line to look at is the caller's
    assert model.result_.interrupted
    assert len(model.labels_) == len(X)
    assert {name: (side.single, side.shrink) for name, side in model.sides_.items()} == rule


def test_what_tells_clusters_apart_has_the_columns_names() -> None:
    """After a fit on a DataFrame, or on several, columns go by their names, also when grown."""
    from comraf.results import Explainer, characteristic

    model = MDC(3, random_state=0, effort="quick").fit(FRAME)
    for fitted in (model, model.update(FRAME.iloc[:2])):
        told = characteristic(fitted.graph_, fitted.result_, "rows")[0].telling["columns"]
        assert {name for name, _ in told} <= set(NAMES)
        why = Explainer(fitted.graph_, fitted.result_).why("rows", 0)
        assert {piece.name for piece in why.evidence} <= set(NAMES)
    several = MDC(3, random_state=0, effort="quick").fit({"words": FRAME, "bare": PEOPLE})
    told = characteristic(several.graph_, several.result_, "rows")[0].telling
    assert {name for name, _ in told["words"]} <= set(NAMES)
    assert {name for name, _ in told["bare"]} <= {str(i) for i in range(PEOPLE.shape[1])}
