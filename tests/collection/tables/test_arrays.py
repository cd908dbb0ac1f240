"""NumPy and SciPy files, hostile ones included."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.collection.tables import read_table
from comraf.errors import ComrafError, InputError, ReadError, TooLargeError

TABLE = np.array([[4, 0, 1], [0, 2, 0]])


def npy_bytes(array: Any) -> bytes:
    """What np.save writes."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def header_bytes(shape: tuple[int, ...], descr: str = "<i8") -> bytes:
    """The start of an array file."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": descr, "fortran_order": False, "shape": shape}
    )
    return buffer.getvalue()


def write_npz(path: Path, **arrays: Any) -> Path:
    """An npz of exactly these arrays; bytes go in as they are."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", array if isinstance(array, bytes) else npy_bytes(array))
    return path


def sparse_parts(**changes: Any) -> dict[str, Any]:
    """The members of a good CSR file, with changes."""
    matrix = sp.csr_array(TABLE)
    parts: dict[str, Any] = {
        "indices": matrix.indices,
        "indptr": matrix.indptr,
        "format": np.array(b"csr"),
        "shape": np.array(matrix.shape),
        "data": matrix.data,
    }
    return parts | changes


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("old", [True, False], ids=["matrix", "array"])
@pytest.mark.parametrize("packed", [True, False])
def test_sparse_layouts(layout: str, old: bool, packed: bool, tmp_path: Path) -> None:
    """SciPy's common layouts, its matrices and arrays, packed and not."""
    kind = getattr(sp, f"{layout}_{'matrix' if old else 'array'}")
    sp.save_npz(tmp_path / "a.npz", kind(TABLE), compressed=packed)
    np.testing.assert_array_equal(read_table(tmp_path / "a.npz").matrix.toarray(), TABLE)


@pytest.mark.parametrize("layout", ["bsr", "dia"])
def test_rare_layouts_are_refused_with_advice(layout: str, tmp_path: Path) -> None:
    """The others are refused with what to do."""
    sp.save_npz(tmp_path / "a.npz", sp.csr_array(TABLE).asformat(layout))
    with pytest.raises(InputError, match=rf"'{layout}'.*tocsr"):
        read_table(tmp_path / "a.npz")


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", ">i4", "<u8", "f2", ">f8", "g"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_types(dtype: str, order: Any, tmp_path: Path) -> None:
    """Every plain number type and both orders, in .npy and .npz."""
    array = np.asarray(TABLE.astype(dtype), order=order)
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "a.npz", array)
    np.savez_compressed(tmp_path / "b.npz", table=array)
    for name in ("a.npy", "a.npz", "b.npz"):
        found = read_table(tmp_path / name).matrix
        np.testing.assert_array_equal(found.toarray(), array.astype(np.float64))


def test_other_byte_order_in_sparse_files(tmp_path: Path) -> None:
    """Positions and values of the other byte order are read right."""
    parts = sparse_parts()
    parts["indices"] = parts["indices"].astype(">i4")
    parts["indptr"] = parts["indptr"].astype(">i8")
    parts["data"] = parts["data"].astype(">f4")
    found = read_table(write_npz(tmp_path / "a.npz", **parts)).matrix
    np.testing.assert_array_equal(found.toarray(), TABLE)


def test_real_counts_stay_real(tmp_path: Path) -> None:
    """Fractions are kept."""
    np.save(tmp_path / "a.npy", np.array([[0.5, 0.0], [0.25, 3.0]]))
    found = read_table(tmp_path / "a.npy").matrix
    assert found.dtype == np.float64
    assert found.sum() == 3.75


def test_unsorted_and_repeated_entries_are_put_in_order(tmp_path: Path) -> None:
    """SciPy allows both in a file; sorted and summed is what comes out."""
    parts = sparse_parts(
        indices=np.array([2, 0, 0, 1]), indptr=np.array([0, 3, 4]), data=np.array([1, 3, 1, 2])
    )
    found = read_table(write_npz(tmp_path / "a.npz", **parts)).matrix
    np.testing.assert_array_equal(found.toarray(), TABLE)
    assert found.has_canonical_format


