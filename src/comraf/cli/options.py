"""Options of commands, made of the dataclasses of the workflows.

A command is a function whose parameters are options as typer has them, and dataclasses of
options: `with_options` puts the fields of these in their place, and builds them again before
the function is called.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import MISSING, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from comraf.workflows.options import Described, describe

__all__ = [
    "METAVARS",
    "OPTIONS",
    "CsvForceOption",
    "ForceOption",
    "JsonOption",
    "LogOption",
    "QuietOption",
    "flag_of",
    "with_options",
]

ForceOption = Annotated[
    bool, typer.Option("--force", help="Write to the place of --out even if something is there.")
]
CsvForceOption = Annotated[
    bool, typer.Option("--force", help="Replace the file of --out if it is there.")
]
QuietOption = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="No progress and no summary; errors are still shown."),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print the answer as one JSON object, and nothing else.")
]
LogOption = Annotated[
    Path | None,
    typer.Option(
        "--log",
        metavar="FILE",
        help="Add every event of the work to this file, one JSON object a line.",
        show_default=False,
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


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes each field of its dataclasses of options as an option.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Sizes:
    ...     n_groups: int = 2
    >>> def show(path: str, sizes: Sizes) -> None:
    ...     print(path, sizes)
    >>> with_options(show)(path="a", n_groups=3)
    a Sizes(n_groups=3)
    """
    hints = get_type_hints(command, include_extras=True)
    hints.pop("return", None)
    parts = {
        name: kind for name, kind in hints.items() if isinstance(kind, type) and is_dataclass(kind)
    }
    for kind in parts.values():
        OPTIONS.update({field.name: _shown_flag(field) for field in describe(kind)})
        METAVARS.update({field.name: field.option.metavar for field in describe(kind)})
    taken: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in parts:
            taken += [_parameter(field) for field in describe(parts[parameter.name])]
        else:
            kind = hints[parameter.name]
            taken.append(parameter.replace(annotation=kind, kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, kind in parts.items():
            own = {field.name: _read(field, given.pop(field.name)) for field in describe(kind)}
            given[name] = kind(**own)
        command(**given)

    run.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in taken}
    return run


def _parameter(field: Described) -> inspect.Parameter:
    """A field as typer wants it."""
    option = field.option
    given: dict[str, Any] = {"help": _in_flags(field.help), "show_default": _shown(field.default)}
    if option.metavar:
        given["metavar"] = option.metavar
    if option.least is not None:
        given["min"] = option.least
    if option.most is not None:
        given["max"] = option.most
    keyword = inspect.Parameter.KEYWORD_ONLY
    # what a function reads is read when the command begins: its errors are sentences of their own
    kind: Any = field.kind if option.read is None else str | None
    info: Any
    if option.argument:
        info = typer.Argument(**given | {"show_default": False})
    else:
        info = typer.Option(*field.flags, **given)
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(field.name, keyword, default=default, annotation=Annotated[kind, info])


def _read(field: Described, given: Any) -> Any:
    """What was typed, as the field has it."""
    read = field.option.read
    return read(given) if read is not None and isinstance(given, str) else given


def _shown_flag(field: Described) -> str:
    return field.name.upper() if field.option.argument else field.flags[0]


def _shown(default: Any) -> bool:
    return not any(default is nothing for nothing in (None, False, MISSING))  # 0 is shown


def _in_flags(text: str) -> str:
    """Help with parameters, which stand in backquotes, by their names on the command line."""
    return re.sub(r"`(\w+)`", lambda found: flag_of(found[1]), text)
