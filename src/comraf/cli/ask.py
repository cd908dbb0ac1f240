"""``comraf ask``: a person is asked about pairs of documents, and the groups heed the answers."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.cli.choices import Effort, FileFormat
from comraf.cli.known import CannotLinkOption, LinkWeightOption, MustLinkOption
from comraf.cli.near import Near
from comraf.cli.reading import (
    DateOption,
    FollowLinksOption,
    IdOption,
    KindOption,
    ListsOption,
    PeopleOption,
    SeparatorOption,
    TextOption,
    TitleOption,
    TruthOption,
    ValuesOption,
)
from comraf.cli.wording import names_in
from comraf.errors import InputError, WriteError

if TYPE_CHECKING:
    from comraf.cli.asking import Lines, Session
    from comraf.cli.regrouped import Regrouping

__all__ = ["HELP", "Distance", "Grouping", "Learner", "ask"]

HELP = """Ask which documents belong together, and group them by the answers.

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

What is known of some documents before is told in files: --must-link, --cannot-link. It is taken
for true, and nothing is asked that follows from it. Answers may also come from a pipe, one a
line, or from a file of labels (--answers-from).

\b
Examples:
  comraf ask ~/Mail/archive.mbox -k 12
  comraf ask papers.csv --id key -k 8 --questions 100 --out papers-asked
  comraf ask papers.csv --id key -k 8 --method hmrf --learner minmax
  comraf ask papers.csv --id key -k 8 --answers-from known.csv --questions 200
  comraf ask papers.csv --id key --noise 0.1 --must-link together.csv
  comraf ask counts.npz --row-names cities.txt -k 5 --method hmrf
