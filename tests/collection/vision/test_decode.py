"""Photos of every kind, honest and hostile."""

from __future__ import annotations

import io
import struct
import zlib
from contextlib import suppress
from datetime import UTC, datetime

import numpy as np
import pytest
from PIL import GifImagePlugin, Image, ImageOps, TiffImagePlugin

from comraf.collection.vision import decode
from comraf.errors import InputError, ReadError
from comraf.images import open_photo


def png_header(width: int, height: int) -> bytes:
    """A PNG that announces a size and has next to no data."""

    def chunk(name: bytes, data: bytes) -> bytes:
        whole = name + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF"])
def test_formats(packed, form):
    """Every format gives the colour that was put in."""
    pixels = np.full((50, 80, 3), (200, 40, 30), np.uint8)
    photo = open_photo(packed(pixels, form))
    assert photo.pixels.shape == (50, 80, 3)
    assert np.abs(photo.pixels.astype(int) - (200, 40, 30)).max() < 8


def test_size(packed, noise, tmp_path):
    """The longest side is cut to what was asked for, and the photo's own size is told."""
    large = np.repeat(np.repeat(noise, 10, axis=0), 10, axis=1)
    path = tmp_path / "large.jpg"
    path.write_bytes(packed(large, "JPEG"))
    photo = open_photo(path, side=96)
    assert photo.pixels.shape == (64, 96, 3)
    assert (photo.width, photo.height) == (900, 600)


def test_draft_is_as_good(packed):
    """A JPEG decoded at a fraction of its size looks like one decoded whole."""
    ramp = np.add.outer(np.arange(1500), np.arange(1500)) // 12 % 256
    pixels = np.repeat(ramp[..., None], 3, axis=2).astype(np.uint8)
    small, whole = open_photo(packed(pixels, "JPEG")), open_photo(packed(pixels, "PNG"))
    assert small.pixels.shape == whole.pixels.shape
    assert np.abs(small.pixels.astype(int) - whole.pixels).mean() < 6


def test_tiny(packed):
    """A photo of one pixel is enlarged, so that every region has some."""
    photo = open_photo(packed(np.full((1, 1, 3), 77, np.uint8)))
    assert photo.pixels.shape == (24, 24, 3)
    assert (photo.pixels == 77).all()
    assert (photo.width, photo.height) == (1, 1)


@pytest.mark.parametrize("side", [30_000, 100_000])
def test_bomb(side):
    """A small file that announces far too many pixels is refused before it is decoded."""
    with pytest.raises(ReadError, match=r"pixels"):
        open_photo(png_header(side, side))


def test_limits_are_ours(packed, noise):
    """Sizes are refused by the limit of their format with the size named, not by Pillow's."""
    before = Image.MAX_IMAGE_PIXELS
    with pytest.raises(ReadError, match=r"^20,000 x 9,000 pixels: more than the 64 million"):
        open_photo(png_header(20_000, 9_000))
    data = packed(noise, "JPEG")
    at = data.index(b"\xff\xc0") + 5
    with pytest.raises(ReadError, match=r"^15,000 x 15,000 pixels: more than the 200 million"):
        open_photo(data[:at] + struct.pack(">HH", 15_000, 15_000) + data[at + 4 :])
    # Pillow alone opens nothing above 179 million
    assert open_photo(data[:at] + struct.pack(">HH", 14_000, 13_700) + data[at + 4 :]).width
    assert before == Image.MAX_IMAGE_PIXELS


@pytest.mark.parametrize(
    ("kind", "head"),
    [
        (b"VP8X", bytes(8) + (16_000 - 1).to_bytes(3, "little") * 2),
        (b"VP8L", bytes(4) + b"/" + (15_999 | 15_999 << 14).to_bytes(4, "little")),
        (b"VP8 ", bytes(10) + (16_000).to_bytes(2, "little") * 2),
    ],
)
def test_large_webp(kind, head):
    """The size of a WebP file is checked before its decoder takes any memory."""
    with pytest.raises(ReadError, match=r"^16,000 x 16,000 pixels"):
        open_photo(b"RIFF\x00\x00\x00\x00WEBP" + kind + head + bytes(50))


