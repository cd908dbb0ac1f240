"""What to ask for: choices are tried, and ranked without labels or by a few."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf import estimators
from comraf.errors import InputError, InterruptedWarning, Parameter, TimeLimitWarning
from comraf.estimators._graphs import (
    default_k,
    default_sides,
    make_graph,
    measured_sides,
    observed_sides,
)
from comraf.graph import NeighbourTable
from comraf.graph.tables import as_csr, weigh
from comraf.inference.checkpoint import Checkpoint
from comraf.inference.control import Control, Stopped, effective_jobs, run_all
from comraf.inference.fingerprint import fingerprint
from comraf.inference.options import MDCOptions
from comraf.inference.problem import Problem
from comraf.metrics import ari
from comraf.parameters import check_int
from comraf.progress import Event, Listener, unheard
from comraf.select.asking import FEWEST, SAMPLE, Asking
from comraf.select.chance import Clock, collected, parted, whole_fits
from comraf.select.numbers import Numbers, how_many
from comraf.supervision import read_links

__all__ = ["FEWEST_LABELS", "Choice", "Score", "Selection", "Tried", "choose"]

# The values are parted into halves so often, and each half foretells the other.
_PARTINGS = 3
# Weights of a side that are tried, times that of the rule.
_FACTORS = (0.3, 3.0)
# What must be gained over all sides together, of what is foretold and of agreement with labels: so
# many standard errors, and so much. What foretells clearly less must agree still more clearly.
# Chosen on half of the collections (docs/measured/sides.md).
_FORETOLD, _AGREEMENT, _AGAINST = (2.0, 0.06), (1.5, 0.01), (3.0, 0.01)
# So often half of the labelled items is drawn to see how far agreement depends on them. Not with
# replacement: an item is always together with itself. Fewer labels tell nothing.
_DRAWS, FEWEST_LABELS = 200, 4


@dataclass(frozen=True)
class Choice:
    """What may be asked for.

    Attributes
    ----------
    by : tuple of str
        Sides that make the groups.
    graph : {"tree", "loopy"}
    weight : tuple of pairs
        Sides whose weight is not that of the rule, each with its weight.
    n_clusters : int or None
        How many groups; None for as many as all others.
    sizes : {"auto", "even", "free"}
    """

    by: tuple[str, ...]
    graph: str = "tree"
    weight: tuple[tuple[str, float], ...] = ()
    n_clusters: int | None = None
    sizes: str = "auto"

    @property
    def options(self) -> dict[str, Any]:
        """Options of ``comraf.organize``; those that are as they are by default are left out.

        Examples
        --------
        >>> Choice(("words", "people"), weight=(("people", 0.3),)).options
        {'by': ['words', 'people'], 'weight': {'people': 0.3}}
        """
        own: dict[str, Any] = {"by": list(self.by)}
        own |= {"graph": self.graph} if self.graph != "tree" else {}
        own |= {"weight": dict(self.weight)} if self.weight else {}
        own |= {"n_clusters": self.n_clusters} if self.n_clusters is not None else {}
        return own | ({"sizes": self.sizes} if self.sizes != "auto" else {})

    def __str__(self) -> str:
        said = [" + ".join(self.by)]
        said += [f"{side} weighs {weight:g}" for side, weight in self.weight]
        said += ["loopy"] if self.graph == "loopy" else []
        said += [f"{self.sizes} sizes"] if self.sizes != "auto" else []
        said += [f"{self.n_clusters} groups"] if self.n_clusters is not None else []
        return ", ".join(said)


@dataclass(frozen=True, slots=True)
class Score:
    """How good a choice is, beside the first one; nan where that is not known.

    Attributes
    ----------
    value : float
    gain, error : float
        How much more than that of the first choice, and the standard error of this.
    """

    value: float = float("nan")
    gain: float = float("nan")
    error: float = float("nan")

    def above(self, bound: tuple[float, float]) -> bool:
        """Whether the gain is more than so many standard errors, and than so much.

        Examples
        --------
        >>> Score(1.0, 0.1, 0.02).above((2.0, 0.06)), Score(1.0, 0.1, 0.06).above((2.0, 0.06))
        (True, False)
        """
        errors, least = bound
        return self.gain > max(least, errors * self.error)

    def below(self, bound: tuple[float, float]) -> bool:
        """Whether so much is lost."""
        return replace(self, gain=-self.gain).above(bound)


@dataclass(frozen=True)
class Tried:
    """A choice with what was found of it.

    Attributes
    ----------
    choice : Choice
    information : float
        What its groups tell of the values they are made by: the objective, in nats.
    foretold : Score
        What they foretell of values that they are not made by, beyond chance, as a share of the
        most that any choice does.
    agreement : Score
        How far items are together as is known of them: of labelled ones the adjusted Rand index, of
        links the share of must-links that are kept, less the share of cannot-links that are broken.
    """

    choice: Choice
    information: float
    foretold: Score = Score()
    agreement: Score = Score()


@dataclass(frozen=True)
class Selection:
    """Choices that were tried, side by side.

    Attributes
    ----------
    tried : tuple of Tried
        In the order in which they were tried. The first is all sides as they are by default.
    best : Tried
        The one to take: the best of those that are better than the first beyond noise by labels,
        else by what is foretold, or the first.
    n_labels, n_links : int
        By how many labels and links they were ranked; 0 without.
    n_clusters : int or None
        How many groups were asked for.
    numbers : Numbers or None
        Good numbers of groups, if none was asked for.
    interrupted, out_of_time : bool
        Whether not all was tried that was to be, and whether the time limit cut it short.
    main : str
        The side of which groups foretell one half by the other.
    """

    tried: tuple[Tried, ...]
    best: Tried
    n_labels: int = 0
    n_clusters: int | None = None
    numbers: Numbers | None = None
    interrupted: bool = False
    out_of_time: bool = False
    main: str = ""
    n_links: int = 0

    @property
    def n_known(self) -> int:
        """By how many labels and links together they were ranked; 0 without any."""
        return self.n_labels + self.n_links

    @property
    def worthwhile(self) -> bool:
        """Whether some choice is better than the first beyond noise."""
        return self.best is not self.tried[0]

    @property
    def ranked(self) -> tuple[Tried, ...]:
        """The best first; those that nothing is known of last."""
        key = _by_agreement if self.n_known else _by_foretold
        return tuple(sorted(self.tried, key=key, reverse=True))

    @property
    def correlation(self) -> float:
        """How far what is foretold goes with agreement; nan where nothing is known."""
        pairs = np.array([(one.foretold.value, one.agreement.value) for one in self.tried])
        pairs = pairs[np.isfinite(pairs).all(axis=1)]
        if len(pairs) < 3 or not pairs.std(axis=0).all():
            return float("nan")
        return float(np.corrcoef(pairs.T)[0, 1])

    @property
    def options(self) -> dict[str, Any]:
        """What to ask ``comraf.organize`` for."""
        k = self.n_clusters if self.numbers is None else self.numbers.best
        return ({} if k is None else {"n_clusters": k}) | self.best.choice.options

    @property
    def sentence(self) -> str:
        """What is best on one line, or that nothing is."""
        first, best = self.tried[0], self.best
        if np.isnan([first.foretold.gain, first.agreement.gain]).all():
            return "Too little to tell by: nothing can be ranked"
        if not self.worthwhile:
            return f"No difference worth choosing: {first.choice} do as well as any"
        labelled = best.agreement.above(_AGREEMENT)
        one, other = (
            (best.agreement, first.agreement) if labelled else (best.foretold, first.foretold)
        )
        said, how = ("agree with what is known by", ".2f") if labelled else ("foretell", ".0%")
        return (
            f"{best.choice}: groups {said} {one.value:{how}}, those of {first.choice} "
            f"{other.value:{how}} (± {one.error:{how}})"
        )


def choose(
    collection: Any,
    n_clusters: int | None = None,
    *,
    by: Sequence[str] | None = None,
    labels: Mapping[int, Any] | None = None,
    must_link: Any = None,
    cannot_link: Any = None,
    tries: int = 10,
    choices: Sequence[Choice] | None = None,
    weighting: str = "root_rows",
    edge_weights: Mapping[str, float] | str = "root_mass",
    observe: Sequence[str] | None = None,
    effort: str = "default",
    random_state: int = 0,
    n_jobs: int = 1,
    time_limit: float | None = None,
    checkpoint: Any = None,
    listener: Listener = unheard,
) -> Selection:
    """Try sets of sides, weights and shapes, and by labels also sizes and numbers of groups.

    It is asked of each choice what groups by half of the values foretell of the other half of the
    main side, the one that weighs most, as in `audit`; three times, both ways round. With labels
    or links, groups of all items are made by each choice, too, and labelled and linked items are
    to be together as is known of them.

    All sides together come first. All other sets of sides follow where they are few enough;
    otherwise one side after another is left out, as long as that is better. Then come other weights
    of the best sides, and sides that are also joined to each other (loopy). With labels or links
    other sizes follow, and other numbers of groups where none is asked for; without, what groups
    foretell does not tell these apart, and `how_many` and ``sizes="auto"`` have rules of their own.

    Parameters
    ----------
    collection : collection, or mapping of str to table
        Items x values, by side.
    n_clusters : int, optional
        How many groups. Without it, `how_many` suggests some.
    by : sequence of str, optional
        Sides to choose among; by default those that make groups by default.
    labels : mapping of int to class, optional
        Classes of some items by their rows.
    must_link, cannot_link : array-like of int, optional
        Pairs of rows that belong together, and that don't; both kinds, since by one alone a single
        group, or each item by itself, would be best. What follows the two rows is not looked at.
    tries : int
        How many choices are tried.
    choices : sequence of Choice, optional
        Try these, after all sides together, and no others.
    weighting, edge_weights, observe
        As in `comraf.Organizer`.
    effort : str
        What each search by labels may cost.
    random_state : int
    n_jobs : int
        Tries side by side; the answer does not depend on it.
    time_limit : float, optional
        Try nothing more after so many seconds.
    checkpoint : path-like, optional
        Folder that keeps what was tried, to be taken up again.
    listener : callable, optional
        Called with every event of the work.

    Returns
    -------
    Selection

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> topics, moods = rng.integers(0, 4, (2, 400, 1))
    >>> words = rng.poisson(0.1 + 0.5 * (np.arange(80) % 4 == topics))
    >>> faces = rng.poisson(0.1 + 1.0 * (np.arange(20) % 4 == moods))
    >>> choose({"words": words, "faces": faces}, 4).options
    {'n_clusters': 4, 'by': ['words']}
    """
    search = _Search(
        collected(collection),
        n_clusters,
        by=by,
        known=(labels or {}, must_link, cannot_link),
        tries=tries if choices is None else 1 + len(choices),
        choices=choices,
        how={"weighting": weighting, "observe": observe, "edge_weights": edge_weights},
        effort=effort,
        seed=random_state,
        control=Control(listener, time_limit=time_limit),
        n_jobs=effective_jobs(n_jobs),
        clock=Clock(time_limit),
    )
    if checkpoint is None:
        return search.run()
    kept = Checkpoint(checkpoint)
    kept.open(search.about, needed=100_000)
    try:
        found = search.run(kept)
    except BaseException:
        kept.close()
        raise
    (kept.close if found.interrupted else kept.end)()
    return found


@dataclass(frozen=True, eq=False)
class _Measured:
    """A choice with what was measured of it."""

    choice: Choice
    information: float
    foretold: tuple[float, ...] = ()
    answers: tuple[int, ...] = ()

    @property
    def document(self) -> dict[str, Any]:
        """It as JSON has it."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]

    @classmethod
    def read(cls, choice: Choice, document: Mapping[str, Any]) -> _Measured | None:
        """What was measured; None if it was of another choice."""
        plain = cls(choice, 0.0).document["choice"]
        if document.get("choice") != plain:
            return None
        lists = {name: tuple(document[name]) for name in ("foretold", "answers")}
        return cls(choice, float(document["information"]), **lists)


