"""``evaluate``: how well groups agree with known classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from comraf.errors import ComrafWarning, InputError, Message, NoticeWarning, ReadError, Setting
from comraf.workflows.answer import DOCUMENTS, Answer
from comraf.workflows.options import Option, takes

if TYPE_CHECKING:
    from comraf.metrics import ExplainedScore

__all__ = ["ONE_CLASS", "EvaluateOptions", "Evaluation", "column_of", "evaluate"]

_HOW = Message(
    "known classes come from {file} (a CSV file with the columns item and truth), or from the "
    "start: comraf.organize with {folders} (mail), {column} (tables)",
    {
        "file": Setting("truth", "FILE"),
        "folders": Setting("truth", "folders"),
        "column": Setting("truth", "COLUMN"),
    },
    "known_classes",
)
ONE_CLASS = "there is only one known class, so nothing to score against"
# Below these, scores are mostly chance.
_FEW_ITEMS = 20
_FEW_SHARE = 0.05


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions:
    """Options of `evaluate`.

    Parameters
    ----------
    truth : path-like
        File of known classes: an item and its class a line. It may have a part of the items only.
    labelled : bool
        Also score the items whose label the search was given.
    """

    truth: Annotated[Path | None, Option(metavar="FILE")] = None
    labelled: bool = False


@dataclass(frozen=True)
class Evaluation:
    """Scores, and how many items of each class each group holds.

    Attributes
    ----------
    counts : dict
        Items, classes and groups.
    explained : sequence of scores
        Each with its name, value and meaning.
    macro_accuracy, pairs, well_balanced
        Further scores.
    cells : dict of dict
        Items by class and group; classes with the most items first.
    groups : list of str
        In order.
    """

    counts: dict[str, int]
    explained: Sequence[ExplainedScore]
    macro_accuracy: float
    pairs: Any
    well_balanced: bool
    cells: dict[str, dict[str, int]]
    groups: list[str]

    def __repr__(self) -> str:
        of = ", ".join(f"{self.counts[name]:,} {name}" for name in ("items", "classes", "clusters"))
        scores = ", ".join(f"{score.name} {score.value:.3f}" for score in self.explained)
        return f"Evaluation({of}; {scores})"

    @property
    def heading(self) -> list[str]:
        """Names of the columns of `rows`."""
        return ["class", *(f"group {group}" for group in self.groups)]

    def rows(self) -> Iterator[list[object]]:
        """A line for each class: its items in each group."""
        for name, held in self.cells.items():
            yield [name, *(held.get(group, 0) for group in self.groups)]

    def scores(self) -> dict[str, Any]:
        """All of it as plain data."""
        values = {
            score.name.lower().replace("-", "_").replace(" ", "_"): score
            for score in self.explained
        }
        return {
            **self.counts,
            **{name: score.value for name, score in values.items()},
            # the same as purity, under its older name
            "micro_accuracy": values["purity"].value,
            "macro_accuracy": self.macro_accuracy,
            "pairwise_precision": self.pairs.precision,
            "pairwise_recall": self.pairs.recall,
            "pairwise_f": self.pairs.f,
            "well_balanced": self.well_balanced,
            "meanings": {name: score.meaning for name, score in values.items()},
            "classes_by_clusters": self.cells,
        }


@takes(EvaluateOptions)
def evaluate(clusters: str | Path | Answer, *, options: EvaluateOptions) -> Evaluation:
    """Score groups against known classes.

    Parameters
    ----------
    clusters : path-like or Answer
        What `organize` gave, a folder that ``comraf organize`` wrote, or a CSV file with the
        columns item and cluster.
    options
        As for ``comraf evaluate``; see `EvaluateOptions`.
    """
    from comraf import metrics
    from comraf.results.files import safe_cell

    truth = options.truth
    if isinstance(clusters, Answer):
        path, ids = clusters.path, clusters.items
        found = dict(zip(ids, map(str, clusters.labels_.tolist()), strict=True))
        own = clusters.collection.truth or [None] * len(ids)
        known = {item: name or "" for item, name in zip(ids, own, strict=True)}
        labels_of = clusters.facts.labels.get(DOCUMENTS, {})
        given = {ids[row]: name for row, name in labels_of.items()}
    else:
        path = _table(Path(clusters))
        found = column_of(path, "cluster")
        known = column_of(path, "truth") if truth is None else {}
        given = column_of(path, "label", needed=False)
    if truth is not None:
        known = _classes(Path(truth))
        # files of an answer write some items in another way
        known = {item if item in found else safe_cell(item): known[item] for item in known}
        missing = [item for item in known if item not in found]
        if len(missing) == len(known):
            raise InputError(
                f"no item of {truth} is among those of {path}: its first item is "
                f"{_cut(missing[0])}, where {path.name} has such as {_cut(next(iter(found)))}"
            )
    items = [item for item in found if known.get(item)]
    if not items:
        text = "{path}: no item has a known class; {how}"
        raise InputError(text, path=truth or path, how=_HOW)
    n_given = sum(1 for item in items if given.get(item))
    if n_given and not options.labelled:
        items = [item for item in items if not given.get(item)]
        if not items:
            raise InputError(
                "{path}: all {n:,} items with a known class were given to the search with their "
                "label; name classes of others with {p[truth]}, or add {counted}",
                path=truth or path,
                n=n_given,
                counted=Setting("labelled", True),
            )
        are, them = ("item", "is"), "it"
        if n_given > 1:
            are, them = ("items", "are"), "them"
        warnings.warn(
            NoticeWarning(
                "{n:,} {items} whose label the search was given {are} left out; {counted} counts "
                "{them} too",
                n=n_given,
                items=are[0],
                are=are[1],
                them=them,
                counted=Setting("labelled", True),
            ),
            stacklevel=3,
        )
    if len(items) < _FEW_ITEMS or len(items) < _FEW_SHARE * len(found):
        warnings.warn(
            f"only {len(items):,} of {len(found):,} item{'' if len(found) == 1 else 's'} "
            f"{'has' if len(items) == 1 else 'have'} a known class: scores of so few say little "
            "about the rest",
            ComrafWarning,
            stacklevel=3,
        )
    if len({known[item] for item in items}) == 1:
        warnings.warn(f"{ONE_CLASS}: any groups would score the same", ComrafWarning, stacklevel=3)
    classes = [known[item] for item in items]
    labels = [found[item] for item in items]
    table = metrics.contingency(classes, labels)
    # by number, as everywhere else; classes with the most items first
    groups = sorted(table.clusters, key=lambda g: (not f"{g}".isdecimal(), len(f"{g}"), f"{g}"))
    sizes = dict(zip(table.categories, table.category_sizes.tolist(), strict=True))
    cells: dict[str, dict[str, int]] = {
        f"{name}": {} for name in sorted(sizes, key=lambda name: (-sizes[name], f"{name}"))
    }
    for row, column, n in zip(table.rows, table.columns, table.counts.tolist(), strict=True):
        cells[f"{table.categories[column]}"][f"{table.clusters[row]}"] = n
    counts = {
        "items": len(items),
        "items_without_class": sum(1 for item in found if not known.get(item)),
        **({"items_labelled": n_given} if n_given else {}),
        "classes": len(cells),
        "clusters": len(groups),
    }
    return Evaluation(
        counts,
        metrics.explained_scores(classes, labels),
        metrics.macro_accuracy(classes, labels),
        metrics.pairwise_precision_recall_f(classes, labels),
        metrics.well_balanced(classes, labels),
        cells,
        [f"{group}" for group in groups],
    )


def _table(clusters: Path) -> Path:
    """The file of groups that is meant."""
    from comraf.results.files import recover

    recover(clusters)
    if not clusters.is_dir():
        return clusters
    path = clusters / "clusters.csv"
    if not path.is_file():
        raise ReadError(
            f"{clusters} holds no clusters.csv; name a folder that comraf organize wrote, or a CSV "
            "file with the columns item and cluster"
        )
    return path


def _cut(text: str) -> str:
    """A name in quotes, not too long."""
    told = repr(text)
    return told if len(told) <= 60 else f"{told[:59]}…"


def _classes(path: Path) -> dict[str, str]:
    """Item -> class: the columns item and truth of a CSV file, or a file of labels."""
    import csv

    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            heading = next(csv.reader(stream), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        heading = []  # the reader of labels says what is wrong
    from comraf.supervision.files import LABEL_NAMES, read_label_file

    named = LABEL_NAMES & {cell.casefold() for cell in heading}
    if "truth" in heading or ("item" in heading and not named):
        return column_of(path, "truth")

    return {item: label or "" for item, label in read_label_file(path)}


def column_of(path: Path, column: str, *, needed: bool = True) -> dict[str, str]:
    """Item -> entry of a column of a CSV file; nothing if it is not there and not needed."""
    import csv

    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            names = reader.fieldnames or []
            if not needed and column not in names:
                return {}
            # the files of other sides (people.csv) have their values in the first column
            key = "item" if "item" in names or names[:1] == [column] else next(iter(names), "item")
            for name in (key, column):
                if name not in names:
                    there = ", ".join(names) or "none"
                    text = "{path} has no column {name!r}; it has {there}"
                    advice = "{how}" if name == "truth" else ""
                    raise InputError(
                        text, advice=advice, path=path, name=name, there=there, how=_HOW
                    )
            out: dict[str, str] = {}
            for row in reader:
                if row[key] in out:
                    raise InputError(
                        f"{path}: {key} {row[key]!r} is there twice (line {reader.line_num})"
                    )
                out[row[key] or ""] = row[column] or ""
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason: object = getattr(error, "strerror", None) or error
        if str(path) == "folders" and isinstance(error, FileNotFoundError):
            reason = Message(
                "there is no such file. Classes by folders are an option of organize ({folders}); "
                "evaluate finds them in its answer by itself",
                {"folders": Setting("truth", "folders")},
            )
        raise ReadError("can't read {path}: {reason}", path=path, reason=reason) from None
    return out