"""

# Endings that only tables of counts have.
_TABLES = (".npz", ".npy", ".mtx")


class Learner(StrEnum):
    """Who chooses the questions."""

    explore = "explore"
    minmax = "minmax"
    npu = "npu"
    random = "random"


class Grouping(StrEnum):
    """How documents are grouped."""

    mdc = "mdc"
    hmrf = "hmrf"


class Distance(StrEnum):
    """How far apart two documents are."""

    cosine = "cosine"
    euclidean = "euclidean"


def ask(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="What to ask about.", show_default=False)
    ],
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--clusters",
            min=2,
            metavar="N",
            help="How many groups. Without it questions look for ever more of them, and there are "
            "as many as the answers have told apart.",
            show_default=False,
        ),
    ] = None,
    questions: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Most questions in all, those of earlier sessions in the folder included.",
        ),
    ] = 20,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the answers and the groups; by default NAME-asked beside where you "
            "are. If it has answers already, they count.",
            show_default=False,
        ),
    ] = None,
    learner: Annotated[
        Learner,
        typer.Option(
            help="Who chooses the questions. explore: documents far apart until every group was "
            "met, then others against the nearest group; minmax: the same, then always the least "
            "alike; npu: where groupings by the answers so far disagree, the choice for many "
            "groups; random: pairs at random."
        ),
    ] = Learner.explore,
    method: Annotated[
        Grouping,
        typer.Option(
            help="How documents are grouped. mdc: by all of their sides, as organize does; hmrf: "
            "k-means of their words in which each answer has a price."
        ),
    ] = Grouping.mdc,
    metric: Annotated[
        Distance,
        typer.Option(help="How far apart documents are, for the choice of questions and hmrf."),
    ] = Distance.cosine,
    answers_from: Annotated[
        Path | None,
        typer.Option(
            "--answers-from",
            metavar="FILE",
            help="Let a file of labels answer, as --labels of organize has it: an id and a class "
            "a line. Documents that are not in it are not known.",
            show_default=False,
        ),
    ] = None,
    noise: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Share of the answers that may be wrong, below 0.5, for explore and minmax: a "
            "document is placed once several answers agree.",
        ),
    ] = 0.0,
    outliers: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Share of the documents, the most remote ones, that explore and minmax pass over "
            "at first.",
        ),
    ] = 0.0,
    must_link: MustLinkOption = None,
    cannot_link: CannotLinkOption = None,
    link_weight: LinkWeightOption = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="SIDES",
            help="Sides that make the groups, separated by commas: words,people,subjects.",
            show_default=False,
        ),
    ] = None,
    effort: Annotated[
        Effort, typer.Option(help="What the search of mdc may cost.")
    ] = Effort.default,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            max=2**32 - 1,
            metavar="N",
            help="The same seed and answers give the same questions and groups.",
        ),
    ] = 0,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", metavar="N", help="Processes that work side by side; -1: all cores."
        ),
    ] = 1,
    force: Annotated[
        bool,
        typer.Option("--force", help="Write to the folder even if it holds something else."),
    ] = False,
    kind: KindOption = None,
    follow_links: FollowLinksOption = False,
    truth: TruthOption = None,
    text: TextOption = None,
    title: TitleOption = None,
    item_id: IdOption = None,
    date: DateOption = None,
    people: PeopleOption = None,
    lists: ListsOption = None,
    values: ValuesOption = None,
    separator: SeparatorOption = None,
    file_format: Annotated[
        FileFormat | None,
        typer.Option(
            "--format",
            help="PATH is a table of counts, in a file of this kind.",
            show_default=False,
        ),
    ] = None,
    row_names: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Names of the rows of a table of counts, one a line.",
            show_default=False,
        ),
    ] = None,
    column_names: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names of its columns, one a line.", show_default=False),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No progress and no summary; questions are asked."),
    ] = False,
) -> None:
    """Ask which documents belong together, and group them by the answers."""
    if jobs == 0:
        raise InputError("--jobs 0 is not possible; give 1 or more, or -1 for all cores")
    if link_weight is not None and not link_weight >= 0:
        raise InputError(f"--link-weight {link_weight:g} is not possible; give 0 or more, or inf")
    for option, share, most in (("--noise", noise, 0.5), ("--outliers", outliers, 1.0)):
        if not 0 <= share < most:
            raise InputError(f"{option} {share:g} is not possible; give 0 or more, below {most:g}")
        if share and learner not in (Learner.explore, Learner.minmax):
            raise InputError(f"{option} is for the learners explore and minmax")
    from comraf.cli import organized as work
    from comraf.cli.askable import Documents, Items, Rows
    from comraf.cli.asking import ANSWERS, Lines, Session, known_links, label_oracle
    from comraf.cli.bar import Bar
    from comraf.cli.reading import reading_options
    from comraf.cli.regrouped import OfDocuments, OfRows, sides_wanted
    from comraf.cli.run import Search, from_table

    columns = {"text": text, "title": title, "id": item_id, "date": date, "truth": truth}
    columns |= {"people": people, "lists": lists, "values": values}
    is_table = file_format is not None or path.suffix.lower() in _TABLES
    _check_kind(is_table, columns | {"by": by, "kind": kind, "separator": separator})
    names: dict[str, Any] = {"row_names": row_names, "column_names": column_names}
    _check_kind(not is_table, names)
    place = out or Path(f"{path.resolve().stem or 'collection'}-asked")
    goes_on = (place / ANSWERS).is_file()
    _check_place(place, out is not None, force or goes_on)
    lines = Lines()
    if answers_from is None and not goes_on and not lines.typed and not lines.waiting():
        raise InputError(
            "there is nobody to ask: standard input is no terminal and has no answers; run it on "
            "a terminal, pipe answers (s, d or ? a line), or name a file with --answers-from"
        )
    search = Search(effort=effort.value, seed=seed, jobs=jobs, method=method.value)
    how: dict[str, Any] = {"method": method.value, "k": k, "metric": metric.value}
    how |= {"link_weight": link_weight, "seed": seed}
    with ExitStack() as stack:
        items: Items
        if is_table:
            form = None if file_format is None else file_format.value
            # people are shown counts, and answers are about these; the search weights them
            run = from_table(path, search, k=k or 2, weighting="raw", file_format=form, **names)
            items = Rows(run.graph)
            run = run.weighted("root_rows")

            def regrouping(session: Session) -> Regrouping[Any]:
                return OfRows(run, session, **how)

        else:
            asked = work.Asked(
                path=path,
                k=k,
                by=None if by is None else tuple(names_in(by)),
                kind=kind,
                reading=reading_options(kind, columns, separator),
                search=search,
            )
            with Bar(quiet=quiet) as bar:
                bar.say(f"looking at {path.name}")
                reading = work.gather(asked, place.parent, bar, jobs)
                gathered = stack.enter_context(reading)
                collection = Near().join(gathered, bar.say, path, asked.by)
            items = documents = Documents(collection, sides_wanted(asked, collection))

            def regrouping(session: Session) -> Regrouping[Any]:
                return OfDocuments(asked, documents, session, **how)

        if k is not None and k > len(items):
            raise InputError(
                f"-k {k} is more than the {len(items):,} {items.noun}s that can be asked about; "
                "ask for fewer"
            )
        oracle = None if answers_from is None else label_oracle(items, answers_from)
        if oracle is not None and oracle.n_known < len(items):
            from comraf.cli.program import complain

            complain(
                "note",
                f"{answers_from} has a label for {oracle.n_known:,} of {len(items):,} "
                f"{items.noun}s; "
                'what is asked about the others is answered with "don\'t know"',
            )
        more = {"noise": noise, "outliers": outliers} if noise or outliers else {}
        session = Session(
            items,
            place,
            lambda: _learner(learner, questions, k, metric.value, seed, **more),
            known_links(items, must_link, cannot_link),
        )
        again = regrouping(session)
        again.before = None if is_table else _before(place)
        try:
            if oracle is not None:
                session.answer_by(oracle)
            else:
                _talk(session, lines, questions, again, quiet)
            early = _finish(session, again, place, quiet)
        except KeyboardInterrupt:
            _stopped(session)
        if early:
            from comraf.cli.program import complain

            complain(
                "stopped",
                f"the search was cut short: the best groups until then and all answers are in "
                f"{place}; the same command groups anew",
            )
            raise typer.Exit(130)


def _check_kind(other: bool, given: Mapping[str, object]) -> None:
    """Refuse options that are about documents where there is a table, and the other way round."""
    for name, value in given.items():
        if other and value is not None:
            option = "--" + name.replace("_", "-")
            what = "a table of counts" if name in ("row_names", "column_names") else "documents"
            how = " (--format says that PATH is one)" if what != "documents" else ""
            raise InputError(f"{option} is about {what}{how}; leave it out here")


def _check_place(place: Path, named: bool, force: bool) -> None:
    """Refuse a folder that can't be written to, or has something else in it."""
    from comraf.cli.scratch import claim

    try:
        claim(place, force=force)
    except WriteError as error:
        if named or error.code == "not_empty":  # that names --out already
            raise
        raise error.about("{error}; choose another place with --out") from None