def test_spare_room_is_legal(tmp_path: Path) -> None:
    """SciPy allows room behind the last entry."""
    parts = sparse_parts(indices=np.array([0, 2, 1, 9]), data=np.array([4, 1, 2, -5]))
    found = read_table(write_npz(tmp_path / "a.npz", **parts)).matrix
    np.testing.assert_array_equal(found.toarray(), TABLE)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"indices": np.array([0, 7, 1])}, "make no csr matrix of 2 x 3: "),
        ({"indices": np.array([0, -1, 1])}, "make no csr matrix"),
        ({"indices": np.array([0.0, 2.0, 1.0])}, "'indices' is an array of float64"),
        ({"indices": np.array([0, 2])}, "make no csr matrix"),
        ({"indptr": np.array([0, 2])}, "make no csr matrix"),
        ({"indptr": np.array([0, 3, 2])}, "make no csr matrix"),
        ({"indptr": np.array([1, 2, 3])}, "should start with 0"),
        ({"indptr": np.array([0, 2, 99])}, "make no csr matrix"),
        ({"indptr": np.array([[0, 2, 3]])}, "'indptr' is an array of .* shape"),
        ({"data": np.array([[1, 2, 3]])}, "'data' is an array of .* shape"),
        ({"shape": np.array([-2, 3])}, "impossible shape"),
        ({"shape": np.array([2, 3, 4])}, "two sizes"),
        ({"shape": np.array([2.0, 3.0])}, "two sizes"),
        ({"shape": np.array([5, 3])}, "make no csr matrix of 5 x 3"),
        ({"format": np.array(b"x" * 100)}, "does not name a sparse layout"),
    ],
)
def test_inconsistent_sparse_files(
    changes: Mapping[str, Any], message: str, tmp_path: Path
) -> None:
    """Parts that contradict each other are named."""
    path = write_npz(tmp_path / "a.npz", **sparse_parts(**changes))
    with pytest.raises(ReadError, match=rf"a\.npz.*{message}"):
        read_table(path)


def test_missing_part(tmp_path: Path) -> None:
    """A sparse file that lacks an array."""
    parts = sparse_parts()
    del parts["indptr"]
    with pytest.raises(ReadError, match=r"'indptr'.*missing"):
        read_table(write_npz(tmp_path / "a.npz", **parts))


def test_coo_out_of_bounds_and_uneven(tmp_path: Path) -> None:
    """The coo layout is checked as well."""
    good: dict[str, Any] = {"format": np.array(b"coo"), "shape": np.array([2, 2])}
    path = write_npz(tmp_path / "a.npz", **good, row=[0, 2], col=[0, 1], data=[1, 1])
    with pytest.raises(ReadError, match=r"make no coo matrix of 2 x 2: .*exceeds"):
        read_table(path)
    path = write_npz(tmp_path / "b.npz", **good, row=[0], col=[0, 1], data=[1, 1])
    with pytest.raises(ReadError, match="make no coo matrix of 2 x 2: "):
        read_table(path)


@pytest.mark.parametrize(
    ("value", "shown"), [(-2.0, "-2"), (np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")]
)
@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "dense npy", "dense npz"])
def test_bad_values_are_located(value: float, shown: str, layout: str, tmp_path: Path) -> None:
    """Negative, NaN and infinite entries are told with row and column, whatever the layout."""
    array = TABLE.astype(np.float64)
    array[1, 2] = value
    if layout == "dense npy":
        np.save(path := tmp_path / "a.npy", array)
    elif layout == "dense npz":
        np.savez(path := tmp_path / "a.npz", array)
    else:
        sp.save_npz(path := tmp_path / "a.npz", sp.csr_array(array).asformat(layout))
    with pytest.raises(InputError, match=rf"row 1, column 2 \(counting from 0\) holds {shown};"):
        read_table(path)


@pytest.mark.parametrize(
    "array", [np.array([["a", "b"]]), np.array([[1j]]), np.zeros((1, 1), "M8[s]")]
)
def test_wrong_types(array: Any, tmp_path: Path) -> None:
    """Text, complex numbers and dates are no counts."""
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "a.npz", array)
    write_npz(tmp_path / "b.npz", **sparse_parts(data=np.resize(array.ravel(), 3)))
    for name in ("a.npy", "a.npz", "b.npz"):
        with pytest.raises(InputError, match=f"{name}.*type {array.dtype.str[:2]}|of type"):
            read_table(tmp_path / name)


class Trap:
    """Leaves a trace when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_pickles_are_never_opened(tmp_path: Path) -> None:
    """An object array is refused without running what it holds."""
    sprung = tmp_path / "sprung"
    trap = np.array([[Trap(sprung)]], dtype=object)
    np.save(tmp_path / "a.npy", trap, allow_pickle=True)
    np.savez(tmp_path / "a.npz", trap)
    write_npz(tmp_path / "b.npz", **sparse_parts(data=np.resize(trap.ravel(), 3)))
    write_npz(tmp_path / "c.npz", **sparse_parts(format=trap))
    for name in ("a.npy", "a.npz", "b.npz", "c.npz"):
        with pytest.raises(ComrafError, match=name):
            read_table(tmp_path / name)
        assert not sprung.exists()
    with pytest.raises(InputError, match=r"pickled.*never opened"):
        read_table(tmp_path / "a.npy")


@pytest.mark.parametrize("shape", [(3,), (2, 2, 2), ()])
def test_other_dimensions(shape: tuple[int, ...], tmp_path: Path) -> None:
    """A table has two dimensions."""
    np.save(tmp_path / "a.npy", np.ones(shape))
    with pytest.raises(InputError, match=rf"{len(shape)} dimensions"):
        read_table(tmp_path / "a.npy")


def test_several_arrays(tmp_path: Path) -> None:
    """Several arrays in a file: which is meant can't be known."""
    np.savez(tmp_path / "a.npz", x=TABLE, y=TABLE)
    with pytest.raises(InputError, match=r"exactly one array.*x, y"):
        read_table(tmp_path / "a.npz")


