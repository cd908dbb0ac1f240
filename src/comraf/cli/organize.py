"""``comraf organize``: a mailbox, a CSV or a folder goes in, groups and a report come out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.cli.files import claim
from comraf.cli.interrupts import DeferredInterrupt, resume_hint
from comraf.cli.options import Force, Json, Log, OutFolder, PathArgument, Quiet, command
from comraf.cli.places import free_place, usual_place
from comraf.cli.program import complain, has_written
from comraf.cli.show import (
    MOST_SHOWN,
    clean,
    cluster_table,
    show_table,
    skips_listed,
    skips_told,
    tell,
    tell_as_json,
    tell_note,
    tell_place,
)
from comraf.cli.wording import in_options
from comraf.errors import WriteError
from comraf.workflows.evaluate import ONE_CLASS
from comraf.workflows.knowledge import sentences
from comraf.workflows.naming import counted, noun_of
from comraf.workflows.options import Option
from comraf.workflows.organize import OrganizeOptions

if TYPE_CHECKING:
    from comraf.workflows.answer import Answer

__all__ = ["organize"]


@command
def organize(
    path: PathArgument,
    options: OrganizeOptions,
    out: OutFolder = None,
    force: Force = False,
    no_text: Annotated[bool, Option("--no-text")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
    log: Log = None,
) -> None:
    """Organise a mailbox, a table of texts, a folder or photos into groups, with a report.

    PATH may be an mbox file, a maildir, a folder of messages (.eml or numbered files), a folder
    of Usenet posts, a folder of text, Markdown, HTML or PDF, a CSV, TSV, JSON lines or Parquet
    file, references (BibTeX, RIS, papers as JSON or CSV), a SMART file, a Stack Exchange dump
    (Posts.xml), tagged texts (the Brown corpus), a CSR archive such as Cora's, a
    folder of photos, or a collection that was written before. What it is, is found
    by looking; --kind says it.

    Documents are clustered together with their words, people, subjects, tags, citations:
    whichever of these there are; with where pages link to if --by says links. Each group is
    named by its most telling words. The folder of --out gets clusters.csv (item, cluster,
    confidence), a CSV file for each other side, report.html to look at with a page for each group
    that lists all of it, result.json, the model for "comraf assign", and the collection itself.

    Photos are clustered by their colours, texture, blobs (regions that look alike) and
    neighbours (photos that do), and by the words of their captions where there are any; the
    report shows a mosaic of each group.

    What is known of some documents can be given in files: --labels, --must-link, --cannot-link.
    What was found in another collection helps with this one: --transfer-from.
    Embeddings of the documents, if there are any, make one side more: --embeddings.
    They name documents as the column "item" of clusters.csv does; words=FILE is about words,
    people=FILE about people. Groups take the name of the class that prevails in them.

    Without -k the number of groups is one that the documents suggest, and a note names others. For
    fewer than 200 documents, and with --labels, it is a rule of thumb: the root of half of theirs,
    at most 40 (but no fewer than the classes of --labels). Ctrl-C ends the search early and
    keeps the best until then (exit code 130); --time-limit does so by itself. With --checkpoint a
    search that was stopped or killed can be taken up again: the same command and --resume.

    Parameters
    ----------
    path
        What to organise.
    out
        Folder for the answer; by default NAME-groups beside where you are.
    no_text
        For sharing: a report without the documents' text, people's names or ids, and no other file
        that has them (no model, no collection).

    Examples
    --------
    comraf organize ~/Mail/archive.mbox
    comraf organize ~/Maildir -k 20 --jobs -1 --out mail-groups
    comraf organize papers.csv --text abstract --title title --people authors --lists keywords
    comraf organize enron/kitchen-l --truth folders -k 38 --by words,people
    comraf organize posts/ --no-text --out for-sharing
    comraf organize references.bib -k 12
    comraf organize saved-pages/ --by words,links
    comraf organize papers.csv --id key -k 12 --embeddings vectors.npy
    comraf organize Photos/ -k 12 --captions captions.tsv
    comraf organize papers.csv --id key -k 12 --labels known.csv
    comraf organize papers.csv --id key -k 12 --labels known.csv --labels-as constrained
    comraf organize ~/Maildir -k 20 --must-link same-thread.csv --cannot-link people=apart.csv
    """
    from comraf.cli.bar import Bar
    from comraf.workflows.organize import organize as work

    place = out or usual_place(path)
    options.check(path)
    try:
        claim(place, force=force)
    except WriteError as error:
        if out is not None:
            raise
        free = free_place(place, path)
        raise error.about("{error}; a place that is free: --out {free}", free=free) from None
    interrupt = DeferredInterrupt()
    with Bar(quiet=quiet, log=log) as bar:
        answer = work(path, options=options, listener=bar, beside=place.parent)
        with answer:
            in_own_words(answer)
            bar.say("writing the report")
            with interrupt:
                answer.save(place, force=force, include_text=not no_text)
            has_written(place)
            early = answer.organizer.result_.interrupted
            if not early:
                options.is_over()
            warn(answer)
            if as_json:
                tell_as_json(_told(answer, path, place))
            elif not quiet:
                bar.stop()
                show(answer, place)
    if early or interrupt.pressed or answer.unchecked:
        kept = "the best groups until then were" if early else "the groups were"
        kept = f"{kept} kept in {place}{resume_hint(options) if early else ''}"
        if answer.out_of_time and not interrupt.pressed:
            complain("warning", f"the time limit was reached; {kept}")
            return
        complain("stopped", kept)
        raise typer.Exit(130)


def in_own_words(answer: Answer) -> None:
    """Let the answer, and all that is written of it, name options where it names parameters."""
    answer.hints = tuple(map(in_options, answer.hints))
    answer.warnings = tuple(map(in_options, answer.warnings))


def warn(answer: Answer) -> None:
    """Say on standard error what may be wrong with the answer."""
    for sentence in answer.warnings:
        complain("warning", sentence)


def _told(answer: Answer, path: Path, place: Path) -> dict[str, Any]:
    """What --json prints."""
    return {
        "source": str(path),
        "out": str(place),
        "documents": len(answer.collection),
        "notes": [*answer.collection.notes, *answer.warnings, *answer.hints],
        **({"known": answer.known} if answer.known else {}),
        "groups": answer.groups(),
    }


def show(answer: Answer, place: Path) -> None:
    """Print the groups, and where everything is."""
    from comraf.collection.gather import COPIES, NO_WORDS, SKIPPED
    from comraf.errors import code_of
    from comraf.report.titles import titled_clusters

    collection = answer.collection
    what = noun_of(collection)
    found = titled_clusters(answer.clusters["documents"], collection)
    found.sort(key=lambda group: -group.size)  # they are numbered by how much was counted
    sides = ", ".join(
        f"{clean(name)} ({len(collection.sides[name].values):,})"
        if name in collection.sides
        else clean(name)
        for name in answer.organizer.sides_
    )
    thumb = answer.options.n_clusters is None and isinstance(answer.organizer.graph, str)
    thumb &= answer.numbers is None  # of these a note speaks
    lost = ""
    if collection.n_skipped:
        lost += f", {collection.n_skipped:,} skipped"
    if collection.duplicates:
        copies = "copy" if collection.duplicates == 1 else "copies"
        lost += f", {collection.duplicates:,} second {copies} dropped"
    tell(
        f"{counted(len(collection), what)} ({clean(collection.kind)}{lost}) in "
        f"{counted(len(found), 'group')} by {sides}."
        + (" The number of groups is a rule of thumb; -k chooses." if thumb else "")
    )
    classes_of = answer.organizer.result_.names.get("documents", ())
    names = () if collection.photos is None or classes_of else answer.names
    table = cluster_table(f"{what}s", found, list(found[0].telling), classes_of, names)
    show_table(*table)
    if len(found) > MOST_SHOWN:
        tell(f"... and {len(found) - MOST_SHOWN:,} smaller ones; the report has them all.")
    for sentence in sentences(answer.known, what):
        tell(sentence)
    if collection.truth is not None:
        tell(_scored(answer, len(found)))
    # the first line and the reasons for skips say these already
    said = {COPIES, SKIPPED} | ({NO_WORDS} if "words" not in answer.organizer.sides_ else set())
    for note in collection.notes:
        if code_of(note) not in said:
            tell_note(note)
    if collection.n_skipped:
        skips = collection.skipped
        lines = skips_told(skips, 3)
        if collection.photos is not None:
            lines = skips_listed(skips, len(skips))
        for line in lines:
            tell(line, indent=6)
        kept = place / "skipped.csv"
        if len(skips) > 1 and kept.is_file():
            tell_place("All that was skipped:", kept)
    for hint in answer.hints:
        tell_note(hint)
    tell_place("Open", place / "report.html")


def _scored(answer: Answer, n_groups: int) -> str:
    """How well the groups agree with the known classes of documents whose label was not given."""
    from comraf.metrics import explained_scores

    many = f"{noun_of(answer.collection)}s"
    rest = answer.unlabelled
    truth = [(answer.collection.truth or ())[i] or None for i in rest]
    classes = len(set(truth) - {None})
    if not classes:
        return f"Known classes: all {many} that have one were labelled, so nothing to score."
    if classes == 1:
        return f"Known classes: {ONE_CLASS}."
    caution, where = "", ""
    if n_groups > 1.5 * classes:
        caution = f" With {n_groups} groups for {classes} classes, purity is easily high."
    if len(rest) < len(answer.collection):
        where = f", on the {len(rest):,} {many} without a label"
    scores = explained_scores(truth, answer.organizer.labels_[rest])
    told = ", ".join(f"{score.name} {score.value:.3f}" for score in scores)
    return f"Against the known classes: {told}{where}.{caution} comraf evaluate explains them."
