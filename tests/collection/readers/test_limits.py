"""Every limit of reading: what is just within it is read, and what is just beyond is not."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from comraf.collection import guard
from comraf.collection.items import Skip
from comraf.collection.readers import (
    charsets,
    csr,
    html,
    limits,
    mail,
    mail_mime,
    pdf,
    tabular,
    tabular_rows,
)
from comraf.collection.readers.limits import (
    Budget,
    check_groups,
    in_words,
    most_memory,
    most_unpacked,
    open_bytes,
)
from comraf.collection.readers.tabular_columns import Columns
from comraf.collection.tables.arrays import open_npz
from comraf.errors import InputError, ReadError, TooLargeError


def test_the_limits_are_what_the_docs_say() -> None:
    """Nobody raises one by mistake."""
    assert (most_unpacked(0), most_unpacked(10**6)) == (64 << 20, 200 * 10**6)
    assert (most_memory(0), most_memory(10)) == (1 << 30, (1 << 30) + 2000)
    assert (limits.MOST_VALUES, limits.ITEM_SECONDS) == (2**31 - 1, 120)
    assert guard.ITEM_SECONDS == limits.ITEM_SECONDS
    assert (html.HTML_LIMIT, html._MAX_DEPTH, html._MAX_STRAY) == (2_000_000, 1000, 5000)
    assert html._MAX_ANEW == 200_000_000
    assert (mail.MAX_BYTES, mail_mime.MAX_DEPTH, mail_mime.MAX_PARTS) == (8 << 20, 32, 512)
    assert (charsets.LINE_LIMIT, tabular.MAX_TEXT, csr.MAX_TEXT) == (
        64 << 20,
        8 << 20,
        8 << 20,
    )
    assert (tabular_rows.MOST_KEYS, tabular_rows.ARRAY_LIMIT) == (1000, 256 << 20)
    assert (pdf.MAX_BYTES, pdf.MAX_PAGES, pdf.MAX_TEXT) == (128 << 20, 400, 8 << 20)
    assert (pdf.MAX_SECONDS, pdf.PAGE_SECONDS) == (60.0, 5.0)


@pytest.mark.parametrize("extra", [0, 1])
def test_packed_files(extra: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A packed file unpacks to its limit and no byte further."""
    monkeypatch.setattr(limits, "_SMALL", 5000)
    monkeypatch.setattr(limits, "_RATIO", 1)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a" * (5000 + extra)))
    with open_bytes(path) as stream:
        if extra:
            with pytest.raises(ReadError, match="which no table does"):
                stream.read()
        else:
            assert len(stream.read()) == 5000


def test_budgets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is free, what the caller says and the size of the file each set a limit."""
    path = tmp_path / "a.npz"
    path.write_bytes(b"x" * 10)
    assert Budget(str(path)).bytes <= most_memory(10)
    assert Budget(str(path), 500).bytes == 500
    Budget(str(path), 500).check(500, "it")
    with pytest.raises(TooLargeError):
        Budget(str(path), 500).check(501, "it")
    monkeypatch.setattr(limits, "_MEMORY", 300)
    assert Budget(str(path), 5000).bytes == 300 + 200 * 10
    budget = Budget("nowhere", 64 * 4 + 48 * 2)
    budget.check_shape(2, 2, 2)
    for shape in ((3, 2, 2), (2, 3, 2), (2, 2, 3)):
        with pytest.raises(TooLargeError):
            budget.check_shape(*shape)
    monkeypatch.setattr(limits, "MOST_VALUES", 5)
    budget = Budget("nowhere")
    budget.check_shape(5, 5, 0)
    for rows, columns in ((6, 5), (5, 6)):
        with pytest.raises(TooLargeError, match="at most 5 are possible"):
            budget.check_shape(rows, columns, 0)


def test_parts_of_parquet_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the bytes that they announce, and by the number of their values."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": np.zeros(1000, np.int64)}), path)
    with pq.ParquetFile(path) as file:
        monkeypatch.setattr(limits, "_SMALL", 8 * 1000)
        assert check_groups(file, 0, "a") == file.metadata.row_group(0).total_byte_size
        monkeypatch.setattr(limits, "_SMALL", 8 * 1000 - 1)
        with pytest.raises(ReadError, match=r"claim to unpack to 8.0 kB"):
            check_groups(file, 0, "a")


@pytest.mark.parametrize(("n", "reason"), [(10, ""), (11, "far longer than it is")])
def test_texts_of_parquet_rows(
    n: int, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them together, however often one is meant; within lists and structs too."""
    monkeypatch.setattr(limits, "_RATIO", 0)
    monkeypatch.setattr(limits, "_SMALL", 3 * 10 * 1000)
    monkeypatch.setattr(tabular_rows, "check_groups", lambda *_: 0)
    text = "x" * 1000
    path = tmp_path / "a.parquet"
    table = pa.table({"a": [text] * n, "b": [[text]] * n, "c": [{"d": text}] * n})
    pq.write_table(table, path)
    found = list(tabular_rows.parquet_rows(str(path), [0], None))
    if reason:
        assert [row for _, row, _ in found] == [f"damaged Parquet data: its texts are {reason}"]
    else:
        assert [row for _, row, _ in found] == table.to_pylist()


