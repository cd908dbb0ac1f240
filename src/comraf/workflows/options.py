"""Options of workflows: dataclasses that Python, the terminal and the page all read.

An option is a field. What it means is said once, in the docstring of its class; how it is
spelled on the command line, where its name doesn't say it, in an `Option` beside its type:

    k: Annotated[int | None, Option("-k", "--clusters", metavar="N", least=1)] = None
"""

from __future__ import annotations

import inspect
import json
import numbers
import os
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from difflib import get_close_matches
from functools import cache, wraps
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from comraf.docstrings import meanings
from comraf.errors import InputError, KeywordError

__all__ = [
    "Described",
    "Option",
    "amounts_from",
    "checked",
    "describe",
    "described",
    "names_from",
    "names_to",
    "pairs_from",
    "takes",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_O = TypeVar("_O")
_UNIONS = (Union, types.UnionType)


class Option:
    """How a field is given on a command line.

    Parameters
    ----------
    *flags : str
        ``-k``, ``--clusters``; by default two dashes and the field's name.
    metavar : str
        What stands for the value in help texts.
    least, most : number, optional
        Limits of a number.
    read : callable, optional
        What a text means; by default what the field's type says.
    many : bool
        Whether it may be typed several times; ``read`` gets the texts together.
    argument : bool
        Whether it is told by its place, without a flag.
    meaning : str
        What it means, where that is not for a docstring: lists that come from a registry.
    """

    def __init__(
        self,
        *flags: str,
        metavar: str = "",
        least: float | None = None,
        most: float | None = None,
        read: Callable[[Any], Any] | None = None,
        many: bool = False,
        argument: bool = False,
        meaning: str = "",
    ) -> None:
        self.flags = flags
        self.metavar = metavar
        self.least, self.most = least, most
        self.read, self.many = read, many
        self.argument = argument
        self.help = meaning


@dataclass(frozen=True)
class Described:
    """A field of options with all that a front door needs to know of it."""

    name: str
    kind: Any
    default: Any
    help: str
    option: Option

    @property
    def flags(self) -> tuple[str, ...]:
        """How it is spelled on a command line."""
        return self.option.flags or (f"--{self.name.replace('_', '-')}",)


def describe(options: Any) -> tuple[Described, ...]:
    """The fields of a dataclass of options: its own first, then those of its bases in order.

    Examples
    --------
    >>> @dataclass
    ... class Sizes:
    ...     '''How many.
    ...
    ...     Parameters
    ...     ----------
    ...     n_groups : int
    ...         Groups
    ...         to make.
    ...     '''
    ...
    ...     n_groups: Annotated[int, Option("-k")] = 2
    >>> [(one.name, one.flags, one.help) for one in describe(Sizes)]
    [('n_groups', ('-k',), 'Groups to make.')]
    """
    return _described(options)


@cache
def _described(options: Any) -> tuple[Described, ...]:
    hints = get_type_hints(options, include_extras=True)
    said: dict[str, str] = {}
    for base in reversed(options.__mro__):
        said |= meanings(base.__dict__.get("__doc__"))
    by_name = {field.name: field for field in fields(options)}
    order = dict.fromkeys(
        name for base in options.__mro__ for name in inspect.get_annotations(base)
    )
    found = []
    for field in (by_name[name] for name in order if name in by_name):
        default = field.default
        if default is MISSING and field.default_factory is not MISSING:
            default = field.default_factory()
        found.append(described(field.name, hints[field.name], default, said.get(field.name, "")))
    return tuple(found)


def described(name: str, hint: Any, default: Any, meaning: str) -> Described:
    """A field or parameter with the `Option` that stands beside its type."""
    kind, option = hint, Option()
    if get_origin(hint) is Annotated:
        kind, *more = get_args(hint)
        option = next((one for one in more if isinstance(one, Option)), option)
    return Described(name, kind, default, option.help or meaning, option)


def checked(options: _O) -> _O:
    """Options with values of the right types; what the command line would refuse is refused.

    Text is what it is there: ``by="words,people"`` names two sides.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Sizes:
    ...     n_groups: Annotated[int, Option("-k", least=1)] = 2
    >>> checked(Sizes(n_groups=0))
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: n_groups=0 is not possible; give a whole number, 1 or more
    """
    given = {field.name: getattr(options, field.name) for field in describe(type(options))}
    right = {field.name: _checked(field, given[field.name]) for field in describe(type(options))}
    other = {name: value for name, value in right.items() if value is not given[name]}
    return replace(options, **other) if other else options  # type: ignore[type-var]


def _checked(field: Described, value: Any) -> Any:
    """A value as its field has it."""
    kinds = get_args(field.kind) if get_origin(field.kind) in _UNIONS else (field.kind,)
    if value is None and type(None) in kinds:
        return None
    if field.name == "random_state" and not isinstance(value, (int, str)):
        return value  # None and generators are for the estimators to take
    if value is None and field.default is not MISSING:
        return field.default
    if words := [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]:
        if not (isinstance(value, str) and value in words):
            raise InputError(parameter=field.name, given=value, allowed=words)
        return value
    if isinstance(value, str) and str in kinds:
        return value
    if isinstance(value, str) and field.option.read is not None:
        return field.option.read([value] if field.option.many else value)
    if any(get_origin(kind) is Mapping for kind in kinds):
        if not isinstance(value, Mapping):
            raise InputError("{given} is not possible; give a dict", field.name, value)
        return dict(value)
    if any(get_origin(kind) is Sequence for kind in kinds):
        if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
            raise InputError("{given} is not possible; give a list", field.name, value)
        return value if isinstance(value, (list, tuple)) else tuple(value)
    if Path in kinds:
        if not isinstance(value, (str, os.PathLike)):
            raise InputError("{given} is no path", field.name, value)
        return value if isinstance(value, Path) else Path(value)
    if bool in kinds:
        if type(value).__name__ not in ("bool", "bool_"):  # NumPy's is not imported for this
            text = "{given} is not possible; give {allowed:or}"
            raise InputError(text, field.name, value, allowed=(True, False))
        return bool(value)
    if str not in kinds and (int in kinds or float in kinds):
        return _number(field, value, whole=float not in kinds)
    return value


def _number(field: Described, value: Any, *, whole: bool) -> float:
    """A number within the limits of its field."""
    least, most = field.option.least, field.option.most
    right = isinstance(value, numbers.Integral if whole else numbers.Real)
    right = right and not isinstance(value, bool)
    right = right and (least is None or value >= least) and (most is None or value <= most)
    if not right:
        wanted = "a whole number" if whole else "a number"
        if least is not None:
            wanted += f", {least:g} or more" if most is None else f", from {least:g} to {most:.10g}"
        text = "{given} is not possible; give {wanted}"
        raise InputError(text, field.name, value, wanted=wanted)
    made: float = int(value) if whole else float(value)
    return value if type(value) is type(made) else made


def takes(options: type) -> Callable[[Callable[_P, _R]], Callable[..., _R]]:
    """Let a function with a parameter ``options`` be called with its fields as keywords.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Sizes:
    ...     n_groups: int = 2
    >>> @takes(Sizes)
    ... def show(path, *, options):
    ...     return path, options.n_groups
    >>> show("a"), show("a", n_groups=3), show("a", options=Sizes(n_groups=4))
    (('a', 2), ('a', 3), ('a', 4))
    >>> inspect.signature(show)
    <Signature (path, *, n_groups: int = 2)>
    """

    def taking(function: Callable[_P, _R]) -> Callable[..., _R]:
        own = inspect.signature(function)
        described = {field.name: field for field in describe(options)}
        spelled = {
            flag.lstrip("-").replace("-", "_"): name
            for name, field in described.items()
            for flag in field.flags
        }
        spelled |= {name: name for name in [*own.parameters, *described]}

        @wraps(function)
        def call(*args: Any, **given: Any) -> _R:
            placed = dict(zip(own.parameters, args, strict=False))
            for name in given:
                if name not in own.parameters and name not in described:
                    raise _unknown(function.__name__, name, spelled)
            if "options" not in given:
                names = described.keys() & given.keys() - placed.keys()
                said = {name: given.pop(name) for name in names}
                required = {name for name, one in described.items() if one.default is MISSING}
                if missing := sorted(required - said.keys()):
                    text = "{function}() needs {name}"
                    raise KeywordError(text, function=function.__name__, name=missing[0])
                given["options"] = options(**said)
            given["options"] = checked(given["options"])
            own_way = [
                _checked(described[name], value) if name in described else value
                for name, value in placed.items()
            ]
            return function(*own_way, *args[len(placed) :], **given)

        more = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=own.empty if field.default is MISSING else field.default,
                annotation=field.kind,
            )
            for field in describe(options)
            if field.name not in own.parameters
        ]
        kept = [one for one in own.parameters.values() if one.name != "options"]
        call.__signature__ = own.replace(parameters=[*kept, *more])  # type: ignore[attr-defined]
        return call

    return taking


