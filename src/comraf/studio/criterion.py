"""A person's own criterion in the studio: values by group, steps beside the page, the groups."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.errors import InputError, ReadError
from comraf.progress import Event, Listener
from comraf.report.markup import visible
from comraf.session import StaleError
from comraf.studio.wording import on_page
from comraf.workflows.answer import DOCUMENTS
from comraf.workflows.interactive import LOG, NOT_COVERED, Interactive, InteractiveOptions, Member

if TYPE_CHECKING:
    from comraf.session.criterion import Criterion, Value
    from comraf.studio.view import View

__all__ = ["OwnCriterion"]

#: The folder of criteria within that of the answer, each begun in a folder of its own.
CRITERIA = "criteria"
_FOUND = 200
_SUGGESTED = 100
_UNCOVERED = 50
_OPENING = 240


class _CancelledError(Exception):
    """Ends a step from within."""


@dataclass
class _Step:
    """What is done beside the page, or how the last such thing ended."""

    state: str = "none"  # "running", "done", "cancelled", "failed"
    what: str = "step"  # or "take"
    done: float = 0.0
    n_found: int = 0
    error: str = ""


class OwnCriterion:
    """The one criterion that a studio works on: the last that was begun in its folder.

    Everything a person says is in its log before a request is answered. A step runs beside the
    page, and a person may go on speaking: what is said stands, whatever the step finds.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._mine: Interactive | None = None
        self._step = _Step()

    @property
    def _folder(self) -> Path:
        return self._view.project.folder / CRITERIA

    def _numbers(self) -> list[int]:
        """Criteria that were begun, in order."""
        if not self._folder.is_dir():
            return []
        found = (place.name for place in self._folder.iterdir() if (place / LOG).is_file())
        return sorted(int(name) for name in found if name.isdecimal())

    def begin(self, n_groups: int, sides: list[str]) -> None:
        """Begin another one; those before stay in the folder."""
        self._free()
        number = (self._numbers() or [0])[-1] + 1
        place = self._folder / str(number)
        place.mkdir(parents=True, exist_ok=True)
        self._open(place / LOG, n_groups, sides)

    def _open(self, log: Path, n_groups: int | None, sides: list[str]) -> None:
        project = self._view.project
        options = project.answer.options
        given = InteractiveOptions(
            by=tuple(sides),
            effort=options.effort,
            random_state=options.random_state,
            n_jobs=options.n_jobs,
        )
        mine = Interactive(
            project.answer.collection, log, given, n_clusters=n_groups, path=project.answer.path
        )
        if self._mine is not None:
            self._mine.log.close()
        self._mine, self._step = mine, _Step()

    @property
    def mine(self) -> Interactive:
        """The present one, at the version that the log stands at."""
        if self._mine is None:
            from comraf.session.criterion import begun

            numbers = self._numbers()
            if not numbers:
                raise InputError("no criterion was begun yet")
            log = self._folder / str(numbers[-1]) / LOG
            sides = begun(log).get("sides")
            if not isinstance(sides, list):
                raise ReadError(f"{log}: does not say which sides it is about")
            self._open(log, None, sides)
        assert self._mine is not None  # noqa: S101 - it was opened
        return self._mine

    def at(self, version: int) -> Interactive:
        """The present one, if it is as the person saw it."""
        if version != self.mine.log.version:
            raise StaleError("the values have changed meanwhile; look again, then say it once more")
        return self.mine

    # -- what the page shows

    def sides(self) -> list[dict[str, Any]]:
        """Sides that a criterion may be about."""
        collection = self._view.collection
        return [
            {"name": name, "shown": visible(name), "n": len(side)}
            for name, side in collection.sides.items()
            if len(side) and name in collection.tables and collection.tables[name].nnz
        ]

    def shown(self) -> dict[str, Any]:
        """Everything that the page shows, as plain data."""
        if self._mine is None and not self._numbers():
            n = len(self._view.project.session.groups)
            return {"begun": False, "sides": self.sides(), "n_groups": n}
        mine = self.mine
        now, covered = mine.criterion, mine.covered
        sizes = mine.sizes()
        return {
            "begun": True,
            "version": mine.log.version,
            "sides": [{"name": name, "shown": visible(name)} for name in mine.sides],
            "groups": [self._group(now, number, sizes) for number in range(mine.n_clusters)],
            "covered": int(covered.sum()),
            "n": len(covered),
            "values": len(now.group_of),
            "finished": mine.finished,
            "step": {
                "state": self._step.state,
                "what": self._step.what,
                "done": self._step.done,
                "found": self._step.n_found,
                "error": self._step.error,
            },
        }

    def _group(self, now: Criterion, number: int, sizes: list[int] | None) -> dict[str, Any]:
        members = self.mine.members(number)
        found = [one for one in members if not one.said]
        return {
            "number": number,
            "name": visible(now.name(number)),
            "size": None if sizes is None else sizes[number],
            "said": [_plain(one) for one in members if one.said],
            "found": [_plain(one) for one in found[:_FOUND]],
            "n_found": len(found),
        }

    def suggested(self, search: str, side: str | None) -> dict[str, Any]:
        """Values that may be a group's."""
        found = self.mine.suggested(search, side=side)
        return {"values": [_plain(one) for one in found[:_SUGGESTED]], "n": len(found)}

    def uncovered(self, start: int) -> dict[str, Any]:
        """Documents that have none of the values."""
        rows = self.mine.uncovered.tolist()
        shown = []
        for row in rows[start : start + _UNCOVERED]:
            found = self._view.excerpt(row)
            text = " ".join(found["text"].split())
            shown.append({"n": row, "title": found["title"], "text": text[:_OPENING]})
        return {"documents": shown, "n": len(rows)}

    def values(self, given: Any) -> list[Value]:
        """Values with their sides, as a request gives them."""
        pairs = given if isinstance(given, list) else []
        for one in pairs or [None]:
            right = isinstance(one, list) and len(one) == 2
            if not (right and all(isinstance(part, str) for part in one) and self._has(*one)):
                raise InputError("values: give a list of sides with values that they have")
        return [(side, value) for side, value in pairs]

    def _has(self, side: str, value: str) -> bool:
        return self.mine.has(value, side=side)

    # -- steps

    def start(self, version: int) -> None:
        """Begin a step by what holds now."""
        mine, now = self._ready(version)

        def work(step: _Step, heard: Listener) -> None:
            found = mine.find(now, heard)
            with self._view.lock:
                if step.state != "running" or found is None:
                    return
                before = len(mine.criterion.group_of)
                mine.log.found(found)
                then = mine.criterion
                step.n_found = len(then.group_of) - before
            mine.grouped(heard, then)  # the page shows how large groups are, and takes them at once

        self._begin("step", work)

    def take(self, version: int, at: int) -> None:
        """Begin to make its groups those of the session, which can be undone as all else."""
        from comraf.workflows.regroup import Settings

        mine, now = self._ready(version)
        project = self._view.project
        project.session.looked_at(at)

        def work(step: _Step, heard: Listener) -> None:
            answer = mine.answer(heard, now)
            k, effort = len(answer.result.names[DOCUMENTS]), answer.options.effort
            settings = Settings(n_clusters=k, by=tuple(mine.sides), effort=effort, fresh=True)
            names = {number: name for number, name in now.names.items() if name}
            if k > mine.n_clusters:
                names[mine.n_clusters] = NOT_COVERED
            with self._view.lock:
                if step.state == "running":
                    project.take(answer, settings, names=names, at=at)

        self._begin("take", work)

    def _ready(self, version: int) -> tuple[Interactive, Criterion]:
        """The present one with what holds now, by which documents can be grouped."""
        self._free()
        mine = self.at(version)
        now = mine.criterion
        if not now.group_of:
            raise InputError("no group has any value yet; name some first")
        mine.check(now)
        return mine, now

    def cancel(self) -> None:
        """End it; nothing was found then."""
        if self._step.state == "running":
            self._step.state = "cancelled"

    def _free(self) -> None:
        if self._step.state == "running":
            raise InputError("a step is on; cancel it, or wait until it ends")

    def _begin(self, what: str, work: Callable[[_Step, Listener], None]) -> None:
        """Do something beside the page."""
        self._step = step = _Step("running", what)

        def heard(event: Event) -> None:
            if step.state != "running":
                raise _CancelledError
            step.done = max(step.done, event.done)

        def run() -> None:
            try:
                work(step, heard)
                step.state = "done" if step.state == "running" else step.state
            except _CancelledError:
                return
            except Exception as error:  # noqa: BLE001 - a fault of comraf's own is said, not shown
                step.state, step.error = "failed", on_page(error)

        threading.Thread(target=run, daemon=True).start()


def _plain(one: Member) -> dict[str, Any]:
    return {
        "side": one.side,
        "value": one.value,
        "shown": visible(one.value),
        "n": one.documents,
        "said": one.said,
    }
