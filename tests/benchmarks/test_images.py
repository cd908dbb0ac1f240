"""The benchmark of images: reading archives, rows, resuming, curves."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

from benchmarks import images
from benchmarks.images import CURVES, main
from benchmarks.images_data import DINOSAURS, FILES, load, prepare
from benchmarks.store import ResultStore

pillow = pytest.importorskip("PIL.Image", reason="photos are made with Pillow")

_CLASSES = {"seas": (20, 60, 200), "woods": (30, 150, 40), DINOSAURS: (250, 250, 250)}


def _archive(path: Path, files: dict[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def _photo(rng: np.random.Generator, colour: tuple[int, int, int]) -> bytes:
    noise = rng.integers(-25, 26, (32, 48, 3))
    pixels = np.clip(np.array(colour) + noise, 0, 255).astype(np.uint8)
    file = io.BytesIO()
    pillow.fromarray(pixels).save(file, "JPEG")
    return file.getvalue()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of two small archives, made like the real ones."""
    rng = np.random.default_rng(0)
    corel, flickr, captions = {}, {}, []
    said = {"seas": "blue waves on water", "woods": "green trees and leaves"}
    for number in range(12):
        for name, colour in _CLASSES.items():
            corel[f"wang1000/{name}/{number}.jpg"] = _photo(rng, colour)
        for name, words in said.items():
            file = f"{name}{number}.jpg"
            flickr[f"flickr8k_sample/images/{file}"] = _photo(rng, _CLASSES[name])
            captions += [f"{file}\t{words} {extra}" for extra in ("here", "there", "again")]
    flickr["flickr8k_sample/captions.tsv"] = "\n".join(captions).encode()
    _archive(tmp_path / FILES["corel"], corel)
    _archive(tmp_path / FILES["flickr"], flickr)
    return tmp_path


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many clusters as the small sets have."""
    monkeypatch.setitem(images.SETS, "corel", images._Set("corel", 3))
    monkeypatch.setitem(images.SETS, "corel-9", images._Set("corel", 2, DINOSAURS))
    monkeypatch.setitem(images.SETS, "flickr-10", images._Set("flickr", 2))


_QUICK = ["--effort", "quick", "--blobs", "8", "--neighbors", "4"]


def test_features_are_read_once(data: Path, tmp_path: Path) -> None:
    """Photos, classes and captions come out of the cache alone, and dinosaurs can be left out."""
    cache = tmp_path / "cache"
    prepare("corel", data, cache)
    path = str(prepare("corel", None, cache))
    assert len(load(path).photos) == 36
    rest = load(path, DINOSAURS)
    assert set(rest.classes.tolist()) == {"seas", "woods"}
    assert len(rest.photos) == 24
    flickr = load(str(prepare("flickr", data, cache)))
    assert len(flickr.words) == 3
    assert flickr.words[0].shape[0] == 24
    # photos are in the order of their names: seas before woods, with no word in common
    meet = (flickr.words[0] @ flickr.words[1].T).toarray()
    assert meet[:12, :12].min() > 0
    assert meet[:12, 12:].max() == 0


@pytest.mark.usefixtures("few")
def test_rows_are_measured_once_and_shown(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows of all kinds find the classes; the same command again needs no photos."""
    out = tmp_path / "images.jsonl"
    command = ["--out", str(out), "--cache", str(tmp_path / "cache"), "--runs", "1", *_QUICK]
    corel = ["--sets", "corel", "corel-9", "--rows", "kmeans colours+regions", "star colours+blobs"]
    corel += ["two-step", "general"]
    assert main([*command, *corel, "--data", str(data)]) == 0
    shown = capsys.readouterr().out
    records = ResultStore(out).records()
    assert len(records) == 8
    assert min(r["accuracy"] for r in records if r["row"].startswith(("kmeans", "star"))) > 0.9
    assert "| two-step |" in shown
    assert main([*command, *corel]) == 0
    assert capsys.readouterr().out == shown
    flickr = [
        "--sets",
        "flickr-10",
        "--rows",
        "organize words+colours+neighbours",
        "star words+blobs+neighbours",
    ]
    assert main([*command, *flickr, "--data", str(data)]) == 0
    assert min(r["nmi"] for r in ResultStore(out).records()[8:]) > 0.9


@pytest.mark.usefixtures("few")
def test_curves_are_drawn(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of colours become a table and a picture."""
    monkeypatch.setattr(images, "CURVES", {"colours": ((8, 64), ("star colours",))})
    assert set(CURVES) == {"colours", "blobs"}
    out = tmp_path / "images.jsonl"
    command = ["--out", str(out), "--cache", str(tmp_path / "cache"), "--runs", "2", *_QUICK]
    command += ["--sets", "corel", "--rows", "star colours", "--curves", "--data", str(data)]
    assert main(command) == 0
    assert len(ResultStore(out).records()) == 2 * 3
    assert (tmp_path / "images-corel-colours.svg").read_text().count("<circle") == 2
