"""NumPy and SciPy files: ``.npz`` (a sparse matrix, or one dense array) and ``.npy``.

The headers are read and checked first; numbers are read only into arrays whose size was
found to fit, and pickled objects are never opened.
"""

from __future__ import annotations

import lzma
import math
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.collection.readers.limits import Budget, in_words, open_bytes
from comraf.collection.tables.counts import (
    Raw,
    check_kind,
    check_values,
    csr_from_dense,
    refuse_value,
    whole_if_possible,
)
from comraf.errors import ComrafError, InputError, ReadError

_CHUNK = 2**22
# A deflate stream can't unpack to more than 1032 times its size.
_DEFLATE_RATIO = 1032
_SPARSE = {"format", "shape", "data"}


class _Header(NamedTuple):
    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]
    offset: int

    @property
    def n(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.n * self.dtype.itemsize


def read_npy(path: Path, budget: Budget) -> Raw:
    """Read a dense table from a ``.npy`` file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.npy")
    ...     np.save(file, np.array([[1, 0], [0, 2]]))
    ...     read_npy(file, Budget("a.npy")).matrix.nnz
    2
    """
    with open_bytes(path) as stream:
        header = _header(stream, budget.source)
    _check_dense(header, budget)
    if path.stat().st_size < header.offset + header.nbytes:
        raise _truncated(budget.source, header.offset + header.nbytes, path.stat().st_size)
    array = np.memmap(
        path,
        dtype=header.dtype,
        mode="r",
        offset=header.offset,
        shape=header.shape,
        order="F" if header.fortran else "C",
    )
    return _dense(array, budget)


def read_npz(path: Path, budget: Budget) -> Raw:
    """Read a table from a ``.npz`` file: one saved by SciPy, or a single dense array.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.npz")
    ...     sp.save_npz(file, sp.csr_array([[1, 0], [0, 2]]))
    ...     read_npz(file, Budget("a.npz")).matrix.toarray().tolist()
    [[1, 0], [0, 2]]
    """
    with npz_archive(path) as (archive, members):
        if set(members) >= _SPARSE:
            return _sparse(archive, members, budget)
        if len(members) != 1:
            found = ", ".join(sorted(members)[:8]) or "none"
            raise InputError(
                f"{path}: holds neither a sparse matrix saved by scipy.sparse.save_npz nor "
                f"exactly one array (arrays found: {found}); save the table by itself"
            )
        (name,) = members
        header = _member_header(archive, members[name], budget.source)
        _check_dense(header, budget)
        budget.check(2 * header.nbytes, f"its array of {in_words(header.nbytes)}")
        array = _member(archive, members[name], header, budget.source)
        n_rows, n_columns = header.shape
        if header.fortran:
            return _dense(array.reshape(n_columns, n_rows).T, budget)
        return _dense(array.reshape(n_rows, n_columns), budget)


@contextmanager
def npz_archive(path: Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]]:
    """Open a ``.npz`` file and list its arrays; whatever is wrong with it is a ReadError.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.npz")
    ...     np.savez(file, counts=[1, 2], names=["a", "b"])
    ...     with npz_archive(file) as (archive, members):
    ...         npz_array(archive, members["names"], Budget("a.npz")).tolist()
    ['a', 'b']
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = {
                info.filename.removesuffix(".npy"): info
                for info in archive.infolist()
                if info.filename.endswith(".npy")
            }
            yield archive, members
    except ComrafError:
        raise
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError) as error:
        raise ReadError(
            f"{path}: is not a whole .npz file ({error}); it may be cut short or damaged, get a "
            "fresh copy of it"
        ) from error
    except (NotImplementedError, RuntimeError) as error:
        # Encrypted members and packing methods that Python does not know.
        raise ReadError(f"{path}: can't be unpacked: {error}") from error
    except OSError as error:
        raise ReadError(f"{path}: can't be read: {error.strerror or error}") from error


def npz_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget) -> npt.NDArray[Any]:
    """A list of numbers or strings of a ``.npz`` file, if it fits and holds no objects."""
    header = _member_header(archive, info, budget.source)
    if header.dtype.kind not in "biufSU" or len(header.shape) != 1:
        raise InputError(
            f"{budget.source}, {info.filename}: an array of {header.dtype} with shape "
            f"{header.shape}; a list of plain numbers or strings is expected"
        )
    # As Python's strings, names take several times the room.
    budget.check(4 * header.nbytes + 200 * header.n, f"the array {info.filename}")
    if not header.dtype.itemsize:
        return np.full(header.shape, "")
    return _member(archive, info, header, budget.source)


def npz_matrix(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget) -> npt.NDArray[Any]:
    """A matrix of real numbers of a ``.npz`` file, if it fits."""
    header = _member_header(archive, info, budget.source)
    if header.dtype.kind not in "iuf" or len(header.shape) != 2:
        raise InputError(
            f"{budget.source}, {info.filename}: an array of {header.dtype} with shape "
            f"{header.shape}; a matrix of numbers is expected, one row for each document"
        )
    budget.check(2 * header.nbytes, f"the array {info.filename}")
    found = _member(archive, info, header, budget.source)
    return found.reshape(header.shape, order="F" if header.fortran else "C")


def npz_csr(
    archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], prefix: str, budget: Budget
) -> sp.csr_array:
    """The CSR table whose parts are called ``<prefix>data``, ``<prefix>indices`` and so on."""
    parts = {
        name: members[prefix + name]
        for name in ("data", "indices", "indptr", "shape")
        if prefix + name in members
    }
    return _laid_out("csr", archive, parts, budget).matrix


def _header(stream: Any, source: str) -> _Header:
    """Shape and dtype of an array, from the first bytes of its file."""
    fmt = np.lib.format
    counted = _Counted(stream)
    try:
        version = fmt.read_magic(counted)
        # Version 3 differs by field names outside Latin-1, which a table of numbers has none of.
        read = fmt.read_array_header_1_0 if version == (1, 0) else fmt.read_array_header_2_0
        shape, fortran, dtype = read(counted)
    except (OSError, zipfile.BadZipFile, zlib.error):
        raise
    except (
        Exception
    ) as error:  # NumPy hands the header to Python's parser, which fails in many ways
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ReadError(f"{source}: is not a NumPy array file: {reason}") from error
    if any(extent < 0 for extent in shape):
        raise ReadError(f"{source}: an array claims the impossible shape {shape}")
    return _Header(tuple(shape), fortran, dtype, counted.taken)


class _Counted:
    """A stream that knows how far it was read; a header never needs much."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.taken = 0

    def read(self, size: int = -1, /) -> bytes:
        data: bytes = self._stream.read(min(size, 2**16) if size >= 0 else 2**16)
        self.taken += len(data)
        return data


