"""Folders of JSON and arrays: whole at every moment, and refused in plain words."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import save_file

from comraf.errors import ReadError, WriteError
from comraf.results import archive
from comraf.results.archive import (
    nothing_left,
    number,
    read_archive,
    strings,
    take_array,
    text,
    whole,
    write_archive,
)

ONE = {1: None}


def write(folder, version=1, document=None, arrays=None):
    """A small archive."""
    write_archive(
        folder,
        kind="note",
        version=version,
        document={"a": 1} if document is None else document,
        arrays={"x": np.arange(3)} if arrays is None else arrays,
    )


def read(folder, versions=ONE):
    """What it holds."""
    return read_archive(folder, kind="note", versions=versions)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text().filter(lambda k: k not in ("format", "version", "arrays")), plain),
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
            lambda k: k != "__metadata__"
        ),
        hnp.arrays(
            st.sampled_from([np.int32, np.int64, np.float64, np.uint8, np.bool_]),
            hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
        ),
        max_size=3,
    ),
)
def test_what_was_written_is_read(tmp_path_factory, document, arrays):
    """Documents come back equal (surrogates of odd file names too), arrays bit for bit."""
    folder = tmp_path_factory.mktemp("archive") / "new" / "folder"
    write(folder, document=document, arrays=arrays)
    got, tables = read(folder)
    assert got == document
    assert set(tables) == set(arrays)
    for name, array in arrays.items():
        assert tables[name].dtype == array.dtype
        assert tables[name].shape == array.shape
        assert tables[name].tobytes() == array.tobytes()


def test_other_byte_orders_and_strides(tmp_path):
    """Arrays that are not plain in memory are plain on disk."""
    array = np.arange(12, dtype=">i4").reshape(3, 4)[::2, ::-1]
    write(tmp_path, arrays={"x": array})
    np.testing.assert_array_equal(read(tmp_path)[1]["x"], array)


@pytest.mark.parametrize("failing", range(8))
def test_a_failure_at_any_moment_leaves_the_older_one(tmp_path, monkeypatch, failing):
    """Whichever of the system's calls fails, what was there is still there, and nothing else."""
    folder = tmp_path / "archive"
    write(folder, document={"a": "old"})
    before = sorted(path.name for path in folder.iterdir())
    calls = 0

    def fail(real):
        def call(*arguments, **keywords):
            nonlocal calls
            calls += 1
            if calls == failing + 1:
                raise OSError(28, "No space left on device")
            return real(*arguments, **keywords)

        return call

    monkeypatch.setattr(os, "fsync", fail(os.fsync))
    monkeypatch.setattr(Path, "replace", fail(Path.replace))
    monkeypatch.setattr(Path, "open", fail(Path.open))
    expected, n = "new", 5
    if failing < 7:
        with pytest.raises(WriteError, match="No space left"):
            write(folder, document={"a": "new"}, arrays={"x": np.arange(5)})
        expected, n = "old", 3
    else:  # the folder itself can't be synced everywhere; that is no failure
        write(folder, document={"a": "new"}, arrays={"x": np.arange(5)})
    monkeypatch.undo()
    document, arrays = read(folder)
    assert (document["a"], len(arrays["x"])) == (expected, n)
    after = sorted(path.name for path in folder.iterdir())
    assert expected == "new" or set(after) - set(before) <= {"arrays-b.safetensors"}
    assert not [name for name in after if name.endswith(".partial")]


def test_writing_again_and_again(tmp_path):
    """An archive is replaced in place; one file of arrays stays, and the user's own files."""
    (tmp_path / "mine.txt").write_text("x")
    for number_ in range(5):
        write(tmp_path, document={"a": number_}, arrays={"x": np.full(number_, number_)})
        document, arrays = read(tmp_path)
        assert (document["a"], len(arrays["x"])) == (number_, number_)
        assert len(list(tmp_path.iterdir())) == 3


