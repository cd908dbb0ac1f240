"""Golden cases of the estimators: one for every way through their code."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import comraf
from comraf import active, kmeans, oneclass
from comraf.errors import ComrafError
from comraf.graph import FEATURE_TABLES
from comraf.supervision import WordKnowledge
from tests.golden import sets
from tests.golden.comparing import plain

#: Every case by its name, which begins with that of the estimator or function it is about.
CASES: dict[str, Callable[[], Any]] = {}

# What a fit leaves that is worth holding, in this order; numbers of rounds are not, because
# they hang on a last digit.
_HELD = (
    "labels_",
    "modality_labels_",
    "memberships_",
    "core_",
    "ranking_",
    "topical_words_",
    "n_words_",
    "classes_",
    "cluster_classes_",
    "dropped_",
    "link_weight_",
    "penalty_",
    "objective_",
    "scores_",
)


def public() -> set[str]:
    """Every public class that learns: by fit, or by asking."""
    found = set()
    for room in (comraf, comraf.estimators, kmeans, oneclass, active):
        for name in room.__all__:
            each = getattr(room, name)
            learns = hasattr(each, "fit") or (hasattr(each, "run") and hasattr(each, "query"))
            if inspect.isclass(each) and learns and not inspect.isabstract(each):
                found.add(name)
    return found


def run(name: str) -> Any:
    """What a case finds, as JSON has it; of what is refused the kind of error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(CASES[name]())
        except ComrafError as error:
            return {"refused": type(error).__name__}


