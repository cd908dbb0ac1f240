"""Messages in the words of the page: what a person at a browser chooses, not Python's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from comraf.errors import ComrafError, Setting, Words, in_words

__all__ = ["on_page"]

#: What the page calls a parameter, where it is not the same word with blanks.
_CALLED = {
    **dict.fromkeys(("n_clusters", "side_clusters"), "number of groups"),
    **dict.fromkeys(("by", "weights", "observe"), "side"),
}


class _Page(Words):
    """Words instead of parameters, and no quotes where none are typed."""

    sentences: Mapping[str, Any] = {"no_side": "no side is chosen; there are {there:,}"}

    def __getitem__(self, parameter: str) -> str:
        return _CALLED.get(parameter, parameter.replace("_", " "))

    def name(self, name: Any) -> str:
        return str(name)

    def names(self, names: Sequence[Any]) -> str:
        return ", ".join(map(self.name, names))

    def setting(self, setting: Setting) -> str:
        given = setting.given
        return self[setting.parameter] + ("" if given is ... else f" {self.name(given)}")


_PAGE = _Page()


def on_page(error: Exception) -> str:
    """What a person at the page reads of an error; of a fault of comraf's own, that it is one.

    Examples
    --------
    >>> from comraf.errors import InputError
    >>> on_page(InputError(parameter="branch", given="x", allowed=["main", "june"]))
    'branch x is unknown; choose one of main, june'
    >>> on_page(KeyError("x"))
    'comraf made a mistake here (KeyError)'
    """
    if isinstance(error, (ComrafError, OSError)):
        return in_words(error, _PAGE)
    return f"comraf made a mistake here ({type(error).__name__})"
