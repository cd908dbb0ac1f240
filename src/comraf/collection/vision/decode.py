"""Files become pixels: small, upright, RGB, and never more work than their header allows.

The size that a file's header announces is checked before anything is decoded, so that a
small file can't fill the memory. A JPEG is decoded at a fraction of its size where that is
enough, which makes large honest photos cheap; but not one that comes in several scans, all of
which are held in memory at full size.
"""

from __future__ import annotations

import io
import os
import struct
import warnings
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.vision.kinds import photo_format, unread_format
from comraf.errors import ReadError, import_extra
from comraf.parameters import check_int

__all__ = ["Photo", "need_pillow", "open_photo", "read_bytes"]

MOST_BYTES = 256 << 20
"""Files above this are not opened."""

# A JPEG is decoded at an eighth of its size if need be, other formats as a whole.
_MOST_PIXELS = {"jpeg": 200_000_000, "webp": 32_000_000}
_MOST_PIXELS_WHOLE = 64_000_000
_LEAST_SIDE = 24
# pixels of a large photo that are converted at a time
_STRIP = 1_000_000
_PLAIN = ("RGB", "L", "CMYK")
_CLEAR = ("RGBA", "LA", "PA", "La", "RGBa")
_EXIF, _GPS, _WAY_UP = 0x8769, 0x8825, 0x0112
# ImageOps.exif_transpose would do it, but writes all EXIF anew, and fails on fields that are odd
_TURNS = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}
_DATES = (0x9003, 0x9004)
_FILE_DATE = 0x0132
_ZONE = 0x9011


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """A photo as it is looked at.

    Attributes
    ----------
    pixels : ndarray of uint8, height x width x 3
        Upright RGB, the longest side no longer than asked for.
    width, height : int
        Of the photo itself, upright.
    date : datetime or None
        When it was taken, in UTC; a camera that tells no zone is taken to mean UTC.
    place : str
        Where, to a tenth of a degree: "48.9N 2.4E"; empty when unknown.
    notes : tuple of str
        What had to be left out or guessed.
    """

    pixels: NDArray[np.uint8]
    width: int
    height: int
    date: datetime | None = None
    place: str = ""
    notes: tuple[str, ...] = ()


def need_pillow() -> None:
    """Raise a clear error where Pillow is missing.

    Examples
    --------
    >>> need_pillow()
    """
    how = 'photos are decoded by Pillow; install it with: pip install "comraf[images]"'
    import_extra("PIL.Image", how)


def open_photo(source: str | os.PathLike[str] | bytes, side: int = 192) -> Photo:
    """Decode a photo at a small size.

    Parameters
    ----------
    source : path-like or bytes
        A file, or what is in it: JPEG, PNG, WebP, GIF, BMP or TIFF. Of several frames the
        first is taken; what is transparent is white.
    side : int, default 192
        The longest side of the pixels that come back; smaller photos stay as they are.

    Returns
    -------
    Photo

    Raises
    ------
    ReadError
        It is no photo, truncated, damaged, or far too large; the message says which.
    MissingExtraError
        Pillow is not installed.

    Examples
    --------
    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (400, 300), (200, 10, 10)).save(file, "PNG")
    >>> photo = open_photo(file.getvalue())
    >>> photo.pixels.shape, photo.width, photo.pixels[0, 0].tolist()
    ((144, 192, 3), 400, [200, 10, 10])
    """
    need_pillow()
    check_int("side", side, _LEAST_SIDE)
    data = source if isinstance(source, bytes) else read_bytes(source)
    found = photo_format(data[:16])
    if not found:
        raise ReadError(_no_photo(data))
    from PIL import Image

    try:
        with warnings.catch_warnings():
            # the size is checked below, and damaged EXIF is no reason to tell everybody
            warnings.simplefilter("ignore")
            if found == "webp":
                # its decoder takes the memory for the whole photo as soon as it is opened
                _check_size(_webp_size(data), found)
            with _opened(data, found) as image:
                scans = found == "jpeg" and _several_scans(data)
                _check_size(image.size, found, scans=scans)
                return _decoded(image, found, side)
    except ReadError:
        raise
    except Image.DecompressionBombError as error:
        raise ReadError(f"far too large: {error}") from None
    except MemoryError:
        raise ReadError("too large for the memory") from None
    except EOFError:
        raise ReadError("truncated") from None
    # Pillow raises nearly anything on damaged files, its plugins are many
    except (OSError, ValueError, SyntaxError, LookupError, TypeError, AttributeError) as error:
        raise ReadError(_damage(error)) from error
    except (ArithmeticError, AssertionError, RuntimeError, struct.error, zlib.error) as error:
        raise ReadError(_damage(error)) from error


