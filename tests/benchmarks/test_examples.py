"""The examples in the harness's docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
import sys
from pathlib import Path

import pytest

import benchmarks
from benchmarks.__main__ import scripts

MODULES = [m.name for m in pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    """Every example prints what its docstring says."""
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(importlib.import_module(name), optionflags=flags).failed == 0


def test_modules_are_found() -> None:
    """The walk sees the whole package, subfolder included."""
    assert {"benchmarks.run", "benchmarks.datasets.newsgroups"} <= set(MODULES)


def test_no_script_hides_a_module_of_python() -> None:
    """A script that is run by its path has this folder before the standard library."""
    assert not {m.name for m in pkgutil.iter_modules(benchmarks.__path__)} & sys.stdlib_module_names


ROOT = Path(__file__).parents[2]


def commands() -> list[tuple[str, str]]:
    """Scripts and arguments of all commands that documents name."""
    found = set()
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks/README.md"):
        text = path.read_text(encoding="utf-8")
        blocks = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
        lines = [line.partition("#")[0] for block in blocks for line in block.split("\n")]
        rest = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        for line in (*lines, *re.findall(r"`([^`]+)`", rest)):
            command = re.fullmatch(r"python -m benchmarks\.(\w+)(.*)", line.strip(), re.DOTALL)
            if command and "--" in command[2] and "--help" not in command[2]:
                found.add((command[1], " ".join(command[2].split())))
    return sorted(found)


@pytest.mark.parametrize(("script", "arguments"), commands())
def test_commands_of_documents_are_understood(
    script: str, arguments: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every option that a document names is there and takes what it is given."""
    module = importlib.import_module(f"benchmarks.{script}")
    if script == "mutations":
        return  # its head shows its commands
    monkeypatch.setattr(module, "run", lambda parser, words, work: parser.parse_args(words))
    words = ["1" if word in ("N", "J") else word for word in shlex.split(arguments)]
    if "..." not in words:
        assert module.main(words) is not None


def test_every_script_is_in_the_list() -> None:
    """The README has the same list as ``python -m benchmarks``."""
    readme = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    for name, about in scripts().items():
        assert f"| `python -m benchmarks.{name}` | {about} |" in readme


@pytest.mark.parametrize("script", [name for name in scripts() if name != "mutations"])
def test_what_a_script_can_not_do_is_one_sentence(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder of data that is not there, and numbers that can't be: exit code 2 and one line."""
    monkeypatch.delenv("COMRAF_DATA", raising=False)
    module = importlib.import_module(f"benchmarks.{script}")
    options = {"--data": "no", "--cache": "cache", "--out": "r.jsonl", "--embeddings": "vectors"}
    with pytest.raises(SystemExit):
        module.main(["--help"])
    taken = capsys.readouterr().out
    there = [(name, str(tmp_path / at)) for name, at in options.items() if f" {name} " in taken]
    wrong = [[]] if "--data" in taken else []
    wrong += [[name, "0"] for name in ("--runs", "--jobs") if f" {name} " in taken]
    for more in wrong:
        assert module.main([*(word for pair in there for word in pair), *more]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    stored = tmp_path / "r.jsonl"
    assert not stored.exists() or stored.stat().st_size == 0