def test_zip_without_arrays(tmp_path: Path) -> None:
    """A zip file of something else."""
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(InputError, match="arrays found: none"):
        read_table(tmp_path / "a.npz")


@pytest.mark.parametrize("shape", [(10**12, 3), (3, 10**12)])
def test_absurd_shape_of_a_sparse_file(shape: tuple[int, int], tmp_path: Path) -> None:
    """A million million rows with three entries are refused before they are taken."""
    parts = {"row": [0, 1, 2], "col": [0, 1, 2], "data": [1, 1, 1]}
    path = write_npz(tmp_path / "a.npz", format=np.array(b"coo"), shape=np.array(shape), **parts)
    with pytest.raises(TooLargeError, match="1,000,000,000,000"):
        read_table(path)


def test_shape_that_fits_the_numbers_but_not_the_memory(tmp_path: Path) -> None:
    """Two thousand million empty rows would still need their memory."""
    parts = {"row": [0], "col": [0], "data": [1]}
    path = write_npz(
        tmp_path / "a.npz", format=np.array(b"coo"), shape=np.array([2**31 - 1, 2]), **parts
    )
    with pytest.raises(TooLargeError, match="memory"):
        read_table(path, max_bytes=2**30)


@pytest.mark.parametrize("shape", [(10**6, 10**6), (10**15, 10**15), (-3, 2)])
def test_header_that_lies_about_the_shape(shape: tuple[int, int], tmp_path: Path) -> None:
    """A header may claim anything; nothing is taken before it is compared with the file."""
    lie = header_bytes(shape) + b"\0" * 64
    (tmp_path / "a.npy").write_bytes(lie)
    write_npz(tmp_path / "a.npz", table=lie)
    for name in ("a.npy", "a.npz"):
        with pytest.raises(ComrafError, match=name):
            read_table(tmp_path / name)


def test_zip_bomb(tmp_path: Path) -> None:
    """A small file that unpacks to a huge array is refused by its announced size."""
    path = tmp_path / "bomb.npz"
    n = 2**25
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open("table.npy", "w") as member,
    ):
        member.write(header_bytes((n // 8, 8), "|u1"))
        for _ in range(n // 2**20):
            member.write(b"\0" * 2**20)
    assert path.stat().st_size < n / 900
    with pytest.raises(TooLargeError, match=r"bomb\.npz.*memory"):
        read_table(path, max_bytes=2**24)


def test_zip_that_lies_about_its_size(tmp_path: Path) -> None:
    """A few bytes that claim to unpack to a gigabyte are found out before it is taken."""
    size = 2**30
    lie = header_bytes((size // 8, 8), "|u1")
    path = write_npz(tmp_path / "a.npz", table=lie)
    content = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = content.index(signature) + offset
        assert struct.unpack_from("<I", content, place) == (len(lie),)
        struct.pack_into("<I", content, place, len(lie) + size)
    path.write_bytes(bytes(content))
    with pytest.raises(ReadError, match=r"impossible|cut short|whole"):
        read_table(path)


def test_wrong_checksum(tmp_path: Path) -> None:
    """Numbers that changed on the way are not taken for good."""
    np.savez(tmp_path / "a.npz", TABLE)
    content = bytearray((tmp_path / "a.npz").read_bytes())
    place = content.index(TABLE.tobytes())
    content[place] ^= 1
    (tmp_path / "a.npz").write_bytes(bytes(content))
    with pytest.raises(ReadError, match=r"CRC|whole"):
        read_table(tmp_path / "a.npz")


def test_encrypted_member(tmp_path: Path) -> None:
    """A file that wants a password."""
    np.savez(tmp_path / "a.npz", TABLE)
    content = bytearray((tmp_path / "a.npz").read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + offset] |= 1
    (tmp_path / "a.npz").write_bytes(bytes(content))
    with pytest.raises(ReadError, match="unpacked"):
        read_table(tmp_path / "a.npz")


def test_blocks_agree_with_one_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dense tables are read block by block; the blocks' seams don't show."""
    rng = np.random.default_rng(0)
    array = rng.poisson(0.3, (57, 11))
    np.save(tmp_path / "a.npy", array)
    monkeypatch.setattr("comraf.collection.tables.counts._BLOCK", 25)
    np.testing.assert_array_equal(read_table(tmp_path / "a.npy").matrix.toarray(), array)
