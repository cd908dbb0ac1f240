"""``comraf cluster``, in this process."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner, Result

import comraf
from comraf.cli import app
from comraf.collection.tables import read_table
from tests.cli.talking import PYTHON

# Two kinds of rows that share no column: there is one right answer.
TABLE = np.array([[4, 3, 0, 0]] * 6 + [[0, 0, 5, 2]] * 4)


def run(*arguments: object) -> Result:
    """Run the command; an exception that is not an exit fails the test."""
    answer = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    return answer


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


def test_clusters_are_shown(table: Path) -> None:
    """The summary names sizes, shares and telling columns."""
    answer = run("cluster", table, "-k", 2)
    assert answer.exit_code == 0
    assert "10 rows into 2 clusters" in answer.stdout
    assert "60.0%" in answer.stdout
    line = next(line for line in answer.stdout.splitlines() if "60.0%" in line)
    assert "w0" in line
    assert "w1" in line
    assert "w2" not in line
    assert answer.stderr == ""


def test_folder(table: Path, tmp_path: Path) -> None:
    """The folder holds every side's clusters, the document and the picture."""
    out = tmp_path / "out"
    assert run("cluster", table, "-k", 2, "--out", out, "--seed", 5).exit_code == 0
    assert {path.name for path in out.iterdir()} == {
        "rows.csv",
        "columns.csv",
        "result.json",
        "graph.svg",
    }
    rows = read_csv(out / "rows.csv")
    assert rows == [["row", "cluster"], *([f"d{i}", "0" if i < 6 else "1"] for i in range(10))]
    columns = read_csv(out / "columns.csv")
    assert [line[0] for line in columns] == ["column", "w0", "w1", "w2", "w3"]
    assert (out / "graph.svg").read_text().startswith("<svg")
    document = json.loads((out / "result.json").read_text())
    assert set(document["files"]) == {path.name for path in out.iterdir()}
    assert (document["format"], document["version"]) == ("comraf-result", 1)
    assert document["seed"] == document["parameters"]["seed"] == 5
    assert document["versions"]["comraf"] == comraf.__version__
    assert document["interrupted"] is False


def test_document_agrees_with_the_engine(noisy: Path) -> None:
    """--json is the same answer as comraf.MDC gives in Python."""
    answer = run("cluster", noisy, "-k", 5, "--seed", 3, "--restarts", 2, "--json")
    document = json.loads(answer.stdout)
    model = comraf.MDC(5, n_restarts=2, random_state=3).fit(read_table(noisy).matrix)
    assert document["sides"]["rows"]["labels"] == model.labels_.tolist()
    assert document["sides"]["columns"]["labels"] == model.modality_labels_["columns"].tolist()
    assert document["objective"] == pytest.approx(model.objective_)
    assert [point["objective"] for point in document["trace"]] == pytest.approx(
        [point.objective for point in model.result_.trace]
    )
    clusters = document["sides"]["rows"]["clusters"]
    assert [cluster["size"] for cluster in clusters] == np.bincount(model.labels_).tolist()
    assert sum(cluster["share"] for cluster in clusters) == pytest.approx(1, abs=1e-5)


OPTIONS: list[tuple[list[object], dict[str, Any]]] = [
    (["--weighting", "log"], {"weighting": "log"}),
    (["--effort", "quick"], {"effort": "quick"}),
    (["--columns-k", 3], {"column_clusters": 3}),
    (["--moves", "annealed"], {"moves": "annealed"}),
    (["--schedule", "round_robin"], {"schedule": "round_robin"}),
    (["--passes", 0.5], {"passes": 0.5}),
    (["--restarts", 3], {"n_restarts": 3}),
    (["--restarts", 3, "--jobs", 2], {"n_restarts": 3}),
]


@pytest.mark.parametrize(("options", "parameters"), OPTIONS)
def test_options_reach_the_engine(
    options: list[object], parameters: dict[str, Any], noisy: Path
) -> None:
    """Every option of the search does what its namesake in Python does."""
    document = json.loads(run("cluster", noisy, "-k", 5, "--json", *options).stdout)
    model = comraf.MDC(5, random_state=0, **parameters).fit(read_table(noisy).matrix)
    assert document["sides"]["rows"]["labels"] == model.labels_.tolist()
    assert document["objective"] == pytest.approx(model.objective_)


