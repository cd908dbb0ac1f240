from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from comraf.collection.build import build_collection
from comraf.collection.collection import Collection
from comraf.collection.items import Address, Item
from comraf.collection.options import (
    PeopleOptions,
    SideOptions,
    SubjectOptions,
    ValueOptions,
    WordOptions,
)
from tests.collection.given import Given


def _built(items: Sequence[Item], kind: str = "text", **options: Any) -> Collection:
    return build_collection(Given(*items, kind=kind), options=SideOptions(**options))


def _count(collection: Collection, side: str, item: int) -> dict[str, int]:
    row = collection.tables[side][[item]].tocoo()
    values = collection.sides[side].values
    return {values[c]: int(n) for c, n in zip(row.coords[1], row.data, strict=True)}


def test_counts_are_those_of_the_texts() -> None:
    """The table holds how often each word stands in each text."""
    found = _built([Item("1", "pump pump hose"), Item("2", "hose clamp")])
    assert found.sides["words"].values == ("clamp", "hose", "pump")
    assert found.tables["words"].toarray().tolist() == [[0, 1, 2], [1, 1, 0]]
    assert found.sides["words"].documents.tolist() == [1, 2, 1]


def test_rare_and_frequent_words_go() -> None:
    """Cuts are by number of documents, and what they cost is told."""
    items = [Item(str(i), f"common word{i % 10} {'rare' * (i == 0)}") for i in range(40)]
    found = _built(items)
    assert set(found.sides["words"].values) == {f"word{i}" for i in range(10)}
    facts = found.sides["words"].facts
    assert (facts["rare"], facts["frequent"], facts["frequent_values"]) == (1, 1, ["common"])
    kept = _built(items, words=WordOptions(min_documents=1, max_share=1.0))
    assert {"common", "rare"} <= set(kept.sides["words"].values)


def test_cuts_are_gentle_with_small_collections() -> None:
    """A handful of documents keeps words that stand in one or in all of them."""
    found = _built([Item("1", "pump leaks"), Item("2", "pump stinks")])
    assert set(found.sides["words"].values) == {"pump", "leaks", "stinks"}


def test_cuts_that_nobody_asked_for_never_leave_nothing() -> None:
    """Texts that all say the same keep their words."""
    found = _built([Item(str(i), "pump hose") for i in range(40)])
    assert found.sides["words"].values == ("hose", "pump")
    assert any("cuts would leave none" in note for note in found.notes)


def test_words_in_fewer_than_three_of_many_documents_go() -> None:
    """From 300 documents on a word must stand in three."""
    items = [Item(str(i), f"a{i // 2}x b{i // 3}x") for i in range(300)]
    assert all(word.startswith("b") for word in _built(items).sides["words"].values)


def test_the_language_is_found_and_can_be_given() -> None:
    """German stop words go from German texts, or stay if none are wanted."""
    items = [Item(str(i), f"die Pumpe und der Schlauch sind nicht dicht {i}") for i in range(3)]
    found = _built(items)
    assert set(found.sides["words"].values) == {"pumpe", "schlauch", "dicht"}
    assert any("de" in note for note in found.notes)
    kept = _built(items, words=WordOptions(languages=()))
    assert {"die", "und"} <= set(kept.sides["words"].values)


def test_plurals_are_merged_before_they_are_cut() -> None:
    """A word that is rare in each form is kept if its forms together are not."""
    items = [Item(str(i), ("pump", "pumps")[i % 2] + f" filler{i % 5}") for i in range(40)]
    found = _built(items, words=WordOptions(stem=True, min_documents=30, max_share=1.0))
    assert found.sides["words"].values == ("pump",)
    assert found.sides["words"].documents.tolist() == [40]


def test_ngrams_are_values_of_their_own() -> None:
    """Runs of words are counted beside the words, without stop words."""
    found = _built([Item("1", "the old pump of iron")], words=WordOptions(ngrams=2))
    assert found.sides["words"].values == ("iron", "old", "old pump", "pump")


def test_subjects_are_a_side_without_reply_marks() -> None:
    """Titles are counted on their own, with cuts of their own."""
    items = [Item(str(i), "text", title=f"Re: pump no {i}") for i in range(12)]
    found = _built(items, subjects=SubjectOptions(max_share=1.0))
    assert found.sides["subjects"].values == ("pump",)


def test_people_are_united_counted_once_and_cut() -> None:
    """One person under two spellings has one column of ones; who is rare goes."""
    items = [
        Item(
            str(i),
            "text",
            people=(
                Address("Beck, Sally" if i % 2 else "", "Sally.Beck@enron.com", "from"),
                Address("", "sally.beck@enron.com", "cc"),
                Address("", f"once{i}@x.org", "to"),
            ),
        )
        for i in range(12)
    ]
    items += [Item(f"x{i}", "text", people=(Address("", "sbeck@enron.com", "to"),)) for i in "ab"]
    found = _built(items, people=PeopleOptions(owner="keep"))
    assert found.sides["people"].values == ("Sally Beck",)
    assert found.tables["people"].toarray().ravel().tolist() == [1] * 14
    (person,) = found.sides["people"].people
    assert (person.sent, person.received, person.role) == (12, 14, "owner")
    assert set(person.addresses) == {"sally.beck@enron.com", "sbeck@enron.com"}
    apart = _built(items, people=PeopleOptions(unite=False, owner="keep"))
    assert len(apart.sides["people"]) == 2


