"""A fit that can be kept: what is needed to place new items, as safetensors and JSON.

Arrays and names are in files of their own (see `comraf.results.archive`); nothing is
ever unpickled, and everything read is checked before it is used: a model may come from
somebody else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.tables import as_csr, check_fits
from comraf.results.archive import (
    Migrate,
    entries,
    flag,
    nothing_left,
    number,
    read_archive,
    reading,
    strings,
    take_array,
    text,
    write_archive,
)
from comraf.results.placement import SideCounts, align, new_counts
from comraf.results.scorer import FitItems, Placed, Scorer
from comraf.weightings import WEIGHTINGS

__all__ = ["KIND", "VERSION", "Model", "ModelSide", "load_model", "save_model"]

KIND = "model"
#: 1: counts between clusters, dense. 2: also counts of single values, sparse, and items that
#: are columns of their tables. 3: what the fit's own items are recognised by.
VERSION = 3
_HINT = "give the 'model' folder that `comraf organize` wrote, or the folder around it"
# Sums of counts must stay exact in a double.
_MOST = 2**51


@dataclass(frozen=True, eq=False)
class ModelSide:
    """A neighbouring side: the names of its values and what the fit counted."""

    values: tuple[str, ...]
    counts: SideCounts


@dataclass(frozen=True, eq=False)
class Model:
    """Clusters of one node and the sides they are known by.

    Attributes
    ----------
    target : str
        Name of the node whose items can be placed.
    names : tuple of str
        A name for each of its clusters.
    sides : mapping of str to ModelSide
    about : mapping
        How the collection was read, so that new items are read the same way.
    sharpness, items
        As in `comraf.results.scorer.Scorer`.
    """

    target: str
    names: tuple[str, ...]
    sides: Mapping[str, ModelSide]
    about: Mapping[str, Any] = field(default_factory=dict)
    sharpness: float | None = None
    items: FitItems | None = None

    @property
    def n_clusters(self) -> int:
        """Number of clusters of the target."""
        return len(self.names)

    def place(
        self, tables: Mapping[str, sp.csr_array], values: Mapping[str, tuple[str, ...]]
    ) -> tuple[Placed, dict[str, int]]:
        """Place new items; also how much of each side's counts the model does not know.

        ``tables`` are items x values, ``values`` the names of their columns; columns are
        matched to the model's by name, unknown ones are left out and counted.

        Examples
        --------
        >>> counts = SideCounts(np.array([0, 1], dtype=np.int32), np.array([[5, 0], [0, 5]]))
        >>> words = ModelSide(("ship", "judge"), counts)
        >>> model = Model("documents", ("sea", "law"), {"words": words})
        >>> table = sp.csr_array(np.array([[2, 1]]))
        >>> placed, unseen = model.place({"words": table}, {"words": ("judge", "pizza")})
        >>> placed.labels.tolist(), unseen
        ([1], {'words': 1})
        """
        aligned: dict[str, sp.csr_array] = {}
        unseen: dict[str, int] = {}
        for name, side in self.sides.items():
            if name in tables:
                aligned[name], left_out = align(tables[name], values[name], side.values)
                unseen[name] = int(left_out)
        sides = {name: side.counts for name, side in self.sides.items()}
        placed = Scorer(sides, self.sharpness, self.items).place(aligned)
        return replace(placed, unseen=unseen), unseen

    def place_values(
        self, side: str, table: sp.csr_array, values: tuple[str, ...], labels: npt.NDArray[np.int32]
    ) -> tuple[tuple[str, ...], Placed]:
        """Place values of a side that the model has not seen, by the items they come with.

        Parameters
        ----------
        side : str
        table : sparse table
            Items x values of the side, all of them, known ones included.
        values : tuple of str
            Names of its columns.
        labels : array of int
            Clusters of the items, from `place`.

        Returns
        -------
        names : tuple of str
            Values that the model has not seen.
        placed : Placed
            Their places among the side's clusters.

        Examples
        --------
        >>> counts = SideCounts(np.array([0, 1], dtype=np.int32), np.array([[5, 0], [0, 5]]))
        >>> words = ModelSide(("ship", "judge"), counts)
        >>> model = Model("documents", ("sea", "law"), {"words": words})
        >>> table = sp.csr_array(np.array([[2, 1]]))
        >>> names, placed = model.place_values(
        ...     "words", table, ("judge", "court"), np.array([1], dtype=np.int32)
        ... )
        >>> names, placed.labels.tolist()
        (('court',), [1])
        """
        if side not in self.sides:
            raise InputError(
                "the model has no side {side!r}; it has {allowed}",
                side=side,
                allowed=list(self.sides),
            )
        counts = self.sides[side].counts
        if counts.factors is not None:
            raise InputError(f"the items of this model are columns of their tables with {side!r}")
        seen = set(self.sides[side].values)
        new = [i for i, value in enumerate(values) if value not in seen]
        # the rows are weighted whole, as in the fit; then the columns are looked at
        weighed = new_counts(counts, as_csr(table, f"the table {side!r}"), side)
        turned = sp.csr_array(weighed.T)[np.array(new, dtype=np.int64)]
        placed = Scorer({self.target: counts.turned(labels)}).place({self.target: turned})
        return tuple(values[i] for i in new), placed


def save_model(model: Model, folder: str | os.PathLike[str]) -> None:
    """Write a model into a folder of its own (made if it is not there), whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> counts = SideCounts(np.array([0, 1], dtype=np.int32), np.array([[5, 0], [0, 5]]))
    >>> model = Model("documents", ("sea", "law"), {"words": ModelSide(("ship", "judge"), counts)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, folder)
    ...     load_model(folder).names
    ('sea', 'law')
    """
    arrays: dict[str, npt.NDArray[Any]] = {}
    sides = []
    for i, (name, side) in enumerate(model.sides.items()):
        counts = side.counts
        clusters = counts.labels if counts.clusters is None else counts.clusters
        arrays[f"{i}.labels"] = np.asarray(clusters, dtype=np.int32)
        if counts.single:
            # a row for each value: most of its cells are empty
            table = sp.csr_array(counts.joint[counts.labels])
            arrays[f"{i}.indptr"] = table.indptr.astype(np.int64)
            arrays[f"{i}.indices"] = table.indices.astype(np.int32)
            arrays[f"{i}.counts"] = table.data.astype(np.int64)
        else:
            arrays[f"{i}.joint"] = np.asarray(counts.joint, dtype=np.int64)
        if counts.factors is not None:
            arrays[f"{i}.factors"] = np.asarray(counts.factors, dtype=np.float64)
        sides.append(
            {
                "name": name,
                "weight": float(counts.weight),
                "weighting": counts.weighting,
                "units": float(counts.units),
                "single": counts.single,
                "shrink": float(counts.shrink),
                "columns": counts.factors is not None,
                "values": list(side.values),
            }
        )
    document = {
        "target": model.target,
        "names": list(model.names),
        "sides": sides,
        "about": dict(model.about),
        "sharpness": model.sharpness,
    }
    if model.items is not None:
        arrays["items.prints"] = model.items.prints.view(np.int64)
        arrays["items.labels"] = model.items.labels
        if model.items.agreed is not None:
            arrays["items.agreed"] = model.items.agreed
    write_archive(folder, kind=KIND, version=VERSION, document=document, arrays=arrays)


def _from_1(
    document: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Version 1 knew clusters of values only, and items that are rows."""
    for entry in document["sides"]:
        entry["single"] = entry["columns"] = False
        entry["shrink"] = 0.0
    return document, arrays


def _from_2(
    document: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Version 2 sharpened by the square root of the number of values, and by 1 but for photos."""
    sharpness = number(document.get("sharpness", 1.0), "the sharpness", 1e-6, 1e6)
    # a photo has some hundreds of values: the fourth root of these
    document["sharpness"] = None if sharpness == 1.0 else 4.0 * sharpness
    return document, arrays


_VERSIONS: dict[int, Migrate | None] = {1: _from_1, 2: _from_2, 3: None}


def load_model(folder: str | os.PathLike[str]) -> Model:
    """Read a model back, refusing what is damaged, foreign or from a newer comraf.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_model(folder)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: ... holds no model (model.json is not there); give the 'model'...
    """
    folder = Path(folder)
    document, arrays = read_archive(folder, kind=KIND, versions=_VERSIONS, hint=_HINT)
    with reading(folder, KIND):
        return _model(document, arrays)


def _model(document: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Model:
    names = strings(document["names"], "names")
    if not names:
        raise ValueError("it has no clusters")
    target = text(document["target"], "'target'")
    about = document.get("about", {})
    if not isinstance(about, dict):
        raise ValueError("'about' must be a mapping")
    if not document["sides"]:
        raise ValueError("it has no sides")
    sides: dict[str, ModelSide] = {}
    for i, entry in enumerate(entries(document["sides"], "sides")):
        name = text(entry["name"], f"the name of side {i}")
        if name in sides:
            raise ValueError(f"there are two sides {name!r}")
        sides[name] = _side(i, name, entry, arrays, len(names))
    items = _items(arrays, len(names)) if "items.prints" in arrays else None
    nothing_left(arrays)
    sharpness = document["sharpness"]
    if sharpness is not None:
        sharpness = number(sharpness, "the sharpness", 1e-6, 1e6)
    return Model(target, names, sides, about, sharpness, items)


def _items(arrays: dict[str, npt.NDArray[Any]], k: int) -> FitItems:
    prints = take_array(arrays, "items.prints", dtype=np.int64, shape=(None,)).view(np.uint64)
    n = (len(prints),)
    labels = take_array(arrays, "items.labels", dtype=np.int32, shape=n, low=0, high=k - 1)
    agreed = None
    if "items.agreed" in arrays:
        agreed = take_array(arrays, "items.agreed", dtype=np.float64, shape=n, low=0.0, high=1.0)
    return FitItems(prints, labels, agreed)


def _side(
    i: int, name: str, entry: Mapping[str, Any], arrays: dict[str, npt.NDArray[Any]], k: int
) -> ModelSide:
    values = strings(entry["values"], f"values of {name!r}")
    n = len(values)
    single, columns = (flag(entry[k], f"{k!r} of side {name!r}") for k in ("single", "columns"))
    labels = take_array(arrays, f"{i}.labels", dtype=np.int32, shape=(n,), low=0)
    joint = _singles(i, arrays, n, k) if single else _joint(i, arrays, labels, k)
    if not joint.any():
        raise ValueError(f"counts of {name!r} are all zero")
    if float(joint.sum(dtype=np.float64)) > _MOST:
        raise ValueError(f"counts of {name!r} are out of bounds")
    if single and n and labels.max() >= n:
        raise ValueError(f"values of {name!r} are in cluster {labels.max()}, but there are {n}")
    factors = None
    if columns:
        factors = take_array(arrays, f"{i}.factors", dtype=np.float64, shape=(n,), low=0.0)
    weighting = text(entry["weighting"], f"the weighting of {name!r}")
    if weighting not in WEIGHTINGS:
        raise ValueError(f"side {name!r} has weighting {weighting!r}")
    counts = SideCounts(
        np.arange(n, dtype=np.int32) if single else labels,
        joint,
        number(entry["weight"], f"the weight of {name!r}", 0.0, 1e12),
        weighting,
        number(entry["units"], f"the units of {name!r}", 1e-300, 2.0**50),
        factors,
        labels if single else None,
        number(entry["shrink"], f"the shrinkage of {name!r}", 0.0, 1e6),
    )
    return ModelSide(values, counts)


def _joint(
    i: int, arrays: dict[str, npt.NDArray[Any]], labels: npt.NDArray[np.int32], k: int
) -> npt.NDArray[np.int64]:
    joint = take_array(arrays, f"{i}.joint", dtype=np.int64, shape=(None, k), low=0, high=_MOST)
    if len(labels) and labels.max() >= joint.shape[0]:
        raise ValueError(
            f"'{i}.labels' go up to {labels.max()}, beyond the {joint.shape[0]} clusters counted"
        )
    return joint


def _singles(i: int, arrays: dict[str, npt.NDArray[Any]], n: int, k: int) -> npt.NDArray[np.int64]:
    counts = take_array(arrays, f"{i}.counts", dtype=np.int64, shape=(None,), low=0, high=_MOST)
    m = len(counts)
    indices = take_array(arrays, f"{i}.indices", dtype=np.int32, shape=(m,), low=0, high=k - 1)
    indptr = take_array(arrays, f"{i}.indptr", dtype=np.int64, shape=(n + 1,), low=0, high=m)
    if indptr[0] != 0 or indptr[-1] != m or (np.diff(indptr) < 0).any():
        raise ValueError(f"'{i}.indptr' does not cut {m} counts into {n} rows")
    check_fits(16.0 * n * k, f"counts of {n} values in {k} clusters", "use another machine")
    joint = np.zeros((n, k), dtype=np.int64)
    np.add.at(joint, (np.repeat(np.arange(n), np.diff(indptr)), indices), counts)
    return joint
