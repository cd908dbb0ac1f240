"""Results as JSON lines: appended whole, read back even after a crash."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from comraf.errors import InputError, ReadError, WriteError

__all__ = ["Record", "ResultStore", "key_of"]

Record = dict[str, Any]


def key_of(record: Record, names: Sequence[str]) -> str:
    """What tells two measurements apart.

    Examples
    --------
    >>> key_of({"method": "cop", "links": 5}, ["method"])
    '["cop"]'
    """
    return json.dumps([record.get(name) for name in names], sort_keys=True)


class ResultStore:
    """A file of results, one JSON object a line.

    Parameters
    ----------
    path : Path
        Made with its folder when the first result comes.

    Examples
    --------
    >>> import tempfile
    >>> store = ResultStore(Path(tempfile.mkdtemp()) / "results.jsonl")
    >>> with store.writing():
    ...     store.append({"seed": 0})
    >>> store.records()
    [{'seed': 0}]
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def records(self) -> list[Record]:
        """All whole records; a last line cut short by a crash is left out."""
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ReadError(
                f"can't read the results {str(self.path)!r}: {error.strerror}"
            ) from error
        whole, _ = _split_tail(raw)
        records = []
        for number, line in enumerate(whole.splitlines(), start=1):
            if not line.strip():
                continue
            record = _parse(line)
            if record is None:
                raise ReadError(
                    f"line {number} of {str(self.path)!r} is not a JSON object; "
                    "delete that line, or start over with --fresh"
                )
            records.append(record)
        return records

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the file for one writer and mend a last line that was cut short.

        Two runs at once would disturb each other's timings, so the second is refused.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise WriteError(
                f"can't write the results {str(self.path)!r}: {error.strerror}"
            ) from error
        try:
            _lock(handle, self.path)
            self._repair(handle)
            yield
        finally:
            os.close(handle)

    def append(self, record: Record) -> None:
        """Write one record in one call and see it to the disk."""
        line = (json.dumps(record, sort_keys=True) + "\n").encode()
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, line)
            os.fsync(handle)
        finally:
            os.close(handle)

    def set_aside(self) -> Path | None:
        """Rename the file so that a run starts over; return its new name."""
        if not self.path.exists():
            return None
        old = self.path.with_name(self.path.name + ".old")
        os.replace(self.path, old)
        return old

    def _repair(self, handle: int) -> None:
        raw = self.path.read_bytes()
        whole, tail = _split_tail(raw)
        if not tail:
            return
        if len(whole) == len(raw):
            os.lseek(handle, 0, os.SEEK_END)
            os.write(handle, b"\n")
        else:
            os.ftruncate(handle, len(whole))


def _split_tail(raw: bytes) -> tuple[bytes, bytes]:
    """Split off the part behind the last newline; keep it if it is a whole record."""
    end = raw.rfind(b"\n") + 1
    tail = raw[end:]
    return (raw if tail and _parse(tail) is not None else raw[:end]), tail


def _parse(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _lock(handle: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # no such lock on Windows; one run at a time is then up to the user
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InputError(
            f"another run is writing {str(path)!r}; wait for it, two would disturb each other"
        ) from error