@pytest.mark.parametrize("mode", ["I;16", "RGBA", "RGB", "P", "LA", "1"])
def test_large_photos_in_strips(packed, mode, monkeypatch):
    """A large photo is made small in strips: the same picture, upright, as from the whole."""
    monkeypatch.setattr("comraf.collection.vision.decode._STRIP", 20_000)
    ramp = np.repeat(np.linspace(0, 255, 1001)[:, None], 801, axis=1)
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    if mode == "I;16":
        image = Image.fromarray((ramp * 257).astype(np.uint16))
    else:
        image = Image.fromarray(ramp.astype(np.uint8)).convert(mode)
    photo = open_photo(packed(image, exif=exif.tobytes()))
    assert photo.pixels.shape == (192, 154, 3)
    assert (photo.width, photo.height) == (801, 1001)
    wanted = np.linspace(255, 0, 192)
    assert np.abs(photo.pixels.mean(axis=(1, 2)) - wanted).mean() < 4


def test_large_and_transparent(packed):
    """Colours that can't be seen don't bleed into those that can when a photo is made small."""
    clear = np.zeros((900, 900, 4), np.uint8)
    clear[::2] = (200, 100, 0, 255)
    pixels = open_photo(packed(clear)).pixels
    assert np.abs(pixels.astype(int) - (227, 177, 127)).max() <= 3


def test_truncated(packed, noise):
    """A JPEG that ends too early is told to be truncated."""
    data = packed(np.repeat(noise, 5, axis=0), "JPEG")
    with pytest.raises(ReadError, match=r"^truncated"):
        open_photo(data[: len(data) // 2])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"Dear Ann,\nthis is no photo.", "it is text"),
        (b"", "empty"),
        (b"\x00\x01\x02\x03" * 9, "no photo"),
        (b"\xff\xd8\xff" + b"\xab" * 200, "damaged|truncated"),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "damaged|truncated"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "damaged|truncated"),
    ],
)
def test_no_photo(data, reason):
    """What is no photo is refused with a reason."""
    with pytest.raises(ReadError, match=reason):
        open_photo(data)


def test_hostile_bytes(packed, noise):
    """Bytes turned at random give a photo or a ReadError, and nothing else."""
    rng = np.random.default_rng(0)
    for form in ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP"):
        whole = np.frombuffer(packed(noise[:30, :40], form), np.uint8)
        for _ in range(25):
            data = whole.copy()
            places = rng.integers(0, len(data), 6)
            data[places] = rng.integers(0, 256, 6)
            with suppress(ReadError):
                assert open_photo(data.tobytes()).pixels.dtype == np.uint8


@pytest.mark.parametrize("way_up", range(1, 9))
@pytest.mark.parametrize("form", ["PNG", "TIFF", "WEBP"])
def test_every_way_up(packed, noise, form, way_up):
    """All eight ways to hold a camera give what Pillow's own turning gives."""
    exif = Image.Exif()
    exif[0x0112] = way_up
    lossless = {"lossless": True} if form == "WEBP" else {}
    photo = open_photo(packed(noise, form, exif=exif.tobytes(), **lossless))
    wanted = Image.fromarray(noise)
    wanted.getexif()[0x0112] = way_up
    assert (photo.pixels == np.asarray(ImageOps.exif_transpose(wanted))).all()
    assert photo.pixels.shape[:2] == (photo.height, photo.width)


def test_odd_exif_is_no_reason_to_lose_a_photo(packed, noise):
    """A turned photo with EXIF that can be read but not written again is decoded, and turned."""
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x011A] = 72.0
    # the resolution, a fraction, said to be of another type
    raw = exif.tobytes().replace(b"\x01\x1a\x00\x05", b"\x01\x1a\x00\x02")
    raw = raw.replace(b"\x1a\x01\x05\x00", b"\x1a\x01\x02\x00")
    data = packed(noise, "JPEG", exif=raw)
    with pytest.raises(Exception, match="abs"):
        ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    assert open_photo(data).pixels.shape == (90, 60, 3)


