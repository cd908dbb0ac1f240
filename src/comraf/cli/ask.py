"""``comraf ask``: a person is asked about pairs of documents, and the groups heed the answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from comraf.cli.files import claim
from comraf.cli.options import Force, OutFolder, PathArgument, Quiet, command
from comraf.cli.patience import Patience
from comraf.cli.program import complain, has_written
from comraf.cli.show import clean, cluster_table, open_console, show_table, tell
from comraf.errors import ConflictError, InputError, WriteError
from comraf.workflows.answer import Answer
from comraf.workflows.ask import ANSWERS, LINKS, AskOptions
from comraf.workflows.naming import counted, noun_of

if TYPE_CHECKING:
    from rich.console import Console

    from comraf.workflows.ask import Asking

__all__ = ["Lines", "Talk", "ask"]


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


_WIDEST = 100
_MOST_TEXT = 4_000


@command
def ask(
    path: PathArgument,
    options: AskOptions,
    out: OutFolder = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Ask which documents belong together, and group them by the answers.

    PATH is what "comraf organize" takes: a mailbox, a table of texts, a folder; or a table of
    counts as for "comraf cluster" (.npz, .npy, .mtx, or any with --format). Two documents or rows
    are shown, and you say whether they belong to the same group: s (same), d (different) or ? (don't
    know). Which two is chosen so that few answers help much, and nothing is asked that follows
    from earlier answers. u takes the last answer back, r groups the documents by what is known
    so far, q stops asking.

    Every answer is in answers.jsonl of the folder of --out at once. The same command goes on where
    it was left, after q, Ctrl-C or a closed window; --questions counts those answered before.

    In the end the documents are grouped, and the folder gets what "comraf organize" (or "comraf
    cluster") writes, and the answers as must-link.csv and cannot-link.csv, which its --must-link
    and --cannot-link take.

    What is known of some documents before is given in files: --must-link, --cannot-link. It is taken
    for true, and nothing is asked that follows from it. Answers may also come from a pipe, one a
    line, or from a file of labels (--answers-from).

    Parameters
    ----------
    path
        What to ask about.
    out
        Folder for the answers and the groups; by default NAME-asked beside where you are. If it has
        answers already, they count.

    Examples
    --------
    comraf ask ~/Mail/archive.mbox -k 12
    comraf ask papers.csv --id key -k 8 --questions 100 --out papers-asked
    comraf ask papers.csv --id key -k 8 --method hmrf --learner minmax
    comraf ask papers.csv --id key -k 8 --answers-from known.csv --questions 200
    comraf ask papers.csv --id key --noise 0.1 --must-link together.csv
    comraf ask counts.npz --row-names cities.txt -k 5 --method hmrf
    """  # noqa: E501
    from comraf.cli.bar import Bar
    from comraf.workflows.ask import ask as begin

    options.check(path)
    place = out or Path(f"{path.resolve().stem or 'collection'}-asked")
    goes_on = (place / ANSWERS).is_file()
    _check_place(place, out is not None, force or goes_on)
    lines = Lines()
    if options.answers_from is None and not goes_on and not lines.typed and not lines.waiting():
        raise InputError(
            "there is nobody to ask: standard input is no terminal and has no answers; run it on "
            "a terminal, pipe answers (s, d or ? a line), or name a file with --answers-from"
        )
    with Bar(quiet=quiet) as bar:
        begun = begin(path, place, options=options, listener=bar)
    with begun as asking:
        try:
            if asking.oracle is not None:
                asking.answer_by(asking.oracle)
            else:
                _talk(asking, lines, quiet)
            early = _finish(asking, quiet)
        except KeyboardInterrupt:
            _stopped(asking)
        if early:
            complain(
                "stopped",
                f"the search was cut short: the best groups until then and all answers are in "
                f"{place}; the same command groups anew",
            )
            raise typer.Exit(130)


def _check_place(place: Path, named: bool, force: bool) -> None:
    """Refuse a folder that can't be written to, or has something else in it."""
    try:
        claim(place, force=force)
    except WriteError as error:
        if named or error.code == "not_empty":  # that names --out already
            raise
        raise error.about("{error}; choose another place with --out") from None


def brief(done: Any) -> None:
    """Print the groups between two questions."""
    if not isinstance(done, Answer):
        from comraf.cli.cluster import show as show_clusters

        show_clusters(done, None)
        return
    from comraf.report.titles import titled_clusters
    from comraf.workflows.knowledge import sentences

    found = titled_clusters(done.clusters["documents"], done.collection)
    what = f"{noun_of(done.collection)}s"
    names = () if done.collection.photos is None else done.names
    show_table(*cluster_table(what, found, list(done.organizer.sides_), (), names))
    for sentence in sentences(done.known, noun_of(done.collection)):
        tell(sentence)


def show(done: Any, place: Path) -> None:
    """Print the groups, and where everything is."""
    if isinstance(done, Answer):
        from comraf.cli.organize import show as show_groups

        show_groups(done, place)
    else:
        from comraf.cli.cluster import show as show_clusters

        show_clusters(done, place)


