"""Models on disk: the same answers after loading, older versions, damaged and hostile files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from comraf import MDC, Comraf, Edge, Graph, Node
from comraf.errors import InputError, ReadError
from comraf.results.explain import Explainer
from comraf.results.model import Model, ModelSide, load_model, save_model
from comraf.results.placement import SideCounts, counts_by_side, new_counts
from comraf.results.scorer import FitItems, Scorer, fingerprints
from tests.results.solving import damaged

K, N, M = 3, 90, 60
NAMES = tuple(f"w{i}" for i in range(M))


def table_of(seed=0):
    """Counts in three topics."""
    rng = np.random.default_rng(seed)
    rate = np.where((np.arange(N) % K)[:, None] == (np.arange(M) % K)[None, :], 1.6, 0.5)
    return sp.csr_array(rng.poisson(rate))


TABLE = table_of()


def model_of(effort="quick", weighting="log"):
    """A model of a fit; ``quick`` places by single words, ``paper`` by clusters of them."""
    fitted = MDC(K, effort=effort, weighting=weighting, random_state=0).fit(TABLE)
    side = ModelSide(NAMES, fitted.sides_["columns"])
    return Model("documents", ("a", "b", "c"), {"words": side}, {"x": 1}), fitted


@pytest.mark.parametrize("effort", ["quick", "paper"])
@pytest.mark.parametrize("weighting", ["root_rows", "log"])
def test_a_model_on_disk_places_as_before(tmp_path, effort, weighting):
    """Saved and loaded, it gives the same labels, and unknown words are counted."""
    model, fitted = model_of(effort, weighting)
    assert model.sides["words"].counts.single == (effort == "quick")
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert (loaded.names, loaded.about, loaded.target) == (model.names, {"x": 1}, "documents")
    for name in ("labels", "joint", "clusters"):
        np.testing.assert_array_equal(
            getattr(loaded.sides["words"].counts, name), getattr(model.sides["words"].counts, name)
        )
    wide = sp.csr_array(np.concatenate([TABLE.toarray()[:, ::-1], np.ones((N, 1), int)], axis=1))
    placed, unseen = loaded.place({"words": wide}, {"words": (*reversed(NAMES), "new")})
    assert unseen == placed.unseen == {"words": N}
    np.testing.assert_array_equal(placed.labels, fitted.predict(TABLE))


def test_items_that_are_columns(tmp_path):
    """A model of words by their documents keeps what the documents weigh."""
    graph = Graph(
        [Node("d", n_clusters=K), Node("w", n_clusters=K, direction="top-down")],
        [Edge("d", "w", TABLE, weighting="root_rows")],
    )
    fitted = Comraf(graph, effort="quick", random_state=0).fit()
    sides, _ = counts_by_side(graph, fitted.labels_, {"d": K, "w": K}, "w")
    documents = tuple(f"d{i}" for i in range(N))
    save_model(Model("w", ("a", "b", "c"), {"d": ModelSide(documents, sides["d"])}), tmp_path)
    loaded = load_model(tmp_path)
    words = sp.csr_array(TABLE.T)
    placed, _ = loaded.place({"d": words}, {"d": documents})
    np.testing.assert_array_equal(placed.labels, Scorer(sides).place({"d": words}).labels)
    with pytest.raises(InputError, match="are columns"):
        loaded.place_values("d", TABLE, NAMES, placed.labels)


def test_values_the_model_has_not_seen_are_placed_by_their_items():
    """New words that come with documents of a topic get the cluster of that topic's words."""
    model, _ = model_of()
    twins = sp.hstack([TABLE, TABLE[:, :6]], format="csr")
    values = (*NAMES, *(f"new{i}" for i in range(6)))
    placed, _ = model.place({"words": twins}, {"words": values})
    names, found = model.place_values("words", twins, values, placed.labels)
    assert names == values[M:]
    clusters = model.sides["words"].counts.clusters
    assert (found.labels == clusters[:6]).mean() >= 5 / 6
    with pytest.raises(InputError, match="no side 'people'"):
        model.place_values("people", twins, values, placed.labels)


def version_1(folder):
    """A model as comraf 0.1 wrote it: dense counts between clusters, no checksum."""
    model, fitted = model_of("paper")
    counts = model.sides["words"].counts
    folder.mkdir()
    document = {
        "format": "comraf-model",
        "version": 1,
        "target": "documents",
        "names": ["a", "b", "c"],
        "sides": [
            {
                "name": "words",
                "weight": 1.0,
                "weighting": counts.weighting,
                "units": counts.units,
                "values": list(NAMES),
            }
        ],
        "about": {"kind": "mbox"},
    }
    (folder / "model.json").write_text(json.dumps(document), encoding="utf-8")
    save_file(
        {"0.labels": counts.labels.astype(np.int32), "0.joint": counts.joint},
        folder / "arrays.safetensors",
    )
    return fitted


