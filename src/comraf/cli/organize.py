"""``comraf organize``: a mailbox, a CSV or a folder goes in, groups and a report come out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from comraf.cli.choices import (
    BalanceOption,
    EdgeWeights,
    Effort,
    MergeCost,
    MergeCostOption,
    RunsOption,
    Schedule,
    ScheduleOption,
    Weighting,
)
from comraf.cli.evaluate import ONE_CLASS
from comraf.cli.known import (
    CannotLinkOption,
    LabelsAsOption,
    LabelsOption,
    LabelWeightOption,
    LinkWeightOption,
    MustLinkOption,
    Told,
    TransferOption,
    told_in,
)
from comraf.cli.longrun import (
    CheckpointOption,
    LogOption,
    LongRun,
    ResumeOption,
    TimeLimitOption,
)
from comraf.cli.near import (
    CopyOption,
    EmbeddingModelOption,
    EmbeddingsOption,
    Near,
    NeighboursOption,
)
from comraf.cli.photos import (
    BlobsByOption,
    BlobsOption,
    CacheOption,
    CaptionOption,
    CaptionsOption,
    ColoursOption,
    ColourSpaceOption,
    photo_options,
)
from comraf.cli.places import free_place, usual_place
from comraf.cli.reading import (
    DateOption,
    EncodingOption,
    FollowLinksOption,
    IdOption,
    KindOption,
    LanguageOption,
    ListsOption,
    NgramsOption,
    PeopleOption,
    SeparatorOption,
    StopwordsOption,
    TaggerOption,
    TextOption,
    TitleOption,
    TruthOption,
    ValuesOption,
    reading_options,
    side_options,
    sides_named,
    word_options,
)
from comraf.errors import InputError, WriteError

if TYPE_CHECKING:
    from comraf.cli.organized import Organized

__all__ = ["HELP", "organize"]

HELP = """Organise a mailbox, a table of texts, a folder or photos into groups, with a report.

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

What is known of some documents can be told in files: --labels, --must-link, --cannot-link.
What was found in another collection helps with this one: --transfer-from.
Embeddings of the documents, if there are any, make one side more: --embeddings.
They name documents as the column "item" of clusters.csv does; words=FILE is about words,
people=FILE about people. Groups take the name of the class that prevails in them.

Without -k the number of groups is the root of half the number of documents, at most 40 (but
no fewer than the classes of --labels): a rule of thumb. Ctrl-C ends the search early and
keeps the best until then (exit code 130); --time-limit does so by itself. With --checkpoint a
search that was stopped or killed can be taken up again: the same command and --resume.

\b
Examples:
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


