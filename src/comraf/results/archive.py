"""Folders that hold something of ours: names in a JSON file, arrays in a safetensors file.

Nothing is ever unpickled, and whatever is read is checked before it is used: a folder may
come from somebody else, from a disk that failed, or from a comraf of another age. All that
can be wrong with it ends in one `comraf.errors.ReadError` that says what is wrong.

A folder is written so that it is whole at every moment, wherever the program is killed: the
arrays come first, under a name that is not in use, and the JSON file, which says which file
of arrays is meant and what its checksum is, takes its place in one step.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError, ReadError, TooLargeError, WriteError, damaged
from comraf.store import files_whole, folder_whole

__all__ = [
    "Migrate",
    "entries",
    "flag",
    "nothing_left",
    "number",
    "read_archive",
    "reading",
    "strings",
    "take_array",
    "text",
    "whole",
    "write_archive",
]

#: Turns the document and the arrays of one version into those of the next.
Migrate = Callable[
    [dict[str, Any], dict[str, npt.NDArray[Any]]],
    tuple[dict[str, Any], dict[str, npt.NDArray[Any]]],
]
_HEADER = ("format", "version", "arrays")
# Two names in turn: the arrays in use are never written over.
_ARRAYS = ("arrays.safetensors", "arrays-b.safetensors")
_MOST_JSON = 1_000_000_000
_MOST_ARRAYS = 64_000_000_000
_MOST_NAMES = 16_000_000
_DTYPES = {
    "BOOL", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "F16", "F32", "F64",
}  # fmt: skip


def folder_named(given: Any) -> Path:
    """The path of a folder, or a word on why it is none.

    Examples
    --------
    >>> folder_named(5)
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: 5 is not the name of a folder; give a text or a path
    """
    try:
        path = Path(given)
        os.stat(path)
    except OSError:
        return path  # it may be made yet
    except (TypeError, ValueError):
        raise InputError(f"{given!r} is not the name of a folder; give a text or a path") from None
    return path


def write_archive(
    folder: str | os.PathLike[str],
    *,
    kind: str,
    version: int,
    document: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
) -> None:
    """Write a document and arrays into a folder; what was there before goes only after that.

    Parameters
    ----------
    folder : path-like
        Made if it is not there. An archive of the same kind in it is replaced, files of
        other names stay.
    kind : str
        What it is, in a word, such as ``model``; the JSON file is called after it.
    version : int
        Version of the kind's format, from 1.
    document : mapping
        What JSON can hold; ``format``, ``version`` and ``arrays`` are the archive's own keys.
    arrays : mapping of str to array
        Numbers or truth values.

    Raises
    ------
    WriteError
        It can't be written; what was there before is still there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_archive(
    ...         folder, kind="note", version=1, document={"a": "b"}, arrays={"x": np.arange(3)}
    ...     )
    ...     document, arrays = read_archive(folder, kind="note", versions={1: None})
    >>> document, arrays["x"].tolist()
    ({'a': 'b'}, [0, 1, 2])
    """
    folder = Path(os.path.realpath(folder_named(folder)))
    taken = sorted(set(_HEADER) & set(document))
    if taken:
        raise ValueError(f"{taken[0]!r} is the archive's own key")
    try:
        if folder.exists():
            if not folder.is_dir():
                raise WriteError(f"can't write the {kind} to {folder}: it is a file")
            _write_into(folder, kind, version, document, arrays)
        else:
            # its files are brought to the disk one by one
            with folder_whole(folder, durable=False) as stage:
                _write_into(stage, kind, version, document, arrays)
    except WriteError:
        raise
    except OSError as error:
        reason = error.strerror or error
        raise WriteError(f"can't write the {kind} to {folder}: {reason}") from error


def _write_into(
    folder: Path,
    kind: str,
    version: int,
    document: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
) -> None:
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    path = folder / f"{kind}.json"
    older = _arrays_in_use(path, kind)
    # without a document of ours, arrays that are there are somebody else's, or of another kind
    taken = _of_others(path) if older else {n for n in _ARRAYS if (folder / n).exists()}
    free = [n for n in _ARRAYS if n != older and n not in taken]
    if not free:
        raise WriteError(f"{folder}: other arrays are in the way; name another folder")
    name = free[0]
    plain = {
        key: np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
        for key, array in arrays.items()
    }
    try:
        with files_whole(folder / name, path) as (numbers, words):
            save_file(plain, numbers)
            with numbers.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            header = {
                "format": f"comraf-{kind}",
                "version": version,
                "arrays": {"file": name, "sha256": digest},
            }
            words.write_bytes(_encoded({**header, **document}))
    except SafetensorError as error:
        raise WriteError(f"can't write the {kind} to {folder}: {error}") from error
    if older is not None:
        with suppress(OSError):
            (folder / older).unlink(missing_ok=True)


def _arrays_in_use(path: Path, kind: str) -> str | None:
    """The file of arrays that an archive already there needs; None if there is none."""
    try:
        document = _load_json(path)
    except FileNotFoundError:
        return None
    except (ReadError, ValueError, RecursionError):
        document = {}
    if document.get("format") != f"comraf-{kind}":
        raise WriteError(
            f"{path}: is in the way and is not a {kind} of comraf's; name another folder"
        )
    entry = document.get("arrays")
    name = entry.get("file") if isinstance(entry, dict) else _ARRAYS[0]
    return name if name in _ARRAYS else None


def _of_others(path: Path) -> set[str]:
    """Files of arrays that other documents in the same folder need."""
    found: set[str] = set()
    for other in path.parent.glob("*.json"):
        with suppress(OSError, ValueError, LookupError, RecursionError, TypeError):
            if other != path:
                found.add(_load_json(other)["arrays"]["file"])
    return found


def _encoded(document: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:  # names of files that are no text: escapes bring them back
        return json.dumps(document, allow_nan=False).encode("ascii")


def read_archive(
    folder: str | os.PathLike[str],
    *,
    kind: str,
    versions: Mapping[int, Migrate | None],
    hint: str = "",
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Read a document and its arrays back, in the newest version.

    Parameters
    ----------
    folder : path-like
    kind : str
        What it must be.
    versions : mapping of int to callable or None
        Every version that can be read, with what makes the next one of it; None for the
        newest.
    hint : str
        What to do where there is no such thing in the folder.

    Raises
    ------
    ReadError
        It is missing, damaged, something else, or from a newer comraf.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_archive(folder, kind="note", versions={1: None})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: ... holds no note (note.json is not there)
    """
    folder = folder_named(folder)
    path = folder / f"{kind}.json"
    document = _read_document(path, kind, hint)
    newest = max(versions)
    version = document["version"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ReadError(f"{path}: version {version!r} is not a number from 1")
    if version > newest:
        raise ReadError(
            f"{path} was written by a newer comraf (version {version} of the format, this one "
            f"reads up to {newest}); please upgrade"
        )
    if version not in versions:
        raise ReadError(
            f"{path} was written by an older comraf (version {version} of the format, this one "
            f"reads from {min(versions)}); make it anew"
        )
    name, digest = _named_arrays(document.get("arrays"), path)
    arrays = _read_arrays(folder / name, digest)
    document = {key: value for key, value in document.items() if key not in _HEADER}
    with reading(folder, kind):
        while (migrate := versions[version]) is not None:
            document, arrays = migrate(document, arrays)
            version += 1
    return document, arrays


def _read_document(path: Path, kind: str, hint: str) -> dict[str, Any]:
    try:
        document = _load_json(path)
    except (FileNotFoundError, NotADirectoryError):
        advice = f"; {hint}" if hint else ""
        raise ReadError(
            f"{path.parent} holds no {kind} ({path.name} is not there){advice}"
        ) from None
    except ReadError:
        raise
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        raise damaged(_UNREAD, error, path=path) from None
    if document.get("format") != f"comraf-{kind}":
        raise ReadError(f"{path} is not a comraf {kind}")
    if "version" not in document:
        raise ReadError(f"{path}: the version is missing")
    return document


def _load_json(path: Path) -> dict[str, Any]:
    _check_file(path, _MOST_JSON)
    document = json.loads(
        path.read_text(encoding="utf-8"),
        object_pairs_hook=_no_twins,
        parse_constant=_no_constant,
    )
    return document if isinstance(document, dict) else {}


def _check_file(path: Path, most: int) -> int:
    """Size of a file; anything else (a pipe would wait for ever) and what is too large is not."""
    facts = path.stat()
    if not stat.S_ISREG(facts.st_mode):
        raise ReadError(f"can't read {path}: it is not a file")
    if facts.st_size > most:
        raise ReadError(
            f"{path} is too large to be read: {facts.st_size:,} bytes, at most {most:,} are allowed"
        )
    return facts.st_size


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twin, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"{twin[:80]!r} is said twice")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _named_arrays(entry: Any, path: Path) -> tuple[str, str | None]:
    if entry is None:  # as the first version had it
        return _ARRAYS[0], None
    if isinstance(entry, dict) and entry.get("file") in _ARRAYS:
        digest = entry.get("sha256")
        if isinstance(digest, str) and len(digest) == 64:
            return str(entry["file"]), digest
    raise ReadError(f"{path} is damaged: it does not say which file its arrays are in")


