"""The same call from Python and from the terminal gives the same answer, defaults included.

Those of one-class clustering and appearances are in `test_one_class.py`.
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest
import typer.main

import comraf
import comraf.workflows
from comraf.cli import app
from comraf.collection.sample import write_mbox
from comraf.errors import InputError
from comraf.report.answer import Answer as Shown
from comraf.workflows.ask import ask
from comraf.workflows.cluster import cluster
from comraf.workflows.compare import compare
from comraf.workflows.demo import demo
from comraf.workflows.evaluate import evaluate
from comraf.workflows.explain import explain
from comraf.workflows.inspect import inspect
from comraf.workflows.interactive import interactive
from comraf.workflows.place import place
from comraf.workflows.sample import sample
from comraf.workflows.select import select
from comraf.workflows.taxonomy import taxonomy
from comraf.workflows.writing import report_of
from tests.cli.talking import comraf as program
from tests.cli.talking import rows

_TWICE = ("first", "second")


def test_every_command_is_a_workflow() -> None:
    """And the other way round: a function with keywords, held here or in `test_one_class.py`."""
    here = Path(__file__)
    held = here.read_text("utf-8") + here.with_name("test_one_class.py").read_text("utf-8")
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    named = {{"assign": "place"}.get(command, command): command for command in commands}
    del named["studio"]  # a page, held to the session's own verbs in tests/studio
    taking = set()
    for module in iter_modules(comraf.workflows.__path__):
        for name, part in vars(import_module(f"comraf.workflows.{module.name}")).items():
            whole = getattr(part, "__wrapped__", None)
            if whole and name[0] != "_" and "options" in signature(whole).parameters:
                taking.add(name)
                assert "options" not in signature(part).parameters, name
    assert taking == set(named)
    for name, command in named.items():
        assert f'"{command}", ' in held, name
        assert re.search(rf"\b{name}\((?!self)", held), name


def run(*arguments: object) -> str:
    """What the command prints."""
    answer = program(*arguments)
    assert answer.exit_code == 0, answer.output
    return answer.stdout


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mailbox."""
    path = tmp_path_factory.mktemp("box") / "box.mbox"
    write_mbox(path, 90)
    return path


@pytest.fixture(scope="module")
def groups(box: Path) -> Path:
    """What the command wrote about it."""
    out = box.parent / "groups"
    run("organize", box, "--out", out)
    return out


@pytest.fixture(scope="module")
def answer(box: Path) -> Any:
    """What the call gives."""
    return comraf.organize(box)


def test_organize(groups: Path, answer: Any, tmp_path: Path) -> None:
    """Ids, labels, names, confidence, the report's groups; and all files that are written."""
    written = rows(groups / "clusters.csv")
    assert list(answer.items) == [row["item"] for row in written]
    assert answer.labels_.tolist() == [int(row["cluster"]) for row in written]
    assert [answer.names[label] for label in answer.labels_] == [row["name"] for row in written]
    sure = [float(row["confidence"]) for row in written]
    np.testing.assert_allclose(answer.confidence_, sure, atol=1e-4)
    told = json.loads((groups / "result.json").read_text("utf-8"))
    assert json.loads(json.dumps(answer.groups())) == told["groups"]
    answer.save(tmp_path / "saved")
    for name in ("clusters.csv", "words.csv", "people.csv", "subjects.csv"):
        assert (tmp_path / "saved" / name).read_bytes() == (groups / name).read_bytes()
    again = json.loads((tmp_path / "saved" / "result.json").read_text("utf-8"))
    for key in ("parameters", "seed", "objective", "edges", "groups", "notes", "files", "folders"):
        assert again[key] == told[key], key


def test_organize_with_options(box: Path, tmp_path: Path) -> None:
    """What is typed and what is passed mean the same."""
    options = ("-k", 4, "--by", "words,people", "--effort", "quick", "--seed", 3)
    run("organize", box, *options, "--min-documents", 2, "--out", tmp_path / "out")
    answer = comraf.organize(
        str(box), 4, by=["words", "people"], effort="quick", random_state=3, min_documents=2
    )
    written = rows(tmp_path / "out" / "clusters.csv")
    assert answer.labels_.tolist() == [int(row["cluster"]) for row in written]
    # what an answer was made with is read again under these names
    said = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))["parameters"]
    asked = {"k": 4, "by": ["words", "people"], "effort": "quick", "seed": 3, "jobs": 1}
    asked |= {"restarts": 1, "runs": None, "schedule": "thesis", "merge_cost": "loss"}
    asked |= {"balance": False, "method": "mdc", "moves": "sequential", "passes": 2.0}
    assert {name: said[name] for name in asked} == asked
    again = comraf.open_answer(tmp_path / "out").options
    assert (again.random_state, again.effort, again.n_jobs, again.n_restarts) == (3, "quick", 1, 1)


