"""What a user knows about some of the items: labels, links, and what follows from them.

Labels give items a class. A must-link says that two items belong together, a cannot-link that
they do not. `close` follows those that must hold to groups of items that move as one and to pairs
of groups that stay apart, and names the chain where they contradict each other; `colour` finds
clusters for the groups, or says why there are too few of them.

Examples
--------
>>> from comraf import supervision
>>> ids = ["ant", "bee", "cat", "dog"]
>>> labels = supervision.read_labels({"ant": "insect", "cat": "mammal"}, 4, ids)
>>> must = supervision.read_links([("cat", "dog")], 4, ids)
>>> cannot = supervision.read_links([("bee", "dog")], 4, ids, what="cannot_link")
>>> closure = supervision.close(4, must, cannot, labels.codes, ids=ids, classes=labels.classes)
>>> closure.group.tolist(), closure.cannot.tolist()
([0, 1, 2, 2], [[0, 2], [1, 2]])
>>> supervision.colour(closure.n_groups, closure.cannot, k=2)[closure.group].tolist()
[1, 1, 0, 0]
"""

from comraf.supervision.closure import Closure, clash, close
from comraf.supervision.colouring import colour
from comraf.supervision.files import read_label_file, read_link_file
from comraf.supervision.knowledge import SCHEMES, Knowledge, by_side, read_knowledge
from comraf.supervision.labels import ClassLabels, check_classes, read_labels
from comraf.supervision.links import Links, read_links
from comraf.supervision.prepared import Prepared, prevailing
from comraf.supervision.transfer import WordKnowledge

__all__ = [
    "SCHEMES",
    "ClassLabels",
    "Closure",
    "Knowledge",
    "Links",
    "Prepared",
    "WordKnowledge",
    "by_side",
    "check_classes",
    "clash",
    "close",
    "colour",
    "prevailing",
    "read_knowledge",
    "read_label_file",
    "read_labels",
    "read_link_file",
    "read_links",
]
