"""What ``comraf ask`` asks about: items as rows of numbers, and as people see them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from comraf.cli.show import clean
from comraf.cli.wording import counted
from comraf.errors import ComrafError, InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import scipy.sparse as sp
    from rich.console import Console

    from comraf.collection.collection import Collection
    from comraf.graph import Graph

__all__ = ["Documents", "Items", "Rows"]

_LINES_SHOWN = 5
_MOST_TEXT = 4_000
_MOST_PEOPLE = 6
_MOST_COLUMNS = 40
_WIDEST = 100
# What photos look like, in the order in which people would tell it.
_LOOKS = ("colours", "blobs", "texture")
_MOST_LOOKS = 5
# Digits beyond these differ between machines, and would make a journal one about other items.
_DIGITS = 6


class Items(ABC):
    """Those that can be asked about.

    Items without any counts are left out, and so are those whose id can't stand in a file of
    links (an end of line in it, blanks around it).

    Attributes
    ----------
    noun, side : str
        What one of them is called, and the side that they are.
    n : int
        How many there are, with those that are left out.
    names : sequence of str or None
        Names of all, or None: they go by number.
    rows : numpy.ndarray of int64
        Number of each that can be asked about.
    X : sparse array, (len(rows), values)
        Weighted counts (tf-idf) in rows of unit length.
    """

    noun: str
    side: str

    def __init__(self, counts: sp.csr_array, names: Sequence[str] | None, *, damped: bool) -> None:
        import numpy as np
        import scipy.sparse as sp
        from sklearn.feature_extraction.text import TfidfTransformer

        self.n, self.names = int(counts.shape[0]), names
        filled = np.diff(counts.indptr) > 0
        if names is not None:
            filled &= np.array([_can_be_named(name) for name in names], dtype=bool)
        self.rows: npt.NDArray[np.int64] = np.flatnonzero(filled)
        if len(self.rows) < 2:
            raise InputError(
                f"only {counted(len(self.rows), self.noun)} of {self.n:,} can be asked about; "
                "there must be two with any counts"
            )
        found = TfidfTransformer(sublinear_tf=damped).fit_transform(counts[self.rows])
        self.X = sp.csr_array(found)
        self.X.data = np.round(self.X.data, _DIGITS)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def ids(self) -> list[str]:
        """What each is called in files."""
        return [str(i) if self.names is None else self.names[i] for i in self.rows]

    @abstractmethod
    def shown(self, row: int, console: Console) -> Iterator[str]:
        """An item in a few lines that fit the console."""


class Rows(Items):
    """The rows of a table of counts, shown by their columns.

    Parameters
    ----------
    graph : Graph
        Rows and columns, and the table between them.

    Examples
    --------
    >>> from comraf.cli.show import open_console
    >>> from comraf.graph import Edge, Graph, Node
    >>> nodes = [Node("rows", values=["ant", "bee"], n_clusters=2), Node("columns", n_clusters=1)]
    >>> rows = Rows(Graph(nodes, [Edge("rows", "columns", [[5, 0, 1], [0, 2, 0]])]))
    >>> list(rows.shown(0, open_console())), rows.ids
    (['  ant', '  0 (5), 2 (1)'], ['ant', 'bee'])
    """

    noun, side = "row", "rows"

    def __init__(self, graph: Graph) -> None:
        import scipy.sparse as sp

        nodes = {node.name: node for node in graph.nodes}
        self._counts = sp.csr_array(graph.edges[0].counts)
        self._columns = nodes["columns"].values
        # Counts of a table may be shares, whose logarithm is no weight.
        super().__init__(self._counts, nodes["rows"].values, damped=False)

    def shown(self, row: int, console: Console) -> Iterator[str]:
        """Its name, and the columns with most of it."""
        import numpy as np

        i, width = int(self.rows[row]), _width(console)
        part = slice(self._counts.indptr[i], self._counts.indptr[i + 1])
        columns, counts = self._counts.indices[part], self._counts.data[part]
        best = np.argsort(-counts, kind="stable")[:_MOST_COLUMNS]
        told = [f"{self._column(columns[j])} ({counts[j]:g})" for j in best]
        more = ", …" if len(counts) > _MOST_COLUMNS else ""
        yield from _wrapped(_seen(self.ids[row]), console, width, 2)
        yield from _wrapped(", ".join(told) + more, console, width, _LINES_SHOWN)

    def _column(self, j: int) -> str:
        return str(j) if self._columns is None else clean(self._columns[j])


class Documents(Items):
    """The documents of a collection.

    Parameters
    ----------
    collection : Collection
        What was read.
    by : sequence of str
        Sides that make the groups. Rows are made of words where they are among these.

    Attributes
    ----------
    sides : list of str
        Those that rows are made of.
    """

    noun, side = "document", "documents"

    def __init__(self, collection: Collection, by: Sequence[str]) -> None:
        import scipy.sparse as sp

        self.collection = collection
        self._shown: dict[str, Sequence[str]] = {}
        if collection.photos is not None:
            self.noun = "photo"
        self.sides = ["words"] if "words" in by else list(by)
        counts = sp.csr_array(sp.hstack([collection.tables[side] for side in self.sides]))
        super().__init__(counts, collection.ids, damped=True)

    def shown(self, row: int, console: Console) -> Iterator[str]:
        """Its title, date, people, and the first lines of its text; of a photo what is seen."""
        import numpy as np

        i, width = int(self.rows[row]), _width(console)
        if self.collection.photos is not None:
            yield from self._photo(i, console, width)
            return
        date = self.collection.dates[i]
        title = self.collection.titles[i] or self.collection.ids[i]
        yield from _wrapped(_seen(title), console, width, 2)
        facts = [] if np.isnat(date) else [str(date)[:10]]
        facts += [f"{clean(side)}: {names}" for side, names in self._values(i)]
        if facts:
            yield from _wrapped(" · ".join(facts), console, width, 2)
        yield from _wrapped(self._text(i), console, width, _LINES_SHOWN)

    def _values(self, i: int, hidden: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
        """Values of the sides that say something beside the title and the text."""
        from comraf.collection.sides import side_of

        for name, table in self.collection.tables.items():
            columns = table.indices[table.indptr[i] : table.indptr[i + 1]]
            known = name in self.collection.sides and side_of(name).listed
            if known and name not in hidden and len(columns):
                values = self.collection.sides[name].values
                more = ", …" if len(columns) > _MOST_PEOPLE else ""
                yield name, ", ".join(clean(values[c]) for c in columns[:_MOST_PEOPLE]) + more

    def _photo(self, i: int, console: Console, width: int) -> Iterator[str]:
        """Where it lies, its caption, and what it looks like: most of it first."""
        import numpy as np

        yield from _wrapped(_seen(self.collection.ids[i]), console, width, 2)
        date = self.collection.dates[i]
        if not np.isnat(date):
            yield from _wrapped(str(date)[:10], console, width, 1)
        yield from _wrapped(self._text(i), console, width, _LINES_SHOWN)
        for side, names in self._values(i, _LOOKS):
            yield from _wrapped(f"{clean(side)}: {names}", console, width, 1)
        sides = self.collection.tables
        for side in _LOOKS if "blobs" not in sides else _LOOKS[:2]:  # blobs tell of texture, too
            if said := ", ".join(self._look(side, i)):
                yield from _wrapped(f"{side}: {said}", console, width, 2)

    def _look(self, side: str, i: int) -> list[str]:
        """What there is most of on a side, in words: colours with their share of the photo."""
        from comraf.cli.photos import in_words
        from comraf.report.shown import shown_values

        table = self.collection.tables.get(side)
        if table is None or table.indptr[i] == table.indptr[i + 1]:
            return []
        part = slice(table.indptr[i], table.indptr[i + 1])
        if side not in self._shown:
            self._shown[side] = shown_values(self.collection)[side]
        sums: dict[str, float] = {}
        for column, count in zip(table.indices[part], table.data[part], strict=True):
            for word in in_words(side, [self._shown[side][column]]):
                sums[word] = sums.get(word, 0.0) + float(count)
        total = sum(sums.values())
        best = sorted(sums, key=lambda word: -sums[word])[:_MOST_LOOKS]
        if side != "colours":
            return best
        return [f"{word} {sums[word] / total:.0%}" for word in best if sums[word] >= 0.01 * total]

    def _text(self, i: int) -> str:
        try:
            return _seen(self.collection.text(i)[:_MOST_TEXT])
        except (ComrafError, OSError):  # the file has gone: the rest may be enough to tell
            return "(its text can't be read any more)"


def _can_be_named(name: str) -> bool:
    """Whether a file of links that has this id is read as it was written."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return bool(name) and name == name.strip() and not set(name) & set("\n\r\0")


def _seen(text: str) -> str:
    """A text on one line, without anything that would do something to a terminal."""
    return clean(" ".join(text.split()), _MOST_TEXT)


def _width(console: Console) -> int:
    return max(20, min(console.width, _WIDEST))


def _wrapped(text: str, console: Console, width: int, most: int) -> Iterator[str]:
    """At most so many lines of a text; wide letters take two places, as on the terminal."""
    from rich.text import Text

    lines = [line.plain.rstrip() for line in Text(text).wrap(console, width - 4)]
    for number, line in enumerate(lines[:most] if text else (), start=1):
        yield f"  {line}{' …' if number == most < len(lines) else ''}"
