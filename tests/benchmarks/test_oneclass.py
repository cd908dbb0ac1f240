"""``benchmarks.oneclass``: trials with a known core, measured, stored and shown."""

from __future__ import annotations

import io
import json
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from benchmarks import oneclass, oneclass_data
from benchmarks.oneclass_cost import cost_table, generated
from benchmarks.oneclass_data import Pile, Source, Trial, prepare, source_at, trials
from benchmarks.oneclass_methods import METHODS, measure
from benchmarks.store import ResultStore
from tests.benchmarks.conftest import GROUPS, message

FEW = ("ltb", "occc", "centroid", "random")


def planted(n: int = 90, core: int = 30) -> Source:
    """Two places; the first third of each shares words."""
    rng = np.random.default_rng(0)
    X = (rng.random((2 * n, 40)) < 0.1).astype(np.int32)
    truth = np.tile((np.arange(n) >= core).astype(np.int64) * (1 + np.arange(n) % 4), 2)
    X[truth == 0, :6] |= (rng.random(((truth == 0).sum(), 6)) < 0.8).astype(np.int32)
    place = np.repeat([3, 10], n)
    names = np.array([f"class{i}" for i in range(5)])
    words = np.array([f"word{j}" for j in range(40)])
    return Source(csr_matrix(X), words, np.full(40, 1e-4), truth, place, names)


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """The raw collections in miniature."""
    folder = tmp_path / "data"
    for name in ("newsgroups", "news-stream", "search-results"):
        (folder / name).mkdir(parents=True)
    with tarfile.open(folder / "newsgroups/20_newsgroups.tar.gz", "w:gz") as archive:
        for group in GROUPS:
            for number in range(8):
                text = b"Date: Mon, 19 Apr 1993 10:00:00 GMT\n" + message(group, number)
                _add(archive, f"newsgroups/{group}/{1000 + number}", text)
    items = [
        {"Id": f"{i:03d}", "clusterNo": i // 40 % 2, "textCleaned": f"story{i // 40} river dam"}
        for i in range(600)
    ]
    lines = "\n".join(json.dumps(item) for item in items).encode()
    with tarfile.open(folder / "news-stream/mstream_data.tar.gz", "w:gz") as archive:
        for name in ("data/News-T", "data/Tweets-T"):
            _add(archive, name, lines)
    results = ["ID\turl\ttitle\tsnippet"]
    results += [f"1.{i}\thttp://a\tAida opera {i}\tthe opera house" for i in range(1, 31)]
    # A record without a snippet.
    results += ["2.1\thttp://b\tCube"]
    relations = ["subTopicID\tresultID", *(f"1.1\t1.{i}" for i in range(1, 13)), "1.2\t1.1"]
    search = folder / "search-results"
    (search / "results.txt").write_text("\n".join(results), encoding="utf-8")
    (search / "STRel.txt").write_text("\n".join(relations), encoding="utf-8")
    return folder


def _add(archive: tarfile.TarFile, name: str, raw: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(raw)
    archive.addfile(member, io.BytesIO(raw))


def test_tables_are_made_once_and_read_without_raw_files(raw: Path, tmp_path: Path) -> None:
    """Words, frequencies, classes and places survive the cache; the data folder may go."""
    cache = tmp_path / "cache"
    for task in oneclass_data.TASKS:
        prepare(task, raw, cache)
    news = Source.load(prepare("news", None, cache))
    assert news.words.tolist()[:2] == ["story0", "river"]
    assert news.background[1] > 0
    assert news.background[0] == 0
    assert news.truth.tolist()[38:42] == [0, 0, 1, 1]
    groups = source_at(str(prepare("weeks", None, cache)))
    assert set(groups.names) == set(GROUPS)
    assert set(groups.place.tolist()) == {727_672}
    assert "pathword" not in groups.words.tolist()


def test_search_results_go_to_their_largest_subtopic(raw: Path, tmp_path: Path) -> None:
    """A result of two subtopics is in the larger; a query without a large one is no trial."""
    source = Source.load(prepare("ambient", raw, tmp_path / "cache"))
    found = trials("ambient", source, 1)
    assert [(trial.name, len(trial.rows)) for trial in found] == [("1", 30)]
    assert Pile.cut(source, found[0]).truth.tolist() == [True] * 12 + [False] * 18


def test_a_stream_is_cut_into_26_blocks(raw: Path, tmp_path: Path) -> None:
    """All documents are in one block each, in order; the core is the larger story."""
    source = Source.load(prepare("tweets", raw, tmp_path / "cache"))
    found = trials("tweets", source, 1)
    for trial in found:
        codes = source.truth[list(trial.rows)]
        assert (codes == trial.core).sum() == np.bincount(codes).max() < len(codes)
    rows = [row for trial in found for row in trial.rows]
    assert rows == sorted(set(rows))


def test_a_sample_has_200_of_600_and_stays_the_same() -> None:
    """The draw depends on the group and its number alone."""
    source = planted(600, 260)
    first, second = trials("newsgroups", source, 2)[:2]
    again = trials("newsgroups", source, 1)[0]
    assert first == again
    assert first.rows != second.rows
    assert len(set(first.rows)) == 600
    assert (source.truth[list(first.rows)] == first.core).sum() == 200


def test_weeks_are_cut_at_mondays() -> None:
    """Days 3 and 10 of the calendar are in two weeks; both have less than 100 documents."""
    assert trials("weeks", planted(), 1) == []
    found = trials("weeks", planted(150, 60), 1)
    assert [trial.name for trial in found] == ["0001-01-01", "0001-01-08"]


def test_blocks_of_dates_are_thinned_to_30_percent() -> None:
    """The core stays whole, the rest is drawn, the order is kept, and draws are the same."""
    source = planted(1300, 520)
    shuffled = np.random.default_rng(2).permutation(2600)
    mixed = replace(source, truth=source.truth[shuffled], place=np.sort(source.place))
    found = trials("dates", mixed, 1)
    assert found == trials("dates", mixed, 1)
    assert len(found) == 26
    for block, trial in enumerate(found):
        rows = np.array(trial.rows)
        assert set(rows // 100) == {block}
        assert (np.diff(rows) > 0).all()
        codes = mixed.truth[100 * block : 100 * block + 100]
        core = (mixed.truth[rows] == trial.core).sum()
        assert core == np.bincount(codes).max()
        assert core / len(rows) == pytest.approx(0.3, abs=0.01) or len(rows) == 100


def test_measures_are_right() -> None:
    """Accuracy, area and purity of an order whose worth is known."""
    classes = np.array([0, 0, 1, 1, 1, 2])
    pile = Pile(csr_matrix(np.eye(6)), np.array(list("abcdef")), np.ones(6), classes == 0, classes)
    found = measure("order", pile, 0)
    assert (found["accuracy"], found["auc"], found["purity"]) == (1.0, 1.0, 1.0)
    other = Pile(pile.counts, pile.words, pile.background, classes == 1, classes)
    found = measure("order", other, 0)
    assert found["accuracy"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["purity"] == pytest.approx(2 / 3, abs=1e-6)
    assert sorted(found["ranks"]) == [1, 2, 3, 4, 5, 6]


def test_every_method_finds_a_score_for_each_document() -> None:
    """All names lead to something that works, and ours find what is planted."""
    source = planted()
    pile = Pile.cut(source, Trial("a", tuple(range(90)), 0))
    for name in METHODS:
        found = measure(name, pile, 0)
        assert 0 <= found["accuracy"] <= found["purity"] <= 1
        assert len(found["ranks"]) == 60
    assert measure("ltb", pile, 0)["accuracy"] > 0.8
    assert measure("occc", pile, 0)["accuracy"] > 0.8


def test_the_command_measures_stores_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second run measures only what is missing; tables have all methods."""
    cache = tmp_path / "cache"
    planted().save(cache / "oneclass-ambient-1.npz")
    out = tmp_path / "results.jsonl"
    common = ["--tasks", "ambient", "--cache", str(cache), "--out", str(out)]
    assert oneclass.main([*common, "--methods", "ltb", "centroid"]) == 0
    first = capsys.readouterr()
    assert "| LTB | 2 |" in first.out
    assert "2 of 2: ambient" in first.err
    assert oneclass.main([*common, "--each", "--methods", *FEW]) == 0
    second = capsys.readouterr()
    assert "· 2 methods" in second.err
    assert "| Spearman | ltb | occc | centroid |" in second.out
    assert "| trial | ltb | occc | centroid | random |" in second.out
    records = ResultStore(out).records()
    assert len(records) == 8
    assert all(r["status"] == "ok" for r in records)
    assert oneclass.main([*common, "--table-only", "--methods", *FEW]) == 0
    assert second.out.startswith(capsys.readouterr().out.split("\n\n| Spearman")[0])


def test_cost_of_a_small_table() -> None:
    """The generated table has as many tokens as asked for, and its core can be found."""
    pile = generated(40_000)
    assert pile.counts.sum() == 40_000
    assert pile.truth.sum() == 40
    text = cost_table(40_000, ["ltb", "svm"])
    assert "40,000 tokens" in text
    assert "| LTB |" in text
    assert "SVM" not in text
