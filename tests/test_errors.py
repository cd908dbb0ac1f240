"""Errors, warnings and notes are data."""

from __future__ import annotations

import ast
import json
import pickle
import string
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from comraf import errors
from comraf.cli.wording import SENTENCES
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


def test_numbers_of_numpy_look_like_numbers() -> None:
    """A message shows 3, not np.int64(3)."""
    assert str(InputError("{given}!", "n_jobs", np.int64(3))) == "n_jobs=3!"


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


@cache
def _sources() -> list[tuple[Path, list[ast.AST]]]:
    """Each file of comraf, and all that is in its tree."""
    files = sorted(Path(errors.__file__).parent.rglob("*.py"))
    return [(file, [*ast.walk(ast.parse(file.read_text(encoding="utf-8")))]) for file in files]


def test_every_warning_is_one_of_comraf() -> None:
    """A filter of ComrafWarning silences them; only `progress` knows nobody, not even errors."""
    bare = []
    for file, nodes in _sources():
        for call in nodes:
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "warn":
                given = call.args[-1]
                kind = given.func if isinstance(given, ast.Call) else given
                if (
                    file.stem != "progress"
                    and len(call.args) < 2
                    and not ast.unparse(kind).endswith("Warning")
                ):
                    bare.append(f"{file.name}:{call.lineno}")
    assert not bare


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


def _fields(template: str) -> set[str]:
    """What a template names."""
    found = {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
    return {name.partition("[")[0].partition(".")[0] for name in found}


def _text(node: ast.expr | None, named: Iterable[ast.Assign] = ()) -> str | None:
    """A fixed text; a name stands for the text that it was given last."""
    if isinstance(node, ast.Name):
        before = [
            one
            for one in named
            if isinstance(first := one.targets[0], ast.Name)
            and first.id == node.id
            and one.lineno < node.lineno
        ]
        node = max(before, key=lambda one: one.lineno).value if before else None
    fixed = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if fixed else None  # type: ignore[union-attr]


def _said() -> Iterator[tuple[str, str, str, set[str]]]:
    """Each template in the code: where, what it says, its code, the values given to it."""
    makers = {kind.__name__ for kind in KINDS} | {"Note", "about", "damaged", "check_fits"}
    for path, nodes in _sources():
        named = [node for node in nodes if isinstance(node, ast.Assign)]
        for call in nodes:
            if not isinstance(call, ast.Call):
                continue
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            words = {word.arg: word.value for word in call.keywords}
            plain = not words and len(call.args) < 2
            if name not in makers or None in words or (plain and name != "about"):
                continue
            values = {*words, "p"} | ({"error"} if name in ("about", "damaged") else set())
            values |= {"line"} if name == "damaged" else set()
            values -= {"advice", "code"} | (set() if name == "Note" else {"given"})
            if "parameter" in words or (len(call.args) > 1 and name not in ("Note", "damaged")):
                values.add("given")
            code = _text(words.get("code")) or ""
            if name == "Note" and len(call.args) > 1:
                code = _text(call.args[1]) or ""
            first = call.args[2 if name == "check_fits" else 0] if call.args else None
            for text in (_text(first, named), _text(words.get("advice"))):
                yield f"{path.name}:{call.lineno}", text or "", code, values


def test_every_template_has_its_values() -> None:
    """A sentence that names what it was not given would hide the error behind another."""
    said = list(_said())
    assert len(said) > 150
    assert not [(where, text) for where, text, _, values in said if _fields(text) - values]
    short = [
        (where, code)
        for where, _, code, values in said
        if isinstance(own := SENTENCES.get(code), str) and _fields(own) - values - {"text"}
    ]
    assert not short
