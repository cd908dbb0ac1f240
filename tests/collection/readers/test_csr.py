"""Archives of CSR tables."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.collection.build import build_collection
from comraf.collection.detect import detect, open_reader
from comraf.collection.items import Item, Skip
from comraf.collection.readers.csr import CsrReader, is_csr
from comraf.collection.text.words import tokenise
from comraf.errors import InputError, ReadError
from tests.collection.given import read_all

WORDS = sp.csr_array(np.array([[1, 0, 2], [0, 1, 0], [1, 1, 0], [0, 0, 0]]))
LINKS = sp.csr_array(np.array([[0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]]))


def arrays(prefix: str, table: sp.csr_array, **other: Any) -> dict[str, Any]:
    """The parts of a table under their names."""
    parts = {name: getattr(table, name) for name in ("data", "indices", "indptr", "shape")}
    return {f"{prefix}{name}": np.asarray(value) for name, value in {**parts, **other}.items()}


def save(path: Path, **further: Any) -> Path:
    """An archive like Cora's."""
    known = {
        **arrays("attr_", WORDS),
        **arrays("adj_", LINKS),
        "labels": np.array([1, 0, 1, -1]),
        "class_names": np.array(["pumps", "valves"]),
        "node_names": np.array(["a", "b", "c", "d"]),
    }
    merged = {name: value for name, value in {**known, **further}.items() if value is not None}
    np.savez_compressed(path, **merged)
    return path


def read(path: Path, **options: str) -> list[Item | Skip]:
    """Everything in an archive."""
    return read_all(CsrReader(path, **options))


def test_documents(tmp_path: Path) -> None:
    """Words as often as counted, citations by name, the truth, and a document of nothing."""
    a, b, c, d = read(save(tmp_path / "x.npz"))
    assert (a.id, a.text, a.truth) == ("a", "word0 word2 word2", "valves")
    assert a.values == {"citations": ("b", "c")}
    assert b.values == {"citations": ("a",)}
    assert c.values == {"citations": ("a",)}
    assert d == Skip("x.npz:3", "no words and no citations")


@pytest.mark.parametrize(
    ("links", "of_a", "of_b"), [("cited", ("b",), None), ("citing", ("c",), ("a",))]
)
def test_directions(tmp_path: Path, links: str, of_a: Any, of_b: Any) -> None:
    """Those cited, or those citing."""
    a, b, *_ = read(save(tmp_path / "x.npz"), links=links)
    assert a.values.get("citations") == of_a
    assert b.values.get("citations") == of_b


def test_names_of_words(tmp_path: Path) -> None:
    """Words by their names, each one word; weights that are no counts count once."""
    names = np.array(["pump", "heavy-water", "..."])
    weights = WORDS.astype(float) * 0.5
    a, b, *_ = read(save(tmp_path / "x.npz", attr_names=names, **arrays("attr_", weights)))
    assert (a.text, b.text) == ("pump word2", "heavywater")
    reader = CsrReader(save(tmp_path / "y.npz", **arrays("attr_", weights)))
    reader.scan()
    assert any("no counts" in note for note in reader.notes)
    assert any("no word strings" in note for note in reader.notes)


def test_one_table_is_enough(tmp_path: Path) -> None:
    """Citations without words; other spellings of the names; the truth left out."""
    np.savez(tmp_path / "x.npz", **arrays("adj_matrix.", LINKS), labels=[0, 1, 1, 0])
    found = read(tmp_path / "x.npz", truth="")
    kept = [item for item in found if isinstance(item, Item)]
    assert [item.id for item in kept] == ["0", "1", "2"]
    assert {item.truth for item in kept} == {None}


