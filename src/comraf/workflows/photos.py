"""Photos: options about them, and what they look like in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from comraf.errors import ComrafWarning, Setting
from comraf.workflows.options import Option

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.collection.options import SideOptions

__all__ = [
    "PhotoOptions",
    "as_before",
    "in_words",
    "look_of",
    "missing_captions",
    "value_in_words",
]


@dataclass(frozen=True, kw_only=True)
class PhotoOptions:
    """How photos are looked at.

    Parameters
    ----------
    captions : path-like
        Captions of photos: a TSV, CSV or JSON file of file names and captions. Default:
        captions.tsv, .csv or .json in the folder, or a text file beside each photo.
    caption : int
        Where photos have several captions: take only the N-th of each.
    colours : int
        Colours that are told apart in photos. Default: 256.
    space : {"rgb", "lab"}
        What these colours are spread evenly over: light (rgb, the default), or what eyes see (lab).
    blobs : int
        Kinds of regions that are told apart in photos. Default: 2000, or two for each photo where
        these are fewer.
    blobs_by : {"kmeans", "comraf"}
        Who finds these kinds: Comraf itself, by the colours and texture of regions (the default),
        or k-means on 30 features of them.
    cache : path-like
        Keep what is seen in photos there: another run, or one after Ctrl-C, looks only at new ones.
    """

    captions: Annotated[Path | None, Option(metavar="FILE")] = None
    caption: Annotated[int | None, Option(metavar="N", least=1)] = None
    colours: Annotated[int | None, Option(metavar="N", least=8, most=1024)] = None
    space: Annotated[Literal["rgb", "lab"] | None, Option("--colour-space")] = None
    blobs: Annotated[int | None, Option(metavar="N", least=2)] = None
    blobs_by: Literal["kmeans", "comraf"] | None = None
    cache: Annotated[Path | None, Option("--photo-cache", metavar="FOLDER")] = None

    def for_photo_reader(self) -> dict[str, Any]:
        """Options of the reader of photos.

        Examples
        --------
        >>> PhotoOptions(caption=1, colours=64).for_photo_reader()
        {'caption': 1}
        """
        given = {
            "captions": None if self.captions is None else str(self.captions),
            "caption": self.caption,
            "cache": None if self.cache is None else str(self.cache),
        }
        return {name: value for name, value in given.items() if value is not None}

    def for_photo_sides(self) -> dict[str, Any]:
        """Options of the sides of photos.

        Examples
        --------
        >>> PhotoOptions(caption=1, colours=64).for_photo_sides()
        {'photos': {'colours': 64}}
        """
        names = ("colours", "space", "blobs", "blobs_by")
        given = {name: getattr(self, name) for name in names}
        given = {name: value for name, value in given.items() if value is not None}
        return {"photos": given} if given else {}


def as_before(
    options: SideOptions, reading: Mapping[str, Any], model: Path, captions: Path | None
) -> tuple[SideOptions, dict[str, Any], str]:
    """How new photos are read to be placed among earlier ones, and a warning if there is one.

    Blobs are those of the earlier photos, which lie with them; captions are the new photos' own.
    """
    from comraf.collection.sides import photo_sides
    from comraf.collection.vision.codebooks import CODEBOOK_FILE

    reading = {name: value for name, value in reading.items() if name not in ("captions", "cache")}
    if captions is not None:
        reading["captions"] = str(captions)
    if "caption" in reading:
        reading["need_caption"] = False  # nobody asked for it now
    home = model.parent / "collection"
    if (home / CODEBOOK_FILE).is_file():
        return replace(options, photos=replace(options.photos, codebook=str(home))), reading, ""
    # without it the blobs found now would have nothing to do with those of the model
    wanted = options.sides or ("words", *photo_sides(), "places", "months")
    sides = tuple(side for side in wanted if side != "blobs")
    said = (
        f"{home} is not there, and with it the blobs of the earlier photos: new ones are placed "
        "without them"
    )
    return replace(options, sides=sides), reading, said


def missing_captions(collection: Collection, tables: Mapping[str, Any]) -> ComrafWarning | None:
    """What to tell where captions helped to make groups, and none of the new photos has any."""
    words = tables.get("words")
    if collection.photos is None or (words is not None and words.nnz):
        return None
    return ComrafWarning(
        "captions helped to make these groups, but none of the new photos has one: they are "
        "placed by how they look alone; {file} names a file of captions",
        file=Setting("captions"),
    )


def value_in_words(side: str, value: str) -> str:
    """A colour with its word, a texture as what is seen; all else as it is.

    Examples
    --------
    >>> value_in_words("colours", "#102060"), value_in_words("words", "sea")
    ('dark blue #102060', 'sea')
    """
    from comraf.collection.vision.words import colour_word, is_colour, texture_word

    if side == "colours" and is_colour(value):
        return f"{colour_word(value)} {value}"
    return texture_word(value) if side == "texture" else value


def look_of(collection: Collection, side: str) -> list[str]:
    """The values of a side of photos in words, as they are shown; none for other sides."""
    from comraf.collection.sides import photo_sides

    if collection.photos is None or side not in photo_sides():
        return []
    from comraf.report.titles import value_titles

    return [value_in_words(side, value) for value in value_titles(collection)[side]]


def in_words(side: str, values: Iterable[str]) -> list[str]:
    """Values of a side as people say them: colours, textures and looks of blobs once each.

    Examples
    --------
    >>> in_words("colours", ["#102060", "#102050", "#f0f0f0"]), in_words("words", ["sea"])
    (['dark blue', 'white'], ['sea'])
    >>> in_words("blobs", ["smooth blue (7)", "blob 203 871b"])
    ['smooth blue']
    """
    from comraf.collection.sides import SIDES

    kind = SIDES.get(side)
    if kind is None or kind.describe is str:
        return list(values)
    return [word for word in dict.fromkeys(map(kind.describe, values)) if word]