def read_bytes(source: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file that is not larger than a photo may be.

    Examples
    --------
    >>> read_bytes("nowhere.jpg")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: nowhere.jpg: can't be read: No such file or directory
    """
    try:
        with open(source, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ReadError(f"{os.fspath(source)}: can't be read: {reason}") from error
    if len(data) > MOST_BYTES:
        raise ReadError(f"larger than {MOST_BYTES >> 20} MB")
    return data


def _opened(data: bytes, found: str) -> Any:
    """Open a photo without Pillow's own limit of pixels."""
    # ``Image.open`` refuses photos by one limit for all formats, before their size can be told, and
    # the limit belongs to the whole process. What it calls for a format has no such limit.
    from PIL import Image

    name = found.upper()
    if name not in Image.OPEN:
        Image.init()
    # several JPEGs in one file, as some phones write them, come from the same factory
    factory: Any = Image.OPEN[name][0]
    return factory(io.BytesIO(data), "")


def _check_size(size: tuple[int, int], found: str, *, scans: bool = False) -> None:
    width, height = size
    most = _MOST_PIXELS_WHOLE if scans else _MOST_PIXELS.get(found, _MOST_PIXELS_WHOLE)
    if width * height > most:
        raise ReadError(
            f"{width:,} x {height:,} pixels: more than the {most // 1_000_000} million that are "
            f"decoded of a {found.upper()} file{' of several scans' if scans else ''}"
        )


def _webp_size(data: bytes) -> tuple[int, int]:
    """The size in the header of a WebP file, 0 x 0 where there is none."""
    kind = data[12:16]
    if kind == b"VP8X":
        return (
            1 + int.from_bytes(data[24:27], "little"),
            1 + int.from_bytes(data[27:30], "little"),
        )
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    wide, high = (int.from_bytes(data[at : at + 2], "little") & 0x3FFF for at in (26, 28))
    return wide, high


def _several_scans(data: bytes) -> bool:
    """Tell whether a JPEG comes in several scans: progressive, or colour by colour."""
    at, parts = 2, 0
    while at + 10 <= len(data) and data[at] == 0xFF:
        mark = data[at + 1]
        if mark == 0xFF:  # filling
            at += 1
        elif mark == 0x01 or 0xD0 <= mark <= 0xD8:
            at += 2
        elif mark == 0xDA:  # the first scan
            return data[at + 4] < parts
        else:
            if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
                if mark & 3 == 2:
                    return True
                parts = data[at + 9]
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    # something between the parts, which decoders step over; or no picture at all
    return at + 10 <= len(data)


def _no_photo(data: bytes) -> str:
    if not data.strip(b"\x00 \t\r\n"):
        return "empty"
    if unread := unread_format(data[:256]):
        return f"{unread} photos are not read; export them as JPEG"
    head = data[:512]
    text = b"\x00" not in head and sum(byte < 9 or 13 < byte < 32 for byte in head) == 0
    return "no photo: it is text" if text else "no photo of a kind that is known"


def _damage(error: Exception) -> str:
    reason = " ".join(str(error).split())[:200]
    if "truncated" in reason.lower() or "unexpected end" in reason.lower():
        return "truncated"
    return f"damaged: {reason or type(error).__name__}"


def _decoded(image: Any, found: str, side: int) -> Photo:
    from PIL import Image

    width, height = image.size
    notes: list[str] = []
    exif = _exif(image, notes)
    # how many frames there are is told by walking through all of them, which takes too long
    if getattr(image, "is_animated", False) and found != "jpeg":
        notes.append("animated: the first frame is taken")
    if found == "jpeg":
        # twice the size that is wanted, so that what comes out is as sharp as from the whole
        image.draft("RGB", (2 * side, 2 * side))
    if image.mode == "CMYK" and found == "jpeg":
        notes.append("CMYK: colours are near enough")
    image = _plain(image, side)
    # not before the pixels are there: Pillow turns a TIFF as it decodes it, and says so then
    way_up = _way_up(exif)
    small = image
    if way_up in _TURNS:
        small = image.transpose(getattr(Image.Transpose, _TURNS[way_up]))
        if way_up >= 5:
            width, height = height, width
    if max(small.size) > side:
        small = small.copy() if small is image else small
        if small.mode not in ("RGB", "L", "CMYK"):
            small = small.convert("RGB")
        small.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=2.0)
    small = small.convert("RGB")
    if min(small.size) < _LEAST_SIDE:
        # every region of the grid needs a pixel
        wide, high = small.size
        size = (max(wide, _LEAST_SIDE), max(high, _LEAST_SIDE))
        small = small.resize(size, Image.Resampling.NEAREST)
    pixels = np.array(small, dtype=np.uint8)
    date, place = _taken(exif)
    return Photo(pixels, width, height, date, place, tuple(notes))


