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


@pytest.mark.parametrize("kind", ["npy", "jsonl", "parquet"])
def test_files_of_every_kind_say_the_same(
    asked: list[Any], vectors: tuple[list[str], Any], kind: str, tmp_path: Path
) -> None:
    """A matrix in order, lines with names, a column of a table: the same groups."""
    names, matrix = vectors
    path = tmp_path / f"e.{kind}"
    answers = comraf(*asked, "--json", "--out", tmp_path / "plain").stdout
    kept = rows(tmp_path / "plain" / "clusters.csv")
    assert json.loads(answers)["documents"] == len(kept)
    if kind == "npy":
        at = dict(zip(names, matrix, strict=True))
        np.save(path, np.stack([at[row["item"]] for row in kept]))
    elif kind == "jsonl":
        path.write_text(
            "".join(
                json.dumps({"id": name, "embedding": row}) + "\n"
                for name, row in zip(names, matrix.tolist(), strict=True)
            )
        )
    else:
        import pandas as pd

        pd.DataFrame({"id": names, "embedding": matrix.tolist()}).to_parquet(path)
    more = ["--embeddings", path, "--neighbours", 5, "--by", "words,neighbours"]
    answer = comraf(*asked, *more, "--out", tmp_path / "out", "--quiet")
    assert answer.exit_code == 0, answer.output
    found = rows(tmp_path / "out" / "clusters.csv")
    assert len({(row["cluster"], int(row["item"][1:]) % 3) for row in found}) == 3


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
    np.savez(tmp_path / "strange.npz", ids=["x", "y"], embeddings=np.eye(2))
    np.savez(tmp_path / "nameless.npz", a=np.eye(2))
    (tmp_path / "bad.jsonl").write_text('{"id": "r0"}\n[1]\n')
    out = ["--out", tmp_path / "out"]
    for file, said in {
        "short.npy": "matched by name",
        "strange.npz": "names none of the",
        "nameless.npz": "embedding",
        "bad.jsonl": "row 2",
        "none.npy": "no such file",
    }.items():
        assert said in refused(*asked, "--embeddings", tmp_path / file, *out)
    assert "--embeddings FILE" in refused(*asked, "--neighbours", 3, *out)
    assert "nothing is downloaded" in refused(*asked, "--embedding-model", tmp_path / "no", *out)
    both = ["--embeddings", tmp_path / "short.npy", "--embedding-model", tmp_path]
    assert "one of them" in refused(*asked, *both, *out)
    assert not (tmp_path / "out").exists()
