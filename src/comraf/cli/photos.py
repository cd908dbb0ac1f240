"""Photos on the command line: their options, and what they look like in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.cli.choices import BlobsBy, ColourSpace

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.collection.options import SideOptions

__all__ = [
    "BlobsByOption",
    "BlobsOption",
    "CacheOption",
    "CaptionOption",
    "CaptionsOption",
    "ColourSpaceOption",
    "ColoursOption",
    "as_before",
    "in_words",
    "look_of",
    "missing_captions",
    "photo_options",
    "value_in_words",
]

CaptionsOption = Annotated[
    Path | None,
    typer.Option(
        "--captions",
        metavar="FILE",
        help="Captions of photos: a TSV, CSV or JSON file of file names and captions. Default: "
        "captions.tsv, .csv or .json in the folder, or a text file beside each photo.",
        show_default=False,
    ),
]
CaptionOption = Annotated[
    int | None,
    typer.Option(
        "--caption",
        min=1,
        metavar="N",
        help="Where photos have several captions: take only the N-th of each.",
        show_default=False,
    ),
]
ColoursOption = Annotated[
    int | None,
    typer.Option(
        "--colours",
        min=8,
        max=1024,
        metavar="N",
        help="Colours that are told apart in photos. Default: 256.",
        show_default=False,
    ),
]
ColourSpaceOption = Annotated[
    ColourSpace | None,
    typer.Option(
        "--colour-space",
        help="What these colours are spread evenly over: light (rgb, the default), or what eyes "
        "see (lab).",
        show_default=False,
    ),
]
BlobsOption = Annotated[
    int | None,
    typer.Option(
        "--blobs",
        min=2,
        metavar="N",
        help="Kinds of regions that are told apart in photos. Default: 2000, or two for each "
        "photo where these are fewer.",
        show_default=False,
    ),
]
BlobsByOption = Annotated[
    BlobsBy | None,
    typer.Option(
        "--blobs-by",
        help="Who finds these kinds: Comraf itself, by the colours and texture of regions (the "
        "default), or k-means on 30 features of them.",
        show_default=False,
    ),
]

CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--photo-cache",
        metavar="FOLDER",
        help="Keep what is seen in photos there: another run, or one after Ctrl-C, looks only at "
        "new ones.",
        show_default=False,
    ),
]


def photo_options(
    captions: Path | None,
    caption: int | None,
    colours: int | None,
    space: ColourSpace | None,
    blobs: int | None,
    cache: Path | None = None,
    blobs_by: BlobsBy | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was said about photos: options of their reader, and of their sides.

    Examples
    --------
    >>> photo_options(None, 1, 64, None, None)
    ({'caption': 1}, {'photos': {'colours': 64}})
    >>> photo_options(None, None, None, None, None)
    ({}, {})
    """
    reading = {
        "captions": None if captions is None else str(captions),
        "caption": caption,
        "cache": None if cache is None else str(cache),
    }
    counted = {
        "colours": colours,
        "space": None if space is None else space.value,
        "blobs": blobs,
        "blobs_by": None if blobs_by is None else blobs_by.value,
    }
    reading = {name: value for name, value in reading.items() if value is not None}
    counted = {name: value for name, value in counted.items() if value is not None}
    return reading, {"photos": counted} if counted else {}


def as_before(
    options: SideOptions, reading: Mapping[str, Any], model: Path, captions: Path | None
) -> tuple[SideOptions, dict[str, Any], str]:
    """How new photos are read to be placed among earlier ones, and a warning if there is one.

    Blobs are those of the earlier photos, which lie with them; captions are the new photos' own.
    """
    from dataclasses import replace

    from comraf.collection.sides import photo_sides
    from comraf.collection.sides.photos import CODEBOOK_FILE

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


def missing_captions(collection: Collection, tables: Mapping[str, Any]) -> str:
    """What to tell where captions helped to make groups, and none of the new photos has any."""
    words = tables.get("words")
    if collection.photos is None or (words is not None and words.nnz):
        return ""
    return (
        "captions helped to make these groups, but none of the new photos has one: they are "
        "placed by how they look alone; --captions FILE names a file of captions"
    )


def value_in_words(side: str, value: str) -> str:
    """A colour with its word, a texture as what is seen; all else as it is.

    Examples
    --------
    >>> value_in_words("colours", "#102060"), value_in_words("words", "sea")
    ('dark blue #102060', 'sea')
    """
    from comraf.images.words import colour_word, is_colour, texture_word

    if side == "colours" and is_colour(value):
        return f"{colour_word(value)} {value}"
    return texture_word(value) if side == "texture" else value


def look_of(collection: Collection, side: str) -> list[str]:
    """The values of a side of photos in words, as they are shown; none for other sides."""
    from comraf.collection.sides import photo_sides

    if collection.photos is None or side not in photo_sides():
        return []
    from comraf.report.shown import shown_values

    return [value_in_words(side, value) for value in shown_values(collection)[side]]


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
