"""Small columns of counts, stretched to whatever width they are given."""

from __future__ import annotations

from collections.abc import Sequence

from comraf.report.markup import Markup, el

__all__ = ["columns", "spark"]


def columns(counts: Sequence[int], top: float, height: float = 100.0) -> str:
    """The outline of columns one unit wide, as the data of a path.

    Examples
    --------
    >>> columns([2, 0, 1], top=2, height=10)
    'M0 10V0h.9V10zM2 10V5h.9V10z'
    """
    # A hair is left for the smallest count, so that "one" never looks like "none".
    parts = []
    for i, count in enumerate(counts):
        if count > 0:
            rise = max(height * 0.04, height * min(count, top) / max(top, 1e-9))
            parts.append(f"M{i} {height:g}V{height - rise:.3g}h.9V{height:g}z")
    return "".join(parts)


def spark(counts: Sequence[int], top: float, label: str, hue: str = "") -> Markup:
    """Columns without axes, to stand in a line of a table.

    Parameters
    ----------
    counts : sequence of int
    top : float
        The count that reaches the top: the same for all that are to be compared.
    label : str
        What it shows, for those who can't see it.
    hue : str
        Class that sets the colour.

    Examples
    --------
    >>> spark([1, 2], 2, "letters a week").startswith("<svg")
    True
    """
    return el(
        "svg",
        el("title", label),
        el("path", d=columns(counts, top), fill="var(--c, var(--soft))"),
        viewBox=f"0 0 {len(counts)} 100",
        preserveAspectRatio="none",
        role="img",
        class_=hue or None,
    )
