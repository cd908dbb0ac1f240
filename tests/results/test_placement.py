"""Placing items: fitted ones, new ones, unknown ones; confidence; models on disk."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from comraf import MDC, Edge
from comraf.errors import InputError, ReadError, WriteError
from comraf.results.model import Model, ModelSide, load_model, save_model
from comraf.results.placement import place, side_counts


def fitted(n=90, m=60, k=3, weighting="raw", seed=0, strength=1.6):
    """A table in k topics, the labels of a fit, what the fit knows, and the topics."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n) % k
    rate = np.where(topic[:, None] == (np.arange(m) % k)[None, :], strength, 0.5)
    table = sp.csr_array(rng.poisson(rate))
    model = MDC(k, weighting=weighting, random_state=0, n_restarts=3).fit(table)
    columns = model.modality_labels_["columns"]
    edge = Edge("d", "w", table, weighting=weighting)
    known = side_counts(
        edge.counts,
        model.labels_,
        columns,
        (k, int(columns.max()) + 1),
        weighting=weighting,
        units=edge.units,
    )
    return table, model.labels_, {"words": known}, topic


@pytest.mark.parametrize("weighting", ["raw", "binary", "log", "equal_rows"])
def test_fitted_items_placed_anew_come_back_home(weighting):
    """Nearly every item of the fit gets its own cluster again when it comes as a new one."""
    table, labels, known, _ = fitted(weighting=weighting)
    assert (place(known, {"words": table}).labels == labels).mean() > 0.97


def test_confidence_rises_with_accuracy():
    """The surer half of the items is right more often than the other half, on noisy data."""
    table, labels, known, topic = fitted(n=300, strength=0.95)
    placed = place(known, {"words": table}, own=labels)
    np.testing.assert_array_equal(placed.labels, labels)
    cells = np.zeros((3, 3))
    np.add.at(cells, (labels, topic), 1)
    right = cells.argmax(axis=1)[labels] == topic
    order = np.argsort(placed.confidence)
    assert right[order[150:]].mean() > right[order[:150]].mean() + 0.1
    assert (placed.runner_up != labels).all()
    assert ((placed.confidence > 0) & (placed.confidence <= 1)).all()


def test_an_item_without_known_values_is_unplaced():
    """Cluster 0, confidence 0, and it is told."""
    _, _, known, _ = fitted()
    placed = place(known, {"words": sp.csr_array((2, 60), dtype=np.int64)})
    assert placed.labels.tolist() == [0, 0]
    assert placed.confidence.tolist() == [0, 0]
    assert placed.known.tolist() == [0, 0]


def test_items_that_were_not_in_the_fit_cannot_be_their_own():
    """Tables that don't make up the counts of the fit are refused instead of going negative."""
    table, labels, known, _ = fitted()
    with pytest.raises(InputError, match="not the items the counts were made of"):
        place(known, {"words": table * 1_000_000}, own=labels)


def test_wrong_tables():
    """A table of the wrong width, or none at all, is refused with the numbers."""
    _, _, known, _ = fitted()
    with pytest.raises(InputError, match="2 x 5, expected 2 items x 60"):
        place(known, {"words": sp.csr_array((2, 5))})
    with pytest.raises(InputError, match="none of the sides"):
        place(known, {"people": sp.csr_array((2, 5))})


def model_of(known):
    """A model with one side."""
    values = tuple(f"w{i}" for i in range(60))
    return Model(
        "documents", ("a", "b", "c"), {"words": ModelSide(values, known["words"])}, {"x": 1}
    )


def test_a_model_on_disk_places_as_before(tmp_path):
    """Saved and loaded, it gives the same labels, and unknown words are counted."""
    table, labels, known, _ = fitted(weighting="log")
    save_model(model_of(known), tmp_path / "model")
    model = load_model(tmp_path / "model")
    assert model.names == ("a", "b", "c")
    assert model.about == {"x": 1}
    names = tuple(f"w{i}" for i in reversed(range(60)))
    shuffled = sp.csr_array(table.toarray()[:, ::-1])
    wide = sp.csr_array(np.concatenate([shuffled.toarray(), np.ones((90, 1), dtype=int)], axis=1))
    placed, unseen = model.place({"words": wide}, {"words": (*names, "new")})
    assert unseen == {"words": 90}
    assert (placed.labels == labels).mean() > 0.97
    np.testing.assert_array_equal(placed.labels, place(known, {"words": table}).labels)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(format="x"), "not a comraf model"),
        (lambda d: d.update(version=99), "newer comraf"),
        (lambda d: d.update(version=True), "not a number"),
        (lambda d: d.update(names=["a"]), r"expected int64 \(\*, 1\)"),
        (lambda d: d.update(names=[]), "no clusters"),
        (lambda d: d.update(names=[1, 2, 3]), "list of strings"),
        (lambda d: d.update(sides=[]), "no sides"),
        (lambda d: d.pop("target"), "'target' is missing"),
        (lambda d: d["sides"][0].update(values=["a"]), "labels of 'words'"),
        (lambda d: d["sides"][0].update(weight=-1), "weight -1"),
        (lambda d: d["sides"][0].update(units=float("nan")), "units nan"),
        (lambda d: d["sides"][0].update(weighting="x"), "weighting 'x'"),
        (lambda d: d["sides"][0].update(units=3e18), "units 3e"),
    ],
)
def test_damaged_models_are_refused(tmp_path, change, message):
    """Every damaged or foreign part is one clear ReadError."""
    *_, known, _ = fitted()
    save_model(model_of(known), tmp_path)
    path = tmp_path / "model.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(ReadError, match=message):
        load_model(tmp_path)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Bytes of a good model's two files."""
    folder = tmp_path_factory.mktemp("model")
    *_, known, _ = fitted()
    save_model(model_of(known), folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@given(st.data())
def test_fuzzed_models_are_refused_or_read(saved, tmp_path_factory, data):
    """Flipped, cut or inserted bytes give a ReadError or a model that still places; no crash."""
    folder = tmp_path_factory.mktemp("fuzz")
    victim = data.draw(st.sampled_from(sorted(saved)))
    for name, content in saved.items():
        damaged = bytearray(content)
        if name == victim:
            for _ in range(data.draw(st.integers(1, 4))):
                at = data.draw(st.integers(0, len(damaged) - 1))
                kind = data.draw(st.sampled_from(["flip", "cut", "insert"]))
                if kind == "flip":
                    damaged[at] ^= data.draw(st.integers(1, 255))
                elif kind == "cut":
                    del damaged[at : at + data.draw(st.integers(1, 50))]
                else:
                    damaged[at:at] = data.draw(st.binary(min_size=1, max_size=8))
                if not damaged:
                    break
        (folder / name).write_bytes(bytes(damaged))
    try:
        model = load_model(folder)
    except ReadError:
        return
    table = sp.csr_array(np.ones((1, 60), dtype=np.int64))
    placed, _ = model.place(
        dict.fromkeys(model.sides, table), {n: s.values for n, s in model.sides.items()}
    )
    assert 0 <= placed.labels[0] < model.n_clusters


def test_missing_and_unwritable_places(tmp_path):
    """A folder without a model is named; a file in the way is a WriteError."""
    with pytest.raises(ReadError, match="holds no model"):
        load_model(tmp_path)
    (tmp_path / "file").write_text("x")
    *_, known, _ = fitted()
    with pytest.raises(WriteError, match="can't write"):
        save_model(model_of(known), tmp_path / "file")
