"""Checkpoints: what a search has reached, on disk, so that a killed one can go on.

A checkpoint is a folder. ``checkpoint.json`` says what the search is about. Every run of the
search has a folder of its own in it, with its state after a whole number of steps, and so has
what the runs agreed on. Each of these is replaced in one step, so it is whole wherever the
program is killed. They need not fit together in time: seeds are drawn up front, so every run
goes on by itself to where it would have come anyway.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from comraf.errors import ComrafWarning, InputError, ReadError, WriteError
from comraf.inference.fingerprint import difference
from comraf.results.archive import read_archive, reading, write_archive
from comraf.store import acquire, leftovers, release, remove

__all__ = ["VERSION", "Checkpoint", "Kept", "Part", "is_checkpoint", "remove_checkpoint"]

VERSION = 1
#: Share of the time that saving may take.
SHARE = 0.02
# What the first save is taken to cost, until one has been made.
_GUESS = 0.02
_KIND, _PART, _LOCK = "checkpoint", "part", "lock"
_NAMES = re.compile(r"(run|agreement)-\d+")
_HEAD = re.compile(r"checkpoint\.json|arrays(-b)?\.safetensors")
# What a writer that was killed may leave half of.
_WRITTEN = rf"{_NAMES.pattern}|{_HEAD.pattern}|part\.json"

#: What JSON can hold, and arrays by name.
Part = tuple[Mapping[str, Any], Mapping[str, npt.NDArray[Any]]]


@dataclass(frozen=True)
class Kept:
    """The place of a checkpoint that stays when the search has ended well.

    For whoever has more to do before the answer is safe; see `remove_checkpoint`.
    """

    path: str | os.PathLike[str]

    def __fspath__(self) -> str:
        return os.fspath(self.path)


def is_checkpoint(path: str | os.PathLike[str]) -> bool:
    """Whether a folder holds a checkpoint, whole or damaged.

    Examples
    --------
    >>> is_checkpoint("no-such-folder")
    False
    """
    return os.path.isfile(os.path.join(path, f"{_KIND}.json"))


def remove_checkpoint(path: str | os.PathLike[str]) -> None:
    """Remove a checkpoint, and its folder if nothing else is in it; other files stay.

    Examples
    --------
    >>> remove_checkpoint("no-such-folder")
    """
    folder = Path(path)
    if not is_checkpoint(folder):
        return
    with suppress(OSError):
        _sweep(folder)
        entries = list(folder.iterdir())
        for entry in entries:
            if _NAMES.fullmatch(entry.name):
                remove(entry)
        # Last what makes it a checkpoint: killed before that, it is one with fewer parts.
        for entry in sorted(entries):
            if _HEAD.fullmatch(entry.name) and entry.is_file():
                entry.unlink(missing_ok=True)
        (folder / _LOCK).unlink(missing_ok=True)
        folder.rmdir()


def _sweep(folder: Path) -> None:
    """Remove what writers that were killed have left, here and in the parts."""
    for entry in leftovers(folder / "any", _WRITTEN):
        remove(entry)
    for entry in folder.iterdir():
        if _NAMES.fullmatch(entry.name) and entry.is_dir():
            _sweep(entry)


class Checkpoint:
    """A checkpoint that a search writes to, and may go on from.

    Parameters
    ----------
    place : path-like or Kept
        The folder; new, empty, or with a checkpoint of the same search.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoint = Checkpoint(Path(folder, "half-way"))
    ...     checkpoint.open({"seed": [1]}, needed=1000)
    ...     checkpoint.save("run-1", ({"step": 3}, {"labels": np.arange(2)}))
    ...     checkpoint.close()
    ...     again = Checkpoint(Path(folder, "half-way"))
    ...     again.open({"seed": [1]}, needed=1000)
    ...     document, arrays = again.load("run-1")
    ...     again.end()
    >>> document["step"], arrays["labels"].tolist()
    (3, [0, 1])
    """

    def __init__(self, place: str | os.PathLike[str] | Kept) -> None:
        self._keep = isinstance(place, Kept)
        path = place.path if isinstance(place, Kept) else place
        try:
            self.folder = Path(os.path.realpath(path))
        except (TypeError, ValueError) as error:
            raise InputError(
                "{given}; give the path of a folder: {error}", "checkpoint", path, error=error
            ) from None
        self._open = False
        self._lock: int | None = None
        self._waiting: dict[str, Part] = {}
        self._noting, self._writing = threading.Lock(), threading.Lock()
        self._next = 0.0
        self.seconds = 0.0  # spent on writing
        self.writes = 0

    @property
    def begin_anew(self) -> str:
        """The way out of every refusal."""
        return f"remove the folder {self.folder} to begin anew"

    def seed(self) -> list[int] | None:
        """The seed of the search in the folder, if there is one."""
        if not is_checkpoint(self.folder):
            return None
        seed = self._head().get("seed")
        if not (isinstance(seed, list) and all(type(n) is int and n >= 0 for n in seed)):
            raise ReadError(f"the seed in {self.folder} is damaged; {self.begin_anew}")
        return seed or None

    def open(self, about: Mapping[str, Any], needed: int) -> None:
        """Begin a checkpoint, or take up the one that is there.

        Parameters
        ----------
        about : mapping
            What the search is about, see `comraf.inference.fingerprint.fingerprint`.
        needed : int
            Bytes that it will take at most.

        Raises
        ------
        InputError
            The folder has a checkpoint of another search.
        ReadError
            The checkpoint there is damaged, or from another comraf.
        WriteError
            Nothing can be written there, or somebody else is writing.
        """
        try:
            made = not self.folder.exists()
            self.folder.mkdir(parents=True, exist_ok=True)
            self._take_lock()
            try:
                self._begin(about, needed)
            except BaseException:
                self._release()
                if made:
                    with suppress(OSError):
                        (self.folder / _LOCK).unlink(missing_ok=True)
                        self.folder.rmdir()
                raise
        except (WriteError, ReadError):
            raise
        except FileExistsError:
            raise WriteError(
                f"the checkpoint can't be written: {self.folder} is a file; name a folder, new "
                "or empty"
            ) from None
        except OSError as error:
            raise WriteError(
                f"the checkpoint can't be written to {self.folder}: {error.strerror or error}"
            ) from error
        self._open = True
        self._next = time.monotonic() + _GUESS / SHARE

    def _begin(self, about: Mapping[str, Any], needed: int) -> None:
        _sweep(self.folder)
        if is_checkpoint(self.folder):
            reason = difference(self._head(), about)
            if reason is not None:
                raise InputError(
                    "{folder} is the checkpoint of another search: {reason}. Search as then, name "
                    "another folder, or {anew}",
                    folder=self.folder,
                    reason=reason,
                    anew=self.begin_anew,
                )
        else:
            others = [e.name for e in self.folder.iterdir() if not self._is_ours(e.name)]
            if others:
                raise WriteError(
                    f"{self.folder} holds {sorted(others)[0]!r} and no checkpoint; name a folder "
                    "that is new or empty"
                )
        free = shutil.disk_usage(self.folder).free
        if free < needed:
            raise WriteError(
                f"the checkpoint may take {needed:,} bytes, but the disk of {self.folder} has "
                f"{free:,} free"
            )
        # Written anew even where it is there already: a proof that the folder can be written.
        content = json.loads(json.dumps(dict(about)))
        write_archive(
            self.folder, kind=_KIND, version=VERSION, document=_sealed(content), arrays={}
        )

    @staticmethod
    def _is_ours(name: str) -> bool:
        return name == _LOCK or bool(_HEAD.fullmatch(name))

    def _head(self) -> dict[str, Any]:
        try:
            document, _ = read_archive(self.folder, kind=_KIND, versions={VERSION: None})
            return _unsealed(document, self.folder / f"{_KIND}.json")
        except ReadError as error:
            raise error.about("{error}; {anew}", anew=self.begin_anew) from None

    def parts(self) -> list[str]:
        """Names of the parts that are there."""
        return sorted(
            entry.name
            for entry in self.folder.iterdir()
            if _NAMES.fullmatch(entry.name) and entry.is_dir()
        )

    def load(self, name: str) -> Part | None:
        """A part as it was saved; None if it was not."""
        path = self.folder / name
        if not path.is_dir():
            return None
        with self.reading(name):
            document, arrays = read_archive(path, kind=_PART, versions={VERSION: None})
            return _unsealed(document, path / f"{_PART}.json"), arrays

    @contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """Say of whatever is wrong with a part that it is damaged, and what to do."""
        try:
            with reading(self.folder / name, _PART):
                yield
        except ReadError as error:
            raise error.about(
                "{error}; remove {part} to repeat that part alone, or {anew}",
                part=self.folder / name,
                anew=self.begin_anew,
            ) from None

    def save(self, name: str, part: Part) -> None:
        """Note a part, and write all that are noted if it is time to.

        Where it can't be written any more (a full disk), that is warned of once, and the
        search goes on.
        """
        with self._noting:
            self._waiting[name] = part
        self.flush(now=False)

    def flush(self, *, now: bool = True) -> None:
        """Write what is noted: now, or if it is time to and nobody else is writing."""
        if not self._open or not self._writing.acquire(blocking=now):
            return
        try:
            started = time.monotonic()
            if not now and started < self._next:
                return
            with self._noting:
                waiting, self._waiting = self._waiting, {}
            try:
                self._write(waiting)
            except OSError as error:
                self._open = False
                warnings.warn(
                    f"the checkpoint can't be written any more ({error}); the search goes on, and "
                    "what was saved before stays",
                    ComrafWarning,
                    stacklevel=2,
                )
            except BaseException:  # Ctrl-C: what is not written stays noted
                with self._noting:
                    self._waiting = waiting | self._waiting
                raise
            ended = time.monotonic()
            self.seconds += ended - started
            self._next = ended + (ended - started) * (1.0 / SHARE - 1.0)
        finally:
            self._writing.release()

    def _write(self, waiting: Mapping[str, Part]) -> None:
        for name, (document, arrays) in waiting.items():
            write_archive(
                self.folder / name,
                kind=_PART,
                version=VERSION,
                document=_sealed(document),
                arrays=arrays,
            )
            self.writes += 1

    def close(self) -> None:
        """Write what is noted and leave the checkpoint where it is."""
        self.flush()
        self._release()

    def end(self) -> None:
        """The search has ended well: remove the checkpoint, unless it is to be kept."""
        if self._keep:
            self.close()
            return
        was_open, self._open = self._open, False
        if was_open:
            remove_checkpoint(self.folder)
        self._release()

    def _take_lock(self) -> None:
        """Hold a lock that goes when the process ends, however it does."""
        try:
            self._lock = acquire(self.folder / _LOCK, make=True)
        except BlockingIOError:
            raise WriteError(
                f"the checkpoint {self.folder} is in use by another process; wait for it, or name "
                "another folder"
            ) from None

    def _release(self) -> None:
        lock, self._lock, self._open = self._lock, None, False
        release(lock)


def _sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """A document with its checksum: a number that flipped would lead to other labels."""
    plain = json.loads(json.dumps(dict(content)))
    return {"content": plain, "digest": _digest(plain)}


def _unsealed(document: Mapping[str, Any], path: Path) -> dict[str, Any]:
    content = document.get("content")
    if not isinstance(content, dict) or document.get("digest") != _digest(content):
        raise ReadError(f"{path} is damaged: its checksum is not the one written down in it")
    return content


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
