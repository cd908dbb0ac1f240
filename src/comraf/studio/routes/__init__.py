"""What the page can ask for and say: one file a subject, one function a route.

A route gets the project as it is shown, and what was given: parts of the path, the query, the body
of a change. It gives plain data or a response.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from comraf.studio.routes import (
    criterion,
    documents,
    edits,
    export,
    history,
    others,
    page,
    places,
    questions,
    runs,
    settings,
)

__all__ = ["ROUTES"]

#: By method and path.
ROUTES: Mapping[tuple[str, str], Callable[..., Any]] = {
    **page.ROUTES,
    **documents.ROUTES,
    **edits.ROUTES,
    **history.ROUTES,
    **export.ROUTES,
    **questions.ROUTES,
    **runs.ROUTES,
    **settings.ROUTES,
    **others.ROUTES,
    **criterion.ROUTES,
    **places.ROUTES,
}
