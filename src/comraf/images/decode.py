"""Files become pixels: small, upright, RGB, and never more work than their header allows.

The size that a file's header announces is checked before anything is decoded, so that a
small file can't fill the memory. A JPEG is decoded at a fraction of its size where that is
enough, which makes large honest photos cheap.
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

from comraf.errors import InputError, MissingExtraError, ReadError
from comraf.images.kinds import photo_format

__all__ = ["Photo", "need_pillow", "open_photo", "read_bytes"]

MOST_BYTES = 256 << 20
"""Files above this are not opened."""

# A JPEG is decoded at an eighth of its size if need be, other formats as a whole.
_MOST_PIXELS = {"jpeg": 200_000_000}
_MOST_PIXELS_WHOLE = 64_000_000
_LEAST_SIDE = 24
_FORMATS = {
    "jpeg": "JPEG",
    "png": "PNG",
    "webp": "WEBP",
    "gif": "GIF",
    "bmp": "BMP",
    "tiff": "TIFF",
}
_EXIF, _GPS = 0x8769, 0x8825
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
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            'photos are decoded by Pillow; install it with: pip install "comraf[images]"'
        ) from None


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
    if isinstance(side, bool) or not isinstance(side, int) or side < _LEAST_SIDE:
        raise InputError(f"side={side!r} must be a whole number, {_LEAST_SIDE} or more")
    data = source if isinstance(source, bytes) else read_bytes(source)
    found = photo_format(data[:16])
    if not found:
        raise ReadError(_no_photo(data))
    from PIL import Image

    try:
        with warnings.catch_warnings():
            # the size is checked below, and damaged EXIF is no reason to tell everybody
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=_formats(found)) as image:
                return _decoded(image, found, side)
    except ReadError:
        raise
    except Image.DecompressionBombError:
        raise ReadError("far too large: its header announces more pixels than any photo") from None
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


def _formats(found: str) -> tuple[str, ...]:
    # several JPEGs in one file, as some phones write them, are opened as MPO
    return ("JPEG", "MPO") if found == "jpeg" else (_FORMATS[found],)


def _no_photo(data: bytes) -> str:
    if not data.strip(b"\x00 \t\r\n"):
        return "empty"
    head = data[:512]
    text = b"\x00" not in head and sum(byte < 9 or 13 < byte < 32 for byte in head) == 0
    return "no photo: it is text" if text else "no photo of a kind that is known"


def _damage(error: Exception) -> str:
    told = " ".join(str(error).split())[:200]
    if "truncated" in told.lower() or "unexpected end" in told.lower():
        return "truncated"
    return f"damaged: {told or type(error).__name__}"


def _decoded(image: Any, found: str, side: int) -> Photo:
    from PIL import Image, ImageOps

    width, height = image.size
    most = _MOST_PIXELS.get(found, _MOST_PIXELS_WHOLE)
    if width * height > most:
        raise ReadError(
            f"{width:,} x {height:,} pixels: more than the {most // 1_000_000} million that are "
            f"decoded of a {found.upper()} file"
        )
    notes: list[str] = []
    exif = _exif(image, notes)
    if getattr(image, "n_frames", 1) > 1 and found != "jpeg":
        notes.append("animated: the first frame is taken")
    if found == "jpeg":
        # twice the size that is wanted, so that what comes out is as sharp as from the whole
        image.draft("RGB", (2 * side, 2 * side))
    elif image.mode.startswith(("I", "F")):
        image = _as_bytes(image)
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        image = _on_white(image)
    elif image.mode == "CMYK" and found == "jpeg":
        notes.append("CMYK: colours are near enough")
    upright = ImageOps.exif_transpose(image) if exif else image
    turned = upright.size[0] != upright.size[1] and exif.get(0x0112) in (5, 6, 7, 8)
    if turned:
        width, height = height, width
    small = upright
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


def _as_bytes(image: Any) -> Any:
    """Of 16 bits the upper 8; of other numbers, what lies between the least and the largest."""
    from PIL import Image

    values = np.asarray(image, dtype=np.float64)
    values = np.where(np.isfinite(values), values, 0.0)
    if image.mode.startswith("I;16") or (image.mode == "I" and values.max(initial=0) > 255):
        scaled = values / 257.0
        if scaled.max(initial=0) <= 255 and scaled.min(initial=0) >= 0:
            return Image.fromarray(np.rint(scaled).astype(np.uint8))
    elif image.mode == "I" and values.min(initial=0) >= 0:
        return Image.fromarray(values.astype(np.uint8))
    low, high = float(values.min()), float(values.max())
    spread = (values - low) * (255.0 / (high - low)) if high > low else np.zeros_like(values)
    return Image.fromarray(np.rint(spread).astype(np.uint8))


def _on_white(image: Any) -> Any:
    from PIL import Image

    clear = image.convert("RGBA")
    white = Image.new("RGBA", clear.size, (255, 255, 255, 255))
    flat = Image.alpha_composite(white, clear).convert("RGB")
    # the way up is told by the EXIF of the file, which a new image has not
    flat.info["exif"] = image.info.get("exif", b"")
    return flat


def _exif(image: Any, notes: list[str]) -> Any:
    try:
        return image.getexif()
    # EXIF is written by thousands of programs, and some of it is beyond reading
    except Exception:  # noqa: BLE001
        notes.append("EXIF that can't be read is left out")
        image.info.pop("exif", None)
        return {}


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
