"""``comraf organize --edge-weights`` and ``--observe``: an answer remembers what was asked."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.workflows.answer import open_answer
from tests.cli.talking import comraf, refused


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Forty papers in two areas, with words and a few citations."""
    rng = np.random.default_rng(0)
    area = np.arange(40) % 2
    words = rng.random((40, 24)) < np.where(area[:, None] == np.arange(24) % 2, 0.7, 0.1)
    cites = np.triu(rng.random((40, 40)) < np.where(area[:, None] == area, 0.2, 0.01), 1)
    arrays = {
        f"{name}_{part}": getattr(table, part)
        for name, table in (("attr", sp.csr_array(words * 1)), ("adj", sp.csr_array(cites * 1)))
        for part in ("data", "indices", "indptr", "shape")
    }
    np.savez(tmp_path / "papers.npz", labels=area, **arrays)
    return tmp_path / "papers.npz"


def test_sides_weigh_what_they_count(papers: Path, tmp_path: Path) -> None:
    """By mass, citations weigh their share of counts; an answer opens with the same graph."""
    asked = ["-k", "2", "--by", "words,citations", "--effort", "quick"]
    weights = {}
    for rule in ("root_mass", "mass"):
        out = tmp_path / rule
        answer = comraf("organize", papers, *asked, "--edge-weights", rule, "--out", out)
        assert answer.exit_code == 0, answer.output
        document = json.loads((out / "result.json").read_text())
        assert document["parameters"]["edge_weights"] == rule
        weights[rule] = {edge["between"][1]: edge["weight"] for edge in document["edges"]}
        kept = open_answer(out)
        assert [edge.weight for edge in kept.graph.edges] == list(weights[rule].values())
    assert weights["mass"]["citations"] == pytest.approx(weights["root_mass"]["citations"] ** 2)
    assert weights["mass"]["citations"] < 0.6 < weights["mass"]["words"] == 1.0


def test_citations_stand_as_they_are_unless_asked(papers: Path, tmp_path: Path) -> None:
    """Citations are observed by default; --observe none clusters them; an answer remembers it."""
    asked = ["-k", "2", "--by", "words,citations", "--effort", "quick"]
    hidden = {}
    for name, options in (("seen", []), ("none", ["--observe", "none"])):
        out = tmp_path / name
        answer = comraf("organize", papers, *asked, *options, "--out", out)
        assert answer.exit_code == 0, answer.output
        document = json.loads((out / "result.json").read_text())
        nodes = {node.name: node for node in open_answer(out).graph.nodes}
        hidden[name] = nodes["citations"].observed is None
        assert document["parameters"]["observe"] == ([] if hidden[name] else ["citations"])
    assert hidden == {"seen": False, "none": True}


def test_observing_what_is_not_there_is_refused(papers: Path) -> None:
    """The message names the option and the sides there are."""
    said = refused("organize", papers, "--observe", "people")
    assert "--observe people" in said
    assert "citations" in said