def test_objects_are_never_opened(tmp_path: Path) -> None:
    """Pickled names are left out with a word, and the numbers stand in."""
    objects = np.array(["a", "b", "c", {}], dtype=object)
    path = save(tmp_path / "x.npz", node_names=objects)
    reader = CsrReader(path)
    (unit,) = reader.scan()
    assert any(note.startswith("node_names is left out") for note in reader.notes)
    first = next(reader.read(unit))
    assert first.id == "0"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"attr_indptr": np.array([0, 9, 9, 9, 9])}, "no csr matrix of 4 x 3"),
        ({"attr_indices": np.array([0, 2, 1, 0, 99])}, "no csr matrix of 4 x 3"),
        ({"attr_data": np.array([1.0, np.nan, 1, 1, 1])}, "nan"),
        ({"adj_shape": np.array([9, 9])}, "no csr matrix of 9 x 9"),
        ({"adj_shape": np.array([4, 5])}, "citations of shape"),
        ({"attr_shape": np.array([-4, 3])}, "impossible"),
        ({"attr_shape": np.array([4.5, 3])}, "two sizes"),
    ],
)
def test_damaged_tables(tmp_path: Path, change: dict[str, Any], what: str) -> None:
    """Tables that contradict themselves are refused before the work starts."""
    reader = CsrReader(save(tmp_path / "x.npz", **change))
    with pytest.raises((ReadError, InputError), match=what):
        reader.scan()


def test_cut_files(tmp_path: Path) -> None:
    """Half an archive is no archive; one that is damaged later is skipped with a reason."""
    path = save(tmp_path / "x.npz")
    reader = CsrReader(path)
    (unit,) = reader.scan()
    data = bytearray(path.read_bytes())
    data[60:90] = b"\xff" * 30
    path.write_bytes(bytes(data))
    (skip,) = reader.read(unit)
    assert isinstance(skip, Skip)
    path.write_bytes(bytes(data[: len(data) // 2]))
    assert not is_csr(path)
    with pytest.raises(ReadError, match="no archive of CSR tables"):
        CsrReader(path)


def test_it_simply_opens(tmp_path: Path) -> None:
    """Found by looking, built into words and citations; other archives are refused as before."""
    path = save(tmp_path / "x.npz")
    assert detect(path).kind == "csr"
    collection = build_collection(open_reader(path))
    assert list(collection.sides) == ["words", "citations"]
    assert collection.truth == ("valves", "pumps", "valves")
    np.savez(tmp_path / "y.npz", a=[1])
    with pytest.raises(ReadError, match="table of counts"):
        open_reader(tmp_path / "y.npz")
    with zipfile.ZipFile(tmp_path / "z.npz", "w") as packed:
        packed.writestr("a.txt", "x")
    with pytest.raises(ReadError):
        open_reader(tmp_path / "z.npz")


def test_options(tmp_path: Path) -> None:
    """Unknown ones are named."""
    path = save(tmp_path / "x.npz")
    for option in ({"links": "all"}, {"truth": "folders"}):
        with pytest.raises(InputError, match="is unknown"):
            CsrReader(path, **option)


def test_names_and_terms_that_run_together(tmp_path: Path) -> None:
    """A new name is nobody's old one; c, c++ and c# are three words."""
    words = np.array([[1, 0, 0, 2], [0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0]])
    names = np.array(["a", "a", "a (2)", "a"])
    terms = np.array(["c", "c++", "c#", "new york"])
    table = sp.csr_array(words)
    parts = {f"attr_{name}": getattr(table, name) for name in ("data", "indices", "indptr")}
    path = tmp_path / "t.npz"
    np.savez(path, **parts, attr_shape=table.shape, node_names=names, attr_names=terms)
    reader = CsrReader(path)
    items = read_all(reader)
    assert [getattr(item, "id", "") for item in items] == ["a", "a (3)", "a (2)", "a (4)"]
    texts = [tokenise(getattr(item, "text", "")) for item in items]
    assert texts[0] == ["c", "newyork", "newyork"]
    assert texts[3] == ["c", "cplusplus", "csharp"]
    np.savez(path, **parts, attr_shape=table.shape, attr_names=["a-b", "ab", "AB", "!"])
    item = read_all(reader)[3]
    assert len(set(tokenise(getattr(item, "text", "")))) == 3
