"""The examples in the harness's docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import benchmarks

MODULES = [m.name for m in pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    """Every example prints what its docstring says."""
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(importlib.import_module(name), optionflags=flags).failed == 0


def test_modules_are_found() -> None:
    """The walk sees the whole package, subfolder included."""
    assert {"benchmarks.run", "benchmarks.datasets.newsgroups"} <= set(MODULES)
