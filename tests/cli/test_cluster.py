"""``comraf cluster``, in this process."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import comraf
from comraf.collection.tables import read_table
from tests.cli.talking import comraf as run
from tests.cli.talking import refused

# Two kinds of rows that share no column: there is one right answer.
TABLE = np.array([[4, 3, 0, 0]] * 6 + [[0, 0, 5, 2]] * 4)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table with names, as triplets."""
    path = tmp_path / "table.csv"
    rows = [f"d{i},w{j},{TABLE[i, j]}" for i, j in np.argwhere(TABLE)]
    path.write_text("document,word,count\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    """A table whose answer depends on the seed."""
    path = tmp_path / "noisy.npz"
    sp.save_npz(path, sp.csr_array(np.random.default_rng(0).poisson(0.5, (60, 40))))
    return path


def read_csv(path: Path) -> list[list[str]]:
    """Rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


METHODS: list[tuple[str, list[object], Any, dict[str, Any]]] = [
    ("mdc", [], comraf.MDC, {}),
    (
        "mdc",
        ["--columns-k", 3, "--weighting", "log", "--moves", "annealed", "--effort", "quick"],
        comraf.MDC,
        {"column_clusters": 3, "weighting": "log", "moves": "annealed", "effort": "quick"},
    ),
    (
        "mdc",
        ["--schedule", "reverse", "--passes", 0.5, "--runs", 3, "--balance", "--jobs", 2],
        comraf.MDC,
        {"schedule": "reverse", "passes": 0.5, "n_runs": 3, "balance": True},
    ),
    (
        "mdc",
        ["--schedule", "bottom_up", "--merge-cost", "js", "--restarts", 2, "--effort", "paper"],
        comraf.MDC,
        {"schedule": "bottom_up", "merge_cost": "js", "n_restarts": 2, "effort": "paper"},
    ),
    ("cliquewise", [], comraf.CliquewiseMDC, {}),
    (
        "cliquewise",
        ["--columns-k", 6, "--restarts", 2, "--moves", "shuffled", "--passes", 0.5],
        comraf.CliquewiseMDC,
        {"column_clusters": 6, "n_restarts": 2, "moves": "shuffled", "passes": 0.5},
    ),
    ("itcc", [], comraf.ITCC, {}),
    (
        "itcc",
        ["--columns-k", 6, "--updates", "sequential", "--restarts", 3, "--jobs", 2],
        comraf.ITCC,
        {"column_clusters": 6, "updates": "sequential", "n_restarts": 3},
    ),
    ("sequential", [], comraf.SequentialIB, {}),
    ("sequential", ["--restarts", 2], comraf.SequentialIB, {"n_restarts": 2}),
    ("agglomerative", [], comraf.AgglomerativeIB, {}),
    ("agglomerative", ["--coarse", 20], comraf.AgglomerativeIB, {"coarse": 20}),
    ("ib", [], comraf.InformationBottleneck, {}),
    (
        "ib",
        ["--direction", "top-down", "--effort", "paper", "--passes", 0.25, "--restarts", 2],
        comraf.InformationBottleneck,
        {"direction": "top-down", "effort": "paper", "passes": 0.25, "n_restarts": 2},
    ),
]


@pytest.mark.parametrize(("method", "options", "model", "parameters"), METHODS)
def test_methods_are_those_of_python(
    method: str, options: list[object], model: Any, parameters: dict[str, Any], noisy: Path
) -> None:
    """--method gives what the class of the same name gives, and says which it was."""
    answer = run("cluster", noisy, "-k", 5, "--method", method, "--seed", 3, "--json", *options)
    assert answer.exit_code == 0, answer.stderr
    document = json.loads(answer.stdout)
    twin = model(5, random_state=3, **parameters).fit(read_table(noisy).matrix)
    assert document["sides"]["rows"]["labels"] == twin.labels_.tolist()
    assert document["objective"] == pytest.approx(twin.objective_)
    assert document["method"] == model.__name__
    assert document["parameters"]["method"] == method
    assert document["seed"] == 3
    assert ("columns" in document["sides"]) == (method in ("mdc", "cliquewise", "itcc"))


@pytest.mark.parametrize(
    ("method", "options", "part"),
    [
        (
            "mdc",
            ["--updates", "batch"],
            "--updates has no meaning for --method mdc; it is for itcc",
        ),
        ("mdc", ["--coarse", 9], "--coarse has no meaning for --method mdc"),
        ("itcc", ["--moves", "sequential"], "it is for mdc, cliquewise, ib"),
        ("sequential", ["--columns-k", 2], "--columns-k has no meaning for --method sequential"),
        ("agglomerative", ["--restarts", 2], "--restarts has no meaning for --method agglom"),
        ("ib", ["--schedule", "thesis"], "--schedule has no meaning for --method ib"),
        ("itcc", ["--checkpoint", "folder"], "--checkpoint has no meaning for --method itcc"),
        ("agglomerative", ["--coarse", 1], "--coarse"),
        ("agglomerative", ["--coarse", 3], "--coarse 3"),
        ("magic", [], "agglomerative"),
    ],
)
def test_options_a_method_does_not_look_at(
    method: str, options: list[object], part: str, table: Path
) -> None:
    """Refused in one sentence that says which methods they are for."""
    assert part in refused("cluster", table, "-k", 4, "--method", method, *options)


def test_json_is_all_there_is(table: Path, tmp_path: Path) -> None:
    """With --json nothing else is on standard output, and --out holds the same."""
    answer = run("cluster", table, "-k", 2, "--json", "--out", tmp_path / "out")
    assert answer.stdout == (tmp_path / "out" / "result.json").read_text()
    assert answer.stderr == ""


def test_quiet(table: Path, tmp_path: Path) -> None:
    """--quiet prints nothing."""
    answer = run("cluster", table, "-k", 2, "--quiet", "--out", tmp_path / "out")
    assert (answer.exit_code, answer.stdout, answer.stderr) == (0, "", "")
    assert (tmp_path / "out" / "rows.csv").exists()


def test_names_from_files(noisy: Path, tmp_path: Path) -> None:
    """Names for a table that has none."""
    (tmp_path / "rows.txt").write_text("\n".join(f"first{i}" for i in range(60)))
    (tmp_path / "words.txt").write_text("\n".join(f"word{i}" for i in range(40)))
    names = ["--row-names", tmp_path / "rows.txt", "--column-names", tmp_path / "words.txt"]
    answer = run("cluster", noisy, "-k", 2, "--out", tmp_path / "out", *names)
    assert "word" in answer.stdout
    assert read_csv(tmp_path / "out" / "rows.csv")[1][0] == "first0"


def test_format(table: Path) -> None:
    """--format reads a file whose name tells nothing."""
    bare = table.rename(table.with_suffix(".data"))
    assert run("cluster", bare, "-k", 2).exit_code == 2
    assert run("cluster", bare, "-k", 2, "--format", "csv").exit_code == 0


def test_hostile_names(tmp_path: Path) -> None:
    """Names can neither run as formulas, nor command the terminal, nor be taken for markup."""
    path = tmp_path / "table.csv"
    path.write_text("=1+1,\x1b[2J[bold]x,5\nb,\u202ey,5\n", encoding="utf-8")
    answer = run("cluster", path, "-k", 2, "--out", tmp_path / "out")
    assert answer.exit_code == 0
    assert "\x1b" not in answer.stdout
    assert "\u202e" not in answer.stdout
    assert "[bold]x" in answer.stdout
    assert read_csv(tmp_path / "out" / "rows.csv")[1][0] == "'=1+1"


def test_many_clusters_are_cut(tmp_path: Path) -> None:
    """A long list of clusters is shown in part."""
    path = tmp_path / "table.npy"
    np.save(path, np.eye(50, dtype=int))
    answer = run("cluster", path, "-k", 50)
    assert "and 10 smaller ones" in answer.stdout


SPEC = """
format: comraf-graph
version: 1
nodes:
  - {name: messages, clusters: 2}
  - {name: to/cc, direction: top-down}
  - {name: words, observed: singletons}
edges:
  - {between: [messages, words], table: table.csv}
  - {between: [messages, to/cc], table: people.csv, weight: 0.5}
"""


@pytest.fixture
def spec(table: Path, tmp_path: Path) -> Path:
    """A model spec with two tables."""
    people = [f"d{i},{'anna' if i < 6 else 'ben'}" for i in range(10)]
    (tmp_path / "people.csv").write_text("\n".join([*people, "d0,carl"]))
    path = tmp_path / "model.yaml"
    path.write_text(SPEC)
    return path


def test_a_spec_without_weights_is_what_python_does(tmp_path: Path) -> None:
    """A file that says no weighting and no weights gives the labels of MDC on its tables."""
    rng = np.random.default_rng(5)
    topic = np.arange(60) % 3
    tables = {}
    for name, rate in (("words", 1.2), ("people", 0.4)):
        likely = topic[:, None] == np.arange(24)[None, :] % 3
        tables[name] = rng.poisson(
            np.where(likely, rate, 0.4 * rate) * rng.uniform(0.3, 4, (60, 1))
        )
        np.save(tmp_path / f"{name}.npy", tables[name])
    (tmp_path / "model.yaml").write_text(
        "format: comraf-graph\nversion: 1\nnodes:\n"
        "  - {name: rows, clusters: 3}\n  - {name: words, direction: top-down}\n"
        "  - {name: people, direction: top-down}\nedges:\n"
        "  - {between: [rows, words], table: words.npy}\n"
        "  - {between: [rows, people], table: people.npy}\n"
    )
    document = json.loads(run("cluster", tmp_path / "model.yaml", "--json").stdout)
    model = comraf.MDC(3, random_state=0).fit(tables)
    assert document["sides"]["rows"]["labels"] == model.labels_.tolist()
    assert document["objective"] == pytest.approx(model.objective_)


def test_model_spec_by_another_method(spec: Path) -> None:
    """A graph of one's own goes through any method that can solve it, and no other."""
    answer = run("cluster", spec, "--method", "cliquewise", "--json")
    assert answer.exit_code == 0, answer.stderr
    document = json.loads(answer.stdout)
    labels = document["sides"]["messages"]["labels"]
    assert set(labels[1:6]).isdisjoint(labels[6:])  # the first has a person of its own
    assert document["method"] == "CliquewiseMDC"
    for method, part in (
        ("ib", "a single side"),
        ("agglomerative", "a single hidden node"),
        ("sequential", "no number of clusters"),
    ):
        assert part in refused("cluster", spec, "--method", method)
    said = refused("cluster", spec, "--method", "ib", "--direction", "top-down")
    assert "--direction can't be given with a model spec" in said


def test_model_spec_says_it_itself(spec: Path) -> None:
    """Options that a spec decides are refused."""
    said = refused("cluster", spec, "-k", 2, "--weighting", "log")
    assert "-k and --weighting can't be given with a model spec" in said
    said = refused("cluster", spec, "--schedule", "reverse")
    assert "--schedule reverse can't be given with a model spec" in said


def test_weights_and_numbers_of_a_spec_can_be_given(spec: Path, table: Path) -> None:
    """They go before what the spec says; a side that is not in it, and a table, are refused."""
    given = ("cluster", spec, "--weight", "to/cc=0.25", "--side-clusters", "to/cc=2,messages=3")
    document = json.loads(run(*given, "--json").stdout)
    assert [edge["weight"] for edge in document["edges"]][1] == 0.25
    assert [len(document["sides"][s]["clusters"]) for s in ("messages", "to/cc")] == [3, 2]
    assert "choose one of words, to/cc" in refused("cluster", spec, "--weight", "people=2")
    assert "--side-clusters" in refused("cluster", spec, "--side-clusters", "people=2")
    said = refused("cluster", table, "-k", 2, "--weight", "columns=2")
    assert "--weight is for model specs; a table has rows and columns: -k, --columns-k" in said


def test_missing_table_of_a_spec(spec: Path, tmp_path: Path) -> None:
    """A spec whose table is missing names the table."""
    (tmp_path / "people.csv").unlink()
    assert "people.csv: there is no such file" in refused("cluster", spec)


BAD_FILES = {
    "negative.csv": "a,x,1\nb,y,-3\n",
    "junk.npz": "junk",
    "broken.yaml": "nodes: [",
    "wrong.yaml": SPEC.replace("comraf-graph", "other"),
}
GOOD = "table.csv -k 2 --out refused"


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ("nowhere.csv -k 2", "there is no such file"),
        (". -k 2", "is a folder"),
        ("junk.npz -k 2 --out refused", "is not a whole .npz file"),
        ("negative.csv -k 2 --out refused", "line 2"),
        ("table.csv --out refused", "-k 20"),
        (f"{GOOD} -k 0", "-k"),
        (f"{GOOD} -k many", "-k"),
        (f"{GOOD} -k 11", "-k 11 is more than the 10 rows"),
        (f"{GOOD} --columns-k 5", "--columns-k 5 is more than the 4 columns"),
        (f"{GOOD} --jobs 0", "--jobs"),
        (f"{GOOD} --restarts 0", "--restarts"),
        *((f"{GOOD} --passes {number}", "passes") for number in ("-1", "nan", "inf")),
        (f"{GOOD} --seed -1", "--seed"),
        (f"{GOOD} --weighting x", "equal_rows"),
        (f"{GOOD} --colour", "--colour"),
        (f"table.csv {GOOD}", "table.csv"),
        ("table.csv -k 2 --force", "--out"),
        ("table.csv -k 2 --out table.csv", "is a file"),
        ("broken.yaml --out refused", "YAML"),
        ("wrong.yaml --out refused", "format"),
        (f"{GOOD} --row-names table.csv", "names its rows already"),
    ],
)
def test_bad_input(
    asked: str, part: str, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2, one sentence on standard error, nothing on standard output or on disk."""
    monkeypatch.chdir(tmp_path)
    for name, text in BAD_FILES.items():
        (tmp_path / name).write_text(text)
    before = sorted(tmp_path.rglob("*"))
    assert part in refused("cluster", *asked.split())
    assert sorted(tmp_path.rglob("*")) == before


def test_out_is_checked_before_the_table_is_read(tmp_path: Path) -> None:
    """A bad --out is told even before a bad table."""
    (tmp_path / "mine.txt").write_text("mine")
    answer = run("cluster", tmp_path / "nowhere.csv", "-k", 2, "--out", tmp_path)
    assert "not empty" in answer.stderr
