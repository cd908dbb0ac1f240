"""Every exception a user can meet.

Each one is also a built-in exception (``ValueError``, ``OSError``), so code that
knows nothing of comraf can still catch it. A message states what was given, what
is allowed, and what to do about it.
"""

from __future__ import annotations


class ComrafError(Exception):
    """Base of everything comraf raises on purpose."""


class InputError(ComrafError, ValueError):
    """A value, a table or a parameter that can't be used as given."""


class GraphError(InputError):
    """A Comraf graph that can't be solved; the message names the node or edge."""


class ConflictError(InputError):
    """Labels and links that no clustering can satisfy; the message names which."""


class TooLargeError(InputError):
    """Work that would need more memory than there is; raised before it is taken."""


class MissingExtraError(InputError, ImportError):
    """An optional dependency is not installed; the message says how to get it."""


class ReadError(ComrafError, OSError):
    """A file or folder that can't be read: missing, truncated, damaged, hostile."""


class WriteError(ComrafError, OSError):
    """A place that can't be written to; nothing half-written is left behind."""


class InterruptedWarning(UserWarning):
    """The work was stopped early; the result is the best found until then."""


class TimeLimitWarning(InterruptedWarning):
    """The work was stopped by its time limit; the result is the best found until then."""


class SegmentationWarning(UserWarning):
    """Text without blanks was cut into pieces, not words; the message says what finds words."""


class FaintWarning(UserWarning):
    """A table weighs next to nothing beside another, so that it can't change the clusters."""


class UnseenWarning(UserWarning):
    """New items have values that the fit has not seen; these were left out."""
