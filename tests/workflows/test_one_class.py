"""``outliers``, ``rerank``, ``topics`` and ``appearances`` from Python and from the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.collection.sample import write_mbox
from comraf.errors import InputError, ReadError
from comraf.workflows.appearances import appearances
from comraf.workflows.cores import METHODS, Cores, read_background
from comraf.workflows.outliers import FAR, distances, outliers
from comraf.workflows.rerank import read_ranked, rerank
from comraf.workflows.topics import TopicsOptions, topics
from tests.cli.talking import comraf
from tests.workflows.appearances.sailing import write_circle


@pytest.fixture(scope="module")
def mailbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Dated messages."""
    return Path(write_mbox(tmp_path_factory.mktemp("mail") / "sample.mbox", 120, 1))


@pytest.fixture(scope="module")
def hits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ranked list: every third result is about ships."""
    path = tmp_path_factory.mktemp("hits") / "hits.csv"
    lines = ["at,title,snippet,more"]
    for i in range(30):
        words = f"ship harbour mast{i % 2}" if i % 3 == 0 else f"thing{i} other{i % 7}"
        lines.append(f"{30 - i},Result {i},people {words} day{i % 5},rare{i}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def told(*arguments: object) -> dict[str, Any]:
    """What a command prints as JSON."""
    answer = comraf(*arguments, "--json")
    assert answer.exit_code == 0, answer.output
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def files(folder: Path) -> dict[str, bytes]:
    """All files of a folder but the page, which says when it was made."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "topics.html"}


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        ({}, []),
        ({"n_outliers": "auto", "method": "lof"}, ["-n", "auto", "--method", "lof"]),
        (
            {"n_outliers": 9, "method": "occc", "by": ("words", "people"), "random_state": 3},
            ["-n", 9, "--method", "occc", "--by", "words,people", "--seed", 3],
        ),
    ],
)
def test_outliers(
    mailbox: Path, tmp_path: Path, given: dict[str, Any], typed: list[object]
) -> None:
    """The same documents with the same scores and reasons, printed and in the file."""
    found = outliers(mailbox, background="flat", **given)
    out = tmp_path / "strays.csv"
    typed = ["outliers", mailbox, "--background", "flat", *typed]
    assert told(*typed, "--out", out) == found.to_dict()
    assert out.read_text(encoding="utf-8") == found.to_csv()
    assert len(found.records) == given.get("n_outliers", 6) or given["n_outliers"] == "auto"


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        ({}, []),
        ({"rank": "at", "text": ("snippet", "more")}, ["--rank", "at", "--text", "snippet,more"]),
        (
            {"method": "occc", "effort": "paper", "random_state": 7},
            ["--method", "occc", "--effort", "paper", "--seed", 7],
        ),
        ({"pi": 0.2}, ["--pi", "0.2"]),
    ],
)
def test_rerank(hits: Path, tmp_path: Path, given: dict[str, Any], typed: list[object]) -> None:
    """The same order, scores and words, printed and in files of three kinds."""
    found = rerank(hits, n_core=10, background="flat", **given)
    typed = ["rerank", hits, "-n", 10, "--background", "flat", *typed]
    for ending, text in {
        "csv": found.to_csv(),
        "tsv": found.to_csv("\t"),
        "jsonl": found.to_jsonl(),
    }.items():
        out = tmp_path / f"new.{ending}"
        assert told(*typed, "--out", out) == found.to_dict()
        assert out.read_text(encoding="utf-8") == text
    assert sum(found.core) == found.n_core == 10


