from __future__ import annotations

import json

import pytest

from comraf.collection.options import (
    PeopleOptions,
    SideOptions,
    SubjectOptions,
    ValueOptions,
    WordOptions,
)
from comraf.errors import InputError


def test_options_survive_json() -> None:
    """Options written to a header are read back as they were."""
    options = SideOptions(
        words=WordOptions(languages=("de",), ngrams=2, stem=True),
        people=PeopleOptions(owner="keep"),
        dates=("day", "week"),
        sides=("words", "people"),
        duplicates="keep",
    )
    assert SideOptions.from_json(json.loads(json.dumps(options.to_json()))) == options


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: WordOptions(languages=("xx",)), "xx"),
        (lambda: WordOptions(min_documents=0), "min_documents=0"),
        (lambda: WordOptions(max_share=1.5), "max_share=1.5"),
        (lambda: WordOptions(ngrams=9), "ngrams=9"),
        (lambda: SubjectOptions(min_documents=-1), "-1"),
        (lambda: PeopleOptions(owner="hide"), "hide"),
        (lambda: ValueOptions(max_share=0.0), "max_share=0.0"),
        (lambda: SideOptions(dates=("year",)), "year"),
        (lambda: SideOptions(duplicates="some"), "some"),
    ],
)
def test_senseless_options_are_refused_by_name(make: object, told: str) -> None:
    """The message holds what was given."""
    with pytest.raises(InputError, match=told.replace(".", r"\.")):
        make()


@pytest.mark.parametrize("values", [None, 3, {"words": 3}, {"odd": 1}, {"words": {"odd": 1}}, []])
def test_what_is_no_options_is_refused(values: object) -> None:
    """Damaged headers give an error of ours; an empty list means no options at all."""
    if values == []:
        assert SideOptions.from_json(values) == SideOptions()
        return
    with pytest.raises(InputError, match="no options"):
        SideOptions.from_json(values)
