"""The stream of events: time left, logs, thinning."""

from __future__ import annotations

import json
import sys
from dataclasses import fields

import pytest

from comraf.progress import Event, LogListener, Pace, Reporter


def test_time_left_follows_the_recent_pace():
    """Work that slows down by ten is told about soon, and a start in the middle is no progress."""
    pace = Pace()
    said = [pace.left(float(t), 0.4 + 0.01 * t) for t in range(20)]
    assert said[0] is None
    assert said[-1] == pytest.approx((1 - 0.59) / 0.01, rel=0.1)
    later = [pace.left(20.0 + t, 0.59 + 0.001 * t) for t in range(60)]
    assert later[-1] == pytest.approx((1 - 0.649) / 0.001, rel=0.2)


def test_time_left_is_not_made_up():
    """No guess from nothing, none from work that stands still, zero only at the end."""
    pace = Pace()
    assert pace.left(0.0, 0.0) is None
    assert pace.left(0.5, 0.2) is None
    assert pace.left(30.0, 0.2) is None
    assert pace.left(40.0, 1.0) == 0.0
    assert Pace().left(0.0, 0.99999) is None


# Seconds and shares done of real runs, as they were told when shares were less honest: tables of
# photos (half of what is left for each side); merging that counted for nothing; a flat method
# whose restarts end long before their limit; a search of many runs.
RECORDED = {
    "tables of photos": ("0 0 .04 0 .06 .5 .08 .75 6.91 .9 7.09 1"),
    "merging": (
        "0 0 .16 0 .41 0 .71 0 .95 .0137 1.07 .0685 1.2 .1234 1.33 .1782 1.56 .2793 "
        "1.81 .3889 2.03 .4763 2.28 .4763 2.5 .4763 2.73 .5586 2.96 .6502 3.14 .7145 "
        "3.36 .7282 3.59 .8153 3.77 .8474 3.93 .8933 4.09 .9231 4.25 .9459 4.42 .9562 "
        "4.59 .982 4.65 1"
    ),
    "restarts": (
        "0 .0033 .1 .03 .21 .1233 .43 .2333 .55 .3033 .66 .32 .76 .4033 .99 .5067 "
        "1.1 .6067 1.34 .8033 1.45 .8233 1.55 .8433 1.66 .8633 1.76 .8833 1.88 .9033 "
        "1.95 1"
    ),
    "runs": (
        "0 0 1.72 .0687 3.15 .1098 3.93 .1134 5.72 .1811 7.05 .2223 7.77 .2259 "
        "9.37 .2985 10.55 .335 11.49 .3384 13.22 .4192 14.18 .4483 15.03 .4565 "
        "16.57 .5375 17.49 .5618 18.41 .5869 19.71 .6542 20.59 .6751 21.51 .7145 "
        "22.75 .7741 23.51 .7877 25.01 .8288 26.71 .8866 28.03 .9109 29.25 1"
    ),
}


@pytest.mark.parametrize("scale", [1.0, 10.0, 300.0])
@pytest.mark.parametrize("name", RECORDED)
def test_time_left_of_recorded_runs(name, scale):
    """What is told is of the right size, never nothing while there is work, and often told."""
    numbers = [float(cell) for cell in RECORDED[name].split()]
    times, shares = [scale * t for t in numbers[::2]], numbers[1::2]
    pace = Pace()
    told = [(times[-1] - t, pace.left(t, done)) for t, done in zip(times, shares, strict=True)]
    assert told.pop() == (0.0, 0.0)
    for left, said in told:
        if said is not None:
            assert said >= 1.0
            assert said <= 2.5 * left + 2, (left, said)
            assert said >= left / 3 - 2, (left, said)
    if name == "runs":
        assert sum(said is not None for _, said in told) > len(told) / 2


def test_marks_do_not_pile_up():
    """A search of days keeps as few marks as one of seconds."""
    pace = Pace()
    for t in range(20_000):
        pace.left(float(t), t / 20_000)
    assert len(pace._marks) < 200
    assert pace.left(20_000.0, 0.99999) is not None


def test_events_get_the_time_of_their_task():
    """Seconds start anew with each task and never fall within one."""
    seen = []
    reporter = Reporter(seen.append)
    for task in ("reading", "MDC"):
        for done in (0.0, 0.5, 1.0):
            reporter.tell(Event(task, done))
    assert [event.seconds < 1 for event in seen] == [True] * 6
    assert seen[3].seconds == 0.0
    for part in (seen[:3], seen[3:]):
        times = [event.seconds for event in part]
        assert times == sorted(times)


def test_ticks_are_thinned_out_and_tells_are_not():
    """A thousand ticks in a moment make one event; what ends a step always gets through."""
    seen = []
    reporter = Reporter(seen.append)
    for _ in range(1000):
        reporter.tick(lambda: Event("MDC", 0.1))
    assert len(seen) < 20
    before = len(seen)
    for _ in range(5):
        reporter.tell(Event("MDC", 0.2))
    assert len(seen) == before + 5


def test_a_log_has_a_line_an_event_and_is_added_to(tmp_path):
    """Each line stands for itself, says the time, and leaves out what is not known."""
    path = tmp_path / "fit.jsonl"
    for number in range(2):
        with LogListener(path) as log:
            log(Event("MDC", 0.25, node="wörter", n_clusters=4, objective=1.5, run=number + 1))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["run"] for line in lines] == [1, 2]
    known = {field.name for field in fields(Event)} | {"time"}
    assert set(lines[0]) <= known
    assert lines[0]["node"] == "wörter"
    assert "message" not in lines[0]
    assert "restart" not in lines[0]


def test_a_log_can_be_read_while_it_is_written(tmp_path):
    """Nothing waits in a buffer: whoever follows the file sees the last event."""
    with LogListener(tmp_path / "fit.jsonl") as log:
        log(Event("MDC", 0.5))
        assert len((tmp_path / "fit.jsonl").read_text().splitlines()) == 1
    log(Event("MDC", 0.6))  # after closing: no error, no line
    assert len((tmp_path / "fit.jsonl").read_text().splitlines()) == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /dev/full")
def test_a_full_disk_is_warned_of_once():
    """The work that is logged must not end with its log."""
    with LogListener("/dev/full") as log:
        with pytest.warns(UserWarning, match="the log can't be written any more"):
            log(Event("MDC", 0.5))
        log(Event("MDC", 0.6))


def test_a_place_that_cannot_be_opened(tmp_path):
    """Said at once, as an OSError."""
    with pytest.raises(OSError, match="no-such"):
        LogListener(tmp_path / "no-such" / "fit.jsonl")


def test_nothing_is_added_to_a_file_that_is_no_log(tmp_path):
    """A log named like the mailbox that is read would spoil it."""
    path = tmp_path / "in.csv"
    path.write_text("key,body\n")
    with pytest.raises(FileExistsError, match="holds something else"):
        LogListener(path)
    assert path.read_text() == "key,body\n"


def test_a_log_names_files_whose_names_are_no_text(tmp_path):
    """Names on the disk may have bytes that are no letters."""
    with LogListener(tmp_path / "fit.jsonl") as log:
        log.write({"message": "looking at \udcff.csv"})
    assert json.loads((tmp_path / "fit.jsonl").read_bytes())["message"].endswith("\udcff.csv")