def _unknown(function: str, name: str, spelled: Mapping[str, str]) -> KeywordError:
    """A keyword that nobody knows, and the one that was meant."""
    near = get_close_matches(name, spelled, 1)
    meant = f"; did you mean {spelled[near[0]]!r}?" if near else ""
    text = "{function}() has no parameter {name!r}{meant}"
    return KeywordError(text, function=function, name=name, meant=meant)


def names_from(text: str) -> tuple[str, ...]:
    """Names of columns or sides in one text; one with a comma stands in quotes.

    ``none`` alone is a word for no name at all.

    Examples
    --------
    >>> names_from('title, "Price, £"'), names_from("none")
    (('title', 'Price, £'), ())
    """
    found = re.findall(r'\s*(?:"([^"]+)"|([^,]+))', text)
    names = tuple(name for pair in found if (name := "".join(pair).strip()))
    return () if names == ("none",) else names


def pairs_from(texts: Iterable[str]) -> dict[str, Any]:
    """Names with values, ``name=value`` each; numbers, true, false and JSON mean what they say.

    Examples
    --------
    >>> pairs_from(["without=Bot", "most=12", "all=true", 'names=["a", "b"]'])
    {'without': 'Bot', 'most': 12, 'all': True, 'names': ['a', 'b']}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name.isidentifier() or not equals:
            raise InputError("{given} is not possible; write NAME=VALUE", "reader_options", text)
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def amounts_from(parameter: str, kind: type = float) -> Callable[[str], dict[str, Any]]:
    """A reader of numbers by side, all in one text.

    Examples
    --------
    >>> amounts_from("weight")("people=.3, subjects=2")
    {'people': 0.3, 'subjects': 2.0}
    """

    def read(text: str) -> dict[str, Any]:
        found = {}
        for part in names_from(text):
            name, _, value = part.rpartition("=")
            try:
                found[name] = kind(value)
            except ValueError:
                name = ""
            if not name:
                what = "NUMBER" if kind is float else "WHOLE NUMBER"
                raise InputError(
                    "{given} is not possible; write SIDE={what}", parameter, text, what=what
                )
        return found

    return read


def names_to(names: Iterable[str]) -> str:
    """Names in one text, as `names_from` reads them.

    Examples
    --------
    >>> names_to(["title", "Price, £"])
    'title,"Price, £"'
    """
    return ",".join(f'"{name}"' if "," in name else name for name in names)
