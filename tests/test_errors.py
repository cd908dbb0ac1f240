"""Errors, warnings and notes are data."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path
from typing import Any, ClassVar

import pytest

from comraf import errors
from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.collection.store import open_collection
from comraf.errors import ComrafError, ComrafWarning, InputError, Message, Note, Setting, Words

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, (ComrafError, ComrafWarning))
]


def _sent(thing: Any) -> Any:
    """It as another process gets it."""
    return pickle.loads(pickle.dumps(thing))  # noqa: S301


class _Shouting(Words):
    """A front door of its own."""

    sentences: ClassVar = {"short": "{given}!", "turned": lambda m: Message("{n}?", m.values)}

    def __getitem__(self, parameter: str) -> str:
        return parameter.upper()


@pytest.mark.parametrize("kind", KINDS)
def test_data_survives_processes_and_more_around_it(kind: type[ComrafError]) -> None:
    """Pickled or with a file's name in front, an error says the same and knows the same."""
    error = kind(
        "{given} is more than {most:,}",
        "n_clusters",
        25,
        code="x",
        advice="ask for less",
        most=1200,
    )
    again = _sent(error)
    around = error.about("{path}: {error}", path="{a}")
    assert str(error) == str(again) == "n_clusters=25 is more than 1,200; ask for less"
    assert str(around) == "{a}: n_clusters=25 is more than 1,200; ask for less"
    assert str(error.about(advice="stop")) == "n_clusters=25 is more than 1,200; stop"
    for one in (error, again, around):
        assert type(one) is kind
        assert (one.code, one.parameter, one.given, one.advice) == (
            *("x", "n_clusters", 25),
            "ask for less",
        )
        assert one.format(_Shouting()).endswith("N_CLUSTERS=25 is more than 1,200; ask for less")


def test_plain_text_is_not_a_template() -> None:
    """Braces in a sentence without values are braces."""
    assert str(InputError("{nobody}")) == "{nobody}"
    assert _sent(InputError("{nobody}")).args == ("{nobody}",)


def test_choices_are_told_and_kept() -> None:
    """Without a sentence, the choices make one."""
    error = InputError(parameter="moves", given="no", allowed={"a": 1, "b": 2})
    assert error.allowed == ("a", "b")
    assert str(error) == "moves='no' is unknown; choose one of ['a', 'b']"


def test_a_front_door_has_sentences_of_its_own() -> None:
    """By code, as a template or made of the message; within others too."""
    short = InputError("{given} is no good", "n_jobs", 0, code="short", advice="give 1")
    assert short.format(_Shouting()) == "N_JOBS=0!"
    turned = InputError("so: {why}", why=Message("{n} items", {"n": 2}, "turned"))
    assert (str(turned), turned.format(_Shouting())) == ("so: 2 items", "so: 2?")


def test_warnings_are_data_too() -> None:
    """A warning keeps its parameter on its way to whoever shows it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(ComrafWarning("{given} is large", "n_jobs", 99), stacklevel=1)
    told = caught[0].message
    assert isinstance(told, ComrafWarning)
    assert (str(told), told.parameter) == ("n_jobs=99 is large", "n_jobs")


def test_notes_are_lines_with_a_code() -> None:
    """They go through processes and JSON, and are plain lines to whoever wants no more."""
    note = Note("chosen: {columns}; {n:,}", "chosen", columns=[Setting("text", "{x}")], n=1200)
    for one in (
        note,
        _sent(note),
        Note.read(json.loads(json.dumps(note.record()))),
    ):
        assert one == "chosen: text='{x}'; 1,200"
        assert (one.code, one.values) == (note.code, note.values)
    assert Note.read("a line of before") == "a line of before"
    for wrong in (3, {"text": "x"}, {"text": "x", "code": 1, "values": {}}):
        with pytest.raises(ValueError, match="is no note"):
            Note.read(wrong)


def test_values_of_a_tampered_note_do_no_harm() -> None:
    """What a file says is put into no template of its own, and may be of any type."""
    record = {"text": "{0.__class__} {n:>999999999}", "code": "turned", "values": {}}
    note = Note.read(record)
    assert isinstance(note, Note)
    assert note.format(_Shouting()) == record["text"]


def test_collections_keep_notes_as_data(tmp_path: Path) -> None:
    """A collection of now has codes; one of before, with plain lines, still opens."""
    table = tmp_path / "papers.csv"
    table.write_text("id,body\n1,A pump leaks at night.\n2,A valve sticks at dawn.\n")
    kept = tmp_path / "kept"
    built = build_collection(open_reader(table), out=kept)
    again = open_collection(kept)
    assert again.notes == built.notes
    codes = {note.code: note.values for note in again.notes if isinstance(note, Note)}
    assert codes == {"columns_chosen": {"columns": [Setting("id", "id"), Setting("text", "body")]}}
    assert "columns chosen by looking at them: id='id', text='body'" in again.notes
    header = json.loads((kept / "collection.json").read_text())
    header["notes"] = [str(note) for note in again.notes]
    del header["reading"]
    (kept / "collection.json").write_text(json.dumps(header))
    before = open_collection(kept)
    assert before.notes == built.notes
    assert not [note for note in before.notes if isinstance(note, Note)]
