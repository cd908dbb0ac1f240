"""Methods that climb an objective: MDC and its schedules, clique-wise, flat, agglomerative."""

from comraf.inference.agglomerative import AgglomerativeOptions, Tree, run_agglomerative
from comraf.inference.cliquewise import CliquewiseOptions, run_cliquewise
from comraf.inference.control import Control, Stopped
from comraf.inference.itcc import UPDATES, ITCCOptions, run_itcc
from comraf.inference.mdc import run_mdc
from comraf.inference.options import EFFORTS, MDCOptions, options_for
from comraf.inference.problem import Outcome, Problem
from comraf.inference.schedule import SCHEDULES, Step, make_schedule
from comraf.inference.sequential import SequentialOptions, run_sequential

__all__ = [
    "EFFORTS",
    "SCHEDULES",
    "UPDATES",
    "AgglomerativeOptions",
    "CliquewiseOptions",
    "Control",
    "ITCCOptions",
    "MDCOptions",
    "Outcome",
    "Problem",
    "SequentialOptions",
    "Step",
    "Stopped",
    "Tree",
    "make_schedule",
    "options_for",
    "run_agglomerative",
    "run_cliquewise",
    "run_itcc",
    "run_mdc",
    "run_sequential",
]
