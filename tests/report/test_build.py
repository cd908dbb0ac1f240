"""What a report says is what is in the tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.errors import InputError, ReadError
from comraf.graph import Edge, Graph, Node
from comraf.report import ReportData, Score, render, report_data
from comraf.results import EdgeInformation, Result
from tests.report.conftest import Solved
from tests.report.shelves import Shelf, Values, random_shelf


def test_groups_have_the_sizes_and_shares_of_the_result(
    solved: Solved, sample_data: ReportData
) -> None:
    """Every document is counted once, under the number of its cluster."""
    _, _, result = solved
    assert [g.number for g in sample_data.groups] == list(range(4))
    assert [g.size for g in sample_data.groups] == result.sizes("documents").tolist()
    assert sum(g.share for g in sample_data.groups) == pytest.approx(1.0)


def test_telling_values_are_those_of_the_definition(
    solved: Solved, sample_data: ReportData
) -> None:
    """p(w,c) log p(w,c) / p(w)p(c), computed densely, gives the same list."""
    shelf, _, result = solved
    table = shelf.tables["words"].toarray().astype(float)
    labels = result.labels["documents"]
    joint = np.stack([table[labels == c].sum(axis=0) for c in range(4)]) / table.sum()
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.where(joint > 0, joint * np.log(joint / expected), 0.0)
    for c, group in enumerate(sample_data.groups):
        words = next(side for side in group.telling if side.side == "words")
        best = np.argsort(-worth[c], kind="stable")[: len(words.values)]
        assert [w.value for w in words.values] == [shelf.sides["words"].values[i] for i in best]
        assert [w.strength for w in words.values] == pytest.approx(worth[c, best].tolist())


def test_heat_maps_are_log_ratios_of_counts(solved: Solved, sample_data: ReportData) -> None:
    """Each cell compares the counts of a block of the table with what is expected there."""
    shelf, _, result = solved
    for heat in sample_data.heat_maps:
        table = shelf.tables[heat.side].toarray().astype(float)
        rows, columns = result.labels["documents"], result.labels[heat.side]
        unit = table.sum() / np.count_nonzero(table)
        for i in range(4):
            for j, (cluster, _) in enumerate(heat.columns):
                seen = table[np.ix_(rows == i, columns == cluster)].sum()
                due = table[rows == i].sum() * table[:, columns == cluster].sum() / table.sum()
                wanted = np.log2((seen + unit) / (due + unit))
                assert heat.cells[i][j] == pytest.approx(wanted, abs=1e-3)


def test_clusters_of_sides_list_their_members(solved: Solved, sample_data: ReportData) -> None:
    """Members belong to the cluster, are ordered by counts, and groups' shares add up."""
    shelf, _, result = solved
    for side in sample_data.sides:
        place = {name: i for i, name in enumerate(shelf.sides[side.name].values)}
        totals = np.asarray(shelf.tables[side.name].sum(axis=0))
        for cluster in side.clusters:
            strengths = [member.strength for member in cluster.members]
            assert strengths == sorted(strengths, reverse=True)
            assert sum(cluster.groups) == pytest.approx(1.0)
            for member in cluster.members:
                i = place[member.value]
                assert result.labels[side.name][i] == cluster.number
                assert totals[i] == member.strength


def test_people_matrix_counts_shared_documents(solved: Solved, sample_data: ReportData) -> None:
    """Cells are documents that name both, and people of one cluster stand together."""
    shelf, _, _ = solved
    people = sample_data.people
    assert people is not None
    present = shelf.tables["people"].toarray() > 0
    place = {name: i for i, name in enumerate(shelf.sides["people"].values)}
    for i, a in enumerate(people.names):
        for j, b in enumerate(people.names):
            both = present[:, place[a]] & present[:, place[b]]
            assert people.cells[i][j] == both.sum()
    runs = [c for i, c in enumerate(people.clusters) if i == 0 or people.clusters[i - 1] != c]
    assert len(runs) == len(set(runs))


def test_timeline_and_truth_count_every_document(solved: Solved, sample_data: ReportData) -> None:
    """Dated documents by group and period; known classes by group."""
    shelf, _, result = solved
    line, truth = sample_data.timeline, sample_data.truth
    assert line is not None
    assert truth is not None
    sizes = result.sizes("documents").tolist()
    assert [sum(row) for row in line.counts] == sizes
    assert [sum(column) for column in zip(*truth.cells, strict=True)] == sizes
    assert dict(zip(truth.classes, map(sum, truth.cells), strict=True)) == Counter(shelf.truth)
    for group in sample_data.groups:
        assert sum(item.count for item in group.truth) == group.size