def _member_header(archive: zipfile.ZipFile, info: zipfile.ZipInfo, source: str) -> _Header:
    with archive.open(info) as stream:
        header = _header(stream, f"{source}, {info.filename}")
    where = f"{source}, {info.filename}"
    claimed = header.offset + header.nbytes
    if not header.dtype.hasobject and claimed != info.file_size:
        raise _truncated(where, claimed, info.file_size)
    if info.compress_type == zipfile.ZIP_DEFLATED and info.file_size > _DEFLATE_RATIO * (
        info.compress_size + 64
    ):
        raise ReadError(
            f"{where}: {in_words(info.compress_size)} claim to unpack to "
            f"{in_words(info.file_size)}, which is impossible; the file is damaged or hostile"
        )
    return header


def _member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, header: _Header, source: str
) -> npt.NDArray[Any]:
    """The numbers of one member; its size must have been found to fit."""
    where = f"{source}, {info.filename}"
    buffer = np.empty(header.nbytes, np.uint8)
    with archive.open(info) as stream:
        stream.read(header.offset)  # reading, unlike seeking, keeps the checksum going
        filled = 0
        while filled < header.nbytes:
            data = stream.read(min(_CHUNK, header.nbytes - filled))
            if not data:
                raise _truncated(where, header.offset + header.nbytes, header.offset + filled)
            buffer[filled : filled + len(data)] = np.frombuffer(data, np.uint8)
            filled += len(data)
        stream.read(1)  # past the end, so that the checksum is compared
    array = buffer.view(header.dtype)
    # Files may come from machines that order their bytes the other way round.
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _check_dense(header: _Header, budget: Budget) -> None:
    check_kind(header.dtype, budget.source)
    if len(header.shape) != 2:
        raise InputError(
            f"{budget.source}: holds an array with {len(header.shape)} dimensions, shape "
            f"{header.shape}; a table has 2: rows and columns"
        )
    budget.check_shape(*header.shape, n_entries=0)


