"""Questions about two documents, their answers, and answers that clash."""

from __future__ import annotations

from typing import Any, cast

from comraf.errors import ConflictError, InputError
from comraf.studio.routes.given import number, numbers, text, version
from comraf.studio.view import View

__all__ = ["ROUTES"]

_BUDGET = 20


def _question(view: View, given: dict[str, Any]) -> dict[str, Any]:
    """The next question, or the one about two documents that were chosen."""
    project = view.project
    most = number(given, "most", _BUDGET)
    if chain := project.clash():
        return _shown(view, None, most) | {"clash": _chain(view, chain)}
    if "one" in given:
        pair = number(given, "one"), number(given, "other")
        n = len(view.collection)
        if max(pair) >= n or pair[0] == pair[1]:
            raise InputError(f"give two documents, numbered from 0 to {n - 1}")
    else:
        found = project.question(cast(Any, text(given, "by", "unsure")), most=most)
        if found is None:
            return _shown(view, None, most)
        pair = found
    return _shown(view, pair, most)


def _shown(view: View, pair: tuple[int, int] | None, most: int) -> dict[str, Any]:
    session = view.project.session
    last = session.log.entry(session.version)
    return {
        "version": session.version,
        "pair": None if pair is None else [view.excerpt(row) for row in pair],
        "asked": view.project.n_answered,
        "most": most,
        "undo": last.kind == "answer" and bool(last.said["relation"]),
    }


def _chain(view: View, chain: list[tuple[int, int, str]]) -> list[dict[str, Any]]:
    """Answers that clash, with what a person knows the documents by."""
    answers = view.project.session.said.answers
    return [
        {
            "pair": [one, other],
            "titles": [view.title(one), view.title(other)],
            "relation": relation,
            "said": (min(one, other), max(one, other)) in answers,
        }
        for one, other, relation in chain
    ]


def _answer(view: View, given: dict[str, Any]) -> dict[str, Any]:
    """Say whether two documents belong together; where that clashes, with what, and nothing is."""
    project, relation = view.project, text(given, "relation")
    pair = numbers(given, "pair")
    if len(pair) != 2:
        raise InputError("pair: give two whole numbers")
    one, other = pair
    try:
        project.reply(one, other, relation, at=version(given))
    except ConflictError as error:
        clash = project.clash((one, other, relation))
        return {"clash": _chain(view, clash), "why": str(error)}
    return {"version": project.session.version}


ROUTES = {
    ("GET", "/api/question"): _question,
    ("POST", "/api/answer"): _answer,
}
