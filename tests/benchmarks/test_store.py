"""Results on disk."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.store import ResultStore
from comraf.errors import InputError, ReadError


def test_records_come_back_in_order(tmp_path: Path) -> None:
    """What is appended is read, and each line is whole JSON."""
    store = ResultStore(tmp_path / "deep" / "r.jsonl")
    with store.writing():
        for seed in range(3):
            store.append({"seed": seed, "text": "a\nb ±"})
    assert [r["seed"] for r in store.records()] == [0, 1, 2]
    lines = store.path.read_text().splitlines()
    assert [json.loads(line)["text"] for line in lines] == ["a\nb ±"] * 3


@pytest.mark.parametrize("tail", [b'{"seed": 1, "acc', b'{"seed"', b"{", b"12", b"\xff"])
def test_a_cut_last_line_is_dropped(tail: bytes, tmp_path: Path) -> None:
    """Reading ignores it, writing removes it, nothing else is lost."""
    store = ResultStore(tmp_path / "r.jsonl")
    store.path.write_bytes(b'{"seed": 0}\n' + tail)
    assert store.records() == [{"seed": 0}]
    with store.writing():
        store.append({"seed": 2})
    assert store.path.read_bytes() == b'{"seed": 0}\n{"seed": 2}\n'


def test_a_bad_line_in_the_middle_is_named(tmp_path: Path) -> None:
    """Damage that is no cut-off end is told, with its line, and not deleted."""
    store = ResultStore(tmp_path / "r.jsonl")
    store.path.write_bytes(b'{"seed": 0}\nrubbish\n{"seed": 1}\n')
    with pytest.raises(ReadError, match="line 2"):
        store.records()
    assert b"rubbish" in store.path.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="no such lock there")
def test_two_writers_are_refused(tmp_path: Path) -> None:
    """The second run is told to wait; after the first it may write."""
    path = tmp_path / "r.jsonl"
    with (
        ResultStore(path).writing(),
        pytest.raises(InputError, match="another run"),
        ResultStore(path).writing(),
    ):
        pass
    with ResultStore(path).writing():
        pass
