"""One word for each idea: what users read has the words of docs/glossary.md, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import typer.main

from comraf.cli import app

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "comraf").rglob("*.py"))
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
# Rooms whose docstrings are for those who work on comraf: there "element" is one of an array.
INNER = {"cli", "inference", "kernels", "objectives", "report"}

# What comraf does not say, and what it says instead.
OTHERS = {
    "modality|modalities|modal|bi-?modal": "side",
    "elements?": "value",
    "views?": "side",
    "entity|entities|data ?points?|datum": "item",
    "aspects?|facets?": "side",
    "vertex|vertices": "node",
}
# In pages, help and messages alone.
TOLD = {"told of|(is|are|was|were) told(?! apart)": "reported, listed, counted, given"}
# Phrases in which such a word means something else, or is a word of others.
ALLOWED = [
    "in view",  # known when a choice was made
    "(open|hidden) elements|elements made anew",  # of HTML
    "entities but XML's own five|(DOCTYPE|document type) or (with )?entities",  # of XML
]
# Files in which views are the data sets that others call multi-view (see the glossary).
VIEWS = {
    "docs/glossary.md",
    "docs/images.md",
    "docs/measured/sides.md",
    "src/comraf/graph/features.py",
}
VIEWS |= {"docs/measured.md", "docs/weighting.md"}
# The page that says whose word "modality" is.
GLOSSARY = "docs/glossary.md"


def words(text: str) -> str:
    """A text on one line, without code, addresses and phrases that are allowed."""
    text = re.sub(r"```.*?```|``[^`]*``|`[^`]*`|\]\([^)]*\)", " ", text, flags=re.DOTALL)
    text = re.sub(r"(?m)^\s*(>>>|\.\.\.).*", " ", text)
    return re.sub("|".join(ALLOWED), " ", " ".join(text.split()))


def found(where: str, text: str, others: dict[str, str]) -> list[str]:
    """Each word of a text that comraf does not use, and what to say instead."""
    wrong, text = [], words(text)
    for other, ours in others.items():
        if (other == "views?" and where in VIEWS) or (ours == "side" and where == GLOSSARY):
            continue
        for hit in re.finditer(rf"\b({other})\b", text, re.IGNORECASE):
            near = text[max(0, hit.start() - 40) : hit.end() + 20]
            wrong.append(f"{where}: ...{near}...: say {ours}")
    return wrong


def strings(path: Path) -> Iterator[tuple[bool, str]]:
    """All texts of a file, and whether each is a docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    bodies = (node.body for node in ast.walk(tree) if isinstance(node, kinds) and node.body)
    first = {id(body[0].value) for body in bodies if isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield id(node) in first, node.value


def test_pages_have_the_words_of_the_glossary() -> None:
    """README, guide and documentation."""
    wrong = []
    for page in PAGES:
        where = page.relative_to(ROOT).as_posix()
        wrong += found(where, page.read_text(encoding="utf-8"), OTHERS | TOLD)
    assert not wrong, "\n".join(wrong)


def test_help_and_messages_have_the_words_of_the_glossary() -> None:
    """Help of every command and option, docstrings of public rooms, texts in the code."""
    root = typer.main.get_command(app)
    wrong = []
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        help_ = " ".join([command.help or "", *(p.help or "" for p in command.params)])
        wrong += found(f"comraf {name} --help", help_, OTHERS | TOLD)
    for path in SOURCES:
        where = path.relative_to(ROOT).as_posix()
        for is_docstring, text in strings(path):
            if not is_docstring:
                wrong += found(where, text, OTHERS | TOLD)
            elif path.relative_to(ROOT / "src" / "comraf").parts[0] not in INNER:
                wrong += found(where, text, OTHERS)
    assert not wrong, "\n".join(wrong)


def test_exceptions_are_needed() -> None:
    """A phrase that is allowed and that nobody uses any more is taken off the list."""
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    texts += [path.read_text(encoding="utf-8") for path in SOURCES]
    flat = " ".join(" ".join(texts).split())
    assert all(re.search(phrase, flat, re.IGNORECASE) for phrase in ALLOWED)