_UNREAD = "can't read {path}: {error}"


def _read_arrays(path: Path, digest: str | None) -> dict[str, npt.NDArray[Any]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    from comraf.graph.tables import check_fits

    try:
        size = _check_file(path, _MOST_ARRAYS)
        _check_header(path, size)
        check_fits(2.0 * size, f"reading {path}", "use a machine with more memory")
        if digest is not None:
            with path.open("rb") as stream:
                if hashlib.file_digest(stream, "sha256").hexdigest() != digest:
                    raise ValueError("its checksum is not the one that was written down for it")
        return dict(load_file(path))
    except ReadError:
        raise
    except TooLargeError as error:
        raise ReadError(_UNREAD, path=path, error=error) from None
    except FileNotFoundError:
        raise ReadError(_UNREAD, code="no_arrays", path=path, error="No such file") from None
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        code = "no_arrays" if isinstance(error, OSError) else "bad_arrays"
        raise ReadError(_UNREAD, code=code, path=path, error=error) from None


def _check_header(path: Path, size: int) -> None:
    """Names, types and sizes, before a single number is read."""
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if size < 8 or length > min(size - 8, _MOST_NAMES):
            raise ValueError("it is cut off, or not a file of arrays")
        header = json.loads(stream.read(length), object_pairs_hook=_no_twins)
    if not isinstance(header, dict):
        raise ValueError("it is not a file of arrays")
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        if not isinstance(entry, dict) or entry.get("dtype") not in _DTYPES:
            raise ValueError(f"the array {name[:80]!r} does not hold plain numbers")
        shape = entry.get("shape")
        if not isinstance(shape, list) or len(shape) > 8:
            raise ValueError(f"the array {name[:80]!r} has no shape")


@contextmanager
def reading(folder: str | os.PathLike[str], kind: str) -> Iterator[None]:
    """Say of whatever is found wrong inside that the archive is damaged.

    Examples
    --------
    >>> with reading("there", "model"):
    ...     {}["names"]
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: the model in there is damaged: 'names' is missing
    """
    try:
        yield
    except ReadError:
        raise
    except KeyError as error:
        missing = error.args[0] if error.args else "something"
        raise ReadError(f"the {kind} in {folder} is damaged: {missing!r} is missing") from None
    except (TypeError, ValueError, OverflowError, AttributeError, IndexError) as error:
        text = "the {kind} in {folder} is damaged: {error}"
        raise ReadError(text, kind=kind, folder=folder, error=error) from None


# -- checks: each takes a value, or refuses it with a ``ValueError`` that says why -------------


def take_array(
    arrays: dict[str, npt.NDArray[Any]],
    name: str,
    *,
    dtype: npt.DTypeLike,
    shape: tuple[int | None, ...],
    low: float | None = None,
    high: float | None = None,
) -> npt.NDArray[Any]:
    """Take an array out of those that were read, checked; ``None`` in the shape is any length.

    Bounds are inclusive. Real numbers must be finite.

    Examples
    --------
    >>> arrays = {"labels": np.array([0, 2], dtype=np.int32)}
    >>> take_array(arrays, "labels", dtype=np.int32, shape=(2,), low=0, high=1)
    Traceback (most recent call last):
    ...
    ValueError: 'labels' holds 2, beyond 1
    """
    array = arrays.pop(name)
    wanted = np.dtype(dtype)
    fits = array.ndim == len(shape) and all(
        n is None or n == m for n, m in zip(shape, array.shape, strict=True)
    )
    if array.dtype != wanted or not fits:
        lengths = ", ".join("*" if n is None else str(n) for n in shape)
        expected = f"({lengths},)" if len(shape) == 1 else f"({lengths})"
        raise ValueError(f"{name!r} is {array.dtype} {array.shape}, expected {wanted} {expected}")
    if array.size and array.dtype.kind != "b":
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name!r} holds numbers that are not finite")
        if low is not None and array.min() < low:
            raise ValueError(f"{name!r} holds {array.min()}, below {low}")
        if high is not None and array.max() > high:
            raise ValueError(f"{name!r} holds {array.max()}, beyond {high}")
    return array


