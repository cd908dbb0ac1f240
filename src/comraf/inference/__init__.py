"""Methods that climb an objective: MDC and its schedules, clique-wise, flat, agglomerative."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comraf.registry import later

# Where each name lives: the names of methods are known without what methods need.
_HOMES = {
    "EFFORTS": "options",
    "METHODS": "methods",
    "SCHEDULES": "schedule",
    "UPDATES": "itcc",
    "AgglomerativeOptions": "agglomerative",
    "CliquewiseOptions": "cliquewise",
    "Control": "control",
    "ITCCOptions": "itcc",
    "MDCOptions": "options",
    "Method": "methods",
    "Outcome": "problem",
    "Problem": "problem",
    "SequentialOptions": "sequential",
    "Step": "schedule",
    "Stopped": "control",
    "Tree": "linkage",
    "make_schedule": "schedule",
    "options_for": "options",
    "run_agglomerative": "agglomerative",
    "run_cliquewise": "cliquewise",
    "run_itcc": "itcc",
    "run_mdc": "mdc",
    "run_sequential": "sequential",
}

__all__ = [
    "EFFORTS",
    "METHODS",
    "SCHEDULES",
    "UPDATES",
    "AgglomerativeOptions",
    "CliquewiseOptions",
    "Control",
    "ITCCOptions",
    "MDCOptions",
    "Method",
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

if TYPE_CHECKING:
    from comraf.inference.agglomerative import AgglomerativeOptions, run_agglomerative
    from comraf.inference.cliquewise import CliquewiseOptions, run_cliquewise
    from comraf.inference.control import Control, Stopped
    from comraf.inference.itcc import UPDATES, ITCCOptions, run_itcc
    from comraf.inference.linkage import Tree
    from comraf.inference.mdc import run_mdc
    from comraf.inference.methods import METHODS, Method
    from comraf.inference.options import EFFORTS, MDCOptions, options_for
    from comraf.inference.problem import Outcome, Problem
    from comraf.inference.schedule import SCHEDULES, Step, make_schedule
    from comraf.inference.sequential import SequentialOptions, run_sequential
else:
    __getattr__, __dir__ = later(__name__, _HOMES)
