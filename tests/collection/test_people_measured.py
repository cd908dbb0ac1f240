"""How well spellings are united, measured against what is known about invented people."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from benchmarks.address_book import address_book, agreement
from comraf.collection import sample
from comraf.collection.people import unite
from comraf.collection.readers.mail_mbox import MboxReader


def _sample_mentions(path: Path) -> dict[tuple[str, str], list[int]]:
    """Names and addresses of the sample mailbox, each with the messages that it stands in."""
    reader = MboxReader(path)
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, unit in enumerate(reader.scan()):
        for item in reader.read(unit):
            for mention in {(person.name, person.address) for person in item.people}:
                found[mention].append(number)
    return found


def test_the_people_of_the_sample_mailbox(tmp_path: Path) -> None:
    """Nobody is taken for another, and hardly a spelling is missed."""
    found = _sample_mentions(sample.write_mbox(tmp_path / "box", 1000))
    mentions = list(found)
    names = [person.name for person in sample.people()]
    owners = {a: names.index(p.name) for p in sample.people() for a in p.addresses}
    lists = {address: -1 - i for i, (address, _, _) in enumerate(sample.LISTS.values())}
    truth = [{**owners, **lists}[address] for _, address in mentions]
    assert len(mentions) > 1.4 * len(set(truth))
    labels, _ = unite(
        mentions,
        [len(found[mention]) for mention in mentions],
        documents=lambda i: np.array(found[mentions[i]]),
    )
    precision, recall = agreement(truth, labels.tolist())
    assert precision == 1
    assert recall >= 0.98


@pytest.mark.parametrize("seed", [0, 1])
def test_a_book_of_three_hundred_people(seed: int) -> None:
    """Common names, namesakes, numbered logins, nicknames, private mail: most are put together.

    Part of what is missed can't be known: nothing says whose an address such as sailor75 is.
    """
    book = address_book(300, seed=seed)
    labels, people = unite([(m.name, m.address) for m in book], [m.weight for m in book])
    known = [i for i, mention in enumerate(book) if mention.person >= 0]
    precision, recall = agreement([book[i].person for i in known], [int(labels[i]) for i in known])
    assert precision >= 0.98
    assert recall >= 0.94
    n_people = len({mention.person for mention in book})
    assert 0.97 * n_people < len(people) < 1.1 * n_people


def test_agreement_counts_pairs() -> None:
    """Nothing united is precise and recalls nothing; all united recalls all."""
    assert agreement([0, 0, 1, 1], [0, 1, 2, 3]) == (1.0, 0.0)
    precision, recall = agreement([0, 0, 1, 1], [7, 7, 7, 7])
    assert (precision, recall) == (2 / 6, 1.0)


def test_the_same_seed_gives_the_same_book() -> None:
    """All mentions differ, everybody is named, and nobody's address is another's."""
    book = address_book(200, seed=9)
    assert book == address_book(200, seed=9)
    assert book != address_book(200, seed=10)
    assert len({(mention.name, mention.address) for mention in book}) == len(book)
    assert {mention.person for mention in book} >= set(range(200))
    owners: dict[str, set[int]] = defaultdict(set)
    for mention in book:
        owners[mention.address].add(mention.person)
    assert all(len(owners[address]) == 1 for address in owners if address)
