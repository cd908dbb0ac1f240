"""Everything a report shows, as plain values.

The tree is made by `comraf.report.report_data` and drawn by `comraf.report.render`;
nothing in it refers back to the collection, so what is not in the tree is not in the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from comraf.progress import TracePoint

__all__ = [
    "ClassShare",
    "DocumentMap",
    "Group",
    "HeatMap",
    "MapPoint",
    "Model",
    "ModelEdge",
    "ModelNode",
    "PeopleMatrix",
    "Picture",
    "Region",
    "ReportData",
    "Sample",
    "Score",
    "Side",
    "SideCluster",
    "Skipped",
    "Swatch",
    "Telling",
    "Timeline",
    "TruthTable",
    "Weighted",
    "page_name",
]


@dataclass(frozen=True, slots=True)
class Weighted:
    """A value and how strong it is, in the measure of where it stands."""

    value: str
    strength: float


@dataclass(frozen=True, slots=True)
class Telling:
    """What tells a group apart on one side, best first; strengths are in nats.

    ``kind`` says what the side's values are: "words", "people" or "values".
    """

    side: str
    values: tuple[Weighted, ...]
    kind: str = "values"


@dataclass(frozen=True, slots=True)
class ClassShare:
    """How many documents of a group are of one known class."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One document of a group: to get an impression by, or a line of the list of all.

    ``sure`` is False for the documents that nearly went to another group, ``rival``;
    ``source`` is where the document was read from.
    """

    title: str
    snippet: str = ""
    date: date | None = None
    people: tuple[str, ...] = ()
    more_people: int = 0
    confidence: float | None = None
    truth: str | None = None
    sure: bool = True
    rival: int | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """One photo of a group: a small JPEG file, and what is known of the photo.

    ``sure`` is False for those that nearly went to another group, ``rival``.
    """

    jpeg: bytes
    name: str
    caption: str = ""
    date: date | None = None
    truth: str | None = None
    sure: bool = True
    rival: int | None = None


@dataclass(frozen=True, slots=True)
class Swatch:
    """A colour that a group has more of: its shares of the group's and of all pixels."""

    colour: str
    word: str
    share: float
    overall: float


@dataclass(frozen=True, slots=True)
class Region:
    """Regions that look alike, in words: their shares of the group's and of all regions."""

    look: str
    share: float
    overall: float