def test_options_of_a_reader(box: Path, tmp_path: Path) -> None:
    """Those without a name on the command line are typed as pairs, and reach who places later."""
    typed = ("--set", "quotes=keep", "--set", "max_bytes=1024")
    run("organize", box, "-k", 3, "--effort", "quick", *typed, "--out", tmp_path / "out")
    given = {"quotes": "keep", "max_bytes": 1024}
    with comraf.organize(box, 3, effort="quick", reader_options=given) as answer:
        written = rows(tmp_path / "out" / "clusters.csv")
        assert answer.labels_.tolist() == [int(row["cluster"]) for row in written]
        assert answer.collection.options == comraf.read(box).options
    about = json.loads((tmp_path / "out" / "model" / "model.json").read_text("utf-8"))["about"]
    assert about["reading"] == given
    assert comraf.open_answer(tmp_path / "out").options.reader_options == given
    said = run("inspect", box, "--set", "quotes=keep")
    assert said.endswith("--set quotes=keep\n")
    with pytest.raises(InputError, match="reader_options=3 is not possible; give a dict"):
        comraf.organize(box, reader_options=3)


def test_organize_by_another_method(box: Path, tmp_path: Path) -> None:
    """The method is chosen alike, and an answer that is opened again says by what it was found."""
    run("organize", box, "-k", 4, "--method", "cliquewise", "--out", tmp_path / "out")
    answer = comraf.organize(box, 4, method="cliquewise")
    written = rows(tmp_path / "out" / "clusters.csv")
    assert answer.labels_.tolist() == [int(row["cluster"]) for row in written]
    said = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))
    assert (said["method"], said["parameters"]["method"]) == ("CliquewiseMDC", "cliquewise")
    assert said["parameters"]["restarts"] == 10
    assert "effort" not in said["parameters"]
    again = comraf.open_answer(tmp_path / "out")
    assert (again.options.method, again.method) == ("cliquewise", "CliquewiseMDC")


def test_organize_with_what_is_known(box: Path, groups: Path, tmp_path: Path) -> None:
    """Labels in a file, and the same labels as data."""
    some = {row["item"]: f"g{int(row['cluster']) % 3}" for row in rows(groups / "clusters.csv")}
    some = dict(list(some.items())[::5])
    file = tmp_path / "known.csv"
    file.write_text("".join(f"{item},{name}\n" for item, name in some.items()), "utf-8")
    run("organize", box, "--effort", "quick", "--labels", file, "--out", tmp_path / "out")
    answer = comraf.organize(box, effort="quick", labels=some)
    written = rows(tmp_path / "out" / "clusters.csv")
    assert answer.labels_.tolist() == [int(row["cluster"]) for row in written]
    assert [row["label"] for row in written] == [some.get(item, "") for item in answer.items]
    told = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))["known"]["labels"][0]
    assert {**answer.known["labels"][0], "file": str(file)} == told
    answer.warnings = ("there may be nothing in it",)
    answer.save(tmp_path / "first")
    opened = comraf.open_answer(tmp_path / "first")
    assert (opened.warnings, opened.hints) == (answer.warnings, answer.hints)
    opened.save(tmp_path / "second")
    first, second = (json.loads((tmp_path / n / "result.json").read_text()) for n in _TWICE)
    assert {group["class"] for group in first["groups"]} > {None}
    assert first == second


def test_what_k_means_grouped_is_said_to_be_that(box: Path, tmp_path: Path) -> None:
    """Also of an answer that was opened, and of one that was edited."""
    given = {"n_clusters": 3, "questions": 4, "effort": "quick", "method": "hmrf"}
    with ask(box, tmp_path / "here", **given) as asking:
        asking.answer(asking.question() is not None)
        asking.group().save(tmp_path / "first")
    opened = comraf.open_answer(tmp_path / "first")
    opened.rename(0, "zero").save(tmp_path / "second")
    first, second = (json.loads((tmp_path / n / "result.json").read_text()) for n in _TWICE)
    assert first["method"] == second["method"] == "HMRFKMeans"
    assert [*first["sides"]] == [*second["sides"]]
    assert {**first, "groups": 0} == {**second, "groups": 0}


def test_place(box: Path, groups: Path, tmp_path: Path) -> None:
    """New documents, and new values of a side."""
    for more in ({}, {"side": "people"}):
        typed = [part for name, value in more.items() for part in (f"--{name}", value)]
        new = tmp_path / f"new{len(more)}.mbox"
        write_mbox(new, 40, seed=5)
        out = tmp_path / f"placed{len(more)}.csv"
        run("assign", groups, new, *typed, "--out", out)
        found = place(groups, new, **more)
        assert [list(map(str, row)) for row in found.rows()] == [
            list(row.values()) for row in rows(out)
        ]
        assert list(rows(out)[0]) == list(found.heading)


