"""``rerank``: a ranked list with what it is mostly about first."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from comraf.errors import InputError, Parameter, ReadError
from comraf.progress import Listener, say, unheard
from comraf.workflows.cores import (
    AUTO,
    Cores,
    Size,
    core_size,
    few_known,
    read_background,
    size_from,
)
from comraf.workflows.naming import counted
from comraf.workflows.options import Option, names_from, takes

if TYPE_CHECKING:
    import os

    from comraf.collection.readers.tabular import TabularReader
    from comraf.oneclass.sizes import Suggestion

__all__ = ["Ranked", "RerankOptions", "Reranked", "read_ranked", "rerank"]

_TEXT = "text body content snippet description summary abstract".split()
_LINKS = ("url", "link", "href", "address")
_PLAIN = re.compile(r"[\W_]+")
# Results that a list must have, and words of the core that are told.
_LEAST, _MOST_WORDS = 3, 20


@dataclass(frozen=True, kw_only=True)
class RankedList:
    """How a list is read, and how much of it is its core.

    Parameters
    ----------
    n_core : int or "auto"
        How many results are in the core, or auto.
    rank : str
        Column of ranks, the smallest first.
    text : sequence of str
        Columns of text and snippets.
    title : str
        Column of titles.
    kind : {"csv", "tsv", "jsonl", "parquet"}
        What LIST is: csv, tsv, jsonl, parquet.
    """

    n_core: Annotated[Size, Option("-n", "--core", metavar="N", read=size_from)] = None
    rank: Annotated[str | None, Option(metavar="COLUMN")] = None
    text: Annotated[Sequence[str] | str | None, Option(metavar="COLUMNS", read=names_from)] = None
    title: Annotated[str | None, Option(metavar="COLUMN")] = None
    kind: Annotated[str | None, Option(metavar="KIND")] = None


@dataclass(frozen=True, kw_only=True)
class RerankOptions(Cores, RankedList):
    """Options of `rerank`.

    Parameters
    ----------
    method : {"ltb", "occc", "maxkl", "minentropy", ...}
        ltb and occc look for a topic of their own words; the others are simpler: maxkl and
        minentropy by the words' information, centroid, lof, svm, rest, ib (one-class information
        bottleneck), distortion (rate distortion), random.
    random_state : int
        The same seed gives the same list.
    """

    def check(self, path: str | os.PathLike[str]) -> None:
        """Refuse what can't be meant, before anything is read."""
        from comraf.collection.readers.files import check_path

        core_size(self.n_core)
        check_path(path)
        self.estimator()


