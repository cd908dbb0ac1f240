"""Files of embeddings: vectors find their documents, whatever holds them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from comraf.errors import ComrafError, InputError, TooLargeError
from comraf.workflows.vectors import read_embeddings


class Shelf(SimpleNamespace):
    """What is asked of a collection."""

    def __len__(self) -> int:
        return len(self.ids)


SHELF: Any = Shelf(ids=("a", "b", "c"), n_skipped=1, duplicates=0)
VECTORS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)
# another order, and one that nobody asked for
NAMES = ["c", "x", "a"]


def lines(path: Path, rows: list[Any], encoding: str = "utf-8") -> Path:
    """JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding=encoding)
    return path


@pytest.mark.parametrize("names", [["id", "embedding"], ["ids", "embeddings"], ["Key", "Vector"]])
@pytest.mark.parametrize("as_bytes", [False, True])
def test_arrays_are_matched_by_name(names: list[str], as_bytes: bool, tmp_path: Path) -> None:
    """One spelling is as good as the other, and names may be bytes."""
    ids = np.array([name.encode() for name in NAMES]) if as_bytes else np.array(NAMES)
    np.savez(tmp_path / "e.npz", **dict(zip(names, [ids, np.asfortranarray(VECTORS)], strict=True)))
    assert read_embeddings(tmp_path / "e.npz", SHELF).tolist() == [[5, 6], [0, 0], [1, 2]]


@pytest.mark.parametrize("kind", ["list", "fixed", "struct", "text"])
def test_columns_of_parquet_are_matched_by_name(kind: str, tmp_path: Path) -> None:
    """Lists, lists of one length, Semantic Scholar's objects and JSON; null is no vector."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    rows: list[Any] = [VECTORS[0].tolist(), None, VECTORS[2].tolist()]
    column = {
        "list": lambda: pa.array(rows),
        "fixed": lambda: pa.array(rows, pa.list_(pa.float32(), 2)),
        "struct": lambda: pa.array([r and {"model": "m", "vector": r} for r in rows]),
        "text": lambda: pa.array([r and json.dumps(r) for r in rows]),
    }[kind]()
    table = pa.table({"id": ["c", "b", "a"], "embedding": column, "more": [1, 2, 3]})
    pq.write_table(table, tmp_path / "e.parquet", row_group_size=2)
    assert read_embeddings(tmp_path / "e.parquet", SHELF).tolist() == [[5, 6], [0, 0], [1, 2]]


def test_lines_may_begin_with_a_mark_and_hold_objects(tmp_path: Path) -> None:
    """As programs on Windows write them, and as Semantic Scholar does."""
    rows = [
        {"id": name, "embedding": {"model": "m", "vector": vector}}
        for name, vector in zip(NAMES, VECTORS.tolist(), strict=True)
    ]
    path = lines(tmp_path / "e.jsonl", rows, "utf-8-sig")
    assert read_embeddings(path, SHELF).tolist() == [[5, 6], [0, 0], [1, 2]]


def test_numbers_name_documents_too(tmp_path: Path) -> None:
    """Whole numbers that pandas made floats of."""
    np.savez(tmp_path / "e.npz", id=np.array([8.0, 7.0]), embedding=VECTORS[:2])
    shelf: Any = Shelf(ids=("7", "8"), n_skipped=0, duplicates=0)
    assert read_embeddings(tmp_path / "e.npz", shelf).tolist() == [[3, 4], [1, 2]]


def test_a_name_given_twice_needs_one_vector(tmp_path: Path) -> None:
    """The same vector again is harmless; another one is refused, with the name."""
    np.savez(tmp_path / "same.npz", id=["a", "a"], embedding=VECTORS[[0, 0]])
    assert read_embeddings(tmp_path / "same.npz", SHELF)[0].tolist() == [1, 2]
    np.savez(tmp_path / "other.npz", id=["a", "a"], embedding=VECTORS[:2])
    with pytest.raises(InputError, match="'a' is there twice, with different vectors"):
        read_embeddings(tmp_path / "other.npz", SHELF)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"id": "a", "embedding": [1, 2]}, {"id": "b", "embedding": [1]}], "'b' has 1 numbers"),
        ([{"id": "a", "embedding": [1, "x"]}], "row 1 has no list of numbers .*'x'"),
        ([{"id": "a", "embedding": [1, 2]}, {"id": "b"}], "row 2 has no 'embedding'"),
        ([{"id": "a", "embedding": [1, float("nan")]}], "row 1 has a number that is not finite"),
        ([{"id": "a", "embedding": 5}], "row 1 holds a int"),
        ([{"id": "a", "vecs": [1, 2]}], "there: 'id', 'vecs'"),
        ([[1, 2]], "row 1 is no object"),
        ([], "empty"),
        ([{"id": "z", "embedding": [1, 2]}], "first name there is 'z', theirs 'a'"),
        ([{"embedding": [1, 2]}], "1 rows, but 3 documents were read .1 skipped.*'id'"),
    ],
)
def test_what_is_wrong_is_said_with_its_row(rows: list[Any], said: str, tmp_path: Path) -> None:
    """Or with the document's name."""
    with pytest.raises(InputError, match=said):
        read_embeddings(lines(tmp_path / "e.jsonl", rows), SHELF)


def test_files_of_other_kinds_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A .csv file, objects, a file cut short, and one that memory can't hold."""
    (tmp_path / "e.csv").write_text("id,embedding\na,[1]\n")
    with pytest.raises(InputError, match=r"\.npy, \.npz, \.parquet, \.jsonl"):
        read_embeddings(tmp_path / "e.csv", SHELF)
    np.savez(tmp_path / "o.npz", id=np.array(["a"], object), embedding=VECTORS[:1])
    (tmp_path / "cut.jsonl").write_text('{"id": "a", "embedding": [1, 2')
    (tmp_path / "cut.parquet").write_bytes(b"PAR1")
    (tmp_path / "cut.npz").write_bytes(b"PK")
    for name in ("o.npz", "cut.jsonl", "cut.parquet", "cut.npz"):
        with pytest.raises(ComrafError, match=name):
            read_embeddings(tmp_path / name, SHELF)
    np.savez(tmp_path / "big.npz", id=["a"] * 1000, embedding=np.ones((1000, 500)))
    monkeypatch.setattr("comraf.collection.readers.limits.available_memory", lambda: 1e6)
    with pytest.raises(TooLargeError):
        read_embeddings(tmp_path / "big.npz", SHELF)