def test_sizes_of_a_list(hits: Path) -> None:
    """Without a number sizes are tried and nothing is in order; auto takes the best of them."""
    tried = rerank(hits, background="flat", method="maxkl")
    assert (tried.n_core, tried.order, tried.core) == (None, [], [])
    assert tried.suggestion is not None
    answer = comraf("rerank", hits, "--background", "flat", "--method", "maxkl", "--json")
    assert (answer.exit_code, json.loads(answer.stdout)) == (2, tried.to_dict())
    taken = rerank(hits, n_core="auto", background="flat", method="maxkl")
    assert taken.n_core == tried.suggestion.best == sum(taken.core)


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        ({"by": "month"}, ["--by", "month"]),
        (
            {"by": 40, "n_core": 12, "method": "occc", "min_documents": 2, "random_state": 2},
            ["--by", 40, "-n", 12, "--method", "occc", "--min-documents", 2, "--seed", 2],
        ),
        (
            {"by": "month", "share": 0.2, "min_block_size": 5},
            ["--by", "month", "--share", 0.2, "--least", 5],
        ),
    ],
)
def test_topics(mailbox: Path, tmp_path: Path, given: dict[str, Any], typed: list[object]) -> None:
    """The same topics, printed and in the files of a folder."""
    there, here = tmp_path / "there", tmp_path / "here"
    said = told("topics", mailbox, "--background", "flat", "--out", there, *typed)
    with topics(mailbox, background="flat", **given) as found:
        assert said == {"out": str(there), **found.to_dict()}
        found.save(here)
    assert files(here) == files(there)
    assert (here / "topics.html").is_file()


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        ({}, []),
        ({"n_core": 40, "method": "links"}, ["-n", 40, "--method", "links"]),
        (
            {"share": 0.25, "method": "links+occc", "published": True, "random_state": 5},
            ["--share", "1/4", "--method", "links+occc", "--published", "--seed", 5],
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:links and words disagree")
def test_appearances(tmp_path: Path, given: dict[str, Any], typed: list[object]) -> None:
    """The same files."""
    (tmp_path / "web").mkdir()
    web, here = write_circle(tmp_path / "web"), tmp_path / "here"
    there = tmp_path / "there"
    answer = comraf("appearances", web, "--background", "flat", "--out", there, *typed)
    assert answer.exit_code == 0, answer.output
    found = appearances(web, background="flat", **given)
    found.save(here)
    assert files(here) == files(there)
    assert found.found.method == given.get("method", "links+ltb")


def test_every_method_has_its_estimator() -> None:
    """Each of the names makes an estimator with the size and the seed that were given."""
    for method in METHODS:
        model = Cores(method=method, random_state=3).estimator("flat", 5)
        assert (model.n_core, model.random_state) == (5, 3)


def test_sizes_and_units_as_python_says_them() -> None:
    """Numbers may be of any whole kind; what is none is refused."""
    np = pytest.importorskip("numpy")
    assert TopicsOptions(n_core=np.int64(7)).size == 7
    assert TopicsOptions(by=30).blocks == TopicsOptions(by="30 documents").blocks == 30
    assert TopicsOptions(share=0.5).size == 0.5
    for wrong in (7.5, "few", 0):
        with pytest.raises(InputError, match=f"n_core={wrong!r}"):
            TopicsOptions(n_core=wrong).check(".")  # type: ignore[arg-type]


def test_distances() -> None:
    """A stranger can't widen the measure; scores that are mostly or all the same are no fault."""
    assert distances([0.0, 1.0, 2.0, -1000.0])[3] > 100
    assert distances([1.0, 1.0, 1.0, 1.0, 0.0])[4] > FAR
    assert distances([2.0, 2.0, 2.0]).tolist() == [0.0, 0.0, 0.0]


def test_second_copies_stay(tmp_path: Path) -> None:
    """A list with the same result twice comes out as long as it was."""
    path = tmp_path / "twice.csv"
    line = "Ship,old ship in the harbour\n"
    path.write_text("title,snippet\n" + line * 3 + "Tea,hot tea in a cup\n", encoding="utf-8")
    assert read_ranked(path).counts.shape[0] == 4
    assert read_ranked(path).titles == ["Ship"] * 3 + ["Tea"]


def test_backgrounds(hits: Path, tmp_path: Path) -> None:
    """A collection, an answer and words of a language are backgrounds; other things are not."""
    answer = tmp_path / "answer"
    answer.mkdir()
    build_collection(open_reader(hits), out=answer / "collection")
    (answer / "result.json").write_text("{}")
    for place in (answer, answer / "collection"):
        known, unknown = read_background(str(place)).frequencies(["harbour", "nowhere"])
        assert known > unknown == 0
    with pytest.raises(ReadError, match="did not write"):
        read_background(str(tmp_path))
    (tmp_path / "a.pdf").touch()
    with pytest.raises(InputError, match="ends in"):
        read_background(str(tmp_path / "a.pdf"))
    pytest.importorskip("wordfreq")
    assert read_background("wordfreq").frequencies(["sea"])[0] > 0
    with pytest.raises(InputError, match=r"'xx'.*background="):
        read_background("wordfreq:xx")