@dataclass(frozen=True, eq=False)
class Ranked:
    """A list in its order.

    Attributes
    ----------
    names : list of str
        Columns.
    rows : list of dict
        Cells by column, the first result first.
    titles : list of str
        What each is called.
    counts : csr_array of shape (rows, words)
        Their words.
    words : list of str
        Names of the columns of ``counts``.
    notes : tuple of str
        What the user should know.
    """

    def __repr__(self) -> str:
        return f"Ranked({counted(len(self.rows), 'result')} with {', '.join(self.names)})"

    names: list[str]
    rows: list[dict[str, Any]]
    titles: list[str]
    counts: Any
    words: list[str]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Reranked:
    """A list with its core first.

    Attributes
    ----------
    path : Path
        The list.
    options : RerankOptions
        What was asked for.
    ranked : Ranked
        The list as it was.
    n_core : int or None
        How many results are in the core. None if that was not said, or the search for it was
        stopped: then only sizes were tried, and nothing is in order.
    order : list of int
        Places in the old list, the new first one first.
    core : list of bool
        Whether each result, in the old order, is in the core.
    scores : list of float
        How much each belongs to it.
    words : list of str
        What made the core.
    suggestion : Suggestion or None
        The sizes that were tried, with their scores.
    warnings, notes : tuple of str
        What may be wrong with the list, and what one should know of it.
    """

    path: Path
    options: RerankOptions
    ranked: Ranked
    n_core: int | None
    order: list[int]
    core: list[bool]
    scores: list[float]
    words: list[str]
    suggestion: Suggestion | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        results = f"{counted(len(self.ranked.rows), 'result')} of {self.path.name}"
        if self.n_core is None:
            return f"Reranked({results}; sizes tried: {self.suggestion})"
        return f"Reranked({results}, {self.n_core:,} of them in the core)"

    def results(self) -> Iterator[dict[str, Any]]:
        """The results in their new order, each with all columns of the list."""
        for place, i in enumerate(self.order, start=1):
            own = (place, i + 1, int(self.core[i]), round(self.scores[i], 6))
            yield {**dict(zip(self._added(), own, strict=True)), **self.ranked.rows[i]}

    def to_dict(self) -> dict[str, Any]:
        """The list as plain data; without a size of the core, the sizes that were tried."""
        if self.n_core is None and self.suggestion is not None:
            tried = {"suggested": self.suggestion.best, "sizes": self.suggestion.table}
            return {**tried, "notes": [*self.notes, *self.warnings]}
        return {
            "source": str(self.path),
            "method": self.options.method,
            "background": self.options.background,
            "core": self.n_core,
            "suggested": self.suggestion is not None,
            **({"sizes": self.suggestion.table} if self.suggestion else {}),
            "words": self.words,
            "notes": [*self.notes, *self.warnings],
            "results": [_finite(result) for result in self.results()],
        }

    def to_csv(self, delimiter: str = ",") -> str:
        """The list as a table, with the columns that it had."""
        from comraf.collection.readers.tabular_cells import cell_text
        from comraf.results.files import csv_lines

        names = self.ranked.names
        lines: list[list[Any]] = [[*self._added(), *names]]
        for result in self.results():
            cells = (result.get(name) for name in names)
            shown = (cell if isinstance(cell, str) else cell_text(cell) for cell in cells)
            lines.append([*list(result.values())[:4], *shown])
        return "".join(csv_lines(lines, delimiter))

    def to_jsonl(self) -> str:
        """The list as JSON lines, cells as they were."""
        import json

        lines = (_finite(result) for result in self.results())
        return "".join(f"{json.dumps(one, ensure_ascii=False, default=str)}\n" for one in lines)

    def _added(self) -> list[str]:
        """Headings of our own columns, none of which the list has."""
        out = []
        for name in ("new_rank", "old_rank", "core", "core_score"):
            while name in self.ranked.names:
                name += "_"
            out.append(name)
        return out


@takes(RerankOptions)
def rerank(
    path: str | os.PathLike[str], *, options: RerankOptions, listener: Listener = unheard
) -> Reranked:
    r"""Put what a ranked list is mostly about first.

    Parameters
    ----------
    path : path-like
        A CSV, TSV, JSON lines or Parquet file with one result a row.
    listener : callable, optional
        Called with every event of the work.
    options
        All others as for ``comraf rerank``; see `RerankOptions`. Without ``n_core`` several sizes
        are tried, and nothing is put in order.

    Returns
    -------
    Reranked

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "hits.csv")
    ...     _ = file.write_text("title,snippet\nTea,hot cup\nSea,old ship\nSea,ship at sea\n")
    ...     found = rerank(file, n_core=2, background="flat", method="maxkl")
    >>> [result["title"] for result in found.results()]
    ['Sea', 'Sea', 'Tea']
    """
    from comraf.oneclass.sizes import suggest_n_core

    path = Path(path)
    options.check(path)
    general = read_background(options.background)
    model = options.estimator(general)
    say(listener, f"reading {path.name}")
    ranked = read_ranked(
        path,
        kind=options.kind,
        text=options.text,
        title=options.title,
        rank=options.rank,
        listener=listener,
    )
    size, suggestion = core_size(options.n_core, len(ranked.rows)), None
    if size is None:
        suggestion = suggest_n_core(
            model,
            ranked.counts,
            words=ranked.words,
            random_state=options.random_state,
            listener=listener,
        )
        if options.n_core == AUTO and not suggestion.interrupted:
            size = suggestion.best
    order: list[int] = []
    core: list[bool] = []
    scores: list[float] = []
    words: list[str] = []
    if size is not None:
        say(listener, "looking for the core")
        model.set_params(n_core=size).fit(ranked.counts, words=ranked.words)
        core, scores = [bool(one) for one in model.labels_], [float(one) for one in model.scores_]
        order = sorted(range(len(core)), key=lambda i: (not core[i], i))
        words = [str(word) for word in model.topical_words_[:_MOST_WORDS]]
    warned = few_known(general, ranked.words, options.background)
    more = (suggestion, warned, ranked.notes)
    return Reranked(path, options, ranked, size, order, core, scores, words, *more)


