"""What inference climbs: a sum of terms, each of which lowers itself to data."""

from comraf.objectives.assemble import Objective
from comraf.objectives.base import Block, CountBlock, Labels, PairBlock, State, Term, UnaryBlock
from comraf.objectives.mutual_information import MutualInformation
from comraf.objectives.own import GroupedTerm, OwnTerm, edge_term, goes_by_numbers
from comraf.objectives.preferences import FIRM, PairPreference, UnaryPreference

__all__ = [
    "FIRM",
    "Block",
    "CountBlock",
    "GroupedTerm",
    "Labels",
    "MutualInformation",
    "Objective",
    "OwnTerm",
    "PairBlock",
    "PairPreference",
    "State",
    "Term",
    "UnaryBlock",
    "UnaryPreference",
    "edge_term",
    "goes_by_numbers",
]
