"""Organisations: as the source names them, or by the domains of people's addresses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from comraf.collection.fold import Fold
from comraf.collection.names import parse_mailbox
from comraf.collection.people import is_nobody
from comraf.collection.sides import SideKind
from comraf.collection.sides.lists import distinct
from comraf.collection.sides.maker import SideMaker
from comraf.collection.sides.people import mention

__all__ = ["ORGANISATIONS"]

_PLAIN = re.compile(r"[\W_]+")
_LEGAL = re.compile(r"(?i)[\s,]+(?:inc|incorporated|corp|corporation|ltd|limited|llc|gmbh|plc)\.?$")


def _key(value: str) -> str:
    """An organisation is the same with and without "Inc."."""
    folded = " ".join(value.split()).casefold()
    return " ".join(_PLAIN.sub(" ", _LEGAL.sub("", folded)).split()) or folded


def _fold(maker: SideMaker) -> Iterator[Fold]:
    if "organisations" in maker.listed:
        return  # the source has them, and they are a list like others
    options = maker.options.organisations
    mentions = maker.vocabularies["people"]
    target = np.full(len(mentions), -1, np.int64)
    numbers: dict[str, int] = {}
    hosts: list[Counter[str]] = []
    for i, value in enumerate(mentions):
        _, name, address = mention(value)
        if not address or is_nobody(name, address):
            continue
        mail = parse_mailbox(address)
        if mail.private or not mail.host:
            continue
        number = numbers.setdefault(mail.organisation, len(numbers))
        if number == len(hosts):
            hosts.append(Counter())
        hosts[number][mail.registered] += 1
        target[i] = number
    values = [min(seen, key=lambda host: (-seen[host], host)) for seen in hosts]
    yield Fold(
        "organisations",
        "values",
        maker.raw("people"),
        target,
        distinct(values),
        maker.least(options.min_documents),
        maker.most(options.max_share),
        presence=True,
        facts={"from": "domains of addresses"},
    )


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
