"""What the page shows of a project: groups, documents, evidence; as plain data, quickly.

What was computed for one version is kept, and after an edit only what the edit touched is counted
again.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.collection.sides import photo_sides
from comraf.collection.text.words import letter_pattern, tokenise
from comraf.errors import InputError, ReadError
from comraf.report.markup import plain, visible
from comraf.report.snippets import snippet
from comraf.report.titles import item_titles, titled_clusters, value_titles
from comraf.results.contributions import Cluster, best_columns, contributions, group_counts
from comraf.results.contributions import View as SideView
from comraf.results.explain import Evidence, Explainer
from comraf.results.groups import Groups
from comraf.results.placement import fitted_counts
from comraf.results.scorer import Placed, Scored
from comraf.studio import others
from comraf.studio.criterion import OwnCriterion
from comraf.studio.rerun import Rerun
from comraf.studio.search import INDEX, Index
from comraf.studio.settings import Asked
from comraf.workflows.answer import DOCUMENTS

if TYPE_CHECKING:
    from comraf.results import Result
    from comraf.results.contributions import Side
    from comraf.session.session import SessionState
    from comraf.workflows.project import Project

__all__ = ["View"]

_T = TypeVar("_T")
_KEPT = 24
_TELLING = 8
#: Documents of a page.
PAGE = 50
_SNIPPET = 180
_TITLE = 160
_MOST_READ = 50_000
# Texts that are kept: after most edits the same documents are shown again.
_TEXTS = 500
_SEARCHES = 8
# Nobody reads more of two documents to say whether they belong together.
_MOST_ASKED = 2_000
_EVIDENCE = 12
# Photos that a group is known by.
_PICTURES = 6
# Documents that were found and can be chosen at once.
_MOST_CHOSEN = 5_000
# Words that may have to go before a document changes its group, at most so many are named.
_MOST_WITHOUT = 12
_SORTS = ("confidence", "doubt", "date", "order")


class View:
    """Shows a project; every method gives plain data.

    Parameters
    ----------
    project : Project
        Only one request at a time may speak to it; `lock` sees to that.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.lock = threading.RLock()
        self.collection = project.answer.collection
        self._joint: dict[str, dict[int, sp.csr_array]] = {}
        self._joint_of: tuple[Groups, int] | None = None
        self._kept: OrderedDict[tuple[str, int], Any] = OrderedDict()
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._lasting: OrderedDict[tuple[str, int], Any] = OrderedDict()
        self.index = Index(
            project.folder / INDEX, self.collection, project.session.log.fact("items") or ""
        )
        # what is typed comes and goes: it must not push out what took long
        self._find = lru_cache(_SEARCHES)(self.index.find)
        self.rerun = Rerun(self)
        self.audit, self.numbers = Asked(), Asked()
        self.criterion = OwnCriterion(self)
        #: What every change must have; whoever serves the page sets it.
        self.secret: Callable[[], str] = str

    def _once(self, what: str, version: int, make: Callable[[], _T]) -> _T:
        """What was made for a version, made once."""
        key = (what, version)
        # what is the same for many versions must not push out what the last ones need
        kept = self._lasting if version < 0 else self._kept
        if key not in kept:
            kept[key] = make()
            while len(kept) > _KEPT:
                kept.popitem(last=False)
        kept.move_to_end(key)
        found: _T = kept[key]
        return found

    def once(self, what: str, make: Callable[[], _T]) -> _T:
        """What is the same for all versions, made once."""
        return self._once(what, -1, make)

    def for_version(self, what: str, make: Callable[[], _T]) -> _T:
        """What is the same as long as nothing is said, made once."""
        return self._once(what, self.project.session.version, make)

    def of_run(self, what: str, make: Callable[[SessionState], _T]) -> _T:
        """What is the same for all groups that come from the run of now, made once.

        It is made of what held when the run had been taken, before other sides were edited.
        """
        said = self.project.session.said
        return self.once(f"{what} of run {said.run}", lambda: make(replace(said, sides={})))

    def for_clusters(self, what: str, make: Callable[[SessionState], _T]) -> _T:
        """What is the same as long as no group of another side changes, made once."""
        said = self.project.session.said
        return self.once(f"{what} by {said.clusters}", lambda: make(said))

    def all_sides(self) -> list[Side]:
        """The sides that the groups were made by, with their own groups."""
        return self.of_run("sides", self.project.sides)

    @property
    def sides(self) -> tuple[SideView, ...]:
        """What documents are known by on each side that the groups were made by."""
        return next(side for side in self.all_sides() if side.name == DOCUMENTS).views

    def warm(self) -> None:
        """Count and score beforehand what the first documents need."""
        with self.lock:
            session = self.project.session
            if len(session.groups) > 1:
                self._scored(session.groups, session.groups.items(session.groups.order[0])[:1])

    # -- all groups

    def state(self, version: int | None = None) -> dict[str, Any]:
        """Everything the page needs to know of all groups at once."""
        session = self.project.session
        number = session.version if version is None else session.number(version)
        said = session.at(number)
        return {
            "version": number,
            "run": said.run,
            "branch": session.branch_name,
            "branches": session.branches(),
            "names": session.versions(),
            "undo": session.log.entry(number).parent is not None,
            "redo": session.log.left(session.branch_name, number) is not None,
            "groups": self._once(
                f"groups by run {session.said.run}", number, lambda: self._groups(said, number)
            ),
            "n_pinned": len(said.pinned),
            "n_doubted": len(said.doubted),
            "n_labelled": len(said.labels),
        }

    def about(self) -> dict[str, Any]:
        """What never changes while the page is open."""
        from comraf.workflows.naming import noun_of

        return {
            "title": plain(self.project.answer.source, 120),
            "noun": noun_of(self.collection),
            "n": len(self.collection),
            "sides": [plain(view.other, 40) for view in self.sides],
            "others": others.names(self),
            "photos": self.collection.photos is not None,
            "key": (self.project.session.log.fact("items") or "")[:12],
            "looks": list(photo_sides()),
            "colours": [
                name
                for name, side in self.collection.sides.items()
                if len(side) and name != "words"
            ],
            "folder": plain(str(self.project.folder), 300),
        }

    def _groups(self, said: SessionState, version: int) -> list[dict[str, Any]]:
        groups = said.groups
        sizes = groups.sizes()
        telling = self._telling_at(version, groups)
        pinned, doubted = _counts_in(groups, said.pinned), _counts_in(groups, said.doubted)
        labels: dict[int, dict[str, int]] = {}
        for item, name in said.labels.items():
            of = labels.setdefault(int(groups.of[item]), {})
            of[name] = of.get(name, 0) + 1
        return [
            {
                "id": group,
                "name": plain(_name(groups, group, told), _TITLE),
                "named": bool(groups.names.get(group)),
                "size": sizes[group],
                "telling": {
                    side: [plain(value, 60) for value, _ in best]
                    for side, best in told.telling.items()
                    if best
                },
                "pinned": pinned.get(group, 0),
                "doubted": doubted.get(group, 0),
                "origin": said.origins.get(group),
                "pictures": pictures,
                "labels": [
                    [plain(name, 80), n]
                    for name, n in sorted(labels.get(group, {}).items(), key=lambda one: -one[1])
                ],
            }
            for group, told, pictures in zip(
                groups.order, telling, self._pictures(groups), strict=True
            )
        ]

    def names(self, version: int) -> dict[int, str]:
        """What the groups of a version are called: as they were named, or by telling values."""
        groups = self.project.session.at(version).groups
        telling = self._telling_at(version, groups)
        return {
            group: _name(groups, group, told)
            for group, told in zip(groups.order, telling, strict=True)
        }

    def _telling_at(self, version: int, groups: Groups) -> list[Cluster]:
        """What tells the groups of a version apart on the sides of the run of now."""
        what = f"telling by run {self.project.session.said.run}"
        return self._once(what, version, lambda: self._telling(groups))

    def _counted(self, groups: Groups) -> dict[str, sp.csr_array]:
        """Counts of each side's values in each group; only groups that changed are counted anew."""
        rows, run = self._joint, self.project.session.said.run
        before = None
        if self._joint_of is not None and self._joint_of[1] == run:  # another has other sides
            before = self._joint_of[0]
        if before is None:
            rows.clear()
            same: set[int] = set()
        else:
            moved = before.of != groups.of
            touched = set(before.of[moved].tolist()) | set(groups.of[moved].tolist())
            same = (set(groups.order) & set(before.order)) - touched
        anew = [group for group in groups.order if group not in same]
        if anew:
            place = {group: number for number, group in enumerate(anew)}
            labels = np.array([place.get(group, -1) for group in groups.order], dtype=np.int64)
            order = np.argsort(groups.order)
            which = labels[order][np.searchsorted(np.asarray(groups.order)[order], groups.of)]
            inside = np.flatnonzero(which >= 0)
            for view in self.sides:
                counts = view.counts if len(anew) == len(groups) else view.counts[inside]
                labelled = which if len(anew) == len(groups) else which[inside]
                joint = group_counts(sp.csr_array(counts), labelled, len(anew))
                kept = {group: rows[view.other][group] for group in same}
                kept |= {group: joint[[number]] for group, number in place.items()}
                rows[view.other] = kept
        elif before is not None:
            for view in self.sides:
                rows[view.other] = {group: rows[view.other][group] for group in groups.order}
        self._joint_of = groups, run
        return {
            view.other: sp.csr_array(
                sp.vstack([rows[view.other][group] for group in groups.order], format="csr")
            )
            for view in self.sides
        }

    def _telling(self, groups: Groups) -> list[Cluster]:
        """What tells each group apart, by side."""
        told: list[dict[str, list[tuple[str, float]]]] = [{} for _ in groups.order]
        joint = self._counted(groups)
        for view in self.sides:
            names = view.names
            for own, best in zip(
                told, best_columns(contributions(joint[view.other]), _TELLING), strict=True
            ):
                own[view.other] = [
                    (str(one.column) if names is None else names[one.column], one.contribution)
                    for one in best
                ]
        sizes = groups.sizes()
        found = [
            Cluster(number, sizes[group], 0.0, one)
            for number, (group, one) in enumerate(zip(groups.order, told, strict=True))
        ]
        return titled_clusters(found, self.collection)

    def similar(self, group: int) -> list[int]:
        """Other groups, the most similar ones first: by what their documents are made of."""
        groups = self.project.session.groups
        groups.check(group)
        at = groups.order.index(group)
        total = np.zeros(len(groups))
        for table in self._counted(groups).values():
            roots = sp.csr_array(table, dtype=np.float64, copy=True)
            mass = np.repeat(roots.sum(axis=1), np.diff(roots.indptr))
            roots.data = np.sqrt(roots.data / np.where(mass > 0, mass, 1.0))
            total += roots @ np.asarray(roots[[at]].todense()).ravel()
        order = np.argsort(-total, kind="stable")
        return [groups.order[number] for number in order.tolist() if number != at]

    # -- documents

    def documents(
        self, group: int, start: int = 0, most: int = PAGE, sort: str = "confidence"
    ) -> dict[str, Any]:
        """A page of the documents of a group."""
        if sort not in _SORTS:
            raise InputError(parameter="sort", given=sort, allowed=_SORTS)
        session = self.project.session
        version, said = session.version, session.said
        rows = said.groups.items(group)
        placed = self._once(f"placed {group}", version, lambda: self._placed(said.groups, rows))
        if sort == "date":
            order = np.argsort(self.collection.dates[rows], kind="stable")
        elif sort == "order":
            order = np.arange(len(rows))
        else:
            worth = placed.confidence if sort == "doubt" else -placed.confidence
            order = np.argsort(worth, kind="stable")
        chosen = order[start : start + most]
        told = self._telling_words(said.groups, group, version)
        for row in sorted(rows[chosen].tolist()):
            self._text(row)  # in the order of the files each part of these is read once
        return {
            "version": version,
            "group": group,
            "n": len(rows),
            "start": start,
            "documents": [
                self._line(
                    said,
                    int(rows[i]),
                    float(placed.confidence[i]),
                    said.groups.order[int(placed.runner_up[i])] if len(said.groups) > 1 else None,
                    told,
                )
                for i in chosen.tolist()
            ],
        }

    def find(self, text: str, start: int = 0, most: int = PAGE) -> dict[str, Any]:
        """A page of the documents that hold all words of a text."""
        if not self.index.is_ready():
            return {"ready": False, "n": 0, "documents": [], "groups": []}
        told = {word.strip('"').casefold() for word in text.split()}
        return self.listed(self._find(text), start, most, told) | {"ready": True}

    def listed(
        self, rows: Sequence[int], start: int, most: int = PAGE, told: Set[str] = frozenset()
    ) -> dict[str, Any]:
        """A page of some documents, and how many of them are in each group."""
        session = self.project.session
        said = session.said
        counts = _counts_in(said.groups, frozenset(rows))
        return {
            "version": session.version,
            "n": len(rows),
            "start": start,
            "items": rows[:_MOST_CHOSEN],
            "groups": list(counts.items()),
            "documents": [
                self._line(said, row, None, None, told) for row in rows[start : start + most]
            ],
        }

    def _line(
        self, said: SessionState, row: int, sure: float | None, other: int | None, told: Set[str]
    ) -> dict[str, Any]:
        """One document in a list."""
        collection = self.collection
        title = self._titles[row]
        date = collection.dates[row]
        return {
            "n": row,
            "title": plain(title, _TITLE),
            "date": "" if np.isnat(date) else str(date)[:10],
            "group": int(said.groups.of[row]),
            "confidence": None if sure is None else round(sure, 3),
            "runner_up": other,
            "pinned": row in said.pinned,
            "doubted": row in said.doubted,
            "label": plain(said.labels.get(row, ""), 80),
            "snippet": snippet(self._text(row)[:_MOST_READ], told, _SNIPPET, plain(title, _TITLE)),
        }

    def title(self, row: int) -> str:
        """What a document is called."""
        return plain(self._titles[row], _TITLE)

    @property
    def _titles(self) -> Sequence[str]:
        return self.once("titles", lambda: item_titles(self.collection))

    def excerpt(self, row: int) -> dict[str, Any]:
        """What a person needs to tell whether a document belongs to another one."""
        date, text = self.collection.dates[row], self._text(row)
        return {
            "n": row,
            "title": self.title(row),
            "date": "" if np.isnat(date) else str(date)[:10],
            "sides": self._values_of(row),
            "text": visible(text[:_MOST_ASKED]),
            "cut": len(text) > _MOST_ASKED,
        }

    def _text(self, row: int) -> str:
        if row in self._texts:
            self._texts.move_to_end(row)
            return self._texts[row]
        try:
            text = str(self.collection.text(row) or "")
        except ReadError:
            return ""
        if len(text) <= _MOST_READ:
            self._texts[row] = text
            while len(self._texts) > _TEXTS:
                self._texts.popitem(last=False)
        return text

    def _telling_words(self, groups: Groups, group: int, version: int) -> set[str]:
        if not any(view.other == "words" for view in self.sides):
            return set()
        found = self._telling_at(version, groups)
        told = found[groups.order.index(group)].telling.get("words", [])
        return {word for word, _ in told}

    def _result(self, version: int) -> Result:
        return self._once("result", version, lambda: self.project.result(version))

    def _placed(self, groups: Groups, rows: npt.NDArray[np.int64]) -> Placed:
        """Confidence and runner-up of some documents, each left out of its group."""
        if len(groups) < 2:
            nothing = np.zeros(len(rows), dtype=np.int32)
            sure = np.ones(len(rows))
            return Placed(nothing, nothing, sure, np.ones(len(rows), int), sure)
        return self._scored(groups, rows).place()

    def _scored(self, groups: Groups, rows: npt.NDArray[np.int64]) -> Scored:
        """Scores of some documents against the groups of now, as everywhere in comraf."""
        version = self.project.session.version
        result = self._result(version)
        graph = self.project.run_of(self.project.session.said)[0]

        def fitted() -> Any:
            sides, counts = fitted_counts(graph, result, DOCUMENTS, "auto")
            plain_sides = {
                name: replace(side, weighting="raw", units=1.0, factors=None)
                for name, side in sides.items()
            }
            return plain_sides, counts

        sides, counts = self._once("fitted", version, fitted)
        scored = Scored(
            sides,
            {name: sp.csr_array(table[rows]) for name, table in counts.items()},
            result.labels[DOCUMENTS][rows],
        )
        scored.sharpness = self.of_run("sharpness", self._sharpness)
        return scored

    def _sharpness(self, said: SessionState) -> float:
        """The sharpness of the groups as they were found: edits don't change how sure it was."""
        return Explainer(*self.project.run_of(said)).scored(DOCUMENTS).sharpness

    def document(self, row: int) -> dict[str, Any]:
        """One document: its text with what speaks for its group marked, and why it is there."""
        n = len(self.collection)
        if not 0 <= row < n:
            raise InputError(f"there is no document {row}; they are numbered from 0 to {n - 1}")
        session = self.project.session
        said, groups = session.said, session.groups
        line = self._line(said, row, None, None, set())
        text = self._text(row)
        found = {
            **line,
            "version": session.version,
            "id": plain(self.collection.ids[row], 200),
            "source": plain(self.collection.sources[row], 300),
            "sides": self._values_of(row),
            "cut": len(text) > _MOST_READ,
            "for": [],
            "against": [],
            "without": [],
            "flips": False,
        }
        weights: dict[str, float] = {}
        if len(groups) > 1:
            why = self._why(groups, row)
            found |= why["shown"]
            weights = why["weights"]
        found["text"] = _marked(visible(text[:_MOST_READ]), weights)
        return found

    def _values_of(self, row: int) -> dict[str, list[str]]:
        """The values that a document has on sides other than words."""
        found = {}
        for view in self.sides:
            if view.other == "words" or view.names is None:
                continue
            names = self._names(view.other)
            columns = view.counts.indices[view.counts.indptr[row] : view.counts.indptr[row + 1]]
            if values := [plain(names[column], 60) for column in columns[:12].tolist()]:
                found[view.other] = values
        return found

    def _why(self, groups: Groups, row: int) -> dict[str, Any]:
        """Evidence for the group and for the runner-up, and what would have to change."""
        scored = self._scored(groups, np.array([row], dtype=np.int64))
        placed = scored.place()
        rows = {}
        for name, table in scored.tables.items():
            kept = table.data > 0
            rows[name] = (table.indices[kept].astype(np.int64), table.data[kept].astype(float))
        worths = scored.worths(0, rows)
        own, other = int(scored.labels[0]), int(placed.runner_up[0])
        pieces = []
        for name, worth in worths.items():
            values = self._names(name)
            pieces += [
                Evidence(name, value, values[value], count, float(w[own] - w[other]), 0, 0)
                for value, count, w in zip(
                    rows[name][0].tolist(), rows[name][1].tolist(), worth, strict=True
                )
            ]
        pieces.sort(key=lambda piece: -piece.contribution)
        good = [piece for piece in pieces if piece.contribution > 0]
        bad = [piece for piece in reversed(pieces) if piece.contribution < 0]
        whole = sum(piece.contribution for piece in good) or 1.0
        margin = sum(piece.contribution for piece in pieces)
        without, left = [], margin
        for piece in good[:_MOST_WITHOUT]:
            if left < 0:
                break
            without.append(plain(piece.name, 60))
            left -= piece.contribution
        return {
            "weights": {
                piece.name: piece.contribution / whole for piece in pieces if piece.side == "words"
            },
            "shown": {
                "confidence": round(float(placed.confidence[0]), 3),
                "runner_up": groups.order[other],
                "for": [_piece(piece, whole) for piece in good[:_EVIDENCE]],
                "against": [_piece(piece, whole) for piece in bad[:_EVIDENCE]],
                "without": without if left < 0 <= margin else [],
                "flips": margin < 0,
            },
        }

    def _names(self, side: str) -> Sequence[str]:
        base = side.partition(" (")[0]
        titles = self.once("titles of values", lambda: value_titles(self.collection))
        return titles.get(base, self.collection.ids)

    def thumbnail(self, row: int) -> bytes:
        """The small picture of a photo, as it lies in the collection."""
        from comraf.report.panels.photos import thumbnail

        photos = self.collection.photos
        if photos is None or not 0 <= row < len(self.collection):
            return b""
        return thumbnail(photos, row)

    def _pictures(self, groups: Groups) -> list[list[int]]:
        """Photos of each group to know it by: those that are typical of what the search found."""
        if self.collection.photos is None:
            return [[] for _ in groups.order]
        worth = self.of_run("typical", self._typical)
        order = np.argsort(-worth, kind="stable")
        of = groups.of[order]
        return [order[of == group][:_PICTURES].tolist() for group in groups.order]

    def _typical(self, said: SessionState) -> npt.NDArray[np.float64]:
        from comraf.report.answer import Answer

        return Answer(self.collection, *self.project.run_of(said)).typical