def test_a_model_of_version_1_is_read(tmp_path):
    """It places what it placed, and is written as the newest version when saved."""
    fitted = version_1(tmp_path / "old")
    model = load_model(tmp_path / "old")
    assert model.about == {"kind": "mbox"}
    placed, _ = model.place({"words": TABLE}, {"words": NAMES})
    np.testing.assert_array_equal(placed.labels, fitted.predict(TABLE))
    save_model(model, tmp_path / "old")  # in its own place
    assert json.loads((tmp_path / "old" / "model.json").read_text())["version"] == 3
    again, _ = load_model(tmp_path / "old").place({"words": TABLE}, {"words": NAMES})
    np.testing.assert_array_equal(again.labels, placed.labels)


def side(document):
    """The entry of the only side."""
    return document["sides"][0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(names=["a"]), r"holds 2, beyond 0"),
        (lambda d: d.update(names=[]), "no clusters"),
        (lambda d: d.update(names=[1, 2, 3]), "list of strings"),
        (lambda d: d.update(sides=[]), "no sides"),
        (lambda d: d.update(about=3), "'about' must be a mapping"),
        (lambda d: d.pop("target"), "'target' is missing"),
        (lambda d: d.update(target=None), "'target' must be a string"),
        (lambda d: d.update(sides=[side(d), side(d)]), "two sides 'words'"),
        (lambda d: d.update(sides=[3]), "sides must be a list of objects"),
        (lambda d: side(d).update(values=["a"]), r"expected int32 \(1,\)"),
        (lambda d: side(d).update(weight=-1), "weight of 'words': -1"),
        (lambda d: side(d).update(weight=1e300), "weight of 'words': 1e.300"),
        (lambda d: side(d).update(units=3e18), "units of 'words': 3e"),
        (lambda d: side(d).update(units="x"), "units of 'words' must be a number"),
        (lambda d: side(d).update(weighting="x"), "weighting 'x'"),
        (lambda d: side(d).update(single=False), "'0.joint' is missing"),
        (lambda d: side(d).update(single=1), "must be true or false"),
        (lambda d: side(d).update(columns=True), "'0.factors' is missing"),
    ],
)
def test_damaged_models_are_refused(saved, tmp_path, change, message):
    """Every damaged or foreign part is one clear ReadError."""
    for name, content in saved["quick"].items():
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "model.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(ReadError, match=message):
        load_model(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a.pop("0.labels"), "'0.labels' is missing"),
        (lambda a: a.update(more=np.zeros(1)), "does not belong to it, 'more'"),
        (lambda a: a["0.labels"].__isub__(9), "below 0"),
        (lambda a: a["0.labels"].__iadd__(99), "in cluster 1"),
        (lambda a: a["0.counts"].fill(0), "all zero"),
        (lambda a: a["0.counts"].fill(-1), "below 0"),
        (lambda a: a["0.counts"].fill(2**50), "out of bounds"),
        (lambda a: a["0.indices"].fill(3), "beyond 2"),
        (lambda a: a.update({"0.indptr": a["0.indptr"][::-1].copy()}), "does not cut"),
        (lambda a: a.update({"0.indptr": a["0.indptr"][1:]}), "expected int64"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, change, message):
    """Sound files whose numbers make no sense are refused by what is wrong in them."""
    save_model(model_of()[0], tmp_path)
    document = json.loads((tmp_path / "model.json").read_text())
    del document["arrays"]  # the checksum would find it first
    (tmp_path / "model.json").write_text(json.dumps(document))
    arrays = load_file(tmp_path / "arrays.safetensors")
    change(arrays)
    save_file(arrays, tmp_path / "arrays.safetensors")
    with pytest.raises(ReadError, match=message):
        load_model(tmp_path)


