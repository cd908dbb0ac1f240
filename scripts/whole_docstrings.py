"""An extension of griffe: pages show the docstrings that `comraf.docstrings` completes."""

from __future__ import annotations

import inspect
from typing import Any

import griffe

from comraf.docstrings import DocumentedOnce


class WholeDocstrings(griffe.Extension):
    """Classes that share parameters are shown with what their bases describe.

    griffe reads sources and imports nothing, and so would show what stands in the file alone.
    """

    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Put the docstring that the class has when it is imported in place of the written one."""
        if cls.docstring is None or cls.path.count(".") < 2 or "._" in cls.path:
            return
        try:
            found = griffe.dynamic_import(cls.path)
        except ImportError:
            return
        if inspect.isclass(found) and issubclass(found, DocumentedOnce):
            cls.docstring.value = inspect.getdoc(found) or ""
