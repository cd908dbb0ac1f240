"""Invented photos: nine kinds of scenes, painted by numbers, with captions and the truth.

Nothing is copied from anywhere: every photo is drawn when it is asked for. The same seed gives
the same pixels, captions, dates and places.

Examples
--------
>>> from comraf.images import sample
>>> one = sample.sample_photo(3, seed=7)
>>> one.scene in sample.SCENE_NAMES, one.pixels.shape[2]
(True, 3)
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.sample import new_folder
from comraf.images._sample_brush import Canvas
from comraf.images._sample_captions import caption, taken
from comraf.images._sample_scenes import SCENES
from comraf.parameters import check_int

__all__ = [
    "SCENE_NAMES",
    "SamplePhoto",
    "iter_photos",
    "sample_photo",
    "write_photos",
]

#: The classes of sample photos.
SCENE_NAMES: tuple[str, ...] = tuple(SCENES)

_LONG, _SHORT = 240, 160
_QUALITY = 85
_MODEL, _DATE, _EXIF, _GPS = 0x0110, 0x9003, 0x8769, 0x8825


@dataclass(frozen=True, slots=True, eq=False)
class SamplePhoto:
    """One sample photo and what is known of it.

    Attributes
    ----------
    name : str
        Of its file.
    scene : str
        The truth; one of `SCENE_NAMES`.
    pixels : ndarray of uint8, height x width x 3
    captions : tuple of str
        None, one or two.
    date : datetime or None
    place : tuple of float, or None
        Latitude and longitude.
    """

    name: str
    scene: str
    pixels: NDArray[np.uint8]
    captions: tuple[str, ...]
    date: datetime | None
    place: tuple[float, float] | None

    def jpeg(self) -> bytes:
        """Return the photo as a JPEG file, with date and place in its EXIF.

        Raises
        ------
        MissingExtraError
            Pillow is not installed.
        """
        from comraf.collection.vision.decode import need_pillow

        need_pillow()
        from PIL import Image

        exif: Any = Image.Exif()
        exif[_MODEL] = "comraf sample"
        if self.date is not None:
            exif[_EXIF] = {_DATE: self.date.strftime("%Y:%m:%d %H:%M:%S")}
        if self.place is not None:
            north, east = self.place
            exif[_GPS] = {
                1: "N" if north >= 0 else "S",
                2: _sexagesimal(north),
                3: "E" if east >= 0 else "W",
                4: _sexagesimal(east),
            }
        file = io.BytesIO()
        Image.fromarray(self.pixels).save(file, "JPEG", quality=_QUALITY, exif=exif)
        return file.getvalue()


def sample_photo(number: int, seed: int = 0) -> SamplePhoto:
    """Return one photo of the endless row of sample photos.

    Parameters
    ----------
    number : int
        Which one, from 0. Of every nine that follow each other each shows another scene.
    seed : int, default 0
        Another seed, other photos.

    Returns
    -------
    SamplePhoto

    Examples
    --------
    >>> sorted({sample_photo(i).scene for i in range(9)}) == sorted(SCENE_NAMES)
    True
    """
    check_int("number", number, 0)
    check_int("seed", seed, 0)
    turn, place = divmod(number, len(SCENE_NAMES))
    order = np.random.default_rng([seed, 1, turn]).permutation(len(SCENE_NAMES))
    scene = SCENE_NAMES[int(order[place])]
    rng = np.random.default_rng([seed, 2, number])
    upright = scene != "sunset" and rng.random() < 0.2
    width, height = (_SHORT, _LONG) if upright else (_LONG, _SHORT)
    canvas = Canvas(width, height, rng)
    SCENES[scene](canvas)
    canvas.finish(rng.uniform(0.004, 0.03))
    captions: tuple[str, ...] = ()
    if rng.random() < 0.92:
        captions = tuple(
            dict.fromkeys(caption(scene, rng) for _ in range(1 + (rng.random() < 0.2)))
        )
    date, where = taken(scene, rng)
    return SamplePhoto(f"IMG_{number:05d}.jpg", scene, canvas.bytes(), captions, date, where)


def iter_photos(n_photos: int = 360, seed: int = 0) -> Iterator[SamplePhoto]:
    """Paint photos one at a time.

    Parameters
    ----------
    n_photos, seed : int
        As in `write_photos`.

    Examples
    --------
    >>> next(iter_photos(1_000_000)).name
    'IMG_00000.jpg'
    """
    check_int("n_photos", n_photos, 1)
    check_int("seed", seed, 0)
    return (sample_photo(number, seed) for number in range(n_photos))


def write_photos(
    path: str | os.PathLike[str],
    n_photos: int = 360,
    seed: int = 0,
    *,
    folders: bool = False,
    captions: bool = True,
) -> Path:
    """Write a folder of sample photos.

    Parameters
    ----------
    path : path
        The folder; it must not exist yet, or be empty. It appears only when it is complete.
    n_photos : int, default 360
    seed : int, default 0
        The same seed and number give the same photos.
    folders : bool, default False
        Whether each scene has a folder of its own. Otherwise ``classes.csv`` tells which photo
        shows what.
    captions : bool, default True
        Whether to write ``captions.tsv``.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    MissingExtraError
        Pillow is not installed.
    WriteError
        The folder can't be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = write_photos(Path(folder, "photos"), 3)
    ...     sorted(file.name for file in made.iterdir())
    ['IMG_00000.jpg', 'IMG_00001.jpg', 'IMG_00002.jpg', 'captions.tsv', 'classes.csv']
    """
    check_int("n_photos", n_photos, 1)
    check_int("seed", seed, 0)
    from comraf.collection.vision.decode import need_pillow

    need_pillow()
    target = Path(path)
    with new_folder(target, "photos") as part:
        said, classes = [], ["item,truth\n"]
        for photo in iter_photos(n_photos, seed):
            name = f"{photo.scene}/{photo.name}" if folders else photo.name
            (part / name).parent.mkdir(exist_ok=True)
            (part / name).write_bytes(photo.jpeg())
            said += [f"{name}\t{line}\n" for line in photo.captions]
            classes.append(f"{name},{photo.scene}\n")
        if captions:
            (part / "captions.tsv").write_text("".join(said), encoding="utf-8")
        if not folders:
            (part / "classes.csv").write_text("".join(classes), encoding="utf-8")
    return target


def _sexagesimal(degrees: float) -> tuple[float, float, float]:
    """Degrees, minutes and seconds, as cameras write them."""
    whole, rest = divmod(abs(degrees) * 60, 60)
    return float(whole), float(int(rest)), round(rest % 1 * 60, 2)
