"""Photos as tables: Corel-1000 with its classes, Flickr8k with five captions a photo.

What is seen in the photos is kept in a cache, so that a machine without Pillow, or without
the photos, measures the same. Tables of any palette and any number of blobs are made of it.
"""

from __future__ import annotations

import csv
import functools
import tarfile
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.harness import cached, check, load_npz, sparse_from, sparse_parts
from comraf.errors import ReadError
from comraf.images import PhotoFeatures, PhotoTables, photo_tables

__all__ = ["DINOSAURS", "FILES", "PhotoSet", "load", "prepare", "tables_of"]

#: Collection -> its file below the data folder.
FILES: dict[str, str] = {
    "corel": "images/corel1000-wang_192px.tar",
    "flickr": "images/flickr8k_sample1500_160px.tar",
}
#: Drawings on white, which anything tells from photos.
DINOSAURS = "dinosaurs"
_CAPTIONS = "captions.tsv"
# A change of what is kept makes new files.
_VERSION = 1


@dataclass(frozen=True, slots=True, eq=False)
class PhotoSet:
    """What is seen in the photos of a collection, and what is known of them.

    Attributes
    ----------
    photos : list of PhotoFeatures
    classes : array of str
        Empty where there are none.
    words : list of csr_array
        Photos x words of the first caption, of the second and so on; one vocabulary.
    seconds : float
        That the features took, photos being read from one file, in one process.
    """

    photos: list[PhotoFeatures] = field(repr=False)
    classes: npt.NDArray[np.str_]
    words: list[sp.csr_array]
    seconds: float

    def without(self, name: str) -> PhotoSet:
        """The same without the photos of a class."""
        kept = np.flatnonzero(self.classes != name)
        photos = [self.photos[i] for i in kept]
        return PhotoSet(photos, self.classes[kept], [w[kept] for w in self.words], self.seconds)

    def features(self) -> npt.NDArray[np.float64]:
        """The 30 features of each region: photos x 24 x 30."""
        return np.stack([one.features for one in self.photos]).astype(np.float64)


def prepare(name: str, data: Path | None, cache: Path) -> Path:
    """The file of a collection's features, made from the photos if need be."""
    check("collection", name, FILES)
    return cached(cache / f"images-{name}-{_VERSION}.npz", data, FILES[name], _seen)


def _seen(source: Path) -> dict[str, Any]:
    """Read all photos and captions of an archive."""
    from comraf.images import open_photo, photo_features

    photos: dict[str, PhotoFeatures] = {}
    captions: dict[str, list[str]] = defaultdict(list)
    seconds = 0.0
    with tarfile.open(source) as archive:
        for member in archive:
            inside = archive.extractfile(member) if member.isfile() else None
            if inside is None:
                continue
            if member.name.endswith(".jpg"):
                start = time.perf_counter()
                photos[member.name] = photo_features(open_photo(inside.read()))
                seconds += time.perf_counter() - start
            elif member.name.endswith(_CAPTIONS):
                for line in inside.read().decode("utf-8").splitlines():
                    file, _, caption = line.partition("\t")
                    captions[file].append(caption)
    if not photos:
        raise ReadError(f"there is no photo in {str(source)!r}")
    names = sorted(photos)
    ordered = [photos[name] for name in names]
    out: dict[str, Any] = {
        "lengths": np.array([len(one.bins) for one in ordered]),
        "seconds": np.array(seconds),
    }
    for part in ("regions", "bins", "counts"):
        out[part] = np.concatenate([getattr(one, part) for one in ordered])
    for part in ("texture", "features"):
        out[part] = np.stack([getattr(one, part) for one in ordered])
    if captions:
        out["classes"] = np.zeros(0, "U1")
        said = [captions[PurePosixPath(name).name] for name in names]
        for number, table in enumerate(_words(said)):
            out |= sparse_parts(table, f"words{number}.")
    else:
        out["classes"] = np.array([PurePosixPath(name).parent.name for name in names])
    return out


def _words(captions: Sequence[Sequence[str]]) -> list[sp.csr_array]:
    """Tables of the first captions, of the second ones and so on, as many as all photos have."""
    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader
    from comraf.collection.options import SideOptions, WordOptions

    several = min(map(len, captions))
    options = SideOptions(words=WordOptions(stem=True, titles=False, languages=("en",)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "captions.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["photo", "caption"])
            for number in range(several):
                rows.writerows((f"{i}-{number}", said[number]) for i, said in enumerate(captions))
        reader = open_reader(path, kind="csv", id="photo", text="caption")
        collection = build_collection(reader, options=options)
        places = {name: place for place, name in enumerate(collection.ids)}
        table = sp.csr_array(collection.tables["words"])
    # a caption without a word of its own may be left out by the reader: an empty row
    empty = sp.csr_array((1, table.shape[1]), dtype=table.dtype)
    padded = sp.csr_array(sp.vstack([table, empty]))
    last = table.shape[0]
    return [
        padded[[places.get(f"{i}-{number}", last) for i in range(len(captions))]]
        for number in range(several)
    ]


@functools.lru_cache(maxsize=4)
def load(path: str, without: str = "") -> PhotoSet:
    """Read what :func:`prepare` made, without the photos of a class."""
    if without:
        return load(path).without(without)
    with load_npz(path) as stored:
        arrays = {key: stored[key] for key in stored.files}
        ends = np.cumsum(arrays["lengths"])[:-1]
        triplets = [np.split(arrays[part], ends) for part in ("regions", "bins", "counts")]
        photos = [
            PhotoFeatures(
                regions=triplets[0][i],
                bins=triplets[1][i],
                counts=triplets[2][i],
                texture=arrays["texture"][i],
                features=arrays["features"][i],
                thumbnail=b"",  # nothing is shown here
                width=0,
                height=0,
            )
            for i in range(len(arrays["lengths"]))
        ]
        n_captions = sum(key.endswith(".indptr") for key in arrays)
        words = [sparse_from(arrays, f"words{i}.") for i in range(n_captions)]
        return PhotoSet(photos, arrays["classes"], words, float(arrays["seconds"]))


@functools.lru_cache(maxsize=4)
def tables_of(
    path: str,
    without: str,
    *,
    colours: int,
    space: Any,
    blobs: int,
    blobs_by: Any = "comraf",
    regions: bool = False,
    seed: int = 0,
) -> PhotoTables:
    """Tables of a set's photos; the last few are kept, because many rows ask for the same."""
    photos = load(path, without).photos
    return photo_tables(
        photos,
        colours=colours,
        space=space,
        blobs=None if regions else blobs,  # where regions are clustered, blobs come of that
        blobs_by=blobs_by,
        regions=regions,
        seed=seed,
    )