def _mailbox() -> list[Item]:
    return [
        Item(
            str(i),
            "text",
            people=(
                Address("", f"p{i % 4}@x.org", "from"),
                Address("Nora", "nora@home.example", "to"),
                Address("", "all.staff@x.org", "to"),
            ),
        )
        for i in range(24)
    ]


def test_the_owner_of_a_mailbox_is_left_out_unless_kept() -> None:
    """The owner says nothing; lists stay unless they are not wanted."""
    dropped = _built(_mailbox(), "mail")
    assert "nora@home.example" not in dropped.sides["people"].values
    assert dropped.sides["people"].facts["owner"] == "nora@home.example"
    assert any("owner" in note for note in dropped.notes)
    roles = {person.name: person.role for person in dropped.sides["people"].people}
    (name,) = [name for name, role in roles.items() if role == "list"]
    assert name.startswith("all.staff@")  # what is no person is not called like one
    kept = _built(_mailbox(), "mail", people=PeopleOptions(owner="keep", lists="drop"))
    assert "nora@home.example" in kept.sides["people"].values
    assert name not in kept.sides["people"].values


def test_a_table_of_mail_has_an_owner_too() -> None:
    """Recipients make a mailbox, whatever file it came in; authors don't."""
    found = _built(_mailbox(), "csv")
    assert found.sides["people"].facts["owner"] == "nora@home.example"
    papers = [Item(str(i), "pump", people=(Address("Ann Li", "", "author"),)) for i in range(20)]
    assert "owner" not in _built(papers, "csv").sides["people"].facts


def test_organisations_come_from_domains_of_mail() -> None:
    """Each domain is an organisation; private mail and what nearly all share is none."""
    items = [
        Item(
            str(i),
            "text",
            people=(
                Address("", f"a{i}@dept{i}.acme.com" if i % 2 else "b@zeta.co.uk", "from"),
                Address("", "me@home.org", "to"),
                Address("", "friend@aol.com", "cc"),
            ),
        )
        for i in range(24)
    ]
    found = _built(items, "mail", organisations=ValueOptions(max_share=0.6))
    assert found.sides["organisations"].values == ("acme.com", "zeta.co.uk")


def test_organisations_that_are_named_come_first() -> None:
    """Spellings that differ in case, dots and legal form are one."""
    names = ["Acme Inc.", "ACME", "Acme, Inc", "Zeta", "none"]
    items = [
        Item(
            str(i),
            "text",
            people=(Address("", f"x{i}@y.org", "from"),),
            values={"organisation": (names[i % 5],)},
        )
        for i in range(25)
    ]
    found = _built(items, "news", organisations=ValueOptions(max_share=1.0))
    assert found.sides["organisations"].documents.tolist() == [15, 5]
    assert found.sides["organisations"].values[1] == "Zeta"


def test_every_list_is_a_side() -> None:
    """Names that are taken get another one; values are cut and united by case."""
    items = [
        Item(
            str(i),
            "text",
            values={"tags": ("Red", "x"), "words": ("w",)} if i else {"tags": ("red",)},
        )
        for i in range(12)
    ]
    found = _built(items)
    assert found.sides["tags"].values == ("Red", "x")
    assert found.sides["tags"].documents.tolist() == [12, 11]
    assert found.sides["words column"].values == ("w",)
    assert _count(found, "tags", 0) == {"Red": 1}


@pytest.mark.parametrize(
    ("step", "side", "values"),
    [
        ("day", "days", ("2001-12-30", "2001-12-31", "2002-01-01")),
        ("week", "weeks", ("2001-W52", "2002-W01")),
        ("month", "months", ("2001-12", "2002-01")),
    ],
)
def test_dates_are_cut(step: str, side: str, values: tuple[str, ...]) -> None:
    """Days, ISO weeks and months; an item without a date has none."""
    start = datetime(2001, 12, 30, 12, tzinfo=UTC)
    items = [Item(str(i), "pump", date=start + timedelta(days=i)) for i in range(3)]
    found = _built([*items, Item("x", "pump")], dates=(step,))
    assert found.sides[side].values == values
    assert found.tables[side].sum(axis=1).tolist() == [1, 1, 1, 0]


def test_only_wanted_sides_are_built() -> None:
    """A choice of sides leaves the others out."""
    items = [Item("1", "pump", title="hose", values={"tags": ("a",)})]
    assert list(_built(items, sides=("tags", "words")).sides) == ["words", "tags"]


def test_mail_and_news_lose_the_words_of_their_programs() -> None:
    """Quoted headers put the same words into every message."""
    text = "original message sent by Ann, subject pump; in article 7 Bo writes"
    mail = _built([Item("1", text)], "mail").sides["words"].values
    news = _built([Item("1", text)], "news").sides["words"].values
    plain = _built([Item("1", text)]).sides["words"].values
    assert set(plain) - set(mail) == {"original", "message", "sent", "subject"}
    assert set(plain) - set(news) == {"article", "writes"}


def test_tables_are_whole_numbers_in_order() -> None:
    """Rows are sorted, counts are positive, nothing can be changed."""
    items = [Item(str(i), " ".join(f"w{(i * j) % 17}x" for j in range(9))) for i in range(30)]
    found = _built(items, words=WordOptions(min_documents=1, max_share=1.0))
    table = found.tables["words"]
    assert table.has_sorted_indices
    assert table.data.min() >= 1
    assert np.issubdtype(table.dtype, np.integer)
    with pytest.raises(ValueError, match="read-only"):
        table.data[0] = 9
