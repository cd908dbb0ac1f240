"""Papers in JSON, JSON lines, CSV, TSV or Parquet, by the names that their fields go by.

A file holds a paper a row, a line or an object, or one object with the papers within it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from comraf.collection.items import Item, Skip, Unit
from comraf.collection.kinds import Kind
from comraf.collection.readers.files import os_path, walk
from comraf.collection.readers.papers import MAX_BYTES, Paper, PaperFiles
from comraf.collection.readers.papers_fields import (
    BY,
    TERMS,
    TRUTHS,
    choose_rest,
    looks_like_papers,
    plain_name,
    record_paper,
    role_of,
    separators_of,
)
from comraf.collection.readers.tabular import FORMATS, SAMPLE, format_of
from comraf.collection.readers.tabular_columns import Row
from comraf.collection.readers.tabular_rows import json_units, table_rows
from comraf.errors import ReadError

_LISTED = ("papers", "items", "results", "data", "message", "records", "works", "entries", "hits")
_WRAPPED = re.compile(r'"(?:' + "|".join(_LISTED) + r')"\s{0,20}:\s{0,20}\[\s{0,20}(?=\{)')
_LOOK_AT = 4 << 20
_MOST_DEPTH = 4


def holds_papers(path: str, kind: str) -> bool:
    """Tell by its beginning whether a table of some kind holds papers.

    Examples
    --------
    >>> holds_papers("nowhere.csv", "csv")
    False
    """
    try:
        if kind == "jsonl":
            return _json_papers(path)
        if kind in ("csv", "tsv"):
            rows = [row for _, row, _ in islice(table_rows(path, kind), 20)]
            return any(looks_like_papers(row) for row in rows if not isinstance(row, str))
    except (OSError, ValueError):
        return False
    return False


def _json_papers(path: str) -> bool:
    with open(path, "rb") as file:
        text = file.read(_LOOK_AT).decode("utf-8", "replace")
    decoder = json.JSONDecoder()
    starts = [text.find("{")]
    if wrapped := _WRAPPED.search(text, 0, 1 << 16):
        starts.append(wrapped.end())
    for start in starts:
        if start < 0:
            continue
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        rows = [value] if looks_like_papers(value) else _listed(value)[:1]
        if any(isinstance(row, dict) and looks_like_papers(row) for row in rows):
            return True
    return False


class PapersReader(PaperFiles):
    r"""Papers in a JSON, JSON lines, CSV, TSV or Parquet file, or a folder tree of such files.

    Fields are known by their names: ``title``, ``abstract``, ``authors``, ``venue``,
    ``keywords``, ``references`` and what else they are called in common sources. Numbers of
    citations are no citations. ``topics``, ``concepts`` and ``categories`` are sides of their
    own, and so are further fields that hold lists or few short values. Other tables are for the
    kinds ``csv``, ``jsonl``, ``parquet``.

    Parameters
    ----------
    path : path-like
        The file or the folder.
    truth : str, optional
        "folders", "files", or the name of a field; when not given, a field called ``label``,
        ``class`` or ``truth``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> line = '{"id": "p1", "title": "Pumps", "authors": [{"name": "Ann Li"}], "cites": ["p0"]}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "papers.jsonl")
    ...     _ = file.write_text(line)
    ...     reader = PapersReader(file)
    ...     item = next(reader.read(reader.scan()[0]))
    >>> item.id, item.people[0].name, item.values
    ('p1', 'Ann Li', {'citations': ('p0',)})
    """

    kind = "papers"
    endings = tuple(ending for endings in FORMATS.values() for ending in endings)

    def part_of(self, name: str) -> str:
        """Tell which part of a paper a field becomes; empty when none."""
        return role_of(name)

    def truth_parts(self) -> set[str]:
        """Name the parts of a paper and sides of its own that tell the truth."""
        if self.truth is None:
            return set(TRUTHS)
        return super().truth_parts() | ({plain_name(self._field)} if self._field else set())

    def fits(self, path: str) -> bool:
        """Tell files by their endings alone."""
        return path.lower().endswith(self.endings)

    def look(self) -> None:
        """Choose among the fields of the first rows those that are further sides."""
        self.rest, left = choose_rest(self._sample(), self.truth or "")
        further = [*(name for name, _ in self.rest.lists), *self.rest.values]
        if further:
            self.notes.append(f"further fields taken for sides: {_listed_names(further)}")
        if left:
            self.notes.append(f"fields left out: {_listed_names(left)}")

    def _sample(self) -> list[Row]:
        """The first rows of the first file that has any."""
        paths = ("",) if self.path.is_file() else (path for path, _, _ in walk(self.root, []))
        for path in islice((p for p in paths if not p or p.lower().endswith(self.endings)), 10):
            whole = os.path.join(self.root, path) if path else self.root
            kind = format_of(whole) or "jsonl"
            rows: list[Row]
            try:
                if kind == "jsonl" and _is_one_object(whole):
                    with open(whole, "rb") as file:
                        listed = _listed(json.loads(file.read()))[:SAMPLE]
                    rows = [row for row in listed if isinstance(row, dict)]
                else:
                    found = islice(table_rows(whole, kind, encoding=self.encoding), SAMPLE)
                    rows = [row for _, row, _ in found if not isinstance(row, str)]
            except (OSError, ValueError, RecursionError, ReadError):
                continue  # reading says why
            if rows:
                return rows
        return []

    def scan(self) -> list[Unit]:
        """List the files, JSON lines in stretches."""

        def lines(path: str, whole: str) -> list[Unit]:
            is_lines = (format_of(whole) or "jsonl") == "jsonl" and not _is_one_object(whole)
            return json_units(path, whole) if is_lines else [found[path]]

        found = {unit.path: unit for unit in super().scan()}
        return list(self.units(found, lines))

    def truth_of(self, paper: Paper, name: str) -> str | None:
        """Return the class of a paper; a field called ``label`` or alike tells it unasked."""
        if self.truth is not None:
            truth = super().truth_of(paper, name)
            several = truth and self.part_of(self._field) in ("authors", "citations", *TERMS)
            return BY.split(truth)[0].strip() if truth and several else truth
        return next((paper.fields[field] for field in TRUTHS if paper.fields.get(field)), None)

    def papers(self, text: str) -> Iterator[tuple[int, Paper | str]]:
        """Yield the papers of a JSON text that holds one object around them."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield getattr(error, "lineno", 1), f"not JSON: {str(error)[:120]}"
            return
        for number, row in enumerate(_listed(value), 1):
            good = isinstance(row, dict)
            yield number, record_paper(row, rest=self.rest) if good else "not a JSON object"

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the papers of a file; rows that can't be used become skips."""
        name = self.source(unit)
        whole = os_path(self.root, unit.path)
        kind = format_of(whole) or "jsonl"
        if kind == "jsonl" and _is_one_object(whole):
            yield from super().items(unit)
            return
        rows = table_rows(whole, kind, unit, encoding=self.encoding)
        separators: Mapping[str, str] = {}
        if kind != "jsonl":
            first = list(islice(rows, SAMPLE))
            separators = separators_of([row for _, row, _ in first if not isinstance(row, str)])
            rows = chain(first, rows)
        for number, row, note in rows:
            source = f"{name}:{number}"
            if isinstance(row, str):
                yield Skip(source, row)
            else:
                yield self.item(record_paper(row, separators, self.rest), source, name, note)


