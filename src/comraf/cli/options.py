"""Options of commands, made of the dataclasses of the workflows.

A command is a function. Its docstring is its help; each parameter becomes an argument or an
option, of which the docstring says the meaning and an `Option` beside the type how it is typed.
A parameter whose type is a dataclass of options stands for all options of that dataclass.
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import MISSING, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from comraf.docstrings import meanings, sections
from comraf.workflows.options import Described, Option, describe, described

__all__ = [
    "METAVARS",
    "OPTIONS",
    "Force",
    "Json",
    "Log",
    "OutFile",
    "OutFolder",
    "PathArgument",
    "Quiet",
    "ReplaceFile",
    "command",
    "flag_of",
]

PathArgument = Annotated[Path, Option(argument=True)]
OutFile = Annotated[Path | None, Option(metavar="FILE")]
OutFolder = Annotated[Path | None, Option(metavar="DIR")]
Force = Annotated[
    bool,
    Option("--force", meaning="Write to the place of --out even if something is there."),
]
ReplaceFile = Annotated[
    bool, Option("--force", meaning="Replace the file of --out if it is there.")
]
Quiet = Annotated[
    bool,
    Option("--quiet", "-q", meaning="No progress and no summary; errors are still shown."),
]
Json = Annotated[
    bool, Option("--json", meaning="Print the answer as one JSON object, and nothing else.")
]
Log = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        meaning="Add every event of the work to this file, one JSON object a line.",
    ),
]

#: What a parameter of the library is called on the command line, of all commands together.
OPTIONS: dict[str, str] = {"force": "--force", "place": "--out"}
#: What stands for the value of a parameter.
METAVARS: dict[str, str] = {}


def flag_of(parameter: str) -> str:
    """What a parameter of the library is called on the command line.

    Examples
    --------
    >>> flag_of("max_share")
    '--max-share'
    """
    return OPTIONS.get(parameter, f"--{parameter.replace('_', '-')}")


def command(function: Callable[..., None]) -> Callable[..., None]:
    """A command as typer takes it: its parameters are arguments and options.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Sizes:
    ...     n_groups: int = 2
    >>> def show(path: str, sizes: Sizes) -> None:
    ...     print(path, sizes)
    >>> command(show)(path="a", n_groups=3)
    a Sizes(n_groups=3)
    """
    hints = get_type_hints(function, include_extras=True)
    said = meanings(function.__doc__)
    groups: dict[str, Any] = {}
    fields: list[Described] = []
    for parameter in inspect.signature(function).parameters.values():
        name, hint = parameter.name, hints[parameter.name]
        if is_dataclass(hint):
            groups[name] = hint
            fields += describe(hint)
            OPTIONS.update({field.name: field.flags[0] for field in describe(hint)})
            METAVARS.update({field.name: field.option.metavar for field in describe(hint)})
        else:
            default = MISSING if parameter.default is parameter.empty else parameter.default
            fields.append(described(name, hint, default, said.get(name, "")))
    taken = [_parameter(field) for field in fields]

    @functools.wraps(function)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            own = {field.name: _read(field, given.pop(field.name)) for field in describe(group)}
            given[name] = group(**own)
        function(**given)

    run.__doc__ = _help(function.__doc__)
    run.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in taken}
    return run


def _help(docstring: str | None) -> str:
    r"""A docstring as typer shows it: \b keeps the lines of a section as they are."""
    whole = sections(docstring)
    parts = [whole.pop("")]
    whole.pop("Parameters", None)
    parts += [f"\b\n{title}:\n{textwrap.indent(text, '  ')}" for title, text in whole.items()]
    return "\n\n".join(parts) + "\n"


def _parameter(field: Described) -> inspect.Parameter:
    """A field as typer wants it."""
    option = field.option
    given: dict[str, Any] = {"help": _in_flags(field.help), "show_default": _shown(field.default)}
    if option.least is not None:
        given["min"] = option.least
    if option.most is not None:
        given["max"] = option.most
    # what a function reads is read when the command begins: its errors are sentences of their own
    typed: Any = list[str] if option.many else str
    kind: Any = field.kind if option.read is None else typed | None
    info: Any
    if option.argument:
        given |= {"metavar": option.metavar or field.name.upper(), "show_default": False}
        info = typer.Argument(**given)
    else:
        info = typer.Option(*field.flags, **given, metavar=option.metavar or None)
    keyword = inspect.Parameter.KEYWORD_ONLY
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(field.name, keyword, default=default, annotation=Annotated[kind, info])


def _read(field: Described, given: Any) -> Any:
    """What was typed, as the field has it."""
    read = field.option.read
    if read is None or not isinstance(given, (str, list)):
        return given
    return read(given) if given else None if field.option.many else read(given)


def _shown(default: Any) -> bool:
    return not any(default is nothing for nothing in (None, False, MISSING))  # 0 is shown


def _in_flags(text: str) -> str:
    """Help with parameters, which stand in backquotes, by their names on the command line."""
    return re.sub(r"`(\w+)`", lambda found: flag_of(found[1]), text)
