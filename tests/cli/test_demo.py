"""``comraf demo``."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from comraf.cli import app


@pytest.mark.parametrize("arguments", [["--seed", "-1"], ["--force"], ["extra"]])
def test_bad_options(arguments: list[str]) -> None:
    """Bad options are exit code 2 and one sentence."""
    answer = CliRunner().invoke(app, ["demo", *arguments])
    assert answer.exit_code == 2
    assert answer.stderr.startswith("comraf: error: ")
    assert answer.stderr.count("\n") == 1
