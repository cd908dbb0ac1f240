"""Groups edited in Python, written back as an answer with a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comraf
from comraf import results
from comraf.errors import InputError, WriteError
from tests.cli.talking import comraf as run
from tests.cli.talking import rows


def test_an_edited_answer_is_an_answer(organized: Path, tmp_path: Path) -> None:
    """Two groups merged and one renamed: every file, the report and every command know it."""
    out = tmp_path / "edited"
    answer = comraf.open_answer(organized)
    fewer = results.merge(answer.graph, answer.result, "documents", [2, 5], name="both together")
    fewer = results.rename(fewer, "documents", 7, "the last one")
    comraf.write_answer(answer.collection, answer.graph, fewer, out, like=organized)
    old, new = rows(organized / "clusters.csv"), rows(out / "clusters.csv")
    assert [row["item"] for row in old] == [row["item"] for row in new]
    assert {row["name"] for row in new if row["cluster"] == "2"} == {"both together"}
    assert [row["cluster"] for row in new] == [
        str({5: 2, 6: 5, 7: 6}.get(int(row["cluster"]), int(row["cluster"]))) for row in old
    ]
    page = (out / "report.html").read_text()
    assert "both together" in page
    assert "the last one" in page
    for file in ("result.json", "words.csv", "people.csv", "subjects.csv", "graph.svg"):
        assert (out / file).is_file()
    wanted, found = (json.loads((f / "result.json").read_text()) for f in (organized, out))
    assert wanted["parameters"] | {"k": 7} == found["parameters"] | {"k": 7}
    assert json.loads(run("evaluate", out, "--json").stdout)["clusters"] == 7
    again = comraf.open_answer(out)
    assert again.result.objective == pytest.approx(fewer.objective)
    np.testing.assert_array_equal(again.result.labels["documents"], fewer.labels["documents"])
    for command in (("explain", out, old[0]["item"]), ("compare", organized, out)):
        said = run(*command)
        assert said.exit_code == 0, said.output
    placed = run("assign", out, organized.parent / "Mail")
    assert "both together" in placed.output


def test_groups_of_a_fit_in_python(organized: Path, tmp_path: Path) -> None:
    """A fit of one's own on a collection becomes an answer; what is in the way is refused."""
    collection = comraf.open_answer(organized).collection
    fit = comraf.Organizer(3, by=["words"], effort="quick", random_state=0).fit(collection)
    out = tmp_path / "mine"
    comraf.write_answer(collection, fit.graph_, fit.result_, out)
    assert len({row["cluster"] for row in rows(out / "clusters.csv")}) == 3
    assert comraf.open_answer(out).result.objective == pytest.approx(fit.result_.objective)
    with pytest.raises(WriteError):
        comraf.write_answer(collection, fit.graph_, fit.result_, out)
    table = np.eye(4, dtype=int) + 1
    other = comraf.MDC(2, effort="quick", random_state=0).fit(table)
    with pytest.raises(InputError, match="5 is not the name of a folder"):
        comraf.open_answer(5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a NoneType and a Result are given"):
        comraf.write_answer(None, fit.graph_, fit.result_, out)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the result has 4 documents and the collection"):
        comraf.write_answer(collection, other.graph_, other.result_, tmp_path / "no")
    nodes = [comraf.Node("things", n_clusters=2), comraf.Node("words", observed="singletons")]
    last = comraf.Comraf(comraf.Graph(nodes, [comraf.Edge("things", "words", table)])).fit()
    with pytest.raises(InputError, match="no node 'documents' or 'rows', only"):
        comraf.write_answer(collection, last.graph, last.result_, tmp_path / "no")


@pytest.mark.parametrize("estimator", [comraf.MDC, comraf.ComrafStar])
def test_groups_of_rows_become_groups_of_documents(
    organized: Path, tmp_path: Path, estimator: Any
) -> None:
    """Estimators of tables call the documents rows; merged and renamed they make a folder."""
    collection = comraf.open_answer(organized).collection
    tables = {name: collection.tables[name] for name in ("words", "people")}
    fit = estimator(4, effort="quick", random_state=0).fit(tables)
    fewer = results.merge(fit.graph_, fit.result_, "rows", [0, 2], name="both")
    out = tmp_path / "mine"
    comraf.write_answer(collection, fit.graph_, fewer, out)
    found = [int(row["cluster"]) for row in rows(out / "clusters.csv")]
    np.testing.assert_array_equal(found, fewer.labels["rows"])
    assert "both" in (out / "report.html").read_text()
    assert comraf.open_answer(out).result.objective == pytest.approx(fewer.objective)
    assert "both" in run("assign", out, organized.parent / "Mail").output
