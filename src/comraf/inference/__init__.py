"""Methods that climb an objective: MDC and its schedules, clique-wise, flat, agglomerative."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

# Where each name lives: the names of methods are known without what methods need.
_PLACES = {
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


def __getattr__(name: str) -> Any:
    """Load what is asked for, and nothing before."""
    if name in _PLACES:
        return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
