"""Papers as tables: Cora and CiteSeer with their citations, AAAI-14 with all that it says.

Tables are made by comraf's own readers and kept in a cache, so that a machine without the
readers' libraries, or without the data, measures the same.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.harness import cached, check, load_npz, sparse_from, sparse_parts
from comraf.graph import NeighbourTable

__all__ = ["AAAI", "CITING", "COLLECTIONS", "Papers", "load", "prepare", "right"]

#: Collections with citations, and the file of each below the data folder.
CITING: dict[str, str] = {"cora": "papers/cora.npz", "citeseer": "papers/citeseer.npz"}
#: The collection in which everything but citations is known.
AAAI = "aaai-14"
COLLECTIONS: dict[str, str] = {**CITING, AAAI: "papers/AAAI-14_Accepted_Papers.csv"}
# A change of what the tables are made of makes new ones.
_VERSION = 2


@dataclass(frozen=True, slots=True)
class Papers:
    """A collection's tables by side, and which classes each paper has.

    Attributes
    ----------
    name : str
    tables : mapping of str to sparse array
        Papers x values.
    classes : array of bool
        Papers x classes; a paper may have several.
    """

    name: str
    tables: Mapping[str, sp.csr_array] = field(repr=False)
    classes: npt.NDArray[np.bool_] = field(repr=False)

    @property
    def single(self) -> npt.NDArray[np.int64]:
        """The class of each paper that has just one, -1 for the others."""
        one = self.classes.sum(axis=1) == 1
        return np.where(one, self.classes.argmax(axis=1), -1)


def right(classes: npt.NDArray[np.bool_], labels: npt.ArrayLike) -> float:
    """Share of papers that have the commonest class of their cluster among their classes.

    Micro accuracy, where each paper has one class.

    Examples
    --------
    >>> right(np.array([[1, 0], [1, 1], [0, 1], [0, 1]], bool), [0, 0, 0, 1])
    0.75
    """
    found = np.asarray(labels)
    hits = sum(int(classes[found == c].sum(axis=0).max()) for c in np.unique(found))
    return hits / len(classes)


def prepare(name: str, data: Path | None, cache: Path) -> Path:
    """The file of a collection's tables, made from the data if need be.

    What is in the cache is taken as it is where there are no data; otherwise it must have
    been made of them.
    """
    check("collection", name, COLLECTIONS)

    def make(source: Path) -> dict[str, Any]:
        tables, classes = _citing(source) if name in CITING else _aaai(source)
        arrays = {"classes": classes}
        for side, table in tables.items():
            arrays |= sparse_parts(table, f"{side}.")
        return arrays

    return cached(cache / f"papers-{name}-{_VERSION}.npz", data, COLLECTIONS[name], make)


@functools.lru_cache(maxsize=4)
def load(name: str, path: str) -> Papers:
    """Read what :func:`prepare` made."""
    with load_npz(path) as arrays:
        sides = [key.removesuffix(".indptr") for key in arrays.files if "indptr" in key]
        tables = {side: sparse_from(arrays, f"{side}.") for side in sides}
        classes = arrays["classes"]
    graph = tables.pop("graph", None)
    if graph is not None:
        # a paper is as near to itself as to one that it cites
        tables["neighbours"] = NeighbourTable(graph + sp.eye_array(len(classes), format="csr"))
    return Papers(name, tables, classes)


def _citing(path: Path) -> tuple[dict[str, sp.csr_array], npt.NDArray[np.bool_]]:
    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader
    from comraf.collection.options import SideOptions, ValueOptions

    tables: dict[str, sp.csr_array] = {}
    for links, side in (("both", "citations"), ("cited", "cited"), ("citing", "citing")):
        collection = build_collection(open_reader(path, kind="csr", links=links))
        tables.setdefault("words", collection.tables["words"])
        tables[side] = collection.tables["citations"]
    every = SideOptions(values=ValueOptions(min_documents=1))
    collection = build_collection(open_reader(path, kind="csr", links="both"), options=every)
    numbers = {name: number for number, name in enumerate(collection.ids)}
    cited = np.array([numbers[name] for name in collection.sides["citations"].values])
    links_of = sp.coo_array(collection.tables["citations"])
    tables["graph"] = sp.csr_array(
        (np.ones(links_of.nnz, np.int64), (links_of.row, cited[links_of.col])),
        shape=2 * (len(numbers),),
    )
    names, found = np.unique(np.asarray(collection.truth), return_inverse=True)
    return tables, np.asarray(found[:, None] == np.arange(len(names)))


def _aaai(path: Path) -> tuple[dict[str, sp.csr_array], npt.NDArray[np.bool_]]:
    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader
    from comraf.collection.options import SideOptions, WordOptions

    # titles are a side of their own here
    options = SideOptions(words=WordOptions(titles=False))
    reader = open_reader(
        path,
        kind="csv",
        title="title",
        text="abstract",
        people="authors",
        lists=dict.fromkeys(("groups", "keywords", "topics"), "\n"),
    )
    collection = build_collection(reader, options=options)
    tables = dict(collection.tables)
    return tables, tables.pop("groups").toarray() > 0