def test_what_is_in_the_way_is_not_written_over(tmp_path):
    """Somebody else's note.json, a damaged one, and a file instead of a folder stay."""
    for content in ('{"format": "other"}', "[]", "{"):
        (tmp_path / "note.json").write_text(content)
        with pytest.raises(WriteError, match="in the way"):
            write(tmp_path)
        assert (tmp_path / "note.json").read_text() == content
    with pytest.raises(WriteError, match="is a file"):
        write(tmp_path / "note.json")
    with pytest.raises(WriteError, match="can't be written"):
        write(tmp_path / "note.json" / "inside")
    with pytest.raises(ValueError, match="'version' is the archive's own key"):
        write(tmp_path / "x", document={"version": 3})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write(tmp_path / "x", document={"a": float("nan")})
    assert not (tmp_path / "x").exists()


def test_versions(tmp_path):
    """Older versions pass through every migration between; others are refused with numbers."""
    write(tmp_path, version=2, document={"a": 1})

    def next_one(document, arrays):
        return {**document, "a": document["a"] + 1}, {**arrays, "y": arrays["x"]}

    chain = {2: next_one, 3: next_one, 4: None}
    document, arrays = read(tmp_path, chain)
    assert document == {"a": 3}
    assert set(arrays) == {"x", "y"}
    with pytest.raises(ReadError, match=r"newer comraf .version 2.*reads up to 1"):
        read(tmp_path)
    with pytest.raises(ReadError, match=r"older comraf .version 2.*reads from 3"):
        read(tmp_path, {3: next_one, 4: None})

    def broken(document, arrays):
        return {"a": document["missing"]}, arrays

    with pytest.raises(ReadError, match=r"note in .* is damaged: 'missing' is missing"):
        read(tmp_path, {2: broken, 3: None})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "can't read"),
        (b"\xff\xfe", "can't read"),
        (b"{" * 200_000, "can't read"),
        (b"[" * 200_000, "can't read"),
        (b"7", "not a comraf note"),
        (b'{"format": "comraf-model", "version": 1}', "not a comraf note"),
        (b'{"format": "comraf-note"}', "version is missing"),
        (b'{"format": "comraf-note", "version": "1"}', "'1' is not a number"),
        (b'{"format": "comraf-note", "version": 1, "version": 1}', "'version' is said twice"),
        (b'{"format": "comraf-note", "version": 1, "x": NaN}', "NaN is not a number"),
        (b'{"format": "comraf-note", "version": ' + b"9" * 5000 + b"}", "can't read"),
        (b'{"format": "comraf-note", "version": 1, "arrays": 3}', "which file its arrays"),
    ],
)
def test_documents_that_are_refused(tmp_path, content, message):
    """Every foreign, damaged or hostile document is one ReadError."""
    write(tmp_path)
    (tmp_path / "note.json").write_bytes(content)
    with pytest.raises(ReadError, match=message):
        read(tmp_path)


def header(entries, body=b"", length=None):
    """Bytes of a safetensors file with any header."""
    text_ = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return struct.pack("<Q", len(text_) if length is None else length) + text_ + body


ENTRY = {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"abc",
        header({}, length=2**63),
        header({}, length=50),
        header(b"[]"),
        header(b"{nonsense"),
        header({"x": 3}),
        header({"x": {**ENTRY, "dtype": "BF16"}}, b"12345678"),
        header({"x": {**ENTRY, "dtype": "F8_E4M3"}}, b"12345678"),
        header({"x": {**ENTRY, "shape": [2**40]}}, b"12345678"),
        header({"x": {**ENTRY, "shape": [-1]}}, b"12345678"),
        header({"x": {**ENTRY, "shape": 1}}, b"12345678"),
        header({"x": {**ENTRY, "shape": [1] * 40}}, b"12345678"),
        header({"x": {**ENTRY, "data_offsets": [0, 2**60]}}, b"12345678"),
        header({"x": ENTRY}, b"123"),
        header({"x": ENTRY}, b"12345678trailing"),
        header(b'{"x": %b, "x": %b}' % ((json.dumps(ENTRY).encode(),) * 2), b"12345678"),
        header(b"[" * 100_000),
    ],
)
def test_arrays_that_are_refused(tmp_path, content):
    """Every damaged or hostile file of arrays is one ReadError, checksum or not."""
    write(tmp_path)
    (tmp_path / "arrays.safetensors").write_bytes(content)
    with pytest.raises(ReadError, match=r"can't read .*arrays\.safetensors"):
        read(tmp_path)
    document = {"format": "comraf-note", "version": 1}  # as the first version was: no checksum
    (tmp_path / "note.json").write_text(json.dumps(document))
    with pytest.raises(ReadError, match=r"can't read .*arrays\.safetensors"):
        read(tmp_path)


