"""``comraf organize`` and its kin on folders of generated photos."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")
from PIL import Image
from typer.testing import CliRunner, Result

from comraf.cli import app
from comraf.cli.choices import BlobsBy
from comraf.images.tables import BLOBS_BY

SHADES = {"sea": (30, 60, 170), "wood": (40, 110, 30)}
QUICK = ("--effort", "quick")
HOSTILE = '"><script>alert(1)</script> I <3 a blue sea'


def shot(path: Path, colour: tuple[int, int, int], seed: int) -> None:
    """Save a photo of one colour with some noise."""
    noise = np.random.default_rng(seed).integers(-25, 26, (48, 64, 3))
    pixels = np.clip(np.array(colour) + noise, 0, 255).astype(np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, quality=90)


def comraf(*words: object) -> Result:
    """Run the command line."""
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "120"})


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders of ten photos each, a damaged one, and captions for all."""
    folder = tmp_path_factory.mktemp("photos") / "album"
    lines = []
    for place, (name, colour) in enumerate(SHADES.items()):
        for i in range(10):
            shot(folder / name / f"{name}{i}.jpg", colour, 100 * place + i)
            lines.append(f"{name}/{name}{i}.jpg\tThe {name} and a boat number {name}")
    lines[0] = f"sea/sea0.jpg\t{HOSTILE}"
    (folder / "captions.tsv").write_text("\n".join(lines), encoding="utf-8")
    (folder / "sea" / "broken.jpg").write_text("no photo at all")
    return folder


@pytest.fixture(scope="module")
def answer(album: Path) -> Path:
    """What organize wrote about the album, without its captions."""
    out = album.parent / "answer"
    bare = album.parent / "bare"
    shutil.copytree(album, bare, ignore=shutil.ignore_patterns("captions.tsv"))
    found = comraf(
        "organize",
        bare,
        "-k",
        2,
        "--effort",
        "quick",
        "--truth",
        "folders",
        "--colours",
        64,
        "--blobs",
        8,
        "--out",
        out,
    )
    assert found.exit_code == 0, found.output
    assert "20 photos (images, 1 skipped) in 2 groups by colours" in found.output
    assert "100.0% accuracy" in found.output
    return out


def test_photos_are_inspected(album: Path) -> None:
    """Photos not yet read are counted as photos."""
    assert "21 photos" in comraf("inspect", album).output


def test_groups_are_named_by_colours(answer: Path) -> None:
    """Without captions groups have the names of colours, never those of blobs."""
    told = json.loads((answer / "result.json").read_text(encoding="utf-8"))
    names = [group["name"] for group in told["groups"]]
    assert any("blue" in name for name in names)
    assert any("green" in name for name in names)
    assert not any("blob" in name for name in names)
    assert "blob " not in comraf("inspect", answer).output


