"""Errors, warnings and notes, as data that each front door puts into its own words.

Every exception that a user can meet is here. Each one is also a built-in exception
(``ValueError``, ``OSError``), so code that knows nothing of comraf can still catch it. A message
states what was given, what is allowed, and what to do about it.

A message is a template and its values. Python says ``n_clusters=25`` where the terminal says
``-k 25``: ``Words`` are Python's, the command line has others. Values are put in once and never
looked at again, so that names of files may hold whatever they like.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self


@dataclass(frozen=True)
class Setting:
    """A parameter with a value, such as ``n_jobs=1``; ``...`` stands for any value."""

    parameter: str
    given: Any = ...


@dataclass(frozen=True)
class Parameter:
    """A parameter without a value, where a variable has its name; else write ``{p[n_jobs]}``."""

    name: str


class Words:
    """How Python names parameters and lists choices; another front door overrides this.

    Examples
    --------
    >>> words = Words()
    >>> words.setting(Setting("kind", "mail")), words.setting(Setting("text"))
    ("kind='mail'", 'text=...')
    """

    #: Sentences that this front door has instead of the library's: by code, a template or a
    #: function that turns the message into one without a code.
    sentences: Mapping[str, str | Callable[[Message], Message]] = {}

    def __getitem__(self, parameter: str) -> str:
        """What a parameter is called."""
        return parameter

    def setting(self, setting: Setting) -> str:
        """A parameter and its value."""
        value = setting.given
        if getattr(value, "shape", None) == ():  # a number of NumPy's, whose repr says so
            value = value.item()
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        return f"{self[setting.parameter]}={'...' if value is ... else repr(value)}"

    def settings(self, settings: Sequence[Setting]) -> str:
        """Several parameters with their values."""
        return ", ".join(map(self.setting, settings))

    def name(self, name: Any) -> str:
        """A name or a choice in a list."""
        return repr(name)

    def names(self, names: Sequence[Any]) -> str:
        """A list of names or choices."""
        return f"[{', '.join(map(self.name, names))}]"

    def filled(self, value: Any) -> Any:
        """A value as it is put into a template."""
        if isinstance(value, (Message, _WithMessage, Note)):
            return value.format(self)
        if isinstance(value, Setting):
            return self.setting(value)
        if isinstance(value, Parameter):
            return self[value.name]
        return _Names(value, self) if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True, repr=False)
class _Names:
    """Names in a template: ``{x}`` a list, ``{x:,}`` bare, ``{x:or}`` a choice, ``{x:and}`` all."""

    names: Sequence[Any]
    words: Words

    def __format__(self, spec: str) -> str:
        if spec == ",":
            return ", ".join(map(str, self.names))
        if spec == "and":
            return " and ".join(str(self.words.filled(name)) for name in self.names)
        if spec == "or":
            *others, last = map(self.words.name, self.names)
            return f"{', '.join(others)} or {last}" if others else last
        if self.names and all(isinstance(one, Setting) for one in self.names):
            return self.words.settings(self.names)
        return repr(self)

    def __repr__(self) -> str:
        return self.words.names(self.names)


_PYTHON = Words()


@dataclass(frozen=True)
class Message:
    """A sentence as data; without values it is plain text, whatever it holds.

    Parameters
    ----------
    template : str
        As for ``str.format``. ``{p[min_documents]}`` is what the parameter is called. Values may
        be a `Setting`, a `Parameter`, a list of names (``{x}``, bare ``{x:,}``, a choice
        ``{x:or}``, all ``{x:and}``), another message, an error, or anything else.
    values : mapping, optional
        What to put in.
    code : str
        What it is about, for those that decide by it or have a sentence of their own.

    Examples
    --------
    >>> text = "lower {p[min_documents]}, or use {one}; {n:,} items are left"
    >>> Message(text, {"one": Setting("n_jobs", 1), "n": 1200}).format()
    'lower min_documents, or use n_jobs=1; 1,200 items are left'
    """

    template: str
    values: Mapping[str, Any] | None = None
    code: str = ""

    def __str__(self) -> str:
        return self.format()

    def format(self, words: Words = _PYTHON) -> str:
        """The sentence in the words of a front door."""
        template = words.sentences.get(self.code, self.template)
        if not isinstance(template, str):
            return template(self).format(words)
        if self.values is None:
            return template
        filled = {name: words.filled(value) for name, value in self.values.items()}
        return template.format(p=words, **filled)


def in_words(said: object, words: Words) -> str:
    """An error, a warning or a note in the words of a front door; other text as it is."""
    if isinstance(said, (Message, _WithMessage, Note)):
        return said.format(words)
    return str(said)


class Note(str):
    """What was guessed, left out or repaired: a line to read, with a code to decide by.

    It is its sentence in Python's words. A front door that has others has a sentence for its
    code, where ``{text}`` is Python's. On disk it is its ``record``.

    Examples
    --------
    >>> note = Note("{n:,} second copies dropped", "copies", n=1200)
    >>> note, note.code, Note.read(note.record()).values
    ('1,200 second copies dropped', 'copies', {'n': 1200})
    """

    code: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, code: str = "", /, **values: Any) -> Self:
        """Make one; without values the template is plain text."""
        made = super().__new__(cls, Message(template, values or None).format())
        made.code, made.values = code, values
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), str(self), self.code, self.values)

    def format(self, words: Words = _PYTHON) -> str:  # type: ignore[override]
        """The note in the words of a front door."""
        if self.code not in words.sentences:
            return str(self)
        try:
            values = {**self.values, "text": str(self)}
            return Message("{text}", values, self.code).format(words)
        except (
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
        ):  # a file that was tampered with
            return str(self)

    def record(self) -> dict[str, Any]:
        """It as JSON can hold it."""
        values = {name: _packed(value) for name, value in self.values.items()}
        return {"text": str(self), "code": self.code, "values": values}

    @staticmethod
    def read(record: Any) -> str:
        """A note from its record; one that was written as a plain line is a plain line.

        Raises
        ------
        ValueError
            This is neither.
        """
        if isinstance(record, str):
            return record
        match record:
            case {"text": str(text), "code": str(code), "values": dict(values)}:
                return _restored(Note, text, code, {k: _unpacked(v) for k, v in values.items()})
        raise ValueError(f"{str(record)[:80]!r} is no note")


def code_of(note: str) -> str:
    """What a note is about; empty for a plain line.

    Examples
    --------
    >>> code_of(Note("{n} second copies dropped", "copies", n=2)), code_of("read as mail")
    ('copies', '')
    """
    return note.code if isinstance(note, Note) else ""


def note_record(note: str) -> str | dict[str, Any]:
    """A note as JSON can hold it; a plain line is a line.

    Examples
    --------
    >>> note_record("read as mail")
    'read as mail'
    """
    return note.record() if isinstance(note, Note) else note


def _restored(kind: type[Note], text: str, code: str, values: Mapping[str, Any]) -> Note:
    made = str.__new__(kind, text)
    made.code, made.values = code, values
    return made


def _packed(value: Any) -> Any:
    if isinstance(value, Setting):
        return {"parameter": value.parameter, "given": value.given}
    return [_packed(one) for one in value] if isinstance(value, (list, tuple)) else value


def _unpacked(value: Any) -> Any:
    match value:
        case {"parameter": str(parameter), "given": given}:
            return Setting(parameter, given)
    return [_unpacked(one) for one in value] if isinstance(value, list) else value


class _WithMessage(Exception):
    """What errors and warnings have in common: a message, and the parts it is made of.

    Parameters
    ----------
    text : str
        The sentence. With anything else it is a template, see `Message`; ``{given}`` is the
        parameter with its value, ``{allowed}`` the choices.
    parameter, given
        The parameter that can't be used, and its value.
    code : str
        What it is about, for a front door that has a sentence of its own for that.
    allowed : iterable
        What it can be.
    advice : str
        What to do: the last clause, a template too.
    **values
        What else the templates name.

    Examples
    --------
    >>> error = InputError(parameter="moves", given="no", allowed=["sweep", "exchange"])
    >>> error
    InputError("moves='no' is unknown; choose one of ['sweep', 'exchange']")
    >>> error.about("{path}: {error}", path="{x}.yaml", advice="leave it out")
    InputError("{x}.yaml: moves='no' is unknown; leave it out")
    """

    message: Message  #: all of it
    statement: Message  #: without the advice
    code: str
    parameter: str | None
    given: Any
    allowed: tuple[Any, ...]
    advice: str

    def __init__(
        self,
        text: str = "",
        /,
        parameter: str | None = None,
        given: Any = ...,
        *,
        code: str = "",
        allowed: Iterable[Any] = (),
        advice: str = "",
        **values: Any,
    ) -> None:
        if not text:
            text, advice = "{given} is unknown", advice or "choose one of {allowed}"
        self.code, self.parameter, self.given = code, parameter, given
        self.allowed, self.advice = tuple(allowed), advice
        if parameter is not None:
            values["given"] = Setting(parameter, given)
        if self.allowed:
            values["allowed"] = self.allowed
        self.statement = Message(text, values if values or code or advice else None)
        self.message = Message(text, self.statement.values, code)
        if advice:
            parts = {"said": self.statement, "advice": Message(advice, values)}
            self.message = Message("{said}; {advice}", values | parts, code)
        super().__init__(self.format())

    def format(self, words: Words = _PYTHON) -> str:
        """The whole sentence in the words of a front door."""
        return self.message.format(words)

    def about(self, text: str = "{error}", /, *, advice: str = "", **values: Any) -> Self:
        """The same with more around it, or with another advice; ``{error}`` is what it said."""
        values["error"] = self.statement if advice else self.message
        made = type(self)(text, advice=advice, **values)
        made.code, made.parameter, made.given = self.code, self.parameter, self.given
        made.allowed, made.advice = self.allowed, advice or self.advice
        return made


class ComrafError(_WithMessage, Exception):
    """Base of everything comraf raises on purpose."""


class ComrafWarning(_WithMessage, UserWarning):
    """Base of comraf's warnings."""


