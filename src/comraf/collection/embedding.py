"""Sentence embeddings from a model that is already on this machine, without PyTorch.

Nothing is ever downloaded: the model is a folder the user has (``model.safetensors``,
``tokenizer.json``, ``config.json``, as sentence-transformers writes them). Models of the
BERT kind, MiniLM among them, are small enough for NumPy. For any other model compute the
embeddings where it runs, and bring them as a matrix.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError, ReadError, import_extra
from comraf.graph.tables import check_fits

Floats = npt.NDArray[np.float32]
_T = TypeVar("_T")

_NEEDED = ("config.json", "tokenizer.json", "model.safetensors")
_LARGEST_SETTINGS = 2**20
# Tokens of one batch: what a layer holds of them stays in tens of megabytes.
_BATCH_TOKENS = 1024
# Rows that pass through an elementwise formula while they are in the cache.
_ROWS_AT_ONCE = 32
_TEXTS_AT_ONCE = 512
# Steps of a model beside the encoder itself: vectors get length 1 in any case.
_STEPS = ("Transformer", "Pooling", "Normalize")
# What the encoder must be to be the one that is computed here.
_KIND = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
_PRECISIONS = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
_OWN_MODEL = "compute the embeddings where that model runs, and give them as a .npy file"


def open_model(folder: str | os.PathLike[str]) -> SentenceModel:
    """Open a sentence-embedding model of the BERT kind that lies in a folder.

    Parameters
    ----------
    folder : path-like
        Holds ``config.json``, ``tokenizer.json`` and ``model.safetensors``.

    Raises
    ------
    MissingExtraError
        The tokenizer's package is not installed (``pip install "comraf[embeddings]"``).
    ReadError
        There is no such folder, or it lacks a file, or one is damaged.
    InputError
        The model is of another kind.

    Examples
    --------
    >>> open_model("no-such-folder")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: 'no-such-folder' is no folder with a model; nothing is downloaded, \
