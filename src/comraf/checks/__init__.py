"""Rules that comraf's own parts keep to, for parts of your own.

Each function raises `comraf.errors.RuleError`, an ``AssertionError``, that names the rule and
says by how much it was broken; the tests of this package call the same functions.
"""

from comraf.checks.estimator import check_estimator, expected_failures
from comraf.checks.method import check_method
from comraf.checks.reader import check_reader
from comraf.checks.side import check_side
from comraf.checks.term import check_term

__all__ = [
    "check_estimator",
    "check_method",
    "check_reader",
    "check_side",
    "check_term",
    "expected_failures",
]