def test_report_has_a_mosaic(answer: Path) -> None:
    """Every group shows its photos as JPEG files within the page, and its colours."""
    page = (answer / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/jpeg;base64,/9j/") == 20
    assert "img-src data:" in page
    assert not re.search(r'src="(?!data:image/jpeg;base64,)', page)
    assert page.count('class="swatches"') == 2
    assert 'alt="sea/sea3.jpg"' in page
    assert "photos in 2 groups" in page


def test_captions_are_words_and_escaped(album: Path, tmp_path: Path) -> None:
    """Captions make groups and stand in the page, but never as markup."""
    found = comraf(
        "organize",
        album,
        "-k",
        2,
        "--effort",
        "quick",
        "--by",
        "words,colours",
        "--out",
        tmp_path / "out",
    )
    assert found.exit_code == 0, found.output
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "alert(1)" not in page
    assert "I &lt;3 a blue sea" in page
    assert "names and captions" in page
    assert (tmp_path / "out" / "words.csv").is_file()


def test_without_text_there_are_no_photos(album: Path, tmp_path: Path) -> None:
    """--no-text leaves out thumbnails, captions and file names; colours stay."""
    found = comraf("organize", album, "-k", 2, *QUICK, "--no-text", "--out", tmp_path / "out")
    assert found.exit_code == 0, found.output
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "data:image/jpeg" not in page
    assert "sea3" not in page
    assert (
        "number" not in page.split("</thead>")[1].split("<footer")[0] or "boat number" not in page
    )
    assert 'class="swatches"' in page
    assert not (tmp_path / "out" / "collection").exists()


def test_new_photos_are_placed(answer: Path, tmp_path: Path) -> None:
    """New photos go to the group of their colour, by the palette and blobs of the first ones."""
    shot(tmp_path / "new" / "x.jpg", SHADES["sea"], 901)
    shot(tmp_path / "new" / "y.jpg", SHADES["wood"], 902)
    found = comraf("assign", answer, tmp_path / "new", "--out", tmp_path / "placed.csv")
    assert found.exit_code == 0, found.output
    placed = (tmp_path / "placed.csv").read_text(encoding="utf-8").splitlines()[1:]
    told = json.loads((answer / "result.json").read_text(encoding="utf-8"))
    names = {str(group["cluster"]): group["name"] for group in told["groups"]}
    assert "blue" in names[placed[0].split(",")[1]]
    assert "green" in names[placed[1].split(",")[1]]


def test_blobs_by_comraf(album: Path, tmp_path: Path) -> None:
    """Comraf makes the blobs of regions itself; new photos are held against these."""
    assert {name.value for name in BlobsBy} == set(BLOBS_BY)
    said = ("--blobs-by", "comraf", "--by", "blobs", "--blobs", 6)
    found = comraf("organize", album, "-k", 2, *QUICK, *said, "--out", tmp_path / "out")
    assert found.exit_code == 0, found.output
    shot(tmp_path / "new" / "x.jpg", SHADES["sea"], 911)
    placed = comraf("assign", tmp_path / "out", tmp_path / "new", "--out", tmp_path / "new.csv")
    assert placed.exit_code == 0, placed.output
    group = (tmp_path / "new.csv").read_text(encoding="utf-8").splitlines()[1].split(",")[1]
    rows = (tmp_path / "out" / "clusters.csv").read_text(encoding="utf-8").splitlines()
    assert any(row.startswith(f"sea/sea3.jpg,{group},") for row in rows)


def test_new_photos_without_the_codebook(answer: Path, tmp_path: Path) -> None:
    """A model whose collection is gone places new photos by the rest, and says so."""
    shutil.copytree(answer / "model", tmp_path / "model")
    shot(tmp_path / "new" / "x.jpg", SHADES["sea"], 903)
    found = comraf("assign", tmp_path / "model", tmp_path / "new")
    assert found.exit_code == 0, found.output
    assert "without them" in found.output


def test_kin_work_on_photos(answer: Path) -> None:
    """Explain and evaluate take an answer about photos."""
    told = comraf("explain", answer, "sea/sea1.jpg")
    assert told.exit_code == 0, told.output
    assert "colours" in told.output
    scored = comraf("evaluate", answer)
    assert scored.exit_code == 0, scored.output


def test_options_of_photos_are_for_photos(tmp_path: Path) -> None:
    """Options about photos are refused for anything else, by their name."""
    table = tmp_path / "t.csv"
    table.write_text("text\nsome words here\nother words there\n")
    for option in (
        ("--colours", 64),
        ("--blobs-by", "comraf"),
        ("--caption", 1),
        ("--photo-cache", tmp_path),
    ):
        found = comraf("organize", table, *option, "--out", tmp_path / "o")
        assert found.exit_code != 0
        assert option[0] in found.output


def test_what_was_seen_is_kept(tmp_path: Path) -> None:
    """A second run reads every photo's features from the cache, and finds the same groups."""
    for i in range(6):
        shot(tmp_path / "p" / f"{i}.jpg", SHADES["sea" if i % 2 else "wood"], i)
    groups = []
    for name in ("a", "b"):
        out = tmp_path / name
        found = comraf(
            *("organize", tmp_path / "p", "-k", 2, "--effort", "quick"),
            *("--photo-cache", tmp_path / "cache", "--out", out),
        )
        assert found.exit_code == 0, found.output
        groups.append((out / "clusters.csv").read_text())
        kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.npz")}
        assert len(kept) == 6
        if name == "a":
            first = kept
    assert kept == first
    assert groups[0] == groups[1]
