"""The ``comraf`` command: one file a command, nothing heavy imported before it is needed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

__all__ = ["app", "main"]

if TYPE_CHECKING:
    from comraf.cli.commands import app
else:

    def __getattr__(name: str) -> object:
        """Make the commands when they are first asked for (PEP 562)."""
        if name != "app":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return import_module("comraf.cli.commands").app


def main() -> None:
    """Run the command line; the installed ``comraf`` script calls this.

    Examples
    --------
    >>> import sys
    >>> sys.argv = ["comraf", "--version"]
    >>> try:
    ...     main()
    ... except SystemExit as end:
    ...     end.code
    comraf ...
    0
    """
    try:
        # Here and not above: Ctrl-C may come while the commands are still being loaded.
        from comraf.cli.commands import app

        app(prog_name="comraf")
    except KeyboardInterrupt:
        sys.stderr.write("comraf: stopped: nothing was written\n")
        sys.exit(130)
