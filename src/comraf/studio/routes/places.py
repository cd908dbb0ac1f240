"""The map: places, groups, dates and colours of all documents, as plain numbers."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from comraf.studio import map as maps
from comraf.studio.routes.given import numbers, text
from comraf.studio.view import View

__all__ = ["ROUTES"]


def _numbers(data: bytes) -> Response:
    return Response(data, media_type="application/octet-stream")


def _places(view: View, given: dict[str, Any]) -> Response:
    return _numbers(maps.places(view))


def _groups(view: View, given: dict[str, Any]) -> Response:
    answer = _numbers(maps.group_numbers(view))
    answer.headers["x-version"] = str(view.project.session.version)
    return answer


ROUTES = {
    ("GET", "/api/map/places"): _places,
    ("GET", "/api/map/groups"): _groups,
    ("GET", "/api/map/dates"): lambda view, given: _numbers(maps.dates(view)),
    ("GET", "/api/map/by/{side}"): lambda view, given: maps.colours_by(view, text(given, "side")),
    ("POST", "/api/map/titles"): lambda view, given: {
        "titles": maps.titles(view, numbers(given, "items"))
    },
}