class InputError(ComrafError, ValueError):
    """A value, a table or a parameter that can't be used as given."""


class KeywordError(InputError, TypeError):
    """A keyword that a function does not have; the message names the nearest that it has."""


class GraphError(InputError):
    """A Comraf graph that can't be solved; the message names the node or edge."""


class ConflictError(InputError):
    """Labels and links that no clustering can satisfy; the message names which."""


class TooLargeError(InputError):
    """Work that would need more memory than there is; raised before it is taken."""


class MissingExtraError(InputError, ImportError):
    """An optional dependency is not installed; the message says how to get it."""


class ReadError(ComrafError, OSError):
    """A file or folder that can't be read: missing, truncated, damaged, hostile."""


def import_extra(module: str, advice: str) -> Any:
    """Import what only some need, or say how to get it.

    Examples
    --------
    >>> import_extra("no_such_library", "pip install it")
    Traceback (most recent call last):
    ...
    comraf.errors.MissingExtraError: pip install it
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(advice) from None


def damaged(text: str, error: Exception, /, **values: Any) -> ReadError:
    """The error for a file that holds nonsense, by what its decoder says about it.

    Examples
    --------
    >>> damaged("can't read {path}: {error}", ValueError("no sense"), path="x.json").code
    ''
    """
    line = getattr(error, "lineno", None)
    code = "no_text" if isinstance(error, UnicodeDecodeError) else "no_json" if line else ""
    return ReadError(text, code=code, error=error, line=line, **values)


class SchedulerError(ComrafError, ConnectionError):
    """Workers that can't be reached, differ from this process, or were lost; it says which."""


class WriteError(ComrafError, OSError):
    """A place that can't be written to; nothing half-written is left behind."""


class RuleError(ComrafError, AssertionError):
    """A part of your own breaks a rule that comraf's keep; the message says which, with numbers."""


class InterruptedWarning(ComrafWarning):
    """The work was stopped early; the result is the best found until then."""


class TimeLimitWarning(InterruptedWarning):
    """The work was stopped by its time limit; the result is the best found until then."""


class SegmentationWarning(ComrafWarning):
    """Text without blanks was cut into pieces, not words; the message says what finds words."""


class FaintWarning(ComrafWarning):
    """A table weighs next to nothing beside another, so that it can't change the clusters."""


class UnseenWarning(ComrafWarning):
    """New items have values that the fit has not seen; these were left out."""


class NoticeWarning(ComrafWarning):
    """Something to know about what was done, which is no reason to doubt it."""
