"""The sides of photos: colours, texture and blobs, made of what was seen while reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from comraf.collection.files import FEATURES_FILE, Rows
from comraf.collection.fold import Fold, TableCounts
from comraf.collection.sides import SIDES, SideKind
from comraf.collection.sides.maker import SideMaker
from comraf.collection.vision.codebooks import learn_blobs, read_codebook, write_codebook
from comraf.collection.vision.colours import Palette
from comraf.collection.vision.counting import PhotoCounts, count_photos
from comraf.collection.vision.stored import StoredPhotos
from comraf.collection.vision.words import colour_word, texture_word, without_number


def _counts(maker: SideMaker) -> PhotoCounts:
    """All tables that are wanted, in one pass over the photos."""
    rows = Rows(maker.files, FEATURES_FILE)
    options, wants = maker.options.photos, maker.options.wants
    photos = StoredPhotos(partial(rows.values, "features"), maker.n_items, maker.files)
    codebook = None
    if wants("blobs"):
        if options.codebook is not None:
            codebook = read_codebook(options.codebook)
        else:
            codebook = learn_blobs(photos, options.blobs, blobs_by=options.blobs_by)
        write_codebook(maker.files, codebook)
    palette = Palette(options.colours, options.space) if wants("colours") else None
    found = count_photos(photos, palette, codebook, texture=wants("texture"))
    rows.close()
    return found


def _fold(name: str, maker: SideMaker) -> Iterator[Fold]:
    if not maker.kind.photos:
        return
    found = maker.once(_counts)
    if name not in found.tables:
        maker.notes.append(f"no {name}: there is nothing of it in any photo")
        return
    table, values = found.tables.pop(name), list(found.names[name])
    fold = Fold(name, "values", TableCounts(table), np.arange(len(values)), values)
    fold.facts = SIDES[name].facts
    if name == "colours":
        fold.facts["space"] = maker.options.photos.space
    if name == "blobs" and found.codebook is not None:
        fold.facts["codebook"] = len(found.codebook)
        # what a blob is called says nothing to people; what it looks like does
        fold.details["looks"] = found.codebook.looks
    yield fold


COLOURS = SideKind(
    "colours",
    "colours of photos",
    fold=partial(_fold, "colours"),
    options="photos",
    limits=(),
    observed=True,
    # colours of all pixels at the weight of blobs, which tell colours too, would say it again
    weight=0.3,
    mark="weight",
    photos=True,
    describe=colour_word,
)
TEXTURE = replace(
    COLOURS,
    name="texture",
    about="texture of photos",
    fold=partial(_fold, "texture"),
    weight=1.0,
    describe=texture_word,
)
BLOBS = replace(
    COLOURS,
    name="blobs",
    about="kinds of regions in photos",
    fold=partial(_fold, "blobs"),
    weight=1.0,
    describe=without_number,
)
