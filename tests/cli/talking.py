"""Running the command line within a test, and listening to what it says."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from comraf.cli import app

#: What only people who write Python would understand: keywords with values, names of modules.
PYTHON = re.compile(r"[a-z]=[\w'\"\[.]|comraf\.[a-z]+\.|\bNone\b|n_samples|n_clusters|\(char \d")

#: A side with its file, which is typed with an equals sign.
SIDE = re.compile(r"--(?:labels|must-link|cannot-link|weight|side-clusters) \w+=")


def comraf(*arguments: object, **environment: str) -> Result:
    """Run the command line; an exception that is not an exit fails the test."""
    return typed(None, *arguments, **environment)


def typed(said: str | None, *arguments: object, **environment: str) -> Result:
    """Run the command line, with these lines on standard input."""
    answer = CliRunner().invoke(app, [*map(str, arguments)], input=said, env=environment)
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    return answer


def ended(*arguments: object) -> int:
    """Exit code of the command line where Ctrl-C and standard streams are those of this process."""
    with pytest.raises(SystemExit) as end:
        app([*map(str, arguments)], prog_name="comraf")
    return end.value.code


class Pressed(io.BytesIO):
    """Lines, and then Ctrl-C."""

    def readline(self, size: int | None = -1, /) -> bytes:
        """The next one."""
        line = super().readline(size)
        if not line:
            raise KeyboardInterrupt
        return line


def refused(*arguments: object) -> str:
    """The one sentence with which bad input is refused."""
    return refuses(None, *arguments)


def refuses(said: str | None, *arguments: object) -> str:
    """The one sentence with which it is refused though these lines are typed."""
    answer = typed(said, *arguments)
    assert answer.exit_code == 2, answer.output
    assert answer.stderr.startswith("comraf: error: ")
    assert answer.stderr.count("\n") == 1
    assert not PYTHON.search(SIDE.sub("", answer.stderr)), answer.stderr
    return answer.stderr


def rows(path: Path) -> list[dict[str, str]]:
    """Lines of a CSV file."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
