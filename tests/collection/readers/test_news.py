"""Usenet posts."""

from __future__ import annotations

from pathlib import Path

import pytest

from comraf.collection.items import Address
from comraf.collection.readers.news import NewsReader
from tests.collection.given import items

POST = """Path: cantaloupe!sci.med
Newsgroups: sci.med,leak.group
Xref: x sci.med:1
From: ann@x.org (Ann Li)
To: everyone@x.org
Subject: Re: Pumps
Date: 6 Apr 93 17:25:25 GMT
Organization: Pump University,
 Rome
Message-ID: <1@x.org>

In article <0@x.org>, Bo writes:
>It leaks.
MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM
Yes.
--
Ann
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two groups of posts."""
    for name in ("sci.med/1", "sci.space/2"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(POST, encoding="latin-1")
    return tmp_path


def test_a_post_becomes_an_item(folder: Path) -> None:
    """Subject, body, sender and organisation; nothing of what names the group."""
    item = items(NewsReader(folder))[0]
    assert item.title == "Re: Pumps"
    assert item.people == (Address("Ann Li", "ann@x.org", "from"),)
    assert item.values == {"organisation": ("Pump University, Rome",)}
    assert item.truth is None
    assert "MMMM" not in item.text
    assert item.text.startswith("In article")
    assert item.text.endswith("Ann")
    assert "leak.group" not in repr(item)
    assert "cantaloupe" not in repr(item)


def test_truth_is_the_group_on_request(folder: Path) -> None:
    """Every group is a class, however small."""
    truths = [item.truth for item in items(NewsReader(folder, truth="folders"))]
    assert truths == ["sci.med", "sci.space"]


def test_quotes_and_signatures_can_go(folder: Path) -> None:
    """The options of mail hold here too."""
    item = items(NewsReader(folder, quotes="drop", signatures="drop"))[0]
    assert item.text == "Yes."
