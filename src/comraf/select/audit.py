"""Which sides to find groups by: what each adds to what groups tell of the main one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from comraf.estimators._graphs import (
    default_k,
    default_sides,
    make_graph,
    measured_sides,
    observed_sides,
)
from comraf.graph.tables import as_csr, weigh
from comraf.select.asking import FEWEST, SAMPLE, Asking, Tables
from comraf.select.chance import Clock, collected, parted, whole_fits

__all__ = ["Audit", "SideAudit", "Verdict", "audit"]

Verdict = Literal["main", "helps", "no difference", "harms", "not asked"]

# With more sides than these, values are foretold one way only.
_FEW_SIDES = 3
# A side harms that takes so large a share of what groups foretell of the main one, of fewer items
# a larger one: chance takes more. Chosen on half of the collections (docs/measured/sides.md).
_HARM, _HELP = -0.06, 0.03
# One way tells by itself where the change is not between so many times the bound of harm; values
# are foretold the other way round where it is. Chosen on the same half.
_CLEAR, _HARMLESS = 2.0, 2 / 3


@dataclass(frozen=True, slots=True)
class SideAudit:
    """What a side adds.

    Attributes
    ----------
    side : str
    verdict : {"main", "helps", "no difference", "harms", "not asked"}
    change : float
        How much more (or less) groups foretell of the main side when they are also made by this
        one: 0.1 is a tenth more. nan for the main side, and where it was not asked.
    foretold : float
        What part of the side's own groups foretell, in nats of the objective.
    coverage : float
        Share of items that have values of it.
    """

    side: str
    verdict: Verdict
    change: float
    foretold: float
    coverage: float


@dataclass(frozen=True)
class Audit:
    """Which sides help to find groups, and which harm.

    Attributes
    ----------
    sides : tuple of SideAudit
        In the order of the collection.
    n_items : int
        How many items were looked at.
    """

    sides: tuple[SideAudit, ...]
    n_items: int

    @property
    def harmful(self) -> tuple[str, ...]:
        """Sides that harm."""
        return tuple(one.side for one in self.sides if one.verdict == "harms")

    @property
    def kept(self) -> tuple[str, ...]:
        """All others."""
        return tuple(one.side for one in self.sides if one.verdict != "harms")

    @property
    def rows(self) -> list[tuple[str, str, float, float]]:
        """Side, verdict, change and coverage of each side."""
        return [(one.side, one.verdict, one.change, one.coverage) for one in self.sides]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        sides = [
            {name: None if value != value else value for name, value in asdict(one).items()}
            for one in self.sides
        ]
        return {"n_items": self.n_items, "sides": sides}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Audit:
        """What `to_dict` gave.

        Examples
        --------
        >>> found = Audit((SideAudit("words", "main", float("nan"), 0.2, 1.0),), 800)
        >>> str(Audit.read(found.to_dict())) == str(found)
        True
        """
        nan = float("nan")
        rows = ({name: nan if v is None else v for name, v in one.items()} for one in told["sides"])
        sides = [SideAudit(**row) for row in rows]  # type: ignore[arg-type]
        return cls(tuple(sides), told["n_items"])

    @property
    def asked(self) -> bool:
        """Whether there is a verdict on any side."""
        return any(one.verdict != "not asked" for one in self.sides)

    @property
    def sentence(self) -> str:
        """The verdicts on one line.

        Examples
        --------
        >>> links = SideAudit("links", "harms", -0.1, 0.2, 1.0)
        >>> Audit((links, SideAudit("people", "helps", 0.08, 0.1, 0.9)), 800).sentence
        'people: helps (+8%); links: harms (-10%)'
        """
        asked = [one for one in self.sides if one.verdict not in ("main", "not asked")]
        asked.sort(key=lambda one: -one.change)
        return "; ".join(f"{one.side}: {one.verdict} ({one.change:+.0%})" for one in asked)

    def __str__(self) -> str:
        heads = (
            "side",
            "verdict",
            "change of what is foretold",
            "items with it",
        )
        rows = [
            (
                one.side,
                one.verdict,
                "" if np.isnan(one.change) else f"{one.change:+.1%}",
                f"{one.coverage:.0%}",
            )
            for one in self.sides
        ]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (heads, *rows)
        )


def audit(
    collection: Any,
    n_clusters: int | None = None,
    *,
    by: Sequence[str] | None = None,
    weighting: str = "root_rows",
    edge_weights: Mapping[str, float] | str = "root_mass",
    weight: Mapping[str, float] | None = None,
    observe: Sequence[str] | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> Audit:
    """What each side adds to what groups tell of the main one, found without labels.

    The values of each side are parted into two halves at random. Groups by one half, with and
    without a side, are asked what they tell of the other half of the main side beyond chance,
    and the same the other way round. A side that knows nothing of the main side's groups, or blurs
    them, makes this less. The main side is the one that weighs most, and is always kept: of two
    that know nothing of each other nobody could say which is wanted.

    Parameters
    ----------
    collection : collection, or mapping of str to table
        Items x values, by side.
    n_clusters : int, optional
        How many groups will be asked for.
    by : sequence of str, optional
        Sides to judge; by default those that make groups by default.
    weighting, edge_weights, weight, observe
        As in `comraf.Organizer`.
    seed : int
    time_limit : float, optional
        Give up after so many seconds.

    Returns
    -------
    Audit
        Without a verdict where there is a single side or fewer than 200 items.

    Raises
    ------
    TimeoutError
        If the time limit is reached.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> topics, moods = rng.integers(0, 4, (2, 400, 1))
    >>> words = rng.poisson(0.1 + 0.5 * (np.arange(80) % 4 == topics))
    >>> faces = rng.poisson(0.1 + 1.0 * (np.arange(20) % 4 == moods))
    >>> audit({"words": words, "faces": faces}, 4).harmful
    ('faces',)
    """
    clock, collection = Clock(time_limit), collected(collection)
    names = default_sides(collection) if by is None else list(by)
    whole = {name: as_csr(collection.tables[name], f"the table {name!r}") for name in names}
    n = next((table.shape[0] for table in whole.values()), 0)
    coverage = {name: float((np.diff(table.indptr) > 0).mean()) for name, table in whole.items()}
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(n)[:SAMPLE])
    if len(names) < 2 or len(rows) < FEWEST:
        unknown = (
            SideAudit(s, "not asked", float("nan"), float("nan"), coverage[s]) for s in names
        )
        return Audit(tuple(unknown), len(rows))
    sample = {name: table[rows] for name, table in whole.items()}
    observed = observed_sides(collection, observe) & set(names)
    k = min(n_clusters or default_k(n), default_k(len(rows)))
    graph = make_graph(
        {name: collection.tables[name] for name in names},
        k,
        weighting=weighting,
        rule=edge_weights,
        weight=weight,
        observed=observed,
        measured=measured_sides(collection),
    )
    weights = {edge.b: edge.weight for edge in graph.edges}
    asking = Asking(k, weighting, observed, seed, clock)
    one, other = (dict(zip(names, h, strict=True)) for h in parted([*sample.values()], rng))
    harm = _HARM * float(np.sqrt(SAMPLE / len(rows)))
    with whole_fits():
        asked = [_asked(asking, weights, one, other, rng, names)]
        rest = asked[0].open(weights, names, harm)
        if rest and len(names) <= _FEW_SIDES:
            asked.append(_asked(asking, weights, other, one, rng, rest))
    return Audit(_judged(asked, coverage, harm), len(rows))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What groups by all sides foretell of each, and what each adds to what is of the main one."""

    main: str = ""
    foretold: Mapping[str, float] = field(default_factory=dict)
    changes: Mapping[str, float] = field(default_factory=dict)

    def open(self, weights: Mapping[str, float], names: Sequence[str], harm: float) -> list[str]:
        """Sides that are to be asked about the other way round, too.

        Examples
        --------
        >>> asked = _Asked("words", {}, {"people": 0.1, "tags": -0.4, "links": -0.1})
        >>> weights = {"words": 1.0, "people": 0.3, "tags": 0.2, "links": 0.1}
        >>> asked.open(weights, [*weights], -0.06)
        ['links']
        >>> asked.open(weights | {"tags": 1.0}, [*weights], -0.06)
        ['tags', 'links']
        """
        # of one that weighs as much as the main one, most may be told the other way round
        clear = {
            name
            for name, change in self.changes.items()
            if change >= _HARMLESS * harm
            or (change <= _CLEAR * harm and weights[name] < weights[self.main])
        }
        return [name for name in names if name != self.main and name not in clear]


