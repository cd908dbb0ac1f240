"""Methods that climb an objective: schedules, MDC, sequential search."""

from comraf.inference.control import Control, Stopped
from comraf.inference.mdc import MDCOptions, run_mdc
from comraf.inference.problem import Outcome, Problem
from comraf.inference.schedule import SCHEDULES, Step, make_schedule
from comraf.inference.sequential import SequentialOptions, run_sequential

__all__ = [
    "SCHEDULES",
    "Control",
    "MDCOptions",
    "Outcome",
    "Problem",
    "SequentialOptions",
    "Step",
    "Stopped",
    "make_schedule",
    "run_mdc",
    "run_sequential",
]