def test_one_scorer(groups: Path, answer: Any, box: Path) -> None:
    """The fit, explanations, the report and messages that come again: one runner-up, one margin."""
    fitted = answer.organizer.placed_
    explainer = answer.explainer
    whys = [answer.explain(row).why for row in range(len(answer))]
    assert [why.cluster for why in whys] == fitted.labels.tolist()
    assert [why.runner_up for why in whys] == fitted.runner_up.tolist()
    margins = [why.margin for why in whys] / explainer.scored("documents").mass
    np.testing.assert_allclose(margins, fitted.margin, atol=1e-9)
    again = place(groups, box)
    order = [again.items.index(item) for item in answer.items]
    shown = Shown(answer.collection, answer.graph, answer.result).placed
    for part in ("labels", "runner_up", "confidence", "margin"):
        np.testing.assert_allclose(getattr(again.placed, part)[order], getattr(fitted, part))
        np.testing.assert_allclose(getattr(shown, part), getattr(fitted, part))
    told = run("explain", groups, 3)
    assert f"confidence {fitted.confidence[3]:.0%}" in told
    assert f"The next best is group {fitted.runner_up[3]} " in told
    for group in report_of(answer).groups:
        sure = fitted.confidence[fitted.labels == group.number].mean()
        assert group.confidence == pytest.approx(sure)


def test_explain_and_taxonomy(groups: Path, answer: Any, tmp_path: Path) -> None:
    """An answer in memory and its folder are explained alike, and arranged alike."""
    here, there = explain(answer, 3), explain(groups, 3)
    assert here.why.cluster == there.why.cluster
    assert here.why.runner_up == there.why.runner_up
    assert here.confidence == pytest.approx(there.confidence)
    assert f"confidence {there.confidence:.0%}" in run("explain", groups, 3)
    run("taxonomy", groups, "--sizes", "2,4", "--out", tmp_path / "tree.csv")
    tree = taxonomy(answer, sizes=(2, 4))
    assert [list(map(str, row)) for row in tree.rows()] == [
        list(row.values()) for row in rows(tmp_path / "tree.csv")
    ]


def test_compare_and_evaluate(groups: Path, answer: Any, box: Path, tmp_path: Path) -> None:
    """What moved, and how well groups agree with classes."""
    run("organize", box, "-k", 3, "--effort", "quick", "--out", tmp_path / "other")
    run("compare", groups, tmp_path / "other", "--out", tmp_path / "moved.csv")
    found = compare(answer, tmp_path / "other")
    assert [list(map(str, row)) for row in found.rows()] == [
        list(row.values()) for row in rows(tmp_path / "moved.csv")
    ]
    truth = tmp_path / "truth.csv"
    lines = [f"{row['item']},{row['cluster']}\n" for row in rows(tmp_path / "other/clusters.csv")]
    truth.write_text("".join(lines), "utf-8")
    said = json.loads(run("evaluate", groups, "--truth", truth, "--json"))
    for which in (groups, answer):
        assert json.loads(json.dumps(evaluate(which, truth=truth).scores())) == said


def test_select(box: Path, tmp_path: Path) -> None:
    """What was tried with its numbers, and what to ask for, without labels and by some."""
    with comraf.organize(box, 3, effort="quick", by=["words"]) as answer:
        items = answer.items
    file = tmp_path / "labels.csv"
    file.write_text("".join(f"{item},{i % 3}\n" for i, item in enumerate(items[:40])), "utf-8")
    for typed, given in (
        (("--tries", 2), {"tries": 2}),
        (("-k", 4, "--labels", file, "--tries", 2, "--seed", 3), {"n_clusters": 4}),
    ):
        if len(typed) > 2:
            given |= {"labels": [str(file)], "tries": 2, "random_state": 3}
        said = json.loads(run("select", box, *typed, "--json"))
        assert said.pop("ask").startswith(f"comraf organize {box}")
        found = select(box, **given).to_dict()
        assert [note[:20] for note in said.pop("notes")] == [n[:20] for n in found.pop("notes")]
        assert json.loads(json.dumps(found)) == said


