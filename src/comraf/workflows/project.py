"""An answer that is being edited: its groups, and the session of everything said of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from comraf.errors import InputError
from comraf.workflows.answer import DOCUMENTS, Answer, of_result, open_answer, result_in

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from comraf.results import Result
    from comraf.session import Session
    from comraf.session.session import Step

__all__ = ["SESSION", "Project", "open_project"]

#: The file of the session, in the folder of the answer.
SESSION = "session.db"


class Project:
    """An answer in its folder, with the session of its groups.

    Attributes
    ----------
    answer : Answer
        What ``comraf organize`` wrote; it never changes.
    session : Session
        Everything that was said since; its verbs change the groups.
    folder : Path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from comraf import organize
    >>> from comraf.collection.sample import write_mbox
    >>> folder = tempfile.TemporaryDirectory()
    >>> box = write_mbox(Path(folder.name, "box.mbox"), 60)
    >>> organize(box, 4, effort="quick", random_state=0).save(Path(folder.name, "groups"))
    >>> with open_project(Path(folder.name, "groups")) as project:
    ...     step = project.session.merge(0, 1, name="both")
    ...     project.edited().names[0], project.session.undo()
    ('both', True)
    >>> folder.cleanup()
    """

    def __init__(self, answer: Answer, *, who: str = "") -> None:
        from comraf.session import Session

        if answer.folder is None:
            raise InputError(
                "the answer lies in no folder; save it, and open the folder it was saved to"
            )
        self.answer, self.folder = answer, answer.folder
        result = answer.result
        self.session: Session = Session.begin(
            self.folder / SESSION,
            result.cluster_ids(DOCUMENTS),
            ids=answer.items,
            names=dict(zip(result.ids[DOCUMENTS].tolist(), answer.names, strict=True)),
            place=".",
            runs=self._groups_of,
            who=who,
        )

    def _groups_of(self, place: str) -> npt.NDArray[np.int64]:
        """Groups of a run that lies in the folder, or in one within it."""
        if place == ".":
            return self.answer.result.cluster_ids(DOCUMENTS)
        folder = self.folder / place
        if not folder.resolve().is_relative_to(self.folder.resolve()):
            raise InputError(f"{place}: is outside of {self.folder}")
        return result_in(folder).cluster_ids(DOCUMENTS)

    def split(
        self, group: int, parts: int = 2, *, version: int | None = None, at: int | None = None
    ) -> Step:
        """Make several groups of one, by the sides that made the groups.

        Parameters
        ----------
        group, parts : int
        version : int, optional
            The groups of which version are meant; by default those of now.
        at : int, optional
            As for the verbs of `comraf.session.Session`.
        """
        from comraf.results.hierarchy import Hierarchy
        from comraf.results.solved import Solved

        if isinstance(parts, bool) or not isinstance(parts, int) or parts < 2:
            raise InputError(f"parts={parts!r}; give 2 or more")
        groups = self.session.at(self.session.version if version is None else version).groups
        size = groups.size(group)
        if parts > size:
            raise InputError(f"parts={parts}; group {group} has {size:,} items only")
        result = self.result(version)
        place = groups.order.index(group)
        tree = Hierarchy(
            Solved(self.answer.graph, result), DOCUMENTS, self.answer.options.random_state
        )
        return self.session.split(group, tree.divide(place, parts)[groups.items(group)], at=at)

    def result(self, version: int | str | None = None) -> Result:
        """The groups of a version (by default of now) with what they are worth."""
        from comraf.results.edit import grouped

        wanted = self.session.version if version is None else version
        return grouped(
            self.answer.graph, self.answer.result, DOCUMENTS, self.session.at(wanted).groups
        )

    def edited(self, version: int | str | None = None) -> Answer:
        """The answer with the groups of a version, by default of now."""
        result = self.result(version)
        return of_result(
            self.answer.collection,
            self.answer.graph,
            replace(result, ids={}, next_ids={}),
            like=self.folder,
        )

    def save(
        self, out: str | os.PathLike[str], version: int | str | None = None, **options: Any
    ) -> None:
        """Write a version as ``comraf organize`` does: groups, report, model and collection."""
        self.edited(version).save(out, **options)

    def items(self, names: Iterable[str]) -> list[int]:
        """Numbers of items by their ids."""
        from comraf.workflows.answer import item_of

        return [item_of(self.answer, DOCUMENTS, name) for name in names]

    def close(self) -> None:
        """Close the session and the answer."""
        self.session.close()
        self.answer.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Project({str(self.folder)!r}: {self.session.groups})"


def open_project(folder: str | os.PathLike[str], *, who: str = "") -> Project:
    """Open what ``comraf organize`` wrote, to edit its groups and go on with earlier edits.

    Parameters
    ----------
    folder : path-like
        The folder of the answer. The session is kept in it, in the file ``session.db``.
    who : str
        Who edits; it is written beside everything that is said.

    Raises
    ------
    ReadError
        If there is no such answer, or the answer or the session is damaged.
    InputError
        If the session is about another answer.
    """
    answer = open_answer(folder)
    try:
        return Project(answer, who=who)
    except BaseException:
        answer.close()
        raise
