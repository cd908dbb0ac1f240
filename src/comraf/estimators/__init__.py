"""The scikit-learn front doors, one a file."""

from comraf.estimators.comraf import Comraf
from comraf.estimators.mdc import MDC
from comraf.estimators.sequential_ib import SequentialIB

__all__ = ["MDC", "Comraf", "SequentialIB"]