def test_cluster(tmp_path: Path) -> None:
    """Tables of counts."""
    rng = np.random.default_rng(0)
    table = rng.poisson(np.where(np.arange(40)[:, None] % 4 == np.arange(20) % 4, 2.0, 0.2))
    np.save(tmp_path / "table.npy", table)
    for more in ({}, {"method": "itcc", "column_clusters": 5}, {"schedule": "round_robin"}):
        names = {"column_clusters": "columns-k"}
        typed = [part for n, v in more.items() for part in (f"--{names.get(n, n)}", v)]
        said = json.loads(run("cluster", tmp_path / "table.npy", "-k", 4, *typed, "--json"))
        found = cluster(tmp_path / "table.npy", 4, **more)
        assert found.result.labels["rows"].tolist() == said["sides"]["rows"]["labels"]
        assert found.document["parameters"] == said["parameters"]


def test_ask(box: Path, groups: Path, tmp_path: Path) -> None:
    """Questions that a file answers: the same links and groups."""
    file = tmp_path / "known.csv"
    lines = [f"{row['item']},{row['cluster']}\n" for row in rows(groups / "clusters.csv")]
    file.write_text("".join(lines), "utf-8")
    typed = ("-k", 4, "--questions", 30, "--effort", "quick", "--answers-from", file)
    run("ask", box, *typed, "--out", tmp_path / "asked")
    passed = {"n_clusters": 4, "questions": 30, "effort": "quick", "answers_from": file}
    with ask(box, tmp_path / "here", **passed) as asking:
        asking.answer_by(asking.oracle)
        done = asking.group()
        written = rows(tmp_path / "asked" / "clusters.csv")
        assert done.labels_.tolist() == [int(row["cluster"]) for row in written]
        line = f"Asking({len(written)} messages; {asking.n_asked} answers: "
        assert repr(asking).startswith(line)
    for name in ("must-link.csv", "cannot-link.csv"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "asked" / name).read_bytes()


def test_interactive(box: Path, tmp_path: Path) -> None:
    """Values by group in a file; steps until no document is added."""
    file = tmp_path / "values.csv"
    with interactive(box, n_clusters=3) as mine:
        first = [one.value for one in mine.suggested(side="words")][:12]
    lines = [f"{value},group {number % 3}" for number, value in enumerate(first)]
    file.write_text("\n".join(lines), "utf-8")
    typed = ("--effort", "quick", "--by", "words,people", "--values-from", file)
    run("interactive", box, *typed, "--out", tmp_path / "there")
    passed = {"effort": "quick", "by": ["words", "people"], "values_from": file}
    with interactive(box, tmp_path / "here", **passed) as mine:
        assert mine.run()
        done = mine.save()
        written = rows(tmp_path / "there" / "clusters.csv")
        assert done.labels_.tolist() == [int(row["cluster"]) for row in written]
        many = len(rows(tmp_path / "there" / "criterion.csv"))
        said = f"Interactive(3 groups, {many} values, {mine.covered.sum()} of {len(written)} "
        assert repr(mine).startswith(said)
    for name in ("criterion.csv", "words.csv", "people.csv"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


def test_inspect(box: Path, groups: Path) -> None:
    """What is not yet read, and what comraf has written."""
    found, said = inspect(box), run("inspect", box)
    assert f"Documents not yet read: {found.reader.kind}, {found.contents.held}." in said
    assert all(line in said for line in found.contents.sides())
    assert all(str(note) in said for note in found.notes)
    answer, said = inspect(groups), run("inspect", groups)
    assert f"objective {answer['objective']:.4f}." in said
    model, said = inspect(groups / "model"), run("inspect", groups / "model")
    assert all(name[:40] in said for name in model.names)
    collection, said = inspect(groups / "collection"), run("inspect", groups / "collection")
    assert f"A collection of {len(collection)} messages (mbox)" in said


def test_sample_and_demo(tmp_path: Path) -> None:
    """The same bytes, and the same share of messages with their own topic."""
    said = run("sample", "mail", tmp_path / "one.mbox", "-n", 20, "--seed", 3)
    made = sample("mail", tmp_path / "two.mbox", number=20, random_state=3)
    assert f"{made.number} messages, made up" in said
    assert f"-k {made.n_classes}" in said
    assert made.path.read_bytes() == (tmp_path / "one.mbox").read_bytes()
    with pytest.raises(InputError, match="kind='songs' is unknown; choose one of"):
        sample("songs", tmp_path / "songs")
    found, said = demo(), " ".join(run("demo", "--out", tmp_path / "out").split())
    assert f"{found.accuracy:.0%} of the messages lie in a group of their own topic" in said
    assert f"by words alone it would be {found.accuracy_of_words:.0%}." in said
    assert (
        repr(found)
        == f"Demo({len(found.truth)} messages, {found.accuracy:.0%} with their own topic)"
    )
    written = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))
    for name, labels in found.clustered.result.labels.items():
        assert labels.tolist() == written["sides"][name]["labels"]
