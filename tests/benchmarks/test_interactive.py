from __future__ import annotations

import io
import random
import tarfile
import zipfile
from pathlib import Path

import pytest

from benchmarks.interactive import CLASSES, ROWS, main
from benchmarks.store import ResultStore

OPINIONS = [
    ["awful", "worst", "crap"],
    ["dull", "weak", "bland"],
    ["nice", "decent", "fine"],
    ["superb", "perfect", "great"],
]


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    """An archive of two halves and a lexicon: each class has three words of its own."""
    data = tmp_path / "reviews-data"
    (data / "reviews").mkdir(parents=True)
    (data / "brown").mkdir()
    rng = random.Random(0)
    with tarfile.open(data / "reviews/aclImdb_labelled.tar.gz", "w:gz") as archive:
        for half in ("train", "test"):
            for number in range(160):
                rating = list(CLASSES)[number % 8]
                own = rng.sample(OPINIONS[CLASSES[rating]], 2) if number % 40 else []
                said = [*own, *rng.choices("film plot actor scene story music".split(), k=8)]
                raw = f"{' '.join(said)}<br />end{number}".encode()
                kind = "pos" if rating > 5 else "neg"
                member = tarfile.TarInfo(f"aclImdb/{half}/{kind}/{number}_{rating}.txt")
                member.size = len(raw)
                archive.addfile(member, io.BytesIO(raw))
    with zipfile.ZipFile(data / "brown/opinion_lexicon.zip", "w") as packed:
        for name, words in (("negative", OPINIONS[:2]), ("positive", OPINIONS[2:])):
            listed = "\n".join(word for some in words for word in some)
            packed.writestr(f"opinion_lexicon/{name}-words.txt", f"; a lexicon\n\n{listed}\n")
    return data


def test_rows_are_measured_once_and_shown(
    reviews: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every row finds the classes where their words are clear; uncovered reviews are wrong."""
    out = tmp_path / "interactive.jsonl"
    command = ["--data", str(reviews), "--out", str(out), "--draws", "1", "--each", "20"]
    command += ["--others", "30", "--effort", "quick", "--value-clusters", "6"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    found = {record["row"]: record for record in ResultStore(out).records()}
    assert list(found) == list(ROWS)
    assert found["counting"]["covered"] == found["counting"]["micro"] < 1
    assert found["named"]["micro"] == found["counting"]["micro"]
    assert found["corrected"]["micro"] == found["named"]["micro"]
    assert found["corrected"]["values"] == found["named"]["values"]
    assert found["svm"]["micro"] > 0.9
    assert found["simulated"]["covered"] == 1
    assert found["named"]["balanced"]
    assert "| **interactive, to its end** | oracle |" in shown
    assert main([*command[2:]]) == 0  # without data: nothing is missing
    assert capsys.readouterr().out == shown