METHODS: list[tuple[str, list[object], Any, dict[str, Any]]] = [
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
    assert ("columns" in document["sides"]) == (method in ("cliquewise", "itcc"))


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
    answer = run("cluster", table, "-k", 4, "--method", method, *options)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert part in " ".join(answer.stderr.split())


def test_methods_show_and_write(table: Path, tmp_path: Path) -> None:
    """The summary and the folder of a method that clusters the rows alone."""
    out = tmp_path / "out"
    answer = run("cluster", table, "-k", 2, "--method", "agglomerative", "--out", out)
    assert answer.exit_code == 0
    assert "10 rows into 2 clusters" in answer.stdout
    assert {path.name for path in out.iterdir()} == {"rows.csv", "result.json", "graph.svg"}
    assert read_csv(out / "rows.csv")[1:] == [[f"d{i}", "0" if i < 6 else "1"] for i in range(10)]


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


def test_seed_decides(noisy: Path) -> None:
    """The same seed gives the same answer, another seed another one."""

    def labels(seed: int) -> list[int]:
        answer = run("cluster", noisy, "-k", 5, "--seed", seed, "--json")
        found: list[int] = json.loads(answer.stdout)["sides"]["rows"]["labels"]
        return found

    assert labels(1) == labels(1)
    assert labels(1) != labels(2)


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


def test_force(table: Path, tmp_path: Path) -> None:
    """A full folder needs --force, and keeps what is not comraf's."""
    out = tmp_path / "out"
    out.mkdir()
    assert run("cluster", table, "-k", 2, "--out", out).exit_code == 0
    (out / "mine.txt").write_text("mine")
    answer = run("cluster", table, "-k", 3, "--out", out)
    assert answer.exit_code == 2
    assert "--force" in answer.stderr
    assert run("cluster", table, "-k", 3, "--out", out, "--force").exit_code == 0
    assert {line[1] for line in read_csv(out / "rows.csv")[1:]} == {"0", "1", "2"}
    assert (out / "mine.txt").read_text() == "mine"


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


def test_model_spec(spec: Path, tmp_path: Path) -> None:
    """A model spec gives a file for every hidden side."""
    answer = run("cluster", spec, "--out", tmp_path / "out")
    assert answer.exit_code == 0, answer.stderr
    assert "telling words" in answer.stdout
    assert "anna" in answer.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "messages.csv",
        "to-cc.csv",
        "result.json",
        "graph.svg",
    }
    rows = read_csv(tmp_path / "out" / "messages.csv")[1:]
    assert {row[1] for row in rows[:6]} != {row[1] for row in rows[6:]}
    document = json.loads((tmp_path / "out" / "result.json").read_text())
    assert [edge["between"] for edge in document["edges"]] == [
        ["messages", "words"],
        ["messages", "to/cc"],
    ]


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
        answer = run("cluster", spec, "--method", method)
        assert answer.exit_code == 2
        assert part in " ".join(answer.stderr.split())
    answer = run("cluster", spec, "--method", "ib", "--direction", "top-down")
    assert "--direction can't be given with a model spec" in " ".join(answer.stderr.split())


def test_model_spec_says_it_itself(spec: Path) -> None:
    """Options that a spec decides are refused."""
    answer = run("cluster", spec, "-k", 2, "--weighting", "log")
    assert answer.exit_code == 2
    assert "-k and --weighting can't be given with a model spec" in answer.stderr


def test_missing_table_of_a_spec(spec: Path, tmp_path: Path) -> None:
    """A spec whose table is missing names the table."""
    (tmp_path / "people.csv").unlink()
    answer = run("cluster", spec)
    assert answer.exit_code == 2
    assert "people.csv: there is no such file" in answer.stderr


