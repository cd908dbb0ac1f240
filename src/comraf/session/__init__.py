"""What a person said about groups, in a file that only grows, with undo, redo and branches.

A `Session` keeps it all in one SQLite file, which only grows; every version of the groups is the
log up to there.
"""

from comraf.session.session import Session, SessionState, StaleError

__all__ = ["Session", "SessionState", "StaleError"]
