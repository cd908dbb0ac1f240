"""What an installed comraf promises before it does any work."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from importlib import import_module, metadata, resources
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

import comraf

HEAVY = {"numba", "pandas", "polars", "pyarrow", "scipy", "sklearn"}
# Extras for those who work on comraf; all others are for its users.
PROJECT_EXTRAS = {"bench", "dev", "docs", "test"}


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed."""
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)


def best_seconds(*command: str, runs: int = 5) -> float:
    """Least CPU seconds of a command over some runs.

    What a user waits for on an idle machine; a busy one would add the time of others.
    """
    times = []
    for _ in range(runs):
        before = os.times()
        run(*command)
        after = os.times()
        times.append(
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )
    return min(times)


def top_level_modules(code: str) -> set[str]:
    """Names of the packages that are loaded after running the code."""
    report = "import sys; print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    return set(run(sys.executable, "-c", f"{code}\n{report}").stderr.split())


def console_script() -> str:
    """Path of the installed ``comraf`` command."""
    scripts = Path(sysconfig.get_path("scripts"))
    found = sorted(scripts.glob("comraf")) + sorted(scripts.glob("comraf.exe"))
    assert found, f"no comraf command in {scripts}: is the package installed?"
    return str(found[0])


def extra_requirements(extra: str) -> set[str]:
    """What an extra installs beyond the core; the build writes nested extras out."""
    found = set()
    for line in metadata.requires("comraf") or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""}):
            found.add(f"{requirement.name}{requirement.specifier}")
    return found


def lazy_imports(package: ModuleType) -> dict[str, str]:
    """Public names and their homes as a type checker sees them."""
    homes = {}
    for node in ast.walk(ast.parse(inspect.getsource(package))):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            for statement in node.body:
                assert isinstance(statement, ast.ImportFrom)
                homes.update({alias.name: str(statement.module) for alias in statement.names})
    return homes


def test_import_is_quick() -> None:
    """``import comraf`` costs under 0.3 s beyond the bare interpreter."""
    bare = best_seconds(sys.executable, "-c", "pass")
    assert best_seconds(sys.executable, "-c", "import comraf") - bare < 0.3


def test_import_loads_nothing_heavy() -> None:
    """``import comraf`` leaves the numerical libraries alone."""
    assert not top_level_modules("import comraf") & HEAVY


def test_help_is_quick() -> None:
    """``comraf --help`` answers within 0.5 s, interpreter included."""
    assert best_seconds(console_script(), "--help") < 0.5


def test_help_loads_nothing_heavy() -> None:
    """``comraf --help`` leaves the numerical libraries alone."""
    code = """
import sys
from comraf.cli import main
sys.argv = ["comraf", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code
"""
    assert not top_level_modules(code) & HEAVY


def test_help_names_the_commands() -> None:
    """``comraf --help`` lists what there is to run."""
    text = run(console_script(), "--help").stdout
    assert "cluster" in text
    assert "demo" in text


def test_version_is_the_metadata_version() -> None:
    """The version in the code is the version that pip knows."""
    assert comraf.__version__ == metadata.version("comraf")


def test_types_are_shipped() -> None:
    """The marker file that tells type checkers to read our annotations is there."""
    assert resources.files("comraf").joinpath("py.typed").is_file()


def test_all_brings_every_extra_for_users() -> None:
    """``comraf[all]`` is the sum of the extras that are not for developers."""
    extras = set(metadata.metadata("comraf").get_all("Provides-Extra") or ())
    users = extras - PROJECT_EXTRAS - {"all"}
    assert users
    assert extra_requirements("all") == set().union(*map(extra_requirements, users))


LAZY = ["comraf", *(f"comraf.{room}" for room in "collection estimators inference results".split())]


@pytest.mark.parametrize("name", LAZY)
def test_public_names_are_there_and_say_where_they_live(name: str) -> None:
    """Every one can be had and is listed; type checkers see those imported late at their homes."""
    package = import_module(name)
    assert set(package.__all__) <= set(dir(package))
    assert all(getattr(package, one) is not None for one in package.__all__)
    told = lazy_imports(package)
    assert set(told) <= set(package.__all__)
    assert set(told) == set(package._HOMES)
    for one, home in package._HOMES.items():
        assert told[one] in (f"{name}.{home}", name if one == home else "")
        assert getattr(package, one) is getattr(import_module(told[one]), one)


def test_unknown_name_is_an_attribute_error() -> None:
    """A misspelt name fails the way Python's own do."""
    with pytest.raises(AttributeError, match="no attribute 'MCD'"):
        comraf.MCD  # noqa: B018


def test_all_brings_what_the_documentation_imports() -> None:
    """Whoever installed ``comraf[all]`` can run every example of README and docs."""
    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    lines = list(project["dependencies"])
    extras = project["optional-dependencies"]
    for extra in Requirement(extras["all"][0]).extras:
        lines += extras[extra]
    homes = {"sklearn": "scikit-learn", "PIL": "pillow"}
    there = {Requirement(line).name for line in lines} | {"comraf"}
    for page in [root / "README.md", *(root / "docs").glob("**/*.md")]:
        for found in re.findall(r"^>>> (?:import|from) (.+)", page.read_text(), re.MULTILINE):
            for part in found.partition(" import ")[0].split(","):
                name = part.split()[0].partition(".")[0]
                if name not in sys.stdlib_module_names:
                    assert homes.get(name, name) in there, f"{page.name} imports {name}"


def test_the_changelog_says_everything_once() -> None:
    """Merging by union may double headings and bullets."""
    text = Path(__file__).parents[1].joinpath("CHANGELOG.md").read_text(encoding="utf-8")
    for version in text.split("\n## ")[1:]:
        headings = re.findall(r"^### .*$", version, re.MULTILINE)
        assert len(set(headings)) == len(headings), headings
        bullets = re.split(r"^- ", version, flags=re.MULTILINE)[1:]
        assert len(set(bullets)) == len(bullets)