def nothing_left(arrays: Mapping[str, object]) -> None:
    """Refuse arrays that nobody asked for.

    Examples
    --------
    >>> nothing_left({})
    """
    if arrays:
        raise ValueError(f"it holds an array that does not belong to it, {min(arrays)[:80]!r}")


def text(value: Any, what: str) -> str:
    """A string.

    Examples
    --------
    >>> text("words", "a name")
    'words'
    """
    if not isinstance(value, str):
        raise ValueError(f"{what} must be a string")
    return value


def strings(value: Any, what: str, n: int | None = None) -> tuple[str, ...]:
    """A list of strings, ``n`` of them.

    Examples
    --------
    >>> strings(["a", "b"], "names", 2)
    ('a', 'b')
    """
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ValueError(f"{what} must be a list of strings")
    if n is not None and len(value) != n:
        raise ValueError(f"{what}: {len(value)} of them, expected {n}")
    return tuple(value)


def number(value: Any, what: str, low: float = -np.inf, high: float = np.inf) -> float:
    """A finite number within bounds.

    Examples
    --------
    >>> number(1, "a weight", 0)
    1.0
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{what} must be a number")
    if not (abs(value) <= sys.float_info.max and low <= value <= high):
        raise ValueError(f"{what}: {value!s:.40}, expected a number from {low} to {high}")
    return float(value)


def whole(value: Any, what: str, low: int = 0, high: int = 2**53) -> int:
    """A whole number within bounds.

    Examples
    --------
    >>> whole(3, "clusters", 1)
    3
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{what} must be a whole number")
    if not low <= value <= high:
        raise ValueError(f"{what}: {value!s:.40}, expected a number from {low} to {high}")
    return value


def flag(value: Any, what: str) -> bool:
    """True or false.

    Examples
    --------
    >>> flag(True, "'single'")
    True
    """
    if not isinstance(value, bool):
        raise ValueError(f"{what} must be true or false")
    return value


def entries(value: Any, what: str) -> list[dict[str, Any]]:
    """A list of objects.

    Examples
    --------
    >>> entries([{"a": 1}], "nodes")
    [{'a': 1}]
    """
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise ValueError(f"{what} must be a list of objects")
    return value
