"""What a search is about, in a few numbers: whether two searches are the same one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import scipy

from comraf._version import __version__
from comraf.errors import Message, Setting
from comraf.inference.options import MDCOptions
from comraf.inference.problem import Problem
from comraf.objectives import MutualInformation

__all__ = ["difference", "fingerprint"]


def fingerprint(
    problem: Problem, options: MDCOptions, seed: np.random.SeedSequence
) -> dict[str, Any]:
    """Everything that the labels depend on, as JSON can hold it; tables by their checksums.

    The number of threads is not among it: labels don't depend on that. The versions are,
    because another comraf may search otherwise, and another NumPy or SciPy may draw other
    numbers or round them otherwise.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> nodes = [Node("d", n_clusters=2), Node("w", direction="top-down")]
    >>> problem = Problem(Graph(nodes, [Edge("d", "w", [[5, 0, 1], [4, 1, 0], [0, 6, 5]])]))
    >>> about = fingerprint(problem, MDCOptions(), np.random.SeedSequence(0))
    >>> about["nodes"][0]["n_clusters"], about["seed"]
    (2, [0])
    """
    graph = problem.graph
    nodes = []
    for node in graph.nodes:
        observed = node.observed
        if observed is not None and not isinstance(observed, str):
            observed = _digest(np.asarray(observed, dtype=np.int64))
        nodes.append(
            {
                "name": node.name,
                "size": graph.sizes[node.name],
                "n_clusters": node.n_clusters,
                "direction": node.direction,
                "observed": observed,
            }
        )
    edges = []
    for edge in graph.edges:
        counts = edge.counts
        edges.append(
            {
                "a": edge.a,
                "b": edge.b,
                "shape": list(counts.shape),
                "entries": int(counts.nnz),
                "weight": float(edge.weight),
                "digest": _digest(
                    counts.indptr.astype(np.int64), counts.indices.astype(np.int64), counts.data
                ),
            }
        )
    about = {
        "made_by": {"comraf": __version__, "NumPy": np.__version__, "SciPy": scipy.__version__},
        "nodes": nodes,
        "edges": edges,
        "terms": _other_terms(problem),
        "options": _chosen(options),
        "seed": _numbers(seed.entropy),
        "spawn_key": [int(number) for number in seed.spawn_key],
    }
    plain: dict[str, Any] = json.loads(json.dumps(about))  # tuples as lists, as they come back
    return plain


def _chosen(options: MDCOptions) -> dict[str, Any]:
    """The options but for even sizes: checkpoints from before there were others don't name them."""
    made = asdict(options)
    if made["sizes"] == "even":
        del made["sizes"]
    return made


def _numbers(entropy: Any) -> list[int]:
    return [int(number) for number in np.atleast_1d(np.asarray(entropy, dtype=object))]


def _digest(*arrays: np.ndarray) -> str:
    found = hashlib.blake2b(digest_size=20)
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()


def _other_terms(problem: Problem) -> list[str]:
    """Checksums of the terms beyond the edges, by what they lower themselves to, and of seeds."""
    found = [f"seeds of {node}:{_digest(codes)}" for node, codes in sorted(problem.seeds.items())]
    start = problem.start(
        {i: (np.zeros(problem.sizes[i], dtype=np.int32), 1) for i in problem.hidden}
    )
    for term in problem.objective.terms:
        if type(term) is MutualInformation and term in problem.edges:
            continue
        blocks = [_digest(*term.lower(i, start)) for i in problem.hidden if term.touches(i)]
        found.append(":".join([type(term).__name__, *blocks]))
    return found


def difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> Message | None:
    """Where two searches differ first; None if they are the same.

    Examples
    --------
    >>> difference({"options": {"passes": 2.0}}, {"options": {"passes": 4.0}}).format()
    'passes=2.0 then, passes=4.0 now'
    """
    sides = [str(node["name"]) for node in now.get("nodes", ())]
    for part, tell in _PARTS.items():
        if before.get(part) != now.get(part):
            try:
                found = tell(before.get(part), now.get(part))
                found = replace(found, values={**(found.values or {}), "sides": sides})
                found.format()  # what a file says may be of another type
            except (KeyError, TypeError, ValueError, AttributeError, IndexError):
                return Message(f"what it says about its {part} is no writing of comraf's")
            return found
    return None


def _made_by(before: Any, now: Any) -> Message:
    then = before if isinstance(before, dict) else {}
    told = [
        f"{what} was {then.get(what)} then and is {now[what]} now"
        for what in now
        if then.get(what) != now[what]
    ]
    return Message("{told}", {"told": "; ".join(told) or "it was made by another program"})


def _nodes(before: Any, now: Any) -> Message:
    then = {node["name"]: node for node in before}
    names = [node["name"] for node in now]
    if list(then) != names:
        text = "its sides were {then:,} then and are {now:,} now"
        return Message(text, {"then": list(then), "now": names}, "other_sides")
    for node in now:
        name, older = node["name"], then[node["name"]]
        if older["size"] != node["size"]:
            text = "{name!r} had {then:,} values then and has {now:,} now"
            values = {"name": name, "then": older["size"], "now": node["size"]}
            return Message(text, values, "other_size")
        if older["n_clusters"] != node["n_clusters"]:
            numbers = (Setting("n_clusters", one["n_clusters"]) for one in (older, node))
            text = "{then} then, {now} now, of {name!r}"
            return Message(text, dict(zip(("then", "now"), numbers, strict=True), name=name))
        if older != node:
            return Message(
                "{name!r} has another direction, or other observed values", {"name": name}
            )
    return Message("its sides are others")


def _edges(before: Any, now: Any) -> Message:
    for older, edge in zip(before, now, strict=False):
        if (older["a"], older["b"]) != (edge["a"], edge["b"]):
            break
        if older["digest"] != edge["digest"] or older["shape"] != edge["shape"]:
            text = "the table of {a} and {name} is another one, or weighted otherwise"
            return Message(text, {"a": edge["a"], "name": edge["b"]}, "other_table")
        if older["weight"] != edge["weight"]:
            text = "the weight of the table of {a} and {name} was {then:g} then and is {now:g} now"
            weights = {"then": older["weight"], "now": edge["weight"]}
            return Message(text, {"a": edge["a"], "name": edge["b"], **weights}, "other_weight")
    return Message("its tables join other sides")


def _options(before: Any, now: Any) -> Message:
    names = [name for name in now if before.get(name) != now[name]] or sorted(before)
    name = names[0]
    values = {"then": Setting(name, before.get(name)), "now": Setting(name, now.get(name))}
    return Message("{then} then, {now} now", {**values, "name": name}, "other_option")


def _say(reason: str, code: str) -> Callable[[Any, Any], Message]:
    return lambda before, now: Message(reason, code=code)


_PARTS: dict[str, Callable[[Any, Any], Message]] = {
    "made_by": _made_by,
    "nodes": _nodes,
    "edges": _edges,
    "terms": _say("what is preferred about its values is another thing", "other_terms"),
    "options": _options,
    "seed": _say("its seed was another one", "other_seed"),
    "spawn_key": _say("its seed was another one", "other_seed"),
}
