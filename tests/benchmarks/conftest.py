"""Raw collections in miniature, in the formats of the real ones."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

GROUPS = (
    "alt.atheism",
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.windows.x",
    "rec.sport.baseball",
    "sci.space",
)


def message(group: str, number: int) -> bytes:
    """One message whose headers and one long line must leave no trace."""
    topic = "".join(part for part in group if part.isalpha())
    return (
        f"Path: pathword!{group}\nNewsgroups: {group}\nXref: xrefword {group}\n"
        f"Subject: {topic}subject\n continued\nFrom: fromword\n\n"
        f"The {topic}alpha and {topic}beta, common {topic}gamma caf\xe9 number {number}\n"
        f"{'blobword' * 8}\n" + (f"unique{topic}{chr(97 + number)}\n" * 3)
    ).encode("latin-1")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with every collection the benchmarks read."""
    folder = tmp_path / "data"
    for name in ("newsgroups", "classic", "papers", "brown"):
        (folder / name).mkdir(parents=True)
    with tarfile.open(folder / "newsgroups/20_newsgroups.tar.gz", "w:gz") as archive:
        for group in GROUPS:
            for number in range(8):
                raw = message(group, number)
                member = tarfile.TarInfo(f"newsgroups/{group}/{1000 + number}")
                member.size = len(raw)
                archive.addfile(member, io.BytesIO(raw))
        # Nothing but a stop word: this document ends up empty.
        member = tarfile.TarInfo("newsgroups/sci.space/9999")
        member.size = len(b"From: x\n\nthe the\n")
        archive.addfile(member, io.BytesIO(b"From: x\n\nthe the\n"))
    _write_classic(folder / "classic")
    _write_cora(folder / "papers/cora.npz")
    with zipfile.ZipFile(folder / "brown/brown.zip", "w") as archive_file:
        archive_file.writestr("brown/cats.txt", "".join(f"c{i} genre{i % 2}\n" for i in range(6)))
        for i in range(6):
            tokens = f"The/at jury/nn theme{'ab'[i % 2]}/nn said/vbd ./."
            archive_file.writestr(f"brown/c{i}", tokens)
    return folder


def _write_classic(folder: Path) -> None:
    names = {"cran.all.1400.gz": "wing", "MED.ALL.gz": "cell", "CISI.ALL.gz": "library"}
    for file, word in {**names, "cacm.all.gz": "algol"}.items():
        records = "".join(
            f".I {i}\n.T\n{word} title\n.A\nauthorword\n.W\n{word} study {word}\n.X\n1\t5\t1\n"
            for i in range(1, 6)
        )
        (folder / file).write_bytes(gzip.compress((records + ".I 78888").encode("latin-1")))


def _write_cora(path: Path) -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 12)
    blocks = np.repeat([0, 1, 2], 10)
    chance = np.where(labels[:, None] == blocks[None, :], 0.8, 0.05)
    table = (rng.random(chance.shape) < chance).astype(np.float32)
    rows, columns = np.nonzero(table)
    np.savez(
        path,
        attr_data=table[rows, columns],
        attr_indices=columns.astype(np.int32),
        attr_indptr=np.concatenate([[0], np.cumsum(table.sum(axis=1))]).astype(np.int32),
        attr_shape=np.asarray(table.shape, dtype=np.int64),
        labels=labels.astype(np.int8),
        class_names=np.asarray(["Alpha", "Beta", "Gamma"]),
        node_names=np.asarray([f"p{i}" for i in range(labels.size)]),
    )
