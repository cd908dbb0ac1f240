"""``comraf inspect``: what a path holds, before or after it was organised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.cli.options import PathArgument, command
from comraf.cli.show import (
    MOST_SHOWN,
    class_column,
    clean,
    listed,
    named_listings,
    show_table,
    skips_listed,
    skips_told,
    tell,
    tell_note,
)
from comraf.cli.table import Facts
from comraf.errors import Note, damaged
from comraf.workflows.naming import counted, noun_of
from comraf.workflows.reading import Source

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.collection.items import Unit
    from comraf.results.model import Model
    from comraf.workflows.inspect import Contents, Inspection

__all__ = ["inspect"]


_MOST_TOLD = 8
_MOST_FOLDERS = 6
_MOST_LOOKED = 40  # several colours have the same word


@command
def inspect(path: PathArgument, options: Source) -> None:
    """Say what a path holds: a collection, groups, a model, or documents not yet read.

    Nothing is written. For documents not yet read it tells what kind they are taken for and
    what was guessed about columns and folders, so that options can be chosen before the work;
    where nothing can be read it says why, with exit code 2.

    Parameters
    ----------
    path
        What to look at.

    Examples
    --------
    comraf inspect ~/Mail/archive.mbox
    comraf inspect papers.csv
    comraf inspect refs.txt --kind ris --encoding cp1251
    comraf inspect mail-groups
    comraf inspect mail-groups/collection
    """
    from comraf.results.model import Model
    from comraf.workflows.inspect import Inspection
    from comraf.workflows.inspect import inspect as work

    found = work(path, options=options)
    if isinstance(found, dict):
        _groups(found, path)
    elif isinstance(found, Model):
        _model(found)
    elif isinstance(found, Inspection):
        _documents(found, options)
    else:
        _collection(found)


def _groups(answer: dict[str, Any], path: Path) -> None:
    from comraf.collection.kinds import kind_of
    from comraf.workflows.photos import in_words

    try:
        groups = answer.get("groups")
        made = answer.get("versions", {}).get("comraf")
        about = f" about {clean(str(answer['source']), 120)}" if "source" in answer else ""
        tell(
            f"An answer of comraf{f' {clean(str(made))}' if made else ''}{about}: objective "
            f"{float(answer['objective']):.4f}."
        )
        if groups is None:
            sizes = answer.get("sizes")
            if sizes:
                told = ", ".join(f"{int(size):,}" for size in sizes)
                tell(f"{len(sizes):,} groups without names (--no-text), of {told}.")
            return
        shown = groups[:MOST_SHOWN]
        sides = list(dict.fromkeys(side for group in shown for side in group["telling"]))
        kind = kind_of(answer.get("kind"))
        many = f"{kind.noun}s"
        facts = [
            Facts("#", [str(int(group["cluster"])) for group in shown]),
            *class_column([str(group.get("class") or "") for group in shown]),
            Facts(many, [f"{int(group['size']):,}" for group in shown]),
        ]
        said = {
            side: [
                in_words(
                    side, [str(v.get("look", v["value"])) for v in group["telling"].get(side, [])]
                )
                for group in shown
            ]
            for side in sides
        }
        names = [str(group.get("name") or "") for group in shown]
        if not kind.photos or not all(names) or any(group.get("class") for group in shown):
            names = []
        show_table(facts, named_listings(names, said))
        if len(groups) > MOST_SHOWN:
            tell(f"... and {len(groups) - MOST_SHOWN:,} smaller ones")
        for note in answer.get("notes", []):
            tell_note(Note.read(note))
    except (
        *(ValueError, KeyError, TypeError, AttributeError),
        *(IndexError, OverflowError, RecursionError),
    ) as error:
        why = ValueError(f"{error.args[0]!r} is missing") if isinstance(error, KeyError) else error
        raise damaged("{path} is damaged: {error}", why, path=path / "result.json") from None


def _model(model: Model) -> None:

    sides = ", ".join(f"{clean(name)} ({len(side.values):,})" for name, side in model.sides.items())
    tell(f"A model of {counted(model.n_clusters, 'group')} of {clean(model.target)} by {sides}.")
    for i, name in enumerate(model.names):
        tell(f"{i:5}  {clean(name, 80)}", indent=7)


def _collection(collection: Collection) -> None:
    from comraf.report.titles import value_titles
    from comraf.workflows.photos import in_words

    tell(
        f"A collection of {counted(len(collection), noun_of(collection))} "
        f"({clean(collection.kind)}), {collection.n_skipped:,} skipped, "
        f"{counted(collection.duplicates, 'second copy', 'second copies')} dropped."
    )
    shown = value_titles(collection)
    for name, side in collection.sides.items():
        common = sorted(range(len(side.values)), key=lambda i: -side.documents[i])
        told = in_words(name, [shown.get(name, side.values)[i] for i in common[:_MOST_LOOKED]])
        tell(
            f"  {clean(name)}: {len(side.values):,}; commonest: {listed(told[:_MOST_TOLD])}",
            indent=4,
        )
    for note in collection.notes:
        tell_note(note)
    for line in skips_told(collection.skipped, 10):
        tell(line, indent=6)


def _documents(found: Inspection, options: Source) -> None:
    import json
    from shlex import quote

    from comraf.collection.readers.images import PhotoReader

    reader, seen = found.reader, found.contents
    photos = isinstance(reader, PhotoReader)
    what = "Photos" if photos else "Documents"
    tell(f"{what} not yet read: {reader.kind}, {seen.held}.")
    sides = (
        photo_lines(found.units, seen, reader.captions_found())
        if isinstance(reader, PhotoReader)
        else seen.sides()
    )
    for side in sides:
        tell(f"  {clean(side, 400)}", indent=4)
    if fields := getattr(reader, "fields", None):
        shown = ", ".join(list(fields)[:40])
        tell(f"  fields (for --truth): {clean(shown, 400)}", indent=4)
    for note in found.notes:
        tell_note(note)
    if seen.n_skipped and photos:
        where = "" if seen.whole else f" among the first {seen.n_items + seen.n_skipped:,}"
        tell(f"can't be read{where}: {counted(seen.n_skipped, 'photo')}")
        for line in skips_listed(seen.skips, seen.n_skipped):
            tell(line, indent=6)
    elif seen.n_skipped:
        first = clean(seen.first_skip, 200)
        tell(f"skipped {seen.n_skipped:,}; the first: {first}", indent=6)
    said = f" --kind {options.kind}" if options.kind else ""
    said += f" --encoding {options.encoding}" if options.encoding else ""
    for name, value in (options.reader_options or {}).items():
        typed = value if isinstance(value, str) else json.dumps(value)
        said += f" --set {quote(f'{name}={typed}')}"
    tell(f"To organise them: comraf organize {clean(quote(str(found.path)), 300)}{said}")


def photo_lines(units: Sequence[Unit], seen: Contents, captions: Sequence[str]) -> list[str]:
    """Lines about captions, dates, places and folders, with the options that use them.

    Parameters
    ----------
    units : sequence of Unit
        The photos.
    seen : Contents
        What was found in those that were read.
    captions : sequence of str
        Where captions are, from the reader.

    Examples
    --------
    >>> from comraf.collection.items import Unit
    >>> from comraf.workflows.inspect import Contents
    >>> for line in photo_lines([Unit("a/1.jpg"), Unit("b/2.jpg")], Contents(), []):
    ...     print(line)
    captions: none
    folders: 2 (a 1, b 1); if they are classes, --truth folders scores by them
    """
    from comraf.collection.sides import photo_sides
    from comraf.workflows.neighbours import FEWEST_PHOTOS, MOST_PHOTOS

    lines = [f"captions: {line}" for line in captions] or ["captions: none"]
    by = ",".join([*(["words"] if captions else []), *photo_sides()])
    if FEWEST_PHOTOS <= len(units) <= MOST_PHOTOS:
        by += ",neighbours"
    sides = {"date": "months", "places": "places"}
    found = {side: seen.side(side) for side in sides}
    lines += [line for line in found.values() if line]
    if used := [sides[side] for side, line in found.items() if line]:
        them = "these" if len(used) > 1 or used == ["places"] else "them"
        lines.append(f"to group by {them} too: --by {','.join([by, *used])}")
    from comraf.collection.readers.files import escaped

    folders = Counter(unit.path.rpartition("/")[0] for unit in units)
    if len(folders) > 1:
        told = ", ".join(
            f"{escaped(folder) or 'the folder itself'} {count:,}"
            for folder, count in folders.most_common(_MOST_FOLDERS)
        )
        more = ", ..." if len(folders) > _MOST_FOLDERS else ""
        lines.append(
            f"folders: {len(folders):,} ({told}{more}); if they are classes, --truth folders "
            "scores by them"
        )
    return lines
