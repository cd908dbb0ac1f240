"""The benchmark that kills searches: it kills, resumes and compares."""

from __future__ import annotations

import os

import pytest

from benchmarks.kills import main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")


def test_one_kill_on_a_small_table(capsys):
    """The last line counts the searches that ended with the labels of a whole one."""
    asked = ["--documents", "200", "-k", "3", "--kills", "1", "--effort", "quick", "--often"]
    assert main(asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "the same labels" in lines[0]
    assert lines[-1].startswith("1 of 1 ended with the labels of a whole run")