@dataclass(frozen=True, slots=True)
class Group:
    """One cluster of documents. ``number`` is the cluster's id in every other file.

    ``items`` are all of its documents, the most typical first; fewer than ``size`` only in a
    very large collection, none in a report without text. ``more`` is what panels have gathered
    of the group that has no field of its own.
    """

    number: int
    name: str
    size: int
    share: float
    telling: tuple[Telling, ...] = ()
    samples: tuple[Sample, ...] = ()
    nearest: tuple[int, ...] = ()
    confidence: float | None = None
    truth: tuple[ClassShare, ...] = ()
    items: tuple[Sample, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SideCluster:
    """One cluster of another side: its strongest members and the groups it belongs to.

    ``members`` carry how often they occur. ``groups`` is the share of the cluster's counts
    in each group of documents, in the order of `ReportData.groups`.
    """

    number: int
    size: int
    share: float
    members: tuple[Weighted, ...]
    groups: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """Another side of the collection and its clusters, those of most weight first.

    ``n_clusters`` may be more than there are in ``clusters``: only so many are shown. Of a side
    that was not clustered every value stands by itself.
    """

    name: str
    size: int
    n_clusters: int
    clusters: tuple[SideCluster, ...]
    kind: str = "values"
    clustered: bool = True


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A clustered table: log2 of observed over expected counts, groups by clusters.

    ``columns`` are the numbers and the first members of the clusters shown, ``cells`` has a
    row for each group.
    """

    side: str
    columns: tuple[tuple[int, str], ...]
    cells: tuple[tuple[float, ...], ...]
    n_columns: int
    information: float
    clustered: bool = True


@dataclass(frozen=True, slots=True)
class PeopleMatrix:
    """Who appears together: the people of most documents, ordered by cluster.

    ``cells[i][j]`` is the number of documents that name both; the diagonal, all of one's own.
    ``lifts[i][j]`` is log2 of it over what is expected of two who are named so often together
    with anybody; empty where it was not computed.
    """

    side: str
    names: tuple[str, ...]
    clusters: tuple[int, ...]
    cells: tuple[tuple[int, ...], ...]
    lifts: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class TruthTable:
    """Known classes (rows, largest first) by groups (columns): numbers of documents."""

    classes: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]
    n_classes: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """Documents of each group in each period.

    ``unit`` is "day", "week", "month", "quarter" or "year"; ``starts`` holds the first day of
    each period without gaps, ``counts`` a row for each group.
    """

    unit: str
    starts: tuple[date, ...]
    counts: tuple[tuple[int, ...], ...]
    undated: int = 0
    outside: int = 0


@dataclass(frozen=True, slots=True)
class MapPoint:
    """One document on the map, 0 to 1 from left to right and from top to bottom.

    ``copies`` counts the documents with nearly the same words that share the dot.
    """

    x: float
    y: float
    group: int
    title: str = ""
    copies: int = 1


@dataclass(frozen=True, slots=True)
class DocumentMap:
    """Documents in the plane; ``labels`` holds where the number of each group goes.

    ``aspect`` is the height of the map over its width.
    """

    points: tuple[MapPoint, ...]
    labels: tuple[MapPoint, ...]
    n_documents: int
    aspect: float = 0.7


@dataclass(frozen=True, slots=True)
class ModelNode:
    """A node of the model: how many values were put into how many clusters."""

    name: str
    size: int
    n_clusters: int
    direction: str
    hidden: bool = True


@dataclass(frozen=True, slots=True)
class ModelEdge:
    """An edge of the model and the information (nats) its two partitions share."""

    a: str
    b: str
    weight: float
    information: float
    entries: int


@dataclass(frozen=True, slots=True)
class Model:
    """The graph that was solved."""

    nodes: tuple[ModelNode, ...]
    edges: tuple[ModelEdge, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """One measure of agreement with the known classes."""

    name: str
    value: float
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """What could not be read: how many, why, and a few of them."""

    total: int
    reasons: tuple[ClassShare, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReportData:
    """A whole report.

    Attributes
    ----------
    title, source : str
        ``source`` may be empty.
    made : datetime or None
        When the report was made; passed in, so that equal input gives equal pages.
    version : str
        Version of comraf.
    kind : str
        What a document is called: "message", "post", "row".
    n_documents : int
    groups : tuple of Group
    sides : tuple of Side
    heat_maps : tuple of HeatMap
    model : Model
    objective, seconds : float
    trace : tuple of TracePoint
    first, last : date or None
        When the documents were written.
    timeline, map, people, truth, skipped
        None where there is nothing to show.
    scores : tuple of Score
    warnings : tuple of str
        What the reader must know before believing the rest.
    known : tuple of str
        What was known before the search, and how far the groups keep to it.
    notes : tuple of str
        What was decided or left out while reading.
    text_shown : bool
        False in a report that leaves out the text of documents.
    interrupted : bool
    more : mapping of str to object
        What panels have gathered that has no field of its own.
    pages : str
        The folder beside the report with a page for each group; empty where there is none.
    """

    title: str
    n_documents: int
    groups: tuple[Group, ...]
    model: Model
    source: str = ""
    made: datetime | None = None
    version: str = ""
    kind: str = "document"
    sides: tuple[Side, ...] = ()
    heat_maps: tuple[HeatMap, ...] = ()
    objective: float = 0.0
    seconds: float = 0.0
    trace: tuple[TracePoint, ...] = ()
    first: date | None = None
    last: date | None = None
    timeline: Timeline | None = None
    map: DocumentMap | None = None
    people: PeopleMatrix | None = None
    truth: TruthTable | None = None
    scores: tuple[Score, ...] = ()
    warnings: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: Skipped | None = None
    text_shown: bool = True
    interrupted: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)
    pages: str = ""

    def link(self, number: int) -> str:
        """Where all of a group is: its page, or its section where there are no pages."""
        return f"{self.pages}/{page_name(number)}" if self.pages else f"#g{number}"


def page_name(number: int, part: int = 1) -> str:
    """The file of a group's page, or of a further part of its list.

    Examples
    --------
    >>> page_name(3), page_name(3, 2)
    ('group-3.html', 'group-3-2.html')
    """
    return f"group-{number}.html" if part == 1 else f"group-{number}-{part}.html"
