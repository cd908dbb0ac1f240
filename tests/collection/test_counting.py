from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from comraf.collection.counting import Counting, make_chunks
from comraf.collection.items import Address, Item, Skip, Unit
from comraf.collection.options import SideOptions, WordOptions

WORDS_ALONE = SideOptions(words=WordOptions(titles=False))


class Given:
    """A reader of what it is given."""

    def __init__(self, *found: Item | Skip | Exception) -> None:
        self.found = found

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        for one in self.found:
            if isinstance(one, Exception):
                raise one
            yield one


def _chunks(*found: Item | Skip | Exception, counting: Counting | None = None) -> list:
    return list(make_chunks(Given(*found), [(7, Unit("u"))], counting or Counting()))


def test_an_item_is_taken_apart() -> None:
    """Words, title words, people, values and the day are counted, and the rest is kept."""
    item = Item(
        "1",
        "The pump leaks, the pump stinks.",
        title="Re: Pump trouble",
        date=datetime(2001, 5, 3, 23, 59, tzinfo=UTC),
        source="a/1",
        people=(Address("Ann", "ann@x.org", "from"),),
        values={"tags": ("a", "b")},
        truth="pumps",
        digest="d",
        notes=("cut",),
    )
    (chunk,) = _chunks(item)
    words = chunk.raws["words"]
    counts = {words.names[i]: int(n) for i, n in zip(words.ids, words.counts, strict=True)}
    assert counts == {"pump": 3, "trouble": 1, "the": 2, "leaks": 1, "stinks": 1}
    assert chunk.raws["titles"].names == ["pump", "trouble"]
    assert chunk.raws["people"].names == ["from\x1fAnn\x1fann@x.org"]
    assert chunk.raws["values"].names == ["tags\x1fa", "tags\x1fb"]
    assert chunk.raws["dates"].names == ["2001-05-03"]
    assert chunk.units == [7]
    assert chunk.columns["truth"] == ["pumps"]
    assert chunk.columns["date"] == [988934340000000]


def test_titles_are_left_out_of_the_words_if_not_wanted() -> None:
    """The title's own side is counted all the same."""
    (chunk,) = _chunks(Item("1", "leaks", title="pump"), counting=Counting(WORDS_ALONE))
    assert chunk.raws["words"].names == ["leaks"]
    assert chunk.raws["titles"].names == ["pump"]


def test_a_title_that_starts_the_text_counts_once() -> None:
    """Pages often begin with their title."""
    (chunk,) = _chunks(Item("1", "Pump\n\nIt leaks.", title="Pump"))
    assert chunk.raws["words"].counts.tolist() == [1, 1, 1]


def test_a_reader_that_breaks_costs_its_unit_only() -> None:
    """What was read before stays, the failure is a skip with its reason."""
    (chunk,) = _chunks(Item("1", "text"), ZeroDivisionError("oh"), Item("2", "never seen"))
    assert chunk.columns["id"] == ["1"]
    assert chunk.skips == [(7, Skip("u", "can't be read: ZeroDivisionError: oh"))]
    assert chunk.finished == 1


def test_interrupts_are_not_swallowed() -> None:
    """Ctrl-C is no bad item."""

    class Stopped(Given):
        def read(self, unit: Unit) -> Iterator[Item | Skip]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(make_chunks(Stopped(), [(0, Unit("u"))], Counting()))


def test_large_units_come_in_pieces() -> None:
    """A unit of many or long items is never held as a whole."""
    many = _chunks(*(Item(str(i), "text") for i in range(2500)))
    assert [len(chunk) for chunk in many] == [1000, 1000, 500]
    long = _chunks(*(Item(str(i), "text " * 400_000) for i in range(5)))
    assert max(len(chunk) for chunk in long) <= 2


def test_broken_characters_are_made_storable() -> None:
    """Half a surrogate pair can't be written to a file."""
    (chunk,) = _chunks(
        Item("\ud800", "a \udfff b", title="\ud800", people=(Address("\ud8ff", "", "to"),))
    )
    for text in (
        *chunk.columns["id"],
        *chunk.columns["text"],
        *chunk.columns["title"],
        *chunk.raws["people"].names,
    ):
        text.encode("utf-8")


def test_signature_tells_countings_apart() -> None:
    """Counts made in another way must not be used again."""
    words = [WordOptions(ngrams=2), WordOptions(numbers=True), WordOptions(titles=False)]
    found = [Counting(SideOptions(words=one)) for one in (WordOptions(), *words)]
    assert len({counting.signature() for counting in found}) == 4
