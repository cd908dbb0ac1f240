"""The line of progress on a terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from comraf.cli import bar as module
from comraf.cli.bar import Bar
from comraf.progress import Event


class Clock:
    """Time that passes when it is told to."""

    now = 100.0

    def monotonic(self) -> float:
        """The time."""
        return self.now


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> tuple[Clock, Bar, Console]:
    """A bar that is drawn on demand, on a terminal of its own, by a clock of its own."""
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    return clock, Bar(console=console), console


def line(shown: tuple[Clock, Bar, Console]) -> str:
    """What the bar looks like now."""
    _, bar, console = shown
    with console.capture() as captured:
        console.print(bar._progress.make_tasks_table(bar._progress.tasks))
    return captured.get()


def test_time_left_counts_down_and_never_stands_at_zero(
    shown: tuple[Clock, Bar, Console],
) -> None:
    """Between two events time goes on; an estimate that has run out is no longer shown."""
    clock, bar, _ = shown
    bar(Event("MDC", 0.9, seconds_left=5.0))
    assert "90%" in line(shown)
    assert "0:05 left" in line(shown)
    clock.now += 4.8
    assert "0:01 left" in line(shown)
    clock.now += 7.0
    assert "left" not in line(shown)
    bar(Event("MDC", 0.95))
    assert "left" not in line(shown)


def test_an_unknown_share_is_not_told(shown: tuple[Clock, Bar, Console]) -> None:
    """Work of unknown size has no percentage."""
    _, bar, _ = shown
    bar(Event("building tables", 0.0, message="words"))
    assert "%" not in line(shown)
    assert "words" in line(shown)
