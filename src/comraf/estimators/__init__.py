"""The scikit-learn front doors, one a file.

Each is imported when it is first asked for: who only makes graphs needs no scikit-learn.
"""

from typing import TYPE_CHECKING

from comraf.registry import later

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

# A type checker reads the imports below instead; a test holds the two equal.
_HOMES = {
    "AgglomerativeIB": "agglomerative_ib",
    "CliquewiseMDC": "cliquewise_mdc",
    "Comraf": "comraf",
    "ComrafStar": "comraf_star",
    "InformationBottleneck": "information_bottleneck",
    "ITCC": "itcc",
    "MDC": "mdc",
    "Organizer": "organizer",
    "SequentialIB": "sequential_ib",
    "StarSeries": "star_series",
    "StarStep": "star_series",
}

if TYPE_CHECKING:
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
else:
    __getattr__, __dir__ = later(__name__, _HOMES)