def organize(
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="What to organise.", show_default=False),
    ],
    k: Annotated[
        int | None,
        typer.Option(
            "-k", "--clusters", min=1, metavar="N", help="How many groups.", show_default=False
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="SIDES",
            help="Sides that make the groups, separated by commas: words,people,subjects. "
            "Default: these and all lists and values of a table, of photos words, colours, "
            "texture, blobs, neighbours. Also, if named: organisations, months, links, pos, style, "
            "of photos months, places.",
            show_default=False,
        ),
    ] = None,
    graph: Annotated[
        str,
        typer.Option(
            metavar="SHAPE",
            help="tree: every side joined to the documents; loopy: words also joined to the other "
            "sides (without words: all to all); regions: photos and their regions clustered at "
            "once, by captions, colours and texture (thesis 7.2); or a model spec (.yaml) whose "
            "tables are named after sides, such as people, or words+people for an edge between "
            "two of them.",
        ),
    ] = "tree",
    weighting: Annotated[
        Weighting,
        typer.Option(
            help="How counts enter: each document with the root of its length, as they are, as "
            "presence, as log(1 + count), or all documents alike."
        ),
    ] = Weighting.root_rows,
    edge_weights: Annotated[
        EdgeWeights,
        typer.Option(
            help="What each side weighs: the root of its counts, all alike, its counts (for sparse "
            "sides such as citations), or so that all could tell the same."
        ),
    ] = EdgeWeights.root_mass,
    observe: Annotated[
        str | None,
        typer.Option(
            metavar="SIDES",
            help="Sides whose values stand as they are, while those of the others are grouped too; "
            "none groups them all. Default: citations, single parts of speech, colours, "
            "texture, blobs and neighbours of photos.",
            show_default=False,
        ),
    ] = None,
    effort: Annotated[
        Effort,
        typer.Option(
            help="What the search may cost: quick makes one run, default lets 8 agree, thorough "
            "many more; paper one run from single values, near to the method as published."
        ),
    ] = Effort.default,
    runs: RunsOption = None,
    restarts: Annotated[
        int, typer.Option(min=1, metavar="N", help="Tries for every step; the best one is kept.")
    ] = 1,
    schedule: ScheduleOption = Schedule.thesis,
    merge_cost: MergeCostOption = MergeCost.loss,
    balance: BalanceOption = False,
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=2**32 - 1, metavar="N", help="The same seed gives the same groups."
        ),
    ] = 0,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            help="Processes that read and tries side by side; -1: all cores.",
        ),
    ] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the answer; by default NAME-groups beside where you are.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write to the folder even if it holds something.")
    ] = False,
    no_text: Annotated[
        bool,
        typer.Option(
            "--no-text",
            help="For sharing: a report without the documents' text, people's names or ids, and "
            "no other file that has them (no model, no collection).",
        ),
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
    encoding: EncodingOption = None,
    min_documents: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Leave out words, people and other values that are in fewer documents. Default: "
            "2, for words 3 (less where documents are few).",
            show_default=False,
        ),
    ] = None,
    max_share: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="X",
            help="Leave out words and other values that are in more than this share of the "
            "documents. Default: 0.5, for lists and values of a table 1.",
            show_default=False,
        ),
    ] = None,
    language: LanguageOption = None,
    stopwords: StopwordsOption = None,
    ngrams: NgramsOption = None,
    tagger: TaggerOption = None,
    labels: LabelsOption = None,
    must_link: MustLinkOption = None,
    cannot_link: CannotLinkOption = None,
    labels_as: LabelsAsOption = None,
    label_weight: LabelWeightOption = None,
    link_weight: LinkWeightOption = None,
    transfer_from: TransferOption = None,
    embeddings: EmbeddingsOption = None,
    embedding_model: EmbeddingModelOption = None,
    neighbours: NeighboursOption = None,
    captions: CaptionsOption = None,
    caption: CaptionOption = None,
    colours: ColoursOption = None,
    colour_space: ColourSpaceOption = None,
    blobs: BlobsOption = None,
    blobs_by: BlobsByOption = None,
    photo_cache: CacheOption = None,
    neighbours_copy: CopyOption = None,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No progress and no summary; errors are still told."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the groups as one JSON object, and nothing else.")
    ] = False,
    time_limit: TimeLimitOption = None,
    checkpoint: CheckpointOption = None,
    resume: ResumeOption = False,
    log: LogOption = None,
) -> None:
    """Organise a mailbox, a table of texts, a folder or photos into groups, with a report."""
    if jobs == 0:
        raise InputError("--jobs 0 is not possible; give 1 or more, or -1 for all cores")
    from comraf.cli import organized as work
    from comraf.cli.bar import Bar
    from comraf.cli.patience import Patience
    from comraf.cli.program import has_written
    from comraf.cli.run import Search
    from comraf.cli.scratch import claim
    from comraf.cli.written import groups, write

    long = LongRun(time_limit, checkpoint, resume, log)
    long.check()
    sides = None if by is None else sides_named(by)
    near = Near(embeddings, embedding_model, neighbours, neighbours_copy).check(path, sides)
    told = Told.read(labels, must_link, cannot_link, labels_as, label_weight, link_weight)
    if transfer_from is not None:
        work.other_model(transfer_from)  # what is wrong with it is said before the reading
    place = out or usual_place(path)
    try:
        claim(place, force=force)
    except WriteError as error:
        if out is not None:
            raise
        free = free_place(place, path)
        raise error.about("{error}; a place that is free: --out {free}", free=free) from None
    given = {
        "truth": truth,
        "text": text,
        "title": title,
        "id": item_id,
        "date": date,
        "people": people,
        "lists": lists,
        "values": values,
        "encoding": encoding,
    }
    about_photos, counted = photo_options(
        captions, caption, colours, colour_space, blobs, photo_cache, blobs_by
    )
    asked = work.Asked(
        path=path,
        k=k,
        by=sides,
        graph=graph,
        weighting=weighting.value,
        edge_weights=edge_weights.value,
        observe=None if observe is None else sides_named(observe),
        kind=kind,
        reading=reading_options(kind, given, separator) | about_photos,
        sides=side_options(
            min_documents, max_share, tagger, word_options(language, stopwords, ngrams)
        )
        | counted,
        search=Search(
            effort=effort.value,
            runs=runs,
            restarts=restarts,
            schedule=schedule.value,
            merge_cost=merge_cost.value,
            balance=balance,
            seed=seed,
            jobs=jobs,
        ),
        long=long,
        told=told,
        transfer_from=transfer_from,
    )
    patience = Patience()
    with Bar(quiet=quiet, log=log) as bar:
        bar.say(f"looking at {path.name}")
        with work.gather(asked, place.parent, bar, jobs) as gathered:
            collection = near.join(gathered, bar.say, path, sides)
            bar.say("starting")
            done = work.organize(asked, collection, bar)
            bar.say("writing the report")
            with patience:
                write(done, place, force=force, include_text=not no_text)
            has_written(place)
            early = done.organizer.result_.interrupted
            if not early:
                long.is_over()
    work.warn(done)
    if as_json:
        import json

        answer = {
            "source": str(path),
            "out": str(place),
            "documents": len(done.collection),
            "notes": [*done.collection.notes, *done.warnings, *done.hints],
            **({"known": done.known} if done.known else {}),
            "groups": groups(done),
        }
        typer.echo(json.dumps(answer, ensure_ascii=False))
    elif not quiet:
        show(done, place)
    if early or patience.pressed or done.unchecked:
        from comraf.cli.program import complain

        kept = "the best groups until then were" if early else "the groups were"
        kept = f"{kept} kept in {place}{long.stays() if early else ''}"
        if done.out_of_time and not patience.pressed:
            complain("warning", f"the time limit was reached; {kept}")
            return
        complain("stopped", kept)
        raise typer.Exit(130)