def _finite(value: Any) -> Any:
    """A cell as JSON can say it: it knows no NaN and no infinity."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def read_ranked(
    path: Path,
    *,
    kind: str | None = None,
    text: Sequence[str] | str | None = None,
    title: str | None = None,
    rank: str | None = None,
    listener: Listener | None = None,
) -> Ranked:
    r"""Read a list with all of its columns, and count the words of its results.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "hits.csv")
    ...     _ = file.write_text("at,title,snippet\n2,Sea,old ship\n1,Tea,hot cup\n3,Tea,cold cup\n")
    ...     ranked = read_ranked(file, rank="at")
    >>> ranked.titles, ranked.counts.shape[0], "snippet" in ranked.names
    (['Tea', 'Sea', 'Tea'], 3, True)
    """
    from comraf.collection.readers.tabular import FORMATS, TabularReader

    if kind is not None and kind not in FORMATS:
        said = "{given} is no kind of list; it can be {known:,}"
        raise InputError(said, "kind", kind, known=list(FORMATS))
    if not path.exists():
        raise ReadError(f"There is no file {str(path)!r}")
    if not path.is_file():
        raise InputError(f"{path} is a folder; name a file with one result a row")
    look = TabularReader(path, format=kind or _kind(path))
    names, numbered, lost = _rows(look)
    if len(numbered) < _LEAST:
        raise InputError(
            f"{path} has {len(numbered)} results that can be read; there must be at least {_LEAST}"
        )
    wanted = [text] if isinstance(text, str) else text
    chosen = None if wanted is None else _known(wanted, names, "text")
    heading = None if title is None else _known([title], names, "title")[0]
    if chosen is None:
        chosen = [c for c in names if _PLAIN.sub("", c).lower() in _TEXT and c != heading]
        chosen = chosen or [c for c in look.columns.text if c != heading]
    if heading is None:
        # titles that come again and again were taken for the text
        named = [c for c in look.columns.text if _PLAIN.sub("", c).lower() == "title"]
        heading = look.columns.title or next(iter(named), "")
        heading = "" if heading in chosen else heading
    if not chosen and not heading:
        said = "{path} has no column that looks like text; name one with {p[text]}"
        raise InputError(said, path=path)
    if rank is not None:
        column = _known([rank], names, "rank")[0]
        numbered.sort(key=lambda pair: _rank(pair, column))  # those of one rank as they stood
    counts, words, told = _words(path, look, chosen, heading, [n for n, _ in numbered], listener)
    notes = [f"{lost:,} rows can't be read and are left out"] if lost else []
    notes.append(f"words are those of {', '.join([heading, *chosen] if heading else chosen)}")
    links = [c for c in names if _PLAIN.sub("", c).lower() in _LINKS]
    rows = [row for _, row in numbered]
    titles = [_title(row, [heading, *links, *chosen]) for row in rows]
    return Ranked(names, rows, titles, counts, words, (*notes, *told))


def _kind(path: Path) -> str:
    from comraf.collection.readers.tabular import FORMATS

    ending = path.suffix.lower()
    known = [kind for kind, endings in FORMATS.items() if ending in endings]
    if not known:
        raise InputError(
            "{path}: lists end in .csv, .tsv, .jsonl or .parquet; say with {p[kind]} what it is",
            path=path,
        )
    return known[0]


def _rows(reader: TabularReader) -> tuple[list[str], list[tuple[int, dict[str, Any]]], int]:
    """Names of columns, rows with the number of their line, and how many can't be read."""
    from comraf.collection.items import Unit

    names: dict[str, None] = {}
    rows: list[tuple[int, dict[str, Any]]] = []
    lost = 0
    try:
        for number, row, _ in reader.rows(reader.root, Unit("")):
            if isinstance(row, str):
                lost += 1
                continue
            names.update(dict.fromkeys(row))
            rows.append((number, dict(row)))
    except OSError as error:
        raise ReadError(f"Can't read {reader.root!r}: {error.strerror or error}") from error
    return list(names), rows, lost


