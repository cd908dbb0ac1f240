"""What is known of some items, in files or as data: labels, must-links and cannot-links."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from comraf.errors import ConflictError, InputError, Parameter, ReadError, Setting
from comraf.workflows.options import Option

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from comraf.graph import Graph
    from comraf.results import Result
    from comraf.results.scorer import Placed
    from comraf.supervision.naming import Located

__all__ = [
    "Facts",
    "Known",
    "Labels",
    "Links",
    "Members",
    "check_link_weight",
    "doubtful_labels",
    "sentences",
]

_FILES = Option(metavar="[SIDE=]FILE")


@dataclass(frozen=True, kw_only=True)
class Links:
    """Items that are known to belong together or apart.

    Parameters
    ----------
    must_link : sequence of str, or array-like
        Items that belong together: two ids a line and, if it may be broken, the weight of the
        link. Example: --must-link together.csv
    cannot_link : sequence of str, or array-like
        Items that don't belong together, in the same form. Example: --cannot-link apart.csv
    link_weight : float
        Weight of the links that have none in their file: what it costs to break one, in nats of an
        average item. Default: inf, they hold. Example: --link-weight 2
    """

    must_link: Annotated[list[str] | None, _FILES] = None
    cannot_link: Annotated[list[str] | None, _FILES] = None
    link_weight: Annotated[float | None, Option(metavar="X")] = None


@dataclass(frozen=True, kw_only=True)
class Labels:
    """Classes that are known of some items.

    Parameters
    ----------
    labels : sequence of str, mapping or array-like
        Classes that are known of some items: a line for each, its id and its class, separated by a
        comma, a tab or blanks. words=FILE has classes of words. Clusters take the name of the class
        that prevails in them. Example: --labels known.csv
    labels_as : {"intrinsic", "constrained", "seeds"}
        What labels are taken for. intrinsic: known by what they say about words and other sides,
        and may be overruled; constrained: items of a class stay together, classes stay apart;
        seeds: where the search starts. Default: intrinsic.
    label_weight : float
        Factor of the weight that intrinsic labels have. Default: 1. Example: --label-weight 0.5
        where many may be wrong.
    """

    labels: Annotated[list[str] | None, _FILES] = None
    labels_as: Literal["intrinsic", "constrained", "seeds"] | None = None
    label_weight: Annotated[float | None, Option(metavar="X")] = None


# Groups that a sentence names, at most.
_NAMED = 12
_SHOWN = 5
_FIELDS = ("labels", "must_link", "cannot_link", "labels_as", "label_weight", "link_weight")
_KNOWN = ("labels", "must_link", "cannot_link")


@dataclass(frozen=True)
class Members:
    """A side that may be spoken of: how many values, what they are called, how many clusters."""

    n: int
    names: Sequence[str] | None = None
    k: int | None = None

    def key(self, name: Located) -> Located | int:
        """What a name in a file means: a name where there are any, else a row number."""
        if self.names is None and name.isdecimal() and len(name) <= len(str(self.n)):
            row = int(name)
            return row if row < self.n and str(row) == name else name
        if name in self._written:
            from comraf.supervision.naming import Located

            return Located.at(self._written[name], name.line)
        return name

    def fact(self, kind: str, given: Any, **how: Any) -> Any:
        """Labels, or links with their weights, by row numbers."""
        import numpy as np

        from comraf.supervision import check_classes, read_labels, read_links

        if kind != "labels":
            links = read_links(given, self.n, self.names, **how)
            return np.column_stack([links.pairs, links.weights])
        labels = read_labels(given, self.n, self.names, **how)
        if self.k is not None:
            check_classes(labels, self.k, **how)
        rows = np.flatnonzero(labels.codes >= 0).tolist()
        return {row: str(labels.classes[labels.codes[row]]) for row in rows}

    @cached_property
    def _written(self) -> dict[str, str]:
        """Names by how the CSV files of an answer write them, where that is another way."""
        from comraf.results.files import safe_cell

        names = set(self.names or ())
        return {cell: name for name in names if (cell := safe_cell(name)) not in names}


@dataclass(frozen=True)
class _File:
    """One file of labels or links, as it was read."""

    what: str
    side: str | None
    path: Path
    entries: Sequence[tuple[Any, ...]]

    def about(self, members: Members) -> Any:
        """Its entries as data: values by their names, or by number where they have none."""
        if self.what == "labels":
            return {members.key(item): label for item, label in self.entries}
        return [(members.key(one), members.key(other), w) for one, other, w in self.entries]


@dataclass(frozen=True, eq=False)
class Facts:
    """What is known, by side and in row numbers, as estimators take it."""

    labels: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    must_link: Mapping[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    cannot_link: Mapping[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    main: str = ""

    def given(self) -> dict[str, Any]:
        """Parameters of ``fit``."""
        parts = {what: getattr(self, what) for what in _KNOWN}
        return {what: dict(part) or None for what, part in parts.items()}

    @property
    def sides(self) -> set[str]:
        """Sides that something is known about."""
        return {side for what in _KNOWN for side in getattr(self, what)}

    def __bool__(self) -> bool:
        return bool(self.labels or self.must_link or self.cannot_link)


@dataclass(frozen=True, eq=False)
class Known:
    """What is known, as it was read and not yet held against the sides of a collection.

    Examples
    --------
    >>> bool(Known.read(Labels()))
    False
    """

    files: tuple[_File, ...] = ()
    labels_as: str = "intrinsic"
    label_weight: float = 1.0
    data: Mapping[str, Any] = field(default_factory=dict)
    link_weight: float = math.inf

    @classmethod
    def read(cls, options: Labels | Links) -> Known:
        """Check the options and read their files, before any other work."""
        given = {name: getattr(options, name, None) for name in _FIELDS}
        given = {name: None if _is_empty(value) else value for name, value in given.items()}
        _check(**given)
        link_weight = math.inf if given["link_weight"] is None else given["link_weight"]
        files: list[_File] = []
        data = {}
        for what in _KNOWN:
            named = given[what]
            if named is None:
                continue
            if not _names_files(named):
                data[what] = named
                continue
            paths = [named] if isinstance(named, (str, os.PathLike)) else named
            files += [_read_file(what, os.fspath(text), link_weight) for text in paths]
        return cls(
            tuple(files),
            given["labels_as"] or "intrinsic",
            1.0 if given["label_weight"] is None else given["label_weight"],
            data,
            link_weight,
        )

    def __bool__(self) -> bool:
        return bool(self.files or self.data)

    def parameters(self) -> dict[str, Any]:
        """What the estimators are to be told beside the facts."""
        return {"labels_as": self.labels_as, "label_weight": self.label_weight}

    def about(self, sides: Mapping[str, Members], main: str) -> Facts:
        """The facts about sides; what names no side is about ``main``.

        Raises
        ------
        InputError
            Sides or items that are not there, two labels, more classes than clusters.
        """
        from comraf.supervision import by_side

        found: dict[str, dict[str, Any]] = {what: {} for what in _KNOWN}
        for file in self.files:
            side = main if file.side is None else file.side
            if side not in sides:
                raise InputError(
                    "{given}: {side!r} is not clustered here; sides that are: {sides:,}",
                    file.what,
                    f"{side}={file.path}",
                    side=side,
                    sides=list(sides),
                )
            if side in found[file.what]:
                text = "{name} is given twice for {side}; put what is known into one file"
                raise InputError(text, file.what, name=Parameter(file.what), side=side)
            given = file.about(sides[side])
            found[file.what][side] = sides[side].fact(file.what, given, what=str(file.path))
        for what, given in self.data.items():
            how = {} if what == "labels" else {"weight": self.link_weight, "what": what}
            for side, part in by_side(given, list(sides), main, what).items():
                found[what][side] = sides[side].fact(what, part, **how)
        return Facts(**found, main=main)

    def about_graph(self, graph: Graph) -> Facts:
        """The facts about the hidden nodes of a graph, the first of which is the main one."""
        if not self:
            return Facts()
        hidden = [node for node in graph.nodes if node.hidden]
        sides = {
            node.name: Members(graph.sizes[node.name], node.values, node.n_clusters)
            for node in hidden
        }
        return self.about(sides, hidden[0].name if hidden else "")

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Name the files in messages about what they say together."""
        try:
            yield
        except ConflictError as error:
            files = dict.fromkeys(str(file.path) for file in self.files)
            raise error.about("{files:,}: {error}", files=list(files)) from None

    def kept_to(self, facts: Facts, result: Result) -> dict[str, Any]:
        """What was known and how far the answer keeps to it, for ``result.json``."""
        out: dict[str, Any] = {}
        told = [
            (file.what, file.side or facts.main, {"file": str(file.path)}) for file in self.files
        ]
        told += [(what, side, {}) for what in self.data for side in getattr(facts, what)]
        for what, side, source in told:
            labels = result.labels[side]
            entry: dict[str, Any] = {"side": side, **source}
            if what == "labels":
                classes = facts.labels[side]
                names = result.names.get(side, ())
                entry |= {
                    "items": len(classes),
                    "classes": sorted(set(classes.values())),
                    "with_their_class": sum(
                        names[labels[row]] == name for row, name in classes.items()
                    ),
                    "groups": _by_group(classes, labels, names),
                    "as": self.labels_as,
                    "weight": self.label_weight,
                }
            else:
                pairs = getattr(facts, what)[side][:, :2].astype(int)
                together = labels[pairs[:, 0]] == labels[pairs[:, 1]]
                kept = together if what == "must_link" else ~together
                entry |= {"pairs": len(pairs), "kept": int(kept.sum())}
            out.setdefault(what, []).append(entry)
        return out


