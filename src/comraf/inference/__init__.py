"""Methods that climb an objective: schedules, MDC, sequential search."""

from comraf.inference.control import Control, Stopped
from comraf.inference.mdc import run_mdc
from comraf.inference.options import EFFORTS, MDCOptions, options_for
from comraf.inference.problem import Outcome, Problem
from comraf.inference.schedule import SCHEDULES, Step, make_schedule
from comraf.inference.sequential import SequentialOptions, run_sequential

__all__ = [
    "EFFORTS",
    "SCHEDULES",
    "Control",
    "MDCOptions",
    "Outcome",
    "Problem",
    "SequentialOptions",
    "Step",
    "Stopped",
    "make_schedule",
    "options_for",
    "run_mdc",
    "run_sequential",
]
