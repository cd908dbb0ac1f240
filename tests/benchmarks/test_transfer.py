"""The benchmark of transfer: related collections, paired gains."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from benchmarks import transfer
from benchmarks.store import ResultStore


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Four newsgroups of two kinds; groups of a kind share half of their words."""
    folder = tmp_path / "data" / "newsgroups"
    folder.mkdir(parents=True)
    with tarfile.open(folder / "20_newsgroups.tar.gz", "w:gz") as archive:
        for half in transfer.HALVES["rec"]:
            for kind, group in enumerate(half):
                own = group.replace(".", "")
                for number in range(12):
                    words = [f"{'sw'[kind]}hared{'abcdef'[(number + i) % 6]}" for i in range(3)]
                    words += [f"{own}{'abcdef'[(number * 5 + i) % 6]}" for i in range(3)]
                    raw = f"Subject: x\n\n{' '.join(words)}\n".encode()
                    member = tarfile.TarInfo(f"newsgroups/{group}/{number}")
                    member.size = len(raw)
                    archive.addfile(member, io.BytesIO(raw))
    return tmp_path / "data"


def command(data: Path, folder: Path, *more: str) -> list[str]:
    """Arguments of a run that takes seconds."""
    return [
        *("--data", str(data), "--cache", str(folder / "cache"), "--out", str(folder / "t.jsonl")),
        *("--tasks", "rec-a:rec-b", "rec-b:rec-a", "--each", "8", "--seeds", "0-1", *more),
        *("--with", "effort=quick"),
    ]


def test_halves_are_disjoint_and_even() -> None:
    """No group is on both sides, and each has as many groups as the other."""
    for first, second in transfer.HALVES.values():
        assert not set(first) & set(second)
        assert len(first) == len(second)
    assert len(transfer.HALVES["all"][0]) == 8


def test_collections_overlap(data: Path, tmp_path: Path) -> None:
    """Source and target have classes of their own and some words in common."""
    source, target = transfer.collections_of("rec-a:rec-b", 0, 8, data, tmp_path / "cache")
    assert source.class_names == ("rec.autos", "rec.sport.baseball")
    assert target.class_names == ("rec.motorcycles", "rec.sport.hockey")
    assert len(source.truth) == 24
    assert len(target.truth) == 16
    common = set(source.column_names) & set(target.column_names)
    assert 0 < len(common) < len(target.column_names)
    other = transfer.collections_of("rec-a:rec-b", 1, 8, data, tmp_path / "cache")[1]
    assert other.row_names != target.row_names


def test_run_resume_and_print(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tasks are measured once; a gain needs both fits."""
    assert transfer.main(command(data, tmp_path, "--methods", "unsupervised")) == 0
    shown = capsys.readouterr().out
    assert "| rec-a → rec-b | 16 | 2 |" in shown
    records = ResultStore(tmp_path / "t.jsonl").records()
    assert len(records) == 4
    assert transfer.main(command(data, tmp_path, "--methods", "unsupervised")) == 0
    assert capsys.readouterr().out == shown
    assert ResultStore(tmp_path / "t.jsonl").records() == records


def test_transfer_is_fitted(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the word groups of the source, and with shuffled ones, every task has its gain."""
    assert transfer.main(command(data, tmp_path)) == 0
    shown = capsys.readouterr().out
    assert "Error" not in shown
    assert shown.splitlines()[-1].startswith("| mean of tasks |")
    assert len(ResultStore(tmp_path / "t.jsonl").records()) == 12


def test_gains_are_paired() -> None:
    """The gain is of the same seeds, its error smaller than the spread of the scores."""

    def record(method: str, seed: int, accuracy: float) -> dict[str, object]:
        return {
            "task": "rec-a:rec-b",
            "each": 100,
            "method": method,
            "seed": seed,
            "settings": {},
            "version": "1",
            "status": "ok",
            "accuracy": accuracy,
            "documents": 200,
            "words": 50,
            "shared_words": 40,
            "k": 2,
        }

    records = [record("unsupervised", s, a) for s, a in enumerate((0.5, 0.9, 0.7))]
    records += [record("transfer", s, a) for s, a in enumerate((0.52, 0.94))]
    shown = transfer.table(records, ["rec-a:rec-b"], 100, {})
    row, mean = shown.splitlines()[2:]
    assert "| .700 ± .200 |" in row
    assert row.endswith("| +3.0 ± 1.0 | – |")
    assert mean.endswith("| +3.0 | – |")
    assert mean.count("|") == row.count("|")
    failed = {**record("transfer", 2, 0), "status": "failed", "error": "ValueError: no"}
    assert "- rec-a:rec-b, transfer: ValueError: no" in transfer.table(
        [*records, failed], ["rec-a:rec-b"], 100, {}
    )
