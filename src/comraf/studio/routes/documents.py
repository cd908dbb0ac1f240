"""Documents: of a group, found by their text, one alone; and small pictures of photos."""

from __future__ import annotations

from typing import Any

from starlette.responses import PlainTextResponse, Response

from comraf.studio.routes.given import number, text
from comraf.studio.view import PAGE, View

__all__ = ["ROUTES"]

_LONGEST_QUERY = 500


def _documents(view: View, given: dict[str, Any]) -> dict[str, Any]:
    most = min(number(given, "most", PAGE), 4 * PAGE)
    return view.documents(
        number(given, "group"), number(given, "start", 0), most, text(given, "sort", "confidence")
    )


def _find(view: View, given: dict[str, Any]) -> dict[str, Any]:
    return view.find(text(given, "text", "")[:_LONGEST_QUERY], number(given, "start", 0))


def _to_label(view: View, given: dict[str, Any]) -> dict[str, Any]:
    """Documents without a label, those whose labels are worth most first."""
    return view.listed(
        view.for_version("to label", view.project.to_label), number(given, "start", 0)
    )


def _thumbnail(view: View, given: dict[str, Any]) -> Response:
    jpeg = view.thumbnail(number(given, "row"))
    if not jpeg:
        return PlainTextResponse("there is no picture", 404)
    # the address has a key of the collection: what it shows never changes
    return Response(
        jpeg, media_type="image/jpeg", headers={"cache-control": "private, max-age=86400"}
    )


ROUTES = {
    ("GET", "/api/groups/{group}/documents"): _documents,
    ("GET", "/api/groups/{group}/similar"): lambda view, given: {
        "groups": view.similar(number(given, "group"))
    },
    ("GET", "/api/documents"): _find,
    ("GET", "/api/unlabelled"): _to_label,
    ("GET", "/api/documents/{row}"): lambda view, given: view.document(number(given, "row")),
    ("GET", "/api/documents/{row}/picture"): _thumbnail,
}
