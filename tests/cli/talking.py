"""Running the command line within a test, and listening to what it says."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from typer.testing import CliRunner, Result

from comraf.cli import app

#: What only people who write Python would understand: keywords with values, names of modules.
PYTHON = re.compile(r"[a-z]=[\w'\"\[.]|comraf\.[a-z]+\.|\bNone\b|n_samples|n_clusters|\(char \d")

#: A side with its file, which is typed with an equals sign.
SIDE = re.compile(r"--(?:labels|must-link|cannot-link|weight|side-clusters) \w+=")


def comraf(*arguments: object, **environment: str) -> Result:
    """Run the command line; an exception that is not an exit fails the test."""
    answer = CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    return answer


def refused(*arguments: object) -> str:
    """The one sentence with which bad input is refused."""
    answer = comraf(*arguments)
    assert answer.exit_code == 2, answer.output
    assert answer.stderr.startswith("comraf: error: ")
    assert answer.stderr.count("\n") == 1
    assert not PYTHON.search(SIDE.sub("", answer.stderr)), answer.stderr
    return answer.stderr


def rows(path: Path) -> list[dict[str, str]]:
    """Lines of a CSV file."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
