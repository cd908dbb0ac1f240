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
from comraf.select.choosing import Choice, Score, Selection, Tried, choose
from comraf.select.numbers import Numbers, how_many
from comraf.select.structure import ERROR_RATE, Structure, structure

__all__ = [
    "ERROR_RATE",
    "Audit",
    "Choice",
    "Numbers",
    "Score",
    "Selection",
    "SideAudit",
    "Structure",
    "Tried",
    "audit",
    "choose",
    "how_many",
    "structure",
]
