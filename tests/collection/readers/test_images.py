"""Folders of photos, their captions, and the collections made of them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("PIL", reason="photos need Pillow, the extra images")

from PIL import Image

from comraf import ComrafStar
from comraf.collection.build import build_collection, update_collection
from comraf.collection.detect import detect, open_reader
from comraf.collection.options import PhotoOptions, SideOptions
from comraf.collection.readers.images import PhotoReader
from comraf.collection.store import delete_collection, open_collection
from comraf.collection.vision.codebooks import read_codebook
from comraf.errors import InputError, MissingExtraError, ReadError
from comraf.estimators.organizer import Organizer
from comraf.images import PHOTO_WEIGHTS, RegionClusters, photo_tables
from tests.collection.given import by_source


def paint(path: Path, colour: tuple[int, int, int], seed: int = 0, **options: object) -> Path:
    """A photo of one colour and some noise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(seed).integers(-20, 20, (40, 60, 3))
    pixels = np.clip(noise + colour, 0, 255).astype(np.uint8)
    Image.fromarray(pixels).save(path, **options)
    return path


@pytest.fixture
def album(tmp_path):
    """Six photos in two folders, with captions."""
    root = tmp_path / "album"
    lines = []
    for number in range(3):
        paint(root / "sea" / f"s{number}.jpg", (20, 60, 200), number)
        paint(root / "wood" / f"w{number}.png", (20, 150, 30), number)
        lines += [f"s{number}.jpg\tTwo boats on the sea .", f"w{number}.png\tA tree and trees ."]
    (root / "captions.tsv").write_text("\n".join(lines))
    return root


def test_found_by_looking(album):
    """A folder of photos with a table of captions is one of photos."""
    (album / "sea" / "s0.txt").write_text("A boat.")
    found = detect(album)
    assert found.kind == "images"
    assert "others" not in found.reason
    assert detect(album / "sea" / "s0.jpg").kind == "images"


def test_texts_beside(tmp_path):
    """One text beside each photo still makes a folder of photos; saved web pages do not."""
    for number in range(3):
        paint(tmp_path / "a" / f"{number}.jpg", (9, 9, 9))
        (tmp_path / "a" / f"{number}.txt").write_text("A night.")
        paint(tmp_path / "b" / f"{number}.gif", (9, 9, 9))
    (tmp_path / "b" / "page.html").write_text("<p>Pumps leak.")
    assert detect(tmp_path / "a").kind == "images"
    assert detect(tmp_path / "b").kind == "text"


def test_items(album):
    """Items have captions, classes, ids and features."""
    found = by_source(PhotoReader(album, truth="folders"))
    assert len(found) == 6
    item = found["sea/s1.jpg"]
    assert (item.id, item.truth) == ("sea/s1.jpg", "sea")
    assert item.text == item.title == "Two boats on the sea ."
    assert item.features


