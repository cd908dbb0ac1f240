"""Organisations: as the source names them, or by the domains of people's addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from comraf.collection.fold import Fold
from comraf.collection.names import parse_mailbox
from comraf.collection.people import is_nobody
from comraf.collection.sides import SideKind
from comraf.collection.sides.lists import united
from comraf.collection.sides.maker import SideMaker
from comraf.collection.sides.people import mention

_PLAIN = re.compile(r"[\W_]+")
_LEGAL = re.compile(r"(?i)[\s,]+(?:inc|incorporated|corp|corporation|ltd|limited|llc|gmbh|plc)\.?$")


def _key(value: str) -> str:
    """An organisation is the same with and without "Inc."."""
    folded = " ".join(value.split()).casefold()
    return " ".join(_PLAIN.sub(" ", _LEGAL.sub("", folded)).split()) or folded


def _fold(maker: SideMaker) -> Iterator[Fold]:
    if "organisations" in maker.listed:
        return  # the source has them, and they are a list like others
    found = []
    for i, value in enumerate(maker.vocabularies["people"]):
        _, name, address = mention(value)
        if address and not is_nobody(name, address):
            mail = parse_mailbox(address)
            if mail.host and not mail.private:
                found.append((i, mail.organisation, mail.registered, 1))
    facts = {"from": "domains of addresses"}
    yield united(maker, "organisations", "people", found, maker.options.organisations, facts)


ORGANISATIONS = SideKind(
    "organisations",
    "organisations of people",
    fold=_fold,
    key=_key,
    options="organisations",
    groups="asked",
    from_lists=True,
    listed=False,
)
