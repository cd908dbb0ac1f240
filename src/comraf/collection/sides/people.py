"""Senders, recipients and authors; the spellings of one person are united."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from comraf.collection.correspondents import Correspondents
from comraf.collection.counting import SEPARATOR
from comraf.collection.fold import Fold
from comraf.collection.sides import SideKind
from comraf.collection.sides.maker import SideMaker


def mention(value: str) -> tuple[str, str, str]:
    """Role, name and address of a raw value."""
    role, name, address = value.split(SEPARATOR, 2)
    return role, name, address


def _fold(maker: SideMaker) -> Iterator[Fold]:
    if not maker.vocabularies["people"]:
        return
    options = maker.options.people
    mentions = [mention(value) for value in maker.vocabularies["people"]]
    # a table with recipients is mail too
    sent = any(role in ("to", "cc") for role, _, _ in mentions)
    found = Correspondents(
        mentions,
        maker.raw("people").whole(),
        unite=options.unite,
        mailbox=maker.kind.messages or sent,
    )
    target = found.labels.copy()
    facts: dict[str, Any] = {"spellings": found.n_mentions, "people": len(found.people)}
    if found.owner is not None:
        owner = found.people[found.owner]
        facts["owner"] = owner.name
        share = f"{found.documents[found.owner] / max(maker.n_items, 1):.0%}"
        out = "; left out of the people" if options.owner == "drop" else ""
        maker.notes.append(f"owner of the mailbox: {owner.name}, in {share} of messages{out}")
        if options.owner == "drop":
            target[target == found.owner] = -1
    lists = [i for i, role in enumerate(found.roles) if role == "list"]
    if lists:
        facts["lists"] = len(lists)
        if options.lists == "drop":
            target[np.isin(target, lists)] = -1
    yield Fold(
        "people",
        "people",
        maker.raw("people"),
        target,
        [person.name for person in found.people],
        maker.least(options.min_documents),
        presence=True,
        details={
            "role": found.roles,
            "host": [person.host for person in found.people],
            "addresses": [list(person.addresses) for person in found.people],
            "spellings": [list(person.spellings) for person in found.people],
            "sent": found.sent.tolist(),
            "received": found.received.tolist(),
        },
        facts=facts,
    )


PEOPLE = SideKind(
    "people",
    "senders, recipients, authors",
    fold=_fold,
    options="people",
    limits=("min_documents",),  # nearly everybody writes to the owner
    rank=1,
)