def doubtful_labels(
    classes: Mapping[int, str], placed: Placed, names: Sequence[str], ids: Sequence[str]
) -> list[dict[str, Any]]:
    """Labelled items that are with their class although their values speak for another group.

    Those with the most against their label come first.
    """
    found = [
        row
        for row, name in classes.items()
        if placed.margin[row] < 0 and names[placed.labels[row]] == name
    ]
    return [
        {"item": ids[row], "class": classes[row], "rather": int(placed.runner_up[row])}
        for row in sorted(found, key=lambda row: (placed.margin[row], row))
    ]


def _by_group(
    classes: Mapping[int, str], labels: Any, names: Sequence[str]
) -> list[dict[str, Any]]:
    """Groups with labelled items: their class, if that is their name, and how many have it."""
    inside: dict[int, Counter[str]] = {}
    for row, name in classes.items():
        inside.setdefault(int(labels[row]), Counter())[name] += 1
    return [
        {
            "cluster": cluster,
            "class": (names[cluster] if names else "") or None,
            "of_class": counts.most_common(1)[0][1],
            "labelled": counts.total(),
        }
        for cluster, counts in sorted(inside.items())
    ]


def sentences(
    known: Mapping[str, Any], noun: str = "document", *, classes: bool = True
) -> list[str]:
    """Sentences about what was known, from what `Known.kept_to` gives.

    ``noun`` is what a document is called; ``classes`` says whether classes may be named.

    Examples
    --------
    >>> sentences({"must_link": [{"side": "rows", "pairs": 3, "kept": 2}]})
    ['2 of 3 must-links between rows are kept.']
    """

    def named(side: str) -> str:
        return f"{noun}s" if side == "documents" else side

    said = [
        f"Labels of {entry['items']:,} {named(entry['side'])} in {len(entry['classes']):,} "
        f"class{'' if len(entry['classes']) == 1 else 'es'} ({entry['as']}); "
        f"{entry['with_their_class']:,} of them are where their class prevails."
        for entry in known.get("labels", ())
    ]
    for entry in known.get("labels", ()):
        groups = entry.get("groups", ())  # older answers have none
        called = [
            f"{group['class'] if classes else 'group ' + str(group['cluster'])} "
            f"({group['of_class']:,} of {group['labelled']:,} labelled)"
            for group in groups
            if group["class"]
        ]
        if called:
            more = f" and {len(called) - _NAMED:,} more" if len(called) > _NAMED else ""
            said.append(f"Groups named by labels: {', '.join(called[:_NAMED])}{more}.")
        if rest := len(groups) - len(called):
            said.append(
                f"{rest:,} group{'' if rest == 1 else 's'} with labelled {named(entry['side'])} "
                f"{'has' if rest == 1 else 'have'} too few of one class for a name."
            )
        if against := entry.get("against", ()):
            n = len(against)
            shown = [
                f"{one['item']} ({one['class']}; rather group {one['rather']})"
                for one in against[:_SHOWN]
            ]
            shown += [f"{n - _SHOWN:,} more"] if n > _SHOWN else []
            said.append(
                f"{n:,} label{' looks' if n == 1 else 's look'} doubtful: all else in the "
                f"{noun}{'' if n == 1 else 's'} speaks for another group"
                + (f": {', '.join(shown)}." if classes else ".")
            )
    for what, links in (("must_link", "must-link"), ("cannot_link", "cannot-link")):
        for entry in known.get(what, ()):
            n, kept = entry["pairs"], entry["kept"]
            many = f"{n:,} {links}{'' if n == 1 else 's'} between {named(entry['side'])}"
            if kept == n:
                said.append(f"{many} {'is' if n == 1 else 'are'} kept.")
            else:
                said.append(f"{kept:,} of {many} {'is' if kept == 1 else 'are'} kept.")
    if (moved := known.get("transfer")) is not None:
        said.append(
            f"{moved['known']:,} {moved['side']} ({moved['share']:.0%} of all there is) are known "
            f"from {moved['file']}."
        )
    return said


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (list, tuple)) and not value)