def _learner(
    kind: Learner, questions: int, k: int | None, metric: str, seed: int, **more: float
) -> Any:
    from comraf.active import NPU, ExploreConsolidate, MinMax, RandomPairs

    if kind is Learner.random:
        return RandomPairs(questions, metric=metric, random_state=seed)
    made: dict[Learner, Any] = {Learner.minmax: MinMax, Learner.npu: NPU}
    kind_of = made.get(kind, ExploreConsolidate)
    return kind_of(questions, k, metric=metric, random_state=seed, **more)


def _before(place: Path) -> Any:
    """The groups of an earlier session, if they can be read."""
    from comraf.cli.kept import result_in
    from comraf.errors import ComrafError

    try:
        return result_in(place)
    except ComrafError:
        return None


def _talk(
    session: Session, lines: Lines, questions: int, again: Regrouping[Any], quiet: bool
) -> None:
    """Ask a person."""
    from comraf.cli.asking import Talk
    from comraf.cli.bar import Bar
    from comraf.cli.program import complain
    from comraf.cli.show import open_console, tell
    from comraf.cli.wording import in_options
    from comraf.errors import ConflictError

    def regroup() -> None:
        try:
            with Bar(quiet=quiet) as bar:
                bar.say("grouping")
                done = again.group(bar)
        except ConflictError as error:
            complain("warning", in_options(error))
        except KeyboardInterrupt:
            complain("note", f"no new groups of {session.items.noun}s; the questions go on")
        else:
            again.brief(done)
            if again.cut_short(done):
                complain("note", "the search was cut short; these are the best groups until then")
            changed = again.changed(done)
            if changed:
                tell(open_console(), changed)

    Talk(session, lines, questions, regroup).hold()


def _finish(session: Session, again: Regrouping[Any], place: Path, quiet: bool) -> bool:
    """Group by all answers, write the folder and show it; True if Ctrl-C came meanwhile."""
    from comraf.cli.asking import ANSWERS, LINKS
    from comraf.cli.bar import Bar
    from comraf.cli.patience import Patience
    from comraf.cli.program import has_written
    from comraf.cli.show import clean, open_console, tell

    patience = Patience()
    with Bar(quiet=quiet) as bar:
        bar.say("grouping")
        done = again.group(bar)
        bar.say("writing the answer")
        with patience:
            again.write(done, place)
        has_written(place)
    changed = again.changed(done)
    if not quiet:
        again.show(done, place)
        console = open_console()
        for sentence in (session.told(), changed):
            if sentence:
                tell(console, sentence)
        there = [name for name in LINKS.values() if (place / name).is_file()]
        files = ", ".join([ANSWERS, *there])
        tell(console, f"Answers are in {clean(str(place), 200)}: {files}")
    return again.cut_short(done) or patience.pressed


def _stopped(session: Session) -> None:
    """Ctrl-C: what was answered is on the disk already."""
    from comraf.cli.program import complain
    from comraf.cli.wording import counted

    n = session.learner.n_asked
    if n:
        session.write_links()
        complain(
            "stopped",
            f"{counted(n, 'answer')} {'is' if n == 1 else 'are'} kept in {session.journal}; the "
            "same command goes on",
        )
    else:
        session.leave()
        complain("stopped", "nothing was answered and nothing was written")
    raise typer.Exit(130)
