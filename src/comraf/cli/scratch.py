"""How a command keeps a place for its answer."""

from __future__ import annotations

from pathlib import Path

from comraf.cli.program import until_the_end
from comraf.results.files import check_folder, recover
from comraf.store import claimed, sweep

__all__ = ["claim"]


def claim(place: Path, *, force: bool) -> None:
    """Keep a place for the answer of this command, and refuse what can't be written to.

    Whoever else wants to write there is refused until the command has ended.
    """
    until_the_end(claimed(place))
    recover(place)
    sweep(place)
    check_folder(place, force=force)
