"""Which sides help to find groups, and which harm."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import comraf
from comraf.errors import code_of
from comraf.inference.control import Control
from comraf.select import Audit, SideAudit, audit
from tests.cli.talking import ended

TOPICS = 4
N = 400
_RNG = np.random.default_rng(0)
TOPIC = _RNG.integers(0, TOPICS, N)


def drawn(of: np.ndarray, n_values: int, length: int, purity: float, seed: int) -> sp.csr_array:
    """Values of each item: some from the share that its class has of them, some from all."""
    rng = np.random.default_rng(seed)
    share = n_values // TOPICS
    own = of[:, None] * share + rng.integers(0, share, (N, length))
    values = np.where(rng.random((N, length)) < purity, own, rng.integers(0, n_values, (N, length)))
    table = np.zeros((N, n_values), dtype=np.int64)
    np.add.at(table, (np.arange(N)[:, None], values), 1)
    return sp.csr_array(table)


WORDS = drawn(TOPIC, 200, 20, 0.3, 1)
PEOPLE = drawn(TOPIC, 40, 4, 0.9, 2)
# Strong groups of its own that have nothing to do with the topics.
MOODS = drawn(_RNG.permutation(TOPIC), 40, 4, 0.7, 3)


def test_a_side_that_knows_the_groups_helps_and_another_one_harms() -> None:
    """People write about topics; moods have groups of their own. The order of sides is nothing."""
    found = audit({"words": WORDS, "people": PEOPLE}, TOPICS)
    assert [one.verdict for one in found.sides] == ["main", "helps"]
    for tables in ({"words": WORDS, "moods": MOODS}, {"moods": MOODS, "words": WORDS}):
        found = audit(tables, TOPICS)
        assert found.harmful == ("moods",)
        assert found.kept == ("words",)


def test_what_is_missing_is_said() -> None:
    """Few items and single sides get no verdict, and every side says how many items have it."""
    few = audit({"words": WORDS[:150], "people": PEOPLE[:150]}, TOPICS)
    assert not few.asked
    assert few.kept == ("words", "people")
    assert not audit({"words": WORDS}, TOPICS).asked
    half = sp.csr_array(sp.vstack([PEOPLE[: N // 2], sp.csr_array((N - N // 2, 40))]))
    shares = [one.coverage for one in audit({"words": WORDS, "people": half}, TOPICS).sides]
    assert shares == pytest.approx([1.0, 0.5])


def test_it_prints_as_a_table() -> None:
    """A line for each side under a line of headings."""
    nan = float("nan")
    sides = (SideAudit("words", "main", nan, 0.4, 1), SideAudit("links", "harms", -0.1, 0, 0.5))
    lines = str(Audit(sides, 900)).splitlines()
    assert [line.split()[0] for line in lines] == ["side", "words", "links"]
    assert "-10.0%" in lines[2]
    assert "50%" in lines[2]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of texts and of moods that harm."""
    lines = ["text,moods"]
    for row in range(N):
        text, moods = (
            sep.join(f"{mark}{chr(97 + c % 26)}{chr(97 + c // 26)}x" for c in table[[row]].indices)
            for mark, table, sep in (("w", WORDS, " "), ("m", MOODS, ";"))
        )
        lines.append(f"{text},{moods}")
    path = tmp_path_factory.mktemp("texts") / "texts.csv"
    path.write_text("\n".join(lines))
    return path


def test_organize_leaves_out_what_harms_unless_it_is_named(texts: Path) -> None:
    """The note says which side and how to take it; a named side stays, and the note says so."""
    asked = (texts, TOPICS)
    answer = comraf.organize(*asked, effort="quick")
    assert list(answer.organizer.sides_) == ["words"]
    (note,) = [hint for hint in answer.hints if code_of(hint) == "left_out"]
    assert "moods: harms" in note
    assert answer.audit is not None
    assert answer.audit.harmful == ("moods",)
    for named in ({"by": ("words", "moods")}, {"lists": ("moods",)}):
        every = comraf.organize(*asked, effort="quick", **named)
        assert list(every.organizer.sides_) == ["words", "moods"]
        assert any(code_of(hint) == "left_out" for hint in every.hints)


def test_an_answer_keeps_what_was_asked(texts: Path, tmp_path: Path) -> None:
    """Opened again or edited, it knows of sides, of numbers and of structure."""
    with comraf.organize(texts, effort="quick") as answer:
        answer.save(tmp_path / "saved")
        opened = comraf.open_answer(tmp_path / "saved")
        for again in (opened, opened.merge(0, 1)):
            assert str(again.audit) == str(answer.audit)
            assert again.numbers == answer.numbers
            assert again.structure == answer.structure
        assert "What each side adds" in opened.report()
    told = json.loads((tmp_path / "saved" / "result.json").read_text())
    del told["audit"], told["structure"]["strength"]  # as an earlier comraf wrote it
    (tmp_path / "saved" / "result.json").write_text(json.dumps(told))
    earlier = comraf.open_answer(tmp_path / "saved")
    assert (earlier.audit, earlier.structure) == (None, None)


def test_asking_counts_for_the_time_limit(texts: Path) -> None:
    """The search gets what is left; without time to ask, it goes by all sides and says so."""
    answer = comraf.organize(texts, effort="quick", time_limit=60.0)
    assert answer.audit is not None
    assert answer.organizer.time_limit < 60.0 - 0.01
    assert not answer.out_of_time
    short = comraf.organize(texts, effort="quick", time_limit=1e-3)
    assert short.audit is None
    assert short.numbers is None
    assert list(short.organizer.sides_) == ["words", "moods"]
    assert short.out_of_time
    with pytest.raises(TimeoutError):
        audit({"words": WORDS, "people": PEOPLE}, TOPICS, time_limit=1e-3)


def test_ctrl_c_skips_the_rest_of_the_asking(
    texts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is pressed in the first fit of the audit: all sides make the groups, and are written."""
    really, out = Control.advance, tmp_path / "out"

    def press(self: Control, *arguments: Any) -> None:
        calls.append(self)
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        really(self, *arguments)

    def said(*more: object) -> str:
        calls.clear()
        assert ended("organize", texts, "--effort", "quick", "--out", out, *more) == 130
        return capsys.readouterr().err

    calls: list[Control] = []
    monkeypatch.setattr(Control, "advance", press)
    assert said().endswith(f"comraf: stopped: the groups were kept in {out}\n")
    told = json.loads((out / "result.json").read_text())
    assert told["parameters"]["by"] == ["words", "moods"]
    assert told["parameters"]["k"] == 14  # the rule of thumb
    assert "audit" not in told
    assert not told["interrupted"]
    assert "nothing was written" in said("--force", "--checkpoint", tmp_path / "half")