def test_a_bomb_is_not_unpacked(tmp_path):
    """A small file that asks for an enormous table of counts is refused before it is made."""
    n = k = 300_000
    counts = SideCounts(np.zeros(1, np.int32), np.ones((1, 1), np.int64), clusters=None)
    save_model(Model("d", ("a",), {"w": ModelSide(("x",), counts)}), tmp_path)
    document = json.loads((tmp_path / "model.json").read_text())
    del document["arrays"]
    side(document).update(single=True, values=["x"] * n)
    document["names"] = ["a"] * k
    (tmp_path / "model.json").write_text(json.dumps(document))
    indptr = np.ones(n + 1, np.int64)
    indptr[0] = 0
    save_file(
        {
            "0.labels": np.zeros(n, np.int32),
            "0.counts": np.ones(1, np.int64),
            "0.indices": np.zeros(1, np.int32),
            "0.indptr": indptr,
        },
        tmp_path / "arrays.safetensors",
    )
    with pytest.raises(ReadError, match="would need about 1440"):
        load_model(tmp_path)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Bytes of the files of good models: by single words, by clusters, and of version 1."""
    out = {}
    for effort in ("quick", "paper"):
        folder = tmp_path_factory.mktemp(effort)
        save_model(model_of(effort)[0], folder)
        out[effort] = {path.name: path.read_bytes() for path in folder.iterdir()}
    folder = tmp_path_factory.mktemp("first") / "model"
    version_1(folder)
    out["version 1"] = {path.name: path.read_bytes() for path in folder.iterdir()}
    return out


@given(st.data())
def test_fuzzed_models_are_refused_or_read(saved, tmp_path_factory, data):
    """Flipped, cut or inserted bytes give a ReadError or a model that still places; no crash."""
    folder = tmp_path_factory.mktemp("fuzz")
    files = saved[data.draw(st.sampled_from(sorted(saved)))]
    victim = data.draw(st.sampled_from(sorted(files)))
    for name, content in files.items():
        changed = data.draw(damaged(content)) if name == victim else content
        (folder / name).write_bytes(changed)
    check_refused_or_placing(folder)


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
hostile = st.recursive(
    values,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=5,
)


@given(st.data())
def test_hostile_documents_are_refused_or_read(saved, tmp_path_factory, data):
    """Anything JSON can say in the place of any part of the document: refused, or it places."""
    folder = tmp_path_factory.mktemp("hostile")
    files = saved[data.draw(st.sampled_from(sorted(saved)))]
    for name, content in files.items():
        (folder / name).write_bytes(content)
    document = json.loads(files["model.json"])
    entry = data.draw(st.sampled_from([document, document["sides"][0]]))
    key = data.draw(st.sampled_from(sorted(entry)) | st.text(max_size=8))
    entry[key] = data.draw(hostile)
    (folder / "model.json").write_text(json.dumps(document))
    check_refused_or_placing(folder)


def check_refused_or_placing(folder):
    """The only two ways: a ReadError, or a model that can be used."""
    try:
        model = load_model(folder)
    except ReadError:
        return
    tables, names = {}, {}
    for name, part in model.sides.items():
        tables[name] = sp.csr_array(np.ones((1, len(part.values)), dtype=np.int64))
        names[name] = part.values
    placed, _ = model.place(tables, names)
    assert 0 <= placed.labels[0] < model.n_clusters


def test_sharpness_is_kept_and_checked(tmp_path):
    """A model on disk is as sure as the one in memory; a sharpness of nonsense is refused."""
    model, _ = model_of()
    blunt = replace(model, sharpness=0.25)
    save_model(blunt, tmp_path / "model")
    tables, names = {"words": TABLE}, {"words": NAMES}
    kept = load_model(tmp_path / "model").place(tables, names)[0]
    np.testing.assert_array_equal(kept.confidence, blunt.place(tables, names)[0].confidence)
    assert kept.confidence.mean() < model.place(tables, names)[0].confidence.mean()
    np.testing.assert_array_equal(kept.labels, model.place(tables, names)[0].labels)
    file = tmp_path / "model" / "model.json"
    file.write_text(file.read_text().replace('"sharpness": 0.25', '"sharpness": -1'))
    with pytest.raises(ReadError, match="sharpness"):
        load_model(tmp_path / "model")


@pytest.mark.parametrize("effort", ["quick", "default"])
def test_items_of_the_fit_are_recognised_by_a_model_on_disk(tmp_path, effort):
    """Its own rows get the clusters and the confidence of the fit, each left out."""
    model, fitted = model_of(effort)
    scorer = fitted.scorer_
    save_model(replace(model, sharpness=scorer.sharpness, items=scorer.items), tmp_path / "model")
    placed, _ = load_model(tmp_path / "model").place({"words": TABLE}, {"words": NAMES})
    explained = Explainer(fitted.graph_, fitted.result_).placed("rows")
    for part in ("labels", "runner_up", "confidence", "margin"):
        np.testing.assert_allclose(getattr(placed, part), getattr(explained, part))


def test_fingerprints_that_lie_do_no_harm():
    """Rows that are not in the cluster a model says are placed as new ones."""
    model, _ = model_of(weighting="raw")
    new = TABLE[:6] * 50
    items = FitItems(
        np.sort(fingerprints([new_counts(model.sides["words"].counts, new, "words")])),
        np.zeros(6, np.int32),
        None,
    )
    tables = {"words": new}, {"words": NAMES}
    lied, honest = replace(model, items=items).place(*tables)[0], model.place(*tables)[0]
    np.testing.assert_array_equal(lied.labels, honest.labels)
    np.testing.assert_array_equal(lied.confidence, honest.confidence)


def test_a_model_of_version_2_is_read(tmp_path):
    """Its sharpness was for another rule: 1 was none, that of photos is brought over."""
    model, _ = model_of()
    file = tmp_path / "model" / "model.json"
    for old, now in ((1.0, None), (0.125, 0.5)):
        save_model(replace(model, sharpness=old), tmp_path / "model")
        text = file.read_text()
        assert '"version": 3' in text
        file.write_text(text.replace('"version": 3', '"version": 2'))
        assert load_model(tmp_path / "model").sharpness == now
