"""``comraf organize --embeddings``: neighbours as a side, from files of several kinds."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.talking import comraf, refused, rows

PRODUCTS = ("kettle", "shoes", "tent")


@pytest.fixture(scope="module")
def vectors(reviews: Path) -> tuple[list[str], Any]:
    """Names of the reviews, and a vector near that of its product for each."""
    with reviews.open() as lines:
        table = list(csv.DictReader(lines))
    rng = np.random.default_rng(0)
    at = [PRODUCTS.index(row["product"]) for row in table]
    return [row["key"] for row in table], np.eye(3)[at] + 0.2 * rng.normal(size=(len(at), 3))


@pytest.fixture(scope="module")
def asked(reviews: Path) -> list[Any]:
    """The command without its embeddings: reviews that are no copies of each other."""
    return ["organize", reviews, "-k", 3, "--id", "key", "--text", "review", "--effort", "quick"]


def test_neighbours_become_a_side(
    asked: list[Any], vectors: tuple[list[str], Any], tmp_path: Path
) -> None:
    """Vectors matched by name make groups, alone if wanted; the answer keeps what made it."""
    names, matrix = vectors
    order = np.random.default_rng(1).permutation(len(names))
    np.savez(tmp_path / "e.npz", ids=np.array(names)[order], embeddings=matrix[order])
    out = tmp_path / "out"
    more = ["--embeddings", tmp_path / "e.npz", "--by", "neighbours", "--out", out]
    answer = comraf(*asked, *more)
    assert answer.exit_code == 0, answer.output
    assert "by neighbours" in answer.stdout
    document = json.loads((out / "result.json").read_text())
    assert document["parameters"]["by"] == ["neighbours"]
    assert "neighbours" in document["folders"]
    groups: dict[str, set[int]] = {}
    for row in rows(out / "clusters.csv"):
        groups.setdefault(row["cluster"], set()).add(int(row["item"][1:]) % 3)
    assert sorted(map(sorted, groups.values())) == [[0], [1], [2]]
    # groups are told by their words, though these did not make them
    assert any("boil" in group["name"] or "spout" in group["name"] for group in document["groups"])
    told = comraf("explain", out, rows(out / "clusters.csv")[0]["item"])
    assert told.exit_code == 0, told.output
    assert "neighbours" in told.stdout


def test_a_report_for_sharing_names_no_document(
    asked: list[Any], vectors: tuple[list[str], Any], tmp_path: Path
) -> None:
    """Neighbours are documents: their names stay away where names must."""
    names, matrix = vectors
    np.savez(tmp_path / "e.npz", ids=names, embeddings=matrix)
    out = tmp_path / "out"
    answer = comraf(*asked, "--embeddings", tmp_path / "e.npz", "--no-text", "--out", out)
    assert answer.exit_code == 0, answer.output
    assert {path.name for path in out.iterdir()} == {
        *("report.html", "graph.svg", "clusters.csv", "result.json"),
    }
    page = (out / "report.html").read_text()
    assert not any(f">{name}<" in page for name in names)


def test_what_does_not_fit_is_refused(asked: list[Any], tmp_path: Path) -> None:
    """With the way out."""
    np.save(tmp_path / "short.npy", np.eye(4))
    out = ["--out", tmp_path / "out"]
    for file, said in {"short.npy": "matched by name", "none.npy": "no such file"}.items():
        assert said in refused(*asked, "--embeddings", tmp_path / file, *out)
    assert "--embeddings FILE" in refused(*asked, "--neighbours", 3, *out)
    assert "nothing is downloaded" in refused(*asked, "--embedding-model", tmp_path / "no", *out)
    unused = [*asked, "--embeddings", tmp_path / "short.npy", "--by", "words", *out]
    assert "--by words,neighbours" in refused(*unused)
    both = ["--embeddings", tmp_path / "short.npy", "--embedding-model", tmp_path]
    assert "one of them" in refused(*asked, *both, *out)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("copy", ["observed", "tied"])
def test_new_documents_find_their_neighbours(
    asked: list[Any], vectors: tuple[list[str], Any], copy: str, tmp_path: Path
) -> None:
    """Vectors kept with the answer place those of new documents; without these, words do."""
    names, matrix = vectors
    np.savez(tmp_path / "e.npz", ids=names, embeddings=matrix)
    out, new = tmp_path / "out", tmp_path / "new.csv"
    more = ["--embeddings", tmp_path / "e.npz", "--by", "words,neighbours", "--out", out]
    answer = comraf(*asked, *more, "--neighbours-copy", copy, "--neighbours", 8)
    assert answer.exit_code == 0, answer.output
    groups = {row["item"]: row["cluster"] for row in rows(out / "clusters.csv")}
    of = [next(groups[n] for n in names if n in groups and int(n[1:]) % 3 == p) for p in range(3)]
    # texts that say nothing of the product
    new.write_text("key,review\n" + "".join(f"n{i},It arrived on day {i}.\n" for i in range(9)))
    rng = np.random.default_rng(5)
    np.save(tmp_path / "new.npy", np.eye(3)[np.arange(9) % 3] + 0.1 * rng.normal(size=(9, 3)))
    placed = tmp_path / "placed.csv"
    told = comraf("assign", out, new, "--embeddings", tmp_path / "new.npy", "--out", placed)
    assert told.exit_code == 0, told.output
    assert [row["cluster"] for row in rows(placed)] == [of[i % 3] for i in range(9)]
    without = comraf("assign", out, new)
    assert without.exit_code == 0, without.output
    assert "placed by words alone" in " ".join(without.stderr.split())
    for command in ("explain", "inspect"):
        again = comraf(command, out, *([next(iter(groups))] if command == "explain" else []))
        assert again.exit_code == 0, again.output


def test_neighbours_alone_make_a_model(
    asked: list[Any], vectors: tuple[list[str], Any], tmp_path: Path
) -> None:
    """New documents need embeddings there; without any they are refused, with the way out."""
    names, matrix = vectors
    np.savez(tmp_path / "e.npz", ids=names, embeddings=matrix)
    out, new = tmp_path / "out", tmp_path / "new.csv"
    made = comraf(
        *asked, "--embeddings", tmp_path / "e.npz", "--by", "neighbours", "--out", out, "--quiet"
    )
    assert made.exit_code == 0, made.output
    new.write_text("key,review\nn0,It arrived.\nn1,It left.\n")
    assert "--embedding-model FOLDER" in refused("assign", out, new)
    assert "no such side" in refused("assign", out, new, "--side", "neighbours")
    np.save(tmp_path / "wide.npy", np.eye(2, 7))
    assert "7 dimensions" in refused("assign", out, new, "--embeddings", tmp_path / "wide.npy")
    np.save(tmp_path / "new.npy", np.eye(3)[:2])
    told = comraf("assign", out, new, "--embeddings", tmp_path / "new.npy")
    assert told.exit_code == 0, told.output
    plain = tmp_path / "plain"
    assert comraf(*asked, "--out", plain, "--quiet").exit_code == 0
    assert "did not help" in refused("assign", plain, new, "--embeddings", tmp_path / "new.npy")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_vectors_may_be_a_column_of_the_documents(
    reviews: Path, vectors: tuple[list[str], Any], kind: str, tmp_path: Path
) -> None:
    """Matched row by row, whatever the documents are called and however many are left out."""
    import pandas as pd

    _, matrix = vectors
    table = pd.read_csv(reviews)[["review"]]
    table["meaning"] = matrix.tolist()
    empty = pd.DataFrame({"review": [""] * 3, "meaning": [[1.0, 1.0, 1.0]] * 3})  # rows that go
    table.at[4, "meaning"] = None
    table = pd.concat([table.iloc[:5], empty, table.iloc[5:]])
    path = tmp_path / f"with.{kind}"
    if kind == "csv":
        table.to_csv(path, index=False)
    elif kind == "jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_parquet(path)
    out = tmp_path / "out"
    asked = ["organize", path, "-k", 3, "--text", "review", "--effort", "quick", "--out", out]
    answer = comraf(*asked, "--embeddings", "meaning", "--by", "neighbours")
    assert answer.exit_code == 0, answer.output
    stored = np.load(out / "neighbours" / "vectors.npy").astype(float)
    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    wanted = np.where(np.arange(len(matrix))[:, None] == 4, 0, matrix / length)
    assert np.abs(stored - wanted).max() < 1e-3
    assert "no such column" in refused(*asked[:-1], tmp_path / "no", "--embeddings", "meanin")
    assert "no list of numbers" in refused(*asked[:-1], tmp_path / "no", "--embeddings", "review")


def test_a_model_in_a_folder_makes_the_embeddings(
    asked: list[Any], reviews: Path, tmp_path: Path
) -> None:
    """A tiny encoder from end to end: organised by it, and new documents placed by it."""
    tokenizers = pytest.importorskip("tokenizers", reason="needs comraf[embeddings]")
    from safetensors.numpy import save_file

    from tests.collection.test_embedding import CONFIG, UNKNOWN, WORDS, weights

    with reviews.open() as lines:
        table = list(csv.DictReader(lines))
    seen = sorted({word for row in table for word in row["review"].split()})
    known = {UNKNOWN: 0} | {word: i for i, word in enumerate(seen, 1)}
    assert len(known) <= WORDS
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token=UNKNOWN))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    model = tmp_path / "model"
    model.mkdir()
    words.save(str(model / "tokenizer.json"))
    (model / "config.json").write_text(json.dumps(CONFIG | {"max_position_embeddings": 20}))
    parts = {name: np.float32(0.02) * part for name, part in weights().items()}
    for name in parts:  # almost nothing but the mean of the words, which lean to their product
        if name.endswith("LayerNorm.weight"):
            parts[name] = np.ones_like(parts[name])
    for row in table:
        for word in row["review"].split():
            place = PRODUCTS.index(row["product"])
            parts["embeddings.word_embeddings.weight"][known[word], place] = 1
    save_file(parts, model / "model.safetensors")
    out = tmp_path / "out"
    more = ["--embedding-model", model, "--by", "neighbours", "--neighbours", 20, "--out", out]
    answer = comraf(*asked, *more)
    assert answer.exit_code == 0, answer.output
    found = rows(out / "clusters.csv")
    groups = {row["item"]: row["cluster"] for row in found}
    assert len({(row["cluster"], int(row["item"][1:]) % 3) for row in found}) == 3
    new = tmp_path / "new.csv"
    new.write_text(
        "key,review\nn0,spout lid water boil\nn1,heel sole laces run\nn2,rain pole rain\n"
    )
    told = comraf("assign", out, new, "--embedding-model", model, "--out", tmp_path / "placed.csv")
    assert told.exit_code == 0, told.output
    placed = [row["cluster"] for row in rows(tmp_path / "placed.csv")]
    assert placed == [groups["r0"], groups["r1"], groups["r2"]]


def test_what_embeddings_lack_is_noted(
    asked: list[Any], reviews: Path, vectors: tuple[list[str], Any], tmp_path: Path
) -> None:
    """Documents without a vector, and more neighbours than there are; a column used is no loss."""
    names, matrix = vectors
    np.savez(tmp_path / "e.npz", id=names[7:], embedding=matrix[7:])
    more = ["--embeddings", tmp_path / "e.npz", "--neighbours", 500, "--out", tmp_path / "out"]
    answer = comraf(*asked, *more)
    assert answer.exit_code == 0, answer.output
    said = " ".join(answer.stdout.split())
    assert f"7 of {len(names)} documents have no embedding" in said
    assert f"each row has {len(names) - 1}, all the others" in said
    with reviews.open() as lines:
        table = list(csv.DictReader(lines))
    (tmp_path / "t.jsonl").write_text(
        "".join(
            json.dumps({"key": row["key"], "review": row["review"], "vec": v, "rest": v}) + "\n"
            for row, v in zip(table, matrix.tolist(), strict=True)
        )
    )
    own = ["organize", tmp_path / "t.jsonl", *asked[2:], "--embeddings", "vec"]
    answer = comraf(*own, "--out", tmp_path / "own")
    assert answer.exit_code == 0, answer.output
    assert "columns left out: 'rest'" in " ".join(answer.stdout.split())
