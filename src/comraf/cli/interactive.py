"""``comraf interactive``: a person says by what values documents are to be grouped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from comraf.cli.options import Force, OutFolder, PathArgument, Quiet, command
from comraf.cli.program import complain
from comraf.cli.show import clean, listed, tell, tell_place
from comraf.cli.talk import Lines, Talking, check_place, cut_short, group_and_save, wrapped
from comraf.cli.wording import in_options
from comraf.errors import ComrafError, InputError
from comraf.workflows.interactive import LOG, VALUES, InteractiveOptions
from comraf.workflows.naming import counted, noun_of

if TYPE_CHECKING:
    from comraf.workflows.interactive import Interactive, Member

__all__ = ["interactive"]

_HELP = {
    "suggest": "suggest [SIDE]: values that are neither rare nor everywhere",
    "find": "find TEXT: all values with this in them",
    "add": "add GROUP VALUE, VALUE ...: put values into a group, also out of another one",
    "delete": "delete VALUE, VALUE ...: take values out; no step brings them back",
    "name": "name GROUP NAME: give a group a name",
    "groups": "groups: the values of each group",
    "step": "step: group the documents that have these values, and find more values",
    "uncovered": "uncovered: documents that have none of the values",
    "undo": "undo, redo: take back what was said last, or a step",
    "done": "done: write the groups",
}
_SAME = {
    "move": "add",
    "put": "add",
    "del": "delete",
    "remove": "delete",
    "rename": "name",
    "q": "done",
    "quit": "done",
    "stop": "done",
    "?": "help",
    "h": "help",
    "search": "find",
    "a": "add",
    "d": "delete",
    "s": "step",
    "g": "groups",
    "f": "find",
    "u": "undo",
}
_VERBS = (*_HELP, "redo", "help")
_MOST_TOLD = 400
_SUGGESTED = 60
_FOUND = 20
_UNCOVERED = 5
_LINES = 3


@command
def interactive(
    path: PathArgument,
    options: InteractiveOptions,
    out: OutFolder = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Group documents by a criterion of your own, such as mood or style.

    PATH is what "comraf organize" takes. You name a few values of each group: words that only
    happy people write, say. "step" groups the documents that have any of them, then clusters all
    values of these documents; those that come out beside yours join your groups. You delete what
    is wrong, move what is in the wrong group, add what is missing, and step again, until no
    document is added. Documents with none of the values are shown, too.

    Type "add 0 happy, glad" and "add 1 sad, angry", then "step"; "?" lists what else there is.
    Groups are numbered from 0. --by chooses the sides: words, with --ngrams also phrases; pos
    (parts of speech), style (punctuation and stop words), people ... Sides without values of yours
    are clustered as usual.

    Everything that is said is in criterion.db of the folder of --out at once: the same command
    goes on where it was left. In the end the folder gets what "comraf organize" writes, and the
    values of all groups as criterion.csv, which --values-from takes. Lines may also come from a
    pipe.

    Parameters
    ----------
    path
        What to group.
    out
        Folder for what was said and the groups; by default NAME-criterion beside where you are. If
        something was said there already, it counts.

    Examples
    --------
    comraf interactive reviews.csv -k 4 --id key --text review
    comraf interactive letters -k 2 --by words,style --out moods
    comraf interactive reviews.csv -k 4 --id key --values-from lexicon.csv --out by-lexicon
    """
    from comraf.cli.bar import Bar
    from comraf.workflows.interactive import interactive as begin

    given = options.check()
    place = out or Path(f"{path.resolve().stem or 'collection'}-criterion")
    goes_on = (place / LOG).is_file()
    check_place(place, out is not None, force or goes_on)
    lines = Lines()
    if not given and not lines.typed and not lines.waiting():
        raise InputError(
            "there is nobody to ask: standard input is no terminal and says nothing; run it on a "
            "terminal, pipe lines such as those that help lists, or name a file with --values-from"
        )
    made = not place.exists()
    try:
        with Bar(quiet=quiet) as bar:
            begun = begin(path, place, options=options, listener=bar)
    except BaseException:
        if made and place.is_dir() and not any(place.iterdir()):
            place.rmdir()
        raise
    with begun as mine:
        try:
            if given:
                with Bar(quiet=quiet) as bar:
                    mine.run(listener=bar)
            else:
                Steering(lines, mine, quiet).hold()
            done, pressed = group_and_save(place, mine.answer, mine.save, quiet)
        except KeyboardInterrupt:
            complain("stopped", f"what was said is kept in {place / LOG}; the same command goes on")
            raise typer.Exit(130) from None
        if not quiet:
            from comraf.cli.organize import show

            show(done, place)
            tell(_covered(mine))
            tell_place("The values of all groups:", place / VALUES)
        if cut_short(done) or pressed:
            complain(
                "stopped",
                f"the search was cut short: the best groups until then and all that was said are "
                f"in {place}; the same command goes on",
            )
            raise typer.Exit(130)


