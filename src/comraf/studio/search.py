"""Search in the text of all documents: SQLite's FTS5, in a file that can be made anew."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from comraf.errors import ReadError
from comraf.store import files_whole

if TYPE_CHECKING:
    from comraf.collection.collection import Collection

__all__ = ["INDEX", "Index", "as_query"]

#: The file of the index, in the folder of the answer.
INDEX = "search.db"
_VERSION = 1
# Characters of a document that can be searched; nobody looks for the end of a 10 MB line.
_MOST_TEXT = 100_000
_BATCH = 500
_WORD = re.compile(r"\w+|\"[^\"]*\"", re.UNICODE)
_MOST_WORDS = 20


class Index:
    """Finds documents by what stands in their titles and texts.

    Parameters
    ----------
    path : Path
        The file; it is made when it is not there, or is about other documents.
    collection : Collection
    digest : str
        How the collection is recognised.
    """

    def __init__(self, path: Path, collection: Collection, digest: str) -> None:
        self.path, self._collection, self._digest = path, collection, digest

    def is_ready(self) -> bool:
        """Whether there is an index of this collection."""
        if not self.path.exists():
            return False
        try:
            with self._open() as db:
                row = db.execute("SELECT digest FROM about").fetchone()
        except sqlite3.Error:
            return False
        return row is not None and row[0] == f"{_VERSION} {self._digest}"

    def build(self, told: Callable[[int], None] = lambda done: None) -> None:
        """Read all documents and make the index; it is whole or not there."""
        with files_whole(self.path) as (part,):
            db = sqlite3.connect(part)
            try:
                db.execute("PRAGMA journal_mode = OFF")
                db.execute("CREATE TABLE about (digest TEXT)")
                db.execute(
                    "CREATE VIRTUAL TABLE found USING fts5 (title, body, content='', "
                    "tokenize = 'unicode61 remove_diacritics 2')"
                )
                titles = self._collection.titles
                for start in range(0, len(titles), _BATCH):
                    rows = range(start, min(start + _BATCH, len(titles)))
                    db.executemany(
                        "INSERT INTO found (rowid, title, body) VALUES (?, ?, ?)",
                        ((row, _clean(titles[row]), self._body(row)) for row in rows),
                    )
                    told(rows.stop)
                db.execute("INSERT INTO about VALUES (?)", (f"{_VERSION} {self._digest}",))
                db.commit()
            finally:
                db.close()

    def _body(self, row: int) -> str:
        with suppress(ReadError):  # its text may have been deleted since
            return _clean(self._collection.text(row)[:_MOST_TEXT])
        return ""

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)

    def find(self, text: str, most: int = 10_000) -> list[int]:
        """Documents that hold all words of a text, the best first."""
        query = as_query(text)
        if not query:
            return []
        db = self._open()
        try:
            rows = db.execute(
                "SELECT rowid FROM found WHERE found MATCH ? ORDER BY bm25(found, 4.0, 1.0), rowid "
                "LIMIT ?",
                (query, most),
            ).fetchall()
        finally:
            db.close()
        return [int(row[0]) for row in rows]


def as_query(text: str) -> str:
    """What a person typed as a query: all words, the last one a beginning; quoted ones as they are.

    Examples
    --------
    >>> as_query('pump "sea ship" lea')
    '"pump" "sea ship" "lea"*'
    >>> as_query('NEAR( OR "')
    '"NEAR" "OR"'
    """
    words = [word.strip('"') for word in _WORD.findall(text)[:_MOST_WORDS]]
    found = [f'"{word}"' for word in words if word.strip()]
    ends_open = bool(text) and (text[-1].isalnum() or not text.rstrip().endswith('"'))
    if found and ends_open:
        found[-1] += "*"
    return " ".join(found)


def _clean(text: str) -> str:
    """Text without lone surrogates, which SQLite does not take."""
    return text.encode("utf-8", "replace").decode()