def case(name: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Put a function among the cases."""

    def put(function: Callable[[], Any]) -> Callable[[], Any]:
        assert name not in CASES, name
        CASES[name] = function
        return function

    return put


def told(model: Any) -> dict[str, Any]:
    """What a fitted estimator says."""
    found = {}
    for name in _HELD:
        value = getattr(model, name, None)
        if value is None:
            continue
        if name == "modality_labels_":  # sides whose values were clustered
            sides = {node.name for node in model.graph_.nodes if node.hidden}
            value = {side: labels for side, labels in value.items() if side in sides}
        elif name == "cluster_classes_" and not any(value):
            continue
        elif name == "memberships_":
            value = [plain(row) for row in np.asarray(value, int)]
        elif name in ("core_", "topical_words_", "dropped_"):
            value = np.asarray(value).tolist()
        elif name == "scores_":
            value = np.asarray(value[:12], float)
        found[name.rstrip("_")] = value
    return found


def placed(found: Any) -> dict[str, Any]:
    """Where new items were put, and how surely."""
    parts = ("labels", "runner_up", "confidence", "known", "margin")
    return {name: getattr(found, name) for name in parts} | {"unseen": dict(found.unseen)}


def _fits(
    kind: Any, name: str, X: Callable[[], Any], known: dict[str, Any] | None = None, **options: Any
) -> None:
    """A case that fits an estimator and tells what it has found."""
    usual: dict[str, Any] = {"random_state": 0}
    if "n_init" in kind._get_param_names():
        usual["n_init"] = 1  # starts that end alike win by a last digit; see _best_of_ten

    def fit() -> Any:
        return told(kind(**usual | options).fit(X(), **(known or {})))

    case(f"{kind.__name__}, {name}")(fit)


def both() -> dict[str, Any]:
    """Words and people."""
    return {"words": sets.words(), "people": sets.people()}


def more() -> dict[str, Any]:
    """Words and people of new rows."""
    return {"words": sets.new_words(), "people": sets.new_people()}


LABELS = {"labels": sets.LABELS}
LINKS = {"must_link": sets.MUST, "cannot_link": sets.CANNOT}
SOFT = {"must_link": sets.SOFT_MUST, "cannot_link": sets.SOFT_CANNOT}
K = sets.K

# The tables' estimators -------------------------------------------------------------------------

_TABLES = (
    comraf.MDC,
    comraf.ITCC,
    comraf.SequentialIB,
    comraf.CliquewiseMDC,
    comraf.ComrafStar,
    comraf.InformationBottleneck,
    comraf.AgglomerativeIB,
)
for kind in _TABLES:
    _fits(kind, "one table", sets.words, n_clusters=K)
    if kind is not comraf.InformationBottleneck:
        _fits(kind, "two tables", both, n_clusters=K)
    if "effort" in kind._get_param_names():
        for effort in ("quick", "default", "thorough", "paper"):
            _fits(kind, f"effort {effort}", sets.words, n_clusters=K, effort=effort)
    X, how = sets.words, {"n_clusters": K}
    if kind is comraf.ITCC:
        how["updates"] = "sequential"
    for scheme in ("intrinsic", "constrained", "seeds"):
        _fits(kind, f"labels as {scheme}", X, LABELS, **how, labels_as=scheme)
    _fits(kind, "links", X, LINKS, **how)
    _fits(kind, "links that may break", X, SOFT, **how)
    _fits(kind, "labels and links", X, LABELS | LINKS, **how)
    _fits(kind, "weights of rows", X, {"sample_weight": 1 + sets.TOPIC % 2}, **how)

for weighting in ("raw", "binary", "log", "equal_rows", "root_rows"):
    _fits(comraf.MDC, f"weighting {weighting}", sets.words, n_clusters=K, weighting=weighting)
for rule in ("root_mass", "equal", "mass", "information"):
    _fits(comraf.MDC, f"edge weights {rule}", both, n_clusters=K, edge_weights=rule)
_fits(comraf.ComrafStar, "edge weights equal", both, n_clusters=K, edge_weights="equal")
for schedule in ("thesis", "round_robin", "double", "weighted", "reverse", "bottom_up"):
    options = {"effort": "paper", "schedule": schedule}
    _fits(comraf.MDC, f"schedule {schedule}", both, n_clusters=K, **options)
for moves in ("sequential", "shuffled", "annealed"):
    _fits(comraf.MDC, f"moves {moves}", both, n_clusters=K, effort="quick", moves=moves)
_fits(comraf.MDC, "merge cost js", both, n_clusters=K, effort="paper", merge_cost="js")
_fits(comraf.MDC, "balance", both, n_clusters=K, effort="paper", balance=True)
_fits(comraf.MDC, "half a pass", both, n_clusters=K, effort="paper", passes=0.5)
_fits(comraf.MDC, "restarts", both, n_clusters=K, effort="paper", n_restarts=3)
_fits(comraf.MDC, "three runs", both, n_clusters=K, n_runs=3)
_fits(comraf.MDC, "clusters of columns", both, n_clusters=K, column_clusters={"words": 6})
_fits(comraf.MDC, "links of weight 1", sets.words, LINKS, n_clusters=K, link_weight=1.0)
_fits(comraf.MDC, "seed 7", sets.words, n_clusters=K, random_state=7)
_fits(comraf.ITCC, "one by one", sets.words, n_clusters=K, updates="sequential")
_fits(comraf.ITCC, "clusters of columns", sets.words, n_clusters=K, column_clusters=6)
_fits(comraf.CliquewiseMDC, "all interactions", both, n_clusters=K, interactions="all")
_fits(comraf.AgglomerativeIB, "must-links", sets.words, {"must_link": sets.MUST}, n_clusters=K)
_fits(comraf.AgglomerativeIB, "coarse", sets.words, n_clusters=K, coarse=20)
for kind in (comraf.ComrafStar, comraf.InformationBottleneck):
    _fits(kind, "top-down", sets.words, n_clusters=K, direction="top-down")
    options = {"effort": "default", "keep": "best"}
    _fits(kind, "the best of the runs", sets.words, n_clusters=K, **options)


@case("MDC, knowledge of words")
def _transferred() -> Any:
    known = WordKnowledge(np.arange(48, dtype=np.int32) % K)
    model = comraf.MDC(K, effort="quick", random_state=0)
    return told(model.fit({"words": sets.words()}, transfer={"words": known}))


@case("MDC, neighbours as a side")
def _neighbours() -> Any:
    tables = {"words": sets.words(), "near": comraf.neighbour_table(sets.points(), 8)}
    return told(comraf.MDC(K, random_state=0).fit(tables))


@case("MDC, neighbours tied to the rows")
def _tied() -> Any:
    near = comraf.neighbour_table(sets.points(), 8, copy="tied")
    return told(comraf.MDC(3, random_state=0).fit({"near": near}))


for kind in _TABLES[:-1]:

    @case(f"{kind.__name__}, new rows")
    def _placed(kind: Any = kind) -> Any:
        one = kind is comraf.InformationBottleneck
        new: Any = sets.new_words() if one else more()
        model = kind(K, random_state=0).fit(sets.words() if one else both())
        return {
            "predict": model.predict(new),
            **placed(model.place(new)),
            "transform": [plain(row) for row in model.transform(new)[:4]],
            "updated": model.update(new).labels_,
        }


@case("MDC, new rows alone may move")
def _updated() -> Any:
    model = comraf.MDC(K, effort="quick", random_state=0).fit(both())
    return told(model.update(more(), free="new"))


@case("AgglomerativeIB, tree")
def _tree() -> Any:
    model = comraf.AgglomerativeIB(K, random_state=0).fit(sets.words())
    return {
        "children": [row.tolist() for row in model.children_[-12:]],
        "heights": model.heights_[-12:],
        "cut in 7": model.cut(7),
    }


# Graphs -----------------------------------------------------------------------------------------


def of_graph(model: Any) -> dict[str, Any]:
    """Labels of every side, and what its edges know."""
    result = model.result_
    return {
        **{node.name: result.labels[node.name] for node in model.graph_.nodes if node.hidden},
        "edges": {f"{e.a} {e.b}": e.information for e in result.edges},
        "objective": result.objective,
        "stability": {name: each[:12] for name, each in result.stability.items()},
    }


for effort in ("quick", "default", "thorough", "paper"):

    @case(f"Comraf, effort {effort}")
    def _graph(effort: str = effort) -> Any:
        return of_graph(comraf.Comraf(sets.graph(), effort=effort, random_state=0).fit())

    @case(f"StarSeries, effort {effort}")
    def _series(effort: str = effort) -> Any:
        graph = sets.graph(observed="singletons")
        model = comraf.StarSeries(graph, effort=effort, singletons=True, random_state=0).fit()
        return of_graph(SimpleNamespace(graph_=graph, result_=model.result_))


@case("Comraf, labels and links of two sides")
def _knowing() -> Any:
    model = comraf.Comraf(sets.graph(), effort="quick", random_state=0)
    known = {"documents": sets.LABELS}
    return of_graph(model.fit(labels=known, cannot_link={"people": [(0, 4), (1, 2)]}))


@case("Comraf, new values")
def _graph_placed() -> Any:
    model = comraf.Comraf(sets.graph(), effort="quick", random_state=0).fit()
    new = model.place("documents", more())
    people = model.predict("people", {"documents": sets.people().T[:5], "words": np.eye(5, 48)})
    updated = model.update("documents", more())
    return {**placed(new), "people": people, "updated": updated.labels_["documents"]}


@case("StarSeries, labels and new values")
def _series_known() -> Any:
    graph = sets.graph(observed="singletons")
    model = comraf.StarSeries(graph, singletons=True, random_state=0)
    model.fit(labels={"documents": sets.LABELS})
    found = model.predict("documents", {"words": sets.new_words()})
    return {"documents": model.result_.labels["documents"], "predict": found}


@case("StarSeries, photos and their regions")
def _photos() -> Any:
    rng = np.random.default_rng(8)
    owner = np.repeat(np.arange(24), 3)
    kind = np.arange(24)[owner] % 3
    regions = sets._given(rng.poisson(0.4 + 2.0 * (np.arange(9) % 3 == kind[:, None])))
    graph = comraf.photo_graph(
        np.eye(24)[owner].T, n_clusters=3, n_blobs=6, regions_colours=regions
    )
    model = comraf.StarSeries(graph, random_state=0).fit()
    return {name: model.result_.labels[name] for name in ("images", "regions")}


# Organizer --------------------------------------------------------------------------------------


def of_mailbox(known: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    """The organizer, on the sample mailbox."""
    made = comraf.Organizer(**{"n_clusters": 8, "random_state": 0} | options)
    model = made.fit(sets.mailbox(), **(known or {}))
    sizes = {name: len(set(each.tolist())) for name, each in model.result_.labels.items()}
    return {
        "labels": model.labels_,
        "clusters": sizes,
        "objective": model.result_.objective,
        "confidence": model.placed_.confidence[:24],
    }


for name, options in {
    **{f"effort {effort}": {"effort": effort} for effort in ("quick", "default", "paper")},
    "effort thorough": {"effort": "thorough", "by": ["words"]},
    "loopy": {"graph": "loopy"},
    "by words and people": {"by": ["words", "people"]},
    "number of groups not told": {"n_clusters": None},
    "observed people": {"observe": ["people"], "effort": "quick"},
    "weighting log, edges equal": {"weighting": "log", "edge_weights": "equal", "effort": "quick"},
}.items():
    case(f"Organizer, {name}")(lambda options=options: of_mailbox(**options))


@case("Organizer, labels and links")
def _organizer_known() -> Any:
    known = {"labels": {0: "a", 5: "b", 9: "c"}, "must_link": [(1, 2), (3, 40)]}
    return of_mailbox(known, effort="quick")


@case("Organizer, new documents")
def _organizer_placed() -> Any:
    tables = sets.mailbox().tables
    first = SimpleNamespace(tables={name: table[:70] for name, table in tables.items()})
    later = {name: table[70:] for name, table in tables.items()}
    model = comraf.Organizer(8, effort="quick", random_state=0).fit(first)
    people = model.predict({"documents": first.tables["people"].T.tocsr()[:9]}, node="people")
    found = placed(model.place(later))
    return {**found, "people": people, "updated": model.update(later).labels_}


# K-means ----------------------------------------------------------------------------------------

_MEANS = (
    kmeans.KMeans,
    kmeans.SeededKMeans,
    kmeans.ConstrainedKMeans,
    kmeans.COPKMeans,
    kmeans.HMRFKMeans,
)
THREE = {0: "a", 1: "b", 2: "c", 9: "a", 25: "b"}
RIGHT = {"must_link": [(3, 6), (4, 16), (5, 17)], "cannot_link": [(3, 4), (8, 16), (30, 31)]}
WRONG = {"must_link": [(3, 6), (4, 15), (5, 17)], "cannot_link": [(3, 9), (8, 16), (30, 31)]}
for kind in (*_MEANS, kmeans.MPCKMeans, kmeans.KernelKMeans, kmeans.OverlappingKMeans):
    told_of = {"labels": THREE} if kind in _MEANS[1:3] else {}
    _fits(kind, "numbers", sets.points, told_of, n_clusters=3)
    _fits(kind, "labels", sets.points, {"labels": THREE}, n_clusters=3)
    if kind not in (kmeans.KMeans, kmeans.SeededKMeans):
        _fits(kind, "links", sets.points, RIGHT | told_of, n_clusters=3)
        _fits(kind, "links and labels", sets.points, RIGHT | {"labels": THREE}, n_clusters=3)
    if "init" in kind._get_param_names() and kind is not kmeans.KernelKMeans:
        _fits(kind, "start at the mean", sets.points, told_of, n_clusters=3, init="mean")
    for metric in ("euclidean", "cosine", "kl", "itakura-saito"):
        if "metric" in kind._get_param_names():
            X = sets.sums if kind is kmeans.OverlappingKMeans else sets.positive
            known = told_of if kind in _MEANS[:3] else RIGHT
            _fits(kind, f"metric {metric}", X, known, n_clusters=3, metric=metric)
_fits(kmeans.KMeans, "KL, smoothed", sets.words, n_clusters=K, metric=kmeans.KL(alpha=0.2))
weights = {"sample_weight": 1 + np.arange(sets.N) % 3}
_fits(kmeans.KMeans, "weights of rows", sets.points, weights, n_clusters=3)
_fits(kmeans.COPKMeans, "dropped links", sets.points, WRONG, n_clusters=3, on_failure="drop")
for inference in ("icm", "bp", "lp"):
    options = {"n_clusters": 3, "inference": inference}
    _fits(kmeans.HMRFKMeans, f"inference {inference}", sets.points, WRONG, **options)
    _fits(kmeans.HMRFKMeans, f"inference {inference}, cosine", sets.positive, WRONG,
          metric="cosine", **options)  # fmt: skip
for name, options in {
    "ablation -I": {"ablation": "-I"},
    "links as given": {"constraints": "original"},
    "links of weight 0.1": {"link_weight": 0.1},
}.items():
    _fits(kmeans.HMRFKMeans, name, sets.points, WRONG, n_clusters=3, **options)
for form in ("diagonal", "full"):
    for shared in (False, True):
        options = {"n_clusters": 3, "form": form, "shared": shared}
        name = f"metric {form}{', shared' * shared}"
        _fits(kmeans.MPCKMeans, name, sets.points, WRONG, **options)
for objective in ("association", "cut", "normalized"):
    options = {"n_clusters": 3, "objective": objective}
    _fits(kmeans.KernelKMeans, f"objective {objective}", sets.points, WRONG, **options)
for kernel in ("linear", "cosine", "polynomial"):
    _fits(kmeans.KernelKMeans, f"kernel {kernel}", sets.points, WRONG, n_clusters=3, kernel=kernel)
for init in ("spectral", "k-means++", "mean"):
    _fits(kmeans.KernelKMeans, f"start {init}", sets.points, n_clusters=3, init=init)
_fits(kmeans.KernelKMeans, "shared penalty", sets.points, WRONG, n_clusters=3, penalty="shared")
_fits(kmeans.OverlappingKMeans, "at most two", sets.sums, n_clusters=3, max_overlap=2)
_fits(kmeans.OverlappingKMeans, "sums", sets.sums, n_clusters=3)

for kind in (*_MEANS, kmeans.MPCKMeans, kmeans.KernelKMeans, kmeans.OverlappingKMeans):

    @case(f"{kind.__name__}, new rows")
    def _means_placed(kind: Any = kind) -> Any:
        known = {"labels": THREE} if kind in _MEANS[1:3] else {}
        model = kind(3, n_init=1, random_state=0).fit(sets.points()[:48], **known)
        new = sets.points()[48:]
        found = {"predict": model.predict(new)}
        if hasattr(model, "predict_memberships"):
            found["memberships"] = [plain(row) for row in model.predict_memberships(new)]
        if hasattr(model, "transform"):
            found["transform"] = [plain(row) for row in model.transform(new)[:4]]
            found["score"] = model.score(new)
        return found


for kind in (*_MEANS, kmeans.MPCKMeans, kmeans.KernelKMeans, kmeans.OverlappingKMeans):

    @case(f"{kind.__name__}, best of ten starts")
    def _best_of_ten(kind: Any = kind) -> Any:
        """Clusters numbered as they are met: which of several equal starts wins is not held."""
        known = {"labels": THREE} if kind in _MEANS[1:3] else {}
        model = kind(3, random_state=0).fit(sets.points(), **known)
        numbers: dict[int, int] = {}
        met = [numbers.setdefault(int(label), len(numbers)) for label in model.labels_]
        return {"partition": np.array(met), "objective": model.objective_}


@case("TextVectors, texts")
def _texts() -> Any:
    texts = [f"pump {w} {v} pump" for w in ("rust", "hose", "seal") for v in "leaks drips".split()]
    found = {}
    for recipe in ("basu", "bekkerman"):
        model = kmeans.TextVectors(recipe, min_documents=2).fit(texts)
        rows = model.transform(texts)
        found[recipe] = [plain(row) for row in rows.toarray().astype(float)]
        found[f"{recipe} words"] = list(model.get_feature_names_out())
    return found


for criterion in ("bic", "mdl", "labels", "links"):

    @case(f"choose_n_clusters, {criterion}")
    def _chosen(criterion: str = criterion) -> Any:
        known = {"labels": {"labels": THREE}, "links": RIGHT}.get(criterion, {})
        found = kmeans.choose_n_clusters(
            sets.points(), kmeans.HMRFKMeans(n_init=2, random_state=0), range(2, 6),
            criterion=criterion, folds=2, random_state=0, **known,
        )  # fmt: skip
        return {"best": found.best, "scores": found.scores}


# One class --------------------------------------------------------------------------------------

_CORES = [
    getattr(oneclass, name)
    for name in oneclass.__all__
    if hasattr(getattr(oneclass, name), "fit") and name != "OneClassBase"
]


def _core(kind: Any, name: str, **options: Any) -> None:
    def fit() -> Any:
        X, general = sets.ranked()
        made = kind(**{"n_core": 20, "background": general, "random_state": 0} | options)
        found = told(made.fit(X, words=[f"w{i}" for i in range(60)]))
        if kind is oneclass.SVMCore:  # support vectors tie at the core's edge, but for a last digit
            return {"first": found["ranking"][:12]}
        return {key: value for key, value in found.items() if key != "labels"}

    case(f"{kind.__name__}, {name}")(fit)


for kind in _CORES:
    _core(kind, "a known background")
    _core(kind, "a flat background", background="flat")
    _core(kind, "counts", binary=False)
for kind in (oneclass.LTB, oneclass.OCCC):
    _core(kind, "as published", effort="paper")
_core(oneclass.OCCC, "sizes scanned", n_words="scan")
_core(oneclass.OCCC, "12 words", n_words=12)
_core(oneclass.OCCC, "published and iterated", effort="paper", iterative=True)
_core(oneclass.LTB, "pi 0.2", pi=0.2)
_core(oneclass.LTB, "many rounds", max_iter=None)
_core(oneclass.OneClassIB, "KL", divergence="kl")
_core(oneclass.SVMCore, "linear", kernel="linear")
_core(oneclass.MaxKL, "words of 5 rows", min_documents=5)


@case("suggest_n_core, LTB")
def _sizes() -> Any:
    X, general = sets.ranked()
    model = oneclass.LTB(20, background=general, random_state=0)
    found = oneclass.suggest_n_core(model, X, sizes=[10, 15, 20, 25, 30], random_state=0)
    return {"best": found.best, "clear": bool(found.clear)}


@case("follow_topics, blocks of 20")
def _stream() -> Any:
    X, general = sets.ranked()
    days = np.datetime64("2020-01-06") + np.arange(sets.N) // 2
    blocks, _ = oneclass.cut_blocks(days, "week")
    model = oneclass.LTB(5, background=general, random_state=0)
    words = [f"w{i}" for i in range(60)]
    found = oneclass.follow_topics(X, blocks, model, words=words, least=10, n_words=5)
    return {
        "blocks": [topic.block.name for topic in found.topics],
        "rankings": [plain(topic.ranking[: topic.n_core]) for topic in found.topics],
        "words": [" ".join(word.word for word in topic.words) for topic in found.topics],
        "changes": [f"{topic.story} {topic.change}" for topic in found.topics],
    }


@case("simulate_topical_words, small")
def _simulated() -> Any:
    found = oneclass.simulate_topical_words(200, n_samples=2000, runs=5, random_state=0)
    return {"n_topical": found.n_topical, "accuracies": found.accuracies}


# Asking -----------------------------------------------------------------------------------------

_LEARNERS = {
    "ExploreConsolidate": (active.ExploreConsolidate, {"k": 3}),
    "MinMax": (active.MinMax, {"k": 3}),
    "NPU": (active.NPU, {"k": 3, "committee": 4}),
    "RandomPairs": (active.RandomPairs, {}),
}


def _asks(learner: str, name: str, oracle: Callable[[], Any] | None = None, **options: Any) -> None:
    kind, usual = _LEARNERS[learner]

    def ask() -> Any:
        truth = active.LabelOracle(np.arange(sets.N) % 3)
        made = kind(24, random_state=0, **usual | options)
        X = sets.positive() if options.get("metric") == "cosine" else sets.points()
        found = made.run(X, oracle() if oracle else truth)
        return {
            "must": found.must_link.tolist(),
            "cannot": found.cannot_link.tolist(),
            "unsure": found.unsure.tolist(),
            "neighbourhoods": [group.tolist() for group in found.neighbourhoods],
            "inferred": found.n_inferred,
        }

    case(f"{learner}, {name}")(ask)


def _noisy() -> Any:
    truth = active.LabelOracle(np.arange(sets.N) % 3)
    return active.NoisyOracle(truth, wrong=0.1, unsure=0.1, random_state=0)


for name in _LEARNERS:
    _asks(name, "right answers")
    _asks(name, "wrong and missing answers", _noisy)
    _asks(name, "cosine", metric="cosine")
for name in ("ExploreConsolidate", "MinMax"):
    _asks(name, "number not told", k=None)
    _asks(name, "careful of noise", _noisy, noise=0.1)
    _asks(name, "remote rows passed over", outliers=0.2)


# Tables made of numbers -------------------------------------------------------------------------

for how in FEATURE_TABLES:
    if how != "counts":

        @case(f"feature_table, {how}")
        def _features(how: str = how) -> Any:
            table = comraf.feature_table(sets.points(), how)
            model = comraf.ComrafStar(3, random_state=0).fit(table)
            return {"shape": list(table.shape), "sum": float(table.sum()), "labels": model.labels_}
