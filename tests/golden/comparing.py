"""What golden tests expect: files under ``expected``, and how an answer is held against them."""

from __future__ import annotations

import difflib
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

EXPECTED = Path(__file__).parent / "expected"
HOW = (
    "If it is meant: python -m tests.golden.write, in a commit that says accuracy before and after."
)

# Numbers that hang on a last digit: with a point, or in per cent.
_NUMBER = re.compile(r"(\d+\.\d+%?|\d+%)")


def plain(value: Any) -> Any:
    """A value as JSON has it: labels as one string, numbers in a few digits."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray) and value.dtype == bool:
        value = value.astype(int)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.ndim == 1:
        return digits(value)
    if isinstance(value, np.ndarray | list | tuple):
        return [round(e, 3) + 0.0 if isinstance(e, float) else e for e in map(plain, value)]
    if isinstance(value, np.generic):
        value = value.item()
    return float(f"{value:.6g}") if isinstance(value, float) else value


def digits(labels: Any) -> str:
    """Whole numbers in one string: a digit each where all are small."""
    small = len(labels) and min(labels) >= 0 and max(labels) <= 9
    return ("" if small else " ").join(str(int(label)) for label in labels)


def dump(cases: dict[str, Any]) -> str:
    """JSON with a line for each thing that may change."""
    parts = []
    for name, found in sorted(cases.items()):
        lines = [
            f"    {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in found.items()
        ]
        parts.append(f"  {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def expected(path: str) -> dict[str, Any]:
    """What a file of ``expected`` has; nothing if it is not there."""
    file = EXPECTED / path
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def differences(found: Any, wanted: Any, where: str = "") -> list[str]:
    """Where two values differ, in lines; numbers may differ in their last digit."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        return [
            line
            for key in [*wanted, *(key for key in found if key not in wanted)]
            for line in (
                [f"{where}{key}: was not there, is {found[key]!r}"]
                if key not in wanted
                else [f"{where}{key}: is gone, was {wanted[key]!r}"]
                if key not in found
                else differences(found[key], wanted[key], f"{where}{key}: ")
            )
        ]
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        return [
            line
            for i, (one, other) in enumerate(zip(found, wanted, strict=True))
            for line in differences(one, other, f"{where}[{i}] ")
        ]
    numbers = isinstance(found, int | float) and isinstance(wanted, int | float)
    inside = where.endswith("] ")  # of a list: rounded to three digits
    if numbers and math.isclose(found, wanted, rel_tol=1e-5, abs_tol=1.01e-3 if inside else 1e-9):
        return []
    if found == wanted:
        return []
    if isinstance(found, str) and isinstance(wanted, str) and "\n" in found + wanted:
        found = alike(found, wanted)
        if found == wanted:
            return []
        lines = difflib.unified_diff(
            wanted.splitlines(), found.splitlines(), "expected", "found", lineterm="", n=1
        )
        return [where, *lines]
    if isinstance(found, str) and isinstance(wanted, str) and len(found) == len(wanted) > 20:
        marks = "".join(" " if a == b else "^" for a, b in zip(wanted, found, strict=True))
        return [where, f"  was {wanted}", f"  is  {found}", f"      {marks.rstrip()}"]
    return [f"{where}was {wanted!r}, is {found!r}"]


def alike(found: str, wanted: str) -> str:
    """The text, with the numbers of the other one where they differ in their last digit only."""
    parts, others = (_NUMBER.split(text) for text in (found, wanted))
    if len(parts) != len(others):
        return found
    for i in range(1, len(parts), 2):
        digits = parts[i].rstrip("%").partition(".")[2]
        off = abs(float(parts[i].rstrip("%")) - float(others[i].rstrip("%")))
        if off < 1.01 * 10.0 ** -len(digits) and len(parts[i]) == len(others[i]):
            parts[i] = others[i]
    return "".join(parts)


def hold(found: Any, wanted: Any, what: str) -> None:
    """Fail with what differs, if anything does."""
    lines = differences(found, wanted)
    assert not lines, "\n".join([f"{what} has changed.", *lines[:60], HOW])
