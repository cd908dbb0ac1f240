"""The talk of ``comraf ask``: questions one by one, and answers that stay."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.cli.show import clean, open_console, tell
from comraf.cli.wording import counted
from comraf.errors import ConflictError, InputError, WriteError
from comraf.results.files import safe_cell, set_aside
from comraf.store import write_whole

if TYPE_CHECKING:
    from comraf.active import Constraints, LabelOracle
    from comraf.cli.askable import Items

__all__ = [
    "ANSWERS",
    "LINKS",
    "Lines",
    "Session",
    "Talk",
    "known_links",
    "label_oracle",
    "take_back",
]

#: Where answers are kept within the folder, and what follows from them.
ANSWERS = "answers.jsonl"
LINKS = {"must_link": "must-link.csv", "cannot_link": "cannot-link.csv"}


_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("s", "same", "y", "yes"), True),
    **dict.fromkeys(("d", "different", "n", "no"), False),
    **dict.fromkeys(("?", "don't know", "dont know"), None),
}
_DO = {
    **dict.fromkeys(("u", "undo"), "undo"),
    **dict.fromkeys(("r", "re-cluster", "recluster"), "regroup"),
    **dict.fromkeys(("q", "quit", "stop"), "stop"),
}
_KEYS = "s = same, d = different, ? = don't know, u = undo, r = re-cluster, q = stop"
_ENDS = "After q the groups are made; Ctrl-C leaves at once, and answers stay."


def take_back(journal: Path) -> bool:
    r"""Cut the last answer off a journal; False where it has none.

    Each line after the first is one answer, so that the file is again what it was before.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "answers.jsonl")
    ...     _ = file.write_text('{"n": 3}\n{"a": 0}\n')
    ...     take_back(file), file.read_text(), take_back(file)
    (True, '{"n": 3}\n', False)
    """
    try:
        lines = journal.read_bytes().splitlines(keepends=True)
        if len(lines) < 2:
            return False
        with journal.open("r+b") as stream:
            stream.truncate(sum(map(len, lines[:-1])))
            os.fsync(stream.fileno())
    except OSError as error:
        raise WriteError(f"{journal}: can't be written: {error.strerror or error}") from error
    return True


class Session:
    """A learner with its journal in a folder, and the files of links that follow from it.

    Parameters
    ----------
    items : Items
        What is asked about.
    place : path
        The folder; it is made if it is not there.
    learner : callable
        Makes a learner that has not begun.
    known : mapping, optional
        Links that are known before, ``known_must`` and ``known_cannot``, as the learner takes them.
    """

    def __init__(
        self,
        items: Items,
        place: Path,
        learner: Callable[[], Any],
        known: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    ) -> None:
        self.items, self.place, self._learner = items, place, learner
        self._known = dict(known or {})
        self.journal = place / ANSWERS
        self._made = not place.exists()
        self._new = not self.journal.exists()
        try:
            place.mkdir(parents=True, exist_ok=True)
            for name in LINKS.values() if self._new else ():
                set_aside(place / name)
        except OSError as error:
            raise WriteError(f"{place}: can't be made: {error.strerror or error}") from error
        self.begin()

    def begin(self) -> None:
        """Start, or go on from what the journal has."""
        self.learner = self._learner()
        try:
            self.learner.start(
                self.items.X, journal=self.journal, ids=self.items.ids, **self._known
            )
        except InputError as error:
            if error.code != "other_items":
                self.leave()
                raise
            earlier = ""
            if (self.place / "collection").is_dir():
                there = f"comraf ask {self.place} -k N --out {self.place}"
                earlier = f", or go on with those that were there then: {there}"
            raise InputError(
                f"{self.journal} has answers about other {self.items.noun}s than are there now; "
                f"begin anew with another --out{earlier}"
            ) from None

    def answer_by(self, oracle: LabelOracle) -> None:
        """Let somebody answer who need not be shown anything."""
        while (pair := self.learner.query()) is not None:
            self.learner.answer(oracle.same(*pair))

    def undo(self) -> bool:
        """Take the last answer back, whenever it was given; False where there is none."""
        if not take_back(self.journal):
            return False
        self.begin()
        return True

    def leave(self) -> None:
        """Where nothing was answered, nothing stays behind."""
        if self._new and not _answers_in(self.journal):
            with suppress(OSError):
                self.journal.unlink(missing_ok=True)
                if self._made:
                    self.place.rmdir()

    def found(self) -> Constraints:
        """What is known so far."""
        found: Constraints = self.learner.result()
        return found

    def write_links(self) -> list[Path | None]:
        """Files that ``comraf organize`` takes; None in place of one without links."""
        found, ids = self.found(), self.items.ids
        written: list[Path | None] = []
        for what, name in LINKS.items():
            pairs = getattr(found, what)
            path = self.place / name
            if not len(pairs):
                # One from before an answer was taken back would say what is no longer so.
                path.unlink(missing_ok=True)
                written.append(None)
                continue
            buffer = io.StringIO()
            lines = csv.writer(buffer, lineterminator="\n")
            lines.writerow(["id1", "id2"])
            lines.writerows([safe_cell(ids[i]), safe_cell(ids[j])] for i, j in pairs)
            write_whole(path, [buffer.getvalue()])
            written.append(path)
        return written

    def told(self) -> str:
        """What was learnt, in a sentence."""
        found = self.found()
        before = {what: len(self._known.get(f"known_{what}", ())) for what in ("must", "cannot")}
        same = len(found.must_link) - found.n_inferred - before["must"]
        different = len(found.cannot_link) - before["cannot"]
        parts = [f"{same:,} same", f"{different:,} different"]
        if len(found.unsure):
            parts.append(f"{len(found.unsure):,} don't know")
        if len(found.left_out):  # with noise
            parts.append(f"{len(found.left_out):,} outvoted or not yet confirmed by others")
        said = f"{counted(found.n_asked, 'answer')}: {', '.join(parts)}"
        if found.n_inferred:
            said += f"; {found.n_inferred:,} more same, as no other group is left"
        if found.n_known:
            said += f"; {counted(found.n_known, 'link')} known before"
        placed = sum(len(rows) for rows in found.neighbourhoods)
        if placed and found.n_asked:
            sets = counted(len(found.neighbourhoods), "set")
            said += f"; {counted(placed, self.items.noun)} in {sets} that belong together"
        return said + "."


def _answers_in(journal: Path) -> int:
    try:
        return max(0, journal.read_bytes().count(b"\n") - 1)
    except OSError:
        return 0


class Lines:
    r"""Lines that are typed, or come from a pipe; None at the end, whatever the reason.

    Examples
    --------
    >>> lines = Lines(io.BytesIO(b"s\n D \r\n"))
    >>> lines.waiting(), lines.next(), lines.next(), lines.next()
    (True, 's', 'd', None)
    """

    def __init__(self, stream: Any = None) -> None:
        given = sys.stdin if stream is None else stream
        self._stream: Any = getattr(given, "buffer", given)
        self.typed = bool(given is not None and given.isatty())
        self._held: list[bytes] = []

    def waiting(self) -> bool:
        """Whether there is a line at all; it stays to be read."""
        self._held.append(self._line())
        return bool(self._held[0])

    def next(self) -> str | None:
        """The next line, without blanks around it and in small letters."""
        line = self._held.pop() if self._held else self._line()
        return line.decode("utf-8", "replace").strip().lower() if line else None

    def _line(self) -> bytes:
        if self._stream is None:  # standard input was closed before we began
            return b""
        try:
            return bytes(self._stream.readline())
        except (OSError, ValueError):  # the terminal has gone
            return b""


@dataclass
class Talk:
    """Questions to a person, one by one.

    Attributes
    ----------
    session : Session
    lines : Lines
        Where answers come from.
    questions : int
        How many there may be in all.
    regroup : callable
        Groups the documents by what is known, and says what changed.
    """

    session: Session
    lines: Lines
    questions: int
    regroup: Callable[[], None]
    _scrolled: bool = False  # something long was printed since the question was shown

    def hold(self) -> None:
        """Ask until there is nothing to ask, or nobody to answer."""
        console = self.console = open_console()
        learner = self.session.learner
        tell(console, f"Do A and B belong to the same group? {_KEYS}. {_ENDS}")
        if learner.n_asked:
            tell(console, f"Going on. {self.session.told()}")
        answered, shown = False, None
        while True:
            pair = self.session.learner.query()
            if pair is None:
                # The last answer may have been a slip, too.
                if answered and self._last_word() == "undo" and self.session.undo():
                    continue
                break
            if pair != shown:  # a slip of the finger is no reason to show it all again
                self._show(pair)
            shown = pair
            self._scrolled = False
            done = self._answer()
            if done is None:
                break
            answered |= done
            if self._scrolled:
                shown = None
        asked = self.session.learner.n_asked
        if self.session.learner.query() is None:
            if asked < self.questions:
                tell(console, "There is nothing left to ask: all else follows.")
            elif not answered:
                more = f"--questions {2 * self.questions} asks more"
                tell(console, f"All {counted(asked, 'question')} have been answered; {more}.")

    def _show(self, pair: tuple[int, int]) -> None:
        console, asked = self.console, self.session.learner.n_asked
        rule = ("─" if console.encoding.startswith("utf") else "-") * 3
        self._print("")
        self._print(f"Question {asked + 1:,} of {self.questions:,}")
        for name, row in zip("AB", pair, strict=True):
            self._print(f"{rule} {name} {rule}")
            for line in self.session.items.shown(row, console):
                self._print(line)

    def _answer(self) -> bool | None:
        """True once it is answered, False if it must be asked again, None to stop."""
        said = self._read("Same group? [s/d/?/u/r/q] ")
        if said is None or _DO.get(said) == "stop":
            return None
        if said in _WORDS:
            try:
                self.session.learner.answer(_WORDS[said])
            except ConflictError:
                tell(self.console, "That contradicts earlier answers; u takes the last one back.")
                return False
            left = self.questions - self.session.learner.n_asked
            more = f" {counted(left, 'question')} left." if self.session.learner.query() else ""
            tell(self.console, f"{self.session.told()}{more}")
            return True
        if _DO.get(said) == "undo":
            if self.session.undo():
                tell(self.console, f"The last answer is taken back. {self.session.told()}")
            else:
                tell(self.console, "There is no answer to take back.")
        elif _DO.get(said) == "regroup":
            self.regroup()
            self._scrolled = True
        else:
            tell(self.console, f"Type one of these, then Enter: {_KEYS}")
        return False

    def _last_word(self) -> str:
        said = self._read("That was the last question. Enter goes on, u takes it back: ")
        return _DO.get(said or "", "")

    def _read(self, prompt: str) -> str | None:
        self.console.print(prompt, end="", markup=False, soft_wrap=True)
        sys.stdout.flush()
        said = self.lines.next()
        if not self.lines.typed or said is None:
            # Nobody has pressed Enter: what was read stands behind the question.
            self._print(clean(said or ""))
        return said

    def _print(self, line: str) -> None:
        self.console.print(line, markup=False, soft_wrap=True)


def known_links(
    items: Items, must: Sequence[str] | None, cannot: Sequence[str] | None
) -> dict[str, list[tuple[int, int]]]:
    """Links of files between those that can be asked about, each once, by their row among these."""
    from comraf.cli.known import Members, Told
    from comraf.cli.program import complain

    told = Told.read(None, must, cannot)
    facts = told.about({items.side: Members(items.n, items.names)}, items.side)
    place = {int(row): number for number, row in enumerate(items.rows)}
    found: dict[str, list[tuple[int, int]]] = {}
    for name, links in (("known_must", facts.must_link), ("known_cannot", facts.cannot_link)):
        pairs = {tuple(sorted(map(int, link[:2]))) for link in links.get(items.side, ())}
        there = [(place[i], place[j]) for i, j in sorted(pairs) if {i, j} <= place.keys()]
        if len(there) < len(pairs):
            lost = counted(len(pairs) - len(there), "known link")
            complain("note", f"{lost} left out: {items.noun}s without counts can't be grouped")
        if there:
            found[name] = there
    return found


def label_oracle(items: Items, path: Path) -> LabelOracle:
    """A file of labels that answers; whoever has no label there is not known."""
    from comraf.active import LabelOracle
    from comraf.cli.known import Members, Told

    told = Told.read([str(path)], None, None)
    facts = told.about({items.side: Members(items.n, items.names)}, items.side)
    labels = facts.labels.get(items.side, {})
    return LabelOracle([labels.get(int(i)) for i in items.rows])
