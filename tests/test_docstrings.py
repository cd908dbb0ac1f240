"""Docstrings and documentation: no raw markup, no reference to what is not there."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from sklearn.base import BaseEstimator

import comraf
from comraf.docstrings import entries, sections

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "comraf").rglob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Rooms whose classes and functions are for users, and rooms that are not.
PUBLIC = (
    "active appearances checks collection errors estimators graph images kmeans metrics oneclass "
    "progress results select session supervision"
).split()
INNER = (
    "cli data docstrings inference kernels moved objectives parameters registry report scale store "
    "studio weightings workflows"
).split()  # of workflows and report the pages have what is for users


def test_every_public_name_has_an_example() -> None:
    """Functions and classes of comraf itself; pytest runs each example."""
    parts = {name: getattr(comraf, name) for name in comraf.__all__}
    called = {name: part for name, part in parts.items() if callable(part)}
    assert [name for name, part in called.items() if ">>>" not in (part.__doc__ or "")] == []


@cache
def docstrings(path: Path) -> list[str]:
    """All docstrings of a file."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = (n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, kinds))
    return [text for node in nodes if (text := ast.get_docstring(node))]


def names_in(module: ModuleType) -> list[str]:
    """What a module has for its users."""
    return list(getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")]))


@cache
def resolves(name: str) -> bool:
    """Whether there is a thing of this dotted name."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:n]))
        except ImportError:
            continue
        for part in parts[n:]:
            noted = getattr(found, "__annotations__", {})
            if not hasattr(found, part) and part in noted:
                return True
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def test_docstrings_have_no_raw_roles() -> None:
    """Sphinx's roles are not for Markdown: their names would show on the pages."""
    role = re.compile(r":(class|func|meth|mod|attr|data|exc|obj|ref):.{0,60}")
    assert not [
        (path.relative_to(ROOT).as_posix(), found[0])
        for path in SOURCES
        for text in docstrings(path)
        if (found := role.search(text))
    ]


def test_every_name_in_docstrings_and_pages_is_there() -> None:
    """What stands in backticks and begins with comraf can be imported."""
    named = re.compile(r"(?<!`)`{1,2}(comraf(?:\.\w+)+)(?:\(\))?`{1,2}(?!`)")
    files = {".yaml", ".csv", ".json", ".html", ".py", ".md", ".toml"}
    wrong = [
        (path.relative_to(ROOT).as_posix(), name)
        for path in [*SOURCES, *PAGES]
        for text in (docstrings(path) if path.suffix == ".py" else [path.read_text()])
        for name in named.findall(text)
        if not any(name.endswith(end) for end in files) and not resolves(name)
    ]
    assert not wrong


def test_every_public_name_has_a_page() -> None:
    """Classes and functions of the public rooms, and all that comraf names itself."""
    listed = []
    for page in (ROOT / "docs" / "api").glob("*.md"):
        listed += re.findall(r"^::: ([\w.]+)", page.read_text(), re.MULTILINE)
    assert all(resolves(name) for name in listed)
    shown: list[object] = []
    for name in listed:
        home, _, last = name.rpartition(".")
        try:
            module = importlib.import_module(name)
        except ImportError:
            shown.append(getattr(importlib.import_module(home), last))
            continue
        shown += [getattr(module, part) for part in names_in(module)]
    missing = []
    for room in [importlib.import_module(f"comraf.{name}") for name in PUBLIC] + [comraf]:
        for name in names_in(room):
            found = getattr(room, name)
            if (inspect.isclass(found) or inspect.isfunction(found)) and found not in shown:
                missing.append(f"{room.__name__}.{name}")
    assert not missing, missing


def estimators() -> list[type]:
    """Every estimator of the public rooms."""
    rooms = [importlib.import_module(f"comraf.{room}") for room in PUBLIC]
    found = [getattr(room, name) for room in rooms for name in names_in(room)]
    kinds = {kind for kind in found if inspect.isclass(kind) and issubclass(kind, BaseEstimator)}
    return sorted(kinds, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("estimator", estimators())
def test_every_parameter_of_an_estimator_is_described(estimator: type) -> None:
    """What the constructor takes, no more and no less, and some words about each."""
    described = entries(sections(estimator.__doc__)["Parameters"])
    assert set(described) == set(inspect.signature(estimator).parameters)
    assert not [name for name, text in described.items() if "\n" not in text]


def test_every_room_is_public_or_not() -> None:
    """A new room takes its place in one of the two lists."""
    rooms = {path.stem for path in (ROOT / "src" / "comraf").iterdir() if path.stem[0] not in "_."}
    assert rooms - {"py"} == {*PUBLIC, *INNER}


def test_every_page_is_in_the_navigation() -> None:
    """No page is left out, none is there twice, and none is missing."""
    import yaml

    def pages(entry: object) -> list[str]:
        if isinstance(entry, dict):
            return [page for part in entry.values() for page in pages(part)]
        return (
            [page for part in entry for page in pages(part)] if isinstance(entry, list) else [entry]
        )

    listed = pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])
    docs = ROOT / "docs"
    assert sorted(listed) == sorted(p.relative_to(docs).as_posix() for p in docs.rglob("*.md"))


def test_measured_tables_name_a_command_and_a_date() -> None:
    """Above each table of figures stands what prints it, and with it when it was made."""
    pages = [(page, "# ") for page in (ROOT / "docs" / "measured").glob("*.md")]
    for page, start in [(ROOT / "README.md", "## Measured"), *pages]:
        text = page.read_text().partition(start)[2].partition("\n## More\n")[0]
        for section in re.split(r"^## ", text, flags=re.MULTILINE):
            tables = len(re.findall(r"^\|---", section, re.MULTILINE))
            if not tables:
                continue
            named = set(re.findall(r"python -m (benchmarks\.\w+)", section))
            assert named or "no command prints this table" in section, section[:80]
            assert all(importlib.util.find_spec(name) for name in named), named
            dated = len(re.findall(r"[Mm]ade at\s", section))
            assert dated >= tables, f"{dated} dates for {tables} tables: {section[:80]}"


def test_inherited_methods_are_on_the_pages() -> None:
    """MDC has more than its own fit, and no signature is longer than a line of the page."""
    import yaml

    plugins = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["plugins"]
    (options,) = (
        plugin["mkdocstrings"]["handlers"]["python"]["options"]
        for plugin in plugins
        if isinstance(plugin, dict) and "mkdocstrings" in plugin
    )
    assert options["inherited_members"] is True
    assert options["line_length"] <= 72
