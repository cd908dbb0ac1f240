from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.papers import main
from benchmarks.papers_data import load, prepare, right
from benchmarks.store import ResultStore


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A data folder with one archive of papers that cite each other, and a table of papers."""
    folder = tmp_path / "data" / "papers"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 12)
    same = labels[:, None] == labels
    words = rng.random((36, 30)) < np.where(labels[:, None] == np.arange(30) // 10, 0.8, 0.05)
    links = np.triu(rng.random((36, 36)) < np.where(same, 0.5, 0.01), 1)
    parts = {
        f"{name}_{part}": getattr(table, part)
        for name, table in (
            ("attr", sp.csr_array(words, dtype=np.float32)),
            ("adj", sp.csr_array(links, dtype=np.float32)),
        )
        for part in ("data", "indices", "indptr", "shape")
    }
    np.savez(folder / "cora.npz", labels=labels, class_names=np.array(["A", "B", "C"]), **parts)
    with open(folder / "AAAI-14_Accepted_Papers.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow("title authors groups keywords topics abstract".split())
        for i in range(24):
            theme = "planning robots maps" if i % 2 else "auctions games bids"
            groups = ("Robotics", "Games")[i % 2 == 0] + ("\nWeb" if i % 6 == 0 else "")
            words_of = f"{theme.split()[0]}\n{theme.split()[1]}"
            text = f"We study {theme} of kind number {'abcdefgh'[i // 3]}, and what follows. " * 3
            table.writerow(
                [f"On {theme} {i}", "Ann Li and Bo Ek", groups, words_of, words_of, text]
            )
    return tmp_path / "data"


def test_rows_are_measured_once_and_shown(
    papers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every row and seed is stored; the cache and the store then do without the data."""
    cache, out = ["--cache", str(tmp_path / "cache")], ["--out", str(tmp_path / "papers.jsonl")]
    asked = [*cache, *out, "--collections", "cora", "--effort", "quick", "--rows", "words"]
    asked += ["words+citations", "words+citations:loop"]
    assert main(["--data", str(papers), "--runs", "2", *asked]) == 0
    shown = capsys.readouterr().out
    assert "| words + citations, loop | mass |" in shown
    records = ResultStore(tmp_path / "papers.jsonl").records()
    assert len(records) == 10  # words alone weigh the same by both rules
    assert all(r["accuracy"] > 0.9 for r in records if r["row"] == "words+citations")
    assert main(["--runs", "2", *asked]) == 0
    assert capsys.readouterr().out == shown
    assert main(["--runs", "3", *asked]) == 0  # tables come from the cache
    assert len(ResultStore(tmp_path / "papers.jsonl").records()) == 15


def test_a_paper_of_several_groups_is_right_with_any(papers: Path, tmp_path: Path) -> None:
    """Groups are the truth and no side; NMI only knows papers of one group."""
    path = prepare("aaai-14", papers, tmp_path)
    found = load("aaai-14", str(path))
    assert set(found.tables) == {"words", "subjects", "people", "keywords", "topics"}
    assert found.classes.sum(axis=1).tolist() == [2, 1, 1, 1, 1, 1] * 4
    assert (found.single == -1).sum() == 4
    assert right(found.classes, np.arange(24) % 2) == 1.0


def test_tables_of_other_data_are_made_again(papers: Path, tmp_path: Path) -> None:
    """The cache is used as long as the file it was made of stays the same."""
    path = prepare("cora", papers, tmp_path / "cache")
    before = path.read_bytes()
    assert prepare("cora", papers, tmp_path / "cache").read_bytes() == before
    with np.load(papers / "papers/cora.npz") as raw:
        np.savez(papers / "papers/cora.npz", **{**raw, "labels": np.roll(raw["labels"], 1)})
    assert prepare("cora", papers, tmp_path / "cache").read_bytes() != before
