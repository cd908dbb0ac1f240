"""NumPy and SciPy files: ``.npz`` (a sparse matrix, or one dense array) and ``.npy``.

The headers are read and checked first; numbers are read only into arrays whose size was
found to fit, and pickled objects are never opened.
"""

from __future__ import annotations

import io
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

# Of a file that is announced to hold an array, what may be its header.
_MOST_HEADER = 2**16
# A deflate stream can't unpack to more than 1032 times its size.
_DEFLATE_RATIO = 1032
_SPARSE = {"format", "shape", "data"}
_PARTS = {"coo": ("row", "col"), "csr": ("indices", "indptr"), "csc": ("indices", "indptr")}


class _Header(NamedTuple):
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int

    @property
    def n(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.n * self.dtype.itemsize

    @property
    def size(self) -> int:
        """Bytes of the whole file."""
        return self.offset + self.nbytes


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
    if path.stat().st_size < header.size:
        raise _truncated(budget.source, header.size, path.stat().st_size)
    return _dense(np.load(path, mmap_mode="r"), budget)


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
    with open_npz(path, budget) as arrays:
        if set(arrays.members) >= _SPARSE:
            return _sparse(arrays)
        if len(arrays.members) != 1:
            found = ", ".join(sorted(arrays.members)[:8]) or "none"
            raise InputError(
                f"{path}: holds neither a sparse matrix saved by scipy.sparse.save_npz nor "
                f"exactly one array (arrays found: {found}); save the table by itself"
            )
        (name,) = arrays.members
        header = arrays.header(name)
        _check_dense(header, budget)
        budget.check(2 * header.nbytes, f"its array of {in_words(header.nbytes)}")
        return _dense(arrays.array(name), budget)


class NpzFile:
    """The arrays of an open ``.npz`` file, whose sizes are checked before they are taken.

    Parameters
    ----------
    archive : zipfile.ZipFile
    budget : Budget
        The memory that they may take.

    Attributes
    ----------
    members : dict of str to zipfile.ZipInfo
        The arrays by their names.
    """

    def __init__(self, archive: zipfile.ZipFile, budget: Budget) -> None:
        self._archive = archive
        self.budget = budget
        self.members = {
            info.filename.removesuffix(".npy"): info
            for info in archive.infolist()
            if info.filename.endswith(".npy")
        }

    def header(self, name: str) -> _Header:
        """What an array is; an error if it can't be as large as it says."""
        info = self.members[name]
        where = f"{self.budget.source}, {info.filename}"
        with self._archive.open(info) as stream:
            header = _header(stream, where)
        if not header.dtype.hasobject and header.size != info.file_size:
            raise _truncated(where, header.size, info.file_size)
        most = _DEFLATE_RATIO * (info.compress_size + 64)
        if info.compress_type == zipfile.ZIP_DEFLATED and info.file_size > most:
            raise ReadError(
                f"{where}: {in_words(info.compress_size)} claim to unpack to "
                f"{in_words(info.file_size)}, which is impossible; the file is damaged or hostile"
            )
        return header

    def array(self, name: str) -> npt.NDArray[Any]:
        """An array whose header was looked at, and found to fit."""
        with self._archive.open(self.members[name]) as stream:
            found = np.lib.format.read_array(stream, allow_pickle=False)
            stream.read(1)  # past the end, so that the checksum is compared
        # Files may come from machines that order their bytes the other way round.
        return np.asarray(found, found.dtype.newbyteorder("="))

    def strings(self, name: str) -> npt.NDArray[Any]:
        """A list of numbers or strings, if it fits and holds no objects."""
        # As Python's strings, names take several times the room.
        header = self._checked(name, "biufSU", 1, "a list of plain numbers or strings is expected")
        self.budget.check(4 * header.nbytes + 200 * header.n, f"the array {name}.npy")
        return self.array(name)

    def matrix(self, name: str) -> npt.NDArray[Any]:
        """A matrix of real numbers, if it fits."""
        what = "a matrix of numbers is expected, one row for each document"
        header = self._checked(name, "iuf", 2, what)
        self.budget.check(2 * header.nbytes, f"the array {name}.npy")
        return self.array(name)

    def csr(self, prefix: str) -> sp.csr_array:
        """The CSR table whose parts are called ``<prefix>data``, ``<prefix>indices`` and so on."""
        return _laid_out("csr", self, prefix).matrix

    def _checked(self, name: str, kinds: str, n_axes: int, what: str) -> _Header:
        header = self.header(name)
        if header.dtype.kind not in kinds or len(header.shape) != n_axes:
            raise InputError(
                f"{self.budget.source}, {name}.npy: an array of {header.dtype} with shape "
                f"{header.shape}; {what}"
            )
        return header


@contextmanager
def open_npz(path: Path, budget: Budget) -> Iterator[NpzFile]:
    """Open a ``.npz`` file; whatever is wrong with it is a ReadError.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.npz")
    ...     np.savez(file, counts=[1, 2], names=["a", "b"])
    ...     with open_npz(file, Budget("a.npz")) as arrays:
    ...         arrays.strings("names").tolist()
    ['a', 'b']
    """
    try:
        with zipfile.ZipFile(path) as archive:
            yield NpzFile(archive, budget)
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


def _header(stream: Any, source: str) -> _Header:
    """Shape and dtype of an array, from the first bytes of its file."""
    fmt = np.lib.format
    head = io.BytesIO(stream.read(_MOST_HEADER))
    try:
        version = fmt.read_magic(head)
        # Version 3 differs by field names outside Latin-1, which a table of numbers has none of.
        read = fmt.read_array_header_1_0 if version == (1, 0) else fmt.read_array_header_2_0
        shape, _, dtype = read(head)
    # NumPy hands the header to Python's parser, which fails in many ways
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ReadError(f"{source}: is not a NumPy array file: {reason}") from error
    if any(extent < 0 for extent in shape):
        raise ReadError(f"{source}: an array claims the impossible shape {shape}")
    return _Header(tuple(shape), dtype, head.tell())


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


def _sparse(arrays: NpzFile) -> Raw:
    header = arrays.header("format")
    if header.shape != () or header.dtype.kind not in "SU" or header.nbytes > 64:
        raise ReadError(f"{arrays.budget.source}: 'format' does not name a sparse layout")
    name = arrays.array("format").item()
    return _laid_out(name.decode("ascii", "replace") if isinstance(name, bytes) else name, arrays)


def _laid_out(layout: str, arrays: NpzFile, prefix: str = "") -> Raw:
    """A sparse table from the arrays that it was saved as, which may share a prefix."""
    source, budget = arrays.budget.source, arrays.budget
    if layout not in _PARTS:
        raise InputError(
            f"{source}: the matrix is stored as {layout!r}; save it as csr, csc or coo: "
            "scipy.sparse.save_npz(path, matrix.tocsr())"
        )
    for name in ("shape", "data", *_PARTS[layout]):
        if prefix + name not in arrays.members:
            raise ReadError(f"{source}: the array {name!r} of a {layout} matrix is missing")
    header = arrays.header(f"{prefix}shape")
    if header.shape != (2,) or header.dtype.kind not in "iu":
        raise ReadError(f"{source}: 'shape' does not hold the two sizes of a table")
    n_rows, n_columns = arrays.array(f"{prefix}shape").tolist()
    if n_rows < 0 or n_columns < 0:
        raise ReadError(f"{source}: claims the impossible shape {(n_rows, n_columns)}")

    headers = {name: arrays.header(prefix + name) for name in ("data", *_PARTS[layout])}
    check_kind(headers["data"].dtype, source)
    for name, header in headers.items():
        if len(header.shape) != 1 or (name != "data" and header.dtype.kind not in "iu"):
            raise ReadError(
                f"{source}: {name!r} is an array of {header.dtype} with shape {header.shape}; "
                f"a {layout} matrix needs a list of {'numbers' if name == 'data' else 'positions'}"
            )
    budget.check_shape(n_rows, n_columns, headers["data"].n)
    budget.check(2 * sum(header.nbytes for header in headers.values()), "the sparse matrix")
    parts = {name: arrays.array(prefix + name) for name in headers}
    return _from_parts(parts, layout, (n_rows, n_columns), source)


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
