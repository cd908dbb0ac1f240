"""From a reader to a collection, in parallel and without holding the texts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from comraf.collection.collection import Collection
from comraf.collection.counting import Chunk, Counting
from comraf.collection.crew import Batch, Crew
from comraf.collection.detect import open_reader
from comraf.collection.earlier import Earlier, reader_options, reader_signature
from comraf.collection.files import (
    Files,
    FolderFiles,
    MemoryFiles,
    check_target,
    staged,
)
from comraf.collection.fold import cut, document_counts, write_side
from comraf.collection.gather import NO_WORDS, Gatherer
from comraf.collection.guard import warm
from comraf.collection.items import Reader, Unit
from comraf.collection.kinds import kind_of
from comraf.collection.options import SideOptions
from comraf.collection.sides import named_options
from comraf.collection.sides.maker import SideMaker
from comraf.collection.store import (
    Stored,
    is_collection,
    open_collection,
    open_stored,
    read_header,
    write_header,
)
from comraf.collection.text.pos import load_tagger
from comraf.errors import InputError, Note, ReadError, note_record
from comraf.progress import Event, Listener, Reporter

__all__ = ["build_collection", "read", "update", "update_collection"]

_BATCH = 200


def read(
    path: str | os.PathLike[str] | Any,
    kind: str | None = None,
    *,
    by: Iterable[str] = (),
    sides: SideOptions | None = None,
    out: str | os.PathLike[str] | None = None,
    n_jobs: int = 1,
    listener: Listener | None = None,
    **options: Any,
) -> Collection:
    r"""Read a file, a folder or a data frame into a collection, as ``comraf organize`` does.

    Parameters
    ----------
    path : path-like or DataFrame
        What to read; a folder that holds a collection is opened.
    kind : str, optional
        A name in `comraf.collection.KINDS`; found by looking when not given.
    by : iterable of str
        Sides that will be asked for: those that are not counted otherwise ("pos", "style") are.
    sides : SideOptions, optional
        Which sides, and what is left out of each; then `by` says nothing more.
    out, n_jobs, listener
        As in `build_collection`.
    **options
        For the reader: ``comraf.collection.KINDS[kind].options`` tells which there are.

    Returns
    -------
    Collection
        Its ``notes`` tell what was guessed and left out.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "pumps.csv")
    ...     _ = file.write_text("body,tags\nThe old pump leaks.,old\nA new pump runs.,new\n")
    ...     pumps = read(file, text="body", lists="tags")
    >>> list(pumps.sides)
    ['words', 'tags']
    """
    if isinstance(path, (str, os.PathLike)) and is_collection(path):
        if kind is not None or options or sides is not None:
            raise InputError(
                f"{os.fspath(path)!r} was read before, and options about reading can't change "
                "that; name what it was made from"
            )
        return open_collection(path)
    chosen = sides or SideOptions.from_json(named_options(by))
    reader = open_reader(path, kind=kind, **options)
    return build_collection(reader, options=chosen, out=out, n_jobs=n_jobs, listener=listener)


def update(
    path: str | os.PathLike[str],
    source: str | os.PathLike[str] | Any,
    kind: str | None = None,
    *,
    sides: SideOptions | None = None,
    n_jobs: int = 1,
    listener: Listener | None = None,
    **options: Any,
) -> Collection:
    """Bring a collection on disk up to date with what it was read from.

    Parameters
    ----------
    path : path-like
        The collection.
    source : path-like or DataFrame
        What it was read from, as it is now.
    kind, sides, n_jobs, listener, **options
        As in `read`; with others than then, everything is read again.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     texts, kept = pathlib.Path(folder, "texts"), pathlib.Path(folder, "kept")
    ...     texts.mkdir()
    ...     _ = (texts / "a.txt").write_text("The old pump leaks.")
    ...     _ = read(texts, out=kept)
    ...     _ = (texts / "b.txt").write_text("A new pump costs money.")
    ...     update(kept, texts).ids
    ('a.txt', 'b.txt')
    """
    reader = open_reader(source, kind=kind, **options)
    return update_collection(path, reader, options=sides, n_jobs=n_jobs, listener=listener)


def build_collection(
    reader: Reader,
    *,
    options: SideOptions | None = None,
    out: str | os.PathLike[str] | None = None,
    n_jobs: int = 1,
    listener: Listener | None = None,
) -> Collection:
    """Read everything and count it into tables.

    Parameters
    ----------
    reader : Reader
        From `comraf.collection.detect.open_reader`.
    options : SideOptions, optional
        Which sides, and what is left out of each.
    out : path-like, optional
        New or empty folder to write the collection to, as it is read. Without one it is
        kept in memory, packed.
    n_jobs : int, default 1
        Processes that read; -1 takes one for each core. The result does not depend on it.
        One also reads beside this process, with a limit to the memory that a file may take.
    listener : callable, optional
        Called with every event of the work.

    Returns
    -------
    Collection

    Raises
    ------
    ReadError
        Nothing could be read at all.
    WriteError
        The folder can't be written. Nothing half-written is left, nor is after Ctrl-C.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from comraf.collection.detect import open_reader
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in (("a", "The old pump leaks."), ("b", "A new pump costs money.")):
    ...         _ = pathlib.Path(folder, f"{name}.txt").write_text(text)
    ...     collection = build_collection(open_reader(folder))
    >>> collection.ids, collection.sides["words"].values
    (('a.txt', 'b.txt'), ('costs', 'leaks', 'money', 'new', 'old', 'pump'))
    """
    jobs = _jobs(n_jobs)
    chosen = options or SideOptions()
    target = None if out is None else check_target(out)
    return _build(reader, chosen, jobs, listener, target, None)


def update_collection(
    path: str | os.PathLike[str],
    reader: Reader,
    *,
    options: SideOptions | None = None,
    n_jobs: int = 1,
    listener: Listener | None = None,
) -> Collection:
    """Read a source again where it has changed, and bring its collection up to date.

    The result is what a fresh build would give. What has gone from the source goes from the
    collection too. The collection on disk is replaced in one step; one that was opened from
    there before has to be opened again.

    Parameters
    ----------
    path : path-like
        The collection.
    reader : Reader
        Opened on the source as it is now, with the options it had then; with others,
        everything is read again.
    options : SideOptions, optional
        Those of the collection when not given.
    n_jobs, listener
        As in `build_collection`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from comraf.collection.detect import open_reader
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mail = pathlib.Path(folder, "mail")
    ...     mail.mkdir()
    ...     _ = (mail / "a.txt").write_text("The old pump leaks.")
    ...     _ = build_collection(open_reader(mail), out=pathlib.Path(folder, "kept"))
    ...     _ = (mail / "b.txt").write_text("A new pump costs money.")
    ...     update_collection(pathlib.Path(folder, "kept"), open_reader(mail)).ids
    ('a.txt', 'b.txt')
    """
    jobs = _jobs(n_jobs)
    stored = open_stored(path)
    chosen = options or SideOptions.from_json(stored.header["options"])
    earlier = Earlier(stored, Counting.of(chosen).signature(), reader_signature(reader))
    return _build(reader, chosen, jobs, listener, Path(os.path.realpath(path)), earlier)


def _same(earlier: Earlier, known: Sequence[int], options: SideOptions) -> bool:
    """Whether an earlier build has everything and nothing else."""
    same = SideOptions.from_json(earlier.header["options"]) == options
    return same and earlier.has_all(known)


def _jobs(n_jobs: int) -> int:
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0 or n_jobs < -1:
        raise InputError("{given} must be 1 or more, or -1 for all cores", "n_jobs", n_jobs)
    return n_jobs if n_jobs > 0 else os.cpu_count() or 1


def _build(
    reader: Reader,
    options: SideOptions,
    n_jobs: int,
    listener: Listener | None,
    target: Path | None,
    earlier: Earlier | None,
) -> Collection:
    if options.tagger is not None and not getattr(reader, "tagged", False):
        load_tagger(options.tagger)  # what is missing is said before the reading
    report = Reporter(listener)
    report.tell(Event("reading", 0.0, message="looking for items"))
    if words := kind_of(reader.kind).words:
        options = replace(options, words=replace(options.words, **words))
    if reader.parallel:
        warm()
    units = reader.scan()
    known = earlier.match(units, reader) if earlier is not None else [-1] * len(units)
    if target is not None and earlier is not None and _same(earlier, known, options):
        report.tell(Event("building tables", 1.0, message="nothing has changed"))
        return open_collection(target)
    place: AbstractContextManager[Files] = (
        nullcontext(MemoryFiles())
        if target is None
        else staged(target, replace=earlier is not None)
    )
    with place as files:
        gatherer = Gatherer(files, units, reader.kind, keep_copies=options.duplicates == "keep")
        try:
            _read(reader, units, known, gatherer, options, n_jobs, report, earlier)
            gatherer.finish()
        except BaseException:
            gatherer.abandon()
            raise
        if not gatherer.n_items:
            raise ReadError(_nothing(gatherer, units, reader.kind))
        check_truth = getattr(reader, "check_truth", None)
        if check_truth and (note := check_truth(gatherer.n_truths, gatherer.n_items)):
            reader.notes.append(note)
        header = _make_sides(files, gatherer, reader, options, report)
        write_header(files, header)
        if earlier is not None:
            earlier.close()
    final = files if target is None else FolderFiles(target)
    whole = read_header(final)
    report.tell(Event("building tables", 1.0, message=f"{whole['n_items']:,} items"))
    return Collection(Stored(final, whole), whole)


def _nothing(gatherer: Gatherer, units: Sequence[Unit], kind: str) -> str:
    if not gatherer.n_skipped:
        return f"there are no items in the {len(units)} places that were looked at"
    what = "photos" if kind_of(kind).photos else "items"
    if gatherer.n_skipped == 1:
        return f"the only one of the {what} can't be read: {gatherer.first_skip}"
    return f"none of {gatherer.n_skipped} {what} could be read. The first: {gatherer.first_skip}"


def _read(
    reader: Reader,
    units: Sequence[Unit],
    known: Sequence[int],
    gatherer: Gatherer,
    options: SideOptions,
    n_jobs: int,
    report: Reporter,
    earlier: Earlier | None,
) -> None:
    counting = Counting.of(options)
    plan = list(_plan(units, known))
    batches = [batch for batch in plan if known[batch[0][0]] < 0]
    done = 0
    fresh = 0

    def take(chunk: Chunk) -> None:
        nonlocal done
        gatherer.add(chunk)
        done += chunk.finished
        share = min(done / len(units), 1.0) if units else 1.0
        report.tick(lambda: Event("reading", share, message=f"{gatherer.n_items:,} items"))

    jobs = n_jobs if reader.parallel else 0
    with Crew(reader, counting, batches, jobs) as crew:
        for batch in plan:
            if earlier is not None and known[batch[0][0]] >= 0:
                for chunk in earlier.chunks(batch, known, gatherer.has_seen, reader, counting):
                    take(chunk)
                continue
            for chunk in crew.results(fresh):
                take(chunk)
            fresh += 1
    report.tell(Event("reading", 1.0, message=f"{gatherer.n_items:,} items"))


def _plan(units: Sequence[Unit], known: Sequence[int]) -> Iterator[Batch]:
    """Cut the units into batches that are all new or all known."""
    # Their size depends on nothing but the units, so that the files don't depend on n_jobs.
    most = max(1, min(_BATCH, -(-len(units) // 16)))
    batch: list[tuple[int, Unit]] = []
    for number, unit in enumerate(units):
        if batch and (len(batch) >= most or (known[number] < 0) != (known[batch[-1][0]] < 0)):
            yield batch
            batch = []
        batch.append((number, unit))
    if batch:
        yield batch


def _make_sides(
    files: Files, gatherer: Gatherer, reader: Reader, options: SideOptions, report: Reporter
) -> dict[str, Any]:
    maker = SideMaker(files, gatherer.vocabularies, gatherer.n_items, reader.kind, options)
    report.tell(Event("building tables", 0.0))
    entries: list[dict[str, Any]] = []
    for fold in maker.folds():
        # how many sides there will be, and what each costs, is not known before: no share is told
        report.tell(Event("building tables", 0.0, message=fold.name))
        documents = document_counts(fold)
        least, most = fold.min_documents, fold.max_documents
        if fold.gentle and not ((documents >= least) & (documents <= most)).any():
            fold.min_documents, fold.max_documents = 1, gatherer.n_items
            maker.notes.append(f"all {fold.name} are kept: cuts would leave none")
        kept = cut(fold, documents)
        if not len(kept):
            wanted = f"{least} to {most} items" if most < gatherer.n_items else f"{least} or more"
            maker.notes.append(f"no {fold.name}: none is in {wanted}")
            continue
        tick = partial(report.tick, partial(Event, "building tables", 0.0, message=fold.name))
        entry = write_side(files, fold, kept, len(entries), tick)
        entries.append(entry)
        if fold.name == "words" and (empty := entry["facts"]["empty_items"]):
            note = f"items without any of the words: {empty}"
            if kind_of(reader.kind).photos:
                note = Note("photos without any word of captions: {n}", NO_WORDS, n=empty)
            maker.notes.append(note)
    if not entries:
        raise _nothing_left(gatherer)
    notes = list(reader.notes) + maker.notes + gatherer.notes()
    return {
        "kind": reader.kind,
        "n_items": gatherer.n_items,
        "n_skipped": gatherer.n_skipped,
        "n_duplicates": gatherer.n_copies,
        "n_truths": gatherer.n_truths,
        "notes": [note_record(note) for note in notes],
        "options": options.to_json(),
        "counting": Counting.of(options).signature(),
        "reader": reader_signature(reader),
        "reading": reader_options(reader),
        "sides": entries,
    }


def _nothing_left(gatherer: Gatherer) -> InputError:
    if not gatherer.vocabularies["words"]:
        return InputError(
            f"there is not one word in the texts of {gatherer.n_items} items; if they are numbers "
            "that mean something, count them too with numbers=True"
        )
    return InputError(
        "nothing is left of {n} items: no word and no other value is in enough of them and not in "
        "too many; lower {p[min_documents]}, raise {p[max_share]}, or give more items",
        n=gatherer.n_items,
    )
