"""A term, a method and a workflow that follow CONTRIBUTING.md work.

Its reader and side are in `collection/test_registries.py`, its panel in `report/test_panels.py`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import comraf
import comraf.cli
import comraf.inference
import comraf.objectives
import comraf.workflows
from comraf.cli import commands
from comraf.collection.sample import write_mbox
from comraf.inference import METHODS
from tests import guide

PACKAGES = [comraf.cli, comraf.inference, comraf.objectives, comraf.workflows]


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are where the guide says."""
    for package in PACKAGES:
        folder = tmp_path / package.__name__.replace(".", "/")
        folder.mkdir(parents=True)
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    for path, code in guide.FILES.items():
        file = tmp_path / path.removeprefix("src/")
        if file.parent.is_dir():
            file.write_text(code, encoding="utf-8")
            module = ".".join(file.relative_to(tmp_path).with_suffix("").parts)
            monkeypatch.delitem(sys.modules, module, raising=False)


def test_the_map_of_rooms_is_that_of_import_linter() -> None:
    """Line for line, but for what is not a room."""
    drawn = re.search(r"## The rooms.*?```text\n(.*?)```", guide.GUIDE.read_text(), re.DOTALL)[1]
    rooms = [{*re.split("  +", line)[0].split(", ")} for line in drawn.splitlines()]
    project = tomllib.loads(guide.GUIDE.with_name("pyproject.toml").read_text())
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    held = [{*re.findall(r"\w+", layer)} - {"__main__", "_version"} for layer in layers]
    assert rooms == [*filter(None, held)]


def test_every_file_of_the_guide_is_run() -> None:
    """Here, or with the readers, the sides and the panels."""
    rooms = [package.__name__.replace(".", "/") for package in PACKAGES]
    rooms += ["comraf/collection/readers", "comraf/collection/sides"]
    wanted = {f"src/{room}" for room in rooms} | {"tests"}
    found = {re.match(r"tests|.*(?=/)", path)[0] for path in guide.FILES}
    assert found == wanted


@pytest.mark.usefixtures("added")
def test_a_term() -> None:
    """It passes its check, and a model heeds it: values in a row are in one cluster."""
    guide.run_test("tests/objectives/test_chain.py")
    from comraf.objectives.chain import Chain

    table = np.random.default_rng(0).integers(1, 3, (12, 5))
    nodes = [
        comraf.Node("documents", n_clusters=2),
        comraf.Node("words", observed="singletons"),
    ]
    graph = comraf.Graph(nodes, [comraf.Edge("documents", "words", table)])

    def changes(*terms: object) -> int:
        model = comraf.Comraf(graph, terms=list(terms), random_state=0).fit()
        return int(np.count_nonzero(np.diff(model.labels_["documents"])))

    assert changes(Chain(0, 9.0)) == 1 < changes()


@pytest.mark.usefixtures("added")
def test_a_method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It passes its check, and the program knows it, though it has no estimator."""
    line = guide.places("METHODS", "comraf.inference")
    monkeypatch.setattr(METHODS, "places", {**METHODS.places, **line})
    guide.run_test("tests/inference/test_climbing.py")
    box = write_mbox(tmp_path / "box.mbox", 60)
    words = ["comraf", "organize", str(box), "--method", "climbing"]
    program = f"""
import sys, comraf.inference
from comraf.inference import METHODS
comraf.inference.__path__.append({str(tmp_path / "comraf/inference")!r})
METHODS.places.update({line!r})
from comraf.cli import main
for more in ["--effort", "quick"], ["-k", "3", "--out", {str(tmp_path / "out")!r}]:
    sys.argv = {words!r} + more
    try:
        main()
    except SystemExit as end:
        code = end.code
sys.exit(code)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "--effort has no meaning for --method climbing" in done.stderr
    result = json.loads((tmp_path / "out/result.json").read_text(encoding="utf-8"))
    assert result["parameters"]["method"] == "climbing"
    assert len(result["groups"]) == 3


@pytest.mark.usefixtures("added")
def test_a_workflow(tmp_path: Path) -> None:
    """The call and the command say the same."""
    box = write_mbox(tmp_path / "box.mbox", 60)
    answer = comraf.organize(box, 4, effort="quick")
    answer.save(tmp_path / "groups")
    from comraf.workflows.sizes import sizes

    found = sizes(answer, at_least=9)
    assert 0 < len(found) <= len(sizes(answer)) == 4
    assert sum(sizes(answer).values()) == len(answer)
    app = typer.Typer()
    registry = eval(f"{{{guide.LINES['COMMANDS']}}}")  # noqa: S307 - our own text
    commands.add({**registry, "sample": "Another."}, app)
    run = CliRunner().invoke(app, ["sizes", str(tmp_path / "groups"), "--at-least", "9"])
    assert run.stdout.split("\n") == [*(f"{n} {name}" for name, n in found.items()), ""]
    assert "Say how many items each group has." in CliRunner().invoke(app, ["--help"]).stdout
