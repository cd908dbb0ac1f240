"""Rules that comraf's own parts keep to, for parts of your own.

Each function raises `comraf.errors.RuleError`, an ``AssertionError``, that names the rule and
says by how much it was broken; the tests of this package call the same functions.
"""

from comraf.checks.term import check_term

__all__ = ["check_term"]