class Lines:
    r"""Lines that are typed, or come from a pipe; None at the end, whatever the reason.

    Examples
    --------
    >>> import io
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
    asking : Asking
    lines : Lines
        Where answers come from.
    regroup : callable
        Groups the documents by what is known, and says what changed.
    """

    asking: Asking
    lines: Lines
    regroup: Callable[[], None]
    _scrolled: bool = False  # something long was printed since the question was shown

    def hold(self) -> None:
        """Ask until there is nothing to ask, or nobody to answer."""
        self.console = open_console()
        asking, questions = self.asking, self.asking.options.questions
        tell(f"Do A and B belong to the same group? {_KEYS}. {_ENDS}")
        if asking.n_asked:
            tell(f"Going on. {asking.summary()}")
        answered, shown = False, None
        while True:
            pair = asking.question()
            if pair is None:
                # The last answer may have been a slip, too.
                if answered and self._last_word() == "undo" and asking.undo():
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
        asked = asking.n_asked
        if asking.question() is None:
            if asked < questions:
                tell("There is nothing left to ask: all else follows.")
            elif not answered:
                more = f"--questions {2 * questions} asks more"
                tell(f"All {counted(asked, 'question')} have been answered; {more}.")

    def _show(self, pair: tuple[int, int]) -> None:
        console, asked = self.console, self.asking.n_asked
        rule = ("─" if console.encoding.startswith("utf") else "-") * 3
        self._print("")
        self._print(f"Question {asked + 1:,} of {self.asking.options.questions:,}")
        for name, row in zip("AB", pair, strict=True):
            self._print(f"{rule} {name} {rule}")
            for paragraph, most in self.asking.items.described(row):
                for line in _wrapped(paragraph, console, most):
                    self._print(line)

    def _answer(self) -> bool | None:
        """True once it is answered, False if it must be asked again, None to stop."""
        said = self._read("Same group? [s/d/?/u/r/q] ")
        if said is None or _DO.get(said) == "stop":
            return None
        if said in _WORDS:
            try:
                self.asking.answer(_WORDS[said])
            except ConflictError:
                tell("That contradicts earlier answers; u takes the last one back.")
                return False
            left = self.asking.options.questions - self.asking.n_asked
            more = f" {counted(left, 'question')} left." if self.asking.question() else ""
            tell(f"{self.asking.summary()}{more}")
            return True
        if _DO.get(said) == "undo":
            if self.asking.undo():
                tell(f"The last answer is taken back. {self.asking.summary()}")
            else:
                tell("There is no answer to take back.")
        elif _DO.get(said) == "regroup":
            self.regroup()
            self._scrolled = True
        else:
            tell(f"Type one of these, then Enter: {_KEYS}")
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


def _wrapped(text: str, console: Console, most: int) -> Iterator[str]:
    """At most so many lines of a text; wide letters take two places, as on the terminal."""
    from rich.text import Text

    width = max(20, min(console.width, _WIDEST))
    found = Text(clean(text, _MOST_TEXT)).wrap(console, width - 4)
    lines = [line.plain.rstrip() for line in found]
    for number, line in enumerate(lines[:most] if text else (), start=1):
        yield f"  {line}{' …' if number == most < len(lines) else ''}"


def _talk(asking: Asking, lines: Lines, quiet: bool) -> None:
    """Ask a person."""
    from comraf.cli.bar import Bar

    def regroup() -> None:
        try:
            with Bar(quiet=quiet) as bar:
                bar.say("grouping")
                done = asking.group(bar)
        except ConflictError as error:
            complain("warning", error)
        except KeyboardInterrupt:
            complain("note", f"no new groups of {asking.items.noun}s; the questions go on")
        else:
            brief(done)
            if _cut_short(done):
                complain("note", "the search was cut short; these are the best groups until then")
            changed = asking.changed(done)
            if changed:
                tell(changed)

    Talk(asking, lines, regroup).hold()


def _cut_short(done: Any) -> bool:
    """Whether Ctrl-C ended the search, or the look at what it found."""
    return done.result.interrupted or getattr(done, "unchecked", False)


def _finish(asking: Asking, quiet: bool) -> bool:
    """Group by all answers, write the folder and show it; True if Ctrl-C came meanwhile."""
    from comraf.cli.bar import Bar
    from comraf.cli.organize import in_own_words, warn

    patience, place = Patience(), asking.place
    with Bar(quiet=quiet) as bar:
        bar.say("grouping")
        done = asking.group(bar)
        if isinstance(done, Answer):
            in_own_words(done)
        bar.say("writing the answer")
        with patience:
            asking.save(done)
        has_written(place)
    if isinstance(done, Answer):
        warn(done)
    changed = asking.changed(done)
    if not quiet:
        show(done, place)
        for sentence in (asking.summary(), changed):
            if sentence:
                tell(sentence)
        there = [name for name in LINKS.values() if (place / name).is_file()]
        files = ", ".join([ANSWERS, *there])
        tell(f"Answers are in {clean(str(place), 200)}: {files}")
    return _cut_short(done) or patience.pressed


def _stopped(asking: Asking) -> None:
    """Ctrl-C: what was answered is on the disk already."""
    n = asking.n_asked
    if n:
        asking.write_links()
        complain(
            "stopped",
            f"{counted(n, 'answer')} {'is' if n == 1 else 'are'} kept in {asking.journal}; the "
            "same command goes on",
        )
    else:
        asking.leave()
        complain("stopped", "nothing was answered and nothing was written")
    raise typer.Exit(130)