def _covered(mine: Interactive) -> str:
    """How many documents have any of the values, in a sentence."""
    covered, n = int(mine.covered.sum()), len(mine.collection)
    values = counted(len(mine.criterion.group_of), "value")
    noun = noun_of(mine.collection)
    return f"{covered:,} of {counted(n, noun)} ({covered / n:.1%}) have any of {values}."


@dataclass
class Steering(Talking):
    """What a person says of values, line by line.

    Attributes
    ----------
    mine : Interactive
    quiet : bool
        Whether steps show no progress.
    """

    mine: Interactive
    quiet: bool
    _begun: bool = field(default=False, init=False)

    def hold(self) -> None:
        """Listen until it is done, or nobody speaks any more."""
        mine = self.mine
        if mine.criterion.group_of:
            tell(f"Going on. {_covered(mine)}")
            self._groups("")
        else:
            tell(f"Name values of each group, 0 to {mine.n_clusters - 1}, then step; ? for help.")
            self._suggest("")
        while True:
            said = self.read("> ", as_typed=True)
            if said is None:
                return
            typed, _, about = said.partition(" ")
            verb = _verb(typed)
            if verb is None:
                if typed:
                    tell(f"There is no {clean(typed)!r} here; ? lists what there is.")
                continue
            do: Callable[[str], None] = getattr(self, f"_{verb}", lambda _: mine.check())
            try:
                do(about.strip())
                if verb == "done":
                    return
            except ComrafError as error:
                told = clean(in_options(error), _MOST_TOLD)
                tell(f"{told[:1].upper()}{told[1:]}{'' if told.endswith('?') else '.'}")

    def _help(self, about: str) -> None:
        for line in _HELP.values():
            tell(line, indent=4)

    def _suggest(self, side: str) -> None:
        found = self.mine.suggested(side=side or None)
        self._show_values(found, _SUGGESTED, "find TEXT shows others")

    def _find(self, text: str) -> None:
        if not text:
            raise InputError("say what to find: find TEXT")
        found = self.mine.suggested(text)
        if found:
            self._show_values(found, _SUGGESTED, "a longer text finds fewer")
        else:
            tell(f"No value outside the groups has {clean(text)!r} in it.")

    def _show_values(self, found: Sequence[Member], most: int, more: str) -> None:
        for side in dict.fromkeys(one.side for one in found):
            own = [one for one in found if one.side == side]
            told = ", ".join(f"{clean(one.value)} ({one.documents:,})" for one in own[:most])
            rest = f" ... and {len(own) - most:,} more; {more}" if len(own) > most else ""
            tell(f"{clean(side)}: {told}{rest}", indent=2)

    def _add(self, about: str) -> None:
        group, _, values = about.partition(" ")
        number = self._group(group)
        self.mine.put(self._values(values), number)
        tell(f"{clean(self.mine.criterion.name(number))}: {_covered(self.mine)}")

    def _delete(self, about: str) -> None:
        self.mine.delete(self._values(about))
        tell(_covered(self.mine))

    def _name(self, about: str) -> None:
        group, _, name = about.partition(" ")
        self.mine.rename(self._group(group), name.strip())

    def _group(self, text: str) -> int:
        """A group by its number or its name."""
        names = self.mine.criterion.names
        named = [number for number, name in names.items() if name.lower() == text.lower()]
        if len(named) == 1 and text:
            return named[0]
        if not text.isdecimal() or int(text[:9]) >= self.mine.n_clusters:
            last = self.mine.n_clusters - 1
            raise InputError(f"say which group first, by its number from 0 to {last} or its name")
        return int(text)

    def _values(self, text: str) -> list[str]:
        """Values parted by commas; where there is none, one value with blanks, or several."""
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if len(parts) == 1 and not self.mine.has(parts[0]):
            parts = parts[0].split()
        if not parts:
            raise InputError("say which values, parted by commas")
        return parts

    def _groups(self, about: str) -> None:
        mine = self.mine
        for number in range(mine.n_clusters):
            members = mine.members(number)
            said = [one.value for one in members if one.said]
            found = [one.value for one in members if not one.said]
            told = [listed(said[:_SUGGESTED])] if said else ["no values of yours"]
            if found:
                rest = f" and {len(found) - _FOUND:,} more" if len(found) > _FOUND else ""
                told.append(f"found: {listed(found[:_FOUND])}{rest}")
            name = mine.criterion.names.get(number, "")
            tell(f"{number} {clean(name)}".strip() + f": {'; '.join(told)}", indent=2)

    def _step(self, about: str) -> None:
        from comraf.cli.bar import Bar

        mine, before = self.mine, len(self.mine.criterion.group_of)
        try:
            with Bar(quiet=self.quiet) as bar:
                bar.say("grouping")
                whole = mine.step(bar)
        except KeyboardInterrupt:
            whole = False
        if not whole:
            complain("note", "the step was cut short and nothing was found; what was said stays")
            return
        self._groups("")
        found = len(mine.criterion.group_of) - before
        noun = noun_of(mine.collection)
        end = f" No {noun} was added: done writes the groups." if mine.finished else ""
        tell(f"{counted(found, 'value')} found. {_covered(mine)}{end}")

    def _uncovered(self, about: str) -> None:
        mine = self.mine
        rows = mine.uncovered.tolist()
        tell(_covered(mine))
        for row in rows[:_UNCOVERED]:
            for line in wrapped(_opening(mine, row), self.console, _LINES):
                self.print(line)
            self.print("")
        if len(rows) > _UNCOVERED:
            tell(f"... and {len(rows) - _UNCOVERED:,} more.")

    def _undo(self, about: str) -> None:
        tell(_covered(self.mine) if self.mine.undo() else "There is nothing to take back.")

    def _redo(self, about: str) -> None:
        tell(_covered(self.mine) if self.mine.redo() else "Nothing was taken back.")


def _verb(typed: str) -> str | None:
    """What is meant by a word, another word for it, or the beginning of one alone.

    Examples
    --------
    >>> _verb("Move"), _verb("sug"), _verb("un"), _verb("sing")
    ('add', 'suggest', None, None)
    """
    typed = typed.lower()
    if typed in _VERBS or typed in _SAME:
        return _SAME.get(typed, typed)
    meant = [verb for verb in _VERBS if typed and verb.startswith(typed)]
    return meant[0] if len(meant) == 1 else None


def _opening(mine: Any, row: int) -> str:
    """The title and the text of a document, as far as they can be read."""
    try:
        text = mine.collection.text(row)
    except (ComrafError, OSError):
        text = ""
    text, title = " ".join(text.split()), mine.collection.titles[row]
    if title and text.startswith(title.removesuffix("…").strip()):
        return text  # the title was made of it
    return f"{title or mine.collection.ids[row]}: {text}"
