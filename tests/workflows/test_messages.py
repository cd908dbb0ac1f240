"""What workflows say: Python's words to those who call them, options to those who type."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import comraf.workflows

ROOM = Path(comraf.workflows.__path__[0])
FILES = sorted(set(ROOM.glob("*.py")) - {ROOM / "options.py"})  # which is about flags
# --by, -k, and the start of one whose name is put in
FLAG = re.compile(r"(?<![\w-])-(-[a-z]|[a-z]\b)|--$")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_message_names_a_flag(file: Path) -> None:
    """Flags stand in docstrings, which are the help of commands, and in how options are spelled."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    other = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Option")
        for part in ast.walk(node)
        if not isinstance(node, ast.Expr) or part is node.value
    }
    said = [
        f"{file.name}:{node.lineno}: {node.value}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) not in other and FLAG.search(node.value)
    ]
    assert not said
