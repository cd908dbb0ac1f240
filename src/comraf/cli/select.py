"""``comraf select``: which sides, weights, sizes and numbers of groups to ask for."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

import typer

from comraf.cli.files import check_file, write_file
from comraf.cli.interrupts import resume_hint
from comraf.cli.options import (
    OPTIONS,
    Json,
    Log,
    OutFile,
    PathArgument,
    Quiet,
    ReplaceFile,
    command,
)
from comraf.cli.program import complain
from comraf.cli.show import clean, show_table, tell, tell_as_json, tell_note, tell_place
from comraf.cli.table import Facts
from comraf.cli.wording import in_options
from comraf.errors import Message, Setting
from comraf.workflows.select import SelectOptions

if TYPE_CHECKING:
    from comraf.workflows.select import Selected

__all__ = ["select"]

_LONGEST = 60


@command
def select(
    path: PathArgument,
    options: SelectOptions,
    out: OutFile = None,
    force: ReplaceFile = False,
    quiet: Quiet = False,
    as_json: Json = False,
    log: Log = None,
) -> None:
    """Try sides, weights, sizes and numbers of groups, and say which to ask organize for.

    PATH is what organize takes. All sides are tried together, then all other sets of them where
    these are few; of many sides one after another is left out as long as that is better. Choices
    are ranked by what groups by half of the values foretell of the other half of the main side, as
    organize asks about each side.

    Then other weights of the best sides are tried, and sides that are also joined to each other
    (loopy). The number of groups and their sizes follow the rules of organize.

    With --labels, --truth, or --must-link and --cannot-link each choice also makes groups of all
    documents, and these are to agree with what is known; other sizes and numbers of groups are
    tried, too.

    Choices that do not differ beyond noise are no difference worth choosing, and the command says
    so.

    Ctrl-C and --time-limit keep what was tried until then; with --checkpoint it can be taken up
    again by the same command and --resume.

    Parameters
    ----------
    path
        What is to be organised.
    out
        Write a page (.html) with a plot of all choices.

    Examples
    --------
    comraf select ~/Mail/archive.mbox
    comraf select papers.csv --id key -k 12 --labels known.csv --out choices.html
    comraf select enron/kitchen-l --truth folders -k 38 --tries 20 --jobs -1
    comraf select ~/Maildir --time-limit 600 --checkpoint half-way
    """
    from comraf.cli.bar import Bar
    from comraf.workflows.select import select as work

    options.check(path)
    check_file(out, force=force, endings=[".html"], option="--out")
    with Bar(quiet=quiet, log=log) as bar:
        found = work(path, options=options, listener=bar)
    found = replace(found, notes=tuple(map(in_options, found.notes)))
    ask = f"comraf organize {quote(str(path))} {_asked(found)}".rstrip()
    if out is not None:
        write_file(out, [found.page(ask=ask)], force=force)
    if as_json:
        tell_as_json({**found.to_dict(), "ask": ask})
    elif not quiet:
        _show(found, ask)
        tell_place("Open", out)
    if not found.found.interrupted:
        options.is_over()
        return
    kept = f"the best of what was tried until then was kept{resume_hint(options)}"
    if found.found.out_of_time:
        complain("warning", f"the time limit was reached; {kept}")
        return
    complain("stopped", kept)
    raise typer.Exit(130)


def _asked(found: Selected) -> str:
    """The options of organize that ask for the best choice."""

    def typed(one: Setting) -> str:
        if isinstance(one.given, str):
            return f"{OPTIONS[one.parameter]} {quote(one.given)}"
        return in_options(Message("{one}", {"one": one}))

    return " ".join(map(typed, found.settings))


def _show(found: Selected, ask: str) -> None:
    """Print the choices, the best first, and how to ask for the best."""
    ranked, first = found.found.ranked, found.found.tried[0]
    labelled = bool(found.found.n_known)
    how = "+.2f" if labelled else "+.1%"

    def cell(value: float, form: str) -> str:
        return "" if value != value else format(value, form)

    facts = [
        Facts("choice", [clean(str(one.choice), _LONGEST) for one in ranked], right=False),
        Facts("foretold", [cell(one.foretold.value, ".0%") for one in ranked]),
    ]
    if labelled:
        facts.append(Facts("agreement", [cell(one.agreement.value, ".3f") for one in ranked]))
    compared = [(score, one is first) for one, score in zip(ranked, found.scores, strict=True)]
    gains = ["" if own else cell(score.gain, how) for score, own in compared]
    errors = ["" if own else cell(score.error, how[1:]) for score, own in compared]
    show_table([*facts, Facts("gain", gains), Facts("±", errors)])
    tell(f"{clean(found.found.sentence, 400)}.")
    for note in found.notes:
        tell_note(note)
    tell(f"Ask for it with: {ask}")
