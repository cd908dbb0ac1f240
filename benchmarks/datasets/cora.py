"""Cora: binary words of 2,708 papers in seven areas."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.datasets.base import Dataset
from comraf.errors import ReadError

__all__ = ["cora", "cora_files"]

cora_files = ("papers/cora.npz",)


def cora(data: Path) -> Dataset:
    """Read the words of the papers; the words themselves were never published."""
    path = data / cora_files[0]
    try:
        with np.load(path, allow_pickle=False) as z:
            counts = csr_matrix(
                (z["attr_data"], z["attr_indices"], z["attr_indptr"]),
                shape=tuple(z["attr_shape"].tolist()),
            )
            classes = z["class_names"][z["labels"]].tolist()
            names = z["node_names"].tolist()
    except (OSError, KeyError, ValueError, IndexError, EOFError, zipfile.BadZipFile) as error:
        raise ReadError(f"{str(path)!r} is not the Cora file ({error})") from error
    words = [f"word-{column}" for column in range(counts.shape[1])]
    table = Dataset.build("cora", counts, classes, names, words, cora_files)
    # The publisher already removed stop words and rare ones.
    return table.select("cora", np.arange(len(names)))
