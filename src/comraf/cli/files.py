"""Files that commands write: looked at before the work, whole or not there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from comraf.cli.program import has_written, until_the_end
from comraf.cli.show import clean
from comraf.errors import InputError, WriteError

if TYPE_CHECKING:
    from comraf.results import Result

__all__ = ["check_csv", "check_file", "claim", "shown_group", "write_csv", "write_file"]


def claim(place: Path, *, force: bool) -> None:
    """Keep a place for the answer of this command, and refuse what can't be written to.

    Whoever else wants to write there is refused until the command has ended.
    """
    from comraf.results.files import check_folder, recover
    from comraf.store import claimed, remove_leftovers

    until_the_end(claimed(place))
    recover(place)
    remove_leftovers(place)
    check_folder(place, force=force)


def shown_group(result: Result, side: str, label: int) -> str:
    """A group as it is named on the terminal."""
    number = int(result.ids[side][label])
    given = result.names.get(side)
    name = given[label] if given else ""
    return f"{number} ({clean(name, 60)})" if name else str(number)


def check_csv(out: Path | None, force: bool) -> None:
    """Refuse a file that can't be written, before the work, and keep other runs from it."""
    from comraf.store import claimed

    if out is None:
        if force:
            raise InputError("--force is about the file of --out; name one")
        return
    until_the_end(claimed(out))
    if out.is_dir():
        raise WriteError(f"{out}: is a folder; name a file for the answer, such as answer.csv")
    if out.exists() and not force:
        raise WriteError(f"{out}: is there already; name another file, or add --force")
    if out.exists() and not out.is_file():
        raise WriteError(f"{out}: is neither a file nor a folder (a device or a pipe)")
    if not out.absolute().parent.is_dir():
        raise WriteError(f"{out}: the folder {out.absolute().parent} is not there; make it")


def check_file(out: Path | None, *, force: bool, endings: Sequence[str], option: str) -> None:
    """Refuse a file that can't be written or ends otherwise, before any work is done for it."""
    if out is None:
        return
    if out.suffix.lower() not in endings:
        raise WriteError(f"{option} {out}: the file must end in {' or '.join(endings)}")
    check_csv(out, force)


def write_csv(
    out: Path, heading: Sequence[str], lines: Iterable[Sequence[object]], *, force: bool
) -> None:
    """Write a CSV file, all of it or nothing."""
    from comraf.results.files import csv_lines

    write_file(out, csv_lines([heading, *lines]), force=force)


def write_file(out: Path, pieces: Iterable[str], *, force: bool) -> None:
    """Write a file that is either there and whole, or not there.

    Without ``force`` nothing was there before the work: what somebody has saved there since is
    kept under another name.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(Path(folder, "a.csv"), ["a", "b"], force=False)
    ...     Path(folder, "a.csv").read_text()
    'ab'
    """
    from comraf.results.files import set_aside
    from comraf.store import write_whole

    if not force:
        set_aside(out)
    write_whole(out, pieces)
    has_written(out)