def test_scores_are_those_of_the_metrics(solved: Solved, sample_data: ReportData) -> None:
    """All four against the known classes, each explained, or the ones that are given."""
    from comraf.metrics import explained_scores

    shelf, graph, result = solved
    told = explained_scores(shelf.truth, result.labels["documents"], "messages")
    assert [(s.name, s.value, s.meaning) for s in sample_data.scores] == [*told]
    assert [score.name for score in told] == ["one-to-one accuracy", "purity", "NMI", "ARI"]
    page = render(sample_data)
    for name, value, meaning in told:
        assert f'{name}</span></td><td class="num">{value:.3f}' in page.replace("\n", "")
        assert meaning[:60] in page
    given = report_data(shelf, graph, result, scores=[Score("mine", 0.5)])
    assert [score.name for score in given.scores] == ["mine"]


def test_samples_belong_to_their_group(solved: Solved, sample_data: ReportData) -> None:
    """Titles, dates, people, confidence and classes are those of a document of the group."""
    shelf, _, result = solved
    labels = result.labels["documents"]
    for group in sample_data.groups:
        titles = {shelf.titles[i] for i in np.flatnonzero(labels == group.number)}
        assert 3 <= len(group.samples) <= 6
        assert sum(not sample.sure for sample in group.samples) <= 2
        for sample in group.samples:
            assert sample.title in titles
            assert sample.snippet
            assert sample.confidence is not None
            assert sample.rival != group.number
            assert sample.date is not None


def test_typical_documents_hold_more_telling_words_than_others(
    solved: Solved, sample_data: ReportData
) -> None:
    """A sample shows why the group is a group."""
    shelf, _, result = solved
    for group in sample_data.groups:
        telling = {w.value for side in group.telling if side.side == "words" for w in side.values}

        def hits(text: str, telling: set[str] = telling) -> int:
            return len(telling & set(text.lower().split()))

        rows = np.flatnonzero(result.labels["documents"] == group.number)
        usual = np.mean([hits(shelf.texts[i]) for i in rows])
        shown = [
            hits(shelf.texts[i])
            for sample in group.samples
            if sample.sure
            for i in rows
            if shelf.titles[i] == sample.title
        ]
        assert np.max(shown) > usual


def test_names_given_are_used(solved: Solved) -> None:
    """The caller may name groups; a blank name falls back on telling words."""
    shelf, graph, result = solved
    data = report_data(shelf, graph, result, names=["one", "two", "three", "  "])
    assert [g.name for g in data.groups[:3]] == ["one", "two", "three"]
    assert data.groups[3].name.strip()


def test_reports_are_the_same_every_time(solved: Solved, sample_data: ReportData) -> None:
    """Two builds of one run agree in every value, and so do their pages."""
    shelf, graph, result = solved
    first, second = (report_data(shelf, graph, result, source="x") for _ in range(2))
    assert first == second
    assert render(first) == render(second)


def test_mistakes_are_told(solved: Solved) -> None:
    """Wrong lengths and another collection's result are errors that say both numbers."""
    shelf, graph, result = solved
    with pytest.raises(InputError, match="3 names are given for 4 groups"):
        report_data(shelf, graph, result, names=["a", "b", "c"])
    with pytest.raises(InputError, match=r"confidence has shape \(2,\)"):
        report_data(shelf, graph, result, confidence=[0.1, 0.2])
    with pytest.raises(InputError, match="no node 'letters'"):
        report_data(shelf, graph, result, documents="letters")
    short = replace(shelf, titles=shelf.titles[:5])
    with pytest.raises(InputError, match="the collection 5"):
        report_data(short, graph, result)


def test_texts_that_are_gone_leave_the_rest(solved: Solved) -> None:
    """A collection whose texts were deleted still has a report, without snippets."""
    shelf, graph, result = solved

    class Gone(Shelf):
        def text(self, index: int) -> str:
            raise ReadError("the texts were deleted")

    data = report_data(Gone(**vars(shelf)), graph, result)
    assert all(s.title and not s.snippet for g in data.groups for s in g.samples)