def _words(
    path: Path,
    look: TabularReader,
    text: Sequence[str],
    title: str,
    numbers: Sequence[int],
    listener: Listener | None,
) -> tuple[Any, list[str], list[str]]:
    """Words of each row. Rows without any are empty, and second copies count as themselves."""
    import numpy as np
    import scipy.sparse as sp

    from comraf.collection.build import build_collection
    from comraf.collection.options import SideOptions, WordOptions
    from comraf.collection.readers.tabular import TabularReader

    none = {"id": "", "date": "", "people": [], "lists": [], "values": [], "truth": ""}
    reader = TabularReader(
        path,
        format=look.kind,
        delimiter=look.delimiter,
        text=list(text),
        title=title,
        **none,  # type: ignore[arg-type]
    )
    options = SideOptions(
        words=WordOptions(min_documents=1, max_share=1.0), sides=("words",), duplicates="keep"
    )
    collection = build_collection(reader, options=options, listener=listener)
    place = {number: i for i, number in enumerate(numbers)}
    rows = [place.get(int(source.rpartition(":")[2]), -1) for source in collection.sources]
    table = sp.coo_array(collection.tables["words"])
    where = np.asarray(rows, dtype=np.int64)[table.coords[0]]
    keep = where >= 0
    words = list(collection.sides["words"].values)
    counts = sp.csr_array(
        (table.data[keep], (where[keep], table.coords[1][keep])), shape=(len(numbers), len(words))
    )
    empty = int((np.diff(counts.indptr) == 0).sum())
    told = [f"{empty:,} results have no words, and come last in the ranking"] if empty else []
    return counts, words, told


def _known(found: Sequence[str], names: Sequence[str], parameter: str) -> list[str]:
    """Columns that a list has."""
    if not found:
        raise InputError("{name} names no column", name=Parameter(parameter))
    for name in found:
        if name not in names:
            said = "{given}: there is no such column; there are {names}"
            raise InputError(said, parameter, name, names=_list(names))
    return list(found)


def _list(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _rank(pair: tuple[int, dict[str, Any]], column: str) -> float:
    import math

    number, row = pair
    try:
        value = float(row[column])  # 0 is a rank too, and an empty cell is none
    except (KeyError, TypeError, ValueError, OverflowError):
        value = math.nan
    if math.isnan(value):
        shown = str(row.get(column))[:40]
        said = "{given}: line {n} has {shown!r}, which is no number"
        raise InputError(said, "rank", column, n=number, shown=shown)
    return value


def _title(row: dict[str, Any], columns: Sequence[str]) -> str:
    from comraf.collection.readers.charsets import clean_line
    from comraf.collection.readers.tabular_cells import cell_start, cell_text

    for column in columns:
        found = clean_line(cell_text(cell_start(row.get(column), 400))) if column else ""
        if found:
            return found
    return "(nothing)"