@pytest.mark.parametrize("name", ["../x.safetensors", "x.safetensors", "", None])
def test_arrays_lie_in_the_folder_under_their_own_names(tmp_path, name):
    """A document can't lead to another file, be it as sound as it may."""
    write(tmp_path / "note")
    file = tmp_path / "note" / "arrays.safetensors"
    document = json.loads((tmp_path / "note" / "note.json").read_text())
    for place in (tmp_path, tmp_path / "note"):
        (place / "x.safetensors").write_bytes(file.read_bytes())
    document["arrays"]["file"] = name
    (tmp_path / "note" / "note.json").write_text(json.dumps(document))
    with pytest.raises(ReadError, match="which file its arrays"):
        read(tmp_path / "note")


def test_arrays_of_another_archive(tmp_path):
    """Sound arrays that were not written with the document are noticed by their checksum."""
    write(tmp_path)
    save_file({"x": np.arange(4)}, tmp_path / "arrays.safetensors")
    with pytest.raises(ReadError, match="checksum"):
        read(tmp_path)
    (tmp_path / "arrays.safetensors").unlink()
    with pytest.raises(ReadError, match="No such file"):
        read(tmp_path)


def test_files_too_large_are_not_read(tmp_path):
    """Sizes are looked at before a byte is read (these files have holes, and no content)."""
    write(tmp_path)
    for name, size in (("arrays.safetensors", 10**12), ("note.json", 2 * 10**9)):
        os.truncate(tmp_path / name, size)
        with pytest.raises(ReadError, match=r"too large|would need"):
            read(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are a thing of POSIX")
@pytest.mark.parametrize("name", ["note.json", "arrays.safetensors"])
def test_a_pipe_is_not_waited_for(tmp_path, name):
    """What is no file is refused at once instead of being opened."""
    write(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(ReadError, match="not a file"):
        read(tmp_path)


def test_nothing_there(tmp_path):
    """An empty folder, no folder, a file: each holds no note; the hint says what to do."""
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(ReadError, match=r"holds no note \(note.json is not there\); try"):
            read_archive(folder, kind="note", versions=ONE, hint="try another")


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: take_array({}, "x", dtype=np.int32, shape=(1,)), "x"),
        (lambda: taken(dtype=np.int64), r"is int32 \(2,\), expected int64 \(2,\)"),
        (lambda: taken(shape=(3,)), r"expected int32 \(3,\)"),
        (lambda: taken(shape=(None, 2)), r"expected int32 \(\*, 2\)"),
        (lambda: taken(low=2), "holds 1, below 2"),
        (lambda: taken(high=4), "holds 5, beyond 4"),
        (lambda: taken(np.array([np.inf]), dtype=np.float64, shape=(1,)), "not finite"),
        (lambda: nothing_left({"b": 1, "a": 2}), "does not belong to it, 'a'"),
        (lambda: text(3, "a name"), "a name must be a string"),
        (lambda: strings("abc", "names"), "names must be a list"),
        (lambda: strings(["a"], "names", 2), "names: 1 of them, expected 2"),
        (lambda: number(True, "a weight"), "must be a number"),
        (lambda: number(float("inf"), "a weight"), "a weight: inf"),
        (lambda: number(10**400, "a weight"), "a weight: 1000"),
        (lambda: whole(1.0, "k"), "k must be a whole number"),
        (lambda: whole(-1, "k"), "k: -1, expected"),
    ],
)
def test_helpers_refuse(check, message):
    """Each of the checks for readers names what it got and what it wanted."""
    with pytest.raises((ValueError, KeyError), match=message):
        check()


def taken(array=None, **wanted):
    """An array through the check."""
    array = np.array([1, 5], dtype=np.int32) if array is None else array
    return take_array({"x": array}, "x", **{"dtype": np.int32, "shape": (2,), **wanted})


