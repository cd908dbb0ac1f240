"""Modules that have moved are found under their old names."""

from __future__ import annotations

import importlib
import sys

import pytest

from comraf.moved import MOVED


@pytest.mark.parametrize("old", MOVED)
def test_old_names_import_with_a_warning(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They have what the new module has, and say its name."""
    monkeypatch.delitem(sys.modules, old, raising=False)
    with pytest.warns(FutureWarning, match=f"{old} is {MOVED[old]} now"):
        module = importlib.import_module(old)
    there = importlib.import_module(MOVED[old])
    for name in there.__all__:
        assert getattr(module, name) is getattr(there, name)
    with pytest.raises(AttributeError):
        _ = module.nothing_of_the_kind
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{old}x")