@pytest.mark.parametrize(
    ("page", "hostile"),
    [
        ("<div>" * 1000, False),
        ("<div>" * 1001, True),
        ("<p-x>" * 1001, True),
        ("<p>" * 5000, False),
        ("<div></div>" * 5000, False),
        ("<div></x>" * 1001, True),
        ("< " * 5000, False),
        ("< " * 5001, True),
    ],
)
def test_depth_of_pages(page: str, hostile: bool) -> None:
    """A thousand open elements are parsed, one more is not; what closes nothing does not count."""
    assert html._hostile(page) is hostile


def test_elements_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open elements count once for every later tag, with their attributes."""
    page = "<b id=1>" + "<p>" * 2000
    size = html._ELEMENT + 4 * len("<b id=1")
    monkeypatch.setattr(html, "_MAX_ANEW", 2000 * size)
    assert not html._hostile(page)
    assert html._hostile(page + "<p>")
    assert not html._hostile("<b id=1></b>" + "<p>" * 3000)


@pytest.mark.parametrize("kind", ["complex64", "O", "V8", "M8[s]", "S3", "U3", "?", "i4", "f2"])
def test_lists_of_archives_are_of_plain_numbers_or_strings(kind: str, tmp_path: Path) -> None:
    """Of any other type they are refused, pickled ones before they are opened."""
    path = tmp_path / "a.npz"
    np.savez(path, names=np.zeros(3, kind), grid=np.zeros((2, 2), np.int8))
    with open_npz(path, Budget("a.npz")) as arrays:
        if np.dtype(kind).kind in "biufSU":
            found = arrays.strings("names")
            assert (found.dtype, found.shape) == (np.dtype(kind), (3,))
        else:
            with pytest.raises(InputError, match="a list of plain numbers or strings"):
                arrays.strings("names")
        with pytest.raises(InputError, match=r"shape \(2, 2\)"):
            arrays.strings("grid")


@pytest.mark.parametrize(("n", "good"), [(1000, True), (1001, False)])
def test_keys_of_a_json_row(n: int, good: bool) -> None:
    """A row has a thousand keys at most."""
    import json

    row = tabular_rows._object(json.dumps({str(i): i for i in range(n)}), json.loads)
    assert isinstance(row, dict) is good


def test_texts_of_rows_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit a text is whole; beyond it is cut, and that is noted."""
    monkeypatch.setattr(tabular, "MAX_TEXT", 5)
    whole = tabular.row_item({"a": "x" * 5}, Columns(text=("a",)), "t:1")
    longer = tabular.row_item({"a": "x" * 6}, Columns(text=("a",)), "t:1")
    assert not isinstance(whole, Skip)
    assert not isinstance(longer, Skip)
    assert (whole.text, whole.notes) == ("xxxxx", ())
    assert (longer.text, longer.notes) == ("xxxxx", ("cut at 5 characters",))


@pytest.mark.parametrize(("extra", "good"), [(0, True), (1, False)])
def test_sizes_of_pdf_files(
    extra: int, good: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of the limit is opened, a larger one is not."""
    pytest.importorskip("pypdf")
    monkeypatch.setattr(pdf, "MAX_BYTES", 1 << 20)
    path = tmp_path / "a.pdf"
    path.write_bytes(b"x" * ((1 << 20) + extra))
    (found,) = pdf.PdfReader(path).read(pdf.Unit(""))
    assert ("damaged PDF" in found.reason) is good
    assert ("larger than 1 MB" in found.reason) is not good


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not packed at all", "can't be unpacked as gzip"),
        (gzip.compress(b"abc" * 1000, mtime=0)[:-10], "ends in the middle"),
        (gzip.compress(b"abc" * 1000, mtime=0)[:-8] + b"\0" * 8, "can't be unpacked as gzip"),
    ],
)
def test_damaged_gzip(content: bytes, message: str, tmp_path: Path) -> None:
    """Each way in which unpacking fails is one clear error."""
    path = tmp_path / "a.gz"
    path.write_bytes(content)
    with pytest.raises(ReadError, match=message), open_bytes(path) as stream:
        stream.read()


def test_plain_files_have_no_limit(tmp_path: Path) -> None:
    """Only packed files are watched for unpacking without end."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"abc")
    with open_bytes(path) as stream:
        assert stream.most is None
        assert stream.read() == b"abc"


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 bytes"), (1500, "1.5 kB"), (2e6, "2.0 MB"), (3.2e12, "3.2 TB")]
)
def test_sizes_in_words(size: float, words: str) -> None:
    """Sizes are told in units people know."""
    assert in_words(size) == words
