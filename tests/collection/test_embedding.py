"""Sentence embeddings without PyTorch: a small encoder against a plain one, and bad folders."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import erf

from comraf.collection import embedding as module
from comraf.collection.embedding import SentenceModel, open_model
from comraf.errors import InputError, MissingExtraError, ReadError

WIDTH, HEADS, INNER, LAYERS, WORDS = 8, 2, 12, 2, 30
UNKNOWN = "[UNK]"
CONFIG = {"model_type": "bert", "hidden_size": WIDTH, "num_attention_heads": HEADS}


def weights(seed: int = 0) -> dict[str, Any]:
    """Random weights under the names that BERT's parts have."""
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, WIDTH),
        "embeddings.position_embeddings.weight": (20, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in range(LAYERS):
        base = f"encoder.layer.{layer}"
        for part, (out, into) in {
            "attention.self.query": (WIDTH, WIDTH),
            "attention.self.key": (WIDTH, WIDTH),
            "attention.self.value": (WIDTH, WIDTH),
            "attention.output.dense": (WIDTH, WIDTH),
            "intermediate.dense": (INNER, WIDTH),
            "output.dense": (WIDTH, INNER),
        }.items():
            shapes |= {f"{base}.{part}.weight": (out, into), f"{base}.{part}.bias": (out,)}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{base}.{part}.weight": (WIDTH,), f"{base}.{part}.bias": (WIDTH,)}
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def plain(w: dict[str, Any], ids: list[int]) -> Any:
    """One text, one head at a time, in double precision."""
    w = {name: part.astype(np.float64) for name, part in w.items()}

    def linear(x: Any, name: str) -> Any:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(x: Any, name: str) -> Any:
        x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-12)
        return x * w[f"{name}.weight"] + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    each = WIDTH // HEADS
    for layer in range(LAYERS):
        base = f"encoder.layer.{layer}"
        q, k, v = (linear(x, f"{base}.attention.self.{p}") for p in ("query", "key", "value"))
        seen = []
        for head in range(HEADS):
            at = slice(head * each, (head + 1) * each)
            score = np.exp(q[:, at] @ k[:, at].T / np.sqrt(each))
            seen.append(score / score.sum(1, keepdims=True) @ v[:, at])
        attended = linear(np.hstack(seen), f"{base}.attention.output.dense")
        x = norm(x + attended, f"{base}.attention.output.LayerNorm")
        inner = linear(x, f"{base}.intermediate.dense")
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        x = norm(x + linear(inner, f"{base}.output.dense"), f"{base}.output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def letters(texts: Any) -> list[list[int]]:
    """A token for each letter."""
    return [[ord(letter) % WORDS for letter in text] for text in texts]


@pytest.mark.parametrize("batch", [1, 10_000])
def test_vectors_are_those_of_a_plain_encoder(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    """In batches with longer texts as alone, in the order of the texts."""
    monkeypatch.setattr(module, "_BATCH_TOKENS", batch)
    texts = ["a long sentence", "short", "b", "another one"]
    seen: list[float] = []
    found = SentenceModel(letters, weights(), n_heads=HEADS).embed(texts, listener=seen.append)
    wanted = np.array([plain(weights(), ids) for ids in letters(texts)])
    np.testing.assert_allclose(found, wanted, atol=2e-5)
    assert seen == sorted(seen)
    assert seen[-1] == 1


def test_the_first_token_can_stand_for_all() -> None:
    """Another pooling gives another vector; an empty text gives none that is not a number."""
    mean = SentenceModel(letters, weights(), n_heads=HEADS).embed(["text", ""])
    first = SentenceModel(letters, weights(), n_heads=HEADS, first_token=True).embed(["text"])
    assert not np.allclose(mean[0], first[0])
    assert np.isfinite(mean).all()
    assert np.linalg.norm(first[0]) == pytest.approx(1, abs=1e-5)


def test_weights_that_are_no_encoder_are_refused() -> None:
    """Names that are missing, and shapes that don't fit."""
    with pytest.raises(ReadError, match="names of a BERT encoder"):
        SentenceModel(letters, {"x": np.ones(1, np.float32)}, n_heads=1)
    broken = weights()
    del broken["encoder.layer.1.output.dense.bias"]
    with pytest.raises(ReadError, match="fit together"):
        SentenceModel(letters, broken, n_heads=HEADS).embed(["a"])


def folder(root: Path, **config: Any) -> Path:
    """A folder that looks like one with a model."""
    (root / "config.json").write_text(json.dumps(CONFIG | config))
    (root / "tokenizer.json").write_text("{}")
    (root / "model.safetensors").write_bytes(b"nothing")
    return root


def test_a_missing_tokenizer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra to install is told."""
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=r"comraf\[embeddings\]"):
        open_model(folder(tmp_path))


@pytest.mark.parametrize(
    ("config", "said"),
    [({"model_type": "t5"}, "model_type='t5'"), ({"hidden_act": "relu"}, "hidden_act='relu'")],
)
def test_other_models_are_refused(tmp_path: Path, config: dict[str, Any], said: str) -> None:
    """Another kind of model would give wrong vectors."""
    pytest.importorskip("tokenizers")
    with pytest.raises(InputError, match=said):
        open_model(folder(tmp_path, **config))


def test_damaged_folders_are_refused(tmp_path: Path) -> None:
    """Each with what is wrong."""
    with pytest.raises(ReadError, match="no file config"):
        open_model(tmp_path)
    pytest.importorskip("tokenizers")
    with pytest.raises(ReadError, match="don't go together"):
        open_model(folder(tmp_path, num_attention_heads=3))
    with pytest.raises(ReadError, match="can't be read"):
        open_model(folder(tmp_path))
    (tmp_path / "config.json").write_text("[" * 10_000)
    with pytest.raises(ReadError, match="can't be read"):
        open_model(tmp_path)


def test_a_folder_with_a_model_is_opened(tmp_path: Path) -> None:
    """A tokenizer of words, weights in a file: vectors are the plain encoder's."""
    tokenizers = pytest.importorskip("tokenizers")
    from safetensors.numpy import save_file

    words = {UNKNOWN: 0, "sea": 1, "ship": 2, "leaf": 3}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    folder(tmp_path, max_position_embeddings=20)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    save_file({f"bert.{n}": part for n, part in weights().items()}, tmp_path / "model.safetensors")
    found = open_model(tmp_path).embed(["sea ship", "leaf " * 100])
    np.testing.assert_allclose(found[0], plain(weights(), [1, 2]), atol=2e-5)
    np.testing.assert_allclose(found[1], plain(weights(), [3] * 20), atol=2e-5)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder with a whole model."""
    tokenizers = pytest.importorskip("tokenizers")
    from safetensors.numpy import save_file

    words = {UNKNOWN: 0, "sea": 1, "ship": 2}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    folder(tmp_path)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    save_file(weights(), tmp_path / "model.safetensors")
    return tmp_path


@pytest.mark.parametrize(
    "config",
    [
        {"max_position_embeddings": "abc"},
        {"max_position_embeddings": 0},
        {"max_position_embeddings": None},
        {"layer_norm_eps": "x"},
        {"layer_norm_eps": -1},
        {"layer_norm_eps": True},
    ],
)
def test_settings_that_are_no_numbers_are_refused(model: Path, config: dict[str, Any]) -> None:
    """By name."""
    (model / "config.json").write_text(json.dumps(CONFIG | config))
    with pytest.raises(ReadError, match=next(iter(config))):
        open_model(model)


@pytest.mark.parametrize(
    ("pooling", "known"),
    [
        ({"pooling_mode_mean_tokens": True, "word_embedding_dimension": 8}, True),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, True),
        ({"pooling_mode": "cls"}, True),
        ({"pooling_mode": "max"}, False),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}, False),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}, False),
        ({"pooling_mode_mean_tokens": False, "pooling_mode_lasttoken": True}, False),
        ({"pooling_mode_mean_tokens": False}, False),
    ],
)
def test_only_pooling_that_is_known_is_done(
    model: Path, pooling: dict[str, Any], known: bool
) -> None:
    """The mean or the first token, each alone; the folder is where the list of steps says."""
    (model / "pool").mkdir()
    (model / "pool" / "config.json").write_text(json.dumps(pooling))
    steps = [{"type": "a.models.Transformer", "path": ""}, {"type": "b.Pooling", "path": "pool"}]
    (model / "modules.json").write_text(json.dumps(steps))
    if not known:
        with pytest.raises(InputError, match="pools tokens by"):
            open_model(model)
        return
    found = open_model(model).embed(["sea ship"])[0]
    mean = np.abs(found - plain(weights(), [1, 2])).max() < 1e-4
    assert mean == (pooling.get("pooling_mode_mean_tokens") is True)


def test_steps_after_the_encoder_are_refused(model: Path) -> None:
    """Without a dense layer that belongs to the model its vectors would be others."""
    steps = [{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]
    (model / "modules.json").write_text(json.dumps(steps))
    with pytest.raises(InputError, match="a step 'Dense'"):
        open_model(model)
    (model / "modules.json").write_text('{"type": "x"}')
    with pytest.raises(ReadError, match="no list of steps"):
        open_model(model)


def test_weights_of_lower_precision_are_read(model: Path) -> None:
    """Half precision of both kinds; the positions there are settle how long a text may be."""
    from safetensors.numpy import save_file

    (model / "config.json").write_text(json.dumps(CONFIG | {"max_position_embeddings": 99}))
    wanted = plain(weights(), [1] * 20)
    half = {name: part.astype(np.float16) for name, part in weights().items()}
    save_file(half | {"embeddings.position_ids": np.arange(20)}, model / "model.safetensors")
    assert np.abs(open_model(model).embed(["sea " * 50])[0] - wanted).max() < 0.01
    header: dict[str, Any] = {}
    data = b""
    for name, part in weights().items():
        upper = (part.view(np.uint32) >> 16).astype("<u2").tobytes()
        at = [len(data), len(data) + len(upper)]
        header[name] = {"dtype": "BF16", "shape": part.shape, "data_offsets": at}
        data += upper
    start = json.dumps(header).encode()
    (model / "model.safetensors").write_bytes(len(start).to_bytes(8, "little") + start + data)
    assert np.abs(open_model(model).embed(["sea " * 50])[0] - wanted).max() < 0.05