def _name(groups: Groups, group: int, told: Cluster) -> str:
    """The name that was given, or the most telling values."""
    if given := groups.names.get(group):
        return given
    best = told.telling.get("words") or next((one for one in told.telling.values() if one), [])
    return ", ".join(value for value, _ in best[:3]) or f"group {group}"


def _piece(piece: Evidence, whole: float) -> dict[str, Any]:
    return {
        "side": plain(piece.side, 40),
        "value": plain(piece.name, 60),
        "weight": round(abs(piece.contribution) / whole, 4),
    }


def _counts_in(groups: Groups, items: frozenset[int]) -> dict[int, int]:
    """How many of some items are in each group."""
    if not items:
        return {}
    ids, counts = np.unique(groups.of[sorted(items)], return_counts=True)
    return dict(zip(ids.tolist(), counts.tolist(), strict=True))


def _marked(text: str, weights: dict[str, float]) -> list[list[Any]]:
    """Text in pieces, each with its weight: above 0 for the group, below for the runner-up."""
    pieces: list[list[Any]] = []
    known: dict[str, float] = {}
    for part in re.split(f"({letter_pattern()}+)", text):
        if not part:
            continue
        word = part.casefold()
        if word not in known:
            weight = weights.get(word, 0.0)
            if not weight and not part.isascii() and len(found := tokenise(part)) == 1:
                weight = weights.get(found[0].casefold(), 0.0)
            known[word] = round(weight, 4)
        weight = known[word]
        if pieces and not weight and not pieces[-1][1]:
            pieces[-1][0] += part
        else:
            pieces.append([part, weight])
    return pieces
