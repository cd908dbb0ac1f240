"""Any Comraf graph solved as a series of Comraf*: two steps for images and their regions."""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from comraf.errors import InputError, InterruptedWarning, TimeLimitWarning, WriteError
from comraf.estimators._parameters import SearchParameters
from comraf.estimators._run import Verbose, listener_for, seed_sequence, warn_of_stop
from comraf.estimators.comraf import Comraf, OnGraph
from comraf.graph import Graph, Star, star_graph, star_series
from comraf.inference.checkpoint import Kept, remove_checkpoint
from comraf.inference.control import check_time_limit
from comraf.progress import Event, Listener, Reporter
from comraf.results import Result
from comraf.results.scorer import Placed
from comraf.results.solved import Solved
from comraf.supervision import by_side

__all__ = ["StarSeries", "StarStep"]

# What a step may take where next to nothing is left of a time limit, or after Ctrl-C.
_MOMENT = 0.01
_TASK = "Comraf*"
_STEP = re.compile(r"step-\d+")


@dataclass(frozen=True, eq=False)
class StarStep:
    """One solved star of a series.

    Attributes
    ----------
    star : Star
        The node that was clustered, and by what.
    model : Comraf
        The fit: ``model.graph_`` is the star, ``model.result_`` what was found, with the
        information of each of its edges.
    """

    star: Star
    model: Comraf

    @property
    def result(self) -> Result:
        """What the step found."""
        return self.model.result_


