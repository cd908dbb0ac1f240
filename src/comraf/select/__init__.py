"""What nobody has to choose: whether there is anything to find, and what it is found by.

Examples
--------
>>> import numpy as np
>>> from comraf.select import structure
>>> noise = np.random.default_rng(0).poisson(1.0, (80, 60))
>>> structure({"words": noise}, 4).found
False
"""

from comraf.select.audit import Audit, SideAudit, audit
from comraf.select.numbers import Numbers, how_many
from comraf.select.structure import ERROR_RATE, Structure, structure

__all__ = [
    "ERROR_RATE",
    "Audit",
    "Numbers",
    "SideAudit",
    "Structure",
    "audit",
    "how_many",
    "structure",
]