def _listed_names(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:20])) + (" ..." if len(names) > 20 else "")


def _is_one_object(path: str) -> bool:
    """Tell whether a file is one JSON object over several lines, with the papers inside."""
    if os.path.getsize(path) > MAX_BYTES:
        return False
    with open(path, "rb") as file:
        head = file.read(1 << 16).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head.startswith(b"{"):
        return False
    line, ended, _ = head.partition(b"\n")
    if not ended and len(head) < 1 << 15:
        return any(f'"{name}"'.encode() in line[:200] for name in _LISTED) and b"[" in line
    return not line.rstrip().endswith(b"}")


def _listed(value: object, depth: int = 0) -> list[Any]:
    """The list of objects within an object around it."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict) or depth >= _MOST_DEPTH:
        return []
    for name in _LISTED:
        if isinstance(value.get(name), (list, dict)) and (found := _listed(value[name], depth + 1)):
            return found
    if value and all(isinstance(inner, dict) for inner in value.values()):
        # objects under their keys
        return [{"id": key, **inner} for key, inner in value.items()]
    return [value] if any(role_of(str(name)) == "title" for name in value) else []


PAPERS = Kind(
    "papers",
    "tables of papers",
    PapersReader,
    noun="paper",
    recognise=lambda look: holds_papers(look.path, look.kind),
    family="papers",
    many=True,
    refines=("csv", "tsv", "jsonl"),
)
