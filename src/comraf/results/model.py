"""A fit that can be kept: what is needed to place new items, as safetensors and JSON.

Arrays and names are in files of their own; nothing is ever unpickled, and everything read
is checked before it is used: a model may come from somebody else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from comraf.errors import ReadError, WriteError
from comraf.graph.tables import WEIGHTINGS
from comraf.results.placement import Placed, SideCounts, place

__all__ = ["FORMAT", "VERSION", "Model", "ModelSide", "load_model", "save_model"]

FORMAT = "comraf-model"
VERSION = 1
_JSON, _ARRAYS = "model.json", "arrays.safetensors"
_MOST_BYTES = 4_000_000_000


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
    """

    target: str
    names: tuple[str, ...]
    sides: Mapping[str, ModelSide]
    about: Mapping[str, Any] = field(default_factory=dict)

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
            if name not in tables:
                continue
            index = {value: i for i, value in enumerate(side.values)}
            where = np.array([index.get(value, -1) for value in values[name]], dtype=np.int64)
            coo = sp.coo_array(tables[name])
            column = where[coo.col] if len(where) else np.zeros(0, dtype=np.int64)
            kept = column >= 0
            aligned[name] = sp.csr_array(
                (coo.data[kept], (coo.row[kept], column[kept])),
                shape=(coo.shape[0], len(side.values)),
            )
            unseen[name] = int(coo.data[~kept].sum())
        return place({name: side.counts for name, side in self.sides.items()}, aligned), unseen


def save_model(model: Model, folder: str | Path) -> None:
    """Write a model into a folder of its own (made if it is not there)."""
    from safetensors.numpy import save_file

    folder = Path(folder)
    arrays: dict[str, np.ndarray] = {}
    sides = []
    for i, (name, side) in enumerate(model.sides.items()):
        arrays[f"{i}.labels"] = np.ascontiguousarray(side.counts.labels, dtype=np.int32)
        arrays[f"{i}.joint"] = np.ascontiguousarray(side.counts.joint, dtype=np.int64)
        sides.append(
            {
                "name": name,
                "weight": side.counts.weight,
                "weighting": side.counts.weighting,
                "units": side.counts.units,
                "values": list(side.values),
            }
        )
    document = {
        "format": FORMAT,
        "version": VERSION,
        "target": model.target,
        "names": list(model.names),
        "sides": sides,
        "about": dict(model.about),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save_file(arrays, folder / _ARRAYS)
        (folder / _JSON).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    except OSError as error:
        raise WriteError(f"can't write the model to {folder}: {error.strerror or error}") from error


def load_model(folder: str | Path) -> Model:
    """Read a model back, refusing what is damaged, foreign or from a newer comraf."""
    folder = Path(folder)
    document = _read_json(folder / _JSON)
    arrays = _read_arrays(folder / _ARRAYS)
    try:
        return _model(document, arrays)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ReadError(f"the model in {folder} is damaged: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ReadError(f"{path} is too large to be read ({path.stat().st_size} bytes)")
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ReadError(
            f"{path.parent} holds no model ({path.name} is not there); give the 'model' folder "
            "that `comraf organize` wrote, or the folder around it"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError(f"can't read {path}: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ReadError(f"{path} is not a comraf model")
    version = document.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ReadError(f"{path}: version {version!r} is not a number from 1")
    if version > VERSION:
        raise ReadError(
            f"{path} was written by a newer comraf (version {version} of the format, this one "
            f"reads up to {VERSION}); please upgrade"
        )
    return document


def _read_arrays(path: Path) -> dict[str, np.ndarray]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ReadError(f"{path} is too large to be read ({path.stat().st_size} bytes)")
        return dict(load_file(path))
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError(f"can't read {path}: {error}") from None


def _model(document: dict[str, Any], arrays: dict[str, np.ndarray]) -> Model:
    names = _strings(document["names"], "names")
    if not names:
        raise ValueError("it has no clusters")
    if not isinstance(document["target"], str) or not isinstance(document.get("about", {}), dict):
        raise ValueError("'target' must be a string and 'about' a mapping")
    if not isinstance(document["sides"], list) or not document["sides"]:
        raise ValueError("it has no sides")
    sides = {}
    for i, entry in enumerate(document["sides"]):
        if not isinstance(entry, dict) or not isinstance(entry["name"], str):
            raise ValueError(f"side {i} has no name")
        values = _strings(entry["values"], f"values of {entry['name']!r}")
        labels, joint = arrays[f"{i}.labels"], arrays[f"{i}.joint"]
        _check_arrays(entry["name"], labels, joint, len(values), len(names))
        weight, units = float(entry["weight"]), float(entry["units"])
        if not (np.isfinite(weight) and weight >= 0 and 0 < units <= 2.0**50):
            raise ValueError(f"side {entry['name']!r} has weight {weight} and units {units}")
        if entry["weighting"] not in WEIGHTINGS:
            raise ValueError(f"side {entry['name']!r} has weighting {entry['weighting']!r}")
        sides[entry["name"]] = ModelSide(
            values, SideCounts(labels, joint, weight, entry["weighting"], units)
        )
    return Model(document["target"], names, sides, document.get("about", {}))


def _check_arrays(name: str, labels: np.ndarray, joint: np.ndarray, n: int, k: int) -> None:
    if labels.dtype != np.int32 or labels.shape != (n,):
        raise ValueError(
            f"labels of {name!r} are {labels.dtype} {labels.shape}, expected int32 ({n},)"
        )
    if joint.dtype != np.int64 or joint.ndim != 2 or joint.shape[1] != k:
        raise ValueError(
            f"counts of {name!r} are {joint.dtype} {joint.shape}, expected int64 (*, {k})"
        )
    if n and (labels.min() < 0 or labels.max() >= joint.shape[0]):
        raise ValueError(
            f"labels of {name!r} run from {labels.min()} to {labels.max()}, beyond the "
            f"{joint.shape[0]} clusters counted"
        )
    if joint.size and (joint.min() < 0 or float(joint.sum(dtype=np.float64)) > 2**51):
        raise ValueError(f"counts of {name!r} are out of bounds")
    if not joint.any():
        raise ValueError(f"counts of {name!r} are all zero")


def _strings(value: Any, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ValueError(f"{what} must be a list of strings")
    return tuple(value)