def show(done: Organized, place: Path) -> None:
    """Print the groups, and where everything is."""
    from comraf.cli.naming import noun_of
    from comraf.cli.show import MOST_SHOWN, clean, cluster_table, open_console, show_table, tell
    from comraf.cli.wording import counted, in_options
    from comraf.collection.gather import COPIES, NO_WORDS, SKIPPED
    from comraf.errors import code_of
    from comraf.report.shown import shown_clusters

    collection = done.collection
    console = open_console()
    what = noun_of(collection)
    found = shown_clusters(done.clusters["documents"], collection)
    found.sort(key=lambda group: -group.size)  # they are numbered by how much was counted
    sides = ", ".join(
        f"{clean(name)} ({len(collection.sides[name].values):,})"
        if name in collection.sides
        else clean(name)
        for name in done.organizer.sides_
    )
    thumb = done.asked.k is None and isinstance(done.organizer.graph, str)
    lost = ""
    if collection.n_skipped:
        lost += f", {collection.n_skipped:,} skipped"
    if collection.duplicates:
        copies = "copy" if collection.duplicates == 1 else "copies"
        lost += f", {collection.duplicates:,} second {copies} dropped"
    tell(
        console,
        f"{counted(len(collection), what)} ({clean(collection.kind)}{lost}) in "
        f"{counted(len(found), 'group')} by {sides}."
        + (" The number of groups is a rule of thumb; -k chooses." if thumb else ""),
    )
    classes_of = done.organizer.result_.names.get("documents", ())
    names = () if collection.photos is None or classes_of else done.names
    table = cluster_table(f"{what}s", found, list(found[0].telling), classes_of, names)
    show_table(console, *table)
    if len(found) > MOST_SHOWN:
        tell(console, f"... and {len(found) - MOST_SHOWN:,} smaller ones; the report has them all.")
    for sentence in told_in(done.known, what):
        tell(console, sentence)
    if collection.truth is not None:
        tell(console, _scored(done, len(found)))
    # the first line and the reasons for skips say these already
    said = {COPIES, SKIPPED} | ({NO_WORDS} if "words" not in done.organizer.sides_ else set())
    for note in collection.notes:
        if code_of(note) not in said:
            tell(console, f"note: {clean(in_options(note), 400)}", indent=6)
    if collection.n_skipped:
        from comraf.cli.seen import skips_listed, skips_told

        skips = collection.skipped
        lines = skips_told(skips, 3)
        if collection.photos is not None:
            lines = skips_listed(skips, len(skips))
        for line in lines:
            tell(console, line, indent=6)
        kept = place / "skipped.csv"
        if len(skips) > 1 and kept.is_file():
            tell(console, f"All that was skipped: {clean(str(kept), 200)}")
    for hint in done.hints:
        tell(console, f"note: {clean(hint, 400)}", indent=6)
    tell(console, f"Open {clean(str(place / 'report.html'), 200)}")


def _scored(done: Organized, n_groups: int) -> str:
    """How well the groups agree with the known classes of documents whose label was not given."""
    from comraf.cli.naming import noun_of
    from comraf.metrics import explained_scores

    many = f"{noun_of(done.collection)}s"
    rest = done.unlabelled
    truth = [(done.collection.truth or ())[i] or None for i in rest]
    classes = len(set(truth) - {None})
    if not classes:
        return f"Known classes: all {many} that have one were labelled, so nothing to score."
    if classes == 1:
        return f"Known classes: {ONE_CLASS}."
    caution, where = "", ""
    if n_groups > 1.5 * classes:
        caution = f" With {n_groups} groups for {classes} classes, purity is easily high."
    if len(rest) < len(done.collection):
        where = f", on the {len(rest):,} {many} without a label"
    scores = explained_scores(truth, done.organizer.labels_[rest])
    told = ", ".join(f"{score.name} {score.value:.3f}" for score in scores)
    return f"Against the known classes: {told}{where}.{caution} comraf evaluate explains them."
