"""Questions about two documents, or two values of another side; answers, and those that clash."""

from __future__ import annotations

from typing import Any, cast

from comraf.errors import ConflictError, InputError
from comraf.studio import others
from comraf.studio.routes.given import number, numbers, text, version
from comraf.studio.view import View
from comraf.studio.wording import on_page
from comraf.workflows.answer import DOCUMENTS

__all__ = ["ROUTES"]

_BUDGET = 20


def _side(view: View, given: dict[str, Any]) -> str:
    side, sides = text(given, "side", DOCUMENTS), view.project.asked_sides
    if side not in sides:
        raise InputError(parameter="side", given=side, allowed=sides)
    return side


def _question(view: View, given: dict[str, Any]) -> dict[str, Any]:
    """The next question, or the one about two documents that were chosen."""
    project = view.project
    most, side = number(given, "most", _BUDGET), _side(view, given)
    if chain := project.clash(side=side):
        return _shown(view, None, most, side) | {"clash": _chain(view, chain, side)}
    if "one" in given:
        pair = number(given, "one"), number(given, "other")
        n = len(view.collection)
        if max(pair) >= n or pair[0] == pair[1] or side != DOCUMENTS:
            raise InputError(f"give two documents, numbered from 0 to {n - 1}")
    else:
        by = cast(Any, text(given, "by", "unsure"))
        found = project.question(by, most=most, side=side)
        if found is None:
            return _shown(view, None, most, side)
        pair = found
    return _shown(view, pair, most, side)


def _shown(view: View, pair: tuple[int, int] | None, most: int, side: str) -> dict[str, Any]:
    session = view.project.session
    last = session.log.entry(session.version)
    return {
        "version": session.version,
        "pair": None if pair is None else [_excerpt(view, one, side) for one in pair],
        "side": side,
        "sides": list(view.project.asked_sides),
        "asked": view.project.n_answered,
        "most": most,
        "undo": last.kind in ("answer", "side answer") and bool(last.said["relation"]),
    }


def _excerpt(view: View, one: int, side: str) -> dict[str, Any]:
    return view.excerpt(one) if side == DOCUMENTS else others.excerpt(view, side, one)


def _chain(view: View, chain: list[tuple[int, int, str]], side: str) -> list[dict[str, Any]]:
    """Answers that clash, with what a person knows the documents by."""
    said = view.project.session.said
    answers = said.answers if side == DOCUMENTS else said.others.get(side, {})

    def title(one: int) -> str:
        return view.title(one) if side == DOCUMENTS else others.title(view, side, one)

    return [
        {
            "pair": [one, other],
            "titles": [title(one), title(other)],
            "relation": relation,
            "said": (min(one, other), max(one, other)) in answers,
        }
        for one, other, relation in chain
    ]


def _answer(view: View, given: dict[str, Any]) -> dict[str, Any]:
    """Say whether two documents belong together; where that clashes, with what, and nothing is."""
    project, relation, side = view.project, text(given, "relation"), _side(view, given)
    pair = numbers(given, "pair")
    if len(pair) != 2:
        raise InputError("pair: give two whole numbers")
    one, other = pair
    try:
        project.reply(one, other, relation, side=side, at=version(given))
    except ConflictError as error:
        clash = project.clash((one, other, relation), side=side)
        return {"clash": _chain(view, clash, side), "why": on_page(error)}
    return {"version": project.session.version}


ROUTES = {
    ("GET", "/api/question"): _question,
    ("POST", "/api/answer"): _answer,
}