def _dense(array: npt.NDArray[Any], budget: Budget) -> Raw:
    if 0 in array.shape:
        return Raw(sp.csr_array((array.shape[0], array.shape[1]), dtype=np.int64))
    matrix = csr_from_dense(array, budget)
    matrix.data = whole_if_possible(matrix.data)
    return Raw(matrix)


def _sparse(archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], budget: Budget) -> Raw:
    return _laid_out(_layout(archive, members["format"], budget.source), archive, members, budget)


def _laid_out(
    layout: str, archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], budget: Budget
) -> Raw:
    source = budget.source
    needed = {"coo": ("row", "col"), "csr": ("indices", "indptr"), "csc": ("indices", "indptr")}
    if layout not in needed:
        raise InputError(
            f"{source}: the matrix is stored as {layout!r}; save it as csr, csc or coo: "
            "scipy.sparse.save_npz(path, matrix.tocsr())"
        )
    for name in ("shape", "data", *needed[layout]):
        if name not in members:
            raise ReadError(f"{source}: the array {name!r} of a {layout} matrix is missing")
    shape_header = _member_header(archive, members["shape"], source)
    if shape_header.shape != (2,) or shape_header.dtype.kind not in "iu":
        raise ReadError(f"{source}: 'shape' does not hold the two sizes of a table")
    n_rows, n_columns = _member(archive, members["shape"], shape_header, source).tolist()
    if n_rows < 0 or n_columns < 0:
        raise ReadError(f"{source}: claims the impossible shape {(n_rows, n_columns)}")

    headers = {
        name: _member_header(archive, members[name], source) for name in ("data", *needed[layout])
    }
    check_kind(headers["data"].dtype, source)
    for name, header in headers.items():
        if len(header.shape) != 1 or (name != "data" and header.dtype.kind not in "iu"):
            raise ReadError(
                f"{source}: {name!r} is an array of {header.dtype} with shape {header.shape}; "
                f"a {layout} matrix needs a list of {'numbers' if name == 'data' else 'positions'}"
            )
    budget.check_shape(n_rows, n_columns, headers["data"].n)
    budget.check(2 * sum(header.nbytes for header in headers.values()), "the sparse matrix")
    arrays = {
        name: _member(archive, members[name], header, source) for name, header in headers.items()
    }
    return _from_parts(arrays, layout, (n_rows, n_columns), source)


def _layout(archive: zipfile.ZipFile, info: zipfile.ZipInfo, source: str) -> str:
    header = _member_header(archive, info, source)
    if header.shape != () or header.dtype.kind not in "SU" or header.nbytes > 64:
        raise ReadError(f"{source}: 'format' does not name a sparse layout")
    name = _member(archive, info, header, source)[0]
    return name.decode("ascii", "replace") if isinstance(name, bytes) else str(name)


def _from_parts(
    arrays: dict[str, npt.NDArray[Any]], layout: str, shape: tuple[int, int], source: str
) -> Raw:
    """The table of some arrays; SciPy checks that they fit together."""
    data = arrays.pop("data")
    if data.dtype.kind == "f":
        data = data.astype(np.float64, copy=False)  # SciPy does not know half precision
    places = tuple(part.astype(np.int64, copy=False) for part in arrays.values())
    try:
        if layout == "coo":
            matrix = sp.coo_array((data, places), shape)
        else:
            make = sp.csr_array if layout == "csr" else sp.csc_array
            matrix = make((data, *places), shape)
            matrix.check_format(full_check=True)
    except ValueError as error:
        raise ReadError(
            f"{source}: its arrays make no {layout} matrix of {shape[0]:,} x {shape[1]:,}: {error}"
        ) from error
    bad = check_values(matrix.data)
    if bad is not None:
        at = matrix.tocoo()
        row, column = int(at.row[bad]), int(at.col[bad])
        raise refuse_value(float(at.data[bad]), row, column, source)
    matrix.data = whole_if_possible(matrix.data)
    csr = sp.csr_array(matrix)
    # sorted, with repeated entries summed: both are legal in a file, neither afterwards
    csr.sum_duplicates()
    return Raw(csr)


def _truncated(where: str, expected: int, found: int) -> ReadError:
    return ReadError(
        f"{where}: {expected:,} bytes are announced, but there are {found:,}; the file is cut "
        "short or damaged, get a fresh copy of it"
    )