def test_arrays_of_others_stay(tmp_path):
    """Two kinds share a folder, and a file that is not ours is not written over."""
    a = {"x": np.arange(3)}
    write_archive(tmp_path, kind="one", version=1, document={}, arrays=a)
    write_archive(tmp_path, kind="two", version=1, document={}, arrays={"x": np.arange(4)})
    assert read_archive(tmp_path, kind="one", versions={1: None})[1]["x"].tolist() == [0, 1, 2]
    assert read_archive(tmp_path, kind="two", versions={1: None})[1]["x"].tolist() == [0, 1, 2, 3]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for kind in ("one", "three"):
        with pytest.raises(WriteError, match="in the way"):
            write_archive(tmp_path, kind=kind, version=1, document={}, arrays=a)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("digest", ["", "0" * 63, "0" * 65, None, 5])
def test_a_checksum_has_64_digits(tmp_path, digest):
    """One that is missing or cut is no reason to read without."""
    write(tmp_path)
    path = tmp_path / "note.json"
    document = json.loads(path.read_text())
    document["arrays"]["sha256"] = digest
    path.write_text(json.dumps(document))
    with pytest.raises(ReadError, match="does not say which file"):
        read(tmp_path)


PLAIN = {
    "BOOL": np.bool_, "I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64,
    "U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64,
    "F16": np.float16, "F32": np.float32, "F64": np.float64,
}  # fmt: skip


@pytest.mark.parametrize("name", [*PLAIN, "BF16", "C64", "F8_E4M3", "F4", "i64", "O", None, 3])
def test_arrays_are_of_plain_numbers_alone(tmp_path, name):
    """Every plain type is read as it is; any other is refused before an array is made."""
    kind = np.dtype(PLAIN.get(name, np.int64)) if isinstance(name, str) else np.dtype(np.int64)
    entry = {"dtype": name, "shape": [2], "data_offsets": [0, 2 * kind.itemsize]}
    path = tmp_path / "arrays.safetensors"
    path.write_bytes(header({"x": entry}, b"\0" * (2 * kind.itemsize)))
    (tmp_path / "note.json").write_text(json.dumps({"format": "comraf-note", "version": 1}))
    if name in list(PLAIN):
        (found,) = read(tmp_path)[1].values()
        assert (found.dtype, found.shape) == (kind, (2,))
    else:
        with pytest.raises(ReadError, match="'x' does not hold plain numbers"):
            read(tmp_path)


@pytest.mark.parametrize(("n", "good"), [(8, True), (9, False)])
def test_arrays_have_8_dimensions_at_most(tmp_path, n, good):
    """8 are read, 9 are refused."""
    entry = {"dtype": "U8", "shape": [1] * n, "data_offsets": [0, 1]}
    (tmp_path / "arrays.safetensors").write_bytes(header({"x": entry}, b"1"))
    (tmp_path / "note.json").write_text(json.dumps({"format": "comraf-note", "version": 1}))
    if good:
        assert read(tmp_path)[1]["x"].ndim == 8
    else:
        with pytest.raises(ReadError, match="has no shape"):
            read(tmp_path)


@pytest.mark.parametrize("limit", ["_MOST_JSON", "_MOST_ARRAYS", "_MOST_NAMES"])
def test_sizes_at_the_limit_are_read_and_a_byte_more_is_not(tmp_path, monkeypatch, limit):
    """Of the document, of the file of arrays, and of the names in it."""
    write(tmp_path)
    arrays = (tmp_path / "arrays.safetensors").read_bytes()
    size = {
        "_MOST_JSON": (tmp_path / "note.json").stat().st_size,
        "_MOST_ARRAYS": len(arrays),
        "_MOST_NAMES": int.from_bytes(arrays[:8], "little"),
    }[limit]
    monkeypatch.setattr(archive, limit, size)
    assert read(tmp_path)[0] == {"a": 1}
    monkeypatch.setattr(archive, limit, size - 1)
    with pytest.raises(ReadError, match=r"too large to be read|cut off"):
        read(tmp_path)


def test_real_sizes():
    """The limits themselves: nobody raises them by mistake."""
    limits = (archive._MOST_JSON, archive._MOST_ARRAYS, archive._MOST_NAMES)
    assert limits == (10**9, 64 * 10**9, 16 * 10**6)


@pytest.mark.parametrize("name", ["plain", "\ud800"])
def test_what_json_has_no_word_for_is_not_written(tmp_path, name):
    """No other program reads NaN, whatever else there is to write."""
    with pytest.raises(ValueError, match="JSON"):
        write(tmp_path, document={name: float("nan")})
    assert not list(tmp_path.iterdir())