class _Search:
    """Choices that are tried batch after batch."""

    def __init__(
        self,
        collection: Any,
        n_clusters: int | None,
        *,
        by: Sequence[str] | None,
        known: tuple[Mapping[int, Any], Any, Any],
        tries: int,
        choices: Sequence[Choice] | None,
        how: Mapping[str, Any],
        effort: str,
        seed: int,
        control: Control,
        n_jobs: int,
        clock: Clock,
    ) -> None:
        names = default_sides(collection) if by is None else list(by)
        if not names:
            raise InputError("there is no side to group by; give a collection with a table")
        self.names, self.seed, self.effort = tuple(names), seed, effort
        self.collection, self.how, self.n_clusters = collection, how, n_clusters
        self.control, self.n_jobs, self.clock = control, n_jobs, clock
        self.tries, self.choices = check_int("tries", tries), choices
        whole = {name: as_csr(collection.tables[name], f"the table {name!r}") for name in names}
        self.n = next(iter(whole.values())).shape[0]
        self.observed = observed_sides(collection, how["observe"]) & set(names)
        self.graph = make_graph(
            {name: collection.tables[name] for name in names},
            self._number,
            weighting=how["weighting"],
            rule=how["edge_weights"],
            observed=self.observed,
            measured=measured_sides(collection),
        )
        self.weights = {edge.b: float(edge.weight) for edge in self.graph.edges}
        self.main = max(names, key=lambda name: (self.weights[name], whole[name].sum()))
        with whole_fits():
            self.parts = self._parted(whole)
        self.told = _Told.of(self.n, *known)
        self.rows = self.told.rows
        self.found: list[_Measured] = []

    @property
    def _number(self) -> int:
        return self.n_clusters or default_k(self.n)

    @property
    def about(self) -> dict[str, Any]:
        """What is tried, for a checkpoint to know it again."""
        chosen = {
            "effort": self.effort,
            "n_clusters": self.n_clusters,
            "weighting": self.how["weighting"],
            "known": hashlib.sha256(self.told.written).hexdigest(),
        }
        made = fingerprint(Problem(self.graph), MDCOptions(), np.random.SeedSequence(self.seed))
        return made | {"options": chosen}

    def run(self, kept: Checkpoint | None = None) -> Selection:
        """Try one batch after another, until nothing is left to try."""
        batches = self._batches()
        with whole_fits():
            for batch in batches:
                if not self._try(batch[: self.tries - len(self.found)], kept):
                    break
                if len(self.found) >= self.tries:
                    break
        if not self.found:
            raise TimeoutError("the time limit was reached before anything was tried")
        tried = self._judged()
        best = _best(tried)
        numbers, stopped = None, self.control.stopped
        if self.n_clusters is None and best.choice.n_clusters is None and not stopped:
            numbers = self._numbers(best.choice.by)
        return Selection(
            tried,
            best,
            len(self.told.labelled),
            self.n_clusters,
            numbers,
            self.control.stopped,
            self.control.out_of_time,
            self.main,
            len(self.told.links),
        )

    def _batches(self) -> Iterator[list[Choice]]:
        """What is to be tried next, by what has been found."""
        every = Choice(self.names)
        yield [every]
        if not self.parts and not len(self.rows):
            return  # nothing can be told
        if self.choices is not None:
            yield [*self.choices]
            return
        sides = self.names
        if 2 ** len(sides) - 1 <= (self.tries if not len(self.rows) else self.tries // 2):
            some = [by for n in range(len(sides) - 1, 0, -1) for by in combinations(sides, n)]
            yield [replace(every, by=by) for by in some]
        else:
            before: tuple[str, ...] = ()
            while len(sides) > 1 and sides != before:
                before = sides
                yield [replace(every, by=tuple(s for s in sides if s != out)) for out in sides]
                found = self._judged()
                sides = (_best(found) if len(self.rows) else max(found, key=_by_foretold)).choice.by
        best = self._best.choice
        if len(best.by) > 1:
            yield [
                replace(best, weight=((side, float(f"{self.weights[side] * factor:.2g}")),))
                for side in best.by
                if side != self.main
                for factor in _FACTORS
            ]
            if not any(isinstance(self.collection.tables[s], NeighbourTable) for s in best.by):
                yield [replace(self._best.choice, graph="loopy")]
        if not len(self.rows):
            return
        yield [replace(self._best.choice, sizes=sizes) for sizes in ("even", "free")]
        numbers = None if self.n_clusters is not None else self._numbers(best.by)
        if numbers is not None:
            yield [replace(self._best.choice, n_clusters=k) for k in numbers.plateaus]

    @property
    def _best(self) -> Tried:
        return _best(self._judged())

    def _try(self, batch: Sequence[Choice], kept: Checkpoint | None) -> bool:
        """Measure choices side by side; whether all of them could be."""
        first = len(self.found)

        def task(place: int, choice: Choice) -> _Measured:
            name = f"run-{first + place + 1}"
            saved = None if kept is None else kept.load(name)
            known = None if saved is None else _Measured.read(choice, saved[0])
            if known is None:
                self.control.tell(lambda done: Event("trying", done, message=f"trying {choice}"))
                try:
                    known = self._measured(choice)
                except TimeLimitWarning:
                    raise Stopped from None
                except InterruptedWarning:
                    raise KeyboardInterrupt from None
                if kept is not None:
                    kept.save(name, (known.document, {}))
                    kept.flush()
            self.control.advance(1 / self.tries, lambda done: Event("trying", done))
            return known

        tasks = [lambda place=i, choice=one: task(place, choice) for i, one in enumerate(batch)]
        found = [one for one in run_all(tasks, self.n_jobs, self.control) if one is not None]
        self.found += found
        return len(found) == len(batch) and not self.control.stopped

    def _measured(self, choice: Choice) -> _Measured:
        """What groups by half of the values foretell, and how all items are grouped."""
        weights = self.weights | dict(choice.weight)
        halves = self.parts if choice.n_clusters is None and choice.sizes == "auto" else []
        foretold, information = [], float("nan")
        for number, (asking, seen, asked) in enumerate(halves):
            tables = {name: seen[name] for name in choice.by if seen[name].nnz}
            if not tables:
                foretold.append(0.0)
                continue
            made = asking.grouped(tables, weights, choice.graph if len(tables) > 1 else "tree")
            rng = np.random.default_rng([self.seed, number])
            foretold.append(asking.foretold(made.labels_, asked, rng))
            information = float(np.nansum([information, made.result_.objective / len(halves)]))
        answers: tuple[int, ...] = ()
        if len(self.rows):
            organizer = estimators.Organizer(
                choice.n_clusters or self._number,
                by=choice.by,
                graph=choice.graph,
                edge_weights={name: weights[name] for name in choice.by},
                weighting=self.how["weighting"],
                observe=self.how["observe"],
                sizes=choice.sizes,
                effort=self.effort,
                random_state=self.seed,
                time_limit=self.clock.left,
            ).fit(self.collection)
            answers = tuple(organizer.labels_[self.rows].tolist())
            information = float(organizer.result_.objective)
        return _Measured(choice, information, tuple(foretold), answers)

    def _parted(self, whole: Mapping[str, Any]) -> list[tuple[Asking, Any, Any]]:
        """Groups are made by the values of one half, and asked about those of the other."""
        rows = np.sort(np.random.default_rng(self.seed).permutation(self.n)[:SAMPLE])
        if len(rows) < FEWEST:
            return []
        k = min(self._number, default_k(len(rows)))
        asking = Asking(k, self.how["weighting"], self.observed, self.seed, self.clock)
        sample = [whole[name][rows] for name in self.names]
        self.main = self._main(asking, sample)
        out = []
        for number in range(_PARTINGS):
            rng = np.random.default_rng([self.seed, number])
            halves = [dict(zip(self.names, half, strict=True)) for half in parted(sample, rng)]
            for seen, unseen in (halves, halves[::-1]):
                if seen[self.main].nnz and unseen[self.main].nnz:
                    out.append((asking, seen, weigh(unseen[self.main], asking.weighting)))
        return out

    def _main(self, asking: Asking, sample: Sequence[Any]) -> str:
        """The side that weighs most; of several the one that groups by all sides foretell best."""
        rng = np.random.default_rng([self.seed, 0])
        seen, unseen = (dict(zip(self.names, h, strict=True)) for h in parted(sample, rng))
        there = {name: table for name, table in seen.items() if table.nnz}
        if not there:
            return self.main
        labels = asking.grouped(there, self.weights).labels_
        asked = {name: weigh(unseen[name], asking.weighting) for name in there}
        found = {n: asking.foretold(labels, one, rng) for n, one in asked.items() if one.nnz}
        return max(found, key=lambda name: (self.weights[name], found[name]), default=self.main)

    def _numbers(self, by: Sequence[str]) -> Numbers | None:
        try:
            return how_many(
                self.collection,
                by=by,
                weighting=self.how["weighting"],
                seed=self.seed,
                time_limit=self.clock.left,
            )
        except TimeoutError:
            return None

    def _judged(self) -> tuple[Tried, ...]:
        """What was measured, beside the first choice."""
        most = max((float(np.mean(one.foretold or 0.0)) for one in self.found), default=0.0)
        base = np.array(self.found[0].foretold)
        out = []
        for one in self.found:
            foretold = agreement = Score()
            if one.foretold and most > 0:
                changes = (np.array(one.foretold) - base) / most
                error = float(changes.std(ddof=1) / np.sqrt(len(changes)))
                foretold = Score(float(np.mean(one.foretold)) / most, float(changes.mean()), error)
            if one.answers:
                own, first = np.array(one.answers), np.array(self.found[0].answers)
                value, than = (self.told.agreement(answers) for answers in (own, first))
                error = self.told.spread(own, first, np.random.default_rng(self.seed))
                agreement = Score(value, value - than, error)
            out.append(Tried(one.choice, one.information, foretold, agreement))
        return tuple(out)


def check_both_kinds(must_link: int, cannot_link: int) -> None:
    """Refuse links of one kind alone: by these nothing can be ranked."""
    if bool(must_link) != bool(cannot_link):
        raise InputError(
            "choices are ranked by links of both kinds; give {must} and {cannot}, since by one "
            "kind alone a single group, or each item by itself, would be best",
            must=Parameter("must_link"),
            cannot=Parameter("cannot_link"),
        )


@dataclass(frozen=True, eq=False)
class _Told:
    """What is known of some items: classes, and pairs that belong together or don't."""

    rows: npt.NDArray[np.int64]  # of all items that something is known of, in order
    labelled: npt.NDArray[np.int64]  # places among them that have a class, and which
    classes: npt.NDArray[np.int64]
    links: npt.NDArray[np.int64]  # pairs of places, and which of them are together
    together: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, n: int, labels: Mapping[int, Any], must_link: Any, cannot_link: Any) -> _Told:
        """It from labels by rows, and pairs of rows, of ``n`` items."""
        named = {int(row): name for row, name in labels.items() if name is not None}
        if wrong := [row for row in named if not 0 <= row < n]:
            text = "{given} has the row {row}, but there are {n:,}"
            raise InputError(text, "labels", ..., row=wrong[0], n=n)
        given = {"must_link": must_link, "cannot_link": cannot_link}
        kinds = [read_links(links, n, what=what).pairs for what, links in given.items()]
        check_both_kinds(*map(len, kinds))
        links = np.concatenate(kinds)
        rows = np.unique(np.concatenate([np.array([*named], np.int64), links.ravel()]))
        codes = {name: code for code, name in enumerate(dict.fromkeys(named.values()))}
        own = np.array(sorted(named), np.int64)
        return cls(
            rows,
            np.searchsorted(rows, own),
            np.array([codes[named[row]] for row in own.tolist()], np.int64),
            np.searchsorted(rows, links),
            np.repeat([True, False], [len(kind) for kind in kinds]),
        )

    @property
    def written(self) -> bytes:
        """All of it as bytes."""
        parts = (self.rows, self.labelled, self.classes, self.links, self.together)
        return b"|".join(part.tobytes() for part in parts)

    def agreement(self, answers: Any, labelled: Any = ..., linked: Any = ...) -> float:
        """How far groups of the rows agree with some of it, by default with all; 0 by chance.

        Labels and links count by how many there are.
        """
        classes, places = self.classes[labelled], self.labelled[labelled]
        links, together = self.links[linked], self.together[linked]
        value = len(classes) * ari(classes, answers[places]) if len(classes) else 0.0
        if len(links):
            kept = answers[links[:, 0]] == answers[links[:, 1]]
            value += len(links) * (kept[together].mean() - kept[~together].mean())
        return float(value / max(1, len(classes) + len(links)))

    def spread(self, own: Any, first: Any, rng: np.random.Generator) -> float:
        """How far a gain depends on what is known: a deviation, over halves of it."""
        kinds = (np.flatnonzero(self.together), np.flatnonzero(~self.together))
        if len(self.classes) < FEWEST_LABELS and min(map(len, kinds)) < FEWEST_LABELS // 2:
            return 1.0
        gains = []
        for _ in range(_DRAWS):
            drawn = rng.permutation(len(self.classes))[: len(self.classes) // 2]
            some = [rng.permutation(kind)[: -(-len(kind) // 2)] for kind in kinds]
            part = (drawn, np.concatenate(some))
            gains.append(self.agreement(own, *part) - self.agreement(first, *part))
        return float(np.std(gains))


def _by_agreement(tried: Tried) -> float:
    return float(np.nan_to_num(tried.agreement.value, nan=-np.inf))


def _by_foretold(tried: Tried) -> float:
    return float(np.nan_to_num(tried.foretold.value, nan=-np.inf))


def _best(tried: Sequence[Tried]) -> Tried:
    """The best of those that are better than the first beyond noise, or the first.

    Examples
    --------
    >>> every, words = Tried(Choice(("words", "people")), 1.0), Tried(Choice(("words",)), 1.0)
    >>> some = (replace(words, foretold=Score(0.9, 0.1, error)) for error in (0.08, 0.02))
    >>> [str(_best([every, one]).choice) for one in some]
    ['words + people', 'words']
    """
    bounds = (_AGAINST if one.foretold.below(_FORETOLD) else _AGREEMENT for one in tried)
    agree = [one for one, bound in zip(tried, bounds, strict=True) if one.agreement.above(bound)]
    if agree:
        return max(agree, key=_by_agreement)
    better = [
        one
        for one in tried[1:]
        if one.foretold.above(_FORETOLD) and not one.agreement.below(_AGREEMENT)
    ]
    return max(better, key=_by_foretold, default=tried[0])
