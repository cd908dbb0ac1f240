"""What more sides are worth: graphs of two, three and four sides, and the peers on the words.

::

    python -m benchmarks.sides --data DIR                       # three Enron mailboxes, ten runs
    python -m benchmarks.sides --data DIR --collections 20ng --runs 3

Collections are read by comraf's own readers, folders being the truth. Every number is the
mean micro accuracy over runs with different seeds, ± its standard error.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import scipy.sparse as sp

from benchmarks.harness import data_folder, markdown, parser_of, percent, run, say, stored
from benchmarks.methods import METHODS
from benchmarks.store import Record, ResultStore
from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.collection.options import SideOptions
from comraf.errors import InputError
from comraf.estimators.cliquewise_mdc import CliquewiseMDC
from comraf.estimators.organizer import Organizer
from comraf.metrics import macro_accuracy, micro_accuracy, nmi

__all__ = ["CLIQUEWISE", "COLLECTIONS", "GRAPHS", "PEERS", "main"]

#: Name -> (archive below the data folder, folder in it, kind of reader).
COLLECTIONS: dict[str, tuple[str, str, str]] = {
    "beck-s": ("enron/beck-s.tar.gz", "beck-s", "mail"),
    "farmer-d": ("enron/farmer-d.tar.gz", "farmer-d", "mail"),
    "kitchen-l": ("enron/kitchen-l.PARTIAL.tar.gz", "kitchen-l", "mail"),
    "20ng": ("newsgroups/20_newsgroups.tar.gz", ".", "news"),
}

#: Row of the table -> (sides, shape of the graph).
GRAPHS: dict[str, tuple[tuple[str, ...], str]] = {
    "words": (("words",), "tree"),
    "people": (("people",), "tree"),
    "words + people": (("words", "people"), "tree"),
    "words + subjects": (("words", "subjects"), "tree"),
    "words + people + subjects (the default)": (("words", "people", "subjects"), "tree"),
    "words + people + subjects, loopy": (("words", "people", "subjects"), "loopy"),
    "words + people + subjects + organisations": (
        ("words", "people", "subjects", "organisations"),
        "tree",
    ),
}
#: The same for clique-wise MDC, with the columns' interactions: a tree, or all of them.
CLIQUEWISE: dict[str, tuple[tuple[str, ...], str]] = {
    f"{' + '.join(sides)}, clique-wise{name}": (sides, interactions)
    for sides in (("words",), ("words", "people"), ("words", "people", "subjects"))
    for name, interactions in (("", "rows"), (" on the full graph", "all"))
    if len(sides) > 1 or interactions == "rows"
}
PEERS = ("sib-n10", "kmeans-lsa", "nmf")
_EQUAL = "words + people + subjects, equal weights"


def read(name: str, data: Path) -> Any:
    """A collection with its folders as truth."""
    archive, folder, kind = COLLECTIONS[name]
    path = data / archive
    if not path.is_file():
        raise InputError(f"{path} is not there; see --data")
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(path) as packed:
            packed.extractall(place, filter="data")
        root = Path(place, folder)
        if kind == "news":  # cross-posts are kept: the papers count them
            root = next(p for p in (root, *root.iterdir()) if (p / "sci.space").is_dir())
        options = SideOptions(duplicates="keep")
        reader = open_reader(root, kind=kind, truth="folders")
        return build_collection(reader, options=options, n_jobs=2)


def rows(
    collection: Any, weighting: str, effort: str, peers: Sequence[str]
) -> dict[str, Callable[[int], Any]]:
    """Row of the table -> labels for a seed."""
    tables: Mapping[str, sp.csr_array] = collection.tables
    k = len(set(collection.truth))
    out: dict[str, Callable[[int], Any]] = {}

    def ours(sides: tuple[str, ...], shape: str, rule: str = "root_mass") -> Callable[[int], Any]:
        chosen = SimpleNamespace(tables={side: tables[side] for side in sides})

        def fit(seed: int) -> Any:
            model = Organizer(
                k,
                by=sides,
                graph=shape,
                weighting=weighting,
                edge_weights=rule,
                effort=effort,
                random_state=seed,
            )
            return model.fit(chosen).result_.labels

        return fit

    def cliquewise(sides: tuple[str, ...], interactions: str) -> Callable[[int], Any]:
        chosen = {side: tables[side] for side in sides}

        def fit(seed: int) -> Any:
            model = CliquewiseMDC(
                k, interactions=interactions, weighting=weighting, random_state=seed
            )
            labels = model.fit(chosen).modality_labels_
            return {"documents": labels["rows"], **labels}

        return fit

    for row, (sides, shape) in GRAPHS.items():
        if all(side in tables for side in sides):
            out[row] = ours(sides, shape)
    for row, (sides, interactions) in CLIQUEWISE.items():
        if all(side in tables for side in sides):
            out[row] = cliquewise(sides, interactions)
    out[_EQUAL] = ours(("words", "people", "subjects"), "tree", "equal")
    words = sp.csr_matrix(tables["words"])
    for name in peers:
        method = METHODS[name]
        if method.installed() is not None:
            out[f"{method.title}, words"] = lambda seed, fit=method.fit: {
                "documents": fit(words, k, seed, "raw")
            }
    return out


def people_scores(collection: Any, labels: Any) -> dict[str, float]:
    """Clusters of people against the hosts of their addresses, the only truth there is.

    The share of the largest host is what one cluster for all would score.
    """
    if labels is None:
        return {}
    people = {person.name: person.host for person in collection.sides["people"].people}
    hosts = [people.get(value) or None for value in collection.sides["people"].values]
    known = [host for host in hosts if host]
    if not known:
        return {}
    return {
        "people": len(known),
        "people_micro": micro_accuracy(hosts, labels),
        "people_nmi": nmi(hosts, labels),
        "people_largest": max(known.count(host) for host in set(known)) / len(known),
    }


def measure(options: argparse.Namespace, store: ResultStore) -> None:
    """Fill the store with what is missing in it."""
    known = {
        (r["collection"], r["row"], r["weighting"], r.get("effort"), r["seed"])
        for r in store.records()
    }
    for name in options.collections:
        collection = read(name, data_folder(options.data))
        todo = rows(collection, options.weighting, options.effort, options.peers)
        todo = {row: fit for row, fit in todo.items() if not options.rows or row in options.rows}
        for seed in range(options.runs):  # rows side by side within a seed
            for row, fit in todo.items():
                if (name, row, options.weighting, options.effort, seed) in known:
                    continue
                found = fit(seed)
                labels = found["documents"]
                truth = list(collection.truth)
                record: Record = {
                    "collection": name,
                    "documents": len(collection),
                    "classes": len(set(truth)),
                    "row": row,
                    "weighting": options.weighting,
                    "effort": options.effort,
                    "seed": seed,
                    "micro": micro_accuracy(truth, labels),
                    "macro": macro_accuracy(truth, labels),
                    "nmi": nmi(truth, labels),
                    **people_scores(collection, found.get("people")),
                }
                store.append(record)
                say(f"{name} {row} seed {seed}: {record['micro']:.3f}")


def table(records: Sequence[Record], collections: Sequence[str], made: tuple[str, str]) -> str:
    """Markdown of the means and standard errors of what one weighting and effort made."""
    mine = [r for r in records if (r["weighting"], r.get("effort")) == made]
    order = list(dict.fromkeys(r["row"] for r in mine))
    heads = []
    for name in collections:
        facts = next((r for r in mine if r["collection"] == name), None)
        heads.append(f"{name} ({facts['documents']:,} in {facts['classes']})" if facts else name)
    lines = [
        [
            row,
            *(
                percent([r["micro"] for r in mine if (r["collection"], r["row"]) == (name, row)])
                for name in collections
            ),
        ]
        for row in order
    ]
    return markdown(["sides", *heads], lines)


def people_table(
    records: Sequence[Record], collections: Sequence[str], made: tuple[str, str]
) -> str:
    """Markdown of how clusters of people agree with hosts, for the graphs that have them."""
    mine = [r for r in records if (r["weighting"], r.get("effort")) == made and "people_micro" in r]
    if not mine:
        return ""
    lines = []
    for row in dict.fromkeys(r["row"] for r in mine):
        cells = []
        for name in collections:
            group = [r for r in mine if r["collection"] == name and r["row"] == row]
            score, agreement = ([r[f] for r in group] for f in ("people_micro", "people_nmi"))
            cells.append(
                f"{percent(score)}, NMI {percent(agreement)} (largest host "
                f"{100 * group[0]['people_largest']:.1f})"
                if group
                else "–"
            )
        lines.append([row, *cells])
    return markdown(["people clustered with", *collections], lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        *("sides", __doc__, "data", "table_only"),
        runs=10,
        weighting="root_rows",
        effort="default",
        out="sides",
    )
    add = parser.add_argument
    add(
        "--collections",
        nargs="+",
        choices=list(COLLECTIONS),
        metavar="NAME",
        default=["beck-s", "farmer-d", "kitchen-l"],
        help=", ".join(COLLECTIONS),
    )
    add("--rows", nargs="+", metavar="ROW", help="only these rows of the table")
    add(
        "--peers",
        nargs="*",
        default=list(PEERS),
        choices=list(METHODS),
        metavar="NAME",
        help="peers on the words alone",
    )

    def work(options: argparse.Namespace) -> int:
        about = options.collections, (options.weighting, options.effort)

        def show(records: list[Record]) -> str:
            return f"{table(records, *about)}\n\n{people_table(records, *about)}"

        return stored(options, lambda store: measure(options, store), show)

    return run(parser, arguments, work)


if __name__ == "__main__":
    sys.exit(main())
