"""Basu's benchmarks: tables, what is drawn, what is stored, what is printed."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import ttest_rel

from benchmarks import consistent_sets, constrained_speed, constraints, seeds
from benchmarks.constraint_curves import ACTIVE, METHODS, Task, missing, perform
from benchmarks.constraint_data import (
    NEWS,
    body_text,
    draw_pairs,
    halves,
    load,
    neighbours,
    prepare,
    tfidf,
)
from benchmarks.constraint_plots import paired_p
from benchmarks.harness import apart

GROUPS = sorted({group for groups in NEWS.values() for group in groups})


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Newsgroups, characters and abstracts in miniature."""
    folder = tmp_path_factory.mktemp("raw")
    for name in ("newsgroups", "uci", "classic"):
        (folder / name).mkdir()
    with tarfile.open(folder / "newsgroups/20_newsgroups.tar.gz", "w:gz") as archive:
        for group in GROUPS:
            word = "".join(c for c in group if c.isalpha())
            for number in range(8):
                text = (
                    f"Subject: {word}subject\nFrom: fromword\n\ncommon {word} {word}two "
                    f"{word}{'abcdefgh'[number]}\n--\nsignatureword\n"
                ).encode()
                member = tarfile.TarInfo(f"n/{group}/{number}")
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text))
    rng = np.random.default_rng(0)
    lines = ['"",' + ",".join(f'"c{i}"' for i in range(16)) + ',"class"']
    lines += [
        f'"{i}",' + ",".join(map(str, rng.integers(100, size=16))) + f",{i % 10}"
        for i in range(200)
    ]
    (folder / "uci/pendigits.csv").write_text("\n".join(lines) + "\n")
    for file in ("cran.all.1400.gz", "MED.ALL.gz", "CISI.ALL.gz"):
        word = file[:3].lower()
        text = "".join(f".I {i}\n.T\n{word} title\n.W\n{word}body shared\n" for i in range(9))
        (folder / "classic" / file).write_bytes(gzip.compress(text.encode()))
    return folder


def arguments(folder: Path, *more: str) -> list[str]:
    """Options of a run on Iris that takes a second."""
    return [
        *("--cache", str(folder / "cache"), "--out", str(folder / "r.jsonl")),
        *("--datasets", "iris", "--draws", "2", "--folds", "2", *more),
    ]


def test_body_text_has_no_header_and_no_signature() -> None:
    """A subject names the group, and a signature the sender."""
    raw = b"Subject: one\r\n\r\nbody -- with dashes\r\n--\r\nsender\r\n"
    assert body_text(raw) == "body -- with dashes"


def test_tfidf_is_the_formula_of_the_thesis() -> None:
    """Weights against the formula written out, on random counts."""
    rng = np.random.default_rng(1)
    counts = rng.poisson(0.4, size=(40, 30))
    counts[:, 0] = 1
    counts[:, 1] = 0
    counts[:4, 1] = 2
    rows, kept = tfidf(counts)
    df = (counts > 0).sum(axis=0)
    columns = [j for j in range(30) if df[j] >= 5 and df[j] <= 0.95 * 40]
    expected = counts[:, columns] * np.log2(40 / df[columns])
    expected = expected[np.abs(expected).sum(axis=1) > 0]
    expected = expected / np.linalg.norm(expected, axis=1, keepdims=True)
    assert 0 not in columns
    assert 1 not in columns
    assert len(kept) == len(expected)
    np.testing.assert_allclose(rows.toarray(), expected, atol=1e-12)


def test_news_tables_have_their_groups_and_only_bodies(raw: Path, tmp_path: Path) -> None:
    """Three groups with words of their own; words of headers and signatures are nowhere."""
    table = load("3news-related-100", raw, tmp_path)
    assert sp.issparse(table.rows)
    assert np.bincount(table.truth).tolist() == [8, 8, 8]
    # two words in all 8 messages of a group; "common" is in all, the others are in one
    assert table.rows.shape[1] == 6
    np.testing.assert_allclose(np.sqrt(table.rows.multiply(table.rows).sum(axis=1)), 1)


