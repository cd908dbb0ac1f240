"""Finished tables on disk, named by what they were made from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.datasets.base import Dataset
from comraf.errors import ReadError

__all__ = ["Cache", "sources_key"]


def sources_key(data: Path, files: Sequence[str]) -> str:
    """Hash of the raw `files` and of the code that parses them.

    A change in either makes a new cache entry, so a stale table is never measured.
    """
    digest = hashlib.sha256()
    # The stop list comes from scikit-learn.
    digest.update(version("scikit-learn").encode())
    for module in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(module.read_bytes())
    for name in files:
        try:
            raw = (data / name).read_bytes()
        except OSError as error:
            raise ReadError(
                f"can't read {name!r} in the data folder {str(data)!r} ({error.strerror}); "
                "check --data or COMRAF_DATA"
            ) from error
        digest.update(name.encode())
        digest.update(hashlib.sha256(raw).digest())
    return digest.hexdigest()[:16]


class Cache:
    """A folder of tables; a missing or unreadable entry is built again.

    Parameters
    ----------
    folder : Path
        Made when the first table is stored.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, name: str, key: str, build: Callable[[], Dataset]) -> Path:
        """Return the file of dataset `name` made from `key`, building it if need be."""
        path = self._folder / f"{name}-{key}.npz"
        if path.is_file():
            try:
                Dataset.load(path)
                return path
            except ReadError:
                path.unlink()
        table = build()
        table.save(path)
        return path
