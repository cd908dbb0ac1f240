"""What a minute of a person's is worth: accuracy after some actions of each verb of the studio.

::

    python -m benchmarks.minutes --data DIR
    python -m benchmarks.minutes --data DIR --datasets cora:800 --seeds 0-2

Somebody who knows the classes works with ``comraf.open_project``, one verb at a time, from the
groups of a quick search for as many as there are classes. Reading a document, or two groups, is an
action, whether anything is done about it or not:

* search again: nothing is said, the search goes on from the groups as they are;
* merge: the two groups of one class whose merger loses least become one, until there are none;
* split: the group that holds most of other classes than its own is divided in two;
* split and merge: these two in turn, so that the number of groups stays;
* move: documents, the least sure first, are put into a group of their class where they are in
  another;
* question: what the groups are least sure of (or what Explore and Consolidate or NPU ask), then a
  search by the answers;
* label: documents get their class, then a search: the least sure first, drawn at random, or of each
  group in turn, from the largest on, one at random or the surest.

``--verbs label`` does those verbs alone whose names begin so.

Searches are for as many groups as there are then. Accuracy is one to one: each class has one group,
and each group one class, so more groups gain nothing. ± is the standard deviation between seeds.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.every_data import Every, load
from benchmarks.harness import given_folder, parser_of, print_table, run
from comraf.workflows.chooser import in_turn

if TYPE_CHECKING:
    from comraf.workflows.project import Project

__all__ = ["main"]

DATASETS = ("20ng:800", "webkb:800", "cora:800", "beck-s:800", "kitchen-l:800")
ACTIONS = (5, 20, 50)

Truth = npt.NDArray[np.int64]
Verb = Callable[["Project", Truth, int], Iterator[None]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = parser_of("minutes", __doc__, "data", "cache", datasets=list(DATASETS), seeds="0-1")
    parser.add_argument("--verbs", default="", help="only those whose names begin so")
    return run(parser, arguments, _measure)


def token(number: int) -> str:
    """A word for a column.

    Examples
    --------
    >>> token(0), token(27)
    ('qxaaaa', 'qxaabb')
    """
    letters = []
    for _ in range(4):
        number, rest = divmod(number, 26)
        letters.append(ascii_lowercase[rest])
    return "qx" + "".join(reversed(letters))


def written(collection: Every, folder: Path, seed: int) -> Truth:
    """Organise the words of a collection into a folder; the classes of its documents."""
    import pandas as pd

    import comraf

    words = sp.csr_array(collection.tables["words"])
    known = np.flatnonzero((collection.truth >= 0) & (np.diff(words.indptr) > 0))
    words = sp.csr_array(words[known])
    texts = [
        " ".join(
            token(column)
            for column, n in zip(
                words.indices[words.indptr[i] : words.indptr[i + 1]].tolist(),
                words.data[words.indptr[i] : words.indptr[i + 1]].tolist(),
                strict=True,
            )
            for _ in range(int(n))
        )
        for i in range(len(known))
    ]
    frame = pd.DataFrame({"key": [f"d{i}" for i in range(len(known))], "body": texts})
    found = comraf.organize(
        frame, collection.n_classes, id="key", text="body", by=["words"], effort="quick",
        random_state=seed,
    )  # fmt: skip
    with found:
        found.save(folder)
        place = {item: i for i, item in enumerate(found.items)}
    truth = np.full(len(place), -1, dtype=np.int64)
    for i, row in enumerate(known.tolist()):
        if f"d{i}" in place:  # second copies were dropped
            truth[place[f"d{i}"]] = collection.truth[row]
    return truth


def _classes(project: Project, truth: Truth) -> dict[int, int]:
    """The commonest class of each group."""
    groups = project.session.groups
    return {
        group: Counter(truth[groups.items(group)].tolist()).most_common(1)[0][0]
        for group in groups.order
    }


def _merge(project: Project, truth: Truth, seed: int) -> Iterator[None]:
    while True:
        groups, classes = project.session.groups, _classes(project, truth)
        tree = project.tree(project.session.said)
        order = {pair: n for n, pair in enumerate(tree.merges)}
        pairs = [
            (order.get((a, b), order.get((b, a), len(order))), one, other)
            for a, one in enumerate(groups.order)
            for b, other in enumerate(groups.order[:a])
            if classes[one] == classes[other]
        ]
        if not pairs:
            return
        _, one, other = min(pairs)
        project.session.merge(one, other)
        yield


def _split(project: Project, truth: Truth, seed: int) -> Iterator[None]:
    while True:
        groups, classes = project.session.groups, _classes(project, truth)
        wrong = {g: int((truth[groups.items(g)] != classes[g]).sum()) for g in groups.order}
        worst = max(wrong, key=lambda g: wrong[g])
        if wrong[worst] < 1 or groups.size(worst) < 2:
            return
        project.split(worst)
        yield


def _both(project: Project, truth: Truth, seed: int) -> Iterator[None]:
    for _ in _split(project, truth, seed):
        yield
        merged = next(_merge(project, truth, seed), 0)
        if merged is None:
            yield


def _unsure(project: Project) -> list[int]:
    with project.edited() as edited:
        return np.argsort(edited.confidence_, kind="stable").tolist()


def _move(project: Project, truth: Truth, seed: int) -> Iterator[None]:
    for item in _unsure(project):
        groups, classes = project.session.groups, _classes(project, truth)
        if classes[int(groups.of[item])] != truth[item]:
            of_class = [g for g in groups.order if classes[g] == truth[item]]
            if of_class:
                project.session.move([item], max(of_class, key=groups.size))
        yield


def _asked(by: str) -> Verb:
    def ask(project: Project, truth: Truth, seed: int) -> Iterator[None]:
        while (pair := project.question(by)) is not None:  # type: ignore[arg-type]
            project.reply(*pair, bool(truth[pair[0]] == truth[pair[1]]))
            yield

    return ask


def _nothing(project: Project, truth: Truth, seed: int) -> Iterator[None]:
    yield from ()


def _labelled(order: Callable[[Project, int], Sequence[int]]) -> Verb:
    def label(project: Project, truth: Truth, seed: int) -> Iterator[None]:
        for item in order(project, seed):
            project.session.label([item], f"class {truth[item]}")
            yield

    return label


def _any(project: Project, seed: int) -> list[int]:
    n = len(project.answer)
    return np.random.default_rng(seed).permutation(n).tolist()


def _surest_in_turn(project: Project, seed: int) -> list[int]:
    with project.edited() as edited:
        return in_turn(project.session.groups, edited.confidence_).tolist()


#: What is done, and whether a search follows.
VERBS: dict[str, tuple[Verb, bool]] = {
    "search again": (_nothing, True),
    "merge": (_merge, False),
    "split": (_split, False),
    "split and merge": (_both, False),
    "move": (_move, False),
    "move, then search": (_move, True),
    "question (unsure)": (_asked("unsure"), True),
    "question (explore)": (_asked("explore"), True),
    "question (npu)": (_asked("npu"), True),
    "label, least sure": (_labelled(lambda project, seed: _unsure(project)), True),
    "label, at random": (_labelled(_any), True),
    "label, at random of each group": (_labelled(lambda project, seed: project.to_label()), True),
    "label, surest of each group": (_labelled(_surest_in_turn), True),
}


def _worth(folder: Path, truth: Truth, verb: Verb, search: bool, seed: int) -> list[float]:
    """Accuracy after each number of actions; where none is left to do, as it was."""
    import comraf
    from comraf.metrics import one_to_one_accuracy

    scores = []
    with comraf.open_project(folder) as project:

        def score() -> float:
            of, known = project.session.groups.of, truth >= 0
            return one_to_one_accuracy(truth[known], of[known])

        scores.append(score())
        work, done = verb(project, truth, seed), 0
        for wanted in ACTIONS:
            while done < wanted and next(work, 0) is None:
                done += 1
            if search:
                at = project.session.version
                project.regroup(len(project.session.groups))
                scores.append(score())
                project.session.go(at)  # the next actions go on from the same groups
            else:
                scores.append(score())
    return scores


def _measure(given: argparse.Namespace) -> None:
    heads = ["verb", *(name for name in given.datasets), "mean"]
    print_table(heads, _lines(given))


def _lines(given: argparse.Namespace) -> Iterator[Sequence[str]]:
    verbs = {name: one for name, one in VERBS.items() if name.startswith(given.verbs)}
    found: dict[str, list[npt.NDArray[np.float64]]] = {name: [] for name in verbs}
    with tempfile.TemporaryDirectory() as place:
        for name in given.datasets:
            collection = load(name, given_folder(given.data), given.cache)
            scores: dict[str, list[list[float]]] = {verb: [] for verb in verbs}
            for seed in given.seeds:
                folder = Path(place, f"{name}-{seed}".replace(":", "-"))
                truth = written(collection, folder, seed)
                for verb, (work, search) in verbs.items():
                    copy = shutil.copytree(folder, Path(place, "copy"))
                    scores[verb].append(_worth(copy, truth, work, search, seed))
                    shutil.rmtree(copy)
                    print(name, seed, verb, np.round(scores[verb][-1], 3), file=sys.stderr)
            for verb in verbs:
                found[verb].append(np.array(scores[verb]))
    start = [each[:, 0].mean() for each in found[next(iter(verbs))]]
    yield ["nothing", *(f"{one:.3f}" for one in start), f"{np.mean(start):.3f}"]
    for verb, every in found.items():
        gains = [100 * (each[:, 1:] - each[:, :1]) for each in every]  # seeds x actions
        means = np.mean(gains, axis=0)
        spread = means.std(axis=0, ddof=1) if len(means) > 1 else np.zeros(len(ACTIONS))
        told = zip(means.mean(axis=0), spread, strict=True)
        cells = (" ".join(f"{gain:+.1f}" for gain in each.mean(axis=0)) for each in gains)
        yield [verb, *cells, ", ".join(f"{gain:+.1f} ± {one:.1f}" for gain, one in told)]


if __name__ == "__main__":
    sys.exit(main())
