"""The scikit-learn front doors, one a file."""

from comraf.estimators.agglomerative_ib import AgglomerativeIB
from comraf.estimators.cliquewise_mdc import CliquewiseMDC
from comraf.estimators.comraf import Comraf
from comraf.estimators.comraf_star import ComrafStar
from comraf.estimators.information_bottleneck import InformationBottleneck
from comraf.estimators.itcc import ITCC
from comraf.estimators.mdc import MDC
from comraf.estimators.organizer import Organizer
from comraf.estimators.sequential_ib import SequentialIB
from comraf.estimators.star_series import StarSeries, StarStep

__all__ = [
    "ITCC",
    "MDC",
    "AgglomerativeIB",
    "CliquewiseMDC",
    "Comraf",
    "ComrafStar",
    "InformationBottleneck",
    "Organizer",
    "SequentialIB",
    "StarSeries",
    "StarStep",
]
