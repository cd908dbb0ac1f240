"""Options of workflows: dataclasses that Python, the terminal and the page all read.

An option is a field. What it means is said once, in the docstring of its class; how it is
spelled on the command line, where its name doesn't say it, in an `Option` beside its type:

    k: Annotated[int | None, Option("-k", "--clusters", metavar="N", least=1)] = None
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, dataclass, fields
from functools import cache, wraps
from typing import Annotated, Any, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

__all__ = ["Described", "Option", "describe", "names_from", "names_to", "takes"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


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
        read: Callable[[str], Any] | None = None,
        argument: bool = False,
        meaning: str = "",
    ) -> None:
        self.flags = flags
        self.metavar = metavar
        self.least, self.most = least, most
        self.read = read
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
    told: dict[str, str] = {}
    for base in reversed(options.__mro__):
        told |= dict(_parameters(base.__dict__.get("__doc__") or ""))
    found = []
    known = {field.name: field for field in fields(options)}
    order = dict.fromkeys(
        name for base in options.__mro__ for name in inspect.get_annotations(base)
    )
    for field in (known[name] for name in order if name in known):
        kind, option = hints[field.name], Option()
        if get_origin(kind) is Annotated:
            kind, *more = get_args(kind)
            option = next((one for one in more if isinstance(one, Option)), option)
        default = field.default
        if default is MISSING and field.default_factory is not MISSING:
            default = field.default_factory()
        found.append(
            Described(field.name, kind, default, option.help or told.get(field.name, ""), option)
        )
    return tuple(found)


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
        names = {field.name for field in describe(options)}

        @wraps(function)
        def call(*args: Any, **given: Any) -> _R:
            if "options" not in given:
                said = {name: given.pop(name) for name in names & given.keys()}
                given["options"] = options(**said)
            return function(*args, **given)

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


def _parameters(doc: str) -> Iterator[tuple[str, str]]:
    """Names and meanings of a docstring's parameters."""
    _, _, rest = inspect.cleandoc(doc).partition("Parameters\n----------\n")
    rest = re.split(r"\n\n\w[\w ]*\n-{3,}\n", rest)[0]
    for part in re.split(r"\n(?=\w)", rest):
        head, _, text = part.partition("\n")
        name = head.partition(" : ")[0].strip()
        if name:
            yield name, " ".join(text.split())


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


def names_to(names: Iterable[str]) -> str:
    """Names in one text, as `names_from` reads them.

    Examples
    --------
    >>> names_to(["title", "Price, £"])
    'title,"Price, £"'
    """
    return ",".join(f'"{name}"' if "," in name else name for name in names)
