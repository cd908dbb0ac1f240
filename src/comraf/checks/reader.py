"""What every reader of a collection keeps to."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import numpy as np

from comraf.checks.rules import hold
from comraf.collection.detect import detect
from comraf.collection.items import Item, Reader, Role, Skip, Unit
from comraf.collection.kinds import KINDS, Kind
from comraf.errors import ComrafError, InputError, RuleError

__all__ = ["check_reader"]


def check_reader(
    kind: str | Kind,
    path: str | os.PathLike[str],
    *,
    n_damaged: int = 30,
    random_state: int = 0,
    **options: Any,
) -> None:
    r"""Hold a reader to what building a collection goes by, with an example of what it reads.

    1. It finds items in the example: the same ones each time, and in another process.
    2. Items are clean: no control characters, no halves of characters, moments with a time
       zone, people with a name or an address, lists of strings.
    3. A file that is empty, cut short, damaged, gone or not of the kind gives items and skips, or
       an error of comraf's, and nothing else. What was read before the damage stays the same.
    4. The kind is recognised by looking, and prose is not taken for it, unless only who names the
       kind gets it.
    5. Every option has its meaning in the docstring.

    Parameters
    ----------
    kind : str or Kind
        A name in `comraf.collection.KINDS`, or a kind of your own; rule 4 is for those with a
        line there.
    path : path-like
        The example: a file, or a folder.
    n_damaged : int
        How many damaged copies of each file are read.
    random_state : int
    **options
        For the reader.

    Raises
    ------
    RuleError
        The rule that is broken, and where.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.csv")
    ...     _ = file.write_text("id,text\n1,the pump leaks\n2,so does the hose\n")
    ...     check_reader("csv", file)
    """
    if isinstance(kind, str) and kind not in KINDS:
        raise InputError(parameter="kind", given=kind, allowed=KINDS)
    one = KINDS[kind] if isinstance(kind, str) else kind
    path = Path(path)
    _check_found(one, path, options)
    _check_damage(one, path, options, n_damaged, np.random.default_rng(random_state))
    if KINDS.places.get(one.name) is not None and KINDS[one.name] is one:
        _check_recognised(one, path)
    for name, meaning in one.options.items():
        hold(meaning, "every option has its meaning in the docstring", f"{name!r} has none")


def _all(reader: Reader, units: Iterable[Unit]) -> list[Item | Skip]:
    return [found for unit in units for found in reader.read(unit)]


def _check_found(kind: Kind, path: Path, options: dict[str, Any]) -> None:
    """Rules 1 and 2."""
    reader = kind.reader(path, **options)
    units = reader.scan()
    found = _all(reader, units)
    items = [one for one in found if isinstance(one, Item)]
    hold(items, "the example has items", f"there are {len(found)} skips and nothing else")
    for one in found:
        _check_clean(one, path)
    hold(
        reader.scan() == units,
        "a second scan lists the same units",
        "they are others, or in another order",
    )
    rule = "items are the same each time, and in another process"
    hold(_all(reader, units) == found, rule, "a second reading gives others")
    hold(_all(kind.reader(path, **options), units) == found, rule, "another reader gives others")
    try:
        twin = pickle.loads(pickle.dumps(reader))  # noqa: S301 - what was dumped here
    except Exception as error:
        raise RuleError("a reader can be sent to another process: {it}", it=repr(error)) from error
    hold(_all(twin, units) == found, rule, "a reader that was sent there gives others")


def _check_clean(one: Item | Skip, path: Path) -> None:
    """Rule 2, for an item or a skip."""
    hold(isinstance(one, Item | Skip), "a reader yields items and skips", repr(type(one)))
    rule = "every item and skip says where it comes from, below the folder"
    hold(one.source and not os.path.isabs(one.source), rule, f"source={one.source!r}")
    for name, text in _strings(one):
        rule = f"{name} of an item is a string without control characters"
        hold(isinstance(text, str), rule, f"{text!r} in {one.source}")
        bad = [c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
        hold(not bad, f"{rule} (see `clean` and `decode`)", f"{bad[:3]} in {one.source}")
    if isinstance(one, Skip):
        hold(one.reason, "a skip says why", f"reason={one.reason!r} of {one.source}")
        return
    hold(one.id, "an item has an id", one.source)
    offset = timedelta(0) if one.date is None else one.date.utcoffset()
    hold(offset == timedelta(0), "dates are in UTC and say so", f"{one.date!r} in {one.source}")
    for person in one.people:
        rule = "a person has a role, and a name or an address"
        named = person.role in get_args(Role) and (person.name or person.address)
        hold(named, rule, f"{person} in {one.source}")
    for name, values in one.values.items():
        hold(isinstance(values, tuple), "values are tuples", f"{name!r} in {one.source}")


def _strings(one: Item | Skip) -> Iterator[tuple[str, Any]]:
    yield "source", one.source
    if isinstance(one, Skip):
        yield "reason", one.reason
        return
    yield from (("id", one.id), ("text", one.text), ("title", one.title))
    yield from (("truth", text) for text in (one.truth,) if text is not None)
    yield from (("people", text) for person in one.people for text in (person.name, person.address))
    yield from ((name, text) for name, values in one.values.items() for text in values)
    yield from (("links", text) for text in one.links)


def _check_damage(
    kind: Kind, path: Path, options: dict[str, Any], n: int, rng: np.random.Generator
) -> None:
    """Rule 3: damaged copies of each file, one at a time; then all files gone."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        shutil.copytree(path, copy) if path.is_dir() else shutil.copy(path, copy)
        files = sorted(file for file in copy.rglob("*") if file.is_file()) or [copy]
        for file in files:
            data = file.read_bytes()
            for what, damaged in _damaged(data, n, rng):
                file.write_bytes(damaged)
                _read_damaged(kind, copy, options, f"{file.name} that {what}")
            file.write_bytes(data)
        reader = kind.reader(copy, **options)
        units = reader.scan()
        for file in files:
            file.unlink()
        _survives(lambda: _all(reader, units), f"{path.name} that has gone since it was listed")