@pytest.mark.parametrize("value", [99, 0])
def test_senseless_way_up(packed, noise, value):
    """A way up that is none leaves the photo as it is."""
    exif = Image.Exif()
    exif[0x0112] = value
    assert open_photo(packed(noise, "JPEG", exif=exif.tobytes())).pixels.shape == (60, 90, 3)


def test_frames_are_not_counted(packed, noise, monkeypatch):
    """That there are more frames is asked, how many not: pages of a TIFF take their square."""
    frames = [Image.fromarray(np.roll(noise, n, axis=1)) for n in range(3)]

    def walk(image):
        raise AssertionError("all frames were walked through")

    monkeypatch.setattr(TiffImagePlugin.TiffImageFile, "n_frames", property(walk))
    monkeypatch.setattr(GifImagePlugin.GifImageFile, "n_frames", property(walk))
    for form in ("TIFF", "GIF"):
        several = io.BytesIO()
        frames[0].save(several, form, save_all=True, append_images=frames[1:])
        assert open_photo(several.getvalue()).notes == ("animated: the first frame is taken",)
        assert open_photo(packed(noise, form)).notes == ()


@pytest.mark.parametrize("form", ["JPEG", "TIFF"])
def test_cmyk(packed, form):
    """Colours of print become RGB."""
    pixels = np.full((40, 40, 3), (250, 10, 10), np.uint8)
    red = open_photo(packed(pixels, form, mode="CMYK")).pixels[20, 20]
    assert red[0] > 200
    assert red[1] < 60
    assert red[2] < 60


@pytest.mark.parametrize("form", ["PNG", "TIFF"])
def test_sixteen_bits(packed, form):
    """Of 16 bits a value the upper ones count, not what is left below."""
    values = np.linspace(0, 65535, 100 * 100).reshape(100, 100).astype(np.uint16)
    grey = open_photo(packed(values, form)).pixels
    assert grey[0].mean() < 5
    assert grey[-1].mean() > 250
    assert 120 < grey[50].mean() < 135


def test_grey(packed, noise):
    """A grey photo has three equal channels."""
    pixels = open_photo(packed(noise, "JPEG", mode="L")).pixels
    assert (pixels[..., 0] == pixels[..., 2]).all()


def test_transparent_is_white(packed):
    """What is transparent, in a palette or not, is white."""
    clear = np.zeros((30, 30, 4), np.uint8)
    clear[:15] = (10, 20, 30, 255)
    palette = Image.fromarray(np.array([[0, 1]] * 30, np.uint8).repeat(15, axis=1), "P")
    palette.putpalette([0, 0, 0, 9, 9, 9])
    for data, dark, light in (
        (packed(clear), (5, 5), (25, 25)),
        (packed(palette, transparency=0), (5, 25), (5, 5)),
    ):
        pixels = open_photo(data).pixels
        assert pixels[dark].max() <= 30
        assert pixels[light].min() == 255


def test_animated(packed):
    """Of a film the first frame is taken, and that is told."""
    frames = [Image.new("RGB", (30, 30), (value, 0, 0)) for value in (200, 0, 90)]
    for form in ("GIF", "WEBP"):
        photo = open_photo(packed(frames[0], form, save_all=True, append_images=frames[1:]))
        assert photo.pixels[10, 10, 0] > 190
        assert "animated" in photo.notes[0]


def test_date_and_place(packed, noise):
    """When and where come from EXIF, the place to a tenth of a degree."""
    exif = Image.Exif()
    exif.get_ifd(0x8769).update({0x9003: "2019:07:14 18:30:05", 0x9011: "+02:00"})
    exif.get_ifd(0x8825).update({1: "S", 2: (33.0, 51.0, 36.0), 3: "W", 4: (70.0, 3.0, 0.0)})
    photo = open_photo(packed(noise, "JPEG", exif=exif.tobytes()))
    assert photo.date == datetime(2019, 7, 14, 16, 30, 5, tzinfo=UTC)
    assert photo.place == "33.9S 70.0W" or photo.place == "33.9S 70.1W"


