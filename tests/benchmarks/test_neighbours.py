"""The benchmark of neighbours, on a draw of a few made-up documents."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import neighbours
from benchmarks.neighbours import main, vectors_of
from comraf.errors import InputError

RNG = np.random.default_rng(0)
TRUTH = np.repeat(np.arange(20), 3)
DRAW: Any = SimpleNamespace(
    name="100each-0",
    row_names=[f"group{t}/{i}" for i, t in enumerate(TRUTH)],
    counts=sp.csr_array(RNG.poisson(np.where(TRUTH[:, None] == np.arange(40) // 2, 6, 0.2))),
    truth=[f"group{t}" for t in TRUTH],
)


@pytest.fixture
def embeddings(tmp_path: Path) -> Path:
    """A folder with the vectors of the draw."""
    folder = tmp_path / "vectors"
    folder.mkdir()
    np.save(folder / "100each-0.npy", np.eye(20)[TRUTH] + 0.05 * RNG.normal(size=(60, 20)))
    return folder


def test_every_method_has_a_row(
    embeddings: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a mean, its error and the mean of each draw."""
    monkeypatch.setattr(neighbours, "load", lambda name, data, cache: DRAW)
    monkeypatch.setattr(neighbours, "data_folder", Path)
    asked = ["--data", str(embeddings), "--embeddings", str(embeddings), "--draws", "0"]
    assert main([*asked, "--seeds", "0", "1"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "| method | accuracy | draw 0 | CPU s a fit |"
    found = {row.split("|")[1].strip(): float(row.split("|")[3]) for row in shown[2:]}
    assert list(found) == list(neighbours.METHODS)
    assert found["KMeans on the embeddings, best of 10"] > 0.9


def test_vectors_that_do_not_belong_are_refused(embeddings: Path, tmp_path: Path) -> None:
    """A draw of another size, and none at all without a model."""
    np.save(embeddings / "100each-0.npy", np.eye(7))
    with pytest.raises(InputError, match="7 rows for 60 documents"):
        vectors_of(DRAW, embeddings, None, tmp_path)
    with pytest.raises(InputError, match="--model"):
        vectors_of(DRAW, tmp_path, None, tmp_path)