def test_halves_part_the_items() -> None:
    """Every item is scored once, and never told about in the same fold."""
    parts = halves(31, 3, seed=4)
    assert sorted(np.concatenate([scored for _, scored in parts]).tolist()) == list(range(31))
    for told, scored in parts:
        assert sorted([*told, *scored]) == list(range(31))
    assert not np.array_equal(halves(31, 3, seed=5)[0][1], parts[0][1])


@pytest.mark.parametrize("n", [40, 900])
def test_more_pairs_begin_with_the_fewer(n: int) -> None:
    """Small and large sets of rows are drawn from in different ways; both keep the promise."""
    rows = np.arange(n) * 2
    few, many = draw_pairs(rows, 30, [3, 1]), draw_pairs(rows, 500, [3, 1])
    assert np.array_equal(few, many[:30])
    assert len({frozenset(pair) for pair in many.tolist()}) == 500
    assert (many[:, 0] != many[:, 1]).all()
    assert np.isin(many, rows).all()


def test_links_come_from_the_part_that_is_not_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No link of any method touches an item that is scored."""
    from comraf.kmeans.hmrf import HMRFKMeans

    seen = []
    fit = HMRFKMeans.fit

    def spy(self: HMRFKMeans, X: object, **given: np.ndarray) -> HMRFKMeans:
        seen.append(np.concatenate([given["must_link"], given["cannot_link"]]))
        return fit(self, X, **given)

    monkeypatch.setattr(HMRFKMeans, "fit", spy)
    path = str(prepare("iris", None, tmp_path))
    key = {"dataset": "iris", "metric": "euclidean", "method": "x"}
    for method in (METHODS["hmrf"], ACTIVE["explore"]):
        seen.clear()
        records = perform(Task(path, key, method, (15,), (3,), 2))
        assert records[0]["status"] == "ok", records
        assert len(seen) == 2
        for links, (told, _) in zip(seen, halves(150, 2, 3), strict=True):
            assert len(links) >= 15
            assert np.isin(links, told).all()


def test_a_run_is_stored_and_not_measured_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second run adds only the links that are new."""
    chosen = ("--methods", "kmeans", "hmrf", "cop", "--links", "30")
    assert constraints.main(arguments(tmp_path, *chosen)) == 0
    first = capsys.readouterr().out
    assert "Iris, euclidean, NMI (figure 4.4" in first
    lines = (tmp_path / "r.jsonl").read_text().splitlines()
    assert constraints.main(arguments(tmp_path, *chosen)) == 0
    assert capsys.readouterr().out == first
    assert (tmp_path / "r.jsonl").read_text().splitlines() == lines
    assert constraints.main(arguments(tmp_path, *chosen, "60")) == 0
    again = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert sorted((r["method"], r["links"]) for r in again[len(lines) :]) == [
        ("cop", 60),
        ("hmrf", 60),
    ]
    assert all(len(r["nmi"]) == 4 and r["status"] == "ok" for r in again)
    assert (tmp_path / "r" / "curves.md").read_text().startswith("Means of 2 runs of 2 folds")
    ET.fromstring((tmp_path / "r" / "iris-euclidean-nmi.svg").read_text())  # noqa: S314 - ours


def test_a_point_that_fails_leaves_the_others(tmp_path: Path) -> None:
    """More links than there are pairs fail alone, and --retry asks again."""
    path = str(prepare("iris", None, tmp_path))
    key = {"dataset": "iris", "metric": "euclidean", "method": "hmrf"}
    task = Task(path, key, METHODS["hmrf"], (10, 10**6), (0,), 2)
    records = perform(task)
    assert [r["status"] for r in records] == ["ok", "failed"]
    assert "links of 75 rows" in records[1]["error"]
    assert missing([task], records) == []
    assert [t.points for t in missing([task], records, retry=True)] == [(10**6,)]


