"""Neighbours of photos by how they look: a side of ``comraf organize``, and for new photos."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")
from PIL import Image

from comraf.graph.photos import BESIDE_COUNTS, PHOTO_WEIGHTS
from comraf.workflows.answer import open_answer
from comraf.workflows.neighbours import FEWEST_PHOTOS, known_looks, read_neighbours
from tests.cli.talking import comraf, refused, rows

QUICK = ("-k", 2, "--effort", "quick", "--blobs", 8, "--colours", 64)
N = 36


def shot(path: Path, number: int) -> None:
    """Save a photo: even ones have the sky above the grass, odd ones the same upside down."""
    rng = np.random.default_rng(number)
    halves = np.array([(110, 160, 230), (60, 140, 50)])[[0, 1] if number % 2 == 0 else [1, 0]]
    pixels = np.repeat(np.repeat(halves[:, None], 24, axis=0), 72, axis=1)
    noise = rng.integers(-20, 21, (48, 72, 3))
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.clip(pixels + noise, 0, 255).astype(np.uint8)).save(path)


def about(answer: Path) -> dict[str, Any]:
    """What an answer tells of its neighbours."""
    return dict(json.loads((answer / "neighbours" / "about.json").read_text(encoding="utf-8")))


def weights(answer: Path) -> dict[str, float]:
    """What each side weighs in the graph of an answer, as it is opened again."""
    return {edge.b: edge.weight for edge in open_answer(answer).graph.edges}


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Photos of two kinds that have the same colours and regions, in other places."""
    folder = tmp_path_factory.mktemp("near") / "album"
    for number in range(N):
        shot(folder / f"{number:02}.png", number)
    return folder


@pytest.fixture(scope="module")
def answer(album: Path) -> Path:
    """What organize wrote about them, with nothing said about neighbours."""
    out = album.parent / "answer"
    found = comraf("organize", album, *QUICK, "--out", out)
    assert found.exit_code == 0, found.output
    assert ", neighbours." in " ".join(found.output.split())
    return out


def test_photos_have_neighbours_by_themselves(answer: Path) -> None:
    """A side that weighs as measured, kept with its scale, and no part of any name."""
    told = json.loads((answer / "result.json").read_text(encoding="utf-8"))
    assert told["parameters"]["by"] == ["colours", "texture", "blobs", "neighbours"]
    assert weights(answer) == PHOTO_WEIGHTS
    assert len(about(answer)["mean"]) == len(about(answer)["scale"]) == 30
    near = read_neighbours(answer)
    assert near is not None
    assert (near.sum(axis=1) == 15).all()
    kind = np.arange(N) % 2
    assert near.toarray()[kind[:, None] != kind].sum() == 0
    assert not any(".png" in group["name"] for group in told["groups"])
    page = (answer / "report.html").read_text(encoding="utf-8")
    assert '<h4 dir="auto">neighbours' not in page


def test_new_photos_find_neighbours(album: Path, tmp_path: Path) -> None:
    """Without any option, and on the scale of the first ones: the same photos, the same groups."""
    out = tmp_path / "out"
    made = comraf("organize", album, *QUICK, "--by", "neighbours", "--out", out)
    assert made.exit_code == 0, made.output
    groups = {row["item"]: row["cluster"] for row in rows(out / "clusters.csv")}
    assert len({groups[f"{i:02}.png"] for i in range(0, N, 2)}) == 1
    assert groups["00.png"] != groups["01.png"]
    placed = tmp_path / "placed.csv"
    again = comraf("assign", out, album, "--out", placed)
    assert again.exit_code == 0, again.output
    assert "neighbours" not in again.stderr
    assert {row["item"]: row["cluster"] for row in rows(placed)} == groups
    # one photo alone has no scale of its own
    shot(tmp_path / "new" / "x.png", 1001)
    found = comraf("assign", out, tmp_path / "new", "--out", placed, "--force")
    assert found.exit_code == 0, found.output
    assert rows(placed)[0]["cluster"] == groups["01.png"]
    looks = known_looks(out)
    assert looks is not None
    assert len(looks) == N


def test_neighbours_are_left_out(album: Path, tmp_path: Path) -> None:
    """By other sides, and for few photos; of these they are made when they are asked for."""
    found = comraf("organize", album, *QUICK, "--by", "colours,blobs", "--out", tmp_path / "a")
    assert found.exit_code == 0, found.output
    assert not (tmp_path / "a" / "neighbours").exists()
    for number in range(FEWEST_PHOTOS - 1):
        shot(tmp_path / "few" / f"{number}.png", number)
    found = comraf("organize", tmp_path / "few", *QUICK, "--out", tmp_path / "b")
    assert found.exit_code == 0, found.output
    assert not (tmp_path / "b" / "neighbours").exists()
    asked = ("--neighbours", 4, "--neighbours-copy", "tied")
    found = comraf("organize", tmp_path / "few", *QUICK, *asked, "--out", tmp_path / "c")
    assert found.exit_code == 0, found.output
    assert about(tmp_path / "c")["n_neighbors"] == 4
    assert about(tmp_path / "c")["copy"] == "tied"
    said = refused("organize", album, *QUICK, "--by", "neighbors", "--out", tmp_path / "d")
    assert "did you mean 'neighbours'" in said
    said = refused("organize", album, "--by", "blobs", *asked, "--out", tmp_path / "d")
    assert "--by blobs,neighbours" in said
    texts = tmp_path / "texts"
    texts.mkdir()
    for name in "abc":
        (texts / f"{name}.txt").write_text(f"Pump {name} leaks again.")
    said = refused("organize", texts, "--neighbours", 2, "--out", tmp_path / "d")
    assert "--embeddings FILE" in said


