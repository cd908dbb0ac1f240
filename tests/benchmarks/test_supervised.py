"""The benchmark of labels and links: what is drawn, what is scored, what is printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import supervised
from benchmarks.datasets import Dataset
from benchmarks.growth import planted
from benchmarks.labelled_data import (
    Given,
    Told,
    draw_labels,
    draw_links,
    violated,
)
from benchmarks.labelled_methods import METHODS, Answer, Options
from benchmarks.labelled_tables import table
from benchmarks.store import ResultStore

PEERS = [name for name, method in METHODS.items() if not method.ours]


@pytest.fixture(scope="module")
def topics() -> Dataset:
    """Documents with planted topics."""
    counts, truth = planted(500, seed=0, words=2000)
    names = [f"d{i}" for i in range(500)]
    words = [f"w{j}" for j in range(2000)]
    return Dataset.build("planted", counts, [f"topic {t:02}" for t in truth], names, words, [])


def command(data: Path, folder: Path, *more: str) -> list[str]:
    """Arguments of a run that takes seconds."""
    return [
        *("--data", str(data), "--cache", str(folder / "cache"), "--out", str(folder / "r.jsonl")),
        *("--datasets", "cora", "--share", "0.2", "--seeds", "0-1", *more),
    ]


classes = st.lists(st.integers(0, 4), min_size=2, max_size=60).map(np.asarray)


@settings(max_examples=60, deadline=None)
@given(classes, st.floats(0.01, 0.99), st.integers(0, 3))
def test_every_class_tells_its_share(truth: np.ndarray, share: float, seed: int) -> None:
    """At least one item of each class that can spare it, never all, never a wrong label."""
    told = draw_labels(truth, share, seed).codes
    assert (told[told >= 0] == truth[told >= 0]).all()
    for one, size in zip(*np.unique(truth, return_counts=True), strict=True):
        number = int((told == one).sum())
        assert number < size
        assert number >= min(1, size - 1)
        assert abs(number - share * size) <= 1


@settings(max_examples=60, deadline=None)
@given(classes, st.integers(0, 3), st.floats(0, 1), st.floats(0, 1))
def test_draws_are_nested(truth: np.ndarray, seed: int, one: float, other: float) -> None:
    """More labels contain the fewer, more wrong labels contain the fewer, of the same seed."""
    if len(np.unique(truth)) < 2:
        return
    less, more = sorted((0.01 + 0.98 * one, 0.01 + 0.98 * other))
    few, many = draw_labels(truth, less, seed).codes, draw_labels(truth, more, seed).codes
    assert ((few < 0) | (few == many)).all()
    noises = [draw_labels(truth, 0.5, seed, noise).codes for noise in (0, *sorted((one, other)))]
    right, noisy, noisier = noises
    assert ((noisy < 0) == (right < 0)).all()
    assert int((noisy != right).sum()) == round(min(one, other) * int((right >= 0).sum()))
    assert ((noisy == right) | (noisier == noisy)).all()
    assert np.isin(noisier[noisier >= 0], truth).all()


@settings(max_examples=60, deadline=None)
@given(classes, st.integers(0, 3), st.data())
def test_links_are_true_and_different(truth: np.ndarray, seed: int, data: st.DataObject) -> None:
    """As many pairs as asked for, none twice, each of the kind that the truth says."""
    number = data.draw(st.integers(1, len(truth) * (len(truth) - 1) // 2))
    told = draw_links(truth, number, seed)
    pairs = np.concatenate([told.must, told.cannot])
    assert len(np.unique(pairs, axis=0)) == len(pairs) == number
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert (truth[told.must[:, 0]] == truth[told.must[:, 1]]).all()
    assert (truth[told.cannot[:, 0]] != truth[told.cannot[:, 1]]).all()
    assert set(np.flatnonzero(~told.untold)) == set(pairs.ravel())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 4)), min_size=1, max_size=25))
def test_violations_are_those_of_all_pairs(items: list[tuple[int, int]]) -> None:
    """Counting by cells finds what counting pair by pair finds, for labels and for links."""
    codes, labels = (np.asarray(column) for column in zip(*items, strict=True))
    pairs = [(i, j) for i in range(len(codes)) for j in range(i) if codes[i] >= 0 and codes[j] >= 0]
    must = np.asarray([p for p in pairs if codes[p[0]] == codes[p[1]]]).reshape(-1, 2)
    cannot = np.asarray([p for p in pairs if codes[p[0]] != codes[p[1]]]).reshape(-1, 2)
    nothing = np.empty((0, 2), dtype=np.int64)
    wanted = {
        "must": len(must),
        "must_violated": sum(labels[i] != labels[j] for i, j in must),
        "cannot": len(cannot),
        "cannot_violated": sum(labels[i] == labels[j] for i, j in cannot),
    }
    assert violated(Given(codes, nothing, nothing), labels) == wanted
    if pairs:
        unknown = np.full(len(codes), -1)
        told = Given(unknown, must.astype(np.int64), cannot.astype(np.int64))
        assert violated(told, labels) == wanted


def test_only_untold_items_are_scored() -> None:
    """An answer that is right on the labelled items alone has no accuracy at all."""
    truth = np.repeat([0, 1], 10)
    told = draw_labels(truth, 0.5, 0)
    wrong = np.where(told.untold, 1 - truth, truth)
    found = supervised.scores(truth, told, Answer(wrong, wrong))
    assert found["plain"] == 0
    # Micro accuracy forgives exchanged names, and so tells another thing.
    assert found["accuracy"] == 1
    assert found["scored"] == 10
    assert found["accuracy_of_all"] == 0.5
    every = Given(truth, told.must, told.cannot)
    assert supervised.scores(truth, every, Answer(wrong))["accuracy"] is None


@pytest.mark.parametrize("name", PEERS)
def test_peers_learn(name: str, topics: Dataset) -> None:
    """Every peer does far better than chance on planted topics, and the same seed does the same."""
    rows = [supervised.measure(topics, name, Told(0.2), 0, Options()) for _ in range(2)]
    assert rows[0]["plain"] > 0.3  # a topic by chance: 0.05
    assert rows[0]["accuracy"] >= rows[0]["plain"]
    assert rows[0]["plain"] == rows[1]["plain"]


@pytest.mark.parametrize("name", ["intrinsic", "constrained", "seeds"])
def test_ours_with_labels(name: str, topics: Dataset) -> None:
    """Our methods take the labels; constrained ones break none of the links they make."""
    options = Options(chosen={"effort": "quick"})
    row = supervised.measure(topics, name, Told(0.2), 0, options)
    assert row["accuracy"] >= row["plain"] > 0.2
    if name == "constrained":
        assert row["must_violated"] == row["cannot_violated"] == 0


def test_run_resume_and_print(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every fit is a line; the same command again measures nothing and prints the same."""
    more = ("--methods", "svm", "unsupervised", "--noise", "0", "0.3", "--with", "effort=quick")
    assert supervised.main(command(data, tmp_path, *more)) == 0
    first = capsys.readouterr()
    assert "### cora, 20% labelled" in first.out
    assert "| linear SVM | 0% | 2 |" in first.out
    assert "| linear SVM | 30% | 2 |" in first.out
    assert "| comraf, unsupervised, effort=quick | 0% | 2 |" in first.out
    assert "unsupervised, effort=quick | 30%" not in first.out
    assert "1.00×" in first.out
    assert "±" in first.out
    records = ResultStore(tmp_path / "r.jsonl").records()
    assert len(records) == 6
    assert all(r["status"] == "ok" and r["told"] + r["scored"] == 36 for r in records)
    assert supervised.main(command(data, tmp_path, *more)) == 0
    again = capsys.readouterr()
    assert again.out == first.out
    assert again.err.count("measured before") == 6
    assert ResultStore(tmp_path / "r.jsonl").records() == records
    assert supervised.main(command(data, tmp_path, "--table-only", "--methods", "svm")) == 0
    assert "unsupervised" not in capsys.readouterr().out


def test_table_pools_draws_and_drops_old_code() -> None:
    """Draws of one name make one row; results of older code, of an older table don't show."""

    def record(draw: int, accuracy: float, version: str, fingerprint: str) -> dict[str, object]:
        return {
            "dataset": f"100each-{draw}",
            "fingerprint": f"{fingerprint}{draw}",
            "method": "svm",
            "version": version,
            "settings": {},
            "seed": 0,
            "share": 0.1,
            "noise": 0.0,
            "links": None,
            "status": "ok",
            "documents": 2000,
            "k": 20,
            "jobs": 1,
            "scored": 1800,
            "accuracy": accuracy,
            "plain": accuracy,
            "cpu_s": 1.0,
            **dict.fromkeys(("must", "must_violated", "cannot", "cannot_violated"), 0),
        }

    old = [record(0, 0.1, "1", "new"), record(1, 0.2, "2", "old")]
    new = [record(0, 0.5, "2", "new"), record(1, 0.7, "2", "new")]
    shown = table([*old, *new], "100each", "10% labelled")
    assert "| linear SVM | 0% | 2 | .600 ± .141 |" in shown
    assert "Scored on 1,800 of them" in shown
    assert table([*old, *new], "100each", "20% labelled") == ""