@dataclass(eq=False, repr=False, kw_only=True)
class StarSeries(SearchParameters, OnGraph, BaseEstimator):
    """Solve a Comraf graph one hidden node after the other, each as a Comraf*.

    Hidden nodes other than the target are clustered first, those far from it before those
    near, each by its observed neighbours and by nodes that are solved already; then they are
    observed as these clusters. With images, their regions, colours and texture this is the
    two-step Comraf* of the thesis (figure 7.2): regions by colours and texture, then images
    by words, colours and clusters of regions. Much cheaper than `comraf.Comraf` on the
    same graph, which clusters all hidden nodes at once, and in the thesis as good.

    Time limit, checkpoint and the share done that is told are those of all steps together. After
    Ctrl-C the steps that are left are done in haste.

    Parameters
    ----------
    graph : Graph
        Nodes, edges, numbers of clusters, what is observed.
    target : str, optional
        The node that is wanted and comes last; by default the first hidden one.
    singletons : bool
        What to do with a node that has hidden neighbours alone: cluster it by their single
        values, or refuse it; see `comraf.star_series`.
    first_effort : {"quick", "default", "thorough", "paper"}
        ``effort`` of the nodes before the target. They may have very many values, and what a
        single run gets wrong there is a small part of what the target is clustered by.

    Attributes
    ----------
    labels_ : dict of str to array of int
        Cluster of every value of every node, by the node's name.
    objective_ : float
        Sum over all edges of the graph of weight times mutual information, in nats: comparable
        with that of `comraf.Comraf`, though the steps did not climb it directly.
    result_ : Result
        The same for the whole graph, with the information of each of its edges. The trace has
        all steps one after the other; its objectives are those of the stars.
    steps_ : tuple of StarStep
        Every star, with its own result.
    target_ : str
        The node that was clustered last, whose labels `fit_predict` returns.

    Examples
    --------
    >>> from comraf import Edge, Graph, Node
    >>> graph = Graph(
    ...     [
    ...         Node("images", n_clusters=2),
    ...         Node("regions", n_clusters=2, direction="top-down"),
    ...         Node("colours", observed="singletons"),
    ...     ],
    ...     [
    ...         Edge("images", "regions", np.repeat(np.eye(4), 2, axis=1)),
    ...         Edge("regions", "colours", [[5, 0], [4, 1]] * 2 + [[0, 3], [1, 5]] * 2),
    ...     ],
    ... )
    >>> series = StarSeries(graph, "images", random_state=0).fit()
    >>> [step.star.node for step in series.steps_]
    ['regions', 'images']
    >>> series.labels_["images"].tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    graph: Graph = field(kw_only=False)
    target: str | None = field(default=None, kw_only=False)
    singletons: bool = False
    first_effort: str = "quick"

    def fit(
        self,
        X: Any = None,
        y: Any = None,
        *,
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Solve all stars; ``X`` and ``y`` are ignored, the data is in the graph.

        Parameters
        ----------
        X, y : ignored
        labels, must_link, cannot_link : as in `comraf.Comraf.fit`
            What is known about the values of a node, by the node's name; without a name it is
            about the target.
        """
        self._check_graph()
        stars = star_series(self.graph, self.target, singletons=self.singletons)
        hidden, target = [star.node for star in stars], stars[-1].node
        told = {"labels": labels, "must_link": must_link, "cannot_link": cannot_link}
        given = {what: by_side(value, hidden, target, what) for what, value in told.items()}
        started = time.monotonic()
        series = _Series(stars, self.graph, self.checkpoint, self.time_limit, self.verbose)
        steps: list[StarStep] = []
        found: dict[str, npt.NDArray[np.int32]] = {}
        for number, (star, seed) in enumerate(zip(stars, self._seeds(len(stars)), strict=True)):
            model = Comraf(
                star_graph(self.graph, star, found),
                effort=self.effort if star is stars[-1] else self.first_effort,
                n_restarts=self.n_restarts,
                moves=self.moves,
                passes=self.passes,
                merge_cost=self.merge_cost,
                sizes="even",
                n_jobs=self.n_jobs,
                random_state=seed,
            )
            about = {
                what: {star.node: part[star.node]}
                for what, part in given.items()
                if star.node in part
            }
            series.solve(number, model, about)
            steps.append(StarStep(star, model))
            found[star.node] = model.labels_[star.node]
        self.steps_ = tuple(steps)
        self.target_ = target
        self.graph_ = self.graph
        self.result_ = replace(self._whole(found), seconds=time.monotonic() - started)
        self.labels_ = {name: np.array(part) for name, part in self.result_.labels.items()}
        self.objective_ = self.result_.objective
        series.end()
        return self

    def fit_predict(self, X: Any = None, y: Any = None, **params: Any) -> npt.NDArray[np.int32]:
        """Solve all stars and return the labels of the target; parameters are those of ``fit``.

        Examples
        --------
        >>> from comraf import Edge, Graph, Node
        >>> graph = Graph(
        ...     [Node("images", n_clusters=2), Node("words", observed="singletons")],
        ...     [Edge("images", "words", [[5, 4, 0], [4, 6, 1], [0, 1, 6], [1, 0, 5]])],
        ... )
        >>> labels = StarSeries(graph, random_state=0).fit_predict()
        >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
        True
        """
        self.fit(X, y, **params)
        return self.labels_[self.target_]

    def _seeds(self, n: int) -> list[int | None]:
        """A seed for each step; none are drawn where the checkpoint may have those of before."""
        if self.random_state is None and self.checkpoint is not None:
            return [None] * n
        return [int(seed) for seed in seed_sequence(self.random_state).generate_state(n)]

    def _whole(self, found: Mapping[str, npt.NDArray[np.int32]]) -> Result:
        """What all steps together say about the graph."""
        labels: dict[str, npt.NDArray[np.int32]] = {}
        for node in self.graph.nodes:
            if node.hidden:
                labels[node.name] = found[node.name]
            elif isinstance(node.observed, str):
                labels[node.name] = np.arange(self.graph.sizes[node.name], dtype=np.int32)
            else:
                labels[node.name] = np.asarray(node.observed, dtype=np.int32)
        sizes = {name: int(part.max(initial=-1)) + 1 for name, part in labels.items()}
        for step in self.steps_:
            sizes[step.star.node] = step.result.n_clusters[step.star.node]
        own = [(step.star.node, step.result) for step in self.steps_]
        points, before = [], 0
        for _, result in own:
            points += [replace(point, step=before + point.step) for point in result.trace]
            before = points[-1].step if points else 0
        edges = Solved(self.graph, Result(labels, sizes, 0.0, ())).edges()
        return Result(
            labels=labels,
            n_clusters=sizes,
            objective=sum(edge.weight * edge.information for edge in edges),
            edges=edges,
            trace=tuple(points),
            interrupted=any(result.interrupted for _, result in own),
            stability={n: r.stability[n] for n, r in own if n in r.stability},
            n_runs=own[-1][1].n_runs,
            levels={n: r.levels[n] for n, r in own if n in r.levels},
            values={n.name: tuple(n.values) for n in self.graph.nodes if n.values is not None},
        )

    def place(
        self, node: str, tables: Any, *, columns: Mapping[str, Sequence[str]] | None = None
    ) -> Placed:
        """Clusters of new values of a hidden node; see `comraf.Comraf.place`.

        The columns of a neighbour that was clustered in a step before are its clusters: place
        the regions of a new image first, then count them by their clusters.

        Examples
        --------
        >>> from comraf import Edge, Graph, Node
        >>> graph = Graph(
        ...     [Node("images", n_clusters=2), Node("words", observed="singletons")],
        ...     [Edge("images", "words", [[5, 4, 0], [4, 6, 1], [0, 1, 6], [1, 0, 5]])],
        ... )
        >>> series = StarSeries(graph, random_state=0).fit()
        >>> bool(series.place("images", [[0, 0, 3]]).labels[0] == series.labels_["images"][2])
        True
        """
        check_is_fitted(self, "steps_")
        for step in self.steps_:
            if step.star.node == node:
                return step.model.place(node, tables, columns=columns)
        names = [step.star.node for step in self.steps_]
        raise InputError(f"no step clustered {node!r}; the hidden nodes are {names}")