def test_too_many_photos_are_asked_about(
    album: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes long is left out with a word on how to have it."""
    monkeypatch.setattr("comraf.workflows.neighbours.MOST_PHOTOS", N - 1)
    found = comraf("organize", album, *QUICK, "--out", tmp_path / "out")
    assert found.exit_code == 0, found.output
    assert "--neighbours 15" in " ".join(found.stderr.split())
    assert not (tmp_path / "out" / "neighbours").exists()
    more = ("--neighbours", 15, "--out", tmp_path / "near")
    assert comraf("organize", album, *QUICK, *more).exit_code == 0
    assert about(tmp_path / "near")["n_neighbors"] == 15


def test_same_photos_have_no_neighbours(album: Path, tmp_path: Path) -> None:
    """Where all look the same none is nearer: the side is left out, or refused if asked for."""
    folder = tmp_path / "same"
    folder.mkdir()
    for number in range(FEWEST_PHOTOS):
        shutil.copy(album / "00.png", folder / f"{number}.png")
    found = comraf("organize", folder, *QUICK, "--out", tmp_path / "out")
    assert found.exit_code == 0, found.output
    assert not (tmp_path / "out" / "neighbours").exists()
    said = refused("organize", folder, *QUICK, "--by", "neighbours", "--out", tmp_path / "x")
    assert "look the same" in said


def test_embeddings_take_their_place(album: Path, tmp_path: Path) -> None:
    """Neighbours are those of the vectors, with the weight of what is counted."""
    order = np.arange(N) // (N // 2)
    np.save(tmp_path / "e.npy", np.eye(2)[order] + 0.01 * np.arange(N)[:, None])
    out = tmp_path / "out"
    found = comraf("organize", album, *QUICK, "--embeddings", tmp_path / "e.npy", "--out", out)
    assert found.exit_code == 0, found.output
    assert "scale" not in about(out)
    assert known_looks(out) is None
    assert weights(out)["neighbours"] == 1.0
    assert weights(out)["blobs"] == BESIDE_COUNTS * PHOTO_WEIGHTS["blobs"]
    shot(tmp_path / "new" / "x.png", 1001)
    told = comraf("assign", out, tmp_path / "new")
    assert told.exit_code == 0, told.output
    assert "--embeddings FILE" in " ".join(told.stderr.split())


def test_beside_captions(album: Path, tmp_path: Path) -> None:
    """Neighbours weigh as little beside words as all that is seen; nobody is named for sharing."""
    captions = tmp_path / "captions.tsv"
    lines = [f"{i:02}.png\t{'blue sky' if i % 2 else 'green grass'} photo" for i in range(N)]
    captions.write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "out"
    more = ("--captions", captions)
    found = comraf("organize", album, *QUICK, *more, "--out", out)
    assert found.exit_code == 0, found.output
    assert weights(out)["neighbours"] == pytest.approx(BESIDE_COUNTS * PHOTO_WEIGHTS["neighbours"])
    found = comraf("organize", album, *QUICK, *more, "--no-text", "--out", tmp_path / "share")
    assert found.exit_code == 0, found.output
    assert ".png" not in (tmp_path / "share" / "report.html").read_text(encoding="utf-8")
    assert not (tmp_path / "share" / "neighbours").exists()


def test_what_is_kept_may_be_gone_or_damaged(answer: Path, tmp_path: Path) -> None:
    """New photos are placed by the rest, and told so; damage is named with its file."""
    shot(tmp_path / "new" / "x.png", 1000)
    np.save(tmp_path / "e.npy", np.eye(1, 720))
    said = refused("assign", answer, tmp_path / "new", "--embeddings", tmp_path / "e.npy")
    assert "by how they look" in said
    copy = tmp_path / "copy"
    shutil.copytree(answer, copy)
    told = about(copy)
    for bad in ({"scale": [0.0] * 30}, {"mean": None}, {"mean": ["x"] * 30}, {"n_neighbors": "9"}):
        (copy / "neighbours" / "about.json").write_text(json.dumps(told | bad), encoding="utf-8")
        assert "about.json" in refused("assign", copy, tmp_path / "new"), bad
    (copy / "neighbours" / "about.json").write_text(json.dumps(told | {"weight": "much"}))
    assert "damaged" in refused("explain", copy, "04.png")
    shutil.rmtree(copy / "neighbours")
    found = comraf("assign", copy, tmp_path / "new")
    assert found.exit_code == 0, found.output
    assert "the folder neighbours of the answer, which is not there" in " ".join(
        found.stderr.split()
    )


def test_questions_lead_to_the_same_sides(album: Path, tmp_path: Path) -> None:
    """What ask groups photos by is what organize does, neighbours among it."""
    truth = tmp_path / "truth.csv"
    lines = [f"{number:02}.png,{number % 2}" for number in range(N)]
    truth.write_text("\n".join(["item,truth", *lines]), encoding="utf-8")
    out = tmp_path / "asked"
    found = comraf(
        *("ask", album, "-k", 2, "--effort", "quick", "--questions", 2),
        *("--answers-from", truth, "--out", out),
    )
    assert found.exit_code == 0, found.output
    assert weights(out) == PHOTO_WEIGHTS
