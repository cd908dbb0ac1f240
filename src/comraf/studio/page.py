"""The page itself: a template without any of the collection's text, filled by its script."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["drawn"]


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("comraf.studio"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def drawn(template: str, **context: Any) -> str:
    """A template of the studio, filled.

    Examples
    --------
    >>> "<form" in drawn("login.html", wrong=False)
    True
    """
    return _environment().get_template(template).render(context)