def write_bad(folder: Path) -> dict[str, tuple[list[object], str]]:
    """Bad inputs: name -> (arguments, part of the sentence)."""
    good, negative = folder / "table.csv", folder / "negative.csv"
    negative.write_text("a,x,1\nb,y,-3\n")
    junk = folder / "junk.npz"
    junk.write_bytes(b"junk")
    broken = folder / "broken.yaml"
    broken.write_text("nodes: [")
    one_side = folder / "wrong.yaml"
    one_side.write_text(SPEC.replace("comraf-graph", "other"))
    out = ["--out", folder / "refused"]
    return {
        "missing": ([folder / "nowhere.csv", "-k", 2], "there is no such file"),
        "folder": ([folder, "-k", 2], "is a folder"),
        "junk": ([junk, "-k", 2, *out], "is not a whole .npz file"),
        "negative": ([negative, "-k", 2, *out], "line 2"),
        "no k": ([good, *out], "-k 20"),
        "k = 0": ([good, "-k", 0, *out], "-k"),
        "k not a number": ([good, "-k", "many", *out], "-k"),
        "k too large": ([good, "-k", 11, *out], "-k 11 is more than the 10 rows"),
        "columns-k too large": (
            [good, "-k", 2, "--columns-k", 5, *out],
            "--columns-k 5 is more than the 4 columns",
        ),
        "jobs": ([good, "-k", 2, "--jobs", 0, *out], "--jobs"),
        "restarts": ([good, "-k", 2, "--restarts", 0, *out], "--restarts"),
        "passes": ([good, "-k", 2, "--passes", "-1", *out], "--passes"),
        "passes nan": ([good, "-k", 2, "--passes", "nan", *out], "passes"),
        "passes inf": ([good, "-k", 2, "--passes", "inf", *out], "passes"),
        "seed": ([good, "-k", 2, "--seed", "-1", *out], "--seed"),
        "weighting": ([good, "-k", 2, "--weighting", "x", *out], "equal_rows"),
        "option": ([good, "-k", 2, "--colour", *out], "--colour"),
        "two tables": ([good, good, "-k", 2, *out], "table.csv"),
        "force": ([good, "-k", 2, "--force"], "--out"),
        "out is a file": ([good, "-k", 2, "--out", good], "is a file"),
        "spec": ([broken, *out], "YAML"),
        "other spec": ([one_side, *out], "format"),
        "names": ([good, "-k", 2, "--row-names", good, *out], "names its rows already"),
    }


BAD = [
    *("missing", "folder", "junk", "negative", "no k", "k = 0", "k not a number", "k too large"),
    *("columns-k too large", "jobs", "restarts", "passes", "passes nan", "passes inf", "seed"),
    *("weighting", "option", "two tables", "force", "out is a file", "spec", "other spec", "names"),
]


def test_every_bad_input_is_tried(table: Path, tmp_path: Path) -> None:
    """The list below is the whole list."""
    assert sorted(BAD) == sorted(write_bad(tmp_path))


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str, table: Path, tmp_path: Path) -> None:
    """Exit code 2, one sentence on standard error, nothing on standard output or on disk."""
    arguments, part = write_bad(tmp_path)[name]
    before = sorted(tmp_path.rglob("*"))
    answer = run("cluster", *arguments)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert answer.stderr.startswith("comraf: error: ")
    assert answer.stderr.count("\n") == 1
    assert part in answer.stderr
    assert not PYTHON.search(answer.stderr)
    assert sorted(tmp_path.rglob("*")) == before


def test_out_is_checked_before_the_table_is_read(tmp_path: Path) -> None:
    """A bad --out is told even before a bad table."""
    (tmp_path / "mine.txt").write_text("mine")
    answer = run("cluster", tmp_path / "nowhere.csv", "-k", 2, "--out", tmp_path)
    assert "not empty" in answer.stderr


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (["--schedule", "reverse"], {"schedule": "reverse"}),
        (["--schedule", "bottom_up"], {"schedule": "bottom_up"}),
        (["--merge-cost", "js"], {"merge_cost": "js", "effort": "paper"}),
        (["--balance"], {"balance": True}),
        (["--runs", "3"], {"n_runs": 3}),
    ],
)
def test_every_way_to_search_is_reachable(
    noisy: Path, tmp_path: Path, options: list[str], parameters: dict[str, Any]
) -> None:
    """What the command line finds is what the estimator finds with the same parameters."""
    more = ["--effort", parameters.setdefault("effort", "quick")]
    given = {"weighting": "raw", "column_clusters": 8, "random_state": 0}
    more += ["--weighting", "raw", "--columns-k", "8"]
    answer = run("cluster", noisy, "-k", 4, *more, *options, "--out", tmp_path / "out")
    assert answer.exit_code == 0, answer.output
    model = comraf.MDC(4, **given, **parameters).fit(sp.load_npz(noisy))
    found = [int(row[1]) for row in read_csv(tmp_path / "out" / "rows.csv")[1:]]
    assert found == model.labels_.tolist()


def test_a_spec_says_directions_itself(tmp_path: Path) -> None:
    """Schedules about directions are for tables."""
    (tmp_path / "model.yaml").write_text("nodes: []\n")
    answer = run("cluster", tmp_path / "model.yaml", "--schedule", "reverse")
    assert answer.exit_code == 2
    assert "--schedule reverse can't be given with a model spec" in answer.stderr