def shelf_of_words(n: int = 12) -> tuple[Shelf, Graph, Result]:
    """Two groups of documents that have nothing but words, and no dates."""
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1], n // 2).astype(np.int32)
    table = sp.csr_array(rng.poisson(np.where(labels[:, None] == np.arange(6) // 3, 3.0, 0.2)))
    shelf = Shelf([""] * n, [""] * n, [None] * n, {"words": table}, {"words": Values("abcdef")})
    nodes = [Node("documents", n_clusters=2), Node("words", direction="top-down", n_clusters=2)]
    graph = Graph(nodes, [Edge("documents", "words", table)])
    words = np.repeat([0, 1], 3).astype(np.int32)
    edges = (EdgeInformation("documents", "words", 1.0, 0.5),)
    result = Result({"documents": labels, "words": words}, {"documents": 2, "words": 2}, 0.5, edges)
    return shelf, graph, result


def test_without_dates_people_titles_or_texts() -> None:
    """Sections that have nothing are missing; what there is stays."""
    data = report_data(*shelf_of_words())
    assert (data.timeline, data.people, data.truth, data.first, data.skipped) == (None,) * 5
    assert data.map is not None
    page = render(data)
    assert "Groups over time" not in page
    assert "(no title)" in page
    assert "no date" not in page  # where none has one


def test_one_group_and_observed_sides() -> None:
    """A single group has neither map nor heat map; singletons are values by themselves."""
    shelf, _, _ = shelf_of_words()
    table = shelf.tables["words"]
    nodes = [Node("documents", n_clusters=1), Node("words", observed="singletons")]
    graph = Graph(nodes, [Edge("documents", "words", table)])
    labels = {"documents": np.zeros(12, dtype=np.int32), "words": np.arange(6, dtype=np.int32)}
    edges = (EdgeInformation("documents", "words", 1.0, 0.0),)
    data = report_data(
        shelf, graph, Result(labels, {"documents": 1, "words": 6}, 0.0, edges), title="One"
    )
    assert data.map is None
    assert [(side.name, side.clustered, len(side.clusters)) for side in data.sides] == [
        ("words", False, 6)
    ]
    assert data.heat_maps == ()
    assert [g.size for g in data.groups] == [12]
    assert "One" in render(data)


def test_documents_without_any_counts_have_a_place() -> None:
    """Empty rows and an empty group are counted like others."""
    shelf, graph, result = shelf_of_words()
    table = shelf.tables["words"].toarray()
    table[[0, 11]] = 0
    shelf.tables["words"] = sp.csr_array(table)
    labels = np.where(np.arange(12) < 6, 0, 2).astype(np.int32)
    moved = Result(
        {"documents": labels, "words": result.labels["words"]},
        {"documents": 3, "words": 2},
        0.1,
        result.edges,
    )
    data = report_data(shelf, graph, moved)
    assert [g.size for g in data.groups] == [6, 0, 6]
    assert data.map is not None
    assert sum(point.copies for point in data.map.points) == 12
    assert "group 1" in render(data)


def test_dates_may_be_numpys(solved: Solved, sample_data: ReportData) -> None:
    """An array of moments with gaps gives the timeline of a list of datetimes."""
    shelf, graph, result = solved
    moments = np.array(
        [d.astimezone(UTC).replace(tzinfo=None) for d in shelf.dates], dtype="datetime64[s]"
    )
    assert (
        report_data(replace(shelf, dates=moments), graph, result).timeline == sample_data.timeline
    )
    moments[:3] = np.datetime64("NaT")
    line = report_data(replace(shelf, dates=moments), graph, result).timeline
    assert line is not None
    assert line.undated == 3


@pytest.mark.parametrize(("n_documents", "n_groups"), [(10, 3), (8000, 100)])
def test_size_is_bounded(n_documents: int, n_groups: int) -> None:
    """A hundred groups of eight thousand documents make a page that can be mailed."""
    shelf, graph, result = random_shelf(n_documents, n_groups)
    data = report_data(shelf, graph, result, made=datetime(2026, 1, 1))
    page = render(data)
    assert len(page.encode()) < 3_000_000
    assert data.map is not None
    assert len(data.map.points) <= 2000 + 4 * n_groups
    assert sum(len(g.samples) for g in data.groups) <= 720
    assert all(0 <= p.x <= 1 and 0 <= p.y <= 1 for p in data.map.points)


def test_long_values_are_cut() -> None:
    """A megabyte for a title, a word and a text makes no larger page than a line of each."""
    shelf, graph, result = shelf_of_words()
    long = "long " * 200_000
    large = replace(
        shelf,
        titles=[f"{i} {long}" for i in range(12)],
        texts=[long] * 12,
        sides={"words": Values([f"{i}{long}" for i in range(6)])},
    )
    data = report_data(large, graph, result, title=long, source=long, warnings=[long])
    assert len(render(data)) < 200_000
