"""``comraf organize`` and its kin on folders of generated photos."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")
from PIL import Image
from typer.testing import CliRunner

from comraf.cli import app
from tests.cli.albums import QUICK, SHADES, comraf, shot
from tests.cli.talking import rows

HOSTILE = '"><script>alert(1)</script> I <3 a blue sea'


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
    assert "one-to-one accuracy 1.000, purity 1.000, NMI 1.000, ARI 1.000" in found.output
    return out


def test_photos_are_inspected(album: Path) -> None:
    """Photos not yet read are told with captions, dates, folders and what can't be read."""
    told = comraf("inspect", album).output
    assert "21 photos" in told
    assert "captions: 20 of 21 photos, 1 each, in captions.tsv" in told
    assert "folders: 2 (sea 11, wood 10); if they are classes, --truth folders" in told
    assert "skipped sea/broken.jpg: no photo: it is text" in told
    assert "tsv" not in told.split("read as images")[1].split("\n")[0]
    assert "date" not in told


def test_groups_are_named_by_colours(answer: Path) -> None:
    """Without captions groups have the names of colours, never those of blobs."""
    told = json.loads((answer / "result.json").read_text(encoding="utf-8"))
    names = [group["name"] for group in told["groups"]]
    assert any("blue" in name for name in names)
    assert any("green" in name for name in names)
    assert not any("blob" in name for name in names)
    assert "blob " not in comraf("inspect", answer).output


def pages_in(answer: Path) -> str:
    """The pages of all groups, one after the other."""
    pages = sorted((answer / "report-pages").iterdir())
    return "".join(path.read_text(encoding="utf-8") for path in pages)


def test_report_has_a_mosaic(answer: Path) -> None:
    """Every group shows its photos as JPEG files within its page, and its colours."""
    report = (answer / "report.html").read_text(encoding="utf-8")
    page = pages_in(answer)
    # six of each group in the report, all of them on the pages
    assert report.count("data:image/jpeg;base64,/9j/") == 12
    assert page.count("data:image/jpeg;base64,/9j/") == 20
    assert "img-src data:" in page
    assert not re.search(r'src="(?!data:image/jpeg;base64,)', page + report)
    assert page.count('class="swatches"') == 2
    assert 'alt="sea/sea3.jpg"' in page
    assert "photos in 2 groups" in report


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
    page = pages_in(tmp_path / "out")
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
    assert "2 new photos placed" in found.output
    placed = (tmp_path / "placed.csv").read_text(encoding="utf-8").splitlines()[1:]
    told = json.loads((answer / "result.json").read_text(encoding="utf-8"))
    names = {str(group["cluster"]): group["name"] for group in told["groups"]}
    assert "blue" in names[placed[0].split(",")[1]]
    assert "green" in names[placed[1].split(",")[1]]


def test_blobs_by_comraf(album: Path, tmp_path: Path) -> None:
    """Comraf makes the blobs of regions itself; new photos are held against these."""
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


def test_new_photos_may_have_no_captions(album: Path, tmp_path: Path) -> None:
    """Photos without captions are placed among those of which the first caption was taken."""
    made = comraf(
        *("organize", album, "-k", 2, *QUICK, "--caption", 1, "--blobs", 8),
        *("--out", tmp_path / "o"),
    )
    assert made.exit_code == 0, made.output
    shot(tmp_path / "new" / "x.jpg", SHADES["sea"], 905)
    placed = []
    for place in ("new", "new", "new/x.jpg"):
        out = tmp_path / f"{len(placed)}.csv"
        found = comraf("assign", tmp_path / "o", tmp_path / place, "--out", out)
        assert found.exit_code == 0, found.output
        placed.append(out.read_text(encoding="utf-8"))
        (tmp_path / "new" / "x.TXT").write_text("The wood and a boat number wood")
    # one photo by its name has the caption that it has in its folder
    assert placed[0] != placed[1] == placed[2]


def test_explanations_name_what_is_seen(answer: Path) -> None:
    """Blobs go by their look, and every side has a say, however much the blobs weigh."""
    told = comraf("explain", answer, "sea/sea1.jpg", "--top", 6)
    assert told.exit_code == 0, told.output
    assert told.output.startswith("sea/sea1.jpg\n")
    assert "blob " not in told.output
    assert re.search(r"blobs +\w*.*blue", told.output)
    for side in ("colours", "texture", "blobs"):
        assert re.search(rf"^ .*\b{side}\b", told.output, re.MULTILINE), side
    assert "Of all weight" in told.output


def test_trees_have_words_at_every_level(answer: Path) -> None:
    """No level of a taxonomy of photos shows colours by their numbers."""
    told = comraf("taxonomy", answer, "--sizes", "1,2,4")
    assert told.exit_code == 0, told.output
    assert "#" not in told.output
    assert "blue" in told.output