def _asked(
    asking: Asking,
    weights: Mapping[str, float],
    seen: Tables,
    unseen: Tables,
    rng: np.random.Generator,
    about: Sequence[str],
) -> _Asked:
    """Groups by one half with and without some sides, and what they tell of the other half."""
    there = [name for name, table in seen.items() if table.nnz]
    asked = {name: weigh(unseen[name], asking.weighting) for name in there if unseen[name].nnz}

    def foretold(by: Sequence[str], of: Sequence[str]) -> dict[str, float]:
        labels = asking.grouped({name: seen[name] for name in by}, weights).labels_
        return {name: weights[name] * asking.foretold(labels, asked[name], rng) for name in of}

    together = foretold(there, [*asked])
    if not together:
        return _Asked()
    main = max(together, key=lambda name: (weights[name], together[name]))
    changes = {}
    for name in there:
        if name != main and name in about:
            without = foretold([other for other in there if other != name], [main])[main]
            now = together[main]
            changes[name] = now / without - 1 if without > 0 else float(now > 0)
    return _Asked(main, together, changes)


def _judged(
    asked: Sequence[_Asked],
    coverage: Mapping[str, float],
    harm: float,
) -> tuple[SideAudit, ...]:
    """The verdict on each side, by the mean of both ways.

    Examples
    --------
    >>> asked = [_Asked("words", {}, {"people": -0.1, "links": -0.2})]
    >>> shares = {"people": 1.0, "links": 0.5}
    >>> [one.verdict for one in _judged(asked, shares, -0.06)]
    ['no difference', 'harms']
    >>> [one.verdict for one in _judged(2 * asked, shares, -0.06)]
    ['harms', 'harms']
    """
    out = []
    for name in coverage:
        foretold = float(np.mean([one.foretold.get(name, 0.0) for one in asked]))
        changes = [one.changes[name] for one in asked if name in one.changes]
        change = float(np.mean(changes)) if changes else float("nan")
        verdict: Verdict = "no difference"
        if not changes or any(name == one.main for one in asked):  # one way at least
            verdict = "main"
        elif change <= (harm if len(changes) > 1 else _CLEAR * harm):
            verdict = "harms"
        elif change >= _HELP:
            verdict = "helps"
        out.append(SideAudit(name, verdict, change, foretold, coverage[name]))
    return tuple(out)