class _Series:
    """The steps as one fit: a clock, a checkpoint, one account of progress.

    Parameters
    ----------
    stars : sequence of Star
    graph : Graph
        Theirs.
    checkpoint : path-like, Kept or None
        Folder with a checkpoint of each step. Those of steps that have ended stay until all
        have, so that a series that is taken up again comes to the same graphs.
    time_limit : float or None
        Of all steps together.
    verbose : int or callable
    """

    def __init__(
        self,
        stars: Sequence[Star],
        graph: Graph,
        checkpoint: str | os.PathLike[str] | Kept | None,
        time_limit: float | None,
        verbose: Verbose,
    ) -> None:
        self._stars = stars
        self._kept = isinstance(checkpoint, Kept)
        self._folder = None if checkpoint is None else _folder(checkpoint)
        self._limit = check_time_limit(time_limit)
        self._started = time.monotonic()
        self._stopped: type[InterruptedWarning] | None = None
        listener = listener_for(verbose)
        self._reporter = None if listener is None else Reporter(listener)
        work = [_work(graph, star) for star in stars]
        self._shares = [one / sum(work) for one in work]

    def solve(self, number: int, model: Comraf, about: Mapping[str, Any]) -> None:
        """Fit the model of a step; a second Ctrl-C while the rest is done in haste gets through."""
        try:
            self._fit(number, model, about)
        except KeyboardInterrupt:  # before or after the search, which has its own way with it
            if self._stopped is not None:
                raise
            self._stopped = InterruptedWarning
            self._fit(number, model, about)

    def _fit(self, number: int, model: Comraf, about: Mapping[str, Any]) -> None:
        place = None
        # what follows a step in haste is about other graphs than what will follow the whole step
        if self._folder is not None and self._stopped is None:
            place = Kept(self._folder / f"step-{number + 1}")
        model.set_params(
            time_limit=self._left(), checkpoint=place, verbose=self._listener(number) or 0
        )
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", InterruptedWarning)
            model.fit(**about)
        # parameters as the caller would have them: the clock and the listener were ours
        model.set_params(time_limit=None, checkpoint=None, verbose=0)
        for one in told:
            if not issubclass(one.category, InterruptedWarning):
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
            elif self._stopped is None:
                self._stopped = one.category

    def _left(self) -> float | None:
        """Seconds that the next step may take."""
        if self._stopped is not None:
            return _MOMENT
        if self._limit is None:
            return None
        return max(_MOMENT, self._limit - (time.monotonic() - self._started))

    def _listener(self, number: int) -> Listener | None:
        """Tells the events of a step as a part of the whole."""
        reporter = self._reporter
        if reporter is None:
            return None
        before, share = sum(self._shares[:number]), self._shares[number]

        def tell(event: Event) -> None:
            done = min(1.0, before + share * event.done)
            reporter.tell(replace(event, task=_TASK, done=done))

        return tell

    def end(self) -> None:
        """All steps are done: put the checkpoint away, or say that there was a stop."""
        if self._stopped is None:
            if self._folder is not None and not self._kept:
                for number in range(len(self._stars)):
                    remove_checkpoint(self._folder / f"step-{number + 1}")
                with suppress(OSError):
                    self._folder.rmdir()
            return
        limit = self._limit if issubclass(self._stopped, TimeLimitWarning) else None
        warn_of_stop(limit, self._folder)


def _folder(checkpoint: str | os.PathLike[str] | Kept) -> Path:
    try:
        folder = Path(os.path.realpath(os.fspath(checkpoint)))
    except (TypeError, ValueError) as error:
        raise InputError(
            "{given}; give the path of a folder: {error}", "checkpoint", checkpoint, error=error
        ) from None
    if folder.exists() and not folder.is_dir():
        raise WriteError(
            f"the checkpoint can't be written: {folder} is a file; name a folder, new or empty"
        )
    others = (
        [e.name for e in folder.iterdir() if not _STEP.fullmatch(e.name)] if folder.is_dir() else []
    )
    if others:
        raise WriteError(
            f"{folder} holds {sorted(others)[0]!r} and no checkpoint of a series; name a folder "
            "that is new or empty"
        )
    return folder


def _work(graph: Graph, star: Star) -> float:
    """About how much there is to do for a star: every count is held against every cluster."""
    node = graph.nodes[graph.index[star.node]]
    counts = sum(graph.edges[i].counts.nnz for i in star.edges)
    return float(max(1, counts) * (node.n_clusters or 2))