def _names_files(given: Any) -> bool:
    """Whether something names files, and is not itself what is known."""
    if isinstance(given, (str, os.PathLike)):
        return True
    return isinstance(given, (list, tuple)) and isinstance(given[0], (str, os.PathLike))


def _read_file(what: str, text: str, weight: float) -> _File:
    """A file of labels or links."""
    from comraf.supervision.files import read_label_file, read_link_file

    side, path = _split(what, text)
    entries: Sequence[tuple[Any, ...]]
    if what == "labels":
        entries = read_label_file(path)
        if not any(label is not None for _, label in entries):
            raise ReadError(f"{path}: has no labels; each line is an id and a label, as r17,sport")
    else:
        entries = read_link_file(path, weight=weight)
        if not entries:
            raise ReadError(
                f"{path}: has no links; each line is two ids and perhaps a weight, as r17,r23"
            )
    return _File(what, side, path, entries)


def _check(
    labels: Any,
    must_link: Any,
    cannot_link: Any,
    labels_as: str | None,
    label_weight: float | None,
    link_weight: float | None,
) -> None:
    """Refuse options that say nothing, and weights that can't be."""
    for name, value in (("labels_as", labels_as), ("label_weight", label_weight)):
        if value is not None and labels is None:
            said = "{name} is about the labels of a file; name it with {p[labels]}"
            raise InputError(said, name, value, name=Parameter(name))
    if link_weight is not None and must_link is None and cannot_link is None:
        raise InputError(
            "{p[link_weight]} is about the links of a file; name it with {p[must_link]} or "
            "{p[cannot_link]}",
            "link_weight",
            link_weight,
        )
    if label_weight is not None and labels_as not in (None, "intrinsic"):
        said = "{p[label_weight]} has no meaning for {given}; it is for intrinsic"
        raise InputError(said, "labels_as", labels_as)
    if label_weight is not None and not 0 < label_weight < math.inf:
        raise InputError(
            "{given} is not possible; give a number above 0. Labels that must hold are {held}",
            "label_weight",
            label_weight,
            held=Setting("labels_as", "constrained"),
        )
    check_link_weight(link_weight)


def check_link_weight(given: float | None) -> None:
    """Refuse a price that is none."""
    if given is not None and not given >= 0:
        said = "{given} is not possible; give 0 or more, or inf"
        raise InputError(said, "link_weight", given)


def _split(what: str, text: str) -> tuple[str | None, Path]:
    """The side and the file of ``words=FILE``; a file may have an equals sign in its name, too."""
    side, equals, rest = text.partition("=")
    if not equals or not side or os.sep in side or "/" in side or Path(text).exists():
        if not text:
            raise InputError("{name} names no file", what, text, name=Parameter(what))
        return None, Path(text)
    if not rest:
        said = "{given} names no file; write {example}"
        raise InputError(said, what, text, example=Setting(what, f"{side}=FILE"))
    return side, Path(rest).expanduser()
