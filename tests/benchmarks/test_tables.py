"""Means, spreads and ratios, worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.tables import COLUMNS, cells, current, markdown, rows, spread

BASE = ("sib-n10", "raw")


def result(method: str, seed: int, accuracy: float, cpu: float, **more: Any) -> dict[str, Any]:
    """One stored result."""
    record = {
        "dataset": "d",
        "method": method,
        "weighting": "raw",
        "seed": seed,
        "fingerprint": "f",
        "version": "1",
        "settings": {},
        "status": "ok",
        "accuracy": accuracy,
        "nmi": 0.5,
        "ari": 0.25,
        "n_clusters": 3,
        "k": 3,
        "cpu_s": cpu,
        "wall_s": cpu,
        "compile_s": 0.0,
        "peak_mb": 100.0 + seed,
    }
    return record | more


def failure(method: str, seed: int, status: str = "failed") -> dict[str, Any]:
    """One cell that came to nothing."""
    whole = result(method, seed, 0, 0)
    keep = ("dataset", "method", "weighting", "seed", "fingerprint", "version", "settings", "k")
    return {key: whole[key] for key in keep} | {"status": status, "error": "ValueError: no"}


def test_rows_are_sorted_and_averaged() -> None:
    """Means and sample deviations over seeds; the best comes first."""
    records = [
        result("nmf", 0, 0.5, 2.0),
        result("sib-n10", 0, 0.6, 4.0),
        result("nmf", 1, 0.5, 4.0),
        result("sib-n10", 1, 0.8, 6.0),
    ]
    table = rows(records, "d", BASE)
    assert [row.method for row in table] == ["sib-n10", "nmf"]
    first = dict(zip(COLUMNS, cells(table[0]), strict=True))
    assert first["accuracy"] == ".700 ± .141"
    assert first["CPU s"] == "5.0 ± 1.4"
    assert first["CPU ratio"] == "1.00×"
    assert first["peak MB"] == "101"
    assert table[1].ratio == pytest.approx(6 / 10)


def test_ratio_uses_the_seeds_both_have() -> None:
    """A seed that only one side has does not tilt the ratio."""
    records = [
        result("sib-n10", 0, 0.6, 4.0),
        result("nmf", 0, 0.5, 2.0),
        result("nmf", 1, 0.5, 100.0),
    ]
    assert rows(records, "d", BASE)[1].ratio == pytest.approx(0.5)


def test_failures_are_rows_with_a_reason() -> None:
    """A method that never worked is last and says why; part failures are noted."""
    records = [
        failure("lda", 0, "timed out"),
        result("nmf", 0, 0.5, 2.0),
        failure("nmf", 1),
    ]
    table = rows(records, "d", BASE)
    assert [row.method for row in table] == ["nmf", "lda"]
    assert cells(table[0])[2] == "1"
    assert table[0].notes == ("seed 1 failed: ValueError: no",)
    assert cells(table[1])[3] == "timed out"


def test_old_versions_and_old_tables_are_left_out() -> None:
    """A mean never mixes two versions of a package or of a table."""
    assert [
        (r["method"], r["seed"])
        for r in current(
            [
                result("nmf", 0, 0.1, 1, version="0"),
                result("lda", 0, 0.1, 1, fingerprint="old"),
                result("nmf", 1, 0.5, 1),
            ]
        )
    ] == [("nmf", 1)]


def test_a_cell_measured_twice_counts_once() -> None:
    """The last measurement of a cell wins."""
    records = [failure("nmf", 0), result("nmf", 0, 0.5, 1)]
    (row,) = rows(records, "d", BASE)
    assert len(row.measured) == 1
    assert row.failed == ()


def test_honest_notes() -> None:
    """Compilation inside the timed fit and empty clusters are told."""
    (row,) = rows([result("mdc", 0, 0.5, 2.0, compile_s=1.0, n_clusters=2)], "d", BASE)
    assert any("1.0 s of compilation" in note for note in row.notes)
    assert any("only 2 of the 3" in note for note in row.notes)


def test_markdown_is_a_table() -> None:
    """As many cells in every line, notes as a list below."""
    text = markdown(rows([result("nmf", 0, 0.5, 2.0), failure("nmf", 1)], "d", BASE))
    head, rule, line, blank, note = text.splitlines()
    assert head.count("|") == rule.count("|") == line.count("|") == len(COLUMNS) + 1
    assert blank == ""
    assert note == "- NMF on tf-idf, raw: seed 1 failed: ValueError: no"


@pytest.mark.parametrize(
    ("values", "digits", "text"),
    [
        ([1.0], 3, "1.000"),
        ([0.0], 3, ".000"),
        ([0.25, 0.25], 3, ".250 ± .000"),
        ([0.123], None, "0.12"),
        ([3.14], None, "3.1"),
        ([82.4, 80.0], None, "81 ± 2"),
    ],
)
def test_numbers_read_well(values: list[float], digits: int | None, text: str) -> None:
    """Scores without their zero, seconds with as many digits as they deserve."""
    assert spread(values, digits) == text