@pytest.mark.parametrize(
    ("date", "gps"),
    [
        ("0000:00:00 00:00:00", {1: "N", 2: (0.0, 0.0, 0.0), 3: "E", 4: (0.0, 0.0, 0.0)}),
        ("yesterday", {1: "Q", 2: (3.0, 0.0, 0.0), 3: "E", 4: (0.0, 0.0, 0.0)}),
        ("2019:13:45 99:99:99", {1: "N", 2: (200.0, 0.0, 0.0), 3: "E", 4: (1.0, 0.0, 0.0)}),
    ],
)
def test_senseless_exif(packed, noise, date, gps):
    """A camera that was never set says nothing, and the photo stays."""
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0x9003] = date
    exif.get_ifd(0x8825).update(gps)
    photo = open_photo(packed(noise, "JPEG", exif=exif.tobytes()))
    assert photo.date is None
    assert photo.place == ""


def test_damaged_exif(packed, noise):
    """EXIF of rubbish costs the date, not the photo."""
    data = packed(noise, "JPEG", exif=b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\xff\xff" + b"\xee" * 90)
    assert open_photo(data).pixels.shape == (60, 90, 3)


def test_bad_side(packed, noise):
    """A side that can't be is refused by name."""
    with pytest.raises(InputError, match="side=0"):
        open_photo(packed(noise), side=0)


def test_missing_file(tmp_path):
    """A file that is not there is named."""
    with pytest.raises(ReadError, match=r"none\.jpg"):
        open_photo(tmp_path / "none.jpg")


def test_several_jpegs_in_one(packed, noise):
    """What phones write as several JPEGs in one file is read as its first."""
    image = Image.fromarray(noise)
    file = io.BytesIO()
    image.save(file, "MPO", save_all=True, append_images=[image.rotate(180)])
    assert open_photo(file.getvalue()).pixels.shape == (60, 90, 3)


@pytest.mark.parametrize(("extra", "refused"), [(0, False), (1, True)])
@pytest.mark.parametrize("kind", ["png", "webp", "jpeg", "progressive", "by colour", "odd bytes"])
def test_pixels_at_the_limit_are_decoded_and_one_row_more_is_not(
    kind: str, extra: int, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each format has a limit of its own; a JPEG of several scans has that of whole photos."""
    monkeypatch.setattr(decode, "_MOST_PIXELS", {"jpeg": 100 * 60, "webp": 100 * 40})
    monkeypatch.setattr(decode, "_MOST_PIXELS_WHOLE", 100 * 50)
    rows = {"png": 50, "webp": 40, "jpeg": 60}.get(kind, 50) + extra
    data = io.BytesIO()
    how = {"png": "PNG", "webp": "WEBP"}.get(kind, "JPEG")
    options = {"progressive": True} if kind in ("progressive", "odd bytes") else {}
    Image.new("RGB", (100, rows), "red").save(data, how, **options)
    found = data.getvalue()
    if kind == "odd bytes":  # after the first part, which decoders step over
        found = found[:20] + b"\x00" + found[20:]
    if kind == "by colour":  # the first scan says that it has one of the three colours
        at = found.index(b"\xff\xda")
        found = found[: at + 4] + b"\x01" + found[at + 5 :]
    if refused:
        with pytest.raises(ReadError, match="pixels: more than"):
            decode.open_photo(found)
    elif kind == "by colour":
        with pytest.raises(ReadError, match=r"damaged|truncated"):
            decode.open_photo(found)
    else:
        assert decode.open_photo(found).height == rows


def test_real_limits_of_pixels() -> None:
    """What SECURITY.md and the page on hostile files say."""
    assert decode._MOST_PIXELS == {"jpeg": 200_000_000, "webp": 32_000_000}
    assert decode._MOST_PIXELS_WHOLE == 64_000_000
