"""``comraf ask``: a person is asked about pairs of documents, and the groups heed the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from comraf.cli.options import Force, OutFolder, PathArgument, Quiet, command
from comraf.cli.program import complain
from comraf.cli.show import clean, cluster_table, show_table, tell
from comraf.cli.talk import Lines, Talking, check_place, cut_short, group_and_save, wrapped
from comraf.errors import ConflictError, InputError
from comraf.workflows.answer import Answer
from comraf.workflows.ask import ANSWERS, LINKS, AskOptions
from comraf.workflows.naming import counted, noun_of

if TYPE_CHECKING:
    from comraf.workflows.ask import Asking

__all__ = ["Talk", "ask"]


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
    check_place(place, out is not None, force or goes_on)
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


@dataclass
class Talk(Talking):
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
    regroup: Callable[[], None]
    _scrolled: bool = False  # something long was printed since the question was shown

    def hold(self) -> None:
        """Ask until there is nothing to ask, or nobody to answer."""
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
        self.print("")
        self.print(f"Question {asked + 1:,} of {self.asking.options.questions:,}")
        for name, row in zip("AB", pair, strict=True):
            self.print(f"{rule} {name} {rule}")
            for paragraph, most in self.asking.items.described(row):
                for line in wrapped(paragraph, console, most):
                    self.print(line)

    def _answer(self) -> bool | None:
        """True once it is answered, False if it must be asked again, None to stop."""
        said = self.read("Same group? [s/d/?/u/r/q] ")
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
        said = self.read("That was the last question. Enter goes on, u takes it back: ")
        return _DO.get(said or "", "")


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
            if cut_short(done):
                complain("note", "the search was cut short; these are the best groups until then")
            changed = asking.changed(done)
            if changed:
                tell(changed)

    Talk(lines, asking, regroup).hold()


def _finish(asking: Asking, quiet: bool) -> bool:
    """Group by all answers, write the folder and show it; True if Ctrl-C came meanwhile."""
    place = asking.place
    done, pressed = group_and_save(place, asking.group, asking.save, quiet)
    changed = asking.changed(done)
    if not quiet:
        show(done, place)
        for sentence in (asking.summary(), changed):
            if sentence:
                tell(sentence)
        there = [name for name in LINKS.values() if (place / name).is_file()]
        files = ", ".join([ANSWERS, *there])
        tell(f"Answers are in {clean(str(place), 200)}: {files}")
    return cut_short(done) or pressed


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
