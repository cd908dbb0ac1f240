"""Names and tables on the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from comraf.results.telling import Cluster

__all__ = ["MOST_SHOWN", "clean", "cluster_table", "listed"]

MOST_SHOWN = 30
# Control codes, invisible direction marks and lone surrogates can garble a terminal.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def clean(text: str, most: int = 32) -> str:
    r"""A name as it may be shown: no control codes, not too long.

    Examples
    --------
    >>> clean("sea\x1b[2J"), clean("a" * 10, 5)
    ('sea�[2J', 'aaaa…')
    """
    short = text if len(text) <= most else text[: most - 1] + "…"
    return "".join("�" if unicodedata.category(char) in _UNSEEN else char for char in short)


def listed(names: Iterable[str]) -> str:
    """Names in a row.

    Examples
    --------
    >>> listed(["sea", "ship"])
    'sea, ship'
    """
    return ", ".join(clean(name) for name in names)


def cluster_table(what: str, found: Sequence[Cluster], others: Sequence[str]) -> Table:
    """The largest clusters of a side as a table.

    Examples
    --------
    >>> from comraf.results.telling import Cluster
    >>> found = [Cluster(0, 3, 1.0, {"columns": [("sea", 0.1)]})]
    >>> cluster_table("rows", found, ["columns"]).row_count
    1
    """
    from rich.table import Table
    from rich.text import Text

    n_best = max(3, 8 // max(1, len(others)))
    table = Table(title_justify="left", header_style="bold")
    table.add_column("cluster", justify="right")
    table.add_column(clean(what), justify="right")
    table.add_column("share", justify="right")
    for other in others:
        table.add_column(f"telling {clean(other)}", overflow="fold", ratio=1)
    for cluster in found[:MOST_SHOWN]:
        cells = [
            Text(listed(name for name, _ in cluster.telling.get(other, [])[:n_best]))
            for other in others
        ]
        table.add_row(str(cluster.number), f"{cluster.size:,}", f"{cluster.share:.1%}", *cells)
    return table
