"""The benchmark of several views: rows, resuming, peers that work at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from benchmarks.multiview import OURS, SETS, load_views, main, prepared
from benchmarks.multiview_peers import PEERS
from benchmarks.store import ResultStore
from comraf.metrics import micro_accuracy


@pytest.fixture
def films(tmp_path: Path) -> Path:
    """A folder with a small file of two views, made like the real one."""
    rng = np.random.default_rng(0)
    truth = np.arange(48) % 3
    views = np.empty((2, 1), dtype=object)
    for i in range(2):
        rate = np.where(truth[:, None] == np.arange(60) % 3, 0.5, 0.02)
        views[i, 0] = rng.poisson(rate).astype(float)
    (tmp_path / "multiview").mkdir()
    savemat(tmp_path / "multiview/Movies.mat", {"X": views, "y": truth[:, None] + 1})
    return tmp_path


def test_rows_are_measured_once_and_shown(
    films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Views, ours and peers are stored; the same command again needs no data at all."""
    out, cache = tmp_path / "multiview.jsonl", tmp_path / "cache"
    command = ["--out", str(out), "--cache", str(cache), "--sets", "Movies", "--runs", "2"]
    command += ["--effort", "quick", "--neighbors", "8"]
    assert main([*command, "--data", str(films)]) == 0
    shown = capsys.readouterr().out
    records = ResultStore(out).records()
    assert len(records) == 2 * (2 + len(OURS) + len(PEERS))
    ours = [r["micro"] for r in records if r["row"] == "ComrafStar, all views"]
    assert min(ours) > 0.9
    assert "| view: actors |" in shown
    assert "| multi-view spectral |" in shown
    assert main(command) == 0
    assert capsys.readouterr().out == shown
    # other settings are measured anew, but peers have none
    assert main([*command, "--how", "neighbours", "--rows", "ours", "peers"]) == 0
    assert len(ResultStore(out).records()) == len(records) + 2 * len(OURS)


@pytest.mark.parametrize("peer", list(PEERS))
def test_peers_use_all_views(peer: str) -> None:
    """Groups that blur in each of four views are clear in all of them together."""
    rng = np.random.default_rng(1)
    truth = np.arange(80) % 4
    views = [rng.normal(size=(80, 3)) + 2.5 * rng.normal(size=(4, 3))[truth] for _ in range(4)]
    alone = [micro_accuracy(truth, PEERS[peer]([view], 4, 0)) for view in views]
    assert micro_accuracy(truth, PEERS[peer](views, 4, 0)) > max(0.95, np.mean(alone))


def test_views_are_prepared_for_vectors(films: Path, tmp_path: Path) -> None:
    """Counts become unit rows, measurements are standardised; a constant is left out."""
    views, truth = load_views("Movies", films, tmp_path / "cache")
    assert list(views) == list(SETS["Movies"])
    assert len(truth) == 48
    counts, measured = prepared(
        {"c": views["keywords"], "m": np.column_stack([np.arange(48.0), np.ones(48)])}
    )
    lengths = np.linalg.norm(counts, axis=1)
    np.testing.assert_allclose(lengths[lengths > 0], 1.0)
    assert measured.shape == (48, 1)
    assert measured.std() == pytest.approx(1.0)