def test_collection(album, tmp_path):
    """The collection has its sides and thumbnails, and has them when it is opened again."""
    made = build_collection(PhotoReader(album), out=tmp_path / "kept")
    again = open_collection(tmp_path / "kept")
    for collection in (made, again):
        assert list(collection.sides) == ["words", "colours", "texture", "blobs"]
        assert (collection.tables["colours"].sum(axis=1) == 2400).all()
        assert (collection.tables["blobs"].sum(axis=1) == 24).all()
        assert collection.tables["texture"].shape == (6, 12)
        assert collection.sides["words"].values == ("boats", "sea", "tree")
        assert collection.photos[0].thumbnail.startswith(b"\xff\xd8")
        assert len(list(collection.photos)) == 6
        alone = list(collection.photos.region_features())
        assert (alone[5] == collection.photos[5].features).all()
    assert again.sides["colours"].facts["observed"]
    found = photo_tables(again.photos, regions=True, blobs=4)
    assert found.regions_colours.shape[0] == 144
    delete_collection(tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_jobs_change_nothing(album):
    """Several processes make the same collection as one."""
    one, two = (build_collection(PhotoReader(album), n_jobs=jobs) for jobs in (1, 2))
    for name in one.tables:
        assert one.sides[name].values == two.sides[name].values
        assert (one.tables[name] != two.tables[name]).nnz == 0


def test_no_captions(album):
    """Photos without captions have no words, not even those of their names."""
    (album / "captions.tsv").unlink()
    collection = build_collection(PhotoReader(album))
    assert list(collection.sides) == ["colours", "texture", "blobs"]
    assert collection.titles[0] == "sea/s0.jpg"
    assert not any("language" in note for note in collection.notes)


def test_chosen_sides(album):
    """Only sides that are asked for are made, of the size that is asked for."""
    options = SideOptions(sides=("colours",), photos=PhotoOptions(colours=8, space="lab"))
    collection = build_collection(PhotoReader(album), options=options)
    assert list(collection.sides) == ["colours"]
    assert len(collection.sides["colours"]) <= 8


def test_update(album, tmp_path):
    """A grown folder gives what a fresh reading gives, and old photos are not read again."""
    build_collection(PhotoReader(album), out=tmp_path / "kept")
    paint(album / "wood" / "w9.png", (30, 160, 40), 9)
    known = album / "sea" / "s0.jpg"
    stat = known.stat()
    known.write_bytes(b"x" * stat.st_size)  # would be skipped if it were read
    os.utime(known, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    updated = update_collection(tmp_path / "kept", PhotoReader(album))
    assert len(updated) == 7
    assert updated.n_skipped == 0
    assert len(updated.photos) == 7
    assert updated.tables["blobs"].shape[0] == 7
    fewer = album / "captions.tsv"
    fewer.write_text("w9.png\tA fox .")
    again = update_collection(tmp_path / "kept", PhotoReader(album))
    assert again.text(again.ids.index("wood/w9.png")) == "A fox ."
    assert again.text(again.ids.index("wood/w1.png")) == ""


def test_same_blobs(album, tmp_path):
    """New photos are counted by the blobs of earlier ones if asked to."""
    first = build_collection(PhotoReader(album), out=tmp_path / "kept")
    options = SideOptions(photos=PhotoOptions(codebook=str(tmp_path / "kept")))
    new = build_collection(PhotoReader(album / "sea"), options=options)
    assert set(new.sides["blobs"].values) <= set(first.sides["blobs"].values)
    other = build_collection(PhotoReader(album / "sea"))
    assert not set(other.sides["blobs"].values) & set(first.sides["blobs"].values)


def test_blobs_by_comraf(album, tmp_path):
    """Comraf's own blobs are kept with the collection, and new photos are counted by them."""
    by_comraf = SideOptions(photos=PhotoOptions(blobs=4, blobs_by="comraf"))
    first = build_collection(PhotoReader(album), options=by_comraf, out=tmp_path / "kept")
    book = read_codebook(str(tmp_path / "kept"))
    assert isinstance(book, RegionClusters)
    assert len(book) == 4
    options = SideOptions(photos=PhotoOptions(codebook=str(tmp_path / "kept")))
    again = build_collection(PhotoReader(album), options=options)
    assert again.sides["blobs"].values == first.sides["blobs"].values
    assert (again.tables["blobs"] != first.tables["blobs"]).nnz == 0
    assert again.options.photos.blobs_by == "comraf"
    file = tmp_path / "kept" / "codebook.parquet"
    table = pq.read_table(file)
    rows = table.column("colours").to_pylist()
    rows[2][0] = float("nan")
    pq.write_table(table.set_column(1, "colours", pa.array(rows)), file)
    with pytest.raises(ReadError, match="the blobs of the collection are damaged"):
        read_codebook(str(tmp_path / "kept"))


def test_tables_say_what_they_weigh(album):
    """Those of photos do, words do not; estimators weigh by it, and Organizer observes them."""
    collection = build_collection(PhotoReader(album))
    seen = {name: PHOTO_WEIGHTS[name] for name in collection.tables if name in PHOTO_WEIGHTS}
    assert collection.tables.weights == seen
    star = ComrafStar(2, random_state=0).fit(collection.tables)
    by_name = {edge.b: edge.weight for edge in star.result_.edges}
    assert by_name == {"words": 1.0} | {name: 0.4 * weight for name, weight in seen.items()}
    tables = photo_tables(collection.photos)
    organizer = Organizer(2, effort="quick", random_state=0).fit(tables)
    assert {edge.b: edge.weight for edge in organizer.result_.edges} == tables.weights
    assert [node.name for node in organizer.graph_.nodes if node.hidden] == ["documents"]


def test_bad_photos_are_counted(album):
    """Each thing that is no photo is skipped with its reason, and the others are read."""
    (album / "text.jpg").write_text("Dear Ann, no photo here.")
    whole = (album / "sea" / "s0.jpg").read_bytes()
    (album / "half.jpg").write_bytes(whole[: len(whole) // 2])
    (album / "none.png").write_bytes(b"")
    (album / "raw.heic").write_bytes(b"\x00" * 99)
    collection = build_collection(PhotoReader(album))
    reasons = {skip.source: skip.reason for skip in collection.skipped}
    assert reasons == {
        "text.jpg": "no photo: it is text",
        "half.jpg": "truncated",
        "none.png": "empty",
    }
    assert len(collection) == 6
    assert "1 HEIC photo is not read; export it as JPEG" in collection.notes


def test_copies_are_counted_and_kept(album):
    """Photos of the same bytes are told, and each of them stays."""
    whole = (album / "sea" / "s0.jpg").read_bytes()
    (album / "wood" / "again.jpg").write_bytes(whole)
    (album / "wood" / "once more.jpg").write_bytes(whole)
    collection = build_collection(PhotoReader(album))
    assert len(collection) == 8
    told = "2 photos are copies of others, and kept; the first: 'wood/again.jpg' of 'sea/s0.jpg'"
    assert told in collection.notes


@pytest.mark.skipif(os.name == "nt", reason="these names can't be on Windows")
def test_odd_names(album):
    """What can't be seen in a name is written as an escape, also where it is skipped."""
    whole = (album / "sea" / "s0.jpg").read_bytes()
    names = (b"two\nlines.jpg", b"ta\tb.jpg", b"caf\xe9.jpg", b"red\x1b[31m.jpg", b'q"o",.jpg')
    for name in names:
        Path(os.fsdecode(os.fsencode(album) + b"/" + name)).write_bytes(whole)
    (album / "no\nphoto.jpg").write_text("Dear Ann")
    collection = build_collection(PhotoReader(album))
    assert set(collection.ids) >= {
        r"two\nlines.jpg",
        r"ta\tb.jpg",
        r"caf\xe9.jpg",
        r"red\x1b[31m.jpg",
        'q"o",.jpg',
    }
    assert [skip.source for skip in collection.skipped] == [r"no\nphoto.jpg"]
    assert all(note.isprintable() for note in collection.notes)


@pytest.mark.parametrize(
    ("caption", "language"),
    [
        ("Man in blue", "en"),
        ("Et barn", "en"),
        ("Ein Mann mit einem Hund und der Ball", "de"),
    ],
)
def test_language_of_few_captions(album, caption, language):
    """Few words are taken for English unless they clearly are not, and nothing is announced."""
    lines = "\n".join(f"s{number}.jpg\t{caption}" for number in range(3))
    (album / "captions.tsv").write_text(lines)
    collection = build_collection(PhotoReader(album))
    assert collection.sides["words"].facts["languages"] == [language]
    assert not any("language" in note for note in collection.notes)


def test_date_and_place(tmp_path):
    """Months and places are sides."""
    for number in range(12):
        exif = Image.Exif()
        exif.get_ifd(0x8769)[0x9003] = f"2019:0{1 + number % 2}:14 18:30:05"
        exif.get_ifd(0x8825).update(
            {1: "N", 2: (48.0 + number % 3, 0.0, 0.0), 3: "E", 4: (2.0, 0.0, 0.0)}
        )
        paint(tmp_path / f"{number}.jpg", (9, 99, 9), number, exif=exif.tobytes())
    collection = build_collection(PhotoReader(tmp_path))
    assert collection.sides["months"].values == ("2019-01", "2019-02")
    assert collection.sides["places"].values == ("48.0N 2.0E", "49.0N 2.0E", "50.0N 2.0E")


def test_one_name_for_two_photos(album):
    """A caption for a name that two photos have goes to neither, unless the path tells."""
    paint(album / "wood" / "s0.jpg", (1, 2, 3))
    (album / "captions.tsv").write_text("s0.jpg\tWhich?\nwood/s0.jpg\tThis.")
    reader = PhotoReader(album)
    found = by_source(reader)
    assert found["wood/s0.jpg"].text == "This."
    assert found["sea/s0.jpg"].text == ""
    assert any("several" in note for note in reader.notes)


@pytest.mark.parametrize("content", ["", "\n\n", "file\tcaption\n"])
def test_empty_captions(album, content):
    """An empty file of captions is told, and the photos are read."""
    (album / "captions.tsv").write_text(content)
    reader = PhotoReader(album)
    assert len(by_source(reader)) == 6
    assert any("captions.tsv is empty" in note for note in reader.notes)


def test_given_captions_must_be_for_these_photos(album, tmp_path):
    """Captions given by name of which none fits are refused with a name of each side."""
    other = tmp_path / "other.tsv"
    other.write_text("x1.jpg\tA fox.\nx2.jpg\tAn owl.")
    with pytest.raises(
        InputError, match=r"other\.tsv.*none of the 6.*\(2\).*'x1\.jpg'.*'sea/s0\.jpg'"
    ):
        PhotoReader(album, captions=other).scan()
    other.write_text("x1.jpg\tA fox.\ns1.jpg\tA boat.")
    reader = PhotoReader(album, captions=other)
    assert by_source(reader)["sea/s1.jpg"].text == "A boat."
    assert any("1 caption for 1 photo not there" in note for note in reader.notes)


def test_a_caption_that_no_photo_has(album):
    """A number above that of all captions is refused, unless photos may have none."""
    with pytest.raises(InputError, match=r"caption=2.*The most are 1, of 'sea/s0\.jpg'"):
        PhotoReader(album, caption=2).scan()
    assert len(by_source(PhotoReader(album, caption=2, need_caption=False))) == 6
    (album / "captions.tsv").unlink()
    with pytest.raises(InputError, match="none of the 6 photos has a caption"):
        PhotoReader(album, caption=1).scan()
    (album / "sea" / "s2.txt").write_text("One.\nTwo.")
    assert by_source(PhotoReader(album, caption=2))["sea/s2.jpg"].text == "Two."


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("captions.json", b'{"s0.jpg": ', "is no JSON at line 1, column 12"),
        ("captions.jsonl", b'{"image": "a.jpg"}\n\n{"im', "is no JSON at line 3, column 2"),
        ("captions.json", b"[" * 100_000, "is no JSON that can be read"),
        ("captions.json", b'"A dog"', "neither a mapping"),
        ("captions.tsv", b"A dog\nA cat\n", "and the first one is 'A dog'"),
        ("captions.tsv", bytes(range(256)) * 4, "is no text"),
    ],
)
def test_what_is_wrong_with_captions(album, name, content, told):
    """Damage is told with its place and what to do, and costs no photo."""
    (album / "captions.tsv").unlink()
    (album / name).write_bytes(content)
    reader = PhotoReader(album)
    assert len(by_source(reader)) == 6
    (note,) = (note for note in reader.notes if "captions" in note)
    assert note.startswith(f"no captions: {name} ")
    assert told in note
    assert "mend it, or save the captions again" in note
    with pytest.raises(ReadError, match="mend it"):
        PhotoReader(album, captions=album / name).scan()


def test_captions_are_told(album):
    """Where captions were found, for how many photos, and how many each."""
    (album / "captions.tsv").write_text("s0.jpg\tA.\ns0.jpg\tB.\ns1.jpg\tC.")
    (album / "wood" / "w0.png.txt").write_text("A tree.")
    (album / "wood" / "captions.csv").write_text("w1.png,A path.")
    reader = PhotoReader(album)
    reader.scan()
    assert reader.captions_found() == [
        "2 of 6 photos, 1 to 2 each, in captions.tsv",
        "1 of 6 photos, 1 each, in wood/captions.csv",
        "1 of 6 photos, in texts beside them",
    ]


def test_empty_captions_hide_nothing(album):
    """Where one file of captions says nothing the next is read."""
    (album / "captions.tsv").write_text("")
    (album / "captions.csv").write_text("image,label\ns0.jpg,boat")
    (album / "captions.json").write_text('{"s0.jpg": "A <i>boat</i>."}')
    reader = PhotoReader(album)
    assert by_source(reader)["sea/s0.jpg"].text == "A boat."
    assert any("captions.tsv is empty" in note for note in reader.notes)
    assert any("no column holds captions" in note for note in reader.notes)


def test_captions_in_subfolders(album):
    """Captions beside the photos of a class are for those, and go before those above."""
    paint(album / "wood" / "s0.jpg", (1, 2, 3))
    (album / "wood" / "captions.csv").write_text("s0.jpg,A fox.\nw1.png,A path, wet.")
    reader = PhotoReader(album)
    found = by_source(reader)
    assert found["wood/s0.jpg"].text == "A fox."
    assert found["wood/w1.png"].text == "A path, wet."
    assert found["wood/w0.png"].text == "A tree and trees ."
    assert found["sea/s1.jpg"].text == "Two boats on the sea ."
    assert not any("left out by their endings" in note for note in reader.notes)


def test_one_caption_of_several(album):
    """Of several captions one can be chosen by its number."""
    (album / "captions.tsv").write_text("s0.jpg\tFirst.\ns0.jpg\tSecond.\ns1.jpg\tOnly.")
    found = by_source(PhotoReader(album, caption=2))
    assert found["sea/s0.jpg"].text == "Second."
    assert found["sea/s1.jpg"].text == ""
    assert "no caption 2" in found["sea/s1.jpg"].notes[0]
    assert by_source(PhotoReader(album))["sea/s0.jpg"].text == "First.\nSecond."


def test_sidecars(album):
    """A text beside a photo is its caption where no table has one; others are left out."""
    (album / "captions.tsv").unlink()
    (album / "sea" / "s0.jpg.txt").write_text("Long name.\nTwo lines.")
    (album / "sea" / "s1.txt").write_text("Short name.")
    (album / "sea" / "diary.txt").write_text("Nobody's.")
    reader = PhotoReader(album)
    found = by_source(reader)
    assert found["sea/s0.jpg"].text == "Long name.\nTwo lines."
    assert found["sea/s1.jpg"].text == "Short name."
    assert any("1 file left out by its ending: .txt" in note for note in reader.notes)
    assert by_source(PhotoReader(album, captions=False))["sea/s1.jpg"].text == ""


def test_cache(album, tmp_path):
    """With a cache the second reading decodes nothing, and gives the same."""
    first = by_source(PhotoReader(album, cache=tmp_path / "cache"))
    for path in (tmp_path / "cache").rglob("*.npz"):
        assert path.stat().st_size > 500
    second = by_source(PhotoReader(album, cache=tmp_path / "cache"))
    plain = by_source(PhotoReader(album))
    assert len(list((tmp_path / "cache").rglob("*.npz"))) == 6
    for source, item in plain.items():
        assert item.features == first[source].features == second[source].features


def test_leftovers_in_the_cache(album, tmp_path):
    """What a killed process left half-written goes; what is being written now stays."""
    by_source(PhotoReader(album, cache=tmp_path / "cache"))
    place = next((tmp_path / "cache").iterdir())
    old, new = place / ".old.part", place / ".new.part"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    PhotoReader(album, cache=tmp_path / "cache").scan()
    assert not old.exists()
    assert new.exists()
    assert len(list((tmp_path / "cache").rglob("*.npz"))) == 6


def test_refused(album, tmp_path):
    """Options that can't be are refused, and so is a folder without photos."""
    with pytest.raises(InputError, match="truth"):
        PhotoReader(album, truth="names")
    with pytest.raises(InputError, match="caption=0"):
        PhotoReader(album, caption=0)
    with pytest.raises(InputError, match="side=3"):
        PhotoReader(album, side=3)
    (tmp_path / "empty").mkdir()
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "text.jpg").write_text("Dear Ann")
    with pytest.raises(ReadError, match=r"'text\.jpg' is no photo, whatever its name says"):
        open_reader(tmp_path / "texts")
    with pytest.raises(ReadError, match="no photos"):
        open_reader(tmp_path / "empty", kind="images").scan()
    with pytest.raises(InputError, match="colours=4"):
        PhotoOptions(colours=4)


def test_without_pillow(album, monkeypatch):
    """Where Pillow is missing it is said how to get it."""
    monkeypatch.setitem(__import__("sys").modules, "PIL.Image", None)
    with pytest.raises(MissingExtraError, match=r"comraf\[images\]"):
        PhotoReader(album)


@pytest.mark.parametrize("inside", ["", "kept"])
def test_a_cache_among_the_photos_is_refused(album, inside):
    """Files of the cache would be found among the photos by the next run."""
    with pytest.raises(InputError, match="lies among the photos"):
        PhotoReader(album, cache=album / inside)