def _damaged(data: bytes, n: int, rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    yield "is empty", b""
    yield "is of zeros", bytes(100)
    yield "is noise", rng.bytes(1000)
    for _ in range(n):
        place = int(rng.integers(len(data) + 1))
        yield f"is cut at byte {place}", data[:place]
        noise = rng.bytes(3)
        yield f"has {noise!r} at byte {place}", data[:place] + noise + data[place + 3 :]


def _read_damaged(kind: Kind, path: Path, options: dict[str, Any], what: str) -> None:
    def read() -> None:
        reader = kind.reader(path, **options)
        for found in _all(reader, reader.scan()):
            _check_clean(found, path)

    _survives(read, what)


def _survives(read: Any, what: str) -> None:
    rule = "a damaged file gives items and skips, or an error of comraf's"
    try:
        read()
    except RuleError as error:
        raise RuleError("{it} (in {what})", it=error, what=what) from error
    except ComrafError:
        return
    except Exception as error:
        raise RuleError("{rule}: {what} raises {it!r}", rule=rule, what=what, it=error) from error


def _check_recognised(kind: Kind, path: Path) -> None:
    """Rule 4."""
    if kind.recognise is None and not kind.endings:
        return
    found = detect(path).kind
    hold(found == kind.name, "the kind is recognised by looking", f"{path.name} is read as {found}")
    with tempfile.TemporaryDirectory() as folder:
        prose = Path(folder, "prose.txt")
        prose.write_text("The pump leaks again.\n\nWho brings a hose?\n" * 20, encoding="utf-8")
        found = detect(prose).kind
        taken = found == kind.name != "text"
        hold(not taken, "prose is not taken for it", f"a text is read as {found}")
