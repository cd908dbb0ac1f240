"""Counting the drafts of the sample mailbox into contingency tables."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection._sample_drafts import STOP_WORDS, Draft

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["SampleTables", "count", "tokens"]

_WORD = re.compile(r"[^\W\d_]{2,}")
_PREFIX = re.compile(r"^(?:re: )?(?:\[[^\]]*\] )?", re.IGNORECASE)


@dataclass(frozen=True)
class SampleTables:
    """The sample mailbox as tables that share their rows.

    Attributes
    ----------
    message_ids : tuple of str
        Names of the rows: one for each distinct message, in order of time.
    words, people, subjects : scipy.sparse.csr_array of int32
        How often a word stands in what the sender wrote (quotes and signatures are left out);
        whether an address is in From, To or Cc; how often a word stands in the subject.
    word_names, people_names, subject_names : tuple of str
        Names of the columns, sorted.
    truth : numpy.ndarray of str
        Topic of each row.

    Examples
    --------
    >>> from comraf.collection.sample import sample_tables
    >>> tables = sample_tables(60)
    >>> tables.words.shape == (len(tables.message_ids), len(tables.word_names))
    True
    """

    message_ids: tuple[str, ...]
    words: csr_array[Any]
    word_names: tuple[str, ...]
    people: csr_array[Any]
    people_names: tuple[str, ...]
    subjects: csr_array[Any]
    subject_names: tuple[str, ...]
    truth: NDArray[np.str_]

    def by_name(self) -> dict[str, csr_array[Any]]:
        """Return the three tables as the mapping that the estimators take.

        Examples
        --------
        >>> from comraf.collection.sample import sample_tables
        >>> list(sample_tables(20).by_name())
        ['words', 'people', 'subjects']
        """
        return {"words": self.words, "people": self.people, "subjects": self.subjects}


def tokens(text: str) -> list[str]:
    """Cut text into lower-case words of two letters or more, without the stop words.

    Examples
    --------
    >>> tokens("The château, 2 boats & the harbour's 3rd pier")
    ['château', 'boats', 'harbour', 'rd', 'pier']
    """
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


def count(drafts: Iterable[Draft]) -> SampleTables:
    """Count distinct drafts into tables; the second copy of a message is left out.

    Examples
    --------
    >>> from comraf.collection._sample_drafts import iter_drafts
    >>> count(iter_drafts(10, seed=0)).words.shape[0]
    10
    """
    words, people, subjects = _Table(), _Table(), _Table()
    ids: dict[str, None] = {}
    truth: list[str] = []
    for draft in drafts:
        if draft.message_id in ids:
            continue
        ids[draft.message_id] = None
        truth.append(draft.topic)
        words.add(tokens("\n".join(draft.paragraphs)))
        people.add({address.lower() for _, address in (draft.sender, *draft.to, *draft.cc)})
        subjects.add(tokens(_PREFIX.sub("", draft.subject)))
    word_table, word_names = words.finish()
    people_table, people_names = people.finish()
    subject_table, subject_names = subjects.finish()
    return SampleTables(
        tuple(ids),
        word_table,
        word_names,
        people_table,
        people_names,
        subject_table,
        subject_names,
        np.array(truth, dtype=np.str_),
    )


class _Table:
    """Grows a table row by row in arrays of machine integers, not in Python objects."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._columns = array("i")
        self._counts = array("i")
        self._ends = array("i", [0])

    def add(self, names: Iterable[str]) -> None:
        for name, number in Counter(names).items():
            self._columns.append(self._ids.setdefault(name, len(self._ids)))
            self._counts.append(number)
        self._ends.append(len(self._columns))

    def finish(self) -> tuple[csr_array[Any], tuple[str, ...]]:
        """Keep the names that stand in two rows or more, and sort them."""
        from scipy.sparse import csr_array

        columns = np.frombuffer(self._columns, dtype=np.int32)
        if len(columns) == 0:
            return csr_array(np.zeros((len(self._ends) - 1, 0), dtype=np.int32)), ()
        in_rows = np.bincount(columns, minlength=len(self._ids))
        kept = sorted(name for name, column in self._ids.items() if in_rows[column] >= 2)
        order = np.array([self._ids[name] for name in kept], dtype=np.int32)
        whole = csr_array(
            (
                np.frombuffer(self._counts, dtype=np.int32),
                columns,
                np.frombuffer(self._ends, dtype=np.int32),
            ),
            shape=(len(self._ends) - 1, len(self._ids)),
        )
        table = csr_array(whole[:, order])
        table.sort_indices()
        return table, tuple(kept)