def test_questions_tell_what_is_seen(album: Path, tmp_path: Path) -> None:
    """Questions show the path, the caption, and colours and blobs in words, never their codes."""
    words = ["ask", album, "-k", 2, "--questions", 2, "--out", tmp_path / "asked"]
    found = CliRunner().invoke(
        app, [str(word) for word in words], input="d\nq\n", env={"COLUMNS": "120"}
    )
    assert found.exit_code == 0, found.output
    talk = found.output.split("Same group?")[0]
    assert re.search(r"^  (sea|wood)/\w+\.jpg$", talk, re.MULTILINE)
    assert "boat" in talk
    assert re.search(r"^  colours: .*(blue|green) \d+%", talk, re.MULTILINE)
    assert re.search(r"^  blobs: .*(blue|green)", talk, re.MULTILINE)
    assert not re.search(r"#[0-9a-f]{6}|blob \d", found.output)
    assert "documents" not in found.output


def test_files_say_what_blobs_look_like(answer: Path) -> None:
    """What is seen in photos has words in its file and in result.json, beside its own name."""
    lines = (answer / "blobs.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "blobs,photos,cluster,name,in_cluster,look"
    assert all(
        re.match(r"blob \d+ \w{8},.*(blue|green|turquoise|grey)", line) for line in lines[1:]
    )
    told = json.loads((answer / "result.json").read_text(encoding="utf-8"))
    assert told["kind"] == "images"
    assert all("look" in value for g in told["groups"] for value in g["telling"]["blobs"])
    seen = comraf("inspect", answer).output
    assert "photos" in seen
    assert "documents" not in seen
    assert "A collection of 20 photos" in comraf("inspect", answer / "collection").output


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
        assert found.exit_code == 2
        assert f"{option[0]} is about photos" in found.output
        assert "read as csv" in found.output


def test_everything_skipped_is_told(tmp_path: Path) -> None:
    """Ten of what was skipped are named in the terminal, all of it in a file."""
    for i in range(6):
        shot(tmp_path / "p" / f"{i}.jpg", SHADES["sea" if i % 2 else "wood"], i)
    for i in range(12):
        (tmp_path / "p" / f"bad{i:02}.jpg").write_text("no photo")
    (tmp_path / "p" / "=bad.jpg").write_bytes(b"")
    found = comraf("organize", tmp_path / "p", "-k", 2, *QUICK, "--out", tmp_path / "o")
    assert found.exit_code == 0, found.output
    assert "skipped bad00.jpg: no photo: it is text" in found.output
    assert "bad08.jpg" in found.output
    assert "bad09.jpg" not in found.output
    assert "skipped 3 more" in found.output
    lines = (tmp_path / "o" / "skipped.csv").read_text(encoding="utf-8").splitlines()
    assert lines[:3] == ["source,reason", "'=bad.jpg,empty", "bad00.jpg,no photo: it is text"]
    assert len(lines) == 14
    told = json.loads((tmp_path / "o" / "result.json").read_text(encoding="utf-8"))
    assert told["skipped"] == 13
    assert "skipped.csv" in told["files"]


def test_captions_for_other_photos(album: Path, tmp_path: Path) -> None:
    """What is wrong with --captions and --caption is said in options, with examples."""
    other = tmp_path / "other.tsv"
    other.write_text("x1.jpg\tA fox.")
    found = comraf("organize", album, "--captions", other, "--out", tmp_path / "o")
    assert found.exit_code == 2
    assert f"--captions {other}" in found.output.replace("\n", "")
    assert "x1.jpg" in found.output
    found = comraf("organize", album, "--caption", 4, "--out", tmp_path / "o")
    assert found.exit_code == 2
    assert "--caption 4: no photo has so many captions" in found.output
    found = comraf("organize", album, "--captions", album, "--out", tmp_path / "o")
    assert found.exit_code == 2
    assert "is a folder; give the file of captions" in " ".join(found.output.split())
    other.with_suffix(".json").write_text('{"a":')
    found = comraf(
        "organize", album, "--captions", other.with_suffix(".json"), "--out", tmp_path / "o"
    )
    assert found.exit_code == 2
    assert "line 1, column 6" in found.output
    assert "comraf organize" not in found.output


def test_months_and_places_of_cameras(tmp_path: Path) -> None:
    """What cameras write can be looked at, makes groups if named, and stands in the report."""
    for i in range(12):
        exif = Image.Exif()
        exif.get_ifd(0x8769)[0x9003] = f"2019:0{1 + i % 2}:14 18:30:05"
        exif.get_ifd(0x8825).update(
            {1: "N", 2: (48.0 + i % 2, 0.0, 0.0), 3: "E", 4: (2.0, 0.0, 0.0)}
        )
        shot(tmp_path / "p" / f"{i:02}.jpg", SHADES["sea"], i, exif=exif.tobytes())
    told = comraf("inspect", tmp_path / "p").output
    assert "date: 12 of 12; 2019-01-14 to 2019-02-14" in told
    assert "places: 12 of 12; 2 values" in told
    assert "--by colours,texture,blobs,months,places" in told
    plain = comraf("organize", tmp_path / "p", "-k", 2, *QUICK, "--out", tmp_path / "a").output
    assert "months and places describe" in plain
    found = comraf(
        *("organize", tmp_path / "p", "-k", 2, *QUICK),
        *("--by", "colours,months,places", "--out", tmp_path / "b"),
    )
    assert found.exit_code == 0, found.output
    assert "by colours" in found.output
    assert "months (2), places (2)" in found.output
    lines = (tmp_path / "b" / "clusters.csv").read_text(encoding="utf-8").splitlines()[1:]
    groups = [line.split(",")[1] for line in lines]
    assert groups[::2] == groups[:1] * 6
    assert groups[1::2] == groups[1:2] * 6
    assert groups[0] != groups[1]
    page = (tmp_path / "b" / "report.html").read_text(encoding="utf-8")
    assert "2019-01" in page
    assert "49.0N 2.0E" in page
    assert (tmp_path / "b" / "places.csv").is_file()


def test_names_come_from_what_made_the_groups(tmp_path: Path) -> None:
    """Groups by months are called by months, everywhere; photos without any are told of."""
    for i in range(12):
        exif = Image.Exif()
        if i > 1:
            exif.get_ifd(0x8769)[0x9003] = f"2019:0{1 + i % 2}:14 18:30:05"
        shot(tmp_path / "p" / f"{i:02}.jpg", SHADES["sea"], i, exif=exif.tobytes())
    (tmp_path / "p" / "captions.tsv").write_text("03.jpg\tA boat at sea\n", encoding="utf-8")
    found = comraf(
        *("organize", tmp_path / "p", "-k", 2, *QUICK, "--by", "months", "--out", tmp_path / "a")
    )
    assert found.exit_code == 0, found.output
    assert "2 photos have no months and were put anywhere" in found.output
    assert "without any" not in found.output
    told = json.loads((tmp_path / "a" / "result.json").read_text(encoding="utf-8"))
    assert sorted(group["name"] for group in told["groups"]) == ["2019-01", "2019-02"]
    assert "2019-02" in (tmp_path / "a" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("by", ["colours", "blobs", "neighbours", "colours,texture,blobs"])
def test_one_name_everywhere(tmp_path: Path, by: str) -> None:
    """The terminal calls each group as the files do, and no two alike."""
    shades = ((10, 10, 12), (12, 10, 10), (200, 30, 30), (30, 60, 170))
    for place, colour in enumerate(shades):
        for i in range(6):
            shot(tmp_path / "p" / f"{place}{i}.jpg", colour, 10 * place + i)
    out = tmp_path / "a"
    found = comraf("organize", tmp_path / "p", "-k", 4, *QUICK, "--by", by, "--out", out)
    assert found.exit_code == 0, found.output
    told = json.loads((out / "result.json").read_text(encoding="utf-8"))
    names = [group["name"] for group in told["groups"]]
    assert len(set(names)) == 4
    page = (out / "report.html").read_text(encoding="utf-8")
    for shown in (found.output, comraf("inspect", out).output):
        for name in names:
            assert re.search(rf"%?  {re.escape(name)}", shown), (name, shown)
            assert name in page


def test_photos_and_regions_at_once(album: Path, tmp_path: Path) -> None:
    """The general model of the thesis gives its groups; the folder is as any other's."""
    from comraf import Comraf
    from comraf.collection.store import open_collection
    from comraf.images import photo_tables

    out = tmp_path / "out"
    options = ["-k", 2, "--graph", "regions", "--blobs", 6, *QUICK, "--out", out]
    answer = comraf("organize", album, *options)
    assert answer.exit_code == 0, answer.output
    collection = open_collection(out / "collection")
    tables = photo_tables(collection.photos, blobs=None, texture=False, regions=True)
    graph = (tables | {"words": collection.tables["words"]}).graph(2, n_blobs=6)
    model = Comraf(graph, effort="quick", random_state=0).fit()
    found = [int(line["cluster"]) for line in rows(out / "clusters.csv")]
    assert found == model.labels_["images"].tolist()
    placed = comraf("assign", out, album, "--out", tmp_path / "placed.csv")
    assert placed.exit_code == 0, placed.output
    assert [int(line["cluster"]) for line in rows(tmp_path / "placed.csv")] == found
