"""Options of the studio."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from comraf.errors import InputError, ReadError
from comraf.workflows.options import Option

__all__ = ["StudioOptions"]

_SHORTEST = 8


@dataclass(frozen=True, kw_only=True)
class StudioOptions:
    """Options of the studio.

    Parameters
    ----------
    n_clusters : int
        How many groups, if PATH is organised first.
    port : int
        Listen on this port; by default the first free one from 8470 on.
    host : str
        Listen on another address, for others in your network; needs a password.
    password_file : path-like
        A file whose first line lets people in from other machines.
    who : str
        Your name, written beside everything that you say.
    import_files : sequence of path-like
        Groups, labels or a log to take in before the page opens: a table with a column item and
        one called label or group, or a log.jsonl of the same items. Undo takes it back.
    """

    n_clusters: Annotated[int | None, Option("-k", "--clusters", metavar="N", least=1)] = None
    port: Annotated[int | None, Option(metavar="N", least=1, most=65535)] = None
    host: Annotated[str, Option(metavar="ADDRESS")] = "127.0.0.1"
    password_file: Annotated[Path | None, Option(metavar="FILE")] = None
    who: Annotated[str, Option(metavar="NAME")] = ""
    import_files: Annotated[list[Path] | None, Option("--import", metavar="FILE")] = None

    def password(self) -> str:
        """The password of the file; empty without one."""
        if self.password_file is None:
            return ""
        try:
            lines = self.password_file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ReadError(f"{self.password_file}: can't be read: {error}") from None
        if not lines or len(lines[0]) < _SHORTEST:
            raise InputError(
                f"{self.password_file}: its first line is no password of {_SHORTEST} characters or "
                "more"
            )
        return lines[0]
