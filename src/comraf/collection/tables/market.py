"""Matrix Market files, plain or packed with gzip.

SciPy's own reader is faster, but a damaged file can make it write outside its arrays and
crash, and it takes 1.5 for 1 in a file of whole numbers. This one checks every line.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.collection.readers.limits import Budget, Unpacking, open_bytes
from comraf.collection.tables.counts import (
    Raw,
    check_values,
    csr_from_dense,
    refuse_value,
    whole_if_possible,
)
from comraf.errors import InputError, ReadError

_LAYOUTS = ("coordinate", "array")
_FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
# The other half of a skew-symmetric table is negative, a Hermitian one is complex.
_SYMMETRIES = ("general", "symmetric")
_MOST_HEADER = 2**22
# Two numbers of 19 digits and one of 24 with their separators, with room to spare.
_LONGEST_LINE = 256
_CHUNK = 2**20


class _Banner(NamedTuple):
    layout: str
    field: str
    symmetry: str
    sizes: tuple[int, ...]
    n_lines: int  # up to and with the line of sizes
    rest: bytes  # what was read beyond it

    @property
    def n_entries(self) -> int:
        if self.layout == "array":
            return self.sizes[0] * self.sizes[1]
        return self.sizes[2] if self.symmetry == "general" else 2 * self.sizes[2]

    @property
    def n_expected(self) -> int:
        """Entries that the file itself holds."""
        if self.layout == "coordinate":
            return self.sizes[2]
        n = self.sizes[0]
        return self.n_entries if self.symmetry == "general" else n * (n + 1) // 2


def read_market(path: Path, budget: Budget) -> Raw:
    r"""Read a table from a Matrix Market file.

    Examples
    --------
    >>> import tempfile
    >>> lines = ["%%MatrixMarket matrix coordinate integer general", "2 3 2", "1 1 4", "2 3 1"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.mtx")
    ...     _ = file.write_text("\n".join(lines))
    ...     read_market(file, Budget("a.mtx")).matrix.toarray().tolist()
    [[4, 0, 0], [0, 0, 1]]
    """
    source = budget.source
    with open_bytes(path) as stream:
        banner = _banner(stream, source)
        _check_size(banner, path, stream, budget)
        numbers = _numbers(banner, stream, source)
    if banner.layout == "array":
        matrix = csr_from_dense(_dense(numbers[:, 0], banner), budget)
        matrix.data = whole_if_possible(matrix.data)
        return Raw(matrix)
    rows, columns = (numbers[:, i].astype(np.int64) - 1 for i in range(2))
    values = numbers[:, 2] if banner.field != "pattern" else np.ones(len(numbers))
    bad = check_values(values)
    if bad is not None:
        raise refuse_value(float(values[bad]), int(rows[bad]), int(columns[bad]), source)
    if banner.symmetry == "symmetric":
        mirrored = rows != columns
        values = np.concatenate([values, values[mirrored]])
        rows, columns = (
            np.concatenate([rows, columns[mirrored]]),
            np.concatenate([columns, rows[mirrored]]),
        )
    shape = (banner.sizes[0], banner.sizes[1])
    csr = sp.csr_array(sp.coo_array((whole_if_possible(values), (rows, columns)), shape))
    csr.sum_duplicates()
    return Raw(csr)


def _banner(stream: Unpacking, source: str) -> _Banner:
    """The first line, the comments and the line of sizes."""
    data = stream.read(_MOST_HEADER)
    if not data[:14].lower().startswith(b"%%matrixmarket"):
        raise ReadError(f"{source}: is not a Matrix Market file: it lacks the %%MatrixMarket line")
    lines = io.BytesIO(data)
    first = lines.readline()
    for number, line in enumerate(lines, 2):
        is_whole = line.endswith(b"\n") or len(data) < _MOST_HEADER
        if is_whole and line.strip() and not line.lstrip().startswith(b"%"):
            return _parsed(first, line.rstrip(b"\n"), number, lines.read(), source)
    raise ReadError(f"{source}: the line that gives the table's size is missing")


def _parsed(first: bytes, sizes: bytes, number: int, rest: bytes, source: str) -> _Banner:
    words = first.decode("ascii", "replace").lower().split()
    if len(words) != 5 or words[1] != "matrix":
        raise ReadError(
            f"{source}, line 1: {' '.join(words)[:80]!r} does not describe a matrix; expected "
            "'%%MatrixMarket matrix coordinate integer general' or the like"
        )
    _, _, layout, field, symmetry = words
    for word, known in ((layout, _LAYOUTS), (field, _FIELDS), (symmetry, _SYMMETRIES)):
        if word not in known:
            raise InputError(
                f"{source}, line 1: {word!r} can't be read as a table of counts; expected one of "
                f"{', '.join(known)}"
            )
    try:
        numbers = tuple(int(word) for word in sizes.split())
    except ValueError:
        numbers = ()
    if len(numbers) != (3 if layout == "coordinate" else 2) or min(numbers) < 0:
        expected = "rows, columns and entries" if layout == "coordinate" else "rows and columns"
        raise ReadError(
            f"{source}, line {number}: {sizes[:80].decode('ascii', 'replace')!r} should be the "
            f"numbers of {expected}"
        )
    if symmetry != "general" and numbers[0] != numbers[1]:
        raise ReadError(f"{source}, line {number}: a {symmetry} table must be square")
    return _Banner(layout, field, symmetry, numbers, number, rest)


def _check_size(banner: _Banner, path: Path, stream: Unpacking, budget: Budget) -> None:
    # The shortest line is "1 1" in a coordinate file and "0" in an array, each with its end.
    shortest = (4 if banner.layout == "coordinate" else 2) * banner.n_expected
    most = path.stat().st_size if stream.most is None else stream.most
    if shortest > most + 4:
        raise ReadError(
            f"{budget.source}, line {banner.n_lines}: announces {banner.n_expected:,} entries, "
            "more than a file of this size can hold; it is cut short or damaged"
        )
    n_rows, n_columns = banner.sizes[:2]
    budget.check_shape(n_rows, n_columns, banner.n_entries)


def _numbers(banner: _Banner, stream: Unpacking, source: str) -> npt.NDArray[np.float64]:
    """The lines after the header, checked: one row of numbers for each."""
    width = 1 if banner.layout == "array" else 2 if banner.field == "pattern" else 3
    parts = [np.empty((0, width))]
    line, n_found = banner.n_lines, 0
    # Blank lines are legal, and a packed file could hold them without end.
    left = _LONGEST_LINE * (banner.n_expected + 4096)
    for block in stream.blocks(_CHUNK, banner.rest):
        left -= len(block)
        if left < 0:
            raise ReadError(f"{source}: is far longer than its announced entries need")
        block = block if block.endswith(b"\n") else block + b"\n"
        part = _parsed_block(block, width, line, source)
        if banner.layout == "coordinate":
            _check_places(part, block, banner, line, source)
        n_found += len(part)
        if n_found > banner.n_expected:
            raise ReadError(
                f"{source}: holds more than the {banner.n_expected:,} entries that line "
                f"{banner.n_lines} announces"
            )
        parts.append(part)
        line += block.count(b"\n")
    if n_found < banner.n_expected:
        raise ReadError(
            f"{source}: holds {n_found:,} of the {banner.n_expected:,} entries that line "
            f"{banner.n_lines} announces; it is cut short or damaged"
        )
    return np.concatenate(parts)


def _parsed_block(block: bytes, width: int, line: int, source: str) -> npt.NDArray[np.float64]:
    """Numbers of some lines, which must have ``width`` of them each; blank lines have none."""
    codes = np.frombuffer(block, np.uint8)
    gap = codes <= 32
    starts = ~gap
    starts[1:] &= gap[:-1]
    in_line = np.add.reduceat(starts, np.r_[0, np.flatnonzero(codes == 10)[:-1] + 1], dtype=int)
    odd = np.flatnonzero((in_line != 0) & (in_line != width))
    if len(odd):
        raise ReadError(
            f"{source}, line {line + 1 + odd[0]}: has {in_line[odd[0]]} number(s), expected {width}"
        )
    n = int(in_line.sum())
    with warnings.catch_warnings():
        # NumPy warns of text that is no number, or raises, depending on its version.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            flat = np.fromstring(block, np.float64, sep=" ") if n else np.empty(0)
        except ValueError:
            flat = np.empty(0)
    if len(flat) != n or b"\0" in block:  # some versions take a zero byte for the end
        raise _no_number(block, line, source)
    return flat.reshape(-1, width)


def _no_number(block: bytes, line: int, source: str) -> ReadError:
    for number, text in enumerate(block.split(b"\n"), start=line + 1):
        for word in text.split():
            try:
                float(word)
            except ValueError:
                shown = word[:40].decode("ascii", "replace")
                return ReadError(f"{source}, line {number}: {shown!r} is not a number")
    return ReadError(f"{source}, after line {line}: holds something that is not a number")


def _check_places(
    part: npt.NDArray[np.float64], block: bytes, banner: _Banner, line: int, source: str
) -> None:
    for axis, what in ((0, "row"), (1, "column")):
        places, size = part[:, axis], banner.sizes[axis]
        good = (places >= 1) & (places <= size) & (places == np.floor(places))
        if not good.all():
            at = int(np.flatnonzero(~good)[0])
            filled = [i for i, text in enumerate(block.split(b"\n")) if text.strip()]
            raise ReadError(
                f"{source}, line {line + 1 + filled[at]}: {what} {places[at]:.12g} is out of "
                f"bounds; {what}s run from 1 to {size}"
            )


def _dense(values: npt.NDArray[np.float64], banner: _Banner) -> npt.NDArray[np.float64]:
    """An array file goes down the columns; a symmetric one begins each at the diagonal."""
    n_rows, n_columns = banner.sizes[:2]
    if banner.symmetry == "general":
        return values.reshape(n_columns, n_rows).T
    table = np.zeros((n_rows, n_columns))
    start = 0
    for column in range(n_columns):
        part = values[start : start + n_rows - column]
        table[column:, column] = table[column, column:] = part
        start += len(part)
    return table