def _plain(image: Any, side: int) -> Any:
    """Bytes without transparency, and of a large photo fewer of them."""
    # A large photo goes through this in strips: copies of the whole, of several bytes or floats a
    # pixel, would take many times the memory of the photo itself.
    from PIL import Image

    image.load()
    numbers = image.mode.startswith(("I", "F"))
    # twice the size that is wanted: no less sharp in the end
    factor = max(1, max(image.size) // (2 * side))
    if factor == 1 and not numbers and image.mode in _PLAIN and "transparency" not in image.info:
        return image
    width, height = image.size
    rows = factor * max(1, _STRIP // (width * factor))
    size = (-(-width // factor), -(-height // factor))
    strips = ((top, (0, top, width, min(top + rows, height))) for top in range(0, height, rows))
    if numbers:
        parts = [_averages(image.crop(box), factor) for _, box in strips]
        values = np.concatenate([part[0] for part in parts])
        low, high = min(part[1] for part in parts), max(part[2] for part in parts)
        made = Image.fromarray(_as_bytes(values, image.mode, low, high))
    else:
        made = Image.new("L" if image.mode in ("1", "L") else "RGB", size)
        for top, box in strips:
            strip = _on_white(image.crop(box))
            made.paste(strip.reduce(factor).convert(made.mode), (0, top // factor))
    return made


def _averages(strip: Any, factor: int) -> tuple[NDArray[np.float64], float, float]:
    """Averages of squares of a strip's numbers, their least and their largest."""
    values = np.asarray(strip, dtype=np.float64)
    values = np.where(np.isfinite(values), values, 0.0)
    low, high = float(values.min()), float(values.max())
    for axis in (0, 1):
        starts = np.arange(0, values.shape[axis], factor)
        counts = np.diff(starts, append=values.shape[axis])
        sums = np.add.reduceat(values, starts, axis=axis)
        values = sums / (counts[:, None] if axis == 0 else counts)
    return values, low, high


def _as_bytes(values: NDArray[np.float64], mode: str, low: float, high: float) -> NDArray[np.uint8]:
    """Of 16 bits the upper 8; of other numbers, what lies between the least and the largest."""
    if mode.startswith("I") and low >= 0:
        if not mode.startswith("I;16") and high <= 255:
            return values.astype(np.uint8)
        if high <= 65535:
            return np.rint(values / 257.0).astype(np.uint8)
    spread = (values - low) * (255.0 / (high - low)) if high > low else np.zeros_like(values)
    return np.rint(spread).astype(np.uint8)


def _on_white(image: Any) -> Any:
    from PIL import Image

    if image.mode not in _CLEAR and "transparency" not in image.info:
        if image.mode == "1":
            return image.convert("L")
        return image if image.mode in _PLAIN else image.convert("RGB")
    clear = image.convert("RGBA")
    white = Image.new("RGBA", clear.size, (255, 255, 255, 255))
    return Image.alpha_composite(white, clear).convert("RGB")


def _exif(image: Any, notes: list[str]) -> Any:
    try:
        return image.getexif()
    # EXIF is written by thousands of programs, and some of it is beyond reading
    except Exception:  # noqa: BLE001
        notes.append("EXIF that can't be read is left out")
        image.info.pop("exif", None)
        return {}


def _way_up(exif: Any) -> int:
    """The number by which EXIF tells how the camera was held, 1 where it tells nothing."""
    try:
        value = exif.get(_WAY_UP, 1)
    except Exception:  # noqa: BLE001 as above: the fields are decoded when they are asked for
        return 1
    return value if isinstance(value, int) else 1


def _taken(exif: Any) -> tuple[datetime | None, str]:
    """When and where a photo was taken, as far as its EXIF can be understood."""
    date: datetime | None = None
    place = ""
    try:
        inner: Mapping[int, Any] = exif.get_ifd(_EXIF) if exif else {}
        for value in (*(inner.get(tag) for tag in _DATES), exif.get(_FILE_DATE) if exif else None):
            if date is None and value:
                date = _date(str(value), str(inner.get(_ZONE) or ""))
        place = _place(exif.get_ifd(_GPS)) if exif else ""
    # whatever is wrong with these fields is no reason to lose the photo
    except Exception:  # noqa: BLE001
        return date, place
    return date, place


def _date(text: str, zone: str) -> datetime | None:
    """A date as cameras write it; None when it is no date, as of a camera never set.

    Examples
    --------
    >>> _date("2019:07:14 18:30:05", "+02:00")
    datetime.datetime(2019, 7, 14, 16, 30, 5, tzinfo=datetime.timezone.utc)
    >>> _date("0000:00:00 00:00:00", "")
    """
    try:
        moment = datetime.strptime(text.strip("\x00 ")[:19], "%Y:%m:%d %H:%M:%S")
    except ValueError:
        return None
    if moment.year < 1826:  # nobody had taken a photo yet
        return None
    try:
        offset = datetime.strptime(zone.strip("\x00 "), "%z").utcoffset() or timedelta()
    except ValueError:
        offset = timedelta()
    try:
        return moment.replace(tzinfo=UTC) - offset
    except OverflowError:
        return None


def _place(gps: Mapping[int, Any]) -> str:
    """A place to a tenth of a degree.

    Examples
    --------
    >>> _place({1: "N", 2: (48.0, 51.0, 30.0), 3: "E", 4: (2.0, 21.0, 0.0)})
    '48.9N 2.4E'
    >>> _place({})
    ''
    """
    parts = []
    for letters, value, most in ((1, 2, 90.0), (3, 4, 180.0)):
        side, numbers = gps.get(letters), gps.get(value)
        if not side or not numbers or len(numbers) != 3:
            return ""
        degrees = sum(float(number) / 60**power for power, number in enumerate(numbers))
        letter = str(side).strip("\x00 ").upper()[:1]
        if not 0 <= degrees <= most or letter not in ("NS" if most == 90 else "EW"):
            return ""
        parts.append((round(degrees, 1), letter))
    # what a receiver without a fix writes
    if all(degrees == 0 for degrees, _ in parts):
        return ""
    return " ".join(f"{degrees:.1f}{letter}" for degrees, letter in parts)