so give the folder that holds config.json, tokenizer.json, model.safetensors
    """
    place = Path(folder)
    called = f"the model in {str(folder)!r}"
    if not place.is_dir():
        raise ReadError(
            f"{str(folder)!r} is no folder with a model; nothing is downloaded, so give the "
            f"folder that holds {', '.join(_NEEDED)}"
        )
    for name in _NEEDED:
        if not (place / name).is_file():
            raise ReadError(f"{called} has no file {name}; it needs {', '.join(_NEEDED)}")
    tokenizers = import_extra(
        "tokenizers",
        "embeddings of texts need a tokenizer: install it with "
        'pip install "comraf[embeddings]", or bring the embeddings as a .npy file',
    )
    from safetensors import SafetensorError

    config = _settings(place / "config.json", dict)
    _check_kind(config, called)
    first = _pools_first(place, called)
    size = (place / "model.safetensors").stat().st_size
    check_fits(3.0 * size, called, "choose a smaller model")
    epsilon = _number(config, "layer_norm_eps", 1e-12, 0.0, called)
    longest = int(_number(config, "max_position_embeddings", 512, 3, called))
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(place / "tokenizer.json"))
        weights = _weights(place / "model.safetensors", called)
    except (OSError, ValueError, TypeError, SafetensorError) as error:
        raise ReadError(f"{called} can't be read: {error}") from error
    except Exception as error:  # the tokenizer raises nothing more special
        if type(error) is not Exception:
            raise
        raise ReadError(f"the tokenizer in {str(folder)!r} can't be read: {error}") from error
    positions = weights.get("embeddings.position_embeddings.weight")
    if positions is not None:  # what the weights have counts, whatever the settings say
        longest = min(longest, len(positions))
    most = _settings(place / "sentence_bert_config.json", dict, {}).get("max_seq_length")
    tokenizer.no_padding()
    if isinstance(most, int) and 2 < most < longest:
        longest = most
    tokenizer.enable_truncation(max_length=longest)
    return SentenceModel(
        lambda texts: [found.ids for found in tokenizer.encode_batch(list(texts))],
        weights,
        n_heads=int(config["num_attention_heads"]),
        epsilon=epsilon,
        first_token=first,
    )


def _settings(path: Path, kind: type[_T], default: _T | None = None) -> _T:
    """What a file of settings holds; the default where there is no such file."""
    if default is not None and not path.is_file():
        return default
    try:
        if path.stat().st_size > _LARGEST_SETTINGS:
            raise ReadError(f"{str(path)!r} is too large for a file of settings")
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ReadError(f"{str(path)!r} can't be read: {error}") from error
    if not isinstance(found, kind):
        what = "settings" if kind is dict else "list of steps"
        raise ReadError(f"{str(path)!r} holds no {what}")
    return found


def _check_kind(config: dict[str, Any], called: str) -> None:
    for name, wanted in _KIND.items():
        # a file that says nothing is of the usual kind, but has to say that it is of BERT
        found = config.get(name, None if name == "model_type" else wanted)
        if found != wanted:
            raise InputError(
                f"{called} has {name}={found!r}; only {wanted!r} is read here: {_OWN_MODEL}"
            )
    heads: Any = config.get("num_attention_heads")
    width: Any = config.get("hidden_size")
    whole = isinstance(heads, int) and isinstance(width, int)
    if not whole or heads < 1 or width < heads or width % heads:
        raise ReadError(
            f"{called} says num_attention_heads={heads!r} and hidden_size={width!r}, which don't "
            "go together"
        )


def _number(config: dict[str, Any], name: str, default: float, least: float, called: str) -> float:
    """A number of the settings; a whole one where the default is."""
    found = config.get(name, default)
    whole = isinstance(default, int)
    kinds = int if whole else (int, float)
    if isinstance(found, bool) or not isinstance(found, kinds) or not least <= found < np.inf:
        kind = "a whole number" if whole else "a number"
        raise ReadError(f"{called} says {name}={found!r}; expected {kind} from {least} on")
    return found


def _pools_first(place: Path, called: str) -> bool:
    """Whether the first token stands for a text, not the mean; no other step is known here."""
    pooling = "1_Pooling"
    steps: list[Any] = _settings(place / "modules.json", list, [])
    if not all(isinstance(step, dict) for step in steps):
        raise ReadError(f"{str(place / 'modules.json')!r} holds no list of steps")
    for step in steps:
        kind = str(step.get("type", "")).rpartition(".")[2]
        if kind not in _STEPS:
            raise InputError(
                f"{called} has a step {kind or step!r} after its encoder; only "
                f"{', '.join(_STEPS)} are known here: {_OWN_MODEL}"
            )
        if kind == "Pooling" and isinstance(step.get("path"), str):
            pooling = step["path"]
    settings: dict[str, Any] = _settings(place / pooling / "config.json", dict, {})
    flag = "pooling_mode_"
    flags = {name.removeprefix(flag): on for name, on in settings.items() if name.startswith(flag)}
    if not flags and "pooling_mode" in settings:  # as newer files say it
        named = settings["pooling_mode"]
        flags = {"cls_token" if named == "cls" else f"{named}_tokens": True}
    modes = {name for name, on in flags.items() if on}
    if not modes and flags.get("mean_tokens", True):
        modes = {"mean_tokens"}
    if modes not in ({"cls_token"}, {"mean_tokens"}):
        said = " and ".join(sorted(modes)) or "none of the known ways"
        raise InputError(
            f"{called} pools tokens by {said}; only mean_tokens or cls_token alone is known here: "
            f"{_OWN_MODEL}"
        )
    return modes == {"cls_token"}


def _weights(path: Path, called: str) -> dict[str, Floats]:
    """Weights by name, in single precision, whatever they have on disk."""
    from safetensors import deserialize

    unpack: Any = deserialize  # some versions have no types
    out = {}
    for name, part in unpack(path.read_bytes()):
        kind, shape = part["dtype"], part["shape"]
        if kind == "BF16":  # the upper half of single precision, which NumPy doesn't know
            upper = np.frombuffer(part["data"], "<u2").astype(np.uint32) << np.uint32(16)
            found = upper.view(np.float32)
        elif kind in _PRECISIONS:
            found = np.frombuffer(part["data"], _PRECISIONS[kind]).astype(np.float32)
        elif kind in ("I64", "I32"):
            continue  # numbers of positions, which are known
        else:
            raise InputError(
                f"{called} has weights of type {kind}; only {', '.join(_PRECISIONS)} and BF16 are "
                f"read here: {_OWN_MODEL}"
            )
        out[name.removeprefix("bert.")] = found.reshape(shape)
    return out


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Cut texts into batches; those of one length together, so that little is padded."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if batch and lengths[i] * (len(batch) + 1) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _gelu(x: Floats) -> None:
    """Multiply x, in place, by the normal distribution's share below it."""
    # The error function by formula 7.1.26 of Abramowitz and Stegun, within 1.5e-7, which is enough
    # in single precision.
    z = np.abs(x)
    z *= np.float32(np.sqrt(0.5))
    t = np.float32(0.3275911) * z
    t += 1
    np.reciprocal(t, out=t)
    tail = t * np.float32(1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += np.float32(coefficient)
        tail *= t
    np.square(z, out=z)
    np.negative(z, out=z)
    np.exp(z, out=z)
    tail *= z
    tail *= np.float32(0.5)  # the share beyond |x|, on one side
    np.subtract(1, tail, out=tail, where=x > 0)
    x *= tail


class SentenceModel:
    """A transformer encoder of the BERT kind whose output is pooled to one vector a text.

    Parameters
    ----------
    tokenize : callable
        From texts to their lists of token numbers.
    weights : mapping of str to array
        By the names that BERT's layers have.
    n_heads : int
        Heads of attention.
    epsilon : float
        Of the layer norms.
    first_token : bool
        Take the first token's vector, not the mean of all.
    """

    def __init__(
        self,
        tokenize: Callable[[Sequence[str]], list[list[int]]],
        weights: dict[str, Floats],
        *,
        n_heads: int,
        epsilon: float = 1e-12,
        first_token: bool = False,
    ) -> None:
        self._tokenize = tokenize
        self._weights = weights
        self._heads = n_heads
        self._epsilon = epsilon
        self._first = first_token
        try:
            self._layers = 1 + max(
                int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer.")
            )
            self.dimensions: int = weights["embeddings.word_embeddings.weight"].shape[1]
            if not all(
                f"encoder.layer.{layer}.output.dense.weight" in weights
                for layer in range(self._layers)
            ):
                raise KeyError("layers")
        except (KeyError, ValueError, IndexError) as error:
            raise ReadError("the model's weights don't have the names of a BERT encoder") from error

    def embed(
        self, texts: Iterable[str], *, listener: Callable[[float], None] | None = None
    ) -> Floats:
        """One vector of length 1 for each text; long texts count by their beginning.

        Parameters
        ----------
        texts : iterable of str
        listener : callable, optional
            Gets the share that is done.
        """
        ids: list[npt.NDArray[np.int32]] = []
        left = iter(texts)
        while chunk := list(islice(left, _TEXTS_AT_ONCE)):  # let go of once they are numbers
            ids += [np.asarray(found, np.int32) for found in self._tokenize(chunk)]
        out = np.zeros((len(ids), self.dimensions), np.float32)
        done = 0
        try:
            for batch in _batches([len(one) for one in ids]):
                out[batch] = self._batch([ids[i] for i in batch])
                done += len(batch)
                if listener is not None:
                    listener(done / len(ids))
        except (KeyError, ValueError, IndexError) as error:
            raise ReadError(f"the model's parts don't fit together: {error}") from error
        if not np.isfinite(out).all():
            raise ReadError("the model makes vectors that are not finite; its weights are damaged")
        lengths = np.linalg.norm(out, axis=1, keepdims=True)
        return np.asarray(out / np.where(lengths > 0, lengths, 1), np.float32)

    def _linear(self, x: Floats, name: str) -> Floats:
        weight = self._weights[f"{name}.weight"]
        return np.asarray(x @ weight.T + self._weights[f"{name}.bias"], np.float32)

    def _norm(self, x: Floats, name: str) -> Floats:
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt((x * x).mean(axis=-1, keepdims=True) + self._epsilon)
        return np.asarray(
            x * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"], np.float32
        )

    def _batch(self, ids: list[npt.NDArray[np.int32]]) -> Floats:
        n, length = len(ids), max(1, *(len(one) for one in ids))
        tokens = np.zeros((n, length), np.int64)
        there = np.zeros((n, length), np.float32)
        for i, one in enumerate(ids):
            tokens[i, : len(one)] = one
            there[i, : len(one)] = 1
        w = self._weights
        x = w["embeddings.word_embeddings.weight"][tokens]
        x = x + w["embeddings.position_embeddings.weight"][:length]
        x = self._norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        hidden = None if there.all() else (1 - there)[:, None, None, :] * np.float32(-1e9)
        for layer in range(self._layers):
            x = self._layer(x, hidden, f"encoder.layer.{layer}")
        if self._first:
            return np.asarray(x[:, 0], np.float32)
        total = np.maximum(there.sum(axis=1, keepdims=True), 1)
        return np.asarray((x * there[:, :, None]).sum(axis=1) / total, np.float32)

    def _layer(self, x: Floats, hidden: Floats | None, name: str) -> Floats:
        n, length, width = x.shape
        each = width // self._heads

        def heads(part: str) -> Floats:
            made = self._linear(x, f"{name}.attention.self.{part}")
            return made.reshape(n, length, self._heads, each).transpose(0, 2, 1, 3)

        # in place: these are by far the largest arrays
        scores = (heads("query") / np.float32(np.sqrt(each))) @ heads("key").transpose(0, 1, 3, 2)
        if hidden is not None:
            scores += hidden
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed: Any = (scores @ heads("value")).transpose(0, 2, 1, 3).reshape(n, length, width)
        seen = np.asarray(mixed, np.float32)
        x = self._norm(
            x + self._linear(seen, f"{name}.attention.output.dense"),
            f"{name}.attention.output.LayerNorm",
        )
        inner = self._linear(x, f"{name}.intermediate.dense")
        flat = inner.reshape(n * length, -1)
        for start in range(0, len(flat), _ROWS_AT_ONCE):
            _gelu(flat[start : start + _ROWS_AT_ONCE])
        return self._norm(
            x + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm"
        )
