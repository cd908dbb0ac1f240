"""Features kept on disk: one small file a photo, named by what is in the photo."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from comraf.collection.vision.decode import open_photo, read_bytes
from comraf.collection.vision.features import (
    FEATURES_VERSION,
    MOST_BYTES,
    PhotoFeatures,
    photo_features,
)
from comraf.errors import ReadError, WriteError
from comraf.store import write_whole, writing

__all__ = ["FeatureCache", "photo_digest"]

_HEX = frozenset("0123456789abcdef")
_LONGEST = 128
# Nobody writes one small file for so many seconds: it was left by a process that was killed.
_LEFT_BEHIND = 3600


def photo_digest(data: bytes) -> str:
    """Fingerprint of a photo's bytes: 32 hexadecimal digits.

    Examples
    --------
    >>> photo_digest(b"") == photo_digest(b"x"), len(photo_digest(b""))
    (False, 32)
    """
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class FeatureCache:
    """A folder of features, so that no photo is decoded twice.

    Several processes may use one folder. A file is written under another name and then
    renamed, so that one that is there is whole; one that is damaged all the same is made
    again. Features of other versions of comraf, or of another size, have other names.

    Parameters
    ----------
    folder : path-like
        Made if it is not there.
    side : int, default 192
        The longest side that photos are looked at with.

    Examples
    --------
    >>> import io, tempfile
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (60, 40), (200, 10, 10)).save(file, "PNG")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache = FeatureCache(folder)
    ...     features = cache.of(file.getvalue())
    ...     len(list(cache.digests())), cache.get(photo_digest(file.getvalue())).width
    (1, 60)
    """

    def __init__(self, folder: str | os.PathLike[str], side: int = 192) -> None:
        self.folder = Path(folder)
        self.side = side
        self._ending = f"-{side}-v{FEATURES_VERSION}.npz"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(
                f"{self.folder}: the folder for features can't be made: "
                f"{error.strerror or error}; choose another"
            ) from error

    def _path(self, digest: str) -> Path:
        # what comes from outside must not lead out of the folder
        if not 4 <= len(digest) <= _LONGEST or not set(digest) <= _HEX:
            raise ReadError(f"{digest!r} is no fingerprint of a photo")
        return self.folder / digest[:2] / f"{digest}{self._ending}"

    def get(self, digest: str) -> PhotoFeatures | None:
        """Return the features of a photo, or None where there are none that can be read."""
        try:
            with open(self._path(digest), "rb") as file:
                if os.fstat(file.fileno()).st_size > MOST_BYTES:
                    return None  # nothing that was written here, and no memory for it
                return PhotoFeatures.from_bytes(file.read())
        except OSError:  # missing, or damaged: a ReadError is one too
            return None

    def put(self, digest: str, features: PhotoFeatures) -> None:
        """Keep the features of a photo.

        Raises
        ------
        WriteError
            They can't be written; nothing half-written stays.
        """
        path = self._path(digest)
        with writing(path):
            path.parent.mkdir(exist_ok=True)
        write_whole(path, [features.to_bytes()], durable=False, private=True)

    def of(self, source: str | os.PathLike[str] | bytes) -> PhotoFeatures:
        """Return the features of a photo: those kept, or else computed and kept.

        Raises
        ------
        ReadError
            The photo can't be read.
        """
        data = source if isinstance(source, bytes) else read_bytes(source)
        digest = photo_digest(data)
        found = self.get(digest)
        if found is None:
            found = photo_features(open_photo(data, self.side))
            self.put(digest, found)
        return found

    def sweep(self) -> None:
        """Remove what processes that were killed left half-written."""
        for path in self.folder.glob("??/.*.part*"):
            with suppress(OSError):  # another process may be faster
                if time.time() - path.stat().st_mtime > _LEFT_BEHIND:
                    path.unlink()

    def digests(self) -> Iterator[str]:
        """Yield the fingerprints of all photos whose features are kept, sorted."""
        for folder in sorted(self.folder.iterdir()):
            if folder.is_dir() and len(folder.name) == 2:
                for path in sorted(folder.glob(f"*{self._ending}")):
                    yield path.name.removesuffix(self._ending)