def test_active_curves_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Learners are measured on the same folds, beside random pairs."""
    chosen = ("--active", "--methods", "random", "explore", "--links", "10", "30")
    assert constraints.main(arguments(tmp_path, *chosen)) == 0
    text = capsys.readouterr().out
    assert "| questions | 10 | 30 |" in text
    assert "Explore and Consolidate − random pairs" in text
    assert (tmp_path / "r" / "active-iris-euclidean-f.svg").is_file()


def test_seeds_are_drawn_as_asked() -> None:
    """Shares grow from the smaller ones; noise and classes without seeds are exact."""
    truth = np.repeat(np.arange(4), 50)
    rows = np.arange(0, 200, 2)
    base = {"share": 0.5, "noise": 0.0, "unseeded": 0}
    half = seeds.draw_seeds(truth, rows, base, [1, 0])
    most = seeds.draw_seeds(truth, rows, {**base, "share": 0.9}, [1, 0])
    told = np.flatnonzero(half >= 0)
    assert len(told) == 50
    assert np.isin(told, rows).all()
    assert (half[told] == truth[told]).all()
    assert (most[told] == truth[told]).all()
    noisy = seeds.draw_seeds(truth, rows, {**base, "noise": 0.4}, [1, 0])
    assert np.array_equal(np.flatnonzero(noisy >= 0), told)
    assert (noisy[told] != truth[told]).sum() == 20
    some = seeds.draw_seeds(truth, rows, {**base, "unseeded": 3}, [1, 0])
    assert len(np.unique(truth[some >= 0])) == 1
    everything = seeds.draw_seeds(truth, rows, {**base, "share": 1.0}, [1, 0])
    assert np.array_equal(np.flatnonzero(everything >= 0), rows)


def test_seeds_run_and_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All experiments on Iris; the same command measures nothing again."""
    more = ("--shares", "0", "0.5", "1", "--noise", "0", "0.3")
    assert seeds.main(arguments(tmp_path, *more)) == 0
    text = capsys.readouterr().out
    for title in ("Iris, shares, NMI (figure 3.9", "Iris, noise, NMI", "Iris, incomplete, NMI"):
        assert title in text
    assert "failed" not in (tmp_path / "r.jsonl").read_text()
    before = (tmp_path / "r.jsonl").read_bytes()
    assert seeds.main(arguments(tmp_path, *more)) == 0
    assert (tmp_path / "r.jsonl").read_bytes() == before
    assert (tmp_path / "r" / "seeds.md").is_file()


def test_paired_p_is_scipys() -> None:
    """The test is SciPy's wherever that is defined."""
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(2, 12))
    assert paired_p(one, two) == pytest.approx(ttest_rel(one, two).pvalue)
    assert paired_p(one + 1, one) == 0.0
    assert paired_p(one, two[:5]) is None


def test_neighbours_are_the_nearest_by_cosine() -> None:
    """Blocks of rows give what the whole table gives."""
    rng = np.random.default_rng(2)
    rows = rng.random((30, 5))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    near = rows @ rows.T
    np.fill_diagonal(near, -1)
    wanted = np.zeros((30, 30), dtype=bool)
    for i in range(30):
        wanted[i, np.argsort(-near[i])[:3]] = True
    graph = neighbours(sp.csr_array(rows), 3, block=7)
    assert np.array_equal(graph.toarray() > 0, wanted | wanted.T)


def test_speed_in_a_process_of_its_own() -> None:
    """Seconds, memory and quality come back; a limit ends what takes too long."""
    found = apart(constrained_speed.measure, "hmrf", "comraf", "", 200, 1, limit=60)
    assert found["status"] == "ok", found
    assert found["seconds"] > 0
    assert found["peak_mb"] > 20
    assert found["nmi"] > 0.5
    late = apart(constrained_speed.measure, "hmrf", "comraf", "", 200, 1, limit=0.01)
    assert late == {"status": "failed", "error": "not done after 0.01 seconds"}


def test_inference_is_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ICM, belief propagation and linear programming on Iris, once."""
    command = ["--cache", str(tmp_path), "--out", str(tmp_path / "s.jsonl"), "--draws", "1"]
    assert constrained_speed.main([*command, "--parts", "inference", "--datasets", "iris"]) == 0
    text = capsys.readouterr().out
    assert text.count("| iris |") == 9
    assert text.count("| 1× |") >= 3


@pytest.mark.parametrize("name", consistent_sets.MAKERS)
def test_consistent_sets_hold(name: str) -> None:
    """Links that must hold do, whoever clusters, and the command says so."""
    broken, links = consistent_sets.broken_sets(name, 8)
    assert broken == 0
    assert links > 20
